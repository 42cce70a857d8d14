//! Notifications during a call: progress and log lines.

use serde_json::{Value, json};
use strum::{EnumString, FromRepr, IntoStaticStr};
use tokio::sync::mpsc;

/// Destination and filter of a call's notifications.
#[derive(Clone)]
pub struct Notifications {
    pub sender: mpsc::Sender<Notification>,
    /// Whether the client wants to know how far along the call is.
    pub progress: bool,
    /// The least level of log lines that are sent; none sends no lines.
    pub log: Option<Level>,
}

/// One notification.
#[derive(Clone, Debug, PartialEq)]
pub enum Notification {
    Progress(Progress),
    Log(Line),
}

/// Progress of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Progress in a unit of the component's choice.
    pub progress: f64,
    /// Out of how much, if known.
    pub total: Option<f64>,
    /// Description of the current step.
    pub message: Option<String>,
}

/// A line of a component's log.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub level: Level,
    pub component: String,
    pub message: String,
    /// JSON, if the component keeps its promise.
    pub data: Option<String>,
}

/// Log levels of MCP and syslog.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, FromRepr, IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl Level {
    /// The level of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Notifications {
    /// Whether lines of this level are wanted.
    pub fn wants(&self, level: Level) -> bool {
        self.log.is_some_and(|least| level >= least)
    }

    /// Never blocks: a slow caller misses notifications.
    pub fn send(&self, note: Notification) {
        let _ = self.sender.try_send(note);
    }
}

impl Line {
    /// The line as clients get it: the text, and what belongs to it where there is something.
    pub fn value(self) -> Value {
        match self.data.map(|it| serde_json::from_str::<Value>(&it)) {
            None => self.message.into(),
            Some(Ok(data)) => json!({ "message": self.message, "data": data }),
            // Data that is no JSON, perhaps because a limit has cut it off, is left out.
            Some(Err(_)) => self.message.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_log_lines_from_the_requested_level_only() {
        let (sender, _receiver) = mpsc::channel(1);
        let notifications = |log| Notifications { sender: sender.clone(), progress: false, log };
        assert!(notifications(Some(Level::Warning)).wants(Level::Warning));
        assert!(notifications(Some(Level::Warning)).wants(Level::Emergency));
        assert!(!notifications(Some(Level::Warning)).wants(Level::Notice));
        assert!(!notifications(None).wants(Level::Emergency));
    }

    #[test]
    fn parses_each_level_name() {
        for (name, level) in [
            ("debug", Level::Debug),
            ("info", Level::Info),
            ("notice", Level::Notice),
            ("warning", Level::Warning),
            ("error", Level::Error),
            ("critical", Level::Critical),
            ("alert", Level::Alert),
            ("emergency", Level::Emergency),
        ] {
            assert_eq!((Level::from_name(name), level.name()), (Some(level), name));
        }
        assert_eq!(Level::from_name("trace"), None);
    }

    #[test]
    fn line_has_text_and_fields() {
        let line = |data: Option<&str>| Line {
            level: Level::Info,
            component: "shop".to_owned(),
            message: "sold".to_owned(),
            data: data.map(str::to_owned),
        };
        assert_eq!(line(None).value(), "sold");
        assert_eq!(
            line(Some("{\"id\":1}")).value(),
            json!({ "message": "sold", "data": { "id": 1 } })
        );
        assert_eq!(line(Some("{\"id\":")).value(), "sold");
    }
}
