//! What a component says of what there is to read, checked and kept ready for `resources/list`.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{OfferError, optional_object};
use crate::bindings::exports::madoguchi::tool::resources as wit;
use base::{
    clean,
    uri_template::{URI_BYTES_MAX, UriTemplate, has_scheme},
};

/// Templates that one component may offer.
const TEMPLATES_MAX: usize = 256;
/// Resources that may stand on one page.
const PAGE_MAX: usize = 1_024;

/// What both a resource and a template say of themselves.
#[derive(Clone, Debug)]
pub struct About {
    /// The name.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Of which kind.
    pub mime_type: Option<String>,
    /// For whom, how important and how old it is, as MCP has it.
    pub annotations: Option<Map<String, Value>>,
    /// More about it.
    pub meta: Option<Map<String, Value>>,
}

/// One thing to read.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Where it is.
    pub uri: Arc<str>,
    /// What it says of itself.
    pub about: About,
    /// Its size in bytes.
    pub size: Option<u64>,
}

/// Many things to read.
#[derive(Clone, Debug)]
pub struct Template {
    /// Where they are.
    pub uri_template: UriTemplate,
    /// What it says of itself.
    pub about: About,
}

impl Resource {
    pub fn read_all(definitions: Vec<wit::Definition>) -> Result<Vec<Self>, OfferError> {
        if definitions.len() > PAGE_MAX {
            let count = definitions.len();
            return Err(OfferError::TooMany("resources on one page", count, PAGE_MAX));
        }
        let mut resources: Vec<Self> = Vec::new();
        let mut known = std::collections::HashSet::new();
        for definition in definitions {
            let resource = Self::read(definition)?;
            if !known.insert(resource.uri.clone()) {
                return Err(OfferError::Twice("resources at", resource.uri.to_string()));
            }
            resources.push(resource);
        }
        Ok(resources)
    }

    fn read(it: wit::Definition) -> Result<Self, OfferError> {
        let wrong = |why: String| {
            let name: String = it.uri.chars().take(256).collect();
            OfferError::Wrong { what: "resource", name, why }
        };
        check_uri(&it.uri).map_err(|why| wrong(why.to_owned()))?;
        let about = About {
            annotations: optional_object(it.annotations.as_deref())
                .map_err(|why| wrong(format!("its annotations {why}")))?,
            meta: optional_object(it.meta.as_deref())
                .map_err(|why| wrong(format!("its meta {why}")))?,
            name: clean::title(&it.name),
            title: it.title.as_deref().map(clean::title),
            description: it.description.as_deref().map(clean::text),
            mime_type: it.mime_type,
        };
        Ok(Self { uri: it.uri.into(), about, size: it.size })
    }
}

impl Template {
    pub fn read_all(definitions: Vec<wit::Template>) -> Result<Vec<Self>, OfferError> {
        if definitions.len() > TEMPLATES_MAX {
            let count = definitions.len();
            return Err(OfferError::TooMany("resource templates", count, TEMPLATES_MAX));
        }
        let mut templates: Vec<Self> = Vec::new();
        for definition in definitions {
            let template = Self::read(definition)?;
            let text = template.uri_template.text();
            if templates.iter().any(|it| it.uri_template.text() == text) {
                return Err(OfferError::Twice("resource templates", text.to_owned()));
            }
            templates.push(template);
        }
        Ok(templates)
    }

    fn read(it: wit::Template) -> Result<Self, OfferError> {
        let wrong = |why: String| {
            let name: String = it.uri_template.chars().take(256).collect();
            OfferError::Wrong { what: "resource template", name, why }
        };
        let uri_template =
            UriTemplate::new(&it.uri_template).map_err(|why| wrong(why.to_string()))?;
        let about = About {
            annotations: optional_object(it.annotations.as_deref())
                .map_err(|why| wrong(format!("its annotations {why}")))?,
            meta: optional_object(it.meta.as_deref())
                .map_err(|why| wrong(format!("its meta {why}")))?,
            name: clean::title(&it.name),
            title: it.title.as_deref().map(clean::title),
            description: it.description.as_deref().map(clean::text),
            mime_type: it.mime_type,
        };
        Ok(Self { uri_template, about })
    }
}

/// Says what is wrong with a URI.
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
    fn a_resource_that_cannot_be_offered_is_named_with_what_would_be_right() {
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
    fn a_template_that_cannot_be_matched_is_not_offered() {
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
}
