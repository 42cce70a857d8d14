//! Tools of others that a component calls, with its caller's scopes and no more.
//!
//! ```ignore
//! let request = Request::of("reserve_seats", json!({ "showtime_id": id, "seat_ids": seats }))
//!     .because("席を押さえるため");
//! let reservation = calls::one(request)?;
//! ```

use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

pub use crate::bindings::madoguchi::tool::calls::{Offer, Outcome, Request, call, held, offers};
use crate::{Stop, refused, unavailable};

/// Longer than any wait.
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);

impl Request {
    /// Creates a call of `tool`.
    #[must_use]
    pub fn of(tool: &str, arguments: Value) -> Self {
        let (name, arguments) = (tool.to_owned(), arguments.to_string());
        Self { name, arguments, meta: None, reason: None }
    }

    /// Adds the reason, for the person who approves the call.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }
}

/// Makes one call and returns its output. If a person has to approve it, the component's own call waits
/// for them and restarts.
///
/// # Errors
/// The tool's error; [`Stop::Wait`] while the approval is pending.
pub fn one(request: Request) -> Result<Value, Stop> {
    let output = all(&[request])?.pop();
    output.ok_or_else(|| unavailable("there is no outcome", None))
}

/// Makes several calls concurrently; the person approves all of them together.
///
/// # Errors
/// The first error, once no call waits any more.
pub fn all(requests: &[Request]) -> Result<Vec<Value>, Stop> {
    let outcomes = call(requests);
    let held = outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Held(id) => Some(id.as_str()),
        _ => None,
    });
    let held: Vec<_> = held.collect();
    if !held.is_empty() {
        return Err(waits(held));
    }
    outcomes.into_iter().map(done).collect()
}

/// Returns the output of `outcome`.
///
/// # Errors
/// The same as those of [`one`].
pub fn done(outcome: Outcome) -> Result<Value, Stop> {
    match outcome {
        Outcome::Done(result) => {
            let mut result: Value = serde_json::from_str(&result).unwrap_or_default();
            Ok(result["structuredContent"].take())
        }
        Outcome::Held(id) => Err(waits([id.as_str()])),
        Outcome::Failed(failure) => Err(failed(&failure)),
    }
}

/// A stop that waits until the person has decided about one of the calls held under these ids.
pub fn waits<'a>(ids: impl IntoIterator<Item = &'a str>) -> Stop {
    let events = ids.into_iter().map(|it| format!("approvals/{it}"));
    Stop::wait(events, SystemTime::UNIX_EPOCH + FOREVER)
}

/// Converts another tool's error.
fn failed(failure: &str) -> Stop {
    let failure: Map<String, Value> = serde_json::from_str(failure).unwrap_or_default();
    let text = |name: &str| failure.get(name).and_then(Value::as_str).unwrap_or_default();
    let status = failure.get("status").and_then(Value::as_u64);
    let status = status.and_then(|it| u16::try_from(it).ok()).unwrap_or(500);
    match status {
        503 => unavailable(text("message"), None),
        _ => refused(text("error"), status, text("message"))
            .with(failure.get("data").cloned().unwrap_or_else(|| Value::Object(Map::new()))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn passes_on_failure_with_code_and_details() {
        let failure = json!({
            "error": "seat_taken", "message": "A2 is taken", "status": 409,
            "data": { "seat_ids": ["A2"] },
        });
        let stop = done(Outcome::Failed(failure.to_string())).unwrap_err();
        let Stop::Refused(it) = stop else { panic!("not a refusal: {stop:?}") };
        assert_eq!((it.code.as_str(), it.status), ("seat_taken", 409));
        assert_eq!(it.details.as_deref(), Some(r#"{"seat_ids":["A2"]}"#));
        let busy = json!({ "error": "busy", "message": "later", "status": 503 });
        let stop = done(Outcome::Failed(busy.to_string())).unwrap_err();
        assert!(matches!(stop, Stop::Unavailable(_)), "{stop:?}");
    }

    #[test]
    fn waits_for_held_calls() {
        let Stop::Wait(wait) = done(Outcome::Held("0a".to_owned())).unwrap_err() else {
            panic!("no wait")
        };
        assert_eq!(wait.events, ["approvals/0a"]);
    }
}
