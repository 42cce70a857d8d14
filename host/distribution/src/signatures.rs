//! Verifies signatures of components: Sigstore bundles, by a configured key or by the certificate of a configured
//! identity (DIST-5).

mod bundle;
mod log;
mod timestamp;

use std::path::Path;

use base::{
    config::{IdentityRequirement, Requirement},
    source::read_text,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256_SHA384_ASN1,
        ECDSA_P384_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ED25519, EcdsaKeyPair, Ed25519KeyPair,
        KeyPair, UnparsedPublicKey, VerificationAlgorithm,
    },
};
use rustls::pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer, pem::PemObject};
use serde::Serialize;
use store::digest::digest;

use crate::{Error, Result, reference::Digest};
use bundle::{Bundle, TrustedRoot};

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

// Public keys: Ed25519, and ECDSA with the curves P-256 and P-384.

/// Keys that a file may have.
const KEYS_MAX: usize = 64;
/// DER prefixes of public keys, by kind.
const ED25519_HEAD: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
const P256_HEAD: &[u8] = b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00";
const P384_HEAD: &[u8] =
    b"\x30\x76\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x22\x03\x62\x00";

/// A public key.
#[derive(Clone, PartialEq, Eq)]
struct PublicKey {
    kind: Kind,
    /// Its DER form.
    spki: Vec<u8>,
}

/// The digest of a message that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    Sha256,
    Sha384,
    /// The default digest of the key.
    Own,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ed25519,
    P256,
    P384,
}

impl Kind {
    /// DER prefix and key length.
    fn form(self) -> (&'static [u8], usize) {
        match self {
            Self::Ed25519 => (ED25519_HEAD, 32),
            Self::P256 => (P256_HEAD, 65),
            Self::P384 => (P384_HEAD, 97),
        }
    }
}

impl PublicKey {
    /// The keys in a PEM file.
    ///
    /// # Errors
    /// If there is none, or one of an unknown kind.
    fn all(pem: &[u8]) -> Result<Vec<Self>, String> {
        let mut keys = Vec::new();
        for found in SubjectPublicKeyInfoDer::pem_slice_iter(pem).take(KEYS_MAX) {
            let found = found.map_err(|_| "it is no PEM".to_owned())?;
            let key = Self::of_spki(&found).ok_or_else(|| {
                "it has a key that is neither Ed25519 nor ECDSA with the curve P-256 or P-384"
                    .to_owned()
            })?;
            keys.push(key);
        }
        match keys.is_empty() {
            true => Err("it has no public key as PEM (-----BEGIN PUBLIC KEY-----)".to_owned()),
            false => Ok(keys),
        }
    }

    /// The key of this DER form, where it is of a kind that is known.
    fn of_spki(spki: &[u8]) -> Option<Self> {
        let is = |kind: &Kind| {
            let (head, bytes) = kind.form();
            spki.starts_with(head) && spki.len() == head.len() + bytes
        };
        let kind = [Kind::Ed25519, Kind::P256, Kind::P384].into_iter().find(is)?;
        Some(Self { kind, spki: spki.to_owned() })
    }

    fn ed25519(key: &[u8]) -> Self {
        Self { kind: Kind::Ed25519, spki: [ED25519_HEAD, key].concat() }
    }

    fn p256(key: &[u8]) -> Self {
        Self { kind: Kind::P256, spki: [P256_HEAD, key].concat() }
    }

    /// Whether `signature` is this key's on `message`.
    fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.verifies_by(Hash::Own, message, signature)
    }

    /// Verifies with an explicit digest algorithm.
    fn verifies_by(&self, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
        let algorithm: &dyn VerificationAlgorithm = match (self.kind, hash) {
            (Kind::Ed25519, Hash::Own) => &ED25519,
            (Kind::P256, Hash::Own | Hash::Sha256) => &ECDSA_P256_SHA256_ASN1,
            (Kind::P256, Hash::Sha384) => &ECDSA_P256_SHA384_ASN1,
            (Kind::P384, Hash::Sha256) => &ECDSA_P384_SHA256_ASN1,
            (Kind::P384, Hash::Own | Hash::Sha384) => &ECDSA_P384_SHA384_ASN1,
            (Kind::Ed25519, _) => return false,
        };
        let key = &self.spki[self.kind.form().0.len()..];
        UnparsedPublicKey::new(algorithm, key).verify(message, signature).is_ok()
    }

    /// Fingerprint for display.
    fn fingerprint(&self) -> String {
        fingerprint(&self.spki)
    }

    /// Key hint of a bundle.
    fn hint(&self) -> String {
        STANDARD.encode(ring::digest::digest(&ring::digest::SHA256, &self.spki))
    }

    /// PEM encoding.
    fn pem(&self) -> String {
        let encoded = STANDARD.encode(&self.spki);
        let lines: Vec<_> = encoded.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    }
}

// Reads the names in a certificate, whose chain is verified before, and DER, of which timestamps are as well.

/// Names of the holder (2.5.29.17): mail addresses and URIs among them.
const NAMES: &[u8] = b"\x55\x1d\x11";
const MAIL: u8 = 0x81;
const URI: u8 = 0x86;
/// OID of the issuer extension (1.3.6.1.4.1.57264.1.8), and the older one (….1.1).
const ISSUER: &[u8] = b"\x2b\x06\x01\x04\x01\x83\xbf\x30\x01\x08";
const OLDER_ISSUER: &[u8] = b"\x2b\x06\x01\x04\x01\x83\xbf\x30\x01\x01";
/// Names that are looked at.
const NAMES_MAX: usize = 16;

/// Subject and issuer of a certificate.
#[derive(Debug, Default, PartialEq, Eq)]
struct Named {
    /// Mail addresses and URIs.
    names: Vec<String>,
    /// The identity provider's URL.
    issuer: Option<String>,
    /// The public key in its DER form.
    key: Vec<u8>,
}

impl Named {
    /// Parses a certificate.
    fn read(certificate: &[u8]) -> Option<Self> {
        let all = Values(certificate).next_of(SEQUENCE)?;
        let mut parts = Values(Values(all.content).next_of(SEQUENCE)?.content);
        // Version, number and algorithm; issuer, validity and subject; then the key.
        if parts.next()?.tag == 0xa0 {
            parts.next()?;
        }
        for _ in 0..4 {
            parts.next_of(SEQUENCE)?;
        }
        let mut named = Self { key: parts.next_of(SEQUENCE)?.whole.to_owned(), ..Self::default() };
        let mut older = None;
        while let Some(part) = parts.next() {
            if part.tag != 0xa3 {
                continue;
            }
            let mut extensions = Values(Values(part.content).next_of(SEQUENCE)?.content);
            while let Some(extension) = extensions.next_of(SEQUENCE) {
                let mut fields = Values(extension.content);
                let name = fields.next_of(OBJECT)?.content;
                let mut value = fields.next()?;
                if value.tag != OCTETS {
                    value = fields.next_of(OCTETS)?;
                }
                match name {
                    NAMES => named.names = names(value.content)?,
                    ISSUER => {
                        named.issuer = Some(text(Values(value.content).next_of(UTF8)?.content)?);
                    }
                    OLDER_ISSUER => older = Some(text(value.content)?),
                    _ => {}
                }
            }
        }
        named.issuer = named.issuer.or(older);
        Some(named)
    }
}

fn names(value: &[u8]) -> Option<Vec<String>> {
    let mut all = Values(Values(value).next_of(SEQUENCE)?.content);
    let mut names = Vec::new();
    while let Some(value) = all.next() {
        if [MAIL, URI].contains(&value.tag) && names.len() < NAMES_MAX {
            names.push(text(value.content)?);
        }
    }
    Some(names)
}

fn text(bytes: &[u8]) -> Option<String> {
    let text = str::from_utf8(bytes).ok()?;
    (!text.chars().any(char::is_control)).then(|| text.to_owned())
}

/// SEQUENCE, SET, INTEGER, OCTET STRING, OBJECT IDENTIFIER, UTF8String and GeneralizedTime.
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const OCTETS: u8 = 0x04;
const OBJECT: u8 = 0x06;
const UTF8: u8 = 0x0c;
const TIME: u8 = 0x18;

/// One DER value: tag, content and complete bytes.
struct Value<'a> {
    tag: u8,
    content: &'a [u8],
    whole: &'a [u8],
}

/// Values one after another.
struct Values<'a>(pub(super) &'a [u8]);

impl<'a> Values<'a> {
    fn next(&mut self) -> Option<Value<'a>> {
        let [tag, first, rest @ ..] = self.0 else { return None };
        let (length, head) = match usize::from(*first) {
            short @ 0..=0x7f => (short, 2),
            long @ 0x81..=0x84 => {
                let digits = rest.get(..long - 0x80)?;
                let length = digits.iter().fold(0, |it, digit| it << 8 | usize::from(*digit));
                (length, 2 + digits.len())
            }
            _ => return None,
        };
        let whole = self.0.get(..head.checked_add(length)?)?;
        self.0 = &self.0[whole.len()..];
        Some(Value { tag: *tag, content: &whole[head..], whole })
    }

    fn next_of(&mut self, tag: u8) -> Option<Value<'a>> {
        self.next().filter(|it| it.tag == tag)
    }
}

#[cfg(test)]
mod tests;
