//! Tools that a component which runs alone may call.

use std::sync::Arc;

use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use serde_json::{Value, json};

use super::Solo;
use crate::{
    capability::{CallsTools, Executor, Requested, ToolCalls, ToolOffer, ToolOutcome, ToolRequest},
    failure::Failure,
    tool_set::ToolSet,
};

/// What a tool answers in the place of the real one.
#[derive(Clone, Debug, PartialEq)]
pub enum Called {
    /// Its object.
    Done(Value),
    /// It waits for a person, under this id.
    Held(String),
    /// Why it was refused: `{error, message, status, data?}`.
    Failed(Value),
}

/// Answers by a tool's name and its arguments, or by the id of what was held.
type Answers = dyn Fn(&str, &Value) -> Called + Send + Sync;

pub(super) struct Tools {
    offers: Vec<String>,
    answers: Arc<Answers>,
}

impl CallsTools for Tools {
    fn offers(&self, _: &Requested) -> Vec<ToolOffer> {
        let offer = |name: &String| ToolOffer {
            name: name.clone(),
            title: None,
            description: String::new(),
            input_schema: json!({ "type": "object" }).to_string(),
            owner: "component:test".to_owned(),
            read_only: false,
            asks_first: true,
            view: None,
        };
        self.offers.iter().map(offer).collect()
    }

    fn call(&self, _: Requested, request: ToolRequest) -> BoxFuture<'static, ToolOutcome> {
        let arguments = serde_json::from_str(&request.arguments).unwrap_or_default();
        let called = match self.offers.contains(&request.name) {
            true => (self.answers)(&request.name, &arguments),
            false => {
                let message = format!("There is no tool {:?}.", request.name);
                Called::Failed(Failure::new("unknown_tool", 404, message).object())
            }
        };
        ready(outcome(called)).boxed()
    }

    fn held(&self, _: Requested, id: String) -> BoxFuture<'static, ToolOutcome> {
        ready(outcome((self.answers)(&id, &Value::Null))).boxed()
    }
}

fn outcome(called: Called) -> ToolOutcome {
    match called {
        Called::Done(it) => {
            let result = json!({ "structuredContent": it, "content": [], "_meta": {} });
            ToolOutcome::Done(result.to_string())
        }
        Called::Held(id) => ToolOutcome::Held(id),
        Called::Failed(it) => ToolOutcome::Failed(it.to_string()),
    }
}

impl Solo {
    /// Lets it call the tools `offers`; `answers` says what each comes to, by its name and its arguments,
    /// and what became of one that was held, by its id and null.
    #[must_use]
    pub fn calls(
        mut self,
        offers: &[&str],
        answers: impl Fn(&str, &Value) -> Called + Send + Sync + 'static,
    ) -> Self {
        let offers = offers.iter().map(|it| (*it).to_owned()).collect();
        let executor = Executor::default();
        let others = Arc::new(Tools { offers, answers: Arc::new(answers) });
        executor.put(&others);
        self.others = Some(others);
        let tools = ToolSet::all();
        self.calls = ToolCalls { tools, trusts: Default::default(), executor };
        self
    }
}
