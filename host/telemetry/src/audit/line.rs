//! One line of the audit log, written by the writer's thread.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde::{Serialize, Serializer};

use super::Kind;
use store::digest::digest;

/// Bytes of arguments that may wait in the queue; longer ones are digested before.
const ARGUMENTS_BYTES_MAX: usize = 2 << 10;

/// One call.
#[derive(Serialize)]
pub struct Line {
    #[serde(serialize_with = "rfc3339")]
    pub time: SystemTime,
    pub call: u64,
    pub principal: Arc<str>,
    pub surface: &'static str,
    /// MCP's era, where it is MCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub era: Option<&'static str>,
    pub round: u32,
    pub method: &'static str,
    #[serde(flatten)]
    pub name: Name,
    #[serde(flatten)]
    pub by: By,
    /// Who made it for the principal. Boxed, because most lines have none.
    #[serde(flatten)]
    pub on_behalf: Option<Box<OnBehalf>>,
    #[serde(rename = "arguments_sha256")]
    pub arguments: Arguments,
    pub outcome: Cow<'static, str>,
    /// Why it trapped and where in its source, as far as that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trap: Option<Box<str>>,
    #[serde(rename = "duration_us", serialize_with = "microseconds")]
    pub duration: Duration,
    /// Among which lines it stands.
    #[serde(skip)]
    pub kind: Kind,
}

/// Name of the called object.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Name {
    Tool(String),
    /// A prompt, or a URI.
    Name(String),
}

/// The assistant or component behind a call.
#[derive(Serialize)]
pub struct OnBehalf {
    /// `assistant:NAME` or `component:NAME`.
    pub asked_by: Arc<str>,
    /// The approval that it is held for, or made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Arc<str>>,
}

/// The component version or upstream server that answered, if any.
#[derive(Clone, Default, Serialize)]
pub struct By {
    pub component: Option<Arc<str>>,
    #[serde(serialize_with = "beginning")]
    pub digest: Option<Arc<str>>,
    /// The number of the version, where versions are numbered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Arc<str>>,
    /// Whether it is a build that answers some of the calls while it waits to be accepted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub canary: bool,
}

/// Arguments, or their digest.
pub enum Arguments {
    Text(String),
    Digest(String),
}

impl Arguments {
    /// Short ones are digested by the writer, off the call's path; long ones here, so that the
    /// queue stays small.
    pub fn digest_long(text: String) -> Self {
        if text.len() > ARGUMENTS_BYTES_MAX {
            Self::Digest(digest(text.as_bytes()))
        } else {
            Self::Text(text)
        }
    }
}

impl Serialize for Arguments {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(it) => to.serialize_str(&digest(it.as_bytes())),
            Self::Digest(it) => to.serialize_str(it),
        }
    }
}

/// Appends a line with the number of missing ones and the reason.
pub(super) fn write_count(what: &'static str, count: u64, to: &mut Vec<u8>) {
    push(&serde_json::json!({ "time": written(SystemTime::now()), what: count }), to);
}

/// Appends a line, its end included.
pub(super) fn push(line: &impl Serialize, to: &mut Vec<u8>) {
    // Strings and numbers into memory: neither can fail.
    let _ = serde_json::to_writer(&mut *to, line);
    to.push(b'\n');
}

/// The time in UTC, with milliseconds.
fn written(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(|_| String::new(), |it| format!("{it:.3}"))
}

fn rfc3339<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&written(*time))
}

fn microseconds<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
}

/// Twelve digits are enough to distinguish digests.
fn beginning<S: Serializer>(digest: &Option<Arc<str>>, to: S) -> Result<S::Ok, S::Error> {
    digest.as_deref().map(|it| it.get(..12).unwrap_or(it)).serialize(to)
}
