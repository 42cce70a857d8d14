//! `join_waiting_list`, `leave_waiting_list` and `list_waiting`: freed seats go to the first in the list
//! (CIN-94).

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};
use tests::bench::Tested;
use workbench::solo::SoloOutcome;

use super::{NOON, all, bench, free, open, order, refusal, unfit};

const MINUTE: Duration = Duration::from_secs(60);

/// Reserves every seat of the showing, row by row, and gives the reservations.
async fn fill(cinema: &Tested) -> Vec<Value> {
    let mut made = Vec::new();
    for row in ["A", "B", "C", "D"] {
        let seats: Vec<_> = (1..=6).map(|it| format!("{row}{it}")).collect();
        let seats: Vec<_> = seats.iter().map(String::as_str).collect();
        for three in [&seats[..3], &seats[3..]] {
            made.push(cinema.call("reserve_seats", order("house", NOON, three)).await);
        }
    }
    made
}

fn join(user: &str, count: u32) -> Value {
    json!({ "user_id": user, "showtime_id": NOON, "count": count })
}

async fn cancel(cinema: &Tested, reservation: &Value) {
    let arguments = json!({ "reservation_id": reservation["reservation_id"], "user_id": "house" });
    cinema.call("cancel_reservation", arguments).await;
}

async fn waits(cinema: &Tested, user: &str) -> Vec<Value> {
    let list = cinema.call("list_waiting", json!({ "user_id": user })).await;
    list["waiting"].as_array().unwrap().clone()
}

/// The seats that are offered to a user, if they are.
async fn offered(cinema: &Tested, user: &str) -> Vec<String> {
    let list = waits(cinema, user).await;
    let offer = list.first().and_then(|it| it.get("offer"));
    offer.map(|it| all(&it["seats"], "seat_id")).unwrap_or_default()
}

async fn token(cinema: &Tested, user: &str) -> Value {
    waits(cinema, user).await[0]["offer"]["hold_id"].clone()
}

#[tokio::test]
async fn joins_waiting_list_only_if_no_such_seats_are_free() {
    let cinema = open().await;
    let failure = cinema.failure("join_waiting_list", join("u1", 2)).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("seats_are_free"), &json!(409)));
    let seats = failure["data"]["suggestion"]["seat_ids"].as_array().unwrap().len();
    assert_eq!(seats, 2, "{failure}");
    fill(&cinema).await;
    let joined = cinema.call("join_waiting_list", join("u1", 2)).await;
    let expected = json!({
        "waiting_id": joined["waiting_id"], "user_id": "u1", "showtime_id": NOON, "seats_count": 2,
        "together": true, "joined_at": "2026-11-20T10:00:00", "state": "waiting", "position": 1,
        "movie_title": "東京物語", "start_time": "2026-11-20T12:20:00",
    });
    assert_eq!(joined, expected);
    assert_eq!(cinema.call("join_waiting_list", join("u2", 1)).await["position"], 2);
    assert_eq!(cinema.call("join_waiting_list", join("u1", 2)).await, joined, "once is enough");
    let failure = cinema.failure("join_waiting_list", join("u1", 3)).await;
    assert_eq!(failure["error"], "already_waiting");
    assert_eq!(failure["data"]["waiting_id"], joined["waiting_id"]);
    assert_eq!(waits(&cinema, "u1").await, [joined]);
    assert_eq!(waits(&cinema, "u9").await, Vec::<Value>::new());
}

#[tokio::test]
async fn freed_seats_are_held_for_the_first_they_fit() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    for (user, count) in [("u1", 4), ("u2", 2), ("u3", 1)] {
        let mut apart = join(user, count);
        apart["together"] = json!(count < 3);
        cinema.call("join_waiting_list", apart).await;
    }
    cinema.published();
    cancel(&cinema, &made[2]).await;
    let published = cinema.published();
    assert!(published.contains(&"cinema://users/u2/waiting".to_owned()), "{published:?}");
    assert!(offered(&cinema, "u1").await.is_empty(), "three seats are not four");
    assert_eq!(offered(&cinema, "u2").await.len(), 2);
    assert_eq!(offered(&cinema, "u3").await.len(), 1);
    assert!(free(&cinema, NOON).await.is_empty(), "all of it is held");
    let list = waits(&cinema, "u2").await;
    let offer = &list[0]["offer"];
    assert_eq!((&list[0]["state"], &offer["seconds_left"]), (&json!("offered"), &json!(900)));
    assert_eq!(offer["total"], json!({ "currency": "JPY", "amount": 3_600 }));
    let resource = cinema.read("cinema://users/u2/waiting").await.unwrap();
    assert!(format!("{resource:?}").contains(offer["hold_id"].as_str().unwrap()));
    assert_eq!(offer.get("hold_token"), None, "CIN-97: {offer}");
    let seats = all(&offer["seats"], "seat_id");
    let seats: Vec<_> = seats.iter().map(String::as_str).collect();
    let failure = cinema.failure("reserve_seats", order("u4", NOON, &seats)).await;
    assert_eq!(failure["error"], "seat_held");
    let mut arguments = order("u2", NOON, &seats);
    arguments["hold_token"] = offer["hold_id"].clone();
    cinema.call("reserve_seats", arguments).await;
    assert!(waits(&cinema, "u2").await.is_empty(), "it is done");
    cancel(&cinema, &made[4]).await;
    cancel(&cinema, &made[5]).await;
    assert_eq!(offered(&cinema, "u1").await.len(), 4);
}

#[tokio::test]
async fn declining_or_leaving_passes_the_offer_on() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    for user in ["u1", "u2", "u3", "u4"] {
        cinema.call("join_waiting_list", join(user, 3)).await;
    }
    cancel(&cinema, &made[0]).await;
    assert_eq!(offered(&cinema, "u1").await, ["A1", "A2", "A3"]);
    let declined = json!({ "hold_token": token(&cinema, "u1").await });
    assert_eq!(cinema.call("release_hold", declined).await, json!({ "released": true }));
    assert!(waits(&cinema, "u1").await.is_empty());
    assert_eq!(offered(&cinema, "u2").await, ["A1", "A2", "A3"]);
    let entry = waits(&cinema, "u2").await[0]["waiting_id"].clone();
    let foreign = json!({ "waiting_id": entry, "user_id": "u3" });
    let failure = cinema.failure("leave_waiting_list", foreign).await;
    assert_eq!(refusal(&failure), ("waiting_not_found", "No such entry of a waiting list.", 404));
    let leave = json!({ "waiting_id": entry, "user_id": "u2" });
    assert_eq!(cinema.call("leave_waiting_list", leave.clone()).await, json!({ "left": true }));
    assert_eq!(cinema.call("leave_waiting_list", leave).await, json!({ "left": false }));
    assert_eq!(offered(&cinema, "u3").await, ["A1", "A2", "A3"]);
    assert_eq!(waits(&cinema, "u4").await[0]["position"], 1);
}

#[tokio::test]
async fn an_offer_ends_at_its_deadline_and_is_not_extended() {
    let cinema = bench().settings(json!({ "waiting_offer_minutes": 5 })).start().await;
    let made = fill(&cinema).await;
    cinema.call("join_waiting_list", join("u1", 3)).await;
    cinema.call("join_waiting_list", join("u2", 3)).await;
    cancel(&cinema, &made[0]).await;
    let extend = json!({ "hold_token": token(&cinema, "u1").await, "minutes": 30 });
    assert_eq!(cinema.call("extend_hold", extend).await["seconds_left"], 300);
    cinema.pass(5 * MINUTE);
    assert!(waits(&cinema, "u1").await.is_empty(), "it is over before it is swept");
    let failure = cinema.failure("hold_seats", order("u4", NOON, &["A1"])).await;
    assert_eq!(failure["error"], "seat_held", "the next one comes before a stranger");
    assert_eq!(offered(&cinema, "u2").await, ["A1", "A2", "A3"]);
    cinema.pass(5 * MINUTE);
    cinema.run_schedule().await.unwrap();
    assert_eq!(free(&cinema, NOON).await.len(), 3, "and then it is free");
}

#[tokio::test]
async fn schedule_offers_seats_of_expired_holds() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    cancel(&cinema, &made[0]).await;
    cinema.call("hold_seats", order("u9", NOON, &["A1", "A2", "A3"])).await;
    let mut apart = join("u1", 2);
    apart["together"] = json!(false);
    cinema.call("join_waiting_list", apart).await;
    cinema.pass(10 * MINUTE);
    cinema.run_schedule().await.unwrap();
    assert_eq!(offered(&cinema, "u1").await.len(), 2);
}

#[tokio::test]
async fn waiting_lists_are_limited() {
    let cinema = bench().settings(json!({ "rules": { "seats_per_person_max": 3 } })).start().await;
    for row in ["A", "B", "C", "D"] {
        for half in [1..=3, 4..=6] {
            let seats: Vec<_> = half.map(|it| format!("{row}{it}")).collect();
            let seats: Vec<_> = seats.iter().map(String::as_str).collect();
            cinema.call("reserve_seats", order(&format!("{row}{}", seats[0]), NOON, &seats)).await;
        }
    }
    let failure = cinema.failure("join_waiting_list", join("AA1", 1)).await;
    assert_eq!(failure["error"], "seats_against_rules", "they have three");
    for user in 0..200 {
        cinema.call("join_waiting_list", join(&format!("u{user}"), 1)).await;
    }
    let failure = cinema.failure("join_waiting_list", join("late", 1)).await;
    assert_eq!(
        (&failure["error"], &failure["data"]["entries_max"]),
        (&json!("waiting_list_full"), &json!(200))
    );
    for (arguments, field) in [
        (join("u1", 0), "count"),
        (join("u1", 11), "count"),
        (join("", 1), "user_id"),
        (json!({ "user_id": "u1", "showtime_id": "x".repeat(201), "count": 1 }), "showtime_id"),
    ] {
        assert_eq!(unfit(&cinema, "join_waiting_list", arguments).await, field);
    }
    let past = json!({ "user_id": "u1", "showtime_id": "st-20261119-mini-1220", "count": 1 });
    assert_eq!(cinema.failure("join_waiting_list", past).await["error"], "showtime_closed");
    cinema.pass(141 * MINUTE);
    cinema.run_schedule().await.unwrap();
    assert!(waits(&cinema, "u1").await.is_empty(), "the film has begun");
}

#[tokio::test]
async fn freed_seats_are_held_once_under_concurrency() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    for user in 0..8 {
        cinema.call("join_waiting_list", join(&format!("u{user}"), 3)).await;
    }
    futures::future::join_all(made.iter().map(|it| cancel(&cinema, it))).await;
    cinema.run_schedule().await.unwrap();
    let mut seats = Vec::new();
    for user in 0..8 {
        seats.extend(offered(&cinema, &format!("u{user}")).await);
    }
    assert_eq!(seats.len(), 21, "but the three beside the wheelchair place");
    seats.sort();
    seats.dedup();
    assert_eq!(seats.len(), 21, "each seat is one user's");
}

/// Wheelchair places go to those who wait for one, and to no others.
#[tokio::test]
async fn offers_include_wheelchair_places_if_requested() {
    let cinema = open().await;
    let made = fill(&cinema).await;
    cinema.call("join_waiting_list", join("u1", 1)).await;
    let mut wheelchair = join("u2", 2);
    wheelchair["wheelchair"] = json!(true);
    let joined = cinema.call("join_waiting_list", wheelchair.clone()).await;
    assert_eq!(joined["wheelchair"], true);
    // D1 is the wheelchair's place, D2 and D3 are beside it.
    cancel(&cinema, &made[6]).await;
    assert_eq!(offered(&cinema, "u1").await.len(), 1);
    cinema
        .call(
            "leave_waiting_list",
            json!({ "waiting_id": waits(&cinema, "u1").await[0]["waiting_id"], "user_id": "u1" }),
        )
        .await;
    assert_eq!(offered(&cinema, "u2").await, ["D1", "D2"]);
    let failure = cinema.failure("join_waiting_list", join("u2", 2)).await;
    assert_eq!(failure["error"], "already_waiting", "for other seats");
    wheelchair["wheelchair"] = json!("yes");
    assert_eq!(unfit(&cinema, "join_waiting_list", wheelchair).await, "wheelchair");
}

// Random holds, reservations, moves, transfers and waiting over time agree with a plain model of owners and
// order (CIN-94).

const STEPS: u32 = 600;

const SEED: u64 = 20_261_126;

const USERS: [&str; 4] = ["u1", "u2", "u3", "u4"];

/// All other seats are reserved, so that these are soon taken.
const SEATS: [&str; 6] = ["A1", "A2", "A3", "B1", "B2", "B3"];

/// How long an offer stands, in seconds.
const OFFER_S: u64 = 900;

const HOLD_S: u64 = 120;

/// A deterministic random number generator (Knuth's MMIX).
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % count
    }

    fn seats(&mut self) -> Vec<String> {
        let (first, count) = (self.below(SEATS.len()), 1 + self.below(2));
        (0..count).map(|it| SEATS[(first + it) % SEATS.len()].to_owned()).collect()
    }
}

/// Who has a seat.
#[derive(Clone, Debug, PartialEq)]
enum Has {
    Reserved { id: String, user: String },
    Held { token: String, user: String, ends: u64, is_offer: bool },
}

struct Waits {
    id: String,
    user: String,
    count: usize,
}

/// The plain model; `now` in seconds.
#[derive(Default)]
struct Model {
    now: u64,
    seats: BTreeMap<String, Has>,
    waiting: Vec<Waits>,
}

impl Model {
    /// Releases expired holds.
    fn expire(&mut self) {
        let now = self.now;
        self.seats.retain(|_, it| !matches!(it, Has::Held { ends, .. } if *ends <= now));
    }

    /// Removes and returns the entries that get free seats, in order.
    fn next(&mut self) -> Vec<Waits> {
        let mut free = SEATS.len() - self.seats.len();
        let (mut offered, mut left) = (Vec::new(), Vec::new());
        for entry in std::mem::take(&mut self.waiting) {
            if entry.count <= free {
                free -= entry.count;
                offered.push(entry);
            } else {
                left.push(entry);
            }
        }
        self.waiting = left;
        offered
    }

    fn against(&self, seats: &[String]) -> Option<&'static str> {
        let has = |of: fn(&Has) -> bool| seats.iter().filter_map(|it| self.seats.get(it)).any(of);
        if has(|it| matches!(it, Has::Reserved { .. })) {
            return Some("seat_already_reserved");
        }
        has(|_| true).then_some("seat_held")
    }

    /// A reservation, and its seats.
    fn reservation(&self, dice: &mut Dice) -> Option<(String, String, Vec<String>)> {
        let reserved = self.seats.values().filter_map(|seat| match seat {
            Has::Reserved { id, user } => Some((id.clone(), user.clone())),
            Has::Held { .. } => None,
        });
        let reserved: Vec<_> = reserved.collect();
        let (id, user) = reserved.get(dice.below(reserved.len().max(1)))?.clone();
        let is = |it: &Has| matches!(it, Has::Reserved { id: of, .. } if *of == id);
        let seats = self.seats.iter().filter(|it| is(it.1)).map(|it| it.0.clone()).collect();
        Some((id, user, seats))
    }

    /// A hold, and its seats.
    fn hold(&self, dice: &mut Dice) -> Option<(String, String, Vec<String>)> {
        let held = self.seats.values().filter_map(|seat| match seat {
            Has::Held { token, user, .. } => Some((token.clone(), user.clone())),
            Has::Reserved { .. } => None,
        });
        let held: Vec<_> = held.collect();
        let (token, user) = held.get(dice.below(held.len().max(1)))?.clone();
        let is = |it: &Has| matches!(it, Has::Held { token: of, .. } if *of == token);
        let seats = self.seats.iter().filter(|it| is(it.1)).map(|it| it.0.clone()).collect();
        Some((token, user, seats))
    }

    fn is_waiting_or_offered(&self, user: &str) -> bool {
        let offered =
            |it: &Has| matches!(it, Has::Held { user: of, is_offer: true, .. } if of == user);
        self.waiting.iter().any(|it| it.user == user) || self.seats.values().any(offered)
    }

    fn free(&mut self, seats: &[String]) {
        seats.iter().for_each(|it| _ = self.seats.remove(it));
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

fn text(of: &Value, field: &str) -> String {
    of[field].as_str().expect("a text").to_owned()
}

/// Who is next in the model is who is offered seats that were free, and none else.
async fn settle(cinema: &Tested, model: &mut Model) {
    model.expire();
    for next in model.next() {
        let list = cinema.call("list_waiting", json!({ "user_id": next.user })).await;
        let entry =
            list["waiting"].as_array().unwrap().iter().find(|of| of["waiting_id"] == next.id);
        let offer = &entry.unwrap_or_else(|| panic!("{} is next: {list}", next.user))["offer"];
        let seats = all(&offer["seats"], "seat_id");
        assert_eq!(seats.len(), next.count, "{offer}");
        let ends = model.now + offer["seconds_left"].as_u64().unwrap();
        assert_eq!(ends, model.now + OFFER_S);
        for seat in seats {
            let (token, user) = (text(offer, "hold_id"), next.user.clone());
            let before = model.seats.insert(seat, Has::Held { token, user, ends, is_offer: true });
            assert_eq!(before, None, "no seat is in two hands");
        }
    }
    for user in USERS {
        let list = cinema.call("list_waiting", json!({ "user_id": user })).await;
        let is_there = !list["waiting"].as_array().unwrap().is_empty();
        assert_eq!(is_there, model.is_waiting_or_offered(user), "{user}: {list}");
    }
}

/// One step: its name, its outcome and the expected one.
async fn step(
    cinema: &Tested,
    model: &mut Model,
    dice: &mut Dice,
) -> (&'static str, Option<String>, Option<&'static str>) {
    let user = USERS[dice.below(USERS.len())];
    let seats = dice.seats();
    let ids: Vec<_> = seats.iter().map(String::as_str).collect();
    match dice.below(12) {
        0 => {
            let mut arguments = order(user, NOON, &ids);
            arguments["minutes"] = json!(HOLD_S / 60);
            let expected = model.against(&seats);
            let held = outcome(cinema, "hold_seats", arguments).await;
            if let Ok(held) = &held {
                let (token, ends) = (text(held, "hold_token"), model.now + HOLD_S);
                let has = Has::Held { token, user: user.to_owned(), ends, is_offer: false };
                model.seats.extend(seats.into_iter().map(|it| (it, has.clone())));
            }
            ("hold", held.err(), expected)
        }
        1 | 2 => {
            let expected = model.against(&seats);
            let made = outcome(cinema, "reserve_seats", order(user, NOON, &ids)).await;
            if let Ok(made) = &made {
                let has = Has::Reserved { id: text(made, "reservation_id"), user: user.to_owned() };
                model.seats.extend(seats.into_iter().map(|it| (it, has.clone())));
            }
            ("reserve", made.err(), expected)
        }
        3 | 4 => {
            let Some((token, user, seats)) = model.hold(dice) else {
                return ("nothing", None, None);
            };
            let ids: Vec<_> = seats.iter().map(String::as_str).collect();
            let mut arguments = order(&user, NOON, &ids);
            arguments["hold_token"] = json!(token);
            let made = outcome(cinema, "reserve_seats", arguments).await;
            if let Ok(made) = &made {
                let has = Has::Reserved { id: text(made, "reservation_id"), user };
                model.seats.extend(seats.into_iter().map(|it| (it, has.clone())));
            }
            ("reserve what is held", made.err(), None)
        }
        5 => {
            let Some((token, _, seats)) = model.hold(dice) else { return ("nothing", None, None) };
            let released = outcome(cinema, "release_hold", json!({ "hold_token": token })).await;
            model.free(&seats);
            ("release", released.err(), None)
        }
        6 => {
            let Some((id, user, seats)) = model.reservation(dice) else {
                return ("nothing", None, None);
            };
            let arguments = json!({ "reservation_id": id, "user_id": user });
            let cancelled = outcome(cinema, "cancel_reservation", arguments).await;
            model.free(&seats);
            ("cancel", cancelled.err(), None)
        }
        7 => {
            let Some((id, of, seats)) = model.reservation(dice) else {
                return ("nothing", None, None);
            };
            let to = if of == user { "u9" } else { user };
            let arguments = json!({ "reservation_id": id, "user_id": of, "to_user_id": to });
            let given = outcome(cinema, "transfer_reservation", arguments).await;
            if let Ok(given) = &given {
                let has = Has::Reserved { id: text(given, "reservation_id"), user: to.to_owned() };
                model.seats.extend(seats.into_iter().map(|it| (it, has.clone())));
            }
            ("transfer", given.err(), None)
        }
        8 => {
            let Some((id, of, before)) = model.reservation(dice) else {
                return ("nothing", None, None);
            };
            if before.len() != seats.len() {
                return ("nothing", None, None);
            }
            let others: Vec<_> = seats.iter().filter(|it| !before.contains(it)).cloned().collect();
            let expected = model.against(&others);
            let arguments = json!({ "reservation_id": id, "seat_ids": seats });
            let moved = outcome(cinema, "move_party", arguments).await;
            if moved.is_ok() {
                model.free(&before);
                let has = Has::Reserved { id, user: of };
                model.seats.extend(seats.into_iter().map(|it| (it, has.clone())));
            }
            ("move", moved.err(), expected)
        }
        9 | 10 => {
            let count = seats.len();
            let is_free = SEATS.len() - model.seats.len() >= count;
            let before = model.waiting.iter().find(|it| it.user == user);
            let arguments = json!({
                "user_id": user, "showtime_id": NOON, "count": count, "together": false,
            });
            let is_offered = before.is_none() && model.is_waiting_or_offered(user);
            if is_offered {
                return ("nothing", None, None);
            }
            let expected = match before {
                Some(before) if before.count == count => None,
                Some(_) => Some("already_waiting"),
                None => is_free.then_some("seats_are_free"),
            };
            let is_new = before.is_none();
            let joined = outcome(cinema, "join_waiting_list", arguments).await;
            if let Ok(joined) = joined.as_ref()
                && is_new
            {
                let (id, user) = (text(joined, "waiting_id"), user.to_owned());
                model.waiting.push(Waits { id, user, count });
                assert_eq!(joined["position"], model.waiting.len(), "{joined}");
            }
            ("join", joined.err(), expected)
        }
        _ => {
            if model.waiting.is_empty() {
                return ("nothing", None, None);
            }
            let waiting = model.waiting.remove(dice.below(model.waiting.len()));
            let arguments = json!({ "waiting_id": waiting.id, "user_id": waiting.user });
            let left = outcome(cinema, "leave_waiting_list", arguments).await;
            ("leave", left.err(), None)
        }
    }
}

async fn state(cinema: &Tested) -> BTreeMap<String, bool> {
    let every = json!({ "showtime_id": NOON, "include_reserved": true });
    let map = cinema.call("list_available_seats", every).await;
    let mut state = BTreeMap::new();
    for seat in map["seats"].as_array().unwrap() {
        let (is_reserved, is_held) = (seat["is_reserved"] == true, seat["is_held"] == true);
        assert!(!(is_reserved && is_held), "{seat}");
        let id = text(seat, "seat_id");
        if SEATS.contains(&id.as_str()) && (is_reserved || is_held) {
            state.insert(id, is_reserved);
        }
    }
    state
}

#[tokio::test]
async fn waiting_moving_and_giving_agree_with_a_plain_model() {
    let cinema = open().await;
    let others: Vec<_> = free(&cinema, NOON).await;
    let others: Vec<_> =
        others.iter().map(String::as_str).filter(|it| !SEATS.contains(it)).collect();
    for ten in others.chunks(10) {
        cinema.call("reserve_seats", order("house", NOON, ten)).await;
    }
    let (mut model, mut dice) = (Model::default(), Dice(SEED));
    let mut counts = BTreeMap::<String, u32>::new();
    for number in 0..STEPS {
        let (what, ended, expected) = step(&cinema, &mut model, &mut dice).await;
        assert_eq!(ended.as_deref(), expected, "step {number}: {what}");
        *counts.entry(format!("{what}: {}", ended.unwrap_or_default())).or_default() += 1;
        settle(&cinema, &mut model).await;
        let seconds = dice.below(20) as u64;
        cinema.pass(Duration::from_secs(seconds));
        model.now += seconds;
        cinema.run_schedule().await.unwrap();
        settle(&cinema, &mut model).await;
        let reserved = |it: &Has| matches!(it, Has::Reserved { .. });
        let expected = model.seats.iter().map(|it| (it.0.clone(), reserved(it.1))).collect();
        assert_eq!(state(&cinema).await, expected, "step {number}: {what}");
    }
    assert!(model.now < 7_200, "offers end by their deadline, not with the film");
    for what in [
        "hold: ",
        "hold: seat_held",
        "reserve: ",
        "reserve: seat_already_reserved",
        "reserve: seat_held",
        "reserve what is held: ",
        "release: ",
        "cancel: ",
        "transfer: ",
        "move: ",
        "move: seat_already_reserved",
        "join: ",
        "join: already_waiting",
        "join: seats_are_free",
        "leave: ",
    ] {
        assert!(counts.contains_key(what), "it never came to {what:?}: {counts:?}");
    }
}
