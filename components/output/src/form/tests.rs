//! The shared tables of valid and invalid forms and values, then limits, look-ups, dates, languages and secrets.

use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

mod properties;

/// A form, its values, and the expected result.
#[derive(Deserialize)]
struct Case {
    case: String,
    form: Value,
    values: Values,
    today: String,
    submission: Option<Values>,
    faults: Option<Vec<Wrongness>>,
    defaults: Option<Values>,
    shown: Option<Vec<String>>,
}

/// An invalid definition and its error.
#[derive(Deserialize)]
struct Refused {
    schema: Value,
    pointer: String,
    japanese: String,
    english: String,
}

const CASES: &str = include_str!("../../../../tests/forms/cases.json");
const FAULTS: &str = include_str!("../../../../tests/forms/faults.json");
const FORMS: [&str; 4] = [
    include_str!("../../../../tests/forms/types.json"),
    include_str!("../../../../tests/forms/examples/1-project.json"),
    include_str!("../../../../tests/forms/examples/2-assignee.json"),
    include_str!("../../../../tests/forms/examples/3-address.json"),
];

/// FORM-20 to FORM-37, FORM-45 to FORM-48.
#[test]
fn validates_every_case_of_the_table() {
    let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() >= 120, "only {} cases", cases.len());
    for it in cases {
        let name = &it.case;
        let form = Form::read(&it.form).unwrap_or_else(|error| panic!("{name}: {error}"));
        let today = Today::read(&it.today).unwrap();
        match (form.check(&it.values, today), it.submission, it.faults) {
            (Ok(found), Some(wanted), None) => {
                assert_eq!(found, wanted, "{name}");
                let order = |it: &Values| it.keys().cloned().collect::<Vec<_>>();
                assert_eq!(order(&found), order(&wanted), "{name}: the order");
            }
            (Err(found), None, Some(wanted)) => {
                let wrong = |fault: &Fault| Wrongness {
                    field: fault.field.clone(),
                    message: fault.message(Language::Japanese),
                };
                assert_eq!(found.iter().map(wrong).collect::<Vec<_>>(), wanted, "{name}");
            }
            (found, ..) => panic!("{name}: {found:?}"),
        }
        if let Some(wanted) = it.defaults {
            assert_eq!(form.clone().on(today).defaults(), wanted, "{name}: at first");
        }
        if let Some(wanted) = it.shown {
            let shown = form.shown(&it.values);
            let shown = form.fields.iter().zip(shown).filter(|(_, is_shown)| *is_shown);
            assert_eq!(shown.map(|(it, _)| it.name.clone()).collect::<Vec<_>>(), wanted, "{name}");
        }
    }
}

/// Each error of FORM-60, in both languages.
#[test]
fn rejects_invalid_definitions_in_both_languages() {
    let today = Today::read("2026-11-29").unwrap();
    for it in serde_json::from_str::<Vec<Refused>>(FAULTS).unwrap() {
        let form = Form::read(&it.schema);
        let fault = form.and_then(|it| it.check_answerable(today)).expect_err(&it.japanese);
        let types = TYPES.join(", ");
        assert_eq!(fault.to_string(), it.japanese.replace("{types}", &types));
        assert_eq!(fault.message(Language::English), it.english.replace("{types}", &types));
        assert_eq!(fault.pointer, it.pointer, "{}", it.japanese);
    }
}

/// FORM-71 to FORM-73.
#[test]
fn parses_examples_and_all_types() {
    let mut kinds = std::collections::BTreeSet::new();
    for text in FORMS {
        let form = Form::read(&serde_json::from_str(text).unwrap()).unwrap();
        kinds.extend(form.fields.iter().map(|it| it.kind.name()));
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), TYPES);
}

fn read(fields: Value) -> Result<Form, SchemaFault> {
    Form::read(&json!({"title": "表", "fields": fields}))
}

fn lookup(more: Value) -> Lookup {
    let mut field = json!({"name": "p", "type": "cascading-select", "displayField": "name",
        "valueField": "id", "dependsOn": "c", "dependsOnParam": "country code"});
    field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let form = read(json!([{"name": "c", "type": "text"}, field])).unwrap();
    form.fields[1].lookup().unwrap().clone()
}

#[test]
fn limits_the_size_of_definitions() {
    let of = |count| Value::from(vec![json!({"type": "divider"}); count]);
    assert!(read(of(FIELDS_MAX)).is_ok());
    let fault = read(of(FIELDS_MAX + 1)).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "エラー: フォームフィールド（fields）は1000個までです（1001個あります）。"
    );
    let field = |more: &str| json!([{"name": "a", "type": "text", "description": more}]);
    assert!(read(field(&"あ".repeat(2_000))).is_ok());
    assert!(read(field(&"あ".repeat(2_001))).unwrap_err().japanese.ends_with("2000文字までです。"));
    let fault = read(field(&"a".repeat(SCHEMA_BYTES_MAX))).unwrap_err();
    assert_eq!(fault.to_string(), "エラー: form_schemaが大きすぎます（上限: 256 KB）。");
    let named = |name: String| json!([{"name": name, "type": "text"}]);
    assert!(read(named("a".repeat(200))).is_ok());
    assert_eq!(read(named("a".repeat(201))).unwrap_err().pointer, "/fields/0/name");
    let options =
        |count| json!([{"name": "a", "type": "select", "options": Vec::from_iter(0..count)}]);
    assert!(read(options(2_000)).is_ok());
    assert_eq!(read(options(2_001)).unwrap_err().pointer, "/fields/0/options");
}

#[test]
fn limits_the_size_of_submissions() {
    let form = read(json!([{"name": "a", "type": "textarea"}])).unwrap();
    let today = Today::anywhere(0);
    let check = |text: String| form.check(&Values::from_iter([("a".into(), text.into())]), today);
    assert!(check("あ".repeat(TEXT_CHARS_MAX)).is_ok());
    assert_eq!(
        check("あ".repeat(TEXT_CHARS_MAX + 1)).unwrap_err()[0].wrong,
        Wrong::TooLong(20_000)
    );
    let faults = check("a".repeat(VALUES_BYTES_MAX)).unwrap_err();
    assert_eq!(faults[0].message(Language::Japanese), "入力内容が大きすぎます（上限: 256 KB）");
}

#[test]
fn limits_pattern_size_and_time() {
    let pattern = |it: &str| read(json!([{"name": "a", "type": "text", "pattern": it}]));
    for good in
        ["^.{10,500}$", r"[\w.+-]+@[\w-]+\.[a-z]{2,}", r"^https?:\/\/.+", r"[\u3040-\u309F]+"]
    {
        assert!(pattern(good).is_ok(), "{good}: {:?}", pattern(good));
    }
    for bad in ["((a{100}){100}){100}", &"(".repeat(999), &"a".repeat(1_001), "[", "*", r"\"] {
        assert!(pattern(bad).is_err(), "{bad}");
    }
    let form = pattern("(a|a)*(a|aa)*b{0,300}").unwrap();
    let value = Value::from("a".repeat(TEXT_CHARS_MAX - 1) + "c");
    let fault = form.check_field(&form.fields[0], Some(&value), Today::anywhere(0));
    assert_eq!(fault.unwrap().wrong, Wrong::Pattern(None));
}

/// As in JSON Schema and HTML, which the engine differs from.
#[test]
fn patterns_follow_ecmascript() {
    let holds = |pattern: &str, value: &str| {
        let form = read(json!([{"name": "a", "type": "text", "pattern": pattern}])).unwrap();
        form.check_field(&form.fields[0], Some(&value.into()), Today::anywhere(0)).is_none()
    };
    for (pattern, right, wrong) in [
        (r"^\S+\s\S+$", "山田　太郎", "山田太郎"),
        (r"^\S+\s\S+$", "山田 太郎", "山田　 太郎"),
        (r"[^\s]+", "山田太郎", "山田　太郎"),
        (r"[^\S]", "　", "あ"),
        (r"[\s\S]{2}", "あ　", "あ"),
        (r"[ァ-ヶー\s]+", "ヤマダ　タロウ", "ヤマダ、タロウ"),
        (r"^[\w-\.]+@([\w-]+\.)+[\w-]{2,4}$", "a-b.c@d-e.jp", "a b@d.jp"),
        (r"[\d-a]", "-", "5a"),
        (r"[]\w-.]+", "]-.", "["),
        (r"[^]\s]", "a", "　"),
        (r"\\s", r"\s", " "),
        (r"\[\s\]", "[　]", "　"),
        (r"[\[\s]", "　", "a"),
        (r"^\S{1,1000}$", "山田太郎", "山田　太郎"),
    ] {
        assert!(holds(pattern, right), "{pattern} and {right}");
        assert!(!holds(pattern, wrong), "{pattern} and {wrong}");
    }
}

/// FORM-41, FORM-43.
#[test]
fn lookup_url_has_query_and_parent() {
    let plain = lookup(json!({"searchUrl": "https://api.example.com/p"}));
    assert_eq!(plain.url("", None), "https://api.example.com/p");
    assert_eq!(plain.url("a b&c=d", None), "https://api.example.com/p?q=a%20b%26c%3Dd");
    assert_eq!(
        plain.url("", Some(&json!("日"))),
        "https://api.example.com/p?country%20code=%E6%97%A5"
    );
    assert_eq!(plain.url("", Some(&json!(""))), "https://api.example.com/p");
    assert_eq!(plain.url("x", Some(&json!(7))), "https://api.example.com/p?q=x&country%20code=7");
    let given = json!({"searchUrl": "/u?a=1#top", "searchParams":
        {"q": "{query}", "limit": 10, "exact": true, "none": null, "fixed": "<{query}>"}});
    assert_eq!(
        lookup(given).url("佐", None),
        "/u?a=1&q=%E4%BD%90&limit=10&exact=true&fixed=%3C%E4%BD%90%3E"
    );
    assert_eq!(lookup(json!({"searchUrl": "/u/{query}/x"})).url("a/b", None), "/u/a%2Fb/x");
}

#[test]
fn finds_items_anywhere_in_an_answer() {
    let plain = lookup(json!({"searchUrl": "/p"}));
    let item = json!({"id": 7, "name": "佐藤", "email": "s@example.com", "more": {"a": 1}});
    for answer in [
        json!([item]),
        json!({"items": [item]}),
        json!({"results": [item]}),
        json!({"data": [item]}),
    ] {
        let found = choices(&plain, &answer).unwrap();
        assert_eq!(found, [Choice { value: json!(7), label: "佐藤".into() }]);
    }
    let shaped =
        lookup(json!({"searchUrl": "/p", "renderTemplate": "{name} ({email}) {none}{more}{"}));
    assert_eq!(choices(&shaped, &json!([item])).unwrap()[0].label, "佐藤 (s@example.com) {");
    let label = |item: Value| choices(&plain, &json!([item])).map(|it| it[0].label.clone());
    assert_eq!(
        label(json!({"id": "a", "name": ""})).unwrap(),
        "a",
        "its value where it has no name"
    );
    assert_eq!(label(json!("赤")).unwrap(), "赤", "a plain text is its own name");
    let twice =
        choices(&plain, &json!([item, item, {"name": "no id"}, {"id": [1]}, null])).unwrap();
    assert_eq!(twice.len(), 1);
    assert!(choices(&plain, &json!([])).unwrap().is_empty());
    assert!(choices(&plain, &json!([{"name": "a"}])).unwrap_err().contains("`id`"));
    for no in [json!("a"), json!({"error": "x"}), json!(null), json!({"items": {}})] {
        assert!(choices(&plain, &no).unwrap_err().contains("JSON array"), "{no}");
    }
    let many = Value::from(Vec::from_iter(0..3_000));
    assert_eq!(choices(&plain, &many).unwrap().len(), OPTIONS_MAX);
}

#[test]
fn unknown_time_zone_accepts_all_current_days() {
    let anywhere = Today::anywhere(1_795_219_200);
    assert_eq!(anywhere.earliest.to_string(), "2026-11-20", "noon of the 20th at UTC−12");
    assert_eq!(
        anywhere.latest.to_string(),
        "2026-11-21",
        "2 in the afternoon of the 21st at UTC+14"
    );
    let form = read(json!([{"name": "d", "type": "date", "minDate": "today", "maxDate": "today"}]));
    let form = form.unwrap();
    let fault = |day: &str, today| form.check_field(&form.fields[0], Some(&json!(day)), today);
    for (day, is_right) in
        [("2026-11-19", false), ("2026-11-20", true), ("2026-11-21", true), ("2026-11-22", false)]
    {
        assert_eq!(fault(day, anywhere).is_none(), is_right, "{day}");
    }
    let there = Today::read("2026-11-21").unwrap();
    assert!(fault("2026-11-20", there).is_some() && fault("2026-11-21", there).is_none());
    for no in ["", "2026-11-31", "2026-11-21 ", "+026-11-21", "0000-01-01", "２０２６-11-21"] {
        assert_eq!(Today::read(no), None, "{no}");
    }
    for far in [i64::MIN, i64::MAX] {
        assert!(Today::anywhere(far).earliest <= Today::anywhere(far).latest);
    }
}

#[test]
fn parses_day_limits() {
    for (text, days) in [
        ("today", 0),
        ("Today", 0),
        ("tomorrow", 1),
        ("+30days", 30),
        ("+1day", 1),
        ("-1week", -7),
        ("+2 weeks", 14),
        ("today + 7 days", 7),
        ("-3d", -3),
    ] {
        assert_eq!(Day::read(text), Some(Day::FromToday(days)), "{text}");
    }
    for no in ["", "30days", "+", "+days", "+3months", "+99999999days", "+1.5days", "now", "＋1day"]
    {
        assert_eq!(Day::read(no), None, "{no}");
    }
    let day = parse_day("2026-11-21").unwrap();
    assert_eq!(Day::FromToday(10).on(day).to_string(), "2026-12-01");
    assert_eq!(Day::FromToday(-21).on(day).to_string(), "2026-10-31");
}

#[test]
fn language_follows_its_tag() {
    for tag in ["ja", "ja-JP", "JA", "ja_JP"] {
        assert_eq!(Language::of_tag(tag), Language::Japanese, "{tag}");
    }
    for tag in ["en", "en-US", "", "jav", "de"] {
        assert_eq!(Language::of_tag(tag), Language::English, "{tag}");
    }
}

#[test]
fn recognizes_secrets_but_not_similar_words() {
    let is_secret = |name: &str, label: &str, kind: &str| {
        let form = read(json!([{"name": name, "label": label, "type": kind, "options": ["a"]}]));
        form.unwrap().fields[0].is_secret()
    };
    for secret in [
        "password",
        "user_password",
        "newPassword",
        "パスワード（確認）",
        "暗証番号",
        "PIN",
        "ＰＩＮコード",
        "クレジットカード番号",
        "Card number",
        "cardNumber",
        "CVV",
        "client-secret",
        "access_token",
        "API key",
        "apiKey",
        "APIキー",
        "マイナンバー",
    ] {
        assert!(is_secret(secret, "x", "text"), "the name {secret}");
        assert!(is_secret("x", secret, "text"), "the label {secret}");
    }
    for harmless in [
        "spin",
        "description",
        "shipping",
        "opinion",
        "mapping",
        "secretary",
        "tokens",
        "compass",
        "氏名",
        "番号",
        "key",
        "card",
        "number",
    ] {
        assert!(!is_secret(harmless, harmless, "text"), "{harmless}");
    }
    assert!(is_secret("pin", "x", "number"));
    assert!(!is_secret("token", "トークン", "select"), "what is chosen is no secret");
}

#[test]
fn accepts_files_by_extension_and_type() {
    let files = |accept: Value| {
        let form = read(json!([{"name": "f", "type": "file", "accept": accept}])).unwrap();
        let Kind::File(files) = form.fields[0].kind.clone() else { panic!("no file") };
        files
    };
    let some = files(json!(" .PDF, image/*,text/plain,docx"));
    assert_eq!(some.accept, [".pdf", "image/*", "text/plain", ".docx"]);
    for (name, kind) in [
        ("a.pdf", ""),
        ("A.Pdf", "x/y"),
        ("a", "image/png"),
        ("a", "text/plain; charset=utf-8"),
        ("a.docx", ""),
    ] {
        assert!(some.takes(name, kind), "{name} {kind}");
    }
    for (name, kind) in
        [("a.exe", ""), ("pdf", ""), ("a", "imagery/png"), ("a", "text/html"), ("a", "")]
    {
        assert!(!some.takes(name, kind), "{name} {kind}");
    }
    let by_ending = files(json!("text/csv,image/*"));
    assert!(by_ending.takes("報告.CSV", "application/vnd.ms-excel"));
    assert!(by_ending.takes("IMG_1.HEIC", "") && !by_ending.takes("a.xls", ""));
    assert!(files(json!([".a", "*/*"])).takes("x", ""), "everything is everything");
    assert_eq!(files(json!([".a", ".b"])).accept, [".a", ".b"]);
}

#[test]
fn size_above_the_limit_reads_differently() {
    for (bytes, text) in [
        (0, "0 B"),
        (1_024, "1 KB"),
        (2_001, "2001 B"),
        (15_360, "15 KB"),
        (15_872, "15.5 KB"),
        (10_485_760, "10 MB"),
        (1 << 31, "2 GB"),
    ] {
        assert_eq!(size_of(bytes), text);
    }
}

#[test]
fn rejects_empty_date_range() {
    let today = Today::read("2026-11-29").unwrap();
    let dates = |min: &str, max: &str, required: bool| {
        let field = json!({"name": "d", "type": "date", "required": required, "minDate": min, "maxDate": max});
        read(json!([field])).unwrap().check_answerable(today)
    };
    let fault = dates("today", "2026-11-28", true).unwrap_err();
    assert_eq!(fault.pointer, "/fields/0/maxDate");
    assert!(fault.japanese.contains("2026-11-28"), "{fault}");
    assert!(dates("today", "2026-11-29", true).is_ok());
    assert!(dates("today", "2026-11-28", false).is_ok(), "it may be left out");
    assert!(dates("2027-01-01", "+7days", true).is_ok(), "there will be a day");
    let fields = json!([
        {"name": "a", "type": "checkbox", "label": "A"},
        {"name": "d", "type": "text", "required": true, "maxLength": 0, "showIf": {"field": "a", "value": true}},
    ]);
    let form = read(fields).unwrap();
    assert!(form.check_answerable(today).is_ok(), "others may answer without it");
}
