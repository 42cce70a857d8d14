//! Questions of tools in the chat, and forms that end a turn (FORM-3).

use serde_json::{Value, json};

use super::{Talk, calls, decisions, results, says, waiting};

#[tokio::test(flavor = "multi_thread")]
async fn form_ends_the_turn_and_its_values_are_the_next_message() {
    let talk = Talk::with(&["forms"], "").await;
    let form = tests::forms::example(1);
    talk.model.says(calls(&[("request_form", json!({ "form_schema": form }))]));
    let first = talk.answer(&json!({ "message": "プロジェクトを作りたい" })).await;
    assert_eq!(talk.model.bodies().len(), 1, "FORM-3: the model is not asked again");
    let asked = &first["waiting"][0];
    assert_eq!((&asked["type"], &asked["schema"]), (&json!("form"), &form), "FORM-1: {first}");
    assert!(asked["handle"].is_string(), "{asked}");
    assert_eq!(first["toolCalls"][0]["name"], "request_form", "its result is there: {first}");
    talk.model.says(says("作りました"));
    let values = serde_json::to_string_pretty(&json!({ "project_name": "my-web-app" })).unwrap();
    let second = talk.answer(&json!({ "message": values, "turn": first["turn"] })).await;
    assert_eq!(second["text"], "作りました");
    let last = talk.last();
    let parts = last.last().unwrap()["parts"].as_array().unwrap();
    assert_eq!(parts[0]["functionResponse"]["name"], "request_form", "FORM-7: {parts:?}");
    assert_eq!(parts[1]["text"], values, "FORM-5, FORM-7: in the same turn");
    // Values sent without the form's page are validated as well.
    talk.model.says(says("直してください"));
    let wrong = json!({ "message": r#"{ "project_name": "My App" }"#, "turn": first["turn"] });
    talk.answer(&wrong).await;
    let last = talk.last();
    let parts = last.last().unwrap()["parts"].as_array().unwrap();
    assert!(parts[0].to_string().contains("errors"), "FORM-10: {parts:?}");
    // Another window cancels the same form: a turn never changes.
    talk.model.says(says("やめました"));
    let cancel = "フォーム入力をキャンセルしました。";
    let other = talk.answer(&json!({ "message": cancel, "turn": first["turn"] })).await;
    assert_eq!(other["text"], "やめました", "FORM-9");
    assert_eq!(talk.model.broken(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_form_needs_a_message_and_no_approval() {
    let talk = Talk::with(&["forms"], "").await;
    let form = tests::forms::example(1);
    talk.model.says(calls(&[("request_form", json!({ "form_schema": form }))]));
    let first = talk.answer(&json!({ "message": "作りたい" })).await;
    assert_eq!(waiting(&first).len(), 1);
    assert_eq!(talk.say(&json!({ "turn": first["turn"] })).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn puts_a_tools_questions_to_the_person_and_returns_the_answers() {
    let talk = Talk::with(&["echo"], "").await;
    talk.model.says(calls(&[("greet_twice", json!({}))]));
    let first = talk.answer(&json!({ "message": "挨拶して" })).await;
    let item = &first["waiting"][0];
    let question = &item["questions"][0];
    assert_eq!((&item["type"], &question["key"]), (&json!("questions"), &json!("name")), "{first}");
    assert_eq!(question["message"], "What is your name?");
    assert_eq!(question["schema"]["required"], json!(["name"]), "{question}");
    let answer = |first: &Value, key: &str, content: Value| {
        let decision = json!({ "answers": { key: { "action": "accept", "content": content } } });
        decisions(first, &waiting(first), &decision)
    };
    let second = talk.answer(&answer(&first, "name", json!({ "name": "太郎" }))).await;
    let key =
        second["waiting"][0]["questions"][0]["key"].as_str().expect("it asks again").to_owned();
    assert_eq!(talk.model.bodies().len(), 1, "nobody decides meanwhile");
    talk.model.says(says("しました"));
    let schema = &second["waiting"][0]["questions"][0]["schema"];
    let field = schema["properties"].as_object().and_then(|it| it.keys().next().cloned());
    let content = field.map_or(json!({}), |it| json!({ it: true }));
    let third = talk.answer(&answer(&second, &key, content)).await;
    assert_eq!(third["text"], "しました", "{third}");
    let last = talk.last();
    assert!(results(last.last().unwrap())[0].to_string().contains("Hello, 太郎!"), "{last:?}");
    // A second time, the same answers bring the same result.
    talk.model.says(says("もうしました"));
    let again = answer(&second, &key, json!({}));
    assert_eq!(talk.answer(&again).await["text"], "もうしました");
    assert!(results(talk.last().last().unwrap())[0].to_string().contains("Hello, 太郎!"));
}

#[tokio::test(flavor = "multi_thread")]
async fn person_chooses_among_pictures_of_a_tool() {
    let talk = Talk::with(
        &["conformance"],
        "[components.conformance]\ngrants = ['events']\n[assistants.counter]\napproval = 'never'",
    )
    .await;
    talk.model.says(calls(&[("test_image_content", json!({}))]));
    let first = talk.answer(&json!({ "message": "描いて", "choose": true })).await;
    assert_eq!((&first["type"], &first["stopReason"]), (&json!("mcp_results"), &json!("waiting")));
    let images = first["images"].as_array().unwrap();
    assert!(images.len() == 1 && images[0]["mimeType"] == "image/png", "ILL-45: {first}");
    assert_eq!((&first["waiting"][0]["type"], talk.model.bodies().len()), (&json!("choice"), 1));
    talk.model.says(says("描きました")).says(says("参照なしで描きました"));
    let chosen = json!({ "turn": first["turn"], "selectedImages": images });
    assert_eq!(talk.answer(&chosen).await["text"], "描きました", "ILL-45");
    let data = images[0]["data"].as_str().unwrap();
    let has_picture = || talk.last().last().unwrap().to_string().contains(data);
    assert!(has_picture(), "the model sees what was chosen");
    let none = json!({ "turn": first["turn"], "selectedImages": [] });
    assert_eq!(talk.answer(&none).await["text"], "参照なしで描きました");
    assert!(!has_picture(), "and nothing else");
}
