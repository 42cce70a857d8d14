//! A hall of hundreds or thousands of seats: drawn as a few shapes per row, pannable and zoomable, with an overview.
//! Screen readers and keyboards get the same grid; only the current row has its seats as elements.

use std::sync::Arc;
use std::time::Duration;

use leptos::ev::{MouseEvent, TouchEvent, WheelEvent};
use leptos::html::Div;
use leptos::prelude::*;
use output::cinema::Seat;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::Drawn;
use crate::browser;
use crate::families::cinema::hall::{Cursor, Hall, Place, Row};
use crate::families::cinema::look::{PLACE, Shape, Shapes, State};
use crate::text::Key;

/// Width of the row names, in CSS pixels.
const NAMES: f64 = 32.0;
/// Free space at the end of the plan, in CSS pixels.
const EDGE: f64 = 8.0;
/// Height of the screen, in CSS pixels.
const SCREEN: f64 = 44.0;
/// Size of a place that a finger can hit and whose number is legible, in CSS pixels.
const PLAIN: f64 = 28.0;
/// Minimum size of a place picked by a click, in CSS pixels; clicking smaller ones zooms in first.
const PICKED_FROM: f64 = 16.0;
/// Maximum size of a place, in CSS pixels.
const MOST: f64 = 48.0;
/// Minimum size of a place, in CSS pixels, for an empty hall.
const LEAST: f64 = 2.0;
/// Zoom factor of a button.
const ZOOM: f64 = 1.4;
/// Distance after which a pressed mouse pans the plan, in CSS pixels.
const DRAGGED: f64 = 4.0;

/// Maximum delay of the overview during panning, which then costs no frames.
const LATE: Duration = Duration::from_millis(60);

/// A point in CSS pixels from the corner of the visible plan.
type Point = (f64, f64);

/// State of a large hall on the screen.
#[derive(Clone, Copy)]
struct Sheet {
    drawn: Drawn,
    scroll: NodeRef<Div>,
    plan: NodeRef<Div>,
    grid: NodeRef<Div>,
    /// The size of a place in CSS pixels, and the size at which the whole hall is visible.
    size: RwSignal<f64>,
    least: RwSignal<f64>,
    /// The visible part of the plan, as shares: left, top, width, height.
    visible: RwSignal<[f64; 4]>,
    /// Whether an update of it is scheduled.
    is_due: StoredValue<bool>,
    /// The place under the mouse.
    hover: RwSignal<Option<Cursor>>,
    /// Where the mouse went down, the scroll position then, and whether it has moved since.
    grip: StoredValue<Option<(Point, Point, bool)>>,
    /// Distance of two fingers, and the size of a place then.
    pinch: StoredValue<Option<(f64, f64)>>,
}

impl Sheet {
    fn new(drawn: Drawn) -> Self {
        Self {
            drawn,
            scroll: NodeRef::new(),
            plan: NodeRef::new(),
            grid: NodeRef::new(),
            size: RwSignal::new(PLAIN),
            least: RwSignal::new(LEAST),
            visible: RwSignal::new([0.0, 0.0, 1.0, 1.0]),
            is_due: StoredValue::new(false),
            hover: RwSignal::new(None),
            grip: StoredValue::new(None),
            pinch: StoredValue::new(None),
        }
    }

    /// Whether the whole plan is visible.
    fn is_whole(self) -> bool {
        self.size.get() <= self.least.get() + 0.01
    }

    /// Measures the window. A plan visible as a whole stays so; the initial size is one for picking.
    fn measure(self, is_first: bool) {
        let Some(Some(scroll)) = self.scroll.try_get_untracked() else { return };
        let was_whole = !is_first && untrack(|| self.is_whole());
        let (columns, rows) =
            self.drawn.hall.with_untracked(|it| (f64::from(it.columns), it.rows.len() as f64));
        let height = window().inner_height().ok().and_then(|it| it.as_f64()).unwrap_or(600.0);
        let wide = (f64::from(scroll.client_width()) - NAMES - EDGE) / columns.max(1.0);
        let high = (height * 0.7 - SCREEN) / rows.max(1.0);
        let least = wide.min(high).clamp(LEAST, MOST);
        self.least.set(least);
        let size = self.size.get_untracked();
        self.resize(match (is_first, was_whole) {
            (true, _) => least.max(PLAIN),
            (_, true) => least,
            _ => size,
        });
        if is_first {
            scroll.set_scroll_left((scroll.scroll_width() - scroll.client_width()) / 2);
            if self.drawn.picks.with_untracked(|it| !it.is_empty()) {
                self.show_cursor();
            }
        }
        self.update_visible();
    }

    /// Sets the size of places synchronously, so that later measurements are right.
    fn resize(self, size: f64) {
        let size = size.clamp(self.least.get_untracked(), MOST);
        if let Some(Some(plan)) = self.plan.try_get_untracked() {
            let plan: &HtmlElement = &plan;
            let _ = plan.style().set_property("--place", &format!("{size:.2}px"));
        }
        self.size.set(size);
    }

    /// Sets the size of places and keeps the content at a point in place.
    fn zoom(self, size: f64, (x, y): Point) {
        let Some(scroll) = self.scroll.get_untracked() else { return };
        let before = self.size.get_untracked();
        let (left, top) = (f64::from(scroll.scroll_left()), f64::from(scroll.scroll_top()));
        self.resize(size);
        let ratio = self.size.get_untracked() / before;
        scroll.set_scroll_left(((left + x - NAMES) * ratio + NAMES - x).round() as i32);
        scroll.set_scroll_top(((top + y - SCREEN) * ratio + SCREEN - y).round() as i32);
        self.update_visible();
    }

    /// Zooms by a button, around the middle of the visible part.
    fn zoom_by(self, factor: f64) {
        let Some(scroll) = self.scroll.get_untracked() else { return };
        let middle =
            (f64::from(scroll.client_width()) / 2.0, f64::from(scroll.client_height()) / 2.0);
        self.zoom(self.size.get_untracked() * factor, middle);
    }

    /// Width and height of all places together, in CSS pixels.
    fn extent(self) -> (f64, f64) {
        let size = self.size.get_untracked();
        let size_of = |it: &Hall| (f64::from(it.columns) * size, it.rows.len() as f64 * size);
        self.drawn.hall.with_untracked(size_of)
    }

    /// Updates the visible part, which excludes the sticky row names and the screen.
    fn update_visible(self) {
        let Some(Some(scroll)) = self.scroll.try_get_untracked() else { return };
        let (width, height) = self.extent();
        let (left, top) = (f64::from(scroll.scroll_left()), f64::from(scroll.scroll_top()));
        let share = |from: f64, length: f64, whole: f64| {
            let from = (from / whole.max(1.0)).clamp(0.0, 1.0);
            (from, (length / whole.max(1.0)).min(1.0 - from))
        };
        let (left, wide) = share(left, f64::from(scroll.client_width()) - NAMES, width);
        let above = (SCREEN - top).max(0.0);
        let (top, high) = share(top - SCREEN, f64::from(scroll.client_height()) - above, height);
        let visible = [left, top, wide, high];
        if self.visible.get_untracked() != visible {
            self.visible.set(visible);
        }
    }

    /// Handles scrolling of the plan.
    fn scrolled(self) {
        if self.is_due.try_update_value(|it| std::mem::replace(it, true)) == Some(false) {
            let look = move || {
                if self.is_due.try_set_value(false).is_none() {
                    self.update_visible();
                }
            };
            set_timeout(look, LATE);
        }
    }

    /// Converts a point of the window to one of the visible plan.
    fn point(self, x: f64, y: f64) -> Point {
        let corner = self.scroll.get_untracked().map(|it| it.get_bounding_client_rect());
        corner.map_or((0.0, 0.0), |it| (x - it.left(), y - it.top()))
    }

    /// The row and the seat at a point of the window.
    fn at(self, event: &MouseEvent) -> Option<(usize, Option<Cursor>)> {
        let corner = self.grid.get_untracked()?.get_bounding_client_rect();
        let size = self.size.get_untracked();
        let row = ((f64::from(event.client_y()) - corner.top()) / size).floor();
        let column = ((f64::from(event.client_x()) - corner.left() - NAMES) / size).floor() + 1.0;
        // Outside the plan there is no row or column; the cast is bounded.
        let row = (row >= 0.0).then_some(row as usize)?;
        let find = |it: &Hall| (row < it.rows.len()).then(|| it.find(row, column.max(0.0) as u32));
        Some((row, self.drawn.hall.with_untracked(find)?))
    }

    fn click(self, event: &MouseEvent) {
        if self.grip.get_value().is_some_and(|it| it.2) {
            return self.grip.set_value(None);
        }
        // Assistive technology may press an element without a point.
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let seat = target.as_ref().and_then(|it| it.get_attribute("data-seat"));
        let by_name = |hall: &Hall| {
            let seat = seat.as_ref()?;
            hall.rows.iter().enumerate().find_map(|(row, line)| {
                let place = line.places.iter().position(|it| it.seat.seat_id == *seat)?;
                Some(Cursor { row, place })
            })
        };
        let (is_pressed, size) = (event.detail() > 0, self.size.get_untracked());
        let Some((row, at)) = self.at(event).filter(|_| is_pressed || seat.is_none()) else {
            if let Some(at) = self.drawn.hall.with_untracked(by_name) {
                self.drawn.choose(at);
            }
            return;
        };
        if target.is_some_and(|it| it.has_attribute("data-row")) {
            return self.drawn.cursor.set(Cursor { row, place: 0 });
        }
        if is_pressed && size < PICKED_FROM {
            let at = self.point(f64::from(event.client_x()), f64::from(event.client_y()));
            return self.zoom(PLAIN, at);
        }
        if let Some(at) = at {
            self.drawn.choose(at);
        }
    }

    fn grip(self, event: &MouseEvent) {
        let Some(scroll) = self.scroll.get_untracked().filter(|_| event.button() == 0) else {
            return;
        };
        let at = (f64::from(event.client_x()), f64::from(event.client_y()));
        let moved = (f64::from(scroll.scroll_left()), f64::from(scroll.scroll_top()));
        self.grip.set_value(Some((at, moved, false)));
    }

    /// Pans the plan while the mouse button is down, else shows the seat under the mouse.
    fn moved(self, event: &MouseEvent) {
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        match self.grip.get_value().filter(|_| event.buttons() & 1 == 1) {
            Some((from, (left, top), has_moved)) => {
                let (right, down) = (x - from.0, y - from.1);
                if !has_moved && right.abs().max(down.abs()) < DRAGGED {
                    return;
                }
                event.prevent_default();
                self.grip.set_value(Some((from, (left, top), true)));
                if let Some(scroll) = self.scroll.get_untracked() {
                    scroll.set_scroll_left((left - right) as i32);
                    scroll.set_scroll_top((top - down) as i32);
                }
            }
            None => {
                let at = self.at(event).and_then(|it| it.1);
                if self.hover.get_untracked() != at {
                    self.hover.set(at);
                }
            }
        }
    }

    /// The distance of two fingers and the middle between them.
    fn fingers(self, event: &TouchEvent) -> Option<(f64, Point)> {
        let touches = event.touches();
        let finger = |at| {
            let touch = touches.get(at)?;
            Some((f64::from(touch.client_x()), f64::from(touch.client_y())))
        };
        let (one, other) = finger(0).zip(finger(1)).filter(|_| touches.length() == 2)?;
        let apart = (one.0 - other.0).hypot(one.1 - other.1).max(1.0);
        Some((apart, self.point((one.0 + other.0) / 2.0, (one.1 + other.1) / 2.0)))
    }

    fn touched(self, event: &TouchEvent, is_first: bool) {
        let Some((apart, middle)) = self.fingers(event) else {
            return self.pinch.set_value(None);
        };
        // Prevents zooming of the page.
        event.prevent_default();
        match self.pinch.get_value().filter(|_| !is_first) {
            Some((before, size)) => self.zoom(size * apart / before, middle),
            None => self.pinch.set_value(Some((apart, self.size.get_untracked()))),
        }
    }

    /// Zooms by two fingers on a trackpad, or by the wheel with Control.
    fn wheel(self, event: &WheelEvent) {
        if event.ctrl_key() {
            event.prevent_default();
            let at = self.point(f64::from(event.client_x()), f64::from(event.client_y()));
            self.zoom(self.size.get_untracked() * (-event.delta_y() / 240.0).exp(), at);
        }
    }

    /// Centres the plan at a point of the overview.
    fn go(self, event: &MouseEvent) {
        let target = event.current_target().and_then(|it| it.dyn_into::<Element>().ok());
        let Some((map, scroll)) = target.zip(self.scroll.get_untracked()) else { return };
        let corner = map.get_bounding_client_rect();
        let share = |at: i32, from: f64, whole: f64| (f64::from(at) - from) / whole.max(1.0);
        let (x, y) = (
            share(event.client_x(), corner.left(), corner.width()),
            share(event.client_y(), corner.top(), corner.height()),
        );
        let ((width, height), scroll_to) = (self.extent(), |at: f64| at.round() as i32);
        let (wide, high) = (f64::from(scroll.client_width()), f64::from(scroll.client_height()));
        scroll.set_scroll_left(scroll_to(x * width - (wide - NAMES) / 2.0));
        scroll.set_scroll_top(scroll_to(y * height + SCREEN - high / 2.0));
    }

    /// Centres the plan at the cursor.
    fn show_cursor(self) {
        let at = self.drawn.cursor.get_untracked();
        let column = self.drawn.hall.with_untracked(|it| it.at(at).map_or(1, |it| it.column));
        let Some(scroll) = self.scroll.get_untracked() else { return };
        let size = self.size.get_untracked();
        let (x, y) = ((f64::from(column) - 0.5) * size, (at.row as f64 + 0.5) * size);
        let (wide, high) = (f64::from(scroll.client_width()), f64::from(scroll.client_height()));
        scroll.set_scroll_left((x - (wide - NAMES) / 2.0).round() as i32);
        scroll.set_scroll_top((y + SCREEN - high / 2.0).round() as i32);
    }

    /// Shows the first wheelchair place and moves the focus there.
    fn show_wheelchair(self) {
        let Some(to) = self.drawn.hall.with_untracked(Hall::wheelchair) else { return };
        self.resize(self.size.get_untracked().max(PLAIN));
        self.drawn.cursor.set(to);
        let (id, grid) = (self.drawn.id(to), self.grid.get_untracked());
        // The seats of its row exist by then.
        request_animation_frame(move || {
            if let Some(grid) = grid {
                let _ = grid.focus();
            }
            browser::reveal_in_the_middle(&id);
            self.update_visible();
        });
    }
}

/// The rows, unchanged while only states of seats change.
fn standing(hall: &Hall, before: Option<&Arc<Vec<Row>>>) -> Arc<Vec<Row>> {
    let same = |one: &Place, other: &Place| {
        let (a, b) = (&one.seat, &other.seat);
        one.column == other.column
            && a.seat_id == b.seat_id
            && (a.number, a.kind) == (b.number, b.kind)
            && a.pair_with == b.pair_with
    };
    let same = |one: &Row, other: &Row| {
        let mut both = one.places.iter().zip(&other.places);
        one.name == other.name
            && one.places.len() == other.places.len()
            && both.all(|(one, other)| same(one, other))
    };
    let is_same = |before: &&Arc<Vec<Row>>| {
        before.len() == hall.rows.len()
            && before.iter().zip(&hall.rows).all(|(one, other)| same(one, other))
    };
    before.filter(is_same).cloned().unwrap_or_else(|| Arc::new(hall.rows.clone()))
}

#[component]
pub(super) fn LargeHall(drawn: Drawn) -> impl IntoView {
    let sheet = Sheet::new(drawn);
    let hall = drawn.hall;
    let rows =
        Memo::new(move |before: Option<&Arc<Vec<Row>>>| hall.with(|hall| standing(hall, before)));
    let extent = Memo::new(move |_| hall.with(|it| (it.columns, it.rows.len())));
    Effect::new(move |is_measured: Option<bool>| {
        extent.track();
        let scroll = sheet.scroll.get();
        let is_first = is_measured != Some(true);
        match &scroll {
            // An element on the page has its size before it is first drawn.
            Some(element) if element.client_width() > 0 => sheet.measure(is_first),
            Some(_) => request_animation_frame(move || sheet.measure(is_first)),
            None => {}
        }
        scroll.is_some()
    });
    // A touched seat stays under the mouse that browsers pretend; what the cursor moves to is newer.
    Effect::new(move |_| {
        drawn.cursor.track();
        sheet.hover.set(None);
    });
    let resized = window_event_listener(leptos::ev::resize, move |_| sheet.measure(false));
    on_cleanup(move || resized.remove());
    let is_whole = Memo::new(move |_| sheet.is_whole());
    view! {
        <div class="hall is-large" class:is-small=move || { sheet.size.get() < PICKED_FROM }>
            <Tools sheet is_whole/>
            <div class="hall-scroll" node_ref=sheet.scroll
                    on:scroll=move |_| sheet.scrolled()
                    on:wheel=move |event| sheet.wheel(&event)
                    on:touchstart=move |event| sheet.touched(&event, true)
                    on:touchmove=move |event| sheet.touched(&event, false)>
                    <div class="hall-plan" node_ref=sheet.plan
                        style=("--columns", move || extent.get().0.to_string())
                        style=("--rows", move || extent.get().1.to_string())>
                        <div class="screen" aria-hidden="true"><span>{Key::Screen}</span></div>
                        <div class="hall-sheet">
                            <svg class="hall-shapes" aria-hidden="true" focusable="false"
                                viewBox=move || view_box(extent.get())>
                                {move || shapes(sheet, &rows.get())}
                            </svg>
                            <Grid sheet rows/>
                        </div>
                    </div>
                </div>
            <div class="hall-foot">
                <At sheet/>
                <Overview sheet extent/>
            </div>
        </div>
    }
}

fn view_box((columns, rows): (u32, usize)) -> String {
    format!("0 0 {} {}", columns * PLACE, rows * PLACE as usize)
}

/// All rows: the seats, also used by the overview, and then their marks.
fn shapes(sheet: Sheet, rows: &Arc<Vec<Row>>) -> impl IntoView + use<> {
    let Drawn { hall, picks, name, number, .. } = sheet.drawn;
    let row = |index: usize| {
        let rows = Arc::clone(rows);
        let states = Memo::new(move |_| {
            hall.with(|hall| {
                let places = hall.rows.get(index).map(|it| it.places.iter());
                picks.with(|picks| {
                    let state = |it: &Place| State::for_seat(&it.seat, picks);
                    places.into_iter().flatten().map(state).collect::<Vec<_>>()
                })
            })
        });
        let top = u32::try_from(index).unwrap_or_default() * PLACE;
        Memo::new(move |_| states.with(|states| Shapes::draw(&rows[index], top, states)))
    };
    let rows: Vec<Memo<Shapes>> = (0..rows.len()).map(row).collect();
    let path = |it: Shape| view! { <path class=it.class d=it.path></path> };
    let group = move |row: Memo<Shapes>, which: fn(&Shapes) -> &Vec<Shape>| {
        view! { <g>{move || row.with(|it| which(it).iter().cloned().map(path).collect_view())}</g> }
    };
    view! {
        <g id=format!("{name}{number}-seats") class="hall-drawn">
            {rows.iter().map(|row| group(*row, |it| &it.seats)).collect_view()}
        </g>
        <g class="hall-marks">{rows.iter().map(|row| group(*row, |it| &it.marks)).collect_view()}</g>
    }
}

/// Buttons for zooming and navigation, and a hint on panning.
#[component]
fn Tools(sheet: Sheet, is_whole: Memo<bool>) -> impl IntoView {
    let has_wheelchair = Memo::new(move |_| sheet.drawn.hall.with(|it| it.wheelchair().is_some()));
    let whole = move |_| {
        let (is_whole, least) = (is_whole.get_untracked(), sheet.least.get_untracked());
        sheet.zoom_by(if is_whole { PLAIN.max(least * ZOOM) / least } else { 0.0 });
    };
    let zoom = move |sign: &'static str, name: Key, factor: f64| {
        view! {
            <button type="button" class="quiet small hall-zoom" aria-label=name
                on:click=move |_| sheet.zoom_by(factor)>
                <span aria-hidden="true">{sign}</span>
            </button>
        }
    };
    view! {
        <div class="hall-sights">
            <p class="hint">{Key::HallMoves}</p>
            {zoom("−", Key::HallZoomOut, 1.0 / ZOOM)}
            {zoom("+", Key::HallZoomIn, ZOOM)}
            <button type="button" class="quiet small" on:click=whole
                aria-pressed=move || is_whole.get().to_string()>{Key::HallWhole}</button>
            {move || has_wheelchair.get().then(|| view! {
                <button type="button" class="quiet small" on:click=move |_| sheet.show_wheelchair()>
                    {Key::HallWheelchair}
                </button>
            })}
        </div>
    }
}

/// The hall for keyboards and assistive technology: all rows by name, and the seats of the current one.
#[component]
fn Grid(sheet: Sheet, rows: Memo<Arc<Vec<Row>>>) -> impl IntoView {
    let Sheet { drawn, hover, .. } = sheet;
    let hall = drawn.hall;
    let key = move |event: leptos::ev::KeyboardEvent| {
        if let Some(to) = drawn.moved(&event) {
            let id = drawn.id(to);
            request_animation_frame(move || browser::reveal(&id));
        }
    };
    let current_row = Memo::new(move |_| drawn.cursor.get().row);
    let names = move || {
        let rows = rows.get();
        let row = |(index, row): (usize, &Row)| {
            let (name, long) = (row.name.clone(), row.name.clone());
            let is_current = Memo::new(move |_| current_row.get() == index);
            view! {
                <div class="hall-line" role="row" aria-rowindex=(index + 1).to_string()>
                    <span class="row-name" role="rowheader" aria-colindex="1" data-row=""
                        aria-label=move || Key::RowName.fill(&[&long])>{name}</span>
                    {move || is_current.get().then(|| view! { <Cells sheet row=index/> })}
                </div>
            }
        };
        rows.iter().enumerate().map(row).collect_view()
    };
    let (ring, mark) = (move || Some(drawn.cursor.get()), move || hover.get());
    view! {
        <div class="hall-grid" role="grid" tabindex="0" node_ref=sheet.grid aria-multiselectable="true"
            aria-readonly=drawn.on_pick.is_none().then_some("true")
            aria-label=Key::HallGrid
            aria-activedescendant=move || drawn.id(drawn.cursor.get())
            aria-rowcount=move || rows.with(|it| it.len()).to_string()
            aria-colcount=move || (hall.with(|it| it.columns) + 1).to_string()
            on:keydown=key
            on:click=move |event| sheet.click(&event)
            on:mousedown=move |event| sheet.grip(&event)
            on:mousemove=move |event| sheet.moved(&event)
            on:mouseleave=move |_| hover.set(None)>{names}</div>
        {ring_at(drawn, "hall-here", ring)}
        {ring_at(drawn, "hall-hover", mark)}
    }
}

/// A frame around a seat, if any.
fn ring_at(
    drawn: Drawn,
    class: &'static str,
    at: impl Fn() -> Option<Cursor> + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let spot = Memo::new(move |_| {
        let at = at()?;
        drawn.hall.with(|it| Some((it.at(at)?.column, at.row)))
    });
    view! {
        <div class=class aria-hidden="true" hidden=move || spot.get().is_none()
            style=("--column", move || spot.get().unwrap_or_default().0.to_string())
            style=("--row", move || spot.get().unwrap_or_default().1.to_string())></div>
    }
}

/// The seats of a row as elements, at their places.
#[component]
fn Cells(sheet: Sheet, row: usize) -> impl IntoView {
    let Drawn { hall, picks, .. } = sheet.drawn;
    let cells = Memo::new(move |_| {
        hall.with(|hall| {
            let places = hall.rows.get(row).map(|it| it.places.as_slice()).unwrap_or_default();
            let state = |it: &Place| picks.with(|picks| State::for_seat(&it.seat, picks));
            let cell =
                |(place, it): (usize, &Place)| (place, it.column, it.seat.clone(), state(it));
            places.iter().enumerate().map(cell).collect::<Vec<_>>()
        })
    });
    let key = |(place, column, seat, state): &(usize, u32, Seat, State)| {
        (*place, *column, seat.seat_id.clone(), *state as u8, seat.kind as u8)
    };
    view! {
        <For each=move || cells.get() key=key let((place, column, seat, state))>
            {
                let id = sheet.drawn.id(Cursor { row, place });
                let label = {
                    let (row, number, kind) = (seat.row.clone(), seat.number, seat.kind);
                    move || sheet.drawn.label(&row, number, kind, state)
                };
                view! {
                    <span class="hall-seat" role="gridcell" id=id aria-colindex=(column + 1).to_string()
                        style=("--column", column.to_string())
                        aria-selected=(state == State::Picked).to_string()
                        aria-disabled=state.is_gone().then_some("true")
                        aria-label=label data-seat=seat.seat_id></span>
                }
            }
        </For>
    }
}

/// The whole hall, small, with the visible part marked.
#[component]
fn Overview(sheet: Sheet, extent: Memo<(u32, usize)>) -> impl IntoView {
    let Drawn { name, number, .. } = sheet.drawn;
    let part = move |at: usize| move || format!("{:.2}%", sheet.visible.get()[at] * 100.0);
    let drag = move |event: MouseEvent| {
        if event.buttons() & 1 == 1 {
            event.prevent_default();
            sheet.go(&event);
        }
    };
    view! {
        <div class="hall-overview" aria-hidden="true" on:mousedown=drag on:mousemove=drag
            on:click=move |event| sheet.go(&event)>
            <svg viewBox=move || view_box(extent.get()) focusable="false">
                <use href=format!("#{name}{number}-seats")></use>
            </svg>
            <div class="hall-seen" style:left=part(0) style:top=part(1)
                style:width=part(2) style:height=part(3)></div>
        </div>
    }
}

/// The seat under the mouse or cursor, for sighted readers: assistive technology reads it from the seat.
#[component]
fn At(sheet: Sheet) -> impl IntoView {
    let drawn = sheet.drawn;
    let text = move || {
        let at = sheet.hover.get().unwrap_or_else(|| drawn.cursor.get());
        drawn.hall.with(|hall| {
            let seat = &hall.at(at)?.seat;
            let state = drawn.picks.with(|picks| State::for_seat(seat, picks));
            Some(drawn.label(&seat.row, seat.number, seat.kind, state))
        })
    };
    view! { <p class="hint hall-at" aria-hidden="true">{text}</p> }
}

#[cfg(test)]
mod tests {
    use output::cinema::SeatMap;

    use super::*;

    fn hall(change: impl Fn(&mut Seat)) -> Hall {
        let seats = (1..=3).map(|number| {
            let mut seat = Seat {
                seat_id: format!("A{number}"),
                row: "A".to_owned(),
                number,
                ..Seat::default()
            };
            change(&mut seat);
            seat
        });
        Hall::new(&SeatMap { seats: seats.collect(), ..SeatMap::default() })
    }

    #[test]
    fn rows_stay_while_seats_change_state() {
        let before = standing(&hall(|_| {}), None);
        let sold = hall(|it| (it.is_reserved, it.is_held) = (true, it.number == 2));
        assert!(Arc::ptr_eq(&standing(&sold, Some(&before)), &before));
        let moved = standing(&hall(|it| it.column = Some(it.number + 1)), Some(&before));
        assert!(!Arc::ptr_eq(&moved, &before));
        assert_eq!(moved[0].places[0].column, 2);
        let paired = hall(|it| it.pair_with = Some("A9".to_owned()));
        assert!(!Arc::ptr_eq(&standing(&paired, Some(&before)), &before));
    }

    #[test]
    fn view_box_covers_all_places() {
        assert_eq!(view_box((80, 26)), "0 0 1600 520");
    }
}
