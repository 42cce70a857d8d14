//! Components from registries: push, add, update, remove; the previous version serves through any registry
//! fault (DIST-1 to DIST-10).

mod signatures;

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tests::{
    component, component_bytes,
    fake_registry::{ACCOUNT, Asks, FakeRegistry, Fault, INDEX},
    fake_signing::FakeAuthority,
    process::{output, script},
    rebuilt,
    server::{Folders, TestServer},
};

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
    output(&mut command(folders, lines, arguments))
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
    done(&output(earlier.env("SOURCE_DATE_EPOCH", "1700000000")));
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

// Credentials of registries: their sources, their recipients, and places where they never appear (DIST-4).

/// The lines by which the registry is asked with what the environment has.
fn lines(registry: &FakeRegistry) -> String {
    format!(
        "[registries.\"{}\"]\nusername = \"{}\"\npassword = {{ environment = \"TEST_PASSWORD\" }}\n",
        registry.host, ACCOUNT.0
    )
}

/// The command with the right password in its environment.
fn knowing(folders: &Folders, lines: &str, arguments: &[&str]) -> Command {
    let mut command = command(folders, lines, arguments);
    command.env("TEST_PASSWORD", ACCOUNT.1);
    command
}

async fn private(asks: Asks) -> (FakeRegistry, Folders, String) {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    let place = registry.reference("team/echo:1");
    push(&folders, &place, 1);
    registry.ask(asks);
    (registry, folders, place)
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_and_adds_with_configured_credentials() {
    for asks in [Asks::Basic, Asks::Tokens(None)] {
        let (registry, folders, place) = private(asks.clone()).await;
        let build = file(&folders, "build.wasm", &rebuilt(&component_bytes("echo"), 2));
        let lines = lines(&registry);
        done(&output(&mut knowing(&folders, &lines, &["push", &build, &place])));
        let output = done(&output(&mut knowing(&folders, &lines, &["add", &place, "--yes"])));
        assert!(!output.contains(ACCOUNT.1), "{output}");
        let lock = fs::read_to_string(folders.data().join("registries/madoguchi.lock")).unwrap();
        assert!(!lock.contains(ACCOUNT.1));
        assert!(registry.secrets() > 0, "{asks:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn adds_with_credentials_of_docker_or_a_helper() {
    let (registry, folders, place) = private(Asks::Tokens(None)).await;
    let docker = home(&folders).join(".docker");
    fs::create_dir(&docker).unwrap();
    let config = docker.join("config.json");
    let auth = STANDARD.encode(format!("{}:{}", ACCOUNT.0, ACCOUNT.1));
    fs::write(&config, json!({ "auths": { &*registry.host: { "auth": auth } } }).to_string())
        .unwrap();
    done(&output(&mut command(&folders, "", &["show", &place])));
    // As a login by an identity provider leaves it.
    let login = json!({ "auths": { &*registry.host: { "identitytoken": ACCOUNT.1 } } });
    fs::write(&config, login.to_string()).unwrap();
    done(&output(&mut command(&folders, "", &["show", &place])));

    let bin = home(&folders).join("bin");
    fs::create_dir(&bin).unwrap();
    let helper = bin.join("docker-credential-fake");
    let answer = json!({ "ServerURL": registry.host, "Username": ACCOUNT.0, "Secret": ACCOUNT.1 });
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = get ] || exit 2\nread host\n[ \"$host\" = '{}' ] || {{ echo 'credentials not found in native keychain'; exit 1; }}\necho '{answer}'\n",
        registry.host
    );
    script(&helper, &text);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let with = |lines: &str, config_json: &str| {
        fs::write(&config, config_json).unwrap();
        let mut show = command(&folders, lines, &["show", &place]);
        output(show.env("PATH", &path))
    };
    done(&with("", r#"{"credsStore":"fake"}"#));
    done(&with("", &json!({ "credHelpers": { &*registry.host: "fake" } }).to_string()));
    let named = format!("[registries.\"{}\"]\ncredential_helper = \"fake\"\n", registry.host);
    done(&with(&named, "{}"));
    let missing = refused(&with("", r#"{"credsStore":"absent"}"#));
    assert!(missing.contains("docker-credential-absent"), "{missing}");
    let none = refused(&with("", "{}"));
    assert!(none.contains("wants to know who asks") && none.contains("docker login"), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_refused_and_shown_nowhere() {
    for asks in [Asks::Basic, Asks::Tokens(None)] {
        let (registry, folders, place) = private(asks).await;
        let mut show = command(&folders, &lines(&registry), &["show", &place]);
        show.env("TEST_PASSWORD", "wr0ng:pass&word").env("MADOGUCHI_LOG", "trace");
        let refusal = refused(&output(&mut show));
        assert!(refusal.contains("wants to know who asks"), "{refusal}");
        let encoded = STANDARD.encode(format!("{}:wr0ng:pass&word", ACCOUNT.0));
        assert!(!refusal.contains("wr0ng") && !refusal.contains(&encoded), "{refusal}");
        let missing =
            refused(&output(&mut command(&folders, &lines(&registry), &["show", &place])));
        assert!(missing.contains("TEST_PASSWORD"), "{missing}");
    }
    let folders = Folders::new();
    let written = "[registries.\"registry.example\"]\nusername = \"ann\"\npassword = \"s3cret\"\n";
    let refusal = refused(&output(&mut command(&folders, written, &["outdated"])));
    assert!(refusal.contains("environment") && !refusal.contains("s3cret"), "{refusal}");
}

/// No credentials are sent to another token service that a registry names.
#[tokio::test(flavor = "multi_thread")]
async fn credentials_go_to_another_realm_only_if_configured() {
    let other = FakeRegistry::start().await;
    let realm = format!("http://{}/token", other.host);
    let (registry, folders, place) = private(Asks::Tokens(Some(realm.clone()))).await;
    let refusal = refused(&output(&mut knowing(&folders, &lines(&registry), &["show", &place])));
    assert!(refusal.contains(&other.host) && refusal.contains("realm = "), "{refusal}");
    assert_eq!(other.received(), Vec::<String>::new());
    // Nor is it asked in the open, with nothing.
    let refusal = refused(&output(&mut command(&folders, "", &["show", &place])));
    assert!(refusal.contains("plain http"), "{refusal}");
    assert_eq!(other.received(), Vec::<String>::new());

    let named = format!("{}realm = \"{realm}\"\nprivate = true\n", lines(&registry));
    let output = printed(&output(&mut knowing(&folders, &named, &["show", &place])));
    assert_eq!(other.received(), ["GET /token"], "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_carry_no_credentials() {
    for asks in [Asks::Basic, Asks::Tokens(None)] {
        let (registry, folders, place) = private(asks).await;
        let elsewhere = FakeRegistry::start().await;
        let build = rebuilt(&component_bytes("echo"), 1);
        let blob = elsewhere.blob("application/wasm", &build);
        let digest = blob["digest"].as_str().unwrap();
        // Another path would be another blob; the configuration's is not read where there is none.
        let manifest = json!({
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": registry.blob("application/vnd.oci.empty.v1+json", b"{}"), "layers": [blob],
        });
        registry.manifest("team/echo", Some("1"), &manifest);
        let to = format!("http://{}/v2/team/echo/blobs/{digest}", elsewhere.host);
        registry.fail(Fault::Redirecting(to));
        registry.blob("application/wasm", &build);
        let named = format!("{}private = true\n", lines(&registry));
        done(&output(&mut knowing(&folders, &named, &["show", &place])));
        assert_eq!(elsewhere.received().len(), 1);
        assert_eq!(elsewhere.secrets(), 0);
    }
}

// Formats of components in registries, their referrers, and packages (DIST-1, DIST-2, DIST-8).

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// Pushes the echo in the format of another program.
fn put(
    registry: &FakeRegistry,
    name: &str,
    config: (&str, &[u8]),
    layers: &[(&str, &[u8])],
) -> String {
    let layers: Vec<_> = layers.iter().map(|(kind, bytes)| registry.blob(kind, bytes)).collect();
    let manifest = json!({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": registry.blob(config.0, config.1), "layers": layers,
    });
    registry.manifest(name, Some("1"), &manifest);
    registry.reference(&format!("{name}:1"))
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_artifact_formats_of_other_programs() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    let echo = component_bytes("echo");
    let empty = ("application/vnd.oci.empty.v1+json", &b"{}"[..]);
    for (name, config, layers) in [
        ("plain", empty, vec![("application/wasm", &echo[..])]),
        ("older", empty, vec![("application/vnd.wasm.content.layer.v1+wasm", &echo[..])]),
        (
            "policy",
            empty,
            vec![("application/wasm", &echo[..]), ("application/yaml", &b"a: 1"[..])],
        ),
    ] {
        let place = put(&registry, name, config, &layers);
        let output = done(&run(&folders, "", &["show", &place]));
        assert!(output.contains("It offers"), "{output}");
        assert_eq!(output.contains("not taken: application/yaml"), name == "policy", "{output}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_the_format_that_other_programs_read() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    push(&folders, &registry.reference("echo:1"), 1);
    let digest = registry.tagged("echo", "1");
    let manifest: Value =
        serde_json::from_slice(&registry.manifest_bytes("echo", &digest)).unwrap();
    assert_eq!(manifest["config"]["mediaType"], "application/vnd.wasm.config.v0+json");
    assert_eq!(manifest["layers"][0]["mediaType"], "application/wasm");
    let config = registry.blob_bytes(manifest["config"]["digest"].as_str().unwrap());
    let config: Value = serde_json::from_slice(&config).unwrap();
    assert_eq!((&config["architecture"], &config["os"]), (&json!("wasm"), &json!("wasip2")));
    assert_eq!(config["layerDigests"][0], manifest["layers"][0]["digest"]);
    let exports = config["component"]["exports"].as_array().unwrap();
    assert!(exports.iter().any(|it| it.as_str().unwrap().starts_with("madoguchi:tool/tools")));
    let again = registry.tagged("echo", "1");
    push(&folders, &registry.reference("echo:1"), 1);
    assert_eq!(registry.tagged("echo", "1"), again, "the same bytes are the same again");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_other_artifacts_naming_their_kind() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    let echo = component_bytes("echo");
    let empty = ("application/vnd.oci.empty.v1+json", &b"{}"[..]);
    let wasm = "application/vnd.wasm.config.v0+json";
    let module = &b"\0asm\x01\0\0\0"[..];
    let other = br#"{"architecture":"wasm","os":"wasip2","layerDigests":["sha256:0000000000000000000000000000000000000000000000000000000000000000"]}"#;
    for (place, reason) in [
        (put(&registry, "module", empty, &[("application/wasm", module)]), "core module"),
        (put(&registry, "script", empty, &[("application/wasm", b"#!/bin/sh")]), "no WebAssembly"),
        (
            put(&registry, "image", empty, &[("application/vnd.oci.image.layer.v1.tar", &echo)]),
            "tar",
        ),
        (
            put(
                &registry,
                "two",
                empty,
                &[("application/wasm", &echo), ("application/wasm", module)],
            ),
            "one layer",
        ),
        (put(&registry, "config", (wasm, other), &[("application/wasm", &echo)]), "layerDigests"),
        (registry.reference("nothing:1"), "MANIFEST_UNKNOWN"),
    ] {
        let refusal = refused(&run(&folders, "", &["add", &place, "--yes"]));
        assert!(refusal.contains(reason), "{reason}: {refusal}");
    }
    let of = registry.tagged("module", "1");
    let mut one = registry.described("module", &of);
    one["platform"] = json!({ "architecture": "amd64", "os": "linux" });
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [one] });
    registry.manifest("module", Some("all"), &index);
    let refusal = refused(&run(&folders, "", &["add", &registry.reference("module:all"), "--yes"]));
    assert!(refusal.contains("linux/amd64") && refusal.contains(&of), "{refusal}");
    assert!(!folders.data().join("registries/madoguchi.lock").exists());
    let script = file(&folders, "script.wasm", b"#!/bin/sh");
    let refusal = refused(&run(&folders, "", &["push", &script, &registry.reference("script:2")]));
    assert!(refusal.contains("script.wasm: it is no WebAssembly"), "DIST-1: {refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn digest_pins_one_version() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    push(&folders, &registry.reference("echo:1"), 1);
    let digest = registry.tagged("echo", "1");
    push(&folders, &registry.reference("echo:1"), 2);
    let place = registry.reference(&format!("echo@{digest}"));
    done(&run(&folders, "", &["add", &place, "--yes"]));
    let output = done(&run(&folders, "", &["update", "echo", "--yes"]));
    assert!(output.contains("stays at") && output.contains(&digest), "{output}");
    assert!(done(&run(&folders, "", &["outdated"])).contains("as its registry has it"));
    done(&run(&folders, "", &["update", "echo", "--to", "1", "--yes"]));
    let refused = refused(&run(&folders, "", &["push", "build.wasm", &place]));
    assert!(refused.contains("build.wasm"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn package_resolves_through_its_registrys_metadata() {
    let (domain, registry) = (FakeRegistry::start().await, FakeRegistry::start().await);
    let folders = Folders::new();
    for tag in ["1.0.0", "1.2.0", "2.0.0-rc.1"] {
        push(&folders, &registry.reference(&format!("all/ann/echo:{tag}")), 1);
    }
    let metadata = json!({
        "preferredProtocol": "oci",
        "oci": { "registry": registry.host, "namespacePrefix": "all/" },
    });
    domain.serve("/.well-known/wasm-pkg/registry.json", metadata);
    let none = refused(&run(&folders, "", &["add", "ann:echo@1.0.0", "--yes"]));
    assert!(none.contains("[packages]"), "{none}");
    let lines = format!("[packages]\nann = \"{}\"\n", domain.host);
    let output = done(&run(&folders, &lines, &["show", "ann:echo"]));
    assert!(output.contains("all/ann/echo:1.2.0"), "the newest that is final: {output}");
    done(&run(&folders, &lines, &["add", "ann:echo@1.0.0", "--yes"]));
    let output = done(&run(&folders, &lines, &["outdated", "--json"]));
    assert!(output.contains(r#""newest": "1.2.0""#), "{output}");
    domain.serve("/.well-known/wasm-pkg/registry.json", json!({ "preferredProtocol": "warg" }));
    let other = refused(&run(&folders, &lines, &["show", "ann:echo"]));
    assert!(other.contains("warg"), "{other}");
}

#[tokio::test(flavor = "multi_thread")]
async fn referrers_of_a_component_are_listed() {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    push(&folders, &registry.reference("echo:1"), 1);
    let digest = registry.tagged("echo", "1");
    let bill = registry.attach("echo", &digest, "application/vnd.cyclonedx+json", b"{}");
    let text = done(&run(&folders, "", &["add", &registry.reference("echo:1"), "--yes"]));
    assert!(text.contains("application/vnd.cyclonedx+json") && text.contains(&bill), "{text}");
    let output = done(&run(&folders, "", &["show", "echo", "--json"]));
    let shown: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(shown["referrers"][0]["media_type"], "application/vnd.cyclonedx+json", "{output}");
    assert_eq!(shown["manifest"], digest.as_str());
}

// Registries over TLS with a private certificate authority (DIST-11).

#[tokio::test(flavor = "multi_thread")]
async fn pushes_and_pulls_with_a_private_authority() {
    let authority = FakeAuthority::new();
    let registry = FakeRegistry::start_secure(&authority).await;
    let (author, folders) = (Folders::new(), Folders::new());
    let place = registry.reference("team/echo:1");
    for folder in [&author, &folders] {
        file(folder, "ca.pem", authority.pem.as_bytes());
    }
    let secure = format!("[registries.\"{}\"]\nscheme = \"https\"\n", registry.host);
    let lines = format!(
        "{secure}ca = \"ca.pem\"\nusername = \"{}\"\npassword = {{ environment = \"TEST_PASSWORD\" }}\n",
        ACCOUNT.0
    );
    let build = file(&author, "build.wasm", &rebuilt(&component_bytes("echo"), 1));
    // Its token service is asked over TLS, too.
    for asks in [Asks::Nothing, Asks::Basic, Asks::Tokens(None)] {
        registry.ask(asks);
        for (whose, arguments) in
            [(&author, ["push", &build, &place]), (&folders, ["add", &place, "--yes"])]
        {
            let mut command = command(whose, &lines, &arguments);
            done(&output(command.env("TEST_PASSWORD", ACCOUNT.1)));
        }
    }
    assert_eq!(installed(&folders, "echo").0, rebuilt(&component_bytes("echo"), 1), "DIST-11");
    assert!(registry.received().iter().any(|it| it.ends_with(" /token")), "DIST-11");

    // Without the file, and with another authority's, it is not asked for anything.
    let before = registry.received().len();
    let other = FakeAuthority::new();
    file(&folders, "other.pem", other.pem.as_bytes());
    for lines in [secure.clone(), format!("{secure}ca = \"other.pem\"\n")] {
        let refusal = refused(&run(&folders, &lines, &["show", &place]));
        assert!(refusal.contains("certificate"), "DIST-11: {refusal}");
    }
    assert_eq!(registry.received().len(), before, "DIST-11");
}

#[test]
fn rejects_file_without_certificates_before_use() {
    let folders = Folders::new();
    file(&folders, "empty.pem", b"none");
    for (ca, reason) in [("empty.pem", "no certificate as PEM"), ("absent.pem", "absent.pem")] {
        let lines = format!("[registries.\"registry.example\"]\nca = \"{ca}\"\n");
        let refusal = refused(&run(&folders, &lines, &["check-config"]));
        assert!(refusal.contains(reason), "DIST-11: {refusal}");
        let refusal = refused(&run(&folders, &lines, &["show", "oci://registry.example/echo:1"]));
        assert!(refusal.contains(reason), "DIST-11: {refusal}");
    }
}
