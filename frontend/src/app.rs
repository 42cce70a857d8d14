//! The frame of the page: header, navigation, the one live region, and the view of the current route.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::access;
use crate::approvals::Inbox;
use crate::browser::{self, MAIN};
use crate::families;
use crate::finder::Finder;
use crate::home::{Activities, HEAD_START};
use crate::operator::OperatorOffer;
use crate::page::{Admission, Connection, page};
use crate::part::{self, Part, part};
use crate::reader;
use crate::route::{OperatorTab, Route};
use crate::settings::{self, Theme};
use crate::subscriptions::Subscriptions;
use crate::table::{self, Draw, Shown};
use crate::text::{self, Key, Lang};
use crate::views::approvals::ApprovalsView;
use crate::views::chat::{ChatView, TRANSCRIPT};
use crate::views::counter::{CounterView, TOOL};
use crate::views::finder::FinderView;
use crate::views::home::Front;
use crate::views::operator::OperatorView;
use crate::views::part::drawn_by;
use crate::views::parts::PartsView;
use crate::views::places::Places;
use crate::views::preferences::PreferencesView;
use crate::views::sign_in::SignIn;

static APPROVALS: Part<Draw> = part!(approvals: Draw = &Draw(|_| any_view! { <ApprovalsView/> }));
static CHAT: Part<Draw> = part!(chat: Draw = &Draw(|_| any_view! { <ChatView/> }));
static COUNTER: Part<Draw> = part!(counter: Draw = &Draw(|_| any_view! { <CounterView/> }));
static OPERATOR: Part<Draw> = part!(
    operator: Draw = &Draw(|_| any_view! { <OperatorView/> }), text::load_operator()
);

static PREFERENCES: Part<Draw> = part!(finder: Draw = &Draw(|_| any_view! { <PreferencesView/> }));
static FINDER: Part<Draw> = part!(finder: Draw = &Draw(|_| any_view! { <FinderView/> }));
static SIGN_IN: Part<Draw> = part!(sign_in: Draw = &Draw(|_| any_view! { <SignIn/> }));
/// Views that ordinary visitors never load.
static PARTS: Part<Draw> = part!(
    operator: Draw = &Draw(|_| any_view! { <PartsView/> }), text::load_operator()
);
/// The page of parts is for developers, and in English.
const PARTS_TITLE: &str = "Parts";

#[component]
pub(crate) fn App() -> impl IntoView {
    families::register();
    // Opens the page state here, so that all of it lasts as long as this view.
    page();
    table::provide();
    let subscriptions = Subscriptions::new();
    provide_context(subscriptions);
    provide_context(Activities::new(subscriptions));
    provide_context(Inbox::new());
    let operator = OperatorOffer::new();
    provide_context(operator);
    let finder = Finder::new();
    provide_context(finder);
    give_notice();
    reader::follow();
    Effect::new(move |_| document().set_title(&title()));
    load_ahead(operator);
    let is_home = Memo::new(move |_| {
        page().admission.get() == Admission::Open && page().route.with(|it| *it == Route::Home)
    });

    view! {
        <a class="skip" href="#main" on:click=move |event| {
            event.prevent_default();
            browser::focus(MAIN);
        }>{Key::Skip}</a>
        <Header/>
        <main id=MAIN tabindex="-1">
            {move || is_home.get().then(|| view! { <Front/> })}
            <Stages/>
        </main>
        <Toast/>
        {move || finder.is_open.get().then(|| drawn_by(&FINDER, |it| (it.0)("")))}
        <div class="only-heard" role="status" aria-live="polite">{spoken}</div>
    }
}

/// Loads the code likely needed next, part by part, while the reader looks at the first view.
fn load_ahead(operator: OperatorOffer) {
    if browser::saves_data() {
        return;
    }
    let load = async move {
        text::load().await;
        part::load().await;
        table::load().await;
        for part in [&CHAT, &TRANSCRIPT, &COUNTER, &TOOL, &APPROVALS, &FINDER] {
            part.fetch().await;
        }
        if operator.is_offered() {
            OPERATOR.fetch().await;
        }
    };
    set_timeout(move || spawn_local(load), HEAD_START);
}

/// Shows a browser notification about new pending items while the page is hidden, if the reader wants that.
fn give_notice() {
    let (activities, inbox): (Activities, Inbox) = (expect_context(), expect_context());
    Effect::new(move |before: Option<usize>| {
        let approvals = inbox.waiting.with(|it| it.ready().map_or(0, Vec::len));
        let waiting = activities.waiting() + approvals;
        if before.is_some_and(|it| waiting > it) && page().notices.get_untracked() {
            let text = Lang::now().fill(Key::NoticeWaiting, &[&waiting.to_string()]);
            settings::give_notice(&text);
        }
        waiting
    });
}

/// Text of the live region. A phrase announced twice must differ, or a screen reader keeps silent the second time.
fn spoken() -> String {
    page().voice.with(|(text, count)| {
        let mark = if count % 2 == 0 { "" } else { "\u{a0}" };
        format!("{text}{mark}")
    })
}

fn title() -> String {
    let is_operators = page().route.with(|it| matches!(it, Route::Operator(_)));
    if page().admission.get() != Admission::Open && !is_operators {
        return format!("{} — 窓口 Madoguchi", Key::SignIn.say());
    }
    if page().route.with(|it| *it == Route::Home) {
        return "窓口 Madoguchi".to_owned();
    }
    let place = page().route.with(|route| match route {
        Route::Counter(None) => Key::Counter.say().to_owned(),
        Route::Counter(Some(tool)) => {
            page().tool(tool).map_or_else(|| tool.clone(), |it| it.title(Lang::spoken()))
        }
        Route::Chat(_) => Key::ChatPlace.say().to_owned(),
        Route::Preferences => Key::Preferences.say().to_owned(),
        Route::Parts => PARTS_TITLE.to_owned(),
        Route::Approvals => Key::ApprovalsTitle.say().to_owned(),
        Route::Operator(tab) => operator_title(tab),
        Route::Nowhere(_) => Key::NoPlace.say().to_owned(),
        other => table::title(other).unwrap_or_default(),
    });
    format!("{place} — 窓口 Madoguchi")
}

/// Window title of an operator view.
fn operator_title(tab: &OperatorTab) -> String {
    let place = Key::OperatorPlace.say();
    let part = match tab {
        OperatorTab::Now => return place.to_owned(),
        OperatorTab::Components(_) => Key::OperatorComponents.say(),
        OperatorTab::Calls(_) => Key::OperatorCalls.say(),
        OperatorTab::Servers => Key::OperatorServers.say(),
        OperatorTab::People => Key::OperatorPeople.say(),
        OperatorTab::Storage => Key::OperatorStorage.say(),
        OperatorTab::Settings => Key::OperatorSettings.say(),
    };
    format!("{part} — {place}")
}

/// The view that is drawn. Navigation within one stage keeps what is there.
#[derive(Clone, PartialEq)]
enum Stage {
    /// A view of no family.
    Own(&'static Part<Draw>),
    Nowhere,
    /// A family's view; none on the home route of a host without the first family.
    Family(Option<Shown>),
}

#[component]
fn Stages() -> impl IntoView {
    let stage = Memo::new(move |_| {
        // The operator's views ask for their own key.
        if page().route.with(|it| matches!(it, Route::Operator(_))) {
            return Stage::Own(&OPERATOR);
        }
        if page().admission.get() != Admission::Open {
            return Stage::Own(&SIGN_IN);
        }
        page().route.with(|route| match route {
            Route::Home => Stage::Family(table::has_first().then(Shown::first).flatten()),
            Route::Counter(_) => Stage::Own(&COUNTER),
            Route::Chat(_) => Stage::Own(&CHAT),
            Route::Preferences => Stage::Own(&PREFERENCES),
            Route::Parts => Stage::Own(&PARTS),
            Route::Approvals => Stage::Own(&APPROVALS),
            Route::Operator(_) => Stage::Own(&OPERATOR),
            Route::Nowhere(_) => Stage::Nowhere,
            other => Stage::Family(Shown::from_route(other)),
        })
    });
    Effect::new(move |before: Option<()>| {
        page().route.track();
        if before.is_some() {
            window().scroll_to_with_x_and_y(0.0, 0.0);
            // The link that was followed may have gone, and the new view may not take the keyboard.
            browser::focus_if_lost(MAIN);
        }
    });
    move || match stage.get() {
        Stage::Own(code) => drawn_by(code, |it| (it.0)("")),
        Stage::Nowhere => any_view! { <NoPlace/> },
        Stage::Family(shown) => {
            let code = shown.as_ref().and_then(Shown::code).zip(shown);
            code.map(|(code, shown)| drawn_by(code, move |it| (it.0)(&shown.stage))).into_any()
        }
    }
}

/// Shown for an unknown address: what may be wrong with it, and a way on.
#[component]
fn NoPlace() -> impl IntoView {
    browser::focus_soon("stage");
    view! {
        <div class="empty no-place">
            <h1 tabindex="-1" id="stage">{Key::NoPlace}</h1>
            <p>{Key::NoPlaceHint}</p>
            <p><a href="#/">{Key::NoPlaceHome}</a></p>
        </div>
    }
}

#[component]
fn Header() -> impl IntoView {
    let is_home = move || page().route.with(|it| *it == Route::Home);
    let current = move |here: bool| here.then_some("page");
    view! {
        <header class="top">
            <a class="brand" href=Route::Home.hash() aria-label="窓口 Madoguchi"
                aria-current=move || current(is_home())>
                <span class="brand-mark" aria-hidden="true"></span>
                <span class="brand-name" lang="ja">"窓口"</span>
                <span class="brand-latin">"Madoguchi"</span>
            </a>
            <Places/>
            <div class="top-tools">
                <InboxLink/>
                <OperatorLink/>
                <ConnectionView/>
                <SignOut/>
                <FinderButton/>
                <ThemeSelect/>
                <button type="button" class="plain language" lang=move || Lang::spoken().other().tag()
                    on:click=move |_| page().speak(Lang::now().other())>
                    {Key::SwitchLanguage}
                </button>
                <a class="preferences-link" href=Route::Preferences.hash() aria-label=Key::Preferences
                    title=Key::Preferences
                    aria-current=move || current(page().route.with(|it| *it == Route::Preferences))>
                    <svg aria-hidden="true" focusable="false" viewBox="0 0 20 20">
                        <path d="M3 5h8M15 5h2M3 10h2M9 10h8M3 15h8M15 15h2"></path>
                        <circle cx="13" cy="5" r="2"></circle><circle cx="7" cy="10" r="2"></circle>
                        <circle cx="13" cy="15" r="2"></circle>
                    </svg>
                </a>
            </div>
        </header>
    }
}

/// Link to the pending approvals, while there are any.
#[component]
fn InboxLink() -> impl IntoView {
    let inbox: Inbox = expect_context();
    let count = Memo::new(move |_| inbox.waiting.with(|it| it.ready().map_or(0, Vec::len)));
    let is_here = move || page().route.with(|it| matches!(it, Route::Approvals));
    move || {
        (count.get() > 0).then(|| {
            view! {
                <a class="inbox-link" href=Route::Approvals.hash()
                    aria-current=move || is_here().then_some("page")>
                    {Key::ApprovalsTitle}
                    " "<span class="inbox-count">{count}</span>
                </a>
            }
        })
    }
}

/// Link to the operator's views, for readers who may use them.
#[component]
fn OperatorLink() -> impl IntoView {
    let operator: OperatorOffer = expect_context();
    let is_offered = Memo::new(move |_| operator.is_offered());
    let is_here = move || page().route.with(|it| matches!(it, Route::Operator(_)));
    move || {
        is_offered.get().then(|| {
            view! {
                <a class="op-link" href=Route::Operator(OperatorTab::Now).hash()
                    aria-current=move || is_here().then_some("page")>{Key::OperatorPlace}</a>
            }
        })
    }
}

#[component]
fn ConnectionView() -> impl IntoView {
    let key = move || match page().connection.get() {
        _ if page().admission.get() != Admission::Open => Key::ErrorSignIn,
        Connection::Connecting => Key::Connecting,
        Connection::Online => Key::Online,
        Connection::Offline => Key::OfflineState,
    };
    let class = move || match page().connection.get() {
        Connection::Connecting => "connection is-connecting",
        Connection::Online => "connection is-online",
        Connection::Offline => "connection is-offline",
    };
    view! {
        <span class=class title=move || key().say()>
            <span class="connection-dot" aria-hidden="true"></span>
            <span class="connection-text">{move || key().say()}</span>
        </span>
    }
}

#[component]
fn FinderButton() -> impl IntoView {
    let (page, finder): (_, Finder) = (page(), expect_context());
    view! {
        <button type="button" class="plain finder-button" id="finder-button" aria-haspopup="dialog"
            aria-keyshortcuts="Control+K Meta+K" title="Ctrl+K"
            hidden=move || page.admission.get() != Admission::Open
            aria-label=Key::Finder on:click=move |_| finder.open()>
            <svg aria-hidden="true" focusable="false" viewBox="0 0 20 20">
                <circle cx="8.5" cy="8.5" r="5.5"></circle><path d="m12.5 12.5 5 5"></path>
            </svg>
        </button>
    }
}

/// Shown only if there is something to sign out of.
#[component]
fn SignOut() -> impl IntoView {
    move || {
        (page().admission.get() == Admission::Open && access::is_entered()).then(|| {
            view! {
                <button type="button" class="plain sign-out" on:click=move |_| reader::forget(true)>
                    {Key::SignOut}
                </button>
            }
        })
    }
}

#[component]
fn ThemeSelect() -> impl IntoView {
    let choose = move |event| {
        if let Some(theme) = Theme::of_name(&event_target_value(&event)) {
            page().theme.set(theme);
        }
    };
    let option = move |theme: Theme| {
        view! {
            <option value=theme.name() selected=move || page().theme.get() == theme>{theme.key()}</option>
        }
    };
    view! {
        <label class="theme">
            <span class="only-heard">{Key::Theme}</span>
            <select on:change=choose prop:value=move || page().theme.get().name()>
                {Theme::ALL.map(option).into_iter().collect_view()}
            </select>
        </label>
    }
}

/// Shows the message of the live region for a while: the two are one message.
#[component]
fn Toast() -> impl IntoView {
    move || {
        let (key, value, _) = page().toast.get()?;
        let text = move || key.fill(&[&value]);
        Some(view! { <div class="toast" aria-hidden="true">{text}</div> })
    }
}
