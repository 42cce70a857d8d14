//! Who calls, as far as a component may know.

use std::sync::Arc;

use http::{HeaderMap, header};

/// Whose a tool, a prompt or a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// A component's, by its name.
    Component(&'a str),
    /// Another MCP server's, by its name in the configuration.
    Server(&'a str),
}

/// The caller of one invocation.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The name of whoever calls.
    pub principal: Arc<str>,
    /// What they may do.
    pub scopes: Arc<[String]>,
    /// Their language as a BCP 47 tag.
    pub locale: Option<Arc<str>>,
    /// Their client's capabilities: a JSON object.
    pub client_capabilities: Arc<str>,
}

impl Caller {
    /// Whoever calls where no token is needed.
    pub fn anonymous() -> Self {
        Self {
            principal: "anonymous".into(),
            scopes: Arc::new([]),
            locale: None,
            client_capabilities: "{}".into(),
        }
    }

    /// Whether nobody knows who calls.
    pub(crate) fn is_anonymous(&self) -> bool {
        &*self.principal == "anonymous"
    }

    /// Whoever sent a request with these headers, as far as its guard found out.
    pub(crate) fn of(headers: &HeaderMap, _extensions: &http::Extensions) -> Self {
        let language = headers.get(header::ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
        Self::anonymous().speaking(language)
    }

    /// Whether they may see and call `tool`, which is `owner`'s.
    pub(crate) fn may_call(&self, _owner: Owner<'_>, _tool: &str) -> bool {
        true
    }

    /// Whether they may see and use the prompts and resources of `owner`.
    pub(crate) fn may_use(&self, _owner: Owner<'_>) -> bool {
        true
    }

    /// The same caller, speaking the first language of an `Accept-Language` header.
    pub fn speaking(mut self, accept_language: Option<&str>) -> Self {
        let first = accept_language.and_then(|it| it.split([',', ';']).next()).map(str::trim);
        self.locale = first
            .filter(|it| (1..=35).contains(&it.len()))
            .filter(|it| it.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
            .map(Into::into);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_accepted_language_is_the_callers() {
        let locale = |header| Caller::anonymous().speaking(header).locale;
        assert_eq!(locale(Some("ja-JP,ja;q=0.9,en;q=0.8")).as_deref(), Some("ja-JP"));
        assert_eq!(locale(Some("*")), None);
        assert_eq!(locale(None), None);
    }
}
