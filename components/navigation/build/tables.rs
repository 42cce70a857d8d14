//! Parses the tables of the bundled data, with tabs between fields and comments after `#`, and the places in them.

use std::collections::{HashMap, HashSet};

use graph::{Place, PlaceKind, Point, Text};

/// Reads the text of a table by its name.
pub(crate) type Open<'o> = &'o dyn Fn(&str) -> Result<String, String>;

/// A ward or a town that addresses begin with: in English, and the prefecture that it is in.
type Areas = HashMap<String, (String, String)>;

/// Weight of a junction.
const JUNCTION_WEIGHT: u8 = 40;

/// A row and its position.
pub(crate) struct Row<'t> {
    /// `links.tsv:12`.
    pub(crate) place: String,
    fields: Vec<&'t str>,
}

impl<'t> Row<'t> {
    /// A field by its number; empty where the row ends before it.
    pub(crate) fn field(&self, number: usize) -> &'t str {
        self.fields.get(number).copied().unwrap_or_default()
    }

    /// Returns an error for this row.
    pub(crate) fn wrong(&self, what: &str) -> String {
        format!("{}: {what}", self.place)
    }

    /// A field that is a whole number.
    pub(crate) fn number(&self, number: usize) -> Result<u8, String> {
        let field = self.field(number);
        field.parse().map_err(|_| self.wrong(&format!("{field:?} is no number up to 255")))
    }

    /// A field that is a factor from 1 to 1.5; 1 where it is not there.
    pub(crate) fn factor(&self, number: usize) -> Result<f64, String> {
        let field = self.field(number);
        if field.is_empty() {
            return Ok(1.0);
        }
        let factor = field.parse::<f64>().ok().filter(|it| (1.0..=1.5).contains(it));
        factor.ok_or_else(|| self.wrong(&format!("{field:?} is no factor")))
    }

    /// A field that is `latitude,longitude`.
    pub(crate) fn point(&self, number: usize) -> Result<Point, String> {
        self.read_point(self.field(number))
    }

    /// `latitude,longitude`, with at most four decimals, about ten metres.
    pub(crate) fn read_point(&self, text: &str) -> Result<Point, String> {
        let wrong = || self.wrong(&format!("{text:?} is no latitude,longitude"));
        let (lat, lng) = text.split_once(',').ok_or_else(wrong)?;
        let number = |it: &str| it.parse::<f64>().map_err(|_| wrong());
        let point = Point { lat: number(lat)?, lng: number(lng)? };
        if point.is_on_globe() { Ok(point) } else { Err(wrong()) }
    }
}

/// Returns the rows of the table `name`, which need at least `least` fields.
pub(crate) fn rows<'t>(name: &str, text: &'t str, least: usize) -> Result<Vec<Row<'t>>, String> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(at, line)| {
            let fields = line.split('\t').map(str::trim).collect::<Vec<_>>();
            let row = Row { place: format!("{name}:{}", at + 1), fields };
            let count = row.fields.len();
            if count < least { Err(row.wrong("too few fields")) } else { Ok(row) }
        })
        .collect()
}

/// `-` stands for nothing.
pub(crate) fn optional(field: &str) -> String {
    if field == "-" { String::new() } else { field.to_owned() }
}

/// Reads all places of the table.
pub(crate) fn places(open: Open<'_>) -> Result<Vec<Place>, String> {
    let tables = ["stations.tsv", "wards.tsv", "places.tsv", "junctions.tsv"];
    let [stations, wards, others, junctions] = tables.map(open);
    let (stations, wards, others, junctions) = (stations?, wards?, others?, junctions?);
    let stations = rows("stations.tsv", &stations, 6)?;
    let wards = rows("wards.tsv", &wards, 6)?;
    let others = rows("places.tsv", &others, 7)?;
    let areas = areas(&wards, &others);
    let mut places = Vec::new();
    for row in &stations {
        let mut place = place(row, 0, PlaceKind::Station, &areas)?;
        place.name = Text {
            local: format!("{}駅", place.name.local),
            en: format!("{} Station", place.name.en),
        };
        places.push(place);
    }
    for row in &wards {
        places.push(place(row, 0, PlaceKind::Quarter, &areas)?);
    }
    for row in &others {
        let kind = match row.field(0) {
            "town" => PlaceKind::Town,
            "quarter" => PlaceKind::Quarter,
            "landmark" => PlaceKind::Landmark,
            "airport" => PlaceKind::Airport,
            other => return Err(row.wrong(&format!("{other:?} is no kind of place"))),
        };
        places.push(place(row, 1, kind, &areas)?);
    }
    for place in &mut places {
        place.id = format!("builtin:{}", slug(&place.name.en));
    }
    for row in rows("junctions.tsv", &junctions, 4)? {
        places.push(junction(&row)?);
    }
    let mut ids = HashSet::new();
    match places.iter().find(|it| !ids.insert(it.id.clone())) {
        Some(twice) => Err(format!("two places are called {}", twice.id)),
        None => Ok(places),
    }
}

/// A row from `first` on: name, in English, reading, address, where, weight, other names.
fn place(row: &Row<'_>, first: usize, kind: PlaceKind, areas: &Areas) -> Result<Place, String> {
    let mut aliases = vec![row.field(first + 2).to_owned()];
    let others = row.field(first + 6).split('|').filter(|it| !it.is_empty());
    aliases.extend(others.map(str::to_owned));
    Ok(Place {
        id: String::new(),
        name: Text { local: row.field(first).to_owned(), en: row.field(first + 1).to_owned() },
        aliases,
        address: address(row, row.field(first + 3), areas)?,
        kind,
        at: row.point(first + 4)?,
        weight: row.number(first + 5)?,
    })
}

fn junction(row: &Row<'_>) -> Result<Place, String> {
    Ok(Place {
        id: format!("builtin:junction-{}", row.field(0)),
        name: Text { local: optional(row.field(2)), en: optional(row.field(3)) },
        aliases: Vec::new(),
        address: Text::default(),
        kind: PlaceKind::Junction,
        at: row.point(1)?,
        weight: JUNCTION_WEIGHT,
    })
}

/// What addresses begin with: wards, and towns that are no wards'.
fn areas(wards: &[Row<'_>], others: &[Row<'_>]) -> Areas {
    let wards = wards.iter().map(|row| (row, 0));
    let towns = others.iter().filter(|row| row.field(0) == "town").map(|row| (row, 1));
    let area = |(row, first): (&Row<'_>, usize)| {
        let text = |number: usize| row.field(first + number).to_owned();
        (text(0), (text(1), text(3)))
    };
    wards.chain(towns).map(area).collect()
}

/// `港区芝公園` lies in 東京都, and is in `Minato City, Tokyo` for those who read English.
fn address(row: &Row<'_>, short: &str, areas: &Areas) -> Result<Text, String> {
    let prefectures = [("東京都", "Tokyo"), ("神奈川県", "Kanagawa"), ("千葉県", "Chiba")];
    let prefecture = |local: &str| prefectures.iter().find(|it| it.0 == local);
    if short == "-" {
        return Ok(Text::default());
    }
    if let Some((local, en)) = prefecture(short) {
        return Ok(Text { local: (*local).to_owned(), en: (*en).to_owned() });
    }
    let area = areas.iter().filter(|(name, _)| short.starts_with(name.as_str()));
    let area = area.max_by_key(|(name, _)| name.len()).map(|(_, area)| area);
    let (en, local) = area.ok_or_else(|| row.wrong(&format!("{short} is in no known ward")))?;
    let (_, region) = prefecture(local).ok_or_else(|| row.wrong("an unknown prefecture"))?;
    Ok(Text { local: format!("{local}{short}"), en: format!("{en}, {region}") })
}

/// `Tokyo Station` names `tokyo-station`.
fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    words.collect::<Vec<_>>().join("-")
}
