//! What was looked up is remembered for a while, so that going back and forth asks nothing twice.

use std::collections::VecDeque;
use std::sync::Arc;

use output::form::Lookup;

use super::Options;

/// Answers remembered; the oldest goes first.
const ANSWERS_MAX: usize = 60;
/// How long an answer counts.
const AGE_MAX_MS: f64 = 300_000.0;

/// Answers by what was asked.
#[derive(Default)]
pub(crate) struct Memory(VecDeque<(String, Options, f64)>);

/// What tells one question of one form from another: the same URL may be read in two ways.
pub(crate) fn key(form: &str, lookup: &Lookup, url: &str) -> String {
    let template = lookup.template.as_deref().unwrap_or_default();
    let Lookup { display_field, value_field, .. } = lookup;
    format!("{form}\n{display_field}\n{value_field}\n{template}\n{url}")
}

impl Memory {
    pub(crate) fn get(&self, key: &str, now_ms: f64) -> Option<Options> {
        let found = self.0.iter().find(|(own, _, at_ms)| own == key && now_ms - at_ms < AGE_MAX_MS);
        found.map(|(_, options, _)| Arc::clone(options))
    }

    pub(crate) fn put(&mut self, key: String, options: Options, now_ms: f64) {
        self.0.retain(|(own, ..)| *own != key);
        if self.0.len() >= ANSWERS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((key, options, now_ms));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_an_answer_for_its_form_for_a_while_not_for_ever() {
        let lookup = Lookup::default();
        let mut memory = Memory::default();
        let own = key("form1", &lookup, "/a");
        memory.put(own.clone(), Options::from([]), 0.0);
        assert!(memory.get(&own, AGE_MAX_MS - 1.0).is_some());
        assert!(memory.get(&own, AGE_MAX_MS).is_none());
        assert!(memory.get(&key("form2", &lookup, "/a"), 0.0).is_none());
        let other = Lookup { display_field: "name".to_owned(), ..Lookup::default() };
        assert!(memory.get(&key("form1", &other, "/a"), 0.0).is_none());
        for number in 0..ANSWERS_MAX {
            memory.put(number.to_string(), Options::from([]), 0.0);
        }
        assert!(memory.get(&own, 0.0).is_none(), "the oldest went");
        assert_eq!(memory.0.len(), ANSWERS_MAX);
    }
}
