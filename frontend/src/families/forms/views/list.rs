//! The operator's list of requested forms.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::form::{Listed, Status, Submissions};
use serde_json::json;

use crate::access;
use crate::browser;
use crate::call::{Loaded, fetch};
use crate::dates;
use crate::error::CallError;
use crate::families::forms::keeping;
use crate::families::forms::place::{At, name_of, status_of};
use crate::history;
use crate::mcp;
use crate::page::page;
use crate::route::{FamilyRoute, Route};
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};
use crate::views::notice::{Empty, Notice, loaded};

/// The states with their labels.
const STATES: [(Option<Status>, Key); 5] = [
    (None, Key::All),
    (Some(Status::Waiting), Key::FormsWaiting),
    (Some(Status::Submitted), Key::FormsSubmitted),
    (Some(Status::Cancelled), Key::FormsCancelled),
    (Some(Status::Declined), Key::FormsDeclined),
];

/// The list, by state and page.
#[derive(Clone, Copy)]
struct List {
    /// None for all states.
    state: RwSignal<Option<Status>>,
    /// Whether it has the forms of all chats, and not only of this browser's.
    has_chats: RwSignal<bool>,
    forms: RwSignal<Loaded<Submissions>>,
    /// The state of the shown forms.
    shown: StoredValue<Option<Status>>,
    /// Why the list is not complete or current.
    error: RwSignal<Option<CallError>>,
    /// Number of forms to fetch.
    wanted: StoredValue<usize>,
    /// Number of the latest request: answers to earlier ones are dropped.
    number: StoredValue<u32>,
}

impl List {
    /// Fetches as many forms as wanted. The old ones are shown meanwhile.
    fn load(self) {
        self.number.update_value(|it| *it = it.wrapping_add(1));
        let number = self.number.get_value();
        let (state, wanted) = (self.state.get_untracked(), self.wanted.get_value());
        let chats = match self.has_chats.get_untracked() {
            true => vec!["*".to_owned()],
            false => keeping::asked(),
        };
        spawn_local(async move {
            let found = pages(state, &chats, wanted).await;
            if self.number.try_get_value() != Some(number) {
                return;
            }
            let is_here = self.forms.with_untracked(|it| it.ready().is_some());
            let is_same = is_here && self.shown.get_value() == state;
            match found {
                Ok(found) => {
                    self.error.set(None);
                    self.shown.set_value(state);
                    self.forms.set(Loaded::Ready(found));
                }
                // An old list is better than none; a missing host is reported at the top of the page.
                Err(CallError::Offline) if is_same => {}
                Err(error) if is_same => self.error.set(Some(error)),
                Err(error) => self.forms.set(Loaded::Failed(error)),
            }
        });
    }

    /// Fetches one more page.
    fn more(self) {
        let shown = self.forms.with_untracked(|it| it.ready().map_or(0, |it| it.forms.len()));
        self.wanted.set_value(shown + 1);
        self.load();
    }
}

/// The newest forms in `state`, page by page, until there are `wanted` or no more.
async fn pages(
    state: Option<Status>,
    chats: &[String],
    wanted: usize,
) -> Result<Submissions, CallError> {
    let mut found = Submissions::default();
    loop {
        let mut arguments = json!({ "in_chats": chats });
        if let Some(state) = state {
            arguments["status"] = name_of(state).into();
        }
        if let Some(cursor) = found.next_cursor.take() {
            arguments["cursor"] = cursor.into();
        }
        let next = fetch::<Submissions>("list_form_submissions", arguments).await?;
        let is_last = next.forms.is_empty() || next.next_cursor.is_none();
        found.forms.extend(next.forms);
        found.next_cursor = next.next_cursor;
        if is_last || found.forms.len() >= wanted {
            return Ok(found);
        }
    }
}

/// The list of forms.
#[component]
pub(crate) fn FormsView() -> impl IntoView {
    let requested = move || match page().route.with(At::from_route) {
        Some(At::List(state)) => Some(state),
        _ => None,
    };
    let list = List {
        state: RwSignal::new(untrack(requested).flatten()),
        has_chats: RwSignal::new(false),
        forms: RwSignal::new(Loaded::Loading),
        shown: StoredValue::new(None),
        error: RwSignal::new(None),
        wanted: StoredValue::new(1),
        number: StoredValue::new(0),
    };
    let subscriptions: Subscriptions = expect_context();
    let rung = subscriptions.changes("form://submissions.csv");
    Effect::new(move |_| {
        if let Some(state) = requested().filter(|it| *it != list.state.get_untracked()) {
            list.state.set(state);
        }
    });
    Effect::new(move |before: Option<(Option<Status>, bool)>| {
        let shown = (list.state.get(), list.has_chats.get());
        page().refreshed.track();
        rung.track();
        if before.is_some_and(|before| before != shown) {
            list.wanted.set_value(1);
        }
        list.load();
        shown
    });
    browser::focus_soon("stage");
    let retry = Callback::new(move |()| {
        list.forms.set(Loaded::Loading);
        list.load();
    });
    let stage = Memo::new(move |_| list.forms.with(|it| it.map(|it| it.forms.is_empty())));
    view! {
        <div class="forms">
            <header class="forms-head">
                <h1 tabindex="-1" id="stage">{Key::FormsTitle}</h1>
                <p class="hint">{Key::FormsHint}</p>
            </header>
            <Bar list/>
            {move || loaded(stage.get(), 6, retry, |is_empty| match is_empty {
                true => any_view! { <Nothing list/> },
                false => any_view! { <Table list/> },
            })}
        </div>
    }
}

#[component]
fn Nothing(list: List) -> impl IntoView {
    let is_all = list.state.get_untracked().is_none();
    if !is_all {
        return any_view! { <Empty title=Key::FormsNoneFit/> };
    }
    any_view! {
        <Empty title=Key::FormsNone hint=Key::FormsNoneHint/>
        {move || page().has_assistants.get().then(|| view! {
            <p><a class="button" href=Route::Chat(None).hash()>{Key::FrontChat}</a></p>
        })}
    }
}

/// The state filter, the refresh button, and the export.
#[component]
fn Bar(list: List) -> impl IntoView {
    let error = list.error;
    let named = |state: Option<Status>| state.map(name_of).unwrap_or_default();
    let choose = move |event| {
        let state = status_of(&event_target_value(&event));
        // Back from a form leads to the same list.
        history::replace_hash(&At::List(state).hash());
        list.state.set(state);
    };
    let option = move |(state, key): (Option<Status>, Key)| {
        view! {
            <option value=named(state) selected=move || list.state.get() == state>{key}</option>
        }
    };
    let download = move |_| {
        let state = list.state.get_untracked();
        let query = state.map(|it| format!("?status={}", name_of(it))).unwrap_or_default();
        spawn_local(async move {
            let text = mcp::read_text(&format!("form://submissions.csv{query}")).await;
            let saved = text.and_then(|text| {
                let saved = browser::download("forms.csv", text.as_bytes(), "text/csv");
                saved.map_err(|_| CallError::page("the browser did not save the file"))
            });
            if saved.is_ok() {
                page().notify(Key::FormsCsvHere);
            }
            let _ = error.try_set(saved.err());
        });
    };
    view! {
        <div class="forms-bar">
            <label class="forms-state">
                <span class="label">{Key::State}</span>
                <select id="forms-state" on:change=choose prop:value=move || named(list.state.get())>
                    {STATES.map(option).into_iter().collect_view()}
                </select>
            </label>
            // With an account or a token, the host knows whose chats they are.
            {(!access::is_entered()).then(|| view! {
                <label class="choice">
                    <input type="checkbox" prop:checked=list.has_chats
                        on:change=move |event| list.has_chats.set(event_target_checked(&event))/>
                    <span>{Key::FormsOfChats}</span>
                </label>
            })}
            <button type="button" class="quiet" on:click=move |_| list.load()>{Key::Refresh}</button>
            <button type="button" class="quiet" on:click=download>{Key::FormsCsv}</button>
        </div>
        {move || error.get().map(|error| view! { <Notice error/> })}
    }
}

#[component]
fn Table(list: List) -> impl IntoView {
    let forms =
        move || list.forms.with(|it| it.ready().map(|it| it.forms.clone()).unwrap_or_default());
    let count = move || list.forms.with(|it| it.ready().map_or(0, |it| it.forms.len()).to_string());
    let has_more = Memo::new(move |_| {
        list.forms.with(|it| it.ready().is_some_and(|it| it.next_cursor.is_some()))
    });
    // A changed form is redrawn; the others stay.
    let key = |it: &Listed| (it.handle.clone(), format!("{:?}", it.status), it.answered_at.clone());
    let head = |key: Key| view! { <th role="columnheader" scope="col">{key}</th> };
    let columns = [Key::State, Key::FormsName, Key::AskedBy, Key::AskedAt, Key::FormsAnsweredAt];
    view! {
        <div class="table-scroll" tabindex="0" role="region"
            aria-label=Key::FormsTitle>
            <table role="table" class="data-table forms-table is-cards">
                <thead role="rowgroup"><tr role="row">{columns.map(head).into_iter().collect_view()}</tr></thead>
                <tbody role="rowgroup">
                    <For each=forms key=key let:form>
                        <Row form/>
                    </For>
                </tbody>
            </table>
        </div>
        <div class="actions">
            <p class="count" id="forms-count" tabindex="-1">{move || Key::FormsMoreHere.fill(&[&count()])}</p>
            {move || has_more.get().then(|| {
                browser::hand_on("#forms-more", "forms-count");
                view! {
                    <button type="button" class="quiet" id="forms-more" on:click=move |_| list.more()>
                        {Key::ShowMore}
                    </button>
                }
            })}
        </div>
    }
}

#[component]
fn Row(form: Listed) -> impl IntoView {
    let key = STATES.iter().find(|it| it.0 == Some(form.status)).map_or(Key::Nothing, |it| it.1);
    let class = match form.status {
        Status::Waiting => "badge is-do",
        Status::Submitted => "badge is-look",
        Status::Cancelled | Status::Declined => "badge is-closed",
    };
    let href = At::Form(form.handle).hash();
    let (asked_at, answered) = (form.asked_at, form.answered_at);
    view! {
        <tr role="row">
            <td role="cell"><span class=class>{key}</span></td>
            <td role="cell" class="forms-title"><a href=href>{form.title}</a></td>
            <td role="cell" data-label=Key::AskedBy>{form.asked_by}</td>
            <td role="cell" data-label=Key::AskedAt>
                {move || dates::moment(&asked_at, Lang::spoken())}
            </td>
            <td role="cell" data-label=Key::FormsAnsweredAt>
                {move || answered.as_ref().map(|it| dates::moment(it, Lang::spoken()))}
            </td>
        </tr>
    }
}
