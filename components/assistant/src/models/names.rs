//! Names of tools, and of their arguments, in the letters that providers take, and back again; and ids of calls.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::Offer;

/// Characters of a name: what the strictest of them takes.
const CHARS_MAX: usize = 64;

/// Which name is which on the wire, for one turn.
pub(super) struct Names(Vec<(String, String)>);

impl Names {
    /// The names of `offers`.
    pub(super) fn of(offers: &[Offer]) -> Self {
        Self::new(offers.iter().map(|it| it.name.as_str()))
    }

    /// These names. One that begins with a letter or `_`, and has only those, digits and `-`, stays as it is.
    pub(super) fn new<'a>(all: impl Iterator<Item = &'a str>) -> Self {
        let mut names: Vec<(String, String)> = Vec::new();
        for own in all {
            let plain = plain(own);
            let is_taken = |it: &str| names.iter().any(|(wire, _)| wire == it);
            let numbered = (2..).map(|number| format!("{:.60}_{number}", plain));
            let wire = std::iter::once(plain.clone()).chain(numbered).find(|it| !is_taken(it));
            names.push((wire.unwrap_or(plain), own.to_owned()));
        }
        Self(names)
    }

    /// What `own` is called on the wire.
    pub(super) fn wire<'a>(&'a self, own: &'a str) -> &'a str {
        self.0.iter().find(|it| it.1 == own).map_or(own, |it| &it.0)
    }

    /// What is called `wire` there; the same, where nothing is.
    pub(super) fn own<'a>(&'a self, wire: &'a str) -> &'a str {
        self.0.iter().find(|it| it.0 == wire).map_or(wire, |it| &it.1)
    }
}

/// Ids of calls, each of which one call of a conversation has.
pub(super) struct Ids {
    taken: BTreeSet<String>,
    message: usize,
}

impl Ids {
    /// Those that the calls of `message` may have, which follows these.
    pub(super) fn new<'a>(earlier: impl Iterator<Item = &'a Value>, message: usize) -> Self {
        let taken = earlier.filter_map(|it| it["id"].as_str().map(str::to_owned)).collect();
        Self { taken, message }
    }

    /// The id of `call`: its own, where it has one that no other has.
    pub(super) fn of(&mut self, call: &Value) -> String {
        let own = call["id"].as_str().filter(|it| !it.is_empty()).map(str::to_owned);
        let made = (0..).map(|number| format!("call_{}_{number}", self.message));
        let mut all = own.into_iter().chain(made);
        all.find(|it| self.taken.insert(it.clone())).unwrap_or_default()
    }
}

fn plain(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let plain = name.chars().map(|it| if is_plain(it) { it } else { '_' });
    // Gemini takes none that begins with a digit.
    let begins = |it: char| it.is_ascii_alphabetic() || it == '_';
    let before = plain.clone().next().filter(|it| !begins(*it)).map(|_| '_');
    before.into_iter().chain(plain).take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn offer(name: &str) -> Offer {
        Offer {
            name: name.into(),
            description: String::new(),
            schema: Arc::default(),
            owner: "o".into(),
            is_read_only: true,
            ..Offer::default()
        }
    }

    #[test]
    fn rewrites_a_name_a_provider_would_refuse_and_finds_it_again() {
        let long = "x".repeat(100);
        let own = [
            "find_seats",
            "far/find.seats",
            "far_find.seats",
            "far_find_seats",
            "2fa-code",
            "予約",
            "検索",
            &long,
        ];
        let names = Names::of(&own.map(offer));
        let mut wires = Vec::new();
        for it in own {
            let wire = names.wire(it);
            assert!(wire.len() <= CHARS_MAX && plain(wire) == wire, "{wire}");
            assert!(!wires.contains(&wire), "{wire}");
            assert_eq!(names.own(wire), it);
            wires.push(wire);
        }
        assert_eq!((names.wire("find_seats"), names.wire("2fa-code")), ("find_seats", "_2fa-code"));
        assert_eq!(names.own("unheard_of"), "unheard_of");
    }
}
