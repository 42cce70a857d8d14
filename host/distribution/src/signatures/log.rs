//! Verifies the time of a signature by a transparency log entry or a timestamp, and the proof that the entry is in the
//! log. It works offline.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::digest::{SHA256, digest as hash};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use serde::Deserialize;
use serde_json::Value;
use store::digest::{digest, hexadecimal};

use super::{
    PublicKey,
    bundle::{Bundle, Content, Encoded, Entry, Proof, TrustedRoot},
    timestamp,
};

/// Hashes that a proof may have: a tree of so many levels is larger than any log.
const HASHES_MAX: usize = 64;

/// Body of a log entry.
#[derive(Deserialize)]
struct Body {
    kind: String,
    spec: Value,
}

/// Unix time in seconds at which a trusted log recorded the signature, or a trusted authority stamped it. If the root
/// has logs, one must have the signature.
///
/// # Errors
/// If no log has it, its time is unsigned, or a proof fails.
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
        match check_inclusion(entry, bundle, root, second) {
            Ok(()) => return Ok(second),
            Err(what) => why = what,
        }
    }
    Err(why)
}

/// Whether the log's proof holds that it has the signature.
fn check_inclusion(
    entry: &Entry,
    bundle: &Bundle,
    root: &TrustedRoot,
    second: u64,
) -> Result<(), String> {
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

/// The text that a log signs: canonical JSON of the entry.
fn promised(entry: &Entry, second: u64) -> String {
    format!(
        r#"{{"body":"{}","integratedTime":{second},"logID":"{}","logIndex":{}}}"#,
        STANDARD.encode(&entry.canonicalized_body.0),
        hexadecimal(&entry.log_id.key_id.0),
        entry.log_index.0,
    )
}

/// Checks that the entry is about this signature and certificate.
fn is_about(body: &[u8], bundle: &Bundle) -> Result<(), String> {
    let unread = |it: serde_json::Error| format!("its log's entry cannot be read: {it}");
    let Body { kind, spec } = serde_json::from_slice(body).map_err(unread)?;
    let own = bundle.certificate()?;
    let text = |place: &str| spec.pointer(place).and_then(Value::as_str);
    let bytes = |place: &str| STANDARD.decode(text(place)?).ok();
    let is = |place: &str, wanted: &[u8]| bytes(place).is_some_and(|it| it == wanted);
    let is_certificate = |place: &str| {
        let pem = bytes(place).and_then(|it| CertificateDer::from_pem_slice(&it).ok());
        pem.is_some_and(|it| it.as_ref() == own)
    };
    let has_one =
        |place: &str| spec.pointer(place).and_then(Value::as_array).is_some_and(|it| it.len() == 1);
    let is_so = match (kind.as_str(), bundle.content()?) {
        ("dsse", Content::Envelope { payload, signature }) if spec.get("dsseV002").is_some() => {
            text("/dsseV002/payloadHash/algorithm") == Some("SHA2_256")
                && bytes("/dsseV002/payloadHash/digest")
                    .is_some_and(|it| hexadecimal(&it) == digest(payload))
                && has_one("/dsseV002/signatures")
                && is("/dsseV002/signatures/0/content", signature)
                && is("/dsseV002/signatures/0/verifier/x509Certificate/rawBytes", own)
        }
        ("hashedrekord", Content::Message { signature })
            if spec.get("hashedRekordV002").is_some() =>
        {
            is("/hashedRekordV002/signature/content", signature)
                && is("/hashedRekordV002/signature/verifier/x509Certificate/rawBytes", own)
        }
        ("dsse", Content::Envelope { payload, signature }) => {
            text("/payloadHash/algorithm") == Some("sha256")
                && text("/payloadHash/value") == Some(&*digest(payload))
                && has_one("/signatures")
                && is("/signatures/0/signature", signature)
                && is_certificate("/signatures/0/verifier")
        }
        ("hashedrekord", Content::Message { signature }) => {
            is("/signature/content", signature) && is_certificate("/signature/publicKey/content")
        }
        (kind, _) => return Err(format!("its log's entry is {kind:?}, which is not read here")),
    };
    match is_so {
        true => Ok(()),
        false => {
            Err("its log's entry is about another signature, or has not all of this one".to_owned())
        }
    }
}

/// Verifies an inclusion proof against the log's signed checkpoint.
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
    fn proves_inclusion_of_each_leaf_and_no_other() {
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
