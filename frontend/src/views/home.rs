//! The home view: an introduction, links, and the reader's ongoing activities.

use leptos::prelude::*;
use serde_json::Value;

use crate::approvals::Inbox;
use crate::browser::Keep;
use crate::home::Activities;
use crate::page::page;
use crate::route::Route;
use crate::table::{self, Ongoing, listed, text};
use crate::text::{Key, Lang};

/// Shown above the first family's view.
#[component]
pub(crate) fn Front() -> impl IntoView {
    let link = move |(key, route): (Key, Route)| {
        view! { <li><a class="front-door" href=route.hash()>{key}</a></li> }
    };
    view! {
        <section class="front" aria-label=Key::FrontDoor>
            {move || (!table::has_first()).then(|| view! {
                <h1 tabindex="-1" id="stage">{Key::FrontDoor}</h1>
            })}
            <p class="front-what">{Key::FrontWhat}</p>
            <ul class="front-doors">{move || links().into_iter().map(link).collect_view()}</ul>
            <ActivityList/>
        </section>
    }
}

/// The links. Those that depend on the host's tools come last, so that nothing moves.
fn links() -> Vec<(Key, Route)> {
    let chat = page().has_assistants.get().then_some((Key::FrontChat, Route::Chat(None)));
    let mut links: Vec<_> = chat.into_iter().collect();
    links.push((Key::FrontTools, Route::Counter(None)));
    let families = table::home_links();
    let at = if table::has_first() { 0 } else { links.len() };
    let (first, others) = families.split_at(families.len().min(1));
    links.splice(at..at, first.iter().cloned());
    links.extend(others.iter().cloned());
    links
}

/// Stored chats with a question to the reader, and whether it is one of these approvals. A question answered elsewhere
/// is omitted.
fn asking(approvals: &[Value]) -> Vec<(bool, Ongoing)> {
    let stored = Keep::Browser.get::<Value>("chat").unwrap_or_default();
    let ask = |head: &Value| {
        let (id, approval) = (text(head, "id")?, text(head, "asks")?);
        let is_listed = approvals.iter().any(|it| text(it, "id") == Some(approval));
        let ongoing = Ongoing {
            phrase: (Key::FrontAsks, vec![text(head, "name")?.to_owned()]),
            english: None,
            at: None,
            route: Route::Chat(Some(id.to_owned())),
            waiting: 1,
        };
        (is_listed || approval.is_empty()).then_some((is_listed, ongoing))
    };
    listed(&stored, "heads").iter().filter_map(ask).collect()
}

/// Pending and ongoing activities; the space is reserved so that nothing moves.
#[component]
fn ActivityList() -> impl IntoView {
    let activities: Activities = expect_context();
    let inbox: Inbox = expect_context();
    let all = Memo::new(move |_| {
        let waiting = inbox.waiting.with(|it| it.ready().cloned().unwrap_or_default());
        let asking = asking(&waiting);
        let count = waiting.len().saturating_sub(asking.iter().filter(|it| it.0).count());
        let approvals = (count > 0).then(|| Ongoing {
            phrase: (Key::FrontApprovals, vec![count.to_string()]),
            english: None,
            at: None,
            route: Route::Approvals,
            waiting: count,
        });
        let asking = asking.into_iter().map(|it| it.1);
        approvals.into_iter().chain(asking).chain(activities.all()).collect::<Vec<_>>()
    });
    view! {
        <ul class="front-mine" aria-label=Key::FrontMine>
            {move || {
                all.get().into_iter().map(|link| {
                    let (href, waits) = (link.route.hash(), link.waiting != 0);
                    let text = move || link.say(Lang::spoken());
                    view! { <li><a href=href class:is-waiting=waits>{text}</a></li> }
                }).collect_view()
            }}
        </ul>
    }
}
