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
    /// First value of that name in the query.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// First value of that name, which is required.
    ///
    /// # Errors
    /// If it is missing.
    pub fn required(&self, name: &str) -> Result<&str, Failure> {
        self.value(name).ok_or_else(|| invalid(name, "is missing"))
    }

    /// Parses the first value of that name; `None` if it is missing.
    ///
    /// # Errors
    /// If it is no `T`: `expected` describes what is (`must be a number`).
    pub fn parse<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>, Failure> {
        let read = |it: &str| it.parse().map_err(|_| invalid(name, expected));
        self.value(name).map(read).transpose()
    }
}

/// The query's value `name` is invalid.
#[must_use]
pub fn invalid(name: &str, message: impl Into<String>) -> Failure {
    Failure::Invalid(vec![Problem::at(format!("/{name}"), message)])
}

/// Converts the result of the function given to [`export_endpoints!`](crate::export_endpoints).
///
/// # Errors
/// Those of the function.
pub fn answer(found: Result<impl Serialize, Failure>) -> Result<String, Failure> {
    found.map(|it| json(&it))
}

/// The same error as a tool's.
impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::InvalidArguments(problems) => Self::Invalid(problems),
            Stop::Refused(refusal) => Self::Refused(Refusal {
                code: refusal.code,
                message: refusal.message,
                status: refusal.status,
                details: refusal.details,
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
    fn parses_value_or_names_it() {
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
    fn answers_with_json() {
        assert_eq!(answer(Ok([1, 2])).unwrap(), "[1,2]");
        assert!(matches!(answer(Err::<(), _>(Failure::NotFound)), Err(Failure::NotFound)));
    }
}
