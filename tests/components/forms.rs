//! The forms component alone, by requirement: FORM-1 to FORM-80.

mod answering;
mod asking;
mod definitions;
mod drafts;
mod files;
mod guide;
mod keeping;
mod listing;
mod sentences;

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
