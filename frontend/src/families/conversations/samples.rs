//! Sample conversations for tests.

use std::ops::RangeInclusive;

use output::conversations::{ChatMessage, Conversation, Member, Role, State, Step, Transcript};

/// A conversation with that id.
pub(crate) fn conversation(id: &str) -> Conversation {
    let member = |agent: &str, name: &str, role: Role| Member {
        agent_id: agent.to_owned(),
        name: name.to_owned(),
        role,
        assistant: Some("talker".to_owned()),
        ..Member::default()
    };
    Conversation {
        conversation_id: id.to_owned(),
        project_id: "demo".to_owned(),
        purpose: Some("しりとり".to_owned()),
        state: State::Active,
        members: vec![
            member("worker-a", "Analysis Worker", Role::Initiator),
            member("worker-b", "Writing Worker", Role::Participant),
        ],
        created_at: "2026-01-23T10:00:00Z".to_owned(),
        ..Conversation::default()
    }
}

/// Messages of these numbers, alternating between the two agents, a second apart.
pub(crate) fn transcript(numbers: RangeInclusive<u64>) -> Transcript {
    let message = |number: u64| {
        let (from, to) = if number % 2 == 1 { ("a", "b") } else { ("b", "a") };
        ChatMessage {
            id: format!("msg_{number:06}"),
            sender_id: format!("worker-{from}"),
            recipient_id: Some(format!("worker-{to}")),
            content: format!("ことば {number}"),
            timestamp: format!("2026-01-23T10:{:02}:{:02}Z", (number / 60) % 60, number % 60),
            conversation_id: Some("conv_1".to_owned()),
            sequence: number,
            read_at: None,
        }
    };
    let step = |state, at: &str, by: &str, cause: &str| Step {
        state,
        at: at.to_owned(),
        caused_by: by.to_owned(),
        cause: cause.to_owned(),
    };
    Transcript {
        conversation: conversation("conv_1"),
        steps: vec![
            step(State::Pending, "2026-01-23T10:00:00Z", "worker-a", "start_conversation"),
            step(State::Active, "2026-01-23T10:00:00.500Z", "worker-b", "authenticate"),
        ],
        messages: numbers.map(message).collect(),
        has_older: false,
        may_step_in: true,
    }
}
