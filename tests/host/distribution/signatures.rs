//! Signatures of components, by keys and by identities (DIST-5).

use std::fs;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair},
};
use tests::{
    component_bytes,
    fake_registry::{FakeRegistry, Fault},
    fake_signing::{BUNDLE, FakeSigning, Flaw, ISSUER, StampFlaw},
    rebuilt,
    server::{Folders, TestServer},
};

use super::{done, file, generation, home, installed, push, refused, run};

/// The identity of the component's publisher.
const IDENTITY: &str = "https://code.example/ann/echo/.workflows/release.yml@refs/tags/v1";

/// A new private key as PEM in a file.
fn private_key(folders: &Folders, name: &str, is_curve: bool) -> String {
    let random = SystemRandom::new();
    let der = match is_curve {
        true => EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random),
        false => Ed25519KeyPair::generate_pkcs8(&random),
    };
    let encoded = STANDARD.encode(der.unwrap().as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{encoded}\n-----END PRIVATE KEY-----\n");
    file(folders, name, pem.as_bytes())
}

/// Pushes a build signed with that key; the public key, as the command says it.
fn push_signed(folders: &Folders, place: &str, mark: u8, key: &str) -> String {
    let build = file(folders, "build.wasm", &rebuilt(&component_bytes("echo"), mark));
    let output = done(&run(folders, "", &["push", &build, place, "--sign", key]));
    output[output.find("-----BEGIN PUBLIC KEY-----").unwrap()..].to_owned()
}

/// Both kinds of key, and a registry that keeps no list of what is about a manifest.
#[tokio::test(flavor = "multi_thread")]
async fn accepts_signature_of_the_required_key() {
    for (is_curve, fault) in
        [(false, Fault::None), (true, Fault::None), (false, Fault::WithoutReferrers)]
    {
        let (registry, folders) = (FakeRegistry::start().await, Folders::new());
        registry.fail(fault);
        let place = registry.reference("echo:1");
        let key = private_key(&folders, "own.key", is_curve);
        file(&folders, "own.pem", push_signed(&folders, &place, 1, &key).as_bytes());
        let lines = format!("[registries.\"{}\"]\nrequire = \"own.pem\"\n", registry.host);
        let output = done(&run(&folders, &lines, &["add", &place, "--yes"]));
        assert!(output.contains("It is signed by the key sha256:"), "{output}");
        let lock = installed(&folders, "echo").1;
        assert!(lock.contains("signer = \"the key sha256:"), "{lock}");
        let unchecked = done(&run(&folders, "", &["show", &place]));
        assert!(unchecked.contains("none was verified"), "{unchecked}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_missing_signature_and_one_of_another_key() {
    let (registry, author) = (FakeRegistry::start().await, Folders::new());
    let place = registry.reference("echo:1");
    let (own, other) =
        (private_key(&author, "own.key", false), private_key(&author, "other.key", true));
    let server = TestServer::start(Folders::new(), |_| {}).await;
    let folders = &server.folders;
    file(folders, "own.pem", push_signed(&author, &place, 1, &own).as_bytes());
    let lines = "[components.echo]\nrequire = \"own.pem\"\n";
    done(&run(folders, lines, &["add", &place, "--yes"]));
    let (before, first) = (installed(folders, "echo"), registry.tagged("echo", "1"));

    push(&author, &place, 2);
    let refusal = refused(&run(folders, lines, &["update", "echo", "--yes"]));
    assert!(refusal.contains("own.pem") && refusal.contains("no signature on it"), "{refusal}");
    push_signed(&author, &place, 3, &other);
    let refusal = refused(&run(folders, lines, &["update", "echo", "--yes"]));
    assert!(refusal.contains("by another key"), "{refusal}");
    // A signature of the right key, moved to another manifest.
    push(&author, &place, 4);
    let to = registry.tagged("echo", "1");
    let moved = registry.attached("echo", &first);
    registry.attach("echo", &to, BUNDLE, &moved);
    let refusal = refused(&run(folders, lines, &["update", "echo", "--yes"]));
    assert!(refusal.contains("on something else"), "{refusal}");
    assert!(installed(folders, "echo") == before);
    assert_eq!(generation(&server, "echo"), Some(1));

    push_signed(&author, &place, 5, &own);
    done(&run(folders, lines, &["update", "echo", "--yes"]));
    assert_eq!(generation(&server, "echo"), Some(2));
    fs::remove_file(home(folders).join("own.pem")).unwrap();
    let refusal = refused(&run(folders, lines, &["update", "echo", "--yes"]));
    assert!(refusal.contains("own.pem"), "{refusal}");
}

/// The packages' registry points to another one without requirements of its own.
#[tokio::test(flavor = "multi_thread")]
async fn redirected_package_needs_its_own_registrys_key() {
    let (domain, registry) = (FakeRegistry::start().await, FakeRegistry::start().await);
    let folders = Folders::new();
    let place = registry.reference("ann/echo:1.0.0");
    let metadata = serde_json::json!({ "oci": { "registry": registry.host } });
    domain.serve("/.well-known/wasm-pkg/registry.json", metadata);
    let packages = format!("[packages]\nann = \"{}\"\n", domain.host);
    let lines = format!("{packages}[registries.\"{}\"]\nrequire = \"own.pem\"\n", domain.host);
    let key = private_key(&folders, "own.key", false);
    push(&folders, &place, 1);
    file(&folders, "own.pem", b"none");
    let refusal = refused(&run(&folders, &lines, &["add", "ann:echo@1.0.0", "--yes"]));
    assert!(refusal.contains("own.pem"), "DIST-5: {refusal}");
    file(&folders, "own.pem", push_signed(&folders, &place, 2, &key).as_bytes());
    done(&run(&folders, &lines, &["add", "ann:echo@1.0.0", "--yes"]));
    let (before, lock) = installed(&folders, "echo");
    assert!(lock.contains(&format!("via = \"{}\"", domain.host)), "DIST-6: {lock}");
    // The same is demanded of each version after.
    push(&folders, &place, 3);
    let refusal = refused(&run(&folders, &lines, &["update", "echo", "--yes"]));
    assert!(refusal.contains("no signature on it"), "DIST-5: {refusal}");
    assert!(installed(&folders, "echo").0 == before);
}

fn by_identity(registry: &FakeRegistry, identity: &str, issuer: &str) -> String {
    format!(
        "[registries.\"{}\"]\nrequire = {{ identity = \"{identity}\", issuer = \"{issuer}\", trusted_root = \"root.json\" }}\n",
        registry.host
    )
}

/// A registry with the echo under the tag `1`, on which there is this bundle of Sigstore's form.
async fn publish_signed(
    signing: &FakeSigning,
    identity: &str,
    flaw: Flaw,
) -> (FakeRegistry, Folders, String) {
    let (registry, folders) = (FakeRegistry::start().await, Folders::new());
    let place = registry.reference("echo:1");
    push(&folders, &place, 1);
    let digest = registry.tagged("echo", "1");
    let bundle = signing.bundle(identity, &registry.manifest_bytes("echo", &digest), flaw);
    registry.attach("echo", &digest, BUNDLE, &bundle);
    file(&folders, "root.json", signing.trusted_root().as_bytes());
    (registry, folders, place)
}

#[tokio::test(flavor = "multi_thread")]
async fn accepts_signature_of_the_required_identity() {
    let (registry, folders, place) =
        publish_signed(&FakeSigning::new(), IDENTITY, Flaw::None).await;
    for identity in [IDENTITY, "https://code.example/ann/echo/*"] {
        let text =
            done(&run(&folders, &by_identity(&registry, identity, ISSUER), &["show", &place]));
        assert!(text.contains(&format!("signed by {IDENTITY}, vouched for by {ISSUER}")), "{text}");
    }
    // The other form: a signature on the manifest's bytes themselves.
    let (signing, digest) = (FakeSigning::new(), registry.tagged("echo", "1"));
    let message = signing.message(IDENTITY, &registry.manifest_bytes("echo", &digest));
    registry.attach("echo", &digest, BUNDLE, &message);
    let first = fs::read(home(&folders).join("root.json")).unwrap();
    file(&folders, "root.json", signing.trusted_root().as_bytes());
    done(&run(&folders, &by_identity(&registry, IDENTITY, ISSUER), &["show", &place]));
    file(&folders, "root.json", &first);
    for (identity, issuer) in [
        ("https://code.example/bob/*", ISSUER),
        ("https://code.example/ann/echo", ISSUER),
        (IDENTITY, "https://id.other"),
    ] {
        let lines = by_identity(&registry, identity, issuer);
        let refusal = refused(&run(&folders, &lines, &["add", &place, "--yes"]));
        assert!(
            refusal.contains(identity) && refusal.contains(&format!("it is by {IDENTITY}")),
            "{refusal}"
        );
    }
    assert!(!folders.components().join("echo.wasm").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_each_invalid_signature() {
    let signing = FakeSigning::new();
    for (flaw, reason) in [
        (Flaw::Expired, "had expired when the signature was made"),
        (Flaw::OtherTime, "has not signed that it took it then"),
        (Flaw::OtherProof, "the proof that its log has it"),
        (Flaw::OtherEntry, "about another signature"),
        (Flaw::NoLog, "no log has it"),
        (Flaw::OtherManifest, "on something else"),
    ] {
        let (registry, folders, place) = publish_signed(&signing, IDENTITY, flaw).await;
        let lines = by_identity(&registry, IDENTITY, ISSUER);
        let refusal = refused(&run(&folders, &lines, &["add", &place, "--yes"]));
        assert!(refusal.contains(reason), "{flaw:?}: {refusal}");
        assert!(!folders.components().join("echo.wasm").exists());
    }
    // Another authority and another log say nothing here.
    let (registry, folders, place) =
        publish_signed(&FakeSigning::new(), IDENTITY, Flaw::None).await;
    file(&folders, "root.json", signing.trusted_root().as_bytes());
    let lines = by_identity(&registry, IDENTITY, ISSUER);
    let refusal = refused(&run(&folders, &lines, &["add", &place, "--yes"]));
    assert!(refusal.contains("not of the trusted root"), "{refusal}");
    file(&folders, "root.json", b"{}");
    let error = refused(&run(&folders, &lines, &["add", &place, "--yes"]));
    assert!(error.contains("root.json") && error.contains("certificateAuthorities"), "{error}");
    let key = private_key(&folders, "own.key", false);
    push_signed(&folders, &place, 2, &key);
    file(&folders, "root.json", signing.trusted_root().as_bytes());
    let refusal = refused(&run(&folders, &lines, &["add", &place, "--yes"]));
    assert!(refusal.contains("not by a certificate"), "{refusal}");
}

/// A log in its second version signs no times: an authority's timestamp does (RFC 3161). A time that is not signed
/// counts for nothing.
#[tokio::test(flavor = "multi_thread")]
async fn accepts_time_signed_by_a_timestamp_authority() {
    let signing = FakeSigning::new();
    for (flaw, reason) in [
        (StampFlaw::None, ""),
        (StampFlaw::Late, "had expired when the signature was made"),
        (StampFlaw::Changed, "changed after it was signed"),
        (StampFlaw::OtherSignature, "of another signature"),
        (StampFlaw::OtherAuthority, "by no authority of the trusted root"),
        (StampFlaw::NoLog, "no log has it"),
        (StampFlaw::OtherEntry, "about another signature"),
        (StampFlaw::NoProof, "no proof that its log has it"),
    ] {
        let (registry, folders) = (FakeRegistry::start().await, Folders::new());
        let place = registry.reference("echo:1");
        push(&folders, &place, 1);
        let digest = registry.tagged("echo", "1");
        let manifest = registry.manifest_bytes("echo", &digest);
        let bundle = signing.stamped(IDENTITY, &manifest, flaw);
        registry.attach("echo", &digest, BUNDLE, &bundle);
        file(&folders, "root.json", signing.trusted_root().as_bytes());
        let lines = by_identity(&registry, IDENTITY, ISSUER);
        let shown = run(&folders, &lines, &["show", &place]);
        if flaw == StampFlaw::None {
            let output = done(&shown);
            assert!(output.contains(&format!("signed by {IDENTITY}")), "DIST-5: {output}");
            // Where the trusted root has no such authority, no time is signed at all.
            let mut root: serde_json::Value =
                serde_json::from_str(&signing.trusted_root()).unwrap();
            root["timestampAuthorities"] = serde_json::json!([]);
            file(&folders, "root.json", root.to_string().as_bytes());
            let refusal = refused(&run(&folders, &lines, &["show", &place]));
            assert!(refusal.contains("no timestamp authority"), "DIST-5: {refusal}");
            // Nor is a log asked for that the trusted root does not have.
            let mut root: serde_json::Value =
                serde_json::from_str(&signing.trusted_root()).unwrap();
            root["tlogs"] = serde_json::json!([]);
            file(&folders, "root.json", root.to_string().as_bytes());
            done(&run(&folders, &lines, &["show", &place]));
        } else {
            let refusal = refused(&shown);
            assert!(refusal.contains(reason), "DIST-5: {flaw:?}: {refusal}");
        }
    }
}

#[test]
fn checks_the_configuration_of_signatures() {
    let folders = Folders::new();
    let lines = "[components.echo]\nrequire = \"absent.pem\"\n";
    let refusal = refused(&run(&folders, lines, &["check-config"]));
    assert!(refusal.contains("absent.pem"), "{refusal}");
    for (lines, reason) in [
        ("[registries.\"Registry.example\"]\n", "HOST"),
        (
            "[registries.\"registry.example\"]\nrequire = { identity = \"*\", issuer = \"x\", trusted_root = \"y\" }\n",
            "identity",
        ),
        (
            "[registries.\"registry.example\"]\ncredential_helper = \"../evil\"\n",
            "docker-credential-",
        ),
        ("[packages]\nann = \"https://registry.example\"\n", "packages"),
    ] {
        let refusal = refused(&run(&folders, lines, &["outdated"]));
        assert!(refusal.contains(reason), "{reason}: {refusal}");
    }
}
