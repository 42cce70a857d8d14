//! Tests of which outputs pass and how often they are checked.

use serde_json::json;

use super::*;
use crate::bindings::madoguchi::tool::types::MediaContent;

fn check(schema: Option<Value>) -> OutputCheck {
    let schema = schema.map(|it| Arc::new(it.as_object().unwrap().clone()));
    OutputCheck(BTreeMap::from([("tool".into(), Promise { schema, count: 0.into() })]))
}

fn output(structured: Option<&str>) -> Output {
    Output { structured: structured.map(str::to_owned), content: Vec::new(), meta: None }
}

#[test]
fn output_must_be_object_in_every_mode() {
    let never = |json: &str| check(None).output("tool", &output(Some(json)), CheckOutputs::Never);
    assert_eq!(never(r#" {"a":[1,-2,0.5,"窓\n口",null,true,{}]}"#), Ok(()));
    for json in ["", "7", "[]", "{", "{} {}", r#"{"a":}"#, "{\"a\":\"\n\"}", r#"{"a":1e999}"#] {
        assert!(never(json).is_err(), "{json}");
    }
    let nested = |depth| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(never(&nested(100)), Ok(()));
    assert!(never(&nested(1_000_000)).unwrap_err().contains("recursion limit"));
}

#[test]
fn checks_promised_output_always_sometimes_or_never() {
    let schema = json!({ "type": "object", "required": ["answer"] });
    let count = |how| {
        let check = check(Some(schema.clone()));
        (0..1_000).filter(|_| check.output("tool", &output(Some("{}")), how).is_err()).count()
    };
    assert_eq!(count(CheckOutputs::Always), 1_000);
    assert_eq!(count(CheckOutputs::Never), 0);
    assert_eq!(count(CheckOutputs::Sampled), 114, "the first 100, then 128, 192 …");
}

#[test]
fn requires_promised_output() {
    let with = check(Some(json!({ "type": "object" })));
    let missing = with.output("tool", &output(None), CheckOutputs::Never).unwrap_err();
    assert!(missing.contains("missing"), "{missing}");
    assert_eq!(check(None).output("tool", &output(None), CheckOutputs::Always), Ok(()));
}

#[test]
fn image_must_be_of_a_type_of_pictures() {
    let image = |mime_type: &str| {
        let mime_type = mime_type.to_owned();
        let media = MediaContent { data: vec![0], mime_type, annotations: None, meta: None };
        let output = Output { content: vec![Content::Image(media)], ..output(None) };
        check(None).output("tool", &output, CheckOutputs::Never)
    };
    assert_eq!(image("image/png"), Ok(()));
    assert!(image("text/html").unwrap_err().contains("no type of pictures"));
}

#[test]
fn names_invalid_question() {
    let question =
        |key: &str, ask| Question { key: key.to_owned(), message: String::new(), ask, meta: None };
    let asked = |asks: Vec<Question>| questions(&InputRequired { questions: asks, state: None });
    let form = || Ask::Form("{}".to_owned());
    assert_eq!(asked(vec![question("a", form()), question("b", Ask::Roots)]), Ok(()));
    assert_eq!(asked(vec![question("a", Ask::Url("https://example.com/a?b".to_owned()))]), Ok(()));
    let error = |asks| asked(asks).unwrap_err();
    assert!(error(vec![question("", form())]).contains("1 to 64 bytes"));
    assert!(error(vec![question(&"k".repeat(65), form())]).contains("1 to 64 bytes"));
    assert!(error(vec![question("a", form()), question("a", form())]).contains("two questions"));
    assert!(error(vec![question("a", Ask::Form("7".to_owned()))]).contains("form"));
    assert!(error(vec![question("a", Ask::Url("file:///etc".to_owned()))]).contains("http"));
}

#[test]
fn output_may_have_more_than_expected() {
    assert_eq!(fits(r#"{"a":{"b":1}}"#, r#"{"a":{"b":1,"c":2},"d":3}"#), Ok(()));
    assert_eq!(fits(r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":1,"c":2}]}"#), Ok(()));
}

#[test]
fn names_mismatch_with_actual_value() {
    let error = fits(r#"{"a":[1,{"b":2}]}"#, r#"{"a":[1,{"b":3}]}"#).unwrap_err();
    assert_eq!(error, "/a/1/b: 2 was expected; what came was 3");
    assert!(fits(r#"{"a":[1]}"#, r#"{"a":[1,2]}"#).is_err());
    assert!(fits(r#"{"a":1}"#, "{}").unwrap_err().contains("null"));
}
