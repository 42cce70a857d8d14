//! Projects and agents, from settings and from the page.

use host::caller::Caller;
use serde_json::{Value, json};
use tests::bench::Tested;

use super::{HASH, PASSKEY, bench, open, sessions::shop};

/// A caller with a token of that name and those scopes.
fn caller(principal: &str, scopes: &[&str]) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    caller.scopes = scopes.iter().map(|it| (*it).to_owned()).collect();
    caller
}

/// The token of an agent that comes in now.
async fn enter(component: &Tested, agent: &str, passkey: &str, project: &str) -> String {
    let arguments = json!({ "agent_id": agent, "passkey": passkey, "project_id": project });
    let opened = component.call("authenticate", arguments).await;
    opened["session_token"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
}

/// The refusal of an agent's login.
async fn refused(component: &Tested, agent: &str, passkey: &str, project: &str) -> Value {
    let arguments = json!({ "agent_id": agent, "passkey": passkey, "project_id": project });
    component.call("authenticate", arguments).await["error"].clone()
}

/// Who is in the project of a session.
async fn agents(component: &Tested, token: &str) -> Vec<Value> {
    let listed = component.call("list_agents", json!({ "session_token": token })).await;
    listed["agents"].as_array().unwrap().clone()
}

/// The ids of the agents that the session sees.
async fn ids(component: &Tested, token: &str) -> Vec<String> {
    let text = |it: &Value| it["agent_id"].as_str().unwrap().to_owned();
    agents(component, token).await.iter().map(text).collect()
}

// Agents and projects that the operator defines and retires on the page.

/// Dora, of the shop.
fn dora() -> Value {
    json!({ "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"] })
}

/// The same with other members.
fn with(changes: &Value) -> Value {
    let mut dora = dora();
    for (key, value) in changes.as_object().unwrap() {
        dora[key] = value.clone();
    }
    dora
}

/// The code and the status of a refusal.
async fn refusal(component: &Tested, tool: &str, arguments: Value) -> (String, u64) {
    let failure = component.failure(tool, arguments).await;
    (failure["error"].as_str().unwrap().to_owned(), failure["status"].as_u64().unwrap_or_default())
}

/// Only the operator defines projects and agents, retires agents and renews passkeys.
#[tokio::test]
async fn only_the_operator_defines_agents_and_only_pages_see_tools() {
    let component = shop().start().await;
    let calls = [
        ("define_project", json!({ "project_id": "lab", "name": "Lab" })),
        ("define_agent", dora()),
        ("retire_agent", json!({ "agent_id": "dora" })),
        ("renew_passkey", json!({ "agent_id": "dora" })),
    ];
    for caller in [
        caller("taro", &["component:conversations"]),
        caller("ci", &["component:conversations"]),
        caller("madoguchi:coordinator", &["component:conversations"]),
    ] {
        component.speak(caller);
        for (tool, arguments) in &calls {
            let refused = refusal(&component, tool, arguments.clone()).await;
            assert_eq!(refused, ("tool_not_available".to_owned(), 403), "{tool}");
        }
    }
    for caller in [Caller::anonymous(), caller("stdio", &["*"]), caller("boss", &["*"])] {
        component.speak(caller);
        component.call("define_project", json!({ "project_id": "lab", "name": "Lab" })).await;
    }
    for (tool, _) in &calls {
        let tool = component.component().tools().iter().find(|it| &*it.name == *tool).unwrap();
        assert_eq!(tool.meta["ui"]["visibility"], json!(["app"]));
    }
}

#[tokio::test]
async fn project_is_created_and_renamed_with_the_operator_in_it() {
    let component = shop().start().await;
    let defined =
        component.call("define_project", json!({ "project_id": "lab", "name": "Lab" })).await;
    assert_eq!(defined, json!({ "project_id": "lab", "name": "Lab" }));
    component.call("define_project", json!({ "project_id": "lab", "name": "Laboratory" })).await;
    let passkey = component.call("define_agent", with(&json!({ "project_ids": ["lab"] }))).await;
    let token = enter(&component, "dora", passkey["passkey"].as_str().unwrap(), "lab").await;
    assert_eq!(ids(&component, &token).await, ["dora", "operator"]);
}

#[tokio::test]
async fn configured_agents_are_changed_in_configuration_alone() {
    let component = shop().start().await;
    let project = json!({ "project_id": "shop", "name": "Mine" });
    assert_eq!(
        refusal(&component, "define_project", project).await,
        ("project_is_configured".into(), 409)
    );
    let alice = with(&json!({ "agent_id": "alice" }));
    let operator = with(&json!({ "agent_id": "operator", "type": "human" }));
    for (tool, arguments) in [
        ("define_agent", alice),
        ("define_agent", operator),
        ("retire_agent", json!({ "agent_id": "alice" })),
        ("retire_agent", json!({ "agent_id": "operator" })),
        ("renew_passkey", json!({ "agent_id": "alice" })),
    ] {
        let failure = component.failure(tool, arguments).await;
        assert_eq!(
            (&failure["error"], &failure["status"]),
            (&json!("agent_is_configured"), &json!(409))
        );
        assert!(failure["message"].as_str().unwrap().contains("設定ファイル"), "{failure}");
    }
    enter(&component, "alice", PASSKEY, "shop").await;
}

#[tokio::test]
async fn an_agent_is_changed_and_keeps_its_passkey() {
    let component = shop().start().await;
    let defined = component.call("define_agent", with(&json!({ "skills": ["cooking"] }))).await;
    let passkey = defined["passkey"].as_str().unwrap().to_owned();
    assert_eq!((&defined["name"], &defined["skills"]), (&json!("Dora"), &json!(["cooking"])));
    let token = enter(&component, "dora", &passkey, "shop").await;
    let changed = with(&json!({ "name": "Dora II", "project_ids": ["shop", "depot"] }));
    assert!(component.call("define_agent", changed).await.get("passkey").is_none());
    let listed = agents(&component, &token).await;
    let dora = listed.iter().find(|it| it["agent_id"] == "dora").unwrap();
    assert_eq!((&dora["name"], &dora["skills"]), (&json!("Dora II"), &json!([])));
    enter(&component, "dora", &passkey, "depot").await;
    // Taken out of the shop, its session there is over.
    component.call("define_agent", with(&json!({ "project_ids": ["depot"] }))).await;
    assert_eq!(
        component.failure("list_agents", json!({ "session_token": token })).await["error"],
        "invalid_session"
    );
    assert_eq!(
        refused(&component, "dora", &passkey, "shop").await,
        "Agent not assigned to project"
    );
}

#[tokio::test]
async fn host_played_agent_has_no_passkey_and_gets_one_when_released() {
    let component = shop().start().await;
    let played = component.call("define_agent", with(&json!({ "assistant": "talker" }))).await;
    assert!(played.get("passkey").is_none() && played["assistant"] == "talker", "{played}");
    let renew = refusal(&component, "renew_passkey", json!({ "agent_id": "dora" })).await;
    assert_eq!(renew, ("passkey_not_used".to_owned(), 409));
    let free = component.call("define_agent", dora()).await;
    let passkey = free["passkey"].as_str().unwrap();
    enter(&component, "dora", passkey, "shop").await;
    component.call("define_agent", with(&json!({ "assistant": "talker" }))).await;
    assert_eq!(refused(&component, "dora", passkey, "shop").await, "Authentication failed");
}

#[tokio::test]
async fn person_needs_a_token_of_their_own() {
    let component = shop().start().await;
    let person = |id: &str, principal: &str| {
        json!({
            "agent_id": id, "name": id, "type": "human", "project_ids": ["shop"],
            "principal": principal,
        })
    };
    let hana = component.call("define_agent", person("hana", "hana-token")).await;
    assert!(hana.get("passkey").is_none() && hana["principal"] == "hana-token", "{hana}");
    for taken in ["hana-token", "taro"] {
        let refused = refusal(&component, "define_agent", person("ren", taken)).await;
        assert_eq!(refused, ("principal_taken".to_owned(), 409), "{taken}");
    }
    let renew = refusal(&component, "renew_passkey", json!({ "agent_id": "hana" })).await;
    assert_eq!(renew, ("passkey_not_used".to_owned(), 409));
    let program = json!({ "agent_id": "hana", "name": "H", "type": "ai", "project_ids": ["shop"] });
    assert_eq!(
        refusal(&component, "define_agent", program).await,
        ("agent_type_differs".to_owned(), 409)
    );
}

#[tokio::test]
async fn retired_agent_is_shut_out_and_may_be_defined_again() {
    let component = shop().start().await;
    let passkey =
        component.call("define_agent", dora()).await["passkey"].as_str().unwrap().to_owned();
    let token = enter(&component, "dora", &passkey, "shop").await;
    let retired = component.call("retire_agent", json!({ "agent_id": "dora" })).await;
    assert_eq!(retired, json!({ "agent_id": "dora", "success": true }));
    assert_eq!(
        component.failure("list_agents", json!({ "session_token": token })).await["error"],
        "invalid_session"
    );
    assert_eq!(refused(&component, "dora", &passkey, "shop").await, "Authentication failed");
    for (tool, id) in
        [("retire_agent", "dora"), ("renew_passkey", "dora"), ("retire_agent", "nobody")]
    {
        let refused = refusal(&component, tool, json!({ "agent_id": id })).await;
        assert_eq!(refused, ("agent_not_found".to_owned(), 404), "{tool} {id}");
    }
    let other =
        component.call("define_agent", dora()).await["passkey"].as_str().unwrap().to_owned();
    assert_ne!(other, passkey);
    enter(&component, "dora", &other, "shop").await;
    assert_eq!(refused(&component, "dora", &passkey, "shop").await, "Authentication failed");
}

/// The retired agent leaves its conversations; the other sides are notified that the operator ended them.
#[tokio::test]
async fn retiring_an_agent_ends_its_conversations_and_says_who_did() {
    let component = shop().start().await;
    component.call("define_agent", dora()).await;
    let (alice, bob) = (
        enter(&component, "alice", PASSKEY, "shop").await,
        enter(&component, "bob", PASSKEY, "shop").await,
    );
    for token in [&alice, &bob] {
        let start = json!({ "session_token": token, "target_agent_id": "dora" });
        component.call("start_conversation", start).await;
    }
    component.call("retire_agent", json!({ "agent_id": "dora" })).await;
    for token in [&alice, &bob] {
        let next = component.call("get_next_action", json!({ "session_token": token })).await;
        assert_eq!(next["action"], "conversation_ended", "{next}");
        assert_eq!(
            (&next["ended_by"], &next["reason"]),
            (&json!("operator"), &json!("operator_ended"))
        );
    }
    let listed = component.call("list_conversations", json!({ "state": "ended" })).await;
    assert_eq!(listed["conversations"].as_array().unwrap().len(), 2, "nobody is waited for");
    let start = json!({ "session_token": alice, "target_agent_id": "dora" });
    assert_eq!(
        refusal(&component, "start_conversation", start).await,
        ("agent_not_found".to_owned(), 404)
    );
}

#[tokio::test]
async fn rejects_invalid_definitions_with_their_place() {
    let component = shop().start().await;
    for (changes, pointer) in [
        (json!({ "agent_id": "a b" }), "/agent_id"),
        (json!({ "agent_id": "system" }), "/agent_id"),
        (json!({ "name": " " }), "/name"),
        (json!({ "project_ids": [] }), "/project_ids"),
        (json!({ "project_ids": ["shop", "shop"] }), "/project_ids"),
        (json!({ "project_ids": ["-"] }), "/project_ids/0"),
        (json!({ "skills": ["a", ""] }), "/skills/1"),
        (json!({ "principal": "x" }), "/principal"),
        (json!({ "type": "human", "assistant": "talker" }), "/assistant"),
        (json!({ "type": "human", "principal": "madoguchi:coordinator" }), "/principal"),
    ] {
        let failure = component.failure("define_agent", with(&changes)).await;
        assert_eq!(failure["error"], "invalid_params", "{changes}: {failure}");
        assert_eq!(failure["data"]["problems"][0]["pointer"], pointer, "{changes}: {failure}");
    }
    let nowhere =
        component.failure("define_agent", with(&json!({ "project_ids": ["shop", "lab"] }))).await;
    assert_eq!((&nowhere["error"], &nowhere["status"]), (&json!("project_not_found"), &json!(404)));
    assert_eq!(nowhere["data"]["project_id"], "lab", "{nowhere}");
    let gone = refusal(&component, "retire_agent", json!({ "agent_id": "dora" })).await;
    assert_eq!(gone, ("agent_not_found".to_owned(), 404), "nothing of it was kept");
}

#[tokio::test]
async fn projects_are_limited() {
    let component = open().await;
    for number in 1..100 {
        let project = json!({ "project_id": format!("p{number}"), "name": "P" });
        component.call("define_project", project).await;
    }
    let one_more = json!({ "project_id": "more", "name": "P" });
    assert_eq!(refusal(&component, "define_project", one_more).await, ("too_many".to_owned(), 409));
    component.call("define_project", json!({ "project_id": "p7", "name": "Seven" })).await;
}

/// Of callers that define one agent at the same time, one is shown a passkey, and it opens.
#[tokio::test]
async fn concurrent_definers_of_one_agent_get_one_working_passkey() {
    let component = shop().start().await;
    let calls = (0..8).map(|_| component.call("define_agent", dora()));
    let defined = futures::future::join_all(calls).await;
    let shown: Vec<_> = defined.iter().filter_map(|it| it["passkey"].as_str()).collect();
    assert_eq!(shown.len(), 1, "one of them made it: {defined:?}");
    enter(&component, "dora", shown[0], "shop").await;
}

// Configured agents and projects: each mistake is reported with its place.

/// The problems of settings that must not do.
async fn problems(settings: Value) -> String {
    let tested = bench().settings(settings).try_start().await;
    tested.err().expect("it must not start")
}

/// An agent, with these members changed; null takes one away.
fn agent(changes: &Value) -> Value {
    let mut agent = json!({ "name": "Alice", "type": "ai", "projects": ["shop"], "passkey": HASH });
    for (key, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => _ = agent.as_object_mut().unwrap().remove(key),
            value => agent[key] = value.clone(),
        }
    }
    agent
}

#[tokio::test]
async fn reports_each_mistake_in_an_agent_with_its_place_and_remedy() {
    for (changes, expected) in [
        (
            json!({ "projects": ["shop", "depot"] }),
            "/agents/alice/projects/1: is no project; /projects has shop",
        ),
        (json!({ "projects": ["shop", "shop"] }), "/agents/alice/projects/1: is there twice"),
        (json!({ "projects": [] }), "/agents/alice/projects: must name the projects"),
        (json!({ "projects": null }), "/agents/alice/projects: must name the projects"),
        (json!({ "projects": "shop" }), "/agents/alice/projects: must be a list of texts"),
        (json!({ "projects": [7] }), "/agents/alice/projects/0: must be a text"),
        (json!({ "type": "robot" }), "/agents/alice/type: must be \"ai\" or \"human\""),
        (json!({ "type": 1 }), "/agents/alice/type: must be \"ai\" or \"human\""),
        (json!({ "name": "" }), "/agents/alice/name: must be one line"),
        (json!({ "name": "a\nb" }), "/agents/alice/name: must be one line"),
        (json!({ "name": 7 }), "/agents/alice/name: must be a text"),
        (json!({ "skills": vec!["s"; 21] }), "/agents/alice/skills: has 21 entries; 20 is most"),
        (json!({ "skills": ["x".repeat(51)] }), "/agents/alice/skills/0: must be one line"),
        (json!({ "passkey": null }), "/agents/alice: has no way in"),
        (
            json!({ "passkey": "hunter42" }),
            "/agents/alice/passkey: must be the hash of the passkey",
        ),
        (json!({ "passkey": "$argon2id$v=19$m=8,t=1,p=1" }), "/agents/alice/passkey: is no whole"),
        (
            json!({ "passkey": HASH.replace("m=8", "m=50000") }),
            "/agents/alice/passkey: costs too much to verify: m is at most 47104",
        ),
        (json!({ "assistant": "a b" }), "/agents/alice/assistant: must be 1 to 64 of"),
        (json!({ "principal": "alice" }), "/agents/alice/principal: is for people"),
        (json!({ "type": "human" }), "/agents/alice/passkey: is for programs"),
        (
            json!({ "type": "human", "passkey": null, "assistant": "talker" }),
            "/agents/alice/assistant: is for programs",
        ),
        (
            json!({ "type": "human", "passkey": null, "principal": "madoguchi:coordinator" }),
            "/agents/alice/principal: is the counter's own",
        ),
        (json!({ "colour": "red" }), "/agents/alice/colour: is not known; there is name, type"),
    ] {
        let settings = json!({
            "projects": { "shop": {} },
            "agents": { "alice": agent(&changes) },
        });
        let problems = problems(settings).await;
        assert!(problems.contains(expected), "{changes}: {problems}");
        assert!(!problems.contains("hunter42"), "a passkey is not said back: {problems}");
    }
}

#[tokio::test]
async fn reports_all_other_mistakes_at_once() {
    let alice = agent(&json!({}));
    let many = |count: usize| -> Value {
        (0..count)
            .map(|it| (format!("a{it}"), alice.clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    for (settings, expected) in [
        (
            json!({ "agents": { "alice": alice } }),
            "/agents/alice/projects/0: is no project; /projects has none",
        ),
        (json!({ "projects": [] }), "/projects: must be a table"),
        (json!({ "agents": "alice" }), "/agents: must be a table"),
        (json!({ "projects": { "shop": 1 } }), "/projects/shop: must be a table"),
        (
            json!({ "projects": { "shop": { "title": "x" } } }),
            "/projects/shop/title: is not known; there is name",
        ),
        (json!({ "projects": { "web shop": {} } }), "/projects/web shop: its id must be 1 to 64"),
        (json!({ "projects": { "a/b~c": {} } }), "/projects/a~1b~0c: its id must be"),
        (
            json!({ "projects": { "shop": {} }, "agents": { "system": alice } }),
            "/agents/system: its id system is",
        ),
        (
            json!({ "projects": { "shop": {} }, "agents": { "窓": alice } }),
            "/agents/窓: its id must be",
        ),
        (
            json!({ "projects": { "shop": {} }, "agents": { "operator": alice } }),
            "/agents/operator/type: must be \"human\"",
        ),
        (
            json!({ "projects": { "shop": {} }, "agents": many(1_001) }),
            "/agents: has 1001 entries; 1000 is most",
        ),
        (
            json!({ "projects": { "shop": {} }, "agents": {
                "ann": { "type": "human", "projects": ["shop"], "principal": "p" },
                "ben": { "type": "human", "projects": ["shop"], "principal": "p" },
            } }),
            "/agents/ben/principal: is ann's already",
        ),
        (
            json!({ "pending_timeout_seconds": 0 }),
            "/pending_timeout_seconds: must be seconds: 1 to",
        ),
        (json!({ "active_timeout_seconds": "soon" }), "/active_timeout_seconds: must be seconds"),
        (json!({ "pause_seconds_max": 1.5 }), "/pause_seconds_max: must be seconds"),
    ] {
        let problems = problems(settings.clone()).await;
        assert!(problems.contains(expected), "{expected}: {problems}");
    }
    let problems = problems(json!({
        "pending_timeout_seconds": -1,
        "projects": { "-": {} },
        "agents": { "alice": { "type": "cat" }, "bob": { "projects": ["x"] } },
    }))
    .await;
    for place in [
        "/pending_timeout_seconds",
        "/projects/-",
        "/agents/alice/type",
        "/agents/bob/projects/0",
        "/agents/bob: has no way in",
    ] {
        assert!(problems.contains(place), "{place}: {problems}");
    }
}

#[tokio::test]
async fn a_number_from_the_environment_comes_as_its_digits_conv_22() {
    let settings = json!({ "pending_timeout_seconds": "5", "active_timeout_seconds": " 5 " });
    bench().settings(settings).start().await;
}

#[tokio::test]
async fn without_settings_there_is_the_demo_with_host_played_agents() {
    let component = open().await;
    let dora = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["demo"], "skills": ["x"],
    });
    let passkey =
        component.call("define_agent", dora).await["passkey"].as_str().unwrap().to_owned();
    let token = enter(&component, "dora", &passkey, "demo").await;
    let agents = agents(&component, &token).await;
    let facts: Vec<_> = agents
        .iter()
        .map(|agent| {
            (
                agent["agent_id"].as_str().unwrap(),
                agent["name"].as_str().unwrap(),
                agent["type"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("dora", "Dora", "ai"),
            ("operator", "Operator", "human"),
            ("worker-a", "Analysis Worker", "ai"),
            ("worker-b", "Writing Worker", "ai"),
        ]
    );
    assert_eq!(agents[2]["assistant"], "talker");
    assert_eq!((&agents[0]["online"], &agents[2]["online"]), (&json!(true), &json!(false)));
}

#[tokio::test]
async fn agent_left_out_of_settings_goes_and_one_from_the_page_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("conversations.sqlite");
    let bob = agent(&json!({ "name": "Bob" }));
    let settings =
        |agents: Value| json!({ "projects": { "shop": { "name": "Shop" } }, "agents": agents });
    let both = settings(json!({ "alice": agent(&json!({})), "bob": bob }));
    let component = bench().settings(both).database(&file).start().await;
    let dora = json!({ "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"] });
    let dora = component.call("define_agent", dora).await["passkey"].as_str().unwrap().to_owned();
    let alices = enter(&component, "alice", PASSKEY, "shop").await;
    let bobs = enter(&component, "bob", PASSKEY, "shop").await;
    drop(component);

    let component = bench().settings(settings(json!({ "bob": bob }))).database(&file).start().await;
    assert_eq!(
        component.failure("list_agents", json!({ "session_token": alices })).await["error"],
        "invalid_session"
    );
    assert_eq!(ids(&component, &bobs).await, ["bob", "dora", "operator"], "bob's session goes on");
    assert_eq!(refused(&component, "alice", PASSKEY, "shop").await, "Authentication failed");
    enter(&component, "dora", &dora, "shop").await;
    drop(component);

    let again = settings(json!({ "alice": agent(&json!({ "name": "Alice II" })), "bob": bob }));
    let component = bench().settings(again).database(&file).start().await;
    let alice = enter(&component, "alice", PASSKEY, "shop").await;
    assert_eq!(agents(&component, &alice).await[0]["name"], "Alice II");
}

#[tokio::test]
async fn changed_hash_in_settings_ends_earlier_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("conversations.sqlite");
    let settings = |hash: &str| json!({ "projects": { "shop": {} }, "agents": { "alice": agent(&json!({ "passkey": hash })) } });
    let component = bench().settings(settings(HASH)).database(&file).start().await;
    let token = enter(&component, "alice", PASSKEY, "shop").await;
    drop(component);
    let component = bench().settings(settings(HASH)).database(&file).start().await;
    assert_eq!(ids(&component, &token).await, ["alice", "operator"], "the same hash ends nothing");
    drop(component);
    let other = HASH.replace("Q3UV", "R3UV");
    let component = bench().settings(settings(&other)).database(&file).start().await;
    assert_eq!(
        component.failure("list_agents", json!({ "session_token": token })).await["error"],
        "invalid_session"
    );
    assert_eq!(refused(&component, "alice", PASSKEY, "shop").await, "Authentication failed");
}

#[tokio::test]
async fn accepts_a_thousand_agents_in_ten_projects() {
    let projects: Vec<_> = (0..10).map(|it| format!("p{it}")).collect();
    let agents: serde_json::Map<_, _> =
        (0..1_000).map(|it| (format!("a{it}"), agent(&json!({ "projects": projects })))).collect();
    let table: serde_json::Map<_, _> = projects.iter().map(|it| (it.clone(), json!({}))).collect();
    let component = bench().settings(json!({ "projects": table, "agents": agents })).start().await;
    let token = enter(&component, "a999", PASSKEY, "p9").await;
    assert_eq!(ids(&component, &token).await.len(), 1_001);
}

#[tokio::test]
async fn project_or_agent_without_a_name_is_called_by_its_id() {
    let component = bench()
        .settings(json!({
            "projects": { "shop": {} },
            "agents": { "alice": { "projects": ["shop"], "passkey": HASH } },
        }))
        .start()
        .await;
    let token = enter(&component, "alice", PASSKEY, "shop").await;
    assert_eq!(agents(&component, &token).await[0]["name"], "alice");
}
