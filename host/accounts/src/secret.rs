//! Random secrets that are shown once and stored as digests, and passwords, stored as argon2 hashes (AUTH-3).

use std::io;

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

use store::{
    digest::{digest, hexadecimal},
    seal::random,
};

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

/// Characters that a password has at least, and bytes that it has at most.
pub(crate) const PASSWORD_CHARS_MIN: usize = 10;
pub(crate) const BYTES_MAX: usize = 512;
/// Argon2 cost: 19 MiB and two passes, the minimum that OWASP recommends.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
/// Concurrent hash computations, including abandoned ones. It bounds their memory.
const AT_ONCE: usize = 2;

static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);

/// A hash of no password, verified for unknown accounts so that timing does not reveal them.
const NONE: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$\
                    AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

fn argon2() -> Result<Argon2<'static>, argon2::Error> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Whether a person may have that password.
pub(crate) fn is_right_password(password: &str, name: &str) -> bool {
    password.chars().count() >= PASSWORD_CHARS_MIN
        && password.len() <= BYTES_MAX
        && !password.eq_ignore_ascii_case(name)
}

/// Hashes a password.
///
/// # Errors
/// Without randomness or a free thread.
pub(crate) async fn hash_password(password: String) -> io::Result<String> {
    let place = PLACES.acquire().await.map_err(io::Error::other)?;
    let work = move || {
        let _place = place;
        let salt = &random()?[..16];
        let hash = argon2().map_err(|it| io::Error::other(it.to_string()))?;
        let hash = hash.hash_password_with_salt(password.as_bytes(), salt);
        hash.map(|it| it.to_string()).map_err(|it| io::Error::other(it.to_string()))
    };
    store::blocking(work).await
}

/// Whether the password is the one that was hashed; without a hash it is not, which takes as long to find out.
pub(crate) async fn password_fits(password: String, hash: Option<String>) -> bool {
    let Ok(place) = PLACES.acquire().await else { return false };
    let work = move || {
        let _place = place;
        let is_there = hash.is_some() && password.len() <= BYTES_MAX;
        let hash = hash.unwrap_or_else(|| NONE.to_owned());
        let fits = PasswordHash::new(&hash)
            .is_ok_and(|it| Argon2::default().verify_password(password.as_bytes(), &it).is_ok());
        Ok::<_, io::Error>(fits && is_there)
    };
    store::blocking(work).await.unwrap_or(false)
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

    #[tokio::test]
    async fn abandoned_hash_keeps_its_slot() {
        let mut given_up = Box::pin(password_fits("a long password".to_owned(), None));
        tokio::select! {
            biased;
            _ = &mut given_up => panic!("it takes a while"),
            () = std::future::ready(()) => {}
        }
        drop(given_up);
        assert!(PLACES.available_permits() < AT_ONCE);
    }

    #[tokio::test]
    async fn password_matches_only_its_hash() {
        let kept = hash_password("窓口で待つ人たちの列".to_owned()).await.unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(password_fits("窓口で待つ人たちの列".to_owned(), Some(kept.clone())).await);
        assert!(!password_fits("窓口で待つ人たちの".to_owned(), Some(kept)).await);
        assert!(!password_fits(String::new(), None).await);
        assert!(PasswordHash::new(NONE).is_ok());
        assert!(
            is_right_password("窓口で待つ人たちの列", "ann") && !is_right_password("short", "ann")
        );
        assert!(!is_right_password("Ann-Miller", "ann-miller"));
    }
}
