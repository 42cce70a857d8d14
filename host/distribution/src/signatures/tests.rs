//! Tests of signatures by keys. Those of identities are tested with a registry and a log (`tests/host/distribution`).

use std::fs;

use super::*;

const MANIFEST: &[u8] = b"{}";

fn pkcs8(name: &str) -> (std::path::PathBuf, Signer) {
    let random = SystemRandom::new();
    let der = match name {
        name if name.starts_with("ed25519") => Ed25519KeyPair::generate_pkcs8(&random).unwrap(),
        _ => EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap(),
    };
    let folder = std::env::temp_dir().join(format!("madoguchi-keys-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let pem = format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(der.as_ref())
    );
    fs::write(folder.join("key.pem"), pem).unwrap();
    let signer = Signer::read(&folder.join("key.pem")).unwrap();
    fs::write(folder.join("public.pem"), signer.public()).unwrap();
    (folder, signer)
}

#[test]
fn signature_verifies_only_its_manifest_and_key() {
    let (folder, signer) = pkcs8("ed25519");
    let (other, _) = pkcs8("p256");
    let bundle = signer.bundle(&Digest::of_bytes(MANIFEST)).unwrap();
    let bundles = [bundle];
    let own = Requirement::Key("public.pem".into());
    let signed = check(&[&own], &folder, MANIFEST, &bundles).unwrap();
    assert!(signed.signer().unwrap().starts_with("the key sha256:"), "{signed:?}");
    let wrong = check(&[&own], &folder, b"{ }", &bundles).unwrap_err();
    assert!(wrong.contains("something else"), "{wrong}");
    let wrong = check(&[&own], &other, MANIFEST, &bundles).unwrap_err();
    assert!(wrong.contains("another key"), "{wrong}");
    let none = check(&[&own], &folder, MANIFEST, &[]).unwrap_err();
    assert!(none.contains("no signature"), "{none}");
    let both = [&own, &Requirement::Key(other.join("public.pem"))];
    let wrong = check(&both, &folder, MANIFEST, &bundles).unwrap_err();
    assert!(wrong.contains("another key"), "each is demanded: {wrong}");
    assert_eq!(check(&[], &folder, MANIFEST, &bundles), Ok(Signed::Unchecked(1)));
    for path in [folder, other] {
        fs::remove_dir_all(path).unwrap();
    }
}

#[test]
fn accepts_both_key_kinds_and_names_invalid_keys() {
    let (folder, signer) = pkcs8("p256-own");
    let bundles = [signer.bundle(&Digest::of_bytes(MANIFEST)).unwrap()];
    let own = Requirement::Key("public.pem".into());
    assert!(check(&[&own], &folder, MANIFEST, &bundles).is_ok());
    let wrong = Requirement::Key("key.pem".into());
    let error = check(&[&wrong], &folder, MANIFEST, &bundles).unwrap_err();
    assert!(error.contains("key.pem") && error.contains("public key"), "{error}");
    assert!(Signer::read(&folder.join("public.pem")).is_err());
    assert!(check_file(&own, &folder).is_ok() && check_file(&wrong, &folder).is_err());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn rejects_other_predicate_type() {
    let (folder, signer) = pkcs8("ed25519-statement");
    let own = Requirement::Key("public.pem".into());
    let SignerKey::Ed25519(key) = &signer.key else { panic!() };
    let payload = serde_json::json!({
        "_type": bundle::STATEMENT,
        "subject": [{ "digest": { "sha256": digest(MANIFEST) } }],
        "predicateType": "https://cyclonedx.org/bom", "predicate": {},
    });
    let payload = payload.to_string();
    let signature = key.sign(&bundle::encoded(bundle::PAYLOAD_TYPE, payload.as_bytes()));
    let bundle = serde_json::json!({
        "mediaType": crate::repository::BUNDLE,
        "verificationMaterial": { "publicKey": { "hint": "" } },
        "dsseEnvelope": {
            "payload": STANDARD.encode(payload), "payloadType": bundle::PAYLOAD_TYPE,
            "signatures": [{ "sig": STANDARD.encode(signature) }],
        },
    });
    let bundles = [bundle.to_string().into_bytes()];
    let error = check(&[&own], &folder, MANIFEST, &bundles).unwrap_err();
    assert!(error.contains("no release"), "{error}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn invalid_certificate_has_no_names() {
    for bytes in [&b""[..], b"\x30", b"\x30\x80", b"\x30\x84\xff\xff\xff\xff", b"\x30\x02\x30\x00"]
    {
        assert_eq!(Named::read(bytes), None, "{bytes:?}");
    }
}
