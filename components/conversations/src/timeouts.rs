//! How long a conversation may wait, as the operator set it; read whenever it is needed (CONV-22).

use serde_json::Value;
use toolkit::{
    Problem, Stop,
    settings::{self, Unfit},
};

use crate::clock::Moment;

/// How long a request may go unheard, in seconds (CONV-20).
const PENDING_S: u32 = 300;
/// How long a conversation may be without a new message, in seconds (CONV-21).
const ACTIVE_S: u32 = 600;
/// How long a person may hold a conversation up, in seconds.
const PAUSE_S: u32 = 3_600;
/// How long a chat session may be idle, in seconds (CONV-82).
pub const IDLE_S: u32 = 600;
/// The longest that may be set, in seconds: a week.
const MOST_S: u32 = 604_800;

/// The time-outs, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From the request to `expired`.
    pub pending_s: u32,
    /// From the last message to the end, and from there until a side that is not there is waited for no more.
    pub active_s: u32,
    /// From the pause to its end.
    pub pause_s: u32,
}

/// Before which moments a state must have begun to be over.
#[derive(Clone, Debug)]
pub struct Cuts {
    /// The moment for `pending`.
    pub pending: String,
    /// The moment for `active` and for `terminating`.
    pub active: String,
    /// The moment for a pause.
    pub pause: String,
}

impl Timeouts {
    /// As they are set now.
    ///
    /// # Errors
    /// When a setting is no such number.
    pub fn read() -> Result<Self, Stop> {
        Ok(Self {
            pending_s: seconds("pending_timeout_seconds", PENDING_S)?,
            active_s: seconds("active_timeout_seconds", ACTIVE_S)?,
            pause_s: seconds("pause_seconds_max", PAUSE_S)?,
        })
    }

    /// What is over at `now`.
    pub fn cuts(self, now: Moment) -> Cuts {
        Cuts {
            pending: now.before(self.pending_s).stored(),
            active: now.before(self.active_s).stored(),
            pause: now.before(self.pause_s).stored(),
        }
    }
}

/// What the operator has to fix before the component serves.
pub fn problems() -> Vec<Problem> {
    let names = ["pending_timeout_seconds", "active_timeout_seconds", "pause_seconds_max"];
    names.into_iter().filter_map(|it| seconds(it, 1).err()).map(Problem::from).collect()
}

/// A number, or its digits: from the environment it comes as a text.
fn seconds(name: &str, default: u32) -> Result<u32, Unfit> {
    let number = match settings::get::<Value>(name)? {
        None => return Ok(default),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(value) => value.as_u64().and_then(|it| u32::try_from(it).ok()),
    };
    let unfit = || Unfit::new(name, format!("must be seconds: 1 to {MOST_S}"));
    number.filter(|it| (1..=MOST_S).contains(it)).ok_or_else(unfit)
}
