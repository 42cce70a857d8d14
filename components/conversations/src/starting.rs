//! Begins conversations, for an agent or for a person: conversation, purpose and first message in one transaction
//! (CONV-33). A unique index lets only one of two concurrent starts through.

use output::conversations::{AgentKind, State};
use serde::Deserialize;
use serde_json::json;
use toolkit::{
    Stop, events as host_events, invalid, refused,
    sql::{self, ConstraintKind, Error, Rows, Statement},
};

use crate::{
    clock::Moment,
    delivery::{self, Letter, Place, SHARE_BYTES, SenderRole, Stored},
    events, ids,
    person::{Person, bound, condition, must_see_project},
    refusals::{self, say},
    transition::{self, Beginning, Cause},
};

/// Maximum number of open conversations of an agent in a project.
pub const OPEN_MAX: u32 = 100;
/// Maximum number of characters of a purpose or a reason.
pub const PURPOSE_MAX: usize = 1_000;
/// Maximum turn limit of a conversation (CONV-32).
pub const TURNS_MAX: u32 = 1_000;

/// Begins a conversation with its first message, if any, in one transaction with `before`, which requires a live
/// session, and `after`. Then notifies the participant and the job scheduler. Returns the earlier message where the
/// first one is a resent one: then nothing begins.
///
/// # Errors
/// `conversation_already_active` where the pair has an open one, in either direction.
pub fn start(
    beginning: &Beginning<'_>,
    cause: &Cause<'_>,
    before: Vec<Statement>,
    first: Option<&Letter<'_>>,
    after: Vec<Statement>,
) -> Result<Option<Stored>, Stop> {
    let must_hold = before.len();
    let mut batch = before;
    batch.extend(transition::begin(beginning, cause));
    batch.extend(first.into_iter().flat_map(delivery::statements));
    batch.extend(after);
    match sql::transact_all(&batch) {
        Ok(_) => {
            let agents = [beginning.participant, beginning.initiator];
            events::changed(beginning.id, beginning.project_id, &agents);
            host_events::publish(events::PURPOSES);
            Ok(None)
        }
        Err(Error::Constraint(it)) if is_open_pair(it.kind, &it.name) => {
            let open =
                open_between(beginning.project_id, beginning.initiator, beginning.participant)?;
            Err(already_active(open.as_ref(), beginning.initiator, beginning.participant))
        }
        Err(Error::UnexpectedCount(it)) if (it.statement as usize) < must_hold => {
            Err(refusals::invalid_session())
        }
        Err(error) => match first {
            Some(letter) => delivery::failed(letter, error).map(Some),
            None => Err(error.into()),
        },
    }
}

/// Refuses where an agent has reached its limit of open conversations or storage, by the rows of
/// [`record::open_count`].
///
/// # Errors
/// `too_many_conversations`, `too_much_kept`.
///
/// [`record::open_count`]: crate::record::open_count
pub fn check_capacity(open: Rows, agent_id: &str) -> Result<(), Stop> {
    let (open, kept) = open.first::<(u32, i64)>()?.unwrap_or_default();
    match open {
        OPEN_MAX.. => Err(refusals::too_many_conversations(agent_id)),
        _ if kept >= SHARE_BYTES => Err(refusals::too_much_kept(agent_id, kept, SHARE_BYTES)),
        _ => Ok(()),
    }
}

fn is_open_pair(kind: ConstraintKind, name: &str) -> bool {
    kind == ConstraintKind::Unique && name == "uq_open_pair"
}

/// The open conversation of a pair, for refusals.
#[derive(Clone, Debug, Deserialize)]
pub struct Open {
    /// The conversation's identifier.
    pub id: String,
    /// Whether the participant has joined.
    pub state: State,
    /// Identifier of the agent that was asked.
    pub participant_agent_id: String,
}

/// Returns the refusal for `caller` where there is an open conversation with `agent`.
pub fn already_active(open: Option<&Open>, caller: &str, agent: &str) -> Stop {
    let is_to_join =
        open.is_some_and(|it| it.state == State::Pending && it.participant_agent_id == caller);
    let open = open.map(|it| (it.id.as_str(), it.state));
    refusals::conversation_already_active(agent, open, is_to_join)
}

/// The open conversation of a pair.
///
/// # Errors
/// When the database fails.
fn open_between(project_id: &str, one: &str, other: &str) -> Result<Option<Open>, Stop> {
    let [rows] = sql::query([toolkit::sql!(
        "SELECT id, state, participant_agent_id FROM conversations WHERE project_id = $1 \
         AND min(initiator_agent_id, participant_agent_id) = min($2, $3) \
         AND max(initiator_agent_id, participant_agent_id) = max($2, $3) \
         AND state IN ('pending', 'active')",
        project_id,
        one,
        other,
    )])?;
    Ok(rows.first::<Open>()?)
}

// A person starts a conversation of two agents: chooses initiator, project and target, in the order of CONV-30.

/// Maximum number of agents considered where none is named.
const CANDIDATES_MAX: u32 = 1_000;

/// A person's request, checked by itself.
#[derive(Clone, Debug)]
pub struct StartRequest<'a> {
    /// The tool that begins it.
    pub tool: &'a str,
    /// Identifier of the agent that is asked.
    pub target: &'a str,
    /// The initiator; otherwise one of the project is chosen.
    pub initiator: Option<String>,
    /// The project; otherwise that of the target.
    pub project_id: Option<String>,
    /// What the conversation is for.
    pub purpose: Option<String>,
    /// The initiator's first message.
    pub first: Option<String>,
    /// Number of turns after which it ends by itself.
    pub max_turns: Option<u32>,
}

/// An agent of a project.
#[derive(Debug, Deserialize)]
struct Side {
    id: String,
    r#type: AgentKind,
    is_here: bool,
    is_played: bool,
    /// Number of open conversations in the project.
    open: u32,
    /// Whether one of them is with the target.
    is_busy: bool,
}

/// Begins the conversation and calls both agents. Returns its identifier.
///
/// # Errors
/// Why it cannot begin, in the order of CONV-30.
pub fn begin(person: &Person, request: StartRequest<'_>) -> Result<String, Stop> {
    let project_id = match &request.project_id {
        Some(id) => {
            must_see_project(person, id)?;
            id.clone()
        }
        None => project_of(person, request.target)?,
    };
    let sides = sides(&project_id, request.target)?;
    let initiator = initiator(&sides, &request, &project_id)?;
    let now = Moment::now();
    let id = ids::conversation(now);
    let cause = Cause { at: now, by: &person.agent_id, what: request.tool };
    let beginning = Beginning {
        id: &id,
        project_id: &project_id,
        initiator: &initiator.id,
        participant: request.target,
        purpose: request.purpose.as_deref(),
        max_turns: request.max_turns,
        begun_by: Some(&person.agent_id),
    };
    let message_id = ids::message(now);
    let first = request.first.as_deref().map(|content| Letter {
        id: &message_id,
        project_id: &project_id,
        place: Place::Conversation {
            id: &id,
            role: SenderRole::Member,
            has_max_turns: request.max_turns.is_some(),
        },
        sender_id: &initiator.id,
        recipients: std::slice::from_ref(&request.target),
        content,
        related_task_id: None,
        client_message_id: None,
        at: now,
    });
    let called = transition::call(&initiator.id, &project_id, Some(&id), now);
    start(&beginning, &cause, Vec::new(), first.as_ref(), vec![called])?;
    Ok(id)
}

/// Chooses the target where the person names none: the least busy agent that the host plays. Chooses the project as
/// well, where that is not given.
///
/// # Errors
/// When no project has two agents that the host plays.
pub fn counterpart(
    person: &Person,
    project_id: &mut Option<String>,
    initiator: Option<&str>,
) -> Result<String, Stop> {
    let select = format!(
        "SELECT p.id, a.id, (SELECT COUNT(*) FROM members m JOIN conversations c \
          ON c.id = m.conversation_id WHERE m.agent_id = a.id AND c.project_id = p.id \
          AND c.state IN ('pending', 'active')) \
         FROM projects p JOIN assignments s ON s.project_id = p.id \
         JOIN agents a ON a.id = s.agent_id AND a.type = 'ai' AND a.assistant IS NOT NULL \
         AND a.is_gone = 0 WHERE p.is_gone = 0 AND ($1 = '' OR p.id = $1) AND {} \
         ORDER BY p.id, a.id LIMIT {CANDIDATES_MAX}",
        condition("p.id", 2)
    );
    let named = project_id.clone().unwrap_or_default();
    let [rows] = sql::query([bound(toolkit::sql!(select, named), person)])?;
    let able = rows.read::<(String, String, u32)>()?;
    let with = |project: &str| {
        let here: Vec<_> = able.iter().filter(|it| it.0 == project).collect();
        let begins = initiator.is_none_or(|id| here.iter().any(|it| it.1 == id));
        let others = here.iter().filter(|it| Some(it.1.as_str()) != initiator);
        // The last of the least busy: the first one becomes the initiator.
        let target = others.min_by_key(|it| (it.2, std::cmp::Reverse(&it.1)))?;
        (begins && here.len() > 1).then(|| (target.0.clone(), target.1.clone()))
    };
    let found = able.iter().find_map(|it| with(&it.0));
    let (project, target) =
        found.ok_or_else(|| no_beginner(None, project_id.as_deref().unwrap_or_default()))?;
    *project_id = Some(project);
    Ok(target)
}

/// Chooses the initiator, after checking both agents.
fn initiator<'a>(
    sides: &'a [Side],
    request: &StartRequest<'_>,
    project_id: &str,
) -> Result<&'a Side, Stop> {
    let named = request.initiator.as_deref();
    if named == Some(request.target) {
        return Err(refusals::cannot_conversation_with_self());
    }
    for id in [Some(request.target), named].into_iter().flatten() {
        let side = sides.iter().find(|it| it.id == id);
        let side = side.ok_or_else(|| refusals::agent_not_found(id))?;
        if side.r#type != AgentKind::Ai {
            return Err(refusals::cannot_start_conversation_with_human(id));
        }
        if !side.is_here {
            return Err(refusals::target_agent_not_in_project(id, project_id));
        }
    }
    let can = |side: &&Side| {
        side.id != request.target && side.r#type == AgentKind::Ai && side.is_here && side.is_played
    };
    let mut able: Vec<&Side> = sides.iter().filter(can).collect();
    able.retain(|it| named.is_none_or(|name| it.id == name));
    // Prefers agents that do not talk with the target yet, then the least busy.
    able.sort_by_key(|it| (it.is_busy, it.open));
    let first = able.first().copied().ok_or_else(|| no_beginner(named, project_id))?;
    if first.open >= OPEN_MAX {
        return Err(refusals::too_many_conversations(&first.id));
    }
    Ok(first)
}

/// Reads all agents with their relation to the project and the target; there are few.
fn sides(project_id: &str, target: &str) -> Result<Vec<Side>, Stop> {
    let open = "FROM members m JOIN conversations c ON c.id = m.conversation_id \
                WHERE m.agent_id = a.id AND c.project_id = $1 AND c.state IN ('pending', 'active')";
    let select = format!(
        "SELECT a.id, a.type, a.assistant IS NOT NULL AS is_played, \
         EXISTS (SELECT 1 FROM assignments s WHERE s.project_id = $1 AND s.agent_id = a.id) \
          AS is_here, \
         (SELECT COUNT(*) {open}) AS open, \
         EXISTS (SELECT 1 {open} AND (c.initiator_agent_id = $2 OR c.participant_agent_id = $2)) \
          AS is_busy \
         FROM agents a WHERE a.is_gone = 0 ORDER BY a.id"
    );
    let [rows] = sql::query([toolkit::sql!(select, project_id, target)])?;
    Ok(rows.read()?)
}

/// Returns the only project of the target that the person sees.
fn project_of(person: &Person, target: &str) -> Result<String, Stop> {
    let select = format!(
        "SELECT p.id FROM projects p JOIN assignments s ON s.project_id = p.id \
         WHERE s.agent_id = $1 AND p.is_gone = 0 AND {} ORDER BY p.id LIMIT 2",
        condition("p.id", 2)
    );
    let agent = toolkit::sql!("SELECT 1 FROM agents WHERE id = $1 AND is_gone = 0", target);
    let [agent, projects] = sql::query([agent, bound(toolkit::sql!(select, target), person)])?;
    let mut projects = projects.read::<(String,)>()?;
    match (agent.is_empty(), projects.len()) {
        (false, 1) => Ok(projects.remove(0).0),
        (false, 2..) => {
            Err(invalid("/project_id", "is required: the agent is in several projects"))
        }
        _ => Err(refusals::agent_not_found(target)),
    }
}

/// The host can have only those begin that it plays itself.
fn no_beginner(named: Option<&str>, project_id: &str) -> Stop {
    let message = match named {
        Some(_) => say(
            "話しかける側は窓口が動かすエージェントでなければなりません。",
            "The agent that begins must be one that this counter plays.",
        ),
        None => say(
            "このプロジェクトには、話しかけられる（窓口が動かす）別のエージェントがいません。",
            "There is no other agent in this project that this counter plays.",
        ),
    };
    refused("agent_not_played", 409, message)
        .with(json!({ "agent_id": named, "project_id": project_id }))
}
