//! The JSON of an answer (ILL-40, ILL-41), and of calls that wait for the person.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    Answered, Body, Conclusion, Image, Language, Offer, Part, PendingCall, Stopped, ToolCall,
    ToolResult, Usage, Wait, images_of, text_of,
};

/// Maximum facts of one result in an answer without a model, and characters of one.
const FACTS_MAX: usize = 16;
const FACT_CHARS_MAX: usize = 600;

/// An image as JSON: `{mimeType, data}`.
pub(super) fn image(image: &Image) -> Value {
    json!({ "mimeType": image.mime_type, "data": &*image.data })
}

/// The answer's entry for the history; signatures are verbatim (ILL-27).
pub(super) fn parts(parts: &[Part]) -> Vec<Value> {
    let each = |source: &Part| {
        let mut part = match &source.body {
            Body::Text(text) => json!({ "text": text }),
            Body::Image(it) => json!({ "inlineData": image(it) }),
        };
        if let Some(signature) = &source.signature {
            part["thoughtSignature"] = signature.as_str().into();
        }
        part
    };
    parts.iter().map(each).collect()
}

/// Pictures made by `tool`, if the answer has none of its own.
pub(super) fn made_by(tool: Option<&str>, answered: &[Answered]) -> Vec<Image> {
    let Some(tool) = tool else { return Vec::new() };
    let made = answered.iter().filter(|it| it.call.name == tool);
    let mut pictures = made.filter_map(|answered| match &answered.result {
        ToolResult::Output { content, .. } => Some(images_of(content).cloned()),
        ToolResult::Failed(_) => None,
    });
    // Each draft replaces the one before.
    pictures.next_back().into_iter().flatten().collect()
}

/// JSON of one call.
pub(super) fn call(
    call: &ToolCall,
    result: &ToolResult,
    ms: Option<&u64>,
    offers: &[Offer],
    language: Language,
) -> Value {
    let offer = offers.iter().find(|it| it.name == call.name);
    let mut entry = json!({
        "id": call.id,
        "name": call.name,
        "title": offer.and_then(|it| it.title.as_deref()),
        "server": offer.map(|it| &*it.owner),
        "view": offer.and_then(|it| it.view.as_deref()),
        "params": call.arguments,
        "reason": call.reason,
        "ms": ms,
        "isError": matches!(result, ToolResult::Failed(_)),
    });
    if let ToolResult::Failed(failure) = result {
        entry["error"] = failure.for_people(language).into();
    }
    entry
}

/// JSON of all ended calls, and of those that wait with a result.
pub(super) fn calls(
    answered: &[Answered],
    waiting: &[PendingCall],
    ms: &BTreeMap<String, u64>,
    offers: &[Offer],
    language: Language,
) -> Vec<Value> {
    let finished = answered.iter().map(|it| (&it.call, &it.result));
    let held = waiting.iter().filter_map(|held| match &held.wait {
        Wait::Form { result } | Wait::Choice { result } => Some((&held.call, result)),
        Wait::Approval | Wait::Answers { .. } => None,
    });
    let all = finished.chain(held);
    all.map(|(it, result)| call(it, result, ms.get(&it.id), offers, language)).collect()
}

/// JSON of a call that waits for the person.
pub(super) fn waiting(held: &PendingCall, offers: &[Offer], language: Language) -> Value {
    let (call, id) = (&held.call, &held.call.id);
    match &held.wait {
        Wait::Approval => {
            let offer = offers.iter().find(|it| it.name == call.name);
            let mut approval = json!({
                "type": "approval", "callId": id, "name": call.name,
                "approval": held.approval,
                "title": offer.and_then(|it| it.title.as_deref()),
                "description": offer.map(|it| &*it.description),
                "server": offer.map(|it| &*it.owner),
                "trust": held.trust,
                "params": call.arguments, "reason": call.reason,
            });
            if !held.changed.is_empty() {
                approval["changed"] = json!(held.changed);
                approval["reason"] = changed_since(&call.name, language).into();
            }
            approval
        }
        Wait::Answers { questions } => {
            json!({
                "type": "questions", "callId": id, "name": call.name, "questions": questions,
                "approval": held.approval,
            })
        }
        Wait::Form { result } => {
            let mut form = json!({ "type": "form", "callId": id, "name": call.name });
            if let ToolResult::Output { structured, meta, .. } = result {
                form["schema"] = structured["schema"].clone();
                if let Some(handle) = meta["forms/form"]["handle"].as_str() {
                    form["handle"] = handle.into();
                }
            }
            form
        }
        Wait::Choice { result } => {
            json!({ "type": "choice", "callId": id, "name": call.name, "images": named_pictures(result) })
        }
    }
}

/// All pictures among which the person chooses.
pub(super) fn choices(waiting: &[PendingCall]) -> Vec<Value> {
    let choices = waiting.iter().filter_map(|held| match &held.wait {
        Wait::Choice { result } => Some(named_pictures(result)),
        Wait::Approval | Wait::Answers { .. } | Wait::Form { .. } => None,
    });
    choices.flatten().collect()
}

/// Pictures of a result with their names, from their objects, or from `_meta` for a single one.
fn named_pictures(result: &ToolResult) -> Vec<Value> {
    let ToolResult::Output { structured, meta, content } = result else { return Vec::new() };
    let pictures: Vec<_> = images_of(content).collect();
    let lists = structured.as_object().into_iter().flat_map(|it| it.values());
    let listed = lists.filter_map(Value::as_array).flatten().chain([structured]);
    let listed: Vec<_> = listed.filter(|it| it["data"].is_string()).collect();
    let only = || name(meta).filter(|_| pictures.len() == 1);
    let each = pictures.iter().map(|source| {
        let found = listed.iter().find(|it| it["data"] == *source.data);
        let mut picture = image(source);
        picture["name"] = found.and_then(|it| name(it)).or_else(only).unwrap_or_default().into();
        picture
    });
    each.collect()
}

/// Finds the name or title among the members of `value`.
fn name(value: &Value) -> Option<&str> {
    let is_name = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.ends_with("name") || key.ends_with("title")
    };
    let mut names = value.as_object()?.iter().filter(|it| is_name(it.0));
    names.find_map(|it| it.1.as_str())
}

/// JSON of the turn's tokens, and of their price if known.
pub(super) fn usage(total: &Usage) -> Value {
    let mut usage = json!({
        "inputTokens": total.input_tokens, "cachedTokens": total.cached_tokens,
        "outputTokens": total.output_tokens,
    });
    if let Some(cost) = total.cost_usd {
        usage["costUsd"] = cost.into();
    }
    usage
}

/// Stop reason and text for a run that was stopped (ILL-25).
pub(super) fn notice(stopped: Stopped, language: Language) -> (&'static str, &'static str) {
    match stopped {
        Stopped::Rounds => (
            "max_tool_rounds",
            language.pick(
                "ツールの呼び出し回数が上限に達したため、ここで止めました。",
                "It was stopped here, because tools were called as often as they may be.",
            ),
        ),
        Stopped::Time => (
            "deadline",
            language.pick(
                "制限時間に達したため、ここで止めました。",
                "It was stopped here, because it took as long as it may.",
            ),
        ),
    }
}

/// Text for a person who is asked again because tools have changed.
pub(super) fn changed(waiting: &[PendingCall], language: Language) -> Option<String> {
    let names = waiting.iter().filter(|it| !it.changed.is_empty());
    let names: Vec<_> = names.map(|it| it.call.name.as_str()).collect();
    (!names.is_empty()).then(|| changed_since(&names.join(", "), language))
}

fn changed_since(tools: &str, language: Language) -> String {
    language.pick(
        format!(
            "許可を求めたあとでツール（{tools}）の内容が変わったため、まだ実行していません。今の内容を確かめて、もう一度お答えください。"
        ),
        format!(
            "The tool has changed since you were asked ({tools}), so nothing was done yet. Look at what it is now, and answer again."
        ),
    )
}

/// Text for a model that does not answer to calls that changed something: to ask for it again would do it twice.
pub(super) fn silent_after_changes(language: Language) -> &'static str {
    language.pick(
        "上の操作は実行済みですが、モデルから応答がありませんでした。同じ依頼を送り直さず、続きだけを送ってください。",
        "What stands above was done, but the model did not answer to it. Do not ask for it again; say only what comes next.",
    )
}

/// Text for a model's empty answer.
pub(super) fn nothing(is_cut: bool, has_changed: bool, language: Language) -> &'static str {
    match is_cut {
        _ if has_changed => silent_after_changes(language),
        true => language.pick(
            "長さの上限に達し、答えがひとつも書かれませんでした。質問を短く分けてお試しください。",
            "Nothing was written before the answer had its full length; ask for less at once.",
        ),
        false => language.pick(
            "モデルが何も答えませんでした。もう一度送るか、言い方を変えてお試しください。",
            "The model answered nothing; send it again, or say it in other words.",
        ),
    }
}

/// Formats call results for an answer without a model; those that changed something in full.
pub(super) fn done(answered: &[Answered], offers: &[Offer], language: Language) -> String {
    let line = |answered: &Answered| {
        let offer = offers.iter().find(|offer| offer.name == answered.call.name);
        let name = offer.and_then(|it| it.title.as_deref()).unwrap_or(&answered.call.name);
        match &answered.result {
            ToolResult::Failed(failure) => {
                let why = failure.for_people(language);
                match failure.is_unfinished() {
                    true => format!("{name}: {why}"),
                    false => language.pick(
                        format!("{name}: できませんでした（{why}）"),
                        format!("{name}: not done ({why})"),
                    ),
                }
            }
            ToolResult::Output { structured, content, .. } => {
                let done = language.pick(format!("{name}: 実行しました"), format!("{name}: done"));
                let is_read = offer.is_some_and(|it| it.is_read_only);
                let what = if is_read { String::new() } else { facts(structured, content) };
                match what.is_empty() {
                    true => done,
                    false => format!("{done}\n{what}"),
                }
            }
        }
    };
    answered.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Facts of a result: its sentences, otherwise its simple members by name.
fn facts(structured: &Value, content: &[Part]) -> String {
    let text = text_of(content);
    let text = text.trim();
    let is_json = serde_json::from_str::<Value>(text).is_ok_and(|it| !it.is_string());
    let fields = structured.as_object().into_iter().flatten();
    let fields = fields.filter_map(|(name, it)| Some(format!("- {name}: {}", plain(it)?)));
    let fields: Vec<_> = fields.take(FACTS_MAX).collect();
    match (text.is_empty() || is_json, fields.is_empty()) {
        (false, true) => text.chars().take(FACT_CHARS_MAX * FACTS_MAX).collect(),
        (false, false) => {
            let text: String = text.chars().take(FACT_CHARS_MAX).collect();
            format!("{text}\n{}", fields.join("\n"))
        }
        (true, _) => fields.join("\n"),
    }
}

/// Formats a value that fits into a line.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if text.is_empty() || text.len() > FACT_CHARS_MAX => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(all) => {
            let each = |value: &Value| match value {
                Value::Object(fields) => fields.values().find_map(plain),
                it => plain(it),
            };
            let all: Vec<_> = all.iter().take(FACTS_MAX).filter_map(each).collect();
            (!all.is_empty()).then(|| all.join(", "))
        }
        Value::Object(_) => None,
    }
}

/// Conclusion of a run whose model failed: what was done, and `notice`.
pub(super) fn failed(
    answered: &[Answered],
    offers: &[Offer],
    notice: &str,
    language: Language,
) -> Conclusion {
    ended(answered, &done(answered, offers, language), notice)
}

/// Whether a call was done, or may have been, of a tool that does more than read.
pub(super) fn has_changed(answered: &[Answered], offers: &[Offer]) -> bool {
    answered.iter().any(|answered| {
        let is_read = offers.iter().any(|it| it.name == answered.call.name && it.is_read_only);
        let is_done = match &answered.result {
            ToolResult::Output { .. } => true,
            ToolResult::Failed(failure) => failure.is_unfinished(),
        };
        is_done && !is_read
    })
}

/// Conclusion of a run that was stopped: what its calls changed, or may have changed, and `notice`.
pub(super) fn stopped(
    (answered, left): (&[Answered], &[Answered]),
    offers: &[Offer],
    notice: &str,
    language: Language,
) -> Conclusion {
    let is_in = |it: &&Answered| answered.iter().any(|other| other.call.id == it.call.id);
    let all = answered.iter().chain(left.iter().filter(|it| !is_in(it)));
    let changes = |answered: &&Answered| {
        offers.iter().any(|offer| offer.name == answered.call.name && !offer.is_read_only)
    };
    let all: Vec<_> = all.filter(changes).cloned().collect();
    ended(answered, &done(&all, offers, language), notice)
}

/// Conclusion of a run without an answer: what was `done`, `notice`, and the pictures of its last results.
fn ended(answered: &[Answered], done: &str, notice: &str) -> Conclusion {
    let text = match done.is_empty() {
        true => notice.to_owned(),
        false => format!("{done}\n\n{notice}"),
    };
    let last = answered.iter().rev().find_map(|answered| match &answered.result {
        ToolResult::Output { content, .. } => {
            let pictures: Vec<_> = images_of(content).cloned().map(Part::image).collect();
            (!pictures.is_empty()).then_some(pictures)
        }
        ToolResult::Failed(_) => None,
    });
    let mut parts = vec![Part::text(text)];
    parts.extend(last.into_iter().flatten());
    Conclusion { parts, ..Conclusion::default() }
}

/// Text and pictures of an answer.
pub(super) fn text_and_images(conclusion: &Conclusion) -> (String, Vec<Value>) {
    (conclusion.text(), images_of(&conclusion.parts).map(image).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Failure;

    fn answered(name: &str, result: ToolResult) -> Answered {
        let (arguments, meta) = Default::default();
        let (id, name, reason) = (format!("{name}-1"), name.to_owned(), String::new());
        Answered { call: ToolCall { id, name, arguments, meta, reason }, result }
    }

    #[test]
    fn stopped_run_tells_what_it_changed_or_may_have() {
        let offer = |name: &str, is_read_only| Offer {
            name: name.to_owned(),
            is_read_only,
            ..Offer::default()
        };
        let offers = [offer("look", true), offer("book", false), offer("send", false)];
        let output =
            |structured| ToolResult::Output { structured, meta: json!({}), content: Vec::new() };
        let booked = answered("book", output(json!({ "number": "A-7" })));
        let looked = answered("look", output(json!({ "x": 1 })));
        let left = [booked.clone(), answered("send", ToolResult::Failed(Failure::unfinished()))];
        let texts = |language| {
            let answered = [looked.clone(), booked.clone()];
            stopped((&answered, &left), &offers, "Stopped.", language).text()
        };
        assert_eq!(
            texts(Language::English),
            "book: done\n- number: A-7\nsend: It did not end in time and may still have been done; look before you ask for it again.\n\nStopped."
        );
        let japanese = texts(Language::Japanese);
        assert!(japanese.contains("確かめてください") && !japanese.contains("waited for"));
        let own = Failure::new("deadline", 409, "締め切りは昨日でした。");
        let own = [answered("send", ToolResult::Failed(own))];
        let own = stopped((&own, &[]), &offers, "Stopped.", Language::Japanese).text();
        assert_eq!(own, "send: できませんでした（締め切りは昨日でした。）\n\nStopped.");
        let nothing = stopped((&[looked], &[]), &offers, "Stopped.", Language::English);
        assert_eq!(nothing.text(), "Stopped.");
    }

    #[test]
    fn what_was_done_is_not_to_be_asked_for_again() {
        let offer = |name: &str, is_read_only| Offer {
            name: name.to_owned(),
            is_read_only,
            ..Offer::default()
        };
        let offers = [offer("look", true), offer("book", false)];
        let output =
            || ToolResult::Output { structured: json!({}), meta: json!({}), content: Vec::new() };
        let refused = || ToolResult::Failed(Failure::new("full", 409, "It is full."));
        for (name, result, is_changed) in [
            ("look", output(), false),
            ("book", output(), true),
            ("book", refused(), false),
            ("book", ToolResult::Failed(Failure::unfinished()), true),
            ("gone", output(), true),
        ] {
            let all = [answered(name, result)];
            assert_eq!(has_changed(&all, &offers), is_changed, "{all:?}");
        }
        for (is_cut, has_changed, says) in [
            (false, true, "Do not ask for it again"),
            (true, true, "Do not ask for it again"),
            (false, false, "send it again"),
            (true, false, "ask for less"),
        ] {
            assert!(nothing(is_cut, has_changed, Language::English).contains(says), "{says}");
        }
    }

    #[test]
    fn people_read_reasons_in_their_language() {
        let own = |code: &str| {
            let mut own = Failure::new(code, 409, "座席は予約済みです。");
            own.data.insert("english".to_owned(), "The seat is taken.".into());
            own
        };
        for (failure, japanese, english) in [
            (own("seat_taken"), "座席は予約済みです。", "The seat is taken."),
            (
                Failure::read(
                    r#"{"error":"not_allowed","message":"For models.","status":403,"isHosts":true}"#,
                ),
                "承認されなかったため、実行していません。",
                "It was not allowed, so it was not done.",
            ),
            (
                Failure::read(
                    r#"{"error":"not_allowed","message":"The person did not sign in.","status":403}"#,
                ),
                "The person did not sign in.",
                "The person did not sign in.",
            ),
            (Failure::new("full", 409, "It is full."), "It is full.", "It is full."),
            (own("not_allowed"), "座席は予約済みです。", "The seat is taken."),
            (own("unknown_tool"), "座席は予約済みです。", "The seat is taken."),
            (own("too_many_calls"), "座席は予約済みです。", "The seat is taken."),
            (own("deadline"), "座席は予約済みです。", "The seat is taken."),
        ] {
            let entry = |language| {
                let failed = answered("book", ToolResult::Failed(failure.clone()));
                call(&failed.call, &failed.result, None, &[], language)["error"].clone()
            };
            assert_eq!(entry(Language::Japanese), japanese);
            assert_eq!(entry(Language::English), english);
        }
    }

    #[test]
    fn choices_carry_picture_names() {
        let picture = |data: &str| {
            Part::image(Image { mime_type: "image/png".to_owned(), data: data.into() })
        };
        let names = |structured: Value, meta: Value, content: &[&str]| {
            let content = content.iter().map(|it| picture(it)).collect();
            let pictures = named_pictures(&ToolResult::Output { structured, meta, content });
            pictures.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let meta = json!({ "family/itemName": "z" });
        let list = json!({ "all": [{ "item_name": "x", "data": "AA==" }, { "title": "y", "data": "AQ==" }] });
        assert_eq!(names(list, meta.clone(), &["AQ==", "AA==", "Ag=="]), ["y", "x", ""], "ILL-45");
        let alone = json!({ "mimeType": "image/png", "data": "AA==" });
        assert_eq!(names(alone, meta, &["AA=="]), ["z"], "ILL-45");
        let own = json!({ "name": "w", "data": "AA==" });
        assert_eq!(names(own, json!({}), &["AA=="]), ["w"], "ILL-45");
    }
}
