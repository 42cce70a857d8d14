//! The frame: header, places, the one live region; and the view of the place where the reader is.

use leptos::prelude::*;

use crate::access;
use crate::approvals::Inbox;
use crate::browser;
use crate::chat::talk::Talk;
use crate::ears::Ears;
use crate::families::cinema::views::box_office::{BoxOffice, Office};
use crate::families::cinema::views::ticket::TicketView;
use crate::families::conversations::filter::Filter;
use crate::families::conversations::views::agents::AgentsView;
use crate::families::conversations::views::{ConversationPlace, ConversationsView};
use crate::families::forms::views::{FormPlace, FormsView};
use crate::families::navigation::board::Board;
use crate::families::navigation::views::NavigationView;
use crate::families::navigation::wish::Wish;
use crate::page::{Connection, Door, Page, page};
use crate::route::{Booking, Route};
use crate::settings::Theme;
use crate::text::Key;
use crate::views::approvals::ApprovalsView;
use crate::views::chat::ChatView;
use crate::views::counter::CounterView;
use crate::views::sign_in::SignIn;

/// The whole page.
#[component]
pub(crate) fn App() -> impl IntoView {
    let page = Page::open();
    provide_context(page);
    provide_context(Office::new());
    provide_context(Board::new(page));
    provide_context(Talk::new(page));
    provide_context(Ears::new(page));
    provide_context(Inbox::new(page));
    page.stay_in_touch();
    Effect::new(move |_| document().set_title(&title(page)));
    open_where_something_is(page);

    view! {
        <a class="skip" href="#main" on:click=move |event| {
            event.prevent_default();
            browser::focus("main");
        }>{move || page.say(Key::Skip)}</a>
        <Header/>
        <main id="main" tabindex="-1">
            <Place/>
        </main>
        <Toast/>
        <div class="only-heard" role="status" aria-live="polite">{move || spoken(page)}</div>
    }
}

/// Whether the host sells tickets, as far as is known.
fn has_office(page: Page) -> bool {
    page.tools.with(|it| it.here().is_none_or(|it| it.iter().any(|it| it.name == "list_movies")))
}

/// The first place is the box office; a host that sells no tickets is entered by its tools.
fn open_where_something_is(page: Page) {
    let is_first = RwSignal::new(true);
    Effect::new(move |_| {
        if !is_first.get() || page.tools.with(|it| it.here().is_none()) {
            return;
        }
        is_first.set(false);
        let is_default = page.route.with_untracked(|it| *it == Route::default());
        if is_default && !has_office(page) {
            page.go(Route::Counter(None));
        }
    });
}

/// A phrase said twice must differ, or a screen reader keeps silent the second time.
fn spoken(page: Page) -> String {
    page.voice.with(|(text, count)| {
        let mark = if count % 2 == 0 { "" } else { "\u{a0}" };
        format!("{text}{mark}")
    })
}

fn title(page: Page) -> String {
    if page.door.get() != Door::Open {
        return format!("{} — 窓口 Madoguchi", page.say(Key::SignIn));
    }
    let place = page.route.with(|route| match route {
        Route::BoxOffice(_) => page.say(Key::BoxOffice).to_owned(),
        Route::Reservation(_) => page.say(Key::StepTicket).to_owned(),
        Route::Counter(None) => page.say(Key::Counter).to_owned(),
        Route::Counter(Some(tool)) => {
            page.tool(tool).map_or_else(|| tool.clone(), |it| it.title(page.lang.get()))
        }
        Route::Form(_) => {
            page.form_title.get().unwrap_or_else(|| page.say(Key::FormPlace).to_owned())
        }
        Route::Forms => page.say(Key::FormsTitle).to_owned(),
        Route::Navigation(_) => page.say(Key::NavPlace).to_owned(),
        Route::Chat => page.say(Key::ChatPlace).to_owned(),
        Route::Approvals => page.say(Key::ApprovalsTitle).to_owned(),
        Route::Conversations(_) | Route::Conversation(_) => page.say(Key::TalkPlace).to_owned(),
        Route::Agents(None) => page.say(Key::AgentsPlace).to_owned(),
        Route::Agents(Some(seat)) => format!("{} · {}", seat.agent, page.say(Key::AgentsPlace)),
    });
    format!("{place} — 窓口 Madoguchi")
}

/// Which view is drawn; within one, moving on keeps what is there.
#[derive(Clone, PartialEq)]
enum Stage {
    SignIn,
    Office,
    Ticket(String),
    Counter,
    Form(String),
    Forms,
    Navigation,
    Chat,
    Approvals,
    Conversations,
    Conversation(String),
    Agents,
}

#[component]
fn Place() -> impl IntoView {
    let page = page();
    let stage = Memo::new(move |_| {
        if page.door.get() != Door::Open {
            return Stage::SignIn;
        }
        page.route.with(|route| match route {
            Route::BoxOffice(_) => Stage::Office,
            Route::Reservation(id) => Stage::Ticket(id.clone()),
            Route::Counter(_) => Stage::Counter,
            Route::Form(handle) => Stage::Form(handle.clone()),
            Route::Forms => Stage::Forms,
            Route::Navigation(_) => Stage::Navigation,
            Route::Chat => Stage::Chat,
            Route::Approvals => Stage::Approvals,
            Route::Conversations(_) => Stage::Conversations,
            Route::Conversation(id) => Stage::Conversation(id.clone()),
            Route::Agents(_) => Stage::Agents,
        })
    });
    Effect::new(move |before: Option<()>| {
        page.route.track();
        if before.is_some() {
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    });
    move || match stage.get() {
        Stage::SignIn => view! { <SignIn/> }.into_any(),
        Stage::Office => view! { <BoxOffice/> }.into_any(),
        Stage::Ticket(id) => view! { <TicketView id/> }.into_any(),
        Stage::Counter => view! { <CounterView/> }.into_any(),
        Stage::Form(handle) => view! { <FormPlace handle/> }.into_any(),
        Stage::Forms => view! { <FormsView/> }.into_any(),
        Stage::Navigation => view! { <NavigationView/> }.into_any(),
        Stage::Chat => view! { <ChatView/> }.into_any(),
        Stage::Approvals => view! { <ApprovalsView/> }.into_any(),
        Stage::Conversations => view! { <ConversationsView/> }.into_any(),
        Stage::Conversation(id) => view! { <ConversationPlace id/> }.into_any(),
        Stage::Agents => view! { <AgentsView/> }.into_any(),
    }
}

#[component]
fn Header() -> impl IntoView {
    let page = page();
    // A narrow window has no room for all of them: where the reader is, is seen.
    Effect::new(move |_| {
        page.route.track();
        page.tools.track();
        request_animation_frame(|| browser::reveal_first(".places [aria-current]"));
    });
    let is_counter = move || page.route.with(|it| matches!(it, Route::Counter(_)));
    let is_forms = move || page.route.with(|it| matches!(it, Route::Form(_) | Route::Forms));
    // Whoever may not see the list sees no way to it.
    let is_navigation = move || page.route.with(|it| matches!(it, Route::Navigation(_)));
    let is_chat = move || page.route.with(|it| matches!(it, Route::Chat));
    let is_talks = move || {
        page.route.with(|it| matches!(it, Route::Conversations(_) | Route::Conversation(_)))
    };
    let is_office =
        move || page.route.with(|it| matches!(it, Route::BoxOffice(_) | Route::Reservation(_)));
    let has_talks = move || page.tool("list_conversations").is_some();
    let is_agents = move || page.route.with(|it| matches!(it, Route::Agents(_)));
    let has_agents = move || page.tool("start_chat").is_some();
    let has_navigation = move || page.tool("route_search").is_some();
    let has_forms = move || page.tool("list_form_submissions").is_some();
    let current = move |here: bool| here.then_some("page");
    view! {
        <header class="top">
            <a class="brand" href="#/" aria-label="窓口 Madoguchi">
                <span class="brand-mark" aria-hidden="true"></span>
                <span class="brand-name" lang="ja">"窓口"</span>
                <span class="brand-latin">"Madoguchi"</span>
            </a>
            <nav class="places" aria-label=move || page.say(Key::Places)>
                {move || (has_office(page) || is_office()).then(|| view! {
                    <a href=Route::BoxOffice(Booking::default()).hash()
                        aria-current=move || current(is_office())>
                        {move || page.say(Key::BoxOffice)}
                    </a>
                })}
                <a href=Route::Chat.hash() aria-current=move || current(is_chat())>
                    {move || page.say(Key::ChatPlace)}
                </a>
                <a href=Route::Counter(None).hash() aria-current=move || current(is_counter())>
                    {move || page.say(Key::Counter)}
                </a>
                {move || (has_navigation() || is_navigation()).then(|| view! {
                    <a href=Route::Navigation(Wish::default()).hash()
                        aria-current=move || current(is_navigation())>
                        {move || page.say(Key::NavPlace)}
                    </a>
                })}
                {move || (has_talks() || is_talks()).then(|| view! {
                    <a href=Route::Conversations(Filter::default()).hash()
                        aria-current=move || current(is_talks())>
                        {move || page.say(Key::TalkPlace)}
                    </a>
                })}
                {move || (has_forms() || is_forms()).then(|| view! {
                    <a href=Route::Forms.hash() aria-current=move || current(is_forms())>
                        {move || page.say(Key::FormsPlace)}
                    </a>
                })}
                {move || (has_agents() || is_agents()).then(|| view! {
                    <a href=Route::Agents(None).hash() aria-current=move || current(is_agents())>
                        {move || page.say(Key::AgentsPlace)}
                    </a>
                })}
            </nav>
            <div class="top-tools">
                <InboxLink/>
                <ConnectionView/>
                <SignOut/>
                <ThemeSelect/>
                <button type="button" class="plain language" lang=move || page.lang.get().other().tag()
                    on:click=move |_| page.lang.update(|lang| *lang = lang.other())>
                    {move || page.say(Key::SwitchLanguage)}
                </button>
            </div>
        </header>
    }
}

/// The way to what waits for the reader's word, as long as something does.
#[component]
fn InboxLink() -> impl IntoView {
    let page = page();
    let inbox: Inbox = expect_context();
    let count = Memo::new(move |_| inbox.waiting.with(|it| it.here().map_or(0, Vec::len)));
    let is_here = move || page.route.with(|it| matches!(it, Route::Approvals));
    move || {
        (count.get() > 0).then(|| {
            view! {
                <a class="inbox-link" href=Route::Approvals.hash()
                    aria-current=move || is_here().then_some("page")>
                    {move || page.say(Key::ApprovalsTitle)}
                    " "<span class="inbox-count">{count}</span>
                </a>
            }
        })
    }
}

#[component]
fn ConnectionView() -> impl IntoView {
    let page = page();
    let key = move || match page.connection.get() {
        _ if page.door.get() != Door::Open => Key::TroubleSignIn,
        Connection::Connecting => Key::Connecting,
        Connection::Online => Key::Online,
        Connection::Offline => Key::OfflineState,
    };
    let class = move || match page.connection.get() {
        Connection::Connecting => "connection is-connecting",
        Connection::Online => "connection is-online",
        Connection::Offline => "connection is-offline",
    };
    view! {
        <span class=class title=move || page.say(key())>
            <span class="connection-dot" aria-hidden="true"></span>
            <span class="connection-text">{move || page.say(key())}</span>
        </span>
    }
}

/// Only where there is something to sign out of.
#[component]
fn SignOut() -> impl IntoView {
    let page = page();
    move || {
        (page.door.get() == Door::Open && access::is_entered()).then(|| {
            view! {
                <button type="button" class="plain sign-out" on:click=move |_| page.sign_out()>
                    {move || page.say(Key::SignOut)}
                </button>
            }
        })
    }
}

#[component]
fn ThemeSelect() -> impl IntoView {
    let page = page();
    let choose = move |event| {
        if let Some(theme) = Theme::of_name(&event_target_value(&event)) {
            page.theme.set(theme);
        }
    };
    let option = move |theme: Theme| {
        view! {
            <option value=theme.name() selected=move || page.theme.get() == theme>
                {move || page.say(theme.key())}
            </option>
        }
    };
    view! {
        <label class="theme">
            <span class="only-heard">{move || page.say(Key::Theme)}</span>
            <select on:change=choose prop:value=move || page.theme.get().name()>
                {Theme::ALL.map(option).into_iter().collect_view()}
            </select>
        </label>
    }
}

/// Shows for a while what the live region says: the two are one message.
#[component]
fn Toast() -> impl IntoView {
    let page = page();
    move || {
        let (key, value, _) = page.toast.get()?;
        let text = move || page.fill(key, &[&value]);
        Some(view! { <div class="toast" aria-hidden="true">{text}</div> })
    }
}
