//! The admin views: week, films, screens, moving a party, and the catalogue as a file (CIN-95, CIN-96).

mod entries;
mod file;
mod films;
mod outcome;
mod party;
mod plan;
mod screens;
mod sheet;
mod showing;
mod week;

use futures::future::join3;
use leptos::prelude::*;
use leptos::task::spawn_local;
use output::cinema::{CatalogueExport, CatalogueImport, Movies, Occupancy};
use serde_json::{Value, json};

use crate::browser;
use crate::call::{Loaded, fetch, take};
use crate::dates;
use crate::error::CallError;
use crate::families::cinema::place::{At, Booking, Tab};
use crate::families::cinema::staff::catalogue::{Catalogue, Film, Screen};
use crate::families::cinema::staff::words::Text;
use crate::mcp;
use crate::page::page;
use crate::part::{Part, part};
use crate::route::FamilyRoute;
use crate::views::notice::loaded;
use crate::views::part::drawn_by;

const TITLE: &str = "staff-title";

/// Draws a tab.
struct TabView(fn(Staff) -> AnyView);

/// The week is drawn at once, the other tabs by parts of their own.
static FILMS: Part<TabView> =
    part!(staff_entries: TabView = &TabView(|it| entries::entries::<Film>(it).into_any()));
static SCREENS: Part<TabView> =
    part!(staff_entries: TabView = &TabView(|it| entries::entries::<Screen>(it).into_any()));
static FILE: Part<TabView> =
    part!(staff_entries: TabView = &TabView(|staff| any_view! { <file::FileView staff/> }));
static PARTY: Part<TabView> =
    part!(staff_party: TabView = &TabView(|staff| any_view! { <party::PartyView staff/> }));

/// State shared by the admin views.
#[derive(Clone, Copy)]
struct Staff {
    catalogue: RwSignal<Loaded<Catalogue>>,
    week: RwSignal<Loaded<Occupancy>>,
    /// Time of the shown week's answer, by the cinema's clock.
    as_of: RwSignal<f64>,
}

impl Staff {
    /// Fetches catalogue and week. The old ones are shown meanwhile.
    async fn load(self) {
        let (week, films) =
            (fetch::<Occupancy>("occupancy", json!({})), fetch("list_movies", json!({})));
        let (catalogue, week, films) = join3(catalogue(), week, films).await;
        take(self.catalogue, catalogue.map_err(translated));
        if week.is_ok() {
            let at_ms = mcp::answered_at_ms();
            let now = films.ok().and_then(|it: Movies| it.now);
            let ahead_ms = now.map_or(0.0, |it| dates::ahead_ms(&it, at_ms));
            let _ = self.as_of.try_set(at_ms + ahead_ms);
        }
        take(self.week, week.map_err(translated));
    }

    /// Calls a tool that edits the catalogue, then fetches it again.
    async fn edit(self, tool: &str, arguments: Value) -> Result<CatalogueImport, CallError> {
        Text::Saving.announce(&[]);
        let done = fetch::<CatalogueImport>(tool, arguments).await.map_err(translated);
        if let Ok(done) = &done {
            self.load().await;
            let count = done.changes_count.to_string();
            let label = if done.changes_count == 0 { Text::SavedSame } else { Text::Saved };
            label.announce(&[&count]);
        }
        done
    }
}

async fn catalogue() -> Result<Catalogue, CallError> {
    let file: CatalogueExport = fetch("export_catalogue", json!({ "format": "json" })).await?;
    serde_json::from_str(&file.text).map_err(|error| CallError::page(&error.to_string()))
}

/// Adds a Japanese message to a refusal that only admins see.
fn translated(error: CallError) -> CallError {
    use crate::text::{Lang, filled};
    let CallError::Refused(mut refusal) = error else { return error };
    let label = match refusal.code.as_str() {
        "sold_seats_would_be_lost" => Text::SoldLost,
        "already_checked_in" => Text::CheckedIn,
        "reservation_transferred" => Text::GivenAway,
        _ => return CallError::Refused(refusal),
    };
    let showtimes = refusal.data.get("showtimes").and_then(Value::as_array);
    let showtimes = showtimes.into_iter().flatten().filter_map(Value::as_str);
    let named = showtimes.collect::<Vec<_>>().join(Lang::Ja.comma());
    if !refusal.data.is_object() {
        refusal.data = json!({});
    }
    refusal.data["message_ja"] = filled(label.text_in(Lang::Ja), &[&named]).into();
    CallError::Refused(refusal)
}

impl Tab {
    fn label(self) -> Text {
        match self {
            Self::Week => Text::TabWeek,
            Self::Films => Text::TabFilms,
            Self::Screens => Text::TabScreens,
            Self::Party => Text::TabParty,
            Self::File => Text::TabFile,
        }
    }
}

/// Draws the heading, the tabs and the current view.
#[component]
pub(crate) fn StaffView() -> impl IntoView {
    let staff = Staff {
        catalogue: RwSignal::new(Loaded::Loading),
        week: RwSignal::new(Loaded::Loading),
        as_of: RwSignal::new(f64::NAN),
    };
    Effect::new(move |_| {
        page().refreshed.track();
        spawn_local(staff.load());
    });
    browser::focus_soon(TITLE);
    let tab = Memo::new(move |_| {
        page().route.with(|it| match At::from_route(it) {
            Some(At::Staff(tab)) => tab,
            _ => Tab::Week,
        })
    });
    let link = move |target: Tab| {
        view! {
            <a href=At::Staff(target).hash() aria-current=move || (tab.get() == target).then_some("page")>
                {target.label()}
            </a>
        }
    };
    let retry = Callback::new(move |()| {
        staff.catalogue.set(Loaded::Loading);
        staff.week.set(Loaded::Loading);
        spawn_local(staff.load());
    });
    let stage = Memo::new(move |_| {
        match (staff.catalogue.with(|it| it.map(|_| ())), staff.week.with(|it| it.map(|_| ()))) {
            (Loaded::Ready(()), other) | (other, _) => other,
        }
    });
    let drawn = move |tab: &'static Part<TabView>| drawn_by(tab, move |it| (it.0)(staff));
    view! {
        <div class="op staff">
            <div class="op-head">
                <h1 id=TITLE tabindex="-1">{Text::Title}</h1>
                <a class="back" href=At::BoxOffice(Booking::default()).hash()>{Text::BackToOffice}</a>
            </div>
            <nav class="op-tabs" aria-label=Text::Tabs>
                {Tab::ALL.map(link).into_iter().collect_view()}
            </nav>
            {move || loaded(stage.get(), 8, retry, |()| match tab.get() {
                    Tab::Week => any_view! { <week::WeekView staff/> },
                    Tab::Films => drawn(&FILMS),
                    Tab::Screens => drawn(&SCREENS),
                    Tab::Party => drawn(&PARTY),
                    Tab::File => drawn(&FILE),
                })}
        </div>
    }
}

fn column(label: Text) -> impl IntoView {
    view! { <th role="columnheader" scope="col">{label}</th> }
}

/// A cell of a numeric column, labelled if rows are drawn as cards.
fn number_cell(label: Text, number: impl Into<Signal<String>>) -> impl IntoView {
    let number: Signal<String> = number.into();
    view! { <td role="cell" class="is-number" data-label=label>{number}</td> }
}

fn number_column(label: Text) -> impl IntoView {
    view! { <th role="columnheader" scope="col" class="is-number">{label}</th> }
}
