//! The screens: added, changed, removed; with the editor of their seats.

use leptos::prelude::*;
use serde_json::json;

use super::films::Refused;
use super::outcome::{ADD, Doing, Editing, Outcome, Sure};
use super::plan::{FAULTS, Plan, PlanView};
use super::sheet::{Field, Kind, Sheet, SheetView, Wrong};
use super::{Staff, column, number_column};
use crate::browser;
use crate::families::cinema::programme::name;
use crate::families::cinema::staff::catalogue::Screen;
use crate::families::cinema::staff::layout::Layout;
use crate::families::cinema::staff::words::Word;

const TITLE: &str = "staff-screen-heading";
/// Characters of a name.
const NAME_MAX: usize = 2_000;

type Screens = Editing<Doing>;

fn all(screens: Screens) -> Vec<Screen> {
    let catalogue = screens.staff.catalogue;
    catalogue.with(|it| it.here().map(|it| it.screens.clone()).unwrap_or_default())
}

fn screen(screens: Screens, id: &str) -> Screen {
    let catalogue = screens.staff.catalogue;
    let found = catalogue.with_untracked(|it| it.here().and_then(|it| it.screen(id).cloned()));
    found.unwrap_or_default()
}

/// The part `Screens`.
#[component]
pub(super) fn ScreensView(staff: Staff) -> impl IntoView {
    let page = staff.page;
    let screens = Screens::new(staff);
    view! {
        <section class="op-part" aria-labelledby="staff-screens">
            <div class="op-head">
                <h2 id="staff-screens" class="section-title">
                    {move || Word::TabScreens.say(page)}
                    <span class="count">{move || all(screens).len()}</span>
                </h2>
                <button type="button" id=ADD class="small" on:click=move |_| screens.start(Doing::New)>
                    {move || Word::NewScreen.say(page)}
                </button>
            </div>
            <Outcome came=screens.came/>
            <Doings screens/>
            <div class="table-scroll" tabindex="0" role="region"
                aria-label=move || Word::ScreensTable.say(page)>
                <table class="data-table staff-table">
                    <thead><tr>
                        {column(page, Word::ScreenName)}{column(page, Word::Id)}
                        {number_column(page, Word::Seats)}{column(page, Word::Actions)}
                    </tr></thead>
                    <tbody>
                        <For each=move || all(screens) key=|it| format!("{it:?}") let:it>
                            <Row screens it/>
                        </For>
                    </tbody>
                </table>
            </div>
        </section>
    }
}

#[component]
fn Row(screens: Screens, it: Screen) -> impl IntoView {
    let page = screens.staff.page;
    let seats = Layout::read(&it.rows).counts().iter().map(|it| it.1).sum::<usize>();
    let id = StoredValue::new(it.screen_id.clone());
    let it = StoredValue::new(it);
    let called = move || {
        let lang = page.lang.get();
        it.with_value(|it| name(Some(&it.name), it.name_en.as_deref(), lang)).unwrap_or_default()
    };
    view! {
        <tr>
            <th scope="row">{called}</th>
            <td><code>{id.get_value()}</code></td>
            <td class="is-number">{seats}</td>
            <td><div class="staff-actions">
                <button type="button" class="quiet small"
                    aria-label=move || Word::EditNamed.fill(page, &[&called()])
                    on:click=move |_| screens.start(Doing::Edit(id.get_value()))>
                    {move || Word::Edit.say(page)}
                </button>
                <button type="button" class="quiet small is-grave"
                    aria-label=move || Word::RemoveNamed.fill(page, &[&called()])
                    on:click=move |_| screens.start(Doing::Remove(id.get_value()))>
                    {move || Word::Remove.say(page)}
                </button>
            </div></td>
        </tr>
    }
}

#[component]
fn Doings(screens: Screens) -> impl IntoView {
    let page = screens.staff.page;
    let stop = Callback::new(move |()| screens.stop());
    move || match screens.doing.get() {
        Doing::Nothing => ().into_any(),
        Doing::New => view! { <ScreenForm screens before=None/> }.into_any(),
        Doing::Edit(id) => {
            view! { <ScreenForm screens before=Some(screen(screens, &id))/> }.into_any()
        }
        Doing::Remove(id) => {
            let called = screen(screens, &id).name;
            let ask = Signal::derive(move || Word::Sure.fill(page, &[&called]));
            let yes = Callback::new(move |()| {
                screens.send("edit_screen", json!({ "screen_id": id, "remove": true }), None);
            });
            view! {
                {move || screens.error.get().map(|error| view! { <Refused error/> })}
                <Sure ask yes=Word::SureYes on_yes=yes on_no=stop is_busy=screens.is_busy/>
            }
            .into_any()
        }
    }
}

/// The form of one screen with its plan, a new one where there is none `before`.
#[component]
fn ScreenForm(screens: Screens, before: Option<Screen>) -> impl IntoView {
    let page = screens.staff.page;
    let is_new = before.is_none();
    let mut fields = Vec::new();
    if is_new {
        fields.push(Field::new("screen_id", Word::Id, Kind::Id).required().hint(Word::IdHint));
    }
    fields.extend([
        Field::new("name", Word::ScreenName, Kind::Line(NAME_MAX)).required(),
        Field::new("name_en", Word::ScreenNameEn, Kind::Line(NAME_MAX)),
    ]);
    let values = before.as_ref().map(|it| {
        vec![
            ("screen_id", it.screen_id.clone()),
            ("name", it.name.clone()),
            ("name_en", it.name_en.clone().unwrap_or_default()),
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
        let id = value("screen_id");
        if is_new && untrack(|| all(screens)).iter().any(|it| it.screen_id == id) {
            return sheet.mark("screen_id", Wrong::Word(Word::IdTaken, Vec::new()));
        }
        let mut arguments = json!({ "screen_id": id });
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
        None => Word::NewScreen.say(page).to_owned(),
        Some(it) => Word::EditScreen.fill(page, &[&it.name]),
    };
    let is_busy = screens.is_busy;
    view! {
        <form class="op-card" on:submit=submit novalidate aria-labelledby=TITLE>
            <h3 id=TITLE tabindex="-1">{title}</h3>
            <SheetView sheet/>
            <PlanView plan/>
            {move || screens.error.get().map(|error| view! { <Refused error/> })}
            <div class="actions">
                <button type="submit" class="main-action"
                    aria-disabled=move || is_busy.get().then_some("true")>
                    {move || if is_busy.get() { Word::Saving } else { Word::Save }.say(page)}
                </button>
                <button type="button" class="quiet" on:click=move |_| screens.stop()>
                    {move || Word::Cancel.say(page)}
                </button>
            </div>
        </form>
    }
}
