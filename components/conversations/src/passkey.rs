//! Passkeys: made at random, kept as argon2 hashes, and compared in constant time (CONV-83).

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};

use crate::ids;

/// How every passkey begins that is made here, so that people and scanners know one when they see it.
pub const PREFIX: &str = "mdp_";
/// Characters of a passkey.
pub const CHARS_MAX: usize = 200;

/// What our own hashes cost: 19 MiB, twice over, which is what OWASP recommends at least.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
/// The most memory that a hash may ask for: the instance has 64 MiB.
const MEMORY_KIB_MAX: u32 = 47_104;
/// The most work that a hash may ask for, memory times passes: a quarter of a second in the sandbox.
const WORK_KIB_MAX: u64 = 200_000;
/// The most lanes; they are filled one after the other.
const LANES_MAX: u32 = 4;
/// The fewest bytes of a hash that cannot be hit by chance.
const HASH_BYTES_MIN: usize = 16;
/// Characters of a hash.
const HASH_CHARS_MAX: usize = 300;

/// What is verified where there is no agent, so that asking costs as much as where there is one. It
/// is the hash of a passkey that does not exist.
const PLACEHOLDER: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$\
                       AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/// A passkey of 256 random bits.
pub fn fresh() -> String {
    format!("{PREFIX}{}", ids::secret())
}

/// What is stored of a passkey.
///
/// # Panics
/// Never: the parameters are ours.
pub fn hash(passkey: &str) -> String {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).expect("the parameters are in bounds");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = argon2.hash_password_with_salt(passkey.as_bytes(), &ids::random::<16>());
    hash.expect("a passkey is no longer than argon2 takes").to_string()
}

/// Whether the passkey is the one that was hashed. Where there is no hash it is not, which takes as
/// long to find out.
pub fn fits(passkey: &str, hash: Option<&str>) -> bool {
    let parsed = hash.filter(|it| problem(it).is_none()).and_then(|it| PasswordHash::new(it).ok());
    let Some(parsed) = parsed else {
        let placeholder = PasswordHash::new(PLACEHOLDER).ok();
        placeholder.map(|it| Argon2::default().verify_password(passkey.as_bytes(), &it));
        return false;
    };
    Argon2::default().verify_password(passkey.as_bytes(), &parsed).is_ok()
}

/// What keeps `hash` from being what a passkey is verified against; never says it back.
pub fn problem(hash: &str) -> Option<String> {
    if !hash.starts_with("$argon2id$") {
        return Some(
            "must be the hash of the passkey, $argon2id$…, and not the passkey itself: \
             `madoguchi passkey` makes one"
                .to_owned(),
        );
    }
    let whole = |hash: &PasswordHash| {
        hash.salt.is_some()
            && hash.hash.as_ref().is_some_and(|it| it.len() >= HASH_BYTES_MIN)
            && hash.version == Some(Version::V0x13.into())
    };
    let parsed = PasswordHash::new(hash).ok().filter(|_| hash.len() <= HASH_CHARS_MAX);
    let Some(parsed) = parsed.filter(whole) else {
        return Some("is no whole argon2id hash: `madoguchi passkey` makes one".to_owned());
    };
    let Ok(params) = Params::try_from(&parsed) else {
        return Some("has parameters that argon2 cannot work with".to_owned());
    };
    let work = u64::from(params.m_cost()) * u64::from(params.t_cost());
    if params.m_cost() > MEMORY_KIB_MAX || work > WORK_KIB_MAX || params.p_cost() > LANES_MAX {
        return Some(format!(
            "costs too much to verify: m is at most {MEMORY_KIB_MAX}, m × t at most {WORK_KIB_MAX}, \
             p at most {LANES_MAX}"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkey_fits_only_its_own_hash_which_does_not_show_it() {
        let passkey = fresh();
        assert_eq!(passkey.len(), PREFIX.len() + 64);
        let hash = hash(&passkey);
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(!hash.contains(&passkey[PREFIX.len()..]));
        assert!(fits(&passkey, Some(&hash)));
        assert!(!fits("open-sesame", Some(&hash)));
        assert!(!fits(&passkey, None));
        assert_eq!(problem(&hash), None);
        assert_eq!(problem(PLACEHOLDER), None, "else nobody would cost nothing");
    }

    #[test]
    fn what_is_no_hash_or_costs_too_much_is_told_and_not_said_back() {
        let tail = "$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
        assert_eq!(problem(&format!("$argon2id$v=19$m=8,t=1,p=1{tail}")), None);
        for (wrong, why) in [
            ("hunter42".to_owned(), "madoguchi passkey"),
            (format!("$argon2i$v=19$m=8,t=1,p=1{tail}"), "madoguchi passkey"),
            ("$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw".to_owned(), "no whole"),
            (format!("$argon2id$v=16$m=8,t=1,p=1{tail}"), "no whole"),
            (format!("$argon2id$m=8,t=1,p=1{tail}"), "no whole"),
            ("$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAw".to_owned(), "no whole"),
            (format!("$argon2id$v=19$m=1,t=1,p=1{tail}"), "cannot work"),
            (format!("$argon2id$v=19$m=47105,t=1,p=1{tail}"), "too much"),
            (format!("$argon2id$v=19$m=47104,t=5,p=1{tail}"), "too much"),
            (format!("$argon2id$v=19$m=19456,t=2,p=5{tail}"), "too much"),
        ] {
            let message = problem(&wrong).unwrap_or_default();
            assert!(message.contains(why) && !message.contains(&wrong), "{wrong}: {message}");
        }
    }
}
