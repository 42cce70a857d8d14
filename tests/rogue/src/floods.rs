//! Excessive amounts of bytes, lines, notifications, handles and short calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Stop, Text, Tool, User, log, progress};

use crate::Nothing;

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
