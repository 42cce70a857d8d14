//! `POST /api/navigate` (NAV-1): turns a sentence into tool calls and returns a route with reasons, as one answer or as
//! a stream of events (NAV-9). `POST /api/route` (NAV-18) works without a sentence.

mod reasoned;
mod request;

use std::time::SystemTime;

use graph::Point;
use serde_json::{Value, json};
use toolkit::{
    Stop,
    assistants::{self, Event, Remark as Said, Run, Task},
    caller,
    endpoints::{Failure, Request as LookupRequest, invalid},
    routes::{Answer, Request, Route, send},
    settings::Unfit,
};

use crate::{
    ask::Language,
    provider::{
        builtin::{self, Builtin},
        client,
    },
    refusals::{self, ProviderError},
    settings::{self, Kind},
    tools::{DistanceCompare, Geocode, RouteSearch},
};
use reasoned::{Choice, ReasonStream};
use request::{Asked, Fields, Refusal, Remark};

/// Name of the assistant in the configuration.
const ASSISTANT: &str = "navigation";
/// Maximum size of a body, in bytes, for the longest history.
const BODY_BYTES_MAX: u32 = 64 << 20;

/// Returns the routes.
pub fn routes() -> Vec<Route> {
    let with = |route: Route| {
        let route =
            route.of_tool::<RouteSearch>().of_tool::<DistanceCompare>().of_tool::<Geocode>();
        route.bodies(BODY_BYTES_MAX).streams()
    };
    vec![with(Route::post("navigate", navigate)), with(Route::post("route", route))]
}

fn navigate(request: &Request) -> Result<Answer, Stop> {
    let fields = Fields::read(request, refusals::language());
    Ok(match fields.and_then(|it| Asked::read(&it)) {
        Ok(asked) => {
            let shape =
                Shape::Reasoned { past: asked.full_history(), message: asked.message.clone() };
            let route_request =
                RouteRequest::new((asked.origin, asked.destination), &asked.message, asked.history);
            route_request.answer(request, &route_request.route(), shape)
        }
        Err(refusal) => refusal.answer(),
    })
}

/// A requested route.
struct RouteRequest {
    origin: String,
    destination: String,
    /// The constraints, as a sentence.
    message: String,
    /// Earlier messages, oldest first.
    history: Vec<Remark>,
    language: Language,
}

/// The shape of an answer.
enum Shape {
    /// A route chosen by a model or rules, with reasons (NAV-1).
    Reasoned {
        /// The given history with the question at its end (NAV-4, NAV-5).
        past: Vec<Value>,
        message: String,
    },
    /// The router's own first route (NAV-18).
    Plain,
}

/// The body of an answer, and the chosen result.
type Body = (Value, Value);

/// The result of a run.
struct Ended {
    ending: String,
    /// The text, for people.
    text: String,
    /// The chosen route, if there is one.
    choice: Option<Choice>,
    /// The calls with their results, in order.
    calls: Vec<Value>,
    /// The calls that wait for approval.
    waits: Value,
    failure: Value,
}

impl RouteRequest {
    fn new((origin, destination): (String, String), message: &str, history: Vec<Remark>) -> Self {
        let language = Language::of_caller(caller::locale().as_deref(), message);
        Self { origin, destination, message: message.to_owned(), history, language }
    }

    /// Returns the context for components that understand sentences.
    fn route(&self) -> Value {
        json!({
            "origin": self.origin,
            "destination": self.destination,
            "message": self.message,
            "history": self.history,
        })
    }

    /// Returns the answer in the requested form for `route`.
    fn answer(&self, request: &Request, route: &Value, shape: Shape) -> Answer {
        let run = assistants::start(&self.task(route, matches!(shape, Shape::Reasoned { .. })));
        let body = self.body(follow(&run, request.wants_events), shape);
        match body {
            Ok((mut body, selected)) => {
                if request.wants_events {
                    body["selected"] = selected;
                    send("done", &body);
                }
                Answer::ok(&body)
            }
            Err(refusal) => {
                if request.wants_events {
                    send("error", &refusal.event());
                }
                refusal.answer()
            }
        }
    }

    /// Returns the task for a model (NAV-52).
    fn task(&self, route: &Value, may_ask_model: bool) -> Task {
        let history = self.history.iter();
        let history = history.map(|it| Said { is_user: it.is_user, text: it.content.clone() });
        Task {
            assistant: ASSISTANT.to_owned(),
            message: format!(
                "出発地: {}、目的地: {}\n条件: {}",
                self.origin, self.destination, self.message
            ),
            history: history.collect(),
            language: self.language.tag().to_owned(),
            context: Some(json!({ "route": route }).to_string()),
            may_ask_model,
        }
    }

    fn body(&self, ended: Ended, shape: Shape) -> Result<Body, Refusal> {
        let language = self.language;
        let first = Choice::default();
        let (choice, mut message, notice) = match ended.ending.as_str() {
            "concluded" => (
                ended.choice.as_ref(),
                ended.text,
                language.pick("モデルから説明がありませんでした。", "The model gave no reasons."),
            ),
            "failed" if ended.failure["of"] != "model" => {
                return Err(Refusal::of(&ended.failure, language));
            }
            "waits" => return Err(Refusal::waiting(&ended.waits, language)),
            // The routes found so far are an answer, too.
            ending if reasoned::route(&ended.calls, Some(&first)).0.is_object() => {
                (Some(&first), String::new(), unfinished(ending, language))
            }
            "failed" => return Err(Refusal::of(&ended.failure, language)),
            ending => return Err(Refusal::unfinished(ending, language)),
        };
        let (route, selected) = reasoned::route(&ended.calls, choice);
        if message.trim().is_empty() {
            message = match route.is_object() {
                true => format!(
                    "{notice}{}",
                    language
                        .pick("見つかったルートを表示します。", " This is a route that was found.")
                ),
                false => notice.to_owned(),
            };
        }
        let Shape::Reasoned { mut past, message: asked } = shape else {
            let mut body = json!({ "mode": "normal", "route": route });
            if body["route"].is_null() {
                body["message"] = message.into();
            }
            return Ok((body, selected));
        };
        let used = ended.calls.iter().map(
            |it| json!({ "name": it["name"], "params": it["arguments"], "reason": it["reason"] }),
        );
        let used: Vec<_> = used.collect();
        let is_last = |it: &Value| it["role"] == "user" && it["content"] == asked;
        if !past.last().is_some_and(is_last) {
            past.push(json!({ "role": "user", "content": asked }));
        }
        past.push(json!({ "role": "assistant", "content": message }));
        let reasoning = json!({ "message": message, "toolsUsed": used });
        let body = json!({ "route": route, "reasoning": reasoning, "conversationHistory": past });
        Ok((body, selected))
    }
}

/// Follows `run` to its end, and sends events if requested.
fn follow(run: &Run, wants_events: bool) -> Ended {
    let is_model = run.provider() != assistants::BUILTIN;
    let mut stream = ReasonStream::default();
    while let Some(Event { name, data }) = run.next() {
        let data: Value = serde_json::from_str(&data).unwrap_or_default();
        if name == assistants::ENDED {
            return ended(&data, is_model, wants_events.then_some(&stream));
        }
        if !wants_events {
            continue;
        }
        let text = data["text"].as_str().unwrap_or_default();
        match name.as_str() {
            assistants::TEXT if is_model => {
                if let Some(more) = stream.take(text) {
                    say(&more);
                }
            }
            assistants::TEXT => say(text),
            _ => {
                // The last message belongs to one turn.
                if data["state"] == "thinking" {
                    stream = ReasonStream::default();
                }
                send(&name, &data);
            }
        }
    }
    ended(&Value::Null, false, None)
}

/// Sends a piece of the reasons.
fn say(text: &str) {
    send("reasoning_delta", &json!({ "text": text }));
}

/// Returns the result of the run, and sends the rest of the model's last message.
fn ended(data: &Value, is_model: bool, stream: Option<&ReasonStream>) -> Ended {
    let calls = data["calls"].as_array().cloned().unwrap_or_default();
    let text = data["text"].as_str().unwrap_or_default();
    let is_concluded = data["ending"] == "concluded";
    let (text, choice) = match is_model && is_concluded {
        true => {
            let reply = reasoned::read(text);
            // The whole message, if it was no JSON.
            if let Some(rest) = stream.and_then(|it| reply.reasoning.strip_prefix(it.sent()))
                && !rest.is_empty()
            {
                say(rest);
            }
            (reply.reasoning, reply.route.map(|it| reasoned::choice(&calls, it)))
        }
        false => (text.to_owned(), Choice::read(&data["choice"])),
    };
    let ending = data["ending"].as_str().unwrap_or("failed").to_owned();
    let (waits, failure) = (data["waits"].clone(), data["failure"].clone());
    Ended { ending, text, choice, calls, waits, failure }
}

/// Returns why no route was chosen.
fn unfinished(ending: &str, language: Language) -> &'static str {
    match ending {
        "time" => {
            language.pick("時間内に選び終わりませんでした。", "There was no time left to choose.")
        }
        "failed" => language.pick(
            "モデルから答えが得られず、選び終わりませんでした。",
            "The model gave no answer, so the choice was not finished.",
        ),
        _ => language.pick(
            "調べる回数の上限に達したため、比較の途中で止めました。",
            "The comparison was stopped, because tools were called as often as they may be.",
        ),
    }
}

/// The modes.
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

/// What a route can avoid besides what its kind says.
const AVOIDED: [&str; 3] = ["tolls", "highways", "ferries"];

/// Maximum number of stops.
const VIA_MAX: usize = 10;

/// Serves a route by its kind, without a sentence.
fn route(request: &Request) -> Result<Answer, Stop> {
    let fields = Fields::read(request, refusals::language());
    Ok(match fields.and_then(|it| plain_route(&it)) {
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

/// Both ends, and the options of the route.
type PlainRoute = ((String, String), [(&'static str, Value); 6]);

fn plain_route(fields: &Fields) -> Result<PlainRoute, Refusal> {
    let ends = fields.ends()?;
    let mode = fields.one_of("travelMode", &MODES)?.map(|it| MODES[it]);
    let kind = fields.one_of("routeType", &KINDS)?.map_or(KINDS[0], |it| KINDS[it]);
    let via = fields.places("via", VIA_MAX)?;
    let avoid = fields.several_of("avoid", &AVOIDED)?;
    let arrival = fields.moment("arrivalTime", SystemTime::now())?;
    let departure = fields.departure("departureTime", SystemTime::now())?;
    if arrival.is_some() && departure.is_some() {
        let message = fields.language.pick(
            "arrivalTimeとdepartureTimeはどちらか一方にしてください",
            "arrivalTime and departureTime exclude each other",
        );
        return Err(Refusal::invalid("departureTime", message));
    }
    let constraints = [
        ("kind", kind.into()),
        ("mode", mode.into()),
        ("via", via.into()),
        ("avoid", avoid.into()),
        ("arrival", arrival.into()),
        ("departure", departure.into()),
    ];
    Ok((ends, constraints))
}

// `GET /api/navigation/…`: requests of a page besides routes.

/// Maximum number of suggestions.
const SUGGESTIONS_MAX: usize = 20;
/// Default number of suggestions.
const SUGGESTIONS: usize = 8;
/// Statuses of a working provider (NAV-40).
const WORKS: [&str; 6] =
    ["OK", "ZERO_RESULTS", "NOT_FOUND", "INVALID_REQUEST", "OUTSIDE_MAP", "MAX_WAYPOINTS_EXCEEDED"];
/// Maximum number of characters of typed text.
const TYPED_CHARS_MAX: usize = 200;

/// Answers one request for data.
///
/// # Errors
/// When an argument is invalid, a map cannot be read, or the path is unknown.
pub fn get(request: &LookupRequest) -> Result<Value, Failure> {
    match request.path.as_str() {
        "places" => places(request),
        "nearest" => nearest(request),
        "about" => about(),
        "health" => health(),
        _ => Err(Failure::NotFound),
    }
}

/// `places?q=…&limit=`: places that match typed text.
fn places(request: &LookupRequest) -> Result<Value, Failure> {
    let typed = request.required("q")?.trim();
    if typed.len() > TYPED_CHARS_MAX * 16 || typed.chars().count() > TYPED_CHARS_MAX {
        let message = format!("must have {TYPED_CHARS_MAX} characters at most");
        return Err(invalid("q", message));
    }
    let limit = request.parse::<usize>("limit", "must be a number")?.unwrap_or(SUGGESTIONS);
    if limit == 0 || limit > SUGGESTIONS_MAX {
        return Err(invalid("limit", format!("must be 1 to {SUGGESTIONS_MAX}")));
    }
    if typed.is_empty() || provider()? != Kind::Builtin {
        return Ok(json!([]));
    }
    let found =
        builtin::suggestions(&graphs()?, typed, limit, refusals::language()).map_err(failure)?;
    Ok(json!(found))
}

/// `nearest?lat=&lng=`: the name of a clicked point.
fn nearest(request: &LookupRequest) -> Result<Value, Failure> {
    let at = Point { lat: degrees(request, "lat")?, lng: degrees(request, "lng")? };
    if !at.is_on_globe() {
        return Err(invalid("lat", "lat and lng must be on the globe"));
    }
    if provider()? != Kind::Builtin {
        return Ok(Value::Null);
    }
    let (graphs, language) = (graphs()?, refusals::language());
    let name = builtin::nearest(&graphs, at, language).map_err(failure)?;
    let Some(name) = name else { return Ok(Value::Null) };
    let mut found = json!(builtin::around(&graphs, at, language).map_err(failure)?);
    found["name"] = json!(name);
    Ok(found)
}

fn degrees(request: &LookupRequest, name: &str) -> Result<f64, Failure> {
    let degrees = request.parse::<f64>(name, "must be a number of degrees")?;
    degrees.ok_or_else(|| invalid(name, "is missing"))
}

/// `about`: the provider, its map and its last status.
fn about() -> Result<Value, Failure> {
    let kind = provider()?;
    let about = match kind {
        Kind::Builtin => builtin::about(&graphs()?, refusals::language()),
        _ => builtin::About::default(),
    };
    let mut about = json!(about);
    about["provider"] = json!(kind.name());
    about["last"] = json!(client::last(kind)?);
    Ok(about)
}

/// `health`: the state of Google's service (NAV-15): connected, unless a request failed a moment ago.
fn health() -> Result<Value, Failure> {
    let kind = provider()?;
    let last = client::last(kind)?.filter(|it| it.is_fresh);
    let fares = fares_as(kind.name(), last.as_ref().map(|it| it.status.as_str()));
    Ok(json!({ "services": { "googleMaps": fares } }))
}

fn fares_as(provider: &str, last: Option<&str>) -> &'static str {
    match last {
        _ if !provider.starts_with("google") => "not_configured",
        Some(status) if !WORKS.contains(&status) => "error",
        _ => "connected",
    }
}

fn provider() -> Result<Kind, Failure> {
    settings::provider().map_err(unfit)
}

fn graphs() -> Result<Vec<graph::Graph<builtin::places::Bytes>>, Failure> {
    Builtin::here().map_err(unfit)?.graphs().map_err(failure)
}

fn unfit(error: Unfit) -> Failure {
    Stop::from(error).into()
}

fn failure(error: ProviderError) -> Failure {
    refusals::stop(&error).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_found_route_when_the_model_fails() {
        let call = json!({ "id": "a", "name": "route_search", "structured": { "routes": [{
            "summary": "x", "polyline": "_p~iF~ps|U_ulLnnqC_mqNvxq`@", "steps": [], "warnings": [],
        }] } });
        let body = |of: &str, calls: Vec<Value>| {
            let ends = ("東京駅".to_owned(), "横浜駅".to_owned());
            let language = Language::Japanese;
            let (message, history) = ("早く".to_owned(), Vec::new());
            let request =
                RouteRequest { origin: ends.0, destination: ends.1, message, history, language };
            let failure = json!({ "of": of, "error": "failed", "message": "?", "data": {} });
            let ended = Ended {
                ending: "failed".to_owned(),
                text: String::new(),
                choice: None,
                calls,
                waits: Value::Null,
                failure,
            };
            request.body(ended, Shape::Reasoned { past: Vec::new(), message: "早く".to_owned() })
        };
        let (found, selected) = body("model", vec![call.clone()]).expect("it is an answer");
        assert_eq!(found["route"]["summary"], "x");
        assert_eq!(selected, json!({ "toolCall": "a", "index": 0 }));
        let message = found["reasoning"]["message"].as_str().unwrap();
        assert!(message.contains("モデルから答えが得られず"), "{message}");
        assert!(body("model", Vec::new()).is_err(), "NAV-10");
        assert!(body("tool", vec![call]).is_err(), "NAV-40");
    }

    #[test]
    fn health_follows_last_request() {
        assert_eq!(fares_as("builtin", None), "not_configured", "NAV-15");
        assert_eq!(fares_as("osrm", Some("UNKNOWN_ERROR")), "not_configured", "NAV-15");
        assert_eq!(fares_as("google-routes", None), "connected", "NAV-15");
        for (last, word) in [
            ("OK", "connected"),
            ("ZERO_RESULTS", "connected"),
            ("OVER_QUERY_LIMIT", "error"),
            ("REQUEST_DENIED", "error"),
            ("UNKNOWN_ERROR", "error"),
        ] {
            assert_eq!(fares_as("google-legacy", Some(last)), word, "NAV-15: {last}");
        }
    }
}
