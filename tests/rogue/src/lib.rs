//! A component that violates the contract on purpose, for tests of the host's limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use toolkit::{English, Stop, Text, Tool, User};

/// Defines a tool without arguments from doc comment, name, titles, description and body.
macro_rules! misdeed {
    ($tool:ident, $name:literal, $ja:literal, $en:literal, $does:literal, $output:ty, $act:expr) => {
        #[doc = $ja]
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $tool {}

        impl toolkit::Tool for $tool {
            const NAME: &str = $name;
            const TITLE: toolkit::Text = toolkit::Text { ja: $ja, en: $en };
            const ENGLISH: toolkit::English =
                toolkit::English { description: $does, arguments: &[] };
            type Output = $output;

            fn call(self, user: &toolkit::User) -> Result<$output, toolkit::Stop> {
                $act(user)
            }
        }
    };
}

mod floods;
mod lies;
mod questions;

use floods::{Bloat, Chatter, Clutch, Jab, Refill, Report, Whisper};
use lies::{Babble, Nest};
use questions::{AskWrongly, Nag, Pester, Remember};

toolkit::export_tools!(
    Spin,
    Hoard,
    Panic,
    Recurse,
    RecurseFlat,
    Lie,
    Bloat,
    Refill,
    Chatter,
    Whisper,
    Report,
    Clutch,
    Jab,
    Babble,
    Nest,
    Pester,
    Nag,
    Remember,
    AskWrongly
);

/// The output that these tools declare and never return.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Nothing {}

/// 終わらない。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Spin {}

impl Tool for Spin {
    const NAME: &str = "spin";
    const TITLE: Text = Text { ja: "空回り", en: "Spin" };
    const ENGLISH: English = English { description: "Never returns.", arguments: &[] };
    type Output = Nothing;

    fn call(self, _: &User) -> Result<Nothing, Stop> {
        loop {
            std::hint::black_box(());
        }
    }
}

/// 得られるだけのメモリーを取る。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Hoard {}

impl Tool for Hoard {
    const NAME: &str = "hoard";
    const TITLE: Text = Text { ja: "買いだめ", en: "Hoard" };
    const ENGLISH: English =
        English { description: "Takes all the memory that it can get.", arguments: &[] };
    type Output = Nothing;

    fn call(self, _: &User) -> Result<Nothing, Stop> {
        let mut hoard = Vec::new();
        loop {
            hoard.push(vec![1u8; 1 << 20]);
            std::hint::black_box(&hoard);
        }
    }
}

/// 異常終了する。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Panic {}

impl Tool for Panic {
    const NAME: &str = "panic";
    const TITLE: Text = Text { ja: "異常終了", en: "Panic" };
    const ENGLISH: English = English { description: "Panics.", arguments: &[] };
    type Output = Nothing;

    fn call(self, _: &User) -> Result<Nothing, Stop> {
        panic!("as promised")
    }
}

/// 自分自身を呼び続ける。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Recurse {}

impl Tool for Recurse {
    const NAME: &str = "recurse";
    const TITLE: Text = Text { ja: "無限再帰", en: "Recurse" };
    const ENGLISH: English =
        English { description: "Calls itself until the stack is used up.", arguments: &[] };
    type Output = Nothing;

    fn call(self, _: &User) -> Result<Nothing, Stop> {
        std::hint::black_box(deeper(0));
        Ok(Nothing {})
    }
}

/// Recurses with a frame at every depth, which the optimiser must not turn into a loop.
#[inline(never)]
fn deeper(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    if depth == u64::MAX { depth } else { deeper(depth + 1) + frame[0] }
}

misdeed!(
    RecurseFlat,
    "recurse_flat",
    "平らな無限再帰",
    "Recurse without a frame",
    "Calls itself with nothing on the component's own stack.",
    Nothing,
    |_: &User| {
        std::hint::black_box(flat(std::hint::black_box(u64::MAX)));
        Ok(Nothing {})
    }
);

/// Recurses with values that have no address, so that only the engine's stack grows. The work after the call prevents
/// a loop.
#[inline(never)]
fn flat(depth: u64) -> u64 {
    if depth == 0 { 1 } else { flat(depth - 1).wrapping_mul(3) ^ depth }
}

/// 約束と違う形の結果を返す。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Lie {}

/// Claims to be a number and outputs a text.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "what is promised is never kept")]
struct Promise {
    answer: u32,
}

impl Serialize for Promise {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map([("answer", "forty-two")])
    }
}

impl Tool for Lie {
    const NAME: &str = "lie";
    const TITLE: Text = Text { ja: "嘘", en: "Lie" };
    const ENGLISH: English =
        English { description: "Puts out what does not fit its output schema.", arguments: &[] };
    type Output = Promise;

    fn call(self, _: &User) -> Result<Promise, Stop> {
        Ok(Promise { answer: 42 })
    }
}
