//! Random secrets that are shown once and stored as digests.

use std::io;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use store::{
    digest::{digest, hexadecimal},
    seal::random,
};
use subtle::ConstantTimeEq;

/// Bytes of the number of what a secret belongs to, and of its family.
const ID_BYTES: usize = 16;
/// Bytes of a secret: a number, a family, and what cannot be guessed.
const BYTES: usize = 2 * ID_BYTES + 32;

/// The kind of a secret, visible in its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Link,
    Session,
    Code,
    Access,
    Refresh,
}

impl Kind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Link => "mdg_link_",
            Self::Session => "mdg_session_",
            Self::Code => "mdg_code_",
            Self::Access => "mdg_access_",
            Self::Refresh => "mdg_refresh_",
        }
    }
}

/// A number that nothing has yet, in 32 hexadecimal digits.
pub(crate) fn number() -> io::Result<String> {
    Ok(hexadecimal(&random()?[..ID_BYTES]))
}

/// A secret as its holder has it.
pub(crate) struct Secret {
    pub(crate) text: String,
    /// Id of the account, client or grant.
    pub(crate) id: String,
    /// The digest of the part that all secrets of one family have.
    pub(crate) family: String,
    /// The digest of the whole.
    pub(crate) digest: String,
    bytes: [u8; BYTES],
}

impl Secret {
    /// Creates a random secret for the entry with this id.
    pub(crate) fn fresh(kind: Kind, id: &str) -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        for (to, digits) in bytes.iter_mut().zip(id.as_bytes().chunks(2).take(ID_BYTES)) {
            let digits = str::from_utf8(digits).unwrap_or_default();
            *to = u8::from_str_radix(digits, 16).unwrap_or_default();
        }
        bytes[ID_BYTES..2 * ID_BYTES].copy_from_slice(&random()?[..ID_BYTES]);
        bytes[2 * ID_BYTES..].copy_from_slice(&random()?);
        Ok(Self::from_bytes(kind, bytes))
    }

    /// The next one of the same family.
    pub(crate) fn next(&self, kind: Kind) -> io::Result<Self> {
        let mut bytes = self.bytes;
        bytes[2 * ID_BYTES..].copy_from_slice(&random()?);
        Ok(Self::from_bytes(kind, bytes))
    }

    /// Parses `text` as a secret of this kind.
    pub(crate) fn read(kind: Kind, text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(kind.prefix())?).ok()?;
        Some(Self::from_bytes(kind, bytes.try_into().ok()?))
    }

    fn from_bytes(kind: Kind, bytes: [u8; BYTES]) -> Self {
        let text = format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(bytes));
        Self {
            id: hexadecimal(&bytes[..ID_BYTES]),
            family: digest(&bytes[..2 * ID_BYTES]),
            digest: digest(text.as_bytes()),
            text,
            bytes,
        }
    }

    /// Whether that is its digest; how far both agree shows in no time.
    pub(crate) fn has(&self, digest: &str) -> bool {
        is_same(&self.digest, digest)
    }
}

/// Whether both are the same, in a time that does not say where they differ.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_secret_only_as_its_kind() {
        let id = number().unwrap();
        let one = Secret::fresh(Kind::Refresh, &id).unwrap();
        let read = Secret::read(Kind::Refresh, &one.text).unwrap();
        assert!(read.id == id && read.has(&one.digest) && read.family == one.family);
        assert!(Secret::read(Kind::Access, &one.text).is_none());
        assert!(Secret::read(Kind::Refresh, &one.text[..20]).is_none());
        let next = one.next(Kind::Refresh).unwrap();
        assert!(next.family == one.family && next.id == id && !next.has(&one.digest));
        assert_ne!(Secret::fresh(Kind::Refresh, &id).unwrap().family, one.family);
    }
}
