//! The tools of a server as they were first seen and last seen since the host started: a tool that
//! changes afterwards is told in the log, and loses what was trusted.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use sandbox::definition::Shown;

/// Names that are remembered of one server; a new one beyond is taken for changed.
const NAMES_MAX: usize = 4_096;

/// What was seen of one server's tools, by their names there.
#[derive(Default)]
pub(super) struct Seen(Mutex<HashMap<String, Definitions>>);

struct Definitions {
    first: Shown,
    last: Shown,
}

impl Seen {
    /// Whether `now` is another tool than the first of its name. A change since the last time is logged.
    pub(super) fn changes(&self, server: &str, tool: &str, now: &Shown) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = seen.len() >= NAMES_MAX;
        let Some(before) = seen.get_mut(tool) else {
            if !is_full {
                let both = Definitions { first: now.clone(), last: now.clone() };
                seen.insert(tool.to_owned(), both);
            }
            return is_full;
        };
        let changes = now.changes(&before.last);
        if !changes.is_empty() {
            let changed = changes.join(", ");
            tracing::warn!(target: "server", server, tool, changed, "a tool has changed; what was allowed or trusted before holds no longer");
            before.last = now.clone();
        }
        before.first != *now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::tool_set::Owner;
    use sandbox::definition::Says;

    fn shown(description: &str) -> Shown {
        let says = Says {
            title: None,
            description,
            input_schema: String::new(),
            output_schema: None,
            annotations: String::new(),
        };
        Shown::of(&says).by(Owner::Server("s"))
    }

    #[test]
    fn is_trusted_again_only_as_first_seen() {
        let seen = Seen::default();
        let is_changed = |tool: &str, says: &str| seen.changes("s", tool, &shown(says));
        assert!(!is_changed("a", "Sends a letter."));
        assert!(is_changed("a", "Wires all money."));
        assert!(is_changed("a", "Wires all money."), "it is no habit");
        assert!(!is_changed("a", "Sends a letter."), "the one that was trusted");
        assert!(!is_changed("b", "Wires all money."), "each name for itself");
    }

    #[test]
    fn names_are_bounded_and_those_beyond_are_not_trusted() {
        let seen = Seen::default();
        for at in 0..NAMES_MAX {
            assert!(!seen.changes("s", &at.to_string(), &shown("x")));
        }
        assert!(seen.changes("s", "one more", &shown("x")));
        assert!(!seen.changes("s", "0", &shown("x")));
    }
}
