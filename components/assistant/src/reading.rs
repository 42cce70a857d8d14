//! Shortens results for models: a long one becomes its beginning and its end, and a tool to read the
//! rest is on offer while something is left out.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    Answered, Body, Failure, Language, Offer, Part, ToolCall, ToolResult, images_of, text_of,
};

/// Name of the tool that reads the rest.
pub(crate) const READ_RESULT: &str = "read_result";
/// Its owner: the host itself.
const OWNER: &str = "madoguchi";
/// Maximum characters of one result, and of all results of one round.
const RESULT_CHARS_MAX: usize = 30_000;
const ROUND_CHARS_MAX: usize = 90_000;
/// Characters of one page.
const PAGE_CHARS: usize = 10_000;
/// Minimum length of texts that are checked for base64, in characters.
const BASE64_CHARS_MIN: usize = 4_000;
/// Maximum depth of a value that a model receives.
const DEPTH_MAX: usize = 24;
/// Prefix of a resource's text in a result.
const RESOURCE: &str = "[Resource ";

/// Formats a resource of a result as text.
pub(crate) fn resource(uri: &str, text: &str) -> Part {
    Part::text(format!("{RESOURCE}{uri}]\n{text}"))
}

/// Returns the characters available to each of `results` results of one round.
pub(crate) fn budget(results: usize) -> usize {
    (ROUND_CHARS_MAX / results.max(1)).min(RESULT_CHARS_MAX)
}

/// Returns what a model receives of `answered`: the tool's object or `{"error": {…}}`; above
/// `chars_max`, its beginning and end.
pub(crate) fn readable(answered: &Answered, chars_max: usize) -> Value {
    let object = object(&answered.result);
    let text = text(&object);
    let chars = text.chars().count();
    if chars <= chars_max {
        return object;
    }
    let end = chars_max / 4;
    let beginning = chars_max - end;
    let rest: String = text.chars().skip(chars - end).collect();
    json!({
        "beginning": text.chars().take(beginning).collect::<String>(),
        "left_out": format!("{} of {chars} characters are left out here. To read on, call {READ_RESULT} with {{\"call\": {:?}, \"offset\": {beginning}}}.", chars - chars_max, answered.call.id),
        "end": rest,
    })
}

/// Whether a model receives less than all of `answered`, the results of one round.
pub(crate) fn is_cut(answered: &[Answered]) -> bool {
    let most = budget(answered.len());
    answered.iter().any(|it| text(&object(&it.result)).chars().count() > most)
}

/// The tool that reads on.
pub(crate) fn offer(language: Language) -> Offer {
    let description = language.pick(
        "長すぎて途中が省かれた結果の続きを読みます。call は結果の呼び出しID、offset は読み始める文字の位置です。",
        "Reads on in a result of which something was left out: call is the id of its call, offset the character to begin with.",
    );
    let schema = json!({
        "type": "object",
        "properties": {
            "call": { "type": "string" },
            "offset": { "type": "integer", "minimum": 0 },
        },
        "required": ["call", "offset"],
    });
    Offer {
        name: READ_RESULT.into(),
        title: Some(language.pick("結果の続きを読む", "Read on in a result").to_owned()),
        description: description.to_owned(),
        schema: Arc::new(schema.as_object().cloned().unwrap_or_default()),
        owner: OWNER.into(),
        is_read_only: true,
        ..Offer::default()
    }
}

/// Whether `offer` is that tool, and not another of the same name.
pub(crate) fn is_own(offer: &Offer) -> bool {
    offer.name == READ_RESULT && offer.owner == OWNER
}

/// Returns a page of one of this run's results.
pub(crate) fn page(call: &ToolCall, answered: &[Answered]) -> ToolResult {
    let id = call.arguments.get("call").and_then(Value::as_str).unwrap_or_default();
    let offset = call.arguments.get("offset").and_then(Value::as_u64).unwrap_or_default();
    let Some(found) = answered.iter().find(|it| it.call.id == id) else {
        let message = format!(
            "No result of a call {id:?} is kept; only those of this answer are. Call the tool itself again, asking for less."
        );
        return ToolResult::Failed(Failure::new("no_result", 404, message));
    };
    let text = text(&object(&found.result));
    let chars = text.chars().count();
    let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(chars);
    let page: String = text.chars().skip(offset).take(PAGE_CHARS).collect();
    let next = offset.saturating_add(PAGE_CHARS);
    let mut structured =
        json!({ "call": id, "offset": offset, "total_characters": chars, "text": page });
    if next < chars {
        structured["next_offset"] = next.into();
    }
    ToolResult::Output { structured, meta: json!({}), content: Vec::new() }
}

/// The readable part of a result, without base64 data.
fn object(result: &ToolResult) -> Value {
    let (structured, content) = match result {
        ToolResult::Failed(failure) => return json!({ "error": failure.object() }),
        ToolResult::Output { structured, content, .. } => (structured, content),
    };
    let mut object = match structured {
        Value::Object(it) if it.is_empty() => json!({ "text": text_of(content) }),
        object => object.clone(),
    };
    if let Value::Object(fields) = &mut object
        && !fields.contains_key("resources")
        && structured.as_object().is_some_and(|it| !it.is_empty())
    {
        let texts = content.iter().filter_map(|part| match &part.body {
            Body::Text(text) if text.starts_with(RESOURCE) => Some(Value::from(text.as_str())),
            _ => None,
        });
        let texts: Vec<_> = texts.collect();
        if !texts.is_empty() {
            fields.insert("resources".to_owned(), texts.into());
        }
    }
    let data: Vec<&str> = images_of(content).map(|it| &*it.data).collect();
    strip(&mut object, &data, DEPTH_MAX);
    object
}

/// Formats `object` for counting and paging; a lone text stays as it is.
fn text(object: &Value) -> String {
    let fields = object.as_object();
    let only = fields.filter(|it| it.len() == 1).and_then(|it| it.get("text")?.as_str());
    only.map_or_else(|| object.to_string(), str::to_owned)
}

fn strip(value: &mut Value, pictures: &[&str], depth: usize) {
    match value {
        Value::String(text)
            if text.len() > BASE64_CHARS_MIN
                && (pictures.contains(&text.as_str()) || is_base64(text)) =>
        {
            *text = format!("[{} characters, not shown]", text.len());
        }
        Value::Array(_) | Value::Object(_) if depth == 0 => *value = "[too deep]".into(),
        Value::Array(entries) => entries.iter_mut().for_each(|it| strip(it, pictures, depth - 1)),
        Value::Object(fields) => {
            // A resource that is named and shown needs no further mention.
            if fields.contains_key("uri") {
                let is_shown = |it: &Value| it.as_str().is_some_and(|it| pictures.contains(&it));
                fields.retain(|name, it| name != "data" || !is_shown(it));
            }
            fields.values_mut().for_each(|it| strip(it, pictures, depth - 1));
        }
        _ => {}
    }
}

/// Whether a long text is only base64 data or a data URL.
fn is_base64(text: &str) -> bool {
    let data = match text.split_once(";base64,") {
        Some((before, data)) if before.starts_with("data:") && before.len() < 128 => data,
        _ => text,
    };
    let is_letter = |it: u8| it.is_ascii_alphanumeric() || b"+/=-_\r\n".contains(&it);
    let has = |fits: fn(&u8) -> bool| data.as_bytes().iter().any(fits);
    data.bytes().all(is_letter)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Image;

    fn answered(id: &str, structured: Value, content: Vec<Part>) -> Answered {
        let (name, reason) = ("read".to_owned(), String::new());
        let (arguments, meta) = Default::default();
        let call = ToolCall { id: id.to_owned(), name, arguments, meta, reason };
        Answered { call, result: ToolResult::Output { structured, meta: json!({}), content } }
    }

    fn text(id: &str, text: String) -> Answered {
        answered(id, json!({}), vec![Part::text(text)])
    }

    fn read(answered: &[Answered], id: &str, offset: usize) -> Value {
        let mut call = answered[0].call.clone();
        call.arguments.insert("call".to_owned(), id.into());
        call.arguments.insert("offset".to_owned(), offset.into());
        match page(&call, answered) {
            ToolResult::Output { structured, .. } => structured,
            ToolResult::Failed(failure) => failure.object(),
        }
    }

    #[test]
    fn keeps_texts_within_the_budget_whole() {
        let page: String = "ページの文。".chars().cycle().take(29_000).collect();
        let one = text("a", page.clone());
        assert_eq!(readable(&one, budget(1))["text"], page);
        assert!(!is_cut(std::slice::from_ref(&one)));
        let list: Vec<_> = (0..500).collect();
        let list = answered("b", json!({ "list": list }), Vec::new());
        assert_eq!(readable(&list, budget(1))["list"][499], 499);
        let eight: Vec<_> = (0..8).map(|at| text(&at.to_string(), page.clone())).collect();
        assert!(is_cut(&eight), "all results of a round have a budget together");
        let all: usize =
            eight.iter().map(|it| readable(it, budget(8)).to_string().chars().count()).sum();
        assert!(all < ROUND_CHARS_MAX + 8 * 400, "{all}");
    }

    #[test]
    fn shortens_long_text_and_pages_through_the_rest() {
        let whole: String = (0..20_000).map(|at| format!("{at:05}。")).collect();
        let one = text("t1", whole.clone());
        assert!(is_cut(std::slice::from_ref(&one)));
        let value = readable(&one, budget(1));
        let part = |name: &str| value[name].as_str().unwrap().to_owned();
        assert!(whole.starts_with(&part("beginning")) && whole.ends_with(&part("end")));
        let shown = part("beginning").chars().count() + part("end").chars().count();
        assert_eq!(shown, RESULT_CHARS_MAX);
        assert!(part("left_out").contains(&(whole.chars().count() - shown).to_string()));
        // Reads all pages to the end.
        let all = [one];
        let mut offset = part("beginning").chars().count();
        assert!(part("left_out").contains(&format!("\"offset\": {offset}")), "{value}");
        let mut text = part("beginning");
        loop {
            let page = read(&all, "t1", offset);
            text.push_str(page["text"].as_str().unwrap());
            match page["next_offset"].as_u64() {
                Some(next) => offset = usize::try_from(next).unwrap(),
                None => break,
            }
        }
        assert_eq!(text, whole);
        assert_eq!(read(&all, "t1", 10_000_000)["text"], "");
        assert_eq!(read(&all, "t2", 0)["error"], "no_result");
    }

    #[test]
    fn drops_base64_and_keeps_resources() {
        let data = "A".repeat(10_000);
        let image = Image { mime_type: "image/png".to_owned(), data: data.as_str().into() };
        let bytes: String = "aGVsbG8gd29ybGQ0Cg".chars().cycle().take(6_000).collect();
        let named = json!({ "uri": "card://a/image", "data": data });
        let structured = json!({ "named": named, "data": data, "other": bytes, "url": format!("data:image/png;base64,{bytes}"),
                "text": "x".repeat(6_000) });
        let content = vec![Part::image(image), resource("file:///a", "文書")];
        let value = readable(&answered("a", structured, content), budget(1));
        assert_eq!(value["named"], json!({ "uri": "card://a/image" }));
        assert_eq!(value["data"], "[10000 characters, not shown]");
        assert_eq!(value["other"], "[6000 characters, not shown]");
        assert!(value["url"].as_str().unwrap().ends_with("not shown]"));
        assert_eq!(value["text"].as_str().unwrap().len(), 6_000, "a text, if a dull one");
        assert_eq!(value["resources"], json!(["[Resource file:///a]\n文書"]));
    }

    #[test]
    fn drops_values_beyond_max_depth() {
        let deep = (0..100).fold(json!(1), |deep, _| json!([deep]));
        let value = readable(&answered("a", json!({ "deep": deep }), Vec::new()), budget(1));
        assert!(value["deep"].to_string().contains("too deep"));
    }
}
