//! Checks outputs of a component against its schemas before a client sees them, and against its examples before it
//! serves.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use serde_json::{Map, Value, value::RawValue};

use super::{CallError, Datetime, Invocation, LoadError, LoadedComponent, Round, Stop};
use crate::{
    bindings::exports::madoguchi::tool::examples::{Example, Expected},
    component::{Ask, Content, Contents, InputRequired, Output, PromptOutput, Question},
    definition::{self, Tool},
    schema,
};
use base::{limits::CheckOutputs, pictures::is_picture};

/// Number of outputs checked first, and sampling interval afterwards.
const FIRST: u64 = 100;
const ONE_IN: u64 = 64;
/// Questions that one round may ask.
pub(super) const QUESTIONS_MAX: usize = 32;
/// Levels that serde_json reads; others do not go much deeper.
const DEPTH_MAX: usize = 128;
/// Bytes of a question's key.
const KEY_BYTES_MAX: usize = 64;

/// Characters of a media type that an error shows.
const KIND_CHARS_MAX: usize = 64;

/// Output schemas of one version's tools.
pub(super) struct OutputCheck(BTreeMap<Arc<str>, Promise>);

struct Promise {
    schema: Option<Arc<Map<String, Value>>>,
    count: AtomicU64,
}

impl OutputCheck {
    pub(super) fn for_tools(tools: &[Tool]) -> Self {
        let promise = |it: &Tool| Promise { schema: it.output_schema.clone(), count: 0.into() };
        Self(tools.iter().map(|it| (it.name.clone(), promise(it))).collect())
    }

    /// Checks an output of `tool`.
    pub(super) fn output(
        &self,
        tool: &str,
        output: &Output,
        how: CheckOutputs,
    ) -> Result<(), String> {
        let promise = self.0.get(tool);
        match &output.structured {
            Some(json) => {
                let kept =
                    object(json).and_then(|()| promise.map_or(Ok(()), |it| it.keeps(json, how)));
                kept.map_err(|why| format!("the structured output of {tool} {why}"))?;
            }
            None if promise.is_some_and(|it| it.schema.is_some()) => {
                return Err(format!(
                    "the structured output of {tool} is missing, though its output schema promises one"
                ));
            }
            None => {}
        }
        optional("its meta", output.meta.as_deref())?;
        output.content.iter().try_for_each(content)
    }
}

impl Promise {
    fn keeps(&self, json: &str, how: CheckOutputs) -> Result<(), String> {
        let Some(schema) = &self.schema else { return Ok(()) };
        let due = match how {
            CheckOutputs::Always => true,
            CheckOutputs::Never => false,
            CheckOutputs::Sampled => {
                let count = self.count.fetch_add(1, Ordering::Relaxed);
                count < FIRST || count.is_multiple_of(ONE_IN)
            }
        };
        if !due {
            return Ok(());
        }
        let value = serde_json::from_str(json).map_err(|it| it.to_string())?;
        schema::check(schema, &value, json.len())
            .map_err(|it| format!("does not fit its output schema: {it}"))
    }
}

/// Checks a prompt.
pub(super) fn prompt(output: &PromptOutput) -> Result<(), String> {
    optional("its meta", output.meta.as_deref())?;
    output.messages.iter().try_for_each(|it| content(&it.content))
}

/// Checks read contents.
pub(super) fn contents(contents: &[Contents]) -> Result<(), String> {
    for content in contents {
        definition::check_uri(&content.uri).map_err(|why| format!("of what was read, {why}"))?;
        optional("the meta of what was read", content.meta.as_deref())?;
    }
    Ok(())
}

/// Checks questions of a round.
pub(super) fn questions(asked: &InputRequired) -> Result<(), String> {
    let mut keys = HashSet::new();
    for question in &asked.questions {
        let key: String = question.key.chars().take(KEY_BYTES_MAX).collect();
        if !(1..=KEY_BYTES_MAX).contains(&question.key.len()) {
            let right = format!("1 to {KEY_BYTES_MAX} bytes are right");
            return Err(format!("it asks a question with the key {key:?}; {right}"));
        }
        if !keys.insert(&question.key) {
            return Err(format!("it asks two questions with the key {key:?}"));
        }
        ask(question).map_err(|why| format!("its question {key:?} {why}"))?;
    }
    Ok(())
}

fn ask(question: &Question) -> Result<(), String> {
    optional("has a meta that", question.meta.as_deref())?;
    match &question.ask {
        Ask::Form(form) => object(form).map_err(|why| format!("has a form that {why}")),
        Ask::Sampling(params) => object(params).map_err(|why| format!("has parameters: it {why}")),
        Ask::Url(url) => match url.parse::<http::Uri>() {
            Ok(url) if matches!(url.scheme_str(), Some("http" | "https")) => Ok(()),
            _ => Err("is a page whose address is no http or https URL".to_owned()),
        },
        Ask::Roots => Ok(()),
    }
}

fn content(content: &Content) -> Result<(), String> {
    if let Content::Image(image) = content
        && !is_picture(&image.mime_type)
    {
        let kind: String = image.mime_type.chars().take(KIND_CHARS_MAX).collect();
        return Err(format!("an image of its content is {kind:?}, which is no type of pictures"));
    }
    let (annotations, meta) = match content {
        Content::Text(it) => (&it.annotations, &it.meta),
        Content::Image(it) | Content::Audio(it) => (&it.annotations, &it.meta),
        Content::Resource(it) => (&it.annotations, &it.meta),
        Content::Link(it) => (&it.annotations, &it.meta),
    };
    optional("a content's annotations", annotations.as_deref())?;
    optional("a content's meta", meta.as_deref())
}

/// Checks that `json`, where it is there, is an object; `what` names it in the error.
fn optional(what: &str, json: Option<&str>) -> Result<(), String> {
    json.map_or(Ok(()), object).map_err(|why| format!("{what} {why}"))
}

/// Whether `json` is an object that every reader can read: serde_json goes 128 levels deep, and
/// others not much deeper.
fn object(json: &str) -> Result<(), String> {
    if !json.trim_start().starts_with('{') {
        return Err("is not a JSON object".to_owned());
    }
    // No deeper than there are brackets. What has few of them, no exponent that could be too big and
    // no escape that could be half a character, is read the quick way.
    let bytes = json.as_bytes();
    let brackets = bytes.iter().filter(|it| matches!(it, b'{' | b'[')).count();
    let is_exponent = |it: &&[u8]| it[0].is_ascii_digit() && it[1] | 0x20 == b'e';
    let exponents = bytes.windows(2).filter(is_exponent).count();
    let read = match brackets < DEPTH_MAX && exponents == 0 && !json.contains("\\u") {
        true => serde_json::from_str::<&RawValue>(json).map(drop),
        false => serde_json::from_str::<Value>(json).map(drop),
    };
    read.map_err(|it| format!("is not a JSON object: {it}"))
}

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
mod tests;
