//! Forms from schemas, and arguments from forms.

use serde_json::json;

use super::*;
use crate::mcp::wire::{Explained, Tool};
use crate::text::Lang;

fn form(schema: &Value) -> Form {
    Form::from_schema(schema, &|_| Explained::default())
}

fn reserve() -> Form {
    form(&json!({ "type": "object", "required": ["user_id", "showtime_id", "seat_ids"],
        "properties": {
            "idempotency_key": { "type": ["string", "null"] },
            "user_id": { "type": "string", "minLength": 1, "maxLength": 100 },
            "showtime_id": { "type": "string" },
            "seat_ids": { "type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true,
                "items": { "type": "string" } },
        } }))
}

fn field<'a>(form: &'a Form, name: &str) -> &'a Field {
    form.all().into_iter().find(|it| it.name == name).unwrap()
}

fn typed(form: &Form, entries: &[(&str, Entry)]) -> Draft {
    let mut draft = Draft::default();
    for (name, entry) in entries {
        draft.put(field(form, name), entry.clone());
    }
    draft
}

fn text(text: &str) -> Entry {
    Entry::Text(text.to_owned())
}

fn items(items: &[&str]) -> Entry {
    Entry::Items(items.iter().map(ToString::to_string).collect())
}

fn messages(form: &Form, draft: &Draft) -> Vec<(String, String)> {
    let faults = form.arguments(draft).unwrap_err();
    faults.into_iter().map(|it| (it.pointer.clone(), it.message(Lang::En))).collect()
}

#[test]
fn explains_nested_fields_by_dotted_path() {
    let schema = json!({ "properties": { "message": { "type": "object", "properties": {
        "sender": { "type": "string", "description": "送信者" },
    } } } });
    let explained = |path: &str| Explained {
        help: (path == "message.sender").then(|| "Who said it".to_owned()),
        label: None,
    };
    assert_eq!(field(&Form::from_schema(&schema, &explained), "sender").label, "Who said it");
    assert_eq!(field(&form(&schema), "sender").label, "送信者");
}

#[test]
fn japanese_description_begins_with_label() {
    let label = |text: &str| {
        let schema =
            json!({ "properties": { "one_two": { "type": "string", "description": text } } });
        let form = form(&schema);
        let field = field(&form, "one_two");
        (field.label.clone(), field.help.clone().unwrap_or_default())
    };
    let pair = |label: &str, help: &str| (label.to_owned(), help.to_owned());
    assert_eq!(
        label("任意。上映日（年月日）。なければ全部"),
        pair("上映日", "年月日。なければ全部")
    );
    assert_eq!(
        label("座席のID（別の道具の値）。すべて予約する"),
        pair("座席のID", "別の道具の値。すべて予約する")
    );
    assert_eq!(label("送信者。"), pair("送信者", ""));
    let listed = "長い文、つまり読点のあるものや、十六字を超えるものは、見出しになりません。";
    assert_eq!(label(listed), pair("One two", listed));
}

#[test]
fn long_english_description_is_no_label() {
    let label =
        |text: &str| labelled("one_two", Explained { label: None, help: Some(text.into()) });
    let long = "The film, as list_movies names it; without it, all films that are on";
    assert_eq!(label(long), ("One two".to_owned(), Some(long.to_owned())));
    assert_eq!(label("To whom").0, "To whom");
}

#[test]
fn required_fields_come_first_and_are_named_if_missing() {
    let form = reserve();
    assert!(!form.fields[3].required);
    let draft = typed(&form, &[("user_id", text("tanaka")), ("seat_ids", items(&["", ""]))]);
    let needed = "This is needed.".to_owned();
    let expected = [("/showtime_id".to_owned(), needed.clone()), ("/seat_ids".to_owned(), needed)];
    let mut found = messages(&form, &draft);
    found.sort_by(|a, b| b.cmp(a));
    assert_eq!(found, expected);
}

#[test]
fn form_becomes_exactly_its_arguments() {
    let form = reserve();
    let draft = typed(
        &form,
        &[
            ("user_id", text("田中")),
            ("showtime_id", text("s1")),
            ("seat_ids", items(&["A1", "", "A2"])),
        ],
    );
    let expected = json!({ "user_id": "田中", "showtime_id": "s1", "seat_ids": ["A1", "A2"] });
    assert_eq!(form.arguments(&draft).unwrap(), expected);
}

#[test]
fn error_message_names_the_limits() {
    let form = reserve();
    let seats = |seats: &[&str]| {
        let draft = typed(
            &form,
            &[("user_id", text("t")), ("showtime_id", text("s")), ("seat_ids", items(seats))],
        );
        messages(&form, &draft)[0].1.clone()
    };
    assert_eq!(seats(&["A1", "A2", "A3"]), "At most 2 are allowed.");
    assert_eq!(seats(&["A1", "A1"]), "The same one is given twice.");
}

#[test]
fn reads_every_field_kind_from_schema() {
    let form = form(&json!({ "properties": {
        "date": { "type": "string", "format": "date" },
        "count": { "type": "integer", "minimum": 1, "maximum": 9 },
        "ratio": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
        "flag": { "type": "boolean", "default": true },
        "kind": { "$ref": "#/$defs/Kind" },
        "tags": { "type": "array", "items": { "enum": ["a", "b"] } },
        "passkey": { "type": "string" },
        "place": { "type": "object", "properties": { "lat": { "type": "number" } }, "required": ["lat"] },
        "free": {}, "rows": { "type": "array", "items": { "type": "object" } },
    }, "$defs": { "Kind": { "oneOf": [
        { "const": "standard", "description": "Ordinary" }, { "enum": ["premium"] },
    ] } } }));
    let kind = |name: &str| field(&form, name).kind.clone();
    let is_date = |kind: &Kind| matches!(kind, Kind::Text(text) if text.format == Format::Date);
    assert!(is_date(&kind("date")));
    assert_eq!(
        kind("count"),
        Kind::Number(Number { integer: true, min: Some(1.0), max: Some(9.0) })
    );
    assert_eq!(kind("ratio"), Kind::Number(Number::default()));
    assert_eq!(kind("flag"), Kind::Switch);
    let Kind::Choice(choices) = kind("kind") else { panic!("a choice") };
    assert_eq!(choices[0].label, "standard — Ordinary");
    assert_eq!(choices[1].value, "\"premium\"");
    assert!(matches!(kind("tags"), Kind::Choices { .. }));
    assert!(field(&form, "passkey").is_secret());
    assert!(matches!(kind("place"), Kind::Group(_)));
    assert_eq!((kind("free"), kind("rows")), (Kind::Json, Kind::Json));
}

#[test]
fn notation_of_a_day_makes_a_date_input() {
    let kind = |description: &str| {
        let text = json!({ "type": ["string", "null"], "description": description });
        form(&json!({ "properties": { "at": text } })).fields[0].kind.clone()
    };
    let date = Kind::Text(Text { format: Format::Date, ..Text::default() });
    for day in [
        "任意。上映日（YYYY-MM-DD）。指定がなければ今日以降",
        "The day, as YYYY-MM-DD.",
        "Optional. The first day (YYYY-MM-DD). Without it, today",
        "Optional. YYYY-MM-DD",
    ] {
        assert_eq!(kind(day), date, "{day}");
    }
    for other in [
        "The moment (YYYY-MM-DDTHH:MM:SS)",
        "As YYYY-MM-DD HH:MM",
        "The day",
        "任意。上映日（YYYY-MM-DD）。時刻（YYYY-MM-DDTHH:MM）を付けると以降",
        "Filter, e.g. created >= 'YYYY-MM-DD'",
        "YYYY-MM-DD/YYYY-MM-DD",
        "Note; dates as YYYY-MM-DD.",
        "Note with dates as YYYY-MM-DD.",
    ] {
        assert_ne!(kind(other), date, "{other}");
    }
}

#[test]
fn checks_numbers_dates_and_json_before_sending() {
    let form = form(&json!({ "properties": {
        "a": { "type": "integer", "minimum": 1 }, "b": { "type": "string", "format": "date" },
        "c": { "type": "object" }, "d": { "type": "number" },
    } }));
    let draft = typed(
        &form,
        &[("a", text("1.5")), ("b", text("2026-02-30")), ("c", text("{")), ("d", text("many"))],
    );
    let found = messages(&form, &draft);
    let message = |at: &str| found.iter().find(|it| it.0 == at).unwrap().1.as_str();
    assert_eq!(message("/a"), "This must be a whole number.");
    assert_eq!(message("/b"), "A date is written YYYY-MM-DD.");
    assert!(message("/c").starts_with("This is not JSON"));
    assert_eq!(message("/d"), "This must be a number.");
}

#[test]
fn sends_optional_group_only_if_filled() {
    let form = form(&json!({ "properties": { "place": { "type": "object", "required": ["lat"],
        "properties": { "lat": { "type": "number" } } } } }));
    assert_eq!(form.arguments(&Draft::default()).unwrap(), json!({}));
    let draft = typed(&form, &[("lat", text("35.6"))]);
    assert_eq!(form.arguments(&draft).unwrap(), json!({ "place": { "lat": 35.6 } }));
    let draft = typed(&form, &[("place", Entry::Flag(true))]);
    assert_eq!(messages(&form, &draft)[0].0, "/place/lat");
}

#[test]
fn keeps_typed_text_over_new_schema_but_no_secrets() {
    let before = form(&json!({ "properties": { "name": { "type": "string" } } }));
    let draft = typed(&before, &[("name", text("Suzuki"))]);
    let after = form(&json!({ "required": ["name"], "properties": {
        "name": { "type": "string" }, "passkey": { "type": "string" } } }));
    assert_eq!(draft.text(field(&after, "name")), "Suzuki");
    let draft = typed(&after, &[("name", text("Suzuki")), ("passkey", text("1234"))]);
    let stored = draft.without_secrets(&after);
    assert_eq!(stored.text(field(&after, "passkey")), "");
    assert_eq!(stored.text(field(&after, "name")), "Suzuki");
}

#[test]
fn short_description_is_label_and_long_one_hint() {
    let long = "The user who has reserved. Another one cannot cancel it, so write it with care.";
    let form = form(&json!({ "properties": {
        "a": { "description": "上映回のID。" }, "user_id": { "description": long },
        "c": { "title": "Title", "description": "Help" },
        "d": { "description": "Optional. Can be left out" },
    } }));
    let both = |name: &str| (field(&form, name).label.clone(), field(&form, name).help.clone());
    assert_eq!(both("a"), ("上映回のID".to_owned(), None));
    assert_eq!(both("user_id"), ("User ID".to_owned(), Some(long.to_owned())));
    assert_eq!(both("d").0, "D");
    assert_eq!(both("c"), ("Title".to_owned(), Some("Help".to_owned())));
}

#[test]
fn splits_name_used_as_label_into_words() {
    for (name, label) in [
        ("seat_ids", "Seat IDs"),
        ("user-id", "User ID"),
        ("cancelLabel", "Cancel label"),
        ("count", "Count"),
        ("", ""),
    ] {
        let form = form(&json!({ "properties": { name: {} } }));
        assert_eq!(form.fields[0].label, label, "{name}");
    }
}

#[test]
fn tools_own_label_wins() {
    let schema = json!({ "properties": {
        "idempotency_key": { "title": "Key", "description": "任意。同じキーなら一度だけ", "type": "string" } } });
    let explained = |_: &str| Explained { label: Some("再送キー".to_owned()), help: None };
    let form = Form::from_schema(&schema, &explained);
    assert_eq!(form.fields[0].label, "再送キー");
    assert_eq!(form.fields[0].help.as_deref(), Some("任意。同じキーなら一度だけ"));
}

#[test]
fn separates_optional_program_fields() {
    let form = reserve();
    let folded = form.fields.iter().filter(|it| it.is_for_programs).map(|it| &*it.name);
    assert_eq!(folded.collect::<Vec<_>>(), ["idempotency_key"]);
    let needed =
        json!({ "required": ["cursor"], "properties": { "cursor": { "type": "string" } } });
    assert!(!Form::from_schema(&needed, &|_| Explained::default()).fields[0].is_for_programs);
}

/// Every label of every bundled tool is in the chosen language.
#[test]
fn bundled_tools_have_japanese_labels() {
    let components = concat!(env!("CARGO_MANIFEST_DIR"), "/../components");
    let mut labels = 0;
    for folder in std::fs::read_dir(components).unwrap() {
        let Ok(tools) = std::fs::read(folder.unwrap().path().join("tools.json")) else { continue };
        let tools: Vec<Value> = serde_json::from_slice(&tools).unwrap();
        for tool in tools.iter().map(Tool::parse).filter(|it| !it.is_for_pages()) {
            for lang in [Lang::Ja, Lang::En] {
                let form = Form::from_schema(&tool.input_schema, &|name| tool.argument(lang, name));
                for field in form.all() {
                    let is_kana = |it: char| ('\u{3040}'..='\u{9fff}').contains(&it);
                    let context = format!("{}: {}: {:?}", tool.name, field.name, field.label);
                    match lang {
                        Lang::Ja => assert!(field.label.contains(is_kana), "{context}"),
                        Lang::En => assert!(!field.label.starts_with(is_kana), "{context}"),
                    }
                    labels += 1;
                }
            }
        }
    }
    assert!(labels > 200, "{labels}");
}

#[test]
fn escapes_slash_in_field_pointer() {
    let form = form(&json!({ "properties": { "a/b": { "type": "string" } } }));
    assert_eq!(form.fields[0].pointer, "/a~1b");
    assert_eq!(form.fields[0].id(), "field-a-1b");
}
