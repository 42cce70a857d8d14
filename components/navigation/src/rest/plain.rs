//! `POST /api/route` (NAV-18): a route by its kind, without any sentence.

use serde_json::Value;
use toolkit::{
    Stop,
    routes::{Answer, Request},
};

use super::{Refusal, RouteRequest, Shape, request::Fields};
use crate::refusals::language;

/// How one may travel.
const MODES: [&str; 3] = ["driving", "walking", "bicycling"];
/// The kinds of route.
const KINDS: [&str; 8] = [
    "recommended",
    "fastest",
    "shortest",
    "cheapest",
    "no_highways",
    "no_tolls",
    "no_ferries",
    "fewest_right_turns",
];

/// Stops on the way.
const VIA_MAX: usize = 10;

pub(super) fn answer(request: &Request) -> Result<Answer, Stop> {
    let fields = Fields::read(request, language());
    Ok(match fields.and_then(|it| asked(&it)) {
        Ok((ends, constraints)) => {
            let route_request = RouteRequest::new(ends, "", Vec::new());
            let mut route = route_request.route();
            for (name, value) in constraints {
                route[name] = value;
            }
            route_request.answer(request, &route, Shape::Plain)
        }
        Err(refusal) => refusal.answer(),
    })
}

/// Both ends, and what the route is to be like.
type Asked = ((String, String), [(&'static str, Value); 4]);

fn asked(fields: &Fields) -> Result<Asked, Refusal> {
    let ends = fields.ends()?;
    let mode = fields.one_of("travelMode", &MODES)?.map(|it| MODES[it]);
    let kind = fields.one_of("routeType", &KINDS)?.map_or(KINDS[0], |it| KINDS[it]);
    let via = fields.places("via", VIA_MAX)?;
    let arrival = fields.moment("arrivalTime")?;
    let constraints = [
        ("kind", kind.into()),
        ("mode", mode.into()),
        ("via", via.into()),
        ("arrival", arrival.into()),
    ];
    Ok((ends, constraints))
}
