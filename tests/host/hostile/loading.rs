//! Components that misbehave before they serve.

use tests::sabotaged;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn keeps_out_component_failing_its_tool_listing_with_the_reason() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let faults = [
        ("panics", b'p', "does not describe itself"),
        ("loops", b'l', "cpu_ms_max"),
        ("hoards", b'm', "memory_bytes_max"),
        ("mistypes", b't', "is not a JSON Schema"),
        ("bulges", b'b', "output_bytes_max"),
    ];
    for (name, fault, _) in faults {
        folders.put(name, &sabotaged(fault));
    }
    let server = start(folders, limits()).await;
    for (name, _, reason) in faults {
        let error = error_of(&server, name).await;
        assert!(error.contains(reason), "{name}: {error}");
        assert!(!error.contains("as promised"), "{name}: {error}");
    }
    assert!(!server.client().tools().await.contains(&"begin".to_owned()));
    server.client().output("echo", json!({ "value": {} })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_start_of_a_component_delays_no_other() {
    let server = server(&["echo"], Limits { cpu_ms_max: 60_000, ..limits() }).await;
    let client = server.client();
    server.folders.put("saboteur", &sabotaged(b's'));
    let there = async {
        for _ in 0..100_000 {
            if client.tools().await.contains(&"begin".to_owned()) {
                return true;
            }
            tokio::task::yield_now().await;
        }
        false
    };
    let (there, served) = while_serving_neighbour(&server, there).await;
    assert!(there, "{}", error_of(&server, "saboteur").await);
    assert!(served > 5, "the neighbour was served {served} times only");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_version_leaves_the_valid_one_serving() {
    let server = server(&["echo", "saboteur"], limits()).await;
    let client = server.client();
    client.output("begin", json!({})).await;
    server.folders.put("saboteur", &sabotaged(b'l'));
    let error = async {
        for _ in 0..100_000 {
            let error = error_of(&server, "saboteur").await;
            if !error.is_empty() {
                return error;
            }
        }
        String::new()
    };
    let (error, _) = while_serving_neighbour(&server, error).await;
    assert!(error.contains("cpu_ms_max"), "{error}");
    client.output("begin", json!({})).await;
}
