//! Conversations between agents, as plain data: list, news, participants, progress and messages.

use output::conversations::{Conversations, Transcript};
use serde_json::{Value, json};

use crate::part::{Part, part};
use crate::route::{FamilyRoute, Route};
use crate::table::{
    ActivitySource, Draw, Drawing, Family, Found, NONE, Ongoing, Outputs, Place, Search, View,
    all_listed, counted, fits, listed, text,
};
use crate::text::Key;
use crate::views::part::drawn_by;
use place::{Agents, At, Filter};
use views::agent_chat::LineView;
use views::agents::AgentsView;
use views::{ConversationPlace, ConversationsView, TalkInline, TalksInline};

#[macro_use]
mod words;

pub(crate) mod agents;
pub(crate) mod client;
pub(crate) mod list;
pub(crate) mod live;
pub(crate) mod look;
pub(crate) mod place;
pub(crate) mod timeline;
pub(crate) mod unsent;
pub(crate) mod views;
pub(crate) mod watch;

#[cfg(test)]
pub(crate) mod samples;

pub(super) static FAMILY: Family = Family {
    tools: ("conversations", Key::TalkPlace),
    places: &[
        Place {
            tool: "list_conversations",
            name: Key::TalkPlace,
            reading: "かいわ",
            icon: "M2 4h11v7H7l-3 3v-3H2zM16 8h2v7h-2v3l-3-3H9",
            start: || At::List(Filter::default()).route(),
            read: At::canonical,
            stage: |route| match At::from_route(route)? {
                At::List(_) => Some(String::new()),
                At::Conversation(id) => Some(id),
            },
            code: &TALKS,
            title: |_| Key::TalkPlace.say().to_owned(),
        },
        Place {
            tool: "start_chat",
            name: Key::AgentsPlace,
            reading: "",
            icon: "M4 7h12v9H4zM10 7V3M7.5 11v1M12.5 11v1",
            start: || Agents(None).route(),
            read: Agents::canonical,
            stage: |route| Agents::from_route(route).map(|_| String::new()),
            code: &AGENTS,
            title: |route| match Agents::from_route(route) {
                Some(Agents(Some(it))) => format!("{} · {}", it.agent, Key::AgentsPlace.say()),
                _ => Key::AgentsPlace.say().to_owned(),
            },
        },
    ],
    views: &[View::new("conversation"), View::new("conversations")],
    activity: Some(ActivitySource {
        tool: "list_conversations",
        arguments: || vec![json!({ "state": "active" })],
        resource: Some("conversations://list"),
        read: |outputs| {
            let count = all_listed(outputs, "conversations").count();
            let phrase = (Key::FrontTalks, vec![count.to_string()]);
            let route = At::List(Filter::default()).route();
            let ongoing = Ongoing { phrase, english: None, at: None, route, waiting: 0 };
            Some(ongoing).filter(|_| count > 0).into_iter().collect()
        },
    }),
    search: Some(Search {
        tool: "list_conversations",
        arguments: |_| json!({}),
        read: |value| {
            let found = |conversation: &Value| {
                let members = listed(conversation, "members").iter();
                let names: Vec<_> = members.filter_map(|it| text(it, "name")).collect();
                let purpose = text(conversation, "purpose").unwrap_or_default();
                Some(Found {
                    title: [purpose, &names.join(" ⇄ ")].join(" ").trim().to_owned(),
                    english: None,
                    route: At::Conversation(text(conversation, "conversation_id")?.to_owned())
                        .route(),
                    is_found: false,
                })
            };
            listed(value, "conversations").iter().filter_map(found).collect()
        },
        kind: Key::ConversationView,
    }),
    outputs: &OUTPUTS,
    within: &[&LIST, &TALK, &CHAT],
    ..NONE
};

/// The list and a conversation are parts of their own.
static TALKS: Part<Draw> = Part::always(&Draw(|stage| {
    let (part, stage) = (if stage.is_empty() { &LIST } else { &TALK }, stage.to_owned());
    drawn_by(part, move |it| (it.0)(&stage))
}));

static LIST: Part<Draw> =
    part!(conversations: Draw = &Draw(|_| any_view! { <ConversationsView/> }));

static TALK: Part<Draw> =
    part!(conversation: Draw = &Draw(|id| any_view! { <ConversationPlace id=id.to_owned()/> }));

static AGENTS: Part<Draw> = part!(agents: Draw = &Draw(|_| any_view! { <AgentsView/> }));

/// A chat with the agent of the address.
static CHAT: Part<Draw> = part!(agent: Draw = &Draw(|address| {
    let seat = Agents::from_route(&Route::parse(address)).and_then(|it| it.0).unwrap_or_default();
    any_view! { <LineView seat/> }
}));

static OUTPUTS: Part<Outputs> = part!(conversation: Outputs = &Outputs(&[
    Drawing {
        draw: |value, _| {
            let transcript = fits::<Transcript>(value)?;
            Some(any_view! { <TalkInline transcript/> })
        },
        summary: |value| {
            // Its purpose and participants do not change.
            let own = fits::<Transcript>(value)?.conversation;
            let names: Vec<String> = own.members.into_iter().map(|it| it.name).collect();
            let purpose = own.purpose.unwrap_or_else(|| "—".to_owned());
            Some((Key::CardTalk, vec![purpose, names.join(" ⇄ ")]))
        },
    },
    Drawing {
        draw: |value, _| {
            let talks = fits::<Conversations>(value)?;
            Some(any_view! { <TalksInline talks/> })
        },
        summary: |value| {
            counted(Key::CardTalks, fits::<Conversations>(value)?.conversations.len())
        },
    },
]));
