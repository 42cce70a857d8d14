//! The forms component alone, by requirement (FORM-1 to FORM-80): the agents' guide, and sentences.

mod answering;

use std::{collections::BTreeMap, fs, time::Duration};

use host::{
    caller::Caller,
    component::{AnswerAction, Ask, Content, Output, Question},
};
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    root,
};
use workbench::solo::SoloOutcome;

/// Where the page is.
const PAGE: &str = "http://counter.example";

/// Forms at 10:00 on Friday, 20 November 2026 in UTC, without a page.
fn bench() -> Bench {
    Bench::of("forms").grant_all().at("2026-11-20T10:00:00")
}

/// The same component, started.
async fn open() -> Tested {
    bench().start().await
}

/// The types of fields as `request_form` lists them, in order.
fn types(forms: &Tested) -> Vec<String> {
    let tools = forms.component().tools();
    let tool = tools.iter().find(|it| &*it.name == "request_form").unwrap();
    let schema = Value::Object((*tool.input_schema).clone());
    let types = &schema["properties"]["form_schema"]["properties"]["fields"]["items"]["properties"]
        ["type"]["enum"];
    let mut types: Vec<String> = serde_json::from_value(types.clone()).unwrap();
    types.sort_unstable();
    types
}

/// A form of two fields, one of which must be filled in.
fn contact() -> Value {
    json!({
        "title": "連絡先",
        "description": "連絡先を入力してください",
        "fields": [
            { "name": "name", "type": "text", "label": "お名前", "required": true },
            { "name": "ok", "type": "checkbox", "label": "同意する" },
        ],
    })
}

/// A caller whose client can do this.
fn able(capabilities: &Value) -> Caller {
    let mut caller = Caller::anonymous();
    caller.client_capabilities = capabilities.to_string().into();
    caller
}

/// A caller with a name and scopes.
fn caller(principal: &str, scopes: &[&str]) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    caller.scopes = scopes.iter().map(|it| (*it).to_owned()).collect();
    caller
}

/// A caller who is our page.
fn page() -> Caller {
    able(&json!({ "extensions": { "madoguchi/forms": {} } }))
}

/// The whole result of a call that must succeed.
async fn result(forms: &Tested, tool: &str, arguments: Value) -> Output {
    match forms.round(tool, arguments, json!({})).await {
        SoloOutcome::Done(output) => output,
        other => panic!("{tool} did not succeed: {other:?}"),
    }
}

/// The handle of a form that is asked for now.
async fn ask(forms: &Tested, schema: &Value) -> String {
    let output = result(forms, "request_form", json!({ "form_schema": schema })).await;
    handle(&output)
}

/// The handle that a result carries (FORM-11).
fn handle(output: &Output) -> String {
    let meta: Value = serde_json::from_str(output.meta.as_deref().unwrap()).unwrap();
    meta["forms/form"]["handle"].as_str().unwrap().to_owned()
}

/// The texts beside a result's object.
fn texts(output: &Output) -> Vec<&str> {
    let mut texts = Vec::new();
    for content in &output.content {
        if let Content::Text(text) = content {
            texts.push(text.text.as_str());
        }
    }
    texts
}

/// The object of a result.
fn object(output: &Output) -> Value {
    serde_json::from_str(output.structured.as_deref().unwrap()).unwrap()
}

/// Sends values to a form.
async fn submit(forms: &Tested, handle: &str, values: Value) -> Value {
    forms.call("submit_form", json!({ "handle": handle, "values": values })).await
}

/// The errors of values: each field's name and the message.
async fn wrong(forms: &Tested, handle: &str, values: Value) -> Vec<(String, String)> {
    let arguments = json!({ "handle": handle, "values": values });
    let failure = forms.failure("submit_form", arguments).await;
    assert_eq!(failure["error"], "invalid_params", "{failure}");
    let problems = failure["data"]["problems"].as_array().unwrap().iter();
    let text = |it: &Value, member: &str| it[member].as_str().unwrap().to_owned();
    problems
        .map(|it| (text(it, "pointer").replacen("/values/", "", 1), text(it, "message")))
        .collect()
}

/// The answer of `get_form_submission`.
async fn answer(forms: &Tested, handle: &str) -> Value {
    forms.call("get_form_submission", json!({ "handle": handle })).await
}

/// Closes a form with that action.
async fn close(forms: &Tested, handle: &str, action: &str) -> Value {
    forms.call("close_form", json!({ "handle": handle, "action": action })).await
}

/// Why a call is refused: the code and the status.
async fn refused(forms: &Tested, tool: &str, arguments: Value) -> (String, u64) {
    let failure = forms.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure["status"].as_u64().unwrap())
}

// The agents' guide to forms (FORM-80), and the description of `request_form` (FORM-11).

/// The skill of the specification, less its table, line by line.
const SKILL: [&str; 11] = [
    "## FormRequest ツール",
    "ユーザーにフォーム入力を求める場合は `mcp__form__request_form` ツールを使用してください。",
    "### 利用可能な検索エンドポイント",
    "| ユーザー検索 | `https://api.example.com/users/search` | `q`: 検索クエリ, `limit`: 件数 |",
    "| 都道府県一覧 | `https://api.example.com/prefectures` | `country_code`: 国コード |",
    "### 使用ガイドライン",
    "1. 複数の情報が必要な場合はフォームを使用",
    "2. 単純な選択のみの場合は通常の会話で確認",
    "3. 検索が必要なフィールドには `autocomplete` タイプを使用",
    "4. テキスト入力には `suggestions` で入力例を提示すると親切",
    "5. フォームが長くなる場合は `divider` や `heading` でセクション分け",
];

#[tokio::test]
async fn guide_is_the_specified_skill_with_its_purpose() {
    let forms = open().await;
    let guide = forms.prompt("form_guide", &[]).await;
    assert_eq!(guide.len(), 1);
    let mut lines = guide[0].lines();
    for line in SKILL {
        assert!(lines.any(|it| it == line), "FORM-80: {line}");
    }
    assert!(guide[0].contains("showIf"));
    assert!(guide[0].contains(r"\p{…}"), "what a pattern may not have is told");
    let with_purpose = forms.prompt("form_guide", &[("purpose", "新しいプロジェクト")]).await;
    assert_eq!(with_purpose[0], guide[0]);
    assert!(with_purpose[1].ends_with("新しいプロジェクト"));
}

/// The description begins as specified; the guide has every type of field.
#[tokio::test]
async fn request_form_is_described_as_specified_and_the_guide_has_all() {
    let forms = open().await;
    let tools = forms.component().tools();
    let tool = tools.iter().find(|it| &*it.name == "request_form").unwrap();
    let specified = "ユーザーにフォーム入力を要求する。\n\n\
        このツールはフォーム定義をフロントエンドに渡し、\n\
        ユーザーの入力を待機します。入力結果は次のメッセージとして\n\
        送信されます。\n\n\
        Args:\n    form_schema: フォーム定義（下記スキーマ参照）\n\n\
        Returns:\n    フォーム定義とステータスメッセージ\n";
    assert!(tool.description.starts_with(specified), "FORM-11: {}", tool.description);
    let guide = forms.prompt("form_guide", &[]).await.remove(0);
    let english = tool.meta["madoguchi/text"]["en"]["description"].as_str().unwrap();
    let types = types(&forms);
    assert!(types.len() >= 18, "{types:?}");
    for name in types {
        let is_name = |it: &str| it.split([' ', ',', ':', '（', '\n']).any(|word| word == name);
        assert!(is_name(&tool.description) && is_name(english), "{name}");
        assert!(guide.contains(&format!("\n    {name}: ")), "{name}");
    }
    let contents = forms.read("form://guide").await.unwrap();
    assert!(format!("{contents:?}").contains("multi-autocomplete: "), "{contents:?}");
}

// Forms requested in sentences.

#[tokio::test]
async fn a_sentence_becomes_a_form_of_its_fields() {
    let forms = open().await;
    let tool = json!({ "name": "request_form", "required": ["form_schema"], "is_read_only": true });
    let turn = json!({ "message": "名前とメールアドレスを聞くフォームを作って", "tools": [tool] });
    let called = forms.converse(turn).await.unwrap();
    assert_eq!(called["calls"][0]["tool"], "request_form", "{called}");
    let fields = called["calls"][0]["arguments"]["form_schema"]["fields"].as_array().unwrap();
    let labels: Vec<_> = fields.iter().map(|it| it["label"].as_str().unwrap()).collect();
    assert_eq!(labels.len(), 2, "{called}");
    assert!(labels[0].contains("名前") && labels[1].contains("メール"), "{called}");
}

// Clients with elicitation: the repeated call carries the answer (FORM-11).

const TOOL: &str = "request_form";

fn questions(outcome: SoloOutcome) -> Vec<Question> {
    match outcome {
        SoloOutcome::InputRequired(questions) => questions,
        other => panic!("it does not ask: {other:?}"),
    }
}

fn form(question: &Question) -> Value {
    let Ask::Form(form) = &question.ask else { panic!("no form") };
    serde_json::from_str(form).unwrap()
}

async fn listed(forms: &Tested) -> Value {
    forms.call("list_form_submissions", json!({})).await["forms"].clone()
}

#[tokio::test]
async fn a_flat_form_is_one_question_and_its_answer_the_result() {
    let forms = open().await;
    forms.speak(able(&json!({ "elicitation": { "form": {} } })));
    let arguments = json!({ "form_schema": contact() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    assert_eq!(asked.len(), 1);
    assert_eq!(form(&asked[0])["required"], json!(["name"]));
    let listed_first = listed(&forms).await;
    assert_eq!(listed_first[0]["status"], "waiting", "it is there whatever becomes of the call");
    let filled = json!({ "name": "三葉", "ok": true });
    let answers = [(&*asked[0].key, AnswerAction::Accept, filled.clone())];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &answers, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    let result = object(&output);
    assert_eq!((&result["status"], &result["values"]), (&json!("submitted"), &filled));
    assert_eq!(result["schema"], contact());
    let listed = listed(&forms).await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["handle"], handle(&output), "the operator sees it too");
    assert_eq!(listed[0]["values"], filled);
}

#[tokio::test]
async fn invalid_answers_are_asked_again() {
    let forms = open().await;
    forms.speak(able(&json!({ "elicitation": {} })));
    let arguments = json!({ "form_schema": contact() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    let first = (&*asked[0].key, AnswerAction::Accept, json!({ "name": "" }));
    let (outcome, state) =
        forms.repeat(TOOL, &arguments, std::slice::from_ref(&first), state).await;
    let again = questions(outcome);
    assert_ne!(again[0].key, asked[0].key);
    assert!(again[0].message.contains("お名前は必須です"), "{}", again[0].message);
    let second = (&*again[0].key, AnswerAction::Accept, json!({ "name": "瀧" }));
    let (outcome, _) = forms.repeat(TOOL, &arguments, &[first, second], state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    assert_eq!(object(&output)["values"]["name"], "瀧");
}

#[tokio::test]
async fn decline_and_close_are_answers() {
    let forms = open().await;
    forms.speak(able(&json!({ "elicitation": { "form": {} } })));
    let arguments = json!({ "form_schema": contact() });
    for (action, status) in
        [(AnswerAction::Decline, "declined"), (AnswerAction::Cancel, "cancelled")]
    {
        let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
        let asked = questions(outcome);
        let answers = [(&*asked[0].key, action, Value::Null)];
        let (outcome, _) = forms.repeat(TOOL, &arguments, &answers, state).await;
        let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
        assert_eq!(object(&output)["status"], status);
        assert_eq!(answer(&forms, &handle(&output)).await["status"], status);
    }
}

/// A form that no question can hold.
fn with_file() -> Value {
    json!({ "title": "添付", "fields": [
        { "name": "doc", "type": "file", "label": "添付" },
        { "name": "note", "type": "text", "label": "備考" },
    ] })
}

#[tokio::test]
async fn form_with_files_uses_an_address_and_is_awaited() {
    let forms = bench().page(PAGE).start().await;
    forms.speak(able(&json!({ "elicitation": { "form": {}, "url": {} } })));
    let arguments = json!({ "form_schema": with_file() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    let Ask::Url(url) = &asked[0].ask else { panic!("no address") };
    let handle = url.strip_prefix(&format!("{PAGE}/f/")).unwrap().to_owned();
    let accepted = [(&*asked[0].key, AnswerAction::Accept, Value::Null)];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &accepted, state.clone()).await;
    let SoloOutcome::Waits(wait) = outcome else { panic!("{outcome:?}") };
    assert_eq!(wait.events, [format!("form://{handle}")]);
    submit(&forms, &handle, json!({ "note": "なし" })).await;
    let (outcome, _) = forms.repeat(TOOL, &arguments, &accepted, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    let result = object(&output);
    assert_eq!(result["status"], "submitted");
    assert_eq!(result["values"], json!({ "note": "なし" }));
    assert_eq!(listed(&forms).await.as_array().unwrap().len(), 1, "asked for once");
}

#[tokio::test]
async fn declined_address_declines_the_form_unless_answered_before() {
    let forms = bench().page(PAGE).start().await;
    forms.speak(able(&json!({ "elicitation": { "url": {} } })));
    let arguments = json!({ "form_schema": with_file() });
    for (is_faster, status) in [(false, "declined"), (true, "submitted")] {
        let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
        let asked = questions(outcome);
        let Ask::Url(url) = &asked[0].ask else { panic!("no address") };
        let handle = url.rsplit('/').next().unwrap();
        if is_faster {
            submit(&forms, handle, json!({ "note": "x" })).await;
        }
        let declined = [(&*asked[0].key, AnswerAction::Decline, Value::Null)];
        let (outcome, _) = forms.repeat(TOOL, &arguments, &declined, state).await;
        let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
        assert_eq!(object(&output)["status"], status);
    }
}

#[tokio::test]
async fn without_waiting_the_result_has_the_forms_address() {
    let settings = json!({ "wait_seconds": 0 });
    let forms = bench().page(PAGE).settings(settings).start().await;
    forms.speak(able(&json!({ "elicitation": { "url": {} } })));
    let arguments = json!({ "form_schema": with_file() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    forms.pass(Duration::from_secs(1));
    let accepted = [(&*asked[0].key, AnswerAction::Accept, Value::Null)];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &accepted, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    assert_eq!(object(&output)["status"], "waiting_for_input");
    assert!(texts(&output)[1].contains(&handle(&output)));
}

/// A chain of fields, each shown once the one before is filled in.
fn chain(length: usize) -> Value {
    let field = |at: usize| match at {
        0 => json!({ "name": "f0", "type": "text" }),
        _ => json!({ "name": format!("f{at}"), "type": "text",
            "showIf": { "field": format!("f{}", at - 1), "filled": true } }),
    };
    json!({ "title": "Chain", "fields": (0..length).map(field).collect::<Vec<_>>() })
}

/// Rounds in which a call may ask before the official SDKs give it up.
const SDK_ROUNDS_MAX: usize = 10;

/// Answers each question by `content` until the call ends: its result, and how often it asked.
async fn answered_by(
    forms: &Tested,
    form: &Value,
    content: impl Fn(&Question) -> Value,
) -> (Output, usize) {
    let arguments = json!({ "form_schema": form });
    let (mut state, mut rounds) = (None, 0);
    let mut keys: Vec<(String, Value)> = Vec::new();
    loop {
        let answers = keys.iter().map(|(key, it)| (key.as_str(), AnswerAction::Accept, it.clone()));
        let answers: Vec<_> = answers.collect();
        let (outcome, next) = forms.repeat(TOOL, &arguments, &answers, state).await;
        match outcome {
            SoloOutcome::Done(output) => return (output, rounds),
            SoloOutcome::InputRequired(asked) => {
                rounds += 1;
                assert!(rounds <= SDK_ROUNDS_MAX, "it asks too often");
                let given = content(&asked[0]);
                keys.push((asked[0].key.clone(), given));
                state = next;
            }
            other => panic!("{other:?}"),
        }
    }
}

/// One that never fits.
fn late(question: &Question) -> Value {
    match &question.ask {
        Ask::Form(_) => json!({ "name": "三葉", "day": "someday" }),
        _ => Value::Null,
    }
}

#[tokio::test]
async fn keeps_draft_when_rounds_are_used_up() {
    let form = json!({ "title": "日程", "fields": [
        { "name": "name", "type": "text", "label": "お名前" },
        { "name": "day", "type": "date", "label": "日付", "required": true },
        { "name": "hour", "type": "select", "options": ["am", "pm"], "default": "pm",
          "showIf": { "field": "day", "filled": true } },
    ] });
    let waits = json!({ "wait_seconds": 0 });
    for capabilities in [json!({ "form": {} }), json!({ "form": {}, "url": {} })] {
        let forms = bench().page(PAGE).settings(waits.clone()).start().await;
        forms.speak(able(&json!({ "elicitation": capabilities })));
        let (output, _) = answered_by(&forms, &form, late).await;
        assert_eq!(object(&output)["status"], "waiting_for_input");
        let handle = handle(&output);
        let text = texts(&output).join("\n");
        assert!(text.contains(&handle) && text.contains(&format!("{PAGE}/f/{handle}")), "{text}");
        let open = forms.call("open_form", json!({ "handle": handle })).await;
        let draft = json!({ "name": "三葉", "day": "someday", "hour": "pm" });
        assert_eq!(open["draft"], draft, "what was not asked for holds what it does at first");
        assert_eq!(listed(&forms).await[0]["handle"], handle);
        submit(&forms, &handle, json!({ "name": "三葉", "day": "2026-11-20" })).await;
        assert_eq!(answer(&forms, &handle).await["status"], "submitted");
    }
}

#[tokio::test]
async fn asks_at_most_ten_times_however_deep_a_form_is() {
    let waits = json!({ "wait_seconds": 0 });
    let fill = |question: &Question| match &question.ask {
        Ask::Form(_) => {
            let properties = form(question)["properties"].as_object().unwrap().clone();
            properties
                .keys()
                .map(|it| (it.clone(), json!("x")))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        _ => Value::Null,
    };
    for length in [1, 9, 10, 12, 18] {
        let forms = bench().page(PAGE).settings(waits.clone()).start().await;
        for capabilities in [json!({ "form": {} }), json!({ "form": {}, "url": {} })] {
            forms.speak(able(&json!({ "elicitation": capabilities })));
            let (output, rounds) = answered_by(&forms, &chain(length), fill).await;
            let (status, asked) = match length {
                1..=9 => ("submitted", length),
                _ => ("waiting_for_input", usize::from(capabilities["url"].is_object())),
            };
            assert_eq!((&object(&output)["status"], rounds), (&json!(status), asked), "{length}");
        }
    }
}

#[tokio::test]
async fn an_answer_on_the_page_ends_the_questions() {
    let forms = bench().page(PAGE).start().await;
    forms.speak(able(&json!({ "elicitation": { "form": {} } })));
    let arguments = json!({ "form_schema": contact() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    let handle = listed(&forms).await[0]["handle"].as_str().unwrap().to_owned();
    submit(&forms, &handle, json!({ "name": "瀧" })).await;
    let late = [(&*asked[0].key, AnswerAction::Accept, json!({ "name": "三葉" }))];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &late, state).await;
    let SoloOutcome::Done(output) = outcome else { panic!("{outcome:?}") };
    assert_eq!(object(&output)["values"]["name"], "瀧");
}

#[tokio::test]
async fn waits_for_a_page_shorter_than_clients_do() {
    let forms = bench().page(PAGE).start().await;
    forms.speak(able(&json!({ "elicitation": { "url": {} } })));
    let arguments = json!({ "form_schema": with_file() });
    let (outcome, state) = forms.repeat(TOOL, &arguments, &[], None).await;
    let asked = questions(outcome);
    let accepted = [(&*asked[0].key, AnswerAction::Accept, Value::Null)];
    let (outcome, _) = forms.repeat(TOOL, &arguments, &accepted, state).await;
    let SoloOutcome::Waits(wait) = outcome else { panic!("{outcome:?}") };
    assert_eq!(wait.until.seconds, 1_795_168_800 + 25);
}

#[tokio::test]
async fn rejects_options_that_cannot_be_loaded() {
    let origins = json!({ "origins": { "https://api.example.com": "demo" } });
    let forms = bench().settings(origins).start().await;
    let handle = ask(&forms, &tests::forms::example(3)).await;
    for (values, field) in [
        (json!({ "country": "XX" }), "country"),
        (json!({ "country": "US", "prefecture": "13" }), "prefecture"),
        (json!({ "country": "JP", "prefecture": "14", "city": "13101" }), "city"),
        (json!({ "prefecture": "13" }), "prefecture"),
        (json!({ "country": "JP", "city": "13101" }), "city"),
    ] {
        let wrong = wrong(&forms, &handle, values.clone()).await;
        assert_eq!(wrong.iter().map(|it| &*it.0).collect::<Vec<_>>(), [field], "{values}");
        let checked = json!({ "handle": handle, "values": values });
        assert_eq!(forms.call("validate_form_submission", checked).await["valid"], false);
    }
    submit(&forms, &handle, json!({ "country": "JP", "prefecture": "13", "city": "13101" })).await;
}

// Definitions of forms: the shared tables, and hostile ones.

fn table(name: &str) -> Value {
    let text = fs::read_to_string(root().join("tests/forms").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Whether a form takes files: those of the table are in no store, and have tests of their own.
fn takes_files(form: &Value) -> bool {
    form["fields"].as_array().unwrap().iter().any(|it| it["type"] == "file")
}

#[tokio::test]
async fn every_case_of_the_table_is_accepted_or_rejected() {
    let table = table("cases.json");
    let mut days = BTreeMap::<&str, Vec<&Value>>::new();
    for case in table.as_array().unwrap().iter().filter(|it| !takes_files(&it["form"])) {
        days.entry(case["today"].as_str().unwrap()).or_default().push(case);
    }
    assert!(days.values().map(Vec::len).sum::<usize>() > 100);
    // A caller's day is believed where it is near the server's.
    for (today, cases) in days {
        let forms = bench().at(&format!("{today}T03:00:00")).start().await;
        for case in cases {
            holds(&forms, case).await;
        }
    }
}

/// Holds that a case is taken or refused as the table says, asked about and sent.
async fn holds(forms: &Tested, case: &Value) {
    let (name, form) = (&case["case"], &case["form"]);
    let (values, today) = (&case["values"], &case["today"]);
    let arguments = json!({ "form_schema": form, "values": values, "today": today });
    let outcome = forms.call("validate_form_submission", arguments).await;
    let handle = ask(forms, form).await;
    let arguments = json!({ "handle": handle, "values": values, "today": today });
    match (&case["submission"], &case["faults"]) {
        (submission, Value::Null) => {
            assert_eq!(&outcome["values"], submission, "{name}: FORM-10");
            let submitted = forms.call("submit_form", arguments).await;
            assert_eq!(&submitted["values"], submission, "{name}: FORM-47");
        }
        (_, faults) => {
            assert_eq!((&outcome["errors"], &outcome["valid"]), (faults, &json!(false)), "{name}");
            let failure = forms.failure("submit_form", arguments).await;
            let messages = |list: &Value| {
                let list = list.as_array().unwrap().iter();
                list.map(|it| it["message"].clone()).collect::<Vec<_>>()
            };
            let problems = &failure["data"]["problems"];
            assert_eq!(messages(problems), messages(faults), "{name}: FORM-46");
        }
    }
}

#[tokio::test]
async fn rejects_every_invalid_definition_in_the_specified_text() {
    let forms = open().await;
    let types = types(&forms).join(", ");
    for fault in table("faults.json").as_array().unwrap() {
        let arguments = match &fault["schema"] {
            Value::Null => json!({}),
            schema => json!({ "form_schema": schema }),
        };
        let failure = forms.failure("request_form", arguments).await;
        assert_eq!(failure["error"], "invalid_form_schema", "{failure}");
        assert_eq!(failure["status"], 400, "{failure}");
        let text = |name: &str| fault[name].as_str().unwrap().replace("{types}", &types);
        assert_eq!(failure["message"], text("japanese"), "FORM-60");
        assert_eq!(failure["data"]["english"], text("english"));
        let pointer = format!("/form_schema{}", fault["pointer"].as_str().unwrap());
        assert_eq!(failure["data"]["pointer"], pointer);
    }
    let null = json!({ "form_schema": null });
    assert_eq!(refused(&forms, "request_form", null).await.0, "invalid_form_schema");
}

#[tokio::test]
async fn three_examples_and_form_of_all_types_round_trip() {
    let forms = open().await;
    let names = [
        "types.json",
        "examples/1-project.json",
        "examples/2-assignee.json",
        "examples/3-address.json",
    ];
    for name in names {
        let schema = table(name);
        let output = result(&forms, "request_form", json!({ "form_schema": schema })).await;
        assert_eq!(object(&output)["schema"].to_string(), schema.to_string(), "{name}: FORM-1");
        let opened = forms.call("open_form", json!({ "handle": handle(&output) })).await;
        assert_eq!(opened["schema"].to_string(), schema.to_string(), "{name}: FORM-70");
    }
}

#[tokio::test]
async fn the_examples_of_the_specification_are_answered() {
    let forms = bench().at("2026-11-21T03:00:00").start().await;
    for (name, values) in [
        (
            "examples/1-project.json",
            json!({ "project_name": "my-web-app", "language": "python", "features": ["auth"] }),
        ),
        (
            "examples/2-assignee.json",
            json!({ "assignee": "u1", "reviewers": ["u2", "u3"], "due_date": "2026-11-30" }),
        ),
        (
            "examples/3-address.json",
            json!({ "country": "JP", "prefecture": "13", "city": "13101", "address": "1-1" }),
        ),
    ] {
        let handle = ask(&forms, &table(name)).await;
        assert_eq!(submit(&forms, &handle, values.clone()).await["values"], values, "{name}");
    }
    let handle = ask(&forms, &table("examples/1-project.json")).await;
    let wrong = wrong(&forms, &handle, json!({ "project_name": "My App" })).await;
    assert_eq!(wrong[0].0, "project_name", "FORM-71: {wrong:?}");
}

#[tokio::test]
async fn definition_given_as_text_is_accepted() {
    let forms = open().await;
    let text = contact().to_string();
    let output = result(&forms, "request_form", json!({ "form_schema": text })).await;
    assert_eq!(object(&output)["schema"], contact());
    let broken = json!({ "form_schema": &text[1..] });
    assert_eq!(refused(&forms, "request_form", broken).await.0, "invalid_form_schema");
}

#[tokio::test]
async fn refuses_oversized_or_hostile_forms_and_serves_the_next_one() {
    let forms = open().await;
    let field = |it: usize| json!({ "name": format!("f{it}"), "type": "text" });
    let many: Vec<_> = (0..10_000).map(field).collect();
    let deep = (0..100).fold(json!(1), |it, _| json!([it]));
    let evil = |pattern: &str| json!({ "name": "a", "type": "text", "pattern": pattern });
    for fields in [
        json!(many),
        json!([{ "name": "a", "type": "text", "label": "あ".repeat(1 << 20) }]),
        json!([evil("(?=a)")]),
        json!([evil("(a)\\1")]),
        json!([evil("((((a{100}){100}){100}){100}){100}")]),
        json!([{ "name": "a", "type": "hidden", "value": "x".repeat(300 << 10) }]),
    ] {
        let arguments = json!({ "form_schema": { "title": "a", "fields": fields } });
        assert_eq!(refused(&forms, "request_form", arguments).await.0, "invalid_form_schema");
    }
    let hidden = json!([{ "name": "a", "type": "hidden", "value": deep }]);
    let arguments = json!({ "form_schema": { "title": "a", "fields": hidden } });
    match forms.round("request_form", arguments, json!({})).await {
        SoloOutcome::Done(output) => drop(handle(&output)),
        SoloOutcome::Failed(failure) => {
            assert_eq!(failure["error"], "invalid_form_schema", "{failure}")
        }
        other => panic!("{other:?}"),
    }
    let slow = json!({ "title": "a", "fields": [evil("(a+)+(a+)+(a+)+b")] });
    let handle = ask(&forms, &slow).await;
    let wrong = wrong(&forms, &handle, json!({ "a": "a".repeat(20_000) })).await;
    assert_eq!(wrong[0].0, "a");
}

#[tokio::test]
async fn accepts_form_of_a_thousand_fields_and_its_answer() {
    let forms = open().await;
    let field = |it: usize| json!({ "name": format!("f{it}"), "type": "text", "required": true });
    let fields: Vec<_> = (0..1_000).map(field).collect();
    let handle = ask(&forms, &json!({ "title": "a", "fields": fields })).await;
    assert_eq!(wrong(&forms, &handle, json!({})).await.len(), 1_000, "all at once");
    let values: serde_json::Map<_, _> =
        (0..1_000).map(|it| (format!("f{it}"), json!("v"))).collect();
    let submitted = submit(&forms, &handle, values.clone().into()).await;
    assert_eq!(submitted["values"], Value::Object(values));
}

#[tokio::test]
async fn markup_in_form_texts_stays_text() {
    let forms = open().await;
    let markup = "<img src=x onerror=alert(1)>\u{202e}\u{0}'; DROP TABLE forms; --";
    let schema = json!({ "title": markup, "description": markup, "fields": [
        { "name": markup, "type": "select", "label": markup, "options": [{ "value": markup, "label": markup }] },
    ] });
    let handle = ask(&forms, &schema).await;
    let submitted = submit(&forms, &handle, json!({ markup: markup })).await;
    assert_eq!(submitted["values"], json!({ markup: markup }));
    assert_eq!(submitted["title"], markup);
    let wrong = forms.failure("validate_form_submission", json!({
        "form_schema": { "title": "a", "fields": [{ "name": "a/b~c", "type": "text", "required": true }] },
        "values": 1,
    }));
    assert_eq!(wrong.await["data"]["field"], "values");
}
