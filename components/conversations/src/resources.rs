//! Resources: the list of conversations, each conversation, and the chats of a project. People read what they may
//! see; other callers find nothing.

use serde_json::json;
use toolkit::{
    Stop, User,
    completions::{Completion, Request},
    resources::{Contents, Page, Resource, Resources, Template, fits},
    sql::{self, Statement},
};

use crate::{
    events::LIST,
    listing::{self, Filter},
    person::{self, Person, bound, condition, must_see_project},
    tools::CONVERSATION,
    transcripts::{self, PAGE_MAX, Range},
};

/// Conversations as resources.
pub struct ConversationResources;

impl Resources for ConversationResources {
    fn templates() -> Vec<Template> {
        vec![
            Template::new("conversation://{conversation_id}", "conversation")
                .title("会話 / A conversation")
                .description("A conversation of two agents: its trace and its last 200 messages.")
                .mime_type("application/json"),
            Template::new("chats://{project_id}", "chats")
                .title("プロジェクトのチャット / The chats of a project")
                .description("Which agents are there for a chat, and what of theirs is unread.")
                .mime_type("application/json"),
        ]
    }

    fn list(_: Option<&str>) -> Result<Page, Stop> {
        let list = Resource::new(LIST, "conversations")
            .title("会話の一覧 / Conversations")
            .description("The last fifty conversations that the caller may see, the newest first.")
            .mime_type("application/json");
        Ok(vec![list, CONVERSATION.resource(&[])].into())
    }

    fn read(uri: &str, _: &User) -> Result<Option<Vec<Contents>>, Stop> {
        if uri == CONVERSATION.uri {
            return Ok(Some(vec![CONVERSATION.contents(&[])]));
        }
        let found = person::calling("resources").and_then(|it| read(&it, uri));
        match found {
            Ok(contents) => Ok(contents.map(|it| vec![it])),
            // A caller that may not see it gets the same answer as if there were none.
            Err(Stop::Refused(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}

fn read(person: &Person, uri: &str) -> Result<Option<Contents>, Stop> {
    if uri == LIST {
        let conversations = listing::page(person, &Filter::default(), None)?;
        return Ok(Some(Contents::json(uri, &conversations)));
    }
    if let Some([id]) = fits("conversation://{conversation_id}", uri) {
        let range = Range { limit: PAGE_MAX, ..Range::default() };
        return Ok(Some(Contents::json(uri, &transcripts::read(person, &id, range)?)));
    }
    let Some([project_id]) = fits("chats://{project_id}", uri) else { return Ok(None) };
    must_see_project(person, &project_id)?;
    let sessions = listing::sessions(person, &project_id)?;
    let counts = listing::unread(person, &project_id)?;
    Ok(Some(Contents::json(uri, &json!({ "agentSessions": sessions, "counts": counts }))))
}

// Completions of the prompt's arguments and of resource templates: identifiers that the caller may see.

/// Completes one argument; callers who are no person get nothing.
///
/// # Errors
/// When the database fails.
pub fn complete(request: &Request) -> Result<Completion, Stop> {
    let is_prompt = request.prompt().is_some();
    match (is_prompt, request.argument.as_str()) {
        (true, "language") => Ok(request.among(["ja", "en"])),
        (_, "project_id") => of_person(request, projects),
        (true, "agent_id") => of_person(request, |it| agents(it, request.filled_in("project_id"))),
        (false, "conversation_id") => of_person(request, conversations),
        _ => Ok(Completion::none()),
    }
}

fn of_person(
    request: &Request,
    ids: impl FnOnce(&Person) -> Result<Vec<String>, Stop>,
) -> Result<Completion, Stop> {
    match person::calling("completions") {
        Ok(person) => Ok(request.among(ids(&person)?)),
        Err(Stop::Refused(_)) => Ok(Completion::none()),
        Err(stop) => Err(stop),
    }
}

fn projects(person: &Person) -> Result<Vec<String>, Stop> {
    let visible = condition("p.id", 1);
    let select =
        format!("SELECT p.id FROM projects p WHERE p.is_gone = 0 AND {visible} ORDER BY p.id");
    ids(bound(Statement::new(select), person))
}

/// Returns the external agents of one project or of all.
fn agents(person: &Person, project_id: Option<&str>) -> Result<Vec<String>, Stop> {
    let select = format!(
        "SELECT DISTINCT a.id FROM assignments w JOIN agents a ON a.id = w.agent_id \
         WHERE a.is_gone = 0 AND a.type = 'ai' AND a.passkey IS NOT NULL \
         AND ($1 IS NULL OR w.project_id = $1) AND {} ORDER BY a.id",
        condition("w.project_id", 2)
    );
    let project_id = project_id.filter(|it| !it.is_empty()).map(str::to_owned);
    ids(bound(toolkit::sql!(select, project_id), person))
}

/// Returns the newest conversations.
fn conversations(person: &Person) -> Result<Vec<String>, Stop> {
    let page = listing::page(person, &Filter::default(), None)?;
    Ok(page.conversations.into_iter().map(|it| it.conversation_id).collect())
}

fn ids(select: Statement) -> Result<Vec<String>, Stop> {
    let [rows] = sql::query([select])?;
    Ok(rows.read::<(String,)>()?.into_iter().map(|it| it.0).collect())
}
