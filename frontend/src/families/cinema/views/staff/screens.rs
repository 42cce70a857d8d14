//! The screens: adding, changing, removing, and their seat editor.

use leptos::prelude::*;
use serde_json::json;

use super::entries::{Entry, Refused, is_taken};
use super::outcome::{Doing, Editing, FormActions};
use super::plan::{FAULTS, Plan, PlanView};
use super::sheet::{Field, Kind, Sheet, SheetView};
use super::{number_cell, number_column};
use crate::browser;
use crate::families::cinema::staff::catalogue::{Catalogue, Screen};
use crate::families::cinema::staff::layout::Layout;
use crate::families::cinema::staff::words::Text;

const TITLE: &str = "staff-screen-heading";
/// Maximum number of characters of a name.
const NAME_MAX: usize = 2_000;

impl Entry for Screen {
    const PART: &'static str = "staff-screens";
    const WORDS: [Text; 4] =
        [Text::TabScreens, Text::NewScreen, Text::ScreensTable, Text::ScreenName];
    const TOOL: &'static str = "edit_screen";
    const KEY: &'static str = "screen_id";

    fn all(catalogue: &Catalogue) -> &[Self] {
        &catalogue.screens
    }

    fn id(&self) -> &str {
        &self.screen_id
    }

    fn names(&self) -> (&str, Option<&str>) {
        (&self.name, self.name_en.as_deref())
    }

    fn heads() -> AnyView {
        number_column(Text::Seats).into_any()
    }

    fn cells(&self) -> AnyView {
        let seats = Layout::read(&self.rows).counts().iter().map(|it| it.1).sum::<usize>();
        number_cell(Text::Seats, seats.to_string()).into_any()
    }

    fn form(edits: Editing<Doing>, before: Option<Self>) -> AnyView {
        any_view! { <ScreenForm screens=edits before/> }
    }
}

/// The form of a screen with its plan; a new one without `before`.
#[component]
fn ScreenForm(screens: Editing<Doing>, before: Option<Screen>) -> impl IntoView {
    let is_new = before.is_none();
    let mut fields = Vec::new();
    if is_new {
        fields.push(Field::new("screen_id", Text::Id, Kind::Id).required().hint(Text::IdHint));
    }
    fields.extend([
        Field::new("name", Text::ScreenName, Kind::Line(NAME_MAX)).required(),
        Field::new("name_en", Text::ScreenNameEn, Kind::Line(NAME_MAX)),
    ]);
    let values = before.as_ref().map(|screen| {
        vec![
            ("screen_id", screen.screen_id.clone()),
            ("name", screen.name.clone()),
            ("name_en", screen.name_en.clone().unwrap_or_default()),
        ]
    });
    let sheet = Sheet::new("staff-screen", fields, values.unwrap_or_default());
    let layout = before.as_ref().map_or_else(Layout::new, |it| Layout::read(&it.rows));
    let drawn = StoredValue::new(layout.text());
    let plan = Plan::new(layout);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if !sheet.is_right() {
            return;
        }
        if plan.is_wrong() {
            return browser::focus(FAULTS);
        }
        let value = |name: &str| untrack(|| sheet.value(name));
        if is_new && is_taken::<Screen>(screens.staff, sheet) {
            return;
        }
        let mut arguments = json!({ "screen_id": value("screen_id") });
        for name in ["name", "name_en"] {
            if sheet.is_changed(name) {
                arguments[name] = value(name).into();
            }
        }
        let layout = plan.layout.with_untracked(Layout::text);
        if is_new || layout != drawn.get_value() {
            arguments["layout"] = layout.into();
        }
        screens.send("edit_screen", arguments, Some(sheet));
    };
    browser::focus_soon(TITLE);
    let title = move || match &before {
        None => Text::NewScreen.say().to_owned(),
        Some(screen) => Text::EditScreen.fill(&[&screen.name]),
    };
    view! {
        <form class="op-card" on:submit=submit novalidate aria-labelledby=TITLE>
            <h3 id=TITLE tabindex="-1">{title}</h3>
            <SheetView sheet/>
            <PlanView plan/>
            {move || screens.error.get().map(|error| view! { <Refused error/> })}
            <FormActions is_busy=screens.is_busy stop=move || screens.stop()/>
        </form>
    }
}
