//! Three hosts on one database: a build that reaches one serves on all, and nodes that cannot serve it are
//! named.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::future::join_all;
use host::{
    Config,
    canary::CanaryShare,
    config::Given,
    control::{ComponentReport, Control, NodeReport, Order},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{
    component_bytes,
    operator::Operator,
    process::{Process, command, output},
    rebuilt, sabotaged,
    server::{Folders, TestServer},
    until, with_section,
};

use super::*;

/// A component of one test, by its bytes: the name is always `shop`.
fn echo(mark: u8) -> Vec<u8> {
    rebuilt(&component_bytes("echo"), mark)
}

/// One that keeps something in SQL, and asks for that.
fn counter() -> Vec<u8> {
    with_section(&sabotaged(b'-'), "madoguchi:defaults", b"grants = ['sql']")
}

/// The name of the database at `url`.
fn name_of(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

async fn node(url: &str, name: &str, change: impl FnOnce(&mut Config)) -> TestServer {
    node_on(Folders::new(), url, name, change).await
}

async fn node_on(
    folders: Folders,
    url: &str,
    name: &str,
    change: impl FnOnce(&mut Config),
) -> TestServer {
    TestServer::start(folders, |config| {
        config.store.url = Some(Given::value(url));
        config.store.node = Some(name.to_owned());
        config.swap.node_wait_s = 1;
        change(config);
    })
    .await
}

/// Three nodes, a, b and c; the first has these bytes in its folder as `shop`, and the second is configured by
/// `change`.
async fn three(bytes: &[u8], change: impl FnOnce(&mut Config)) -> (String, [TestServer; 3]) {
    let url = Cluster::shared().database();
    let folders = Folders::new();
    folders.put("shop", bytes);
    let a = node_on(folders, &url, "a", |_| {}).await;
    let b = node(&url, "b", change).await;
    let c = node(&url, "c", |_| {}).await;
    (url, [a, b, c])
}

fn control(server: &TestServer) -> Control {
    server.server().control.clone()
}

fn shop(server: &TestServer) -> ComponentReport {
    control(server).component("shop").expect("it is known")
}

/// The digest of what a node serves as `shop`.
fn served(server: &TestServer) -> Option<String> {
    let catalog = server.server().calls.registry.catalog();
    catalog.component("shop").map(|it| it.digest().to_string())
}

fn digest(bytes: &[u8]) -> String {
    host::digest::digest(bytes)
}

/// Waits until all serve these bytes.
async fn serve(servers: &[&TestServer], bytes: &[u8]) {
    let digest = digest(bytes);
    for server in servers {
        until("the build serves", async || served(server).as_ref() == Some(&digest)).await;
    }
}

async fn echoes(server: &TestServer) {
    let value = json!({ "value": { "窓": 1 } });
    assert_eq!(server.client().output("echo", value.clone()).await, value);
}

fn out_of_rotation(server: &TestServer) -> Option<String> {
    server.server().calls.registry.out_of_rotation()
}

/// STO-30, STO-33: dropped on one, served on all, with one number and one epoch; what goes, goes from all.
#[tokio::test(flavor = "multi_thread")]
async fn build_dropped_on_one_node_serves_on_all_and_leaves_all() {
    let (_, [a, b, c]) = three(&echo(1), |_| {}).await;
    let all = [&a, &b, &c];
    serve(&all, &echo(1)).await;
    c.folders.put("shop", &echo(2));
    serve(&all, &echo(2)).await;
    for server in all {
        echoes(server).await;
        assert_eq!(out_of_rotation(server), None);
        until("the generations are told", async || shop(server).generation == Some(2)).await;
        assert_eq!(shop(server).generations.len(), 2);
    }
    let nodes = control(&b).nodes().await.unwrap();
    let names: Vec<_> = nodes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let here: Vec<_> = nodes.iter().map(|it| it.is_here).collect();
    assert_eq!(here, [false, true, false]);
    let ids: BTreeSet<_> = nodes.iter().map(|it| it.id).collect();
    assert_eq!(ids.len(), 3, "{nodes:?}");
    assert!(nodes.iter().all(|it| !it.is_gone && it.not_ready.is_none()), "{nodes:?}");

    // A build loaded by command reaches all nodes, and any node can remove it.
    control(&b).execute("shop", Order::Load(echo(3))).await.unwrap();
    serve(&all, &echo(3)).await;
    control(&a).execute("shop", Order::Unload).await.unwrap();
    for server in all {
        until("it is taken away", async || served(server).is_none()).await;
    }
    // Another one is served again; its file goes, and it goes.
    b.folders.put("shop", &echo(4));
    serve(&all, &echo(4)).await;
    std::fs::remove_file(b.file("shop")).unwrap();
    for server in all {
        until("it is removed", async || served(server).is_none()).await;
    }
}

/// STO-30: calls run on all nodes, and each is answered by one version from beginning to end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn swaps_over_three_nodes_under_load_fail_no_call() {
    let builds = [echo(1), echo(2), echo(3)];
    let (_, servers) = three(&builds[0], |_| {}).await;
    let stop = Arc::new(AtomicBool::new(false));
    let callers = servers.iter().flat_map(|it| [it.client(), it.client()]).map(|client| {
        let stop = stop.clone();
        tokio::spawn(async move {
            let mut calls = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                let value = json!({ "value": { "n": calls } });
                assert_eq!(client.output("echo", value.clone()).await, value);
                calls += 1;
            }
            calls
        })
    });
    let callers: Vec<_> = callers.collect();
    let all: Vec<_> = servers.iter().collect();
    for turn in 1..=200 {
        let build = &builds[turn % 3];
        match turn % 5 {
            0 => {
                _ = control(all[turn % 3])
                    .execute("shop", Order::Load(build.clone()))
                    .await
                    .unwrap()
            }
            _ => all[turn % 3].folders.put("shop", build),
        }
        serve(&all, build).await;
    }
    stop.store(true, Ordering::Relaxed);
    for calls in join_all(callers).await {
        assert!(calls.expect("no call failed") > 0);
    }
    let generations = all.iter().map(|it| shop(it).generation).collect::<BTreeSet<_>>();
    assert_eq!(generations, [Some(201)].into());
}

/// STO-31: neither a folder with what is old nor an empty one keeps a node from serving what the others do at once.
#[tokio::test(flavor = "multi_thread")]
async fn joining_or_returning_node_serves_the_newest_at_once() {
    let (url, [a, b, mut c]) = three(&echo(1), |_| {}).await;
    c.stop().await;
    a.folders.put("shop", &echo(2));
    serve(&[&a, &b], &echo(2)).await;
    c.restart().await;
    assert_eq!(served(&c), Some(digest(&echo(2))));
    echoes(&c).await;
    let folders = Folders::new();
    folders.put("shop", &echo(1));
    let d = node_on(folders, &url, "d", |_| {}).await;
    assert_eq!(served(&d), Some(digest(&echo(2))), "what served before is no news");
    assert_eq!((shop(&d).generation, out_of_rotation(&d)), (Some(2), None));
    // A build that no node has served is new.
    let folders = Folders::new();
    folders.put("shop", &echo(3));
    let e = node_on(folders, &url, "e", |_| {}).await;
    serve(&[&a, &b, &c, &d, &e], &echo(3)).await;
}

/// STO-32, STO-34: what waits waits on all nodes, and is accepted on any; a node that may not serve it is named, the
/// others go on, and it is in rotation again after a rollback on yet another one.
#[tokio::test(flavor = "multi_thread")]
async fn node_that_cannot_serve_a_build_is_named_and_others_go_on() {
    let grants_nothing = |config: &mut Config| {
        config.components.entry("shop".to_owned()).or_default().grants = Some(BTreeSet::new());
    };
    let (_, [a, b, c]) = three(&echo(1), grants_nothing).await;
    a.folders.put("shop", &counter());
    until("it waits on all", async || shop(&c).pending.is_some() && shop(&b).pending.is_some())
        .await;
    control(&c).execute("shop", Order::Accept(None)).await.unwrap();
    serve(&[&a, &c], &counter()).await;
    until("it is out of rotation", async || out_of_rotation(&b).is_some()).await;
    let why = out_of_rotation(&b).unwrap();
    assert!(why.contains("shop is not served here as on the other nodes"), "{why}");
    assert_eq!(served(&b), Some(digest(&echo(1))), "the version before serves on");
    echoes(&b).await;
    until("it is told", async || shop(&b).trouble.is_some()).await;
    let error = shop(&b).trouble.unwrap();
    assert!(error.contains("sql"), "{error}");

    let failed = |report: &NodeReport| {
        let shop = report.components.iter().find(|it| it.name == "shop").expect("each has come on");
        shop.why.clone()
    };
    // Each node publishes its state after it has come to that.
    until("the nodes are told", async || {
        let nodes = control(&a).nodes().await.unwrap();
        let failed: Vec<_> = nodes.iter().map(failed).collect();
        let is_named = failed[1].as_ref().is_some_and(|it| it.contains("sql"));
        failed[0].is_none() && is_named && failed[2].is_none()
    })
    .await;
    until("health names it", async || !a.server().calls.registry.failing_nodes().is_empty()).await;
    let health: Value = a.client().get("/api/health").await.json().await.unwrap();
    assert_eq!(
        (&health["status"], &health["nodes"]["status"]),
        (&json!("degraded"), &json!("failing"))
    );
    let (_, now) = Operator::of(&a.folders.data()).send(Method::GET, "now", "").await;
    let error = now["troubles"].as_array().unwrap().iter().find(|it| it["of"] == "node");
    assert_eq!(error.expect("the operator sees which")["name"], "b", "{now}");

    control(&c).execute("shop", Order::Rollback(None)).await.unwrap();
    serve(&[&a, &b, &c], &echo(1)).await;
    until("it is in rotation again", async || out_of_rotation(&b).is_none()).await;
    until("nothing is wrong", async || shop(&b).trouble.is_none()).await;
}

/// STO-32: where most cannot serve it, for what is kept of it is not what its digest says, all keep what they have.
#[tokio::test(flavor = "multi_thread")]
async fn damaged_build_is_refused_and_the_version_before_serves() {
    let (url, [a, b, mut c]) = three(&echo(1), |_| {}).await;
    let cluster = Cluster::shared();
    let database = name_of(&url);
    let damage = [
        "CREATE FUNCTION damage() RETURNS trigger LANGUAGE plpgsql
         AS 'BEGIN NEW.bytes = ''damaged''; RETURN NEW; END'",
        "CREATE TRIGGER damage BEFORE INSERT ON madoguchi_host.component_builds
         FOR EACH ROW EXECUTE FUNCTION damage()",
    ];
    cluster.sql(database, &damage);
    let refused = control(&a).execute("shop", Order::Load(echo(2))).await.unwrap_err().to_string();
    assert!(refused.contains("most nodes cannot serve it: b: "), "{refused}");
    assert!(refused.contains("damaged: their digest is"), "{refused}");
    for server in [&a, &b, &c] {
        assert_eq!(served(server), Some(digest(&echo(1))));
        assert_eq!(out_of_rotation(server), None);
        echoes(server).await;
    }
    // That is over: nothing is wrong with any node.
    let fails = || a.server().calls.registry.failing_nodes();
    until("no node fails any more", async || fails().is_empty()).await;
    // A returning node serves its previous build, out of rotation.
    cluster.sql(database, &["DROP TRIGGER damage ON madoguchi_host.component_builds"]);
    c.stop().await;
    control(&a).execute("shop", Order::Load(echo(3))).await.unwrap();
    let hurt = format!(
        "UPDATE madoguchi_host.component_builds SET bytes = 'x' WHERE digest = '{}'",
        digest(&echo(3))
    );
    cluster.sql(database, &[&hurt]);
    c.restart().await;
    assert_eq!(served(&c), Some(digest(&echo(1))));
    assert!(out_of_rotation(&c).is_some());
    assert!(shop(&c).trouble.expect("it is told").contains("damaged"));
    // Another build makes all well.
    control(&c).execute("shop", Order::Load(echo(4))).await.unwrap();
    serve(&[&a, &b, &c], &echo(4)).await;
    until("it is in rotation", async || out_of_rotation(&c).is_none()).await;
}

/// STO-34: a canary answers its share on each node, and is stopped on any.
#[tokio::test(flavor = "multi_thread")]
async fn canary_answers_on_all_nodes_until_one_stops_it() {
    let (_, [a, b, c]) = three(&echo(1), |_| {}).await;
    let all = [&a, &b, &c];
    let greedier = with_section(&echo(2), "madoguchi:defaults", b"grants = ['clock']");
    control(&b).execute("shop", Order::Load(greedier)).await.unwrap_err();
    let share = CanaryShare { percent: 50, callers: Vec::new() };
    control(&b).execute("shop", Order::Canary(None, share)).await.unwrap();
    for server in all {
        until("the canary is there", async || shop(server).canary.is_some()).await;
        for _ in 0..100 {
            echoes(server).await;
        }
        let canary = shop(server).canary.unwrap();
        assert_eq!((canary.own.calls, canary.before.calls), (50, 50));
    }
    control(&c).execute("shop", Order::StopCanary(None)).await.unwrap();
    for server in all {
        until("the canary is gone", async || shop(server).canary.is_none()).await;
        assert!(shop(server).pending.is_some(), "the build waits on");
    }
}

/// STO-30: a node that is gone holds nothing up, though it had the turn.
#[tokio::test(flavor = "multi_thread")]
async fn turn_of_a_dead_node_goes_to_the_next() {
    let (url, [a, b, c]) = three(&echo(1), |_| {}).await;
    let dead = "INSERT INTO madoguchi_host.component_turn (node, component, epoch, manifest)
        VALUES (-1, 'shop', 99, '{}')";
    Cluster::shared().sql(name_of(&url), &[dead]);
    a.folders.put("shop", &echo(2));
    serve(&[&a, &b, &c], &echo(2)).await;
}

/// STO-33: one host without a database is one node, told the same way; the command line says what the route does.
#[tokio::test(flavor = "multi_thread")]
async fn host_alone_is_one_node_and_command_line_shows_nodes() {
    let folders = Folders::in_files();
    folders.put("shop", &echo(1));
    let alone = Process::start(&folders);
    let (status, answer) = Operator::of(&folders.data()).send(Method::GET, "nodes", "").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(answer["shared"], false, "{answer}");
    let [node] = answer["nodes"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(
        (&node["is_here"], &node["is_gone"], &node["id"]),
        (&json!(true), &json!(false), &json!(1))
    );
    let shop = node["components"].as_array().unwrap().iter().find(|it| it["name"] == "shop");
    assert_eq!(shop.unwrap(), &json!({ "name": "shop", "epoch": 1, "state": "serving" }));
    assert!(alone.url.ends_with(node["address"].as_str().unwrap()), "{answer}");
    let shown = output(command(&folders).arg("nodes"));
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("this one") && shown.contains("shop 1"), "{shown}");
    let shown = output(command(&folders).args(["nodes", "--json"]));
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["nodes"][0]["id"], 1, "{shown}");
}
