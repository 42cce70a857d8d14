//! When a signature was made: as the transparency log says that has it, by its signature on the entry's time, or as a
//! timestamp authority says it; and the proof that the entry is in the log. Nothing is asked of the log itself.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::digest::{SHA256, digest as hash};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use serde::Deserialize;
use store::digest::{digest, hexadecimal};

use super::{
    PublicKey,
    bundle::{Bundle, Content, Encoded, Entry, Proof},
    root::TrustedRoot,
    timestamp,
};

/// Hashes that a proof may have: a tree of so many levels is larger than any log.
const HASHES_MAX: usize = 64;

/// The body of an entry, as far as it is read.
#[derive(Deserialize)]
struct Body {
    kind: String,
    spec: serde_json::Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfEnvelope {
    payload_hash: Hash,
    signatures: Vec<OfSignature>,
}

#[derive(Deserialize)]
struct Hash {
    algorithm: String,
    value: String,
}

#[derive(Deserialize)]
struct OfSignature {
    signature: Encoded,
    verifier: Encoded,
}

#[derive(Deserialize)]
struct OfMessage {
    signature: MessageSignature,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageSignature {
    content: Encoded,
    public_key: MessageKey,
}

#[derive(Deserialize)]
struct MessageKey {
    content: Encoded,
}

/// An envelope in version 0.0.2 of an entry's body.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfEnvelope2 {
    payload_hash: Hash2,
    signatures: Vec<Signature2>,
}

#[derive(Deserialize)]
struct Hash2 {
    algorithm: String,
    digest: Encoded,
}

/// A signature in version 0.0.2.
#[derive(Deserialize)]
struct Signature2 {
    content: Encoded,
    verifier: Verifier2,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Verifier2 {
    x509_certificate: Option<Certificate2>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Certificate2 {
    raw_bytes: Encoded,
}

/// A message in version 0.0.2.
#[derive(Deserialize)]
struct OfMessage2 {
    signature: Signature2,
}

/// The second of Unix time at which a log of the trusted root took the signature, or at which a timestamp authority of it
/// saw it. Where the trusted root has logs, one of them must have the signature.
///
/// # Errors
/// Where no log has it, no such time is signed, or what is said of it is not so.
pub(super) fn time(bundle: &Bundle, root: &TrustedRoot) -> Result<u64, String> {
    let mut why = "no log has it (tlogEntries)".to_owned();
    for entry in bundle.entries() {
        match of_entry(entry, bundle, root) {
            Ok(second) => return Ok(second),
            Err(what) => why = what,
        }
    }
    if bundle.timestamps().next().is_none() {
        return Err(why);
    }
    let second = timestamp::time(bundle, root)?;
    if !root.has_logs() {
        return Ok(second);
    }
    let mut why = "no log has it (tlogEntries)".to_owned();
    for entry in bundle.entries() {
        match proven(entry, bundle, root, second) {
            Ok(()) => return Ok(second),
            Err(what) => why = what,
        }
    }
    Err(why)
}

/// Whether the log's proof holds that it has the signature.
fn proven(entry: &Entry, bundle: &Bundle, root: &TrustedRoot, second: u64) -> Result<(), String> {
    let none = || "there is no proof that its log has it (inclusionProof)".to_owned();
    let proof = entry.inclusion_proof.as_ref().ok_or_else(none)?;
    let key = root.log(&entry.log_id.key_id.0, second)?;
    check_proof(proof, &entry.canonicalized_body.0, &key)?;
    is_about(&entry.canonicalized_body.0, bundle)
}

fn of_entry(entry: &Entry, bundle: &Bundle, root: &TrustedRoot) -> Result<u64, String> {
    let unsigned = || {
        "its log does not sign when it took it (inclusionPromise), and no timestamp authority does (rfc3161Timestamps)".to_owned()
    };
    let promise = entry.inclusion_promise.as_ref().ok_or_else(unsigned)?;
    let second = entry.integrated_time.filter(|it| it.0 > 0).ok_or_else(unsigned)?.0;
    let key = root.log(&entry.log_id.key_id.0, second)?;
    if !key.verifies(promised(entry, second).as_bytes(), &promise.signed_entry_timestamp.0) {
        return Err("its log has not signed that it took it then".to_owned());
    }
    if let Some(proof) = &entry.inclusion_proof {
        check_proof(proof, &entry.canonicalized_body.0, &key)?;
    }
    is_about(&entry.canonicalized_body.0, bundle)?;
    Ok(second)
}

/// What a log signs of an entry: JSON with its keys in order and no spaces.
fn promised(entry: &Entry, second: u64) -> String {
    format!(
        r#"{{"body":"{}","integratedTime":{second},"logID":"{}","logIndex":{}}}"#,
        STANDARD.encode(&entry.canonicalized_body.0),
        hexadecimal(&entry.log_id.key_id.0),
        entry.log_index.0,
    )
}

/// Whether the entry is about this very signature by this very certificate.
fn is_about(body: &[u8], bundle: &Bundle) -> Result<(), String> {
    let another = || "its log's entry is about another signature".to_owned();
    let unread = |it: serde_json::Error| format!("its log's entry cannot be read: {it}");
    let body: Body = serde_json::from_slice(body).map_err(unread)?;
    let is_certificate = |pem: &[u8]| {
        let found = CertificateDer::from_pem_slice(pem).ok();
        found.is_some_and(|it| bundle.certificate().is_ok_and(|own| it.as_ref() == own))
    };
    let is_signature = |entry: &Signature2, signature: &[u8]| {
        let certificate = entry.verifier.x509_certificate.as_ref();
        entry.content.0 == signature
            && certificate
                .is_some_and(|it| bundle.certificate().is_ok_and(|own| it.raw_bytes.0 == own))
    };
    let mut spec = body.spec;
    let is_so = match (body.kind.as_str(), bundle.content()?) {
        ("dsse", Content::Envelope { payload, signature }) if spec.get("dsseV002").is_some() => {
            let it: OfEnvelope2 =
                serde_json::from_value(spec["dsseV002"].take()).map_err(unread)?;
            let [one] = &it.signatures[..] else { return Err(another()) };
            it.payload_hash.algorithm == "SHA2_256"
                && hexadecimal(&it.payload_hash.digest.0) == digest(payload)
                && is_signature(one, signature)
        }
        ("hashedrekord", Content::Message { signature })
            if spec.get("hashedRekordV002").is_some() =>
        {
            let it: OfMessage2 =
                serde_json::from_value(spec["hashedRekordV002"].take()).map_err(unread)?;
            is_signature(&it.signature, signature)
        }
        ("dsse", Content::Envelope { payload, signature }) => {
            let it: OfEnvelope = serde_json::from_value(spec).map_err(unread)?;
            let is_payload =
                it.payload_hash.algorithm == "sha256" && it.payload_hash.value == digest(payload);
            let [one] = &it.signatures[..] else { return Err(another()) };
            is_payload && one.signature.0 == signature && is_certificate(&one.verifier.0)
        }
        ("hashedrekord", Content::Message { signature }) => {
            let it: OfMessage = serde_json::from_value(spec).map_err(unread)?;
            it.signature.content.0 == signature
                && is_certificate(&it.signature.public_key.content.0)
        }
        (kind, _) => return Err(format!("its log's entry is {kind:?}, which is not read here")),
    };
    is_so.then_some(()).ok_or_else(another)
}

/// Holds a proof against the log's signed word for what the log has.
fn check_proof(proof: &Proof, body: &[u8], key: &PublicKey) -> Result<(), String> {
    let wrong = || "the proof that its log has it does not hold".to_owned();
    let (text, signatures) = proof.checkpoint.envelope.split_once("\n\n").ok_or_else(wrong)?;
    let signed = format!("{text}\n");
    // Each line is a dash, a name, and in base64 four bytes that hint at the key before the signature.
    let is_signed = signatures.lines().filter_map(|it| it.rsplit_once(' ')).any(|(_, line)| {
        let bytes = STANDARD.decode(line).unwrap_or_default();
        bytes.get(4..).is_some_and(|it| key.verifies(signed.as_bytes(), it))
    });
    let mut lines = text.lines().skip(1);
    let size = lines.next().and_then(|it| it.parse().ok());
    let root = lines.next().and_then(|it| STANDARD.decode(it).ok());
    let is_same = size == Some(proof.tree_size.0) && root.as_ref() == Some(&proof.root_hash.0);
    (is_signed && is_same && is_in(proof, body)).then_some(()).ok_or_else(wrong)
}

/// Whether the entry is in the tree of that root (RFC 9162, 2.1.3.2).
fn is_in(proof: &Proof, body: &[u8]) -> bool {
    let (mut at, Some(mut last)) = (proof.log_index.0, proof.tree_size.0.checked_sub(1)) else {
        return false;
    };
    if at > last || proof.hashes.len() > HASHES_MAX {
        return false;
    }
    let node = |left: &[u8], right: &[u8]| hash(&SHA256, &[&[1], left, right].concat());
    let mut found = hash(&SHA256, &[&[0], body].concat());
    for Encoded(sibling) in &proof.hashes {
        if last == 0 {
            return false;
        }
        if at % 2 == 1 || at == last {
            found = node(sibling, found.as_ref());
            while at % 2 == 0 && at != 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            found = node(found.as_ref(), sibling);
        }
        (at, last) = (at / 2, last / 2);
    }
    last == 0 && found.as_ref() == proof.root_hash.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree's root and the proofs of its leaves, made the plain way.
    fn tree(leaves: &[Vec<u8>]) -> (Vec<u8>, Vec<Vec<Vec<u8>>>) {
        if let [leaf] = leaves {
            return (
                hash(&SHA256, &[&[0], &leaf[..]].concat()).as_ref().to_vec(),
                vec![Vec::new()],
            );
        }
        let half = leaves.len().next_power_of_two() / 2;
        let ((left, mut proofs), (right, others)) = (tree(&leaves[..half]), tree(&leaves[half..]));
        proofs.iter_mut().for_each(|it| it.push(right.clone()));
        let others = others.into_iter().map(|mut path| {
            path.push(left.clone());
            path
        });
        proofs.extend(others);
        let root = hash(&SHA256, &[&[1], &left[..], &right[..]].concat()).as_ref().to_vec();
        (root, proofs)
    }

    #[test]
    fn each_leaf_of_each_tree_is_in_it_and_no_other() {
        for size in 1..20_usize {
            let leaves: Vec<_> = (0..size).map(|it| vec![it as u8; 3]).collect();
            let (root, proofs) = tree(&leaves);
            for (at, hashes) in proofs.into_iter().enumerate() {
                let value = serde_json::json!({
                    "logIndex": at.to_string(), "treeSize": size.to_string(),
                    "rootHash": STANDARD.encode(&root),
                    "hashes": hashes.iter().map(|it| STANDARD.encode(it)).collect::<Vec<_>>(),
                    "checkpoint": { "envelope": "" },
                });
                let proof: Proof = serde_json::from_value(value).unwrap();
                assert!(is_in(&proof, &leaves[at]), "{at} of {size}");
                assert!(!is_in(&proof, b"another"), "{at} of {size}");
            }
        }
    }
}
