//! Where among the forms the reader is.

use crate::route::{Address, Spot};

/// `#/forms`, and `#/form/HANDLE`: one to fill in, or to look at once it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    List,
    Form(String),
}

impl Spot for At {
    fn read(path: &[&str], _: &str) -> Option<Self> {
        match path {
            ["forms"] => Some(Self::List),
            ["form", handle, ..] => Some(Self::Form((*handle).to_owned())),
            _ => None,
        }
    }

    fn address(&self) -> Address {
        match self {
            Self::List => Address::new(&["forms"], String::new()),
            Self::Form(handle) => Address::new(&["form", handle], String::new()),
        }
    }
}
