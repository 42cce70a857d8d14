//! What a way is, as a road: its class, who may use it, how fast.

use super::{
    access::{self, Leave},
    speed,
    tags::Tags,
};
use crate::network::Class;

/// Everything that two ways must have in common to be one link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Road {
    pub(super) class: Class,
    pub(super) kmh: u8,
    pub(super) local: String,
    pub(super) en: String,
    pub(super) number: String,
    pub(super) cars: (bool, bool),
    pub(super) walkers: bool,
    pub(super) cycles: (bool, bool),
    /// Whether a drive may begin or end there.
    pub(super) stops: bool,
    pub(super) toll: bool,
    pub(super) ramp: bool,
    pub(super) roundabout: bool,
}

/// What a kind of way is without further tags.
struct Kind {
    class: Class,
    ramp: bool,
    cars: bool,
    walkers: bool,
    cycles: bool,
}

/// The road that a way is; none where it is closed to cars and walkers.
pub(super) fn road(tags: &Tags<'_>) -> Option<Road> {
    let kind = kind(tags)?;
    let leave = if kind.cars { access::cars(tags) } else { access::cars_by_name(tags) };
    let is_open = match leave {
        Some(leave) => leave != Leave::Closed && (kind.cars || leave == Leave::Open),
        None => kind.cars,
    };
    let cars = if is_open { access::directions(tags) } else { (false, false) };
    let walkers = match access::walkers(tags) {
        Some(leave) => leave != Leave::Closed && (kind.walkers || tags.get("foot").is_some()),
        None => kind.walkers,
    };
    let cycles = cycles(tags, &kind);
    if !walkers && cars == (false, false) && cycles == (false, false) {
        return None;
    }
    let class = if kind.class == Class::Path && is_open { Class::Service } else { kind.class };
    let name = tags.name();
    let tolled = ["toll", "toll:motorcar", "toll:motor_vehicle"];
    Some(Road {
        class,
        kmh: kmh(tags, class, kind.ramp, leave),
        local: name.local,
        en: name.en,
        number: tags.number(),
        cars,
        walkers,
        cycles,
        stops: stops(tags, &kind),
        toll: tolled.iter().any(|key| tags.is(key, "yes")),
        ramp: kind.ramp,
        roundabout: matches!(tags.get("junction"), Some("roundabout" | "circular")),
    })
}

fn kind(tags: &Tags<'_>) -> Option<Kind> {
    if tags.is("route", "ferry") {
        return Some(Kind {
            class: Class::Ferry,
            ramp: false,
            cars: false,
            walkers: true,
            cycles: true,
        });
    }
    let highway = tags.get("highway")?;
    let (road, ramp) = highway.strip_suffix("_link").map_or((highway, false), |it| (it, true));
    let class = match road {
        "motorway" => Class::Motorway,
        "trunk" => Class::Trunk,
        "primary" => Class::Primary,
        "secondary" => Class::Secondary,
        "tertiary" => Class::Tertiary,
        "residential" | "unclassified" | "living_street" | "road" => Class::Residential,
        "service" | "track" => Class::Service,
        "pedestrian" | "footway" | "path" | "steps" | "cycleway" => Class::Path,
        _ => return None,
    };
    // A track is for tractors unless it is as good as a road or says otherwise.
    let is_rough = road == "track" && !tags.is("tracktype", "grade1");
    let is_fast = class == Class::Motorway || tags.is("motorroad", "yes");
    let is_path = class == Class::Path;
    let cycles = !is_fast && !matches!(road, "pedestrian" | "footway" | "steps");
    Some(Kind { class, ramp, cars: !is_path && !is_rough, walkers: !is_fast, cycles })
}

/// In which directions bicycles may go.
fn cycles(tags: &Tags<'_>, kind: &Kind) -> (bool, bool) {
    let is_open = match access::cycles(tags) {
        Some(leave) => leave != Leave::Closed && (kind.cycles || tags.get("bicycle").is_some()),
        None => kind.cycles,
    };
    let is_shut = tags.is("highway", "steps") || kind.class == Class::Motorway;
    if is_open && !is_shut { access::cycle_directions(tags) } else { (false, false) }
}

/// Whether a car can begin or end its way there: it has a place to stand, or a gate to turn into.
fn stops(tags: &Tags<'_>, kind: &Kind) -> bool {
    let is_below = tags.get("tunnel").is_some_and(|it| !matches!(it, "no" | "building_passage"));
    let is_above = kind.class <= Class::Trunk && tags.get("bridge").is_some_and(|it| it != "no");
    let is_fast = kind.class == Class::Motorway || tags.is("motorroad", "yes");
    !is_below && !is_above && !is_fast && !kind.ramp && kind.class != Class::Ferry
}

fn kmh(tags: &Tags<'_>, class: Class, is_ramp: bool, leave: Option<Leave>) -> u8 {
    let highway = tags.get("highway");
    let limit =
        ["maxspeed:motorcar", "maxspeed", "maxspeed:forward", "maxspeed:type", "source:maxspeed"];
    let limit = limit.iter().find_map(|key| tags.get(key).and_then(speed::limit));
    let speed = match (limit, highway) {
        (_, Some("living_street")) => 10,
        (_, Some("track")) => 10,
        (Some(limit), _) if class != Class::Ferry => speed::under_limit(class, limit),
        _ => speed::usual(class, is_ramp),
    };
    if leave == Some(Leave::Visitors) && class != Class::Ferry { speed.min(10) } else { speed }
}
