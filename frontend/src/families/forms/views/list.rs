//! What agents asked people to fill in: a list for whoever operates them.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::{Listed, Status, Submissions};
use serde_json::json;

use crate::browser;
use crate::call::{Loaded, fetch};
use crate::dates;
use crate::ears::Ears;
use crate::families::forms::place::At;
use crate::mcp;
use crate::page::page;
use crate::route::Spot;
use crate::text::Key;
use crate::trouble::Trouble;
use crate::views::notice::{Empty, Notice, Skeleton};

/// The states, and what they are called by people and by the tool.
const STATES: [(Option<Status>, Key, &str); 5] = [
    (None, Key::FormsAll, ""),
    (Some(Status::Waiting), Key::FormsWaiting, "waiting"),
    (Some(Status::Submitted), Key::FormsSubmitted, "submitted"),
    (Some(Status::Cancelled), Key::FormsCancelled, "cancelled"),
    (Some(Status::Declined), Key::FormsDeclined, "declined"),
];

/// The list, by state and page by page.
#[derive(Clone, Copy)]
struct List {
    state: RwSignal<&'static str>,
    forms: RwSignal<Loaded<Submissions>>,
    /// Answers to an older question are dropped by its number.
    number: StoredValue<u32>,
}

impl List {
    /// Fetches the first page; what is shown stays until it is here.
    fn load(self) {
        self.fetch(None);
    }

    /// Fetches the next page and puts it below.
    fn more(self) {
        let cursor = self.forms.with_untracked(|it| it.here()?.next_cursor.clone());
        if cursor.is_some() {
            self.fetch(cursor);
        }
    }

    fn fetch(self, cursor: Option<String>) {
        self.number.update_value(|it| *it = it.wrapping_add(1));
        let number = self.number.get_value();
        let mut arguments = json!({});
        let state = self.state.get_untracked();
        if !state.is_empty() {
            arguments["status"] = state.into();
        }
        if let Some(cursor) = &cursor {
            arguments["cursor"] = cursor.as_str().into();
        }
        spawn_local(async move {
            let found = fetch::<Submissions>("list_form_submissions", arguments).await;
            if self.number.try_get_value() != Some(number) {
                return;
            }
            let before = self.forms.with_untracked(|it| it.here().cloned());
            self.forms.set(match (found, cursor, before) {
                (Ok(next), Some(_), Some(before)) => {
                    let forms = before.forms.into_iter().chain(next.forms).collect();
                    Loaded::Here(Submissions { forms, ..next })
                }
                (Ok(first), ..) => Loaded::Here(first),
                // An old list is better than none.
                (Err(Trouble::Offline), _, Some(before)) => Loaded::Here(before),
                (Err(trouble), ..) => Loaded::Failed(trouble),
            });
        });
    }
}

/// The list of forms.
#[component]
pub(crate) fn FormsView() -> impl IntoView {
    let page = page();
    let list = List {
        state: RwSignal::new(""),
        forms: RwSignal::new(Loaded::Loading),
        number: StoredValue::new(0),
    };
    let ears: Ears = expect_context();
    let rung = ears.hear("form://submissions.csv");
    Effect::new(move |_| {
        list.state.track();
        page.refreshed.track();
        rung.track();
        list.load();
    });
    browser::focus_soon("stage");
    let retry = Callback::new(move |()| {
        list.forms.set(Loaded::Loading);
        list.load();
    });
    view! {
        <div class="forms">
            <header class="forms-head">
                <h1 tabindex="-1" id="stage">{move || page.say(Key::FormsTitle)}</h1>
                <p class="hint">{move || page.say(Key::FormsHint)}</p>
            </header>
            <Bar list/>
            {move || match list.forms.get() {
                Loaded::Loading => view! { <Skeleton lines=6/> }.into_any(),
                Loaded::Failed(trouble) => view! { <Notice trouble on_retry=retry/> }.into_any(),
                Loaded::Here(found) if found.forms.is_empty() => view! { <Nothing list/> }.into_any(),
                Loaded::Here(found) => view! { <Table list found/> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn Nothing(list: List) -> impl IntoView {
    let page = page();
    let is_all = list.state.get_untracked().is_empty();
    if !is_all {
        return view! { <Empty title=Signal::derive(move || page.say(Key::FormsNoneFit).to_owned())/> }
            .into_any();
    }
    let title = Signal::derive(move || page.say(Key::FormsNone).to_owned());
    let hint = Signal::derive(move || page.say(Key::FormsNoneHint).to_owned());
    view! { <Empty title hint/> }.into_any()
}

/// The state to show, the list anew, and all of it as a file.
#[component]
fn Bar(list: List) -> impl IntoView {
    let page = page();
    let trouble = RwSignal::new(None::<Trouble>);
    let choose = move |event| {
        let chosen = event_target_value(&event);
        if let Some((_, _, name)) = STATES.iter().find(|it| it.2 == chosen) {
            list.state.set(name);
        }
    };
    let option = move |(_, key, name): (Option<Status>, Key, &'static str)| {
        view! {
            <option value=name selected=move || list.state.get() == name>
                {move || page.say(key)}
            </option>
        }
    };
    let download = move |_| {
        let state = list.state.get_untracked();
        let query = if state.is_empty() { String::new() } else { format!("?status={state}") };
        spawn_local(async move {
            let text = mcp::read_text(&format!("form://submissions.csv{query}")).await;
            let saved = text.and_then(|text| {
                let saved = browser::download("forms.csv", text.as_bytes(), "text/csv");
                saved.map_err(|_| Trouble::page("the browser did not save the file"))
            });
            if saved.is_ok() {
                page.notify(Key::FormsCsvHere);
            }
            let _ = trouble.try_set(saved.err());
        });
    };
    view! {
        <div class="forms-bar">
            <label class="forms-state">
                <span class="label">{move || page.say(Key::FormsState)}</span>
                <select id="forms-state" on:change=choose prop:value=move || list.state.get()>
                    {STATES.map(option).into_iter().collect_view()}
                </select>
            </label>
            <button type="button" class="quiet" on:click=move |_| list.load()>
                {move || page.say(Key::Refresh)}
            </button>
            <button type="button" class="quiet" on:click=download>
                {move || page.say(Key::FormsCsv)}
            </button>
        </div>
        {move || trouble.get().map(|trouble| view! { <Notice trouble/> })}
    }
}

#[component]
fn Table(list: List, found: Submissions) -> impl IntoView {
    let page = page();
    let count = found.forms.len().to_string();
    let has_more = found.next_cursor.is_some();
    let row = |form: Listed| view! { <Row form/> };
    let head = |key: Key| view! { <th scope="col">{move || page.say(key)}</th> };
    let columns = [
        Key::FormsState,
        Key::FormsName,
        Key::FormsAskedBy,
        Key::FormsAskedAt,
        Key::FormsAnsweredAt,
    ];
    view! {
        <div class="table-scroll" tabindex="0" role="region"
            aria-label=move || page.say(Key::FormsTitle)>
            <table class="data-table forms-table">
                <thead><tr>{columns.map(head).into_iter().collect_view()}</tr></thead>
                <tbody>{found.forms.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
        <div class="actions">
            <p class="count">{move || page.fill(Key::FormsMoreHere, &[&count])}</p>
            {has_more.then(|| view! {
                <button type="button" class="quiet" on:click=move |_| list.more()>
                    {move || page.say(Key::FormsMore)}
                </button>
            })}
        </div>
    }
}

#[component]
fn Row(form: Listed) -> impl IntoView {
    let page = page();
    let key = STATES.iter().find(|it| it.0 == Some(form.status)).map_or(Key::Nothing, |it| it.1);
    let class = match form.status {
        Status::Waiting => "badge is-do",
        Status::Submitted => "badge is-look",
        Status::Cancelled | Status::Declined => "badge is-closed",
    };
    let href = At::Form(form.handle).hash();
    let (asked, answered) = (form.asked_at, form.answered_at);
    view! {
        <tr>
            <td><span class=class>{move || page.say(key)}</span></td>
            <td class="forms-title"><a href=href>{form.title}</a></td>
            <td>{form.asked_by}</td>
            <td>{move || dates::moment(&asked, page.lang.get())}</td>
            <td>{move || answered.as_ref().map(|it| dates::moment(it, page.lang.get()))}</td>
        </tr>
    }
}
