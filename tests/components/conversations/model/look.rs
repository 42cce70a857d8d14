//! The component's state as people see it, in the model's form, and its calls.

use serde_json::{Value, json};
use workbench::solo::SoloOutcome;

use super::{
    play::{Outcome, Play, text},
    rules::named,
    steps::{Act, Target, Who, words},
    world::IDS,
};

impl Play<'_> {
    /// Every conversation of the project as a person's list has it, oldest first.
    pub(super) async fn summary(&self) -> Vec<Value> {
        let list = self.call("list_conversations", json!({ "project_id": self.project })).await;
        let list = list.expect("the operator sees every project");
        assert_eq!(list.get("next_cursor"), None, "so few fit on one page");
        let mut listed: Vec<_> = list["conversations"].as_array().expect("a list").clone();
        listed.sort_by_key(|it| self.place(&it["conversation_id"]));
        listed.iter().map(summary).collect()
    }

    /// The trace and the messages of a conversation.
    pub(super) async fn transcript(&self, at: usize) -> Value {
        let arguments = json!({ "conversation_id": self.talks[at], "limit": 200 });
        let conversation =
            self.call("get_conversation", arguments).await.expect("the operator sees it");
        let steps = conversation["steps"].as_array().expect("steps").iter();
        let steps = steps.map(|it| json!([it["state"], it["caused_by"], it["cause"]]));
        let messages = conversation["messages"].as_array().expect("messages").iter();
        let messages = messages.map(|message| {
            let read = message.get("readAt").is_some();
            json!([
                message["sequence"],
                message["senderId"],
                message["recipientId"],
                message["content"],
                read
            ])
        });
        json!({ "steps": steps.collect::<Vec<_>>(), "messages": messages.collect::<Vec<_>>() })
    }

    /// A call: its output, or the code and the status of its refusal.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        match self.component.round(tool, arguments, json!({})).await {
            SoloOutcome::Done(output) => {
                let json = output.structured.expect("the tool has a structured output");
                Ok(serde_json::from_str(&json).expect("the output is JSON"))
            }
            SoloOutcome::Failed(failure) => {
                let status = failure["status"].as_u64().and_then(|it| u16::try_from(it).ok());
                Err((text(&failure["error"]), status.unwrap_or_default()))
            }
            other => panic!("{tool} neither answers nor refuses: {other:?}"),
        }
    }

    fn place(&self, id: &Value) -> usize {
        let place = self.talks.iter().position(|it| *id == **it);
        place.unwrap_or_else(|| panic!("nobody started {id}"))
    }

    /// A conversation's name for its id; null for none.
    pub(super) fn talk(&self, id: &Value) -> Value {
        if id.is_null() { Value::Null } else { named(self.place(id)).into() }
    }

    /// The id of the conversation at that place, or one of none.
    pub(super) fn id(&self, at: usize) -> &str {
        let at = at.checked_rem(self.talks.len());
        at.map_or("conv_none", |it| &self.talks[it])
    }
}

/// One conversation as the model has it.
fn summary(conversation: &Value) -> Value {
    let members = conversation["members"].as_array().expect("members");
    let of = |name: &str| members.iter().map(|it| it[name].clone()).collect::<Vec<_>>();
    json!({
        "state": conversation["state"], "purpose": conversation["purpose"],
        "sides": of("agent_id"), "unread": of("unread"),
        "messages": conversation["messages"], "turns": conversation["turns"], "max_turns": conversation["max_turns"],
        "ended_by": conversation["ended_by"], "end_reason": conversation["end_reason"],
        "reason_text": conversation["reason_text"], "paused": conversation.get("paused_at").is_some(),
    })
}

/// The tool and its arguments, without the token and the conversation's id.
pub(super) fn request(who: Who, act: &Act, text: &str) -> (&'static str, Value) {
    let to = |target: Target| match target {
        Target::Agent(agent) => IDS[agent],
        Target::Person => IDS[3],
        Target::Unknown => "nobody",
        Target::Outsider => "outsider",
    };
    let (tool, mut arguments) = match act {
        Act::Start { target, purpose, initial, max_turns } => {
            let purpose = purpose.then(|| format!("{text} for"));
            let arguments = json!({
                "target_agent_id": to(*target), "purpose": purpose,
                "initial_message": initial.then_some(text), "max_turns": max_turns,
            });
            ("start_conversation", arguments)
        }
        Act::End { last_words, why, .. } => {
            let why = why.then(|| format!("{text} because"));
            let arguments =
                json!({ "final_message": last_words.then_some(text), "reason_text": why });
            ("end_conversation", arguments)
        }
        Act::Send { target, client } => {
            let content = words(IDS[who], *client, text);
            let client = client.map(|it| format!("client {}", it.0));
            let arguments = json!({
                "target_agent_id": to(*target), "content": content, "client_message_id": client,
            });
            ("send_message", arguments)
        }
        Act::Respond { target, client } => {
            let content = words(IDS[who], *client, text);
            let client = client.map(|it| format!("client {}", it.0));
            let arguments = json!({
                "target_agent_id": target.map(|it| IDS[it]), "content": content,
                "client_message_id": client,
            });
            ("respond_chat", arguments)
        }
        Act::Pending => ("get_pending_messages", json!({})),
        Act::Next => ("get_next_action", json!({})),
        Act::Logout => ("logout", json!({})),
    };
    let given = arguments.as_object_mut().expect("arguments are an object");
    given.retain(|_, it| !it.is_null());
    (tool, arguments)
}
