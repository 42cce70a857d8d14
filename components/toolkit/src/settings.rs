//! What the operator set for this component.

use std::{fmt::Display, ops::RangeInclusive};

use serde::de::DeserializeOwned;

use crate::{Problem, Stop, arguments::unfit, bindings::madoguchi::tool::settings, unavailable};

/// A setting that does not fit what the component can use.
#[derive(Clone, Debug)]
pub struct Unfit {
    /// The setting's name.
    pub name: String,
    /// Where in its value, and what would be right.
    pub problem: Problem,
}

impl Unfit {
    /// The value of the setting `name` as a whole, phrased as what would be right.
    pub fn new(name: &str, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), problem: Problem::at("", message) }
    }
}

/// The setting `name`, or none if the operator set none.
///
/// # Errors
/// When its value is not a `T`.
pub fn get<T: DeserializeOwned>(name: &str) -> Result<Option<T>, Unfit> {
    raw(name).map(|it| read(name, &it)).transpose()
}

/// The number that is the setting `name`, or `default` if the operator set none.
///
/// # Errors
/// When its value is not a number of the range.
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

/// The setting `name` as the JSON text that it is.
#[must_use]
pub fn raw(name: &str) -> Option<String> {
    settings::get(name)
}

fn read<T: DeserializeOwned>(name: &str, json: &str) -> Result<T, Unfit> {
    unfit(json, None).map_err(|problem| Unfit { name: name.to_owned(), problem })
}

/// No call can run until the operator has fixed the setting.
impl From<Unfit> for Stop {
    fn from(Unfit { name, problem }: Unfit) -> Self {
        unavailable(format!("setting {name}{}: {}", problem.pointer, problem.message), None)
    }
}

/// For `configured`, whose problems point into the settings: `/timezone`.
impl From<Unfit> for Problem {
    fn from(Unfit { name, problem }: Unfit) -> Self {
        Self::at(format!("/{name}{}", problem.pointer), problem.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfit_setting_says_which_and_where() {
        let unfit = read::<Vec<u8>>("sizes", "[1, true]").unwrap_err();
        assert_eq!(Problem::from(unfit).pointer, "/sizes/1");
    }

    #[test]
    fn a_number_out_of_its_range_is_unfit() {
        let size = |it| within("size", it, &(1..=10));
        assert_eq!([size(1).unwrap(), size(10).unwrap()], [1, 10]);
        for wrong in [0, 11] {
            let problem = Problem::from(size(wrong).unwrap_err());
            assert_eq!((&*problem.pointer, &*problem.message), ("/size", "must be from 1 to 10"));
        }
    }
}
