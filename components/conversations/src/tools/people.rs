//! Tools of people, who need no session: begin, list, read and import conversations; interventions: `write_message`,
//! `pause_conversation` and `stop_conversation`; chats with an agent (CONV 4.6): `start_chat`, `send_chat`, `end_chat`
//! and `mark_chat_read`.

use output::{
    conversations::{Conversations, State, Transcript},
    text::is_blank,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{Hints, Stop, Text, Tool, User, invalid, sql};

use super::{FOR_PAGES, bounded, within};
use crate::{
    chats::{self, Chat, Sent},
    clock::Moment,
    delivery::{self, CONTENT_MAX, Letter, Place, SenderRole, check_content},
    expiry, ids,
    imports::{self, Imported},
    listing::{self, Filter},
    person::{self, Person, bound, condition, must_chat_with},
    refusals::{conversation_not_found, no_active_conversation},
    starting::{self, PURPOSE_MAX, StartRequest, TURNS_MAX},
    transcripts::{self, PAGE, PAGE_MAX, Range},
    transition::{self, Cause, Ending},
};

/// The part of a conversation that interventions need.
#[derive(Debug, Deserialize)]
struct Found {
    project_id: String,
    state: State,
    initiator_agent_id: String,
    participant_agent_id: String,
    has_max_turns: bool,
}

/// Returns the calling person, after expiring what is due (CONV-23).
///
/// # Errors
/// When the caller is no person.
fn calling(tool: &str) -> Result<Person, Stop> {
    let person = person::calling(tool)?;
    expiry::settle()?;
    Ok(person)
}

/// Returns the calling person and a conversation that they may see.
///
/// # Errors
/// When the caller is no person, or may see no such conversation.
fn seeing(tool: &str, conversation_id: &str) -> Result<(Person, Found), Stop> {
    let person = calling(tool)?;
    let select = format!(
        "SELECT c.project_id, c.state, c.initiator_agent_id, c.participant_agent_id, \
         c.max_turns IS NOT NULL AS has_max_turns FROM conversations c WHERE c.id = $1 AND {}",
        condition("c.project_id", 2)
    );
    let [rows] = sql::query([bound(toolkit::sql!(select, conversation_id), &person)])?;
    let found = rows.first::<Found>()?.ok_or_else(|| conversation_not_found(conversation_id))?;
    Ok((person, found))
}

// `begin_conversation`: a person has one agent talk with another.

/// AIエージェント同士の会話を始めさせます。窓口が動かすエージェントが相手に話しかけ、会話の様子は画面で見られます。
/// en: Has two AI agents talk: one that this counter plays begins, and people can watch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginConversation {
    /// 任意。会話相手のAIエージェントのID（同じプロジェクト）。省略時は窓口が動かすものから選ぶ
    /// en: Optional. The agent to talk with, an AI of the same project; one that this counter plays unless told
    #[schemars(length(max = 64))]
    target_agent_id: Option<String>,
    /// 任意。話しかける側のエージェントのID（窓口が動かすもの）。省略時は窓口が選ぶ
    /// en: Optional. The agent that begins, one that this counter plays; another one of the project unless told
    #[schemars(length(max = 64))]
    initiator_agent_id: Option<String>,
    /// 任意。プロジェクトID。省略時は相手エージェントのプロジェクト
    /// en: Optional. The project; that of the target unless told
    #[schemars(length(max = 64))]
    project_id: Option<String>,
    /// 任意。会話の目的（両方に伝えられる）
    /// en: Optional. What the conversation is for; both are told
    #[schemars(length(max = 1000))]
    purpose: Option<String>,
    /// 任意。最初のメッセージ（4,000文字以内）。話しかける側のエージェントの発言になる
    /// en: Optional. The first message, in the beginning agent's name
    #[schemars(length(max = 4000))]
    initial_message: Option<String>,
    /// 任意。この往復数で自動的に終了する
    /// en: Optional. It ends by itself after so many turns
    #[schemars(range(min = 1, max = 1000))]
    max_turns: Option<u32>,
}

impl Tool for BeginConversation {
    const NAME: &str = "begin_conversation";
    const TITLE: Text = Text { ja: "会話を始めさせる", en: "Begin a conversation" };
    const HINTS: Hints = Hints::ADDITIVE;
    const VIEW: Option<&'static str> = Some("conversation");
    const APP: Option<&'static str> = Some(crate::tools::CONVERSATION.uri);
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let person = calling(Self::NAME)?;
        let filled = |it: &Option<String>| it.clone().filter(|it| !is_blank(it));
        let (purpose, first) = (filled(&self.purpose), filled(&self.initial_message));
        bounded("/purpose", purpose.as_deref(), PURPOSE_MAX)?;
        first.as_deref().map_or(Ok(()), check_content)?;
        within("/max_turns", self.max_turns, TURNS_MAX)?;
        let (mut project_id, initiator) =
            (filled(&self.project_id), filled(&self.initiator_agent_id));
        let target = match filled(&self.target_agent_id) {
            Some(it) => it,
            None => starting::counterpart(&person, &mut project_id, initiator.as_deref())?,
        };
        let request = StartRequest {
            tool: Self::NAME,
            target: &target,
            initiator,
            project_id,
            purpose,
            first,
            max_turns: self.max_turns,
        };
        let id = starting::begin(&person, request)?;
        transcripts::read(&person, &id, Range::default())
    }
}

// `list_conversations`: lists conversations, newest first.

/// Maximum number of characters of a query.
const QUERY_MAX: usize = 200;

/// AIエージェント間の会話を新しい順に一覧します。状態・エージェント・プロジェクト・内容で絞り込めます。
/// en: Lists conversations between AI agents, the newest first.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListConversations {
    /// 任意。このプロジェクトの会話だけ
    /// en: Optional. Only those of this project
    #[schemars(length(max = 64))]
    project_id: Option<String>,
    /// 任意。この状態の会話だけ
    /// en: Optional. Only those that have come so far
    state: Option<State>,
    /// 任意。このエージェントが参加する会話だけ
    /// en: Optional. Only those that this agent takes part in
    #[schemars(length(max = 64))]
    agent_id: Option<String>,
    /// 任意。目的かメッセージにこの語をすべて含む会話だけ
    /// en: Optional. Only those with all of these words in purpose or messages
    #[schemars(length(max = 200))]
    query: Option<String>,
    /// 任意。前のページの next_cursor
    /// en: Optional. next_cursor of the page before
    #[schemars(length(max = 200))]
    cursor: Option<String>,
}

impl Tool for ListConversations {
    const NAME: &str = "list_conversations";
    const TITLE: Text = Text { ja: "会話一覧", en: "List conversations" };
    const LABELS: &[(&str, Text)] = &[
        ("agent_id", Text { ja: "参加するエージェントのID", en: "Agent ID" }),
        ("query", Text { ja: "検索する語", en: "Words" }),
        ("cursor", Text { ja: "続きの位置", en: "Cursor" }),
    ];
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&'static str> = Some("conversations");
    type Output = Conversations;

    fn call(self, _: &User) -> Result<Conversations, Stop> {
        let person = calling(Self::NAME)?;
        let Self { project_id, state, agent_id, query, cursor } = self;
        bounded("/query", query.as_deref(), QUERY_MAX)?;
        let filled = |it: Option<String>| it.filter(|it| !it.is_empty());
        let filter =
            Filter { project_id: filled(project_id), state, agent_id: filled(agent_id), query };
        listing::page(&person, &filter, filled(cursor).as_deref())
    }
}

// `get_conversation`: one conversation, its trace, and a page of its messages.

/// 会話の状態・経緯・メッセージを取得します。
/// en: Gets a conversation: its state, how it came to it, and its messages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetConversation {
    /// 会話ID
    /// en: The conversation's ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// 任意。この番号より前のメッセージ
    /// en: Optional. Only messages before this number
    before: Option<u32>,
    /// 任意。この番号より後のメッセージ
    /// en: Optional. Only messages after this number
    after: Option<u32>,
    /// 任意。メッセージの最大数（既定は50）
    /// en: Optional. At most so many messages; 50 unless told
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
}

impl Tool for GetConversation {
    const NAME: &str = "get_conversation";
    const TITLE: Text = Text { ja: "会話を見る", en: "Get a conversation" };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&'static str> = Some("conversation");
    const APP: Option<&'static str> = Some(crate::tools::CONVERSATION.uri);
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let person = calling(Self::NAME)?;
        within("/limit", self.limit, PAGE_MAX)?;
        let limit = self.limit.unwrap_or(PAGE);
        let range = Range { before: self.before, after: self.after, limit };
        transcripts::read(&person, &self.conversation_id, range)
    }
}

// `import_messages`: imports lines of `chat.jsonl` (CONV-6, CONV-X22).

/// Maximum number of lines per call.
const LINES_MAX: usize = 200;

/// chat.jsonlの行を取り込みます。同じIDのメッセージは一度だけ取り込まれます。
/// en: Takes in lines of chat.jsonl. A message that is there already is not taken again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportMessages {
    /// chat.jsonlの行（JSON、最大200行）
    /// en: Lines of chat.jsonl, each a JSON object; at most 200
    lines: Vec<String>,
    /// 任意。プロジェクトID。省略時は両方のエージェントがいるプロジェクト
    /// en: Optional. The project; the one that both agents are in unless told
    #[schemars(length(max = 64))]
    project_id: Option<String>,
}

impl Tool for ImportMessages {
    const NAME: &str = "import_messages";
    const TITLE: Text = Text { ja: "メッセージの取り込み", en: "Import messages" };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::IDEMPOTENT;
    type Output = Imported;

    fn call(self, _: &User) -> Result<Imported, Stop> {
        let person = person::must_be_operator(Self::NAME)?;
        if self.lines.len() > LINES_MAX {
            return Err(invalid("/lines", format!("must be at most {LINES_MAX} lines")));
        }
        let project_id = self.project_id.filter(|it| !it.is_empty());
        if let Some(project_id) = &project_id {
            person::must_see_project(&person, project_id)?;
        }
        imports::import(&self.lines, project_id.as_deref())
    }
}

/// エージェントにメッセージを送ります。エージェントがいなければ呼び出します。
/// en: Sends a person's message to an agent, who is called where it is not there.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendChat {
    /// プロジェクトID
    /// en: The project's ID
    #[schemars(length(max = 64))]
    project_id: String,
    /// エージェントID
    /// en: The agent's ID
    #[schemars(length(max = 64))]
    agent_id: String,
    /// メッセージ（4,000文字以内）
    /// en: The message, at most 4,000 characters
    content: String,
    /// 任意。送信側で付けたID。同じIDの再送は一度だけ保存される
    /// en: Optional. The sender's own id: sent again, it is stored once
    #[schemars(length(max = 200))]
    client_message_id: Option<String>,
}

/// Returns the calling person, if they may chat with that agent.
fn chatting(tool: &str, project_id: &str, agent_id: &str) -> Result<Person, Stop> {
    let person = calling(tool)?;
    must_chat_with(&person, project_id, agent_id)?;
    Ok(person)
}

/// Defines tools for a person and one agent from name, title and function.
macro_rules! of_an_agent {
    ($($(#[$about:meta])* $tool:ident = $name:literal, $title:expr, $does:path;)+) => {$(
        $(#[$about])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $tool {
            /// プロジェクトID
            /// en: The project's ID
            #[schemars(length(max = 64))]
            project_id: String,
            /// エージェントID
            /// en: The agent's ID
            #[schemars(length(max = 64))]
            agent_id: String,
        }

        impl Tool for $tool {
            const NAME: &str = $name;
            const TITLE: Text = $title;
            const META: Option<&'static str> = Some(FOR_PAGES);
            const HINTS: Hints = Hints::IDEMPOTENT;
            type Output = Chat;

            fn call(self, _: &User) -> Result<Chat, Stop> {
                let person = chatting(Self::NAME, &self.project_id, &self.agent_id)?;
                $does(&person, &self.project_id, &self.agent_id)
            }
        }
    )+};
}

of_an_agent! {
    /// エージェントとのチャットを始めます。エージェントがいなければ呼び出します。
    /// en: Begins a person's chat with an agent, who is called where it is not there.
    StartChat = "start_chat", Text { ja: "チャット開始", en: "Start a chat" }, chats::start;

    /// エージェントとのチャットを終えます。何度呼んでもかまいません。
    /// en: Ends a person's chat with an agent, however often it is called.
    EndChat = "end_chat", Text { ja: "チャット終了", en: "End a chat" }, chats::end;

    /// エージェントからのメッセージをすべて既読にします。
    /// en: Marks whatever an agent said to the person as read.
    MarkChatRead = "mark_chat_read", Text { ja: "チャットを既読にする", en: "Mark a chat as read" }, chats::mark_read;
}

impl Tool for SendChat {
    const NAME: &str = "send_chat";
    const TITLE: Text = Text { ja: "チャット送信", en: "Send a chat message" };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Sent;

    fn call(self, _: &User) -> Result<Sent, Stop> {
        let Self { project_id, agent_id, content, client_message_id } = self;
        let person = chatting(Self::NAME, &project_id, &agent_id)?;
        chats::say(&person, &project_id, &agent_id, &content, client_message_id.as_deref())
    }
}

// `write_message`: sends a person's message to both members of a conversation.

/// 会話に人間として発言します。両方のエージェントに届きます。
/// en: Writes a person's message into a conversation, to both agents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteMessage {
    /// 会話ID
    /// en: The conversation's ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// メッセージ（4,000文字以内）
    /// en: The message, at most 4,000 characters
    content: String,
    /// 任意。送信側で付けたID。同じIDの再送は一度だけ保存される
    /// en: Optional. The sender's own id: sent again, it is stored once
    #[schemars(length(max = 200))]
    client_message_id: Option<String>,
}

impl Tool for WriteMessage {
    const NAME: &str = "write_message";
    const TITLE: Text = Text { ja: "会話に発言", en: "Write into a conversation" };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::ADDITIVE;
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let (person, found) = seeing(Self::NAME, &self.conversation_id)?;
        check_content(&self.content)?;
        let at = Moment::now();
        let letter = Letter {
            id: &ids::message(at),
            project_id: &found.project_id,
            place: Place::Conversation {
                id: &self.conversation_id,
                role: SenderRole::Person,
                has_max_turns: found.has_max_turns,
            },
            sender_id: &person.agent_id,
            recipients: &[&found.initiator_agent_id, &found.participant_agent_id],
            content: &self.content,
            related_task_id: None,
            client_message_id: self.client_message_id.as_deref(),
            at,
        };
        delivery::deliver(&letter, Vec::new())?;
        transcripts::read(&person, &self.conversation_id, Range::default())
    }
}

// `pause_conversation`: pauses or resumes a conversation.

/// 会話を一時停止・再開します。停止中はエージェントは発言できず、無応答の時間は数えません。
/// en: Pauses a conversation, or lets it go on: meanwhile its agents cannot write, and the time does not count.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseConversation {
    /// 会話ID
    /// en: The conversation's ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// true: 一時停止。false: 再開
    /// en: true: pause it. false: let it go on
    paused: bool,
}

impl Tool for PauseConversation {
    const NAME: &str = "pause_conversation";
    const TITLE: Text = Text { ja: "会話の一時停止", en: "Pause a conversation" };
    const LABELS: &[(&str, Text)] = &[(
        "paused",
        Text { ja: "一時停止（いいえなら再開）", en: "Pause it (no: let it go on)" },
    )];
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::IDEMPOTENT;
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let id = &self.conversation_id;
        let (person, _) = seeing(Self::NAME, id)?;
        let now = Moment::now();
        let cause = Cause { at: now, by: &person.agent_id, what: Self::NAME };
        let batch = match self.paused {
            true => transition::pause(id, &cause),
            false => transition::resume(id, None, now),
        };
        // No rows where it already is so, or where the conversation is not active.
        if let Some(results) = sql::if_expected(sql::transact_all(&batch))? {
            expiry::notify(results)?;
        }
        let transcript = transcripts::read(&person, id, Range::default())?;
        let state = transcript.conversation.state;
        if state != State::Active {
            return Err(no_active_conversation(Some((id, state.name()))));
        }
        Ok(transcript)
    }
}

// `stop_conversation`: ends a conversation and notifies both members.

/// The reason for ends by a person (CONV-44).
const REASON: &str = "operator_ended";

/// 会話を強制的に終了します。両方のエージェントに通知されます。
/// en: Ends a conversation of two agents; both are told.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopConversation {
    /// 会話ID
    /// en: The conversation's ID
    #[schemars(length(max = 200))]
    conversation_id: String,
    /// 任意。理由の説明
    /// en: Optional. Why, in words
    reason_text: Option<String>,
}

impl Tool for StopConversation {
    const NAME: &str = "stop_conversation";
    const TITLE: Text = Text { ja: "会話を終了させる", en: "Stop a conversation" };
    const META: Option<&'static str> = Some(FOR_PAGES);
    const HINTS: Hints = Hints::DESTRUCTIVE.union(Hints::IDEMPOTENT);
    type Output = Transcript;

    fn call(self, _: &User) -> Result<Transcript, Stop> {
        let id = &self.conversation_id;
        let (person, found) = seeing(Self::NAME, id)?;
        let reason_text = self.reason_text.as_deref().map(str::trim).filter(|it| !is_blank(it));
        if reason_text.is_some_and(|it| it.chars().nth(CONTENT_MAX).is_some()) {
            return Err(invalid("/reason_text", "must have at most 4,000 characters"));
        }
        let cause = Cause { at: Moment::now(), by: &person.agent_id, what: Self::NAME };
        // A pending conversation may become active in between.
        for from in [found.state, State::Active] {
            if !from.is_open() {
                break;
            }
            let ending =
                Ending { from, cut: None, reason: REASON, reason_text, acknowledged: None };
            let ended = sql::transact_all(&transition::terminate(id, &ending, &cause));
            if let Some(results) = sql::if_expected(ended)? {
                expiry::notify(results)?;
                break;
            }
        }
        let transcript = transcripts::read(&person, id, Range::default())?;
        match transcript.conversation.state {
            // Ended by this call, or by a faster one (CONV-43).
            State::Terminating => Ok(transcript),
            _ if transcript.conversation.end_reason.as_deref() == Some(REASON) => Ok(transcript),
            state => Err(no_active_conversation(Some((id, state.name())))),
        }
    }
}
