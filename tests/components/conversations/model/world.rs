//! The model's state: conversations in memory, and the effect of time.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Who;

/// The person, beside the three agents.
pub(super) const PERSON: Who = 3;

/// Their ids.
pub(super) const IDS: [&str; 4] = ["worker-a", "worker-b", "worker-c", "operator"];

/// Their names.
pub(super) const NAMES: [&str; 3] = ["Analysis Worker", "Writing Worker", "Third Worker"];

const SECOND: u64 = 1_000;

const PENDING: u64 = 300 * SECOND;

const ACTIVE: u64 = 600 * SECOND;

const PAUSE: u64 = 3_600 * SECOND;

const SESSION: u64 = 3_600 * SECOND;

/// Idle time of a chat session until it is asked to log out, and again until it expires.
pub(super) const IDLE: u64 = 600 * SECOND;

/// The model's state of a project.
#[derive(Default)]
pub(super) struct World {
    /// Milliseconds since some full minute.
    pub(super) now: u64,
    pub(super) sessions: Vec<Session>,
    /// Agents to be launched, each with its conversation (CONV-8).
    pub(super) purposes: Vec<(Who, usize)>,
    pub(super) talks: Vec<Talk>,
    pub(super) messages: Vec<Message>,
}

/// A session of an agent: CONV-82.
#[derive(Clone, Copy)]
pub(super) struct Session {
    pub(super) who: Who,
    pub(super) chats: bool,
    pub(super) over: bool,
    pub(super) until: u64,
    pub(super) active_at: u64,
}

/// A conversation, as the model has it.
pub(super) struct Talk {
    /// The initiator and the participant.
    pub(super) sides: [Who; 2],
    pub(super) state: &'static str,
    pub(super) purpose: Option<String>,
    pub(super) created: u64,
    /// The start of its time-out: its request, its activation, the last message while active, the end of a pause,
    /// or its termination (CONV-23).
    pub(super) since: u64,
    /// When something last happened in it (CONV-42).
    pub(super) stirred: u64,
    /// When it was over.
    pub(super) over: u64,
    pub(super) ended_by: Option<&'static str>,
    pub(super) reason: Option<&'static str>,
    pub(super) why: Option<String>,
    pub(super) max_turns: Option<u32>,
    pub(super) paused: Option<u64>,
    pub(super) written: [u32; 2],
    /// Whether the participant got the request.
    pub(super) requested: bool,
    pub(super) acknowledged: [bool; 2],
    /// Whether each side was notified that it is over.
    pub(super) notified: [bool; 2],
    /// State, author, cause.
    pub(super) steps: Vec<(&'static str, &'static str, &'static str)>,
}

/// A message, and who has still to read it.
pub(super) struct Message {
    pub(super) talk: Option<usize>,
    pub(super) from: Who,
    /// None where it went to both sides.
    pub(super) to: Option<Who>,
    pub(super) content: String,
    pub(super) client: Option<u8>,
    pub(super) unread: BTreeSet<Who>,
    /// When each read it, in the order of reading.
    pub(super) read: Vec<(Who, u64)>,
}

impl Talk {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, "pending" | "active")
    }

    /// Which side an agent is on.
    pub(super) fn side(&self, who: Who) -> Option<usize> {
        self.sides.iter().position(|it| *it == who)
    }

    pub(super) fn is_between(&self, one: Who, other: Who) -> bool {
        self.side(one).is_some() && self.side(other).is_some() && one != other
    }

    pub(super) fn step(&mut self, state: &'static str, by: &'static str, cause: &'static str) {
        self.state = state;
        self.steps.push((state, by, cause));
    }
}

impl World {
    /// Whether an agent has a session that is not over.
    pub(super) fn is_live(&self, who: Who) -> bool {
        self.sessions.iter().any(|it| it.who == who && !it.over)
    }

    /// A session for an agent that comes in.
    pub(super) fn admit(&mut self, who: Who, chats: bool) {
        let (until, active_at) = (self.now + SESSION, self.now);
        self.sessions.push(Session { who, chats: false, over: false, until, active_at });
        if chats {
            self.make_chat(self.sessions.len() - 1);
        }
    }

    /// Makes a session the only chat session of its agent (CONV-82).
    pub(super) fn make_chat(&mut self, session: usize) {
        let who = self.sessions[session].who;
        for (at, other) in self.sessions.iter_mut().enumerate() {
            other.over |= at != session && other.who == who && other.chats;
        }
        self.sessions[session].chats = true;
    }

    /// Makes a pending conversation active: CONV-12.
    pub(super) fn activate(&mut self, talk: usize, by: &'static str, cause: &'static str) {
        let now = self.now;
        let conversation = &mut self.talks[talk];
        (conversation.since, conversation.stirred) = (now, now);
        conversation.step("active", by, cause);
        self.purposes.retain(|it| it.1 != talk);
    }

    /// Begins to end a conversation: CONV-15, CONV-18, CONV-19.
    pub(super) fn terminate(
        &mut self,
        talk: usize,
        by: &'static str,
        reason: &'static str,
        cause: &'static str,
    ) {
        self.purposes.retain(|it| it.1 != talk);
        let now = self.now;
        let conversation = &mut self.talks[talk];
        (conversation.ended_by, conversation.reason) = (Some(by), Some(reason));
        (conversation.since, conversation.paused) = (now, None);
        conversation.step("terminating", by, cause);
    }

    /// CONV-16: over once both know.
    pub(super) fn settle(&mut self, talk: usize, by: &'static str, cause: &'static str) {
        let conversation = &mut self.talks[talk];
        if conversation.state == "terminating" && conversation.acknowledged == [true; 2] {
            conversation.over = self.now;
            conversation.step("ended", by, cause);
        }
    }

    /// Applies everything that is due (CONV-13, CONV-15, CONV-19, CONV-54), as before each call (CONV-23).
    pub(super) fn expiry(&mut self) {
        for at in 0..self.talks.len() {
            self.expiry_of(at);
        }
        let now = self.now;
        for at in 0..self.sessions.len() {
            let session = &mut self.sessions[at];
            let idle = session.chats && session.active_at + 2 * IDLE <= now;
            if !session.over && (session.until <= now || idle) {
                session.over = true;
                let who = session.who;
                self.leave(who);
            }
        }
    }

    /// The schedule's further work: absent agents are not waited for (CONV-54), and notices expire after an hour,
    /// checked once a minute.
    pub(super) fn sweep(&mut self) {
        let is_seldom = (self.now / SECOND).is_multiple_of(60);
        for at in 0..self.talks.len() {
            let live = self.talks[at].sides.map(|it| self.is_live(it));
            let conversation = &mut self.talks[at];
            for (side, live) in live.into_iter().enumerate() {
                conversation.acknowledged[side] |= !live && conversation.state == "terminating";
            }
            self.settle(at, "system", "not_there");
            let conversation = &mut self.talks[at];
            if is_seldom
                && matches!(conversation.state, "ended" | "expired")
                && conversation.over + SESSION <= self.now
            {
                conversation.notified = [true; 2];
            }
        }
    }

    /// Applies time to one conversation.
    fn expiry_of(&mut self, at: usize) {
        let now = self.now;
        let conversation = &mut self.talks[at];
        if conversation.paused.is_some_and(|it| it + PAUSE <= now) {
            conversation.paused = None;
            conversation.since = now;
        }
        match conversation.state {
            "pending" if conversation.since + PENDING <= now => {
                conversation.ended_by = Some("system");
                conversation.step("expired", "system", "pending_timeout");
                conversation.over = now;
                // An agent that never joined will not read its messages.
                let absent = conversation.sides[1];
                self.purposes.retain(|it| it.1 != at);
                for message in self.messages.iter_mut().filter(|it| it.talk == Some(at)) {
                    message.unread.remove(&absent);
                }
            }
            "active" if conversation.paused.is_none() && conversation.since + ACTIVE <= now => {
                self.terminate(at, "system", "timeout", "active_timeout");
            }
            "terminating" if conversation.since + ACTIVE <= now => {
                conversation.acknowledged = [true; 2];
                self.settle(at, "system", "terminating_timeout");
            }
            _ => {}
        }
    }

    /// Ends the conversations and requests of an agent whose last session is over; it is not awaited at their end
    /// (CONV-19, CONV-54, CONV-85).
    pub(super) fn leave(&mut self, who: Who) {
        if self.is_live(who) {
            return;
        }
        for at in 0..self.talks.len() {
            let conversation = &self.talks[at];
            let Some(side) = conversation.side(who) else { continue };
            if conversation.state == "active" || (conversation.state == "pending" && side == 0) {
                self.terminate(at, "system", "session_expired", "session_expired");
            }
            let conversation = &mut self.talks[at];
            conversation.acknowledged[side] |= conversation.state == "terminating";
            self.settle(at, "system", "session_expired");
        }
    }

    /// Whether a message has come to an agent: not before it has joined (CONV-63).
    pub(super) fn has_come(&self, message: &Message, who: Who) -> bool {
        let Some(talk) = message.talk.map(|it| &self.talks[it]) else { return true };
        !matches!(talk.state, "pending" | "expired") || talk.sides[0] == who
    }

    /// Whether there is something for an agent to read.
    pub(super) fn is_unread(&self, message: &Message, who: Who) -> bool {
        message.unread.contains(&who) && self.has_come(message, who)
    }

    /// Whether it may still be answered: not where its conversation is over.
    pub(super) fn is_answerable(&self, message: &Message) -> bool {
        message.talk.is_none_or(|it| self.talks[it].is_open())
    }

    /// Every conversation as a person's list has it, oldest first.
    pub(super) fn seen(&self) -> Vec<Value> {
        let one = |(at, talk): (usize, &Talk)| {
            let of = |who: Who| {
                let mine = |m: &&Message| m.talk == Some(at) && m.unread.contains(&who);
                self.messages.iter().filter(mine).count()
            };
            json!({
                "state": talk.state, "purpose": talk.purpose,
                "sides": talk.sides.map(|it| IDS[it]), "unread": talk.sides.map(of),
                "messages": self.messages.iter().filter(|m| m.talk == Some(at)).count(),
                "turns": talk.written.iter().min(), "max_turns": talk.max_turns,
                "ended_by": talk.ended_by, "end_reason": talk.reason, "reason_text": talk.why,
                "paused": talk.paused.is_some(),
            })
        };
        self.talks.iter().enumerate().map(one).collect()
    }

    /// The trace and the messages of a conversation.
    pub(super) fn transcript(&self, talk: usize) -> Value {
        let steps = self.talks[talk].steps.iter();
        let steps: Vec<_> = steps.map(|it| json!([it.0, it.1, it.2])).collect();
        let found = self.messages.iter().filter(|it| it.talk == Some(talk));
        let found = found.enumerate().map(|(at, message)| {
            let to = message.to.map(|it| IDS[it]);
            // A message is read when no agent has it unread.
            let is_read = message.unread.is_empty() && !message.read.is_empty();
            json!([at + 1, IDS[message.from], to, message.content, is_read])
        });
        json!({ "steps": steps, "messages": found.collect::<Vec<_>>() })
    }
}
