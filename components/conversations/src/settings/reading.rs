//! Reading a setting piece by piece, and keeping whatever is wrong with its place.

use serde_json::{Map, Value};
use toolkit::Problem;

/// Problems that are reported; one more would add nothing to these.
const PROBLEMS_MAX: usize = 50;

/// What has been found wrong so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    problems: Vec<Problem>,
}

impl Reading {
    /// Keeps a problem.
    pub(super) fn note(&mut self, problem: Problem) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }

    /// Keeps what is wrong at `pointer`.
    pub(super) fn wrong(&mut self, pointer: &str, message: impl Into<String>) {
        self.note(Problem::at(pointer, message));
    }

    /// What was read, if nothing was wrong with it.
    pub(super) fn end<T>(self, it: T) -> Result<T, Vec<Problem>> {
        if self.problems.is_empty() { Ok(it) } else { Err(self.problems) }
    }

    /// An object with no members but `names`.
    pub(super) fn object<'a>(
        &mut self,
        value: &'a Value,
        pointer: &str,
        names: &[&str],
    ) -> Option<&'a Map<String, Value>> {
        let Value::Object(object) = value else {
            self.wrong(pointer, "must be a table");
            return None;
        };
        for key in object.keys().filter(|it| !names.contains(&it.as_str())) {
            let names = names.join(", ");
            self.wrong(&inside(pointer, key), format!("is not known; there is {names}"));
        }
        Some(object)
    }

    /// The text under `key`, if it is one that `check` lets pass.
    pub(super) fn text(
        &mut self,
        object: &Map<String, Value>,
        pointer: &str,
        key: &str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Option<String> {
        let value = object.get(key)?;
        let checked = match value.as_str() {
            Some(text) => check(text).map(|()| text.to_owned()),
            None => Err("must be a text".to_owned()),
        };
        checked.map_err(|why| self.wrong(&inside(pointer, key), why)).ok()
    }

    /// The texts under `key`, of which there may be so many, each let pass by `check`.
    pub(super) fn texts(
        &mut self,
        object: &Map<String, Value>,
        (pointer, key): (&str, &str),
        most: usize,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Vec<String> {
        let pointer = inside(pointer, key);
        let entries = match object.get(key) {
            None => return Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => {
                self.wrong(&pointer, "must be a list of texts");
                return Vec::new();
            }
        };
        if entries.len() > most {
            self.wrong(&pointer, format!("has {} entries; {most} is most", entries.len()));
            return Vec::new();
        }
        let mut texts = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let checked = match entry.as_str() {
                Some(text) if texts.iter().any(|it| it == text) => Err("is there twice".to_owned()),
                Some(text) => check(text).map(|()| text.to_owned()),
                None => Err("must be a text".to_owned()),
            };
            match checked {
                Ok(text) => texts.push(text),
                Err(why) => self.wrong(&format!("{pointer}/{index}"), why),
            }
        }
        texts
    }
}

/// The pointer to a member (RFC 6901).
pub(super) fn inside(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}
