//! Copies the chosen route from the tools' results, never from a model's text (NAV-6).

use serde_json::{Value, json};

use crate::provider::answers;

/// Precision of encoded lines, in decimals of a degree.
const PRECISION: u32 = 5;
/// The member of a result's `_meta` with details of its routes.
const DETAILS: &str = "navigation/details";

/// A route among the results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// The call with the route; by default the last one with routes.
    pub(super) call: Option<String>,
    /// Its index there, from 0.
    pub(super) index: Option<usize>,
    /// Its summary, for an invalid index.
    pub(super) summary: Option<String>,
}

impl Choice {
    /// Parses the choice of a run, if it has one.
    pub(super) fn read(choice: &Value) -> Option<Self> {
        let text = |name: &str| choice[name].as_str().map(str::to_owned);
        let index = choice["index"].as_u64().and_then(|it| usize::try_from(it).ok());
        choice.is_object().then(|| Self { call: text("call"), index, summary: text("summary") })
    }
}

/// Returns the routes of a call, if it has any.
pub(super) fn routes(call: &Value) -> Option<(&str, &Vec<Value>)> {
    let routes = call["structured"]["routes"].as_array().filter(|it| !it.is_empty())?;
    Some((call["id"].as_str().unwrap_or_default(), routes))
}

/// Returns the chosen route in the specified form, and its place among the results; both are null without a route
/// (NAV-8).
pub(super) fn route(calls: &[Value], choice: Option<&Choice>) -> (Value, Value) {
    let found = choice.and_then(|it| find(calls, it));
    let Some((call, index, route)) = found else { return (Value::Null, Value::Null) };
    let mut copied = copied(route);
    // The departure for a requested arrival.
    let made = calls.iter().find(|it| it["id"] == call);
    if let Some(time) = made.and_then(|it| it["meta"][DETAILS]["departureTime"].as_str()) {
        copied["departureTime"] = time.into();
    }
    (copied, json!({ "toolCall": call, "index": index }))
}

/// Finds the route by call and index, else by summary, else the first of the last search.
fn find<'a>(calls: &'a [Value], choice: &Choice) -> Option<(&'a str, usize, &'a Value)> {
    let found: Vec<_> = calls.iter().rev().filter_map(routes).collect();
    let named = found.iter().find(|it| choice.call.as_deref().is_none_or(|call| call == it.0));
    let by_index = || {
        let ((call, routes), index) = (named?, choice.index?);
        Some((*call, index, routes.get(index)?))
    };
    let by_summary = || {
        let summary = choice.summary.as_deref()?;
        found.iter().find_map(|(call, routes)| {
            let index = routes.iter().position(|it| it["summary"] == summary)?;
            Some((*call, index, &routes[index]))
        })
    };
    let first = || named.or(found.first()).map(|(call, routes)| (*call, 0, &routes[0]));
    by_index().or_else(by_summary).or_else(first)
}

fn copied(route: &Value) -> Value {
    let in_traffic = &route["duration_in_traffic"];
    let steps = route["steps"].as_array().into_iter().flatten().map(|step| {
        json!({
            "instruction": step["instruction"], "distance": step["distance"], "duration": step["duration"],
        })
    });
    let mut copied = json!({
        "polyline": points(route["polyline"].as_str().unwrap_or_default()),
        "summary": route["summary"],
        "distance": route["distance"],
        // With traffic where known (NAV-X5).
        "duration": if in_traffic.is_object() { in_traffic } else { &route["duration"] },
        "steps": steps.collect::<Vec<_>>(),
    });
    if in_traffic.is_object() {
        copied["durationInTraffic"] = in_traffic.clone();
    }
    // Warnings, such as the distance of the ends from the road.
    if route["warnings"].as_array().is_some_and(|it| !it.is_empty()) {
        copied["warnings"] = route["warnings"].clone();
    }
    copied
}

/// Decodes the points of a line (NAV-2); empty where it is invalid.
fn points(encoded: &str) -> Vec<Value> {
    let points = answers::points(encoded, PRECISION).unwrap_or_default();
    points.iter().map(|it| json!({ "lat": it.lat, "lng": it.lng })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn calls() -> Vec<Value> {
        let route = |summary: &str| {
            json!({
                "summary": summary,
                "distance": { "text": "1 km", "value": 1_000 },
                "duration": { "text": "5分", "value": 300 },
                "polyline": "_p~iF~ps|U_ulLnnqC_mqNvxq`@",
                "steps": [{ "instruction": "進む", "distance": "1 km", "duration": "5分", "maneuver": "straight" }],
                "warnings": [],
            })
        };
        let call = |id: &str, routes: &[&str]| {
            let routes: Vec<_> = routes.iter().map(|it| route(it)).collect();
            json!({ "id": id, "name": "route_search", "structured": { "routes": routes } })
        };
        vec![call("a", &["x", "y"]), call("b", &["y", "z"]), call("c", &[])]
    }

    #[test]
    fn finds_route_by_index_then_summary_then_first() {
        let choice = |call: Option<&str>, index: Option<usize>, summary: Option<&str>| Choice {
            call: call.map(str::to_owned),
            index,
            summary: summary.map(str::to_owned),
        };
        for (choice, selected) in [
            (choice(Some("a"), Some(1), None), json!({ "toolCall": "a", "index": 1 })),
            (choice(None, Some(1), None), json!({ "toolCall": "b", "index": 1 })),
            (choice(Some("a"), Some(9), Some("z")), json!({ "toolCall": "b", "index": 1 })),
            (choice(None, None, Some("x")), json!({ "toolCall": "a", "index": 0 })),
            (choice(None, None, Some("made up")), json!({ "toolCall": "b", "index": 0 })),
            (choice(Some("none"), Some(1), None), json!({ "toolCall": "b", "index": 0 })),
            (Choice::default(), json!({ "toolCall": "b", "index": 0 })),
        ] {
            assert_eq!(route(&calls(), Some(&choice)).1, selected, "NAV-6: {choice:?}");
        }
        assert_eq!(route(&calls(), None), (Value::Null, Value::Null), "NAV-8");
    }

    #[test]
    fn decodes_line_and_specified_steps() {
        let (route, _) = route(&calls(), Some(&Choice::default()));
        assert_eq!(route["polyline"][0], json!({ "lat": 38.5, "lng": -120.2 }), "NAV-2");
        assert_eq!(route["polyline"].as_array().unwrap().len(), 3, "NAV-2");
        let step = json!({ "instruction": "進む", "distance": "1 km", "duration": "5分" });
        assert_eq!(route["steps"], json!([step]), "NAV-1");
        assert_eq!(route.get("durationInTraffic"), None, "NAV-X5");
    }

    #[test]
    fn prefers_time_in_traffic() {
        let traffic = json!({ "text": "9分", "value": 540 });
        let route =
            copied(&json!({ "duration": { "value": 300 }, "duration_in_traffic": traffic }));
        assert_eq!(
            (&route["duration"], &route["durationInTraffic"]),
            (&traffic, &traffic),
            "NAV-X5"
        );
    }

    #[test]
    fn invalid_line_has_no_points() {
        assert!(points("\u{7f}~~~").is_empty() && points("").is_empty());
    }
}
