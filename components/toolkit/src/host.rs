//! What a component asks of the host, a module for each interface.

pub mod assistants {
    //! Assistants of the configuration that a component asks.
    //!
    //! ```ignore
    //! let run = assistants::start(&Task { assistant: "clerk".to_owned(), message, .. });
    //! while let Some(event) = run.next() {
    //!     if event.name == assistants::ENDED {
    //!         let ended: Value = serde_json::from_str(&event.data)?;
    //!     }
    //! }
    //! ```

    pub use crate::bindings::madoguchi::tool::assistants::{
        Event, Given, Part, Run, about, play, start,
    };
    pub use crate::bindings::madoguchi::tool::tasks::{Facts, Remark, Task};

    /// What a component that runs assistants exports, by [`export_runs!`](crate::export_runs), and what it calls
    /// tools by; with the grant `runs`.
    pub mod running {
        pub use crate::bindings::madoguchi::tool::assistant_calls::{
            Approval, Calls, Ended, Manner, Outcome, Request, Standing, Tally, Tool, Usage,
            approvals, call, lacks, tools, withdraw,
        };
        pub use crate::bindings::runs::exports::madoguchi::tool::runs::{Guest, Role};
    }

    /// The name of a run's last event, whose data says what it came to.
    pub const ENDED: &str = "ended";
    /// The name of an event with a piece of the answer's text, `{"text": "…"}`.
    pub const TEXT: &str = "text_delta";
    /// What decides where no model does.
    pub const BUILTIN: &str = "builtin";
}

pub mod blobs {
    //! Blobs: files that were uploaded or made by this component, named by their SHA-256.
    //!
    //! A caller that knows the name may read it. Unused blobs are deleted after a while; lasting data belongs into `sql`.

    pub use crate::bindings::madoguchi::tool::blobs::{Blob, Error};
    use crate::{Stop, bindings::madoguchi::tool::blobs, refused, unavailable};

    /// Returns a blob's metadata.
    pub fn stat(id: &str) -> Result<Blob, Error> {
        blobs::stat(id)
    }

    /// Media type recognized from the first bytes, whatever was declared.
    pub fn sniff(id: &str) -> Result<Option<String>, Error> {
        blobs::sniff(id)
    }

    /// Reads up to `length` bytes from `offset`; fewer at the end, none after it.
    pub fn read(id: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        blobs::read(id, offset, length)
    }

    /// Stores `content`, which clients read at `/api/blobs/ID`.
    pub fn put(content: &[u8], mime_type: &str) -> Result<Blob, Error> {
        blobs::put(content, mime_type)
    }

    /// For errors that a tool does not handle: a missing blob has to be uploaded again.
    impl From<Error> for Stop {
        fn from(error: Error) -> Self {
            match error {
                Error::Unknown => {
                    let message = "There is no such file, or none any more; upload it again.";
                    refused("unknown_blob", 404, message)
                }
                Error::LimitExceeded(what) => {
                    unavailable(format!("Too large to keep: {what}"), None)
                }
                Error::Unavailable(why) => unavailable(format!("The store failed: {why}"), None),
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn missing_blob_is_refused_full_store_is_not() {
            assert!(matches!(Stop::from(Error::Unknown), Stop::Refused(it) if it.status == 404));
            let full = Error::LimitExceeded("all of it".into());
            assert!(matches!(Stop::from(full), Stop::Unavailable(_)));
        }
    }
}

pub mod calls {
    //! Tools of others that a component calls, with its caller's scopes and no more.
    //!
    //! ```ignore
    //! let request = Request::of("reserve_seats", json!({ "showtime_id": id, "seat_ids": seats }))
    //!     .because("席を押さえるため");
    //! let reservation = calls::one(request)?;
    //! ```

    use std::time::{Duration, SystemTime};

    use serde_json::{Map, Value};

    pub use crate::bindings::madoguchi::tool::calls::{
        Offer, Outcome, Request, call, held, offers,
    };
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
}

pub mod events {
    //! Events: notify waiting [calls](crate::Stop::wait) and subscribed clients of changes.

    use crate::bindings::madoguchi::tool::events;

    /// Publishes that the resource at `uri` has changed. Publish after storing the change: waiting calls
    /// restart immediately.
    pub fn publish(uri: &str) {
        events::publish(uri);
    }
}

pub mod files {
    //! Files that the operator granted by name, for data too big to load on every call.
    //!
    //! ```no_run
    //! use toolkit::{Stop, files};
    //!
    //! fn header() -> Result<Vec<u8>, Stop> {
    //!     Ok(files::read("map", 0, 64)?)
    //! }
    //! ```

    pub use crate::bindings::madoguchi::tool::files::Error;
    use crate::{Stop, bindings::madoguchi::tool::files, unavailable};

    /// Size of the file in bytes.
    pub fn size(name: &str) -> Result<u64, Error> {
        files::size(name)
    }

    /// Reads up to `length` bytes from `offset`; fewer at the end, none after it.
    pub fn read(name: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        files::read(name, offset, length)
    }

    /// For errors that a tool does not handle, which the operator has to solve.
    impl From<Error> for Stop {
        fn from(error: Error) -> Self {
            unavailable(
                match error {
                    Error::NotGranted(name) => {
                        format!("The operator has not granted the file {name}.")
                    }
                    Error::LimitExceeded(what) => format!("Too much of a file at once: {what}"),
                    Error::Unavailable(why) => format!("A file cannot be read: {why}"),
                },
                None,
            )
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn names_ungranted_file() {
            let Stop::Unavailable(it) = Error::NotGranted("map".into()).into() else { panic!() };
            assert!(it.message.contains("map"), "{}", it.message);
        }
    }
}

pub mod log {
    //! Writes to the operator's log; the host adds the component and the call.

    use serde::Serialize;

    pub use crate::bindings::madoguchi::tool::log::Level;
    use crate::{bindings::madoguchi::tool::log, definition::json};

    /// Writes a line with an attachment, serialized as JSON.
    pub fn write(level: Level, message: &str, attached: impl Serialize) {
        log::write(level, message, Some(&json(&attached)));
    }

    /// For debugging.
    pub fn debug(message: &str) {
        log::write(Level::Debug, message, None);
    }

    /// A normal event.
    pub fn info(message: &str) {
        log::write(Level::Info, message, None);
    }

    /// A significant but normal event.
    pub fn notice(message: &str) {
        log::write(Level::Notice, message, None);
    }

    /// Something that may need the operator's attention.
    pub fn warning(message: &str) {
        log::write(Level::Warning, message, None);
    }

    /// A failure that needs the operator's attention.
    pub fn error(message: &str) {
        log::write(Level::Error, message, None);
    }
}

pub mod progress {
    //! Reports the progress of a long call.

    use crate::bindings::madoguchi::tool::progress;

    /// Reports that `done` of `total`, if known, is done; `message` describes the current step.
    pub fn report(done: impl Into<f64>, total: Option<f64>, message: Option<&str>) {
        progress::report(done.into(), total, message);
    }
}
