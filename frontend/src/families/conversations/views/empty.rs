//! Where there is no conversation yet: what one is, and a game to watch.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::Transcript;

use crate::call::fetch;
use crate::error::CallError;
use crate::families::conversations::game::Players;
use crate::families::conversations::list::ConversationList;
use crate::families::conversations::place::At;
use crate::families::conversations::watch::Watch;
use crate::page::page;
use crate::route::Spot;
use crate::text::Key;
use crate::views::notice::Notice;

/// Says what conversations are.
#[component]
pub(super) fn Nothing(list: ConversationList) -> impl IntoView {
    let players = players(list);
    let hint = move || match players.get() {
        Some(it) => Key::TalkGameHint.fill(&[&it.names.0, &it.names.1]),
        None if list.projects.with(|it| it.here().is_some()) => {
            Key::TalkGameNobody.say().to_owned()
        }
        None => String::new(),
    };
    view! {
        <div class="empty talks-none">
            <svg class="talks-mark" viewBox="0 0 64 40" aria-hidden="true" focusable="false">
                <path class="talk-tone-0" d="M4 4h34v18h-20l-8 7v-7h-6z"></path>
                <path class="talk-tone-3" d="M26 16h34v18h-6v6l-8-6h-20z"></path>
            </svg>
            <p class="empty-title">{Key::TalkNone}</p>
            <p>{Key::TalkNoneHint}</p>
            <WatchGame list is_quiet=false/>
            <p class="hint">{hint}</p>
        </div>
    }
}

fn players(list: ConversationList) -> Memo<Option<Players>> {
    Memo::new(move |_| {
        let project = list.filter.with(|it| it.project.clone());
        list.projects.with(|it| it.here().and_then(|it| Players::of(it, &project)))
    })
}

/// Begins a word game between two agents that the host plays, and goes there.
#[component]
pub(super) fn WatchGame(
    list: ConversationList,
    /// Beside a list, rather than in the place of one.
    is_quiet: bool,
) -> impl IntoView {
    let players = players(list);
    let is_begun = RwSignal::new(false);
    let refusal = RwSignal::new(None::<CallError>);
    let begin = move |_| {
        let Some(players) = players.get_untracked().filter(|_| !is_begun.get_untracked()) else {
            return;
        };
        is_begun.set(true);
        page().announce_key(Key::TalkGameBegins);
        let from = page().route.get_untracked();
        spawn_local(async move {
            let begun = fetch::<Transcript>("begin_conversation", players.arguments()).await;
            // The list may have shown the game before this is known, without this button; a reader who went on stays
            // where they are.
            let _ = is_begun.try_set(false);
            if page().route.get_untracked() != from {
                return;
            }
            match begun {
                Ok(told) => {
                    let place = At::Conversation(told.conversation.conversation_id.clone());
                    Watch::begun(told);
                    page().go(place.route());
                }
                Err(error) => _ = refusal.try_set(Some(error)),
            }
        });
    };
    // The one of the list stands aside while there is a larger one.
    let is_shown = Memo::new(move |_| {
        let is_empty = list.filter.with(|it| it.is_empty())
            && list.listing.with(|it| it.here().is_none_or(|it| it.shown.is_empty()));
        players.with(Option::is_some)
            && page().tool("begin_conversation").is_some()
            && !(is_quiet && is_empty)
    });
    let class = if is_quiet { "quiet talks-game" } else { "main-action talks-game" };
    move || {
        is_shown.get().then(|| {
            view! {
                <button type="button" class=class on:click=begin
                    aria-disabled=move || is_begun.get().then_some("true")>{Key::TalkGame}</button>
                {move || refusal.get().map(|error| view! { <Notice error/> })}
            }
        })
    }
}
