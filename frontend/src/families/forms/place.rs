//! Routes of forms.

use output::form::Status;

use crate::route::{Address, FamilyRoute, decoded};

/// `#/forms?state=…`, and `#/form/HANDLE`: one form, open or answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// The forms in one state, or all.
    List(Option<Status>),
    Form(String),
}

/// Names of the states in addresses and arguments.
const NAMES: [(Status, &str); 4] = [
    (Status::Waiting, "waiting"),
    (Status::Submitted, "submitted"),
    (Status::Cancelled, "cancelled"),
    (Status::Declined, "declined"),
];

pub(crate) fn name_of(status: Status) -> &'static str {
    NAMES.iter().find(|it| it.0 == status).map_or("", |it| it.1)
}

/// Parses the name of a state.
pub(crate) fn status_of(name: &str) -> Option<Status> {
    NAMES.iter().find(|it| it.1 == name).map(|it| it.0)
}

impl FamilyRoute for At {
    fn read(path: &[&str], query: &str) -> Option<Self> {
        match path {
            ["forms"] => {
                let state = query.split('&').find_map(|it| it.strip_prefix("state="));
                Some(Self::List(state.and_then(|it| status_of(&decoded(it)))))
            }
            ["form", handle, ..] => Some(Self::Form((*handle).to_owned())),
            _ => None,
        }
    }

    fn address(&self) -> Address {
        match self {
            Self::List(state) => {
                let query = state.map(|it| format!("state={}", name_of(it)));
                Address::new(&["forms"], query.unwrap_or_default())
            }
            Self::Form(handle) => Address::new(&["form", handle], String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::Route;

    #[test]
    fn form_list_address_round_trips() {
        crate::families::register();
        let states = NAMES.map(|it| At::List(Some(it.0)));
        for at in [At::List(None), At::Form("f-1 %".to_owned())].into_iter().chain(states) {
            assert_eq!(At::from_route(&Route::parse(&at.hash())), Some(at));
        }
        assert_eq!(At::from_route(&Route::parse("#/forms?state=dragon")), Some(At::List(None)));
    }
}
