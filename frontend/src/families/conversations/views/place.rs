//! The view of one conversation: its purpose, state and messages, and the actions to intervene and save.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::{Conversation, Member, Role, State, Usage};

use super::parts::{Age, Avatar, Chip, Now, Sign, turns};
use super::step_in::StepIn;
use super::transcript::{LanesView, TranscriptView};
use crate::browser;
use crate::call::Loaded;
use crate::dates;
use crate::error::CallError;
use crate::families::conversations::place::{At, Filter};
use crate::families::conversations::timeline::{self, Station, since, stations, whole};
use crate::families::conversations::watch::Watch;
use crate::families::conversations::{client, look};
use crate::page::{Connection, page};
use crate::route::FamilyRoute;
use crate::subscriptions::Subscriptions;
use crate::text::{Key, Lang};
use crate::views::notice::{Notice, Skeleton};
use crate::views::output::copy;

/// The view of one conversation.
#[component]
pub(crate) fn ConversationPlace(id: String) -> impl IntoView {
    let subscriptions: Subscriptions = expect_context();
    let watch = Watch::resume(&id);
    watch.stay(subscriptions);
    Now::every(Duration::from_secs(1));
    browser::focus_soon("stage");
    let stage = Memo::new(move |_| watch.live.with(|it| it.map(|_| ())));
    let retry = Callback::new(move |()| {
        watch.live.set(Loaded::Loading);
        watch.renew();
    });
    let title = move || {
        let is_gone =
            matches!(stage.get(), Loaded::Failed(CallError::Refused(it)) if it.status == 404);
        if is_gone { Key::TalkGone } else { Key::TalkPlace }.say()
    };
    view! {
        <article class="talk">
            <a class="back" href=At::List(Filter::default()).hash()>{Key::TalkBack}</a>
            {move || match stage.get() {
                Loaded::Loading => any_view! {
                    <h1 tabindex="-1" id="stage" class="only-heard">{title}</h1>
                    <Skeleton lines=8/>
                },
                Loaded::Failed(error) => any_view! {
                    <h1 tabindex="-1" id="stage">{title}</h1>
                    <Notice error on_retry=retry/>
                },
                Loaded::Ready(()) => any_view! { <LoadedConversation watch/> },
            }}
        </article>
    }
}

#[component]
fn LoadedConversation(watch: Watch) -> impl IntoView {
    let is_stale = move || page().connection.get() == Connection::Offline;
    // The heading was visually hidden until now; a lost focus goes to the stage.
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

/// The states of a conversation.
#[component]
fn Trace(watch: Watch) -> impl IntoView {
    let all = Memo::new(move |_| watch.read(|it| stations(&it.transcript)).unwrap_or_default());
    let whole = Memo::new(move |_| watch.read(|it| whole(&it.transcript)).flatten());
    let station = move |station: Station| view! { <StationView station watch/> };
    view! {
        <section class="talk-trace" aria-labelledby="talk-trace">
            <h2 id="talk-trace" class="section-title">
                {Key::TalkTrace}
                {move || whole.get().map(|ms| view! {
                    <span class="count">
                        {Key::TalkWhole.fill(&[&timeline::length(ms, Lang::spoken())])}
                    </span>
                })}
            </h2>
            <ol>{move || all.get().into_iter().map(station).collect_view()}</ol>
        </section>
    }
}

fn explanation(state: State) -> Key {
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
        Some(ms) => Some(Key::TalkStayed.fill(&[&timeline::length(ms, Lang::spoken())])),
        None if is_now => {
            let since = watch.read(|it| since(&it.transcript)).flatten()?;
            let ms = Now::get() - since;
            Some(Key::TalkStaying.fill(&[&timeline::length(ms, Lang::spoken())]))
        }
        None => None,
    };
    let cause = step.map(|step| {
        let (by, at) = (step.caused_by.clone(), step.at.clone());
        let by = move || {
            let lang = Lang::spoken();
            watch.read(|it| look::name(&it.transcript.conversation, &by, lang))
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
                <p class="talk-station-name" title=move || explanation(state).say()>
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

#[component]
pub(super) fn Head(watch: Watch) -> impl IntoView {
    let own =
        Memo::new(move |_| watch.read(|it| it.transcript.conversation.clone()).unwrap_or_default());
    let state = Memo::new(move |_| own.with(|it| (it.state, it.paused_at.is_some())));
    let purpose = Memo::new(move |_| own.with(|it| look::purpose(it, Lang::spoken())));
    let facts = move || {
        own.with(|conversation| {
            let messages = Key::TalkMessages.fill(&[&conversation.messages.to_string()]);
            let mut facts = vec![conversation.project_id.clone(), turns(conversation), messages];
            facts.extend(look::ending(conversation, Lang::spoken()));
            let name = |id: &String| look::name(conversation, id, Lang::spoken());
            facts.extend(
                conversation.begun_by.as_ref().map(|by| Key::TalkBegunBy.fill(&[&name(by)])),
            );
            facts.into_iter().map(|it| view! { <li>{it}</li> }).collect_view()
        })
    };
    let created = Memo::new(move |_| own.with(|it| it.created_at.clone()));
    let text =
        Memo::new(move |_| own.with(|it| it.reason_text.clone().filter(|it| !it.is_empty())));
    let members = Memo::new(move |_| own.with(|it| it.members.clone()));
    let card = move |member: Member| view! { <MemberCard member own/> };
    view! {
        <header class="talk-head">
            <div class="talk-title">
                <h1 tabindex="-1" id="stage">{move || purpose.get()}</h1>
                <p class="talk-chips">
                    {move || {
                        let (state, is_paused) = state.get();
                        view! { <Chip state is_paused/> }
                    }}
                </p>
            </div>
            <ul class="talk-facts">
                {facts}
                <li>{move || view! { <Age at=created.get()/> }}</li>
            </ul>
            {move || text.get().map(|text| view! { <p class="talk-reason">{text}</p> })}
            <ul class="talk-members" aria-label=Key::TalkMembers>
                {move || members.get().into_iter().map(card).collect_view()}
            </ul>
        </header>
    }
}

/// A member: agent, position, assistant and usage.
#[component]
fn MemberCard(member: Member, own: Memo<Conversation>) -> impl IntoView {
    let look = own.with_untracked(|it| look::look(it, &member.agent_id));
    let role = match member.role {
        Role::Initiator => Key::TalkInitiator,
        Role::Participant => Key::TalkParticipant,
    };
    let (is_played, usage, unread) = (member.assistant.is_some(), member.usage, member.unread);
    let assistant = move || match is_played {
        true => Key::TalkPlayedBy.say(),
        false => Key::TalkOutside.say(),
    };
    let name = if member.name.is_empty() { member.agent_id.clone() } else { member.name };
    view! {
        <li class="talk-member">
            <Avatar look/>
            <div>
                <p><b class="talk-name">{name}</b>" "<code>{member.agent_id}</code></p>
                <p class="hint">{role}" · "{assistant}</p>
                {(usage != Usage::default()).then(|| view! {
                    <p class="hint">{move || taken(&usage)}</p>
                })}
                {(unread > 0).then(|| view! {
                    <p class="talk-unread">
                        {move || Key::TalkUnread.fill(&[&unread.to_string()])}
                    </p>
                })}
            </div>
        </li>
    }
}

/// Usage of a member, as far as known.
fn taken(usage: &Usage) -> String {
    let lang = Lang::spoken();
    let number = |it: u64| dates::number(it as f64, lang);
    let mut parts = vec![Key::TalkUsage.fill(&[&number(u64::from(usage.turns))])];
    if usage.input_tokens + usage.output_tokens > 0 {
        let counts = [number(usage.input_tokens), number(usage.output_tokens)];
        parts.push(Key::ChatTokens.fill(&[&counts[0], &counts[1]]));
    }
    if let Some(cost) = usage.cost_usd.filter(|it| *it > 0.0) {
        parts.push(Key::Cost.fill(&[&format!("{cost:.4}")]));
    }
    parts.join(" · ")
}

/// The buttons that save it.
#[component]
pub(super) fn Export(watch: Watch) -> impl IntoView {
    let error = RwSignal::new(None::<CallError>);
    let save = move |is_markdown: bool| {
        let id = watch.id.get_value();
        spawn_local(async move {
            let written = client::written(&id).await;
            let saved = written.and_then(|written| {
                let (ending, mime, text) = match is_markdown {
                    true => ("md", "text/markdown", written.markdown),
                    false => ("jsonl", "application/x-ndjson", written.jsonl),
                };
                let name = file_name(&id, ending);
                let saved = browser::download(&name, text.as_bytes(), mime);
                saved.map_err(|_| CallError::page("the browser did not save the file"))
            });
            if saved.is_ok() {
                page().notify(Key::TalkSaved);
            }
            let _ = error.try_set(saved.err());
        });
    };
    let copied = move |_| copy(&browser::address(), Key::TalkLinkCopied);
    view! {
        <section class="talk-export" aria-labelledby="talk-export">
            <h2 id="talk-export" class="section-title">{Key::TalkExport}</h2>
            <div class="actions">
                <button type="button" class="quiet small" on:click=move |_| save(true)>
                    {Key::TalkMarkdown}
                </button>
                <button type="button" class="quiet small" on:click=move |_| save(false)>
                    {Key::TalkJsonl}
                </button>
                <button type="button" class="quiet small" on:click=copied>{Key::TalkCopyLink}</button>
            </div>
            {move || error.get().map(|error| view! { <Notice error/> })}
        </section>
    }
}

/// Name of the file: an id from the address is foreign text.
fn file_name(id: &str, ending: &str) -> String {
    let is_plain = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    let plain: String = id.chars().filter(is_plain).take(60).collect();
    let name = if plain.is_empty() { "conversation" } else { &plain };
    format!("{name}.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_has_no_path() {
        assert_eq!(file_name("conv_01-ab", "md"), "conv_01-ab.md");
        assert_eq!(file_name("../../etc", "jsonl"), "etc.jsonl");
        assert_eq!(file_name("会話", "md"), "conversation.md");
    }
}
