//! Conversations as the catalogue has them, in memory: what there is, and what time does to it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::steps::Who;

/// The person, beside the three agents.
pub(super) const PERSON: Who = 3;
/// Who they are for programs.
pub(super) const IDS: [&str; 4] = ["worker-a", "worker-b", "worker-c", "operator"];
/// Who they are for people.
pub(super) const NAMES: [&str; 3] = ["Analysis Worker", "Writing Worker", "Third Worker"];

const SECOND: u64 = 1_000;
const PENDING: u64 = 300 * SECOND;
const ACTIVE: u64 = 600 * SECOND;
const PAUSE: u64 = 3_600 * SECOND;
const SESSION: u64 = 3_600 * SECOND;
/// How long a chat session may be idle before it is asked to go; and once more before it is over.
pub(super) const IDLE: u64 = 600 * SECOND;

/// What the catalogue says of a project.
#[derive(Default)]
pub(super) struct World {
    /// Milliseconds since some full minute.
    pub(super) now: u64,
    pub(super) sessions: Vec<Session>,
    /// For whom an agent should be launched, and because of which conversation (CONV-8).
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
    /// Since when its time-out counts: it was asked for, became active, a message came while it
    /// was active, it went on after a pause, or it came to be terminating (CONV-23).
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
    /// State, by whom, by what.
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

    /// A session becomes one to talk in: the only one of its agent (CONV-82).
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
        let it = &mut self.talks[talk];
        (it.since, it.stirred) = (now, now);
        it.step("active", by, cause);
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
        let it = &mut self.talks[talk];
        (it.ended_by, it.reason) = (Some(by), Some(reason));
        (it.since, it.paused) = (now, None);
        it.step("terminating", by, cause);
    }

    /// CONV-16: over once both know.
    pub(super) fn settle(&mut self, talk: usize, by: &'static str, cause: &'static str) {
        let it = &mut self.talks[talk];
        if it.state == "terminating" && it.acknowledged == [true; 2] {
            it.over = self.now;
            it.step("ended", by, cause);
        }
    }

    /// Whatever is due by now (CONV-13, CONV-15, CONV-19, CONV-54), as CONV-23 wants before each call.
    pub(super) fn expiry(&mut self) {
        for at in 0..self.talks.len() {
            self.expiry_of(at);
        }
        let now = self.now;
        for at in 0..self.sessions.len() {
            let it = &mut self.sessions[at];
            let idle = it.chats && it.active_at + 2 * IDLE <= now;
            if !it.over && (it.until <= now || idle) {
                it.over = true;
                let who = it.who;
                self.leave(who);
            }
        }
    }

    /// What the schedule does beside that: an agent that is not there is not waited for (CONV-54), and is
    /// not notified an hour later, which is looked at once a minute.
    pub(super) fn sweep(&mut self) {
        let is_seldom = (self.now / SECOND).is_multiple_of(60);
        for at in 0..self.talks.len() {
            let live = self.talks[at].sides.map(|it| self.is_live(it));
            let it = &mut self.talks[at];
            for (side, live) in live.into_iter().enumerate() {
                it.acknowledged[side] |= !live && it.state == "terminating";
            }
            self.settle(at, "system", "not_there");
            let it = &mut self.talks[at];
            if is_seldom && matches!(it.state, "ended" | "expired") && it.over + SESSION <= self.now
            {
                it.notified = [true; 2];
            }
        }
    }

    /// What time does to one conversation.
    fn expiry_of(&mut self, at: usize) {
        let now = self.now;
        let it = &mut self.talks[at];
        if it.paused.is_some_and(|it| it + PAUSE <= now) {
            it.paused = None;
            it.since = now;
        }
        match it.state {
            "pending" if it.since + PENDING <= now => {
                it.ended_by = Some("system");
                it.step("expired", "system", "pending_timeout");
                it.over = now;
                // An agent that never came is not going to read the messages in it.
                let absent = it.sides[1];
                self.purposes.retain(|it| it.1 != at);
                for message in self.messages.iter_mut().filter(|it| it.talk == Some(at)) {
                    message.unread.remove(&absent);
                }
            }
            "active" if it.paused.is_none() && it.since + ACTIVE <= now => {
                self.terminate(at, "system", "timeout", "active_timeout");
            }
            "terminating" if it.since + ACTIVE <= now => {
                it.acknowledged = [true; 2];
                self.settle(at, "system", "terminating_timeout");
            }
            _ => {}
        }
    }

    /// The last session of an agent may be over: then its conversations are, and the requests that
    /// it made, and of what ends it is not notified first (CONV-19, CONV-54, CONV-85).
    pub(super) fn leave(&mut self, who: Who) {
        if self.is_live(who) {
            return;
        }
        for at in 0..self.talks.len() {
            let it = &self.talks[at];
            let Some(side) = it.side(who) else { continue };
            if it.state == "active" || (it.state == "pending" && side == 0) {
                self.terminate(at, "system", "session_expired", "session_expired");
            }
            let it = &mut self.talks[at];
            it.acknowledged[side] |= it.state == "terminating";
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
            // Read is what no agent has still to read.
            let is_read = message.unread.is_empty() && !message.read.is_empty();
            json!([at + 1, IDS[message.from], to, message.content, is_read])
        });
        json!({ "steps": steps, "messages": found.collect::<Vec<_>>() })
    }
}
