//! How a call ended and how a generation did, in the reader's language.

use crate::text::{Key, Lang};

/// What an outcome is like; each kind has a mark of its own, so that colour is not all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It was done.
    Done,
    /// It goes on: a person is asked.
    Asked,
    /// It was turned away, which is no fault of the server.
    Refused,
    /// Something is wrong with the component or the server.
    Fault,
}

impl Kind {
    /// Drawn before the text.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Done => "✓",
            Self::Asked => "?",
            Self::Refused => "–",
            Self::Fault => "✕",
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Done => "op-outcome is-done",
            Self::Asked => "op-outcome is-asked",
            Self::Refused => "op-outcome is-refused",
            Self::Fault => "op-outcome is-fault",
        }
    }
}

/// An outcome as the audit log has it.
pub(crate) fn outcome(outcome: &str, lang: Lang) -> (Kind, String) {
    let (word, rest) = outcome.split_once(':').unwrap_or((outcome, ""));
    let (kind, key) = match word {
        "done" => (Kind::Done, Key::Done),
        "asked" => (Kind::Asked, Key::OutcomeAsked),
        "refused" => (Kind::Refused, Key::OutcomeRefused),
        "invalid_params" => (Kind::Refused, Key::OutcomeInvalid),
        "unknown_tool" | "not_found" => (Kind::Refused, Key::OutcomeUnknown),
        "forbidden" => (Kind::Refused, Key::OutcomeForbidden),
        "invalid_request_state" => (Kind::Refused, Key::OutcomeState),
        "cancelled" => (Kind::Refused, Key::OutcomeCancelled),
        "busy" => (Kind::Fault, Key::OutcomeBusy),
        "unavailable" => (Kind::Fault, Key::OutcomeUnavailable),
        "trapped" => (Kind::Fault, Key::OutcomeTrapped),
        "broken" => (Kind::Fault, Key::OutcomeBroken),
        "limit_exceeded" if rest.is_empty() => (Kind::Fault, Key::OutcomeLimitBare),
        "limit_exceeded" => return (Kind::Fault, lang.fill(Key::OutcomeLimit, &[rest])),
        // A tool's own code.
        _ => return (Kind::Refused, lang.fill(Key::OutcomeRefusedAs, &[outcome])),
    };
    (kind, lang.say(key).to_owned())
}

/// How a generation stands; a status that the page does not know is shown as it is.
pub(crate) fn status(status: &str, lang: Lang) -> String {
    let key = match status.replace('_', " ").as_str() {
        "serving" => Key::OperatorServes,
        "replaced" => Key::OperatorStatusReplaced,
        "rolled back" => Key::OperatorStatusRolledBack,
        it if it.starts_with("returned") => Key::OperatorStatusReturned,
        "removed" => Key::OperatorStatusRemoved,
        _ => return status.to_owned(),
    };
    lang.say(key).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_words_and_a_kind() {
        let said = |it| outcome(it, Lang::En);
        assert_eq!(said("done"), (Kind::Done, "Done".to_owned()));
        assert_eq!(said("asked").0, Kind::Asked);
        assert_eq!(said("limit_exceeded:memory").1, "Limit exceeded: memory");
        assert_eq!(said("limit_exceeded").1, "Limit exceeded");
        assert_eq!(said("trapped").0, Kind::Fault);
        let own = said("sold_out");
        assert_eq!(own, (Kind::Refused, "Refused: sold_out".to_owned()), "a tool's own code");
        assert_eq!(outcome("busy", Lang::Ja).1, "混雑");
    }

    #[test]
    fn kinds_differ_in_their_marks() {
        let marks = [Kind::Done, Kind::Asked, Kind::Refused, Kind::Fault].map(Kind::mark);
        for (index, mark) in marks.iter().enumerate() {
            assert!(!marks[index + 1..].contains(mark), "{mark}");
        }
    }

    #[test]
    fn a_status_is_said_however_it_is_written() {
        for written in ["rolled_back", "rolled back"] {
            assert_eq!(status(written, Lang::En), "Rolled back");
        }
        let returned = status("returned: its first three calls trapped", Lang::En);
        assert_eq!(returned, status("returned", Lang::En));
        assert_eq!(status("lost", Lang::En), "lost");
    }
}
