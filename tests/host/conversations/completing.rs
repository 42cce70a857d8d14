//! Completion of ids: a person is offered only what they may see.

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    server::{Folders, TestServer},
};

use super::rest;

/// Completions of `argument` for the typed `value`.
async fn completed(client: &Client, reference: Value, argument: &str, value: &str) -> Value {
    let argument = json!({ "name": argument, "value": value });
    let params = json!({ "ref": reference, "argument": argument });
    client.result("completion/complete", params).await["completion"]["values"].clone()
}

fn prompt() -> Value {
    json!({ "type": "ref/prompt", "name": "worker_loop" })
}

fn template(uri: &str) -> Value {
    json!({ "type": "ref/resource", "uri": uri })
}

#[tokio::test(flavor = "multi_thread")]
async fn completes_ids_that_the_caller_may_see() {
    const BOSS: &str = "mdg_boss-of-the-whole-place";
    const ANN: &str = "mdg_ann-of-the-office-alone";
    const AGENT: &str = "mdg_agent-that-is-no-person";
    let mut tokens = String::new();
    for (name, token, scopes) in [
        ("boss", BOSS, "'*'"),
        ("ann", ANN, "'component:conversations'"),
        ("agent", AGENT, "'component:conversations'"),
    ] {
        let digest = host::digest::digest(token.as_bytes());
        tokens += &format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = [{scopes}]\n");
    }
    let server = rest::serving(&tokens).await;
    let [boss, ann, agent] = [BOSS, ANN, AGENT].map(|it| server.client_with(it));
    let chats = || template("chats://{project_id}");
    for (who, projects, agents) in [
        (&boss, json!(["attic", "lab", "office"]), json!(["both", "far"])),
        (&ann, json!(["office"]), json!(["both"])),
        (&agent, json!([]), json!([])),
    ] {
        assert_eq!(completed(who, prompt(), "project_id", "").await, projects);
        assert_eq!(completed(who, chats(), "project_id", "").await, projects);
        assert_eq!(completed(who, prompt(), "agent_id", "").await, agents);
        assert_eq!(completed(who, prompt(), "language", "j").await, json!(["ja"]));
        assert_eq!(completed(who, prompt(), "passkey", "").await, json!([]));
    }
    assert_eq!(completed(&boss, prompt(), "project_id", "LA").await, json!(["lab"]));
    let params = json!({
        "ref": prompt(), "argument": { "name": "agent_id", "value": "" },
        "context": { "arguments": { "project_id": "attic" } },
    });
    let of = async |who: &Client| {
        who.result("completion/complete", params.clone()).await["completion"]["values"].clone()
    };
    assert_eq!((of(&boss).await, of(&ann).await), (json!(["far"]), json!([])));
    let conversation = || template("conversation://{conversation_id}");
    assert_eq!(completed(&boss, conversation(), "conversation_id", "").await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn completes_handles_for_the_caller_who_requested_the_form() {
    const ANN: &str = "mdg_ann-who-asks-for-a-form";
    const BEN: &str = "mdg_ben-who-asks-for-nothing";
    let mut tokens = String::new();
    for (name, token) in [("ann", ANN), ("ben", BEN)] {
        let digest = host::digest::digest(token.as_bytes());
        tokens += &format!("[tokens.{name}]\nsha256 = '{digest}'\nscopes = ['component:forms']\n");
    }
    let folders = Folders::new();
    folders.put("forms", &component_bytes("forms"));
    let config = folders.config_with(&tokens);
    let server = TestServer::start(folders, |it| *it = config).await;
    let [ann, ben] = [ANN, BEN].map(|it| server.client_with(it));
    let form = json!({ "title": "T", "fields": [{ "name": "a", "type": "text", "label": "A" }] });
    // A client that cannot be asked anything is given the form's handle.
    let mut params = json!({ "name": "request_form", "arguments": { "form_schema": form } });
    params["_meta"] = Client::meta();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let asked = ann.result("tools/call", params).await;
    let handle = asked["_meta"]["forms/form"]["handle"].clone();
    assert!(handle.is_string(), "{asked}");
    let typed = &handle.as_str().unwrap()[..4];
    let by_handle = || template("form://{handle}");
    assert_eq!(completed(&ann, by_handle(), "handle", typed).await, json!([handle]));
    assert_eq!(completed(&ben, by_handle(), "handle", typed).await, json!([]));
    let list = template("form://submissions.csv{?status}");
    assert_eq!(completed(&ben, list, "status", "w").await, json!(["waiting"]));
}
