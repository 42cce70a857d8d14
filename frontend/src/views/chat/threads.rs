//! Stored conversations: searched, opened, renamed, deleted.

use leptos::prelude::*;

use crate::browser;
use crate::chat::storage::Head;
use crate::chat::talk::Talk;
use crate::chat::thread::TITLE_MAX;
use crate::dates;
use crate::page::page;
use crate::route::Route;
use crate::text::{Key, Lang};

/// The action on a list entry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Doing {
    #[default]
    Nothing,
    Naming,
    Forgetting,
}

#[component]
pub(super) fn Threads() -> impl IntoView {
    let talk = Talk::shared();
    let query = RwSignal::new(String::new());
    let found = Memo::new(move |_| query.with(|query| talk.saved_chats.with(|it| it.found(query))));
    let is_any = Memo::new(move |_| talk.saved_chats.with(|it| !it.heads.is_empty()));
    let nothing = move || {
        found.with(Vec::is_empty).then(|| {
            let key = if is_any.get() { Key::ChatNoneFit } else { Key::ChatNone };
            view! { <p class="hint">{key}</p> }
        })
    };
    view! {
        <nav class="chat-threads" aria-label=Key::ChatList>
            <label class="only-heard" for="chat-search">{Key::ChatSearch}</label>
            <input type="search" id="chat-search" placeholder=Key::ChatSearch
                prop:value=query on:input=move |event| query.set(event_target_value(&event))/>
            <ul>
                <For each=move || found.get() key=|it| (it.id.clone(), it.name.clone(), it.at_ms)
                    children=move |head| view! { <ThreadView head/> }/>
            </ul>
            {nothing}
            <p class="hint">{Key::ChatKept}</p>
        </nav>
    }
}

fn name(head: &Head) -> String {
    if head.name.is_empty() { Key::ChatUnnamed.say().to_owned() } else { head.name.clone() }
}

/// Id of an entry's element: a button or a confirmation.
fn part_id(head: StoredValue<Head>, part: &str) -> String {
    head.with_value(|it| format!("chat-{part}-{}", it.id))
}

#[component]
fn ThreadView(head: Head) -> impl IntoView {
    let talk = Talk::shared();
    let doing = RwSignal::new(Doing::Nothing);
    let head = StoredValue::new(head);
    let title = move || head.with_value(name);
    let id = move || head.with_value(|it| it.id.clone());
    let at = move || dates::lately(head.with_value(|it| it.at_ms) as f64, Lang::spoken());
    let is_open = move || talk.thread.with(|it| it.id == id());
    let open = move |_| page().go(Route::Chat(Some(id())));
    let row = move || {
        view! {
            <button type="button" class="plain chat-thread-open" on:click=open
                aria-current=move || is_open().then_some("true")>
                <span>{title}</span>
                <small class="chat-thread-at">{at}</small>
            </button>
            <button type="button" class="plain small" id=part_id(head, "rename")
                aria-label=move || Key::ChatRenameNamed.fill(&[&title()])
                on:click=move |_| {
                    doing.set(Doing::Naming);
                    browser::focus_soon("chat-name");
                }>{Key::ChatRename}</button>
            <button type="button" class="plain small" id=part_id(head, "forget")
                aria-label=move || Key::ChatForgetNamed.fill(&[&title()])
                on:click=move |_| {
                    doing.set(Doing::Forgetting);
                    browser::focus_soon("chat-keep-it");
                }>{Key::ChatForget}</button>
        }
    };
    view! {
        <li class="chat-thread" class:is-open=is_open>
            {move || match doing.get() {
                Doing::Nothing => row().into_any(),
                Doing::Naming => any_view! { <Naming head doing/> },
                Doing::Forgetting => any_view! { <Forgetting head doing/> },
            }}
        </li>
    }
}

#[component]
fn Naming(head: StoredValue<Head>, doing: RwSignal<Doing>) -> impl IntoView {
    let talk = Talk::shared();
    let title = RwSignal::new(head.with_value(|it| it.name.clone()));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        doing.set(Doing::Nothing);
        talk.rename(&head.with_value(|it| it.id.clone()), &title.get_untracked());
        browser::focus_soon(part_id(head, "rename"));
    };
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        if browser::takes_escape(&event) {
            doing.set(Doing::Nothing);
            browser::focus_soon(part_id(head, "rename"));
        }
    };
    view! {
        <form on:submit=submit class="chat-naming">
            <input id="chat-name" type="text" maxlength=TITLE_MAX prop:value=title
                aria-label=Key::ChatName on:keydown=keydown
                on:input=move |event| title.set(event_target_value(&event))/>
            <button type="submit" class="quiet small">{Key::ChatNameSave}</button>
        </form>
    }
}

#[component]
fn Forgetting(head: StoredValue<Head>, doing: RwSignal<Doing>) -> impl IntoView {
    let talk = Talk::shared();
    let question = move || Key::ChatForgetAsk.fill(&[&head.with_value(name)]);
    let keep = move || {
        doing.set(Doing::Nothing);
        browser::focus_soon(part_id(head, "forget"));
    };
    view! {
        <div class="chat-forgetting" role="group" aria-labelledby=part_id(head, "ask")
            on:keydown=move |event| if browser::takes_escape(&event) { keep() }>
            <p id=part_id(head, "ask")>{question}</p>
            <div class="actions">
                <button type="button" class="quiet small is-grave"
                    on:click=move |_| talk.forget(&head.with_value(|it| it.id.clone()))>
                    {Key::ChatForgetYes}
                </button>
                <button type="button" class="quiet small" id="chat-keep-it"
                        on:click=move |_| keep()>{Key::ChatForgetNo}</button>
            </div>
        </div>
    }
}
