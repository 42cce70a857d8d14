//! The model's notices and ends of conversations (CONV-40 to CONV-54, CONV-70), and people's actions.

use serde_json::{Value, json};

use super::{
    rules::{Expected, named},
    steps::Who,
    world::{IDLE, IDS, NAMES, PERSON, Session, Talk, World},
};

/// How many messages `get_pending_messages` gives at once (CONV-70).
const AT_ONCE: usize = 10;

impl World {
    /// Ends a conversation: CONV-40 to CONV-44.
    pub(super) fn end(
        &mut self,
        session: usize,
        talk: Option<usize>,
        last_words: Option<&str>,
        why: Option<String>,
    ) -> Expected {
        let who = self.sessions[session].who;
        let at = match talk {
            Some(_) if self.talks.is_empty() => Err(("conversation_not_found", 404)),
            Some(number) => Ok(number % self.talks.len()),
            None => self.current(who).ok_or(("no_active_conversation", 400)),
        }?;
        let side = self.talks[at].side(who).ok_or(("not_conversation_participant", 403))?;
        let answer = json!({ "talk": named(at), "status": "terminating" });
        match self.talks[at].state {
            "terminating" => return Ok(answer),
            "ended" | "expired" => return Err(("no_active_conversation", 400)),
            _ => {}
        }
        if let Some(content) = last_words {
            let other = self.talks[at].sides[1 - side];
            self.say(who, Some(other), Some(at), None, content);
        }
        self.sessions[session].active_at = self.now;
        let reason = ["initiator_ended", "participant_ended"][side];
        self.terminate(at, IDS[who], reason, "end_conversation");
        self.talks[at].why = why;
        self.talks[at].acknowledged[side] = true;
        Ok(answer)
    }

    /// The conversation with the latest activity; among equals active before pending (CONV-42).
    fn current(&self, who: Who) -> Option<usize> {
        let mine = |it: &usize| self.talks[*it].is_open() && self.talks[*it].side(who).is_some();
        (0..self.talks.len()).filter(mine).max_by_key(|at| {
            let talk = &self.talks[*at];
            (talk.stirred, talk.state == "active")
        })
    }

    /// CONV-70: returns unread messages, oldest first, and marks them as read.
    pub(super) fn read(&mut self, session: usize) -> Expected {
        let Session { who, chats, .. } = self.sessions[session];
        if !chats {
            return Err(("tool_not_available", 403));
        }
        let now = self.now;
        let unread = |it: &usize| self.is_unread(&self.messages[*it], who);
        let unread: Vec<_> = (0..self.messages.len()).filter(unread).take(AT_ONCE).collect();
        let mut pending = Vec::new();
        for at in unread {
            self.sessions[session].active_at = now;
            let message = &mut self.messages[at];
            message.unread.remove(&who);
            message.read.push((who, now));
            pending.push(json!([IDS[message.from], message.content, message.talk.map(named)]));
        }
        Ok(json!({ "pending": pending }))
    }

    /// CONV-50, in its order.
    pub(super) fn next(&mut self, session: usize, hint: Option<usize>) -> Value {
        let Session { who, chats, active_at, .. } = self.sessions[session];
        if let Some(answer) = self.notice(who, hint) {
            return answer;
        }
        if let Some(answer) = self.request(session, hint) {
            return answer;
        }
        if chats && active_at + IDLE <= self.now {
            return json!({ "action": "logout", "reason": "session_timeout" });
        }
        if self.messages.iter().any(|it| self.is_unread(it, who) && self.is_answerable(it)) {
            self.talk_in(session, !chats);
            return json!({ "action": "get_pending_messages", "state": "chat_session" });
        }
        json!({ "action": "wait_for_messages", "state": "chat_waiting", "wait_seconds": 5 })
    }

    /// CONV-52 and CONV-53: the notice of an end, once.
    fn notice(&mut self, who: Who, hint: Option<usize>) -> Option<Value> {
        let due = |state: &'static [&'static str], at: &usize| {
            let talk = &self.talks[*at];
            let side = talk.side(who);
            state.contains(&talk.state) && side.is_some_and(|it| !talk.notified[it])
        };
        let at = self.first(hint, |it| due(&["terminating", "ended"], it), |it| it.since);
        if let Some(at) = at {
            let side = self.talks[at].side(who)?;
            self.talks[at].notified[side] = true;
            self.talks[at].acknowledged[side] = true;
            self.settle(at, IDS[who], "notified");
            let conversation = &self.talks[at];
            return Some(json!({
                "action": "conversation_ended", "talk": named(at), "ended_by": conversation.ended_by,
                "reason": conversation.reason, "reason_text": conversation.why,
            }));
        }
        let mine = |it: &usize| due(&["expired"], it) && self.talks[*it].sides[0] == who;
        let at = self.first(hint, mine, |it| it.created)?;
        self.talks[at].notified[0] = true;
        let target = IDS[self.talks[at].sides[1]];
        Some(json!({ "action": "conversation_expired", "talk": named(at), "target": target }))
    }

    /// CONV-51: the request of another agent, once.
    fn request(&mut self, session: usize, hint: Option<usize>) -> Option<Value> {
        let who = self.sessions[session].who;
        let mine = |at: &usize| {
            let talk = &self.talks[*at];
            talk.is_open() && talk.sides[1] == who && !talk.requested
        };
        let at = self.first(hint, mine, |it| it.created)?;
        self.talks[at].requested = true;
        self.talk_in(session, true);
        if self.talks[at].state == "pending" {
            self.activate(at, IDS[who], "get_next_action");
        }
        let conversation = &self.talks[at];
        let name = NAMES[conversation.sides[0]];
        Some(json!({
            "action": "conversation_request", "talk": named(at), "from": IDS[conversation.sides[0]],
            "name": name, "purpose": conversation.purpose, "state": "conversation_active",
            "instruction": format!("{name}から会話リクエストがあります。get_pending_messagesでメッセージを確認し、respond_chatで応答してください。"),
        }))
    }

    /// A session becomes a chat session when a conversation begins in it (CONV-111).
    pub(super) fn talk_in(&mut self, session: usize, begins: bool) {
        if begins {
            self.make_chat(session);
            self.sessions[session].active_at = self.now;
        }
    }

    /// The earliest candidate; among simultaneous ones the hinted one.
    fn first(
        &self,
        hint: Option<usize>,
        is_one: impl Fn(&usize) -> bool,
        moment: impl Fn(&Talk) -> u64,
    ) -> Option<usize> {
        let those: Vec<_> = (0..self.talks.len()).filter(is_one).collect();
        let earliest = those.iter().map(|it| moment(&self.talks[*it])).min()?;
        let mut equals = those.into_iter().filter(|it| moment(&self.talks[*it]) == earliest);
        let named = hint.filter(|hint| equals.clone().any(|it| it == *hint));
        named.or_else(|| equals.next())
    }

    /// A person pauses or resumes a conversation.
    pub(super) fn pause(&mut self, at: usize, paused: bool) -> Expected {
        let at = self.at(at)?;
        let now = self.now;
        let conversation = &mut self.talks[at];
        if conversation.state != "active" {
            return Err(("no_active_conversation", 400));
        }
        match (paused, conversation.paused) {
            (true, None) => {
                (conversation.paused, conversation.since, conversation.stirred) =
                    (Some(now), now, now)
            }
            (false, Some(_)) => {
                (conversation.paused, conversation.since, conversation.stirred) = (None, now, now)
            }
            _ => {}
        }
        Ok(json!({ "talk": named(at), "state": conversation.state }))
    }

    /// A person ends a conversation.
    pub(super) fn stop(&mut self, at: usize) -> Expected {
        let at = self.at(at)?;
        match self.talks[at].state {
            // Again is no fault (CONV-43).
            "ended" if self.talks[at].reason == Some("operator_ended") => {}
            "ended" | "expired" => return Err(("no_active_conversation", 400)),
            "terminating" => {}
            _ => self.terminate(at, IDS[PERSON], "operator_ended", "stop_conversation"),
        }
        Ok(json!({ "talk": named(at), "state": self.talks[at].state }))
    }

    /// A person writes to both sides.
    pub(super) fn write(&mut self, at: usize, text: &str) -> Expected {
        let at = self.at(at)?;
        if !self.talks[at].is_open() {
            return Err(("no_active_conversation", 400));
        }
        self.say(PERSON, None, Some(at), None, text);
        Ok(json!({ "talk": named(at), "state": self.talks[at].state }))
    }

    fn at(&self, at: usize) -> Result<usize, (&'static str, u16)> {
        at.checked_rem(self.talks.len()).ok_or(("conversation_not_found", 404))
    }
}
