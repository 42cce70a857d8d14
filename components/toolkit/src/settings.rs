//! What the operator set for this component.

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

/// The setting `name`, or none if the operator set none.
///
/// # Errors
/// When its value is not a `T`.
pub fn get<T: DeserializeOwned>(name: &str) -> Result<Option<T>, Unfit> {
    raw(name).map(|it| read(name, &it)).transpose()
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
}
