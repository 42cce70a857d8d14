//! The contract's turns: what the host tells is read, and what is decided goes back.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};
use toolkit::dialogue as wit;

use crate::{
    Answered, Body, Builtin, Decision, Failure, Image, Language, Message, Offer, Part, Planner,
    Remark, Rule, Said, Scene, Talker, Task, ToolCall, ToolResult, Trip, Turn, Wishes,
    builtin::{confidence, names},
};

/// What the host knows of a conversation beside what is said in it.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Context {
    Route(Route),
    Agent(Agent),
}

/// A route that is asked for, in words or by its kind.
#[derive(Deserialize)]
struct Route {
    origin: String,
    destination: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    history: Vec<Remark>,
    /// One of the kinds of `POST /api/route`; none where the message says what is wished (NAV-18).
    kind: Option<String>,
    mode: Option<String>,
    #[serde(default)]
    via: Vec<String>,
    arrival: Option<String>,
}

/// An agent that is played.
#[derive(Deserialize)]
struct Agent {
    scene: Scene,
    log: Vec<Said>,
}

/// What comes next.
///
/// # Errors
/// Where the context or a JSON document of the turn cannot be read.
pub fn next(turn: wit::Turn) -> Result<wit::Reply, String> {
    names::tell(turn.names);
    let memory = turn.memory.as_deref().map(|it| read("memory", it)).transpose()?;
    let memory: Value = memory.unwrap_or_default();
    let context: Option<Context> =
        turn.context.as_deref().map(|it| read("context", it)).transpose()?;
    let seconds = i64::try_from(turn.now.seconds).unwrap_or_default();
    let task = Task {
        message: turn.message.into_iter().map(part).collect(),
        history: turn.history.into_iter().map(message).collect(),
        language: match turn.language {
            wit::Language::Ja => Language::Japanese,
            wit::Language::En => Language::English,
        },
        now: Timestamp::from_second(seconds).unwrap_or_default(),
    };
    let offers: Vec<_> = turn.tools.into_iter().map(offer).collect();
    let answered = turn.answered.into_iter().map(answered).collect::<Result<Vec<_>, _>>()?;
    let turn = Turn { task: &task, is_first: turn.is_first, offers: &offers, answered: &answered };
    let (decision, memory, confidence) = match context {
        None => {
            let mut chat = Builtin::resume(&memory);
            let decision = chat.next(turn);
            let confidence = chat.confidence(&decision);
            (decision, chat.transcript(), confidence)
        }
        Some(Context::Agent(it)) => {
            let mut talker = Talker::resume(it.scene, &memory);
            talker.hear(&it.log);
            let decision = talker.next(turn);
            let confidence = confidence(&decision);
            (decision, talker.transcript(), confidence)
        }
        Some(Context::Route(it)) => {
            let decision = it.planner(&task, &offers).next(&answered);
            let confidence = confidence(&decision);
            (decision, Value::Null, confidence)
        }
    };
    Ok(wit::Reply { confidence, memory: memory.to_string(), step: step(decision) })
}

impl Route {
    fn planner(self, task: &Task, offers: &[Offer]) -> Planner {
        let wishes = self.wishes();
        let trip = Trip {
            origin: self.origin,
            destination: self.destination,
            message: self.message,
            history: self.history,
            language: task.language,
            now: task.now,
            has_table: offers.iter().any(|it| it.name == "distance_compare"),
            via: Vec::new(),
        };
        match wishes {
            Some(wishes) => Planner::of_wishes(trip, wishes),
            None => Planner::of_sentence(trip),
        }
    }

    /// What the kind of route wishes for; none where the message says it.
    fn wishes(&self) -> Option<Wishes> {
        let kind = self.kind.as_deref()?;
        let mut wishes = Wishes::default();
        wishes.walking = self.mode.as_deref() == Some("walking");
        wishes.cycling = self.mode.as_deref() == Some("bicycling");
        wishes.via.clone_from(&self.via);
        wishes.arrival.clone_from(&self.arrival);
        wishes.no_highways = kind == "no_highways";
        wishes.no_tolls = kind == "no_tolls";
        wishes.no_ferries = kind == "no_ferries";
        wishes.rule = match kind {
            "fastest" => Some(Rule::Fastest),
            "shortest" => Some(Rule::Shortest),
            "cheapest" => Some(Rule::Cheapest),
            "fewest_right_turns" => Some(Rule::FewestRightTurns),
            _ => None,
        };
        Some(wishes)
    }
}

fn read<'a, T: Deserialize<'a>>(what: &str, json: &'a str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|it| format!("{what} cannot be read: {it}"))
}

fn part(it: wit::Piece) -> Part {
    match it {
        wit::Piece::Text(text) => Part::text(text),
        wit::Piece::Picture(it) => Part::image(Image { mime_type: it.mime_type, data: it.base64 }),
    }
}

fn piece(it: Part) -> wit::Piece {
    match it.body {
        Body::Text(text) => wit::Piece::Text(text),
        Body::Image(Image { mime_type, data }) => {
            wit::Piece::Picture(wit::Picture { mime_type, base64: data })
        }
    }
}

fn message(it: wit::Remark) -> Message {
    Message { is_user: it.is_user, parts: it.content.into_iter().map(part).collect() }
}

fn offer(it: wit::Tool) -> Offer {
    let wit::Tool { name, arguments, required, is_read_only } = it;
    Offer { name, arguments, required, is_read_only }
}

fn answered(it: wit::Answered) -> Result<Answered, String> {
    let wit::Call { id, tool, arguments, meta, reason } = it.call;
    let (arguments, meta) = (read("arguments", &arguments)?, read("meta", &meta)?);
    let call = ToolCall { id, name: tool, arguments, meta, reason };
    let result = match it.outcome {
        Ok(it) => ToolResult::Output {
            structured: read("structured", &it.structured)?,
            meta: read("meta", &it.meta)?,
            content: it.content.into_iter().map(part).collect(),
        },
        Err(it) => {
            let data: Map<String, Value> = read("details", &it.details)?;
            let (error, message, status) = (it.code, it.message, it.status);
            ToolResult::Failed(Failure { error, message, status, data })
        }
    };
    Ok(Answered { call, result })
}

fn step(decision: Decision) -> wit::Step {
    match decision {
        Decision::Call(calls) => wit::Step::Calls(calls.into_iter().map(call).collect()),
        Decision::Conclude(it) => wit::Step::Answer(wit::Answer {
            content: it.parts.into_iter().map(piece).collect(),
            choice: it.choice.map(|it| wit::Choice {
                call: it.call,
                index: it.index.and_then(|it| u32::try_from(it).ok()),
                summary: it.summary,
            }),
        }),
    }
}

fn call(it: ToolCall) -> wit::Call {
    let ToolCall { id, name, arguments, meta, reason } = it;
    let json = |it: Map<String, Value>| Value::Object(it).to_string();
    wit::Call { id, tool: name, arguments: json(arguments), meta: json(meta), reason }
}
