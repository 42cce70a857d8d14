//! Definitions of prompts and resources, checked and prepared for `prompts/list` and `resources/list`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{NAMES, OfferError, duplicate, optional_object, read_all, wrong};
use crate::bindings::exports::madoguchi::tool::{prompts, resources as wit};
use base::{
    clean,
    tool_set::is_name,
    uri_template::{URI_BYTES_MAX, UriTemplate, has_scheme},
};

/// Prompts that one component may offer.
const PROMPTS_MAX: usize = 256;
/// Arguments that one prompt may take.
const ARGUMENTS_MAX: usize = 64;

/// The entry of a prompt's `_meta` that models read before they ask for anything.
const INSTRUCTIONS: &str = "madoguchi/instructions";
/// Bytes that it may have.
const INSTRUCTIONS_BYTES_MAX: usize = 2 << 10;

/// A prompt on offer.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The name by which it is asked for.
    pub name: Arc<str>,
    /// Its name for people.
    pub title: Option<String>,
    pub description: Option<String>,
    /// The arguments that it takes.
    pub arguments: Vec<Argument>,
    /// Its `_meta`, where it has one.
    pub meta: Option<Map<String, Value>>,
    /// Instructions for models: `_meta["madoguchi/instructions"]`.
    pub instructions: Option<Arc<str>>,
}

/// An argument of a prompt.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The argument's name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    pub description: Option<String>,
    /// Whether the prompt cannot do without.
    pub required: bool,
}

impl Prompt {
    pub fn read_all(definitions: Vec<prompts::Definition>) -> Result<Vec<Self>, OfferError> {
        read_all(
            ("prompts", PROMPTS_MAX),
            definitions,
            Self::read,
            ("prompts named", |it| &it.name),
        )
    }

    fn read(definition: prompts::Definition) -> Result<Self, OfferError> {
        let wrong = |why: String| wrong("prompt", &definition.name, &why);
        if !is_name(&definition.name) {
            return Err(wrong(NAMES.to_owned()));
        }
        if definition.arguments.len() > ARGUMENTS_MAX {
            return Err(wrong(format!("it takes more than {ARGUMENTS_MAX} arguments")));
        }
        let is_none = |name: &&str| name.is_empty() || !clean::is_clean(name);
        let unnamed = definition.arguments.iter().map(|it| it.name.as_str()).find(is_none);
        if let Some(name) = unnamed.or_else(|| duplicate(&definition.arguments, |it| &it.name)) {
            return Err(wrong(format!("its argument {name:?} has no name or one twice given")));
        }
        let meta = optional_object(definition.meta.as_deref())
            .map_err(|why| wrong(format!("its meta {why}")))?;
        let instructions = match meta.as_ref().and_then(|it| it.get(INSTRUCTIONS)) {
            None => None,
            Some(Value::String(text)) if text.len() <= INSTRUCTIONS_BYTES_MAX => {
                Some(text.trim().into())
            }
            Some(_) => {
                return Err(wrong(format!(
                    "its meta {INSTRUCTIONS} is not a text of at most {INSTRUCTIONS_BYTES_MAX} bytes"
                )));
            }
        };
        let argument = |argument: prompts::Argument| {
            let title = argument.title.as_deref().map(clean::title);
            let description = argument.description.as_deref().map(clean::text);
            Argument { name: argument.name, title, description, required: argument.required }
        };
        Ok(Self {
            name: definition.name.into(),
            title: definition.title.as_deref().map(clean::title),
            description: definition.description.as_deref().map(clean::text),
            arguments: definition.arguments.into_iter().map(argument).collect(),
            meta,
            instructions,
        })
    }
}

/// Templates that one component may offer.
const TEMPLATES_MAX: usize = 256;
/// Resources that may stand on one page.
const PAGE_MAX: usize = 1_024;

/// A resource: one thing to read.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The URI by which it is read.
    pub uri: Arc<str>,
    /// The listed form.
    pub listed: Value,
}

/// A resource template: many things to read.
#[derive(Clone, Debug)]
pub struct Template {
    /// The template of their URIs.
    pub uri_template: UriTemplate,
    /// The listed form.
    pub listed: Value,
}

/// Builds the listed form of a resource or template.
fn listed(
    (key, uri): (&str, &str),
    (name, title, description): (String, Option<String>, Option<String>),
    mime_type: Option<String>,
    (annotations, meta): (Option<String>, Option<String>),
) -> Result<Value, String> {
    let object = |what: &str, json: Option<String>| {
        let object = optional_object(json.as_deref()).map_err(|why| format!("its {what} {why}"));
        object.map(|it| it.map(Value::Object))
    };
    let optional = [
        ("title", title.as_deref().map(clean::title).map(Value::from)),
        ("description", description.as_deref().map(clean::text).map(Value::from)),
        ("mimeType", mime_type.map(Value::from)),
        ("annotations", object("annotations", annotations)?),
        ("_meta", object("meta", meta)?),
    ];
    let mut listed = json!({ "name": clean::title(&name), key: uri });
    for (key, value) in optional.into_iter().filter(|it| it.1.is_some()) {
        listed[key] = value.into();
    }
    Ok(listed)
}

impl Resource {
    pub fn read_all(definitions: Vec<wit::Definition>) -> Result<Vec<Self>, OfferError> {
        let most = ("resources on one page", PAGE_MAX);
        read_all(most, definitions, Self::read, ("resources at", |it| &it.uri))
    }

    fn read(definition: wit::Definition) -> Result<Self, OfferError> {
        let wrong = |why: &str| wrong("resource", &definition.uri, why);
        check_uri(&definition.uri).map_err(wrong)?;
        let (names, more) = (
            (definition.name, definition.title, definition.description),
            (definition.annotations, definition.meta),
        );
        let listed = listed(("uri", &definition.uri), names, definition.mime_type, more);
        let mut listed = listed.map_err(|why| wrong(&why))?;
        if let Some(size) = definition.size {
            listed["size"] = size.into();
        }
        Ok(Self { uri: definition.uri.into(), listed })
    }
}

impl Template {
    pub fn read_all(definitions: Vec<wit::Template>) -> Result<Vec<Self>, OfferError> {
        let most = ("resource templates", TEMPLATES_MAX);
        read_all(most, definitions, Self::read, (most.0, |it| it.uri_template.text()))
    }

    fn read(template: wit::Template) -> Result<Self, OfferError> {
        let wrong = |why: &str| wrong("resource template", &template.uri_template, why);
        let uri_template = UriTemplate::new(&template.uri_template).map_err(|why| wrong(&why))?;
        let (names, more) = (
            (template.name, template.title, template.description),
            (template.annotations, template.meta),
        );
        let listed =
            listed(("uriTemplate", &template.uri_template), names, template.mime_type, more);
        Ok(Self { uri_template, listed: listed.map_err(|why| wrong(&why))? })
    }
}

pub fn check_uri(uri: &str) -> Result<(), &'static str> {
    if uri.len() > URI_BYTES_MAX {
        return Err("its URI has more than 2048 bytes");
    }
    if !has_scheme(uri) || uri.chars().any(|it| it.is_control() || it == ' ') {
        return Err(
            "its URI must have a scheme, such as `shop://`, and neither spaces nor control characters",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(uri: &str) -> wit::Definition {
        wit::Definition {
            uri: uri.to_owned(),
            name: "it".to_owned(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            meta: None,
        }
    }

    #[test]
    fn names_invalid_resource_with_remedy() {
        assert_eq!(
            Resource::read_all(vec![resource("shop://a"), resource("mailto:b")]).unwrap().len(),
            2
        );
        let error = |definitions| Resource::read_all(definitions).unwrap_err().to_string();
        assert!(error(vec![resource("orders/1")]).contains("must have a scheme"));
        assert!(error(vec![resource("shop://a b")]).contains("neither spaces"));
        assert!(
            error(vec![resource("shop://a"), resource("shop://a")]).contains("two resources at")
        );
        let meta = wit::Definition { annotations: Some("1".to_owned()), ..resource("shop://a") };
        assert!(error(vec![meta]).contains("annotations is not a JSON object"));
        let long = format!("shop://{}", "a".repeat(URI_BYTES_MAX));
        assert!(error(vec![resource(&long)]).contains("2048 bytes"));
    }

    #[test]
    fn rejects_unmatchable_template() {
        let template = |text: &str| wit::Template {
            uri_template: text.to_owned(),
            name: "it".to_owned(),
            title: None,
            description: None,
            mime_type: None,
            annotations: None,
            meta: None,
        };
        assert!(Template::read_all(vec![template("shop://{id}")]).is_ok());
        let error = |definitions| Template::read_all(definitions).unwrap_err().to_string();
        assert!(error(vec![template("shop://{id*}")]).contains("cannot be matched"));
        assert!(
            error(vec![template("a:{b}"), template("a:{b}")]).contains("two resource templates")
        );
    }

    fn prompt(name: &str, arguments: &[&str]) -> prompts::Definition {
        let argument = |name: &&str| prompts::Argument {
            name: (*name).to_owned(),
            title: None,
            description: None,
            required: true,
        };
        prompts::Definition {
            name: name.to_owned(),
            title: None,
            description: None,
            arguments: arguments.iter().map(argument).collect(),
            meta: None,
        }
    }

    #[test]
    fn names_invalid_prompt_with_remedy() {
        assert_eq!(Prompt::read_all(vec![prompt("review", &["topic"])]).unwrap().len(), 1);
        let error = |definitions| Prompt::read_all(definitions).unwrap_err().to_string();
        assert!(error(vec![prompt("a b", &[])]).contains("A-Z a-z 0-9"));
        assert!(
            error(vec![prompt("a", &[]), prompt("a", &[])]).contains("two prompts named \"a\"")
        );
        assert!(error(vec![prompt("a", &["x", "x"])]).contains("argument \"x\""));
        let meta = prompts::Definition { meta: Some("[]".to_owned()), ..prompt("a", &[]) };
        assert!(error(vec![meta]).contains("meta is not a JSON object"));
        let read = |text: String| {
            let meta = serde_json::json!({ "madoguchi/instructions": text }).to_string();
            vec![prompts::Definition { meta: Some(meta), ..prompt("a", &[]) }]
        };
        let most = Prompt::read_all(read("a".repeat(2_048))).unwrap();
        assert_eq!(most[0].instructions.as_deref().map(str::len), Some(2_048));
        assert!(error(read("a".repeat(2_049))).contains("at most 2048 bytes"));
        let many = (0..=PROMPTS_MAX).map(|it| prompt(&format!("p{it}"), &[])).collect();
        assert!(error(many).contains("257 prompts"));
    }
}
