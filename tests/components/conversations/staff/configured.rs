//! Configured agents and projects: each mistake is reported with its place.

use super::*;

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
