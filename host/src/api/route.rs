//! `POST /api/route` (NAV-18): a route by its kind, without any sentence.

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    response::{IntoResponse, Response},
};
use dialogue::{Planner, Rule, Wishes};
use http::{Extensions, HeaderMap};

use super::navigate::{Fields, Navigate, Refusal, Shape};
use crate::{
    assistant::{Language, Understanding},
    caller::Caller,
};

/// How one may travel.
const MODES: [&str; 3] = ["driving", "walking", "bicycling"];
/// The kinds of route, and what each wishes for.
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
            let planner =
                Box::new(Understanding::Route(Box::new(Planner::of_wishes(trip, wishes))));
            navigate.job(&headers, caller, task, planner, Shape::Plain).answer(&headers).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

fn asked(fields: &Fields) -> Result<((String, String), Wishes), Refusal> {
    let ends = fields.ends()?;
    let mut wishes = Wishes::default();
    let mode = fields.word("travelMode", &MODES)?;
    wishes.walking = mode == Some(1);
    wishes.cycling = mode == Some(2);
    wishes.via = fields.places("via", VIA_MAX)?;
    wishes.arrival = fields.moment("arrivalTime")?;
    let kind = fields.word("routeType", &KINDS)?.map_or(KINDS[0], |it| KINDS[it]);
    wishes.rule = match kind {
        "fastest" => Some(Rule::Fastest),
        "shortest" => Some(Rule::Shortest),
        "cheapest" => Some(Rule::Cheapest),
        "fewest_right_turns" => Some(Rule::FewestRightTurns),
        _ => None,
    };
    wishes.no_highways = kind == "no_highways";
    wishes.no_tolls = kind == "no_tolls";
    wishes.no_ferries = kind == "no_ferries";
    Ok((ends, wishes))
}
