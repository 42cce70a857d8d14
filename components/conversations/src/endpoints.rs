//! What it answers to `GET /api/conversations/…` and `GET /api/projects…` (CONV 4.6), to people.

use serde::Serialize;
use serde_json::{Value, json};
use toolkit::{
    Stop,
    endpoints::{Failure, Request, invalid},
};

use crate::{
    chats,
    person::{self, Person},
    projects,
    transcripts::{PAGE, PAGE_MAX, Range},
    visibility::{must_chat_with, must_see_project},
    written,
};

/// Serves one look-up.
///
/// # Errors
/// When the caller may not make it, or nothing is served there.
pub fn get(request: &Request) -> Result<Value, Failure> {
    let path: Vec<&str> = request.path.split('/').collect();
    let asked: &[&str] = path.as_slice();
    match asked {
        ["projects"] => answer(projects::visible_to(&calling("projects")?)),
        ["projects", project_id, "agent-sessions"] => {
            let person = seeing("agent-sessions", project_id)?;
            let sessions = projects::sessions(&person, project_id)?;
            Ok(json!({ "agentSessions": sessions }))
        }
        ["projects", project_id, "unread-counts"] => {
            let person = seeing("unread-counts", project_id)?;
            Ok(json!({ "counts": projects::unread(&person, project_id)? }))
        }
        ["projects", project_id, "agents", agent_id, "chat", "messages"] => {
            let person = calling("chat/messages")?;
            must_chat_with(&person, project_id, agent_id)?;
            let range = range(request, &person, project_id, agent_id)?;
            answer(chats::page(&person, project_id, agent_id, range))
        }
        ["transcript"] => {
            let person = calling("transcript")?;
            answer(written::whole(&person, request.required("id")?))
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

/// `limit`, and two places: each the id of a message or its sequence number.
fn range(
    request: &Request,
    person: &Person,
    project_id: &str,
    agent_id: &str,
) -> Result<Range, Failure> {
    let limit = request.parse::<u32>("limit", "must be a number from 1 to 200")?;
    let limit = limit.unwrap_or(PAGE);
    if !(1..=PAGE_MAX).contains(&limit) {
        return Err(invalid("limit", "must be a number from 1 to 200"));
    }
    let place = |name: &str| {
        let Some(text) = request.value(name).filter(|it| !it.is_empty()) else { return Ok(None) };
        if let Ok(sequence) = text.parse::<u32>() {
            return Ok(Some(sequence));
        }
        let found = chats::sequence_of(person, project_id, agent_id, text)?;
        found.map(Some).ok_or_else(|| {
            invalid(name, "must be a message of this chat: its id, or its sequence number")
        })
    };
    Ok(Range { before: place("before")?, after: place("after")?, limit })
}
