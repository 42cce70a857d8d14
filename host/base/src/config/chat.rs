//! The gateway of `/api/chat`, and the settings of the component that answers: `[chat]`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Config, Given, Problem};
use crate::{limits::check_range, scopes::Scope};

/// Environment variable of the optional gateway password.
pub const PASSWORD_VARIABLE: &str = "AUTH_PASSWORD";
/// Bytes that a body may be let have.
const BODY_BYTES: std::ops::RangeInclusive<usize> = 1 << 10..=256 << 20;

/// `[chat]`. Missing entries come from the program's defaults.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ChatConfig {
    /// The password of the gateway (ILL-44); none is no gateway.
    pub password: Option<Given>,
    /// Scopes of callers who used the password, where tokens define scopes.
    pub scopes: Vec<String>,
    /// Bytes that a request's body may have: pictures of earlier messages are in it.
    pub body_bytes_max: usize,
    /// Entries passed to the component.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

impl ChatConfig {
    /// Whether a password is asked for.
    pub fn has_gateway(&self) -> bool {
        match &self.password {
            Some(Given::Environment(name)) if name == PASSWORD_VARIABLE => {
                std::env::var_os(name).is_some_and(|it| !it.is_empty())
            }
            password => password.is_some(),
        }
    }

    /// The settings that the component that answers receives.
    pub(super) fn settings(&self) -> Value {
        let mut settings: Map<_, _> = self.others.clone().into_iter().collect();
        settings.insert("body_bytes_max".to_owned(), self.body_bytes_max.into());
        settings.insert("gateway".to_owned(), self.has_gateway().into());
        Value::Object(settings)
    }
}

/// Everything that is wrong with it.
pub(super) fn problems(config: &Config) -> Vec<Problem> {
    let (chat, mut found) = (&config.chat, Vec::new());
    for scope in &chat.scopes {
        if let Err(error) = scope.parse::<Scope>() {
            found.push(Problem::new(&["chat", "scopes"], error.to_string(), true));
        }
    }
    let wrong = match &chat.password {
        Some(Given::Text(_)) => Some(literal_secret_error(PASSWORD_VARIABLE)),
        Some(Given::Environment(name)) if name == PASSWORD_VARIABLE => None,
        Some(it) => it.read(&config.base).err().map(|what| format!("{what}; or leave it out")),
        None => None,
    };
    found.extend(wrong.map(|what| Problem::new(&["chat", "password"], what, true)));
    if let Err(what) = check_range("body_bytes_max", chat.body_bytes_max, BODY_BYTES) {
        found.push(Problem::new(&["chat", "body_bytes_max"], what, true));
    }
    found
}

/// The message about a secret that stands in the file.
pub(super) fn literal_secret_error(variable: &str) -> String {
    format!(
        "it stands here as a plain text; {{ environment = \"{variable}\" }} or {{ file = \"PATH\" }} keep it elsewhere, and {{ value = \"…\" }} says that it is meant so"
    )
}
