//! Records every use of a capability in a call, and replays it later.

use std::sync::Arc;

use parking_lot::Mutex;
use rand::{SeedableRng, rngs::StdRng};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::sync::Notify;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

/// Bytes that one record may have, as JSON.
pub const BYTES_MAX: usize = 16 << 20;
/// Replacement of a secret.
pub const REDACTED: &str = "(redacted)";
/// Bytes below which a secret is nowhere looked for: a text so short stands in many others.
const SECRET_BYTES_MIN: usize = 4;
/// Minimum length of a single word of a secret that is masked, in bytes.
const WORD_BYTES_MIN: usize = 8;
/// Name parts of secret headers and settings.
const SECRETS: [&str; 7] =
    ["authorization", "cookie", "key", "passw", "secret", "token", "credential"];

/// One use of a capability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Use {
    /// The capability and its function: `sql.query`.
    #[serde(rename = "use")]
    pub name: String,
    #[serde(default)]
    pub with: Value,
    #[serde(default)]
    pub gives: Value,
}

/// The first use in which a call differs from its record.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Number of the use, from 1.
    pub number: usize,
    /// Recorded name and arguments. `None` past the end of the record.
    pub expected: Option<(String, Value)>,
    /// Actual name and arguments. `None` at the end of the call.
    pub actual: Option<(String, Value)>,
}

/// The record of one call, being made or replayed.
pub struct Recording {
    tape: Mutex<Tape>,
    /// Seed of random numbers.
    pub seed: [u8; 32],
    is_replay: bool,
    differed: Notify,
}

#[derive(Default)]
struct Tape {
    uses: Vec<Use>,
    /// The next use that is given back.
    next: usize,
    bytes: usize,
    secrets: Vec<String>,
    difference: Option<Difference>,
}

/// One use in progress.
pub struct Taped(Option<(Arc<Recording>, Turn)>);

enum Turn {
    /// Its answer is kept at that place.
    Keeps(usize),
    /// Answered from this position.
    Gives(usize),
    Differs,
}

impl Recording {
    /// A new record.
    pub fn new() -> Arc<Self> {
        Self::with_uses(Vec::new(), rand::random(), false)
    }

    /// Replays `uses`.
    pub fn replay(uses: Vec<Use>, seed: [u8; 32]) -> Arc<Self> {
        Self::with_uses(uses, seed, true)
    }

    fn with_uses(uses: Vec<Use>, seed: [u8; 32], is_replay: bool) -> Arc<Self> {
        let tape = Mutex::new(Tape { uses, ..Tape::default() });
        Arc::new(Self { tape, seed, is_replay, differed: Notify::new() })
    }

    /// The uses in order, and secrets to redact. `None` if the record is too large.
    pub fn kept(&self) -> Option<(Vec<Use>, Vec<String>)> {
        let tape = self.tape.lock();
        (tape.bytes <= BYTES_MAX).then(|| (tape.uses.clone(), tape.secrets.clone()))
    }

    /// In what the call, which has ended, differs from its record.
    pub fn difference(&self) -> Option<Difference> {
        let tape = self.tape.lock();
        tape.difference.clone().or_else(|| {
            let left = tape.uses.get(tape.next).filter(|_| self.is_replay)?;
            let expected = Some((left.name.clone(), left.with.clone()));
            Some(Difference { number: tape.next + 1, expected, actual: None })
        })
    }

    /// Ends as soon as the call differs from its record.
    pub async fn differed(&self) {
        self.differed.notified().await;
    }

    /// The next use of the call.
    pub fn take(self: &Arc<Self>, name: &str, with: Value) -> Taped {
        let mut tape = self.tape.lock();
        let turn = match self.is_replay {
            false => {
                let gives = Value::Null;
                tape.bytes += with.to_string().len();
                if tape.bytes <= BYTES_MAX {
                    tape.uses.push(Use { name: name.to_owned(), with, gives });
                }
                Turn::Keeps(tape.uses.len().saturating_sub(1))
            }
            true => {
                let (with, next) = (as_read(&with), tape.next);
                let is_same =
                    tape.uses.get(next).is_some_and(|it| it.name == name && has(&it.with, &with));
                if is_same {
                    tape.next += 1;
                    Turn::Gives(next)
                } else {
                    self.note(&mut tape, next, name, with);
                    Turn::Differs
                }
            }
        };
        Taped(Some((self.clone(), turn)))
    }

    fn note(&self, tape: &mut Tape, at: usize, name: &str, with: Value) {
        if tape.difference.is_none() {
            let expected = tape.uses.get(at).map(|it| (it.name.clone(), it.with.clone()));
            let actual = Some((name.to_owned(), with));
            tape.difference = Some(Difference { number: at + 1, expected, actual });
        }
        self.differed.notify_one();
    }

    /// `value` of the header or the setting `name`, as it may stand in a record.
    pub fn shown(&self, name: &str, value: &str) -> String {
        if !is_secret(name) {
            return value.to_owned();
        }
        // A setting is JSON: what a component makes of it has no quotes.
        let plain = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
        let mut tape = self.tape.lock();
        // `Bearer WORD`: the word is the secret, wherever it stands.
        let words = plain.split_whitespace().filter(|it| it.len() >= WORD_BYTES_MIN);
        tape.secrets.extend(words.map(str::to_owned));
        if plain.len() >= SECRET_BYTES_MIN {
            tape.secrets.push(plain);
        }
        REDACTED.to_owned()
    }

    fn now<T: Serialize + DeserializeOwned>(
        self: &Arc<Self>,
        name: &str,
        now: impl Fn() -> T,
    ) -> T {
        let taped = self.take(name, Value::Null);
        taped.given_now().unwrap_or_else(|| taped.keep(now()))
    }
}

/// Whether a name counts as secret.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRETS.iter().any(|it| name.contains(it))
}

/// Normalizes `value` as if read from a file, where numbers are what their digits say.
pub fn as_read(value: &Value) -> Value {
    serde_json::from_str(&value.to_string()).unwrap_or_default()
}

/// Whether `recorded` matches. Incomplete objects are compared as far as they go.
fn has(recorded: &Value, actual: &Value) -> bool {
    match (recorded, actual) {
        (Value::Object(recorded), Value::Object(actual)) => {
            actual.iter().all(|(key, it)| recorded.get(key) == Some(it))
        }
        _ => recorded == actual,
    }
}

impl Taped {
    /// A use that is neither kept nor given back.
    pub const NOT: Self = Self(None);

    /// Adds an argument after the use has started.
    pub fn add(&self, key: &str, value: Value) {
        let Some((recording, turn)) = &self.0 else { return };
        let mut tape = recording.tape.lock();
        match turn {
            Turn::Keeps(at) => {
                tape.bytes += value.to_string().len();
                if let Some(recorded) =
                    tape.uses.get_mut(*at).filter(|recorded| recorded.with.is_object())
                {
                    recorded.with[key] = value;
                }
            }
            Turn::Gives(at) if tape.uses[*at].with.get(key) != Some(&value) => {
                let name = tape.uses[*at].name.clone();
                recording.note(&mut tape, *at, &name, json!({ key: value }));
            }
            _ => {}
        }
    }

    /// The recorded answer, or `None` while recording. Never returns if the call differs from its record.
    pub async fn given<T: DeserializeOwned>(&self) -> Option<T> {
        let (recording, turn) = self.0.as_ref()?;
        if let Some(given) = self.given_now() {
            return Some(given);
        }
        match turn {
            Turn::Keeps(_) => None,
            _ => {
                recording.differed.notify_one();
                std::future::pending().await
            }
        }
    }

    /// The recorded answer, where waiting is impossible.
    fn given_now<T: DeserializeOwned>(&self) -> Option<T> {
        let (recording, Turn::Gives(at)) = self.0.as_ref()? else { return None };
        let mut tape = recording.tape.lock();
        if tape.difference.is_some() {
            return None;
        }
        let given = serde_json::from_value(tape.uses[*at].gives.clone());
        if given.is_err() {
            // A hand-written answer of another type.
            let recorded = tape.uses[*at].clone();
            recording.note(&mut tape, *at, &recorded.name, recorded.with);
        }
        given.ok()
    }

    /// Keeps `answer`, where a record is made, as it may be shown.
    pub fn keep_as<T>(&self, answer: T, shown: impl FnOnce(&Recording, &T) -> Value) -> T {
        if let Some((recording, Turn::Keeps(at))) = &self.0 {
            let shown = shown(recording, &answer);
            let mut tape = recording.tape.lock();
            tape.bytes += shown.to_string().len();
            if tape.bytes <= BYTES_MAX
                && let Some(recorded) = tape.uses.get_mut(*at)
            {
                recorded.gives = shown;
            }
        }
        answer
    }

    /// Keeps `answer`, where a record is made.
    pub fn keep<T: Serialize>(&self, answer: T) -> T {
        self.keep_as(answer, |_, it| serde_json::to_value(it).unwrap_or_default())
    }
}

/// The clocks of a call that is recorded or replayed.
pub(super) struct Clocks<T>(pub(super) Arc<Recording>, pub(super) T);

impl<T: HostWallClock> HostWallClock for Clocks<T> {
    fn resolution(&self) -> std::time::Duration {
        self.1.resolution()
    }

    fn now(&self) -> std::time::Duration {
        self.0.now("clock.now", || self.1.now())
    }
}

impl HostMonotonicClock for Clocks<std::time::Instant> {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        let since = || u64::try_from(self.1.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.0.now("clock.monotonic", since)
    }
}

impl Recording {
    /// Random numbers, the same for one seed; `insecure` ones are others.
    pub(super) fn random(&self, is_insecure: bool) -> StdRng {
        let mut seed = self.seed;
        seed[0] ^= u8::from(is_insecure);
        StdRng::from_seed(seed)
    }
}

/// An answer that may be an error, as a record has it.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept<T>(Result<T, (String, String)>);

/// An error that has a kind and a text.
pub(super) trait ErrorParts {
    fn kind_and_text(&self) -> (&'static str, &str);
    fn read(kind: &str, text: String) -> Self;
}

impl<T: Serialize> Kept<T> {
    /// A recorded form of `answer`, with `kept` applied to its value.
    pub(super) fn recorded<A, E: ErrorParts>(
        answer: &Result<A, E>,
        kept: impl FnOnce(&A) -> T,
    ) -> Value {
        let failed = |error: &E| {
            let (kind, text) = error.kind_and_text();
            (kind.to_owned(), text.to_owned())
        };
        let kept = Self(answer.as_ref().map(kept).map_err(failed));
        serde_json::to_value(kept).unwrap_or_default()
    }
}

impl<T> Kept<T> {
    /// The answer again.
    pub(super) fn map<A, E: ErrorParts>(self, read: impl FnOnce(T) -> A) -> Result<A, E> {
        self.0.map(read).map_err(|(kind, text)| E::read(&kind, text))
    }
}

/// Bytes as a record has them: text, or base64 where they are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Bytes {
    Text(String),
    Binary { base64: String },
}

impl Bytes {
    pub(super) fn encode(bytes: &[u8]) -> Self {
        use base64::{Engine, prelude::BASE64_STANDARD};
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Binary { base64: BASE64_STANDARD.encode(bytes) },
        }
    }

    pub(super) fn value(bytes: &[u8]) -> Value {
        serde_json::to_value(Self::encode(bytes)).unwrap_or_default()
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        use base64::{Engine, prelude::BASE64_STANDARD};
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Binary { base64 } => BASE64_STANDARD.decode(base64).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(recording: &Arc<Recording>) -> Vec<Use> {
        recording.kept().unwrap().0
    }

    #[tokio::test]
    async fn replays_recorded_uses_in_order() {
        let recording = Recording::new();
        for (with, gives) in [("a", 1), ("b", 2)] {
            let taped = recording.take("sql.query", json!([with]));
            assert_eq!(taped.given::<u32>().await, None, "the world answers");
            assert_eq!(taped.keep(gives), gives);
        }
        let replay = Recording::replay(kept(&recording), recording.seed);
        let taped = replay.take("sql.query", json!(["a"]));
        assert_eq!(taped.given::<u32>().await, Some(1));
        let left = replay.difference().unwrap();
        assert_eq!((left.number, left.actual), (2, None), "the second one was not made");
        assert_eq!(replay.take("sql.query", json!(["b"])).given::<u32>().await, Some(2));
        assert_eq!(replay.difference(), None);
    }

    #[tokio::test]
    async fn names_differing_use_and_never_answers_it() {
        let uses = vec![Use { name: "sql.query".into(), with: json!(["a"]), gives: json!(1) }];
        let replay = Recording::replay(uses, [0; 32]);
        let taped = replay.take("sql.query", json!(["b"]));
        tokio::select! {
            _ = taped.given::<u32>() => panic!("it has an answer"),
            () = replay.differed() => {}
        }
        let found = replay.difference().unwrap();
        assert_eq!(found.number, 1);
        assert_eq!(found.expected, Some(("sql.query".to_owned(), json!(["a"]))));
        assert_eq!(found.actual, Some(("sql.query".to_owned(), json!(["b"]))));
    }

    #[tokio::test]
    async fn compares_later_parts_of_a_use() {
        let recording = Recording::new();
        let taped = recording.take("http.send", json!({ "url": "u" }));
        taped.add("body", json!("one"));
        taped.keep(7);
        let replay = || Recording::replay(kept(&recording), [0; 32]);
        let same = replay();
        let taped = same.take("http.send", json!({ "url": "u" }));
        taped.add("body", json!("one"));
        assert_eq!(taped.given::<u32>().await, Some(7));
        let other = replay();
        other.take("http.send", json!({ "url": "u" })).add("body", json!("two"));
        assert_eq!(other.difference().unwrap().number, 1);
    }

    #[test]
    fn drops_oversized_record() {
        let recording = Recording::new();
        for _ in 0..3 {
            recording.take("blobs.put", json!("x".repeat(BYTES_MAX / 2)));
        }
        assert_eq!(recording.kept(), None);
    }

    #[test]
    fn redacts_and_remembers_secrets_by_name() {
        let recording = Recording::new();
        assert_eq!(recording.shown("timezone", "\"Asia/Tokyo\""), "\"Asia/Tokyo\"");
        for name in ["Authorization", "set-cookie", "api_key", "password"] {
            assert_eq!(recording.shown(name, "\"s3cret\""), REDACTED);
        }
        assert!(recording.kept().unwrap().1.iter().all(|it| it == "s3cret"));
    }

    #[test]
    fn bytes_round_trip_as_text_or_base64() {
        for bytes in [&b"text"[..], &[0xff, 0, 7]] {
            let value = Bytes::value(bytes);
            let back: Bytes = serde_json::from_value(value).unwrap();
            assert_eq!(back.into_bytes(), bytes);
        }
    }
}
