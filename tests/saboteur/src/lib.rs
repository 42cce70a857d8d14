//! A component that misbehaves while it is loaded, or through its database.
//!
//! A letter in its bytes decides how: tests change the letter after the marker to get other components without another
//! build.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolkit::{English, Hints, Stop, Text, Tool, User, sql};

toolkit::export_tools!(Begin, Fill, Clear, GrindRead, GrindWrite);
toolkit::export_migrations!(1 "hoard" => "../migrations/1-hoard.sql");

/// The marker and the letter that tests change.
static FAULT: [u8; 16] = *b"saboteur fault:-";

/// Misbehaves in the definitions as the letter says.
fn sabotage() {
    match std::hint::black_box(&FAULT)[15] {
        b'p' => panic!("as promised"),
        b'l' => loop {
            std::hint::black_box(());
        },
        b'm' => {
            let mut hoard = Vec::new();
            loop {
                hoard.push(vec![1u8; 1 << 20]);
                std::hint::black_box(&hoard);
            }
        }
        // Slow, but finite.
        b's' => (0..300_000_000u32).for_each(|turn| _ = std::hint::black_box(turn)),
        _ => {}
    }
}

/// Misbehaves in calls as the letter says. Returns the number of rows to report in excess.
fn misdeed() -> Result<i64, Stop> {
    match std::hint::black_box(&FAULT)[15] {
        b'P' => panic!("as promised"),
        b'S' => (0..200_000_000u32).for_each(|turn| _ = std::hint::black_box(turn)),
        b'R' => return Err(toolkit::refused("out_of_order", 409, "It is out of order.")),
        b'O' => return Ok(7),
        _ => {}
    }
    Ok(0)
}

/// 何もしない。
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Begin {}

impl JsonSchema for Begin {
    fn schema_name() -> Cow<'static, str> {
        "Begin".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        sabotage();
        let mut schema = json!({ "type": "object", "additionalProperties": false });
        match std::hint::black_box(&FAULT)[15] {
            b't' => schema["properties"] = json!({ "a": { "type": "strnig" } }),
            b'b' => schema["description"] = Value::from("b".repeat(16 << 20)),
            _ => {}
        }
        Schema::try_from(schema).unwrap_or_default()
    }
}

#[derive(Serialize, JsonSchema)]
struct Begun {
    rows: i64,
}

impl Tool for Begin {
    const NAME: &str = "begin";
    const TITLE: Text = Text { ja: "始める", en: "Begin" };
    const ENGLISH: English =
        English { description: "Says how much has been stored.", arguments: &[] };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Begun;

    fn call(self, _: &User) -> Result<Begun, Stop> {
        let more = misdeed()?;
        let [count] = sql::query([toolkit::sql!("SELECT count(*) AS rows FROM hoard")])?;
        let rows = match count.rows.first().and_then(|it| it.first()) {
            Some(sql::Value::Integer(rows)) => *rows,
            _ => 0,
        };
        Ok(Begun { rows: rows + more })
    }
}

// Attacks on the database and on the shared disk.

/// Counts to 10¹², which exceeds every time limit.
const GRIND: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000) \
     SELECT count(*) FROM n";

#[derive(Serialize, JsonSchema)]
pub(crate) struct Nothing {}

/// A tool without arguments.
macro_rules! misdeed {
    ($tool:ident, $name:literal, $ja:literal, $en:literal, $does:literal, $act:expr) => {
        #[doc = $ja]
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $tool {}

        impl Tool for $tool {
            const NAME: &str = $name;
            const TITLE: Text = Text { ja: $ja, en: $en };
            const ENGLISH: English = English { description: $does, arguments: &[] };
            type Output = Nothing;

            fn call(self, _: &User) -> Result<Nothing, Stop> {
                $act
            }
        }
    };
}

misdeed!(Fill, "fill", "埋める", "Fill", "Stores until there is no room.", {
    // Incompressible data.
    let mut state = 1_u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let row: Vec<u8> = (0..500 << 10).map(|_| byte()).collect();
    loop {
        let insert = || toolkit::sql!("INSERT INTO hoard (bytes) VALUES ($1)", row.clone());
        sql::transact([insert(), insert(), insert(), insert()])?;
    }
});

misdeed!(Clear, "clear", "空にする", "Clear", "Deletes what was stored.", {
    sql::transact([toolkit::sql!("DELETE FROM hoard")])?;
    Ok(Nothing {})
});

misdeed!(GrindRead, "grind_read", "読み続ける", "Grind", "Asks what cannot be answered.", {
    sql::query([toolkit::sql!(GRIND)])?;
    Ok(Nothing {})
});

misdeed!(
    GrindWrite,
    "grind_write",
    "書き続ける",
    "Grind and hold",
    "The same, holding the writer.",
    {
        sql::transact([toolkit::sql!(GRIND)])?;
        Ok(Nothing {})
    }
);
