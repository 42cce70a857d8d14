//! Parses the body of a request by field; errors name the field (NAV-7).

use std::time::SystemTime;

use chrono::DateTime;
use output::text::is_blank;
use serde::Serialize;
use serde_json::{Map, Value, json};
use toolkit::{arguments, routes::Request};

use super::Refusal;
use crate::{
    arguments::{departure, written},
    ask::{Departure, Language},
};

/// Maximum number of characters of a place.
const PLACE_MAX: usize = 200;
/// Maximum number of characters of a sentence.
const MESSAGE_MAX: usize = 2_000;
/// Maximum number of characters of an entry of the history; explanations may be long.
const CONTENT_MAX: usize = 20_000;
/// Maximum number of entries of the history (NAV-5).
const HISTORY_MAX: usize = 1_000;
/// Number of last entries that are used (NAV-5).
const HISTORY_USED: usize = 20;

/// One entry of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Remark {
    pub(super) is_user: bool,
    pub(super) content: String,
}

/// A body as a JSON object. Unknown fields are ignored, because clients have their own.
pub(super) struct Fields {
    fields: Map<String, Value>,
    pub(super) language: Language,
}

impl Fields {
    pub(super) fn read(request: &Request, language: Language) -> Result<Self, Refusal> {
        let body = request.body.as_ref().map_err(|it| Refusal::unread(*it, language))?;
        let text = std::str::from_utf8(body).ok();
        match text.and_then(|it| arguments::parse(it).ok()) {
            Some(Value::Object(fields)) => Ok(Self { fields, language }),
            _ => Err(Refusal::invalid(
                "body",
                language.pick(
                    "本文はJSONオブジェクトにしてください: {\"origin\": \"東京駅\", \"destination\": \"横浜駅\", …}",
                    "The body must be a JSON object: {\"origin\": \"東京駅\", \"destination\": \"横浜駅\", …}",
                ),
            )),
        }
    }

    /// Reads a required text without surrounding spaces.
    fn text(&self, name: &str, chars_max: usize) -> Result<String, Refusal> {
        let text = self.fields.get(name).and_then(Value::as_str).map(str::trim);
        let fits = |it: &&str| !is_blank(it) && it.chars().nth(chars_max).is_none();
        text.filter(fits).map(str::to_owned).ok_or_else(|| {
            let japanese = format!("{name}は1〜{chars_max}文字の文字列にしてください");
            let english = format!("{name} must be a string of 1 to {chars_max} characters");
            Refusal::invalid(name, self.language.pick(japanese, english))
        })
    }

    /// Reads origin and destination.
    pub(super) fn ends(&self) -> Result<(String, String), Refusal> {
        Ok((self.text("origin", PLACE_MAX)?, self.text("destination", PLACE_MAX)?))
    }

    /// Reads optional places, in order, up to a maximum number.
    pub(super) fn places(&self, name: &str, most: usize) -> Result<Vec<String>, Refusal> {
        let list = match self.fields.get(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(list) => list.as_array().filter(|it| it.len() <= most),
        };
        let place = |value: &Value| {
            let text = value.as_str().map(str::trim).filter(|it| !is_blank(it))?;
            text.chars().nth(PLACE_MAX).is_none().then(|| text.to_owned())
        };
        let places = list.and_then(|it| it.iter().map(place).collect());
        places.ok_or_else(|| {
            let japanese =
                format!("{name}は{most}件までの配列にし、それぞれ1〜{PLACE_MAX}文字の地名にしてください");
            let english = format!(
                "{name} must be a list of at most {most} places, each of 1 to {PLACE_MAX} characters"
            );
            Refusal::invalid(name, self.language.pick(japanese, english))
        })
    }

    /// Reads an optional time in RFC 3339 that lies within a year of `now`, as written.
    pub(super) fn moment(&self, name: &str, now: SystemTime) -> Result<Option<String>, Refusal> {
        let text = match self.fields.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value.as_str().map(str::trim),
        };
        let is_time = |it: &&str| DateTime::parse_from_rfc3339(it).is_ok();
        let text = text.filter(is_time).ok_or_else(|| {
            let japanese = format!("{name}は2026-11-21T10:00:00+09:00のような時刻にしてください");
            let english = format!("{name} must be a time as 2026-11-21T10:00:00+09:00");
            Refusal::invalid(name, self.language.pick(japanese, english))
        })?;
        if matches!(departure(text, now), Ok(Departure::At(_))) {
            return Ok(Some(text.to_owned()));
        }
        let now = written(now);
        let japanese = format!("{name}は1年以内のこれからの時刻にしてください（いまは{now}です）");
        let english = format!("{name} must be a time ahead, within a year; it is {now} now");
        Err(Refusal::invalid(name, self.language.pick(japanese, english)))
    }

    /// Reads an optional text as its index in `allowed`, ignoring case.
    pub(super) fn one_of(&self, name: &str, allowed: &[&str]) -> Result<Option<usize>, Refusal> {
        let value = match self.fields.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        let is_it = |it: &&str| value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(it));
        let found = allowed.iter().position(is_it);
        found.map(Some).ok_or_else(|| {
            let allowed = allowed.join(", ");
            let japanese = format!("{name}は次のいずれかにしてください: {allowed}");
            let english = format!("{name} must be one of {allowed}");
            Refusal::invalid(name, self.language.pick(japanese, english))
        })
    }
}

/// The request of `POST /api/navigate`.
pub(super) struct Asked {
    pub(super) origin: String,
    pub(super) destination: String,
    pub(super) message: String,
    /// The used part of the history.
    pub(super) history: Vec<Remark>,
    /// The whole history, as given.
    given: Vec<Value>,
}

impl Asked {
    pub(super) fn read(fields: &Fields) -> Result<Self, Refusal> {
        let (origin, destination) = fields.ends()?;
        let message = fields.text("message", MESSAGE_MAX)?;
        let given = given(fields)?;
        let mut history: Vec<_> = given.iter().map(remark).collect();
        // The sample's history already has the question (NAV-5, NAV-X8).
        history.pop_if(|it| it.is_user && it.content.trim() == message);
        let unused = history.len().saturating_sub(HISTORY_USED);
        history.drain(..unused);
        Ok(Self { origin, destination, message, history, given })
    }

    /// Returns the given history, with the question replaced by the current one if it is there already.
    pub(super) fn full_history(&self) -> Vec<Value> {
        let mut history = self.given.clone();
        if let Some(last) = history.last_mut().filter(|it| it["role"] == "user")
            && last["content"].as_str().is_some_and(|it| it.trim() == self.message)
        {
            last["content"] = self.message.as_str().into();
        }
        history
    }
}

fn given(fields: &Fields) -> Result<Vec<Value>, Refusal> {
    const FIELD: &str = "conversationHistory";
    let language = fields.language;
    let history = match fields.fields.get(FIELD) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(history)) if history.len() <= HISTORY_MAX => history,
        Some(_) => {
            let japanese = format!("{FIELD}は{HISTORY_MAX}件までの配列にしてください");
            let english = format!("{FIELD} must be a list of at most {HISTORY_MAX} entries");
            return Err(Refusal::invalid(FIELD, language.pick(japanese, english)));
        }
    };
    let entry = |(at, entry): (usize, &Value)| {
        let wrong = |name: &str, japanese: String, english: String| {
            let field = format!("{FIELD}[{at}]{name}");
            Refusal::invalid(&field, format!("{field}{}", language.pick(japanese, english)))
        };
        if !entry.is_object() {
            let english = " must be an object with role and content".to_owned();
            return Err(wrong(
                "",
                "はroleとcontentを持つオブジェクトにしてください".to_owned(),
                english,
            ));
        }
        if !matches!(entry["role"].as_str(), Some("user" | "assistant")) {
            let english = " must be user or assistant".to_owned();
            return Err(wrong(".role", "はuserかassistantにしてください".to_owned(), english));
        }
        match entry["content"].as_str() {
            Some(content) if content.chars().nth(CONTENT_MAX).is_none() => {
                Ok(json!({ "role": entry["role"], "content": content }))
            }
            _ => Err(wrong(
                ".content",
                format!("は{CONTENT_MAX}文字までの文字列にしてください"),
                format!(" must be a string of at most {CONTENT_MAX} characters"),
            )),
        }
    };
    history.iter().enumerate().map(entry).collect()
}

fn remark(entry: &Value) -> Remark {
    let content = entry["content"].as_str().unwrap_or_default().to_owned();
    Remark { is_user: entry["role"] == "user", content }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn accepts_moments_within_a_year() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000);
        let moment = |text: &str, language| {
            let fields = json!({ "at": text }).as_object().cloned().unwrap();
            Fields { fields, language }.moment("at", now)
        };
        let ahead = written(now + Duration::from_hours(3));
        assert_eq!(moment(&ahead, Language::Japanese).ok(), Some(Some(ahead)));
        for text in ["2020-01-01T09:00:00+09:00", "2999-01-01T09:00:00+09:00", "now", "1795000100"]
        {
            assert!(moment(text, Language::Japanese).is_err(), "{text}");
        }
    }
}
