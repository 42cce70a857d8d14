//! What an author begins with, out of the program: a folder that builds, is tested and served as it is.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};
use tests::{
    process::{bare_command, output},
    root,
    server::{Folders, TestServer},
};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn new(folders: &Folders, folder: &Path) -> Output {
    output(bare_command(folders).arg("new").arg(folder))
}

/// Runs cargo in `folder`, with the crates that are there: of the versions that this project has.
fn cargo(folder: &Path, arguments: &[&str]) {
    let target = root().join("target/tests/new");
    let mut cargo = Command::new("cargo");
    for (name, _) in std::env::vars().filter(|(name, _)| {
        name.starts_with("CARGO_") && name != "CARGO_HOME" || name.starts_with("RUSTC")
    }) {
        cargo.env_remove(name);
    }
    cargo.args(arguments).arg("--offline").arg("--target-dir").arg(target).current_dir(folder);
    let done = output(&mut cargo);
    assert!(done.status.success(), "{arguments:?}: {}", text(&done.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_component_builds_is_tried_alone_and_served() {
    let folders = Folders::new();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("my-greeter");
    let made = new(&folders, &folder);
    assert!(made.status.success(), "{made:?}");
    assert!(text(&made.stdout).contains("cargo build --release --target wasm32-wasip2"));
    for entry in ["AGENTS.md", "README.md", ".gitignore", "rust-toolchain.toml", "wit/world.wit"] {
        assert!(folder.join(entry).is_file(), "{entry}");
    }
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(readme.contains("release/my_greeter.wasm my_greeter '{"), "{readme}");
    assert!(!readme.contains("greeting"), "{readme}");

    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    cargo(&folder, &["build", "--target", "wasm32-wasip2"]);
    let built = root().join("target/tests/new/wasm32-wasip2/debug/my_greeter.wasm");
    let call = |arguments: &str| {
        output(bare_command(&folders).arg("run").arg(&built).args(["my_greeter", arguments]))
    };
    let greeted = call("{\"name\":\"花子\"}");
    let answer: Value = serde_json::from_slice(&greeted.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&greeted.stderr)));
    assert_eq!(answer, json!({ "text": "Hello, 花子!" }));
    let refused = call("{\"name\":\" \"}");
    assert!(!refused.status.success() && text(&refused.stderr).contains("no_name"), "{refused:?}");

    folders.put("my_greeter", &fs::read(&built).unwrap());
    let server = TestServer::start(folders, |_| {}).await;
    let served = server.client().output("my_greeter", json!({ "name": "Ann" })).await;
    assert_eq!(served, json!({ "text": "Hello, Ann!" }));
}

#[test]
fn a_new_component_takes_no_place_and_no_name_that_cannot_be() {
    let (folders, home) = (Folders::new(), tempfile::tempdir().unwrap());
    for (name, told) in [
        ("Weather", "a-z 0-9 _ -"),
        ("9lives", "letter at the beginning"),
        ("天気", "a-z"),
        ("a-", "at the end"),
        ("serde", "another name"),
        ("test", "another name"),
    ] {
        let refused = new(&folders, &home.path().join(name));
        assert!(!refused.status.success(), "{name}");
        assert!(text(&refused.stderr).contains(told), "{name}: {}", text(&refused.stderr));
        assert!(!home.path().join(name).exists(), "{name}: nothing is made");
    }
    let class = home.path().join("class");
    let refused = output(bare_command(&folders).arg("new").arg(&class).arg("--python"));
    assert!(text(&refused.stderr).contains("a function of Python"), "SYS-60: {refused:?}");
    let both = output(bare_command(&folders).arg("new").arg(&class).args(["--js", "--python"]));
    assert!(!both.status.success() && !class.exists(), "{both:?}");
    let full = home.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("diary"), "mine").unwrap();
    let refused = new(&folders, &full);
    assert!(text(&refused.stderr).contains("is there already"), "{refused:?}");
    assert_eq!(fs::read_dir(&full).unwrap().count(), 1, "nothing is added");
}

#[test]
fn the_contract_is_shown_and_written_as_it_is() {
    let (folders, home) = (Folders::new(), tempfile::tempdir().unwrap());
    let shown = text(&output(bare_command(&folders).arg("wit")).stdout);
    assert!(shown.contains("// world.wit\n") && shown.contains("world tool-component"), "{shown}");
    let folder = home.path().join("wit");
    let written = output(bare_command(&folders).arg("wit").arg(&folder));
    assert!(written.status.success(), "{written:?}");
    for entry in fs::read_dir(root().join("wit")).unwrap().map(|it| it.unwrap().path()) {
        let copy = fs::read(folder.join(entry.file_name().unwrap())).unwrap();
        assert_eq!(copy, fs::read(&entry).unwrap(), "{}", entry.display());
    }
}
