//! Attacks on the database and on the shared disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{English, Stop, Text, Tool, User, sql};

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
