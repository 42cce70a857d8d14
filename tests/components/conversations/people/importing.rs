//! Import of `chat.jsonl`: each line once, and each invalid one reported (CONV-6, CONV-X22).

use serde_json::{Value, json};

use super::{begin, house, import, line, next, refused};

#[tokio::test]
async fn conversation_held_elsewhere_is_imported_as_one_that_is_over() {
    let component = house().await;
    let conversation = json!("conv_old");
    let lines = [
        line("m1", ["worker-a", "worker-b"], "りんご", conversation.clone()),
        line("m2", ["worker-b", "worker-a"], "ごりら", conversation.clone()),
        line("m2", ["worker-b", "worker-a"], "ごりら", conversation),
    ];
    let taken = component.call("import_messages", json!({ "lines": lines })).await;
    assert_eq!(taken, json!({ "imported": 2, "known": 1, "problems": [] }));
    let talk = component.call("get_conversation", json!({ "conversation_id": "conv_old" })).await;
    let conversation = &talk["conversation"];
    assert_eq!(
        (&conversation["state"], &conversation["project_id"]),
        (&json!("ended"), &json!("shop"))
    );
    assert_eq!((&conversation["messages"], &conversation["turns"]), (&json!(2), &json!(1)));
    assert_eq!(conversation["members"][0]["agent_id"], "worker-a");
    assert_eq!(talk["messages"][1]["content"], "ごりら");
    assert_eq!(talk["messages"][1]["timestamp"], "2026-01-23T10:00:00Z");
    component.run_schedule().await.unwrap();
    component.call("get_conversation", json!({ "conversation_id": "conv_old" })).await;
    let c = super::guest(&component, "worker-c").await;
    assert_eq!(next(&component, &c).await["action"], "wait_for_messages", "nobody has to read it");
}

#[tokio::test]
async fn reports_unfit_lines_one_by_one_and_imports_the_others() {
    let component = house().await;
    let open = begin(&component, "worker-b").await;
    let lines = [
        line("m1", ["worker-a", "worker-b"], "x", json!("conv_1")),
        line("m2", ["nobody", "worker-b"], "x", json!("conv_1")),
        line("m3", ["worker-c", "worker-b"], "x", json!("conv_1")),
        line("m4", ["worker-a", "worker-b"], "x", json!(open)),
        line("m5", ["worker-a", "worker-x"], "x", json!("conv_2")),
        line("m6", ["worker-a", "hana"], "x", json!("conv_3")),
        "{".to_owned(),
        line("m7", ["hana", "worker-b"], "x", json!("conv_1")),
        line("m8", ["worker-a", "worker-b"], "x", Value::Null),
    ];
    let taken = component.call("import_messages", json!({ "lines": lines })).await;
    assert_eq!(taken["imported"], 3, "{taken}");
    let problems = taken["problems"].as_array().unwrap().iter();
    let problems: Vec<_> = problems
        .map(|it| (it["line"].as_u64().unwrap(), it["message"].as_str().unwrap()))
        .collect();
    let parts = [
        "no agent nobody",
        "of others",
        "goes on",
        "no project",
        "from an AI to an AI",
        "no message",
    ];
    assert_eq!(problems.iter().map(|it| it.0).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7]);
    for ((_, message), part) in problems.iter().zip(parts) {
        assert!(message.contains(part), "{message}: {part}");
    }
    let named = json!({ "lines": [lines[4]], "project_id": "shop" });
    assert_eq!(
        component.call("import_messages", named).await["imported"],
        1,
        "where the project is named"
    );
    let long = vec!["{}"; 201];
    assert_eq!(
        refused(&component, "import_messages", json!({ "lines": long })).await.0,
        "invalid_params"
    );
    let moon = json!({ "lines": [], "project_id": "moon" });
    assert_eq!(refused(&component, "import_messages", moon).await.0, "project_not_found");
}

#[tokio::test]
async fn imports_a_persons_chat_as_a_chat() {
    let component = house().await;
    let lines = [
        line("m1", ["operator", "worker-a"], "調べて", Value::Null),
        line("m2", ["worker-a", "operator"], "わかりました", Value::Null),
    ];
    import(&component, &lines).await;
    let chat = component.get("projects/shop/agents/worker-a/chat/messages", &[]).await.unwrap();
    assert_eq!(chat["totalCount"], 2);
    assert_eq!(chat["messages"][1]["content"], "わかりました");
    let counts = component.get("projects/shop/unread-counts", &[]).await.unwrap();
    assert_eq!(counts, json!({ "counts": {} }));
    let arguments = json!({ "project_id": "shop", "agent_id": "worker-a", "content": "?" });
    assert_eq!(component.call("send_chat", arguments).await["message"]["sequence"], 3);
}
