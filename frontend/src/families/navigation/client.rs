//! Requests of navigation: the planner by its stream, the router by MCP, and places by name and point.

use std::time::Duration;

use gloo_net::http::{Request, Response};
use output::navigation::{DETAILS, Details, Place, Point, Routes, TRAVEL_MODE};
use serde_json::{Value, json};
use web_sys::AbortController;

use super::event::{self, Event};
use super::place::{self, Area, SUGGESTIONS_MAX};
use super::query::{Planner, RouteQuery};
use super::run::details_of;
use crate::access;
use crate::call;
use crate::error::{CallError, Refusal};
use crate::lookup::Options;
use crate::mcp::wire::Answer;
use crate::mcp::{self, Round};
use crate::request::{self, answered, for_json, lost, with_headers, with_json};
use crate::rest;
use crate::route::encoded;

/// Maximum duration of a search (NAV-56).
const SEARCH_DEADLINE: Duration = Duration::from_secs(30);
/// Maximum duration of a suggestion: later it is useless.
const PLACE_DEADLINE: Duration = Duration::from_secs(8);
/// Maximum size in bytes of an unstreamed answer: a route with its whole line.
const ANSWER_BYTES_MAX: usize = 8 << 20;

/// Asks the planner; passes each event to `on_event`.
pub(crate) async fn navigate(
    question: &Value,
    stop: AbortController,
    on_event: impl FnMut(Event),
) -> Result<(), CallError> {
    in_time(SEARCH_DEADLINE, stop.clone(), received(question, stop, on_event)).await
}

async fn received(
    question: &Value,
    stop: AbortController,
    mut on_event: impl FnMut(Event),
) -> Result<(), CallError> {
    let signal = stop.signal();
    let request = with_headers(Request::post("/api/navigate"), Some(&signal))
        .header("Accept", "text/event-stream");
    let response = answered(with_json(request, question)?.send().await, Some(&signal))?;
    if !mcp::is_stream(&response) {
        let value = read(response).await?;
        // A host that does not stream has answered at once.
        on_event(Event::parse("done", &value.to_string())?);
        return Ok(());
    }
    rest::received(response, |name, data| {
        let event = Event::parse(name, data)?;
        let is_last = matches!(event, Event::Done(_) | Event::Failed(_));
        on_event(event);
        Ok(is_last)
    })
    .await
}

/// Asks the router for up to three routes, without a planner.
pub(crate) async fn routes(
    query: &RouteQuery,
    stop: AbortController,
) -> Result<(Routes, Details), CallError> {
    let arguments = json!({ "origin": query.from, "destination": query.to, "alternatives": true });
    let signal = stop.signal();
    let round = Round {
        meta: Some(json!({ TRAVEL_MODE: query.mode.travel() })),
        abort: Some(&signal),
        ..Round::default()
    };
    let ignore = &mut |_| {};
    let called = mcp::call("route_search", &arguments, round, ignore);
    let output = Answer::parse(in_time(SEARCH_DEADLINE, stop.clone(), called).await?)?.done()?;
    let details = output.raw.get("_meta").and_then(|it| it.get(DETAILS)).cloned();
    Ok((call::read(&output)?, details_of(details.unwrap_or_default())))
}

/// Geocodes an address.
pub(crate) async fn geocode(address: &str) -> Result<Place, CallError> {
    call::fetch("geocode", json!({ "address": address })).await
}

/// Fetches places whose name begins with the typed text.
pub(crate) async fn places(typed: &str, stop: AbortController) -> Result<Options, CallError> {
    let limit = SUGGESTIONS_MAX.to_string();
    let address = format!("/api/navigation/places?q={}&limit={limit}", encoded(typed));
    Ok(place::options(&get(&address, stop).await?))
}

/// The name of a point, if it has one.
pub(crate) async fn nearest(point: Point) -> Option<String> {
    let address = format!("/api/navigation/nearest?lat={:.6}&lng={:.6}", point.lat, point.lng);
    let found = get(&address, AbortController::new().ok()?).await.ok()?;
    let name = found.get("name")?.as_str()?.trim();
    let name: String = name.chars().take(super::query::PLACE_MAX).collect();
    (!name.is_empty()).then_some(name)
}

/// The area covered by the host's own map; none if routes are found elsewhere or it is not given.
pub(crate) async fn area() -> Option<Area> {
    Area::parse(&get("/api/navigation/about", AbortController::new().ok()?).await.ok()?)
}

/// The planner of conditions (NAV-15); none if the host does not name it.
pub(crate) async fn planner() -> Option<Planner> {
    Planner::of_health(&get("/api/health", AbortController::new().ok()?).await.ok()?)
}

async fn get(address: &str, stop: AbortController) -> Result<Value, CallError> {
    let fetched = async {
        let signal = stop.signal();
        let sent = for_json(Request::get(address), Some(&signal)).send().await;
        read(answered(sent, Some(&signal))?).await
    };
    in_time(PLACE_DEADLINE, stop.clone(), fetched).await
}

async fn read(response: Response) -> Result<Value, CallError> {
    let status = response.status();
    if status == 401 {
        access::refused();
    }
    let text = response.text().await.map_err(|_| lost())?;
    let is_good = (200..300).contains(&status);
    let unreadable = || CallError::unreadable(status, &text);
    if text.len() > ANSWER_BYTES_MAX {
        return Err(unreadable());
    }
    let value = serde_json::from_str::<Value>(&text);
    if is_good {
        return value.map_err(|_| unreadable());
    }
    let known = CallError::of_status(status, &text);
    Err(known
        .unwrap_or_else(|| value.map_or_else(|_| unreadable(), |it| event::failure(status, &it))))
}

/// Awaits with a deadline, and reports that it passed.
async fn in_time<T>(
    deadline: Duration,
    stop: AbortController,
    work: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    let code = "timed_out".to_owned();
    let late = || Refusal { code, status: 504, ..Refusal::default() };
    request::in_time(deadline, Some(stop), || CallError::Refused(Box::new(late())), work).await
}
