//! What the toolkit and the host give every component: arguments, questions, facts of the caller.

use host::grants::Grant;
use serde_json::json;
use tests::bench::Bench;
use workbench::solo::SoloOutcome;

#[tokio::test]
async fn a_component_without_any_grant_can_be_called() {
    let echo = Bench::of("echo").start().await;
    assert_eq!(
        echo.call("echo", json!({ "value": { "a": [1] } })).await,
        json!({ "value": { "a": [1] } })
    );
}

#[tokio::test]
async fn names_wrong_missing_and_surplus_arguments_with_the_remedy() {
    let echo = Bench::of("echo").start().await;
    let failure = echo.failure("echo", json!({ "valeu": {} })).await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("invalid_params"), &json!(400)));
    let pointers: Vec<_> = failure["data"]["problems"].as_array().unwrap().iter().collect();
    assert_eq!(pointers[0]["pointer"], "/value");
    assert_eq!(pointers[1]["pointer"], "/valeu");
    assert!(pointers[1]["message"].as_str().unwrap().contains("known are: value"));
    let failure = echo.failure("count_slowly", json!({ "steps": "ten" })).await;
    assert_eq!(failure["data"]["field"], "steps");
    assert!(failure["message"].as_str().unwrap().contains("integer"), "{failure}");
}

#[tokio::test]
async fn tool_asks_and_resumes_with_the_answer() {
    let echo = Bench::of("echo").start().await;
    let SoloOutcome::InputRequired(questions) =
        echo.round("greet_twice", json!({}), json!({})).await
    else {
        panic!("it does not ask");
    };
    assert_eq!((questions.len(), &*questions[0].key), (1, "name"));
    let named = json!({ "name": { "name": "花子" } });
    let SoloOutcome::InputRequired(questions) =
        echo.round("greet_twice", json!({}), named.clone()).await
    else {
        panic!("it does not ask again");
    };
    assert_eq!(questions[0].message, "Are you 花子?");
    let mut both = named;
    both[&questions[0].key] = json!({});
    match echo.round("greet_twice", json!({}), both).await {
        SoloOutcome::Done(output) => {
            assert_eq!(output.structured.unwrap(), r#"{"greeting":"Hello, 花子!"}"#)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_declined_question_is_a_refusal() {
    let echo = Bench::of("echo").start().await;
    match echo.round("greet", json!({}), json!({ "name": null })).await {
        SoloOutcome::Failed(object) => assert_eq!(object["error"], "declined"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn ungranted_import_keeps_it_out_and_names_the_granting_line() {
    let error = Bench::of("cinema").grant(Grant::Clock).try_start().await.err().unwrap();
    assert!(error.contains("which is not granted"), "{error}");
    assert!(error.contains("[components.cinema]: grants = ["), "{error}");
}
