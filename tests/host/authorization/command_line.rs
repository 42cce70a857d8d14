//! `madoguchi token`, and tokens in the output of other commands.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Output, Stdio},
};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    process::{Process, bare_command, command, output},
    server::Folders,
};

fn run(folders: &Folders, arguments: &[&str]) -> Output {
    output(bare_command(folders).args(arguments))
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn fresh_token_admits_who_pastes_its_lines_and_is_kept_nowhere() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let new = ["token", "new", "ci", "--scope", "tool:echo", "--scope", "tool:whoami"];
    let fresh = json_of(&run(&folders, &[&new[..], &["--expires", "90d", "--json"]].concat()));
    assert!(!folders.data().exists(), "nothing is written");
    let token = fresh["token"].as_str().unwrap();
    assert_eq!(fresh["sha256"], host::digest::digest(token.as_bytes()));
    let lines = fresh["configuration"].as_str().unwrap();
    assert!(!lines.contains(token) && lines.contains("expires = \""), "{lines}");

    let file = folders.data().with_file_name("madoguchi.toml");
    fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
    let path = file.to_str().unwrap();
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--config", path, "--components"]);
    command.arg(folders.components());
    let process = Process::from(command);
    let client = Client::new(&process.url).with_token(token);
    let who = client.output("whoami", json!({})).await;
    assert_eq!((&who["principal"], &who["scopes"][0]), (&json!("ci"), &json!("tool:echo")));
    let listed = json_of(&run(&folders, &["--config", path, "token", "list", "--json"]));
    assert_eq!(listed["ci"]["scopes"], json!(["tool:echo", "tool:whoami"]));
    assert!(listed["ci"]["expired"] == false && !listed.to_string().contains("sha256"));
    let again = run(&folders, &["--config", path, "token", "new", "ci"]);
    let text = String::from_utf8_lossy(&again.stderr);
    assert!(!again.status.success() && text.contains("[tokens.ci] already"), "{text}");
}

#[test]
fn person_starting_the_process_needs_no_token_on_its_stdin() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let file = folders.data().with_file_name("madoguchi.toml");
    let lines = super::entry("ann", super::ANN, "'*'");
    fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
    let mut command = command(&folders);
    command.args(["--stdio", "--config"]).arg(&file).arg("--components").arg(folders.components());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().unwrap();
    let params = json!({ "name": "whoami", "arguments": {}, "_meta": Client::meta() });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut input = process.stdin.take().unwrap();
    writeln!(input, "{call}").unwrap();
    let mut answer = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    drop(input);
    process.wait().unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["principal"], "stdio", "{answer}");
}

#[test]
fn prints_token_once_and_names_valid_arguments() {
    let folders = Folders::new();
    let output = run(&folders, &["token", "new", "ann"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("mdg_").count(), 1, "{text}");
    assert!(text.contains("[tokens.ann]\nsha256 = ") && text.contains("scopes = [\"*\"]"));
    for (arguments, expected) in [
        (vec!["ann", "--scope", "tools:echo"], "tool:NAME"),
        (vec!["ann", "--expires", "soon"], "90d"),
        (vec!["a b"], "A-Z"),
        (vec!["stdio"], "another name"),
    ] {
        let refused = run(&folders, &[&["token", "new"], &arguments[..]].concat());
        let text = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && text.contains(expected), "{arguments:?}: {text}");
        assert!(refused.stdout.is_empty(), "no token comes of it");
    }
    let past = run(&folders, &["token", "new", "ann", "--expires", "2020-01-01"]);
    assert!(String::from_utf8_lossy(&past.stderr).contains("expired already"), "{past:?}");
}

#[test]
fn check_config_names_the_line_of_each_mistake_in_tokens() {
    let folders = Folders::new();
    let digest = host::digest::digest(b"mdg_x");
    let text = format!(
        "bundled = false\nallowed_origins = ['*']\n[tokens.ann]\nsha256 = '{digest}'\n\
        scopes = ['tool:x', 'everything']\nexpires = '2020-01-01T00:00:00Z'\n\
        [tokens.ben]\nsha256 = '{digest}'\nscopes = ['component:nobody']\n"
    );
    let file = folders.components().join("madoguchi.toml");
    fs::write(&file, text).unwrap();
    let report = json_of(&run(&folders, &["check-config", file.to_str().unwrap(), "--json"]));
    let findings = report["findings"].as_array().unwrap();
    let found: Vec<_> = findings
        .iter()
        .map(|it| (it["about"].as_str().unwrap(), it["line"].as_u64().unwrap(), &it["is_problem"]))
        .collect();
    let (yes, no) = (&json!(true), &json!(false));
    let expected = [
        ("tokens.ann.scopes", 5, yes),
        ("tokens.ann.expires", 6, no),
        ("tokens.ben.sha256", 8, yes),
        ("allowed_origins", 2, yes),
    ];
    assert_eq!(found, expected, "{report}");
    assert!(!report.to_string().contains(&digest), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_made_listed_linked_and_removed_by_commands() {
    let folders = Folders::new();
    folders.put("echo", &component_bytes("echo"));
    let file = folders.data().with_file_name("madoguchi.toml");
    fs::write(&file, "bundled = false\n[accounts]\nenabled = true\n").unwrap();
    let alone = run(&folders, &["account", "list"]);
    let text = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(!alone.status.success() && text.contains("no server"), "{text}");
    let serving = || {
        let mut program = command(&folders);
        program.args(["--addr", "127.0.0.1:0", "--config", file.to_str().unwrap()]);
        program.arg("--components").arg(folders.components());
        program
    };
    let mut process = Process::from(serving());
    let new = ["account", "new", "ann", "--scopes", "tool:echo,tool:whoami", "--json"];
    let made = json_of(&run(&folders, &new));
    let link = made["link"].as_str().unwrap();
    assert!(link.starts_with(&format!("{}/account/link/mdg_link_", process.url)), "{made}");
    let again = run(&folders, &new);
    let text = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(!again.status.success() && text.contains("account link NAME"), "{text}");
    for (wrong, why) in [
        (&["account", "new", "a b"][..], "the name of an account"),
        (&["account", "new", "operator"], "another name"),
        (&["account", "new", "ben", "--scopes", "everything"], "is not a scope"),
        (&["account", "link", "nobody"], "no such account"),
        (&["account", "scopes", "ann"], "which scopes?"),
        (&["account", "revoke", "ann", "0a"], "no such account or device"),
    ] {
        let refused = run(&folders, wrong);
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && text.contains(why), "{wrong:?}: {text}");
    }
    let shown = run(&folders, &["account", "link", "ann"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("it works once") && !shown.contains(link), "{shown}");
    let changed = run(&folders, &["account", "scopes", "ann", "--scopes", "component:echo"]);
    assert!(changed.status.success(), "{changed:?}");
    let listed = run(&folders, &["account", "list"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("ann  component:echo  passkeys: 0"), "{listed}");
    // The answer is durable before the program ends.
    process.kill();
    let process = Process::from(serving());
    let kept = run(&folders, &["account", "list"]);
    assert_eq!(String::from_utf8_lossy(&kept.stdout), listed);
    assert!(run(&folders, &["account", "remove", "ann"]).status.success());
    let listed = json_of(&run(&folders, &["account", "list", "--json"]));
    assert_eq!(listed, json!({ "accounts": [] }));
    drop(process);
}
