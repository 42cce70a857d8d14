//! A certificate authority and a transparency log after Sigstore's, in this process, trusted only by a test's
//! root.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use ring::{
    digest as hash,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};

use host::digest::{digest, hexadecimal};

/// The media type of a bundle.
pub const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
/// The identity provider in certificates.
pub const ISSUER: &str = "https://id.example";
/// A day.
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// The payload type of an envelope.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The algorithm of all signatures here: ECDSA with SHA-256 (1.2.840.10045.4.3.2).
const ALGORITHM: &[u8] = b"\x2a\x86\x48\xce\x3d\x04\x03\x02";
/// The DER prefix of a public key.
const KEY_HEAD: &[u8] = b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00";

/// An authority and a log.
pub struct FakeSigning {
    authority: EcdsaKeyPair,
    root: Vec<u8>,
    log: EcdsaKeyPair,
    /// The timestamp authority's key and certificate.
    clock: (EcdsaKeyPair, Vec<u8>),
}

/// A flaw of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampFlaw {
    /// No flaw.
    None,
    /// It was made when the certificate had expired.
    Late,
    /// Its time was changed after it was signed.
    Changed,
    /// It is of another signature.
    OtherSignature,
    /// It is by an authority that the trusted root does not have.
    OtherAuthority,
    /// No log has the signature.
    NoLog,
    /// The log has another signature.
    OtherEntry,
    /// The log proves nothing.
    NoProof,
}

/// A flaw of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// As it should be.
    None,
    /// It was logged after the certificate expired.
    Expired,
    /// The stated time is not signed by the log.
    OtherTime,
    /// The log's proof is of another tree.
    OtherProof,
    /// The log's entry is of another signature.
    OtherEntry,
    /// No log has it.
    NoLog,
    /// It is on another manifest.
    OtherManifest,
}

fn key() -> EcdsaKeyPair {
    let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_ASN1_SIGNING);
    let document = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("there is randomness");
    EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).expect("it is new")
}

fn signed(key: &EcdsaKeyPair, message: &[u8]) -> Vec<u8> {
    key.sign(&SystemRandom::new(), message).expect("it signs").as_ref().to_vec()
}

/// A key's DER form.
fn public(key: &EcdsaKeyPair) -> Vec<u8> {
    [KEY_HEAD, key.public_key().as_ref()].concat()
}

/// One value of DER.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = match content.len() {
        short @ 0..0x80 => vec![short as u8],
        long @ 0x80..0x100 => vec![0x81, long as u8],
        long => vec![0x82, (long >> 8) as u8, long as u8],
    };
    [&[tag], &length[..], &content].concat()
}

fn extension(name: &[u8], is_critical: bool, value: &[u8]) -> Vec<u8> {
    let critical = if is_critical { &b"\x01\x01\xff"[..] } else { b"" };
    der(0x30, &[&der(6, &[name]), critical, &der(4, &[value])])
}

/// A certificate for `key`, made out by `by`.
fn certificate(
    key: &EcdsaKeyPair,
    by: &EcdsaKeyPair,
    (subject, from, until): (&[u8], Timestamp, Timestamp),
    extensions: &[Vec<u8>],
) -> Vec<u8> {
    let algorithm = der(0x30, &[&der(6, &[ALGORITHM])]);
    let time = |time: Timestamp| {
        let text = time.to_zoned(TimeZone::UTC).strftime("%y%m%d%H%M%SZ").to_string();
        der(0x17, &[text.as_bytes()])
    };
    let statement = der(
        0x30,
        &[
            &der(0xa0, &[&der(2, &[&[2]])]),
            &der(2, &[&[1]]),
            &algorithm,
            &authority(),
            &der(0x30, &[&time(from), &time(until)]),
            subject,
            &public(key),
            &der(0xa3, &[&der(0x30, &[&extensions.concat()])]),
        ],
    );
    let signature = signed(by, &statement);
    der(0x30, &[&statement, &algorithm, &der(3, &[&[0], &signature])])
}

/// The authority's name.
fn authority() -> Vec<u8> {
    let name = der(0x30, &[&der(6, &[b"\x55\x04\x03"]), &der(0x0c, &[b"authority"])]);
    der(0x30, &[&der(0x31, &[&name])])
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    hash::digest(&hash::SHA256, bytes).as_ref().to_vec()
}

fn pem(der: &[u8]) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", STANDARD.encode(der))
}

/// An authority of one's own, and a server's certificate by it, for this machine.
pub struct FakeAuthority {
    /// The authority's certificate, as a file has it.
    pub pem: String,
    /// The server's certificate, and its key (PKCS#8).
    pub server: (Vec<u8>, Vec<u8>),
}

impl FakeAuthority {
    /// A new authority for one test.
    ///
    /// # Panics
    /// If the system has no randomness.
    pub fn new() -> Self {
        let signing = FakeSigning::new();
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_ASN1_SIGNING);
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("there is randomness");
        let own = EcdsaKeyPair::from_pkcs8(kind, pkcs8.as_ref(), &random).expect("it is new");
        let address = der(0x30, &[&der(0x87, &[&[127, 0, 0, 1]])]);
        let use_of = der(0x30, &[&der(6, &[b"\x2b\x06\x01\x05\x05\x07\x03\x01"])]);
        let extensions = [
            extension(b"\x55\x1d\x25", false, &use_of),
            extension(b"\x55\x1d\x11", true, &address),
        ];
        let now = Timestamp::now();
        let about = (&der(0x30, &[])[..], now - DAY, now + DAY);
        let server = certificate(&own, &signing.authority, about, &extensions);
        Self { pem: pem(&signing.root), server: (server, pkcs8.as_ref().to_vec()) }
    }
}

impl Default for FakeAuthority {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for FakeSigning {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeSigning {
    /// A new authority and log for one test.
    ///
    /// # Panics
    /// If the system has no randomness.
    pub fn new() -> Self {
        let (own, now) = (key(), Timestamp::now());
        let is_authority = extension(b"\x55\x1d\x13", true, &der(0x30, &[b"\x01\x01\xff"]));
        let about = (&authority()[..], now - DAY * 60, now + DAY * 60);
        let root = certificate(&own, &own, about, &[is_authority]);
        let clock = key();
        let use_of = der(0x30, &[&der(6, &[b"\x2b\x06\x01\x05\x05\x07\x03\x08"])]);
        let is_clock = extension(b"\x55\x1d\x25", true, &use_of);
        let about = (&der(0x30, &[])[..], now - DAY * 60, now + DAY * 60);
        let certified = certificate(&clock, &own, about, &[is_clock]);
        Self { authority: own, root, log: key(), clock: (clock, certified) }
    }

    /// The trusted root with both.
    pub fn trusted_root(&self) -> String {
        let key = public(&self.log);
        json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [{
                "baseUrl": "https://log.example", "hashAlgorithm": "SHA2_256",
                "publicKey": {
                    "rawBytes": STANDARD.encode(&key), "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                    "validFor": { "start": "2021-01-12T11:53:27.000Z" },
                },
                "logId": { "keyId": STANDARD.encode(sha256(&key)) },
            }],
            "certificateAuthorities": [{
                "subject": { "organization": "test", "commonName": "test" },
                "uri": "https://authority.example",
                "certChain": { "certificates": [{ "rawBytes": STANDARD.encode(&self.root) }] },
                "validFor": { "start": "2021-01-12T11:53:27.000Z" },
            }],
            "timestampAuthorities": [{
                "subject": { "organization": "test", "commonName": "test" },
                "uri": "https://clock.example",
                "certChain": { "certificates": [
                    { "rawBytes": STANDARD.encode(&self.clock.1) },
                    { "rawBytes": STANDARD.encode(&self.root) },
                ] },
                "validFor": { "start": "2021-01-12T11:53:27.000Z" },
            }],
        })
        .to_string()
    }

    /// A bundle by `identity` on the manifest of these bytes, of which a timestamp says when it was made, and a log in
    /// its second version only that it has it.
    ///
    /// # Panics
    /// If the system has no randomness.
    pub fn stamped(&self, identity: &str, manifest: &[u8], flaw: StampFlaw) -> Vec<u8> {
        let (own, certificate, made) = self.certified(identity);
        let signature = signed(&own, manifest);
        let of = if flaw == StampFlaw::OtherEntry { &b"another"[..] } else { &signature };
        let body = json!({
            "apiVersion": "0.0.2", "kind": "hashedrekord",
            "spec": { "hashedRekordV002": {
                "data": { "algorithm": "SHA2_256", "digest": STANDARD.encode(sha256(manifest)) },
                "signature": { "content": STANDARD.encode(of), "verifier": {
                    "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                    "x509Certificate": { "rawBytes": STANDARD.encode(&certificate) },
                } },
            } },
        });
        let mut entry = self.entry(&body.to_string(), made.as_second(), Flaw::None);
        // It says a time that is not signed, long before the certificate.
        entry["integratedTime"] = "1".into();
        let entry_parts = entry.as_object_mut().expect("it is one");
        entry_parts.remove("inclusionPromise");
        if flaw == StampFlaw::NoProof {
            entry_parts.remove("inclusionProof");
        }
        let entries = if flaw == StampFlaw::NoLog { Vec::new() } else { vec![entry] };
        let stamp = STANDARD.encode(self.stamp(&signature, made, flaw));
        json!({
            "mediaType": BUNDLE,
            "verificationMaterial": {
                "certificate": { "rawBytes": STANDARD.encode(&certificate) },
                "tlogEntries": entries,
                "timestampVerificationData": { "rfc3161Timestamps": [{ "signedTimestamp": stamp }] },
            },
            "messageSignature": {
                "messageDigest": {
                    "algorithm": "SHA2_256", "digest": STANDARD.encode(sha256(manifest)),
                },
                "signature": STANDARD.encode(&signature),
            },
        })
        .to_string()
        .into_bytes()
    }

    /// A timestamp of RFC 3161 on a signature, in a response that grants it.
    fn stamp(&self, signature: &[u8], made: Timestamp, flaw: StampFlaw) -> Vec<u8> {
        let hash = der(0x30, &[&der(6, &[b"\x60\x86\x48\x01\x65\x03\x04\x02\x01"])]);
        let of = if flaw == StampFlaw::OtherSignature { &b"another"[..] } else { signature };
        let late = if flaw == StampFlaw::Late { 60 } else { 1 };
        let statement = |minutes: i64| {
            let at = (made + SignedDuration::from_mins(minutes)).to_zoned(TimeZone::UTC);
            let at = at.strftime("%Y%m%d%H%M%SZ").to_string();
            let imprint = der(0x30, &[&hash, &der(4, &[&sha256(of)])]);
            let policy = der(6, &[b"\x2a\x03\x04"]);
            der(
                0x30,
                &[
                    &der(2, &[&[1]]),
                    &policy,
                    &imprint,
                    &der(2, &[&[7]]),
                    &der(0x18, &[at.as_bytes()]),
                ],
            )
        };
        let (content, kind) = (statement(late), b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x04");
        let attribute =
            |name: &[u8], value: Vec<u8>| der(0x30, &[&der(6, &[name]), &der(0x31, &[&value])]);
        let attributes = [
            attribute(b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x03", der(6, &[kind])),
            attribute(b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x04", der(4, &[&sha256(&content)])),
        ]
        .concat();
        let other = key();
        let by = if flaw == StampFlaw::OtherAuthority { &other } else { &self.clock.0 };
        let marked = signed(by, &der(0x31, &[&attributes]));
        let answer = if flaw == StampFlaw::Changed { statement(2) } else { content };
        let signer = der(
            0x30,
            &[
                &der(2, &[&[1]]),
                &der(0x30, &[&authority(), &der(2, &[&[1]])]),
                &hash,
                &der(0xa0, &[&attributes]),
                &der(0x30, &[&der(6, &[ALGORITHM])]),
                &der(4, &[&marked]),
            ],
        );
        let inner = der(0x30, &[&der(6, &[kind]), &der(0xa0, &[&der(4, &[&answer])])]);
        let whole =
            der(0x30, &[&der(2, &[&[3]]), &der(0x31, &[&hash]), &inner, &der(0x31, &[&signer])]);
        let token = der(
            0x30,
            &[&der(6, &[b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"]), &der(0xa0, &[&whole])],
        );
        der(0x30, &[&der(0x30, &[&der(2, &[&[0]])]), &token])
    }

    /// A certificate of ten minutes for a new key of `identity`, and since when it is valid.
    fn certified(&self, identity: &str) -> (EcdsaKeyPair, Vec<u8>, Timestamp) {
        let made = Timestamp::now() - DAY * 30;
        let own = key();
        let name = der(0x30, &[&der(0x86, &[identity.as_bytes()])]);
        let use_of = der(0x30, &[&der(6, &[b"\x2b\x06\x01\x05\x05\x07\x03\x03"])]);
        let vouched = der(0x0c, &[ISSUER.as_bytes()]);
        let extensions = [
            extension(b"\x55\x1d\x25", false, &use_of),
            extension(b"\x55\x1d\x11", true, &name),
            extension(b"\x2b\x06\x01\x04\x01\x83\xbf\x30\x01\x08", false, &vouched),
        ];
        let about = (&der(0x30, &[])[..], made, made + SignedDuration::from_mins(10));
        let certificate = certificate(&own, &self.authority, about, &extensions);
        (own, certificate, made)
    }

    /// A bundle by `identity` on the manifest of these bytes: an envelope with a statement.
    ///
    /// # Panics
    /// If the system has no randomness.
    pub fn bundle(&self, identity: &str, manifest: &[u8], flaw: Flaw) -> Vec<u8> {
        let (own, certificate, made) = self.certified(identity);
        let about = if flaw == Flaw::OtherManifest { digest(b"another") } else { digest(manifest) };
        let payload = json!({
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{ "name": "component", "digest": { "sha256": about } }],
            "predicateType": "https://sigstore.dev/cosign/sign/v1", "predicate": {},
        })
        .to_string();
        let head = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len());
        let signature = signed(&own, &[head.as_bytes(), payload.as_bytes()].concat());
        let of = if flaw == Flaw::OtherEntry { b"another".to_vec() } else { signature.clone() };
        let body = json!({
            "apiVersion": "0.0.1", "kind": "dsse",
            "spec": {
                "envelopeHash": { "algorithm": "sha256", "value": digest(b"unread") },
                "payloadHash": { "algorithm": "sha256", "value": digest(payload.as_bytes()) },
                "signatures": [{
                    "signature": STANDARD.encode(of),
                    "verifier": STANDARD.encode(pem(&certificate)),
                }],
            },
        });
        let envelope = json!({
            "payload": STANDARD.encode(&payload), "payloadType": PAYLOAD_TYPE,
            "signatures": [{ "sig": STANDARD.encode(&signature) }],
        });
        self.whole((&certificate, made), &body, ("dsseEnvelope", envelope), flaw)
    }

    /// A bundle by `identity` on the manifest of these bytes: a signature on the bytes themselves.
    ///
    /// # Panics
    /// If the system has no randomness.
    pub fn message(&self, identity: &str, manifest: &[u8]) -> Vec<u8> {
        let (own, certificate, made) = self.certified(identity);
        let signature = STANDARD.encode(signed(&own, manifest));
        let body = json!({
            "apiVersion": "0.0.1", "kind": "hashedrekord",
            "spec": {
                "data": { "hash": { "algorithm": "sha256", "value": digest(manifest) } },
                "signature": {
                    "content": signature,
                    "publicKey": { "content": STANDARD.encode(pem(&certificate)) },
                },
            },
        });
        let message = json!({
            "messageDigest": { "algorithm": "SHA2_256", "digest": STANDARD.encode(sha256(manifest)) },
            "signature": signature,
        });
        self.whole((&certificate, made), &body, ("messageSignature", message), Flaw::None)
    }

    /// The bundle of a signature, with the log's entry of it.
    fn whole(
        &self,
        (certificate, made): (&[u8], Timestamp),
        body: &Value,
        (kind, signature): (&str, Value),
        flaw: Flaw,
    ) -> Vec<u8> {
        let late = if flaw == Flaw::Expired { 60 } else { 1 };
        let taken_at = (made + SignedDuration::from_mins(late)).as_second();
        let entries = match flaw {
            Flaw::NoLog => Vec::new(),
            _ => vec![self.entry(&body.to_string(), taken_at, flaw)],
        };
        let mut bundle = json!({
            "mediaType": BUNDLE,
            "verificationMaterial": {
                "certificate": { "rawBytes": STANDARD.encode(certificate) },
                "tlogEntries": entries,
            },
        });
        bundle[kind] = signature;
        bundle.to_string().into_bytes()
    }

    /// The entry of the log, which is the second one of a tree of two.
    fn entry(&self, body: &str, taken_at: i64, flaw: Flaw) -> Value {
        let id = sha256(&public(&self.log));
        let body = STANDARD.encode(body);
        let answer = if flaw == Flaw::OtherTime { taken_at + 1 } else { taken_at };
        let promised = format!(
            r#"{{"body":"{body}","integratedTime":{taken_at},"logID":"{}","logIndex":4711}}"#,
            hexadecimal(&id)
        );
        let own = STANDARD.decode(&body).expect("it was just encoded");
        let own = if flaw == Flaw::OtherProof { b"another".to_vec() } else { own };
        let leaf = sha256(&[&[0][..], &own].concat());
        let other = sha256(&[&[0][..], b"the first"].concat());
        let root = sha256(&[&[1][..], &other, &leaf].concat());
        let text = format!("log.example - 1\n2\n{}\n", STANDARD.encode(&root));
        let mark = [&[1, 2, 3, 4][..], &signed(&self.log, text.as_bytes())].concat();
        json!({
            "logIndex": "4711", "logId": { "keyId": STANDARD.encode(&id) },
            "kindVersion": { "kind": "dsse", "version": "0.0.1" },
            "integratedTime": answer.to_string(),
            "inclusionPromise": {
                "signedEntryTimestamp": STANDARD.encode(signed(&self.log, promised.as_bytes())),
            },
            "inclusionProof": {
                "logIndex": "1", "treeSize": "2", "rootHash": STANDARD.encode(&root),
                "hashes": [STANDARD.encode(&other)],
                "checkpoint": { "envelope": format!("{text}\n\u{2014} log.example {}\n", STANDARD.encode(mark)) },
            },
            "canonicalizedBody": body,
        })
    }
}
