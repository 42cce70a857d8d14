//! A model's last message on a route, read as it is meant: which of the routes that tools found, and why
//! (NAV-50, NAV-6). Models wrap it in fences, prose and comments, and write it nearly right; none of that fails a request
//! (NAV-X7).

use serde_json::Value;

mod telling;

pub(super) use telling::Telling;

use super::chosen::{Choice, routes};

/// Places in a text at which a JSON object is looked for.
const TRIES_MAX: usize = 32;

/// A model's last message.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// None, where it says that there is no route.
    pub(super) route: Option<Named>,
    pub(super) reasoning: String,
}

/// A route as it is named.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Named {
    index: Option<usize>,
    summary: Option<String>,
}

/// Which route is meant: the one at that place whose summary it is; else the one with that summary; else the same by
/// what is nearly the summary, as 「国道1号経由」 is; else the one at that place of the last search. The last search comes first.
pub(super) fn choice(calls: &[Value], named: Named) -> Choice {
    let Named { index, summary } = named;
    let searches: Vec<_> = calls.iter().rev().filter_map(routes).collect();
    // By how much of the summary is that of a route; at the place that is named, by less.
    let found = |at_place: fn(&str, &str) -> usize, anywhere: fn(&str, &str) -> usize| {
        let wanted = summary.as_deref()?;
        let of = |it: &Value, how: fn(&str, &str) -> usize| {
            it["summary"].as_str().map_or(0, |it| how(it, wanted))
        };
        let both = searches.iter().find_map(|(call, routes)| {
            routes.get(index?).filter(|it| of(it, at_place) > 0).map(|_| (*call, index))
        });
        let by_summary = || {
            searches.iter().find_map(|(call, routes)| {
                let shared = routes.iter().map(|it| of(it, anywhere)).enumerate();
                // The first of those that share most.
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

/// Bytes that the two share, where one is all of the other and more; `Route 1` is no part of `Route 16`.
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

/// Bytes of the first road of the route that is named.
fn shared_part(summary: &str, wanted: &str) -> usize {
    let roads = summary.split(['、', '・', ',', '/']).map(str::trim);
    roads.map(|it| shared(it, wanted)).find(|it| *it > 0).unwrap_or_default()
}

/// What `text` says. Where it has no JSON, all of it are reasons, and the first route is meant.
pub(super) fn read(text: &str) -> Reply {
    let starts = text.char_indices().filter(|it| it.1 == '{').take(TRIES_MAX);
    let found = starts.into_iter().find_map(|(at, _)| object(&text[at..]).map(|it| (at, it)));
    let Some((at, object)) = found else {
        return Reply { route: Some(Named::default()), reasoning: text.trim().to_owned() };
    };
    let reasoning = object["reasoning"].as_str().map(str::trim).filter(|it| !it.is_empty());
    let before = text[..at].trim().trim_end_matches("json").trim_end_matches('`').trim();
    let route = match &object["selectedRoute"] {
        // That there is none is a null; a message without the member says nothing.
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

/// The object that `text` begins with, if it is one of ours.
fn object(text: &str) -> Option<Value> {
    let first = |text: &str| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        values.next()?.ok()
    };
    let object = first(text).or_else(|| first(&mended(text)))?;
    let is_ours = object.get("selectedRoute").is_some() || object.get("reasoning").is_some();
    is_ours.then_some(object)
}

/// The JSON that `text` begins with, as it is meant: without comments, which the prompt's own sample has, and without commas
/// before a bracket; with its texts in one line each; and closed, where the message was cut.
fn mended(text: &str) -> String {
    let (mut plain, mut open) = (String::with_capacity(text.len()), Vec::new());
    let (mut is_text, mut is_escaped) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(it) = chars.next() {
        match it {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '\n' | '\r' | '\t' if is_text => {
                plain.extend(it.escape_default());
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
        plain.push(it);
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

#[cfg(test)]
mod tests;
