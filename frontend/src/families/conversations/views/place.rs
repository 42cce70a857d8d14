//! One conversation: what it is for, how far it has come, its messages, and ways to step in.

use std::time::Duration;

use leptos::prelude::*;

use super::export::Export;
use super::head::Head;
use super::lanes::LanesView;
use super::parts::Now;
use super::step_in::StepIn;
use super::trace::Trace;
use super::transcript::TranscriptView;
use crate::browser;
use crate::call::Loaded;
use crate::error::CallError;
use crate::families::conversations::filter::Filter;
use crate::families::conversations::place::At;
use crate::families::conversations::watch::Watch;
use crate::page::{Connection, page};
use crate::route::Spot;
use crate::subscriptions::Subscriptions;
use crate::text::Key;
use crate::views::notice::{Notice, Skeleton};

/// The place of one conversation.
#[component]
pub(crate) fn ConversationPlace(id: String) -> impl IntoView {
    let subscriptions: Subscriptions = expect_context();
    let watch = Watch::of(&id);
    watch.stay(subscriptions);
    Now::every(Duration::from_secs(1));
    browser::focus_soon("stage");
    #[derive(Clone, PartialEq)]
    enum Stage {
        Loading,
        Failed(CallError),
        Here,
    }
    let stage = Memo::new(move |_| {
        watch.live.with(|it| match it {
            Loaded::Loading => Stage::Loading,
            Loaded::Failed(error) => Stage::Failed(error.clone()),
            Loaded::Here(_) => Stage::Here,
        })
    });
    let retry = Callback::new(move |()| {
        watch.live.set(Loaded::Loading);
        watch.renew();
    });
    let title = move || {
        let is_gone =
            matches!(stage.get(), Stage::Failed(CallError::Refused(it)) if it.status == 404);
        if is_gone { Key::TalkGone } else { Key::TalkPlace }.say()
    };
    view! {
        <article class="talk">
            <a class="back" href=At::List(Filter::default()).hash()>{Key::TalkBack}</a>
            {move || match stage.get() {
                Stage::Loading => view! {
                    <h1 tabindex="-1" id="stage" class="only-heard">{title}</h1>
                    <Skeleton lines=8/>
                }.into_any(),
                Stage::Failed(error) => view! {
                    <h1 tabindex="-1" id="stage">{title}</h1>
                    <Notice error on_retry=retry/>
                }.into_any(),
                Stage::Here => view! { <Here watch/> }.into_any(),
            }}
        </article>
    }
}

#[component]
fn Here(watch: Watch) -> impl IntoView {
    let is_stale = move || page().connection.get() == Connection::Offline;
    // Until now the heading was only announced; a lost focus goes to the stage.
    browser::focus_if_lost("stage");
    view! {
        <Head watch/>
        <Trace watch/>
        {move || is_stale().then(|| view! {
            <p class="notice is-warning talk-stale">{Key::TalkStale}</p>
        })}
        <div class="talk-body">
            <div class="talk-main">
                <TranscriptView watch/>
                <StepIn watch/>
            </div>
            <aside class="talk-aside" aria-label=Key::TalkLanes>
                <LanesView watch/>
                <Export watch/>
            </aside>
        </div>
    }
}
