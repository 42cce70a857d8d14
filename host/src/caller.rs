//! Who calls, as far as a component may know.

use std::sync::Arc;

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
