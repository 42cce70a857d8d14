//! Calls of components that behave well: run, held, approved, denied, questioned.

use serde_json::json;
use tests::{client::Client, component_bytes, legacy::LegacySession, rebuilt};

use super::{Errands, allow, approval, decide, next_pending, pending};

#[tokio::test(flavor = "multi_thread")]
async fn reads_run_at_once_while_changes_wait_for_the_person() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let read = json!({ "tool": "list_movies", "arguments": {} });
    let outcomes = errands.try_calls(json!([read, errands.reserve(0)])).await;
    let movies = &outcomes[0]["done"]["structuredContent"]["movies"];
    assert!(movies.is_array(), "{outcomes:?}");
    let id = outcomes[1]["held"].as_str().unwrap();
    assert!(errands.is_free(0).await);
    let shown = pending(&client).await.remove(0);
    assert_eq!((&shown["id"], &shown["tool"]), (&json!(id), &json!("reserve_seats")));
    assert_eq!(
        (&shown["askedBy"], &shown["state"]),
        (&json!("component:errand"), &json!("waiting"))
    );
    let words = shown["words"].as_str().unwrap();
    for part in ["reserve_seats", "cinema", errands.seats[0].as_str(), "for the two of you"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert_eq!(errands.held_outcome(id).await["held"], id, "it waits");
    let sha = &shown["argumentsSha256"];
    let (status, done) =
        decide(&client, id, json!({ "allow": true, "argumentsSha256": sha })).await;
    assert_eq!((status, &done["state"]), (200, &json!("done")), "{done}");
    assert!(!errands.is_free(0).await);
    assert!(pending(&client).await.is_empty());
    let fetched = errands.held_outcome(id).await;
    assert_eq!(fetched["done"]["structuredContent"], done["result"]["structuredContent"]);
    assert_eq!(approval(&client, id).await.1["state"], "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_call_resumes_after_approval() {
    let errands = Errands::begin().await;
    let (client, other) = (errands.server.client(), errands.server.client());
    // A client that shows no forms: the page, or another client, is where the person answers.
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let arguments = json!({ "calls": [errands.reserve(0), errands.reserve(1)] });
    let params = json!({ "name": "run_errand", "arguments": arguments, "_meta": meta });
    let running = tokio::spawn(async move { client.result("tools/call", params).await });
    let first = next_pending(&other).await;
    tests::until("both wait", async || pending(&other).await.len() == 2).await;
    let second = pending(&other).await.into_iter().find(|it| it["id"] != first["id"]).unwrap();
    for shown in [&first, &second] {
        assert_eq!(allow(&other, shown["id"].as_str().unwrap()).await.0, 200);
    }
    let result = tokio::time::timeout(tests::PATIENCE, running).await.unwrap().unwrap();
    let outputs = result["structuredContent"]["outputs"].as_array();
    assert_eq!(outputs.map(Vec::len), Some(2), "{result}");
    assert!(!errands.is_free(0).await && !errands.is_free(1).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_call_is_reported_and_not_made() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let id = errands.hold(json!([errands.reserve(0)])).await;
    let (status, denied) = decide(&client, &id, json!({ "allow": false })).await;
    assert_eq!((status, &denied["state"]), (200, &json!("denied")));
    assert_eq!(errands.held_outcome(&id).await["failed"]["error"], "not_allowed");
    assert!(errands.is_free(0).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn forwards_a_tools_questions_to_the_person() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    let id = errands.hold(json!([{ "tool": "greet", "arguments": {} }])).await;
    let shown = pending(&client).await.remove(0);
    assert_eq!(shown["state"], "asking", "{shown}");
    let key = shown["questions"][0]["key"].as_str().unwrap().to_owned();
    let (status, early) = allow(&client, &id).await;
    assert_eq!((status, &early["error"]), (409, &json!("allowed_already")));
    let answers = json!({ key: { "action": "accept", "content": { "name": "Taro" } } });
    let answer = json!({ "answers": answers });
    // Twice at once: the later one answers nothing.
    let (one, two) =
        tokio::join!(decide(&client, &id, answer.clone()), decide(&client, &id, answer));
    let ((status, done), (late, refused)) = if one.0 == 200 { (one, two) } else { (two, one) };
    assert_eq!((status, &done["state"]), (200, &json!("done")), "{done}");
    assert_eq!((late, &refused["error"]), (409, &json!("answered_already")), "{refused}");
    let fetched = errands.held_outcome(&id).await;
    assert_eq!(fetched["done"]["structuredContent"]["greeting"], "Hello, Taro!", "{fetched}");
}

#[tokio::test(flavor = "multi_thread")]
async fn own_and_trusted_tools_need_no_approval() {
    let errands =
        Errands::with(&format!("{ERRAND}trusts = ['reserve_seats']\n", ERRAND = super::ERRAND))
            .await;
    let note = json!({ "tool": "keep_note", "arguments": { "text": "a note" } });
    let outcomes = errands.try_calls(json!([note, errands.reserve(0)])).await;
    assert_eq!(outcomes[0]["done"]["structuredContent"]["outputs"][0], "a note", "{outcomes:?}");
    assert!(outcomes[1]["done"].is_object(), "{outcomes:?}");
    assert!(!errands.is_free(0).await);
    assert!(pending(&errands.server.client()).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_call_survives_restart_and_swap_and_runs_once() {
    let mut errands = Errands::begin().await;
    let id = errands.hold(json!([errands.reserve(0)])).await;
    let denied = errands.hold(json!([errands.reserve(1)])).await;
    decide(&errands.server.client(), &denied, json!({ "allow": false })).await;
    errands.server.restart().await;
    let bytes = rebuilt(&component_bytes("errand"), 7);
    let digest = host::digest::digest(&bytes);
    let mut changes = errands.server.server().calls.registry.changes();
    errands.server.folders.put("errand", &bytes);
    let there =
        changes.wait_for(|it| it.component("errand").is_some_and(|it| **it.digest() == digest));
    tokio::time::timeout(tests::PATIENCE, there).await.unwrap().unwrap();
    let client = errands.server.client();
    assert_eq!(pending(&client).await.len(), 1, "what was denied is over");
    let (one, two) = tokio::join!(allow(&client, &id), allow(&client, &id));
    let statuses = [one.0, two.0];
    assert!(statuses.contains(&200), "{one:?} {two:?}");
    assert!(!errands.is_free(0).await && errands.is_free(1).await);
    errands.server.restart().await;
    let (status, again) = allow(&errands.server.client(), &id).await;
    assert_eq!((status, &again["error"]), (409, &json!("answered_already")), "{again}");
    let lines = errands.server.server().calls.watch.audit.tail(50);
    let made: Vec<_> = lines.iter().filter(|it| it["tool"] == "reserve_seats").collect();
    assert_eq!(made.len(), 1, "{lines:?}");
    assert_eq!(
        (&made[0]["asked_by"], &made[0]["approval"]),
        (&json!("component:errand"), &json!(id))
    );
    let outcome = |outcome: &str| {
        lines.iter().filter(|it| it["method"] == "approvals" && it["outcome"] == outcome).count()
    };
    assert_eq!((outcome("held"), outcome("denied")), (2, 1), "{lines:?}");
    assert!(errands.held_outcome(&id).await["done"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_are_notified_of_pending_calls() {
    let errands = Errands::begin().await;
    let uri = "madoguchi://approvals";
    let wanted = json!({ "resourceSubscriptions": [uri] });
    let (mut listener, _) = errands.server.client().listen_for(wanted).await;
    let session = LegacySession::open(&errands.server.url()).await;
    let mut older = session.listen().await;
    let subscribed = session.request("resources/subscribe", json!({ "uri": uri })).await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    errands.hold(json!([errands.reserve(0)])).await;
    let event = listener.next(tests::PATIENCE).await.unwrap();
    assert_eq!(event["method"], "notifications/resources/updated", "{event}");
    assert_eq!(event["params"]["uri"], uri);
    let (method, updated) = older.notified().await;
    assert_eq!((&*method, updated.as_deref()), ("notifications/resources/updated", Some(uri)));
}

#[tokio::test(flavor = "multi_thread")]
async fn late_decision_gets_conflict() {
    let errands = Errands::begin().await;
    let client = errands.server.client();
    for _ in 0..8 {
        let id = errands.hold(json!([errands.reserve(0)])).await;
        let decision = |allow: bool| {
            let (client, id) = (&client, &id);
            async move { (allow, decide(client, id, json!({ "allow": allow })).await) }
        };
        let answers =
            tokio::join!(decision(true), decision(false), decision(true), decision(false));
        let all = [answers.0, answers.1, answers.2, answers.3];
        let is_denied = approval(&client, &id).await.1["state"] == "denied";
        for (allow, (status, answer)) in &all {
            let counts = *allow != is_denied;
            assert!(counts || *status == 409, "{allow}: {status} {answer}");
        }
        assert!(all.iter().any(|it| it.1.0 == 200), "{all:?}");
    }
}
