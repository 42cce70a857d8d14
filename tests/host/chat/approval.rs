//! What changes something waits until the person lets it happen, and happens once.

use serde_json::{Value, json};
use tests::{
    cinema::{free_seats, id, showtimes},
    component_bytes, rebuilt,
};

use super::{Talk, allow, calls, decisions, post, results, say, says, waiting};

/// A talk in which the model wants to reserve a seat, and waits.
struct Reserving {
    talk: Talk,
    show: String,
    seat: String,
    /// The arguments that the person sees.
    arguments: Value,
    answer: Value,
}

impl Reserving {
    async fn begin(lines: &str) -> Self {
        let talk = Talk::with(&["cinema", "echo"], lines).await;
        let client = talk.server.client();
        let show = id(&showtimes(&client).await[0]);
        let seat = free_seats(&client, &show).await.remove(0);
        let arguments = json!({ "user_id": "u", "showtime_id": show, "seat_ids": [seat] });
        talk.model.says(calls(&[("reserve_seats", arguments.clone())]));
        let answer = talk.answer(&json!({ "message": "1席お願いします" })).await;
        Self { talk, show, seat, arguments, answer }
    }

    async fn is_free(&self) -> bool {
        free_seats(&self.talk.server.client(), &self.show).await.contains(&self.seat)
    }

    fn decided(&self, decision: &str) -> Value {
        decisions(&self.answer, &waiting(&self.answer), &json!({ "allow": decision == "allow" }))
    }

    /// How often the tool was called.
    fn made(&self) -> u64 {
        let text = self.talk.server().calls.watch.metrics.text();
        let line = "madoguchi_calls_total{component=\"cinema\",outcome=\"";
        let lines = text.lines().filter(|it| it.starts_with(line));
        lines.map(|it| it.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reserves_what_was_shown_only_after_the_person_allows_it() {
    let it = Reserving::begin("").await;
    assert_eq!(
        (&it.answer["stopReason"], &it.answer["toolCalls"]),
        (&json!("waiting"), &json!([]))
    );
    let shown = &it.answer["waiting"][0];
    assert_eq!((&shown["type"], &shown["name"]), (&json!("approval"), &json!("reserve_seats")));
    assert_eq!(shown["params"], it.arguments, "{shown}");
    assert!(shown["title"].is_string(), "{shown}");
    assert!(it.is_free().await, "nobody has allowed it");
    it.talk.model.says(says("取れました"));
    let answer = it.talk.answer(&it.decided("allow")).await;
    assert_eq!((&answer["text"], &answer["stopReason"]), (&json!("取れました"), &json!("end")));
    assert!(!it.is_free().await, "the one that was shown");
    let call = &answer["toolCalls"][0];
    assert_eq!((&call["params"], &call["isError"]), (&it.arguments, &json!(false)), "{answer}");
    assert!(call["ms"].is_u64(), "{call}");
    let last = it.talk.last();
    let result = results(last.last().unwrap())[0];
    assert!(result.to_string().contains("reservation"), "the model is told: {result}");
    assert_eq!(it.talk.model.broken(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn skips_call_the_person_denies_and_reports_it_to_the_model() {
    let it = Reserving::begin("").await;
    it.talk.model.says(says("やめておきます"));
    let answer = it.talk.answer(&it.decided("deny")).await;
    assert_eq!(answer["text"], "やめておきます");
    assert!(it.is_free().await);
    let last = it.talk.last();
    assert!(results(last.last().unwrap())[0].to_string().contains("did not allow"), "{last:?}");
    assert_eq!((&answer["toolCalls"][0]["isError"], it.talk.model.left()), (&json!(true), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_something_else_instead_has_not_allowed_it() {
    let it = Reserving::begin("").await;
    it.talk.model.says(says("かしこまりました"));
    it.talk.answer(&json!({ "turn": it.answer["turn"], "message": "やっぱりやめて" })).await;
    assert!(it.is_free().await);
    let last = it.talk.last();
    let parts = last.last().unwrap()["parts"].as_array().unwrap().clone();
    assert!(parts[0]["functionResponse"].is_object(), "the result first: {parts:?}");
    assert_eq!(parts[1]["text"], "やっぱりやめて");
}

#[tokio::test(flavor = "multi_thread")]
async fn reserves_once_and_answers_both_if_two_windows_allow_at_once() {
    let it = Reserving::begin("").await;
    it.talk.model.says(says("取れました")).says(says("取れました"));
    let before = it.made();
    let body = it.decided("allow");
    let (client, other) = (it.talk.server.client(), it.talk.server.client());
    let (one, two) = tokio::join!(say(&client, &body), say(&other, &body));
    for (status, answer) in [one, two] {
        assert_eq!((status, &answer["text"]), (200, &json!("取れました")), "{answer}");
    }
    assert_eq!(it.made() - before, 1, "the call is made once");
    // And never again, by whatever is sent later.
    it.talk.model.says(says("取れています"));
    let again = it.talk.answer(&body).await;
    assert_eq!((again["text"].as_str(), it.made() - before), (Some("取れています"), 1));
    let last = it.talk.last();
    assert!(
        results(last.last().unwrap())[0].to_string().contains("reservation"),
        "the same result"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_between_question_and_answer_changes_nothing() {
    let mut it = Reserving::begin("").await;
    it.talk.server.restart().await;
    it.talk.model.says(says("取れました"));
    let body = it.decided("allow");
    assert_eq!(it.talk.answer(&body).await["text"], "取れました");
    assert!(!it.is_free().await);
    // What was used up before a restart stays so after it.
    it.talk.server.restart().await;
    it.talk.model.says(says("もう取れています"));
    let before = it.made();
    assert_eq!(it.talk.answer(&body).await["text"], "もう取れています");
    assert_eq!(it.made(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn swap_between_question_and_answer_runs_the_new_version() {
    let it = Reserving::begin("").await;
    let bytes = rebuilt(&component_bytes("cinema"), 7);
    let digest = host::digest::digest(&bytes);
    let mut changes = it.talk.server().calls.registry.changes();
    it.talk.server.folders.put("cinema", &bytes);
    let there =
        changes.wait_for(|it| it.component("cinema").is_some_and(|it| **it.digest() == digest));
    tokio::time::timeout(tests::PATIENCE, there).await.unwrap().unwrap();
    it.talk.model.says(says("取れました"));
    it.talk.answer(&it.decided("allow")).await;
    assert!(!it.is_free().await);
    let lines = it.talk.server().calls.watch.audit.tail(20);
    let reserved = lines.iter().find(|it| it["tool"] == "reserve_seats").expect("it is audited");
    assert_eq!(reserved["digest"].as_str(), digest.get(..12), "the new version: {reserved}");
}

/// The tool went away between question and answer; it is not called.
#[tokio::test(flavor = "multi_thread")]
async fn skips_tool_gone_before_the_answer_and_reports_to_the_model() {
    let it = Reserving::begin("").await;
    let mut changes = it.talk.server().calls.registry.changes();
    std::fs::remove_file(it.talk.server.file("cinema")).unwrap();
    let gone = changes.wait_for(|it| it.component("cinema").is_none());
    tokio::time::timeout(tests::PATIENCE, gone).await.unwrap().unwrap();
    it.talk.model.says(says("今は取れません"));
    it.talk.answer(&it.decided("allow")).await;
    let last = it.talk.last();
    assert!(results(last.last().unwrap())[0].to_string().contains("no longer offered"), "{last:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_takes_no_word_that_is_the_hosts() {
    let it = Reserving::begin("").await;
    let id = waiting(&it.answer).remove(0);
    for (field, value) in [
        ("approvals", json!({ &id: "allow" })),
        ("answers", json!({ &id: { "k": { "action": "accept" } } })),
    ] {
        let body = json!({ "turn": it.answer["turn"], "assistant": "counter", field: value });
        let (status, answer) = post(&it.talk.server.client(), &body.to_string()).await;
        assert_eq!(status, 400, "{answer}");
        let details = answer["details"].as_str().unwrap();
        assert!(details.contains("/api/approvals/"), "{answer}");
    }
    // Without a decision, it still waits.
    let (status, answer) = it.talk.say(&json!({ "turn": it.answer["turn"] })).await;
    assert_eq!((status, waiting(&answer)), (200, vec![id]), "{answer}");
    assert!(it.is_free().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_each_waiting_call_separately_and_resumes_with_all() {
    let talk = Talk::with(&["cinema", "echo"], "").await;
    let client = talk.server.client();
    let show = id(&showtimes(&client).await[0]);
    let seats = free_seats(&client, &show).await;
    let reserve = |at: usize| {
        let seats = [&seats[at]];
        ("reserve_seats", json!({ "user_id": "u", "showtime_id": show, "seat_ids": seats }))
    };
    let echo = ("echo", json!({ "value": { "a": 1 } }));
    talk.model.says(calls(&[reserve(0), echo, reserve(1)]));
    let first = talk.answer(&json!({ "message": "2席" })).await;
    let ids = waiting(&first);
    assert_eq!((ids.len(), first["toolCalls"].as_array().unwrap().len()), (2, 1), "{first}");
    // The second first; nothing is decided before the other is answered.
    let second = talk.answer(&allow(&first, &ids[1..])).await;
    assert_eq!(
        (waiting(&second), &second["stopReason"]),
        (vec![ids[0].clone()], &json!("waiting"))
    );
    assert_eq!(talk.model.bodies().len(), 1);
    let left = free_seats(&client, &show).await;
    assert!(left.contains(&seats[0]) && !left.contains(&seats[1]));
    talk.model.says(says("両方取れました"));
    let third = talk.answer(&allow(&second, &ids[..1])).await;
    assert_eq!(third["text"], "両方取れました", "{third}");
    assert!(!free_seats(&client, &show).await.contains(&seats[0]));
    let last = talk.last();
    let names: Vec<_> = results(last.last().unwrap()).iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["reserve_seats", "echo", "reserve_seats"], "ILL-24: in call order");
    // From the first turn once more, with both: both were made.
    talk.model.says(says("両方あります"));
    let before = talk.server().calls.watch.metrics.component("cinema").calls;
    talk.answer(&allow(&first, &ids)).await;
    assert_eq!(
        talk.server().calls.watch.metrics.component("cinema").calls,
        before,
        "each is made once"
    );
    assert_eq!(talk.model.broken(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn asks_no_more_for_trusted_tool_unless_operator_requires_it() {
    let it = Reserving::begin("").await;
    let other = free_seats(&it.talk.server.client(), &it.show).await.pop().unwrap();
    let mut arguments = it.arguments.clone();
    arguments["seat_ids"] = json!([other]);
    it.talk.model.says(calls(&[("reserve_seats", arguments)])).says(says("2席取れました"));
    let mut body = it.decided("allow");
    body["trusts"] = json!(["reserve_seats"]);
    let answer = it.talk.answer(&body).await;
    assert_eq!(
        (&answer["text"], answer["toolCalls"].as_array().unwrap().len()),
        (&json!("2席取れました"), 2)
    );
    let it = Reserving::begin("[assistants.counter]\nasks = ['reserve_seats']").await;
    let body = json!({ "message": "取って", "trusts": ["reserve_seats"] });
    it.talk.model.says(calls(&[("reserve_seats", it.arguments.clone())]));
    assert_eq!(
        it.talk.answer(&body).await["stopReason"],
        "waiting",
        "the operator has the last word"
    );
    assert!(it.is_free().await);
}
