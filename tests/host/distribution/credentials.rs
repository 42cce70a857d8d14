//! Credentials of registries: their sources, their recipients, and places where they never appear (DIST-4).

use std::{fs, process::Command};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use tests::{
    component_bytes,
    fake_registry::{ACCOUNT, Asks, FakeRegistry, Fault},
    process::{output, script},
    rebuilt,
    server::Folders,
};

use super::{command, done, file, home, push, refused};

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
    let output = super::printed(&output(&mut knowing(&folders, &named, &["show", &place])));
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
