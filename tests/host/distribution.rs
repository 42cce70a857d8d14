//! Components from registries: push, add, update, remove; the previous version serves through any registry
//! fault (DIST-1 to DIST-10).

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use serde_json::json;
use tests::{
    component, component_bytes,
    fake_registry::{FakeRegistry, Fault},
    rebuilt,
    server::{Folders, TestServer},
};

mod credentials;
mod forms;
mod secure;
mod signatures;

/// The folder of a test's own files.
fn home(folders: &Folders) -> PathBuf {
    folders.components().parent().unwrap().to_owned()
}

/// The program on these folders, with these lines of configuration, knowing nothing of the user's own logins.
fn command(folders: &Folders, lines: &str, arguments: &[&str]) -> Command {
    let home = home(folders);
    let file = home.join("registries.toml");
    fs::write(&file, format!("bundled = false\n{lines}")).unwrap();
    let mut command = tests::process::command(folders);
    command.arg("--config").arg(file).arg("--components").arg(folders.components());
    command.args(arguments).env("HOME", &home).env_remove("DOCKER_CONFIG");
    // Each push says the same time, unless a test says another.
    command.env("SOURCE_DATE_EPOCH", "1790000000");
    command
}

fn run(folders: &Folders, lines: &str, arguments: &[&str]) -> Output {
    tests::process::output(&mut command(folders, lines, arguments))
}

/// The whole output.
fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// The output of a command that must succeed.
fn done(output: &Output) -> String {
    let printed = printed(output);
    assert!(output.status.success(), "{printed}");
    printed
}

/// The output of a command that must fail.
fn refused(output: &Output) -> String {
    let printed = printed(output);
    assert!(!output.status.success(), "{printed}");
    printed
}

/// Writes a file next to the component folder.
fn file(folders: &Folders, name: &str, bytes: &[u8]) -> String {
    let file = home(folders).join(name);
    fs::write(&file, bytes).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Pushes a build of the echo, distinguished by `mark`.
fn push(folders: &Folders, to: &str, mark: u8) {
    let build = file(folders, "build.wasm", &rebuilt(&component_bytes("echo"), mark));
    done(&run(folders, "", &["push", &build, to]));
}

/// What is installed, by its digest, and the lock file.
fn installed(folders: &Folders, name: &str) -> (Vec<u8>, String) {
    let lock = fs::read_to_string(folders.data().join("registries/madoguchi.lock"));
    (fs::read(folders.components().join(format!("{name}.wasm"))).unwrap(), lock.unwrap())
}

fn stored(folders: &Folders) -> usize {
    fs::read_dir(folders.data().join("registries/sha256")).unwrap().count()
}

fn generation(server: &TestServer, name: &str) -> Option<u64> {
    server.server().control.component(name).ok()?.generation
}

/// A server that has the echo from a registry, by its tag `1.0.0`.
async fn added() -> (FakeRegistry, TestServer) {
    let (registry, author) = (FakeRegistry::start().await, Folders::new());
    push(&author, &registry.reference("tools/echo:1.0.0"), 1);
    let server = TestServer::start(Folders::new(), |_| {}).await;
    done(&run(&server.folders, "", &["add", &registry.reference("tools/echo:1.0.0"), "--yes"]));
    assert_eq!(generation(&server, "echo"), Some(1));
    (registry, server)
}

#[tokio::test(flavor = "multi_thread")]
async fn pushed_component_is_added_served_updated_and_removed() {
    let (registry, author) = (FakeRegistry::start().await, Folders::new());
    let place = registry.reference("tools/echo:1.0.0");
    push(&author, &place, 1);
    let server = TestServer::start(Folders::new(), |_| {}).await;
    let folders = &server.folders;

    let output = done(&run(folders, "", &["add", &place, "as", "repeat", "--yes"]));
    for part in ["it computes, and touches nothing", "not signed", "generation 1 serves", "echo"] {
        assert!(output.contains(part), "{part}: {output}");
    }
    let answered = server.client().output("echo", json!({ "value": { "a": 1 } })).await;
    assert_eq!(answered["value"], json!({ "a": 1 }));
    let (bytes, lock) = installed(folders, "repeat");
    assert_eq!(bytes, rebuilt(&component_bytes("echo"), 1));
    for part in
        [&registry.reference("tools/echo\""), "1.0.0", &registry.tagged("tools/echo", "1.0.0")]
    {
        assert!(lock.contains(part), "{part}: {lock}");
    }
    assert!(done(&run(folders, "", &["outdated"])).contains("as its registry has it"));
    let again = done(&run(folders, "", &["update", "repeat", "--yes"]));
    assert!(again.contains("is what is installed"), "{again}");

    push(&author, &place, 2);
    push(&author, &registry.reference("tools/echo:1.1.0"), 3);
    let outdated = done(&run(folders, "", &["outdated"]));
    assert!(outdated.contains("another one now") && outdated.contains("--to 1.1.0"), "{outdated}");
    done(&run(folders, "", &["update", "--yes"]));
    assert_eq!(generation(&server, "repeat"), Some(2));
    done(&run(folders, "", &["update", "repeat", "--to", "1.1.0", "--yes"]));
    assert_eq!(generation(&server, "repeat"), Some(3));
    let shown = done(&run(folders, "", &["show", "repeat"]));
    assert!(
        shown.contains("tools/echo:1.1.0") && shown.contains("as in the component folder"),
        "{shown}"
    );

    done(&run(folders, "", &["remove", "repeat"]));
    assert!(!server.client().tools().await.contains(&"echo".to_owned()));
    assert!(!server.file("repeat").exists());
    let none = refused(&run(folders, "", &["remove", "repeat"]));
    assert!(none.contains("was not added"), "{none}");
}

/// DIST-10: permissions are shown, and nothing is installed before the operator confirms.
/// What authors in other languages make, from one host to another; `cargo xtask test` has built it.
#[tokio::test(flavor = "multi_thread")]
async fn js_and_python_components_are_pulled_and_serve() {
    let (registry, author) = (FakeRegistry::start().await, Folders::new());
    for language in ["js", "python"] {
        let built = tests::root().join(format!("target/languages/greeting-{language}.wasm"));
        let bytes = fs::read(&built).expect("`cargo xtask test` builds it");
        let place = registry.reference(&format!("tools/{language}:1.0.0"));
        done(&run(&author, "", &["push", built.to_str().unwrap(), &place]));
        let folders = Folders::new();
        folders.lend_code();
        let server = TestServer::start(folders, |_| {}).await;
        let folders = &server.folders;
        let output = done(&run(folders, "", &["add", &place, "as", "greeting", "--yes"]));
        for part in ["it computes, and touches nothing", "generation 1 serves"] {
            assert!(output.contains(part), "DIST-1: {language}: {part}: {output}");
        }
        assert_eq!(installed(folders, "greeting").0, bytes, "DIST-1: {language}");
        let greeted = server.client().output("greeting", json!({ "name": "Ann" })).await;
        assert_eq!(greeted["text"], "Hello, Ann!", "DIST-1: {language}");
        folders.keep_code();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shows_permissions_of_component_before_installing() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    let place = registry.reference("lending:1");
    done(&run(&folders, "", &["push", component("lending").to_str().unwrap(), &place]));
    let shown = done(&run(&folders, "", &["show", &place]));
    for part in
        ["it keeps a database of its own", "does not have before it is accepted", "It offers"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // No answer means no.
    let asked = refused(&run(&folders, "", &["add", &place]));
    assert!(asked.contains("[y/N]") && asked.contains("nothing was changed"), "{asked}");
    assert!(!folders.components().join("lending.wasm").exists());
    assert_eq!(stored(&folders), 0);
    let mut add = command(&folders, "", &["add", &place]);
    add.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = add.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"y\n").unwrap();
    let output = done(&child.wait_with_output().unwrap());
    assert!(output.contains("serves from the next start"), "{output}");
    assert!(folders.components().join("lending.wasm").exists());
}

/// DIST-9: adding grants nothing.
#[tokio::test(flavor = "multi_thread")]
async fn added_component_waits_with_the_grants_it_requests() {
    let (registry, author) = (FakeRegistry::start().await, Folders::new());
    let place = registry.reference("lending:1");
    done(&run(&author, "", &["push", component("lending").to_str().unwrap(), &place]));
    let server = TestServer::start(Folders::new(), |_| {}).await;
    let output = done(&run(&server.folders, "", &["add", &place, "--yes"]));
    assert!(output.contains("madoguchi accept lending"), "{output}");
    assert_eq!(generation(&server, "lending"), None, "it does not serve");
    done(&run(&server.folders, "", &["accept", "lending"]));
    assert_eq!(generation(&server, "lending"), Some(1));
}

/// DIST-9: nor does a name that has grants here.
#[tokio::test(flavor = "multi_thread")]
async fn rejects_name_of_another_component() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    let place = registry.reference("tools/cinema:1");
    push(&folders, &place, 1);
    let bundled = refused(&run(&folders, "", &["add", &place, "--yes"]));
    assert!(bundled.contains("a component of this program"), "{bundled}");
    folders.put("own", &component_bytes("echo"));
    let by_hand = refused(&run(&folders, "", &["add", &place, "as", "own", "--yes"]));
    assert!(by_hand.contains("was not added from a registry"), "{by_hand}");
    let wrong = refused(&run(&folders, "", &["add", &place, "as", "../own", "--yes"]));
    assert!(wrong.contains("no component's name"), "{wrong}");
    let wrong = refused(&run(&folders, "", &["add", "https://registry.example/x", "--yes"]));
    assert!(wrong.contains("oci://HOST/NAME:TAG"), "{wrong}");
    assert!(refused(&run(&folders, "", &["add", &place, "own"])).contains("as NAME"));
}

/// Each misdeed is refused with its reason, and changes nothing (DIST-3).
#[tokio::test(flavor = "multi_thread")]
async fn previous_version_serves_through_any_registry_fault() {
    let (registry, server) = added().await;
    let inward = FakeRegistry::start().await;
    let author = Folders::new();
    push(&author, &registry.reference("tools/echo:1.0.0"), 2);
    let before = installed(&server.folders, "echo");
    let to = format!("http://{}/inward", inward.host);
    for (fault, reason) in [
        (Fault::OtherBlobs, "its bytes are not those of"),
        (Fault::OtherManifests, "and its bytes have"),
        (Fault::OtherDigests, "and its bytes have"),
        (Fault::Short, "its manifest says"),
        (Fault::Endless, "more bytes than"),
        (Fault::Oversized, "more than 4194304 bytes"),
        (Fault::Redirecting(to), "private = true"),
    ] {
        registry.fail(fault.clone());
        let refusal = refused(&run(&server.folders, "", &["update", "echo", "--yes"]));
        assert!(refusal.contains(reason), "{fault:?}: {refusal}");
        assert!(installed(&server.folders, "echo") == before, "{fault:?}: nothing is changed");
        assert_eq!(generation(&server, "echo"), Some(1), "{fault:?}");
    }
    assert_eq!(inward.received(), Vec::<String>::new());
    // Silent registries end at their deadline.
    let quick = format!("[registries.\"{}\"]\ntimeout_ms = 500\n", registry.host);
    for fault in [Fault::Silent, Fault::Stalling] {
        registry.fail(fault.clone());
        let refusal = refused(&run(&server.folders, &quick, &["update", "echo", "--yes"]));
        assert!(refusal.contains("timeout_ms"), "{fault:?}: {refusal}");
        assert!(installed(&server.folders, "echo") == before, "{fault:?}: nothing is changed");
    }
    let answered = server.client().output("echo", json!({ "value": { "a": 1 } })).await;
    assert_eq!(answered["value"], json!({ "a": 1 }));
    registry.fail(Fault::None);
    done(&run(&server.folders, "", &["update", "echo", "--yes"]));
    assert_eq!(generation(&server, "echo"), Some(2));
}

/// DIST-7: by its digest, by its version, and by when it was made.
#[tokio::test(flavor = "multi_thread")]
async fn rejects_downgrade_unless_requested() {
    let (registry, server) = added().await;
    let (author, folders) = (Folders::new(), &server.folders);
    let first = registry.tagged("tools/echo", "1.0.0");
    push(&author, &registry.reference("tools/echo:1.0.0"), 2);
    done(&run(folders, "", &["update", "echo", "--yes"]));
    assert_eq!(generation(&server, "echo"), Some(2));
    let before = installed(folders, "echo");

    registry.retag("tools/echo", "1.0.0", &first);
    let refusal = refused(&run(folders, "", &["update", "echo", "--yes"]));
    assert!(refusal.contains("a step back") && refusal.contains("--allow-older"), "{refusal}");
    let build = file(&author, "build.wasm", &rebuilt(&component_bytes("echo"), 3));
    let place = registry.reference("tools/echo:1.0.0");
    let mut earlier = command(&author, "", &["push", &build, &place]);
    done(&tests::process::output(earlier.env("SOURCE_DATE_EPOCH", "1700000000")));
    let refusal = refused(&run(folders, "", &["update", "echo", "--yes"]));
    assert!(refusal.contains("made at"), "{refusal}");
    push(&author, &registry.reference("tools/echo:0.9.0"), 4);
    let refusal =
        refused(&run(folders, "", &["add", &registry.reference("tools/echo:0.9.0"), "--yes"]));
    assert!(refusal.contains("0.9.0 comes before 1.0.0"), "{refusal}");
    assert!(installed(folders, "echo") == before);

    registry.retag("tools/echo", "1.0.0", &first);
    done(&run(folders, "", &["update", "echo", "--yes", "--allow-older"]));
    assert_eq!(installed(folders, "echo").0, rebuilt(&component_bytes("echo"), 1));
}

/// DIST-6: what the lock file names stays, what a revision needs stays, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn keeps_blobs_that_lock_file_and_revisions_need() {
    let (registry, server) = added().await;
    let (author, folders) = (Folders::new(), &server.folders);
    assert_eq!(stored(folders), 2, "a manifest and its component");
    for mark in 2..9 {
        push(&author, &registry.reference("tools/echo:1.0.0"), mark);
        done(&run(folders, "", &["update", "echo", "--yes"]));
    }
    // The manifest of the newest, and the bytes of as many as revisions are kept of, or one more.
    let kept = stored(folders);
    assert!((6..=7).contains(&kept), "{kept}");
    let offline = Folders::new();
    push(&author, &registry.reference("tools/echo:1.0.0"), 20);
    done(&run(&offline, "", &["add", &registry.reference("tools/echo:1.0.0"), "--yes"]));
    push(&author, &registry.reference("tools/echo:1.0.0"), 21);
    done(&run(&offline, "", &["update", "--yes"]));
    assert_eq!(stored(&offline), 2, "what never served is needed by nothing");
    done(&run(&offline, "", &["remove", "echo"]));
    assert_eq!(stored(&offline), 0);
}

/// An unreachable registry does not prevent other updates.
#[tokio::test(flavor = "multi_thread")]
async fn unreachable_registry_does_not_stop_other_updates() {
    let (one, two) = (FakeRegistry::start().await, FakeRegistry::start().await);
    let (author, folders) = (Folders::new(), Folders::new());
    for (registry, name) in [(&one, "alpha"), (&two, "beta")] {
        push(&author, &registry.reference("echo:1"), 1);
        done(&run(&folders, "", &["add", &registry.reference("echo:1"), "as", name, "--yes"]));
        push(&author, &registry.reference("echo:1"), 2);
    }
    one.fail(Fault::Oversized);
    let refusal = refused(&run(&folders, "", &["update", "--yes"]));
    assert!(refusal.contains("alpha: ") && refusal.contains("beta: installed"), "{refusal}");
    assert_eq!(installed(&folders, "beta").0, rebuilt(&component_bytes("echo"), 2));
    assert_eq!(installed(&folders, "alpha").0, rebuilt(&component_bytes("echo"), 1));
}
