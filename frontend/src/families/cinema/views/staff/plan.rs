//! The editor of a screen's seats: one grid with one tab stop, drawn by mouse or by keyboard.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::browser;
use crate::families::cinema::hall::Step;
use crate::families::cinema::staff::layout::{Fault, Layout, Sign, Spot};
use crate::families::cinema::staff::words::Text;
use crate::page::page;
use crate::text::{Key, Lang};

/// Id of the list of faults.
pub(super) const FAULTS: &str = "staff-faults";
const HINT: &str = "staff-plan-hint";

/// A screen being edited, and the selected kind of place.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) layout: RwSignal<Layout>,
    cursor: RwSignal<Spot>,
    /// The kind that a click sets.
    sign: RwSignal<Sign>,
}

impl Sign {
    fn label(self) -> Text {
        match self {
            Self::None => Text::KindNone,
            Self::Seat => Text::KindSeat,
            Self::Premium => Text::KindPremium,
            Self::Wheelchair => Text::KindWheelchair,
            Self::Companion => Text::KindCompanion,
            Self::Pair => Text::KindPair,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::None => "seat staff-gap",
            Self::Seat => "seat is-standard",
            Self::Premium => "seat is-premium",
            Self::Wheelchair => "seat is-wheelchair",
            Self::Companion => "seat is-companion",
            Self::Pair => "seat is-pair",
        }
    }
}

impl Plan {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            layout: RwSignal::new(layout),
            cursor: RwSignal::new(Spot::default()),
            sign: RwSignal::new(Sign::Seat),
        }
    }

    /// Whether a fault prevents saving.
    pub(super) fn is_wrong(self) -> bool {
        self.layout.with_untracked(|it| it.faults().iter().any(|it| it.is_grave()))
    }

    /// Label of a place: its kind and position.
    fn named(self, spot: Spot) -> String {
        let (sign, number, letter, is_aisle) = self.layout.with(|layout| {
            (
                layout.at(spot),
                layout.number(spot),
                layout.letter(spot.row),
                layout.is_aisle(spot.column),
            )
        });
        let (letter, place) = (letter.to_string(), (spot.column + 1).to_string());
        let kind = sign.label().say();
        match number {
            Some(number) => Text::PlaceNumbered.fill(&[&letter, &number.to_string(), kind]),
            None if is_aisle => Text::PlaceAisle.fill(&[&letter, &place]),
            None => Text::PlaceName.fill(&[&letter, &place, kind]),
        }
    }

    fn id(spot: Spot) -> String {
        format!("plan-{}-{}", spot.row, spot.column)
    }

    fn go(self, to: Spot) {
        self.cursor.set(to);
        browser::focus(&Self::id(to));
    }

    /// Sets a place within the current stroke.
    fn paint(self, spot: Spot, sign: Sign) {
        if self.layout.with_untracked(|it| it.at(spot) != sign) {
            self.layout.update(|layout| {
                layout.paint(spot, sign);
            });
        }
    }

    /// Sets the place at the cursor by key, as one stroke, and announces it.
    fn put(self, sign: Sign) {
        let spot = self.cursor.get_untracked();
        self.layout.update_untracked(Layout::begin);
        self.paint(spot, sign);
        page().announce(untrack(|| self.named(spot)));
    }

    /// Changes the plan by a button and announces the change, or why it is impossible.
    fn change(
        self,
        change: impl FnOnce(&mut Layout) -> bool,
        done: impl FnOnce(&Layout) -> (Text, String),
        not: Text,
    ) {
        let mut is_done = false;
        self.layout.update(|it| is_done = change(it));
        if !is_done {
            return not.announce(&[]);
        }
        self.cursor.update(|it| *it = self.layout.with_untracked(|all| all.within(*it)));
        let (label, value) = self.layout.with_untracked(done);
        label.announce(&[&value]);
    }

    fn undo(self) {
        self.change(Layout::undo, |_| (Text::Undone, String::new()), Text::UndoNone);
    }

    fn redo(self) {
        self.change(Layout::redo, |_| (Text::Redone, String::new()), Text::RedoNone);
    }

    fn key(self, event: &KeyboardEvent) {
        if browser::is_composing(event) {
            return;
        }
        let (key, is_shifted) = (event.key(), event.shift_key());
        let has_control = event.ctrl_key() || event.meta_key();
        let step = Step::of_key(&key, has_control).filter(|_| !event.alt_key());
        match (key.as_str(), step) {
            // All places set while Shift is down are one stroke.
            ("Shift", _) if !event.repeat() => self.layout.update_untracked(Layout::begin),
            ("z" | "Z", _) if has_control => {
                event.prevent_default();
                if is_shifted { self.redo() } else { self.undo() }
            }
            ("y" | "Y", _) if has_control => {
                event.prevent_default();
                self.redo();
            }
            (_, Some(step)) => {
                event.prevent_default();
                let from = self.cursor.get_untracked();
                let to = self.layout.with_untracked(|it| it.step(from, step));
                if is_shifted {
                    let sign = self.sign.get_untracked();
                    self.paint(from, sign);
                    self.paint(to, sign);
                }
                self.go(to);
            }
            (_, None) if has_control || event.alt_key() => {}
            (" " | "Enter", None) => {
                event.prevent_default();
                self.put(self.sign.get_untracked());
            }
            (key, None) => {
                if let Some(sign) = Sign::of_key(key) {
                    event.prevent_default();
                    self.put(sign);
                }
            }
        }
    }

    /// Handles the mouse button on a place, or the mouse entering one with the button down.
    fn draw(self, event: &MouseEvent, is_first: bool) {
        let Some(spot) = spot_of(event).filter(|_| event.buttons() & 1 == 1) else { return };
        // Prevents text selection and dragging.
        event.prevent_default();
        if is_first {
            self.layout.update_untracked(Layout::begin);
        }
        self.paint(spot, self.sign.get_untracked());
        self.go(spot);
    }
}

/// The place of an event.
fn spot_of(event: &MouseEvent) -> Option<Spot> {
    let element = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    let cell = element.closest("[data-spot]").ok()??;
    let (row, column) = cell
        .get_attribute("data-spot")?
        .split_once(' ')
        .map(|(row, column)| (row.parse().ok(), column.parse().ok()))?;
    Some(Spot { row: row?, column: column? })
}

/// The kinds, the plan, and its sums.
#[component]
pub(super) fn PlanView(plan: Plan) -> impl IntoView {
    let kinds = move |sign: Sign| {
        let letter =
            if sign == Sign::None { "Delete".to_owned() } else { sign.letter().to_string() };
        view! {
            <label class="staff-kind">
                <input type="radio" name="staff-kind" prop:checked=move || plan.sign.get() == sign
                    on:change=move |_| plan.sign.set(sign)/>
                <span class=sign.class() aria-hidden="true"></span>
                <span>{sign.label()}</span>
                <kbd aria-hidden="true">{letter}</kbd>
            </label>
        }
    };
    let keys =
        Sign::ALL.into_iter().filter(|it| *it != Sign::None).map(|it| it.letter().to_string());
    let keys = StoredValue::new(keys.collect::<Vec<_>>());
    let hint = move || {
        let keys = keys.with_value(|it| it.join(Lang::spoken().comma()));
        Text::PlanHint.fill(&[&keys])
    };
    view! {
        <div class="staff-plan" role="group" aria-labelledby="staff-plan">
            <h4 id="staff-plan">{Text::Plan}</h4>
            <p class="hint" id=HINT>{hint}</p>
            <fieldset class="staff-kinds">
                <legend class="only-heard">{Text::Kinds}</legend>
                {Sign::ALL.map(kinds).into_iter().collect_view()}
            </fieldset>
            <Tools plan/>
            <Grid plan/>
            <Sums plan/>
        </div>
    }
}

/// Buttons to add and remove rows and columns, undo and redo.
#[component]
fn Tools(plan: Plan) -> impl IntoView {
    let column = move || plan.cursor.get_untracked().column;
    let wide = |it: &Layout| it.columns().to_string();
    let letter = move || plan.layout.with(|it| it.letter(plan.cursor.get().row)).to_string();
    let button = move |label: Text, act: fn(Plan)| {
        view! {
            <button type="button" class="quiet small" on:click=move |_| act(plan)>{label}</button>
        }
    };
    let add = move |is_aisle: bool| {
        let at = column();
        let change = |it: &mut Layout| it.add_column(at, is_aisle);
        plan.change(change, |it| (Text::ColumnAdded, wide(it)), Text::PlanFull);
    };
    let remove_column = move |_| {
        let at = column();
        let change = |it: &mut Layout| it.remove_column(at);
        plan.change(change, |it| (Text::ColumnRemoved, wide(it)), Text::PlanLeast);
    };
    let remove_row = move |_| {
        let (row, letter) = (plan.cursor.get_untracked().row, untrack(letter));
        let change = |it: &mut Layout| it.remove_row(row);
        plan.change(change, |_| (Text::RowRemoved, letter), Text::PlanLeast);
    };
    let has_rows = Memo::new(move |_| plan.layout.with(|it| it.rows() > 0));
    view! {
        <div class="staff-tools">
            {button(Text::AddRow, |plan| {
                let last = |it: &Layout| it.letter(it.rows().saturating_sub(1)).to_string();
                plan.change(Layout::add_row, |it| (Text::RowAdded, last(it)), Text::PlanFull);
            })}
            {move || has_rows.get().then(|| view! {
                <button type="button" class="quiet small" on:click=remove_row>
                    {move || Text::RemoveRow.fill(&[&letter()])}
                </button>
            })}
            <button type="button" class="quiet small" on:click=move |_| add(true)>{Text::AddAisle}</button>
            <button type="button" class="quiet small" on:click=move |_| add(false)>{Text::AddColumn}</button>
            <button type="button" class="quiet small" on:click=remove_column>{Text::RemoveColumn}</button>
            <button type="button" class="quiet small" on:click=move |_| plan.undo()
                aria-disabled=move || (!plan.layout.with(Layout::can_undo)).to_string()>{Text::Undo}</button>
            <button type="button" class="quiet small" on:click=move |_| plan.redo()
                aria-disabled=move || (!plan.layout.with(Layout::can_redo)).to_string()>{Text::Redo}</button>
        </div>
    }
}

#[component]
fn Grid(plan: Plan) -> impl IntoView {
    let shape = Memo::new(move |_| {
        plan.layout
            .with(|it| ((0..it.rows()).map(|row| it.letter(row)).collect::<Vec<_>>(), it.columns()))
    });
    let label = move || {
        let (rows, columns) = shape.with(|it| (it.0.len().to_string(), it.1.to_string()));
        Text::PlanGrid.fill(&[&rows, &columns])
    };
    view! {
        <div class="hall">
            <div class="hall-scroll">
                <div class="hall-plan" style=("--columns", move || shape.with(|it| it.1).to_string())>
                    <div class="screen" aria-hidden="true"><span>{Key::Screen}</span></div>
                    <div class="hall-grid" role="grid" aria-label=label aria-describedby=HINT
                        on:keydown=move |event| plan.key(&event)
                        on:mousedown=move |event| plan.draw(&event, true)
                        on:mouseover=move |event| plan.draw(&event, false)>
                        {move || {
                            let (letters, columns) = shape.get();
                            letters.into_iter().enumerate().map(|(row, letter)| view! {
                                <div class="hall-row" role="row">
                                    <span class="row-name" role="rowheader">{letter.to_string()}</span>
                                    {(0..columns).map(|column| {
                                        view! { <Cell plan spot=Spot { row, column }/> }
                                    }).collect_view()}
                                </div>
                            }).collect_view()
                        }}
                    </div>
                </div>
            </div>
        </div>
    }
}

#[component]
fn Cell(plan: Plan, spot: Spot) -> impl IntoView {
    // The layout changes with each stroke; a place is redrawn only if it has changed itself.
    let drawn = Memo::new(move |_| {
        plan.layout.with(|it| (it.at(spot), it.number(spot), it.is_aisle(spot.column)))
    });
    let class = move || match drawn.get() {
        (Sign::None, _, true) => "seat staff-gap is-aisle",
        (sign, ..) => sign.class(),
    };
    let label = move || {
        drawn.track();
        page().lang.track();
        untrack(|| plan.named(spot))
    };
    view! {
        <div class=class role="gridcell" id=Plan::id(spot)
            data-spot=format!("{} {}", spot.row, spot.column)
            style=("grid-column", (spot.column + 2).to_string())
            tabindex=move || if plan.cursor.get() == spot { "0" } else { "-1" }
            on:focus=move |_| if plan.cursor.get_untracked() != spot { plan.cursor.set(spot) }
            aria-label=label><span aria-hidden="true">{move || drawn.get().1}</span></div>
    }
}

/// The number of places of each kind, and the faults.
#[component]
fn Sums(plan: Plan) -> impl IntoView {
    let counts = Memo::new(move |_| plan.layout.with(Layout::counts));
    let total = move || counts.with(|it| it.iter().map(|it| it.1).sum::<usize>()).to_string();
    let count = move |(sign, count): (Sign, usize)| {
        let kind = sign.label().say();
        view! { <li>{Text::CountOf.fill(&[kind, &count.to_string()])}</li> }
    };
    let faults = Memo::new(move |_| plan.layout.with(Layout::faults));
    let fault = move |fault: Fault| {
        let (label, letter) = match fault {
            Fault::Empty(letter) => (Text::FaultEmpty, letter),
            Fault::OddPairs(letter) => (Text::FaultPairs, letter),
            Fault::LoneCompanion(letter) => (Text::FaultCompanion, letter),
        };
        let class = if fault.is_grave() { "error" } else { "hint" };
        view! { <li class=class>{label.fill(&[&letter.to_string()])}</li> }
    };
    view! {
        <ul class="staff-counts">
            <li><b>{move || Text::Total.fill(&[&total()])}</b></li>
            {move || counts.get().into_iter().map(count).collect_view()}
        </ul>
        <ul class="staff-faults" id=FAULTS tabindex="-1" role="status">
            {move || faults.get().into_iter().map(fault).collect_view()}
            {move || plan.layout.with(|it| it.rows() == 0).then(|| view! {
                <li class="hint">{Text::PlanNone}</li>
            })}
        </ul>
    }
}
