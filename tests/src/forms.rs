//! Forms from the side of the agent that requests them.

use serde_json::{Value, json};

use crate::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};

/// A form that waits for its answer.
#[derive(Clone, Debug)]
pub struct RequestedForm {
    /// The handle; a person who has it may fill the form in.
    pub handle: String,
    /// The address at which it is filled in.
    pub url: String,
    /// The whole result of the request.
    pub result: Value,
}

/// A server with the forms and nothing else.
pub async fn server() -> TestServer {
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    // A browser on a busy machine takes longer than clients wait.
    let config = folders.config_with("[components.forms.settings]\nwait_seconds = 200\n");
    TestServer::start(folders, |it| *it = config).await
}

/// One of the definitions in `tests/forms`.
pub fn definition(name: &str) -> Value {
    let file = crate::root().join("tests/forms").join(format!("{name}.json"));
    let text = std::fs::read_to_string(&file);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_str(&text).expect("it is JSON")
}

/// The specification's example of that number.
pub fn example(number: usize) -> Value {
    let name = ["1-project", "2-assignee", "3-address"][number - 1];
    definition(&format!("examples/{name}"))
}

/// A form of these fields.
pub fn form(fields: Value) -> Value {
    json!({ "title": "Form", "fields": fields })
}

/// Capabilities of a client that shows forms on its own page.
fn as_a_page() -> Value {
    let mut meta = Client::meta();
    meta["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "extensions": { "madoguchi/forms": {} } });
    meta
}

/// The result of `request_form` for a client that shows forms on its own page.
pub async fn request(client: &Client, form: &Value) -> Value {
    let arguments = json!({ "form_schema": form });
    let params = json!({ "name": "request_form", "arguments": arguments, "_meta": as_a_page() });
    client.result("tools/call", params).await
}

/// Requests a form.
pub async fn ask(client: &Client, form: &Value) -> RequestedForm {
    let result = request(client, form).await;
    assert_ne!(result["isError"], true, "{result}");
    let place = &result["_meta"]["forms/form"];
    let text = |name: &str| place[name].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
    RequestedForm { handle: text("handle"), url: text("url"), result }
}

/// The form's submission now.
pub async fn submission(client: &Client, handle: &str) -> Value {
    client.output("get_form_submission", json!({ "handle": handle })).await
}

/// The form's values, once it is answered.
pub async fn values(client: &Client, handle: &str) -> Value {
    let answer = answered(client, handle).await;
    assert_eq!(answer["status"], "submitted", "{answer}");
    answer["values"].clone()
}

/// The form's submission, once it is closed.
pub async fn answered(client: &Client, handle: &str) -> Value {
    let arguments = json!({ "handle": handle, "timeout_seconds": 20 });
    let mut answer = Value::Null;
    crate::until("the form is answered", async || {
        answer = client.output("get_form_submission", arguments.clone()).await;
        answer["status"] != "waiting"
    })
    .await;
    answer
}

/// The form's draft.
pub async fn draft(client: &Client, handle: &str) -> Value {
    client.output("open_form", json!({ "handle": handle })).await["draft"].clone()
}
