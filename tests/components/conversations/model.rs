//! Random steps of three agents and a person: the component agrees with a plain model.
//!
//! The number of histories and the seed are in the environment: `MADOGUCHI_HISTORIES=20000
//! MADOGUCHI_SEED=7`. What once went wrong stands at the end, as a history with a name.

mod play;
mod rules;

use std::{cell::RefCell, collections::BTreeSet};

use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::select,
    test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner},
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use play::Stage;

/// Steps of a history, besides those with which it begins and ends.
const LENGTH: usize = 31;

fn number(variable: &str, otherwise: u32) -> u32 {
    let set = std::env::var(variable).ok();
    set.map_or(otherwise, |it| it.parse().expect("a number"))
}

#[test]
fn random_steps_of_3_agents_agree_with_a_plain_model() {
    agrees(false, number("MADOGUCHI_HISTORIES", 600));
}

/// STO-3: the first of the same histories come to the same on PostgreSQL.
#[test]
fn random_steps_agree_with_the_model_on_postgresql() {
    agrees(true, number("MADOGUCHI_HISTORIES", 600) / 20);
}

fn agrees(is_on_postgres: bool, histories: u32) {
    let runtime = Runtime::new().unwrap();
    let stage = RefCell::new(runtime.block_on(Stage::open(is_on_postgres)));
    let seed = number("MADOGUCHI_SEED", 8).to_le_bytes().repeat(8);
    let config = Config {
        cases: histories,
        max_shrink_iters: 4_000,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let agree =
        runner.run(&history(LENGTH), |history| runtime.block_on(stage.borrow_mut().play(&history)));
    match agree {
        Ok(()) => {}
        Err(TestError::Fail(why, history)) => panic!("CONV-10 to CONV-85: {why}\n{history:#?}"),
        Err(other) => panic!("{other}"),
    }
}

/// Plays one history.
fn replay(history: &[Step]) {
    let runtime = Runtime::new().unwrap();
    let played = runtime.block_on(async { Stage::open(false).await.play(history).await });
    played.unwrap_or_else(|it| panic!("{it}"));
}

#[test]
fn persons_messages_wait_for_initiator_of_expired_request() {
    replay(&[Step::Authenticate(2), start(2, 0), Step::Write(0), Step::Pass(302)]);
}

#[test]
fn reports_ended_session_before_missing_recipient() {
    let act = Act::Respond { target: None, client: None };
    let answer = Step::Act { who: 0, old: false, act };
    replay(&[Step::Authenticate(0), start(0, 1), Step::Pass(602), Step::Pass(598), answer]);
}

/// One agent asks another.
fn start(who: usize, whom: usize) -> Step {
    let (target, purpose, initial, max_turns) = (Target::Agent(whom), false, false, None);
    let act = Act::Start { target, purpose, initial, max_turns };
    Step::Act { who, old: false, act }
}

// Steps of three agents and a person, and their random generation.

/// How long time passes at once, in seconds.
const PASSES: [u64; 12] = [1, 5, 30, 120, 240, 298, 302, 400, 598, 602, 800, 900];

/// An agent of the history: 0, 1 or 2.
type Who = usize;

/// The sender's own id of a message, and whether it says what this id always says.
type Client = Option<(u8, bool)>;

/// To whom something goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    /// One of the three, perhaps the sender.
    Agent(Who),
    /// The person at the page.
    Person,
    /// A name that no agent has.
    Unknown,
    /// An agent of another project.
    Outsider,
}

/// One step of a history.
#[derive(Clone, Debug)]
enum Step {
    /// An agent comes in.
    Authenticate(Who),
    /// An agent calls a tool, with its newest token, or with its first one.
    Act { who: Who, old: bool, act: Act },
    /// So many seconds pass.
    Pass(u64),
    /// The schedule runs.
    Sweep,
    /// The person pauses a conversation.
    Pause(usize),
    /// The person resumes it.
    Resume(usize),
    /// The person ends it.
    Stop(usize),
    /// The person writes to both sides.
    Write(usize),
}

/// What an agent does.
#[derive(Clone, Debug)]
enum Act {
    Start {
        target: Target,
        purpose: bool,
        initial: bool,
        max_turns: Option<u32>,
    },
    /// Of the conversation at that place, or of the current one.
    End {
        talk: Option<usize>,
        last_words: bool,
        why: bool,
    },
    Send {
        target: Target,
        client: Client,
    },
    Respond {
        target: Option<Who>,
        client: Client,
    },
    Pending,
    Next,
    Logout,
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![
        16 => (0..3_usize).prop_map(Target::Agent),
        1 => Just(Target::Person),
        1 => Just(Target::Unknown),
        1 => Just(Target::Outsider),
    ]
}

fn client() -> impl Strategy<Value = Client> {
    option::weighted(0.4, (0..3_u8, prop::bool::weighted(0.8)))
}

fn act() -> impl Strategy<Value = Act> {
    let turns = option::weighted(0.3, 1..3_u32);
    let start = (target(), any::<bool>(), any::<bool>(), turns).prop_map(
        |(target, purpose, initial, max_turns)| Act::Start { target, purpose, initial, max_turns },
    );
    let end = (option::weighted(0.4, 0..6_usize), any::<bool>(), any::<bool>())
        .prop_map(|(talk, last_words, why)| Act::End { talk, last_words, why });
    let send = (target(), client()).prop_map(|(target, client)| Act::Send { target, client });
    let respond = (option::weighted(0.3, 0..3_usize), client())
        .prop_map(|(target, client)| Act::Respond { target, client });
    prop_oneof![
        5 => start,
        3 => end,
        8 => send,
        5 => respond,
        4 => Just(Act::Pending),
        10 => Just(Act::Next),
        1 => Just(Act::Logout),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let act = (0..3_usize, prop::bool::weighted(0.06), act())
        .prop_map(|(who, old, act)| Step::Act { who, old, act });
    prop_oneof![
        3 => (0..3_usize).prop_map(Step::Authenticate),
        30 => act,
        5 => select(&PASSES[..]).prop_map(Step::Pass),
        2 => Just(Step::Sweep),
        1 => (0..4_usize).prop_map(Step::Pause),
        1 => (0..4_usize).prop_map(Step::Resume),
        1 => (0..4_usize).prop_map(Step::Stop),
        1 => (0..4_usize).prop_map(Step::Write),
    ]
}

/// A history of up to `length` steps; most begin with some agents in.
fn history(length: usize) -> impl Strategy<Value = Vec<Step>> {
    (vec(prop::bool::weighted(0.7), 3), vec(step(), 1..length)).prop_map(|(there, steps)| {
        let come = there.into_iter().enumerate().filter(|it| it.1);
        come.map(|it| Step::Authenticate(it.0)).chain(steps).collect()
    })
}

/// The text of a message: fixed by its client id, or new.
fn words(sender: &str, client: Client, text: &str) -> String {
    match client {
        Some((own, true)) => format!("{sender} says {own}"),
        _ => text.to_owned(),
    }
}

// The model's state: conversations in memory, and the effect of time.

/// The person, beside the three agents.
const PERSON: Who = 3;

/// Their ids.
const IDS: [&str; 4] = ["worker-a", "worker-b", "worker-c", "operator"];

/// Their names.
const NAMES: [&str; 3] = ["Analysis Worker", "Writing Worker", "Third Worker"];

const SECOND: u64 = 1_000;

const PENDING: u64 = 300 * SECOND;

const ACTIVE: u64 = 600 * SECOND;

const PAUSE: u64 = 3_600 * SECOND;

const SESSION: u64 = 3_600 * SECOND;

/// Idle time of a chat session until it is asked to log out, and again until it expires.
const IDLE: u64 = 600 * SECOND;

/// The model's state of a project.
#[derive(Default)]
struct World {
    /// Milliseconds since some full minute.
    now: u64,
    sessions: Vec<Session>,
    /// Agents to be launched, each with its conversation (CONV-8).
    purposes: Vec<(Who, usize)>,
    talks: Vec<Talk>,
    messages: Vec<Message>,
}

/// A session of an agent: CONV-82.
#[derive(Clone, Copy)]
struct Session {
    who: Who,
    chats: bool,
    over: bool,
    until: u64,
    active_at: u64,
}

/// A conversation, as the model has it.
struct Talk {
    /// The initiator and the participant.
    sides: [Who; 2],
    state: &'static str,
    purpose: Option<String>,
    created: u64,
    /// The start of its time-out: its request, its activation, the last message while active, the end of a pause,
    /// or its termination (CONV-23).
    since: u64,
    /// When something last happened in it (CONV-42).
    stirred: u64,
    /// When it was over.
    over: u64,
    ended_by: Option<&'static str>,
    reason: Option<&'static str>,
    why: Option<String>,
    max_turns: Option<u32>,
    paused: Option<u64>,
    written: [u32; 2],
    /// Whether the participant got the request.
    requested: bool,
    acknowledged: [bool; 2],
    /// Whether each side was notified that it is over.
    notified: [bool; 2],
    /// State, author, cause.
    steps: Vec<(&'static str, &'static str, &'static str)>,
}

/// A message, and who has still to read it.
struct Message {
    talk: Option<usize>,
    from: Who,
    /// None where it went to both sides.
    to: Option<Who>,
    content: String,
    client: Option<u8>,
    unread: BTreeSet<Who>,
    /// When each read it, in the order of reading.
    read: Vec<(Who, u64)>,
}

impl Talk {
    fn is_open(&self) -> bool {
        matches!(self.state, "pending" | "active")
    }

    /// Which side an agent is on.
    fn side(&self, who: Who) -> Option<usize> {
        self.sides.iter().position(|it| *it == who)
    }

    fn is_between(&self, one: Who, other: Who) -> bool {
        self.side(one).is_some() && self.side(other).is_some() && one != other
    }

    fn step(&mut self, state: &'static str, by: &'static str, cause: &'static str) {
        self.state = state;
        self.steps.push((state, by, cause));
    }
}

impl World {
    /// Whether an agent has a session that is not over.
    fn is_live(&self, who: Who) -> bool {
        self.sessions.iter().any(|it| it.who == who && !it.over)
    }

    /// A session for an agent that comes in.
    fn admit(&mut self, who: Who, chats: bool) {
        let (until, active_at) = (self.now + SESSION, self.now);
        self.sessions.push(Session { who, chats: false, over: false, until, active_at });
        if chats {
            self.make_chat(self.sessions.len() - 1);
        }
    }

    /// Makes a session the only chat session of its agent (CONV-82).
    fn make_chat(&mut self, session: usize) {
        let who = self.sessions[session].who;
        for (at, other) in self.sessions.iter_mut().enumerate() {
            other.over |= at != session && other.who == who && other.chats;
        }
        self.sessions[session].chats = true;
    }

    /// Makes a pending conversation active: CONV-12.
    fn activate(&mut self, talk: usize, by: &'static str, cause: &'static str) {
        let now = self.now;
        let conversation = &mut self.talks[talk];
        (conversation.since, conversation.stirred) = (now, now);
        conversation.step("active", by, cause);
        self.purposes.retain(|it| it.1 != talk);
    }

    /// Begins to end a conversation: CONV-15, CONV-18, CONV-19.
    fn terminate(
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
    fn settle(&mut self, talk: usize, by: &'static str, cause: &'static str) {
        let conversation = &mut self.talks[talk];
        if conversation.state == "terminating" && conversation.acknowledged == [true; 2] {
            conversation.over = self.now;
            conversation.step("ended", by, cause);
        }
    }

    /// Applies everything that is due (CONV-13, CONV-15, CONV-19, CONV-54), as before each call (CONV-23).
    fn expiry(&mut self) {
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
    fn sweep(&mut self) {
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
    fn leave(&mut self, who: Who) {
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
    fn has_come(&self, message: &Message, who: Who) -> bool {
        let Some(talk) = message.talk.map(|it| &self.talks[it]) else { return true };
        !matches!(talk.state, "pending" | "expired") || talk.sides[0] == who
    }

    /// Whether there is something for an agent to read.
    fn is_unread(&self, message: &Message, who: Who) -> bool {
        message.unread.contains(&who) && self.has_come(message, who)
    }

    /// Whether it may still be answered: not where its conversation is over.
    fn is_answerable(&self, message: &Message) -> bool {
        message.talk.is_none_or(|it| self.talks[it].is_open())
    }

    /// Every conversation as a person's list has it, oldest first.
    fn seen(&self) -> Vec<Value> {
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
    fn transcript(&self, talk: usize) -> Value {
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
