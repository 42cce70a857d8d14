//! Compares answers of a canary with those of the serving version: a count and one short example per tool. They stay in
//! memory, for the operator only, until the canary ends.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use sandbox::component::{Content, Output, ResourceBody};
use store::digest::digest;

/// Maximum number of shown characters of an answer, followed by a digest.
const SHOWN_MAX: usize = 160;
/// Name parts of secret properties.
const SECRET: [&str; 8] =
    ["password", "passwd", "secret", "token", "passkey", "apikey", "credential", "authorization"];
/// Replacement of secret values.
const HIDDEN: &str = "(hidden)";

/// Compared answers of one tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Comparison {
    pub tool: String,
    /// Calls that both have answered.
    pub compared: u64,
    /// Differing answers.
    pub different: u64,
    /// The first of those.
    pub example: Option<Example>,
}

/// First difference of two answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Example {
    /// A JSON pointer into the output, or `content`, or empty where one of the two is none.
    pub at: String,
    /// Value of the serving version.
    pub serving: String,
    /// Value of the canary.
    pub canary: String,
}

/// A comparable answer, without call metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum GivenAnswer {
    /// Output and content.
    Output(Value, Vec<Value>),
    /// Kind of failure.
    Stopped(String),
}

impl GivenAnswer {
    /// An output of a tool.
    pub fn from_output(output: &Output) -> Self {
        let read = |it: &str| serde_json::from_str(it).unwrap_or_default();
        let structured = output.structured.as_deref().map_or(Value::Null, read);
        Self::Output(structured, output.content.iter().map(content).collect())
    }
}

/// A piece of content; of bytes their digest.
fn content(content: &Content) -> Value {
    match content {
        Content::Text(it) => json!(it.text),
        Content::Image(media) | Content::Audio(media) => {
            json!({ media.mime_type.clone(): digest(&media.data) })
        }
        Content::Resource(resource) => match &resource.body {
            ResourceBody::Text(text) => json!({ resource.uri.clone(): text }),
            ResourceBody::Blob(data) => json!({ resource.uri.clone(): digest(data) }),
        },
        Content::Link(it) => json!(it.uri),
    }
}

impl Comparison {
    /// Counts two answers to one call.
    pub fn add(&mut self, serving: &GivenAnswer, canary: &GivenAnswer) {
        self.compared += 1;
        if serving == canary {
            return;
        }
        self.different += 1;
        if self.example.is_none() {
            self.example = Some(example(serving, canary));
        }
    }
}

fn example(serving: &GivenAnswer, canary: &GivenAnswer) -> Example {
    let (GivenAnswer::Output(was, beside), GivenAnswer::Output(is, beside_now)) = (serving, canary)
    else {
        let text = |answer: &GivenAnswer| match answer {
            GivenAnswer::Output(structured, _) => shown("", structured),
            GivenAnswer::Stopped(text) => text.clone(),
        };
        return Example { at: String::new(), serving: text(serving), canary: text(canary) };
    };
    let (at, was, is) = match first_difference(String::new(), was, is) {
        Some((at, was, is)) => (at, was.clone(), is.clone()),
        None => ("content".to_owned(), json!(beside), json!(beside_now)),
    };
    Example { serving: shown(&at, &was), canary: shown(&at, &is), at }
}

/// First difference of two documents: JSON pointer and both values.
fn first_difference<'a>(
    at: String,
    was: &'a Value,
    is: &'a Value,
) -> Option<(String, &'a Value, &'a Value)> {
    match (was, is) {
        _ if was == is => None,
        (Value::Object(was), Value::Object(is)) => {
            let names = was.keys().chain(is.keys().filter(|it| !was.contains_key(*it)));
            let mut found = names.filter_map(|name| {
                let of = |it: &'a Map<String, Value>| it.get(name).unwrap_or(&Value::Null);
                let name = name.replace('~', "~0").replace('/', "~1");
                first_difference(format!("{at}/{name}"), of(was), of(is))
            });
            found.next()
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            let mut pairs = was.iter().zip(is).enumerate();
            pairs.find_map(|(index, (was, is))| first_difference(format!("{at}/{index}"), was, is))
        }
        _ => Some((at, was, is)),
    }
}

/// Formats a value: shortened, without secrets.
fn shown(at: &str, value: &Value) -> String {
    if is_secret(at) {
        return HIDDEN.to_owned();
    }
    let text = without_secrets(value).to_string();
    if text.chars().count() <= SHOWN_MAX {
        return text;
    }
    let start: String = text.chars().take(SHOWN_MAX).collect();
    format!("{start}… (SHA-256 {})", &digest(text.as_bytes())[..12])
}

fn is_secret(name: &str) -> bool {
    let name: String = name.to_lowercase().chars().filter(|it| !"_- ".contains(*it)).collect();
    SECRET.iter().any(|it| name.contains(it))
}

fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Object(all) => {
            let shown = |(name, value): (&String, &Value)| {
                let shown_value =
                    if is_secret(name) { HIDDEN.into() } else { without_secrets(value) };
                (name.clone(), shown_value)
            };
            Value::Object(all.iter().map(shown).collect())
        }
        Value::Array(all) => all.iter().map(without_secrets).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(structured: Value) -> GivenAnswer {
        GivenAnswer::Output(structured, Vec::new())
    }

    fn example_of(was: Value, is: Value) -> Example {
        let mut comparison = Comparison::default();
        comparison.add(&output(was), &output(is));
        assert_eq!((comparison.compared, comparison.different), (1, 1));
        comparison.example.unwrap()
    }

    #[test]
    fn example_shows_first_difference() {
        let found = example_of(
            json!({ "a": 1, "list": [{ "x/y": 1 }, { "x/y": 2 }] }),
            json!({ "a": 1, "list": [{ "x/y": 1 }, { "x/y": 3 }] }),
        );
        assert_eq!(found.at, "/list/1/x~1y");
        assert_eq!((&*found.serving, &*found.canary), ("2", "3"));
        let new = example_of(json!({}), json!({ "new": true }));
        assert_eq!((&*new.at, &*new.serving, &*new.canary), ("/new", "null", "true"));
        let longer = example_of(json!({ "list": [1] }), json!({ "list": [1, 2] }));
        assert_eq!((&*longer.serving, &*longer.canary), ("[1]", "[1,2]"));
    }

    #[test]
    fn counts_equal_answers_without_example() {
        let mut comparison = Comparison::default();
        comparison.add(&output(json!({ "a": 1, "b": 2 })), &output(json!({ "b": 2, "a": 1 })));
        assert_eq!((comparison.compared, comparison.different, comparison.example), (1, 0, None));
    }

    #[test]
    fn cuts_long_answers_and_adds_a_digest() {
        let found = example_of(json!({ "a": "猫".repeat(10_000) }), json!({ "a": "犬" }));
        assert!(found.serving.chars().count() < 200, "{}", found.serving.len());
        assert!(found.serving.contains("… (SHA-256 "), "{}", found.serving);
        assert_eq!(found.canary, "\"犬\"");
    }

    #[test]
    fn secrets_are_not_shown() {
        let found = example_of(json!({ "sessionToken": "one" }), json!({ "sessionToken": "two" }));
        assert_eq!((&*found.serving, &*found.canary), (HIDDEN, HIDDEN));
        let within = example_of(json!({}), json!({ "user": { "api_key": "k", "name": "花" } }));
        assert!(within.canary.contains("花") && !within.canary.contains("\"k\""), "{within:?}");
    }

    #[test]
    fn names_the_only_version_that_answered() {
        let mut comparison = Comparison::default();
        comparison
            .add(&GivenAnswer::Stopped("refused: sold_out".to_owned()), &output(json!({ "a": 1 })));
        let example = comparison.example.unwrap();
        assert_eq!((&*example.serving, &*example.canary), ("refused: sold_out", "{\"a\":1}"));
    }
}
