//! HTTP for people: `GET /api/conversations/…`, `GET /api/projects…` (CONV 4.6) and chats with agents.

use output::conversations::Project;
use serde::Serialize;
use serde_json::{Map, Value, json};
use toolkit::{
    Stop, Tool,
    endpoints::{Failure, Request, invalid},
    refused,
    routes::{self, Answer, Route},
};

use crate::{
    chats, listing,
    person::{self, Person, must_chat_with, must_see_project},
    refusals::{agent_not_found, say},
    tools::people::{EndChat, MarkChatRead, SendChat, StartChat},
    transcripts::{self, PAGE, PAGE_MAX, Range},
};

/// Answers one request for data.
///
/// # Errors
/// When the caller may not make it, or the path is unknown.
pub fn get(request: &Request) -> Result<Value, Failure> {
    let path: Vec<&str> = request.path.split('/').collect();
    let asked: &[&str] = path.as_slice();
    match asked {
        ["projects"] => answer(listing::projects(&calling("projects")?)),
        ["projects", project_id, "agent-sessions"] => {
            let person = seeing("agent-sessions", project_id)?;
            let sessions = listing::sessions(&person, project_id)?;
            Ok(json!({ "agentSessions": sessions }))
        }
        ["projects", project_id, "unread-counts"] => {
            let person = seeing("unread-counts", project_id)?;
            Ok(json!({ "counts": listing::unread(&person, project_id)? }))
        }
        ["projects", project_id, "agents", agent_id, "chat", "messages"] => {
            let person = calling("chat/messages")?;
            must_chat_with(&person, project_id, agent_id)?;
            let range = range(request, &person, project_id, agent_id)?;
            answer(chats::page(&person, project_id, agent_id, range))
        }
        ["transcript"] => {
            let person = calling("transcript")?;
            answer(transcripts::whole(&person, request.required("id")?))
        }
        _ => Err(Failure::NotFound),
    }
}

fn calling(what: &str) -> Result<Person, Failure> {
    person::calling(what).map_err(Into::into)
}

fn seeing(what: &str, project_id: &str) -> Result<Person, Failure> {
    let person = calling(what)?;
    must_see_project(&person, project_id)?;
    Ok(person)
}

fn answer(found: Result<impl Serialize, Stop>) -> Result<Value, Failure> {
    found.map(|it| serde_json::to_value(it).unwrap_or_default()).map_err(Into::into)
}

/// Parses `limit` and two bounds, each the identifier of a message or its sequence number.
fn range(
    request: &Request,
    person: &Person,
    project_id: &str,
    agent_id: &str,
) -> Result<Range, Failure> {
    let right = say("1から200までの数にしてください", "must be a number from 1 to 200");
    let limit = request.parse::<u32>("limit", right)?;
    let limit = limit.unwrap_or(PAGE);
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(invalid("limit", right));
    }
    let place = |name: &str| {
        let Some(text) = request.value(name).filter(|it| !it.is_empty()) else { return Ok(None) };
        if let Ok(sequence) = text.parse::<u32>() {
            return Ok(Some(sequence));
        }
        let found = chats::sequence_of(person, project_id, agent_id, text)?;
        found.map(Some).ok_or_else(|| {
            let right = say(
                "このチャットのメッセージのIDか連番にしてください",
                "must be a message of this chat: its id, or its sequence number",
            );
            invalid(name, right)
        })
    };
    Ok(Range { before: place("before")?, after: place("after")?, limit })
}

// Chats of people with agents over HTTP (CONV 4.6): `POST projects/P/agents/A/chat/…`, and the
// specification's short forms `POST chat/start`, `chat` and `chat/end`.

/// Maximum number of projects that a refusal names.
const NAMED_MAX: usize = 10;

/// Returns the routes for people.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post("projects/{project}/agents/{agent}/chat/start", long::<StartChat>)
            .of_tool::<StartChat>(),
        Route::post("projects/{project}/agents/{agent}/chat/messages", long::<SendChat>)
            .of_tool::<SendChat>(),
        Route::post("projects/{project}/agents/{agent}/chat/end", long::<EndChat>)
            .of_tool::<EndChat>(),
        Route::post("projects/{project}/agents/{agent}/chat/mark-read", long::<MarkChatRead>)
            .of_tool::<MarkChatRead>(),
        Route::post("chat/start", short::<StartChat>).of_tool::<StartChat>(),
        Route::post("chat", short::<SendChat>).of_tool::<SendChat>(),
        Route::post("chat/end", short::<EndChat>).of_tool::<EndChat>(),
    ]
}

/// Calls a tool with project and agent from the path.
fn long<T: Tool>(request: &routes::Request) -> Result<Answer, Stop> {
    let fields = request.object()?;
    let (project, agent) = (request.parameter("project"), request.parameter("agent"));
    call::<T>(request, (project.into(), agent.into()), fields)
}

/// Project and agent stand in the body; the project need not, where there is no doubt.
fn short<T: Tool>(request: &routes::Request) -> Result<Answer, Stop> {
    let mut fields = request.object()?;
    let agent = fields.remove("agent_id").unwrap_or_default();
    let Some(id) = agent.as_str().filter(|it| !it.is_empty()) else {
        let message = say(
            "agent_idを指定してください: {\"agent_id\": \"worker-a\"}",
            "agent_id is required: {\"agent_id\": \"worker-a\"}",
        );
        return Err(wrong("agent_id", message));
    };
    let project = match fields.remove("project_id") {
        None | Some(Value::Null) => project_of(id)?.into(),
        Some(project) => project,
    };
    call::<T>(request, (project, agent), fields)
}

/// What the tool puts out. Fields that it does not know are the client's own.
fn call<T: Tool>(
    request: &routes::Request,
    (project, agent): (Value, Value),
    mut fields: Map<String, Value>,
) -> Result<Answer, Stop> {
    let mut arguments =
        Map::from_iter([("project_id".to_owned(), project), ("agent_id".to_owned(), agent)]);
    if T::NAME == SendChat::NAME {
        // What is not there is as empty as what is.
        let content = fields.remove("content").filter(|it| !it.is_null()).unwrap_or("".into());
        arguments.insert("content".to_owned(), content);
        let id = fields.remove("client_message_id");
        arguments.extend(id.map(|it| ("client_message_id".to_owned(), it)));
    }
    Answer::of_tool::<T>(request, arguments).map_err(in_words_of_rest)
}

/// The codes that these addresses have names of their own for (CONV 4.6).
fn in_words_of_rest(mut stop: Stop) -> Stop {
    if let Stop::Refused(refusal) = &mut stop {
        match refusal.code.as_str() {
            "content_required" => "EMPTY_CONTENT".clone_into(&mut refusal.code),
            "content_too_long" => "CONTENT_TOO_LONG".clone_into(&mut refusal.code),
            _ => {}
        }
    }
    stop
}

/// The one project that the person knows in which there is this agent.
fn project_of(agent: &str) -> Result<String, Stop> {
    let visible = listing::projects(&person::calling("chat")?)?;
    let has = |it: &&Project| it.agents.iter().any(|it| it.agent.agent_id == agent);
    let found: Vec<_> = visible.projects.iter().filter(has).map(|it| &*it.project_id).collect();
    match found.as_slice() {
        [project] => Ok((*project).to_owned()),
        [] => Err(agent_not_found(agent)),
        several => {
            let names = several[..several.len().min(NAMED_MAX)].join(", ");
            let japanese = format!("project_idを指定してください（{names}のいずれか）");
            let english = format!("project_id is required: one of {names}");
            Err(wrong("project_id", say(&japanese, &english)))
        }
    }
}

/// A field is not as it must be.
fn wrong(field: &str, message: &str) -> Stop {
    refused("invalid_params", 400, message).with(json!({ "field": field }))
}
