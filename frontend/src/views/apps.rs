//! An app in its frame: its owner, requests and end; and its data as an alternative.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use serde_json::Value;

use super::cards::Arguments;
use super::form::Questions;
use super::notice::{Notice, Skeleton};
use crate::apps::bridge::Reason;
use crate::apps::is_believed;
use crate::apps::live::{Ask, AskKind, Called, Failure, Live, PersonAnswer, Stage};
use crate::browser;
use crate::mcp::wire::Tool;
use crate::text::{Key, Lang};

/// The call that an app shows.
#[derive(Clone)]
pub(crate) struct Shown {
    pub(crate) tool: Tool,
    pub(crate) called: Signal<Called>,
    /// Draws the output as data.
    pub(crate) data: ViewFn,
}

#[component]
pub(crate) fn AppView(shown: Shown) -> impl IntoView {
    let Shown { tool, called, data } = shown;
    let live = Live::open(tool, called);
    let id = format!("app-{}", browser::next_number());
    let (title_id, after_id) = (format!("{id}-title"), format!("{id}-after"));
    let (labelled, named, skip) = (title_id.clone(), title_id.clone(), after_id.clone());
    let is_full = move || live.is_fullscreen.get();
    let leave = move |event: KeyboardEvent| {
        if event.key() == "Escape" && live.is_fullscreen.get_untracked() {
            event.prevent_default();
            live.is_fullscreen.set(false);
        }
    };
    let is_framed = Memo::new(move |_| live.stage.with(|it| matches!(it, Stage::Framed { .. })));
    Effect::new(move |before: Option<bool>| {
        let is_full = live.is_fullscreen.get();
        // The button back gets the focus when the app takes the whole window.
        if is_full && before == Some(false) {
            browser::focus_soon(format!("{id}-mode"));
        }
        is_full
    });
    let mode_id = format!("{}-mode", after_id.trim_end_matches("-after"));
    view! {
        <section class="app" class:is-fullscreen=is_full aria-labelledby=labelled on:keydown=leave>
            <header class="app-head">
                <h3 class="app-title" id=title_id>{move || live.title()}</h3>
                <span class="app-owner hint">{move || Key::AppFrom.fill(&[&live.owner()])}</span>
                {move || is_framed.get().then(|| {
                    let mode_id = mode_id.clone();
                    let key = move || if is_full() { Key::AppInline } else { Key::AppFullscreen };
                    view! {
                        <span class="app-tools">
                            <button type="button" class="quiet small" id=mode_id
                                on:click=move |_| live.is_fullscreen.update(|it| *it = !*it)>
                                {move || key().say()}
                            </button>
                            <button type="button" class="quiet small" on:click=move |_| live.close()>
                                {Key::AppClose}
                            </button>
                        </span>
                    }
                })}
            </header>
            <Asks live/>
            {move || is_framed.get().then(|| {
                let skip = skip.clone();
                let href = format!("#{skip}");
                view! {
                    <a class="skip is-inner" href=href on:click=move |event| {
                        event.prevent_default();
                        browser::focus(&skip);
                    }>{Key::AppSkip}</a>
                }
            })}
            <Stands live named/>
            <div id=after_id tabindex="-1" class="app-after"><Data is_framed data/></div>
        </section>
    }
}

/// The output as data: folded while the app is shown, instead of it otherwise.
#[component]
fn Data(is_framed: Memo<bool>, data: ViewFn) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let details = NodeRef::<html::Details>::new();
    let data = StoredValue::new(data);
    move || match is_framed.get() {
        false => data.with_value(|it| it.run()),
        true => any_view! {
            <details class="app-data" node_ref=details on:toggle=move |_| {
                is_open.set(details.get_untracked().is_some_and(|it| it.has_attribute("open")));
            }>
                <summary>{Key::AppData}</summary>
                {move || is_open.get().then(|| data.with_value(|it| it.run()))}
            </details>
        },
    }
}

#[component]
fn Stands(live: Live, named: String) -> impl IntoView {
    let named = StoredValue::new(named);
    let again = move |_| live.begin();
    move || match live.stage.get() {
        Stage::Loading => any_view! { <Skeleton lines=5/> },
        Stage::Framed { src, allow, has_border } => {
            let is_awaited = move || !live.listens.get() && !live.is_settled.get();
            let height =
                move || (!live.is_fullscreen.get()).then(|| format!("{}px", live.height.get()));
            any_view! {
                <div class="app-frame" class:has-border=has_border style:height=height
                    aria-busy=move || is_awaited().to_string()>
                    <iframe node_ref=live.frame src=src allow=allow
                        sandbox="allow-scripts allow-same-origin allow-forms"
                        referrerpolicy="no-referrer" aria-labelledby=named.get_value()
                        title=move || live.title()></iframe>
                    {move || is_awaited().then(|| view! {
                        <p class="app-wait hint" role="status">{Key::AppLoading}</p>
                    })}
                </div>
            }
        }
        Stage::Ended(reason) => {
            let (title, why) = match reason {
                Reason::Closed => (Key::AppClosed, None),
                Reason::Flood => (Key::AppEnded, Some(Key::AppFlood)),
                Reason::Size => (Key::AppEnded, Some(Key::AppSize)),
                Reason::Malformed => (Key::AppEnded, Some(Key::AppMalformed)),
                Reason::Left => (Key::AppEnded, Some(Key::AppLeft)),
            };
            let again_id = named.with_value(|it| format!("{it}-again"));
            // The focused element may be gone with the app.
            browser::focus_if_lost(again_id.clone());
            let role = if reason == Reason::Closed { "status" } else { "alert" };
            any_view! {
                <div class="notice is-calm" role=role>
                    <p class="notice-title">{title}</p>
                    {why.map(|why| view! { <p>{why}</p> })}
                    <button type="button" class="quiet" id=again_id on:click=again>
                        {Key::AppOpenAgain}
                    </button>
                </div>
            }
        }
        Stage::Failed(Failure::Unread(error)) => {
            any_view! { <Notice error on_retry=Callback::new(move |()| live.begin())/> }
        }
        Stage::Failed(failure) => {
            let (title, why) = match failure {
                Failure::NoOrigin => (Key::AppNoOrigin, Why::Says(Key::AppNoOriginHint)),
                Failure::TooMany => (Key::AppTooMany, Why::Says(Key::AppTooManyHint)),
                Failure::Unreachable(origin) => (Key::AppNotLoaded, Why::At(origin)),
                Failure::Unfit(what) => (Key::AppNotLoaded, Why::Is(what)),
                Failure::Unread(_) => (Key::AppNotLoaded, Why::Is("")),
            };
            let may_help = title != Key::AppNoOrigin;
            let why = move || match &why {
                Why::Says(key) => (*key).say().to_owned(),
                Why::At(origin) => Key::AppUnreachable.fill(&[origin]),
                Why::Is(what) => (*what).to_owned(),
            };
            any_view! {
                <div class="notice is-calm" role="status">
                    <p class="notice-title">{title}</p>
                    <p>{why}</p>
                    {may_help.then(|| view! {
                        <button type="button" class="quiet" on:click=again>{Key::Retry}</button>
                    })}
                </div>
            }
        }
    }
}

/// Why there is no app, as text.
enum Why {
    Says(Key),
    At(String),
    Is(&'static str),
}

/// The app's requests to the person.
#[component]
fn Asks(live: Live) -> impl IntoView {
    view! {
        <For each=move || live.asks.get() key=|it| it.number let:ask>
            <AskView live ask/>
        </For>
    }
}

#[component]
fn AskView(live: Live, ask: Ask) -> impl IntoView {
    let Ask { number, kind, .. } = ask;
    let id = format!("app-ask-{number}");
    let say = move |answer: PersonAnswer| live.answer(number, answer);
    browser::focus_if_lost(id.clone());
    let button = move |class: &'static str, key: Key, answer: PersonAnswer| {
        view! {
            <button type="button" class=class on:click=move |_| say(answer.clone())>{key}</button>
        }
    };
    let content = match kind {
        AskKind::Answer(questions) => {
            let answer = move |answers: Value| say(PersonAnswer::Answers(answers));
            any_view! { <Questions questions number on_answer=answer/> }
        }
        AskKind::Call { tool, arguments } => {
            let warning = match is_believed(&tool) {
                false => Some(Key::AppAskUnknown),
                true if tool.annotations.destructive_hint == Some(true) => Some(Key::CardAskGrave),
                true => None,
            };
            let name = tool.name.clone();
            let question = move || Key::CardAskWhat.fill(&[&tool.title(Lang::spoken())]);
            any_view! {
                <p class="approval-what">{question}</p>
                {warning.map(|it| view! { <p class="approval-grave">{it}</p> })}
                <Arguments tool=name params=arguments/>
                <div class="actions approval-actions">
                    {button("main-action", Key::CardAllow, PersonAnswer::Yes)}
                    {button("quiet", Key::AppAllowAll, PersonAnswer::Always)}
                    {button("quiet is-grave", Key::CardDeny, PersonAnswer::No)}
                </div>
            }
        }
        AskKind::Write(text) => any_view! {
            <p class="approval-what">{Key::AppAskWrite}</p>
            <p class="app-quote">{text}</p>
            <div class="actions approval-actions">
                {button("main-action", Key::AppPut, PersonAnswer::Yes)}
                {button("quiet", Key::AppNo, PersonAnswer::No)}
            </div>
        },
        AskKind::Open(url) => {
            let shown = url.clone();
            any_view! {
                <p class="approval-what">{Key::AppAskOpen}</p>
                <p class="app-quote"><code>{shown}</code></p>
                <div class="actions approval-actions">
                    <a class="button" href=url target="_blank" rel="noopener noreferrer"
                        on:click=move |_| say(PersonAnswer::Yes)>{Key::OpenPage}</a>
                    {button("quiet", Key::AppNo, PersonAnswer::No)}
                </div>
            }
        }
    };
    let title = move || Key::AppAsks.fill(&[&live.title()]);
    let labelled = id.clone();
    view! {
        <section class="approval is-open app-ask" aria-labelledby=labelled>
            <h4 class="approval-title" id=id tabindex="-1">{title}</h4>
            {content}
        </section>
    }
}
