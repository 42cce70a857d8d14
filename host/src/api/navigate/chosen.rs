//! The route that was chosen, copied out of the tools' results; never what somebody retyped (NAV-6).

use serde_json::{Value, json};

use crate::assistant::{Answered, Choice, Conclusion, ToolResult};

/// Decimals of a degree in encoded lines.
const PRECISION: u32 = 5;
/// Where a result's `_meta` tells more of its routes than the specified output has.
const DETAILS: &str = "navigation/details";

/// The chosen route as the specification writes it, and where among the results it is; both null where
/// there is none (NAV-8).
pub(super) fn route(answered: &[Answered], conclusion: &Conclusion) -> (Value, Value) {
    let found = conclusion.choice.as_ref().and_then(|it| find(answered, it));
    let Some((call, index, route)) = found else { return (Value::Null, Value::Null) };
    let mut copied = copied(route);
    // When to leave, where one must be there at a time.
    let results = answered.iter().filter(|it| it.call.id == call).map(|it| &it.result);
    for result in results {
        if let ToolResult::Output { meta, .. } = result
            && let Some(time) = meta[DETAILS]["departureTime"].as_str()
        {
            copied["departureTime"] = time.into();
        }
    }
    (copied, json!({ "toolCall": call, "index": index }))
}

/// By call and index; else by summary; else the first of the last search.
fn find<'a>(answered: &'a [Answered], choice: &Choice) -> Option<(&'a str, usize, &'a Value)> {
    let found = answered.iter().rev().filter_map(|it| match &it.result {
        ToolResult::Output { structured, .. } => {
            let routes = structured["routes"].as_array().filter(|it| !it.is_empty())?;
            Some((it.call.id.as_str(), routes))
        }
        ToolResult::Failed(_) => None,
    });
    let found: Vec<_> = found.collect();
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
    let steps = route["steps"].as_array().into_iter().flatten().map(|it| {
        json!({
            "instruction": it["instruction"], "distance": it["distance"], "duration": it["duration"],
        })
    });
    let mut copied = json!({
        "polyline": points(route["polyline"].as_str().unwrap_or_default()),
        "summary": route["summary"],
        "distance": route["distance"],
        // With traffic where that is known (NAV-X5).
        "duration": if in_traffic.is_object() { in_traffic } else { &route["duration"] },
        "steps": steps.collect::<Vec<_>>(),
    });
    if in_traffic.is_object() {
        copied["durationInTraffic"] = in_traffic.clone();
    }
    // What whoever follows it must know: how far from the road its ends are, for one.
    if route["warnings"].as_array().is_some_and(|it| !it.is_empty()) {
        copied["warnings"] = route["warnings"].clone();
    }
    copied
}

/// The points of an encoded line (NAV-2); none where it cannot be read.
fn points(encoded: &str) -> Vec<Value> {
    match polyline::decode_polyline(encoded, PRECISION) {
        Ok(line) => line.points().map(|it| json!({ "lat": it.y(), "lng": it.x() })).collect(),
        Err(error) => {
            tracing::warn!("the line of a route cannot be read: {error}");
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::ToolCall;

    fn run(choice: Option<Choice>) -> (Vec<Answered>, Conclusion) {
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
        let call = |id: &str| ToolCall {
            id: id.to_owned(),
            name: "route_search".to_owned(),
            arguments: Default::default(),
            meta: Default::default(),
            reason: String::new(),
        };
        let answered = |id: &str, routes: &[&str]| Answered {
            call: call(id),
            result: ToolResult::Output {
                structured: json!({ "routes": routes.iter().map(|it| route(it)).collect::<Vec<_>>() }),
                meta: json!({}),
                content: Vec::new(),
            },
        };
        let answered =
            vec![answered("a", &["x", "y"]), answered("b", &["y", "z"]), answered("c", &[])];
        (answered, Conclusion { choice, ..Conclusion::default() })
    }

    fn route_of((answered, conclusion): &(Vec<Answered>, Conclusion)) -> (Value, Value) {
        route(answered, conclusion)
    }

    #[test]
    fn a_route_is_found_by_its_place_then_by_its_summary_and_else_the_first() {
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
            assert_eq!(route_of(&run(Some(choice.clone()))).1, selected, "NAV-6: {choice:?}");
        }
        assert_eq!(route_of(&run(None)), (Value::Null, Value::Null), "NAV-8");
    }

    #[test]
    fn a_line_is_decoded_and_a_step_has_what_is_specified() {
        let (route, _) = route_of(&run(Some(Choice::default())));
        assert_eq!(route["polyline"][0], json!({ "lat": 38.5, "lng": -120.2 }), "NAV-2");
        assert_eq!(route["polyline"].as_array().unwrap().len(), 3, "NAV-2");
        let step = json!({ "instruction": "進む", "distance": "1 km", "duration": "5分" });
        assert_eq!(route["steps"], json!([step]), "NAV-1");
        assert_eq!(route.get("durationInTraffic"), None, "NAV-X5");
    }

    #[test]
    fn time_in_traffic_counts_where_it_is_known() {
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
    fn a_line_that_is_none_has_no_points() {
        assert!(points("\u{7f}~~~").is_empty() && points("").is_empty());
    }
}
