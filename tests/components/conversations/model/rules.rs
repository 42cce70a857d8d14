//! The model's effect and answer of each step, in the order of the catalogue; notices and ends.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Act, Client, IDLE, IDS, Message, NAMES, PERSON, Session, Step, Talk, Target, Who, World, words,
};

/// An answer, with conversations as `c0`, `c1` and messages by what they say; or a refusal: its code
/// and its status.
type Expected = Result<Value, (&'static str, u16)>;

/// A conversation as the answers name it.
pub(super) fn named(talk: usize) -> String {
    format!("c{talk}")
}

impl World {
    /// One step; `text` is a new text for it, and `hint` the conversation that the answer named where
    /// the catalogue leaves open which of several comes first.
    pub(super) fn step(&mut self, step: &Step, text: &str, hint: Option<usize>) -> Expected {
        // Sweeps and calls first apply what is due (CONV-23).
        if !matches!(step, Step::Pass(_)) {
            self.expiry();
        }
        match step {
            Step::Authenticate(who) => Ok(self.authenticate(*who)),
            Step::Act { who, old, act } => {
                let mut mine = (0..self.sessions.len()).filter(|it| self.sessions[*it].who == *who);
                let session = if *old { mine.next() } else { mine.next_back() };
                let session = session.filter(|it| !self.sessions[*it].over);
                let session = session.ok_or(("invalid_session", 401))?;
                self.act(session, act, text, hint)
            }
            Step::Pass(seconds) => {
                self.now += seconds * 1_000;
                Ok(Value::Null)
            }
            Step::Sweep => {
                self.sweep();
                Ok(Value::Null)
            }
            Step::Pause(at) => self.pause(*at, true),
            Step::Resume(at) => self.pause(*at, false),
            Step::Stop(at) => self.stop(*at),
            Step::Write(at) => self.write(*at, text),
        }
    }

    fn act(&mut self, session: usize, act: &Act, text: &str, hint: Option<usize>) -> Expected {
        match act {
            Act::Start { target, purpose, initial, max_turns } => {
                let with = (purpose.then(|| format!("{text} for")), *max_turns);
                self.start(session, *target, with, initial.then_some(text))
            }
            Act::End { talk, last_words, why } => {
                let why = why.then(|| format!("{text} because"));
                self.end(session, *talk, last_words.then_some(text), why)
            }
            Act::Send { target, client } => self.send(session, *target, *client, text),
            Act::Respond { target, client } => self.respond(session, *target, *client, text),
            Act::Pending => self.read(session),
            Act::Next => Ok(self.next(session, hint)),
            Act::Logout => Ok(self.logout(session)),
        }
    }

    /// Opens a session: CONV-80 to CONV-82.
    fn authenticate(&mut self, who: Who) -> Value {
        // To talk, where another agent wants that, or where there is a conversation to go on with.
        let open = self.talks.iter().any(|it| it.is_open() && it.side(who).is_some());
        let chats = open || self.purposes.iter().any(|it| it.0 == who);
        if chats {
            self.purposes.retain(|it| it.0 != who);
        }
        self.admit(who, chats);
        let waiting: Vec<_> = (0..self.talks.len())
            .filter(|it| self.talks[*it].state == "pending" && self.talks[*it].sides[1] == who)
            .collect();
        for talk in waiting {
            self.activate(talk, IDS[who], "authenticate");
        }
        json!({ "purpose": if chats { "chat" } else { "task" }, "name": NAMES[who] })
    }

    /// Closes a session: CONV-85.
    fn logout(&mut self, session: usize) -> Value {
        let who = self.sessions[session].who;
        self.sessions[session].over = true;
        self.leave(who);
        json!({})
    }

    /// The checks of CONV-30 in their order, then CONV-33.
    fn start(
        &mut self,
        session: usize,
        target: Target,
        (purpose, max_turns): (Option<String>, Option<u32>),
        initial: Option<&str>,
    ) -> Expected {
        let who = self.sessions[session].who;
        let other = match target {
            Target::Agent(agent) if agent == who => Err(("cannot_conversation_with_self", 400)),
            Target::Agent(agent) => Ok(agent),
            Target::Unknown => Err(("agent_not_found", 404)),
            Target::Person => Err(("cannot_start_conversation_with_human", 400)),
            Target::Outsider => Err(("target_agent_not_in_project", 403)),
        }?;
        if self.talks.iter().any(|it| it.is_open() && it.is_between(who, other)) {
            return Err(("conversation_already_active", 409));
        }
        self.talk_in(session, true);
        let talk = self.talks.len();
        self.talks.push(Talk {
            sides: [who, other],
            state: "pending",
            purpose,
            created: self.now,
            since: self.now,
            stirred: self.now,
            over: 0,
            ended_by: None,
            reason: None,
            why: None,
            max_turns,
            paused: None,
            written: [0; 2],
            requested: false,
            acknowledged: [false; 2],
            notified: [false; 2],
            steps: vec![("pending", IDS[who], "start_conversation")],
        });
        self.purposes.push((other, talk));
        if let Some(content) = initial {
            self.say(who, Some(other), Some(talk), None, content);
        }
        Ok(json!({ "talk": named(talk), "status": "pending", "to": IDS[other] }))
    }

    /// Writes a message down.
    fn say(
        &mut self,
        from: Who,
        to: Option<Who>,
        talk: Option<usize>,
        client: Option<u8>,
        content: &str,
    ) {
        let mut unread: BTreeSet<_> = to.into_iter().collect();
        if let Some(at) = talk {
            let conversation = &mut self.talks[at];
            conversation.stirred = self.now;
            // Waiting for the participant is not shortened by messages, nor is a pause.
            if conversation.state == "active" && conversation.paused.is_none() {
                conversation.since = self.now;
            }
            if let Some(side) = conversation.side(from) {
                conversation.written[side] += 1;
            }
            if to.is_none() {
                unread.extend(conversation.sides);
            }
        }
        let (content, read) = (content.to_owned(), Vec::new());
        self.messages.push(Message { talk, from, to, content, client, unread, read });
    }

    /// Sends a message: CONV-60 to CONV-66.
    fn send(&mut self, session: usize, target: Target, client: Client, text: &str) -> Expected {
        let who = self.sessions[session].who;
        let content = &words(IDS[who], client, text);
        let own = client.map(|it| it.0);
        let other = match target {
            Target::Agent(agent) if agent == who => Err(("cannot_message_self", 400)),
            Target::Agent(agent) => Ok(agent),
            Target::Person => Ok(PERSON),
            Target::Unknown => Err(("agent_not_found", 404)),
            Target::Outsider => Err(("target_agent_not_in_project", 403)),
        }?;
        let twice = |it: &&Message| own.is_some() && it.from == who && it.client == own;
        if let Some(message) = self.messages.iter().find(twice) {
            if message.content != *content || message.to != Some(other) {
                return Err(("idempotency_conflict", 409));
            }
            let talk = message.talk.map(named);
            return Ok(json!({ "message": content, "talk": talk, "to": IDS[other] }));
        }
        let open = |it: &Talk| it.is_between(who, other) && it.is_open();
        let talk = self.talks.iter().position(open);
        if other != PERSON {
            let refusal = Err(("conversation_required_for_ai_to_ai", 400));
            let Some(at) = talk else { return refusal };
            let conversation = &self.talks[at];
            if conversation.state == "pending" && conversation.sides[0] != who {
                return refusal;
            }
            if conversation.paused.is_some() {
                return Err(("conversation_paused", 409));
            }
        }
        self.sessions[session].active_at = self.now;
        self.say(who, Some(other), talk, own, content);
        if let Some(at) = talk {
            let conversation = &self.talks[at];
            if conversation
                .max_turns
                .is_some_and(|max| conversation.written.iter().all(|it| *it >= max))
            {
                self.terminate(at, "system", "max_turns", "max_turns");
            }
        }
        Ok(json!({ "message": content, "talk": talk.map(named), "to": IDS[other] }))
    }

    /// Sends an answer: CONV-75.
    fn respond(&mut self, at: usize, target: Option<Who>, client: Client, text: &str) -> Expected {
        if !self.sessions[at].chats {
            return Err(("tool_not_available", 403));
        }
        let who = self.sessions[at].who;
        let target = target.or_else(|| self.writer(who, client));
        match target {
            Some(PERSON) => self.send(at, Target::Person, client, text),
            Some(agent) => self.send(at, Target::Agent(agent), client, text),
            None => Err(("invalid_params", 400)),
        }
    }

    /// The recipient of an answer: the sender of the latest unread message, or of the last read one. Unread
    /// messages of conversations whose end the agent knows do not count. A repeated client id keeps its recipient.
    /// In a conversation the answer goes to the other agent, even after a person's message.
    fn writer(&self, who: Who, client: Client) -> Option<Who> {
        let own = client.map(|it| it.0);
        let sent = |it: &&Message| own.is_some() && it.from == who && it.client == own;
        if let Some(message) = self.messages.iter().find(sent) {
            return message.to;
        }
        let come = |it: &&Message| self.has_come(it, who);
        let read_at = |it: &Message| it.read.iter().find(|it| it.0 == who).map(|it| it.1);
        let is_known = |at: usize| {
            let talk = &self.talks[at];
            !talk.is_open()
                && talk.side(who).is_some_and(|it| talk.notified[it] || talk.acknowledged[it])
        };
        let counts = |it: &&Message| come(it) && !it.talk.is_some_and(is_known);
        let unread = |may: &dyn Fn(&&Message) -> bool| {
            self.messages.iter().rev().find(|it| it.unread.contains(&who) && may(it))
        };
        let read = self.messages.iter().filter(|it| read_at(it).is_some() && come(it));
        // Among messages read at once, those of ended conversations come last.
        let read = read.max_by_key(|it| (read_at(it), self.is_answerable(it)));
        let latest = unread(&counts).or(read).or_else(|| unread(&come))?;
        Some(latest.talk.map_or(latest.from, |at| {
            let [one, other] = self.talks[at].sides;
            if one == who { other } else { one }
        }))
    }
}

// The model's notices and ends of conversations (CONV-40 to CONV-54, CONV-70), and people's actions.

/// How many messages `get_pending_messages` gives at once (CONV-70).
const AT_ONCE: usize = 10;

impl World {
    /// Ends a conversation: CONV-40 to CONV-44.
    fn end(
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
    fn read(&mut self, session: usize) -> Expected {
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
    fn next(&mut self, session: usize, hint: Option<usize>) -> Value {
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
    fn talk_in(&mut self, session: usize, begins: bool) {
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
    fn pause(&mut self, at: usize, paused: bool) -> Expected {
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
    fn stop(&mut self, at: usize) -> Expected {
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
    fn write(&mut self, at: usize, text: &str) -> Expected {
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
