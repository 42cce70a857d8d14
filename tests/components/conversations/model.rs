//! Random steps of three agents and a person: the component agrees with a plain model.
//!
//! The number of histories and the seed are in the environment: `MADOGUCHI_HISTORIES=20000
//! MADOGUCHI_SEED=7`. What once went wrong stands at the end, as a history with a name.

mod play;
mod rules;
mod world;

use std::cell::RefCell;

use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::select,
    test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner},
};
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
