//! Examples that a component must pass before it serves.

use futures::future::BoxFuture;
use std::time::Duration;

use serde_json::Value;

use super::{CallError, Datetime, Invocation, LoadError, LoadedComponent, Round, Stop};
use crate::bindings::exports::madoguchi::tool::examples::{Example, Expected};

/// Examples that one component may have.
const EXAMPLES_MAX: usize = 64;
/// Time for all of them together.
const TIME_MAX: Duration = Duration::from_secs(20);

impl LoadedComponent {
    /// The examples that it has, in order.
    ///
    /// # Errors
    /// If it fails to list them, or lists too many.
    pub fn examples(&self) -> BoxFuture<'_, Result<Vec<Example>, LoadError>> {
        Box::pin(async move {
            let Some(export) = &self.exports.examples else { return Ok(Vec::new()) };
            let examples = self.described(calls!(export.call_examples())).await?;
            if examples.len() > EXAMPLES_MAX {
                let found =
                    format!("there are {}; at most {EXAMPLES_MAX} are tried", examples.len());
                return Err(all_wrong(found));
            }
            Ok(examples)
        })
    }

    /// Calls each example in order; the first that does not hold is the reason against it all.
    pub fn prove(&self) -> BoxFuture<'_, Result<(), LoadError>> {
        Box::pin(async move {
            let examples = self.examples().await?;
            let all = async {
                for example in examples {
                    let name = example.name.clone();
                    self.run_example(example)
                        .await
                        .map_err(|found| LoadError::Example { name, found })?;
                }
                Ok(())
            };
            tokio::time::timeout(TIME_MAX, all).await.unwrap_or_else(|_| {
                Err(all_wrong(format!("they took longer than {TIME_MAX:?} together")))
            })
        })
    }

    /// Runs one example. The error has the actual value.
    async fn run_example(&self, example: Example) -> Result<(), String> {
        if self.tools().iter().all(|it| *it.name != *example.tool) {
            return Err(format!("it calls {}, which is no tool of this component", example.tool));
        }
        let now = self.setup.clock.now();
        let invocation = Invocation {
            name: example.tool,
            arguments: example.arguments,
            answers: Vec::new(),
            state: None,
            first_called_at: Datetime { seconds: now.as_secs(), nanoseconds: now.subsec_nanos() },
            meta: "{}".to_owned(),
        };
        let result = self.call(&invocation, Round::of_host()).await;
        match (example.expected, result) {
            (Expected::Output(expected), Ok(output)) => {
                fits(&expected, output.structured.as_deref().unwrap_or("{}"))
            }
            (Expected::Refused(code), Err(CallError::Stopped(Stop::Refused(it))))
                if it.code == code =>
            {
                Ok(())
            }
            (Expected::InvalidArguments, Err(CallError::Stopped(Stop::InvalidArguments(_))))
            | (Expected::InputRequired, Err(CallError::Stopped(Stop::InputRequired(_)))) => Ok(()),
            (expected, result) => Err(format!(
                "{} was expected of {}; what came was {}",
                wanted(&expected),
                invocation.name,
                result.map_or_else(came, |it| shown(it.structured.as_deref().unwrap_or("{}")))
            )),
        }
    }
}

fn wanted(expected: &Expected) -> String {
    match expected {
        Expected::Output(json) => format!("an output with {}", shown(json)),
        Expected::Refused(code) => format!("a refusal {code}"),
        Expected::InvalidArguments => "a refusal of the arguments".to_owned(),
        Expected::InputRequired => "a question".to_owned(),
    }
}

fn came(error: CallError) -> String {
    match error {
        CallError::Stopped(Stop::Refused(it)) => format!("a refusal {}: {}", it.code, it.message),
        CallError::Stopped(Stop::InvalidArguments(problems)) => {
            let each = problems.iter().map(|it| format!("{}: {}", it.pointer, it.message));
            format!("a refusal of the arguments: {}", each.collect::<Vec<_>>().join("; "))
        }
        CallError::Stopped(Stop::InputRequired(_)) => "a question".to_owned(),
        error => match error.trap() {
            Some(trap) => format!("a trap: {trap}"),
            None => error.to_string(),
        },
    }
}

/// An error of the examples as a whole.
fn all_wrong(found: String) -> LoadError {
    LoadError::Example { name: "the list of examples".to_owned(), found }
}

/// The beginning of a document, for a log.
fn shown(json: &str) -> String {
    const CHARS_MAX: usize = 400;
    match json.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &json[..end]),
        None => json.to_owned(),
    }
}

/// Whether the document `actual` has all that `expected` has.
fn fits(expected: &str, actual: &str) -> Result<(), String> {
    let expected: Value = serde_json::from_str(expected)
        .map_err(|error| format!("what it expects is not JSON: {error}"))?;
    let read = serde_json::from_str(actual);
    let actual: Value = read.map_err(|error| format!("the output is not JSON: {error}"))?;
    lacking("", &expected, &actual).map_or(Ok(()), Err)
}

/// The first place where `actual` lacks something `expected`. Objects may have more members; arrays must have equal
/// length.
fn lacking(at: &str, expected: &Value, actual: &Value) -> Option<String> {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().find_map(|(name, value)| {
                let at = format!("{at}/{name}");
                lacking(&at, value, actual.get(name).unwrap_or(&Value::Null))
            })
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            let mut pairs = expected.iter().zip(actual).enumerate();
            pairs.find_map(|(index, (value, actual))| {
                lacking(&format!("{at}/{index}"), value, actual)
            })
        }
        _ if expected == actual => None,
        _ => {
            let at = if at.is_empty() { "the output" } else { at };
            let (expected, actual) = (shown(&expected.to_string()), shown(&actual.to_string()));
            Some(format!("{at}: {expected} was expected; what came was {actual}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_may_have_more_than_expected() {
        assert_eq!(fits(r#"{"a":{"b":1}}"#, r#"{"a":{"b":1,"c":2},"d":3}"#), Ok(()));
        assert_eq!(fits(r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":1,"c":2}]}"#), Ok(()));
    }

    #[test]
    fn names_mismatch_with_actual_value() {
        let error = fits(r#"{"a":[1,{"b":2}]}"#, r#"{"a":[1,{"b":3}]}"#).unwrap_err();
        assert_eq!(error, "/a/1/b: 2 was expected; what came was 3");
        assert!(fits(r#"{"a":[1]}"#, r#"{"a":[1,2]}"#).is_err());
        assert!(fits(r#"{"a":1}"#, "{}").unwrap_err().contains("null"));
    }
}
