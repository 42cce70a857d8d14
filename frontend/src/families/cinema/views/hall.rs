//! A hall seen from above: an ARIA grid with one tab stop and pickable seats.

use std::collections::HashMap;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use output::cinema::{PriceList, Seat, SeatKind};

use crate::browser;
use crate::families::cinema::hall::{Cursor, Hall, Picks, Place, Row, Step};
use crate::families::cinema::look::{State, kind_class, seat_class};
use crate::families::cinema::programme::price;
use crate::part::{Part, part};
use crate::text::{Key, Lang};
use crate::views::part::drawn_by;

mod large;

/// Draws a hall with too many seats for elements.
struct Large(fn(Drawn) -> AnyView);

static LARGE: Part<Large> =
    part!(hall: Large = &Large(|drawn| any_view! { <large::LargeHall drawn/> }));

/// What the seats of a drawn hall need to know.
#[derive(Clone, Copy)]
struct Drawn {
    hall: Memo<Hall>,
    states: Memo<HashMap<String, State>>,
    prices: Memo<Option<PriceList>>,
    picks: RwSignal<Picks>,
    cursor: RwSignal<Cursor>,
    on_pick: Option<Callback<Seat>>,
    /// Distinguishes the seats of two halls on one page.
    name: &'static str,
    number: u32,
}

/// Draws the hall; read-only without `on_pick`.
#[component]
pub(crate) fn HallView(
    hall: Memo<Hall>,
    /// The seats picked and lost.
    picks: RwSignal<Picks>,
    /// Called for a chosen seat.
    #[prop(optional, into)]
    on_pick: Option<Callback<Seat>>,
    /// Distinguishes the seats of two halls on one page.
    #[prop(default = "seat")]
    name: &'static str,
    /// Distinguishes the halls of one conversation.
    #[prop(optional)]
    number: u32,
) -> impl IntoView {
    // Each seat follows its own state alone.
    let states = Memo::new(move |_| {
        let state = |place: &Place| {
            let state = picks.with(|picks| State::for_seat(&place.seat, picks));
            (place.seat.seat_id.clone(), state)
        };
        hall.with(|it| it.places().map(state).collect())
    });
    let cursor = RwSignal::new(hall.with_untracked(Hall::first));
    let prices = Memo::new(move |_| hall.with(|it| it.prices.clone()));
    let drawn = Drawn { hall, states, prices, picks, cursor, on_pick, name, number };
    // A hall of another shape may have no seat at the cursor.
    Effect::new(move |_| {
        hall.with(|hall| {
            if hall.at(cursor.get_untracked()).is_none() {
                cursor.set(hall.first());
            }
        });
    });
    show_picked(drawn);
    let is_large = Memo::new(move |_| hall.with(Hall::is_large));
    let left_out = Memo::new(move |_| hall.with(|it| it.left_out));
    view! {
        {move || if is_large.get() {
            drawn_by(&LARGE, move |it| (it.0)(drawn))
        } else {
            any_view! { <SmallHall drawn/> }
        }}
        {move || (left_out.get() > 0).then(|| view! {
            <p class="notice">{Key::HallLeftOut.fill(&[&left_out.get().to_string()])}</p>
        })}
    }
}

/// Shows seats that were picked for the reader, elsewhere than at the cursor: by the cinema, or before a reload.
fn show_picked(drawn: Drawn) {
    let Drawn { hall, picks, cursor, .. } = drawn;
    Effect::new(move |before: Option<Picks>| {
        let (now, is_first) = (picks.get(), before.is_none());
        let added = hall.with_untracked(|hall| now.added(&before.unwrap_or_default(), hall));
        if let (Some(&first), Some(&last)) = (added.first(), added.last())
            && !added.contains(&cursor.get_untracked())
        {
            cursor.set(first);
            // What was picked before is drawn in the middle.
            if !is_first {
                request_animation_frame(move || {
                    for at in [last, first] {
                        browser::reveal(&drawn.id(at));
                    }
                });
            }
        }
        now
    });
}

/// Names the picked seats that another user took.
pub(crate) fn lost_text(ids: &[String], is_all: bool, lang: Lang) -> String {
    let key = if is_all { Key::LostAll } else { Key::LostSeats };
    lang.fill(key, &[&ids.join(lang.comma())])
}

/// A hall with a button per seat.
#[component]
fn SmallHall(drawn: Drawn) -> impl IntoView {
    let Drawn { hall, .. } = drawn;
    let rows = Memo::new(move |_| hall.with(shape));
    let scroll = NodeRef::<leptos::html::Div>::new();
    let (is_wide, is_whole) = (RwSignal::new(false), RwSignal::new(false));
    begin_in_the_middle(drawn, scroll, is_wide, is_whole);
    view! {
        <div class="hall" class:is-whole=is_whole>
            <WideHallTools drawn is_wide is_whole/>
            <div class="hall-scroll" node_ref=scroll>
                <div class="hall-plan" style=("--columns", move || hall.with(|it| it.columns).to_string())>
                    <div class="screen" aria-hidden="true"><span>{Key::Screen}</span></div>
                    <div class="hall-grid" role="grid" aria-multiselectable="true"
                        aria-readonly=drawn.on_pick.is_none().then_some("true")
                        aria-label=Key::HallGrid
                        aria-colcount=move || (hall.with(|it| it.columns) + 1).to_string()
                        on:keydown=move |event| drawn.key(&event)>
                        <For each=move || rows.get().into_iter().enumerate()
                            key=|(index, row)| (*index, key_of(row)) let((index, row))>
                            <RowView drawn index row/>
                        </For>
                    </div>
                </div>
            </div>
        </div>
    }
}

/// Scrolls a hall that is wider than the window to the picked seats, else to its middle, where people like to sit, and
/// marks it as too wide.
fn begin_in_the_middle(
    drawn: Drawn,
    scroll: NodeRef<leptos::html::Div>,
    is_wide: RwSignal<bool>,
    is_whole: RwSignal<bool>,
) {
    let look = move |is_first: bool| {
        let Some(Some(scroll)) = scroll.try_get_untracked() else { return };
        let beyond = scroll.scroll_width() - scroll.client_width();
        if is_first {
            let Drawn { hall, picks, .. } = drawn;
            let picked = hall.with_untracked(|hall| {
                picks.with_untracked(|it| it.added(&Picks::default(), hall).first().copied())
            });
            scroll.set_scroll_left(beyond / 2);
            if let Some(at) = picked {
                browser::centre(&scroll, &drawn.id(at));
            }
        }
        // The button that leaves the overview stays; an unchanged state is not redrawn.
        let is_now = beyond > 1 || is_whole.get_untracked();
        if is_wide.get_untracked() != is_now {
            is_wide.set(is_now);
        }
    };
    Effect::new(move |_| {
        if scroll.get().is_some() {
            request_animation_frame(move || look(true));
        }
    });
    Effect::new(move |_| {
        is_whole.track();
        request_animation_frame(move || look(false));
    });
    let resized = window_event_listener(leptos::ev::resize, move |_| look(false));
    on_cleanup(move || resized.remove());
}

/// Helps to see all of a hall wider than the window: an overview, and links to the wheelchair places at its edges.
#[component]
fn WideHallTools(drawn: Drawn, is_wide: RwSignal<bool>, is_whole: RwSignal<bool>) -> impl IntoView {
    let wheelchair = Memo::new(move |_| drawn.hall.with(Hall::wheelchair));
    let show = move |_| {
        if let Some(to) = wheelchair.get_untracked() {
            is_whole.set(false);
            drawn.cursor.set(to);
            let id = drawn.id(to);
            // Its position is known once the seats have their full size again.
            request_animation_frame(move || {
                browser::reveal_in_the_middle(&id);
                browser::focus(&id);
            });
        }
    };
    move || {
        is_wide.get().then(|| {
            view! {
                <div class="hall-sights">
                    <p class="hint">{Key::HallScrolls}</p>
                    <button type="button" class="quiet small"
                        aria-pressed=move || is_whole.get().to_string()
                        on:click=move |_| is_whole.update(|it| *it = !*it)>{Key::HallWhole}</button>
                    {move || wheelchair.get().is_some().then(|| view! {
                        <button type="button" class="quiet small" on:click=show>{Key::HallWheelchair}</button>
                    })}
                </div>
            }
        })
    }
}

/// The rows without seat states, so that they are drawn once.
fn shape(hall: &Hall) -> Vec<Row> {
    let place = |place: &Place| Place {
        seat: Seat { is_reserved: false, is_held: false, is_mine: false, ..place.seat.clone() },
        column: place.column,
    };
    let row =
        |row: &Row| Row { name: row.name.clone(), places: row.places.iter().map(place).collect() };
    hall.rows.iter().map(row).collect()
}

fn key_of(row: &Row) -> Vec<(String, u32, u8)> {
    let place = |it: &Place| (it.seat.seat_id.clone(), it.column, it.seat.kind as u8);
    row.places.iter().map(place).collect()
}

impl Drawn {
    /// Handles a key. Returns where it moved the cursor, if it did.
    fn moved(self, event: &KeyboardEvent) -> Option<Cursor> {
        if browser::is_composing(event) {
            return None;
        }
        let key = event.key();
        let is_choice = key == " " || key == "Enter";
        let has_modifier = event.alt_key() || event.shift_key();
        let step = Step::of_key(&key, event.ctrl_key() || event.meta_key());
        if let Some(step) = step.filter(|_| !has_modifier) {
            event.prevent_default();
            let to = self.hall.with_untracked(|it| it.step(self.cursor.get_untracked(), step));
            self.cursor.set(to);
            return Some(to);
        }
        if is_choice {
            // The button's own click would choose a second time.
            event.prevent_default();
            self.choose(self.cursor.get_untracked());
        }
        None
    }

    fn key(self, event: &KeyboardEvent) {
        if let Some(to) = self.moved(event) {
            browser::focus(&self.id(to));
        }
    }

    fn choose(self, at: Cursor) {
        self.cursor.set(at);
        let seat = self.hall.with_untracked(|it| it.at(at).map(|it| it.seat.clone()));
        if let (Some(seat), Some(pick)) = (seat, self.on_pick) {
            pick.run(seat);
        }
    }

    fn id(self, at: Cursor) -> String {
        let name = self.name;
        match self.number {
            0 => format!("{name}-{}-{}", at.row, at.place),
            number => format!("{name}{number}-{}-{}", at.row, at.place),
        }
    }

    /// Text of a seat: name, state, kind and price.
    fn label(self, row: &str, number: u32, kind: SeatKind, state: State) -> String {
        let mut parts =
            vec![Key::SeatName.fill(&[row, &number.to_string()]), state.key().say().to_owned()];
        parts.extend(kind_key(kind).map(|it| it.say().to_owned()));
        let lang = Lang::spoken();
        let cost = self.prices.with(|it| it.as_ref().map(|it| it.of(kind)));
        parts.extend(cost.map(|it| price(&it, lang)));
        parts.join(lang.comma())
    }
}

impl State {
    fn key(self) -> Key {
        match self {
            Self::Free => Key::SeatFree,
            Self::Picked => Key::SeatPicked,
            Self::Taken => Key::SeatTaken,
            Self::Own => Key::SeatOwn,
            Self::Held => Key::SeatHeld,
            Self::Offered => Key::SeatOffered,
            Self::Lost => Key::SeatLost,
        }
    }
}

fn kind_key(kind: SeatKind) -> Option<Key> {
    match kind {
        SeatKind::Standard => None,
        SeatKind::Premium => Some(Key::KindPremium),
        SeatKind::Wheelchair => Some(Key::KindWheelchair),
        SeatKind::Companion => Some(Key::KindCompanion),
        SeatKind::Pair => Some(Key::KindPair),
    }
}

#[component]
fn RowView(drawn: Drawn, index: usize, row: Row) -> impl IntoView {
    let name = row.name.clone();
    let long_name = move || Key::RowName.fill(&[&name]);
    let seat = move |(place, seat): (usize, Place)| {
        view! { <SeatView drawn at=Cursor { row: index, place } place=seat/> }
    };
    view! {
        <div class="hall-row" role="row">
            <span class="row-name" role="rowheader" aria-label=long_name aria-colindex="1">
                {row.name.clone()}
            </span>
            {row.places.into_iter().enumerate().map(seat).collect_view()}
        </div>
    }
}

#[component]
fn SeatView(drawn: Drawn, at: Cursor, place: Place) -> impl IntoView {
    let Place { seat, column } = place;
    let id = seat.seat_id.clone();
    let state =
        Memo::new(move |_| drawn.states.with(|it| it.get(&id).copied().unwrap_or(State::Free)));
    let kind = seat.kind;
    let (row, number) = (seat.row.clone(), seat.number);
    let label = move || drawn.label(&row, number, kind, state.get());
    let kind_class = seat_class(&seat);
    let class = move || format!("seat {} {kind_class}", state.get().class());
    view! {
        <button type="button" class=class role="gridcell" id=drawn.id(at)
            style=("grid-column", (column + 1).to_string())
            aria-colindex=(column + 1).to_string()
            tabindex=move || if drawn.cursor.get() == at { "0" } else { "-1" }
            aria-selected=move || (state.get() == State::Picked).to_string()
            aria-disabled=move || state.get().is_gone().then_some("true")
            aria-label=label
            data-seat=seat.seat_id
            on:click=move |_| drawn.choose(at)><SeatMark state kind number/></button>
    }
}

/// A mark that does not rely on colour: a number, a tick, a cross, a wheelchair.
#[component]
fn SeatMark(#[prop(into)] state: Signal<State>, kind: SeatKind, number: u32) -> impl IntoView {
    move || match (state.get(), kind) {
        (State::Picked | State::Own, _) => any_view! { <Mark path="M5 12.5l4.5 4.5L19 7.5"/> },
        (State::Lost, _) => any_view! { <Mark path="M12 6v7.5M12 17v.5"/> },
        (State::Taken, _) => any_view! { <Mark path="M7.5 7.5l9 9M16.5 7.5l-9 9"/> },
        (State::Held | State::Offered, _) => any_view! { <Mark path="M12 6.5v6l4 2.5"/> },
        (State::Free, SeatKind::Wheelchair) => any_view! {
            <Mark path="M10 4.5v.1M10 8v6h5l2 5M10 10.5h4M8 12a4.5 4.5 0 1 0 6 6"/>
        },
        (State::Free, _) => any_view! { <span aria-hidden="true">{number}</span> },
    }
}

#[component]
fn Mark(path: &'static str) -> impl IntoView {
    view! {
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d=path></path>
        </svg>
    }
}

/// Legend of the marks and colours of the kinds in this hall.
#[component]
pub(crate) fn Legend(hall: Memo<Hall>, picks: RwSignal<Picks>) -> impl IntoView {
    let has = move |kind| hall.with(|it| it.places().any(|it| it.seat.kind == kind));
    let has_state = move |state: State| {
        picks.with(|picks| {
            let is_such = |it: &Place| State::for_seat(&it.seat, picks) == state;
            hall.with(|hall| hall.places().any(is_such))
        })
    };
    let entry = move |state: State, kind: SeatKind, key: Key| {
        let class = format!("seat {} {}", state.class(), kind_class(kind));
        view! {
            <li>
                <span class=class aria-hidden="true"><SeatMark state=Signal::from(state) kind number=1/></span>
                {key}
                {move || (state == State::Free).then(|| hall.with(|it| it.price(kind)))
                    .flatten().map(|it| format!(" {}", price(&it, Lang::spoken())))}
            </li>
        }
    };
    // Entries of states that only some halls have.
    let [own, lost, held, offered] = [
        (State::Own, Key::SeatOwn),
        (State::Lost, Key::SeatLost),
        (State::Held, Key::SeatHeld),
        (State::Offered, Key::SeatOffered),
    ]
    .map(|(state, key)| {
        let is_there = Memo::new(move |_| has_state(state));
        move || is_there.get().then(|| entry(state, SeatKind::Standard, key))
    });
    view! {
        <ul class="legend" aria-label=Key::Legend>
            {entry(State::Free, SeatKind::Standard, Key::SeatFree)}
            {entry(State::Picked, SeatKind::Standard, Key::SeatPicked)}
            {entry(State::Taken, SeatKind::Standard, Key::SeatTaken)}
            {own}{lost}{held}{offered}
            {[
                (SeatKind::Premium, Key::KindPremium),
                (SeatKind::Pair, Key::KindPair),
                (SeatKind::Wheelchair, Key::KindWheelchair),
                (SeatKind::Companion, Key::KindCompanion),
            ].map(|(kind, key)| move || has(kind).then(|| entry(State::Free, kind, key))).collect_view()}
        </ul>
    }
}
