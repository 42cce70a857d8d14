//! Parses a model's last message: the chosen route and the reasons (NAV-50, NAV-6), which are streamed. Fences, prose,
//! comments and nearly valid JSON do not fail a request (NAV-X7).
//!
//! Copies the chosen route from the tools' results, never from a model's text (NAV-6).

use serde_json::{Value, json};

use crate::provider;

/// Maximum number of positions at which a JSON object is tried.
const TRIES_MAX: usize = 32;

/// A model's last message.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// The route; none where the message says that there is none.
    pub(super) route: Option<Named>,
    pub(super) reasoning: String,
}

/// The names of a route.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Named {
    index: Option<usize>,
    summary: Option<String>,
}

/// Returns the named route: by index and summary, else by summary, else the same by similar summaries such as
/// 「国道1号経由」, else by index in the last search. The last search comes first.
pub(super) fn choice(calls: &[Value], named: Named) -> Choice {
    let Named { index, summary } = named;
    let searches: Vec<_> = calls.iter().rev().filter_map(routes).collect();
    // Compares summaries; at the named index a smaller match suffices.
    let found = |at_place: fn(&str, &str) -> usize, anywhere: fn(&str, &str) -> usize| {
        let wanted = summary.as_deref()?;
        let of = |list: &Value, how: fn(&str, &str) -> usize| {
            list["summary"].as_str().map_or(0, |it| how(it, wanted))
        };
        let both = searches.iter().find_map(|(call, routes)| {
            routes.get(index?).filter(|it| of(it, at_place) > 0).map(|_| (*call, index))
        });
        let by_summary = || {
            searches.iter().find_map(|(call, routes)| {
                let shared = routes.iter().map(|it| of(it, anywhere)).enumerate();
                // The first of the best matches.
                let most = shared.filter(|it| it.1 > 0).rev().max_by_key(|it| it.1)?;
                Some((*call, Some(most.0)))
            })
        };
        both.or_else(by_summary)
    };
    let same = |it: &str, wanted: &str| usize::from(it == wanted);
    match found(same, same).or_else(|| found(shared_part, shared)) {
        Some((call, index)) => Choice { call: Some(call.to_owned()), index, summary },
        None => Choice { call: None, index, summary },
    }
}

/// Returns the number of shared bytes, if one contains the other; `Route 1` is no part of `Route 16`.
fn shared(summary: &str, wanted: &str) -> usize {
    let (longer, shorter) =
        if summary.len() < wanted.len() { (wanted, summary) } else { (summary, wanted) };
    let goes_on = |before: Option<char>, behind: Option<char>| {
        let is_sign = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
        is_sign(before) && is_sign(behind)
    };
    let mut places = longer.match_indices(shorter).map(|it| longer.split_at(it.0));
    let is_whole = places.any(|(before, from)| {
        let behind = from[shorter.len()..].chars().next();
        !goes_on(before.chars().next_back(), shorter.chars().next())
            && !goes_on(shorter.chars().next_back(), behind)
    });
    if is_whole { shorter.len() } else { 0 }
}

/// Returns the number of bytes of the route's first road, if it is named.
fn shared_part(summary: &str, wanted: &str) -> usize {
    let roads = summary.split(['、', '・', ',', '/']).map(str::trim);
    roads.map(|it| shared(it, wanted)).find(|it| *it > 0).unwrap_or_default()
}

/// Members of the object that a model is asked for.
const MEMBERS: [&str; 2] = ["\"selectedRoute\"", "\"reasoning\""];

/// Returns the prose before an object that begins with one of our members and was cut before it can be read.
fn before_cut(text: &str) -> Option<&str> {
    let (before, cut) = text.split_once('{')?;
    let cut = cut.trim_start();
    let is_ours = MEMBERS.iter().any(|it| cut.starts_with(it) || it.starts_with(cut));
    is_ours.then_some(before)
}

/// Removes the beginning of a fence from the prose before an object.
fn prose(before: &str) -> &str {
    before.trim().trim_end_matches("json").trim_end_matches('`').trim()
}

/// Parses the message. Without JSON, all of it are reasons for the first route.
pub(super) fn read(text: &str) -> Reply {
    let starts = text.char_indices().filter(|it| it.1 == '{').take(TRIES_MAX);
    let found = starts.into_iter().find_map(|(at, _)| object(&text[at..]).map(|it| (at, it)));
    let Some((at, object)) = found else {
        let reasoning = before_cut(text).map_or_else(|| text.trim(), prose).to_owned();
        return Reply { route: Some(Named::default()), reasoning };
    };
    let reasoning = object["reasoning"].as_str().map(str::trim).filter(|it| !it.is_empty());
    let before = prose(&text[..at]);
    let route = match &object["selectedRoute"] {
        // A null means no route; a missing member means nothing.
        Value::Null if object.get("selectedRoute").is_some() => None,
        Value::String(summary) => Some(Named { index: None, summary: Some(summary.clone()) }),
        Value::Number(_) => Some(Named { index: index(&object["selectedRoute"]), summary: None }),
        route => {
            let summary = route["summary"].as_str().map(str::to_owned);
            Some(Named { index: index(&route["index"]), summary })
        }
    };
    Reply { route, reasoning: reasoning.unwrap_or(before).to_owned() }
}

fn index(value: &Value) -> Option<usize> {
    let number = value.as_f64().map(|it| it.to_string());
    number.as_deref().or(value.as_str())?.trim().parse().ok()
}

/// Parses the object that `text` begins with, if it has our members.
fn object(text: &str) -> Option<Value> {
    let first = |text: &str| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        values.next()?.ok()
    };
    let object = first(text).or_else(|| first(&repaired(text)))?;
    let is_ours = object.get("selectedRoute").is_some() || object.get("reasoning").is_some();
    is_ours.then_some(object)
}

/// Repairs the JSON that `text` begins with: removes comments, which the prompt's sample has, and trailing commas,
/// escapes line breaks in texts, and closes a message that was cut.
fn repaired(text: &str) -> String {
    let (mut plain, mut open) = (String::with_capacity(text.len()), Vec::new());
    let (mut is_text, mut is_escaped) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(sign) = chars.next() {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '\n' | '\r' | '\t' if is_text => {
                plain.extend(sign.escape_default());
                continue;
            }
            _ if is_text => {}
            '/' if chars.peek() == Some(&'/') => {
                while chars.next_if(|it| *it != '\n').is_some() {}
                continue;
            }
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                let end = plain.trim_end();
                plain.truncate(end.strip_suffix(',').unwrap_or(end).len());
                open.pop();
            }
            _ => {}
        }
        plain.push(sign);
        if open.is_empty() {
            return plain;
        }
    }
    if is_escaped {
        plain.pop();
    }
    plain.extend(is_text.then_some('"').into_iter().chain(open.into_iter().rev()));
    plain
}

/// The field whose text is streamed.
const FIELD: &str = "\"reasoning\"";

/// A last message that is still being written.
#[derive(Default)]
pub(super) struct ReasonStream {
    written: String,
    /// The start of the next piece of the field's text.
    at: Option<usize>,
    is_over: bool,
    sent: String,
}

impl ReasonStream {
    /// Returns what has been sent so far.
    pub(super) fn sent(&self) -> &str {
        &self.sent
    }

    /// Adds `piece`. Returns the new part of the reasons.
    pub(super) fn take(&mut self, piece: &str) -> Option<String> {
        if self.is_over {
            return None;
        }
        self.written.push_str(piece);
        let at = match self.at {
            Some(at) => at,
            None => *self.at.insert(begin(&self.written)?),
        };
        let rest = &self.written[at..];
        let (end, is_over) = end(rest);
        // An incomplete escape or surrogate pair, or invalid JSON, is sent later.
        let more: String = serde_json::from_str(&format!("\"{}\"", &rest[..end])).ok()?;
        (self.at, self.is_over) = (Some(at + end), is_over);
        self.sent.push_str(&more);
        (!more.is_empty()).then_some(more)
    }
}

/// Returns the start of the field's text.
fn begin(written: &str) -> Option<usize> {
    let name = written.find(FIELD)? + FIELD.len();
    let value = written[name..].trim_start().strip_prefix(':')?.trim_start();
    let text = value.strip_prefix('"')?;
    Some(written.len() - text.len())
}

/// Returns the readable length of `rest`, and whether the text ends there.
fn end(rest: &str) -> (usize, bool) {
    let mut chars = rest.char_indices();
    while let Some((at, sign)) = chars.next() {
        match sign {
            '"' => return (at, true),
            '\\' => match chars.next() {
                None => return (at, false),
                Some((_, 'u')) if rest.len() < at + 6 => return (at, false),
                Some(_) => {}
            },
            _ => {}
        }
    }
    (rest.len(), false)
}

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
    // The departure for a requested arrival. A later search may have the id of one that failed.
    let made = calls.iter().rev().find(|it| it["id"] == call);
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
    let points = provider::points(encoded, PRECISION).unwrap_or_default();
    points.iter().map(|it| json!({ "lat": it.lat, "lng": it.lng })).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(index: Option<usize>, summary: Option<&str>) -> Option<Named> {
        Some(Named { index, summary: summary.map(str::to_owned) })
    }

    #[test]
    fn reads_wrapped_last_message() {
        let plain =
            r#"{"selectedRoute": {"index": 1, "summary": "国道1号"}, "reasoning": "短いから。"}"#;
        let commented = "{\n  \"selectedRoute\": { \"index\": 1, \"summary\": \"国道1号\" },  // 選択\n  \"reasoning\": \"短いから。\"\n}";
        for text in [
            plain.to_owned(),
            format!("```json\n{plain}\n```"),
            format!("結果です。\n\n{plain}\n以上です。"),
            format!("{{比較}} {plain}"),
            commented.to_owned(),
        ] {
            let reply = read(&text);
            assert_eq!(reply.route, named(Some(1), Some("国道1号")), "NAV-X7: {text}");
            assert_eq!(reply.reasoning, "短いから。", "NAV-X7: {text}");
        }
    }

    #[test]
    fn reads_nearly_valid_json() {
        for (text, reasoning) in [
            (
                "{\"selectedRoute\": {\"index\": 1}, \"reasoning\": \"短い。\n\n- 空いている\"}",
                "短い。\n\n- 空いている",
            ),
            (r#"{"selectedRoute": {"index": 1,}, "reasoning": "a, }",}"#, "a, }"),
            (r#"{"selectedRoute": {"index": 1}, "reasoning": "渋滞を"#, "渋滞を"),
            (r#"{"selectedRoute": {"index": 1}, "reasoning": "渋滞\"#, "渋滞"),
            (r#"{"reasoning": "// いいえ", "selectedRoute": {"index": 1"#, "// いいえ"),
        ] {
            let reply = read(text);
            assert_eq!(reply.route, named(Some(1), None), "NAV-X7: {text}");
            assert_eq!(reply.reasoning, reasoning, "NAV-X7: {text}");
        }
    }

    #[test]
    fn reads_route_names_and_null() {
        for (route, wanted) in [
            (r#"{"index": "2"}"#, named(Some(2), None)),
            ("2", named(Some(2), None)),
            (r#"{"index": 2.0}"#, named(Some(2), None)),
            (r#""湾岸線""#, named(None, Some("湾岸線"))),
            (r#"{"summary": "湾岸線", "distance": 3}"#, named(None, Some("湾岸線"))),
            ("{}", named(None, None)),
            (r#"{"index": -1}"#, named(None, None)),
            ("null", None),
        ] {
            let text = format!("{{\"selectedRoute\": {route}, \"reasoning\": \"r\"}}");
            assert_eq!(read(&text).route, wanted, "NAV-6: {route}");
        }
    }

    #[test]
    fn text_without_json_is_the_reasons() {
        for text in ["首都高が空いています。", "{これは}JSONではない", "", "{\"other\": 1}"]
        {
            let reply = read(text);
            assert_eq!(
                (reply.reasoning.as_str(), reply.route),
                (text, named(None, None)),
                "NAV-X7"
            );
        }
        for (text, reasoning) in [
            (r#"{"selectedRoute": {"ind"#, ""),
            ("```json\n{", ""),
            ("湾岸線にしました。\n```json\n{\n  \"sele", "湾岸線にしました。"),
        ] {
            let cut = Reply { route: named(None, None), reasoning: reasoning.to_owned() };
            assert_eq!(read(text), cut, "NAV-X7: {text}");
        }
        let reply = read("湾岸線にしました。\n```json\n{\"selectedRoute\": {\"index\": 0}}\n```");
        assert_eq!(reply.reasoning, "湾岸線にしました。", "NAV-X7");
    }

    #[test]
    fn summary_selects_the_search() {
        let found = |call: &str, all: [&str; 2]| {
            let routes = all.map(|it| json!({ "summary": it }));
            json!({ "id": call, "structured": { "routes": routes } })
        };
        let calls = [found("a", ["x", "y"]), found("b", ["y", "z"])];
        for (index, summary, call, place) in [
            (Some(1), Some("y"), Some("a"), Some(1)),
            (Some(0), Some("y"), Some("b"), Some(0)),
            (Some(1), Some("x"), Some("a"), Some(0)),
            (Some(1), None, None, Some(1)),
            (Some(1), Some("made up"), None, Some(1)),
            (None, Some("z"), Some("b"), Some(1)),
        ] {
            let summary = summary.map(str::to_owned);
            let choice = choice(&calls, Named { index, summary });
            assert_eq!((choice.call.as_deref(), choice.index), (call, place), "NAV-6: {choice:?}");
        }
    }

    #[test]
    fn similar_summary_selects_its_route() {
        let routes = ["首都高速湾岸線", "国道1号", "国道1号、第三京浜", "", "Route 1", "Route 16"]
            .map(|it| json!({ "summary": it }));
        let calls = [json!({ "id": "a", "structured": { "routes": routes } })];
        for (index, summary, place) in [
            (None, "国道1号経由", 1),
            (Some(9), "via 国道1号", 1),
            // Counted from one, as people do.
            (Some(1), "湾岸線", 0),
            (Some(2), "第三京浜経由", 2),
            (Some(2), "第三京浜", 2),
            (Some(2), "国道1号・第三京浜経由", 2),
            (None, "via Route 16", 5),
            (Some(6), "via Route 1", 4),
        ] {
            let named = Named { index, summary: Some(summary.to_owned()) };
            let choice = choice(&calls, named);
            assert_eq!(choice.index, Some(place), "NAV-6: {choice:?}");
        }
    }

    fn pieces_of(text: &str, piece: usize) -> (Vec<String>, String) {
        let mut stream = ReasonStream::default();
        let chars: Vec<_> = text.chars().collect();
        let pieces = chars.chunks(piece).map(|it| it.iter().collect::<String>());
        let sent = pieces.filter_map(|it| stream.take(&it)).collect();
        (sent, stream.sent().to_owned())
    }

    #[test]
    fn streams_reasons_independent_of_pieces() {
        let text = r#"はい。{"selectedRoute": {"index": 1}, "reasoning" : "渋滞が\n少ない\u3042 \"ので\" \ud83d\ude97。", "x": "y"}"#;
        for piece in 1..text.chars().count() {
            let (pieces, whole) = pieces_of(text, piece);
            assert_eq!(whole, "渋滞が\n少ないあ \"ので\" 🚗。", "NAV-9: {piece}");
            assert_eq!(pieces.concat(), whole, "NAV-9: {piece}");
        }
        assert!(pieces_of(text, 3).0.len() > 3, "NAV-9: it does not wait for the end");
    }

    #[test]
    fn holds_back_prose_until_its_kind_is_known() {
        assert_eq!(pieces_of("経路が見つかりませんでした。", 2).0, Vec::<String>::new());
    }

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

    /// A search without an unknown stop has the id of the one that failed.
    #[test]
    fn departure_is_of_the_last_search_with_an_id() {
        let mut found = calls().remove(0);
        found["meta"] = json!({ DETAILS: { "departureTime": "2026-11-22T09:00:00+09:00" } });
        let failed = json!({ "id": found["id"], "name": "route_search", "failure": {} });
        let (route, _) = route(&[failed, found], Some(&Choice::default()));
        assert_eq!(route["departureTime"], "2026-11-22T09:00:00+09:00");
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
