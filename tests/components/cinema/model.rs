//! Random reservations and cancellations agree with a plain model.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
};

use proptest::{
    collection::vec,
    prelude::*,
    sample::Index,
    test_runner::{Config, TestCaseResult, TestRunner},
};
use serde_json::{Value, json};
use tests::bench::Tested;
use workbench::solo::SoloOutcome;

use super::{all, free, open, open_on_postgres, open_with, order};

const USERS: [&str; 3] = ["花子", "太郎", "u3"];
/// Few seats, so that users collide. The last one is in no plan.
const SEATS: [&str; 7] = ["A1", "A2", "A3", "B1", "B2", "B3", "C1"];
const SCREENS: usize = 6;

#[derive(Clone, Debug)]
enum Step {
    Reserve { user: usize, seats: Vec<usize> },
    Cancel { user: usize, reservation: Index },
}

fn step() -> impl Strategy<Value = Step> {
    let reserve = (0..USERS.len(), vec(0..SEATS.len(), 1..4))
        .prop_map(|(user, seats)| Step::Reserve { user, seats });
    let cancel = (0..USERS.len(), any::<Index>())
        .prop_map(|(user, reservation)| Step::Cancel { user, reservation });
    prop_oneof![3 => reserve, 2 => cancel]
}

/// The plain model.
#[derive(Default)]
struct Model {
    taken: BTreeMap<&'static str, usize>,
    made: Vec<Made>,
}

struct Made {
    id: String,
    user: &'static str,
}

/// How a call ends: the code of a refusal and the seats that it names, or the seats of the output.
type Ending = Result<Vec<String>, (String, Vec<String>)>;

fn refused(code: &str, seats: &[&str]) -> Ending {
    Err((code.to_owned(), seats.iter().map(|it| (*it).to_owned()).collect()))
}

impl Model {
    fn reserve(&mut self, seats: &[&'static str]) -> Ending {
        let those = |bad: &dyn Fn(&str) -> bool| -> Vec<&str> {
            seats.iter().copied().filter(|it| bad(it)).collect()
        };
        if seats.iter().collect::<BTreeSet<_>>().len() < seats.len() {
            return refused("invalid_params", &[]);
        }
        let unknown = those(&|it| it == SEATS[6]);
        if !unknown.is_empty() {
            return refused("seat_not_found", &unknown);
        }
        let lost = those(&|it| self.taken.contains_key(it));
        if !lost.is_empty() {
            return refused("seat_already_reserved", &lost);
        }
        self.taken.extend(seats.iter().map(|it| (*it, self.made.len())));
        Ok(seats.iter().map(|it| (*it).to_owned()).collect())
    }

    fn cancel(&mut self, user: &str, reservation: usize) -> Result<(), &'static str> {
        if self.made[reservation].user != user {
            return Err("reservation_user_mismatch");
        }
        self.taken.retain(|_, it| *it != reservation);
        Ok(())
    }

    fn free(&self) -> Vec<&str> {
        SEATS[..6].iter().copied().filter(|it| !self.taken.contains_key(it)).collect()
    }
}

/// A cinema with a showing of its own for every sequence.
fn many_showings() -> Value {
    let rows = json!([{ "row": "A", "seats": "sss" }, { "row": "B", "seats": "sss" }]);
    let screen = |it: usize| json!({ "screen_id": format!("s{it}"), "name": "館", "rows": rows });
    let times: Vec<_> = (0..24).map(|it| format!("{it:02}:30")).collect();
    let entry =
        |it: usize| json!({ "screen_id": format!("s{it}"), "movie_id": "kimi", "times": times });
    json!({
        "screens": (0..SCREENS).map(screen).collect::<Vec<_>>(),
        "movies": [{ "movie_id": "kimi", "title": "君", "description": "夢", "duration": 50, "rating": 4 }],
        "programme": (0..SCREENS).map(entry).collect::<Vec<_>>(),
    })
}

fn showing(number: usize) -> String {
    let (screen, rest) = (number % SCREENS, number / SCREENS);
    let (hour, day) = (rest % 24, 21 + rest / 24);
    assert!(day <= 26, "more sequences than showings");
    format!("st-202611{day}-s{screen}-{hour:02}30")
}

async fn outcome(cinema: &Tested, tool: &str, arguments: Value) -> Result<Value, Value> {
    match cinema.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => {
            let json = output.structured.expect("the tool has a structured output");
            Ok(serde_json::from_str(&json).expect("the output is JSON"))
        }
        SoloOutcome::Failed(failure) => Err(failure),
        SoloOutcome::InputRequired(questions) => panic!("{tool} asks: {questions:?}"),
        SoloOutcome::Waits(wait) => panic!("{tool} waits: {wait:?}"),
    }
}

async fn play(cinema: &Tested, showtime_id: &str, steps: Vec<Step>) -> TestCaseResult {
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Reserve { user, seats } => {
                let user = USERS[user];
                let seats: Vec<_> = seats.into_iter().map(|it| SEATS[it]).collect();
                let expected = model.reserve(&seats);
                let made = outcome(cinema, "reserve_seats", order(user, showtime_id, &seats)).await;
                if let Ok(made) = &made {
                    let id = made["reservation_id"].as_str().expect("an id").to_owned();
                    model.made.push(Made { id, user });
                }
                prop_assert_eq!(ending(made), expected);
            }
            Step::Cancel { .. } if model.made.is_empty() => {}
            Step::Cancel { user, reservation } => {
                let user = USERS[user];
                let index = reservation.index(model.made.len());
                let arguments = json!({ "reservation_id": model.made[index].id, "user_id": user });
                let cancelled = outcome(cinema, "cancel_reservation", arguments).await;
                let code = cancelled.map(|it| assert_eq!(it["status"], "cancelled"));
                let code = code.map_err(|it| it["error"].as_str().expect("a code").to_owned());
                prop_assert_eq!(code, model.cancel(user, index).map_err(str::to_owned));
            }
        }
        prop_assert_eq!(free(cinema, showtime_id).await, model.free());
    }
    Ok(())
}

fn ending(made: Result<Value, Value>) -> Ending {
    match made {
        Ok(made) => Ok(all(&made["seats"], "seat_id")),
        Err(failure) => {
            let named = failure["data"]["seat_ids"].as_array().cloned().unwrap_or_default();
            let named = named.iter().map(|it| it.as_str().expect("an id").to_owned()).collect();
            Err((failure["error"].as_str().expect("a code").to_owned(), named))
        }
    }
}

fn runner(cases: u32) -> TestRunner {
    let config =
        Config { cases, max_shrink_iters: 400, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
}

#[test]
fn random_reservations_of_3_users_agree_with_a_plain_model() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    agrees(&runtime, &runtime.block_on(open_with(&many_showings())), 64);
}

/// STO-3: the engines differ in nothing that the model tells.
#[test]
fn random_reservations_agree_with_the_model_on_postgresql() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    agrees(&runtime, &runtime.block_on(open_on_postgres(&many_showings())), 24);
}

fn agrees(runtime: &tokio::runtime::Runtime, cinema: &Tested, sequences: u32) {
    let next = Cell::new(0);
    let agree = runner(sequences).run(&vec(step(), 1..30), |steps| {
        let showtime_id = showing(next.replace(next.get() + 1));
        runtime.block_on(play(cinema, &showtime_id, steps))
    });
    agree.unwrap_or_else(|error| panic!("CIN-42, CIN-43, CIN-46: {error}"));
}

#[test]
fn recorded_text_is_returned_unchanged() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cinema = runtime.block_on(open());
    // Seats outside the plan are refused.
    let text = || vec(any::<char>(), 1..60).prop_map(|it| String::from_iter(it) + "a");
    let number = Cell::new(0);
    let same = runner(128).run(&(text(), text(), text()), |(id, user, content)| {
        // A conversation of its own for every case, or it might be someone else's.
        let id = format!("{id}{}", number.replace(number.get() + 1));
        let message = json!({ "sender": "agent", "content": content });
        let arguments = json!({ "conversation_id": id, "user_id": user, "message": message });
        runtime.block_on(cinema.call("record_conversation", arguments));
        let arguments = json!({ "conversation_id": id });
        let kept = runtime.block_on(cinema.call("get_conversation_history", arguments));
        prop_assert_eq!(all(&kept["history"], "content"), [content]);
        Ok(())
    });
    same.unwrap_or_else(|error| panic!("CIN-54, CIN-61: {error}"));
}
