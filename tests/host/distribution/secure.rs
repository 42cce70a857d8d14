//! Registries over TLS with a private certificate authority (DIST-11).

use tests::{
    component_bytes,
    fake_registry::{ACCOUNT, Asks, FakeRegistry},
    fake_signing::FakeAuthority,
    process::output,
    rebuilt,
    server::Folders,
};

use super::{command, done, file, installed, refused, run};

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
