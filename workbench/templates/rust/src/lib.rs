//! Greets people: one tool, to begin with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolkit::{Example, Hints, Stop, Text, Tool, User, example, refused};

toolkit::export_tools!(Greet);
toolkit::export_examples!(examples);

/// 名前を呼んで挨拶する。
/// en: Greets someone by name.
// Models and people read the comment above, and those of the arguments.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Greet {
    /// 相手の名前
    /// en: Their name, 1 to 100 characters
    #[schemars(length(min = 1, max = 100))]
    name: String,
}

/// What the tool answers: clients get its schema.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Greeted {
    /// What is said.
    text: String,
}

impl Tool for Greet {
    const NAME: &str = "greeting";
    const TITLE: Text = Text { ja: "挨拶", en: "Greet" };
    const HINTS: Hints = Hints::READ_ONLY;
    // `call` finds a name of 1 to 100 characters.
    const HOLDS_SCHEMA: bool = true;
    type Output = Greeted;

    fn call(self, _: &User) -> Result<Greeted, Stop> {
        if self.name.trim().is_empty() {
            // A refusal has a code for programs and a sentence that says what would be right.
            return Err(refused("no_name", 400, "The name is blank: send at least one letter."));
        }
        Ok(Greeted { text: format!("Hello, {}!", self.name) })
    }
}

/// The host calls these on a database that is thrown away, before it serves a new version.
fn examples() -> Vec<Example> {
    vec![
        example("greets by name", "greeting", json!({ "name": "花子" }))
            .gives(json!({ "text": "Hello, 花子!" })),
        example("a blank name is refused", "greeting", json!({ "name": " " })).refuses("no_name"),
        example("a name is needed", "greeting", json!({})).refuses_the_arguments(),
    ]
}
