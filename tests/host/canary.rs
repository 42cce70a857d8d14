//! Canaries: a pending build answers a share of the calls; its faults, its comparison with the serving
//! version, its end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use host::{
    Config,
    canary::{CanaryShare, Comparison},
    control::{CanaryReport, ComponentReport, Control, ControlError, Order},
    grants::Grant,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    client::{Client, LegacySession},
    component_bytes,
    process::{Process, command, output},
    rebuilt, sabotaged,
    server::{Folders, Operator, TestServer},
    with_section,
};
use tokio::task::JoinHandle;

const SECTION: &str = "madoguchi:defaults";
/// By so much no canary is slower for a few slow calls of a busy machine.
const LONG_MS: u64 = 60_000;

fn percent(percent: u8) -> Order {
    Order::Canary(None, CanaryShare { percent, callers: Vec::new() })
}

/// The echo, requesting the clock.
fn greedier_echo() -> Vec<u8> {
    with_section(&rebuilt(&component_bytes("echo"), 2), SECTION, b"grants = ['clock']")
}

/// The saboteur with these requested grants and the misbehaviour of this letter.
fn saboteur(letter: u8, grants: &str) -> Vec<u8> {
    with_section(&sabotaged(letter), SECTION, format!("grants = [{grants}]").as_bytes())
}

/// A server whose component `shop` is the echo, with a pending echo that requests more.
async fn echo_waits(change: impl FnOnce(&mut Config)) -> TestServer {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let server = TestServer::start(folders, change).await;
    put_pending(&control(&server), greedier_echo()).await;
    server
}

/// A server whose component `shop` counts rows, with a pending one that requests the clock and misbehaves.
async fn saboteur_waits(letter: u8) -> TestServer {
    let server = TestServer::start(Folders::new(), |config| {
        config.swap.canary.calls_min = 5;
        if letter != b'S' {
            config.swap.canary.latency_ms_min = LONG_MS;
        }
    })
    .await;
    let control = control(&server);
    put_pending(&control, saboteur(b'-', "'sql'")).await;
    control.execute("shop", Order::Accept(None)).await.unwrap();
    put_pending(&control, saboteur(letter, "'sql', 'clock'")).await;
    server
}

async fn put_pending(control: &Control, bytes: Vec<u8>) {
    let error = control.execute("shop", Order::Load(bytes)).await.unwrap_err();
    assert!(error.to_string().contains("madoguchi accept shop"), "{error}");
}

fn control(server: &TestServer) -> Control {
    server.server().control.clone()
}

fn shop(server: &TestServer) -> ComponentReport {
    control(server).component("shop").unwrap()
}

fn canary(server: &TestServer) -> CanaryReport {
    shop(server).canary.expect("there is a canary")
}

/// How many calls each of the two has answered: the canary, and the version that serves.
fn answered(server: &TestServer) -> (u64, u64) {
    let canary = canary(server);
    (canary.own.calls, canary.before.calls)
}

/// Waits for the end of `shop`'s canary; returns the reason.
async fn ended(server: &TestServer) -> String {
    let gone = async {
        loop {
            let report = shop(server);
            if let (None, Some(why)) =
                (&report.canary, report.pending.as_ref().and_then(|it| it.ended.clone()))
            {
                return why;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, gone).await.expect("it ends")
}

async fn echo(client: &Client) {
    let value = json!({ "value": { "窓": 1 } });
    assert_eq!(client.output("echo", value.clone()).await, value);
}

async fn rpc(client: &Client) {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": { "value": {} } });
    let answer: Value =
        client.post("/rpc", &[], body.to_string()).await.json().await.expect("it is JSON");
    assert_eq!(answer["result"], json!({ "value": {} }), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_1000_calls_on_all_ways_the_canary_answers_its_share() {
    let server = echo_waits(|_| {}).await;
    let report = control(&server).execute("shop", percent(10)).await.unwrap();
    assert_eq!(report.generation, Some(1), "the version before serves");
    assert!(report.pending.is_some_and(|it| it.canary.is_some_and(|it| it.percent == 10)));
    let (client, legacy) = (server.client(), LegacySession::open(&server.url()).await);
    for _ in 0..400 {
        echo(&client).await;
    }
    for _ in 0..300 {
        rpc(&client).await;
        let called = legacy.call("echo", json!({ "value": {} })).await;
        assert_eq!(called["structuredContent"], json!({ "value": {} }), "{called}");
    }
    assert_eq!(answered(&server), (100, 900));

    let operator = Operator::of(&server.folders.data());
    let (_, log) = operator.send(Method::GET, "audit?lines=2000", "").await;
    let lines = log["lines"].as_array().unwrap();
    let echoes: Vec<_> = lines.iter().filter(|it| it["tool"] == "echo").collect();
    let by_canary: Vec<_> = echoes.iter().filter(|it| it["canary"] == true).collect();
    assert_eq!((echoes.len(), by_canary.len()), (1_000, 100));
    let digest = &canary(&server).digest[..12];
    assert!(by_canary.iter().all(|it| it["digest"] == digest), "the version that answered");
    let eras: std::collections::BTreeSet<_> =
        by_canary.iter().map(|it| it["era"].to_string() + &it["surface"].to_string()).collect();
    assert_eq!(eras.len(), 3, "it answers on each way: {eras:?}");
    let metrics = server.server().calls.watch.metrics.text();
    let line =
        "madoguchi_canary_calls_total{component=\"shop\",version=\"canary\",outcome=\"done\"} 100";
    assert!(metrics.contains(line), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_calls_keep_the_share_too() {
    let server = echo_waits(|_| {}).await;
    control(&server).execute("shop", percent(25)).await.unwrap();
    let callers = (0..8).map(|_| {
        let client = server.client();
        tokio::spawn(async move {
            for _ in 0..50 {
                echo(&client).await;
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
    assert_eq!(answered(&server), (100, 300));
}

#[tokio::test(flavor = "multi_thread")]
async fn named_callers_get_the_canary_and_others_do_not() {
    let entry = |name: &str| {
        let digest = host::digest::digest(format!("mdg_{name}-of-the-test").as_bytes());
        format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['*']\n")
    };
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let config = folders.config_with(&(entry("ann") + &entry("ben")));
    let server = TestServer::start(folders, |it| *it = config).await;
    let control = control(&server);
    put_pending(&control, greedier_echo()).await;
    let share = CanaryShare { percent: 0, callers: vec!["ann".to_owned()] };
    control.execute("shop", Order::Canary(None, share)).await.unwrap();
    let [ann, ben] = ["ann", "ben"].map(|it| server.client_with(&format!("mdg_{it}-of-the-test")));
    for _ in 0..7 {
        echo(&ann).await;
    }
    assert_eq!(answered(&server), (7, 0));
    for _ in 0..200 {
        echo(&ben).await;
    }
    assert_eq!(answered(&server), (7, 200));
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_show_the_serving_version_and_send_no_notification() {
    let server = echo_waits(|_| {}).await;
    let control = control(&server);
    let client = server.client();
    let before = client.result("tools/list", json!({})).await;
    let mut listener = client.listen().await;
    control.execute("shop", percent(99)).await.unwrap();
    assert_eq!(client.result("tools/list", json!({})).await["tools"], before["tools"]);
    control.execute("shop", Order::StopCanary(None)).await.unwrap();
    assert_eq!(listener.changes(Duration::from_millis(300)).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_canary_gets_the_grants_it_requests() {
    let server = echo_waits(|_| {}).await;
    let control = control(&server);
    let report = control.execute("shop", percent(50)).await.unwrap();
    assert!(!report.grants.contains(&Grant::Clock), "{:?}", report.grants);
    control.execute("shop", Order::StopCanary(None)).await.unwrap();
    put_pending(&control, greedier_echo()).await;
    let report = control.execute("shop", Order::Accept(None)).await.unwrap();
    assert!(report.grants.contains(&Grant::Clock) && report.generation == Some(2));
}

/// Calls until the canary is gone; how many calls failed until then.
async fn calls_until_it_is_gone(server: &TestServer) -> usize {
    let client = server.client();
    let mut failed = 0;
    for _ in 0..400 {
        if shop(server).canary.is_none() {
            break;
        }
        let (_, answer) =
            client.request("tools/call", json!({ "name": "begin", "arguments": {} })).await;
        let is_good = answer["result"]["structuredContent"] == json!({ "rows": 0 });
        failed += usize::from(!is_good);
    }
    failed
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_is_withdrawn_after_three_traps() {
    let server = saboteur_waits(b'P').await;
    control(&server).execute("shop", percent(10)).await.unwrap();
    let failed = calls_until_it_is_gone(&server).await;
    let why = ended(&server).await;
    assert_eq!(failed, 3);
    assert!(why.starts_with("3 of its 3 calls trapped or exceeded a limit"), "{why}");
    let report = shop(&server);
    assert_eq!(report.generation, Some(1), "the version before serves on");
    assert!(report.trouble.is_some_and(|it| it.contains("the canary gave way")));
    let client = server.client();
    for _ in 0..50 {
        assert_eq!(client.output("begin", json!({})).await, json!({ "rows": 0 }));
    }
    let health: Value = client.get("/api/health").await.json().await.unwrap();
    let text = health["components"]["shop"]["error"].as_str().unwrap();
    assert!(text.contains("3 of its 3 calls trapped"), "{text}");
    // It may be tried once more, accepted or refused.
    let report = control(&server).execute("shop", percent(10)).await.unwrap();
    assert!(report.trouble.is_none() && report.pending.is_some_and(|it| it.ended.is_none()));
    let report = control(&server).execute("shop", Order::Refuse(None)).await.unwrap();
    assert!(report.canary.is_none() && report.pending.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_refusing_calls_that_succeeded_before_is_withdrawn() {
    let server = saboteur_waits(b'R').await;
    control(&server).execute("shop", percent(50)).await.unwrap();
    let failed = calls_until_it_is_gone(&server).await;
    let why = ended(&server).await;
    assert!(why.contains("were refused") && why.contains("0 of"), "{why}");
    assert!(failed >= 5, "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slower_canary_is_withdrawn() {
    let server = saboteur_waits(b'S').await;
    control(&server).execute("shop", percent(50)).await.unwrap();
    assert_eq!(calls_until_it_is_gone(&server).await, 0, "slow and right");
    let why = ended(&server).await;
    assert!(why.contains("ms on average"), "{why}");
}

/// Calls until so many calls of `tool` were compared.
async fn compared(server: &TestServer, tool: &str, many: u64) -> Comparison {
    let client = server.client();
    let found = async {
        loop {
            let (_, answer) =
                client.request("tools/call", json!({ "name": tool, "arguments": {} })).await;
            assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
            let all = canary(server).comparisons;
            if let Some(comparison) =
                all.into_iter().find(|it| it.tool == tool && it.compared >= many)
            {
                return comparison;
            }
        }
    };
    tokio::time::timeout(tests::PATIENCE, found).await.expect("they are compared")
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_different_answers_of_canary_to_read_only_calls() {
    let server = saboteur_waits(b'O').await;
    control(&server).execute("shop", percent(50)).await.unwrap();
    let found = compared(&server, "begin", 3).await;
    assert_eq!(found.different, found.compared);
    let example = found.example.unwrap();
    assert_eq!((&*example.at, &*example.serving, &*example.canary), ("/rows", "0", "7"));
    let (own, before) = answered(&server);
    assert!(own >= 3 && own.abs_diff(before) <= 5, "what is compared is no call: {own}, {before}");
}

#[tokio::test(flavor = "multi_thread")]
async fn compares_answers_of_read_only_calls_alone() {
    let server = saboteur_waits(b'-').await;
    control(&server).execute("shop", percent(99)).await.unwrap();
    server.client().output("clear", json!({})).await;
    let found = compared(&server, "begin", 2).await;
    assert_eq!((found.different, found.example), (0, None));
    let tools: Vec<_> = canary(&server).comparisons.into_iter().map(|it| it.tool).collect();
    assert_eq!(tools, ["begin"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn equally_good_canary_stays() {
    let server = echo_waits(|config| {
        let canary = &mut config.swap.canary;
        (canary.calls_min, canary.latency_ms_min) = (5, LONG_MS);
    })
    .await;
    control(&server).execute("shop", percent(50)).await.unwrap();
    let client = server.client();
    for turn in 0..200 {
        match turn % 4 {
            // Of wrong arguments both versions say so.
            3 => _ = client.failure("echo", json!({ "value": 1 })).await,
            _ => echo(&client).await,
        }
    }
    let canary = canary(&server);
    assert_eq!((canary.own.calls, canary.before.calls), (100, 100));
    assert!(canary.own.refused > 0 && canary.before.refused > 0, "{canary:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn call_in_rounds_stays_with_the_version_that_began() {
    let server = echo_waits(|_| {}).await;
    control(&server).execute("shop", percent(50)).await.unwrap();
    let client = server.client();
    let call = async |more: Value| {
        let mut params = json!({ "name": "greet_twice", "arguments": {} });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.result("tools/call", params).await
    };
    let accept =
        |key: &str, content: Value| json!({ key: { "action": "accept", "content": content } });
    for _ in 0..20 {
        let asked = call(json!({})).await;
        let named = call(json!({
            "requestState": asked["requestState"],
            "inputResponses": accept("name", json!({ "name": "Taro" })),
        }))
        .await;
        // A version that had not asked would drop the answer and ask for the name again.
        let requests = named["inputRequests"].as_object().unwrap();
        let key = requests.keys().next().unwrap();
        assert_ne!(key, "name", "{named}");
        let done = call(json!({
            "requestState": named["requestState"],
            "inputResponses": accept(key, json!({})),
        }))
        .await;
        assert_eq!(done["structuredContent"]["greeting"], "Hello, Taro!", "{done}");
    }
    let (own, before) = answered(&server);
    assert_eq!((own + before, own % 3), (60, 0), "whole calls went to each: {own}, {before}");
    assert!(own > 0 && before > 0, "{own}, {before}");
}

/// How many calls wait for something to happen in each: the canary, and the version that serves.
fn waiting(server: &TestServer) -> (usize, usize) {
    let catalog = server.server().calls.registry.catalog();
    let canary = catalog.canary("shop").map_or(0, |it| it.component.waiting());
    (canary, catalog.component("shop").map_or(0, |it| it.waiting()))
}

async fn until_waiting(server: &TestServer, wanted: (usize, usize)) {
    let looking = async {
        while waiting(server) != wanted {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let in_time = tokio::time::timeout(tests::PATIENCE, looking).await;
    in_time.unwrap_or_else(|_| panic!("not {wanted:?} but {:?}", waiting(server)));
}

/// A server whose component `shop` is that one, everything granted, and where a build with a schedule answers 99 % of
/// the calls.
async fn shop_of(component: &str) -> TestServer {
    let granted = |it: &Grant| format!("'{it}'");
    let all = Grant::ALL.iter().map(granted).collect::<Vec<_>>().join(", ");
    let build = |more: &str| {
        let asks = format!("grants = [{all}]\n{more}");
        with_section(&component_bytes(component), SECTION, asks.as_bytes())
    };
    let server = TestServer::start(Folders::new(), |_| {}).await;
    let control = control(&server);
    put_pending(&control, build("")).await;
    control.execute("shop", Order::Accept(None)).await.unwrap();
    put_pending(&control, build("schedule_ms = 3600000")).await;
    control.execute("shop", percent(99)).await.unwrap();
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_reads_and_completions_have_their_share_too() {
    let server = shop_of("conformance").await;
    let (client, legacy) = (server.client(), LegacySession::open(&server.url()).await);
    let reference = json!({ "type": "ref/prompt", "name": "test_prompt_with_arguments" });
    let requests = [
        ("prompts/get", json!({ "name": "test_simple_prompt" })),
        ("resources/read", json!({ "uri": "test://static-text" })),
        ("resources/read", json!({ "uri": "test://template/7/data" })),
        (
            "completion/complete",
            json!({ "ref": reference, "argument": { "name": "arg1", "value": "" } }),
        ),
    ];
    for (method, params) in &requests {
        for _ in 0..10 {
            client.result(method, params.clone()).await;
            let answer = legacy.request(method, params.clone()).await;
            assert!(answer["result"].is_object(), "{answer}");
        }
    }
    assert_eq!(answered(&server), (79, 1), "of the first 80 calls one is not the canary's");
}

/// A call that waits in a canary beside the mailbox.
async fn letter_waits() -> (TestServer, JoinHandle<Value>) {
    let server = shop_of("reach").await;
    let client = server.client();
    let long = json!({ "up_to_ms": 3_600_000 });
    let reader = tokio::spawn(async move { client.output("await_letter", long).await });
    until_waiting(&server, (1, 0)).await;
    (server, reader)
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_call_resumes_in_the_canary() {
    let (server, reader) = letter_waits().await;
    server.client().output("send_letter", json!({ "text": "hi" })).await;
    assert_eq!(reader.await.unwrap()["letters"], json!(["hi"]), "both have one database");
    let digest = canary(&server).digest[..12].to_owned();
    let operator = Operator::of(&server.folders.data());
    let (_, log) = operator.send(Method::GET, "audit?lines=10", "").await;
    let mut lines = log["lines"].as_array().unwrap().iter();
    let line = lines.find(|it| it["tool"] == "await_letter").unwrap();
    assert_eq!((&line["canary"], &line["digest"]), (&json!(true), &json!(digest)), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn call_waiting_in_a_withdrawn_canary_is_not_lost() {
    let (server, reader) = letter_waits().await;
    control(&server).execute("shop", Order::StopCanary(None)).await.unwrap();
    server.client().output("send_letter", json!({ "text": "hi" })).await;
    assert_eq!(reader.await.unwrap()["letters"], json!(["hi"]));
    let operator = Operator::of(&server.folders.data());
    let (_, log) = operator.send(Method::GET, "audit?lines=10", "").await;
    let mut lines = log["lines"].as_array().unwrap().iter();
    let line = lines.find(|it| it["tool"] == "await_letter").unwrap();
    assert_eq!((&line["canary"], &line["generation"]), (&Value::Null, &json!(1)), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_that_only_one_version_has_go_to_that_version() {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let server = TestServer::start(folders, |config| config.swap.refuse_breaking = true).await;
    let control = control(&server);
    put_pending(&control, component_bytes("rogue")).await;
    control.execute("shop", percent(99)).await.unwrap();
    let client = server.client();
    for _ in 0..20 {
        echo(&client).await;
    }
    assert_eq!(answered(&server), (0, 0), "no call could have gone to it");
    let (_, unknown) =
        client.request("tools/call", json!({ "name": "panic", "arguments": {} })).await;
    assert!(unknown["error"]["message"].as_str().unwrap().contains("panic"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_continues_after_a_restart_with_new_figures() {
    let mut server = echo_waits(|_| {}).await;
    control(&server).execute("shop", percent(50)).await.unwrap();
    echo(&server.client()).await;
    let digest = canary(&server).digest;
    server.restart().await;
    let resumed = canary(&server);
    assert_eq!((resumed.digest, resumed.share.percent), (digest, 50));
    assert_eq!(answered(&server), (0, 0));
    for _ in 0..10 {
        echo(&server.client()).await;
    }
    let (own, before) = answered(&server);
    assert!(own > 0 && before > 0 && own + before == 10, "{own}, {before}");
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_from_the_folder_continues_after_a_restart() {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let mut server = TestServer::start(folders, |_| {}).await;
    server.folders.put("shop", &greedier_echo());
    let held = async {
        while shop(&server).pending.is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(tests::PATIENCE, held).await.expect("in time");
    control(&server).execute("shop", percent(99)).await.unwrap();
    server.restart().await;
    assert_eq!((shop(&server).generation, canary(&server).share.percent), (Some(1), 99));
    echo(&server.client()).await;
    assert_eq!(answered(&server), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn withdrawn_canary_stays_withdrawn_after_a_restart() {
    let mut server = saboteur_waits(b'P').await;
    control(&server).execute("shop", percent(99)).await.unwrap();
    calls_until_it_is_gone(&server).await;
    let why = ended(&server).await;
    server.restart().await;
    let report = shop(&server);
    assert!(report.canary.is_none());
    assert_eq!(report.pending.and_then(|it| it.ended), Some(why));
    assert_eq!(server.client().output("begin", json!({})).await, json!({ "rows": 0 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn canary_ends_when_another_version_is_served() {
    let server = echo_waits(|_| {}).await;
    let control = control(&server);
    control.execute("shop", Order::Refuse(None)).await.unwrap();
    control.execute("shop", Order::Load(rebuilt(&component_bytes("echo"), 3))).await.unwrap();
    put_pending(&control, with_section(&component_bytes("echo"), SECTION, b"grants = ['random']"))
        .await;
    control.execute("shop", percent(50)).await.unwrap();
    let report = control.execute("shop", Order::Rollback(None)).await.unwrap();
    assert!(report.canary.is_none());
    let pending = report.pending.expect("it waits on");
    assert!(pending.ended.is_some_and(|it| it.contains("another version serves")));
    control.execute("shop", percent(50)).await.unwrap();
    let report = control.execute("shop", Order::Unload).await.unwrap();
    assert!(report.canary.is_none() && report.pending.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_pending_build_ends_the_canary() {
    let server = echo_waits(|_| {}).await;
    let control = control(&server);
    control.execute("shop", percent(50)).await.unwrap();
    put_pending(&control, greedier_echo()).await;
    assert!(shop(&server).canary.is_some(), "the same build again changes nothing");
    put_pending(&control, with_section(&component_bytes("echo"), SECTION, b"grants = ['random']"))
        .await;
    assert!(shop(&server).canary.is_none());
    echo(&server.client()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn swaps_of_canaries_under_load_lose_no_call() {
    let server = echo_waits(|_| {}).await;
    let control = control(&server);
    let stop = Arc::new(AtomicBool::new(false));
    let callers = (0..8).map(|caller| {
        let (client, stop) = (server.client(), stop.clone());
        tokio::spawn(async move {
            let (mut calls, value) = (0_usize, json!({ "value": { "caller": caller } }));
            while !stop.load(Ordering::Relaxed) {
                assert_eq!(client.output("echo", value.clone()).await, value);
                calls += 1;
            }
            calls
        })
    });
    let callers: Vec<_> = callers.collect();
    for turn in 0..10 {
        control.execute("shop", percent(10 + turn * 8)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
        control.execute("shop", Order::StopCanary(None)).await.unwrap();
    }
    control.execute("shop", percent(50)).await.unwrap();
    let report = control.execute("shop", Order::Accept(None)).await.unwrap();
    assert!(report.generation == Some(2) && report.canary.is_none() && report.pending.is_none());
    let report = control.execute("shop", Order::Rollback(None)).await.unwrap();
    assert_eq!(report.generation, Some(1));
    stop.store(true, Ordering::Relaxed);
    for caller in callers {
        assert!(caller.await.expect("no call failed") > 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_invalid_shares_with_the_remedy() {
    let server = echo_waits(|_| {}).await;
    let operator = Operator::of(&server.folders.data());
    let post = async |body: Value| {
        operator.send(Method::POST, "components/shop/canary", body.to_string()).await
    };
    for (body, what) in [
        (json!({}), "percent is 1 to 99"),
        (json!({ "percent": 0 }), "answers no call"),
        (json!({ "percent": 100 }), "accept the build"),
        (json!({ "percent": 300 }), "percent"),
        (json!({ "percent": 10.5 }), "percent"),
        (json!({ "percent": "10" }), "percent"),
        (json!({ "callers": ["a\nb"] }), "no caller's name"),
        (json!({ "callers": "ann" }), "callers"),
        (json!({ "share": 10 }), "share"),
    ] {
        let (status, error) = post(body.clone()).await;
        assert_eq!((status, &error["error"]), (StatusCode::BAD_REQUEST, &json!("invalid_params")));
        assert!(error["message"].as_str().unwrap().contains(what), "{body}: {error}");
    }
    let (status, error) = post(json!({ "percent": 10, "digest": "0".repeat(64) })).await;
    assert_eq!((status, &error["error"]), (StatusCode::CONFLICT, &json!("another_pending")));
    let stop = async || operator.send(Method::DELETE, "components/shop/canary", "").await;
    let (status, error) = stop().await;
    assert_eq!((status, &error["error"]), (StatusCode::CONFLICT, &json!("no_canary")));
    let (status, report) = post(json!({ "percent": 10, "callers": ["ann"] })).await;
    assert_eq!((status, &report["canary"]["percent"]), (StatusCode::OK, &json!(10)), "{report}");
    assert_eq!(report["canary"]["callers"], json!(["ann"]));
    let (status, report) = stop().await;
    assert_eq!((status, &report["canary"]), (StatusCode::OK, &Value::Null));
    assert_eq!(report["pending"]["ended"], "the operator stopped it");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_canary_without_a_serving_version() {
    let server = TestServer::start(Folders::new(), |_| {}).await;
    let control = control(&server);
    for order in [percent(10), Order::StopCanary(None), Order::Refuse(None), Order::Accept(None)] {
        let unknown = control.execute("shop", order).await.unwrap_err();
        assert!(matches!(unknown, ControlError::Unknown(_)), "{unknown}");
    }
    put_pending(&control, greedier_echo()).await;
    let alone = control.execute("shop", percent(10)).await.unwrap_err();
    assert!(matches!(alone, ControlError::NothingServes(_)), "{alone}");
    assert!(alone.to_string().contains("madoguchi accept shop"), "{alone}");
}

#[test]
fn a_canary_is_begun_shown_and_stopped_from_the_command_line() {
    let folders = Folders::new();
    folders.put("shop", &component_bytes("echo"));
    let _process = Process::start(&folders);
    let say = |arguments: &[&str]| {
        let output = output(command(&folders).args(arguments));
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    };
    let build = folders.data().join("build.wasm");
    std::fs::write(&build, greedier_echo()).unwrap();
    let (done, nothing) = say(&["canary", "shop", "--percent", "10"]);
    assert!(!done && nothing.contains("no build of shop waits"), "{nothing}");
    let (done, waits) = say(&["load", build.to_str().unwrap(), "--name", "shop"]);
    assert!(!done && waits.contains("madoguchi accept shop"), "{waits}");
    let (done, which) = say(&["canary", "shop"]);
    assert!(!done && which.contains("--percent NUMBER"), "{which}");
    let (done, all) = say(&["canary", "shop", "--percent", "100"]);
    assert!(!done && all.contains("accept the build"), "{all}");
    let (done, begun) = say(&["canary", "shop", "--percent", "50", "--caller", "operator"]);
    let digest = &host::digest::digest(&greedier_echo())[..12];
    let expected =
        format!("shop: the build {digest} answers 50 % of calls and those of operator\n");
    assert_eq!((done, begun), (true, expected));
    assert!(say(&["call", "echo", r#"{"value":{}}"#]).0);
    let (_, table) = say(&["components"]);
    for part in ["canary: the build", "canary: 1 calls, 0 errors", "beside: 0 calls"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let (_, json) = say(&["components", "--json"]);
    let listed: Value = serde_json::from_str(&json).unwrap();
    let listed = listed["components"].as_array().unwrap();
    let shop = listed.iter().find(|it| it["name"] == "shop").unwrap();
    assert_eq!(shop["canary"]["own"]["calls"], 1);
    let (done, both) = say(&["canary", "shop", "--percent", "10", "--stop"]);
    assert!(!done && both.contains("--stop"), "{both}");
    let (done, stopped) = say(&["canary", "shop", "--stop"]);
    assert_eq!((done, &*stopped), (true, "shop: the build waits, and answers no calls\n"));
    let (done, again) = say(&["canary", "shop", "--stop"]);
    assert!(!done && again.contains("no build of shop answers calls"), "{again}");
    let (_, table) = say(&["components"]);
    assert!(table.contains("its canary ended: the operator stopped it"), "{table}");
}
