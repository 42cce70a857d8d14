//! People start, import, join, pause and end conversations of agents.

use std::time::Duration;

use host::{caller::Caller, component::ResourceBody};
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    fixtures::{agent, credentials},
};

/// Two projects: in `shop` worker-a and worker-b are played, worker-c and worker-d come from outside, and Hana
/// works there; in `lab` there are worker-x, worker-y and Taro.
pub(super) async fn house() -> Tested {
    let silent = |_: &Value| json!({ "ending": "concluded", "text": "", "calls": [] });
    bench().assistant("talker", (50, 200_000), silent).start().await
}

/// The same house, before there is an assistant.
pub(super) fn bench() -> Bench {
    let played = |name: &str, project: &str| json!({ "name": name, "type": "ai", "projects": [project], "assistant": "talker" });
    let person = |name: &str, project: &str| json!({ "name": name, "type": "human", "projects": [project], "principal": name });
    let settings = json!({
        "projects": { "shop": { "name": "Web shop" }, "lab": { "name": "Laboratory" } },
        "agents": {
            "worker-a": played("Analysis Worker", "shop"),
            "worker-b": played("Writing Worker", "shop"),
            "worker-c": agent("Guest", &["shop".to_owned()]),
            "worker-d": agent("Other Guest", &["shop".to_owned()]),
            "worker-x": played("X", "lab"),
            "worker-y": played("Y", "lab"),
            "hana": person("hana", "shop"),
            "taro": person("taro", "lab"),
        },
    });
    Bench::of("conversations").grant_all().at("2026-11-20T10:00:00").settings(settings)
}

/// A caller with a token, who may use the component.
pub(super) fn by(principal: &str) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    caller.scopes = ["component:conversations".to_owned()].into();
    caller
}

/// A caller who needs no token is the operator.
pub(super) fn operator(component: &Tested) {
    component.speak(Caller::anonymous());
}

/// The code and the status of a call that must be refused.
pub(super) async fn refused(component: &Tested, tool: &str, arguments: Value) -> (String, u64) {
    let failure = component.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure["status"].as_u64().unwrap())
}

/// Has worker-a talk with `target`: the conversation's id.
pub(super) async fn begin(component: &Tested, target: &str) -> String {
    let wanted = json!({
        "project_id": "shop", "initiator_agent_id": "worker-a", "target_agent_id": target,
    });
    let begun = component.call("begin_conversation", wanted).await;
    begun["conversation"]["conversation_id"].as_str().unwrap().to_owned()
}

/// The agents to be played: the keys of due jobs.
pub(super) async fn wanted(component: &Tested) -> Vec<String> {
    let agenda = component.due(&[]).await.expect("it says what is due");
    agenda.jobs.into_iter().map(|it| it.key).collect()
}

/// An agent comes in from outside: the session's token.
pub(super) async fn guest(component: &Tested, agent: &str) -> String {
    let session = component.call("authenticate", credentials(agent, "shop")).await;
    session["session_token"].as_str().expect("it is let in").to_owned()
}

/// The next action of an agent.
pub(super) async fn next(component: &Tested, token: &str) -> Value {
    component.call("get_next_action", json!({ "session_token": token })).await
}

/// A line of `chat.jsonl`.
pub(super) fn line(id: &str, ends: [&str; 2], content: &str, conversation: Value) -> String {
    json!({
        "id": id, "senderId": ends[0], "recipientId": ends[1], "content": content,
        "timestamp": "2026-01-23T10:00:00Z", "conversationId": conversation,
    })
    .to_string()
}

/// Imports lines, all of which must be valid.
pub(super) async fn import(component: &Tested, lines: &[String]) {
    for lines in lines.chunks(200) {
        let taken = component.call("import_messages", json!({ "lines": lines })).await;
        assert_eq!(taken["problems"], json!([]));
    }
}

// A person starts a conversation of two agents, and played ones are scheduled for it (CONV-8).

#[tokio::test]
async fn person_starts_two_agents_and_both_are_requested() {
    let component = house().await;
    component.published();
    let arguments = json!({
        "target_agent_id": "worker-b", "initiator_agent_id": "worker-a", "purpose": "しりとり",
        "initial_message": "りんご", "max_turns": 5,
    });
    let begun = component.call("begin_conversation", arguments).await;
    let conversation = &begun["conversation"];
    let id = conversation["conversation_id"].as_str().unwrap();
    assert!(id.starts_with("conv_"));
    assert_eq!(conversation["state"], "pending");
    assert_eq!(conversation["begun_by"], "operator");
    assert_eq!(conversation["project_id"], "shop", "the one project of the target");
    assert_eq!((&conversation["max_turns"], &conversation["messages"]), (&json!(5), &json!(1)));
    assert_eq!(begun["messages"][0]["content"], "りんご");
    assert_eq!(begun["messages"][0]["senderId"], "worker-a", "in the initiator's name");
    assert_eq!(begun["messages"][0]["conversationId"], id);
    assert_eq!(begun["may_step_in"], true);
    let step = &begun["steps"][0];
    assert_eq!((&step["state"], &step["caused_by"]), (&json!("pending"), &json!("operator")));
    assert_eq!(step["cause"], "begin_conversation");
    let notified = component.published();
    for channel in ["conversations://purposes", "conversations://list", "agent://shop/worker-b"] {
        assert!(notified.iter().any(|it| it == channel), "{channel} in {notified:?}");
    }
    assert_eq!(wanted(&component).await, ["shop/worker-a", "shop/worker-b"]);
    assert_eq!(wanted(&component).await.len(), 2, "until they have come");
    let agenda = component.due(&["shop/worker-a"]).await.unwrap();
    assert_eq!(agenda.again.events, ["conversations://purposes"]);
    let [job] = agenda.jobs.as_slice() else { panic!("the other one is at it: {agenda:?}") };
    assert_eq!(job.key, "shop/worker-b");
    let role: Value = serde_json::from_str(&job.input).unwrap();
    assert_eq!(role, json!({ "project_id": "shop", "agent_id": "worker-b" }));
}

#[tokio::test]
async fn played_agent_begins_if_none_is_named() {
    let component = house().await;
    let begun =
        component.call("begin_conversation", json!({ "target_agent_id": "worker-c" })).await;
    let first = begun["conversation"]["members"][0].clone();
    assert_eq!((&first["agent_id"], &first["role"]), (&json!("worker-a"), &json!("initiator")));
    assert_eq!(wanted(&component).await, ["shop/worker-a"], "the guest comes by itself");
    let begun =
        component.call("begin_conversation", json!({ "target_agent_id": "worker-c" })).await;
    let first = begun["conversation"]["members"][0]["agent_id"].clone();
    assert_eq!(first, "worker-b", "whoever does not talk with the target yet");
}

#[tokio::test]
async fn rejects_invalid_starts_in_the_specified_order() {
    let component = house().await;
    begin(&component, "worker-b").await;
    let wanted = |initiator: Value, target: &str| json!({ "project_id": "shop", "initiator_agent_id": initiator, "target_agent_id": target });
    let a = json!("worker-a");
    for (arguments, code, status) in [
        (wanted(a.clone(), "worker-a"), "cannot_conversation_with_self", 400),
        (wanted(a.clone(), "nobody"), "agent_not_found", 404),
        (wanted(json!("nobody"), "worker-b"), "agent_not_found", 404),
        (wanted(a.clone(), "hana"), "cannot_start_conversation_with_human", 400),
        (wanted(json!("hana"), "worker-b"), "cannot_start_conversation_with_human", 400),
        (wanted(a.clone(), "worker-x"), "target_agent_not_in_project", 403),
        (wanted(json!("worker-x"), "worker-b"), "target_agent_not_in_project", 403),
        (wanted(json!("worker-c"), "worker-b"), "agent_not_played", 409),
        (wanted(a.clone(), "worker-b"), "conversation_already_active", 409),
        (wanted(json!("worker-b"), "worker-a"), "conversation_already_active", 409),
        (json!({ "project_id": "moon", "target_agent_id": "worker-b" }), "project_not_found", 404),
        (json!({ "target_agent_id": "worker-c", "max_turns": 0 }), "invalid_params", 400),
        (
            json!({ "target_agent_id": "worker-c", "purpose": "x".repeat(1_001) }),
            "invalid_params",
            400,
        ),
        (
            json!({ "target_agent_id": "worker-c", "initial_message": "x".repeat(4_001) }),
            "content_too_long",
            400,
        ),
    ] {
        let refusal = refused(&component, "begin_conversation", arguments.clone()).await;
        assert_eq!(refusal, (code.to_owned(), status), "{arguments}");
    }
    assert_eq!(
        component.call("list_conversations", json!({})).await["conversations"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn agent_from_outside_is_not_played() {
    let component = house().await;
    begin(&component, "worker-c").await;
    guest(&component, "worker-c").await;
    assert_eq!(wanted(&component).await, ["shop/worker-a"]);
}

// Import of `chat.jsonl`: each line once, and each invalid one reported (CONV-6, CONV-X22).

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
    let c = guest(&component, "worker-c").await;
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

// People write into, pause and end conversations of agents.

/// An active conversation of the two guests: its id, and both tokens.
async fn active(component: &Tested) -> (String, String, String) {
    let (c, d) = (guest(component, "worker-c").await, guest(component, "worker-d").await);
    let wanted = json!({ "session_token": c, "target_agent_id": "worker-d" });
    let started = component.call("start_conversation", wanted).await;
    assert_eq!(next(component, &d).await["action"], "conversation_request");
    (started["conversation_id"].as_str().unwrap().to_owned(), c, d)
}

fn of(id: &str) -> Value {
    json!({ "conversation_id": id })
}

fn with(mut arguments: Value, name: &str, value: Value) -> Value {
    arguments[name] = value;
    arguments
}

async fn state(component: &Tested, id: &str) -> Value {
    component.call("get_conversation", of(id)).await["conversation"]["state"].clone()
}

#[tokio::test]
async fn persons_message_reaches_both_agents() {
    let component = house().await;
    let (id, c, d) = active(&component).await;
    component.speak(by("hana"));
    let message = with(of(&id), "content", "少し急いでください".into());
    let message = with(message, "client_message_id", "m-1".into());
    let output = component.call("write_message", message.clone()).await;
    component.call("write_message", message).await;
    let message = &output["messages"][0];
    assert_eq!((&message["senderId"], message.get("recipientId")), (&json!("hana"), None));
    assert_eq!(message["conversationId"], id);
    let members = output["conversation"]["members"].as_array().unwrap();
    assert!(members.iter().all(|it| it["unread"] == 1), "{members:?}");
    assert_eq!(output["conversation"]["turns"], 0, "a person's words are nobody's turn");
    for token in [&c, &d] {
        assert_eq!(next(&component, token).await["action"], "get_pending_messages");
        let read = component.call("get_pending_messages", json!({ "session_token": token })).await;
        assert_eq!(read["pending_messages"].as_array().unwrap().len(), 1, "once");
        assert_eq!(read["pending_messages"][0]["content"], "少し急いでください");
    }
    operator(&component);
    let conversation = component.call("get_conversation", of(&id)).await;
    assert!(conversation["messages"][0]["readAt"].is_string(), "both have read it");
    for (content, code) in
        [(" ".to_owned(), "content_required"), ("x".repeat(4_001), "content_too_long")]
    {
        let refusal =
            refused(&component, "write_message", with(of(&id), "content", content.into())).await;
        assert_eq!(refusal, (code.to_owned(), 400));
    }
}

#[tokio::test]
async fn pause_silences_agents_and_stops_the_clock_for_them_only() {
    let component = house().await;
    let (id, c, _) = active(&component).await;
    let paused = component.call("pause_conversation", with(of(&id), "paused", true.into())).await;
    assert_eq!(paused["conversation"]["paused_by"], "operator");
    assert!(paused["conversation"]["paused_at"].is_string());
    component.call("pause_conversation", with(of(&id), "paused", true.into())).await;
    let body = json!({ "session_token": c, "target_agent_id": "worker-d", "content": "りんご" });
    assert_eq!(
        refused(&component, "send_message", body.clone()).await,
        ("conversation_paused".to_owned(), 409)
    );
    component.call("write_message", with(of(&id), "content", "待って".into())).await;
    component.pass(Duration::from_secs(595));
    next(&component, &c).await;
    let resumed = component.call("pause_conversation", with(of(&id), "paused", false.into())).await;
    assert_eq!(resumed["conversation"].get("paused_at"), None);
    component.pass(Duration::from_secs(300));
    assert_eq!(state(&component, &id).await, "active", "the pause did not count");
    assert_eq!(component.call("send_message", body).await["conversation_id"], id);
}

#[tokio::test]
async fn person_ends_a_conversation_and_both_agents_are_notified() {
    let component = house().await;
    let (id, c, d) = active(&component).await;
    component.speak(by("hana"));
    let ended =
        component.call("stop_conversation", with(of(&id), "reason_text", "脱線".into())).await;
    let conversation = &ended["conversation"];
    assert_eq!(
        (&conversation["state"], &conversation["ended_by"]),
        (&json!("terminating"), &json!("hana"))
    );
    assert_eq!(
        (&conversation["end_reason"], &conversation["reason_text"]),
        (&json!("operator_ended"), &json!("脱線"))
    );
    assert_eq!(ended["steps"][2]["cause"], "stop_conversation");
    assert_eq!(ended["may_step_in"], false);
    component.call("stop_conversation", of(&id)).await;
    operator(&component);
    for token in [&c, &d] {
        let instruction = next(&component, token).await;
        assert_eq!(instruction["action"], "conversation_ended");
        assert_eq!(
            (&instruction["ended_by"], &instruction["reason"]),
            (&json!("hana"), &json!("operator_ended"))
        );
    }
    assert_eq!(state(&component, &id).await, "ended");
    component.call("stop_conversation", of(&id)).await;
    let refusal = refused(&component, "write_message", with(of(&id), "content", "x".into())).await;
    assert_eq!(refusal, ("no_active_conversation".to_owned(), 400));
    let refusal =
        refused(&component, "pause_conversation", with(of(&id), "paused", true.into())).await;
    assert_eq!(refusal, ("no_active_conversation".to_owned(), 400));
}

#[tokio::test]
async fn request_can_be_ended_not_paused_and_an_expired_one_neither() {
    let component = house().await;
    let id = begin(&component, "worker-b").await;
    let pause = with(of(&id), "paused", true.into());
    assert_eq!(refused(&component, "pause_conversation", pause).await.0, "no_active_conversation");
    component.call("write_message", with(of(&id), "content", "x".into())).await;
    let ended = component.call("stop_conversation", of(&id)).await;
    assert_eq!(ended["conversation"]["state"], "terminating");
    let id = begin(&component, "worker-b").await;
    component.pass(Duration::from_secs(301));
    assert_eq!(state(&component, &id).await, "expired", "looking at it is enough (CONV-23)");
    let refusal = refused(&component, "stop_conversation", of(&id)).await;
    assert_eq!(refusal, ("no_active_conversation".to_owned(), 400));
}

// The list of conversations, one conversation, its record, and who may see them.

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
