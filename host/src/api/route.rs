//! `POST /api/route` (NAV-18): a route by its kind, without any sentence.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    response::{IntoResponse, Response},
};
use http::{Extensions, HeaderMap};
use serde_json::Value;

use super::navigate::{Fields, Navigate, Refusal, Shape};
use crate::{
    assistant::{Language, Understanding},
    caller::Caller,
};

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

pub(super) async fn answer(
    State(navigate): State<Navigate>,
    headers: HeaderMap,
    extensions: Extensions,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let caller = Caller::of(&headers, &extensions);
    let fields = Fields::read(body, Language::of(caller.locale.as_deref(), ""));
    match fields.and_then(|it| asked(&it)) {
        Ok((ends, wishes)) => {
            let trip = navigate.trip(&caller, ends, "", Vec::new());
            let task = navigate.task(&trip);
            let mut route = trip.route();
            for (name, value) in wishes {
                route[name] = value;
            }
            let decider = Box::new(Understanding::of_route(navigate.registry(), &route));
            navigate.job(&headers, caller, task, decider, Shape::Plain).answer(&headers).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// Both ends, and what the route is to be like.
type Asked = ((String, String), [(&'static str, Value); 4]);

fn asked(fields: &Fields) -> Result<Asked, Refusal> {
    let ends = fields.ends()?;
    let mode = fields.word("travelMode", &MODES)?.map(|it| MODES[it]);
    let kind = fields.word("routeType", &KINDS)?.map_or(KINDS[0], |it| KINDS[it]);
    let via = fields.places("via", VIA_MAX)?;
    let arrival = fields.moment("arrivalTime")?;
    let wishes = [
        ("kind", kind.into()),
        ("mode", mode.into()),
        ("via", via.into()),
        ("arrival", arrival.into()),
    ];
    Ok((ends, wishes))
}
