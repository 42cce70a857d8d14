//! Tools as models see them: name, description, schema; and, where the assistant asks for it,
//! a property in which the model says why it calls (NAV-54).

use serde_json::{Map, Value, json};

use crate::{Language, Offer};

/// The property that says why; it never reaches a tool.
const REASON: &str = "reason";

/// One tool as a model sees it: still JSON Schema; each provider writes it its own way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declaration {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Value,
}

/// The declarations of `offers`, in their order.
pub(super) fn declarations(
    offers: &[Offer],
    reasons: bool,
    language: Language,
) -> Vec<Declaration> {
    offers.iter().map(|it| declaration(it, reasons, language)).collect()
}

fn declaration(offer: &Offer, reasons: bool, language: Language) -> Declaration {
    let mut schema = (*offer.schema).clone();
    // Says which JSON Schema it is, which no provider takes.
    schema.remove("$schema");
    schema.remove("title");
    if reasons && !has_reason(offer) {
        let why = language.pick(
            "このツールを呼び出す理由（利用者に表示する短い一文）",
            "Why this tool is called, in one short sentence for the person",
        );
        let property = json!({ "type": "string", "description": why });
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            properties.insert(REASON.to_owned(), property);
        }
    }
    Declaration {
        name: offer.name.to_string(),
        description: offer.description.clone(),
        parameters: Value::Object(schema),
    }
}

/// Whether the tool has an argument of that name itself.
fn has_reason(offer: &Offer) -> bool {
    offer.schema.get("properties").and_then(|it| it.get(REASON)).is_some()
}

/// Takes the reason out of `arguments`; a sentence made of the arguments where there is none.
pub(super) fn reason(
    name: &str,
    arguments: &mut Map<String, Value>,
    offers: &[Offer],
    language: Language,
) -> String {
    let offer = offers.iter().find(|it| &*it.name == name);
    let is_own = offer.is_some_and(has_reason);
    let given = if is_own { None } else { arguments.remove(REASON) };
    let given = given.as_ref().and_then(Value::as_str).map(str::trim).filter(|it| !it.is_empty());
    given.map_or_else(|| derived(name, arguments, language), |it| shortened(it, 200))
}

/// A call as text: `route_search (origin: 東京駅, destination: 横浜駅)`.
fn derived(name: &str, arguments: &Map<String, Value>, language: Language) -> String {
    let shown = arguments.iter().take(4).map(|(name, value)| match value {
        Value::String(text) => format!("{name}: {}", shortened(text, 40)),
        value => format!("{name}: {}", shortened(&value.to_string(), 40)),
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    match shown.is_empty() {
        true => language.pick(format!("{name}を呼び出します"), format!("Calls {name}")),
        false => language
            .pick(format!("{name}を呼び出します（{shown}）"), format!("Calls {name} ({shown})")),
    }
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn offer(properties: Value) -> Offer {
        let schema = json!({ "$schema": "…", "type": "object", "properties": properties });
        let Value::Object(schema) = schema else { panic!("it is one") };
        Offer {
            name: "find".into(),
            description: "Finds.".to_owned(),
            schema: Arc::new(schema),
            owner: "finder".into(),
            is_read_only: true,
            ..Offer::default()
        }
    }

    #[test]
    fn a_reason_is_asked_for_and_never_reaches_the_tool() {
        let offers = [offer(json!({ "what": { "type": "string" } }))];
        let declared = declarations(&offers, true, Language::English);
        assert!(declared[0].parameters["properties"]["reason"].is_object(), "NAV-54");
        assert_eq!(declared[0].parameters.get("$schema"), None);
        let mut arguments = json!({ "what": "x", "reason": "Because." });
        let arguments = arguments.as_object_mut().unwrap();
        let text = reason("find", arguments, &offers, Language::English);
        assert_eq!((text.as_str(), arguments.len()), ("Because.", 1), "NAV-54");
        let text = reason("find", arguments, &offers, Language::English);
        assert_eq!(text, "Calls find (what: x)", "NAV-54");
        let plain = declarations(&offers, false, Language::English);
        assert_eq!(plain[0].parameters["properties"].get("reason"), None, "ILL-20");
    }

    #[test]
    fn a_tools_own_reason_stays_its_own() {
        let offers = [offer(json!({ "reason": { "type": "integer" } }))];
        let declared = declarations(&offers, true, Language::English);
        assert_eq!(declared[0].parameters["properties"]["reason"]["type"], "integer");
        let mut arguments = json!({ "reason": 3 });
        reason("find", arguments.as_object_mut().unwrap(), &offers, Language::English);
        assert_eq!(arguments["reason"], 3);
    }
}
