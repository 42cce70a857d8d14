//! A component with a failing example, which the host must not serve.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolkit::{English, Example, Hints, Stop, Text, Tool, User, example, refused};

toolkit::export_tools!(Double, Brag);
toolkit::export_examples!(examples);

/// Returns examples, the last of which fails.
fn examples() -> Vec<Example> {
    let two = json!({ "number": 2 });
    vec![
        example("two is doubled", "double", two).gives(json!({ "doubled": 4 })),
        example("a text is no number", "double", json!({ "number": "two" }))
            .refuses_the_arguments(),
        example("nobody believes it", "brag", json!({})).refuses("too_good_to_be_true"),
        example("three is doubled", "double", json!({ "number": 3 }))
            .gives(json!({ "doubled": 7 })),
    ]
}

/// 数を二倍にする。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Double {
    /// 数
    number: u32,
}

#[derive(Serialize, JsonSchema)]
struct Doubled {
    doubled: u32,
}

impl Tool for Double {
    const NAME: &str = "double";
    const TITLE: Text = Text { ja: "二倍", en: "Double" };
    const ENGLISH: English =
        English { description: "Doubles a number.", arguments: &[("number", "The number")] };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Doubled;

    fn call(self, _: &User) -> Result<Doubled, Stop> {
        Ok(Doubled { doubled: self.number.saturating_mul(2) })
    }
}

/// 自慢する。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Brag {}

impl Tool for Brag {
    const NAME: &str = "brag";
    const TITLE: Text = Text { ja: "自慢", en: "Brag" };
    const ENGLISH: English = English { description: "Brags.", arguments: &[] };
    const HINTS: Hints = Hints::READ_ONLY;
    type Output = Doubled;

    fn call(self, _: &User) -> Result<Doubled, Stop> {
        Err(refused("too_good_to_be_true", 400, "Nobody believes it."))
    }
}
