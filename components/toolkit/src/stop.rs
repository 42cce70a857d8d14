//! Why a call ends without output, and who can correct that.

use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde_json::{Map, Value};

pub use crate::bindings::exports::madoguchi::tool::tools::{Refusal, Stop, Unavailable, Wait};
use crate::{Datetime, Problem, definition::json};

/// An expected error: a `code` for programs, the matching HTTP `status` (400 to 599; any other is answered as 400), a
/// `message` for people. [`Stop::with`] adds details.
pub fn refused(code: &str, status: u16, message: impl Into<String>) -> Stop {
    Stop::Refused(Refusal { code: code.to_owned(), message: message.into(), status, details: None })
}

/// The value at `pointer`, a JSON pointer into the arguments, is invalid.
pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Stop {
    Stop::InvalidArguments(vec![Problem::at(pointer, message)])
}

/// A dependency has failed; the same call may succeed later.
pub fn unavailable(message: impl Into<String>, retry_after: Option<Duration>) -> Stop {
    let retry_after_ms = retry_after.map(|it| u32::try_from(it.as_millis()).unwrap_or(u32::MAX));
    Stop::Unavailable(Unavailable { message: message.into(), retry_after_ms })
}

/// Converts a time for the contract; times before 1970 become 1970.
pub(crate) fn datetime(time: SystemTime) -> Datetime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Datetime { seconds: since.as_secs(), nanoseconds: since.subsec_nanos() }
}

impl Stop {
    /// Waits: the host restarts the call when one of `events` is published or at `until`. Derive `until`
    /// from [`User::first_called_at`](crate::User::first_called_at), or the end moves with each restart.
    pub fn wait<E: Into<String>>(events: impl IntoIterator<Item = E>, until: SystemTime) -> Self {
        Self::Wait(Wait {
            events: events.into_iter().map(Into::into).collect(),
            until: datetime(until),
        })
    }

    /// Adds details, an object, to a refusal; other stops are unchanged.
    #[must_use]
    pub fn with(mut self, details: impl Serialize) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.details = Some(json(&details));
        }
        self
    }
}

/// A table of refusals. Each row becomes a function of what it is about; its name is the code, and its arguments are
/// the details. The first text is for callers that read Japanese, as the function before the rows decides, the second
/// for all others; both may name the arguments.
///
/// ```
/// toolkit::refusals! { (|| false)
///     /// No film has this identifier.
///     movie_not_found(movie_id: &str) 404
///         "「{movie_id}」という映画はありません。",
///         "There is no film {movie_id}.";
/// }
///
/// let toolkit::Stop::Refused(it) = movie_not_found("m-1") else { panic!() };
/// assert_eq!((&*it.code, it.status, &*it.message), ("movie_not_found", 404, "There is no film m-1."));
/// assert_eq!(it.details.as_deref(), Some(r#"{"movie_id":"m-1"}"#));
/// ```
#[macro_export]
macro_rules! refusals {
    ($reads_japanese:tt $(
        $(#[$about:meta])*
        $code:ident($($detail:ident: $kind:ty),*) $status:literal
            $japanese:literal,
            $english:literal;
    )+) => {$(
        $(#[$about])*
        #[must_use]
        pub fn $code($($detail: $kind),*) -> $crate::Stop {
            let message = if $reads_japanese() { format!($japanese) } else { format!($english) };
            let details = [$($crate::stop::detail(stringify!($detail), $detail)),*];
            $crate::stop::detailed($crate::refused(stringify!($code), $status, message), details)
        }
    )+};
}

/// One entry of a refusal's details.
#[doc(hidden)]
pub fn detail(name: &str, value: impl Serialize) -> (String, Value) {
    (name.to_owned(), serde_json::to_value(value).unwrap_or_default())
}

/// Adds details to a refusal, if there are any.
#[doc(hidden)]
#[must_use]
pub fn detailed<const N: usize>(stop: Stop, details: [(String, Value); N]) -> Stop {
    if N == 0 { stop } else { stop.with(Map::from_iter(details)) }
}

impl Problem {
    /// A problem at `pointer`; the message describes what is expected.
    pub fn at(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }
}

/// `id must be a string, not 1`.
impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pointer.trim_start_matches('/').replace('/', ".").as_str() {
            "" => f.write_str(&self.message),
            field => write!(f, "{field} {}", self.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_has_events_and_deadline() {
        let until = SystemTime::UNIX_EPOCH + Duration::from_millis(1500);
        let Stop::Wait(wait) = Stop::wait(["shop://orders"], until) else { panic!("no wait") };
        assert_eq!(wait.events, ["shop://orders"]);
        assert_eq!((wait.until.seconds, wait.until.nanoseconds), (1, 500_000_000));
    }

    #[test]
    fn refusal_carries_details_as_json() {
        let stop = refused("seat_already_reserved", 409, "Seat A2 is already occupied.")
            .with(serde_json::json!({ "seat_ids": ["A2"] }));
        let Stop::Refused(refusal) = stop else { panic!("not a refusal: {stop:?}") };
        assert_eq!(refusal.status, 409);
        assert_eq!(refusal.details.as_deref(), Some(r#"{"seat_ids":["A2"]}"#));
    }
}
