//! The page in Firefox: each of the main tasks, from the first click to what the host has of it.

use std::time::Duration;

use host::{OperatorKey, control::Order};
use serde_json::{Value, json};
use tests::{
    browser::firefox::{ENTER, Firefox, TAB},
    component_bytes,
    fixtures::{free_seats, showtime_id, showtimes},
    forms, rebuilt,
    server::{Folders, TestServer},
};

#[tokio::test(flavor = "multi_thread")]
async fn firefox_books_two_seats() {
    let server = TestServer::with(&["cinema"]).await;
    let client = server.client();
    let show = showtimes(&client).await.remove(0);
    let seats = free_seats(&client, &showtime_id(&show)).await;
    let date = &show["start_time"].as_str().unwrap()[..10];
    let hall = format!("#/box-office?date={date}&showtime={}", showtime_id(&show));
    let mut firefox = Firefox::open(&server.url(), &hall).await;
    for seat in &seats[..2] {
        firefox.hit(&format!("[role=gridcell][data-seat='{seat}']"), "").await;
    }
    firefox.says(".picked-count", "2").await;
    firefox.hit("#user-id", "").await;
    firefox.press("Hanako");
    firefox.hit("button", "Reserve 2 seats").await;
    firefox.says("h1", "reserved").await;
    firefox.until("document.querySelector('.ticket-number')").await;
    let number = firefox.script("return document.querySelector('.ticket-number').innerText");
    let stored = client.output("get_reservation", json!({ "reservation_id": number })).await;
    assert_eq!(stored["user_id"], "Hanako");
    assert_eq!(firefox.close(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn firefox_fills_a_form_by_keyboard() {
    let server = forms::server().await;
    let form = forms::form(json!([
        { "name": "dish", "type": "text", "label": "Dish", "required": true },
        { "name": "day", "type": "date", "label": "Day" },
        { "name": "hot", "type": "checkbox", "label": "Hot" },
    ]));
    let asked = forms::ask(&server.client(), &form).await;
    let mut firefox = Firefox::open(&server.url(), &format!("f/{}", asked.handle)).await;
    firefox.hit("main form button", "Send").await;
    firefox.says(".request-summary", "required").await;
    firefox.until("document.activeElement.matches('.request-summary')").await;
    firefox.hit(".request-summary a", "").await;
    firefox.press("soba");
    firefox.press(TAB);
    // A date is typed piece by piece, as this browser's own field has it.
    firefox.press("03142027");
    firefox.until("document.querySelector('input[type=date]').value === '2027-03-14'").await;
    firefox.script("document.querySelector('main form input[type=checkbox]').focus()");
    firefox.press(" ");
    firefox.until("document.querySelector('main form input[type=checkbox]').checked").await;
    firefox.hit("main form button", "Send").await;
    let values = forms::values(&server.client(), &asked.handle).await;
    assert_eq!(values, json!({ "dish": "soba", "day": "2027-03-14", "hot": true }));
    assert_eq!(firefox.close(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn firefox_plans_a_route() {
    let server = TestServer::with(&["assistant", "navigation"]).await;
    let mut firefox = Firefox::open(&server.url(), "#/navigation").await;
    for (field, place) in [("#nav-from", "東京駅"), ("#nav-to", "横浜駅")] {
        firefox.hit(field, "").await;
        firefox.press(place);
        firefox.press(TAB);
    }
    firefox.hit("button", "Search routes").await;
    firefox.until("document.querySelectorAll('.nav-steps button').length > 2").await;
    firefox.until("document.querySelector('.route-map path.leaflet-interactive')").await;
    firefox.hit(".nav-steps button", "").await;
    firefox.until("document.querySelector('path.route-step')").await;
    assert_eq!(firefox.close(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn firefox_approves_a_call() {
    let folders = Folders::new();
    for name in ["cinema", "errand"] {
        folders.put(name, &component_bytes(name));
    }
    let lines =
        "[components.errand]\ngrants = ['calls', 'endpoints']\ncalls = ['component:cinema']";
    let config = folders.config_with(lines);
    let server = TestServer::start(folders, |it| *it = config).await;
    let client = server.client();
    let show = showtime_id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &show).await.remove(0);
    let mut firefox = Firefox::open(&server.url(), "").await;
    firefox.until("document.querySelector('.connection.is-online')").await;
    let arguments = json!({ "user_id": "Taro", "showtime_id": show, "seat_ids": [seat] });
    let call = json!({ "tool": "reserve_seats", "arguments": arguments, "reason": "for two" });
    let body = json!({ "calls": [call] }).to_string();
    assert_eq!(client.post("/api/errand/tries", &[], body).await.status(), 200);
    firefox.hit(".inbox-link", "1").await;
    firefox.says(".inbox", &seat).await;
    assert!(free_seats(&client, &show).await.contains(&seat), "nothing is done before");
    firefox.hit(".inbox .main-action", "").await;
    firefox.until("!document.querySelector('.inbox')").await;
    let reserved = async {
        while free_seats(&client, &show).await.contains(&seat) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, reserved).await.expect("it is done then");
    assert_eq!(firefox.close(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn firefox_rolls_back_a_component() {
    let server = TestServer::with(&["echo"]).await;
    let control = &server.server().control;
    let second = rebuilt(&component_bytes("echo"), 2);
    control.execute("echo", Order::Load(second)).await.unwrap();
    let generation = || control.component("echo").unwrap().generation;
    assert_eq!(generation(), Some(2));
    let key = OperatorKey::read(&server.folders.data()).unwrap().unwrap().token;
    let mut firefox = Firefox::open(&server.url(), &format!("#/operator?key={key}")).await;
    firefox.says(".op-health", "All is well").await;
    firefox.hit(".op-tabs a", "Components").await;
    firefox.until("document.querySelector('#op-more-echo')").await;
    firefox.script("document.querySelector('#op-more-echo').focus()");
    firefox.press(ENTER);
    firefox.hit("button", "Serve this one again: generation 1 of echo").await;
    firefox.until("document.body.innerText.includes('Generation 2')").await;
    let label = "Serve this one again: generation 2 of echo";
    let again = format!(
        "[...document.querySelectorAll('button')].some(it => it.ariaLabel === {})",
        Value::from(label)
    );
    firefox.until(&again).await;
    assert_eq!(generation(), Some(1));
    assert_eq!(firefox.close(), Vec::<String>::new());
}
