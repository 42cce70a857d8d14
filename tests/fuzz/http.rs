//! Fuzzes HTTP: bytes, generated messages, and earlier findings.

use std::{fmt::Debug, fs, path::PathBuf};

use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner},
};
use tests::root;
use tokio::runtime::{Builder, Runtime};

use crate::{
    corpus, grammar,
    pair::{Pair, resident_bytes},
    request::Request,
};

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
