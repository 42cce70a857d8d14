//! The entries of a conversation: the person's messages, the assistant's answers with the calls of tools in them, and
//! what an answer waits for before it goes on.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approvals::Question;
use crate::cards::picture::{Picture, Shared};

/// One message. Entries are shared, so that a view compares two of them by looking where they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Tells it from the others of its conversation.
    pub(crate) id: u64,
    /// When it began, in milliseconds since 1970.
    pub(crate) at_ms: u64,
    pub(crate) body: Body,
}

/// A message of the person, or an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    Asked(Asked),
    Answered(Box<Turn>),
}

/// A message of the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Asked {
    pub(crate) text: String,
    pub(crate) pictures: Vec<Shared<Picture>>,
    /// Shown, and not sent to the assistant again: its answer was cancelled (ILL-45).
    pub(crate) is_out: bool,
}

/// What the assistant answered, however far it has come; approvals and answers go on in the same one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Turn {
    /// In the order in which they came.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) phase: Phase,
    /// What the run waits for, and the person's answer to it.
    pub(crate) pending: Vec<Pending>,
    /// By what the server knows this turn.
    pub(crate) turn: Option<String>,
    pub(crate) answerer: Answerer,
    pub(crate) usage: Usage,
    /// What the host says about the answer: that it ran out of rounds, say.
    pub(crate) notice: Option<String>,
    /// Why it ended, by the host's code: `end`, `max_tokens`.
    pub(crate) stop_reason: Option<String>,
    /// Its entry in the history, to the letter (ILL-41): signatures come back as they were given.
    pub(crate) parts: Vec<Value>,
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Piece {
    /// Text in Markdown.
    Text(Shared<String>),
    Call(Shared<ToolCard>),
    /// Pictures that came one after the other.
    Pictures(Vec<Shared<Picture>>),
}

/// How far an answer is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// On its way, and what the host says that it does meanwhile.
    #[default]
    Thinking,
    Tool(String),
    /// It goes on once the person has answered.
    Waiting,
    Done,
    /// The person stopped it; what came stays.
    Stopped,
    /// It ended in the middle; what came stays.
    Failed(Failure),
}

/// Why an answer did not come, as the host reported it (ILL-42).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Failure {
    /// 0 where the host was not reached, or was lost on the way.
    pub(crate) status: u16,
    /// The host's text for people; empty where it is the page that knows.
    pub(crate) error: String,
    /// For a reader who looks into it.
    pub(crate) details: String,
    pub(crate) retry_after_s: Option<u64>,
}

/// The assistant and the model that answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Answerer {
    pub(crate) assistant: String,
    /// `builtin`, `claude`, `gemini`, `openai`.
    pub(crate) provider: String,
    pub(crate) model: String,
}

/// What an answer took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    /// In millionths of a dollar, where the price is known.
    pub(crate) cost_micros: Option<u64>,
}

impl Answerer {
    /// Whether there is no model behind it, but a planner, which takes each sentence for itself.
    pub(crate) fn is_planner(&self) -> bool {
        self.provider == "builtin"
    }
}

impl Entry {
    /// The answer, if it is one.
    pub(crate) fn turn(&self) -> Option<&Turn> {
        match &self.body {
            Body::Answered(turn) => Some(turn),
            Body::Asked(_) => None,
        }
    }

    /// What was asked, if it is that.
    pub(crate) fn asked(&self) -> Option<&Asked> {
        match &self.body {
            Body::Asked(asked) => Some(asked),
            Body::Answered(_) => None,
        }
    }
}

impl Turn {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Thinking | Phase::Tool(_))
    }

    /// What waits below this piece, by its place in `pending`: what a call waits for stands with the call,
    /// and what belongs to none of them below all pieces.
    pub(crate) fn waits_below(&self, piece: Option<usize>) -> Vec<usize> {
        let home = |pending: &Pending| {
            let id = pending.waiting.call_id();
            self.pieces.iter().rposition(|it| matches!(it, Piece::Call(card) if card.id == id))
        };
        let pending = self.pending.iter().enumerate();
        pending.filter(|it| home(it.1) == piece).map(|it| it.0).collect()
    }

    /// Whether something was done, or may have been, that the person allowed: only this answer records it.
    pub(crate) fn has_acted(&self) -> bool {
        let is_allowed = |id: &str| {
            self.pending.iter().any(|pending| {
                let is_approval = matches!(pending.waiting, Waiting::Approval { .. });
                let is_allowed = matches!(pending.reply, Some(Reply::Allow | Reply::Trust));
                is_approval && is_allowed && pending.waiting.call_id() == id
            })
        };
        self.pieces.iter().any(|it| match it {
            Piece::Call(card) => card.may_be_done() && (card.is_trusted || is_allowed(&card.id)),
            Piece::Text(_) | Piece::Pictures(_) => false,
        })
    }

    /// Whether the person answered what the server keeps this turn for, and it does not know yet.
    pub(crate) fn has_news(&self) -> bool {
        self.turn.is_some() && self.pending.iter().any(Pending::is_news)
    }

    /// All its text, without what it called.
    pub(crate) fn text(&self) -> String {
        let texts = self.pieces.iter().filter_map(|it| match it {
            Piece::Text(text) => Some(text.trim()),
            Piece::Call(_) | Piece::Pictures(_) => None,
        });
        texts.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n\n")
    }

    /// All pictures of it, in order.
    pub(crate) fn pictures(&self) -> Vec<Shared<Picture>> {
        let lists = self.pieces.iter().filter_map(|it| match it {
            Piece::Pictures(list) => Some(list),
            Piece::Text(_) | Piece::Call(_) => None,
        });
        lists.flatten().cloned().collect()
    }
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ToolCard {
    /// Tells it from the others of its turn.
    pub(crate) id: String,
    pub(crate) name: String,
    /// The host's title for people; the page knows it in the reader's language (`Page::tool`).
    pub(crate) title: String,
    /// Whose tool it is: a component, or another server.
    pub(crate) server: String,
    /// Which view draws what it puts out.
    pub(crate) view: Option<String>,
    pub(crate) params: Value,
    /// Why it is called.
    pub(crate) reason: String,
    pub(crate) state: State,
    /// Whether it ran without asking, because the reader trusts the tool in this conversation.
    pub(crate) is_trusted: bool,
}

/// How a call stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    #[default]
    Running,
    Done(Came),
    Failed {
        ms: Option<u64>,
        /// The error's text, for people.
        error: String,
    },
    /// It goes on once the person has answered (see the turn's `pending`).
    Waiting,
    /// The person denied it; it was never called.
    Denied,
    /// The person or the network ended it in the middle: whether it happened is not known.
    Stopped,
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Came {
    pub(crate) ms: Option<u64>,
    /// What it put out (`structuredContent`); null where that was too much to keep over a reload.
    pub(crate) result: Value,
    /// What came beside it (`_meta`).
    pub(crate) meta: Value,
    /// Its content as text, where there is no structure.
    pub(crate) text: String,
    /// Whether something of it was too much to keep.
    pub(crate) is_cut: bool,
}

impl ToolCard {
    /// What it put out, once it has.
    pub(crate) fn came(&self) -> Option<&Came> {
        match &self.state {
            State::Done(came) => Some(came),
            _ => None,
        }
    }

    /// Whether it was done, or may have been.
    fn may_be_done(&self) -> bool {
        matches!(self.state, State::Done(_) | State::Stopped)
    }

    /// Whether it is over, one way or the other.
    pub(crate) fn is_over(&self) -> bool {
        !matches!(self.state, State::Running | State::Waiting)
    }
}

/// Something that waits, and the answer to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) waiting: Waiting,
    /// None while it waits.
    #[serde(default)]
    pub(crate) reply: Option<Reply>,
    /// Whether the host has taken the reply.
    #[serde(default)]
    pub(crate) is_settled: bool,
}

/// The kinds of what waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Waiting {
    /// A call that changes something, and has not begun.
    Approval {
        call_id: String,
        name: String,
        title: String,
        params: Value,
        reason: String,
        /// By which the tool is trusted as it is now; empty where its name does.
        #[serde(default)]
        trust: String,
        /// The host's approval: the assistant receives what became of the call, and cannot allow it itself.
        #[serde(default)]
        approval: String,
    },
    /// A tool's own questions.
    Questions {
        call_id: String,
        name: String,
        questions: Vec<Question>,
        #[serde(default)]
        approval: String,
    },
    /// A form that the assistant asked for; with a handle it is drawn by `FormInline`.
    Form { call_id: String, schema: Value, handle: Option<String> },
    /// Which of these pictures the next one is made from (ILL-45).
    Choice { call_id: String, pictures: Vec<Shared<Picture>> },
}

/// The person's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// Allowed this once.
    Allow,
    /// Now, and this tool from now on.
    Trust,
    Deny,
    /// `{KEY: {action, content}}`, as the protocol has it.
    Answers(Value),
    /// The form is sent; the sentence that goes to the assistant.
    Submitted(String),
    /// Which of the pictures, by their ids.
    Chosen(Vec<String>),
    /// They want none of it: no answer, no choice.
    Cancelled,
}

impl Pending {
    pub(crate) fn new(waiting: Waiting) -> Self {
        Self { waiting, reply: None, is_settled: false }
    }

    /// Whether the person has answered, and the host does not know it yet.
    pub(crate) fn is_news(&self) -> bool {
        self.reply.is_some() && !self.is_settled
    }
}

impl Waiting {
    /// Where the person's answer goes: an approval of the host's.
    pub(crate) fn approval(&self) -> Option<&str> {
        match self {
            Self::Approval { approval, .. } | Self::Questions { approval, .. } => Some(approval),
            Self::Form { .. } | Self::Choice { .. } => None,
        }
    }

    /// The handle of the form that it is, where that is kept.
    pub(crate) fn form(&self) -> Option<&str> {
        match self {
            Self::Form { handle, .. } => handle.as_deref(),
            _ => None,
        }
    }

    /// The approval by which it asks the reader something, or nothing where no list of the host's has it; none where it
    /// stands in a list as what it is: a call to allow, a form of its own.
    pub(crate) fn asks(&self) -> Option<&str> {
        match self {
            Self::Questions { approval, .. } => Some(approval),
            Self::Form { handle: None, .. } | Self::Choice { .. } => Some(""),
            Self::Form { .. } | Self::Approval { .. } => None,
        }
    }

    /// The call that it belongs to.
    pub(crate) fn call_id(&self) -> &str {
        match self {
            Self::Approval { call_id, .. }
            | Self::Questions { call_id, .. }
            | Self::Form { call_id, .. }
            | Self::Choice { call_id, .. } => call_id,
        }
    }
}
