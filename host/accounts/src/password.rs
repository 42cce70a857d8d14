//! Passwords, stored as argon2 hashes (AUTH-3).

use std::io;

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};
use store::seal::random;
use tokio::sync::Semaphore;

/// Characters that a password has at least, and bytes that it has at most.
pub(crate) const CHARS_MIN: usize = 10;
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
pub(crate) fn is_right(password: &str, name: &str) -> bool {
    password.chars().count() >= CHARS_MIN
        && password.len() <= BYTES_MAX
        && !password.eq_ignore_ascii_case(name)
}

/// Hashes a password.
///
/// # Errors
/// Without randomness or a free thread.
pub(crate) async fn hash(password: String) -> io::Result<String> {
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
pub(crate) async fn fits(password: String, hash: Option<String>) -> bool {
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

    #[tokio::test]
    async fn abandoned_hash_keeps_its_slot() {
        let mut given_up = Box::pin(fits("a long password".to_owned(), None));
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
        let kept = hash("窓口で待つ人たちの列".to_owned()).await.unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(fits("窓口で待つ人たちの列".to_owned(), Some(kept.clone())).await);
        assert!(!fits("窓口で待つ人たちの".to_owned(), Some(kept)).await);
        assert!(!fits(String::new(), None).await);
        assert!(PasswordHash::new(NONE).is_ok());
        assert!(is_right("窓口で待つ人たちの列", "ann") && !is_right("short", "ann"));
        assert!(!is_right("Ann-Miller", "ann-miller"));
    }
}
