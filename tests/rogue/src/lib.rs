//! A component that violates the contract on purpose, for tests of the host's limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct};
use toolkit::{
    English, Stop, Text, Tool, User,
    bindings::{
        exports::madoguchi::tool::tools::InputRequired,
        madoguchi::tool::types::{Ask, Question},
    },
    log, progress,
};

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

// Excessive amounts of bytes, lines, notifications, handles and short calls.

/// An output that is too long.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Bulk {
    text: String,
}

misdeed!(Bloat, "bloat", "膨らむ", "Bloat", "Puts out 16 MB.", Bulk, |_: &User| Ok(Bulk {
    text: "x".repeat(16 << 20)
}));

misdeed!(
    Refill,
    "refill",
    "詰め直す",
    "Refill",
    "Fills 50 MB of memory again and again, each time by one instruction.",
    Nothing,
    |_: &User| {
        let mut memory = vec![1u8; 50 << 20];
        for byte in (0..=u8::MAX).cycle() {
            memory.fill(byte);
            std::hint::black_box(&mut memory);
        }
        Ok(Nothing {})
    }
);

misdeed!(
    Chatter,
    "chatter",
    "しゃべる",
    "Chatter",
    "Writes a megabyte to the log and another to standard error.",
    Nothing,
    |_: &User| {
        for _ in 0..1_000 {
            log::info(&"chatter ".repeat(128));
            eprintln!("{}", "babble ".repeat(146));
        }
        Ok(Nothing {})
    }
);

misdeed!(
    Whisper,
    "whisper",
    "ささやく",
    "Whisper",
    "Writes a hundred thousand lines of one letter.",
    Nothing,
    |_: &User| {
        (0..100_000).for_each(|_| log::info("w"));
        Ok(Nothing {})
    }
);

misdeed!(
    Report,
    "report",
    "報告する",
    "Report",
    "Tells ten thousand times how far it is.",
    Nothing,
    |_: &User| {
        (0..10_000u32).for_each(|step| progress::report(step, None, Some("so far")));
        Ok(Nothing {})
    }
);

misdeed!(
    Clutch,
    "clutch",
    "握りしめる",
    "Clutch",
    "Takes resources of the host and lets none go.",
    Nothing,
    |_: &User| {
        #[cfg(target_arch = "wasm32")]
        {
            let held: Vec<_> = (0..100_000).map(|_| wasip2::cli::stdout::get_stdout()).collect();
            std::hint::black_box(&held);
        }
        Ok(Nothing {})
    }
);

/// 短く働く。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Jab {
    /// 空回りの回数（百万回単位）
    turns: u32,
}

impl Tool for Jab {
    const NAME: &str = "jab";
    const TITLE: Text = Text { ja: "短打", en: "Jab" };
    const ENGLISH: English = English {
        description: "Takes a processor for a moment too short to be noticed.",
        arguments: &[("turns", "Turns of an empty loop, in millions")],
    };
    type Output = Nothing;

    fn call(self, _: &User) -> Result<Nothing, Stop> {
        for turn in 0..self.turns.saturating_mul(1_000_000) {
            std::hint::black_box(turn);
        }
        Ok(Nothing {})
    }
}

// Invalid outputs.

/// The name by which serde_json accepts raw JSON without checks.
const RAW: &str = "$serde_json::private::RawValue";

/// Claims to be an object and outputs any text.
#[derive(JsonSchema)]
pub(crate) struct Raw {
    #[schemars(skip)]
    text: String,
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut raw = to.serialize_struct(RAW, 1)?;
        raw.serialize_field(RAW, &self.text)?;
        raw.end()
    }
}

misdeed!(
    Babble,
    "babble",
    "でたらめ",
    "Babble",
    "Puts out what is no JSON.",
    Raw,
    |_: &User| Ok(Raw { text: "{\"answer\": forty-two".to_owned() })
);

misdeed!(
    Nest,
    "nest",
    "入れ子",
    "Nest",
    "Puts out JSON of a hundred thousand levels.",
    Raw,
    |_: &User| {
        let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
        Ok(Raw { text: format!("{{\"nest\":{open}{close}}}") })
    }
);

// Endless, invalid or too many questions.

/// A form without fields.
#[derive(Deserialize, JsonSchema)]
struct Consent {}

fn ask(count: usize, form: &str, state: Option<String>) -> Stop {
    let question = |number| Question {
        key: format!("question-{number}"),
        message: "Well?".to_owned(),
        ask: Ask::Form(form.to_owned()),
        meta: None,
    };
    Stop::InputRequired(InputRequired { questions: (0..count).map(question).collect(), state })
}

misdeed!(
    Pester,
    "pester",
    "質問攻め",
    "Pester",
    "Asks ten thousand questions at once.",
    Nothing,
    |_: &User| Err(ask(10_000, r#"{"type":"object","properties":{}}"#, None))
);

misdeed!(
    AskWrongly,
    "ask_wrongly",
    "変な質問",
    "Ask wrongly",
    "Asks a question whose form is no JSON.",
    Nothing,
    |_: &User| Err(ask(1, "{form", None))
);

misdeed!(
    Remember,
    "remember",
    "覚えすぎる",
    "Remember",
    "Asks, and gives along more than may come back.",
    Nothing,
    |_: &User| { Err(ask(1, r#"{"type":"object","properties":{}}"#, Some("m".repeat(300 << 10)))) }
);

misdeed!(
    Nag,
    "nag",
    "聞き続ける",
    "Nag",
    "Asks again after each answer.",
    Nothing,
    |user: &User| {
        for round in 0..1_000 {
            let Consent {} = user.ask(&format!("again-{round}"), "Again?")?;
        }
        Ok(Nothing {})
    }
);
