//! The seats of one showing: its facts, the hall, kept up to date, and the checkout.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{Broken, Hold, Holds, Reservation, Seat, SeatMap, Showtime};
use serde_json::json;

use super::checkout::{Checkout, PICKED};
use super::hold::Holding;
use super::suggest::Suggest;
use super::waiting::WaitingView;
use super::{Chosen, Office, Steps, kept_names, reservations_of, stored_name};
use crate::browser::{self, Keep};
use crate::call::{Loaded, fetch};
use crate::dates;
use crate::families::cinema::Zone;
use crate::families::cinema::hall::{Hall, Picked, Picks};
use crate::families::cinema::place::{At, Booking};
use crate::families::cinema::programme::{has_begun, name, titles};
use crate::families::cinema::views::hall::{HallView, Legend, lost_text};
use crate::families::cinema::views::stay_fresh;
use crate::mcp;
use crate::page::page;
use crate::route::{FamilyRoute, Route};
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};
use crate::views::notice::{Empty, loaded};

/// Id of the hall's heading.
pub(super) const PLAN: &str = "plan-title";
/// Maximum age of the shown seats while the reader looks at them.
const AGE: Duration = Duration::from_secs(15);

/// One showing on the screen.
#[derive(Clone, Copy)]
pub(super) struct Showing {
    pub(super) office: Office,
    /// The showtime's id.
    pub(super) id: StoredValue<String>,
    pub(super) map: RwSignal<Loaded<SeatMap>>,
    pub(super) hall: Memo<Hall>,
    /// The reservations of this showing in the names of reservations made here.
    own: RwSignal<Vec<Reservation>>,
    /// The names and the reserved seats for which they were fetched.
    own_for: StoredValue<Option<(Vec<String>, Vec<String>)>>,
    /// Whether it can still be booked: it has not begun, and its sales are not closed.
    is_open: Memo<bool>,
    pub(super) picks: RwSignal<Picks>,
    /// The rules violated by the choice.
    pub(super) broken: Memo<Vec<Broken>>,
    /// The reader's hold.
    pub(super) holding: Holding,
    /// The hold that the waiting list offers to the reader.
    pub(super) offer: StoredValue<Option<Hold>>,
    /// When the shown seats were fetched, and whether the last fetch failed.
    as_of: RwSignal<f64>,
    is_stale: RwSignal<bool>,
    fetching: StoredValue<Fetching>,
    /// Whether a reservation is being made.
    pub(super) is_reserving: RwSignal<bool>,
    /// The picked seats that another user took while the reader made no request, and when.
    pub(super) taken: RwSignal<Option<Taken>>,
}

/// Time for reading that seats are gone, in milliseconds.
const READING_MS: f64 = 5_000.0;

/// Picked seats taken by another user.
#[derive(Clone, PartialEq)]
pub(super) struct Taken {
    ids: Vec<String>,
    at_ms: f64,
}

impl Taken {
    /// Names them in a sentence.
    pub(super) fn say(&self, lang: Lang, is_all: bool) -> String {
        lost_text(&self.ids, is_all, lang)
    }

    /// Whether the reader may not have read it yet.
    fn is_fresh(&self) -> bool {
        js_sys::Date::now() - self.at_ms < READING_MS
    }
}

/// Whether the seats are being fetched.
#[derive(Clone, Copy, Default, PartialEq)]
enum Fetching {
    #[default]
    Not,
    Now,
    /// And again afterwards, since they may have changed meanwhile.
    Again,
}

impl Showing {
    fn new(id: String) -> Self {
        let office: Office = expect_context();
        // A reservation in the chat may have been made in another name since.
        let name = stored_name();
        if !name.is_empty() {
            office.name.set(name);
        }
        let map = RwSignal::new(Loaded::<SeatMap>::Loading);
        let stored = Chosen::shared().picks(&id);
        let own = RwSignal::new(Vec::new());
        let hall = Memo::new(move |_| {
            let mut hall = map.with(|it| it.ready().map(Hall::new).unwrap_or_default());
            own.with(|own| hall.mark_own(own));
            hall
        });
        let picks = RwSignal::new(stored.unwrap_or_default());
        Self {
            office,
            map,
            hall,
            own,
            own_for: StoredValue::default(),
            broken: Memo::new(move |_| hall.with(|hall| picks.with(|it| hall.broken(it)))),
            is_open: Memo::new(move |_| {
                let showtime = map.with(|it| it.ready().and_then(|it| it.showtime.clone()));
                showtime.is_none_or(|it| !has_begun(&it, &dates::now()))
            }),
            picks,
            holding: Holding::new(&id),
            offer: StoredValue::new(None),
            as_of: RwSignal::new(f64::NAN),
            is_stale: RwSignal::new(false),
            fetching: StoredValue::new(Fetching::default()),
            is_reserving: RwSignal::new(false),
            taken: RwSignal::new(None),
            id: StoredValue::new(id),
        }
    }

    /// Fetches the seats, and the reader's reservations even if no other seats are reserved.
    pub(super) fn refresh(self) {
        let _gone = self.own_for.try_set_value(None);
        self.look();
    }

    /// Fetches the seats; the shown and picked ones stay meanwhile. At most one request runs at a time, with one more
    /// queued.
    fn look(self) {
        let Some(id) = self.id.try_get_value() else { return };
        if self.fetching.get_value() != Fetching::Not {
            return self.fetching.set_value(Fetching::Again);
        }
        self.fetching.set_value(Fetching::Now);
        spawn_local(async move {
            let mut arguments = json!({ "showtime_id": id, "include_reserved": true });
            let token = self.holding.token();
            if let Some(token) = &token {
                arguments["hold_token"] = token.as_str().into();
            }
            let map: Result<SeatMap, _> = fetch("list_available_seats", arguments).await;
            if self.fetching.try_get_value().is_none() {
                return;
            }
            let is_first = self.map.with_untracked(|it| it.ready().is_none());
            match map {
                Ok(map) => {
                    self.take(map, is_first, token);
                    self.know_hold(&id).await;
                    self.know_own(&id).await;
                }
                Err(error) if is_first => self.map.set(Loaded::Failed(error)),
                Err(_) => self.is_stale.set(true),
            }
            let Some(fetching) = self.fetching.try_get_value() else { return };
            self.fetching.set_value(Fetching::Not);
            if fetching == Fetching::Again {
                self.look();
            }
        });
    }

    /// Fetches the reader's hold if the hall shows that it may have changed: an assistant can hold and release seats,
    /// too.
    async fn know_hold(self, id: &str) {
        let user = self.office.name.with_untracked(|it| it.trim().to_owned());
        let (is_mine, is_held) = self.map.with_untracked(|map| {
            let seats = || map.ready().into_iter().flat_map(|it| &it.seats);
            (seats().any(|it| it.is_mine), seats().any(|it| it.is_held && !it.is_mine))
        });
        let is_known = self.holding.hold.with_untracked(Option::is_some);
        let may_differ = is_held || is_known && !is_mine;
        if user.is_empty() || !may_differ || untrack(|| page().tool("list_holds")).is_none() {
            return;
        }
        let arguments = json!({ "user_id": user, "showtime_id": id });
        let Ok(found) = fetch::<Holds>("list_holds", arguments).await else { return };
        // A running action of the reader's takes precedence.
        let is_idle = |it: RwSignal<bool>| it.try_get_untracked() == Some(false);
        if !is_idle(self.holding.is_busy) || !is_idle(self.is_reserving) {
            return;
        }
        if let Some(seats) = self.holding.follow(found.holds, is_mine) {
            let hall = self.hall.get_untracked();
            self.picks.update(|it| it.take(&hall, &seats));
            page().announce_key(Key::HoldBegun);
            // Fetches the hall as the holder sees it.
            self.fetching.set_value(Fetching::Again);
        }
    }

    /// Fetches the reader's reservations of this showing unless they are known for these names and reserved seats.
    /// Without them, their seats are drawn as taken.
    async fn know_own(self, id: &str) {
        let names = kept_names(None);
        let reserved = self.map.try_with_untracked(|map| {
            let seats = map.ready().into_iter().flat_map(|it| &it.seats);
            seats.filter(|it| it.is_reserved).map(|it| it.seat_id.clone()).collect::<Vec<_>>()
        });
        let now = reserved.map(|it| (names.clone(), it));
        if self.own_for.try_with_value(|it| *it == now) != Some(false) {
            return;
        }
        // Before they are fetched, so that a refresh meanwhile fetches them again.
        let _gone = self.own_for.try_set_value(now);
        let mut own = Vec::new();
        for user in names {
            let Ok(found) = reservations_of(&user, id).await else {
                let _gone = self.own_for.try_set_value(None);
                return;
            };
            own.extend(found);
        }
        if self.own.try_with_untracked(|it| *it != own) == Some(true) {
            self.own.set(own);
        }
    }

    /// Stores the seats answered for `token`.
    fn take(self, map: SeatMap, is_first: bool, token: Option<String>) {
        Zone::learn(map.timezone.as_deref());
        self.map.set(Loaded::Ready(map));
        self.is_stale.set(false);
        self.as_of.set(mcp::answered_at_ms());
        if !self.is_open.get_untracked() {
            return self.close();
        }
        // A running request of the reader's must not be lost: the seats are fetched again after it.
        let is_taking = self.is_reserving.get_untracked() || self.holding.is_busy.get_untracked();
        if is_taking || self.holding.token() != token {
            return;
        }
        let hall = self.hall.get_untracked();
        let mut lost = Vec::new();
        self.picks.update(|picks| {
            if is_first && picks.is_empty() {
                picks.restore(&hall, &self.stored_picks());
            }
            lost = picks.refresh(&hall);
        });
        self.mourn(&lost);
        if !lost.is_empty() {
            self.taken.set(Some(Taken { ids: lost, at_ms: js_sys::Date::now() }));
        }
    }

    /// When the shown seats were fetched, in the cinema's time zone, as its showtimes are. Empty while the programme,
    /// which has the difference of the clocks, is loading.
    fn as_of(self, lang: Lang) -> String {
        let ahead_ms = self.office.programme.with(|it| match it {
            Loaded::Loading => None,
            it => Some(it.ready().map_or(0.0, |it| it.ahead_ms)),
        });
        let clock = ahead_ms.map(|it| dates::clock_at(self.as_of.get() + it, lang));
        clock.map(|it| lang.fill(Key::HallAsOf, &[&it])).unwrap_or_default()
    }

    /// Whether picked seats were just lost, which the reader should notice before reserving. Reported once.
    pub(super) fn has_just_lost(self) -> bool {
        let is_fresh = self.taken.with_untracked(|it| it.as_ref().is_some_and(Taken::is_fresh));
        if is_fresh {
            self.taken.update(|it| it.iter_mut().for_each(|it| it.at_ms = 0.0));
        }
        is_fresh
    }

    /// The showing has begun, or its sales are closed: picks are dropped and no seat can be picked.
    fn close(self) {
        if self.picks.with_untracked(|it| !it.is_empty()) {
            self.picks.set(Picks::default());
            page().announce_key(Key::ErrShowtimeClosed);
        }
    }

    /// Handles seats taken by another user.
    pub(super) fn lose(self, ids: &[String]) {
        let mut lost = Vec::new();
        self.picks.update(|picks| lost = picks.lose(ids));
        self.mourn(&lost);
    }

    fn mourn(self, lost: &[String]) {
        if lost.is_empty() {
            return;
        }
        let is_all = self.picks.with_untracked(Picks::is_empty);
        page().announce(lost_text(lost, is_all, Lang::now()));
    }

    /// Takes the offered seats.
    pub(super) fn take_offer(self, offer: Hold) {
        let ids: Vec<_> = offer.seats.iter().map(|it| it.seat_id.clone()).collect();
        self.holding.adopt(offer);
        let hall = self.hall.get_untracked();
        self.picks.update(|it| it.take(&hall, &ids));
        self.refresh();
        browser::focus_if_lost(PICKED);
    }

    /// Picks or unpicks a seat and announces it; the reader's own leads to its reservation, and an offered one is
    /// taken, with the others of its offer.
    pub(super) fn pick(self, seat: &Seat) {
        let is_its = |own: &&Reservation| {
            seat.is_reserved && own.seats.iter().any(|it| it.seat_id == seat.seat_id)
        };
        let own = self.own.with_untracked(|it| it.iter().find(is_its).map(reservation_route));
        if let Some(route) = own {
            return page().go(route);
        }
        let is_offered = self.picks.with_untracked(|it| it.has_offered(&seat.seat_id));
        if let Some(offer) = self.offer.get_value().filter(|_| is_offered) {
            return self.take_offer(offer);
        }
        let mut picked = Picked::Taken;
        let max = self.hall.with_untracked(|it| it.seats_max);
        let other = self.hall.with_untracked(|it| it.other_half(seat).cloned());
        self.picks.update(|picks| {
            picked = picks.toggle(seat, max);
            // Seats of a pair are picked and unpicked together.
            let is_apart = |it: &Seat| picks.has(&it.seat_id) != picks.has(&seat.seat_id);
            if let Some(other) = other.filter(is_apart) {
                picks.toggle(&other, max);
            }
        });
        if matches!(picked, Picked::Yes | Picked::Undone) {
            self.taken.set(None);
        }
        let max = max.to_string();
        let lang = Lang::now();
        let name = lang.fill(Key::SeatName, &[&seat.row, &seat.number.to_string()]);
        let count = self.picks.with_untracked(Picks::len).to_string();
        page().announce(match picked {
            Picked::Yes => lang.fill(Key::SeatPickedNow, &[&name, &count]),
            Picked::Undone => lang.fill(Key::SeatUnpickedNow, &[&name, &count]),
            Picked::Held => lang.fill(Key::SeatIsHeld, &[&name]),
            Picked::Taken => lang.fill(Key::SeatIsTaken, &[&name]),
            Picked::TooMany => lang.fill(Key::TooManySeats, &[&max]),
        });
        if picked == Picked::TooMany {
            page().show(Key::TooManySeats, &max);
        }
    }

    /// The seats picked before a reload.
    fn stored_picks(self) -> Vec<String> {
        Keep::Tab.get(&self.picks_key()).unwrap_or_default()
    }

    fn picks_key(self) -> String {
        self.id.with_value(|id| picks_name(id))
    }

    /// Stores the picks over visits to other views and a reload.
    fn keep(self) {
        let picks = self.picks.get();
        self.id.with_value(|id| Chosen::shared().keep_picks(id, &picks));
        // Before the seats are loaded, nothing is known of the picks.
        if self.map.with_untracked(|it| it.ready().is_some()) {
            Keep::Tab.put(&self.picks_key(), &picks.ids(&self.hall.get_untracked()));
        }
    }
}

/// Storage key of a showing's picks in this tab.
pub(super) fn picks_name(showtime: &str) -> String {
    format!("picks.{showtime}")
}

#[component]
pub(super) fn Seats(showtime: String) -> impl IntoView {
    let showing = Showing::new(showtime);
    Effect::new(move |_| showing.keep());
    let subscriptions: Subscriptions = expect_context();
    let seats = showing.id.with_value(|id| format!("cinema://showtimes/{id}/seats"));
    let changes = subscriptions.changes(&seats);
    Effect::new(move |_| {
        page().refreshed.track();
        changes.track();
        showing.refresh();
    });
    stay_fresh(AGE, move || showing.look());
    showing.office.know_programme();
    browser::focus_soon("stage");
    let retry = Callback::new(move |()| {
        showing.map.set(Loaded::Loading);
        showing.refresh();
    });
    let stage = Memo::new(move |_| showing.map.with(|it| it.map(|_| ())));
    view! {
        <div class="seats">
            <div class="lead">
                <Facts showing/>
                <Steps now=1/>
            </div>
            {move || loaded(stage.get(), 8, retry, |()| any_view! { <Plan showing/> })}
        </div>
    }
}

#[component]
fn Plan(showing: Showing) -> impl IntoView {
    let hall = showing.hall;
    // Separate memos, so that a change of one seat does not redraw the hall.
    let is_empty = Memo::new(move |_| hall.with(|it| it.rows.is_empty()));
    let is_open = showing.is_open;
    // Whether the reader can only wait: no seat is free, none is picked, and there is a waiting list.
    let is_full = Memo::new(move |_| {
        let is_full = hall.with(|it| it.counts().0 == 0) && showing.picks.with(Picks::is_empty);
        is_full && page().tool("join_waiting_list").is_some()
    });
    let seats_max = Memo::new(move |_| hall.with(|it| it.seats_max));
    let counts = move || {
        let (free, all) = hall.with(Hall::counts);
        Key::HallFree.fill(&[&free.to_string(), &all.to_string()])
    };
    let pick = Callback::new(move |seat: Seat| showing.pick(&seat));
    view! {
        <div class="plan">
            <section class="plan-hall" aria-labelledby=PLAN>
                <div class="plan-head">
                    <h2 id=PLAN tabindex="-1" class="section-title">{Key::ChooseSeats}</h2>
                    <p class="plan-state">
                        <span>{counts}</span>
                        <span class:is-stale=showing.is_stale>
                            {move || if showing.is_stale.get() {
                                Key::Stale.say().to_owned()
                            } else {
                                showing.as_of(Lang::spoken())
                            }}
                        </span>
                        <button type="button" class="plain small" on:click=move |_| showing.refresh()>
                            {Key::Refresh}
                        </button>
                    </p>
                </div>
                <OwnSeats showing/>
                {move || match (is_empty.get(), is_open.get()) {
                    (true, _) => {
                        any_view! { <Empty title=Key::HallEmpty/> }
                    }
                    (_, true) => any_view! {
                        <HallView hall picks=showing.picks on_pick=pick/>
                        <Legend hall picks=showing.picks/>
                        {move || (!is_full.get()).then(|| view! { <Suggest showing/> })}
                        <p class="hint hall-hint">
                            {move || Key::HallHint.fill(&[&seats_max.get().to_string()])}
                        </p>
                    },
                    (_, false) => any_view! {
                        <HallView hall picks=showing.picks/>
                        <Legend hall picks=showing.picks/>
                    },
                }}
            </section>
            {move || match (is_open.get(), is_full.get()) {
                (true, true) => any_view! { <div class="checkout"><WaitingView showing/></div> },
                (true, false) => any_view! { <Checkout showing/> },
                (false, _) => any_view! { <Closed showing/> },
            }}
        </div>
    }
}

/// Links to the reader's reservations of this showing.
#[component]
fn OwnSeats(showing: Showing) -> impl IntoView {
    let link = |own: Reservation| {
        let href = reservation_route(&own).hash();
        let ids: Vec<_> = own.seats.into_iter().map(|it| it.seat_id).collect();
        let text = move || Key::OwnSeats.fill(&[&ids.join(Lang::spoken().comma())]);
        view! { <p class="notice is-calm"><a href=href>{text}</a></p> }
    };
    move || showing.own.get().into_iter().map(link).collect_view()
}

fn reservation_route(own: &Reservation) -> Route {
    At::Reservation(own.reservation_id.clone()).route()
}

/// Replaces the checkout once the film has begun, or while the cinema sells no seats for it.
#[component]
fn Closed(showing: Showing) -> impl IntoView {
    let is_paused = Memo::new(move |_| {
        showing.map.with(|map| {
            let showtime = map.ready().and_then(|it| it.showtime.as_ref());
            showtime.is_some_and(|it| it.is_sales_closed)
        })
    });
    let (title, text) = (
        move || if is_paused.get() { Key::SalesClosed } else { Key::SeatsStarted },
        move || if is_paused.get() { Key::SalesClosedHint } else { Key::ErrShowtimeClosed },
    );
    view! {
        <section class="checkout" aria-labelledby="closed-title">
            <h2 id="closed-title" class="section-title">{move || title().say()}</h2>
            <p>{move || text().say()}</p>
        </section>
    }
}

/// Film, time and place of the showing, and the way back.
#[component]
pub(super) fn Facts(showing: Showing) -> impl IntoView {
    let showtime = Memo::new(move |_| {
        showing.map.with(|it| it.ready().and_then(|it| it.showtime.clone()).unwrap_or_default())
    });
    let title = move || title_of(showing.office, &showtime.get());
    let back = move || {
        let date = page().route.with(|route| match At::from_route(route) {
            Some(At::BoxOffice(booking)) => booking.date,
            _ => None,
        });
        At::BoxOffice(Booking { date, showtime: None }).hash()
    };
    let times = move || {
        showtime.with(|showtime| {
            let (start, lang) = (showtime.start_time.as_str(), Lang::spoken());
            let end =
                showtime.end_time.as_deref().map(|it| Key::UntilTime.fill(&[dates::clock(it)]));
            let times = format!("{}{}", dates::day_and_time(start, lang), end.unwrap_or_default());
            dates::zoned(times, start, Zone::shared().0.get().as_deref(), lang)
        })
    };
    let screen = move || {
        showtime.with(|showtime| {
            name(
                showtime.theater_name.as_deref(),
                showtime.theater_name_en.as_deref(),
                Lang::spoken(),
            )
        })
    };
    view! {
        <div class="facts">
            <a class="back" href=back>{Key::Change}</a>
            <h1 tabindex="-1" id="stage">{title}</h1>
            <p class="facts-line">
                <span>{times}</span>
                <span>{screen}</span>
            </p>
        </div>
    }
}

/// The film's title in the reader's language if the programme is loaded, else the host's title.
fn title_of(office: Office, showtime: &Showtime) -> String {
    let lang = Lang::spoken();
    let known = office.programme.with(|programme| {
        let film = programme.ready()?.films.iter().find(|it| it.movie_id == showtime.movie_id)?;
        Some(titles(film, lang).0)
    });
    let title = known.or_else(|| showtime.movie_title.clone());
    title.unwrap_or_else(|| Key::ChooseSeats.say().to_owned())
}
