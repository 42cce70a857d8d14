//! Runs assistants where that is forbidden: with a role in a call, and for a caller in a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::{
    Stop, Tool, User,
    assistants::{self, Part, Run, Task},
};

use crate::named;

/// 役を演じさせる。
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayPart {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Came {
    /// The data of the last event.
    ended: String,
}

impl Tool for PlayPart {
    named!("play_part", "演じる", "Play", "Has an assistant play a part, in a call.");
    type Output = Came;

    fn call(self, _: &User) -> Result<Came, Stop> {
        let name = "hero".to_owned();
        let part = Part { name, given: Vec::new(), tokens_max: None, memory: None };
        Ok(Came { ended: ended(&assistants::play(&task(), &part)) })
    }
}

/// Returns the result of a run for a caller.
pub(crate) fn served() -> String {
    ended(&assistants::start(&task()))
}

fn ended(run: &Run) -> String {
    let mut data = String::new();
    while let Some(event) = run.next() {
        data = event.data;
    }
    data
}

fn task() -> Task {
    Task {
        assistant: "counter".to_owned(),
        message: "Hello".to_owned(),
        history: Vec::new(),
        language: "en".to_owned(),
        context: None,
        may_ask_model: false,
    }
}
