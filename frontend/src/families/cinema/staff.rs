//! The cinema's admin: permission, the catalogue, and the screen editor.

pub(super) mod catalogue;
pub(super) mod layout;
pub(super) mod words;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};

use crate::access;
use crate::call::fetch;
use crate::dates::Day;
use crate::error::CallError;
use crate::page::{Admission, page};

/// Tools required by the admin views.
const NEEDED: [&str; 2] = ["occupancy", "export_catalogue"];

/// Whether the reader is an admin (CIN-95).
#[derive(Clone, Copy)]
pub(crate) struct AdminPermission {
    is_given: RwSignal<bool>,
}

impl AdminPermission {
    pub(crate) fn new() -> Self {
        Self { is_given: RwSignal::new(false) }
    }

    /// Whether the admin views are offered.
    pub(crate) fn is_given(self) -> bool {
        self.is_given.get()
    }

    /// Checks again whenever the tools or the reader change. Without a required token all are admins, as for the tools
    /// themselves; a token's scopes are known to the host, which is asked once.
    pub(crate) fn watch(self) {
        Effect::new(move |_| {
            let is_served = NEEDED.iter().all(|it| page().tool(it).is_some());
            if !is_served || page().admission.get() != Admission::Open {
                return self.is_given.set(false);
            }
            if !access::is_entered() {
                return self.is_given.set(true);
            }
            spawn_local(async move {
                let today = json!({ "until": Day::today().to_string() });
                let answer = fetch::<Value>(NEEDED[0], today).await;
                self.is_given.set(answer.map_or_else(|it| concerns_arguments(&it), |_| true));
            });
        });
    }
}

/// Whether a refusal concerns the arguments rather than the caller.
fn concerns_arguments(error: &CallError) -> bool {
    matches!(error, CallError::Refused(refusal) if refusal.status == 400)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Refusal;

    #[test]
    fn distinguishes_customer_from_staff_by_refusal() {
        let refused =
            |status: u16| CallError::Refused(Box::new(Refusal { status, ..Refusal::default() }));
        assert!(concerns_arguments(&refused(400)), "the day is another one where the cinema is");
        assert!(!concerns_arguments(&refused(403)) && !concerns_arguments(&CallError::Offline));
        assert!(!concerns_arguments(&CallError::Unauthorized));
    }
}
