//! Checks outputs of a component against its schemas before a client sees them.
//!
//! Output is always checked to be a JSON object of readable depth, because its bytes go to clients unchanged.
//! Validation against its schema is configurable; for a kilobyte it takes several times as long as the rest of a
//! small call's output.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::{Map, Value, value::RawValue};

use crate::{
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

#[cfg(test)]
mod tests;
