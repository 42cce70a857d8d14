//! Recorded calls run again without the world (DEV-4, DEV-5, DEV-6).

use serde_json::{Value, json};
use tests::bench::{Bench, replay};
use workbench::solo::record::{Language, Record, Replayed};

const NOON: &str = "st-20261120-mini-1220";

/// A reservation: it reads and writes its database, tells the time, and draws random numbers for its id.
async fn reservation() -> Record {
    let cinema = Bench::of("cinema").grant_all().at("2026-11-20T01:00:00").start().await;
    let order = json!({ "user_id": "u1", "showtime_id": NOON, "seat_ids": ["B4", "A2"] });
    cinema.record("reserve_seats", &order, json!({})).await
}

fn names(record: &Record) -> Vec<&str> {
    record.uses.iter().map(|it| it.name.as_str()).collect()
}

/// The record as it is read from its file.
fn read(record: &Record) -> Record {
    Record::read(&serde_json::to_string_pretty(record).unwrap()).unwrap()
}

#[tokio::test]
async fn recorded_call_runs_again_without_database_and_clock() {
    let record = read(&reservation().await);
    let used = names(&record);
    assert!(used.contains(&"sql.query") && used.contains(&"sql.transact"), "{used:?}");
    assert!(used.contains(&"clock.now"), "{used:?}");
    let id = &record.outcome["output"]["structured"]["reservation_id"];
    assert!(id.is_string(), "{}", record.outcome);
    assert_eq!(replay("cinema", &record).await, Replayed::Same, "the random id, too: {id}");
}

#[tokio::test]
async fn first_differing_use_is_named_with_the_actual_one() {
    let record = reservation().await;
    let at = names(&record).iter().position(|it| *it == "sql.transact").unwrap();
    let mut other = record.clone();
    other.uses[at].with[0]["sql"] = "DELETE FROM reservations".into();
    let Replayed::Use(found) = replay("cinema", &other).await else { panic!("it is the same") };
    assert_eq!(found.number, at + 1);
    assert_eq!(found.expected.unwrap().1[0]["sql"], "DELETE FROM reservations");
    let (name, actual) = found.actual.unwrap();
    assert_eq!((name.as_str(), &actual), ("sql.transact", &record.uses[at].with));

    let mut longer = record.clone();
    longer.uses.push(record.uses[at].clone());
    let Replayed::Use(found) = replay("cinema", &longer).await else { panic!("it is the same") };
    assert_eq!((found.number, found.actual), (longer.uses.len(), None), "the call had ended");

    let mut shorter = record.clone();
    shorter.uses.truncate(at);
    let Replayed::Use(found) = replay("cinema", &shorter).await else { panic!("it is the same") };
    assert_eq!((found.number, found.expected), (at + 1, None), "the record had ended");

    let mut edited = record;
    edited.uses[at].gives = "no answer".into();
    assert!(matches!(replay("cinema", &edited).await, Replayed::Use(it) if it.number == at + 1));
}

#[tokio::test]
async fn differing_outcome_is_named_with_its_place() {
    let mut record = reservation().await;
    record.outcome["output"]["structured"]["status"] = "cancelled".into();
    let expected = Replayed::Outcome(
        "/output/structured/status".to_owned(),
        "cancelled".into(),
        "confirmed".into(),
    );
    assert_eq!(replay("cinema", &record).await, expected);
}

#[tokio::test]
async fn blobs_and_refusals_of_files_come_from_the_record() {
    let reach = Bench::of("reach").grant_all().start().await;
    let text = json!({ "text": "窓口", "mime_type": "text/plain", "times": 1 });
    let put = read(&reach.record("put_blob", &text, json!({})).await);
    assert!(names(&put).contains(&"blobs.put"), "{put:?}");
    assert_eq!(replay("reach", &put).await, Replayed::Same);
    let id = &put.outcome["output"]["structured"]["id"];
    let piece = json!({ "id": id, "offset": 0, "length": 99 });
    let got = read(&reach.record("read_blob", &piece, json!({})).await);
    assert!(got.outcome.to_string().contains("窓口"), "{got:?}");
    assert_eq!(replay("reach", &got).await, Replayed::Same);
    let none = json!({ "name": "map", "offset": 0, "length": 9 });
    let refused = read(&reach.record("read_file", &none, json!({})).await);
    assert!(names(&refused).contains(&"files.read"), "{refused:?}");
    assert_eq!(replay("reach", &refused).await, Replayed::Same);
}

#[tokio::test]
async fn question_answer_and_trap_are_outcomes_like_others() {
    let echo = Bench::of("echo").start().await;
    let asked = read(&echo.record("greet", &json!({}), json!({})).await);
    assert_eq!(asked.outcome["asks"][0]["key"], "name", "{}", asked.outcome);
    assert_eq!(replay("echo", &asked).await, Replayed::Same);
    assert!(asked.example(Language::Rust).unwrap().ends_with(".asks(),"));
    let answers = json!({ "name": { "name": "Hanako" } });
    let body = read(&echo.record("greet", &json!({}), answers).await);
    assert!(body.outcome.to_string().contains("Hello, Hanako!"), "{}", body.outcome);
    assert_eq!(replay("echo", &body).await, Replayed::Same);

    let rogue = Bench::of("rogue").start().await;
    let trapped = read(&rogue.record("panic", &json!({}), json!({})).await);
    assert!(trapped.outcome["trapped"].is_string(), "{}", trapped.outcome);
    assert_eq!(replay("rogue", &trapped).await, Replayed::Same);
}

#[tokio::test]
async fn secret_settings_appear_in_no_record() {
    let settings = json!({ "api_key": "s3cret-of-shop", "timezone": "Asia/Tokyo" });
    let courier = Bench::of("courier").grant_all().settings(settings).start().await;
    let names = json!({ "settings": ["api_key", "timezone"], "look_for_reversed": "" });
    let record = courier.record("tell_all", &names, json!({})).await;
    let text = serde_json::to_string(&record).unwrap();
    assert!(!text.contains("s3cret") && text.contains("(redacted)"), "{text}");
    assert!(text.contains("Asia/Tokyo"), "{text}");
    let known = |it: &Value| it.as_array().is_some_and(|it| it[0] == "api_key");
    assert!(record.uses.iter().any(|it| it.name == "settings.get" && known(&it.with)));
}
