//! The list of components that the views of this part share, and what is ordered of them.

use leptos::prelude::*;

use super::report::{Followed, order};
use crate::error::CallError;
use crate::operator::Operator;
use crate::operator::data::{Component, Components, Pending};
use crate::operator::reports::{Server, Servers};
use crate::text::Key;

/// All components, as last received from the host.
#[derive(Clone, Copy)]
pub(super) struct Inventory {
    pub(super) operator: Operator,
    pub(super) all: Followed<Vec<Component>>,
    /// Other servers with tools whose definitions wait.
    pub(super) servers: RwSignal<Vec<Server>>,
    /// Whether something is ordered and not done yet.
    pub(super) is_busy: RwSignal<bool>,
    /// An answer that comes after a later question's is not taken.
    number: StoredValue<u32>,
}

impl Inventory {
    pub(super) fn new(operator: Operator) -> Self {
        Self {
            operator,
            all: Followed::new(),
            servers: RwSignal::new(Vec::new()),
            is_busy: RwSignal::new(false),
            number: StoredValue::new(0),
        }
    }

    /// Fetches the list; what is shown stays until it is here.
    pub(super) async fn look(self) {
        let next = |it: &mut u32| {
            *it = it.wrapping_add(1);
            *it
        };
        let Some(number) = self.number.try_update_value(next) else { return };
        let found = self.operator.get::<Components>("components").await;
        // Old definitions are better than none, as are old components.
        if let Ok(Servers { mut servers }) = self.operator.get("servers").await {
            servers.retain(|it| !it.waiting.is_empty());
            if self.servers.try_with_untracked(|it| *it != servers) == Some(true) {
                self.servers.set(servers);
            }
        }
        if self.number.try_get_value() == Some(number) {
            self.all.take(found.map(|it| it.components));
        }
    }

    /// Carries out `work`, which is announced with what is `said` of the component's name once it is done; its error
    /// goes to `error`. A keyboard whose button is gone by then comes to `way_back`.
    pub(super) fn order(
        self,
        error: RwSignal<Option<CallError>>,
        said: (Key, String),
        way_back: impl Into<String>,
        work: impl Future<Output = Result<(), CallError>> + 'static,
    ) {
        order(self.operator, (self.is_busy, error), said, way_back, work, async move || {
            self.look().await
        });
    }

    /// Something of one component.
    pub(super) fn told<T>(self, name: &str, of: impl FnOnce(&Component) -> T) -> Option<T> {
        self.all.found.with(|all| all.here()?.iter().find(|it| it.name == name).map(of))
    }

    /// The builds that wait, with whose they are.
    pub(super) fn pending(self) -> Vec<(String, Pending)> {
        let of = |it: &Component| Some((it.name.clone(), it.pending.clone()?));
        self.all.found.with(|it| it.here().into_iter().flatten().filter_map(of).collect())
    }
}
