//! Texts for the assistant that plays an agent, and in the agent's name where it cannot go on.

use language::Language;

use super::scene::Scene;

/// Who the agent is, with whom it talks and what for.
pub(super) fn scene(scene: &Scene<'_>) -> String {
    let (agent, stand) = (scene.agent, scene.stand);
    let (name, agent_id, project_id) = (&agent.name, &agent.agent_id, &agent.project_id);
    let (partner, partner_name) = (&stand.partner, &stand.partner_name);
    let purpose = stand.purpose.as_deref();
    match scene.language {
        Language::Japanese => {
            let purpose = purpose.map(|it| format!("会話の目的: {it}\n")).unwrap_or_default();
            let role = match (&stand.conversation_id, stand.is_initiator) {
                (None, _) => "相手は人です。",
                (_, true) => "あなたがこの会話の開始者です。",
                (_, false) => "あなたは相手から会話に招かれました。",
            };
            format!(
                "あなたはエージェント「{name}」（ID: {agent_id}、プロジェクト: {project_id}）です。「{partner_name}」（ID: {partner}）と会話しています。{role}\n{purpose}相手の発言は[送信者ID]の後に続きます。あなたの返答の文章がそのまま相手に送られます。"
            )
        }
        Language::English => {
            let purpose = purpose.map(|it| format!("Purpose: {it}\n")).unwrap_or_default();
            let role = match (&stand.conversation_id, stand.is_initiator) {
                (None, _) => "It is a person.",
                (_, true) => "You began this conversation.",
                (_, false) => "You were asked to join.",
            };
            format!(
                "You are the agent {name} (ID: {agent_id}, project: {project_id}), talking with {partner_name} (ID: {partner}). {role}\n{purpose}What others write follows [its sender's ID]. The text of your answer is sent to them as it is."
            )
        }
    }
}

/// The initiator sends the first message.
pub(super) fn opening(language: Language) -> &'static str {
    language.pick(
        "（会話を始めてください。最初のメッセージだけを書いてください。）",
        "(Begin the conversation: write its first message, and nothing else.)",
    )
}

/// Whether it is done.
pub(super) fn reminder(language: Language) -> &'static str {
    language.pick(
        "（会話の目的は達成されましたか。達成されたら end_conversation で会話を終了してください。）",
        "(Has the purpose been reached? If so, end the conversation with end_conversation.)",
    )
}

/// There is no answer this time, because it was stopped on the way to one.
pub(super) fn unfinished(language: Language) -> &'static str {
    language.pick(
        "調べている途中で上限に達したため、まだお答えできません。もう一度聞いてください。",
        "I was stopped before I had an answer. Please ask me again.",
    )
}

/// Why an agent leaves a conversation that it would go on with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Farewell {
    /// It has answered as often as it may.
    Turns(u32),
    /// It has taken as many tokens as it may.
    Tokens(u64),
    /// Its assistant fails.
    Failed,
}

impl Farewell {
    /// Its last message.
    pub(super) fn text(self, language: Language) -> String {
        match self {
            Self::Turns(most) => language.pick(
                format!("応答回数の上限（{most}回）に達したため、会話を終了します。"),
                format!("I have reached my limit of {most} answers and end the conversation here."),
            ),
            Self::Tokens(most) => language.pick(
                format!("トークン数の上限（{most}）に達したため、会話を終了します。"),
                format!("I have reached my limit of {most} tokens and end the conversation here."),
            ),
            Self::Failed => language.pick(
                "アシスタントが応答できないため、会話を終了します。".to_owned(),
                "My assistant does not answer, so I end the conversation here.".to_owned(),
            ),
        }
    }

    /// The same as a code, for the trace.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Turns(_) => "turns_max",
            Self::Tokens(_) => "tokens_max",
            Self::Failed => "assistant_failed",
        }
    }
}
