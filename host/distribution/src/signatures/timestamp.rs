//! RFC 3161 timestamps: a timestamp authority of the trusted root signs a time and the digest of the signature.

use ring::digest;

use super::{
    Hash, INTEGER, OBJECT, OCTETS, SEQUENCE, SET, TIME, Values,
    bundle::{Bundle, Content, TrustedRoot},
};

/// A signed message of CMS (1.2.840.113549.1.7.2).
const SIGNED: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
/// OID of TSTInfo (1.2.840.113549.1.9.16.1.4).
const STATEMENT: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x04";
/// OIDs of the attributes content type and message digest (1.2.840.113549.1.9.3 and .4).
const KIND: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x03";
const DIGEST: &[u8] = b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x04";
/// SHA-2 by itself (2.16.840.1.101.3.4.2.1 to .3), and under ECDSA (1.2.840.10045.4.3.2 and .3); Ed25519 (1.3.101.112).
const SHA256: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02\x01";
const SHA384: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02\x02";
const SHA512: &[u8] = b"\x60\x86\x48\x01\x65\x03\x04\x02\x03";
const ECDSA_SHA256: &[u8] = b"\x2a\x86\x48\xce\x3d\x04\x03\x02";
const ECDSA_SHA384: &[u8] = b"\x2a\x86\x48\xce\x3d\x04\x03\x03";
const ED25519: &[u8] = b"\x2b\x65\x70";
/// The implicit tags 0 and 1 of values that have others in them.
const FIRST: u8 = 0xa0;
const SECOND: u8 = 0xa1;
/// Certificates that a timestamp may bring along.
const CERTIFICATES_MAX: usize = 8;

/// A timestamp token.
struct Token<'a> {
    /// TSTInfo.
    statement: &'a [u8],
    /// The attributes that are signed in its place, as they stand there.
    attributes: &'a [u8],
    /// The names of the algorithms of the digest among them, and of the signature.
    digest: &'a [u8],
    algorithm: &'a [u8],
    signature: &'a [u8],
    certificates: Vec<&'a [u8]>,
}

/// The second of Unix time at which an authority of the trusted root saw the signature.
///
/// # Errors
/// If there is none, or one is invalid.
pub(super) fn time(bundle: &Bundle, root: &TrustedRoot) -> Result<u64, String> {
    let mut why = "it has no timestamp".to_owned();
    for response in bundle.timestamps() {
        match of_response(response, bundle, root) {
            Ok(second) => return Ok(second),
            Err(what) => why = what,
        }
    }
    Err(why)
}

fn of_response(response: &[u8], bundle: &Bundle, root: &TrustedRoot) -> Result<u64, String> {
    let token = Token::read(response).ok_or("its timestamp cannot be read")?;
    let content = stated(token.statement).ok_or("its timestamp cannot be read")?;
    let (Content::Message { signature } | Content::Envelope { signature, .. }) =
        bundle.content()?;
    if hashed(content.algorithm, signature).is_none_or(|it| it.as_ref() != content.digest) {
        return Err("its timestamp is of another signature".to_owned());
    }
    if !token.is_of_statement() {
        return Err("its timestamp was changed after it was signed".to_owned());
    }
    let hash = match token.algorithm {
        ECDSA_SHA256 => Hash::Sha256,
        ECDSA_SHA384 => Hash::Sha384,
        ED25519 => Hash::Own,
        _ => return Err("its timestamp has a kind of signature that is not known here".to_owned()),
    };
    let signed = [&[SET], &token.attributes[1..]].concat();
    for key in root.timestamp_keys(&token.certificates, content.second)? {
        if key.verifies_by(hash, &signed, token.signature) {
            return Ok(content.second);
        }
    }
    Err("its timestamp is by no authority of the trusted root".to_owned())
}

impl<'a> Token<'a> {
    /// The token in a response that grants one.
    fn read(response: &'a [u8]) -> Option<Self> {
        let mut response = Values(Values(response).next_of(SEQUENCE)?.content);
        let mut status = Values(response.next_of(SEQUENCE)?.content);
        let ([0] | [1]) = status.next_of(INTEGER)?.content else { return None };
        let mut token = Values(response.next_of(SEQUENCE)?.content);
        require(token.next_of(OBJECT)?.content == SIGNED)?;
        let mut signed = Values(Values(token.next_of(FIRST)?.content).next_of(SEQUENCE)?.content);
        signed.next_of(INTEGER)?;
        signed.next_of(SET)?;
        let mut content = Values(signed.next_of(SEQUENCE)?.content);
        require(content.next_of(OBJECT)?.content == STATEMENT)?;
        let statement = Values(content.next_of(FIRST)?.content).next_of(OCTETS)?.content;
        let mut certificates = Vec::new();
        let signers = loop {
            let part = signed.next()?;
            match part.tag {
                FIRST => {
                    let mut all = Values(part.content);
                    while let Some(certificate) = all.next() {
                        certificates.push(certificate.whole);
                    }
                }
                SECOND => {}
                SET => break part.content,
                _ => return None,
            }
        };
        require(certificates.len() <= CERTIFICATES_MAX)?;
        let mut signers = Values(signers);
        let mut signer = Values(signers.next_of(SEQUENCE)?.content);
        require(signers.next().is_none())?;
        signer.next_of(INTEGER)?;
        // The claimed signer is not needed, because the key identifies it.
        signer.next()?;
        let digest = name(signer.next_of(SEQUENCE)?.content)?;
        let attributes = signer.next_of(FIRST)?.whole;
        let algorithm = name(signer.next_of(SEQUENCE)?.content)?;
        let signature = signer.next_of(OCTETS)?.content;
        Some(Self { statement, attributes, digest, algorithm, signature, certificates })
    }

    /// Whether the attributes that are signed are about the statement.
    fn is_of_statement(&self) -> bool {
        let Some(digest) = hashed(self.digest, self.statement) else { return false };
        let whole = Values(self.attributes).next();
        let mut all = Values(whole.map_or(&[][..], |it| it.content));
        let (mut kinds, mut digests) = (0, 0);
        while let Some(attribute) = all.next() {
            let mut parts = Values(attribute.content);
            let (Some(named), Some(values)) = (parts.next_of(OBJECT), parts.next_of(SET)) else {
                return false;
            };
            let value = Values(values.content).next().map_or(&[][..], |it| it.content);
            match named.content {
                KIND if value == STATEMENT => kinds += 1,
                DIGEST if value == digest.as_ref() => digests += 1,
                KIND | DIGEST => return false,
                _ => {}
            }
        }
        (kinds, digests) == (1, 1)
    }
}

/// The stated digest and Unix time.
struct Stated<'a> {
    algorithm: &'a [u8],
    digest: &'a [u8],
    second: u64,
}

fn stated(statement: &[u8]) -> Option<Stated<'_>> {
    let mut parts = Values(Values(statement).next_of(SEQUENCE)?.content);
    parts.next_of(INTEGER)?;
    parts.next_of(OBJECT)?;
    let mut imprint = Values(parts.next_of(SEQUENCE)?.content);
    let algorithm = name(imprint.next_of(SEQUENCE)?.content)?;
    let digest = imprint.next_of(OCTETS)?.content;
    parts.next_of(INTEGER)?;
    let second = second(parts.next_of(TIME)?.content)?;
    Some(Stated { algorithm, digest, second })
}

/// `YYYYMMDDHHMMSS`, parts of a second, and `Z`.
fn second(time: &[u8]) -> Option<u64> {
    let text = str::from_utf8(time).ok()?.strip_suffix('Z')?;
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    require(whole.len() == 14 && are_digits(whole) && are_digits(part))?;
    let at = |from: usize, to: usize| &whole[from..to];
    let written = format!(
        "{}-{}-{}T{}:{}:{}Z",
        at(0, 4),
        at(4, 6),
        at(6, 8),
        at(8, 10),
        at(10, 12),
        at(12, 14)
    );
    u64::try_from(written.parse::<jiff::Timestamp>().ok()?.as_second()).ok()
}

/// The name of an algorithm.
fn name(algorithm: &[u8]) -> Option<&[u8]> {
    Values(algorithm).next_of(OBJECT).map(|it| it.content)
}

fn hashed(algorithm: &[u8], bytes: &[u8]) -> Option<digest::Digest> {
    let by = match algorithm {
        SHA256 => &digest::SHA256,
        SHA384 => &digest::SHA384,
        SHA512 => &digest::SHA512,
        _ => return None,
    };
    Some(digest::digest(by, bytes))
}

fn require(so: bool) -> Option<()> {
    so.then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_time_to_the_second_only() {
        assert_eq!(second(b"20261127081500Z"), Some(1_795_767_300));
        assert_eq!(second(b"20261127081500.25Z"), Some(1_795_767_300));
        for wrong in ["20261127081500", "261127081500Z", "20261327081500Z", "20261127081500.Z", ""]
        {
            assert_eq!(second(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn rejects_invalid_timestamps() {
        for bytes in [&b""[..], b"\x30", b"\x30\x05\x30\x03\x02\x01\x02", b"\x30\x80\x00\x00"] {
            assert!(Token::read(bytes).is_none(), "{bytes:?}");
            assert!(stated(bytes).is_none(), "{bytes:?}");
        }
    }
}
