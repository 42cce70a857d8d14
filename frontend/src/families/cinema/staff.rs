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
use crate::page::{Door, page};

/// Tools required by the admin views.
const NEEDED: [&str; 2] = ["occupancy", "export_catalogue"];

/// Whether the reader is an admin (CIN-95).
#[derive(Clone, Copy)]
pub(crate) struct Leave {
    is_given: RwSignal<bool>,
}

impl Leave {
    pub(crate) fn new() -> Self {
        Self { is_given: RwSignal::new(false) }
    }

    /// Whether the admin views are offered.
    pub(crate) fn is_given(self) -> bool {
        self.is_given.get()
    }

    /// Checks again whenever the tools or the reader change. Without a required token all are admins, as for the tools
    /// themselves; a token's scopes are known to the host, which is asked once.
    pub(crate) fn look(self) {
        Effect::new(move |_| {
            let is_served = NEEDED.iter().all(|it| page().tool(it).is_some());
            if !is_served || page().door.get() != Door::Open {
                return self.is_given.set(false);
            }
            if !access::is_entered() {
                return self.is_given.set(true);
            }
            spawn_local(async move {
                let today = json!({ "until": Day::today().to_string() });
                let answer = fetch::<Value>(NEEDED[0], today).await;
                self.is_given.set(answer.map_or_else(|it| is_of_staff(&it), |_| true));
            });
        });
    }
}

/// Whether a refusal concerns the arguments rather than the caller.
fn is_of_staff(error: &CallError) -> bool {
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
        assert!(is_of_staff(&refused(400)), "the day is another one where the cinema is");
        assert!(!is_of_staff(&refused(403)) && !is_of_staff(&CallError::Offline));
        assert!(!is_of_staff(&CallError::Unauthorized));
    }
}
