//! A request as stored in a file: its head in lines, an empty line, its body.

use std::{
    fmt::{self, Debug},
    fs,
    path::PathBuf,
};

use proptest::{
    prelude::*,
    sample::Index,
    test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner},
};
use tests::root;
use tokio::runtime::{Builder, Runtime};

use crate::{
    corpus,
    exchange::{Pair, resident_bytes},
    grammar,
};

/// Placeholder for the id of an open session of the server.
pub(crate) const SESSION: &str = "@SESSION@";
/// Placeholder for a state that the server issued with a question of `greet`.
pub(crate) const STATE: &str = "@STATE@";

/// A valid or invalid request.
#[derive(Clone, PartialEq)]
pub(crate) struct Request(pub(crate) Vec<u8>);

impl Request {
    /// A request of these parts.
    pub(crate) fn of(
        line: &str,
        headers: &[(impl AsRef<str>, impl AsRef<str>)],
        body: &str,
    ) -> Self {
        let mut text = format!("{line}\n");
        for (name, value) in headers {
            text += &format!("{}: {}\n", name.as_ref(), value.as_ref());
        }
        Self((text + "\n" + body).into_bytes())
    }

    /// Whether it names `placeholder`.
    pub(crate) fn names(&self, placeholder: &str) -> bool {
        self.0.windows(placeholder.len()).any(|it| it == placeholder.as_bytes())
    }

    /// Replaces a placeholder.
    pub(crate) fn with(&self, placeholder: &str, value: &str) -> Self {
        let (mut out, mut rest) = (Vec::new(), &self.0[..]);
        while let Some(at) =
            rest.windows(placeholder.len()).position(|it| it == placeholder.as_bytes())
        {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(value.as_bytes());
            rest = &rest[at + placeholder.len()..];
        }
        out.extend_from_slice(rest);
        Self(out)
    }

    /// Replaces a placeholder in the head only: in a body, ids of different servers could parse differently.
    pub(crate) fn with_in_head(&self, placeholder: &str, value: &str) -> Self {
        let mut head = Self(self.head().to_vec()).with(placeholder, value);
        head.0.extend_from_slice(&self.0[self.head().len()..]);
        head
    }

    fn head(&self) -> &[u8] {
        let end = self.0.windows(2).position(|it| it == b"\n\n");
        &self.0[..end.unwrap_or(self.0.len())]
    }

    fn body(&self) -> &[u8] {
        self.0.get(self.head().len() + 2..).unwrap_or_default()
    }

    /// Its method, where it has one.
    pub(crate) fn method(&self) -> &[u8] {
        self.head().split(|it| *it == b' ').next().unwrap_or_default()
    }

    /// Its path, where it has one.
    pub(crate) fn path(&self) -> String {
        let path = self.head().split(|it| it.is_ascii_whitespace()).nth(1).unwrap_or_default();
        String::from_utf8_lossy(path).into_owned()
    }

    fn has(&self, header: &str) -> bool {
        self.head().split(|it| *it == b'\n').skip(1).any(|line| {
            let name = line.split(|it| *it == b':').next().unwrap_or_default();
            name.trim_ascii().eq_ignore_ascii_case(header.as_bytes())
        })
    }

    /// Whether it has a length of its own, which may be wrong.
    pub(crate) fn has_own_length(&self) -> bool {
        self.has("content-length") || self.has("transfer-encoding")
    }

    /// The bytes on the wire, with default host and length.
    pub(crate) fn wire(&self, host: &str) -> Vec<u8> {
        let mut wire = Vec::with_capacity(self.0.len() + 128);
        for line in self.head().split(|it| *it == b'\n') {
            wire.extend_from_slice(line);
            wire.extend_from_slice(b"\r\n");
        }
        if !self.has("host") {
            wire.extend_from_slice(format!("host: {host}\r\n").as_bytes());
        }
        if !self.has_own_length() {
            let length = self.body().len();
            wire.extend_from_slice(format!("content-length: {length}\r\n").as_bytes());
        }
        wire.extend_from_slice(b"\r\n");
        wire.extend_from_slice(self.body());
        wire
    }
}

impl Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.0.len().min(4096);
        write!(f, "{}", self.0[..most].escape_ascii())
    }
}

// Fuzzes HTTP: bytes, generated messages, and earlier findings.

/// Number of cases of each kind in an ordinary run.
const CASES: u32 = 160;
/// The seed of ordinary runs, so that failures are reproducible.
const SEED: u64 = 0x6d61_646f;
/// Number of cases after which a long run checks memory and leftovers.
const LOOK_AFTER: u32 = 20_000;

/// Time limit of shrinking, since hanging cases take long.
const SHRINKS_FOR_MS: u32 = 60_000;

/// The number of cases from the environment, if set.
pub(crate) fn case_count() -> Option<u32> {
    std::env::var("MADOGUCHI_FUZZ_CASES").ok()?.parse().ok()
}

pub(crate) fn runner(cases: u32) -> TestRunner {
    let seed = if case_count().is_some() { RngSeed::Random } else { RngSeed::Fixed(SEED) };
    let config = Config {
        cases,
        max_shrink_iters: 600,
        max_shrink_time: SHRINKS_FOR_MS,
        failure_persistence: None,
        rng_seed: seed,
        ..Config::default()
    };
    TestRunner::new(config)
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Saves a failing case and panics.
pub(crate) fn found<T: Debug>(error: TestError<T>, bytes: impl FnOnce(&T) -> Vec<u8>) -> ! {
    let TestError::Fail(why, case) = error else { panic!("{error}") };
    let folder = root().join("target/fuzz");
    fs::create_dir_all(&folder).unwrap();
    let bytes = bytes(&case);
    let file = folder.join(format!("{}.case", &host::digest::digest(&bytes)[..12]));
    fs::write(&file, bytes).unwrap();
    panic!("{why}\n{case:?}\nkept in {}", file.display());
}

/// Runs `cases` in portions, after each of which both servers must be idle.
fn fuzz(what: &str, strategy: impl Strategy<Value = Request>) {
    let runtime = runtime();
    let pair = runtime.block_on(Pair::start());
    let mut left = case_count().unwrap_or(CASES);
    let asked = left;
    let say = |left: u32| {
        let bytes = resident_bytes().unwrap_or_default() >> 20;
        if case_count().is_some() {
            eprintln!("{what}: {} cases, {bytes} MiB", asked - left);
        }
    };
    say(left);
    while left > 0 {
        let portion = left.min(LOOK_AFTER);
        let all = runner(portion).run(&strategy, |request| {
            runtime.block_on(pair.check(&request)).map_err(TestCaseError::fail)
        });
        all.unwrap_or_else(|error| found(error, |it| it.0.clone()));
        runtime.block_on(pair.is_idle()).unwrap();
        left -= portion;
        say(left);
    }
}

#[test]
fn arbitrary_bytes_are_answered_alike_on_both_paths() {
    fuzz("bytes", corpus::request());
}

#[test]
fn protocol_terms_are_answered_alike_on_both_paths() {
    fuzz("grammar", grammar::request());
}

#[test]
fn valid_requests_succeed_and_leave_nothing_behind() {
    let runtime = runtime();
    let pair = runtime.block_on(Pair::start());
    for request in corpus::requests() {
        runtime.block_on(pair.check(&request)).unwrap_or_else(|why| panic!("{why}\n{request:?}"));
    }
    runtime.block_on(pair.is_idle()).unwrap();
}

fn folder() -> PathBuf {
    root().join("tests/fuzz/found")
}

/// The files in `found/` that end like this, by name.
pub(crate) fn found_files(ending: &str) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(folder()).unwrap().map(|it| it.unwrap().path());
    let mut kept: Vec<_> = files
        .filter(|it| it.extension().is_some_and(|it| it == ending))
        .map(|it| (it.file_name().unwrap().to_string_lossy().into_owned(), fs::read(it).unwrap()))
        .collect();
    kept.sort();
    assert!(!kept.is_empty(), "found/ has no file that ends in .{ending}");
    kept
}

#[test]
fn earlier_http_findings_stay_fixed() {
    let runtime = runtime();
    let pair = runtime.block_on(Pair::start());
    for (name, bytes) in found_files("http") {
        let request = Request(bytes);
        runtime.block_on(pair.check(&request)).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    runtime.block_on(pair.is_idle()).unwrap();
}

// JSON as text that may be invalid: duplicate keys, malformed numbers, deep nesting.

/// A JSON value that may have duplicate names.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    /// Verbatim text.
    Raw(String),
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
}

/// A change of one entry of one object.
#[derive(Clone, Debug)]
pub(crate) enum Twist {
    Remove,
    Double,
    Rename(&'static str),
    Replace(String),
    Add(&'static str, String),
}

/// An object of these entries.
pub(crate) fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
    Json::Object(entries.into_iter().map(|(name, it)| (name.to_owned(), it)).collect())
}

/// Text as it stands.
pub(crate) fn raw(text: impl Into<String>) -> Json {
    Json::Raw(text.into())
}

/// A value that is a string.
pub(crate) fn string(text: &str) -> Json {
    Json::Raw(serde_json::Value::from(text).to_string())
}

impl Json {
    /// Serializes it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Raw(text) => text.clone(),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(Self::text).collect();
                format!("[{}]", items.join(","))
            }
            Self::Object(entries) => {
                let entry = |(name, value): &(String, Self)| {
                    format!("{}:{}", serde_json::Value::from(&**name), value.text())
                };
                let entries: Vec<_> = entries.iter().map(entry).collect();
                format!("{{{}}}", entries.join(","))
            }
        }
    }

    fn objects(&mut self) -> usize {
        match self {
            Self::Raw(_) => 0,
            Self::Array(items) => items.iter_mut().map(Self::objects).sum(),
            Self::Object(entries) => {
                1 + entries.iter_mut().map(|(_, it)| it.objects()).sum::<usize>()
            }
        }
    }

    fn entries(&mut self, nth: &mut usize) -> Option<&mut Vec<(String, Self)>> {
        match self {
            Self::Raw(_) => None,
            Self::Array(items) => items.iter_mut().find_map(|it| it.entries(nth)),
            Self::Object(entries) => {
                if *nth == 0 {
                    return Some(entries);
                }
                *nth -= 1;
                entries.iter_mut().find_map(|(_, it)| it.entries(nth))
            }
        }
    }

    /// Changes one entry of one of its objects.
    pub(crate) fn twist(&mut self, object: Index, entry: Index, twist: &Twist) {
        let objects = self.objects();
        if objects == 0 {
            return;
        }
        let mut nth = object.index(objects);
        let Some(entries) = self.entries(&mut nth) else { return };
        if let Twist::Add(name, value) = twist {
            entries.push(((*name).to_owned(), raw(value.clone())));
        }
        if entries.is_empty() {
            return;
        }
        let at = entry.index(entries.len());
        match twist {
            Twist::Remove => _ = entries.remove(at),
            Twist::Double => entries.push(entries[at].clone()),
            Twist::Rename(name) => entries[at].0 = (*name).to_owned(),
            Twist::Replace(value) => entries[at].1 = raw(value.clone()),
            Twist::Add(..) => {}
        }
    }
}
