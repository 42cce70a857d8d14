//! Further reports of the host to the operator: upstream servers, storage, settings, accounts, and details of a call.
//! Missing fields are empty.

use serde::Deserialize;
use serde_json::Value;

use super::data::{Activity, WaitingTool};

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Servers {
    pub(crate) servers: Vec<Server>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Server {
    pub(crate) name: String,
    /// `running`, `connecting` or `unreachable`.
    pub(crate) status: String,
    pub(crate) error: Option<String>,
    pub(crate) address: String,
    /// Why and when it was last unavailable.
    pub(crate) last_error: Option<String>,
    pub(crate) last_error_at: Option<String>,
    pub(crate) tools: Vec<String>,
    pub(crate) activity: Activity,
    /// Its tools whose definitions wait for approval.
    pub(crate) waiting: Vec<WaitingTool>,
}

/// Contents of the data folder.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Storage {
    /// `sqlite` or `postgresql`: the engine of the components' databases.
    pub(crate) kind: String,
    pub(crate) folder: String,
    /// The command that backs it up.
    pub(crate) backup: String,
    pub(crate) bytes: u64,
    pub(crate) parts: Vec<StoredPart>,
    pub(crate) databases: Vec<StoredPart>,
}

/// A part of the data folder, or a component's database.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct StoredPart {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) files: u64,
    pub(crate) limit_bytes: Option<u64>,
    pub(crate) tables: Vec<Table>,
    pub(crate) error: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) rows: u64,
    /// Whether there are more.
    pub(crate) has_more: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub(crate) settings: Vec<Setting>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: Value,
    /// Whether its value is secret.
    pub(crate) is_hidden: bool,
    pub(crate) source: Source,
}

/// Source of a setting.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Source {
    #[default]
    Default,
    Component,
    File {
        file: String,
        line: u64,
    },
    Environment {
        variable: String,
    },
    Flag {
        flag: String,
    },
    #[serde(other)]
    Other,
}

impl Server {
    /// A key of its name and its pending definitions; it changes when these do.
    pub(crate) fn key(&self) -> String {
        let digests = self.waiting.iter().map(|it| it.digest.as_str());
        [self.name.as_str()].into_iter().chain(digests).collect::<Vec<_>>().join(" ")
    }
}

impl Setting {
    /// Whether the operator has set it.
    pub(crate) fn is_set_by_operator(&self) -> bool {
        !matches!(self.source, Source::Default | Source::Component)
    }

    /// Whether its name contains `sought`, in lower case.
    pub(crate) fn has(&self, sought: &str) -> bool {
        self.name.to_lowercase().contains(sought)
    }
}

/// Tokens of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Tokens {
    pub(crate) tokens: Vec<Token>,
    /// Accepted identity providers.
    pub(crate) issuers: Vec<String>,
    pub(crate) has_accounts: bool,
    /// Whether callers must authenticate.
    pub(crate) asks_who_calls: bool,
}

/// A token, without its value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Token {
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) expires: Option<String>,
    pub(crate) expired: bool,
    pub(crate) toolset: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Accounts {
    pub(crate) accounts: Vec<Account>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) passkeys: u64,
    pub(crate) password: bool,
    pub(crate) devices: Vec<Device>,
}

/// A device signed in to an account.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Device {
    pub(crate) id: String,
    pub(crate) client: String,
    pub(crate) scopes: Vec<String>,
    pub(crate) last_used: String,
}

/// A one-time link.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Link {
    pub(crate) link: String,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Call {
    pub(crate) rounds: Vec<Round>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Round {
    pub(crate) round: u64,
    pub(crate) time: String,
    pub(crate) name: String,
    pub(crate) principal: String,
    pub(crate) component: Option<String>,
    pub(crate) generation: Option<u64>,
    pub(crate) server: Option<String>,
    pub(crate) outcome: String,
    pub(crate) duration_us: u64,
    pub(crate) parts: Vec<Part>,
    pub(crate) parts_dropped: u64,
    pub(crate) measured: Vec<Measured>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Part {
    pub(crate) what: String,
    pub(crate) from_us: u64,
    pub(crate) took_us: u64,
}

/// Usage of a limit.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Measured {
    pub(crate) limit: String,
    pub(crate) used: u64,
    pub(crate) max: u64,
}

/// Length of a bar in its own units.
pub(crate) const BAR: f64 = 1_000.0;
/// Minimum visible length of a bar.
const BAR_LEAST: f64 = 4.0;

impl Part {
    /// Start and length of its bar, in units of [`BAR`], within a round of that duration.
    pub(crate) fn bar(&self, duration_us: u64) -> (f64, f64) {
        let whole = duration_us.max(1) as f64;
        let from = (self.from_us as f64 / whole * BAR).clamp(0.0, BAR - BAR_LEAST);
        let long = (self.took_us as f64 / whole * BAR).clamp(BAR_LEAST, BAR - from);
        (from, long)
    }
}

/// Used share of a limit, in units of [`BAR`].
pub(crate) fn used(used: u64, max: u64) -> f64 {
    match (used, max) {
        (0, _) => 0.0,
        (_, 0) => BAR,
        _ => (used as f64 / max as f64 * BAR).clamp(BAR_LEAST, BAR),
    }
}

/// A setting's value for display: texts without quotes.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(self::value).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// OPS-4
    #[test]
    fn different_definition_is_another_card() {
        let server = |digest: &str| Server {
            name: "m".to_owned(),
            waiting: vec![WaitingTool { digest: digest.to_owned(), ..WaitingTool::default() }],
            ..Server::default()
        };
        assert_ne!(server("a").key(), server("b").key());
    }

    #[test]
    fn parses_setting_with_its_source() {
        let read = |source: Value| {
            let setting = json!({ "name": "a.b", "value": [1, "x"], "source": source });
            serde_json::from_value::<Setting>(setting).unwrap()
        };
        let file = read(json!({ "kind": "file", "file": "m.toml", "line": 3 }));
        assert!(file.is_set_by_operator() && file.has("a."));
        assert_eq!(value(&file.value), "1, x");
        assert!(!read(json!({ "kind": "default" })).is_set_by_operator());
        assert_eq!(read(json!({ "kind": "later" })).source, Source::Other);
    }

    /// OPS-6
    #[test]
    fn bars_stay_within_their_round_and_visible() {
        let part = |from_us, took_us| Part { from_us, took_us, ..Part::default() };
        assert_eq!(part(500, 250).bar(1_000), (500.0, 250.0));
        assert_eq!(part(0, 0).bar(1_000), (0.0, BAR_LEAST));
        let (from, long) = part(2_000, 900).bar(1_000);
        assert!(from + long <= BAR, "one that outlived its round");
        assert_eq!(part(0, 0).bar(0), (0.0, BAR_LEAST));
        assert_eq!((used(0, 10), used(10, 10), used(20, 10)), (0.0, BAR, BAR));
        assert_eq!(used(1, 1_000_000), BAR_LEAST);
    }
}
