//! Verifies signatures of components: Sigstore bundles, by a configured key or by the certificate of a configured
//! identity (DIST-5).

use std::path::Path;

use base::{
    config::{IdentityRequirement, Requirement},
    source::read_text,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair},
};
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject};
use serde::Serialize;
use store::digest::digest;

use crate::{Error, Result, reference::Digest};

mod bundle;
mod certificate;
mod key;
mod log;
mod root;
mod timestamp;

use bundle::Bundle;
use key::PublicKey;
use root::TrustedRoot;

/// Predicate type of a plain release signature.
pub const STATEMENT_TYPE: &str = "https://sigstore.dev/cosign/sign/v1";
/// Predicate type of build provenance, which counts as a release signature as well.
const PROVENANCE_TYPE: &str = "https://slsa.dev/provenance/v1";
/// Bytes that a file of keys, or of a trusted root, may have.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Result of signature verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Signed {
    /// Theirs, as the configuration demands it.
    By(String),
    /// The configuration demands none; so many are there, and none was looked at.
    Unchecked(usize),
}

impl Signed {
    /// The verified signer.
    pub fn signer(&self) -> Option<&str> {
        match self {
            Self::By(signer) => Some(signer),
            Self::Unchecked(_) => None,
        }
    }
}

/// Holds `bundles` against all that the configuration demands for the manifest of these bytes. Paths count from `base`.
///
/// # Errors
/// What is missing, and what is wrong with each signature found.
pub(crate) fn check(
    requirements: &[&Requirement],
    base: &Path,
    manifest: &[u8],
    bundles: &[Vec<u8>],
) -> Result<Signed, String> {
    let signers = requirements.iter().map(|it| signer(it, base, manifest, bundles));
    let signers = signers.collect::<Result<Vec<_>, _>>()?;
    Ok(match signers.is_empty() {
        true => Signed::Unchecked(bundles.len()),
        false => Signed::By(signers.join(" and by ")),
    })
}

/// Finds a signature that satisfies `requirement` and returns its signer.
fn signer(
    requirement: &Requirement,
    base: &Path,
    manifest: &[u8],
    bundles: &[Vec<u8>],
) -> Result<String, String> {
    let file = requirement.file(base);
    let wanted = match requirement {
        Requirement::Key(_) => format!("a key in {}", file.display()),
        Requirement::Identity(it) => format!("{} by {}", it.identity, it.issuer),
    };
    let verifier = Verifier::read(requirement, &file)?;
    let mut wrong = Vec::new();
    for bundle in bundles {
        match Bundle::read(bundle).and_then(|it| verifier.verify(&it, manifest)) {
            Ok(signer) => return Ok(signer),
            Err(what) if !wrong.contains(&what) => wrong.push(what),
            Err(_) => {}
        }
    }
    let found = match wrong.is_empty() {
        true => "the registry has no signature on it".to_owned(),
        false => format!("no signature on it does: {}", wrong.join("; ")),
    };
    Err(format!("a signature of {wanted} is required, and {found}"))
}

/// Verification material.
enum Verifier<'a> {
    Keys(Vec<PublicKey>),
    Identity(&'a IdentityRequirement, TrustedRoot),
}

impl<'a> Verifier<'a> {
    /// Reads the requirement's file.
    fn read(requirement: &'a Requirement, file: &Path) -> Result<Self, String> {
        let wrong = |it: String| format!("{}: {it}", file.display());
        let text = read_text(file, FILE_BYTES_MAX).map_err(|it| wrong(it.to_string()))?;
        let read = match requirement {
            Requirement::Key(_) => PublicKey::all(text.as_bytes()).map(Self::Keys),
            Requirement::Identity(identity) => {
                TrustedRoot::read(text.as_bytes()).map(|it| Self::Identity(identity, it))
            }
        };
        read.map_err(wrong)
    }

    /// Verifies `bundle` for a manifest and returns the signer.
    fn verify(&self, bundle: &Bundle, manifest: &[u8]) -> Result<String, String> {
        match self {
            Self::Keys(keys) => by_key(bundle, keys, manifest),
            Self::Identity(identity, root) => by_identity(bundle, identity, root, manifest),
        }
    }
}

fn by_key(bundle: &Bundle, keys: &[PublicKey], manifest: &[u8]) -> Result<String, String> {
    let mut why = bundle::BY_ANOTHER.to_owned();
    for key in keys {
        match bundle.verify(key, manifest) {
            Ok(()) => return Ok(format!("the key {}", key.fingerprint())),
            Err(what) if what != bundle::BY_ANOTHER => why = what,
            Err(_) => {}
        }
    }
    Err(why)
}

fn by_identity(
    bundle: &Bundle,
    wanted: &IdentityRequirement,
    root: &TrustedRoot,
    manifest: &[u8],
) -> Result<String, String> {
    let certificate = bundle.certificate()?;
    let signed_at = log::time(bundle, root)?;
    let named = root.verify(certificate, signed_at)?;
    let key = PublicKey::of_spki(&named.key)
        .ok_or_else(|| "its certificate has a kind of key that is not known here".to_owned())?;
    bundle.verify(&key, manifest)?;
    let issuer = named.issuer.as_deref().unwrap_or_default();
    match named.names.iter().find(|it| wanted.matches(it, issuer)) {
        Some(name) => Ok(format!("{name}, vouched for by {issuer}")),
        None => Err(format!(
            "it is by {} ({})",
            named.names.join(", "),
            if issuer.is_empty() { "no issuer" } else { issuer }
        )),
    }
}

/// A private key that components are signed with.
pub struct Signer {
    key: SignerKey,
    random: SystemRandom,
}

enum SignerKey {
    Ed25519(Ed25519KeyPair),
    P256(EcdsaKeyPair),
}

impl Signer {
    /// The key in a PEM file (PKCS#8): Ed25519, or ECDSA with the curve P-256.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(file: &Path) -> Result<Self> {
        let wrong = |what: &str| Error(format!("{}: {what}", file.display()));
        let text = read_text(file, FILE_BYTES_MAX).map_err(Error::file(file))?;
        let pem = PrivatePkcs8KeyDer::from_pem_slice(text.as_bytes());
        let pem =
            pem.map_err(|_| wrong("it has no private key as PEM (-----BEGIN PRIVATE KEY-----)"))?;
        let (der, random) = (pem.secret_pkcs8_der(), SystemRandom::new());
        let key = match Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
            Ok(key) => SignerKey::Ed25519(key),
            Err(_) => EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, der, &random)
                .map(SignerKey::P256)
                .map_err(|_| wrong("its key is neither Ed25519 nor ECDSA with the curve P-256"))?,
        };
        Ok(Self { key, random })
    }

    /// The public key as others verify by it.
    pub fn public(&self) -> String {
        self.public_key().pem()
    }

    fn public_key(&self) -> PublicKey {
        match &self.key {
            SignerKey::Ed25519(key) => PublicKey::ed25519(key.public_key().as_ref()),
            SignerKey::P256(key) => PublicKey::p256(key.public_key().as_ref()),
        }
    }

    /// A signature on the manifest of that digest, as a bundle.
    pub(crate) fn bundle(&self, manifest: &Digest) -> Result<Vec<u8>> {
        let statement = serde_json::json!({
            "_type": bundle::STATEMENT,
            "subject": [{ "digest": { "sha256": manifest.digits() } }],
            "predicateType": STATEMENT_TYPE,
            "predicate": {},
        });
        let payload = statement.to_string();
        let message = bundle::encoded(bundle::PAYLOAD_TYPE, payload.as_bytes());
        let signature = match &self.key {
            SignerKey::Ed25519(key) => key.sign(&message).as_ref().to_vec(),
            SignerKey::P256(key) => {
                let failed = |_| Error("the system has no randomness".to_owned());
                key.sign(&self.random, &message).map_err(failed)?.as_ref().to_vec()
            }
        };
        let made = serde_json::json!({
            "mediaType": crate::repository::BUNDLE,
            "verificationMaterial": {
                "publicKey": { "hint": self.public_key().hint() },
                "tlogEntries": [],
            },
            "dsseEnvelope": {
                "payload": STANDARD.encode(payload),
                "payloadType": bundle::PAYLOAD_TYPE,
                "signatures": [{ "sig": STANDARD.encode(signature) }],
            },
        });
        Ok(made.to_string().into_bytes())
    }
}

/// Checks the file of a requirement, for configuration checks.
///
/// # Errors
/// What is wrong with it.
pub fn check_file(requirement: &Requirement, base: &Path) -> Result<(), String> {
    Verifier::read(requirement, &requirement.file(base)).map(drop)
}

/// A short fingerprint for display.
fn fingerprint(bytes: &[u8]) -> String {
    format!("sha256:{}", &digest(bytes)[..16])
}

#[cfg(test)]
mod tests;
