//! Random holds, extensions, releases, reservations and cancellations over time agree with a plain model.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};
use tests::bench::Tested;
use workbench::solo::SoloOutcome;

use super::{NOON, open, order};

const STEPS: u32 = 800;
const SEED: u64 = 20_261_120;
const USERS: [&str; 3] = ["u1", "u2", "u3"];
/// Few seats, so that users collide.
const SEATS: [&str; 6] = ["A1", "A2", "A3", "B1", "B2", "B3"];
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
        let (first, count) = (self.below(SEATS.len()), 1 + self.below(3));
        (0..count).map(|it| SEATS[(first + it) % SEATS.len()]).collect()
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
struct Model {
    now: u64,
    holds: Vec<Hold>,
    reservations: Vec<Reservation>,
}

impl Model {
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
        SEATS.iter().map(state).collect()
    }
}

async fn outcome(cinema: &Tested, tool: &str, arguments: Value) -> Result<Value, String> {
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
    seats.filter(|it| SEATS.contains(&it.0.as_str())).collect()
}

/// One step: its name, its outcome and the expected one.
async fn step(
    cinema: &Tested,
    model: &mut Model,
    dice: &mut Dice,
) -> (&'static str, Option<String>, Option<&'static str>) {
    let user = USERS[dice.below(USERS.len())];
    let text = |it: &Value, field: &str| it[field].as_str().expect("a text").to_owned();
    match dice.below(12) {
        0..=3 => {
            let (seats, minutes) = (dice.seats(), 1 + dice.below(5) as u64);
            let mut arguments = order(user, NOON, &seats);
            arguments["minutes"] = json!(minutes);
            let expected = model.against(&seats, None);
            let made = outcome(cinema, "hold_seats", arguments).await;
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
            let extended = outcome(cinema, "extend_hold", arguments).await;
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
            let released = outcome(cinema, "release_hold", arguments).await;
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
            let made = outcome(cinema, "reserve_seats", arguments).await;
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
            let made = outcome(cinema, "reserve_seats", order(user, NOON, &seats)).await;
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
            let cancelled = outcome(cinema, "cancel_reservation", arguments).await;
            reservation.is_cancelled = true;
            ("cancel", cancelled.err(), None)
        }
        _ => ("nothing", None, None),
    }
}

#[tokio::test]
async fn random_holds_agree_with_a_plain_model() {
    let cinema = open().await;
    let (mut model, mut dice) = (Model::default(), Dice(SEED));
    let mut counts = BTreeMap::<String, u32>::new();
    for number in 0..STEPS {
        let (what, ended, expected) = step(&cinema, &mut model, &mut dice).await;
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
