//! Sigstore bundles: a signature, its subject, and the material to verify it.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rustls::pki_types::{CertificateDer, UnixTime};
use serde::{Deserialize, Deserializer, de::Error as _};
use store::digest::{digest, hexadecimal};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert, ring};

use super::{Named, PROVENANCE_TYPE, PublicKey, STATEMENT_TYPE};

/// In-toto statement type.
pub(super) const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const OLDER_STATEMENT: &str = "https://in-toto.io/Statement/v0.1";
/// Payload type of an envelope.
pub(super) const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// Error for a signature by another key.
pub(super) const BY_ANOTHER: &str = "it is by another key";
/// Entries of logs that a bundle may have.
const ENTRIES_MAX: usize = 8;

/// Bytes that JSON has in base64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Encoded(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Encoded {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        STANDARD.decode(text).map(Self).map_err(|_| D::Error::custom("no base64"))
    }
}

/// A number that JSON has as a text, or as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number(pub(super) u64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Number(u64),
        }
        match Written::deserialize(from)? {
            Written::Number(it) => Ok(Self(it)),
            Written::Text(it) => it.parse().map(Self).map_err(|_| D::Error::custom("no number")),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Bundle {
    media_type: String,
    verification_material: Material,
    message_signature: Option<MessageSignature>,
    dsse_envelope: Option<Envelope>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Material {
    certificate: Option<Certificate>,
    #[serde(default)]
    tlog_entries: Vec<Entry>,
    #[serde(default)]
    timestamp_verification_data: Timestamps,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Timestamps {
    #[serde(default)]
    rfc3161_timestamps: Vec<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Timestamp {
    signed_timestamp: Encoded,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Certificate {
    pub(super) raw_bytes: Encoded,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageSignature {
    message_digest: Option<MessageDigest>,
    signature: Encoded,
}

#[derive(Deserialize)]
struct MessageDigest {
    algorithm: String,
    digest: Encoded,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload: Encoded,
    payload_type: String,
    signatures: Vec<EnvelopeSignature>,
}

#[derive(Deserialize)]
struct EnvelopeSignature {
    sig: Encoded,
}

/// An entry of a transparency log.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    pub(super) log_index: Number,
    pub(super) log_id: LogId,
    pub(super) integrated_time: Option<Number>,
    pub(super) inclusion_promise: Option<Promise>,
    pub(super) inclusion_proof: Option<Proof>,
    pub(super) canonicalized_body: Encoded,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogId {
    pub(super) key_id: Encoded,
}

/// Signed entry timestamp of a log.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Promise {
    pub(super) signed_entry_timestamp: Encoded,
}

/// Inclusion proof.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Proof {
    pub(super) log_index: Number,
    pub(super) root_hash: Encoded,
    pub(super) tree_size: Number,
    #[serde(default)]
    pub(super) hashes: Vec<Encoded>,
    pub(super) checkpoint: Checkpoint,
}

#[derive(Deserialize)]
pub(super) struct Checkpoint {
    pub(super) envelope: String,
}

/// The statement of an envelope.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    predicate_type: String,
}

#[derive(Deserialize)]
struct Subject {
    digest: SubjectDigest,
}

#[derive(Deserialize)]
struct SubjectDigest {
    sha256: Option<String>,
}

/// Signed content of a log entry.
pub(super) enum Content<'a> {
    /// A message, and its digest.
    Message { signature: &'a [u8] },
    /// An envelope.
    Envelope { payload: &'a [u8], signature: &'a [u8] },
}

impl Bundle {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let bundle: Self =
            serde_json::from_slice(bytes).map_err(|it| format!("it cannot be read: {it}"))?;
        let types =
            [crate::repository::BUNDLE, "application/vnd.dev.sigstore.bundle+json;version=0.3"];
        if !types.contains(&bundle.media_type.as_str()) {
            return Err(format!("it is {:?}, and {} is known here", bundle.media_type, types[0]));
        }
        let material = &bundle.verification_material;
        let stamps = material.timestamp_verification_data.rfc3161_timestamps.len();
        if stamps > ENTRIES_MAX {
            return Err(format!("it has {stamps} timestamps; {ENTRIES_MAX} is the most"));
        }
        match material.tlog_entries.len() {
            0..=ENTRIES_MAX => Ok(bundle),
            more => Err(format!("it has {more} entries of logs; {ENTRIES_MAX} is the most")),
        }
    }

    pub(super) fn certificate(&self) -> Result<&[u8], String> {
        let certificate = self.verification_material.certificate.as_ref();
        let none = || "it is by a key, and not by a certificate of an identity".to_owned();
        certificate.map(|it| it.raw_bytes.0.as_slice()).ok_or_else(none)
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.verification_material.tlog_entries
    }

    /// Timestamps as RFC 3161 has them: responses in DER.
    pub(super) fn timestamps(&self) -> impl Iterator<Item = &[u8]> {
        let all = &self.verification_material.timestamp_verification_data.rfc3161_timestamps;
        all.iter().map(|it| it.signed_timestamp.0.as_slice())
    }

    pub(super) fn content(&self) -> Result<Content<'_>, String> {
        match (&self.message_signature, &self.dsse_envelope) {
            (Some(it), None) => Ok(Content::Message { signature: &it.signature.0 }),
            (None, Some(it)) => match &it.signatures[..] {
                [one] => Ok(Content::Envelope { payload: &it.payload.0, signature: &one.sig.0 }),
                _ => Err("its envelope has not exactly one signature".to_owned()),
            },
            _ => Err("it has not exactly one of a message's signature and an envelope".to_owned()),
        }
    }

    /// Checks that it is a signature of that key on the manifest of these bytes.
    ///
    /// # Errors
    /// If invalid.
    pub(super) fn verify(&self, key: &PublicKey, manifest: &[u8]) -> Result<(), String> {
        let by_another = || BY_ANOTHER.to_owned();
        match self.content()? {
            Content::Message { signature } => {
                let stated =
                    self.message_signature.as_ref().and_then(|it| it.message_digest.as_ref());
                let is_of = |stated: &MessageDigest| {
                    stated.algorithm == "SHA2_256"
                        && hexadecimal(&stated.digest.0) == digest(manifest)
                };
                if !stated.is_none_or(is_of) {
                    return Err("it is on something else".to_owned());
                }
                key.verifies(manifest, signature).then_some(()).ok_or_else(by_another)
            }
            Content::Envelope { payload, signature } => {
                let kind = self.dsse_envelope.as_ref().map_or("", |it| &it.payload_type);
                if kind != PAYLOAD_TYPE {
                    return Err(format!(
                        "its envelope has {kind:?}, and {PAYLOAD_TYPE} is known here"
                    ));
                }
                if !key.verifies(&encoded(kind, payload), signature) {
                    return Err(by_another());
                }
                check_statement(payload, manifest)
            }
        }
    }
}

/// Whether what an envelope states is that the manifest of these bytes is good.
fn check_statement(payload: &[u8], manifest: &[u8]) -> Result<(), String> {
    let statement: Statement = serde_json::from_slice(payload)
        .map_err(|it| format!("its statement cannot be read: {it}"))?;
    if ![STATEMENT, OLDER_STATEMENT].contains(&statement.kind.as_str()) {
        return Err(format!("its statement is {:?}", statement.kind));
    }
    if ![STATEMENT_TYPE, PROVENANCE_TYPE].contains(&statement.predicate_type.as_str()) {
        return Err(format!("it states {:?}, which is no release", statement.predicate_type));
    }
    let wanted = digest(manifest);
    let is_about = |it: &Subject| it.digest.sha256.as_ref() == Some(&wanted);
    match statement.subject.iter().any(is_about) {
        true => Ok(()),
        false => Err("it is on something else".to_owned()),
    }
}

/// DSSE pre-authentication encoding.
pub(super) fn encoded(kind: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

// The trusted root of identity signatures: certificate authorities and logs (Sigstore's `trusted_root.json`).

/// The use that a certificate of a timestamp authority is for: timestamps (1.3.6.1.5.5.7.3.8).
const TIMESTAMPS: &[u8] = &[43, 6, 1, 5, 5, 7, 3, 8];
/// The use that a certificate of a signer is for: code signing (1.3.6.1.5.5.7.3.3).
const CODE_SIGNING: &[u8] = &[43, 6, 1, 5, 5, 7, 3, 3];

/// Authorities and logs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrustedRoot {
    #[serde(default)]
    tlogs: Vec<Log>,
    #[serde(default)]
    certificate_authorities: Vec<Authority>,
    #[serde(default)]
    timestamp_authorities: Vec<Authority>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Log {
    public_key: LogKey,
    log_id: LogId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogKey {
    raw_bytes: Encoded,
    #[serde(default)]
    valid_for: Period,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Authority {
    cert_chain: Chain,
    #[serde(default)]
    valid_for: Period,
}

#[derive(Deserialize)]
struct Chain {
    certificates: Vec<Certificate>,
}

#[derive(Default, Deserialize)]
struct Period {
    start: Option<String>,
    end: Option<String>,
}

impl Period {
    /// Whether that second of Unix time is in it; what cannot be read holds nothing.
    fn has(&self, second: u64) -> bool {
        let read = |it: &String| it.parse::<jiff::Timestamp>().ok();
        let second = i64::try_from(second).unwrap_or(i64::MAX);
        let has_begun = |it: &String| read(it).is_some_and(|it| it.as_second() <= second);
        let is_not_over = |it: &String| read(it).is_some_and(|it| second <= it.as_second());
        self.start.as_ref().is_none_or(has_begun) && self.end.as_ref().is_none_or(is_not_over)
    }
}

impl TrustedRoot {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let root: Self =
            serde_json::from_slice(bytes).map_err(|it| format!("it is no trusted root: {it}"))?;
        let has_times = !root.tlogs.is_empty() || !root.timestamp_authorities.is_empty();
        match root.certificate_authorities.is_empty() || !has_times {
            true => {
                Err("it has no certificateAuthorities, or neither tlogs nor timestampAuthorities"
                    .to_owned())
            }
            false => Ok(root),
        }
    }

    /// Whether a log entry is required.
    pub(super) fn has_logs(&self) -> bool {
        !self.tlogs.is_empty()
    }

    /// Keys of timestamp authorities valid at that time: those of the root, and those among `certificates` issued by
    /// them.
    pub(super) fn timestamp_keys(
        &self,
        certificates: &[&[u8]],
        second: u64,
    ) -> Result<Vec<PublicKey>, String> {
        let mut why =
            "no timestamp authority of the trusted root was valid at that time".to_owned();
        let mut keys = Vec::new();
        for authority in self.timestamp_authorities.iter().filter(|it| it.valid_for.has(second)) {
            let own = authority.cert_chain.certificates.first();
            let own = own.map(|it| it.raw_bytes.0.as_slice());
            for certificate in own.into_iter().chain(certificates.iter().copied()) {
                match authority.issued(certificate, second, TIMESTAMPS) {
                    Ok(()) => {
                        let named = Named::read(certificate);
                        keys.extend(named.and_then(|it| PublicKey::of_spki(&it.key)));
                    }
                    Err(what) => why = format!("of its timestamp, {what}"),
                }
            }
        }
        if keys.is_empty() { Err(why) } else { Ok(keys) }
    }

    /// Key of a log valid at that time.
    pub(super) fn log(&self, id: &[u8], second: u64) -> Result<PublicKey, String> {
        let log = self.tlogs.iter().find(|it| it.log_id.key_id.0 == id);
        let log = log.ok_or_else(|| "its log is not of the trusted root".to_owned())?;
        if !log.public_key.valid_for.has(second) {
            return Err("its log was not trusted at that time".to_owned());
        }
        let key = PublicKey::of_spki(&log.public_key.raw_bytes.0);
        key.ok_or_else(|| "its log has a kind of key that is not known here".to_owned())
    }

    /// Verifies a certificate at that time and returns its names.
    pub(super) fn verify(&self, certificate: &[u8], second: u64) -> Result<Named, String> {
        let mut why = "no authority of the trusted root was valid at that time".to_owned();
        for authority in self.certificate_authorities.iter().filter(|it| it.valid_for.has(second)) {
            match authority.issued(certificate, second, CODE_SIGNING) {
                Ok(()) => {
                    let named = Named::read(certificate);
                    return named.ok_or_else(|| "its certificate cannot be read".to_owned());
                }
                Err(what) => why = what,
            }
        }
        Err(why)
    }
}

impl Authority {
    /// Whether it has made the certificate out for that use, and it was valid at that second.
    ///
    /// # Errors
    /// Why not.
    fn issued(&self, certificate: &[u8], second: u64, usage: &'static [u8]) -> Result<(), String> {
        let der = CertificateDer::from(certificate);
        let leaf = EndEntityCert::try_from(&der)
            .map_err(|_| "its certificate cannot be read".to_owned())?;
        let none = || "an authority of the trusted root has no certificate".to_owned();
        let chain = self.cert_chain.certificates.iter();
        let chain: Vec<_> =
            chain.map(|it| CertificateDer::from(it.raw_bytes.0.as_slice())).collect();
        let (root, between) = chain.split_last().ok_or_else(none)?;
        let anchors = [anchor_from_trusted_cert(root).map_err(|_| none())?];
        let verified = leaf.verify_for_usage(
            &[
                ring::ECDSA_P256_SHA256,
                ring::ECDSA_P256_SHA384,
                ring::ECDSA_P384_SHA256,
                ring::ECDSA_P384_SHA384,
                ring::ED25519,
            ],
            &anchors,
            between,
            UnixTime::since_unix_epoch(Duration::from_secs(second)),
            KeyUsage::required(usage),
            None,
            None,
        );
        verified.map(drop).map_err(|it| error_text(&it))
    }
}

fn error_text(error: &webpki::Error) -> String {
    match error {
        webpki::Error::CertExpired { .. } => {
            "its certificate had expired when the signature was made".to_owned()
        }
        webpki::Error::CertNotValidYet { .. } => {
            "its certificate was not valid yet when the signature was made".to_owned()
        }
        webpki::Error::UnknownIssuer => {
            "its certificate is by no authority of the trusted root".to_owned()
        }
        other => format!("its certificate does not hold: {other}"),
    }
}
