//! What the counter holds in its hand while an agent decides: the session's token and whom it talks
//! with. A model sees neither the token nor the parameter that takes it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{COMPONENT, SPEAKS};
use crate::{
    assistant::{AssistantConfig, Offer, ToolCall},
    registry::Catalog,
};

/// The parameter that takes the token.
const TOKEN: &str = "session_token";
/// Tools with a token that the player itself calls, and no model.
const OF_THE_PLAYER: &[&str] =
    &["logout", "get_next_action", "get_pending_messages", "report_usage"];

/// What is put into calls of the component's tools.
#[derive(Clone)]
pub(crate) struct Binding {
    pub(super) token: Arc<str>,
    /// Whom the agent talks with; calls that name nobody mean them.
    pub(super) partner: String,
    /// The conversation; none with a person.
    pub(super) conversation: Option<String>,
}

impl Binding {
    /// Those of `offers` that an agent may call: nobody is there to be asked first, and whoever needs a
    /// token has it already.
    pub(crate) fn offers(
        &self,
        offers: Vec<Offer>,
        (config, catalog): (&AssistantConfig, &Catalog),
    ) -> Vec<Offer> {
        let bind = |it: Offer| match is_own(&it.name, catalog) {
            true => self.bound(it),
            false => (!config.asks_first(&it, &[])).then_some(it),
        };
        offers.into_iter().filter_map(bind).collect()
    }

    /// `offer` without what the counter fills in; none where it is not for models.
    fn bound(&self, mut offer: Offer) -> Option<Offer> {
        let takes_token = offer.schema.get("properties").is_some_and(|it| it.get(TOKEN).is_some());
        if !takes_token || OF_THE_PLAYER.contains(&&*offer.name) {
            return None;
        }
        let mut schema = (*offer.schema).clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.remove(TOKEN);
        }
        let default = self.default_of(&offer.name).map(|it| it.0);
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|it| it != TOKEN && it.as_str() != default);
        }
        offer.schema = Arc::new(schema);
        Some(offer)
    }

    /// The argument that the counter fills in where a model leaves it out.
    fn default_of(&self, tool: &str) -> Option<(&'static str, &str)> {
        match tool {
            "end_conversation" | "get_conversation_messages" => {
                Some(("conversation_id", self.conversation.as_deref()?))
            }
            _ if SPEAKS.contains(&tool) => Some(("target_agent_id", &self.partner)),
            _ => None,
        }
    }

    /// The arguments of `call` as the tool takes them; a tool of anybody else's gets no token.
    pub(crate) fn arguments(&self, call: &ToolCall, catalog: &Catalog) -> Map<String, Value> {
        let mut arguments = call.arguments.clone();
        if !is_own(&call.name, catalog) {
            return arguments;
        }
        if let Some((name, value)) = self.default_of(&call.name)
            && arguments.get(name).is_none_or(Value::is_null)
        {
            arguments.insert(name.to_owned(), value.into());
        }
        arguments.insert(TOKEN.to_owned(), (*self.token).into());
        arguments
    }
}

/// Whether `tool` is the component's, and no other server stands in its place.
fn is_own(tool: &str, catalog: &Catalog) -> bool {
    let component = catalog.component_for(tool);
    component.is_some_and(|it| &**it.name() == COMPONENT) && catalog.served().tool(tool).is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            owner: COMPONENT.into(),
            is_read_only: false,
            is_changed: false,
            shown: Arc::default(),
            view: None,
        }
    }

    #[test]
    fn what_the_counter_fills_in_is_neither_declared_nor_required() {
        let binding = Binding {
            token: "sess_1".into(),
            partner: "ben".to_owned(),
            conversation: Some("conv_1".to_owned()),
        };
        let required = |it: Offer| binding.bound(it).map(|it| it.schema["required"].clone());
        let respond = offer("respond_chat", &[TOKEN, "target_agent_id", "content"]);
        assert_eq!(required(respond.clone()), Some(json!(["content"])));
        let bound = binding.bound(respond).unwrap();
        assert!(!json!(*bound.schema).to_string().contains("token"));
        assert!(bound.schema["properties"]["target_agent_id"].is_object(), "it may name another");
        let end = offer("end_conversation", &[TOKEN, "conversation_id"]);
        assert_eq!(required(end), Some(json!([])));
        for name in ["logout", "get_next_action", "get_pending_messages", "report_usage"] {
            assert_eq!(binding.bound(offer(name, &[TOKEN])), None, "{name} is the player's");
        }
        assert_eq!(binding.bound(offer("begin_conversation", &["target_agent_id"])), None);
    }
}
