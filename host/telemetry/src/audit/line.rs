//! One line of the audit log, put into words by the writer's thread.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde::Serialize;

use base::call::Surface;
use store::digest::digest;

/// Bytes of arguments that may wait in the queue; longer ones are digested before.
const ARGUMENTS_BYTES_MAX: usize = 2 << 10;

/// One call, as the log tells it.
pub struct Line {
    pub time: SystemTime,
    pub call: u64,
    pub principal: Arc<str>,
    pub surface: Surface,
    pub round: u32,
    pub method: &'static str,
    /// Of the tool or the prompt, or the URI.
    pub name: String,
    pub by: Option<By>,
    pub arguments: Arguments,
    pub outcome: Cow<'static, str>,
    /// Who wanted it, where that is not the principal. In a box: most lines have none.
    pub on_behalf: Option<Box<OnBehalf>>,
    /// Whether it was turned away: nothing ran, or what ran did nothing but say no.
    pub is_refused: bool,
    pub duration: Duration,
}

/// Who wanted a call on the principal's behalf.
pub struct OnBehalf {
    /// `assistant:NAME` or `component:NAME`.
    pub asked_by: Arc<str>,
    /// The approval that it is held for, or made with.
    pub approval: Option<Arc<str>>,
}

/// Who answered.
#[derive(Clone)]
pub enum By {
    Component(Version),
    /// Another server, by its name.
    Server(Arc<str>),
}

/// Which component answered, in which version.
#[derive(Clone)]
pub struct Version {
    pub component: Arc<str>,
    pub digest: Arc<str>,
    /// The number of the version, where versions are numbered.
    pub generation: Option<u64>,
}

/// What a tool was called with, on its way to being a digest.
pub enum Arguments {
    Text(String),
    Digest(String),
}

impl Arguments {
    /// Short ones are digested by the writer, off the call's path; long ones here, so that the
    /// queue stays small.
    pub fn of(text: String) -> Self {
        if text.len() > ARGUMENTS_BYTES_MAX {
            Self::Digest(digest(text.as_bytes()))
        } else {
            Self::Text(text)
        }
    }

    fn digest(self) -> String {
        match self {
            Self::Text(it) => digest(it.as_bytes()),
            Self::Digest(it) => it,
        }
    }
}

#[derive(Serialize)]
struct Words<'a> {
    time: String,
    call: u64,
    principal: &'a str,
    surface: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    era: Option<&'static str>,
    round: u32,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    /// Of whatever is no tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    component: Option<&'a str>,
    digest: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<&'a str>,
    arguments_sha256: String,
    outcome: &'a str,
    duration_us: u64,
}

impl Line {
    /// Appends the line, its end included.
    pub(super) fn write(self, to: &mut Vec<u8>) {
        let (version, server) = match &self.by {
            Some(By::Component(version)) => (Some(version), None),
            Some(By::Server(server)) => (None, Some(&**server)),
            None => (None, None),
        };
        let is_tool = self.method == "tools/call";
        let words = Words {
            time: rfc3339(self.time),
            call: self.call,
            principal: &self.principal,
            surface: self.surface.name(),
            era: self.surface.era(),
            round: self.round,
            method: self.method,
            tool: is_tool.then_some(&*self.name),
            name: (!is_tool).then_some(&*self.name),
            component: version.map(|it| &*it.component),
            digest: version.map(|it| it.digest.get(..12).unwrap_or(&it.digest)),
            generation: version.and_then(|it| it.generation),
            server,
            asked_by: self.on_behalf.as_ref().map(|it| &*it.asked_by),
            approval: self.on_behalf.as_ref().and_then(|it| it.approval.as_deref()),
            arguments_sha256: self.arguments.digest(),
            outcome: &self.outcome,
            duration_us: u64::try_from(self.duration.as_micros()).unwrap_or(u64::MAX),
        };
        push(&words, to);
    }
}

/// Appends a line that says how many are missing, and why.
pub(super) fn write_count(what: &'static str, count: u64, now: SystemTime, to: &mut Vec<u8>) {
    push(&serde_json::json!({ "time": rfc3339(now), what: count }), to);
}

fn push(line: &impl Serialize, to: &mut Vec<u8>) {
    // Strings and numbers into memory: neither can fail.
    let _ = serde_json::to_writer(&mut *to, line);
    to.push(b'\n');
}

/// Milliseconds, UTC.
fn rfc3339(time: SystemTime) -> String {
    match jiff::Timestamp::try_from(time) {
        Ok(it) => format!("{it:.3}"),
        Err(_) => String::new(),
    }
}
