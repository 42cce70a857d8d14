//! The operator's settings of this component.

use std::{fmt::Display, ops::RangeInclusive};

use serde::de::DeserializeOwned;

use crate::{
    Problem, Stop, arguments::parse_with_schema, bindings::madoguchi::tool::settings, unavailable,
};

/// An invalid setting.
#[derive(Clone, Debug)]
pub struct Unfit {
    /// Name of the setting.
    pub name: String,
    /// Position in its value, and what is expected.
    pub problem: Problem,
}

impl Unfit {
    /// Creates a problem of the whole setting `name`; `message` describes what is expected.
    pub fn new(name: &str, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), problem: Problem::at("", message) }
    }
}

/// Returns the setting `name`, if set.
///
/// # Errors
/// If its value is no `T`.
pub fn get<T: DeserializeOwned>(name: &str) -> Result<Option<T>, Unfit> {
    raw(name).map(|it| read(name, &it)).transpose()
}

/// Returns the number in the setting `name`, or `default`.
///
/// # Errors
/// If it is no number within the range.
pub fn number<T>(name: &str, default: T, range: RangeInclusive<T>) -> Result<T, Unfit>
where
    T: DeserializeOwned + PartialOrd + Display,
{
    within(name, get(name)?.unwrap_or(default), &range)
}

fn within<T>(name: &str, value: T, range: &RangeInclusive<T>) -> Result<T, Unfit>
where
    T: PartialOrd + Display,
{
    if range.contains(&value) {
        return Ok(value);
    }
    Err(Unfit::new(name, format!("must be from {} to {}", range.start(), range.end())))
}

/// Returns the JSON text of the setting `name`.
#[must_use]
pub fn raw(name: &str) -> Option<String> {
    settings::get(name)
}

fn read<T: DeserializeOwned>(name: &str, json: &str) -> Result<T, Unfit> {
    parse_with_schema(json, None).map_err(|problem| Unfit { name: name.to_owned(), problem })
}

/// No call can run until the operator has fixed the setting.
impl From<Unfit> for Stop {
    fn from(Unfit { name, problem }: Unfit) -> Self {
        unavailable(format!("setting {name}{}: {}", problem.pointer, problem.message), None)
    }
}

/// For `configured`, whose problems have pointers into the settings: `/timezone`.
impl From<Unfit> for Problem {
    fn from(Unfit { name, problem }: Unfit) -> Self {
        Self::at(format!("/{name}{}", problem.pointer), problem.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_setting_names_its_place() {
        let parse_with_schema = read::<Vec<u8>>("sizes", "[1, true]").unwrap_err();
        assert_eq!(Problem::from(parse_with_schema).pointer, "/sizes/1");
    }

    #[test]
    fn rejects_number_out_of_range() {
        let size = |it| within("size", it, &(1..=10));
        assert_eq!([size(1).unwrap(), size(10).unwrap()], [1, 10]);
        for wrong in [0, 11] {
            let problem = Problem::from(size(wrong).unwrap_err());
            assert_eq!((&*problem.pointer, &*problem.message), ("/size", "must be from 1 to 10"));
        }
    }
}
