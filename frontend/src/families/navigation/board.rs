//! State of the navigation view: form, ends, running search, and selection.

use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::navigation::{Point, minutes};
use web_sys::AbortController;

use super::client;
use super::place::{self, Area, EXAMPLE};
use super::query::{Mode, Planner, RouteQuery};
use super::run::{Phase, Run};
use crate::browser;
use crate::call::Attempt;
use crate::error::CallError;
use crate::history;
use crate::lookup::combo::Combo;
use crate::page::page;
use crate::part::{Part, part};
use crate::route::{FamilyRoute, Route};
use crate::text::{Key, Lang};

/// Asks and takes what is found: a part of its own, since a reader begins by saying from where to where.
pub(super) static SEARCH: Part<Search> = part!(navigation_found: Search = &Search(|board, number, stop| {
    Box::pin(board.work(number, stop))
}));

/// Searches as the attempt of this number, which the controller stops.
pub(super) struct Search(fn(Board, u32, AbortController) -> BoxFuture);

type BoxFuture = Pin<Box<dyn Future<Output = ()>>>;

/// The state, lasting as long as the page.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) condition: RwSignal<String>,
    pub(crate) mode: RwSignal<Mode>,
    pub(crate) run: RwSignal<Run>,
    /// The step shown on the map.
    pub(crate) step: RwSignal<Option<usize>>,
    /// Why the reader's position is unknown; none while it is being determined.
    pub(crate) locate_error: RwSignal<Option<Key>>,
    pub(crate) is_locating: RwSignal<bool>,
    /// The planner of conditions, once known.
    pub(crate) planner: RwSignal<Option<Planner>>,
    /// The area covered by the host's map, once fetched, if it has a map.
    pub(crate) area: RwSignal<Option<Option<Area>>>,
    pub(crate) is_area_drawn: RwSignal<bool>,
    /// Whether the reader started the search by a button and waits for it.
    is_pressed: StoredValue<bool>,
    /// The page's language when the search began.
    asked_in: StoredValue<Lang>,
    attempt: Attempt,
}

impl Board {
    pub(crate) fn new() -> Self {
        Self {
            from: End::new(),
            to: End::new(),
            condition: RwSignal::new(String::new()),
            mode: RwSignal::new(Mode::default()),
            run: RwSignal::new(Run::default()),
            step: RwSignal::new(None),
            locate_error: RwSignal::new(None),
            is_locating: RwSignal::new(false),
            planner: RwSignal::new(None),
            area: RwSignal::new(None),
            is_area_drawn: RwSignal::new(false),
            is_pressed: StoredValue::new(false),
            asked_in: StoredValue::new(Lang::now()),
            attempt: Attempt::new(),
        }
    }

    pub(crate) fn end(self, side: Side) -> End {
        match side {
            Side::From => self.from,
            Side::To => self.to,
        }
    }

    /// The query of the form.
    pub(crate) fn query(self) -> RouteQuery {
        RouteQuery {
            from: self.from.text(),
            to: self.to.text(),
            condition: self.condition.get(),
            mode: self.mode.get(),
            chosen: None,
        }
    }

    /// Fetches the planner on the reader's first visit.
    pub(crate) fn meet(self) {
        if self.planner.with_untracked(Option::is_none) {
            spawn_local(async move {
                if let Some(planner) = client::planner().await {
                    self.planner.try_set(Some(planner));
                }
            });
        }
    }

    /// Handles a changed address: starts its search, unless its result is shown.
    pub(crate) fn follow(self, query: &RouteQuery) {
        let (shown, is_idle) =
            self.run.with_untracked(|it| (it.query.clone(), it.phase == Phase::Idle));
        if *query == RouteQuery::default() {
            // A reader who comes back finds the previous result.
            if !is_idle {
                self.write_address(history::replace_hash);
            }
            return;
        }
        if !is_idle && query.is_same_search(&shown) {
            self.run.update(|run| {
                let last = run.found.alternatives.len().saturating_sub(1);
                run.query.chosen = query.chosen;
                run.chosen = query.chosen.or(run.advised).unwrap_or(0).min(last);
            });
            return;
        }
        self.from.put(&query.from, None);
        self.to.put(&query.to, None);
        self.condition.set(query.condition.clone());
        self.mode.set(query.mode);
        if query.lack().is_none() {
            self.start(query, false);
        }
    }

    /// Searches for the form's query.
    pub(crate) fn search(self) {
        let query = untrack(|| self.query()).trimmed();
        if query.lack().is_some() || self.run.with_untracked(Run::is_running) {
            return;
        }
        self.start(&query, true);
        // An address without a query shows the last result, so that Back would seem to do nothing.
        let shown = RouteQuery::from_route(&Route::parse(&browser::hash())).unwrap_or_default();
        let is_bare = shown == RouteQuery::default();
        self.write_address(if is_bare { history::replace_hash } else { history::push_hash });
    }

    /// Searches for the example.
    pub(crate) fn try_example(self) {
        let lang = Lang::now();
        let [from, to] = EXAMPLE.map(|((ja, en), _)| if lang == Lang::Ja { ja } else { en });
        self.from.put(from, None);
        self.to.put(to, None);
        if self.mode.get_untracked() == Mode::Ai && self.condition.with_untracked(String::is_empty)
        {
            self.condition.set(lang.say(Key::NavPhraseTraffic).to_owned());
        }
        self.search();
    }

    /// Fetches the area covered by the host's map, in the reader's language.
    pub(crate) fn ask_area(self) {
        spawn_local(async move {
            let area = client::area().await;
            self.area.try_set(Some(area));
        });
    }

    /// Searches the same route under another condition.
    pub(crate) fn ask_again(self, condition: &str) {
        self.condition.set(condition.trim().to_owned());
        self.mode.set(Mode::Ai);
        // The conversation is about the shown route, whatever was typed since.
        let (from, to) = self.run.with_untracked(|it| (it.query.from.clone(), it.query.to.clone()));
        for (end, text) in [(self.from, from), (self.to, to)] {
            if end.combo.with_untracked(|it| it.text.trim() != text) {
                end.put(&text, None);
            }
        }
        self.search();
    }

    /// Repeats the search.
    pub(crate) fn retry(self) {
        let query = self.run.with_untracked(|it| it.query.clone());
        self.start(&query, true);
    }

    /// Repeats the search after a change of language, unless a paid model is needed.
    pub(crate) fn retell(self, lang: Lang) {
        let is_free = self.planner.get_untracked() == Some(Planner::Builtin);
        let query = self.run.with_untracked(|run| {
            let has_result = run.is_running() || run.phase == Phase::Done;
            (has_result && (is_free || !run.query.is_planned())).then(|| run.query.clone())
        });
        if let Some(query) = query.filter(|_| self.asked_in.get_value() != lang) {
            self.start(&query, false);
        }
    }

    fn start(self, query: &RouteQuery, is_pressed: bool) {
        self.attempt.give_up();
        self.is_pressed.set_value(is_pressed);
        self.asked_in.set_value(Lang::now());
        let (number, Some(stop)) = self.attempt.open() else { return };
        self.step.set(None);
        self.locate_error.set(None);
        self.is_area_drawn.set(false);
        self.run.update(|it| it.begin(query, browser::now_ms()));
        spawn_local(async move {
            match SEARCH.fetch().await {
                Some(code) => (code.0)(self, number, stop).await,
                None if self.attempt.is_current(number) => {
                    self.run.update(|it| it.fail(CallError::NoPart));
                }
                None => {}
            }
            if self.attempt.is_current(number) {
                self.announce_end();
            }
        });
    }

    /// Asks the planner, or the router if there is none or it fails (NAV-18).
    async fn work(self, number: u32, stop: AbortController) {
        if self.run.with_untracked(|it| it.query.is_planned()) {
            let question = self.run.with_untracked(Run::question);
            let take = move |event| {
                if self.attempt.is_current(number) {
                    self.run.update(|it| it.take(event, browser::now_ms()));
                }
            };
            let end = client::navigate(&question, stop, take).await;
            if !self.attempt.is_current(number) {
                return;
            }
            if let Err(error) = end {
                self.run.update(|it| it.fail(error));
            }
            if self.run.try_update(Run::fall_back) != Some(true) {
                return;
            }
        }
        let (_, Some(stop)) = self.attempt.open() else { return };
        let query = self.run.with_untracked(|it| it.query.clone());
        let found = client::routes(&query, stop).await;
        if self.attempt.is_current(number) {
            self.run.update(|it| match found {
                Ok((routes, details)) => it.take_routes(routes, details),
                Err(error) => it.fail(error),
            });
        }
    }

    /// Announces the end to screen readers; an error is announced by its own view.
    fn announce_end(self) {
        let lang = Lang::now();
        let announcement = self.run.with_untracked(|run| match &run.phase {
            Phase::Failed(CallError::Offline) => None,
            Phase::Done if run.found.is_empty() => Some(lang.say(Key::NavNoRoute).to_owned()),
            Phase::Done => {
                let chosen = run.found.alternatives.get(run.chosen)?;
                let count = run.found.alternatives.len().to_string();
                let minutes = super::found::minutes_text(minutes(chosen.seconds()), lang);
                Some(lang.fill(Key::NavFoundNow, &[&count, &chosen.route.summary, &minutes]))
            }
            _ => None,
        });
        if let Some(announcement) = announcement {
            page().announce(announcement);
        }
        self.run.with_untracked(|run| {
            let ends = [(self.from, &run.found.origin), (self.to, &run.found.destination)];
            for (end, found) in ends {
                if let Some(found) = found {
                    end.point.set(Some(found.location));
                }
            }
        });
        // A search started by a link leaves the focus.
        if self.is_pressed.get_value() {
            browser::focus_if_lost("nav-result");
        }
    }

    /// Stops the search at the reader's request.
    pub(crate) fn stop(self) {
        self.attempt.give_up();
        self.run.update(|it| it.fail(CallError::Stopped));
        browser::focus_soon("nav-search");
    }

    /// Selects another route.
    pub(crate) fn choose(self, index: usize) {
        if self.run.with_untracked(|it| it.chosen == index || index >= it.found.alternatives.len())
        {
            return;
        }
        self.step.set(None);
        self.run.update(|run| {
            run.chosen = index;
            run.query.chosen = Some(index);
        });
        self.write_address(history::replace_hash);
    }

    /// Writes the shown route into the address by `write`.
    fn write_address(self, write: fn(&str)) {
        write(&self.run.with_untracked(|it| it.query.hash()));
    }
}

/// Minimum number of characters for suggestions, and the pause before fetching them.
const CHARS_MIN: usize = 1;
const DEBOUNCE_MS: u32 = 250;

/// An end of the route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    From,
    To,
}

/// The field of an end.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) combo: RwSignal<Combo>,
    /// Its position, once known.
    pub(crate) point: RwSignal<Option<Point>>,
}

impl End {
    pub(super) fn new() -> Self {
        let combo = RwSignal::new(Combo::free(CHARS_MIN, DEBOUNCE_MS));
        Self { combo, point: RwSignal::new(None) }
    }

    pub(crate) fn text(self) -> String {
        self.combo.with(|it| it.text.clone())
    }

    /// Sets a place by name and, if known, position.
    pub(crate) fn put(self, name: &str, point: Option<Point>) {
        self.combo.update(|it| it.settle(Some(name).filter(|it| !it.is_empty())));
        self.point.set(point);
    }
}

impl Board {
    /// Swaps both ends.
    pub(crate) fn swap(self) {
        let ends = [self.from, self.to]
            .map(|it| (it.combo.with_untracked(|it| it.text.clone()), it.point.get_untracked()));
        let [(from, from_at), (to, to_at)] = ends;
        self.from.put(&to, to_at);
        self.to.put(&from, from_at);
        page().announce_key(Key::NavSwapped);
    }

    /// Sets the origin to the reader's position.
    pub(crate) fn locate(self) {
        self.locate_error.set(None);
        self.is_locating.set(true);
        spawn_local(async move {
            let found = place::locate().await;
            self.is_locating.set(false);
            match found {
                Ok(point) => self.set_point(Side::From, point),
                Err(key) => {
                    self.locate_error.set(Some(key));
                    page().announce_key(key);
                }
            }
        });
    }

    /// Sets an end to a point of the map; its name follows.
    pub(crate) fn set_point(self, side: Side, point: Point) {
        if !place::is_on_globe(point) {
            return;
        }
        let end = self.end(side);
        let text = place::coordinates(point);
        end.put(&text, Some(point));
        let key = if side == Side::From { Key::NavFromIs } else { Key::NavToIs };
        spawn_local(async move {
            let name = client::nearest(point).await;
            if end.combo.try_with_untracked(|it| it.text == text) != Some(true) {
                return;
            }
            // The point counts, not the centre of the named area.
            if let Some(name) = &name {
                end.put(name, Some(point));
            }
            page().announce_fill(key, &[name.as_deref().unwrap_or(&text)]);
        });
    }

    /// Geocodes the typed place (S3:332), so that the map goes there before a search.
    pub(crate) fn find(self, side: Side) {
        let end = self.end(side);
        let text = end.combo.with_untracked(|it| it.text.trim().to_owned());
        if text.is_empty() || end.point.with_untracked(Option::is_some) {
            return;
        }
        if let Some(point) = place::point_of(&text) {
            return end.point.set(Some(point));
        }
        spawn_local(async move {
            // Its errors are shown by the search itself.
            let Ok(found) = client::geocode(&text).await else { return };
            let is_same = end.combo.try_with_untracked(|it| it.text.trim() == text);
            if is_same == Some(true) && place::is_on_globe(found.location) {
                end.point.set(Some(found.location));
            }
        });
    }
}
