//! Who may use a way, and in which direction.

use super::tags::Tags;

/// What a tag says of a kind of traveller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// Travellers may pass.
    Open,
    /// Open to who lives there or has business there, not for going through.
    Visitors,
    /// Travellers may not pass.
    Closed,
}

/// Whether cars may use this way: the tag that speaks most precisely counts. None where no tag says.
pub(super) fn cars(tags: &Tags<'_>) -> Option<Leave> {
    first(tags, &["motorcar", "motor_vehicle", "vehicle", "access"])
}

/// Whether walkers may use it.
pub(super) fn walkers(tags: &Tags<'_>) -> Option<Leave> {
    first(tags, &["foot", "access"])
}

/// Whether bicycles may; a cyclist who has to get off, or to keep to a path beside the road, does not ride on it.
pub(super) fn cycles(tags: &Tags<'_>) -> Option<Leave> {
    match tags.get("bicycle") {
        Some("dismount" | "use_sidepath") => Some(Leave::Closed),
        _ => first(tags, &["bicycle", "vehicle", "access"]),
    }
}

/// In which directions bicycles may go, where they may go at all: along the way, and back.
pub(super) fn cycle_directions(tags: &Tags<'_>) -> (bool, bool) {
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

/// Whether cars may, by tags that name cars.
pub(super) fn cars_by_name(tags: &Tags<'_>) -> Option<Leave> {
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

/// In which directions cars may go, where they may go at all: along the way, and back.
pub(super) fn directions(tags: &Tags<'_>) -> (bool, bool) {
    let value = tags.get("oneway:motor_vehicle").or_else(|| tags.get("oneway:motorcar"));
    match value.or_else(|| tags.get("oneway")) {
        Some("yes" | "true" | "1") => (true, false),
        Some("-1" | "reverse") => (false, true),
        Some("no" | "false" | "0" | "alternating") => (true, true),
        // It changes by the hour; who cannot know does not drive there.
        Some("reversible") => (false, false),
        _ if is_oneway_by_itself(tags) => (true, false),
        _ => (true, true),
    }
}

/// Roundabouts and motorways are one-way without saying so.
fn is_oneway_by_itself(tags: &Tags<'_>) -> bool {
    matches!(tags.get("junction"), Some("roundabout" | "circular"))
        || matches!(tags.get("highway"), Some("motorway" | "motorway_link"))
}

/// Whether a thing on a road keeps cars from going on.
pub(super) fn stops_cars(tags: &Tags<'_>) -> bool {
    let Some(barrier) = tags.get("barrier") else { return false };
    match cars(tags) {
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
