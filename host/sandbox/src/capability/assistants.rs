//! The interface `assistants` asks configured assistants on the caller's behalf. Parts are the tools of a component that
//! an assistant may call for it, with arguments that it neither chooses nor sees.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use wasmtime::component::Resource;

use super::{Ask, Written};
use crate::{
    bindings::{
        Run,
        madoguchi::tool::{assistants as wit, tasks},
    },
    capability::state::CallState,
};
use base::{call::TraceHeaders, caller::Caller};

/// Events that wait for a component that is slow to take them.
const WAITING_MAX: usize = 32;
/// Arguments that are given to one part, and characters of a name that are passed on.
const GIVEN_MAX: usize = 64;
const NAME_CHARS_MAX: usize = 64;
/// Last event of a run, with its result.
pub const ENDED: &str = "ended";

impl CallState {
    /// Whether the component may ask the assistant.
    fn may_ask(&self, assistant: &str) -> bool {
        let names: &BTreeSet<String> = &self.context.setup.reach.asks;
        names.contains(assistant) || names.contains("*")
    }

    fn run(
        &mut self,
        task: tasks::Task,
        caller: Caller,
        part: Option<wit::Part>,
    ) -> wasmtime::Result<Resource<Run>> {
        let context = &self.context;
        let (events, receiver) = mpsc::channel(WAITING_MAX);
        let name: String = task.assistant.chars().take(NAME_CHARS_MAX).collect();
        let refusal = match &part {
            None if context.is_job => {
                Some("nobody calls in a job, so that parts alone are played".to_owned())
            }
            Some(_) if !context.is_job => Some("parts are played in jobs alone".to_owned()),
            Some(part) if part.given.len() > GIVEN_MAX => {
                Some(format!("at most {GIVEN_MAX} arguments can be given"))
            }
            _ if !self.may_ask(&task.assistant) => Some(format!(
                "the component may not ask the assistant {name}; asks in its configuration says which"
            )),
            _ => None,
        };
        let task = match (refusal, context.setup.reach.around.get()) {
            (None, Some(around)) => {
                let parent = context.round.span.traceparent().map(Into::into);
                let trace = TraceHeaders { parent, state: None };
                let component = context.component.clone();
                let chain =
                    context.round.asking.as_ref().map(|it| it.chain.clone()).unwrap_or_default();
                Some(around.run(Ask { component, task, caller, part, trace, chain, events }))
            }
            (refusal, _) => {
                let why = refusal.unwrap_or_else(|| "nothing runs assistants here".to_owned());
                let _ = events.try_send(failed("missing", 500, &why));
                None
            }
        };
        let (provider, first) = (None, None);
        Ok(self.table.push(Run { provider, first, events: receiver, task })?)
    }
}

/// The end of a run that failed as a whole.
pub fn failed(error: &str, status: u16, why: &str) -> Written {
    let failure =
        json!({ "of": "model", "error": error, "message": why, "status": status, "data": {} });
    let data = json!({ "ending": "failed", "calls": [], "failure": failure });
    Written { name: ENDED.to_owned(), data: data.to_string() }
}

impl wit::Host for CallState {
    async fn start(&mut self, task: tasks::Task) -> wasmtime::Result<Resource<Run>> {
        let caller = self.context.round.caller.clone();
        self.run(task, caller, None)
    }

    async fn play(
        &mut self,
        task: tasks::Task,
        part: wit::Part,
    ) -> wasmtime::Result<Resource<Run>> {
        let name: String = part.name.chars().take(NAME_CHARS_MAX).collect();
        self.run(task, Caller::agent(&name), Some(part))
    }

    async fn about(&mut self, assistant: String) -> wasmtime::Result<Option<tasks::Facts>> {
        let around = self.context.setup.reach.around.get().filter(|_| self.may_ask(&assistant));
        Ok(match around {
            Some(it) => it.about(assistant).await,
            None => None,
        })
    }
}

impl wit::HostRun for CallState {
    async fn provider(&mut self, run: Resource<Run>) -> wasmtime::Result<String> {
        Ok(self.table.get_mut(&run)?.provider().await)
    }

    async fn next(&mut self, run: Resource<Run>) -> wasmtime::Result<Option<wit::Event>> {
        let event = self.table.get_mut(&run)?.next().await;
        Ok(event.map(|it| wit::Event { name: it.name, data: it.data }))
    }

    async fn drop(&mut self, run: Resource<Run>) -> wasmtime::Result<()> {
        self.table.delete(run)?;
        Ok(())
    }
}

/// A part that is played.
pub struct Part {
    /// The component that has it played.
    pub component: Arc<str>,
    given: Vec<Given>,
}

/// An argument that is given.
struct Given {
    tool: String,
    argument: String,
    value: Value,
    is_default: bool,
}

impl Part {
    /// The part of `component`'s with those arguments.
    ///
    /// # Errors
    /// If one of them is no JSON.
    pub fn new(component: &Arc<str>, given: Vec<wit::Given>) -> Result<Self, String> {
        let read = |one: wit::Given| {
            let value = serde_json::from_str(&one.value).map_err(|error| {
                format!("what is given for {} of {} is no JSON: {error}", one.argument, one.tool)
            })?;
            let wit::Given { tool, argument, is_default, .. } = one;
            Ok(Given { tool, argument, value, is_default })
        };
        let given = given.into_iter().map(read).collect::<Result<_, String>>()?;
        Ok(Self { component: component.clone(), given })
    }

    /// Schema of the component's `tool` without given arguments. `None` if the assistant may not call it.
    pub fn schema(&self, tool: &str, schema: &Map<String, Value>) -> Option<Map<String, Value>> {
        let given: Vec<_> = self.given_for(tool).collect();
        if given.is_empty() {
            return None;
        }
        let mut schema = schema.clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            let is_hidden =
                |name: &str| given.iter().any(|it| !it.is_default && it.argument == name);
            properties.retain(|name, _| !is_hidden(name));
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|it| given.iter().all(|given| it.as_str() != Some(&given.argument)));
        }
        Some(schema)
    }

    /// Adds given arguments to a call of the component's `tool`.
    pub fn add(&self, tool: &str, arguments: &mut Map<String, Value>) {
        for given in self.given_for(tool) {
            // Some models write null or blank text for omitted arguments.
            let is_blank = |it: &Value| it.as_str().is_some_and(|it| it.trim().is_empty());
            let sent = arguments.get(&given.argument);
            let is_sent = sent.is_some_and(|it| !it.is_null() && !is_blank(it));
            if !(given.is_default && is_sent) {
                arguments.insert(given.argument.clone(), given.value.clone());
            }
        }
    }

    fn given_for(&self, tool: &str) -> impl Iterator<Item = &Given> {
        self.given.iter().filter(move |it| it.tool == tool)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn given(tool: &str, argument: &str, value: Value, is_default: bool) -> wit::Given {
        let (tool, argument) = (tool.to_owned(), argument.to_owned());
        wit::Given { tool, argument, value: value.to_string(), is_default }
    }

    fn schema(properties: &[&str]) -> Map<String, Value> {
        let each = properties.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" })));
        let properties_of: Map<String, Value> = each.collect();
        let schema =
            json!({ "type": "object", "properties": properties_of, "required": properties });
        schema.as_object().unwrap().clone()
    }

    #[test]
    fn hides_given_arguments_from_schema() {
        let part = vec![
            given("answer", "key", json!("k1"), false),
            given("answer", "to", json!("ben"), true),
            given("leave", "key", json!("k1"), false),
        ];
        let part = Part::new(&"lodge".into(), part).unwrap();
        let answer = part.schema("answer", &schema(&["key", "to", "text"])).unwrap();
        assert_eq!(answer["required"], json!(["text"]));
        assert!(answer["properties"]["to"].is_object(), "it may name another");
        assert!(answer["properties"]["key"].is_null());
        let leave = part.schema("leave", &schema(&["key"])).unwrap();
        assert_eq!(leave["required"], json!([]));
        assert_eq!(part.schema("wait", &schema(&["key"])), None, "nothing is given for it");
        let mut arguments = Map::from_iter([("key".to_owned(), json!("forged"))]);
        arguments.insert("to".to_owned(), json!("cleo"));
        part.add("answer", &mut arguments);
        assert_eq!(Value::Object(arguments), json!({ "key": "k1", "to": "cleo" }));
        for blank in [json!(null), json!(""), json!(" ")] {
            let mut arguments = Map::from_iter([("to".to_owned(), blank)]);
            part.add("answer", &mut arguments);
            assert_eq!(arguments["to"], "ben", "what says nothing names no other");
        }
        let broken = wit::Given { value: "{".to_owned(), ..given("a", "b", json!(1), false) };
        let error = Part::new(&"lodge".into(), vec![broken]).err().unwrap();
        assert!(error.contains("given for b of a is no JSON"), "{error}");
    }
}
