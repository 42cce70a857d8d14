//! Completions: what could be filled into the arguments of prompts and of resources' templates.
//!
//! ```
//! use toolkit::{Stop, completions::{Completion, Request}};
//!
//! fn complete(request: &Request) -> Result<Completion, Stop> {
//!     Ok(match (request.prompt(), request.argument.as_str()) {
//!         (Some("plan"), "place") => request.among(["Tokyo", "Kyoto", "Nara"]),
//!         _ => Completion::none(),
//!     })
//! }
//! ```
//!
//! `toolkit::export_completions!(complete);` makes it part of the component.

pub use crate::bindings::completions::exports::madoguchi::tool::completions::{
    Completion, Reference, Request,
};

/// Values that one completion may have.
const VALUES_MAX: usize = 100;

impl Request {
    /// The prompt whose argument it is, if it is one's.
    #[must_use]
    pub fn prompt(&self) -> Option<&str> {
        match &self.reference {
            Reference::Prompt(name) => Some(name),
            Reference::Template(_) => None,
        }
    }

    /// The template whose place it is, if it is one's.
    #[must_use]
    pub fn template(&self) -> Option<&str> {
        match &self.reference {
            Reference::Template(template) => Some(template),
            Reference::Prompt(_) => None,
        }
    }

    /// What is filled in already as the argument `name`.
    #[must_use]
    pub fn filled_in(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// Those of `all` that begin with what is typed, whichever case it is typed in.
    #[must_use]
    pub fn among<S: Into<String>>(&self, all: impl IntoIterator<Item = S>) -> Completion {
        let typed = self.value.to_lowercase();
        let all = all.into_iter().map(Into::into);
        Completion::of(all.filter(|it| it.to_lowercase().starts_with(&typed)))
    }
}

impl Completion {
    /// Nothing comes to mind.
    #[must_use]
    pub fn none() -> Self {
        Self::of([])
    }

    /// The first hundred of `values`, best first, and how many there are.
    pub fn of(values: impl IntoIterator<Item = String>) -> Self {
        let mut values = values.into_iter().collect::<Vec<_>>();
        let total = u32::try_from(values.len()).ok();
        let has_more = values.len() > VALUES_MAX;
        values.truncate(VALUES_MAX);
        Self { values, total, has_more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completes_by_prefix() {
        let request = Request {
            reference: Reference::Prompt("plan".to_owned()),
            argument: "place".to_owned(),
            value: "k".to_owned(),
            arguments: vec![("days".to_owned(), "3".to_owned())],
            meta: "{}".to_owned(),
        };
        assert_eq!(request.among(["Tokyo", "Kyoto"]).values, ["Kyoto"]);
        assert_eq!((request.prompt(), request.template()), (Some("plan"), None));
        assert_eq!((request.filled_in("days"), request.filled_in("place")), (Some("3"), None));
    }

    #[test]
    fn limits_completions_and_counts_the_rest() {
        let many = Completion::of((0..101).map(|it| it.to_string()));
        assert_eq!((many.values.len(), many.total, many.has_more), (100, Some(101), true));
        let none = Completion::none();
        assert_eq!((none.values.len(), none.total, none.has_more), (0, Some(0), false));
    }
}
