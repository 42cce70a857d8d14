//! Components built against an earlier contract keep working.

use std::{fs, io::Read};

use flate2::read::GzDecoder;
use serde_json::json;
use tests::{
    cinema::{free_seats, id, showtimes},
    component_bytes, root,
    server::{Folders, TestServer},
};

/// The cinema as it was built on 2026-11-22, before the contract knew of sentences.
fn built_before() -> Vec<u8> {
    let file = root().join("tests/contract/cinema-2026-11-22.wasm.gz");
    let packed = fs::read(file).expect("it is part of the tests");
    let mut bytes = Vec::new();
    GzDecoder::new(&*packed).read_to_end(&mut bytes).expect("it is whole");
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn serves_first_contract_component_and_successor_takes_over() {
    let folders = Folders::new();
    folders.put("cinema", &built_before());
    let mut server = TestServer::start(folders, |_| {}).await;
    let client = server.client();
    let show = id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &show).await.remove(0);
    let seats = json!({ "showtime_id": show, "seat_ids": [seat], "user_id": "u1" });
    let reserved = client.output("reserve_seats", seats).await;
    let number = reserved["reservation_id"].as_str().expect("it is reserved").to_owned();

    // It says when seats change, and lets them go in time: the build before did neither.
    let control = &server.server().control;
    let waits = control
        .execute("cinema", host::control::Order::Load(component_bytes("cinema")))
        .await
        .unwrap_err();
    assert!(waits.to_string().contains("madoguchi accept cinema"), "{waits}");
    control.execute("cinema", host::control::Order::Accept(None)).await.expect("it serves");
    assert!(!free_seats(&client, &show).await.contains(&seat), "{number} is still reserved");
    server.stop().await;
}
