//! Endless, invalid or too many questions.

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{
    Stop, User,
    bindings::{
        exports::madoguchi::tool::tools::InputRequired,
        madoguchi::tool::types::{Ask, Question},
    },
};

use crate::Nothing;

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
