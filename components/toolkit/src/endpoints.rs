//! Look-ups that pages and forms make: `GET /api/COMPONENT/PATH`, answered with JSON.
//!
//! ```ignore
//! toolkit::export_endpoints!(get);
//!
//! fn get(request: &Request) -> Result<Vec<Place>, Failure> {
//!     match request.path.as_str() {
//!         "places" => search(request.required("q")?),
//!         _ => Err(Failure::NotFound),
//!     }
//! }
//! ```

use std::str::FromStr;

use serde::Serialize;

pub use crate::bindings::endpoints::exports::madoguchi::tool::endpoints::{
    Failure, Refusal, Request,
};
use crate::{Problem, Stop, definition::json, sql};

impl Request {
    /// The first value of that name in the query.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// The first value of that name, which must be there.
    ///
    /// # Errors
    /// When it is not.
    pub fn required(&self, name: &str) -> Result<&str, Failure> {
        self.value(name).ok_or_else(|| invalid(name, "is missing"))
    }

    /// The first value of that name, read as a `T`; none where there is none.
    ///
    /// # Errors
    /// When it is no `T`: `expected` says what would be right (`must be a number`).
    pub fn parse<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>, Failure> {
        let read = |it: &str| it.parse().map_err(|_| invalid(name, expected));
        self.value(name).map(read).transpose()
    }
}

/// The caller must correct the value `name` of the query.
#[must_use]
pub fn invalid(name: &str, message: impl Into<String>) -> Failure {
    Failure::Invalid(vec![Problem::at(format!("/{name}"), message)])
}

/// What [`export_endpoints!`](crate::export_endpoints) makes of the function's result.
///
/// # Errors
/// Those of the function.
pub fn answer(found: Result<impl Serialize, Failure>) -> Result<String, Failure> {
    found.map(|it| json(&it))
}

/// As a tool would have stopped.
impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::InvalidArguments(problems) => Self::Invalid(problems),
            Stop::Refused(it) => Self::Refused(Refusal {
                code: it.code,
                message: it.message,
                status: it.status,
                details: it.details,
            }),
            Stop::Unavailable(it) => Self::Unavailable(it.message),
            Stop::InputRequired(_) | Stop::Wait(_) => {
                Self::Unavailable("This needs a call of a tool.".to_owned())
            }
        }
    }
}

impl From<sql::Error> for Failure {
    fn from(error: sql::Error) -> Self {
        Stop::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(query: &[(&str, &str)]) -> Request {
        let query = query.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Request { path: "places".to_owned(), query, meta: "{}".to_owned() }
    }

    #[test]
    fn a_value_is_read_and_one_that_does_not_fit_is_named() {
        let request = request(&[("q", "a"), ("limit", "x"), ("q", "b")]);
        assert_eq!(request.required("q").unwrap(), "a");
        let Err(Failure::Invalid(problems)) = request.parse::<u32>("limit", "must be a number")
        else {
            panic!("it is no number")
        };
        assert_eq!(problems[0].pointer, "/limit");
        assert!(request.required("near").is_err());
        assert_eq!(request.parse::<u32>("near", "must be a number").unwrap(), None);
    }

    #[test]
    fn an_answer_is_json() {
        assert_eq!(answer(Ok([1, 2])).unwrap(), "[1,2]");
        assert!(matches!(answer(Err::<(), _>(Failure::NotFound)), Err(Failure::NotFound)));
    }
}
