//! The assistant that decides what an agent says next: what it is asked, and what it may call.

use serde_json::json;
use toolkit::{
    Stop, Tool as _,
    assistants::{self, Given, Part, Task},
};

use super::{ended::Ended, player::Player, scene::Scene};
use crate::tools::{
    EndConversation, GetConversationMessages, ListAgents, RespondChat, SendMessage,
    StartConversation,
};

/// The tools of agents that the assistant may call; what the others do, the player does itself.
const TOOLS: [&str; 6] = [
    EndConversation::NAME,
    GetConversationMessages::NAME,
    ListAgents::NAME,
    RespondChat::NAME,
    SendMessage::NAME,
    StartConversation::NAME,
];

/// Asks the agent's assistant what to say or do, and waits until it is done.
pub(super) fn think(player: &Player, scene: &Scene<'_>) -> Result<Ended, Stop> {
    let memory = scene.stand.memory(&player.agent)?;
    let task = Task {
        assistant: player.agent.assistant.clone(),
        message: scene.message(),
        history: scene.history(),
        language: scene.language.tag().to_owned(),
        context: Some(scene.context().to_string()),
        may_ask_model: true,
    };
    let part = Part {
        name: player.agent.agent_id.clone(),
        given: given(player, scene),
        tokens_max: Some(player.facts.tokens_max.saturating_sub(scene.stand.tokens)),
        memory,
    };
    let run = assistants::play(&task, &part);
    while let Some(event) = run.next() {
        if event.name == assistants::ENDED {
            return Ok(Ended::read(&event.data));
        }
    }
    Ok(Ended::failed("its run has no end".to_owned()))
}

/// The session's token for each tool, which the assistant never sees; and the partner and the conversation,
/// for calls that name none.
fn given(player: &Player, scene: &Scene<'_>) -> Vec<Given> {
    let give = |tool: &str, argument: &str, value: &str, is_default| Given {
        tool: tool.to_owned(),
        argument: argument.to_owned(),
        value: json!(value).to_string(),
        is_default,
    };
    let mut given: Vec<_> =
        TOOLS.iter().map(|it| give(it, "session_token", &player.token, false)).collect();
    for tool in [RespondChat::NAME, SendMessage::NAME] {
        given.push(give(tool, "target_agent_id", &scene.stand.partner, true));
    }
    if let Some(id) = &scene.stand.conversation_id {
        for tool in [EndConversation::NAME, GetConversationMessages::NAME] {
            given.push(give(tool, "conversation_id", id, true));
        }
    }
    given
}
