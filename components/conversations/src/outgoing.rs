//! Sends an agent's message: checks whether it may, and finds its conversation or chat (CONV-60 to CONV-66).

use output::{conversations::AgentKind, text::is_blank};
use toolkit::{
    Stop, invalid,
    sql::{self, Statement},
};

use crate::{
    clock::Moment,
    delivery::{self, Letter, Place, SenderRole, Stored},
    expiry::ExpiryCheck,
    ids,
    record::{self, Conversation, Target},
    refusals,
    session::{self, Session},
    starting,
    transition::{Beginning, Cause},
};

/// Maximum number of attempts where something expires in between.
const LOOKS_MAX: u32 = 3;
/// Maximum number of characters of an identifier from outside.
const FOREIGN_ID_MAX: usize = 200;

/// Returns an optional argument unless it is blank: some models fill in blanks instead of leaving arguments out.
pub fn non_blank(argument: Option<&String>) -> Option<&str> {
    argument.map(String::as_str).filter(|it| !is_blank(it))
}

/// Returns an optional text unless it is empty; one of spaces is kept, and refused later.
pub fn non_empty(argument: Option<&String>) -> Option<&str> {
    argument.map(String::as_str).filter(|it| !it.is_empty())
}

/// A message that an agent sends in a session.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingMessage<'a> {
    /// The session's token.
    pub token: &'a str,
    /// Name of the calling tool.
    pub tool: &'a str,
    /// Whether it requires a chat session (CONV-111).
    pub must_chat: bool,
    /// Identifier of the recipient.
    pub target_id: &'a str,
    /// The text of the message.
    pub content: &'a str,
    /// The conversation, where the agent names one.
    pub conversation_id: Option<&'a str>,
    /// Identifier of a task that it relates to.
    pub related_task_id: Option<&'a str>,
    /// The agent's own identifier of the message.
    pub client_message_id: Option<&'a str>,
    /// Whether to begin a conversation where there is none.
    pub auto_start: bool,
}

/// The state of both sides.
struct Context {
    now: Moment,
    session: Session,
    target: Option<Target>,
    open: Option<Conversation>,
    named: Option<Conversation>,
    earlier: Option<Stored>,
}

impl OutgoingMessage<'_> {
    /// Sends the message.
    ///
    /// # Errors
    /// Why the message cannot be sent (CONV-62, CONV-65).
    pub fn send(&self) -> Result<Stored, Stop> {
        self.fits()?;
        match self.send_once() {
            // The other agent has begun the conversation in between: then the message is sent there.
            Err(Stop::Refused(it))
                if self.auto_start && it.code == "conversation_already_active" =>
            {
                self.send_once()
            }
            other => other,
        }
    }

    fn send_once(&self) -> Result<Stored, Stop> {
        let context = self.read_state()?;
        if self.must_chat {
            context.session.must_chat(self.tool)?;
        }
        if self.target_id == context.session.agent_id {
            return Err(refusals::cannot_message_self());
        }
        let target = context.target.as_ref();
        let target = target.ok_or_else(|| refusals::agent_not_found(self.target_id))?;
        if !target.is_assigned {
            let project_id = &context.session.project_id;
            return Err(refusals::target_agent_not_in_project(self.target_id, project_id));
        }
        delivery::check_content(self.content)?;
        if let Some(earlier) = context.earlier {
            return delivery::resent(earlier, Some(self.target_id), self.content);
        }
        match target.r#type {
            AgentKind::Human => self.to_person(&context),
            AgentKind::Ai => self.to_agent(&context),
        }
    }

    fn fits(&self) -> Result<(), Stop> {
        let ids = [
            ("/client_message_id", self.client_message_id),
            ("/related_task_id", self.related_task_id),
        ];
        for (pointer, id) in ids {
            let length = id.map_or(1, |it| it.chars().count());
            if length == 0 || length > FOREIGN_ID_MAX {
                let message = format!("must have 1 to {FOREIGN_ID_MAX} characters");
                return Err(invalid(pointer, message));
            }
        }
        Ok(())
    }

    /// Reads the state of both sides at once, again where something has expired.
    fn read_state(&self) -> Result<Context, Stop> {
        for left in (0..LOOKS_MAX).rev() {
            let check = ExpiryCheck::now()?;
            let [session, due, target, open, named, earlier] = sql::query([
                session::by_token(self.token, check.now),
                check.due(),
                record::target(self.token, self.target_id),
                record::open_with(self.token, self.target_id),
                record::conversation(self.conversation_id.unwrap_or_default()),
                self.earlier(),
            ])?;
            if check.settle(due)? && left > 0 {
                continue;
            }
            return Ok(Context {
                now: check.now,
                session: session.first()?.ok_or_else(refusals::invalid_session)?,
                target: target.first()?,
                open: open.first()?,
                named: named.first()?,
                earlier: earlier.first()?,
            });
        }
        Err(toolkit::unavailable("Too much is over at once.", None))
    }

    fn earlier(&self) -> Statement {
        toolkit::sql!(
            "SELECT m.id, m.conversation_id, m.recipient_id, m.sequence, m.content \
             FROM sessions s JOIN messages m ON m.project_id = s.project_id \
             AND m.sender_id = s.agent_id \
             WHERE s.token = $1 AND m.client_message_id = $2",
            ids::digest(self.token),
            self.client_message_id.unwrap_or_default(),
        )
    }

    /// Sends to a person, outside of conversations (CONV-7, CONV-61).
    fn to_person(self, context: &Context) -> Result<Stored, Stop> {
        if let Some(id) = self.conversation_id {
            self.named(context, id)?;
            let message = "a person is no side of a conversation; leave conversation_id out";
            return Err(invalid("/conversation_id", message));
        }
        let agent_id = context.session.agent_id.as_str();
        self.deliver(context, Place::Chat { human_id: self.target_id, agent_id })
    }

    /// Sends to another agent, only in their open conversation (CONV-61 to CONV-64).
    fn to_agent(self, context: &Context) -> Result<Stored, Stop> {
        let from = context.session.agent_id.as_str();
        let conversation = match self.conversation_id {
            Some(id) => Some(self.named(context, id)?).filter(|it| it.state.is_open()),
            None => context.open.as_ref(),
        };
        match conversation {
            Some(open) => {
                let has_max_turns = open.max_turns.is_some();
                let role = SenderRole::Member;
                self.deliver(context, Place::Conversation { id: &open.id, role, has_max_turns })
            }
            None if self.auto_start && self.conversation_id.is_none() => self.start(context),
            None => {
                let over = context.named.as_ref().map(|it| (it.id.as_str(), it.state));
                Err(refusals::conversation_required_for_ai_to_ai(from, self.target_id, over))
            }
        }
    }

    /// Returns the conversation that the agent names, of which both must be members.
    fn named<'a>(&self, context: &'a Context, id: &str) -> Result<&'a Conversation, Stop> {
        let project_id = &context.session.project_id;
        let found = context.named.as_ref().filter(|it| it.project_id == *project_id);
        let found = found.ok_or_else(|| refusals::conversation_not_found(id))?;
        match found.partner_of(&context.session.agent_id) {
            None => Err(refusals::not_conversation_participant(id)),
            Some(partner) if partner != self.target_id => {
                let message = format!("must be {partner}, the other side of the conversation");
                Err(invalid("/target_agent_id", message))
            }
            Some(_) => Ok(found),
        }
    }

    fn deliver(&self, context: &Context, place: Place<'_>) -> Result<Stored, Stop> {
        let id = ids::message(context.now);
        let recipients = [self.target_id];
        let letter = self.letter(context, &id, place, &recipients);
        delivery::deliver(&letter, session::keep_alive(&context.session, context.now))
    }

    /// Begins the conversation with the message.
    fn start(&self, context: &Context) -> Result<Stored, Stop> {
        let (id, conversation_id) = (ids::message(context.now), ids::conversation(context.now));
        let session = &context.session;
        let place = Place::Conversation {
            id: &conversation_id,
            role: SenderRole::Member,
            has_max_turns: false,
        };
        let recipients = [self.target_id];
        let letter = self.letter(context, &id, place, &recipients);
        let beginning = Beginning {
            id: &conversation_id,
            project_id: &session.project_id,
            initiator: &session.agent_id,
            participant: self.target_id,
            purpose: None,
            max_turns: None,
            begun_by: None,
        };
        let [open] = sql::query([record::open_count(self.token)])?;
        starting::check_capacity(open, &session.agent_id)?;
        let cause = Cause { at: context.now, by: &session.agent_id, what: self.tool };
        let talks = session::make_chat(session, context.now);
        if let Some(earlier) =
            starting::start(&beginning, &cause, talks, Some(&letter), Vec::new())?
        {
            return Ok(earlier);
        }
        Ok(Stored {
            id: id.clone(),
            conversation_id: Some(conversation_id.clone()),
            recipient_id: Some(self.target_id.to_owned()),
            sequence: 1,
            content: self.content.to_owned(),
        })
    }

    fn letter<'a>(
        &'a self,
        context: &'a Context,
        id: &'a str,
        place: Place<'a>,
        recipients: &'a [&'a str],
    ) -> Letter<'a> {
        Letter {
            id,
            project_id: &context.session.project_id,
            place,
            sender_id: &context.session.agent_id,
            recipients,
            content: self.content,
            related_task_id: self.related_task_id,
            client_message_id: self.client_message_id,
            at: context.now,
        }
    }
}
