//! Races for the same seats (CIN-42, CIN-43), held or reserved, and a power cut in between (CIN-46).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    process::Process,
    server::{Folders, TestServer},
};
use tokio::sync::Mutex;

fn cinema_folders() -> Folders {
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    folders
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_64_rivals_for_overlapping_seats_each_seat_has_one_winner() {
    let server = TestServer::start(cinema_folders(), |_| {}).await;
    let client = server.client();
    let showtime = showtime_id(&showtimes(&client).await[0]);
    let free = free_seats(&client, &showtime).await;
    let wanted: Vec<_> = free.iter().take(20).cloned().collect();
    let rivals = (0..64_usize).map(|rival| {
        let (client, showtime) = (server.client(), showtime.clone());
        let seats: Vec<_> = (0..3).map(|it| wanted[(rival * 7 + it) % 20].clone()).collect();
        tokio::spawn(async move {
            let arguments = json!({
                "user_id": format!("rival-{rival}"), "showtime_id": showtime, "seat_ids": seats,
            });
            (seats, client.call("reserve_seats", arguments).await)
        })
    });
    let mut winners: BTreeMap<String, usize> = BTreeMap::new();
    let mut refusals = 0;
    for (rival, outcome) in futures::future::join_all(rivals).await.into_iter().enumerate() {
        let (seats, result) = outcome.unwrap();
        if result["isError"] == true {
            refusals += 1;
            let error = &result["_meta"]["madoguchi/error"];
            assert_eq!(
                (&error["error"], &error["status"]),
                (&json!("seat_already_reserved"), &json!(409))
            );
            let lost = strings(&error["data"]["seat_ids"]);
            assert!(!lost.is_empty() && lost.iter().all(|it| seats.contains(it)), "{error}");
        } else {
            for seat in &seats {
                assert_eq!(winners.insert(seat.clone(), rival), None, "{seat} was sold twice");
            }
        }
    }
    assert!(refusals > 0 && !winners.is_empty());
    let left = free_seats(&client, &showtime).await;
    assert_eq!(left.len(), free.len() - winners.len(), "CIN-46: the counts agree");
    assert!(winners.keys().all(|it| !left.contains(it)), "CIN-46: what is sold is not listed");
}

/// One rival: holds and reserves seats, or reserves at once. Returns its reserved seats and its held ones.
async fn rival(
    client: Client,
    showtime: String,
    rival: usize,
    seats: Vec<String>,
) -> (Vec<String>, Vec<String>) {
    let mut arguments = json!({
        "user_id": format!("rival-{rival}"), "showtime_id": showtime, "seat_ids": seats,
    });
    let refusals = [json!("seat_already_reserved"), json!("seat_held")];
    if rival.is_multiple_of(4) {
        let result = client.call("reserve_seats", arguments).await;
        if result["isError"] != true {
            return (seats, Vec::new());
        }
        assert!(refusals.contains(&result["_meta"]["madoguchi/error"]["error"]), "{result}");
        return (Vec::new(), Vec::new());
    }
    let held = client.call("hold_seats", arguments.clone()).await;
    if held["isError"] == true {
        let error = &held["_meta"]["madoguchi/error"];
        assert!(refusals.contains(&error["error"]), "{error}");
        let lost = strings(&error["data"]["seat_ids"]);
        assert!(!lost.is_empty() && lost.iter().all(|it| seats.contains(it)), "{error}");
        return (Vec::new(), Vec::new());
    }
    if rival % 4 == 1 {
        return (Vec::new(), seats);
    }
    // All but the last one: that becomes free again.
    arguments["hold_token"] = held["structuredContent"]["hold_token"].clone();
    arguments["seat_ids"] = json!(seats[..2]);
    let made = client.output("reserve_seats", arguments).await;
    assert_eq!(made["seats"].as_array().unwrap().len(), 2, "what is held can be reserved");
    (seats[..2].to_vec(), Vec::new())
}

#[tokio::test(flavor = "multi_thread")]
async fn of_32_holding_and_reserving_rivals_each_seat_has_one_winner() {
    let server = TestServer::start(cinema_folders(), |_| {}).await;
    let client = server.client();
    let showtime = showtime_id(&showtimes(&client).await[0]);
    let free = free_seats(&client, &showtime).await;
    let rivals = (0..32_usize).map(|number| {
        let seats = (0..3).map(|seat| free[(number * 7 + seat) % 20].clone()).collect();
        tokio::spawn(rival(server.client(), showtime.clone(), number, seats))
    });
    let (mut reserved, mut held) = (BTreeSet::new(), BTreeSet::new());
    for outcome in futures::future::join_all(rivals).await {
        let (theirs, kept) = outcome.unwrap();
        for seat in theirs {
            assert!(reserved.insert(seat.clone()), "{seat} was sold twice");
        }
        for seat in kept {
            assert!(held.insert(seat.clone()), "{seat} is held twice");
        }
    }
    assert!(!reserved.is_empty() && reserved.is_disjoint(&held), "{reserved:?} {held:?}");
    let every = json!({ "showtime_id": showtime, "include_reserved": true });
    let map = client.output("list_available_seats", every).await;
    let those = |field: &str| -> BTreeSet<String> {
        let seats = map["seats"].as_array().unwrap().iter().filter(|it| it[field] == true);
        seats.map(|it| it["seat_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((those("is_reserved"), those("is_held")), (reserved.clone(), held.clone()));
    let left = free_seats(&client, &showtime).await.len();
    assert_eq!(left, free.len() - reserved.len() - held.len(), "CIN-46: the counts agree");
}

#[tokio::test(flavor = "multi_thread")]
async fn power_cut_keeps_all_acknowledged_and_duplicates_nothing() {
    let folders = cinema_folders();
    let mut process = Process::start(&folders);
    let client = Client::new(&process.url);
    let shows = showtimes(&client).await;
    let acknowledged = Arc::new(Mutex::new(BTreeMap::<String, (String, Vec<String>)>::new()));
    let mut buyers = Vec::new();
    for show in shows.iter().take(4).map(showtime_id) {
        let free = free_seats(&client, &show).await;
        // Two buyers a show, from both ends, until the seats are gone or the server is.
        for seats in [free.clone(), free.into_iter().rev().collect()] {
            let (client, show, acknowledged) = (client.clone(), show.clone(), acknowledged.clone());
            buyers.push(tokio::spawn(async move {
                for pair in seats.chunks(2) {
                    let arguments =
                        json!({ "user_id": "buyer", "showtime_id": show, "seat_ids": pair });
                    let call =
                        std::panic::AssertUnwindSafe(client.call("reserve_seats", arguments));
                    let Ok(result) = futures::FutureExt::catch_unwind(call).await else { return };
                    if let Some(id) = result["structuredContent"]["reservation_id"].as_str() {
                        let entry = (show.clone(), pair.to_vec());
                        acknowledged.lock().await.insert(id.to_owned(), entry);
                    }
                }
            }));
        }
    }
    let enough = async {
        while acknowledged.lock().await.len() < 40 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, enough).await.expect("seats are sold");
    process.kill();
    for buyer in buyers {
        buyer.await.unwrap();
    }
    let acknowledged = acknowledged.lock().await.clone();
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let mut sold = BTreeSet::new();
    for (reservation, (show, seats)) in &acknowledged {
        let arguments = json!({ "reservation_id": reservation });
        let stored = client.output("get_reservation", arguments).await;
        assert_eq!(stored["showtime_id"], **show);
        let ids: Vec<_> =
            stored["seats"].as_array().unwrap().iter().map(|it| it["seat_id"].clone()).collect();
        assert_eq!(ids, seats.iter().map(|it| json!(it)).collect::<Vec<_>>());
        for seat in seats {
            assert!(sold.insert((show.clone(), seat.clone())), "{seat} is there twice");
        }
    }
}
