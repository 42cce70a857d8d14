//! How far a conversation has come: station by station, who caused each, when, and for how long.

use leptos::prelude::*;
use output::conversations::State;

use super::parts::{Now, Sign};
use crate::dates;
use crate::families::conversations::look;
use crate::families::conversations::time;
use crate::families::conversations::trace::{Station, since, stations, whole};
use crate::families::conversations::watch::Watch;
use crate::text::{Key, Lang};

/// The way of a conversation.
#[component]
pub(super) fn Trace(watch: Watch) -> impl IntoView {
    let all = Memo::new(move |_| watch.read(|it| stations(&it.told)).unwrap_or_default());
    let whole = Memo::new(move |_| watch.read(|it| whole(&it.told)).flatten());
    let station = move |station: Station| view! { <StationView station watch/> };
    view! {
        <section class="talk-trace" aria-labelledby="talk-trace">
            <h2 id="talk-trace" class="section-title">
                {Key::TalkTrace}
                {move || whole.get().map(|ms| view! {
                    <span class="count">
                        {Key::TalkWhole.fill(&[&time::length(ms, Lang::spoken())])}
                    </span>
                })}
            </h2>
            <ol>{move || all.get().into_iter().map(station).collect_view()}</ol>
        </section>
    }
}

fn what(state: State) -> Key {
    match state {
        State::Pending => Key::TalkPendingWhat,
        State::Active => Key::TalkActiveWhat,
        State::Terminating => Key::TalkTerminatingWhat,
        State::Ended => Key::TalkEndedWhat,
        State::Expired => Key::TalkExpiredWhat,
    }
}

#[component]
fn StationView(station: Station, watch: Watch) -> impl IntoView {
    let Station { state, step, stayed_ms, is_now } = station;
    let (class, sign, key) = look::state(state);
    let reached = if step.is_some() { "is-reached" } else { "is-ahead" };
    let now = if is_now { "is-current" } else { "" };
    let is_reached = step.is_some();
    let stayed = move || match stayed_ms {
        Some(ms) => Some(Key::TalkStayed.fill(&[&time::length(ms, Lang::spoken())])),
        None if is_now => {
            let since = watch.read(|it| since(&it.told)).flatten()?;
            let ms = Now::get() - since;
            Some(Key::TalkStaying.fill(&[&time::length(ms, Lang::spoken())]))
        }
        None => None,
    };
    let cause = step.map(|step| {
        let (by, at) = (step.caused_by.clone(), step.at.clone());
        let by = move || {
            let lang = Lang::spoken();
            watch.read(|it| look::name(&it.told.conversation, &by, lang))
        };
        let code = step.cause.clone();
        let cause = move || look::cause(&code, Lang::spoken());
        let datetime = at.clone();
        view! {
            <p class="talk-cause"><b>{by}</b>" "<span title=step.cause>{cause}</span></p>
            <p class="hint">
                <time datetime=datetime>{move || dates::second(&at, Lang::spoken())}</time>
            </p>
        }
    });
    view! {
        <li class=format!("talk-station {class} {reached} {now}")
            aria-current=is_now.then_some("step") data-state=state.name()>
            <span class="talk-station-sign"><Sign path=sign/></span>
            <div>
                <p class="talk-station-name" title=move || what(state).say()>
                    {key}
                    {(!is_reached).then(|| view! {
                        <span class="only-heard">" "{Key::TalkAhead}</span>
                    })}
                </p>
                {cause}
                {move || stayed().map(|it| view! { <p class="hint">{it}</p> })}
            </div>
        </li>
    }
}
