//! The forms component alone, by requirement (FORM-1 to FORM-80): the agents' guide, and sentences.

mod answering;
mod asking;
mod definitions;
mod keeping;

use host::{
    caller::Caller,
    component::{Content, Output},
};
use serde_json::{Value, json};
use tests::bench::{Bench, Tested};
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
