//! Booking: day, film and showtime; then the seats; then the ticket.

mod browse;
mod checkout;
mod hold;
mod seats;
mod suggest;
mod waiting;

use std::collections::HashMap;

use leptos::prelude::*;
use output::cinema::{Movie, Reservation};
use serde_json::{Value, json};

use crate::browser::Keep;
use crate::call::{Loaded, fetch};
use crate::error::CallError;
use crate::families::cinema::RESERVATIONS;
use crate::families::cinema::hall::Picks;
use crate::families::cinema::place::At;
use crate::families::cinema::programme::Programme;
use crate::page::{lasting, page};
use crate::part::{Part, part};
use crate::route::FamilyRoute;
use crate::table::{Draw, fits, listed, text};
use crate::text::Key;
use crate::views::part::drawn_by;
use browse::Browse;
pub(crate) use browse::{FindReservation, seats_of};
use seats::Seats;

/// State kept while the reader visits other views.
#[derive(Clone, Copy)]
pub(crate) struct Office {
    pub(crate) programme: RwSignal<Loaded<Programme>>,
    /// Films whose showtimes are being fetched.
    announced: RwSignal<Vec<Movie>>,
    pub(crate) query: RwSignal<String>,
    /// The person to reserve for.
    pub(crate) name: RwSignal<String>,
}

/// State of the seat selection.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    /// The picked seats by showtime.
    picks: StoredValue<HashMap<String, Picks>>,
    /// The reservation just made, whose ticket need not be fetched.
    pub(crate) fresh: RwSignal<Option<Reservation>>,
}

impl Office {
    pub(crate) fn new() -> Self {
        Self {
            programme: RwSignal::new(Loaded::Loading),
            announced: RwSignal::new(Vec::new()),
            query: RwSignal::new(String::new()),
            name: RwSignal::new(stored_name()),
        }
    }

    /// Fetches the programme if it is not loaded: it has the titles in both languages.
    pub(crate) fn know_programme(self) {
        if self.programme.with_untracked(|it| it.ready().is_none()) {
            leptos::task::spawn_local(browse::load(self));
        }
    }
}

impl Chosen {
    /// Returns the page's own instance.
    pub(crate) fn shared() -> Self {
        lasting(|| Self { picks: StoredValue::new(HashMap::new()), fresh: RwSignal::new(None) })
    }

    /// The picked seats of a showing.
    fn picks(self, showtime: &str) -> Option<Picks> {
        self.picks.with_value(|picks| picks.get(showtime).cloned())
    }

    /// Stores the picked seats of a showing.
    fn keep_picks(self, showtime: &str, picks: &Picks) {
        self.picks.update_value(|all| {
            all.insert(showtime.to_owned(), picks.clone());
        });
    }
}

/// Maximum number of names to find reservations by.
const NAMES_MAX: usize = 5;

/// Keeps the name of a reservation that was made here, for the next one and to find it by.
pub(crate) fn keep_name(name: &str) {
    Keep::Tab.put("name", &name);
    Keep::Browser.put("names", &stored_names());
}

/// The name typed in this tab, else that of the last reservation; empty if neither is known.
pub(crate) fn stored_name() -> String {
    stored_names().into_iter().next().unwrap_or_default()
}

/// The name typed in this tab, and those of reservations made here, the latest first.
fn stored_names() -> Vec<String> {
    kept_names(Keep::Tab.get("name"))
}

/// The names of reservations made here, the latest first, behind the given one.
pub(crate) fn kept_names(first: Option<String>) -> Vec<String> {
    let kept = Keep::Browser.get::<Vec<String>>("names").unwrap_or_default();
    // Earlier versions of the page kept one name.
    let formerly = Keep::Browser.get("name");
    let mut names = Vec::new();
    for name in first.into_iter().chain(kept).chain(formerly) {
        if !name.is_empty() && !names.contains(&name) && names.len() < NAMES_MAX {
            names.push(name);
        }
    }
    names
}

/// The reservations of a showing in that name. Of others, nothing is parsed.
async fn reservations_of(user: &str, showtime: &str) -> Result<Vec<Reservation>, CallError> {
    let found: Value = fetch(RESERVATIONS, json!({ "user_id": user })).await?;
    let is_its = |it: &&Value| text(it, "showtime_id") == Some(showtime);
    Ok(listed(&found, "reservations").iter().filter(is_its).filter_map(fits).collect())
}

pub(crate) static SEATS: Part<Draw> = part!(cinema: Draw = &Draw(|showtime| {
    any_view! { <Seats showtime=showtime.to_owned()/> }
}));

/// Draws the booking stage of the address.
#[component]
pub(crate) fn BoxOffice() -> impl IntoView {
    let showtime = Memo::new(move |_| {
        page().route.with(|route| match At::from_route(route) {
            Some(At::BoxOffice(booking)) => booking.showtime,
            _ => None,
        })
    });
    view! {
        <div class="office">
            {move || match showtime.get() {
                Some(showtime) => drawn_by(&SEATS, move |it| (it.0)(&showtime)),
                None => any_view! { <Browse/> },
            }}
        </div>
    }
}

/// The steps of a booking; the last is the ticket.
#[component]
pub(crate) fn Steps(
    /// 0 for the film, 1 for the seats, 2 for the ticket.
    now: usize,
) -> impl IntoView {
    let step = move |(index, key): (usize, Key)| {
        let class = match index.cmp(&now) {
            std::cmp::Ordering::Less => "step is-done",
            std::cmp::Ordering::Equal => "step is-now",
            std::cmp::Ordering::Greater => "step",
        };
        view! {
            <li class=class aria-current=(index == now).then_some("step")>
                <span class="step-number" aria-hidden="true">{index + 1}</span>
                <span>{key}</span>
            </li>
        }
    };
    let steps = [Key::StepFilm, Key::StepSeats, Key::StepTicket];
    view! {
        <ol class="steps" aria-label=Key::Steps>
            {steps.into_iter().enumerate().map(step).collect_view()}
        </ol>
    }
}
