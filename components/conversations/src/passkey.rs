//! Passkeys, stored as argon2 hashes and compared in constant time, and the count of wrong ones (CONV-83).

use argon2::{Algorithm, Argon2, Params, PasswordHash, PasswordHasher, PasswordVerifier, Version};
use serde::Deserialize;
use toolkit::{
    Stop, caller,
    sql::{self, Error, Rows, Statement},
};

use crate::{clock::Moment, ids, person, refusals};

/// Prefix of generated passkeys, so that people and scanners recognize them.
const PREFIX: &str = "mdp_";
/// Maximum number of characters of a passkey.
pub const CHARS_MAX: usize = 200;

/// Memory for our own hashes: 19 MiB and two passes are the minimum that OWASP recommends.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
/// Maximum memory of a hash: the instance has 64 MiB.
const MEMORY_KIB_MAX: u32 = 47_104;
/// Maximum work of a hash, memory times passes: a quarter of a second in the sandbox.
const WORK_KIB_MAX: u64 = 200_000;
/// Maximum argon2 parallelism; lanes are filled one after the other.
const LANES_MAX: u32 = 4;
/// Minimum size of a hash that cannot be guessed, in bytes.
const HASH_BYTES_MIN: usize = 16;
/// Maximum number of characters of a hash.
const HASH_CHARS_MAX: usize = 300;

/// The hash verified for unknown agents, so that timing does not show which agents exist. No passkey has it.
const PLACEHOLDER: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$\
                       AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

/// Generates a passkey of 256 random bits.
pub fn fresh() -> String {
    format!("{PREFIX}{}", ids::secret())
}

/// Returns the hash to store for a passkey.
///
/// # Panics
/// Never: the parameters are ours.
pub fn hash(passkey: &str) -> String {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).expect("the parameters are in bounds");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = argon2.hash_password_with_salt(passkey.as_bytes(), &ids::random::<16>());
    hash.expect("a passkey is no longer than argon2 takes").to_string()
}

/// Whether the passkey matches the hash. Without a hash it takes as long and is false.
pub fn fits(passkey: &str, hash: Option<&str>) -> bool {
    let parsed = hash.filter(|it| problem(it).is_none()).and_then(|it| PasswordHash::new(it).ok());
    let Some(parsed) = parsed else {
        let placeholder = PasswordHash::new(PLACEHOLDER).ok();
        placeholder.map(|it| Argon2::default().verify_password(passkey.as_bytes(), &it));
        return false;
    };
    Argon2::default().verify_password(passkey.as_bytes(), &parsed).is_ok()
}

/// Returns why `hash` cannot be used, without repeating it.
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

// Counts wrong passkeys, so that guessing takes too long (CONV-83).
//
// Ten wrong passkeys of a named caller lock that caller out from the agent. Callers without a name, and all callers
// together, are only slowed down, so that none of them can lock out the others.

/// Maximum number of wrong passkeys of one caller for one agent.
pub const TRIES_MAX: u32 = 10;
/// The window for wrong passkeys, in seconds.
pub const TRIES_WITHIN_S: u32 = 300;
/// Number of wrong passkeys of all callers for one agent before they are slowed down.
const TOGETHER_MAX: u32 = 50;
/// Maximum number of tries at unknown agents, of all callers, that compute a hash.
const UNKNOWN_MAX: u32 = 10;
/// Interval between tries that are slowed down, in seconds.
const PACE_S: u32 = 10;
/// Maximum number of rows for tries at unknown agents.
const UNKNOWN_ROWS_MAX: u32 = 10_000;
/// Stands for all unknown agents.
const NO_AGENT: &str = "";

/// The tries at one agent.
#[derive(Deserialize)]
struct Tries {
    count: u32,
    first_at: String,
    last_at: Option<String>,
    is_own: bool,
}

/// Selects the tries at an agent: those of the caller, and those of all callers.
pub fn tries(agent_id: &str) -> Statement {
    toolkit::sql!(
        "SELECT count, first_at, last_at, 1 AS is_own FROM callers_tries \
         WHERE agent_id = $1 AND caller = $2 UNION ALL \
         SELECT count, first_at, last_at, 0 AS is_own FROM failed_tries WHERE agent_id = $1",
        agent_id,
        caller::principal(),
    )
}

/// Refuses where too many tries have failed.
///
/// # Errors
/// `too_many_attempts` (429), with the seconds left to wait.
pub fn tries_must_be_few(found: Rows, now: Moment) -> Result<(), Stop> {
    let is_named = caller_by_name().is_some();
    let tries = found.read::<Tries>()?;
    let until = tries.iter().filter_map(|it| it.until(is_named)).max().filter(|it| *it > now);
    let Some(until) = until else { return Ok(()) };
    let left_s = (until.ms() - now.ms() + 999) / 1_000;
    Err(refusals::too_many_attempts(u32::try_from(left_s).unwrap_or(TRIES_WITHIN_S)))
}

impl Tries {
    /// Returns until when tries are refused.
    fn until(&self, is_named: bool) -> Option<Moment> {
        let most = if self.is_own { TRIES_MAX } else { TOGETHER_MAX };
        if self.count < most {
            return None;
        }
        let end = Moment::read(&self.first_at)?.after(TRIES_WITHIN_S);
        if self.is_own && is_named {
            return Some(end);
        }
        let next = Moment::read(self.last_at.as_ref()?)?.after(PACE_S);
        Some(next.min(end))
    }
}

/// Returns the caller's name, unless all callers share it.
pub fn caller_by_name() -> Option<String> {
    Some(caller::principal()).filter(|it| !person::is_anonymous(it))
}

/// Counts a try at an unknown agent. Returns whether it may compute a hash, to take as long as any other.
///
/// # Errors
/// When the database fails.
pub fn is_worth_a_hash(now: Moment) -> Result<bool, Error> {
    let one_more = toolkit::sql!(
        "INSERT INTO failed_tries (agent_id, count, first_at, last_at) SELECT $1, 1, $2, $2 WHERE TRUE \
         ON CONFLICT (agent_id) DO UPDATE SET count = failed_tries.count + 1, last_at = $2 \
         WHERE failed_tries.count < $3 OR failed_tries.last_at <= $4",
        NO_AGENT,
        now.stored(),
        UNKNOWN_MAX,
        now.before(PACE_S).stored(),
    );
    let [callers, all] = over(now);
    let [_, _, counted] = sql::transact([callers, all, one_more])?;
    Ok(counted.changes > 0)
}

/// Counts a failed try, also at an agent that does not exist, so that answers do not show which do.
///
/// # Errors
/// When the database fails.
pub fn count_try(agent_id: &str, is_there: bool, now: Moment) -> Result<(), Error> {
    let own = toolkit::sql!(
        "INSERT INTO callers_tries (agent_id, caller, count, first_at, last_at) \
         SELECT $1, $2, 1, $3, $3 WHERE $4 <> 0 OR (SELECT COUNT(*) FROM callers_tries) < $5 \
         ON CONFLICT (agent_id, caller) \
         DO UPDATE SET count = callers_tries.count + 1, last_at = $3",
        agent_id,
        caller::principal(),
        now.stored(),
        is_there,
        UNKNOWN_ROWS_MAX,
    );
    let together = toolkit::sql!(
        "INSERT INTO failed_tries (agent_id, count, first_at, last_at) \
         SELECT $1, 1, $2, $2 WHERE $3 <> 0 OR (SELECT COUNT(*) FROM failed_tries) < $4 \
         ON CONFLICT (agent_id) DO UPDATE SET count = failed_tries.count + 1, last_at = $2",
        agent_id,
        now.stored(),
        is_there,
        UNKNOWN_ROWS_MAX,
    );
    let [callers, all] = over(now);
    sql::transact([callers, all, own, together]).map(|_| ())
}

/// Deletes the tries at an agent, so that they do not count against its new passkey.
pub fn forget_tries(agent_id: &str) -> [Statement; 2] {
    ["callers_tries", "failed_tries"]
        .map(|it| toolkit::sql!(format!("DELETE FROM {it} WHERE agent_id = $1"), agent_id))
}

/// Deletes old tries.
fn over(now: Moment) -> [Statement; 2] {
    let before = now.before(TRIES_WITHIN_S).stored();
    ["callers_tries", "failed_tries"]
        .map(|it| toolkit::sql!(format!("DELETE FROM {it} WHERE first_at <= $1"), &before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkey_matches_only_its_hash_which_does_not_show_it() {
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
    fn refuses_invalid_or_costly_hash_without_repeating_it() {
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
