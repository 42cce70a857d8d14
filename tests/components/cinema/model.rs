//! Random reservations and cancellations agree with a plain model.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
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

use super::{NOON, all, free, open, open_on_postgres, open_with, order};

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

// Random holds, extensions, releases, reservations and cancellations over time agree with a plain model.

const STEPS: u32 = 800;

const SEED: u64 = 20_261_120;

const HOLDERS: [&str; 3] = ["u1", "u2", "u3"];

/// Few seats, so that users collide.
const HELD_SEATS: [&str; 6] = ["A1", "A2", "A3", "B1", "B2", "B3"];

/// The film begins at 12:20; the model ends before.
const MINUTES: u64 = 130;

/// A deterministic random number generator (Knuth's MMIX).
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    /// One of the last few, which may still be live.
    fn late(&mut self, count: usize) -> usize {
        count - 1 - self.below(count.min(6))
    }

    fn seats(&mut self) -> Vec<&'static str> {
        let (first, count) = (self.below(HELD_SEATS.len()), 1 + self.below(3));
        (0..count).map(|it| HELD_SEATS[(first + it) % HELD_SEATS.len()]).collect()
    }
}

struct Hold {
    token: String,
    user: &'static str,
    seats: Vec<&'static str>,
    made: u64,
    ends: u64,
    is_over: bool,
}

struct Reservation {
    id: String,
    user: &'static str,
    seats: Vec<&'static str>,
    is_cancelled: bool,
}

/// The plain model; `now` in seconds.
#[derive(Default)]
struct HoldModel {
    now: u64,
    holds: Vec<Hold>,
    reservations: Vec<Reservation>,
}

impl HoldModel {
    fn is_taken(&self, seat: &str) -> bool {
        self.reservations.iter().any(|it| !it.is_cancelled && it.seats.contains(&seat))
    }

    fn is_live(&self, hold: &Hold) -> bool {
        !hold.is_over && hold.ends > self.now
    }

    fn holder(&self, seat: &str) -> Option<&Hold> {
        self.holds.iter().find(|it| self.is_live(it) && it.seats.contains(&seat))
    }

    /// One of the holds, rather one that is live.
    fn hold(&self, dice: &mut Dice) -> usize {
        let live = |it: &usize| self.is_live(&self.holds[*it]);
        let live: Vec<_> = (0..self.holds.len()).filter(live).collect();
        match live.len() {
            0 => dice.late(self.holds.len()),
            _ if dice.below(3) == 0 => dice.late(self.holds.len()),
            count => live[dice.below(count)],
        }
    }

    /// The refusal that the seats would get, ignoring the hold `own`.
    fn against(&self, seats: &[&str], own: Option<&str>) -> Option<&'static str> {
        if seats.iter().any(|it| self.is_taken(it)) {
            return Some("seat_already_reserved");
        }
        let is_held = |it: &&str| self.holder(it).is_some_and(|it| Some(it.token.as_str()) != own);
        seats.iter().any(is_held).then_some("seat_held")
    }

    fn state(&self) -> BTreeMap<String, (bool, bool)> {
        let state = |it: &&str| ((*it).to_owned(), (self.is_taken(it), self.holder(it).is_some()));
        HELD_SEATS.iter().map(state).collect()
    }
}

async fn hold_outcome(cinema: &Tested, tool: &str, arguments: Value) -> Result<Value, String> {
    match cinema.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => {
            Ok(serde_json::from_str(&output.structured.expect("an output")).expect("JSON"))
        }
        SoloOutcome::Failed(failure) => Err(failure["error"].as_str().expect("a code").to_owned()),
        other => panic!("{tool}: {other:?}"),
    }
}

async fn state(cinema: &Tested) -> BTreeMap<String, (bool, bool)> {
    let every = json!({ "showtime_id": NOON, "include_reserved": true });
    let map = cinema.call("list_available_seats", every).await;
    let seats = map["seats"].as_array().unwrap();
    let taken = seats.iter().filter(|it| it["is_reserved"] == true || it["is_held"] == true);
    let count = map["showtime"]["available_seats_count"].as_u64().unwrap();
    assert_eq!(count, 24 - taken.count() as u64, "CIN-22");
    let state = |it: &Value| (it["is_reserved"] == true, it["is_held"] == true);
    let seats = seats.iter().map(|it| (it["seat_id"].as_str().unwrap().to_owned(), state(it)));
    seats.filter(|it| HELD_SEATS.contains(&it.0.as_str())).collect()
}

/// One step: its name, its outcome and the expected one.
async fn hold_step(
    cinema: &Tested,
    model: &mut HoldModel,
    dice: &mut Dice,
) -> (&'static str, Option<String>, Option<&'static str>) {
    let user = HOLDERS[dice.below(HOLDERS.len())];
    let text = |it: &Value, field: &str| it[field].as_str().expect("a text").to_owned();
    match dice.below(12) {
        0..=3 => {
            let (seats, minutes) = (dice.seats(), 1 + dice.below(5) as u64);
            let mut arguments = order(user, NOON, &seats);
            arguments["minutes"] = json!(minutes);
            let expected = model.against(&seats, None);
            let made = hold_outcome(cinema, "hold_seats", arguments).await;
            if let Ok(made) = &made {
                let (token, made) = (text(made, "hold_token"), model.now);
                let ends = made + minutes * 60;
                model.holds.push(Hold { token, user, seats, made, ends, is_over: false });
            }
            ("hold", made.err(), expected)
        }
        4 if !model.holds.is_empty() => {
            let index = model.hold(dice);
            let now = model.now;
            let is_live = model.is_live(&model.holds[index]);
            let hold = &mut model.holds[index];
            let arguments = json!({ "hold_token": hold.token, "minutes": 5 });
            let extended = hold_outcome(cinema, "extend_hold", arguments).await;
            if is_live {
                hold.ends = hold.ends.max((now + 300).min(hold.made + 3_600));
                assert_eq!(extended.as_ref().unwrap()["seconds_left"], hold.ends - now);
            }
            let expected = if hold.is_over { "hold_not_found" } else { "hold_expired" };
            ("extend", extended.err(), (!is_live).then_some(expected))
        }
        5 if !model.holds.is_empty() => {
            let index = model.hold(dice);
            let is_live = model.is_live(&model.holds[index]);
            let hold = &mut model.holds[index];
            let arguments = json!({ "hold_token": hold.token });
            let released = hold_outcome(cinema, "release_hold", arguments).await;
            assert_eq!(released.unwrap()["released"], is_live);
            hold.is_over |= is_live;
            ("release", None, None)
        }
        6 | 7 if !model.holds.is_empty() => {
            let index = model.hold(dice);
            let hold = &model.holds[index];
            let mut seats = if dice.below(2) == 0 { hold.seats.clone() } else { dice.seats() };
            seats.dedup();
            let user = if dice.below(4) == 0 { user } else { hold.user };
            let mut arguments = order(user, NOON, &seats);
            arguments["hold_token"] = json!(hold.token);
            let expected = match (hold.is_over || hold.user != user, model.is_live(hold)) {
                (true, _) => Some("hold_not_found"),
                (_, false) => Some("hold_expired"),
                _ => model.against(&seats, Some(&hold.token)),
            };
            let made = hold_outcome(cinema, "reserve_seats", arguments).await;
            if let Ok(made) = &made {
                let id = text(made, "reservation_id");
                model.reservations.push(Reservation { id, user, seats, is_cancelled: false });
                model.holds[index].is_over = true;
            }
            ("reserve what is held", made.err(), expected)
        }
        8 => {
            let seats = dice.seats();
            let expected = model.against(&seats, None);
            let made = hold_outcome(cinema, "reserve_seats", order(user, NOON, &seats)).await;
            if let Ok(made) = &made {
                let id = text(made, "reservation_id");
                model.reservations.push(Reservation { id, user, seats, is_cancelled: false });
            }
            ("reserve", made.err(), expected)
        }
        _ if !model.reservations.is_empty() => {
            let index = dice.late(model.reservations.len());
            let reservation = &mut model.reservations[index];
            let arguments =
                json!({ "reservation_id": reservation.id, "user_id": reservation.user });
            let cancelled = hold_outcome(cinema, "cancel_reservation", arguments).await;
            reservation.is_cancelled = true;
            ("cancel", cancelled.err(), None)
        }
        _ => ("nothing", None, None),
    }
}

#[tokio::test]
async fn random_holds_agree_with_a_plain_model() {
    let cinema = open().await;
    let (mut model, mut dice) = (HoldModel::default(), Dice(SEED));
    let mut counts = BTreeMap::<String, u32>::new();
    for number in 0..STEPS {
        let (what, ended, expected) = hold_step(&cinema, &mut model, &mut dice).await;
        assert_eq!(ended.as_deref(), expected, "step {number}: {what}");
        *counts.entry(format!("{what}: {}", ended.unwrap_or_default())).or_default() += 1;
        let seconds = dice.below(18) as u64;
        cinema.pass(Duration::from_secs(seconds));
        model.now += seconds;
        if dice.below(5) == 0 {
            cinema.run_schedule().await.unwrap();
        }
        assert_eq!(state(&cinema).await, model.state(), "step {number}: {what}");
    }
    assert!(model.now < MINUTES * 60, "the film has begun");
    for what in [
        "hold: ",
        "hold: seat_held",
        "extend: ",
        "extend: hold_expired",
        "extend: hold_not_found",
        "release: ",
        "reserve what is held: ",
        "reserve what is held: hold_expired",
        "reserve what is held: hold_not_found",
        "reserve what is held: seat_held",
        "reserve: ",
        "reserve: seat_held",
        "cancel: ",
    ] {
        assert!(counts.contains_key(what), "it never came to {what:?}: {counts:?}");
    }
}
