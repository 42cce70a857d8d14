//! Entries of a conversation: the person's messages, the assistant's answers with their tool calls, and the pending
//! items of an answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approvals::Question;
use crate::cards::picture::{Picture, Shared};
use crate::table::{self, text};

/// One entry. Entries are shared, so that a view can compare two of them by address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Unique within the conversation.
    pub(crate) id: u64,
    /// When it began, in milliseconds since 1970.
    pub(crate) at_ms: u64,
    pub(crate) body: Body,
}

/// A message of the person or an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    Asked(UserMessage),
    Answered(Box<Turn>),
}

/// A message of the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct UserMessage {
    pub(crate) text: String,
    pub(crate) pictures: Vec<Shared<Picture>>,
    /// Shown, but not sent to the assistant again: its answer was cancelled (ILL-45).
    pub(crate) is_out: bool,
    /// Calls that were made before this message took the place of an earlier one. Nothing else records them.
    pub(crate) done: Vec<Shared<ToolCard>>,
}

/// An answer of the assistant, complete or not. It continues after approvals and replies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Turn {
    /// In order of arrival.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) phase: Phase,
    /// Pending items with the person's replies.
    pub(crate) pending: Vec<Pending>,
    /// The server's id of this turn.
    pub(crate) turn: Option<String>,
    pub(crate) answerer: Answerer,
    pub(crate) usage: Usage,
    /// The host's remark about the answer, such as reaching the limit of rounds.
    pub(crate) notice: Option<String>,
    /// The host's reason for its end: `end`, `max_tokens`.
    pub(crate) stop_reason: Option<String>,
    /// Its verbatim history entry (ILL-41): signatures must be returned unchanged.
    pub(crate) parts: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Piece {
    /// Text in Markdown.
    Text(Shared<String>),
    Call(Shared<ToolCard>),
    /// Consecutive pictures.
    Pictures(Vec<Shared<Picture>>),
}

/// Progress of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// The answer is running.
    #[default]
    Thinking,
    Tool(String),
    /// Waiting for the person's reply.
    Waiting,
    Done,
    /// Stopped by the person; what arrived stays.
    Stopped,
    /// Interrupted by an error; what arrived stays.
    Failed(Failure),
}

/// Why an answer failed, as reported by the host (ILL-42).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Failure {
    /// 0 if the host was not reached or the connection was lost.
    pub(crate) status: u16,
    /// The host's message for people; empty for a failure known only to the page.
    pub(crate) error: String,
    /// Details for closer inspection.
    pub(crate) details: String,
    pub(crate) retry_after_s: Option<u64>,
}

/// The assistant and model that answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Answerer {
    pub(crate) assistant: String,
    /// `builtin`, `claude`, `gemini`, `openai`.
    pub(crate) provider: String,
    pub(crate) model: String,
}

/// Usage of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    /// In millionths of a dollar, if the price is known.
    pub(crate) cost_micros: Option<u64>,
}

impl Answerer {
    /// Whether a planner answers instead of a model. It takes each message by itself.
    pub(crate) fn is_planner(&self) -> bool {
        self.provider == "builtin"
    }
}

impl Entry {
    /// The answer, if the entry is one.
    pub(crate) fn turn(&self) -> Option<&Turn> {
        match &self.body {
            Body::Answered(turn) => Some(turn),
            Body::Asked(_) => None,
        }
    }

    /// The person's message, if the entry is one.
    pub(crate) fn message(&self) -> Option<&UserMessage> {
        match &self.body {
            Body::Asked(message) => Some(message),
            Body::Answered(_) => None,
        }
    }
}

impl Body {
    /// The calls that it shows.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Shared<ToolCard>> {
        let (done, pieces) = match self {
            Self::Asked(message) => (&message.done[..], &[][..]),
            Self::Answered(turn) => (&[][..], &turn.pieces[..]),
        };
        done.iter().chain(pieces.iter().filter_map(Piece::call))
    }

    /// The same, to be changed.
    pub(crate) fn calls_mut(&mut self) -> impl Iterator<Item = &mut Shared<ToolCard>> {
        let (done, pieces) = match self {
            Self::Asked(message) => (&mut message.done[..], &mut [][..]),
            Self::Answered(turn) => (&mut [][..], &mut turn.pieces[..]),
        };
        done.iter_mut().chain(pieces.iter_mut().filter_map(|it| match it {
            Piece::Call(card) => Some(card),
            Piece::Text(_) | Piece::Pictures(_) => None,
        }))
    }
}

impl Piece {
    /// The call, if the piece is one.
    pub(crate) fn call(&self) -> Option<&Shared<ToolCard>> {
        match self {
            Self::Call(card) => Some(card),
            Self::Text(_) | Self::Pictures(_) => None,
        }
    }
}

impl Turn {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Thinking | Phase::Tool(_))
    }

    /// Indexes into `pending` of the items shown below a piece: those of a call stand with the call, all others below
    /// the last piece.
    pub(crate) fn waits_below(&self, piece: Option<usize>) -> Vec<usize> {
        let home = |pending: &Pending| {
            let id = pending.waiting.call_id();
            self.pieces.iter().rposition(|it| matches!(it, Piece::Call(card) if card.id == id))
        };
        let pending = self.pending.iter().enumerate();
        pending.filter(|it| home(it.1) == piece).map(|it| it.0).collect()
    }

    /// Calls approved by the person that were made, or may have been: only this answer records them.
    pub(crate) fn acts(&self) -> impl Iterator<Item = &Shared<ToolCard>> {
        let is_allowed = |id: &str| {
            self.pending.iter().any(|pending| {
                let is_approval = matches!(pending.waiting, Waiting::Approval { .. });
                let is_allowed = matches!(pending.reply, Some(Reply::Allow | Reply::Trust));
                is_approval && is_allowed && pending.waiting.call_id() == id
            })
        };
        self.pieces.iter().filter_map(Piece::call).filter(move |card| {
            card.may_have_happened() && (card.is_trusted || is_allowed(&card.id))
        })
    }

    /// Whether there are such calls.
    pub(crate) fn has_acted(&self) -> bool {
        self.acts().next().is_some()
    }

    /// Whether a model answered without a call: nothing that it says was done by it.
    pub(crate) fn is_words_alone(&self) -> bool {
        let is_call = |it: &Piece| matches!(it, Piece::Call(_));
        let is_of_model = !self.answerer.provider.is_empty() && !self.answerer.is_planner();
        is_of_model && self.phase == Phase::Done && !self.pieces.iter().any(is_call)
    }

    /// Whether the person has replied to an item that the server does not know of yet.
    pub(crate) fn has_news(&self) -> bool {
        self.turn.is_some() && self.pending.iter().any(Pending::is_news)
    }

    /// All its text, without calls.
    pub(crate) fn text(&self) -> String {
        let texts = self.pieces.iter().filter_map(|it| match it {
            Piece::Text(text) => Some(text.trim()),
            Piece::Call(_) | Piece::Pictures(_) => None,
        });
        texts.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// The fetched pictures that the answer does not show itself.
    pub(crate) fn fetched<'a>(&self, call: &'a ToolCard) -> Vec<(&'a str, &'a Value)> {
        let shown = self.pictures();
        let mut fetched = call.fetched(!shown.is_empty());
        fetched.retain(|(name, _)| name.is_empty() || shown.iter().all(|it| it.name != *name));
        fetched
    }

    /// All its pictures, in order.
    pub(crate) fn pictures(&self) -> Vec<Shared<Picture>> {
        let lists = self.pieces.iter().filter_map(|it| match it {
            Piece::Pictures(list) => Some(list),
            Piece::Text(_) | Piece::Call(_) => None,
        });
        lists.flatten().cloned().collect()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ToolCard {
    /// Unique within the turn.
    pub(crate) id: String,
    pub(crate) name: String,
    /// The host's title; the page has it in the reader's language (`Page::tool`).
    pub(crate) title: String,
    /// The owner of the tool: a component or another server.
    pub(crate) server: String,
    /// The view that draws its output.
    pub(crate) view: Option<String>,
    pub(crate) params: Value,
    /// The reason for the call.
    pub(crate) reason: String,
    pub(crate) state: State,
    /// Whether it ran without approval, because the reader trusts the tool in this conversation.
    pub(crate) is_trusted: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    #[default]
    Running,
    Done(CallOutcome),
    Failed {
        ms: Option<u64>,
        /// The error message for people.
        error: String,
    },
    /// It continues once the person has replied (see the turn's `pending`).
    Waiting,
    /// Denied by the person and never made.
    Denied,
    /// Interrupted by the person or the network: whether it took effect is unknown.
    Stopped,
}

/// The outcome of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CallOutcome {
    pub(crate) ms: Option<u64>,
    /// Its output (`structuredContent`); null if too large to store.
    pub(crate) result: Value,
    /// Its metadata (`_meta`).
    pub(crate) meta: Value,
    /// Its content as text, if there is no structure.
    pub(crate) text: String,
    /// Whether a part of it was too large to store.
    pub(crate) is_cut: bool,
}

impl ToolCard {
    /// Its outcome, once known.
    pub(crate) fn outcome(&self) -> Option<&CallOutcome> {
        match &self.state {
            State::Done(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// The pictures that it fetched, unparsed, each with its name. A picture that it made is the answer's.
    pub(crate) fn fetched(&self, answer_has_pictures: bool) -> Vec<(&str, &Value)> {
        let Some(outcome) = self.outcome().filter(|it| it.result.is_object()) else {
            return Vec::new();
        };
        let pictures = table::pictures(self.view.as_deref(), &outcome.result, answer_has_pictures);
        let own = text(&self.params, "card_name");
        let named = |picture| {
            let name = text(picture, "card_name").or(text(picture, "title")).or(own);
            (name.unwrap_or_default(), picture)
        };
        pictures.into_iter().map(named).collect()
    }

    /// Whether it took effect, or may have.
    fn may_have_happened(&self) -> bool {
        matches!(self.state, State::Done(_) | State::Stopped)
    }

    /// Whether it has ended, with any outcome.
    pub(crate) fn is_over(&self) -> bool {
        !matches!(self.state, State::Running | State::Waiting)
    }
}

/// A pending item and the person's reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) waiting: Waiting,
    /// None while pending.
    #[serde(default)]
    pub(crate) reply: Option<Reply>,
    /// Whether the host has received the reply.
    #[serde(default)]
    pub(crate) is_settled: bool,
}

/// Kinds of pending items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Waiting {
    /// A call with effects that needs approval.
    Approval {
        call_id: String,
        name: String,
        title: String,
        params: Value,
        reason: String,
        /// Key under which the tool is trusted in its current definition; empty if its name is the key.
        #[serde(default)]
        trust: String,
        /// Id of the host's approval: the assistant learns the outcome of the call but cannot allow it.
        #[serde(default)]
        approval: String,
    },
    /// Questions of a tool.
    Questions {
        call_id: String,
        name: String,
        questions: Vec<Question>,
        #[serde(default)]
        approval: String,
    },
    /// A form requested by the assistant; with a handle it is drawn by `FormInline`.
    Form { call_id: String, schema: Value, handle: Option<String> },
    /// The pictures from which the next one can be made (ILL-45).
    Choice { call_id: String, pictures: Vec<Shared<Picture>> },
}

/// The person's reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// Allow this call.
    Allow,
    /// Allow this call and later ones of the tool.
    Trust,
    Deny,
    /// `{KEY: {action, content}}`, as defined by the protocol.
    Answers(Value),
    /// The form was submitted; the text for the assistant.
    Submitted(String),
    /// The ids of the chosen pictures.
    Chosen(Vec<String>),
    /// Decline to answer or choose.
    Cancelled,
}

impl Pending {
    pub(crate) fn new(waiting: Waiting) -> Self {
        Self { waiting, reply: None, is_settled: false }
    }

    /// Whether there is a reply that the host does not know yet.
    pub(crate) fn is_news(&self) -> bool {
        self.reply.is_some() && !self.is_settled
    }
}

impl Waiting {
    /// The host's approval that receives the reply.
    pub(crate) fn approval(&self) -> Option<&str> {
        match self {
            Self::Approval { approval, .. } | Self::Questions { approval, .. } => Some(approval),
            Self::Form { .. } | Self::Choice { .. } => None,
        }
    }

    /// The handle of the form, if it is stored by the host.
    pub(crate) fn form(&self) -> Option<&str> {
        match self {
            Self::Form { handle, .. } => handle.as_deref(),
            _ => None,
        }
    }

    /// The approval by which it asks the reader; empty if no list of the host's contains it. None if it is listed by
    /// itself: a call to allow.
    pub(crate) fn asks(&self) -> Option<&str> {
        match self {
            Self::Questions { approval, .. } => Some(approval),
            Self::Form { .. } | Self::Choice { .. } => Some(""),
            Self::Approval { .. } => None,
        }
    }

    /// The id of its call.
    pub(crate) fn call_id(&self) -> &str {
        match self {
            Self::Approval { call_id, .. }
            | Self::Questions { call_id, .. }
            | Self::Form { call_id, .. }
            | Self::Choice { call_id, .. } => call_id,
        }
    }
}
