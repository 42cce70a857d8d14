//! The place where conversations between agents are watched: the list of them.

pub(crate) mod agents;
mod bar;
mod empty;
mod inline;
mod lanes;
mod parts;
mod place;
mod row;
mod step_in;
mod transcript;

use leptos::prelude::*;

use crate::browser;
use crate::call::Loaded;
use crate::families::conversations::list::ConversationList;
use crate::families::conversations::place::At;
use crate::page::page;
use crate::route::Spot;
use crate::subscriptions::Subscriptions;
use crate::text::Key;
use crate::views::notice::{Notice, Skeleton};
use bar::Bar;
use empty::Nothing;
pub(crate) use inline::{TalkInline, TalksInline};
pub(crate) use place::ConversationPlace;
use row::Rows;

/// Scrolled this far down, in pixels, the reader looks at something that must not move.
const AWAY_PX: f64 = 160.0;

/// The list of conversations.
#[component]
pub(crate) fn ConversationsView() -> impl IntoView {
    let subscriptions: Subscriptions = expect_context();
    let asked = match page().route.with_untracked(At::of) {
        Some(At::List(filter)) => filter,
        _ => Default::default(),
    };
    let list = ConversationList::new(asked);
    list.stay(subscriptions);
    parts::Now::every(std::time::Duration::from_secs(5));
    Effect::new(move |_| {
        if let Some(At::List(filter)) = page().route.with(At::of) {
            untrack(|| list.follow(filter));
        }
    });
    notice_where(list);
    browser::focus_soon("stage");
    let retry = Callback::new(move |()| {
        list.listing.set(Loaded::Loading);
        list.anew();
    });
    let stage = Memo::new(move |_| {
        let is_all = list.filter.with(|it| it.is_empty());
        list.listing.with(|it| match it {
            Loaded::Loading => Stage::Loading,
            Loaded::Failed(_) => Stage::Failed,
            Loaded::Here(it) if !it.shown.is_empty() => Stage::Rows,
            Loaded::Here(_) if is_all => Stage::Nothing,
            Loaded::Here(_) => Stage::NoneFit,
        })
    });
    view! {
        <div class="talks">
            <header class="talks-head">
                <h1 tabindex="-1" id="stage">{Key::TalkTitle}</h1>
                <p class="hint">{Key::TalkHint}</p>
            </header>
            <Bar list/>
            {move || match stage.get() {
                Stage::Loading => any_view! { <Skeleton lines=6/> },
                Stage::Failed => {
                    let error = list.listing.with_untracked(|it| match it {
                        Loaded::Failed(error) => Some(error.clone()),
                        _ => None,
                    });
                    error.map(|error| view! { <Notice error on_retry=retry/> }).into_any()
                }
                Stage::Rows => any_view! { <Rows list/> },
                Stage::Nothing => any_view! { <Nothing list/> },
                Stage::NoneFit => any_view! { <p class="empty">{Key::TalkNoneFit}</p> },
            }}
        </div>
    }
}

/// What stands below the filter.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Loading,
    Failed,
    Rows,
    Nothing,
    NoneFit,
}

/// Notices whether the reader looks at the beginning of the list.
fn notice_where(list: ConversationList) {
    let scrolled = window_event_listener(leptos::ev::scroll, move |_| {
        let is_away = window().scroll_y().unwrap_or_default() > AWAY_PX;
        if list.is_away.get_untracked() != is_away {
            list.is_away.set(is_away);
            let has_held =
                list.listing.with_untracked(|it| it.here().is_some_and(|it| it.held > 0));
            if !is_away && has_held {
                list.renew();
            }
        }
    });
    on_cleanup(move || scrolled.remove());
}
