//! Public keys: Ed25519, and ECDSA with the curves P-256 and P-384.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA384_ASN1, ECDSA_P384_SHA256_ASN1, ECDSA_P384_SHA384_ASN1,
    ED25519, UnparsedPublicKey, VerificationAlgorithm,
};
use rustls::pki_types::{SubjectPublicKeyInfoDer, pem::PemObject};

use super::fingerprint;

/// Keys that a file may have.
const KEYS_MAX: usize = 64;
/// DER prefixes of public keys, by kind.
const ED25519_HEAD: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
const P256_HEAD: &[u8] = b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00";
const P384_HEAD: &[u8] =
    b"\x30\x76\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x22\x03\x62\x00";

/// A public key.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PublicKey {
    kind: Kind,
    /// Its DER form.
    spki: Vec<u8>,
}

/// The digest of a message that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
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
    pub(super) fn all(pem: &[u8]) -> Result<Vec<Self>, String> {
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
    pub(super) fn of_spki(spki: &[u8]) -> Option<Self> {
        let is = |kind: &Kind| {
            let (head, bytes) = kind.form();
            spki.starts_with(head) && spki.len() == head.len() + bytes
        };
        let kind = [Kind::Ed25519, Kind::P256, Kind::P384].into_iter().find(is)?;
        Some(Self { kind, spki: spki.to_owned() })
    }

    pub(super) fn ed25519(key: &[u8]) -> Self {
        Self { kind: Kind::Ed25519, spki: [ED25519_HEAD, key].concat() }
    }

    pub(super) fn p256(key: &[u8]) -> Self {
        Self { kind: Kind::P256, spki: [P256_HEAD, key].concat() }
    }

    /// Whether `signature` is this key's on `message`.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.verifies_by(Hash::Own, message, signature)
    }

    /// Verifies with an explicit digest algorithm.
    pub(super) fn verifies_by(&self, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
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
    pub(super) fn fingerprint(&self) -> String {
        fingerprint(&self.spki)
    }

    /// Key hint of a bundle.
    pub(super) fn hint(&self) -> String {
        STANDARD.encode(ring::digest::digest(&ring::digest::SHA256, &self.spki))
    }

    /// PEM encoding.
    pub(super) fn pem(&self) -> String {
        let encoded = STANDARD.encode(&self.spki);
        let lines: Vec<_> = encoded.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    }
}
