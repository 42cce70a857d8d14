//! Sigstore bundles: a signature, its subject, and the material to verify it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, de::Error as _};
use store::digest::{digest, hexadecimal};

use super::{PROVENANCE_TYPE, PublicKey, STATEMENT_TYPE};

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
