//! The reader's ongoing activities in the families, fetched after the first view and whenever they change.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use crate::call::fetch;
use crate::page::{Admission, page};
use crate::route::Route;
use crate::subscriptions::Subscriptions;
use crate::table::{self, ActivitySource, Ongoing, Shown};

/// How long the first view has the connection for itself.
pub(crate) const HEAD_START: Duration = Duration::from_secs(3);

/// How long changes are collected before the host is asked: a game's list changes with each move.
const PAUSE: Duration = Duration::from_secs(1);

/// Activities by the tool that lists them.
#[derive(Clone, Copy)]
pub(crate) struct Activities {
    found: RwSignal<Vec<(&'static str, Vec<Ongoing>)>>,
    /// Tools with a scheduled request.
    asking: StoredValue<Vec<&'static str>>,
}

impl Activities {
    /// Keeps the activities up to date while the page is open.
    pub(crate) fn new(subscriptions: Subscriptions) -> Self {
        let activities =
            Self { found: RwSignal::new(Vec::new()), asking: StoredValue::new(Vec::new()) };
        let is_due = RwSignal::new(false);
        set_timeout(move || is_due.set(true), HEAD_START);
        for source in table::activity_sources() {
            let changes = source.resource.map(|it| subscriptions.changes(it));
            // A view that was left may have changed what the host does not report.
            let view = Memo::new(move |_| {
                let is_reported = source.resource.is_some();
                page().route.with(|route| {
                    let shown = (!is_reported).then(|| Shown::from_route(route)).flatten();
                    (matches!(route, Route::Home), shown)
                })
            });
            let is_served = Memo::new(move |_| page().tool(source.tool).is_some());
            Effect::new(move |_| {
                changes.track();
                page().refreshed.track();
                // Read, not only tracked: a memo that is never read is never evaluated.
                view.get();
                if !is_due.get() || page().admission.get() != Admission::Open || !is_served.get() {
                    activities.note(source.tool, Vec::new());
                    return;
                }
                activities.ask(source);
            });
        }
        activities
    }

    /// Schedules one request for all changes within the pause.
    fn ask(self, source: &'static ActivitySource) {
        if self.asking.with_value(|it| it.contains(&source.tool)) {
            return;
        }
        self.asking.update_value(|it| it.push(source.tool));
        let ask = async move {
            self.asking.update_value(|it| it.retain(|tool| *tool != source.tool));
            let (mut outputs, mut has_failed) = (Vec::new(), false);
            for arguments in (source.arguments)() {
                match fetch::<Value>(source.tool, arguments).await {
                    Ok(output) => outputs.push(output),
                    Err(_) => has_failed = true,
                }
            }
            // Failed requests are repeated with the next change.
            if has_failed && outputs.is_empty() {
                return;
            }
            self.note(source.tool, (source.read)(&outputs));
        };
        set_timeout(move || spawn_local(ask), PAUSE);
    }

    fn note(self, tool: &'static str, ongoing: Vec<Ongoing>) {
        let has_news = self.found.with_untracked(|found| {
            let known = found.iter().find(|it| it.0 == tool);
            known.map_or(&[][..], |it| &it.1) != ongoing
        });
        if has_news {
            self.found.update(|found| {
                found.retain(|it| it.0 != tool);
                found.push((tool, ongoing));
            });
        }
    }

    /// All activities, in the order of the families.
    pub(crate) fn all(self) -> Vec<Ongoing> {
        table::activity_sources().flat_map(|it| self.of(it.tool)).collect()
    }

    /// The activities that this tool lists.
    pub(crate) fn of(self, tool: &str) -> Vec<Ongoing> {
        self.found
            .with(|it| it.iter().find(|it| it.0 == tool).map(|it| it.1.clone()))
            .unwrap_or_default()
    }

    /// Number of items that wait for the reader.
    pub(crate) fn waiting(self) -> usize {
        self.sum(|_| true)
    }

    /// Number of items that wait for the reader in the view of this route.
    pub(crate) fn waiting_at(self, route: &Route) -> usize {
        self.sum(|it| it.route == *route)
    }

    fn sum(self, is_counted: impl Fn(&Ongoing) -> bool) -> usize {
        self.found.with(|found| {
            let all = found.iter().flat_map(|it| &it.1).filter(|it| is_counted(it));
            all.map(|it| it.waiting).sum()
        })
    }
}
