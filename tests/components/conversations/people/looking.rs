//! The list of conversations, one conversation, its record, and who may see them.

use host::component::ResourceBody;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{begin, by, house, import, line, operator, refused};

async fn ids(component: &Tested, filter: Value) -> Vec<String> {
    let listed = component.call("list_conversations", filter).await;
    let all = listed["conversations"].as_array().unwrap().iter();
    all.map(|it| it["conversation_id"].as_str().unwrap().to_owned()).collect()
}

/// Conversations that were held elsewhere, each of one message.
async fn held(component: &Tested, contents: &[&str]) {
    let lines = contents.iter().enumerate().map(|(at, content)| {
        line(
            &format!("msg_{at:03}"),
            ["worker-a", "worker-b"],
            content,
            json!(format!("conv_{at:03}")),
        )
    });
    import(component, &lines.collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn list_is_newest_first_in_pages_of_fifty() {
    let component = house().await;
    held(&component, &["x"; 60]).await;
    let newest = begin(&component, "worker-b").await;
    let first = component.call("list_conversations", json!({})).await;
    let page = ids(&component, json!({})).await;
    assert_eq!(page.len(), 50);
    assert_eq!(page[..2], [newest, "conv_059".to_owned()]);
    let rest = ids(&component, json!({ "cursor": first["next_cursor"] })).await;
    assert_eq!((rest.len(), rest[0].as_str(), rest[10].as_str()), (11, "conv_010", "conv_000"));
    let last =
        component.call("list_conversations", json!({ "cursor": first["next_cursor"] })).await;
    assert_eq!(last.get("next_cursor"), None);
    let refusal =
        refused(&component, "list_conversations", json!({ "cursor": "behind the last" })).await;
    assert_eq!(refusal.0, "invalid_params");
}

#[tokio::test]
async fn search_matches_purposes_and_messages_literally() {
    let component = house().await;
    held(
        &component,
        &["りんご 100%", "ごりら 100x", "Snake_Case", "snakeXcase", "!", "ＡＩ会議 École"],
    )
    .await;
    let wanted = json!({
        "target_agent_id": "worker-c", "purpose": "りんごの話", "initial_message": "Hello World",
    });
    let begun = component.call("begin_conversation", wanted).await;
    let begun = begun["conversation"]["conversation_id"].as_str().unwrap();
    for (query, found) in [
        ("りんご", vec![begun, "conv_000"]),
        ("100%", vec!["conv_000"]),
        ("snake_case", vec!["conv_002"]),
        ("!", vec!["conv_004"]),
        ("ＡＩ会議", vec!["conv_005"]),
        ("ａｉ会議 éCOLE", vec!["conv_005"]),
        ("りんご world", vec![begun]),
        ("りんご ごりら", vec![]),
        ("' OR 1=1 --", vec![]),
        ("  ", vec![begun, "conv_005", "conv_004", "conv_003", "conv_002", "conv_001", "conv_000"]),
    ] {
        assert_eq!(ids(&component, json!({ "query": query })).await, found, "{query}");
    }
    let refusal =
        refused(&component, "list_conversations", json!({ "query": "x".repeat(201) })).await;
    assert_eq!(refusal.0, "invalid_params");
}

#[tokio::test]
async fn the_list_is_narrowed_by_state_agent_and_project() {
    let component = house().await;
    held(&component, &["x"]).await;
    let b = begin(&component, "worker-b").await;
    let c = begin(&component, "worker-c").await;
    let x = json!({ "target_agent_id": "worker-y" });
    let x =
        component.call("begin_conversation", x).await["conversation"]["conversation_id"].clone();
    for (filter, found) in [
        (json!({ "state": "ended" }), vec!["conv_000"]),
        (json!({ "state": "active" }), vec![]),
        (json!({ "agent_id": "worker-c" }), vec![&*c]),
        (json!({ "project_id": "lab" }), vec![x.as_str().unwrap()]),
        (json!({ "state": "pending", "agent_id": "worker-b", "project_id": "shop" }), vec![&*b]),
        (json!({ "project_id": "moon" }), vec![]),
    ] {
        assert_eq!(ids(&component, filter.clone()).await, found, "{filter}");
    }
}

#[tokio::test]
async fn messages_come_in_pages_by_their_numbers() {
    let component = house().await;
    let lines: Vec<_> = (1..=120)
        .map(|at| {
            line(
                &format!("msg_{at:03}"),
                ["worker-a", "worker-b"],
                &at.to_string(),
                json!("conv_1"),
            )
        })
        .collect();
    import(&component, &lines).await;
    for (arguments, first, last, has_older) in [
        (json!({}), 71, 120, true),
        (json!({ "before": 71 }), 21, 70, true),
        (json!({ "before": 21, "limit": 200 }), 1, 20, false),
        (json!({ "after": 118 }), 119, 120, true),
        (json!({ "after": 0, "limit": 3 }), 1, 3, false),
        (json!({ "after": 10, "before": 15, "limit": 2 }), 13, 14, true),
    ] {
        let mut wanted = arguments.clone();
        wanted["conversation_id"] = "conv_1".into();
        let page = component.call("get_conversation", wanted).await;
        let numbers: Vec<_> = page["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["sequence"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, (first..=last).collect::<Vec<_>>(), "{arguments}");
        assert_eq!(page["has_older"], has_older, "{arguments}");
        assert_eq!(page["conversation"]["messages"], 120);
    }
    for limit in [0, 201] {
        let wanted = json!({ "conversation_id": "conv_1", "limit": limit });
        assert_eq!(refused(&component, "get_conversation", wanted).await.0, "invalid_params");
    }
}

#[tokio::test]
async fn person_sees_the_projects_they_work_in_and_the_operator_all() {
    let component = house().await;
    let shop = begin(&component, "worker-b").await;
    let lab = component.call("begin_conversation", json!({ "target_agent_id": "worker-x" })).await;
    let lab = lab["conversation"]["conversation_id"].as_str().unwrap().to_owned();
    assert_eq!(ids(&component, json!({})).await.len(), 2);
    component.speak(by("hana"));
    assert_eq!(ids(&component, json!({})).await, [shop]);
    assert!(ids(&component, json!({ "project_id": "lab" })).await.is_empty());
    let projects = component.get("projects", &[]).await.unwrap();
    assert_eq!((&projects["me"], &projects["is_operator"]), (&json!("hana"), &json!(false)));
    assert_eq!(projects["projects"].as_array().unwrap().len(), 1);
    let of = |id: &str| json!({ "conversation_id": id });
    let unseen = component.failure("get_conversation", of(&lab)).await;
    let unknown = component.failure("get_conversation", of("conv_none")).await;
    assert_eq!(
        (&unseen["error"], &unseen["status"]),
        (&json!("conversation_not_found"), &json!(404))
    );
    assert_eq!(unseen["message"], unknown["message"], "nobody is told which");
    for (tool, more) in [
        ("write_message", json!({ "content": "x" })),
        ("pause_conversation", json!({ "paused": true })),
        ("stop_conversation", json!({})),
    ] {
        let mut arguments = of(&lab);
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(
            refused(&component, tool, arguments).await.0,
            "conversation_not_found",
            "{tool}"
        );
    }
    component.get("transcript", &[("id", &lab)]).await.unwrap_err();
    component.read(&format!("conversation://{lab}")).await.unwrap_err();
    component.read("chats://lab").await.unwrap_err();
    component.read("chats://shop").await.unwrap();
    let error =
        refused(&component, "begin_conversation", json!({ "target_agent_id": "worker-x" })).await;
    assert_eq!(error.0, "agent_not_found", "in no project of hers");
}

#[tokio::test]
async fn people_tools_reject_callers_that_are_no_person() {
    let component = house().await;
    let id = begin(&component, "worker-b").await;
    component.speak(by("robot"));
    let talk = json!({ "conversation_id": id });
    let chat = json!({ "project_id": "shop", "agent_id": "worker-a" });
    let with = |mut object: Value, name: &str, value: Value| {
        object[name] = value;
        object
    };
    for (tool, arguments) in [
        ("begin_conversation", json!({ "target_agent_id": "worker-b" })),
        ("list_conversations", json!({})),
        ("get_conversation", talk.clone()),
        ("write_message", with(talk.clone(), "content", "x".into())),
        ("pause_conversation", with(talk.clone(), "paused", true.into())),
        ("stop_conversation", talk),
        ("start_chat", chat.clone()),
        ("send_chat", with(chat.clone(), "content", "x".into())),
        ("end_chat", chat.clone()),
        ("mark_chat_read", chat),
        ("import_messages", json!({ "lines": [] })),
    ] {
        let refusal = refused(&component, tool, arguments).await;
        assert_eq!(refusal, ("tool_not_available".to_owned(), 403), "{tool}");
    }
    for path in ["projects", "projects/shop/agent-sessions", "projects/shop/unread-counts"] {
        assert_eq!(component.get(path, &[]).await.unwrap_err()["status"], 403, "{path}");
    }
    assert_eq!(component.get("projects/shop/agents", &[]).await.unwrap_err()["status"], 404);
    component.read("conversations://list").await.unwrap_err();
    component.speak(by("hana"));
    let refusal = refused(&component, "import_messages", json!({ "lines": [] })).await;
    assert_eq!(refusal.0, "tool_not_available", "the operator alone imports");
}

#[tokio::test]
async fn conversation_is_a_subscribable_resource() {
    let component = house().await;
    let id = begin(&component, "worker-b").await;
    let offers = component.component().offers();
    let listed: Vec<_> = offers.resources.iter().map(|it| it.uri.to_string()).collect();
    assert_eq!(listed, ["conversations://list", "ui://conversations/conversation"]);
    let fits = |uri: &str| offers.templates.iter().any(|it| it.uri_template.matches(uri));
    assert!(fits(&format!("conversation://{id}")) && fits("chats://shop"));
    let mut contents = component.read(&format!("conversation://{id}")).await.unwrap();
    let ResourceBody::Text(text) = contents.remove(0).body else { panic!("no text") };
    let conversation = component.call("get_conversation", json!({ "conversation_id": id })).await;
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), conversation);
    component.published();
    component.call("stop_conversation", json!({ "conversation_id": id })).await;
    let notified = component.published();
    for channel in
        [&*format!("conversation://{id}"), "conversations://list", "agent://shop/worker-a"]
    {
        assert!(notified.iter().any(|it| it == channel), "{channel} in {notified:?}");
    }
}

#[tokio::test]
async fn exports_whole_conversation_as_markdown_and_importable_lines() {
    let component = house().await;
    let lines: Vec<_> = (1..=450)
        .map(|at| {
            line(
                &format!("msg_{at:03}"),
                ["worker-a", "worker-b"],
                &format!("# {at}\n<b>"),
                json!("conv_1"),
            )
        })
        .collect();
    import(&component, &lines).await;
    let record = component.get("transcript", &[("id", "conv_1")]).await.unwrap();
    assert_eq!(record["isWhole"], true);
    let written: Vec<_> = record["jsonl"].as_str().unwrap().lines().map(str::to_owned).collect();
    let read = |it: &String| serde_json::from_str::<Value>(it).unwrap();
    assert_eq!(
        written.iter().map(read).collect::<Vec<_>>(),
        lines.iter().map(read).collect::<Vec<_>>()
    );
    let markdown = record["markdown"].as_str().unwrap();
    assert!(
        markdown.contains("### 450. Analysis Worker — 2026-01-23T10:00:00Z\n\n> # 450\n> <b>\n")
    );
    assert!(markdown.contains("- 2026-01-23T10:00:00Z `pending` — worker-a (import_messages)"));
    let again = component.call("import_messages", json!({ "lines": written[..200] })).await;
    assert_eq!(again, json!({ "imported": 0, "known": 200, "problems": [] }));
    operator(&component);
    component.get("transcript", &[]).await.unwrap_err();
}
