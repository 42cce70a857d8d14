//! Random steps of three agents and a person: the component agrees with a plain model.
//!
//! The number of histories and the seed are in the environment: `MADOGUCHI_HISTORIES=20000
//! MADOGUCHI_SEED=7`. What once went wrong stands at the end, as a history with a name.

mod ends;
mod look;
mod play;
mod rules;
mod steps;
mod world;

use std::cell::RefCell;

use play::Stage;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use steps::{Act, Step, Target};
use tokio::runtime::Runtime;

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
    let agree = runner.run(&steps::history(LENGTH), |history| {
        runtime.block_on(stage.borrow_mut().play(&history))
    });
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
