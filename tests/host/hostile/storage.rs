//! Hostile use of the database.

use tests::postgres::Cluster;

use super::*;

/// Ended by the deadline: the call's, or the statement's, which is the same moment.
fn names_the_deadline(failure: &Value) -> bool {
    failure["data"]["limit"] == "deadline_ms"
        || failure["message"].as_str().is_some_and(|it| it.contains("deadline_ms"))
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_a_never_ending_statement_and_the_database_lives_on() {
    let server = server(&["echo", "saboteur"], Limits { deadline_ms: 4_000, ..limits() }).await;
    let client = server.client();
    for tool in ["grind_read", "grind_write"] {
        // On a machine so busy that a round takes a second, it is tried again.
        let mut most = 0;
        for _ in 0..10 {
            let grinds = client.failure(tool, json!({}));
            let (failure, served) = while_serving_neighbour(&server, grinds).await;
            assert!(names_the_deadline(&failure), "{tool}: {failure}");
            client.output("begin", json!({})).await;
            most = most.max(served);
            if most > 5 {
                break;
            }
        }
        assert!(most > 5, "{tool}: the neighbour was served {most} times only");
    }
}

/// Bytes of all databases.
fn on_disk(server: &TestServer) -> u64 {
    let Some(url) = server.folders.store() else {
        let files = std::fs::read_dir(server.databases()).unwrap().flatten();
        return files.map(|it| it.metadata().map_or(0, |it| it.len())).sum();
    };
    let bytes = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class
        WHERE relkind = 'r' AND relnamespace::regnamespace::text LIKE 'component%'";
    Cluster::shared().sql(url.rsplit('/').next().unwrap(), &[bytes])[0].parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_full_at_its_limit_and_can_be_emptied() {
    let limits = limits();
    let room = limits.database_bytes_max;
    let server = server(&["echo", "saboteur"], Limits { deadline_ms: 30_000, ..limits }).await;
    let client = server.client();
    let (failure, _) = while_serving_neighbour(&server, client.failure("fill", json!({}))).await;
    assert!(failure["message"].as_str().unwrap().contains("database_bytes_max"), "{failure}");
    assert!(client.output("begin", json!({})).await["rows"].as_i64().unwrap() > 0);
    let bytes = on_disk(&server);
    assert!(bytes <= 4 * room, "{bytes} bytes on disk, of a database of {room}");
    client.output("clear", json!({})).await;
    assert_eq!(client.output("begin", json!({})).await["rows"], 0);
}
