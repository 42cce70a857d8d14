//! A part that an assistant plays for a component: which of the component's tools it may call, and with
//! which arguments that it does not choose itself.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{
    AssistantConfig, Conclusion, Decider, Decision, Offer, ToolCall, Turn, Undecided, Usage,
};
use crate::{bindings::madoguchi::tool::assistants as wit, registry::Catalog};

/// A part that is played.
#[derive(Clone)]
pub(crate) struct Played {
    component: Arc<str>,
    given: Arc<[Given]>,
}

/// An argument that is given.
struct Given {
    tool: String,
    argument: String,
    value: Value,
    is_default: bool,
}

impl Played {
    /// The part of `component`'s with those arguments.
    ///
    /// # Errors
    /// Where one of them is no JSON.
    pub(super) fn new(component: &Arc<str>, given: Vec<wit::Given>) -> Result<Self, String> {
        let read = |it: wit::Given| {
            let value = serde_json::from_str(&it.value).map_err(|error| {
                format!("what is given for {} of {} is no JSON: {error}", it.argument, it.tool)
            })?;
            let wit::Given { tool, argument, is_default, .. } = it;
            Ok(Given { tool, argument, value, is_default })
        };
        let given = given.into_iter().map(read).collect::<Result<_, String>>()?;
        Ok(Self { component: component.clone(), given })
    }

    /// Those of `offers` that the assistant may call: of the component's own those that something is given
    /// for, of others those that ask nobody first, for nobody is there to be asked.
    pub(crate) fn offers(
        &self,
        offers: Vec<Offer>,
        (config, catalog): (&AssistantConfig, &Catalog),
    ) -> Vec<Offer> {
        let choose = |it: Offer| match self.is_own(&it.name, catalog) {
            true => self.with_given(it),
            false => (!it.asks_first(config, &[])).then_some(it),
        };
        offers.into_iter().filter_map(choose).collect()
    }

    /// `offer` without what is given; none where nothing is.
    fn with_given(&self, mut offer: Offer) -> Option<Offer> {
        let given: Vec<_> = self.of(&offer.name).collect();
        if given.is_empty() {
            return None;
        }
        let mut schema = (*offer.schema).clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            let is_hidden =
                |name: &str| given.iter().any(|it| !it.is_default && it.argument == name);
            properties.retain(|name, _| !is_hidden(name));
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|it| given.iter().all(|given| it.as_str() != Some(&given.argument)));
        }
        offer.schema = Arc::new(schema);
        Some(offer)
    }

    /// The arguments of `call` as the tool takes them; a tool of another's gets nothing.
    pub(crate) fn arguments(&self, call: &ToolCall, catalog: &Catalog) -> Map<String, Value> {
        let mut arguments = call.arguments.clone();
        if !self.is_own(&call.name, catalog) {
            return arguments;
        }
        for it in self.of(&call.name) {
            let is_said = arguments.get(&it.argument).is_some_and(|it| !it.is_null());
            if !(it.is_default && is_said) {
                arguments.insert(it.argument.clone(), it.value.clone());
            }
        }
        arguments
    }

    fn of(&self, tool: &str) -> impl Iterator<Item = &Given> {
        self.given.iter().filter(move |it| it.tool == tool)
    }

    /// Whether `tool` is the component's, and no other server stands in its place.
    fn is_own(&self, tool: &str, catalog: &Catalog) -> bool {
        let component = catalog.component_for(tool);
        component.is_some_and(|it| *it.name() == self.component)
            && catalog.served().tool(tool).is_none()
    }
}

/// A model, or what understands sentences, that decides nothing more once it has taken so many tokens.
pub(super) struct Capped<'a> {
    pub(super) decider: &'a mut dyn Decider,
    pub(super) tokens_max: u64,
}

impl Decider for Capped<'_> {
    fn decide<'a>(&'a mut self, turn: Turn<'a>) -> BoxFuture<'a, Result<Decision, Undecided>> {
        let taken = self.decider.usage();
        if taken.input_tokens + taken.output_tokens >= self.tokens_max {
            return Box::pin(async { Ok(Decision::Conclude(Conclusion::default())) });
        }
        self.decider.decide(turn)
    }

    fn may_call_for_pages(&self) -> bool {
        self.decider.may_call_for_pages()
    }

    fn transcript(&self) -> Value {
        self.decider.transcript()
    }

    fn model(&self) -> Option<&str> {
        self.decider.model()
    }

    fn usage(&self) -> Usage {
        self.decider.usage()
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

    fn offer(name: &str, properties: &[&str]) -> Offer {
        let each = properties.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" })));
        let properties_of: Map<String, Value> = each.collect();
        let schema =
            json!({ "type": "object", "properties": properties_of, "required": properties });
        Offer {
            name: name.into(),
            title: None,
            description: String::new(),
            schema: Arc::new(schema.as_object().unwrap().clone()),
            owner: "lodge".into(),
            is_read_only: false,
            is_changed: false,
            shown: Arc::default(),
            view: None,
        }
    }

    #[test]
    fn what_is_given_is_neither_declared_nor_required() {
        let part = vec![
            given("answer", "key", json!("k1"), false),
            given("answer", "to", json!("ben"), true),
            given("leave", "key", json!("k1"), false),
        ];
        let part = Played::new(&"lodge".into(), part).unwrap();
        let answer = part.with_given(offer("answer", &["key", "to", "text"])).unwrap();
        assert_eq!(answer.schema["required"], json!(["text"]));
        assert!(answer.schema["properties"]["to"].is_object(), "it may name another");
        assert!(answer.schema["properties"]["key"].is_null());
        let leave = part.with_given(offer("leave", &["key"])).unwrap();
        assert_eq!(leave.schema["required"], json!([]));
        assert_eq!(part.with_given(offer("wait", &["key"])), None, "nothing is given for it");
        let broken = wit::Given { value: "{".to_owned(), ..given("a", "b", json!(1), false) };
        let error = Played::new(&"lodge".into(), vec![broken]).err().unwrap();
        assert!(error.contains("given for b of a is no JSON"), "{error}");
    }
}
