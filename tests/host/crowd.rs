//! A hundred random clients over HTTP on one small hall, while the component is swapped, holds expire, and
//! the server is killed: no seat has two owners, nothing acknowledged is lost, nothing is done twice (CIN-22,
//! CIN-42, CIN-43, CIN-46, CIN-47, CIN-95).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use futures::future::join_all;
use host::{Server, clock::Clock};
use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fixtures::{showtime_id, showtimes},
    process::Process,
    rebuilt,
    server::Folders,
};

const CLIENTS: usize = 100;
/// Rounds of simultaneous calls; state is checked before and after each.
const ROUNDS: usize = 18;
/// In every third of them the server is killed.
const KILLED_EVERY: usize = 3;
/// Maximum number of extra rounds until each tool has succeeded.
const ROUNDS_MAX: usize = 100;
/// Number of contested seats: few, so that clients collide.
const SEATS: [&str; 18] = [
    "A1", "A2", "A3", "A4", "A5", "A6", "B1", "B2", "B3", "B4", "B5", "B6", "C1", "C2", "C3", "C4",
    "C5", "C6",
];
/// Maximum number of retries of an unanswered call.
const TRIES_MAX: usize = 3;

/// Allowed refusals of calls that lose a race or come too late.
const REFUSALS: [&str; 8] = [
    "seat_already_reserved",
    "seat_held",
    "hold_expired",
    "hold_not_found",
    "too_many_held",
    "seats_against_rules",
    "reservation_cancelled",
    "internal_error",
];

/// A seeded random number generator (SplitMix64).
struct Dice(u64);

impl Dice {
    /// The seed of the environment, or a new one.
    fn seed() -> u64 {
        let given = std::env::var("MADOGUCHI_SEED").ok().and_then(|it| it.parse().ok());
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
        given.unwrap_or_else(now)
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % most
    }

    fn deed(&mut self) -> Deed {
        let (first, count) = (self.below(SEATS.len()), 1 + self.below(3));
        match self.below(17) {
            0..=3 => Deed::Hold { first, count },
            4 => Deed::Extend,
            5..=6 => Deed::Release,
            7..=9 => Deed::ReserveHeld,
            10..=11 => Deed::Reserve { first, count },
            12..=13 => Deed::Cancel,
            _ => Deed::Move { first },
        }
    }
}

/// A client's action in a round, on its own hold and reservation.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Hold { first: usize, count: usize },
    Extend,
    Release,
    ReserveHeld,
    Reserve { first: usize, count: usize },
    Cancel,
    Move { first: usize },
}

/// A user and their last answers.
#[derive(Default)]
struct Visitor {
    name: String,
    keys: usize,
    hold: Option<Hold>,
    /// The hold, if any.
    reservation: Option<(String, BTreeSet<String>)>,
    cancelled: Vec<String>,
    /// Tools that have succeeded.
    did: Vec<&'static str>,
    /// A call that was not answered.
    open: Option<(&'static str, Value)>,
}

struct Hold {
    token: String,
    seats: BTreeSet<String>,
    minutes: u64,
}

fn seats(first: usize, count: usize) -> Vec<&'static str> {
    (0..count).map(|it| SEATS[(first + it) % SEATS.len()]).collect()
}

fn names(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|it| it["seat_id"].as_str().or(it.as_str()).unwrap().to_owned()).collect()
}

impl Visitor {
    /// The call of an action, if it applies.
    fn call(&mut self, show: &str, deed: Deed) -> Option<(&'static str, Value)> {
        let order =
            |seats: Value| json!({ "user_id": self.name, "showtime_id": show, "seat_ids": seats });
        let mut reserve = |mut order: Value| {
            self.keys += 1;
            order["idempotency_key"] = json!(format!("{}-{}", self.name, self.keys));
            ("reserve_seats", order)
        };
        let (hold, reservation) = (self.hold.as_ref(), self.reservation.as_ref());
        Some(match deed {
            Deed::Hold { first, count } if hold.is_none() => {
                ("hold_seats", order(json!(seats(first, count))))
            }
            Deed::Extend => ("extend_hold", json!({ "hold_token": hold?.token, "minutes": 12 })),
            Deed::Release => ("release_hold", json!({ "hold_token": hold?.token })),
            Deed::ReserveHeld if reservation.is_none() => {
                let mut order = order(json!(hold?.seats));
                order["hold_token"] = json!(hold?.token);
                reserve(order)
            }
            Deed::Reserve { first, count } if reservation.is_none() => {
                let order = order(json!(seats(first, count)));
                reserve(order)
            }
            Deed::Cancel => {
                let id = &reservation?.0;
                ("cancel_reservation", json!({ "reservation_id": id, "user_id": self.name }))
            }
            Deed::Move { first } => {
                let (id, own) = reservation?;
                let to = seats(first, own.len());
                ("move_party", json!({ "reservation_id": id, "seat_ids": to }))
            }
            _ => return None,
        })
    }

    /// Makes a call and records its outcome; an unanswered call stays open.
    async fn act(&mut self, client: &Client, (tool, arguments): (&'static str, Value)) {
        let Some(result) = client.try_call(tool, arguments.clone()).await else {
            self.open = Some((tool, arguments));
            return;
        };
        if result["isError"] == true {
            let code = result["_meta"]["madoguchi/error"]["error"].as_str().unwrap_or_default();
            assert!(REFUSALS.contains(&code), "{tool} {arguments}: {result}");
            if ["hold_expired", "hold_not_found"].contains(&code) {
                self.hold = None;
            }
            return;
        }
        let output = &result["structuredContent"];
        self.did.push(tool);
        match tool {
            "hold_seats" | "extend_hold" => {
                self.hold = Some(Hold {
                    token: output["hold_token"].as_str().unwrap().to_owned(),
                    seats: names(&output["seats"]),
                    minutes: output["seconds_left"].as_u64().unwrap().div_ceil(60),
                });
            }
            "release_hold" => self.hold = None,
            "reserve_seats" => {
                let (made, asked) = (names(&output["seats"]), names(&arguments["seat_ids"]));
                assert_eq!(made, asked, "CIN-41: exactly these");
                if arguments.get("hold_token").is_some() {
                    self.hold = None;
                }
                let id = output["reservation_id"].as_str().unwrap().to_owned();
                self.reservation = Some((id, made));
            }
            "cancel_reservation" => {
                self.cancelled.extend(self.reservation.take().map(|it| it.0));
            }
            _ => {
                let (_, seats) = self.reservation.as_mut().unwrap();
                *seats = names(&output["seats"]);
            }
        }
    }

    /// Repeats an unanswered call, which must be idempotent.
    async fn catch_up(&mut self, client: &Client) {
        for _ in 0..TRIES_MAX {
            let Some(call) = self.open.take() else { return };
            // The answer with the hold is lost, so the hold expires.
            if call.0 != "hold_seats" {
                self.act(client, call).await;
            }
        }
        assert!(self.open.is_none(), "{:?} is never answered", self.open);
    }
}

/// All clients of one showing.
struct Crowd {
    show: String,
    dice: Dice,
    visitors: Vec<Visitor>,
    /// Seats that may be held by calls that were not answered.
    doubtful: BTreeSet<String>,
}

impl Crowd {
    async fn gather(client: &Client, dice: Dice) -> Self {
        let shows = showtimes(client).await;
        let mini = shows.into_iter().find(|it| showtime_id(it).contains("-mini-"));
        let visitor = |it| Visitor { name: format!("visitor-{it}"), ..Visitor::default() };
        Self {
            show: showtime_id(&mini.expect("the small hall has a showing")),
            dice,
            visitors: (0..CLIENTS).map(visitor).collect(),
            doubtful: BTreeSet::new(),
        }
    }

    /// All clients act at once while another one reads. Counts the answers.
    async fn round(&mut self, client: &Client, answered: &AtomicUsize) {
        let (show, is_over) = (self.show.as_str(), AtomicBool::new(false));
        let calls: Vec<_> =
            self.visitors.iter_mut().map(|it| (it.call(show, self.dice.deed()), it)).collect();
        let acts = calls.into_iter().map(|(call, visitor)| async {
            if let Some(call) = call {
                visitor.act(client, call).await;
            }
            answered.fetch_add(1, Ordering::Relaxed);
        });
        let all = async {
            join_all(acts).await;
            is_over.store(true, Ordering::Relaxed);
        };
        tokio::join!(all, watch(client, show, &is_over));
        let lost = self.visitors.iter().filter_map(|it| it.open.as_ref());
        let held = lost.filter(|it| it.0 == "hold_seats").flat_map(|it| names(&it.1["seat_ids"]));
        self.doubtful.extend(held);
    }

    /// Checks the hall against the clients' answers while no call runs.
    async fn check(&self, client: &Client) {
        let show = &self.show;
        let (reserved, held) = hall(client, show).await.expect("the server answers");
        let (mut owned, mut held_by_visitors) = (BTreeSet::new(), BTreeSet::new());
        for visitor in &self.visitors {
            if let Some((id, seats)) = &visitor.reservation {
                assert!(!seats.is_empty(), "a reservation without seats");
                let stored =
                    client.output("get_reservation", json!({ "reservation_id": id })).await;
                assert_eq!(stored["status"], "confirmed", "{stored}");
                assert_eq!(&names(&stored["seats"]), seats, "what is kept is what was told");
                for seat in seats {
                    assert!(owned.insert(seat.clone()), "{seat} is reserved twice");
                }
            }
            for seat in visitor.hold.iter().flat_map(|it| &it.seats) {
                assert!(held_by_visitors.insert(seat.clone()), "{seat} is held twice");
            }
            // One reservation at a time, all of them known to the client.
            let arguments = json!({ "user_id": visitor.name, "include_cancelled": true });
            let listed = client.output("list_reservations", arguments).await;
            let made = usize::from(visitor.reservation.is_some()) + visitor.cancelled.len();
            assert_eq!(listed["reservations_count"], made, "{}: {listed}", visitor.name);
        }
        assert_eq!(reserved, owned, "each reserved seat has its reservation, and the reverse");
        assert!(
            held_by_visitors.is_subset(&held),
            "a hold is lost: {held_by_visitors:?} of {held:?}"
        );
        let doubtful = &self.doubtful;
        assert!(
            held.iter().all(|it| held_by_visitors.contains(it) || doubtful.contains(it)),
            "{held:?}"
        );
        let day = format!("{}-{}-{}", &show[3..7], &show[7..9], &show[9..11]);
        let week = client.output("occupancy", json!({ "from": day, "until": day })).await;
        let mut shows = week["showtimes"].as_array().unwrap().iter();
        let row = shows.find(|it| it["showtime_id"] == *show).expect("it is on");
        let counts = (row["sold_count"].as_u64(), row["held_count"].as_u64());
        let right = (Some(reserved.len() as u64), Some(held.len() as u64));
        assert_eq!(counts, right, "CIN-95: the week counts the same");
    }

    /// Ages holds by this many minutes.
    fn pass(&mut self, minutes: u64) {
        for visitor in &mut self.visitors {
            if let Some(hold) = &mut visitor.hold {
                hold.minutes = hold.minutes.saturating_sub(minutes);
            }
            visitor.hold.take_if(|it| it.minutes == 0);
        }
    }

    /// Counts successful calls of each tool.
    fn did(&self) -> BTreeMap<&'static str, usize> {
        let mut did = BTreeMap::new();
        for tool in self.visitors.iter().flat_map(|it| &it.did) {
            *did.entry(*tool).or_default() += 1;
        }
        did
    }

    /// Runs extra rounds until each tool has succeeded: a full hall leaves few seats to move to.
    async fn complete(&mut self, client: &Client) {
        let tools = ["hold_seats", "reserve_seats", "cancel_reservation", "move_party"];
        for _ in 0..ROUNDS_MAX {
            let did = self.did();
            if tools.iter().all(|it| did.contains_key(it)) {
                return;
            }
            self.round(client, &AtomicUsize::new(0)).await;
            self.check(client).await;
        }
        panic!("a tool never did anything: {:?}", self.did());
    }
}

/// The reserved and the held seats in one read, or none if the server is down.
async fn hall(client: &Client, show: &str) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let every = json!({ "showtime_id": show, "include_reserved": true });
    let map = client.try_call("list_available_seats", every).await?;
    let map = &map["structuredContent"];
    let listed = map["seats"].as_array().unwrap();
    let with =
        |field: &str| names(&listed.iter().filter(|it| it[field] == true).cloned().collect());
    let (reserved, held) = (with("is_reserved"), with("is_held"));
    assert!(reserved.is_disjoint(&held), "a seat is reserved and held: {reserved:?} {held:?}");
    let free = listed.len() - reserved.len() - held.len();
    assert_eq!(map["showtime"]["available_seats_count"], free, "CIN-22: the count is the sum");
    Some((reserved, held))
}

/// Reads the hall repeatedly while others act.
async fn watch(client: &Client, show: &str, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) && hall(client, show).await.is_some() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn cinema_folders() -> Folders {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders.lend_code();
    folders
}

/// Swaps come under way with a round, and the rounds go on until the new build serves.
#[tokio::test(flavor = "multi_thread")]
async fn crowd_keeps_its_seats_through_swaps_and_holds_that_end() {
    /// Rounds beside one swap, as far as it takes so long; the rest of it is waited for.
    const ROUNDS_OF_SWAP: std::ops::Range<usize> = 5..12;
    let folders = cinema_folders();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = Arc::new(Mutex::new(since));
    let server = Server::start_at(folders.config(), Clock::Fixed(now.clone())).await.unwrap();
    let client = Client::new(&format!("http://{}", server.addr.unwrap()));
    let seed = Dice::seed();
    println!("MADOGUCHI_SEED={seed}");
    let mut crowd = Crowd::gather(&client, Dice(seed)).await;
    let mut ended = 0;
    for mark in [0_u8, 4] {
        let mut changes = server.calls.registry.changes();
        let before = changes.borrow_and_update().generation();
        folders.put("cinema", &rebuilt(&component_bytes("cinema"), mark));
        for round in 0..ROUNDS_OF_SWAP.end {
            crowd.round(&client, &AtomicUsize::new(0)).await;
            crowd.check(&client).await;
            let minutes = crowd.dice.below(8) as u64;
            *now.lock().unwrap() += Duration::from_secs(minutes * 60);
            let holds = |it: &Crowd| it.visitors.iter().filter(|it| it.hold.is_some()).count();
            let held = holds(&crowd);
            crowd.pass(minutes);
            ended += held - holds(&crowd);
            crowd.check(&client).await;
            if round > ROUNDS_OF_SWAP.start && changes.borrow().generation() > before {
                break;
            }
        }
        let swapped = changes.wait_for(|it| it.generation() > before);
        tokio::time::timeout(tests::PATIENCE, swapped).await.expect("it swaps").unwrap();
        crowd.round(&client, &AtomicUsize::new(0)).await;
        crowd.check(&client).await;
    }
    crowd.complete(&client).await;
    println!("{ended} holds ended by themselves; calls: {:?}", crowd.did());
    server.stop().await;
}

/// The process ends in the middle of a round, as in a power cut, and calls that were not answered are made again.
#[tokio::test(flavor = "multi_thread")]
async fn crowd_keeps_its_seats_through_kills_and_calls_made_again() {
    let folders = cinema_folders();
    let mut process = Process::start(&folders);
    let mut client = Client::new(&process.url);
    let seed = Dice::seed();
    println!("MADOGUCHI_SEED={seed}");
    let mut crowd = Crowd::gather(&client, Dice(seed)).await;
    let mut unanswered = 0;
    for round in 0..ROUNDS {
        let answered = AtomicUsize::new(0);
        if round % KILLED_EVERY != KILLED_EVERY - 1 {
            crowd.round(&client, &answered).await;
        } else {
            let enough = CLIENTS / 5 + crowd.dice.below(CLIENTS / 2);
            let killing = async {
                while answered.load(Ordering::Relaxed) < enough {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                process.kill();
            };
            tokio::join!(crowd.round(&client, &answered), killing);
            unanswered += crowd.visitors.iter().filter(|it| it.open.is_some()).count();
            // What comes up is another build.
            folders.put(
                "cinema",
                &rebuilt(&component_bytes("cinema"), (round / KILLED_EVERY % 2 * 4) as u8),
            );
            process = Process::start(&folders);
            client = Client::new(&process.url);
            join_all(crowd.visitors.iter_mut().map(|it| it.catch_up(&client))).await;
        }
        crowd.check(&client).await;
    }
    crowd.complete(&client).await;
    assert!(unanswered > 0, "no call was under way when the process ended");
    println!("{unanswered} calls were not answered; calls: {:?}", crowd.did());
}
