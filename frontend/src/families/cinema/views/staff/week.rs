//! The week: its occupancy, and its showings, whose sales can be closed and opened.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{CatalogueImport, SalesState, ShowtimeOccupancy};
use serde_json::json;

use super::outcome::{ADD, Editing, Outcome, RowActions};
use super::showing::ShowingForm;
use super::{Staff, column, number_cell, number_column, translated};
use crate::browser;
use crate::call::fetch;
use crate::dates::{self, Day};
use crate::families::cinema::programme::{name, price};
use crate::families::cinema::staff::catalogue::{DaySum, days_of, percent, screen_of};
use crate::families::cinema::staff::words::Text;
use crate::text::Lang;
use crate::views::notice::{Empty, Notice};

/// An action on a showing.
#[derive(Clone, Debug, Default, PartialEq)]
enum Doing {
    #[default]
    Nothing,
    New,
    Edit(String),
    Close(String),
    TakeOut(String),
}

/// The view and its current action.
#[derive(Clone, Copy)]
struct Week {
    edits: Editing<Doing>,
    day: RwSignal<Option<Day>>,
}

impl Week {
    fn all(self) -> Vec<ShowtimeOccupancy> {
        self.edits
            .staff
            .week
            .with(|it| it.ready().map(|it| it.showtimes.clone()).unwrap_or_default())
    }

    /// The selected day, else the first.
    fn day(self) -> Option<Day> {
        let days: Vec<_> =
            self.all().iter().filter_map(|it| Day::of_time(&it.start_time)).collect();
        self.day.get().filter(|it| days.contains(it)).or_else(|| days.first().copied())
    }

    fn showing(self, id: &str) -> Option<ShowtimeOccupancy> {
        self.all().into_iter().find(|it| it.showtime_id == id)
    }

    /// Label of a showing: time and film.
    fn called(self, showing: &ShowtimeOccupancy) -> String {
        let title = self.title(showing);
        format!("{} {title}", dates::clock(&showing.start_time))
    }

    fn title(self, showing: &ShowtimeOccupancy) -> String {
        let english =
            self.edits.staff.catalogue.with(|all| {
                all.ready().and_then(|all| all.film(&showing.movie_id)?.title_en.clone())
            });
        let lang = Lang::spoken();
        name(Some(&showing.movie_title), english.as_deref(), lang).unwrap_or_default()
    }

    fn screen(self, showing: &ShowtimeOccupancy) -> String {
        let english = self.edits.staff.catalogue.with(|all| {
            let id = screen_of(&showing.showtime_id)?;
            all.ready()?.screen(id)?.name_en.clone()
        });
        let lang = Lang::spoken();
        name(Some(&showing.theater_name), english.as_deref(), lang).unwrap_or_default()
    }

    /// Closes or opens sales.
    fn sell(self, id: String, called: String, reason: Option<String>, is_closing: bool) {
        if self.edits.is_busy.get_untracked() {
            return;
        }
        self.edits.is_busy.set(true);
        self.edits.error.set(None);
        let doing = self.edits.doing.get_untracked();
        spawn_local(async move {
            let mut arguments = json!({ "showtime_id": &id });
            if let Some(reason) = reason {
                arguments["reason"] = reason.into();
            }
            let tool = if is_closing { "close_sales" } else { "open_sales" };
            let done = fetch::<SalesState>(tool, arguments).await;
            if done.is_ok() {
                self.edits.staff.load().await;
            }
            let is_here = self.edits.is_busy.try_set(false).is_none();
            match done {
                Ok(state) => {
                    let label = match state.is_sales_closed {
                        true => Text::ClosedNow,
                        false => Text::OpenedNow,
                    };
                    label.announce(&[&called]);
                    if is_here {
                        // The row was redrawn, with the button that was pressed in it.
                        browser::focus_if_lost(sales_id(&id));
                        self.edits.finish(&doing);
                    }
                }
                Err(error) => self.edits.fail(&doing, translated(error)),
            }
        });
    }
}

#[component]
pub(super) fn WeekView(staff: Staff) -> impl IntoView {
    let week = Week { edits: Editing::new(staff), day: RwSignal::new(None) };
    let is_none = Memo::new(move |_| week.all().is_empty());
    view! {
        <section class="op-part" aria-labelledby="staff-week">
            <h2 id="staff-week" class="section-title">
                {Text::WeekTitle}
                <span class="count">{move || Text::AsOf.fill(&[&dates::clock_at(staff.as_of.get(), Lang::spoken())])}</span>
            </h2>
            {move || match is_none.get() {
                true => any_view! { <Empty title=Text::WeekNone/> },
                false => any_view! { <Tiles staff/><Chart staff/> },
            }}
        </section>
        <Showings week is_none/>
    }
}

/// Sums of the whole week.
#[component]
fn Tiles(staff: Staff) -> impl IntoView {
    let sum = move |f: fn(&output::cinema::Occupancy) -> u32| {
        staff.week.with(|it| it.ready().map(f).unwrap_or_default())
    };
    let number = move |count: u32| dates::number(f64::from(count), Lang::spoken());
    let tile = move |label: Text, f: fn(&output::cinema::Occupancy) -> u32| {
        view! { <div><dt>{label}</dt><dd>{move || number(sum(f))}</dd></div> }
    };
    let share = move || {
        let (seats, sold) = (sum(|it| it.seats_count), sum(|it| it.sold_count));
        Text::SoldOf.fill(&[&number(seats), &percent(sold, seats)])
    };
    let revenue = move || {
        let all = staff.week.with(|it| it.ready().map(|it| it.revenue.clone()).unwrap_or_default());
        let lang = Lang::spoken();
        let all: Vec<_> = all.iter().map(|it| price(it, lang)).collect();
        if all.is_empty() { "—".to_owned() } else { all.join(" + ") }
    };
    view! {
        <dl class="op-tiles">
            <div>
                <dt>{Text::Sold}</dt>
                <dd>{move || number(sum(|it| it.sold_count))}</dd>
                <dd class="op-note">{share}</dd>
            </div>
            {tile(Text::Held, |it| it.held_count)}
            {tile(Text::Used, |it| it.checked_in_count)}
            <div><dt>{Text::Revenue}</dt><dd>{revenue}</dd></div>
        </dl>
    }
}

/// The showings of a day with their actions.
#[component]
fn Showings(week: Week, is_none: Memo<bool>) -> impl IntoView {
    let day = Memo::new(move |_| week.day());
    let days =
        Memo::new(move |_| days_of(&week.all()).into_iter().map(|it| it.day).collect::<Vec<_>>());
    let title = move || {
        let lang = Lang::spoken();
        day.get().map(|it| Text::ShowingsOf.fill(&[&dates::short_day(it, lang)]))
    };
    let choice = move |choice: Day| {
        view! {
            <button type="button" class="quiet small" on:click=move |_| week.day.set(Some(choice))
                aria-pressed=move || (day.get() == Some(choice)).to_string()>
                {move || dates::short_day(choice, Lang::spoken())}
            </button>
        }
    };
    view! {
        <section class="op-part" aria-labelledby="staff-showings">
            <div class="op-head">
                <h2 id="staff-showings" class="section-title">
                    {move || title().unwrap_or_else(|| Text::Showings.say().to_owned())}
                </h2>
                <button type="button" id=ADD class="small" on:click=move |_| week.edits.start(Doing::New)>
                    {Text::NewShowing}
                </button>
            </div>
            <Outcome import=week.edits.import/>
            <Doings week/>
            {move || (!is_none.get()).then(|| view! {
                <div class="staff-days" role="group" aria-label=Text::ChooseDay>
                    {move || days.get().into_iter().map(choice).collect_view()}
                </div>
                <Table week day/>
            })}
        </section>
    }
}

/// The form or confirmation of the current action.
#[component]
fn Doings(week: Week) -> impl IntoView {
    let stop = Callback::new(move |()| week.edits.stop());
    let error = move || week.edits.error.get().map(|error| view! { <Notice error/> });
    let saved = Callback::new(move |(import, day): (CatalogueImport, Option<Day>)| {
        week.edits.import.set(Some(import));
        week.day.set(day);
        week.edits.stop();
    });
    move || {
        let doing = week.edits.doing.get();
        match doing {
            Doing::Nothing => any_view! { {error} },
            Doing::New => {
                let day = untrack(|| week.day());
                any_view! { <ShowingForm staff=week.edits.staff day before=None saved stop/> }
            }
            Doing::Edit(id) => {
                let before = untrack(|| week.showing(&id));
                any_view! { <ShowingForm staff=week.edits.staff day=None before saved stop/> }
            }
            Doing::Close(id) => any_view! { <Closing week id/> },
            Doing::TakeOut(id) => {
                let showing = untrack(|| week.showing(&id)).unwrap_or_default();
                let ask = Signal::derive(move || Text::TakeOutAsk.fill(&[&week.called(&showing)]));
                let yes = Callback::new(move |()| {
                    let arguments = json!({ "showtime_id": id, "remove": true });
                    week.edits.send("edit_showtime", arguments, None);
                });
                any_view! { {error}{week.edits.sure(ask, Text::TakeOutYes, yes)} }
            }
        }
    }
}

/// The reason for closing sales, and the button.
#[component]
fn Closing(week: Week, id: String) -> impl IntoView {
    let reason = RwSignal::new(String::new());
    let showing = StoredValue::new(untrack(|| week.showing(&id)).unwrap_or_default());
    let called = move || showing.with_value(|it| week.called(it));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let reason = reason.with_untracked(|it| it.trim().to_owned());
        let reason = Some(reason).filter(|it| !it.is_empty());
        week.sell(id.clone(), untrack(called), reason, true);
    };
    browser::focus_soon("staff-reason");
    view! {
        <form class="op-card" on:submit=submit novalidate
            on:keydown=move |event| if browser::takes_escape(&event) { week.edits.stop() }>
            {move || week.edits.error.get().map(|error| view! { <Notice error/> })}
            <p>{move || Text::CloseAsk.fill(&[&called()])}</p>
            <div class="field">
                <label class="label" for="staff-reason">{Text::Reason}</label>
                <input id="staff-reason" type="text" maxlength="500" autocomplete="off"
                    aria-describedby="staff-reason-hint" prop:value=reason
                    on:input=move |event| reason.set(event_target_value(&event))/>
                <p class="hint" id="staff-reason-hint">{Text::ReasonHint}</p>
            </div>
            <div class="actions">
                <button type="submit" class="is-grave"
                    aria-disabled=move || week.edits.is_busy.get().then_some("true")>
                    {Text::CloseSales}
                </button>
                <button type="button" class="quiet" on:click=move |_| week.edits.stop()>
                    {Text::Cancel}
                </button>
            </div>
        </form>
    }
}

#[component]
fn Table(week: Week, day: Memo<Option<Day>>) -> impl IntoView {
    let shown = move || {
        let mut all = week.all();
        all.retain(|it| Day::of_time(&it.start_time) == day.get());
        all
    };
    view! {
        <div class="table-scroll" tabindex="0" role="region"
            aria-label=Text::ShowingsTable>
            <table role="table" class="data-table staff-table is-cards">
                <thead role="rowgroup"><tr role="row">
                    {[Text::Time, Text::Film, Text::Screen]
                        .map(column).into_iter().collect_view()}
                    {[Text::Sold, Text::Held, Text::Waiting]
                        .map(number_column).into_iter().collect_view()}
                    {[Text::State, Text::Actions]
                        .map(column).into_iter().collect_view()}
                </tr></thead>
                <tbody role="rowgroup">
                    // A changed showing is redrawn; the others stay.
                    <For each=shown key=|it| format!("{it:?}") let:it>
                        <Showing week showing=it/>
                    </For>
                </tbody>
            </table>
        </div>
    }
}

/// Id of the button that closes or opens the sales of a showing.
fn sales_id(showtime: &str) -> String {
    format!("staff-sales-{showtime}")
}

#[component]
fn Showing(week: Week, showing: ShowtimeOccupancy) -> impl IntoView {
    let time = dates::clock(&showing.start_time).to_owned();
    let sold = format!("{} / {}", showing.sold_count, showing.seats_count);
    let (held, waiting) = (showing.held_count.to_string(), showing.waiting_count.to_string());
    let is_closed = showing.is_sales_closed;
    let has_begun = showing.has_begun;
    let id = StoredValue::new(showing.showtime_id.clone());
    let stored = StoredValue::new(showing);
    let called = move || stored.with_value(|it| week.called(it));
    let state = match (has_begun, is_closed) {
        (true, _) => Text::HasBegun,
        (_, true) => Text::SalesClosed,
        _ => Text::OnSale,
    };
    let class = if state == Text::OnSale { "op-state is-on" } else { "op-state" };
    let sales = move |_| match is_closed {
        true => week.sell(id.get_value(), untrack(called), None, false),
        false => week.edits.start(Doing::Close(id.get_value())),
    };
    let (sales_word, sales_named) = match is_closed {
        true => (Text::OpenSales, Text::OpenNamed),
        false => (Text::CloseSales, Text::CloseNamed),
    };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" class="staff-time">{time}</th>
            <td role="cell">{move || stored.with_value(|it| week.title(it))}</td>
            <td role="cell">{move || stored.with_value(|it| week.screen(it))}</td>
            {number_cell(Text::Sold, sold)}
            {number_cell(Text::Held, held)}
            {number_cell(Text::Waiting, waiting)}
            <td role="cell"><span class=class>{state}</span></td>
            <td role="cell"><div class="staff-actions">
                // Once a showing has begun, its sales have ended.
                {(!has_begun).then(|| view! {
                    <button type="button" class="quiet small" id=sales_id(&id.get_value()) on:click=sales
                        aria-label=move || sales_named.fill(&[&called()])>{sales_word}</button>
                })}
                <RowActions edits=week.edits called=Signal::derive(called) edit=Doing::Edit(id.get_value())
                    remove=Doing::TakeOut(id.get_value()) texts=(Text::TakeOut, Text::TakeOutNamed)/>
            </div></td>
        </tr>
    }
}

/// Width of a day and of its bar, in the chart's units.
const DAY: f64 = 100.0;
const BAR: f64 = 64.0;
const HEIGHT: f64 = 100.0;

/// The stacked bars of a day: sold below, held above.
fn bars(at: usize, day: &DaySum) -> impl IntoView + use<> {
    let x = at as f64 * DAY + (DAY - BAR) / 2.0;
    let share = |count: u32| f64::from(count) / f64::from(day.seats.max(1)) * HEIGHT;
    let (sold, held) = (share(day.sold), share(day.held));
    let rect = move |class: &'static str, from: f64, height: f64| {
        view! {
            <rect class=class x=x.to_string() y=(HEIGHT - from - height).to_string()
                width=BAR.to_string() height=height.to_string()></rect>
        }
    };
    view! {
        {rect("staff-bar is-free", 0.0, HEIGHT)}
        {rect("staff-bar is-sold", 0.0, sold)}
        {rect("staff-bar is-held", sold, held)}
    }
}

/// The chart, its legend, and the numbers.
#[component]
pub(super) fn Chart(staff: Staff) -> impl IntoView {
    let days = Memo::new(move |_| {
        staff.week.with(|it| it.ready().map(|it| days_of(&it.showtimes)).unwrap_or_default())
    });
    let label = move || {
        let lang = Lang::spoken();
        let day =
            |sum: &DaySum| Text::ChartDay.fill(&[&dates::short_day(sum.day, lang), &sum.percent()]);
        let all = days.with(|it| it.iter().map(day).collect::<Vec<_>>().join(lang.comma()));
        Text::ChartSaid.fill(&[&all])
    };
    let view_box = move || format!("0 0 {} {HEIGHT}", days.with(Vec::len).max(1) as f64 * DAY);
    let axis = move |sum: DaySum| {
        let percent = format!("{}%", sum.percent());
        view! {
            <li><b>{percent}</b><span>{move || dates::short_day(sum.day, Lang::spoken())}</span></li>
        }
    };
    let entry = move |class: &'static str, label: Text| {
        view! { <li><span class=class></span>{label}</li> }
    };
    view! {
        <figure class="staff-chart">
            <svg class="staff-bars" role="img" aria-label=label preserveAspectRatio="none" viewBox=view_box>
                {move || days.with(|sums| {
                    sums.iter().enumerate().map(|(at, it)| bars(at, it)).collect_view()
                })}
            </svg>
            <ul class="staff-axis" aria-hidden="true">
                {move || days.get().into_iter().map(axis).collect_view()}
            </ul>
            <ul class="staff-legend" aria-hidden="true">
                {entry("staff-key is-sold", Text::ChartSold)}
                {entry("staff-key is-held", Text::ChartHeld)}
                {entry("staff-key is-free", Text::ChartFree)}
            </ul>
        </figure>
        <Numbers days/>
    }
}

/// The chart's numbers as a table.
#[component]
fn Numbers(days: Memo<Vec<DaySum>>) -> impl IntoView {
    let row = move |sum: DaySum| {
        let cell = move |label: Text, count: u32| {
            let text = move || dates::number(f64::from(count), Lang::spoken());
            number_cell(label, Signal::derive(text))
        };
        let percent = format!("{}%", sum.percent());
        view! {
            <tr role="row">
                <th role="rowheader" scope="row">{move || dates::short_day(sum.day, Lang::spoken())}</th>
                {cell(Text::Showings, sum.showings)}{cell(Text::Seats, sum.seats)}{cell(Text::Sold, sum.sold)}
                {number_cell(Text::Share, percent)}
                {cell(Text::Held, sum.held)}{cell(Text::Used, sum.used)}
            </tr>
        }
    };
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=Text::DayTable>
            <table role="table" class="data-table staff-table is-cards">
                <thead role="rowgroup"><tr role="row">
                    {column(Text::Day)}
                    {[Text::Showings, Text::Seats, Text::Sold, Text::Share, Text::Held, Text::Used]
                        .map(number_column).into_iter().collect_view()}
                </tr></thead>
                <tbody role="rowgroup">{move || days.get().into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}
