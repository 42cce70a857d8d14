//! A hundred random users at once on one hall: no seat has two owners, and counts match the seats (CIN-22,
//! CIN-42, CIN-43, CIN-46, CIN-95).

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use futures::future::join_all;
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, TestCaseResult, TestRunner},
};
use serde_json::{Value, json};
use tests::bench::Tested;
use workbench::solo::SoloOutcome;

use super::{all, open, order};

const CLIENTS: usize = 100;
const ROUNDS: usize = 5;
const CASES: u32 = 5;
/// Number of contested seats of 24: few, so that users collide.
const SEATS: [&str; 12] = ["A1", "A2", "A3", "A4", "A5", "A6", "B1", "B2", "B3", "B4", "B5", "B6"];
/// Showings of a small hall that no case before has used.
const SHOWINGS: [&str; CASES as usize] = [
    "st-20261120-mini-1220",
    "st-20261121-mini-1220",
    "st-20261122-mini-1220",
    "st-20261123-mini-1220",
    "st-20261124-mini-1220",
];

/// A user's action in a round, on their own latest hold or reservation.
#[derive(Clone, Copy, Debug)]
enum Move {
    Hold { first: usize, count: usize },
    Extend,
    Release,
    ReserveHeld,
    Reserve { first: usize, count: usize },
    Cancel,
    Change { first: usize },
}

fn one() -> impl Strategy<Value = Move> {
    let seats = || (0..SEATS.len(), 1..4_usize);
    prop_oneof![
        4 => seats().prop_map(|(first, count)| Move::Hold { first, count }),
        1 => Just(Move::Extend),
        1 => Just(Move::Release),
        3 => Just(Move::ReserveHeld),
        2 => seats().prop_map(|(first, count)| Move::Reserve { first, count }),
        2 => Just(Move::Cancel),
        2 => (0..SEATS.len()).prop_map(|first| Move::Change { first }),
    ]
}

/// Minutes that pass after a round, and whether what has ended is swept then.
type Pause = (u64, bool);

fn rounds() -> impl Strategy<Value = Vec<(Vec<Move>, Pause)>> {
    vec((vec(one(), CLIENTS), (0..4_u64, any::<bool>())), ROUNDS)
}

/// A user with their latest hold and reservation.
#[derive(Default)]
struct Client {
    name: String,
    hold: Option<(String, Vec<String>)>,
    reservation: Option<Reserved>,
}

struct Reserved {
    id: String,
    seats: BTreeSet<String>,
    is_over: bool,
}

fn seats(first: usize, count: usize) -> Vec<&'static str> {
    (0..count).map(|it| SEATS[(first + it) % SEATS.len()]).collect()
}

/// Allowed refusals of calls that lose a race or come too late.
const REFUSALS: [&str; 9] = [
    "seat_already_reserved",
    "seat_held",
    "hold_expired",
    "hold_not_found",
    "too_many_held",
    "seats_against_rules",
    "reservation_cancelled",
    "internal_error",
    "showtime_closed",
];

async fn outcome(cinema: &Tested, tool: &str, arguments: Value) -> Option<Value> {
    match cinema.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => {
            Some(serde_json::from_str(&output.structured.expect("an output")).expect("JSON"))
        }
        SoloOutcome::Failed(failure) => {
            let code = failure["error"].as_str().expect("a code");
            assert!(REFUSALS.contains(&code), "{tool}: {failure}");
            None
        }
        other => panic!("{tool}: {other:?}"),
    }
}

impl Client {
    async fn act(&mut self, cinema: &Tested, showing: &str, what: Move) {
        match what {
            Move::Hold { first, count } => {
                let seats = seats(first, count);
                let mut arguments = order(&self.name, showing, &seats);
                arguments["minutes"] = json!(2);
                if let Some(held) = outcome(cinema, "hold_seats", arguments).await {
                    let token = held["hold_token"].as_str().expect("a token").to_owned();
                    self.hold = Some((token, seats.into_iter().map(str::to_owned).collect()));
                }
            }
            Move::Extend => {
                if let Some((token, _)) = &self.hold {
                    let arguments = json!({ "hold_token": token, "minutes": 5 });
                    outcome(cinema, "extend_hold", arguments).await;
                }
            }
            Move::Release => {
                if let Some((token, _)) = &self.hold {
                    outcome(cinema, "release_hold", json!({ "hold_token": token })).await;
                }
            }
            Move::ReserveHeld => {
                if let Some((token, seats)) = self.hold.take() {
                    let seats: Vec<_> = seats.iter().map(String::as_str).collect();
                    let mut arguments = order(&self.name, showing, &seats);
                    arguments["hold_token"] = json!(token);
                    self.reserve(cinema, arguments).await;
                }
            }
            Move::Reserve { first, count } => {
                let arguments = order(&self.name, showing, &seats(first, count));
                self.reserve(cinema, arguments).await;
            }
            Move::Cancel => {
                if let Some(reservation) = &mut self.reservation {
                    let arguments =
                        json!({ "reservation_id": reservation.id, "user_id": self.name });
                    reservation.is_over |=
                        outcome(cinema, "cancel_reservation", arguments).await.is_some();
                }
            }
            Move::Change { first } => {
                if let Some(reservation) = &mut self.reservation {
                    let to = seats(first, reservation.seats.len());
                    let arguments = json!({ "reservation_id": reservation.id, "seat_ids": to });
                    if let Some(moved) = outcome(cinema, "move_party", arguments).await {
                        reservation.seats = all(&moved["seats"], "seat_id").into_iter().collect();
                    }
                }
            }
        }
    }

    /// Reserves, unless the user has something already: each has one reservation at a time.
    async fn reserve(&mut self, cinema: &Tested, arguments: Value) {
        if self.reservation.as_ref().is_some_and(|it| !it.is_over) {
            return;
        }
        let asked: BTreeSet<_> = arguments["seat_ids"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|it| it.as_str().expect("an id").to_owned())
            .collect();
        if let Some(made) = outcome(cinema, "reserve_seats", arguments).await {
            let id = made["reservation_id"].as_str().expect("an id").to_owned();
            let seats = all(&made["seats"], "seat_id").into_iter().collect();
            assert_eq!(asked, seats, "CIN-41: exactly these");
            self.reservation = Some(Reserved { id, seats, is_over: false });
        }
    }
}

/// Checks the cinema's state against the users' answers.
async fn check(cinema: &Tested, showing: &str, clients: &[Client]) -> TestCaseResult {
    let every = json!({ "showtime_id": showing, "include_reserved": true });
    let map = cinema.call("list_available_seats", every).await;
    let listed = map["seats"].as_array().expect("a list");
    let with = |field: &str| {
        let such = listed.iter().filter(|it| it[field] == true);
        such.map(|it| it["seat_id"].as_str().expect("an id").to_owned()).collect::<BTreeSet<_>>()
    };
    let (reserved, held) = (with("is_reserved"), with("is_held"));
    let mut owners = BTreeMap::new();
    for client in clients {
        for reservation in client.reservation.iter().filter(|it| !it.is_over) {
            prop_assert!(!reservation.seats.is_empty(), "a reservation without seats");
            for seat in &reservation.seats {
                let other = owners.insert(seat.clone(), &client.name);
                prop_assert!(other.is_none(), "{seat} is {other:?}'s and {}'s", client.name);
            }
            let stored =
                cinema.call("get_reservation", json!({ "reservation_id": reservation.id })).await;
            let stored: BTreeSet<_> = all(&stored["seats"], "seat_id").into_iter().collect();
            prop_assert_eq!(&stored, &reservation.seats, "what is kept is what was told");
        }
    }
    let owned: BTreeSet<_> = owners.into_keys().collect();
    prop_assert_eq!(&reserved, &owned, "each reserved seat has its reservation, and the reverse");
    prop_assert!(reserved.is_disjoint(&held), "a seat is reserved and held");
    let free = listed.len() - reserved.len() - held.len();
    let count = map["showtime"]["available_seats_count"].as_u64();
    prop_assert_eq!(count, Some(free as u64), "CIN-22: the count is the sum");
    let day = format!("{}-{}-{}", &showing[3..7], &showing[7..9], &showing[9..11]);
    let week = cinema.call("occupancy", json!({ "from": day, "until": day })).await;
    let showings = week["showtimes"].as_array().expect("a list");
    let row = showings.iter().find(|it| it["showtime_id"] == showing).expect("it is on");
    let counts = (row["sold_count"].as_u64(), row["held_count"].as_u64());
    let right = (Some(reserved.len() as u64), Some(held.len() as u64));
    prop_assert_eq!(counts, right, "CIN-95: the week counts the same");
    Ok(())
}

async fn play(
    cinema: &Tested,
    showing: &str,
    rounds: Vec<(Vec<Move>, Pause)>,
    came: &mut BTreeMap<&'static str, usize>,
) -> TestCaseResult {
    let client = |it: usize| Client { name: format!("{showing}-{it}"), ..Client::default() };
    let mut clients: Vec<_> = (0..CLIENTS).map(client).collect();
    for (moves, (minutes, is_swept)) in rounds {
        join_all(clients.iter_mut().zip(moves).map(|(it, what)| it.act(cinema, showing, what)))
            .await;
        check(cinema, showing, &clients).await?;
        cinema.pass(Duration::from_secs(minutes * 60));
        if is_swept {
            cinema.run_schedule().await.expect("the sweep runs");
        }
        check(cinema, showing, &clients).await?;
    }
    let made: Vec<_> = clients.iter().filter_map(|it| it.reservation.as_ref()).collect();
    *came.entry("reserved").or_default() += made.len();
    *came.entry("cancelled").or_default() += made.iter().filter(|it| it.is_over).count();
    *came.entry("held").or_default() += clients.iter().filter(|it| it.hold.is_some()).count();
    Ok(())
}

#[test]
fn no_seat_of_100_random_clients_has_two_owners() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let cinema = runtime.block_on(open());
    let (number, counts) = (std::cell::Cell::new(0), std::cell::RefCell::default());
    let config = Config {
        cases: CASES,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Config::default()
    };
    let holds = TestRunner::new(config).run(&rounds(), |rounds| {
        let showing = SHOWINGS[number.replace(number.get() + 1)];
        runtime.block_on(play(&cinema, showing, rounds, &mut counts.borrow_mut()))
    });
    holds.unwrap_or_else(|error| panic!("{error}"));
    let counts = counts.into_inner();
    for what in ["reserved", "cancelled", "held"] {
        assert!(counts.get(what).is_some_and(|it| *it > 0), "nothing was ever {what}: {counts:?}");
    }
}
