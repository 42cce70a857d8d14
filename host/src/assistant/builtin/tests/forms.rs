//! Forms that are asked for: fields, types and what they bring.

use serde_json::{Value, json};

use super::{Talk, call, concluded};
use crate::assistant::Language;

/// Name and type of each field of the form that `sentence` leads to.
fn fields(sentence: &str) -> Vec<(String, String)> {
    let decided = Talk::new().say(sentence);
    let (tool, arguments) = call(&decided);
    assert_eq!(tool, "request_form", "{sentence}");
    let fields = arguments["form_schema"]["fields"].as_array().unwrap();
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    fields.iter().map(|it| (text(it, "name"), text(it, "type"))).collect()
}

#[test]
fn fields_have_the_types_that_fit_them() {
    for (sentence, expected) in [
        ("名前とメールアドレスを聞くフォームを作って", "name:text email:text"),
        ("make a survey with name, age and a date", "name:text age:number date:date"),
        (
            "氏名、電話番号、希望日時、備考を入力するフォーム",
            "name:text phone:text datetime:datetime notes:textarea",
        ),
        (
            "A form with email, phone number, gender and comments please",
            "email:text phone:text gender:radio comment:textarea",
        ),
        ("満足度と感想のアンケートを作成して", "satisfaction:range comment:textarea"),
        ("名前、好きな色、規約への同意を聞くフォーム", "name:text field_2:text agreement:checkbox"),
        ("名前とサイズ(S・M・L)を聞くフォームを作って", "name:text field_2:radio"),
    ] {
        let found: Vec<_> =
            fields(sentence).into_iter().map(|(name, kind)| format!("{name}:{kind}")).collect();
        assert_eq!(found.join(" "), expected, "{sentence}");
    }
}

#[test]
fn what_was_filled_in_is_told() {
    let mut talk = Talk::new();
    talk.say("名前と性別を聞くフォームを作って");
    let text = concluded(&talk.say(r#"{"name": "山田", "gender": "none"}"#)).text();
    assert!(text.contains("- お名前: 山田") && text.contains("- 性別: 回答しない"), "{text}");
}

#[test]
fn what_a_form_brings_is_answered_in_the_language_of_the_sentence_before() {
    let mut talk = Talk::new();
    talk.say("名前と性別を聞くフォームを作って");
    talk.language = Some(Language::English);
    let text = concluded(&talk.say(r#"{"name": "Yamada"}"#)).text();
    assert!(text.contains("回答を受け取りました"), "{text}");
}

#[test]
fn a_form_without_fields_asks_which() {
    let mut talk = Talk::new();
    assert_eq!(fields("フォームを作って")[1], ("fields".to_owned(), "multiselect".to_owned()));
    talk.say("フォームを作って");
    let next = talk.say(r#"{"title": "会員登録", "fields": ["name", "email"]}"#);
    let (_, arguments) = call(&next);
    assert_eq!(arguments.pointer("/form_schema/title"), Some(&json!("会員登録")));
    assert_eq!(arguments["form_schema"]["fields"].as_array().unwrap().len(), 2);
}
