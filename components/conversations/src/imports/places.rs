//! Finds the place of an imported line: an ended conversation, a new one, or a chat.

use std::collections::{BTreeMap, BTreeSet};

use output::conversations::{AgentKind, State};
use serde::Deserialize;
use toolkit::{
    Stop,
    sql::{self, Statement},
};

use super::Line;

/// The stored projects, conversations and messages to which lines refer.
#[derive(Default)]
pub(super) struct Existing {
    messages: BTreeSet<String>,
    agents: BTreeMap<String, AgentKind>,
    /// The projects of each agent, by its identifier.
    projects: BTreeMap<String, BTreeSet<String>>,
    conversations: BTreeMap<String, Conversation>,
    touched: BTreeSet<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Conversation {
    id: String,
    project_id: String,
    initiator_agent_id: String,
    participant_agent_id: String,
    state: State,
}

/// Where a message goes.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Into a conversation.
    Conversation { project_id: String, id: String },
    /// Into a chat; a person comes first.
    Chat { project_id: String, ends: [String; 2] },
}

impl Existing {
    /// Reads what these lines refer to.
    pub(super) fn load(lines: &[(u32, Line)]) -> Result<Self, Stop> {
        let messages = lines.iter().map(|it| &it.1.id);
        let ends = lines.iter().flat_map(|it| [Some(&it.1.sender_id), it.1.recipient_id.as_ref()]);
        let conversations = lines.iter().filter_map(|it| it.1.conversation_id.as_ref());
        let agents: BTreeSet<&String> = ends.flatten().collect();
        let [messages, agents, projects, conversations] = sql::query([
            among("SELECT id FROM messages WHERE id", messages),
            among("SELECT id, type FROM agents WHERE id", agents.iter().copied()),
            among(
                "SELECT agent_id, project_id FROM assignments WHERE agent_id",
                agents.iter().copied(),
            ),
            among(
                "SELECT id, project_id, initiator_agent_id, participant_agent_id, state \
                 FROM conversations WHERE id",
                conversations,
            ),
        ])?;
        let mut existing = Self {
            messages: messages.read::<(String,)>()?.into_iter().map(|it| it.0).collect(),
            agents: agents.read::<(String, AgentKind)>()?.into_iter().collect(),
            ..Self::default()
        };
        for (agent, project) in projects.read::<(String, String)>()? {
            existing.projects.entry(agent).or_default().insert(project);
        }
        for conversation in conversations.read::<Conversation>()? {
            existing.conversations.insert(conversation.id.clone(), conversation);
        }
        Ok(existing)
    }

    /// Records a message. Returns whether it is new.
    pub(super) fn is_new(&mut self, id: &str) -> bool {
        self.messages.insert(id.to_owned())
    }

    /// Returns the projects that receive messages.
    pub(super) fn touched(&self) -> impl Iterator<Item = &str> {
        self.touched.iter().map(String::as_str)
    }

    /// Returns the place of a line, and whether its conversation has to be created.
    pub(super) fn place(
        &mut self,
        line: &Line,
        project_id: Option<&str>,
    ) -> Result<(Place, bool), String> {
        let from = self.kind(&line.sender_id)?;
        let to = line.recipient_id.as_deref().map(|it| self.kind(it)).transpose()?;
        let Some(id) = &line.conversation_id else {
            return self.chat(line, from, project_id).map(|it| (it, false));
        };
        if let Some(conversation) = self.conversations.get(id) {
            let place = conversation.place_for(line, from, project_id)?;
            self.touched.insert(conversation.project_id.clone());
            return Ok((place, false));
        }
        let recipient_id = line.recipient_id.clone();
        let (Some(participant), AgentKind::Ai, Some(AgentKind::Ai)) = (recipient_id, from, to)
        else {
            return Err(
                "the first message of a conversation must go from an AI to an AI".to_owned()
            );
        };
        let project_id = self.project(&line.sender_id, &participant, project_id)?;
        let made = Conversation {
            id: id.clone(),
            project_id: project_id.clone(),
            initiator_agent_id: line.sender_id.clone(),
            participant_agent_id: participant,
            state: State::Ended,
        };
        self.conversations.insert(id.clone(), made);
        self.touched.insert(project_id.clone());
        Ok((Place::Conversation { project_id, id: id.clone() }, true))
    }

    fn chat(
        &mut self,
        line: &Line,
        from: AgentKind,
        project_id: Option<&str>,
    ) -> Result<Place, String> {
        let Some(to) = &line.recipient_id else {
            return Err("recipientId is required where there is no conversationId".to_owned());
        };
        let project_id = self.project(&line.sender_id, to, project_id)?;
        self.touched.insert(project_id.clone());
        let mut ends = [line.sender_id.clone(), to.clone()];
        let is_first = match (from, self.kind(to)?) {
            (AgentKind::Human, AgentKind::Ai) => true,
            (AgentKind::Ai, AgentKind::Human) => false,
            _ => ends[0] < ends[1],
        };
        if !is_first {
            ends.reverse();
        }
        Ok(Place::Chat { project_id, ends })
    }

    fn kind(&self, agent_id: &str) -> Result<AgentKind, String> {
        self.agents.get(agent_id).copied().ok_or_else(|| format!("there is no agent {agent_id}"))
    }

    /// Returns the named project, or the one that both agents share.
    fn project(&self, one: &str, other: &str, named: Option<&str>) -> Result<String, String> {
        if let Some(named) = named {
            return Ok(named.to_owned());
        }
        let nowhere = BTreeSet::new();
        let projects_of = |agent: &str| self.projects.get(agent).unwrap_or(&nowhere);
        let mut both = projects_of(one).intersection(projects_of(other));
        match (both.next(), both.next()) {
            (Some(project), None) => Ok(project.clone()),
            (None, _) => Err(format!("{one} and {other} are in no project together")),
            _ => Err(format!("{one} and {other} are in several projects; name one")),
        }
    }
}

impl Conversation {
    fn place_for(
        &self,
        line: &Line,
        from: AgentKind,
        project_id: Option<&str>,
    ) -> Result<Place, String> {
        if !matches!(self.state, State::Ended | State::Expired) {
            return Err(format!("{} goes on here; only one that is over takes lines", self.id));
        }
        if project_id.is_some_and(|it| it != self.project_id) {
            return Err(format!("{} is in the project {}", self.id, self.project_id));
        }
        let is_side = |it: &str| it == self.initiator_agent_id || it == self.participant_agent_id;
        let may_speak = from == AgentKind::Human || is_side(&line.sender_id);
        if !may_speak || !line.recipient_id.as_deref().is_none_or(is_side) {
            return Err(format!("{} is a conversation of others", self.id));
        }
        Ok(Place::Conversation { project_id: self.project_id.clone(), id: self.id.clone() })
    }
}

/// Appends `IN (…)` to `select`; it matches nothing where `ids` is empty.
fn among<'a>(select: &str, ids: impl Iterator<Item = &'a String>) -> Statement {
    let ids: Vec<&str> = ids.map(String::as_str).collect();
    let list = if ids.is_empty() { "NULL".to_owned() } else { sql::placeholders(1, ids.len()) };
    Statement::new(format!("{select} IN ({list})")).bind_all(ids)
}
