//! Hostile components in the program as users start it: its log, and its memory afterwards.

use std::{fs, fs::File, time::Duration};

use tests::{
    client::Client,
    process::{Process, command},
};

use super::{
    calls::{BROKEN, LIMITED},
    floods::call_with_progress,
    *,
};

/// Allowed growth of memory by one round: pages cached by the pool and the allocator.
const SLACK: u64 = 32 << 20;

async fn everything(client: &Client) {
    for (tool, limit) in LIMITED {
        assert_eq!(client.failure(tool, json!({})).await["data"]["limit"], limit, "{tool}");
    }
    for tool in BROKEN {
        assert_eq!(client.failure(tool, json!({})).await["error"], "internal_error", "{tool}");
    }
    for tool in ["chatter", "whisper", "report"] {
        call_with_progress(client, tool).await;
    }
    client.failure("fill", json!({})).await;
    client.output("clear", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn log_names_each_limit_and_memory_returns_to_its_level() {
    let folders = Folders::new();
    for name in ["echo", "rogue", "saboteur"] {
        folders.put(name, &component_bytes(name));
    }
    let home = folders.components().parent().unwrap().to_owned();
    let config = home.join("madoguchi.toml");
    let text = "[limits]\ncpu_ms_max = 300\ndatabase_bytes_max = 8388608\nmemory_bytes_max = 201326592\n\
                [components.saboteur]\ngrants = [\"sql\"]\n";
    fs::write(&config, text).unwrap();
    let log = home.join("log");
    let mut command = command(&folders);
    command.arg("--config").arg(&config).args(["--addr", "127.0.0.1:0", "--components"]);
    command.arg(folders.components());
    let process = Process::logging(command, File::create(&log).unwrap());
    let client = Client::new(&process.url);

    client.output("echo", json!({ "value": {} })).await;
    let before = process.resident_bytes();
    everything(&client).await;
    let text = fs::read_to_string(&log).unwrap();
    let limits = LIMITED.iter().map(|(_, limit)| *limit);
    for limit in limits.chain(["log_bytes_max", "progress_max"]) {
        assert!(text.contains(limit), "{limit} is not in the log");
    }
    assert!(text.contains("broke its contract"), "what was broken is not in the log");
    assert!(text.contains("as promised"), "the reason of the trap is not in the log");

    everything(&client).await;
    let Some(before) = before else { return };
    let mut after = u64::MAX;
    // Pages go back to the system in their own time, those of threads at their end; a call now and then
    // lets them.
    for _ in 0..1_000 {
        client.output("echo", json!({ "value": {} })).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
        after = process.resident_bytes().unwrap_or(after);
        if after <= before + SLACK {
            return;
        }
    }
    panic!("{} MiB before, {} MiB after", before >> 20, after >> 20);
}
