//! What a component says of its prompts, checked once and kept ready for `prompts/list`.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{OfferError, is_name, optional_object};
use crate::bindings::exports::madoguchi::tool::prompts::Definition;
use base::clean;

/// Prompts that one component may offer.
const PROMPTS_MAX: usize = 256;
/// Arguments that one prompt may take.
const ARGUMENTS_MAX: usize = 64;

/// The entry of a prompt's `_meta` that models are told before they ask for anything.
const INSTRUCTIONS: &str = "madoguchi/instructions";
/// Bytes that it may have.
const INSTRUCTIONS_BYTES_MAX: usize = 2 << 10;

/// A prompt on offer.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Its name.
    pub name: Arc<str>,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is good for.
    pub description: Option<String>,
    /// What it takes.
    pub arguments: Vec<Argument>,
    /// More about it.
    pub meta: Option<Map<String, Value>>,
    /// What models are told before they ask for anything: `_meta["madoguchi/instructions"]`.
    pub instructions: Option<Arc<str>>,
}

/// What a prompt takes.
#[derive(Clone, Debug)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Whether the prompt cannot do without.
    pub required: bool,
}

impl Prompt {
    pub fn read_all(definitions: Vec<Definition>) -> Result<Vec<Self>, OfferError> {
        if definitions.len() > PROMPTS_MAX {
            return Err(OfferError::TooMany("prompts", definitions.len(), PROMPTS_MAX));
        }
        let mut prompts: Vec<Self> = Vec::new();
        for definition in definitions {
            let prompt = Self::read(definition)?;
            if prompts.iter().any(|it| it.name == prompt.name) {
                return Err(OfferError::Twice("prompts named", prompt.name.to_string()));
            }
            prompts.push(prompt);
        }
        Ok(prompts)
    }

    fn read(it: Definition) -> Result<Self, OfferError> {
        let wrong = |why: String| OfferError::Wrong { what: "prompt", name: it.name.clone(), why };
        if !is_name(&it.name) {
            return Err(wrong("1 to 128 of A-Z a-z 0-9 _ . - are right".to_owned()));
        }
        if it.arguments.len() > ARGUMENTS_MAX {
            return Err(wrong(format!("it takes more than {ARGUMENTS_MAX} arguments")));
        }
        for (at, argument) in it.arguments.iter().enumerate() {
            let name = &argument.name;
            if name.is_empty()
                || !clean::is_clean(name)
                || it.arguments[..at].iter().any(|it| it.name == *name)
            {
                return Err(wrong(format!("its argument {name:?} has no name or one twice given")));
            }
        }
        let meta =
            optional_object(it.meta.as_deref()).map_err(|why| wrong(format!("its meta {why}")))?;
        let instructions = match meta.as_ref().and_then(|it| it.get(INSTRUCTIONS)) {
            None => None,
            Some(Value::String(it)) if it.len() <= INSTRUCTIONS_BYTES_MAX => Some(it.trim().into()),
            Some(_) => {
                return Err(wrong(format!(
                    "its meta {INSTRUCTIONS} is not a text of at most {INSTRUCTIONS_BYTES_MAX} bytes"
                )));
            }
        };
        let argument = |it: crate::bindings::exports::madoguchi::tool::prompts::Argument| {
            let title = it.title.as_deref().map(clean::title);
            let description = it.description.as_deref().map(clean::text);
            Argument { name: it.name, title, description, required: it.required }
        };
        Ok(Self {
            name: it.name.into(),
            title: it.title.as_deref().map(clean::title),
            description: it.description.as_deref().map(clean::text),
            arguments: it.arguments.into_iter().map(argument).collect(),
            meta,
            instructions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::exports::madoguchi::tool::prompts as wit;

    fn prompt(name: &str, arguments: &[&str]) -> Definition {
        let argument = |name: &&str| wit::Argument {
            name: (*name).to_owned(),
            title: None,
            description: None,
            required: true,
        };
        Definition {
            name: name.to_owned(),
            title: None,
            description: None,
            arguments: arguments.iter().map(argument).collect(),
            meta: None,
        }
    }

    #[test]
    fn a_prompt_that_cannot_be_offered_is_named_with_what_would_be_right() {
        assert_eq!(Prompt::read_all(vec![prompt("review", &["topic"])]).unwrap().len(), 1);
        let error = |definitions| Prompt::read_all(definitions).unwrap_err().to_string();
        assert!(error(vec![prompt("a b", &[])]).contains("A-Z a-z 0-9"));
        assert!(
            error(vec![prompt("a", &[]), prompt("a", &[])]).contains("two prompts named \"a\"")
        );
        assert!(error(vec![prompt("a", &["x", "x"])]).contains("argument \"x\""));
        let meta = Definition { meta: Some("[]".to_owned()), ..prompt("a", &[]) };
        assert!(error(vec![meta]).contains("meta is not a JSON object"));
        let told = |text: String| {
            let meta = serde_json::json!({ "madoguchi/instructions": text }).to_string();
            vec![Definition { meta: Some(meta), ..prompt("a", &[]) }]
        };
        let most = Prompt::read_all(told("a".repeat(2_048))).unwrap();
        assert_eq!(most[0].instructions.as_deref().map(str::len), Some(2_048));
        assert!(error(told("a".repeat(2_049))).contains("at most 2048 bytes"));
        let many = (0..=PROMPTS_MAX).map(|it| prompt(&format!("p{it}"), &[])).collect();
        assert!(error(many).contains("257 prompts"));
    }
}
