//! What a graph is made of, whole and in memory: what an import and the bundled data come to.

/// A place on the globe, in degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// North is positive.
    pub lat: f64,
    /// East is positive.
    pub lng: f64,
}

/// A name in the language of the place and in English; either may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// As on the sign.
    pub local: String,
    /// In English, where it is known.
    pub en: String,
}

/// How important a road is, and what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Class {
    /// An expressway; closed to walkers.
    Motorway = 0,
    /// A national road.
    Trunk = 1,
    /// A main road.
    Primary = 2,
    /// A road between parts of a town.
    Secondary = 3,
    /// A road through a part of a town.
    Tertiary = 4,
    /// A street where people live.
    Residential = 5,
    /// A road to a house, a car park, a yard.
    Service = 6,
    /// For walkers only.
    Path = 7,
    /// A ferry line.
    Ferry = 8,
}

impl Class {
    /// All of them, each at its number.
    pub const ALL: [Self; 9] = [
        Self::Motorway,
        Self::Trunk,
        Self::Primary,
        Self::Secondary,
        Self::Tertiary,
        Self::Residential,
        Self::Service,
        Self::Path,
        Self::Ferry,
    ];
}

/// A whole network, to be written as a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// What the network is of: `Tokyo–Yokohama`.
    pub name: String,
    /// Whose data it is; must be shown wherever it is drawn.
    pub attribution: String,
    /// Whether people drive on the left, so that turning right crosses the traffic.
    pub drives_on_left: bool,
    /// Junctions; links name them by index.
    pub nodes: Vec<Node>,
    /// Links between junctions; a road open both ways is one link.
    pub links: Vec<Link>,
    /// Turns that are not allowed.
    pub forbidden: Vec<Forbidden>,
    /// What can be looked up by name.
    pub places: Vec<Place>,
}

/// A junction of links.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Where it lies.
    pub at: Point,
    /// The name of the junction, where it has one: `浜崎橋JCT`.
    pub name: Text,
}

/// A road, path or ferry from one junction to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Index of the node where it begins.
    pub from: u32,
    /// Index of the node where it ends.
    pub to: u32,
    /// Points between its ends.
    pub shape: Vec<Point>,
    /// Its length in metres.
    pub metres: f64,
    /// What road it is.
    pub class: Class,
    /// The speed of a car on an empty link, in km/h.
    pub kmh: u8,
    /// `国道15号`, `第一京浜`.
    pub name: Text,
    /// The number on the signs: `15`, `K1`.
    pub number: String,
    /// Whether cars may go from `from` to `to`, and back.
    pub cars: (bool, bool),
    /// Whether people may walk it, either way.
    pub walkers: bool,
    /// Whether bicycles may go from `from` to `to`, and back.
    pub cycles: (bool, bool),
    /// Whether a drive may begin or end there: not on motorways and their ramps, in tunnels, on ferries.
    pub stops: bool,
    /// Whether it costs a toll.
    pub toll: bool,
    /// Whether it leads onto or off a bigger road.
    pub ramp: bool,
    /// Whether it is part of a roundabout.
    pub roundabout: bool,
}

/// A forbidden turn: from one link over a node into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// Index of the link that one comes from.
    pub from: u32,
    /// Index of the node.
    pub over: u32,
    /// Index of the link that one must not take.
    pub to: u32,
}

/// What kind of place a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PlaceKind {
    /// A railway station.
    Station = 0,
    /// A city, a town, a village.
    Town = 1,
    /// A ward or a quarter of a town.
    Quarter = 2,
    /// Something people go to see or to use.
    Landmark = 3,
    /// An airport, or one of its terminals.
    Airport = 4,
    /// A street or a road.
    Street = 5,
    /// A junction that has a name.
    Junction = 6,
    /// A house by its number: `Landstrasse 10`.
    House = 7,
}

/// Something that can be looked up by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Names it for good: `builtin:tokyo-station`, `osm:n123`.
    pub id: String,
    /// Its name for people.
    pub name: Text,
    /// Other names, and how they are read: `とうきょうえき`, `Tokyo Sta.`
    pub aliases: Vec<String>,
    /// What it is part of, for people: `東京都千代田区丸の内`, `Helsinki`.
    pub address: Text,
    /// The kind of place.
    pub kind: PlaceKind,
    /// Where it lies.
    pub at: Point,
    /// Of two of one name the bigger goes first: 0 is unknown, 255 the capital.
    pub weight: u8,
}

impl Point {
    /// The distance to `other` as the crow flies, in metres, on a globe of 6,371 km.
    pub fn metres_to(self, other: Self) -> f64 {
        let (a, b) = (self.lat.to_radians(), other.lat.to_radians());
        let (lat, lng) = (b - a, (other.lng - self.lng).to_radians());
        let h = (lat / 2.0).sin().powi(2) + a.cos() * b.cos() * (lng / 2.0).sin().powi(2);
        2.0 * 6_371_000.0 * h.sqrt().min(1.0).asin()
    }

    /// Whether it is on the globe; no number is nowhere.
    pub fn is_on_globe(self) -> bool {
        self.lat.abs() <= 90.0 && self.lng.abs() <= 180.0
    }
}
