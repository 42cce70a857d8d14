//! An external assistant that answers every message by calling the tool and arguments of its settings.

use serde_json::{Value, json};
use toolkit::{
    Stop,
    calls::{self, Outcome, Request},
    refused,
    routes::{self, Answer, Request as Asked, Route},
    settings,
};

toolkit::export_tools!();
toolkit::export_routes!(all);

fn all() -> Vec<Route> {
    vec![Route::get("", who), Route::post("", talk).streams()]
}

/// Lists the assistants.
fn who(_: &Asked) -> Result<Answer, Stop> {
    let clerk = json!({
        "name": "clerk", "title": "Clerk", "titleJa": "係", "provider": "clerk", "model": "",
        "makesPictures": false,
    });
    Ok(Answer::ok(&json!({
        "default": "clerk", "assistants": [clerk], "players": [], "gateway": false,
    })))
}

/// Answers a message, or reports the outcome of a waiting call.
fn talk(request: &Asked) -> Result<Answer, Stop> {
    let asked = request.object()?;
    let text = |name: &str| asked.get(name).and_then(Value::as_str).unwrap_or_default();
    let outcome = match text("turn") {
        "" => {
            let setting = |name| settings::get::<Value>(name).ok().flatten().unwrap_or_default();
            let message = json!(text("message")).to_string();
            let arguments = setting("arguments").to_string().replace("\"{message}\"", &message);
            let arguments = serde_json::from_str(&arguments).unwrap_or_default();
            let tool = setting("tool");
            let tool = tool.as_str().unwrap_or_default();
            let request = Request::of(tool, arguments).because("Every message is answered by it.");
            calls::call(&[request]).pop()
        }
        approval => calls::held(&[approval.to_owned()]).pop(),
    };
    let outcome = outcome.ok_or_else(|| refused("nothing", 500, "nothing came of it"))?;
    let answer = answer(outcome);
    if request.wants_events {
        routes::send("text_delta", &json!({ "text": answer["text"] }));
        routes::send("done", &answer);
    }
    Ok(Answer::ok(&answer))
}

/// Formats the answer for the chat.
fn answer(outcome: Outcome) -> Value {
    let mut answer = json!({
        "text": "", "images": [], "assistant": "clerk", "provider": "clerk", "model": "",
        "stopReason": "end", "toolCalls": [], "waiting": [],
    });
    match outcome {
        Outcome::Done(result) => {
            let result: Value = serde_json::from_str(&result).unwrap_or_default();
            answer["text"] = format!("Done: {}", result["structuredContent"]).into();
        }
        Outcome::Held(id) => {
            answer["text"] = "May I?".into();
            answer["stopReason"] = "waiting".into();
            answer["turn"] = id.as_str().into();
            answer["waiting"] =
                json!([{ "type": "approval", "callId": id, "approval": id, "name": "" }]);
        }
        Outcome::Failed(failure) => {
            let failure: Value = serde_json::from_str(&failure).unwrap_or_default();
            answer["text"] =
                format!("Not done: {}", failure["message"].as_str().unwrap_or("")).into();
        }
    }
    answer
}
