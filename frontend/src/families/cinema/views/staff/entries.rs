//! The entries of the catalogue, films or screens: a table with buttons to add, change and remove.

use std::fmt::Debug;

use leptos::prelude::*;
use serde_json::json;

use super::outcome::{ADD, Doing, Editing, Outcome, RowActions};
use super::sheet::{Sheet, Wrong};
use super::{Staff, column};
use crate::error::CallError;
use crate::families::cinema::programme::name;
use crate::families::cinema::staff::catalogue::Catalogue;
use crate::families::cinema::staff::words::Text;
use crate::text::Lang;
use crate::views::notice::{Notice, coded};

/// A kind of catalogue entry.
pub(super) trait Entry: Clone + Debug + Default + Send + Sync + 'static {
    /// Id of the view's heading.
    const PART: &'static str;
    /// Texts of the heading, the add button, the table, and the name column.
    const WORDS: [Text; 4];
    /// The tool that edits an entry, and its id argument.
    const TOOL: &'static str;
    const KEY: &'static str;

    /// All entries.
    fn all(catalogue: &Catalogue) -> &[Self];
    fn id(&self) -> &str;
    /// The name, and the English one.
    fn names(&self) -> (&str, Option<&str>);
    /// The headers of the columns between id and buttons, and their cells.
    fn heads() -> AnyView;
    fn cells(&self) -> AnyView;
    /// The form of an entry; a new one without `before`.
    fn form(edits: Editing<Doing>, before: Option<Self>) -> AnyView;
}

fn all<E: Entry>(staff: Staff) -> Vec<E> {
    staff.catalogue.with(|it| it.ready().map(|it| E::all(it).to_vec()).unwrap_or_default())
}

fn found<E: Entry>(staff: Staff, id: &str) -> E {
    let find = |it: &Catalogue| E::all(it).iter().find(|it| it.id() == id).cloned();
    staff.catalogue.with_untracked(|it| it.ready().and_then(find)).unwrap_or_default()
}

/// Whether the id of a new entry is already used, which is marked in the form.
pub(super) fn is_taken<E: Entry>(staff: Staff, sheet: Sheet) -> bool {
    let id = untrack(|| sheet.value(E::KEY));
    let is_taken = untrack(|| all::<E>(staff)).iter().any(|it| it.id() == id);
    if is_taken {
        sheet.mark(E::KEY, Wrong::Text(Text::IdTaken, Vec::new()));
    }
    is_taken
}

/// The view of all entries.
pub(super) fn entries<E: Entry>(staff: Staff) -> impl IntoView {
    let edits = Editing::<Doing>::new(staff);
    let [heading, add, table, named] = E::WORDS;
    let listed = move || all::<E>(staff);
    view! {
        <section class="op-part" aria-labelledby=E::PART>
            <div class="op-head">
                <h2 id=E::PART class="section-title">
                    {heading}
                    <span class="count">{move || listed().len()}</span>
                </h2>
                <button type="button" id=ADD class="small" on:click=move |_| edits.start(Doing::New)>
                    {add}
                </button>
            </div>
            <Outcome import=edits.import/>
            {move || doings::<E>(edits)}
            <div class="table-scroll" tabindex="0" role="region" aria-label=table>
                <table role="table" class="data-table staff-table is-cards">
                    <thead role="rowgroup"><tr role="row">
                        {column(named)}{column(Text::Id)}
                        {E::heads()}{column(Text::Actions)}
                    </tr></thead>
                    <tbody role="rowgroup">
                        <For each=listed key=|it| format!("{it:?}")
                            children=move |it| row(edits, it)/>
                    </tbody>
                </table>
            </div>
        </section>
    }
}

/// The name in the reader's language.
fn called<E: Entry>(entry: &E) -> String {
    let (own, english) = entry.names();
    name(Some(own), english, Lang::spoken()).unwrap_or_default()
}

fn row<E: Entry>(edits: Editing<Doing>, entry: E) -> impl IntoView {
    let (id, cells) = (entry.id().to_owned(), entry.cells());
    let (edit, remove) = (Doing::Edit(id.clone()), Doing::Remove(id.clone()));
    let called = Signal::derive(move || called(&entry));
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">{called}</th>
            <td role="cell" class="is-spare"><code>{id}</code></td>
            {cells}
            <td role="cell"><div class="staff-actions">
                <RowActions edits called edit remove texts=(Text::Remove, Text::RemoveNamed)/>
            </div></td>
        </tr>
    }
}

/// The form or confirmation of the current action.
fn doings<E: Entry>(edits: Editing<Doing>) -> AnyView {
    match edits.doing.get() {
        Doing::Nothing => ().into_any(),
        Doing::New => E::form(edits, None),
        Doing::Edit(id) => E::form(edits, Some(found(edits.staff, &id))),
        Doing::Remove(id) => {
            let removed = StoredValue::new(found::<E>(edits.staff, &id));
            let ask = Signal::derive(move || {
                let called = removed.with_value(|it| called(it));
                Text::Sure.fill(&[&called])
            });
            let yes = Callback::new(move |()| {
                edits.send(E::TOOL, json!({ (E::KEY): id, "remove": true }), None);
            });
            any_view! {
                {move || edits.error.get().map(|error| view! { <Refused error/> })}
                {edits.sure(ask, Text::SureYes, yes)}
            }
        }
    }
}

/// A refusal with the cinema's own message.
#[component]
pub(super) fn Refused(error: CallError) -> impl IntoView {
    let problems = error.problems();
    view! {
        <Notice error/>
        <ul class="staff-problems">
            {problems.into_iter().map(|it| view! { <li>{coded(&it.message)}</li> }).collect_view()}
        </ul>
    }
}
