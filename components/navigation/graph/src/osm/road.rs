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
}

/// The road that a way is; none where nobody drives or walks.
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
    if !walkers && cars == (false, false) {
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
        toll: tolled.iter().any(|key| tags.is(key, "yes")),
        ramp: kind.ramp,
        roundabout: matches!(tags.get("junction"), Some("roundabout" | "circular")),
    })
}

fn kind(tags: &Tags<'_>) -> Option<Kind> {
    if tags.is("route", "ferry") {
        return Some(Kind { class: Class::Ferry, ramp: false, cars: false, walkers: true });
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
    Some(Kind { class, ramp, cars: class != Class::Path && !is_rough, walkers: !is_fast })
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
