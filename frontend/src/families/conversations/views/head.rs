//! The head of a conversation: purpose, state, who takes part and who plays them, what it took.

use leptos::prelude::*;
use output::conversations::{Conversation, Member, Role, Usage};

use super::parts::{Age, Avatar, Chip};
use super::row::turns;
use crate::dates;
use crate::families::conversations::look;
use crate::families::conversations::watch::Watch;
use crate::text::{Key, Lang};

/// The head of a conversation.
#[component]
pub(super) fn Head(watch: Watch) -> impl IntoView {
    let own = Memo::new(move |_| watch.read(|it| it.told.conversation.clone()).unwrap_or_default());
    let state = Memo::new(move |_| own.with(|it| (it.state, it.paused_at.is_some())));
    let purpose = Memo::new(move |_| own.with(|it| look::purpose(it, Lang::spoken())));
    let facts = move || {
        own.with(|it| {
            let messages = Key::TalkMessages.fill(&[&it.messages.to_string()]);
            let mut facts = vec![it.project_id.clone(), turns(it), messages];
            facts.extend(why(it));
            let name = |id: &String| look::name(it, id, Lang::spoken());
            facts.extend(it.begun_by.as_ref().map(|by| Key::TalkBegunBy.fill(&[&name(by)])));
            facts.into_iter().map(|it| view! { <li>{it}</li> }).collect_view()
        })
    };
    let created = Memo::new(move |_| own.with(|it| it.created_at.clone()));
    let said =
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
            {move || said.get().map(|said| view! { <p class="talk-reason">{said}</p> })}
            <ul class="talk-members" aria-label=Key::TalkMembers>
                {move || members.get().into_iter().map(card).collect_view()}
            </ul>
        </header>
    }
}

/// Who ended it, and why.
fn why(it: &Conversation) -> Option<String> {
    let lang = Lang::spoken();
    let reason = look::reason(it.end_reason.as_deref()?, lang);
    let by = look::name(it, it.ended_by.as_deref().unwrap_or("system"), lang);
    Some(Key::TalkEndedBy.fill(&[&by, &reason]))
}

/// One side: who, on which side, who plays it, and what that took.
#[component]
fn MemberCard(member: Member, own: Memo<Conversation>) -> impl IntoView {
    let look = own.with_untracked(|it| look::look(it, &member.agent_id));
    let role = match member.role {
        Role::Initiator => Key::TalkInitiator,
        Role::Participant => Key::TalkParticipant,
    };
    let (is_played, usage, unread) = (member.assistant.is_some(), member.usage, member.unread);
    let player = move || match is_played {
        true => Key::TalkPlayedBy.say(),
        false => Key::TalkOutside.say(),
    };
    let name = if member.name.is_empty() { member.agent_id.clone() } else { member.name };
    view! {
        <li class="talk-member">
            <Avatar look/>
            <div>
                <p><b class="talk-name">{name}</b>" "<code>{member.agent_id}</code></p>
                <p class="hint">{role}" · "{player}</p>
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

/// What it took to play a side, as far as it is known.
fn taken(usage: &Usage) -> String {
    let lang = Lang::spoken();
    let number = |it: u64| dates::number(it as f64, lang);
    let mut told = vec![Key::TalkUsage.fill(&[&number(u64::from(usage.turns))])];
    if usage.input_tokens + usage.output_tokens > 0 {
        let counts = [number(usage.input_tokens), number(usage.output_tokens)];
        told.push(Key::ChatTokens.fill(&[&counts[0], &counts[1]]));
    }
    if let Some(cost) = usage.cost_usd.filter(|it| *it > 0.0) {
        told.push(Key::Cost.fill(&[&format!("{cost:.4}")]));
    }
    told.join(" · ")
}
