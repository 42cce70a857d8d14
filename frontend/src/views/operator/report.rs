//! A repeatedly fetched report of the host and the shared list of components: how they are drawn and how orders are
//! run.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;

use super::Stale;
use crate::browser;
use crate::call::Loaded;
use crate::error::CallError;
use crate::operator::data::{Component, Components, Pending};
use crate::operator::reports::{Server, Servers};
use crate::operator::{Operator, repeat};
use crate::page::page;
use crate::text::Key;
use crate::views::notice::{Notice, loaded};

const EVERY: Duration = Duration::from_secs(5);

/// A repeatedly fetched value.
pub(super) struct Followed<T: 'static> {
    pub(super) found: RwSignal<Loaded<T>>,
    is_stale: RwSignal<bool>,
}

impl<T> Clone for Followed<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Followed<T> {}

impl<T: PartialEq + Send + Sync + 'static> Followed<T> {
    pub(super) fn new() -> Self {
        Self { found: RwSignal::new(Loaded::Loading), is_stale: RwSignal::new(false) }
    }

    /// Stores an answer; old data is better than none. Does nothing if the view is gone.
    pub(super) fn take(self, found: Result<T, CallError>) {
        let Some(is_known) = self.found.try_with_untracked(|it| it.ready().is_some()) else {
            return;
        };
        match found {
            Ok(found) => {
                self.is_stale.set(false);
                if self.found.with_untracked(|it| it.ready() != Some(&found)) {
                    self.found.set(Loaded::Ready(found));
                }
            }
            Err(_) if is_known => self.is_stale.set(true),
            Err(error) => self.found.set(Loaded::Failed(error)),
        }
    }

    /// Draws the value once loaded, below a notice of its age; `fetch` fetches it.
    pub(super) fn shown<F: Future<Output = ()> + 'static>(
        self,
        fetch: impl Fn() -> F + Send + Sync + 'static,
        draw: impl Fn() -> AnyView + Send + 'static,
    ) -> impl IntoView {
        let state = Memo::new(move |_| self.found.with(|it| it.map(|_| ())));
        let retry = Callback::new(move |()| {
            self.found.set(Loaded::Loading);
            spawn_local(fetch());
        });
        move || {
            loaded(state.get(), 6, retry, |()| {
                any_view! { <Stale is_stale=self.is_stale/>{draw()} }
            })
        }
    }
}

/// The host's last report at an operator address.
pub(super) struct Report<T: Send + Sync + 'static> {
    pub(super) operator: Operator,
    followed: Followed<T>,
    /// Why the last order failed.
    pub(super) error: RwSignal<Option<CallError>>,
    pub(super) is_busy: RwSignal<bool>,
    path: &'static str,
}

impl<T: Send + Sync + 'static> Clone for Report<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Report<T> {}

impl<T: Clone + Default + PartialEq + DeserializeOwned + Send + Sync + 'static> Report<T> {
    /// Fetches it for as long as the calling view exists.
    pub(super) fn at(path: &'static str) -> Self {
        let report = Self {
            operator: expect_context(),
            followed: Followed::new(),
            error: RwSignal::new(None),
            is_busy: RwSignal::new(false),
            path,
        };
        let is_free = move || report.is_busy.try_get_untracked() == Some(false);
        repeat(EVERY, is_free, move || report.fetch());
        report
    }

    async fn fetch(self) {
        self.followed.take(self.operator.get::<T>(self.path).await);
    }

    /// The report; empty until loaded.
    pub(super) fn latest(self) -> Memo<T> {
        Memo::new(move |_| self.followed.found.with(|it| it.ready().cloned()).unwrap_or_default())
    }

    /// Draws it once loaded.
    pub(super) fn shown<V: IntoView + 'static>(
        self,
        draw: impl Fn(Memo<T>) -> V + Send + 'static,
    ) -> impl IntoView {
        let latest = self.latest();
        self.followed.shown(
            move || self.fetch(),
            move || {
                any_view! {
                    {move || self.error.get().map(|error| view! { <Notice error/> })}
                    {draw(latest)}
                }
            },
        )
    }

    /// Runs `work` and announces `key` with `name` on success. A lost focus goes to `way_back`.
    pub(super) fn order(
        self,
        announcement: (Key, String),
        way_back: impl Into<String>,
        work: impl Future<Output = Result<(), CallError>> + 'static,
    ) {
        let states = (self.is_busy, self.error);
        order(self.operator, states, announcement, way_back, work, async move || {
            self.fetch().await
        });
    }
}

/// Runs `work` and fetches again, unless another order is running. Success is announced; an error is shown, by the
/// operator's frame if the view was left. A lost focus goes to `way_back`.
pub(super) fn order(
    operator: Operator,
    (is_busy, error): (RwSignal<bool>, RwSignal<Option<CallError>>),
    (key, name): (Key, String),
    way_back: impl Into<String>,
    work: impl Future<Output = Result<(), CallError>> + 'static,
    fetch: impl AsyncFnOnce() + 'static,
) {
    if is_busy.get_untracked() {
        return;
    }
    let way_back = way_back.into();
    is_busy.set(true);
    error.set(None);
    operator.failed.set(None);
    spawn_local(async move {
        let failed = work.await.err();
        let is_done = failed.is_none();
        if let Some(Some(failed)) = error.try_set(failed) {
            operator.failed.set(Some(failed));
        }
        if is_done {
            page().notify_fill(key, &name);
        }
        fetch().await;
        let _ = is_busy.try_set(false);
        browser::focus_if_lost(way_back);
    });
}

/// A bar in units of [`BAR`](crate::operator::reports::BAR), from a start.
pub(super) fn bar(from: f64, long: f64, class: &'static str) -> impl IntoView {
    use crate::operator::reports::BAR;
    view! {
        <svg class="op-bar" aria-hidden="true" focusable="false" preserveAspectRatio="none"
            viewBox=format!("0 0 {BAR} 10")>
            <rect class="op-bar-ground" width=BAR height="10"></rect>
            <rect class=class x=from width=long height="10"></rect>
        </svg>
    }
}

/// All components, as last received from the host.
#[derive(Clone, Copy)]
pub(super) struct Inventory {
    pub(super) operator: Operator,
    pub(super) all: Followed<Vec<Component>>,
    /// Upstream servers with tools waiting for approval.
    pub(super) servers: RwSignal<Vec<Server>>,
    /// Whether an order is running.
    pub(super) is_busy: RwSignal<bool>,
    /// Number of the latest request: older answers are dropped.
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

    /// Fetches the list. The old one is shown meanwhile.
    pub(super) async fn fetch(self) {
        let next = |number: &mut u32| {
            *number = number.wrapping_add(1);
            *number
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

    /// Runs `work` and announces `announcement` with the component's name on success; an error goes to `error`. A lost
    /// focus goes to `way_back`.
    pub(super) fn order(
        self,
        error: RwSignal<Option<CallError>>,
        announcement: (Key, String),
        way_back: impl Into<String>,
        work: impl Future<Output = Result<(), CallError>> + 'static,
    ) {
        order(
            self.operator,
            (self.is_busy, error),
            announcement,
            way_back,
            work,
            async move || self.fetch().await,
        );
    }

    pub(super) fn read<T>(self, name: &str, f: impl FnOnce(&Component) -> T) -> Option<T> {
        self.all.found.with(|all| all.ready()?.iter().find(|it| it.name == name).map(f))
    }

    /// The pending builds with their components.
    pub(super) fn pending(self) -> Vec<(String, Pending)> {
        let pending = |it: &Component| Some((it.name.clone(), it.pending.clone()?));
        self.all.found.with(|it| it.ready().into_iter().flatten().filter_map(pending).collect())
    }
}
