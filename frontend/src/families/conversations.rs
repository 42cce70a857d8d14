//! Conversations between agents, as plain data: what is listed, what is new, who is who, how far one
//! has come, and who said what when.

use leptos::prelude::*;
use output::conversations::{Conversations, Transcript};

use super::{Family, NONE, Place, View, counted, fits};
use crate::route::Route;
use crate::text::Key;

#[macro_use]
mod agent_words;
#[macro_use]
mod words;

pub(crate) mod agents;
pub(crate) mod client;
pub(crate) mod filter;
pub(crate) mod game;
pub(crate) mod lanes;
pub(crate) mod listing;
pub(crate) mod live;
pub(crate) mod look;
pub(crate) mod roll;
pub(crate) mod time;
pub(crate) mod trace;
pub(crate) mod views;
pub(crate) mod watch;

#[cfg(test)]
pub(crate) mod samples;

use filter::Filter;
use views::agents::AgentsView;
use views::{ConversationPlace, ConversationsView, TalkInline, TalksInline};

pub(super) const FAMILY: Family = Family {
    places: &[
        Place {
            tool: "list_conversations",
            name: Key::TalkPlace,
            route: || Route::Conversations(Filter::default()),
            stage: |route| match route {
                Route::Conversations(_) => Some(String::new()),
                Route::Conversation(id) => Some(id.clone()),
                _ => None,
            },
            draw: |stage| match stage {
                "" => view! { <ConversationsView/> }.into_any(),
                id => view! { <ConversationPlace id=id.to_owned()/> }.into_any(),
            },
            title: |page, _| page.say(Key::TalkPlace).to_owned(),
        },
        Place {
            tool: "start_chat",
            name: Key::AgentsPlace,
            route: || Route::Agents(None),
            stage: |route| matches!(route, Route::Agents(_)).then(String::new),
            draw: |_| view! { <AgentsView/> }.into_any(),
            title: |page, route| match route {
                Route::Agents(Some(it)) => format!("{} · {}", it.agent, page.say(Key::AgentsPlace)),
                _ => page.say(Key::AgentsPlace).to_owned(),
            },
        },
    ],
    views: &[
        View::new(
            "conversation",
            |value, _| {
                let told = fits::<Transcript>(value)?;
                Some(view! { <TalkInline told/> }.into_any())
            },
            |value| {
                // Neither its purpose nor who takes part moves on in it.
                let own = fits::<Transcript>(value)?.conversation;
                let names: Vec<String> = own.members.into_iter().map(|it| it.name).collect();
                let purpose = own.purpose.unwrap_or_else(|| "—".to_owned());
                Some((Key::CardTalk, vec![purpose, names.join(" ⇄ ")]))
            },
        ),
        View::new(
            "conversations",
            |value, _| {
                let talks = fits::<Conversations>(value)?;
                Some(view! { <TalksInline talks/> }.into_any())
            },
            |value| counted(Key::CardTalks, fits::<Conversations>(value)?.conversations.len()),
        ),
    ],
    forget: agents::kept::forget_all,
    ..NONE
};
