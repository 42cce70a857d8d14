//! Test doubles of a component's surroundings: tools, an assistant, and a dialogue component.

use std::{sync::Arc, time::Duration};

use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::{Solo, dialogue};
use base::{call::Failure, toolsets::ToolSet};
use sandbox::{
    bindings::madoguchi::tool::{
        sentences::{self, Reply, Turn},
        tasks::Facts,
        types::Name,
    },
    capability::{
        Ask, ENDED, HeldCall, NamedReply, Requested, Running, Standing, Surroundings, ToolOffer,
        ToolOutcome, ToolRequest, Written,
    },
};

/// Result of a fake tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Called {
    /// Returns this object.
    Done(Value),
    /// Held for approval under this id.
    Held(String),
    /// Why it was refused: `{error, message, status, data?}`.
    Failed(Value),
}

/// Results by tool name and arguments, or by id of a held call.
type Answers = dyn Fn(&str, &Value) -> Called + Send + Sync;
/// Results of runs by request.
type Ends = dyn Fn(&Value) -> Value + Send + Sync;
/// Replies to turns, in the format of [`super::Running::converse`].
type Understands = dyn Fn(&Value) -> Value + Send + Sync;

/// Fake surroundings.
#[derive(Clone, Default)]
pub(super) struct Fake {
    offers: Vec<String>,
    answers: Option<Arc<Answers>>,
    assistant: Option<(String, (u32, u64), Arc<Ends>)>,
    understands: Option<Arc<Understands>>,
}

impl Fake {
    fn called(&self, name: &str, arguments: &Value) -> Called {
        let there = self.answers.as_ref().filter(|_| arguments.is_null() || self.has(name));
        there.map_or_else(
            || {
                let message = format!("There is no tool {name:?}.");
                Called::Failed(Failure::new("unknown_tool", 404, message).object())
            },
            |it| it(name, arguments),
        )
    }

    fn has(&self, tool: &str) -> bool {
        self.offers.iter().any(|it| it == tool)
    }
}

impl Surroundings for Fake {
    fn offers(&self, _: &Requested) -> Vec<ToolOffer> {
        let offer = |name: &String| ToolOffer {
            name: name.clone(),
            title: None,
            description: String::new(),
            input_schema: json!({ "type": "object" }).to_string(),
            request_meta: None,
            owner: "component:test".to_owned(),
            read_only: false,
            asks_first: true,
            for_pages: false,
            view: None,
            trust: name.clone(),
        };
        self.offers.iter().map(offer).collect()
    }

    fn lacks(&self, tool: &str) -> bool {
        !self.has(tool)
    }

    fn call(&self, _: Requested, request: ToolRequest) -> BoxFuture<'static, ToolOutcome> {
        let arguments = serde_json::from_str(&request.arguments).unwrap_or_default();
        let outcome = match to_held_call(self.called(&request.name, &arguments)) {
            HeldCall { outcome: Some(Ok(json)), .. } => ToolOutcome::Done(json),
            HeldCall { outcome: Some(Err(failure)), .. } => ToolOutcome::Failed(failure),
            waits => ToolOutcome::Held(waits),
        };
        ready(outcome).boxed()
    }

    fn held_call(
        &self,
        _: Requested,
        id: String,
        _: Duration,
    ) -> BoxFuture<'static, Option<HeldCall>> {
        ready(Some(to_held_call(self.called(&id, &Value::Null)))).boxed()
    }

    fn withdraw(&self, _: Requested, _: String) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }

    fn tally(&self, _: &str, _: &str) -> Option<Running> {
        None
    }

    fn run(&self, ask: Ask) -> AbortHandle {
        let ends = self.assistant.clone().map(|it| it.2);
        tokio::spawn(async move {
            let begun = json!({ "provider": "fake" }).to_string();
            let _ = ask.events.send(Written { name: "begun".to_owned(), data: begun }).await;
            let ended = ends.map(|it| it(&asked(&ask))).unwrap_or_default();
            let ended = Written { name: ENDED.to_owned(), data: ended.to_string() };
            let _ = ask.events.send(ended).await;
        })
        .abort_handle()
    }

    fn about(&self, assistant: String) -> BoxFuture<'static, Option<Facts>> {
        let found = self.assistant.as_ref().filter(|it| it.0 == assistant);
        let facts = |&(turns_max, tokens_max): &(u32, u64)| Facts { turns_max, tokens_max };
        ready(found.map(|it| facts(&it.1))).boxed()
    }

    fn names(&self, _: sentences::Language) -> BoxFuture<'static, Vec<Name>> {
        ready(Vec::new()).boxed()
    }

    fn consult(
        &self,
        turn: Turn,
        _: Vec<(String, String)>,
        _: Option<String>,
    ) -> BoxFuture<'static, Vec<NamedReply>> {
        let reply = self.understands.as_ref().map(|it| it(&dialogue::turn_json(&turn)));
        let reply = reply.map(|it| -> Result<Reply, String> { dialogue::read_reply(&it) });
        ready(reply.map(|it| ("test".into(), it)).into_iter().collect()).boxed()
    }
}

fn to_held_call(called: Called) -> HeldCall {
    let waits = |id| HeldCall {
        id,
        standing: Standing::Waits,
        questions: None,
        changed: Vec::new(),
        trust: String::new(),
        outcome: None,
        ms: None,
    };
    let over = |outcome| HeldCall {
        standing: Standing::Over,
        outcome: Some(outcome),
        ..waits(String::new())
    };
    match called {
        Called::Done(output) => {
            let result = json!({ "structuredContent": output, "content": [], "_meta": {} });
            over(Ok(result.to_string()))
        }
        Called::Held(id) => waits(id),
        Called::Failed(failed) => {
            let text = |name: &str| failed[name].as_str().unwrap_or_default().to_owned();
            let status = failed["status"].as_u64().and_then(|it| u16::try_from(it).ok());
            let mut failure = Failure::new(&text("error"), status.unwrap_or(400), text("message"));
            *failure.data = failed["data"].as_object().cloned().unwrap_or_default();
            over(Err(failure.object().to_string()))
        }
    }
}

/// Renders a request for tests.
fn asked(ask: &Ask) -> Value {
    let read = |text: &Option<String>| -> Value {
        text.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default()
    };
    let task = &ask.task;
    let remarks = task.history.iter();
    let history: Vec<_> =
        remarks.map(|it| json!({ "is_user": it.is_user, "text": it.text })).collect();
    let part = ask.part.as_ref().map(|part| {
        let given = part.given.iter().map(|given| {
            json!({
                "tool": given.tool, "argument": given.argument, "is_default": given.is_default,
                "value": read(&Some(given.value.clone())),
            })
        });
        let given: Vec<_> = given.collect();
        json!({
            "name": part.name, "given": given, "tokens_max": part.tokens_max,
            "memory": read(&part.memory),
        })
    });
    json!({
        "assistant": task.assistant, "message": task.message, "history": history,
        "language": task.language, "context": read(&task.context), "part": part,
    })
}

impl Solo {
    /// Offers tools; `answers` returns results by name and arguments, and of held calls by id and null.
    #[must_use]
    pub fn calls(
        mut self,
        offers: &[&str],
        answers: impl Fn(&str, &Value) -> Called + Send + Sync + 'static,
    ) -> Self {
        self.around.offers = offers.iter().map(|it| (*it).to_owned()).collect();
        self.around.answers = Some(Arc::new(answers));
        self.calls.tools = ToolSet::all();
        self
    }

    /// Offers the assistant `name` with `budget` (turns, tokens) per conversation; `answers` returns the data of each
    /// run's last event.
    #[must_use]
    pub fn assistant(
        mut self,
        name: &str,
        budget: (u32, u64),
        answers: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.around.assistant = Some((name.to_owned(), budget, Arc::new(answers)));
        self.asks = [name.to_owned()].into();
        self
    }

    /// Sets replies of dialogue components.
    #[must_use]
    pub fn understands(
        mut self,
        understands: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.around.understands = Some(Arc::new(understands));
        self
    }
}
