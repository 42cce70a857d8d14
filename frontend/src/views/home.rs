//! The front door: what this is, what may be done here, and what of the reader's goes on.

use leptos::prelude::*;

use crate::approvals::Inbox;
use crate::home::Goings;
use crate::page::{Page, page};
use crate::route::Route;
use crate::table::{self, Ongoing};
use crate::text::Key;

/// What stands above the first place.
#[component]
pub(crate) fn Front() -> impl IntoView {
    let page = page();
    let door = move |(key, route): (Key, Route)| {
        view! { <li><a class="front-door" href=route.hash()>{move || page.say(key)}</a></li> }
    };
    view! {
        <section class="front" aria-label=move || page.say(Key::FrontDoor)>
            {move || (!table::has_first(page)).then(|| view! {
                <h1 tabindex="-1" id="stage">{move || page.say(Key::FrontDoor)}</h1>
            })}
            <p class="front-what">{move || page.say(Key::FrontWhat)}</p>
            <ul class="front-doors">
                {move || doors(page).into_iter().map(door).collect_view()}
            </ul>
            <Mine/>
        </section>
    }
}

/// What may be done here. What the host turns out to serve comes last, so that nothing moves.
fn doors(page: Page) -> Vec<(Key, Route)> {
    let mut doors =
        vec![(Key::FrontChat, Route::Chat(None)), (Key::FrontTools, Route::Counter(None))];
    let families = table::doors(page);
    let at = if table::has_first(page) { 0 } else { doors.len() };
    let (first, others) = families.split_at(families.len().min(1));
    doors.splice(at..at, first.iter().cloned());
    doors.extend(others.iter().cloned());
    doors
}

/// What waits for the reader, and what goes on; its line is there from the first, so that nothing moves.
#[component]
fn Mine() -> impl IntoView {
    let page = page();
    let goings: Goings = expect_context();
    let inbox: Inbox = expect_context();
    let approvals = move || inbox.waiting.with(|it| it.here().map_or(0, Vec::len));
    let all = Memo::new(move |_| {
        let count = approvals();
        let approvals = (count > 0).then(|| Ongoing {
            phrase: (Key::FrontApprovals, vec![count.to_string()]),
            english: None,
            route: Route::Approvals,
            waiting: count,
        });
        approvals.into_iter().chain(goings.all()).collect::<Vec<_>>()
    });
    view! {
        <ul class="front-mine" aria-label=move || page.say(Key::FrontMine)>
            {move || {
                all.get().into_iter().map(|it| {
                    let (href, waits) = (it.route.hash(), it.waiting != 0);
                    let text = move || it.say(page.lang.get());
                    view! { <li><a href=href class:is-waiting=waits>{text}</a></li> }
                }).collect_view()
            }}
        </ul>
    }
}
