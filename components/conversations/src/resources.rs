//! What there is to read, and what pages listen to: the list of conversations, each of them, and the
//! chats of a project. People read what they may see; for others it is not there.

use serde_json::json;
use toolkit::{
    Stop, User,
    resources::{Contents, Page, Resource, Resources, Template, fits},
};

use crate::{
    app::CONVERSATION,
    events::LIST,
    listing::{self, Filter},
    person::{self, Person},
    projects,
    transcripts::{self, PAGE_MAX, Range},
    visibility::must_see_project,
};

/// The conversations, as resources.
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
        return Ok(Some(Contents::json(uri, &transcripts::of(person, &id, range)?)));
    }
    let Some([project_id]) = fits("chats://{project_id}", uri) else { return Ok(None) };
    must_see_project(person, &project_id)?;
    let sessions = projects::sessions(person, &project_id)?;
    let counts = projects::unread(person, &project_id)?;
    Ok(Some(Contents::json(uri, &json!({ "agentSessions": sessions, "counts": counts }))))
}
