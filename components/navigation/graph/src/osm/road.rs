//! Parses the tags of elements: names, and for ways the class of the road, access, directions and speed.
//!
//! How fast a car goes that is alone: limits where they are known, else what is usual.
//!
//! | class | without a limit, km/h (a ramp) | share of a limit |
//! |---|---|---|
//! | motorway | 110 (60) | 1.0 |
//! | trunk | 80 (50) | 0.95 |
//! | primary | 60 (40) | 0.9 |
//! | secondary | 50 (35) | 0.85 |
//! | tertiary | 45 (30) | 0.85 |
//! | residential, unclassified, road | 30 | 0.8 |
//! | living street | 10 | |
//! | service, track | 15, 10 | at most 20 |
//! | for visitors only | at most 10 | |
//! | ferry | its length over its duration, else 20 | |

use crate::network::{Class, Text};

/// The properties that ways must share to be joined into a link.
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

/// The defaults of a kind of way.
struct Kind {
    class: Class,
    ramp: bool,
    cars: bool,
    walkers: bool,
    cycles: bool,
}

/// Returns the road of a way; none where it is closed to cars and walkers.
pub(super) fn road(tags: &Tags<'_>) -> Option<Road> {
    let kind = kind(tags)?;
    let leave = if kind.cars { for_cars(tags) } else { cars_by_name(tags) };
    let is_open = match leave {
        Some(leave) => leave != Leave::Closed && (kind.cars || leave == Leave::Open),
        None => kind.cars,
    };
    let cars = if is_open { directions(tags) } else { (false, false) };
    let walkers = match for_walkers(tags) {
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
    // Tracks are for tractors unless paved or tagged otherwise.
    let is_rough = road == "track" && !tags.is("tracktype", "grade1");
    let is_fast = class == Class::Motorway || tags.is("motorroad", "yes");
    let is_path = class == Class::Path;
    let cycles = !is_fast && !matches!(road, "pedestrian" | "footway" | "steps");
    Some(Kind { class, ramp, cars: !is_path && !is_rough, walkers: !is_fast, cycles })
}

/// Returns the directions open to bicycles.
fn cycles(tags: &Tags<'_>, kind: &Kind) -> (bool, bool) {
    let is_open = match for_cycles(tags) {
        Some(leave) => leave != Leave::Closed && (kind.cycles || tags.get("bicycle").is_some()),
        None => kind.cycles,
    };
    let is_shut = tags.is("highway", "steps") || kind.class == Class::Motorway;
    if is_open && !is_shut { cycle_directions(tags) } else { (false, false) }
}

/// Whether a drive can begin or end there.
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
    let limit = limit.iter().find_map(|key| tags.get(key).and_then(speed_limit));
    let speed = match (limit, highway) {
        (_, Some("living_street")) => 10,
        (_, Some("track")) => 10,
        (Some(limit), _) if class != Class::Ferry => under_limit(class, limit),
        _ => usual(class, is_ramp),
    };
    if leave == Some(Leave::Visitors) && class != Class::Ferry { speed.min(10) } else { speed }
}

/// The access of a kind of traveller by a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    /// Open.
    Open,
    /// Open to residents and visitors, not to through traffic.
    Visitors,
    /// Closed.
    Closed,
}

/// Returns the access of cars by the most precise tag; none without a tag.
fn for_cars(tags: &Tags<'_>) -> Option<Leave> {
    first(tags, &["motorcar", "motor_vehicle", "vehicle", "access"])
}

/// Whether walkers may use it.
fn for_walkers(tags: &Tags<'_>) -> Option<Leave> {
    first(tags, &["foot", "access"])
}

/// Whether bicycles may use it; not where cyclists have to dismount or to use a separate path.
fn for_cycles(tags: &Tags<'_>) -> Option<Leave> {
    match tags.get("bicycle") {
        Some("dismount" | "use_sidepath") => Some(Leave::Closed),
        _ => first(tags, &["bicycle", "vehicle", "access"]),
    }
}

/// Returns the directions open to bicycles, if it is open to them: forward and backward.
fn cycle_directions(tags: &Tags<'_>) -> (bool, bool) {
    let lanes = ["cycleway", "cycleway:left", "cycleway:right", "cycleway:both"];
    let is_both = lanes.iter().any(|it| tags.get(it).is_some_and(|it| it.starts_with("opposite")));
    match tags.get("oneway:bicycle") {
        _ if is_both => (true, true),
        Some("no") => (true, true),
        Some("yes") => (true, false),
        Some("-1") => (false, true),
        _ => match tags.get("oneway") {
            Some("yes" | "true" | "1") => (true, false),
            Some("-1" | "reverse") => (false, true),
            Some("no") => (true, true),
            _ if is_oneway_by_itself(tags) => (true, false),
            _ => (true, true),
        },
    }
}

/// Returns the access of cars by tags for cars.
fn cars_by_name(tags: &Tags<'_>) -> Option<Leave> {
    first(tags, &["motorcar", "motor_vehicle"])
}

fn first(tags: &Tags<'_>, keys: &[&str]) -> Option<Leave> {
    keys.iter().find_map(|key| tags.get(key)).and_then(leave)
}

fn leave(value: &str) -> Option<Leave> {
    match value {
        "yes" | "designated" | "permissive" | "official" | "public" | "use_sidepath" => {
            Some(Leave::Open)
        }
        "destination" | "customers" | "delivery" | "residents" | "permit" => Some(Leave::Visitors),
        "no"
        | "private"
        | "agricultural"
        | "forestry"
        | "agricultural;forestry"
        | "military"
        | "emergency"
        | "psv"
        | "bus" => Some(Leave::Closed),
        _ => None,
    }
}

/// Returns the directions open to cars, if it is open to them: forward and backward.
fn directions(tags: &Tags<'_>) -> (bool, bool) {
    let value = tags.get("oneway:motor_vehicle").or_else(|| tags.get("oneway:motorcar"));
    match value.or_else(|| tags.get("oneway")) {
        Some("yes" | "true" | "1") => (true, false),
        Some("-1" | "reverse") => (false, true),
        Some("no" | "false" | "0" | "alternating") => (true, true),
        // Reversible by the hour: closed, because the time is unknown.
        Some("reversible") => (false, false),
        _ if is_oneway_by_itself(tags) => (true, false),
        _ => (true, true),
    }
}

/// Roundabouts and motorways are one-way without a tag.
fn is_oneway_by_itself(tags: &Tags<'_>) -> bool {
    matches!(tags.get("junction"), Some("roundabout" | "circular"))
        || matches!(tags.get("highway"), Some("motorway" | "motorway_link"))
}

/// Whether a barrier stops cars.
pub(super) fn stops_cars(tags: &Tags<'_>) -> bool {
    let Some(barrier) = tags.get("barrier") else { return false };
    match for_cars(tags) {
        Some(leave) => leave == Leave::Closed,
        None => matches!(
            barrier,
            "bollard"
                | "block"
                | "cycle_barrier"
                | "motorcycle_barrier"
                | "jersey_barrier"
                | "stile"
                | "turnstile"
                | "kissing_gate"
                | "full-height_turnstile"
                | "log"
                | "debris"
                | "chain"
        ),
    }
}

/// Maximum number of characters of a name.
const NAME_MAX: usize = 200;
/// Maximum number of other names of a place.
const ALIASES_MAX: usize = 8;
/// Keys of other names and readings.
const ALIASES: &str = "\
    name:ja-Hira name:ja_kana name:ja name:ja-Latn name:ja_rm alt_name short_name official_name \
    int_name loc_name name:fi name:sv name:de name:fr name:ca name:es name:zh name:ko";

/// The tags of one element.
pub(super) struct Tags<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Tags<'a> {
    pub(super) fn new(tags: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        Self(tags.collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of that key.
    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(it, _)| *it == key).map(|(_, value)| *value)
    }

    /// Whether the key has that value.
    pub(super) fn is(&self, key: &str, value: &str) -> bool {
        self.get(key) == Some(value)
    }

    /// Returns its name; a Japanese name substitutes a missing local one.
    pub(super) fn name(&self) -> Text {
        let local =
            self.get("name").or_else(|| self.get("name:ja")).or_else(|| self.get("name:en"));
        let en = self.get("name:en").or_else(|| self.get("name:ja-Latn"));
        Text { local: short(local.unwrap_or_default()), en: short(en.unwrap_or_default()) }
    }

    /// Returns its numbers on the signs.
    pub(super) fn number(&self) -> String {
        short(self.get("ref").unwrap_or_default()).replace(';', " / ")
    }

    /// Returns its other names.
    pub(super) fn aliases(&self) -> Vec<String> {
        let name = self.name();
        let mut aliases = Vec::<String>::new();
        let values =
            ALIASES.split(' ').filter_map(|key| self.get(key)).flat_map(|it| it.split(';'));
        for value in values.map(short) {
            let is_known = value == name.local || value == name.en || aliases.contains(&value);
            if !value.is_empty() && !is_known && aliases.len() < ALIASES_MAX {
                aliases.push(value);
            }
        }
        aliases
    }
}

fn short(name: &str) -> String {
    name.trim().chars().filter(|it| !it.is_control()).take(NAME_MAX).collect()
}

/// The speed of a car where no limit is known, on a road of a class.
pub(super) fn usual(class: Class, is_ramp: bool) -> u8 {
    let (road, ramp) = match class {
        Class::Motorway => (110, 60),
        Class::Trunk => (80, 50),
        Class::Primary => (60, 40),
        Class::Secondary => (50, 35),
        Class::Tertiary => (45, 30),
        Class::Residential => (30, 25),
        Class::Service => (15, 15),
        Class::Path => (5, 5),
        Class::Ferry => (20, 20),
    };
    if is_ramp { ramp } else { road }
}

/// The speed where the limit is `limit` km/h.
fn under_limit(class: Class, limit: u8) -> u8 {
    let share = match class {
        Class::Motorway => 1.0,
        Class::Trunk => 0.95,
        Class::Primary => 0.9,
        Class::Secondary | Class::Tertiary => 0.85,
        _ => 0.8,
    };
    let speed = whole_kmh(f64::from(limit) * share);
    if class >= Class::Service { speed.min(20) } else { speed }
}

/// A limit as it is tagged, in km/h: `50`, `30 mph`, `FI:urban`, `DE:zone:30`, `none`, `walk`.
fn speed_limit(text: &str) -> Option<u8> {
    let text = text.split([';', '|']).next().unwrap_or_default().trim();
    match text {
        "none" => return Some(130),
        "walk" => return Some(7),
        _ => {}
    }
    if let Some((country, kind)) = text.split_once(':') {
        return of_country(country, kind);
    }
    let digits = text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let factor = match text[digits..].trim() {
        "" | "km/h" | "kmh" | "kph" => 1.0,
        "mph" => 1.609_344,
        "knots" => 1.852,
        _ => return None,
    };
    // Nothing on a road is limited to 2 km/h, or to 900.
    Some(number * factor).filter(|it| (3.0..=200.0).contains(it)).map(whole_kmh)
}

/// What a country's law says where there is no sign.
fn of_country(country: &str, kind: &str) -> Option<u8> {
    let kind = kind.strip_prefix("zone").map_or(kind, |it| it.trim_start_matches(':'));
    if let Ok(zone) = kind.parse::<u8>() {
        return (5..=100).contains(&zone).then_some(zone);
    }
    let (urban, rural, trunk, motorway) = match country {
        "GB" => (48, 97, 113, 113),
        "JP" => (40, 60, 60, 100),
        "US" => (40, 89, 89, 105),
        "DE" | "AT" => (50, 100, 100, 130),
        "FI" => (50, 80, 100, 120),
        "SE" | "NO" => (50, 70, 90, 110),
        "CH" | "LI" => (50, 80, 100, 120),
        "FR" | "LU" => (50, 80, 110, 130),
        "IT" => (50, 90, 110, 130),
        "NL" => (50, 80, 100, 100),
        "ES" | "AD" | "PT" => (50, 90, 90, 120),
        _ => (50, 90, 100, 120),
    };
    match kind {
        "urban" | "nsl_restricted" => Some(urban),
        "rural" | "nsl_single" => Some(rural),
        "trunk" | "nsl_dual" | "expressway" => Some(trunk),
        "motorway" => Some(motorway),
        "living_street" => Some(10),
        "walk" => Some(7),
        _ => None,
    }
}

/// How long a ferry takes, in seconds: `00:15`, `1:30:00`, `PT20M`, `15` (minutes).
pub(super) fn duration(text: &str) -> Option<u32> {
    let text = text.trim();
    let seconds = match text.strip_prefix("PT").or_else(|| text.strip_prefix("P")) {
        Some(iso) => iso_seconds(iso)?,
        None => {
            let parts: Option<Vec<u32>> = text.split(':').map(|it| it.parse().ok()).collect();
            match parts?[..] {
                [minutes] => minutes.checked_mul(60)?,
                [hours, minutes] => {
                    hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?
                }
                [hours, minutes, seconds] => hours
                    .checked_mul(3600)?
                    .checked_add(minutes.checked_mul(60)?)?
                    .checked_add(seconds)?,
                _ => return None,
            }
        }
    };
    (30..=7 * 86_400).contains(&seconds).then_some(seconds)
}

fn iso_seconds(text: &str) -> Option<u32> {
    let (mut seconds, mut number) = (0_u32, String::new());
    for letter in text.chars().filter(|it| *it != 'T') {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        let unit = match letter {
            'D' => 86_400,
            'H' => 3600,
            'M' => 60,
            'S' => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.parse::<u32>().ok()?.checked_mul(unit)?)?;
        number.clear();
    }
    Some(seconds)
}

/// A speed as it is kept: whole km/h, at least 1.
pub(super) fn whole_kmh(speed: f64) -> u8 {
    speed.round().clamp(1.0, 250.0) as u8
}

#[cfg(test)]
mod tests {
    use super::{duration, speed_limit};

    #[test]
    fn parses_tagged_limits_and_ignores_nonsense() {
        let cases =
            [("50", 50), ("30 mph", 48), ("FI:urban", 50), ("DE:zone:30", 30), ("none", 130)];
        for (text, wanted) in cases {
            assert_eq!(speed_limit(text), Some(wanted), "{text}");
        }
        for text in ["", "fast", "-5", "1e9", "99999", "NaN", "XX:warp", "signals", "0"] {
            assert_eq!(speed_limit(text), None, "{text}");
        }
    }

    #[test]
    fn parses_tagged_durations_and_ignores_nonsense() {
        let cases =
            [("00:15", 900), ("1:30:00", 5400), ("PT20M", 1200), ("PT1H5M", 3900), ("15", 900)];
        for (text, wanted) in cases {
            assert_eq!(duration(text), Some(wanted), "{text}");
        }
        for text in ["", "soon", "99999999999", "4294967295:59", "PT", "P9Z", "0"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
