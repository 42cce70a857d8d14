//! The chat view (ILL-46): assistant, conversation, composer.

mod composer;
pub(crate) mod markdown;
mod piece;
mod threads;
mod transcript;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::cards::{Say, ThreadGallery};
use super::notice::{Empty, Notice};
use crate::browser;
use crate::call::Loaded;
use crate::chat::client::Assistant;
use crate::chat::talk::{ANSWER, Talk};
use crate::chat::thread::Thread;
use crate::history;
use crate::page::page;
use crate::part::{Part, part};
use crate::route::Route;
use crate::table::{self, Draw};
use crate::text::{Key, Lang};
use crate::views::part::drawn_by;
use composer::Composer;
use threads::Threads;
use transcript::Transcript;

/// What is said, and the rest that a reader who has said nothing yet does not see, is drawn by a part of its own.
pub(crate) static TRANSCRIPT: Part<Draw> = part!(transcript: Draw = &Draw(|what| match what {
    THREADS => any_view! { <Threads/> },
    PASSWORD => any_view! { <Password/> },
    _ => any_view! { <Transcript/> },
}));
/// The list of conversations, and the question for the password.
const THREADS: &str = "threads";
const PASSWORD: &str = "password";

#[component]
pub(crate) fn ChatView() -> impl IntoView {
    let talk = Talk::shared();
    talk.meet();
    // A conversation has an address; without one, the open conversation stays.
    Effect::new(move |_| {
        let named = page().route.with(|it| match it {
            Route::Chat(id) => id.clone(),
            _ => None,
        });
        if named.is_some_and(|id| untrack(|| !talk.open(&id))) {
            history::replace_hash(&Route::Chat(None).hash());
            page().notify(Key::ChatNotHere);
        }
    });
    // One with messages can be linked to, and Back leads to it.
    let id = Memo::new(move |_| talk.thread.with(|it| (!it.is_empty()).then(|| it.id.clone())));
    Effect::new(move |_| {
        page().route.track();
        if let Some(id) = id.get().filter(|_| Route::parse(&browser::hash()) == Route::Chat(None)) {
            history::replace_hash(&Route::Chat(Some(id)).hash());
        }
    });
    // Who writes will ask.
    Effect::new(move |_| {
        if !talk.draft.with(String::is_empty) {
            spawn_local(async {
                ANSWER.fetch().await;
            });
        }
    });
    provide_context(Say {
        say: Callback::new(move |text: String| talk.say(&text)),
        is_busy: Signal::derive(move || talk.thread.with(Thread::is_running)),
    });
    let is_empty = Memo::new(move |_| talk.thread.with(|it| it.is_empty()));
    let is_lost = Memo::new(move |_| match talk.assistants.get() {
        Loaded::Failed(error) => Some(error),
        Loaded::Loading | Loaded::Ready(_) => None,
    });
    let retry = Callback::new(move |()| talk.fetch_assistants());
    let drawn = move || {
        view! {
            <div class="chat" class:has-list=move || talk.is_listing.get()>
                <Head/>
                {move || talk.is_listing.get().then(|| drawn_by(&TRANSCRIPT, |it| (it.0)(THREADS)))}
                <section class="chat-main" aria-label=Key::ChatPlace>
                    {move || is_lost.get().map(|error| view! { <Notice error on_retry=retry/> })}
                    {move || if talk.is_locked.get() {
                        drawn_by(&TRANSCRIPT, |it| (it.0)(PASSWORD))
                    } else if is_empty.get() {
                        any_view! { <Welcome/> }
                    } else {
                        drawn_by(&TRANSCRIPT, |it| (it.0)(""))
                    }}
                    {move || (!talk.is_locked.get()).then(|| view! { <Composer/> })}
                </section>
            </div>
        }
    };
    move || {
        if page().has_assistants.get() {
            drawn().into_any()
        } else {
            any_view! { <NoAssistant/> }
        }
    }
}

/// Shown if the host serves no assistant.
#[component]
fn NoAssistant() -> impl IntoView {
    view! {
        <h1 tabindex="-1" id="stage" class="only-heard">{Key::ChatTitle}</h1>
        <Empty title=Key::ChatAbsent hint=Key::ChatAbsentHint/>
    }
}

/// The assistant of this conversation, once the list is loaded.
pub(super) fn current(talk: Talk) -> Option<Assistant> {
    let chosen = talk.thread.with(|it| it.assistant.clone());
    talk.assistants.with(|loaded| {
        let all = loaded.ready()?;
        let name = chosen.as_deref().unwrap_or(&all.default);
        let own = all.assistants.iter().find(|it| it.name == name);
        own.or_else(|| all.assistants.first()).cloned()
    })
}

/// An assistant's title in the reader's language.
fn title(assistant: &Assistant, lang: Lang) -> String {
    let ja = assistant.title_ja.clone().filter(|_| lang == Lang::Ja);
    ja.unwrap_or_else(|| assistant.title.clone())
}

/// Provider and model of an answer; a planner is labelled as such.
pub(super) fn provider(lang: Lang, provider: &str, model: &str) -> String {
    let name = match provider {
        "builtin" => return lang.say(Key::ChatBuiltin).to_owned(),
        "claude" => "Claude",
        "gemini" => "Gemini",
        "openai" => lang.say(Key::ChatOpenAi),
        other => other,
    };
    if model.is_empty() { name.to_owned() } else { format!("{name} · {model}") }
}

#[component]
fn Head() -> impl IntoView {
    let talk = Talk::shared();
    let behind = move || {
        let own = current(talk)?;
        Some(provider(Lang::spoken(), &own.provider, &own.model))
    };
    let is_running = Memo::new(move |_| talk.thread.with(|it| it.is_running()));
    let choose = move |event| {
        let name = event_target_value(&event);
        talk.thread.update(|it| it.assistant = Some(name));
        talk.keep();
    };
    let options = move || {
        let all = talk.assistants.with(|it| it.ready().cloned()).unwrap_or_default();
        let own = current(talk).map(|it| it.name).unwrap_or_default();
        let option = |assistant: Assistant| {
            let is_own = assistant.name == own;
            view! { <option value=assistant.name selected=is_own>{title(&assistant, Lang::spoken())}</option> }
        };
        all.assistants.into_iter().map(option).collect_view()
    };
    view! {
        <div class="chat-head">
            <h1 tabindex="-1" id="stage" class="only-heard">{Key::ChatTitle}</h1>
            <button type="button" class="quiet small" id="chat-list"
                aria-expanded=move || talk.is_listing.get().to_string()
                on:click=move |_| talk.is_listing.update(|it| *it = !*it)>
                <span aria-hidden="true">"☰"</span>{Key::ChatList}
            </button>
            <div class="chat-who">
                <label class="chat-who-select">
                    <span class="only-heard">{Key::ChatWith}</span>
                    <select on:change=choose disabled=move || is_running.get()
                        prop:value=move || current(talk).map(|it| it.name).unwrap_or_default()>
                        {options}
                    </select>
                </label>
                <span class="chat-behind">{behind}</span>
            </div>
            <ThreadGallery
                count=Memo::new(move |_| talk.thread.with(piece::shot_count))
                shots=Signal::derive(move || {
                    let lang = Lang::spoken();
                    talk.thread.with(|it| piece::all_shots(it, lang))
                })/>
            <button type="button" class="quiet small chat-new" on:click=move |_| {
                talk.begin();
                page().go(Route::Chat(None));
            }>
                <span aria-hidden="true">"＋"</span>{Key::ChatNew}
            </button>
        </div>
    }
}

/// The greeting of the chosen assistant.
#[component]
pub(super) fn Welcome() -> impl IntoView {
    let talk = Talk::shared();
    let own = Memo::new(move |_| table::greeting(&current(talk)?.name));
    let title = move || own.get().map_or(Key::ChatWelcome, |it| it.title).say();
    let hint = move || own.get().map_or(Key::ChatWelcomeHint, |it| it.hint).say();
    let examples = move || match own.get() {
        Some(greeting) => greeting.examples.to_vec(),
        None => table::examples(),
    };
    let example = move |key: Key| {
        let say = move |_| {
            talk.say(Lang::now().say(key));
        };
        view! { <li><button type="button" class="chat-example" on:click=say>{key}</button></li> }
    };
    view! {
        <div class="chat-welcome">
            <span class="chat-mark" aria-hidden="true"></span>
            <h2>{title}</h2>
            <p>{hint}</p>
            <ul class="chat-examples" aria-label=Key::ChatExamples>
                {move || examples().into_iter().map(example).collect_view()}
            </ul>
            <p class="hint chat-kept">{Key::ChatKept}</p>
        </div>
    }
}

/// Replaces the conversation until the password is accepted.
#[component]
pub(super) fn Password() -> impl IntoView {
    let talk = Talk::shared();
    let password = RwSignal::new(String::new());
    let is_trying = RwSignal::new(false);
    let wrong = RwSignal::new(String::new());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if is_trying.get_untracked() || password.with_untracked(String::is_empty) {
            return browser::focus("chat-password");
        }
        is_trying.set(true);
        wrong.set(String::new());
        spawn_local(async move {
            let tried = talk.enter(&password.get_untracked()).await;
            // If it was accepted, this view and its signals are gone.
            if let Err(failure) = tried {
                let lang = Lang::now();
                let error = match failure.error {
                    error if error.is_empty() => lang.say(Key::ErrorOfflineAdvice).to_owned(),
                    error => error,
                };
                let _ = is_trying.try_set(false);
                let _ = wrong.try_set(error);
                browser::focus("chat-password");
            }
        });
    };
    browser::focus_soon("chat-password");
    view! {
        <form class="chat-password sign-in" on:submit=submit novalidate>
            <h2>{Key::SignIn}</h2>
            <p>{Key::ChatPasswordHint}</p>
            <div class="field">
                <label class="label" for="chat-password">{Key::ChatPassword}</label>
                <input id="chat-password" type="password" autocomplete="current-password" required
                    maxlength="400" aria-describedby="chat-password-wrong"
                    aria-invalid=move || wrong.with(|it| !it.is_empty()).to_string()
                    prop:value=password on:input=move |event| password.set(event_target_value(&event))/>
                <p id="chat-password-wrong" class="error" role="alert">{wrong}</p>
            </div>
            <button type="submit" class="main-action" aria-disabled=move || is_trying.get().to_string()>
                {move || if is_trying.get() { Key::SigningIn } else { Key::ChatEnter }.say()}
            </button>
        </form>
    }
}
