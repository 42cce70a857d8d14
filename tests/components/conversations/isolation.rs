//! Isolation: another agent's token, another project, a person's chat. No tool, endpoint or resource reads or
//! writes them.
//!
//! In the project `one` worker-a and worker-b talk, and Hana chats with worker-a. A caller who has no
//! business there tries everything: what comes back has none of their messages, and nothing of theirs has
//! changed. A tool or a template that is added without a case here fails.

use host::caller::Caller;
use serde_json::{Value, json};
use tests::{
    bench::{Bench, Tested},
    fixtures::{PASSKEY, agent, credentials},
};
use workbench::solo::SoloOutcome;

/// A marker in each of their texts, which only they may read.
const SECRET: &str = "柿の木坂の秘密";

/// Who calls: a person or a program by its token.
fn caller(principal: &str, scopes: &[&str]) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    caller.scopes = scopes.iter().map(|it| (*it).to_owned()).collect();
    caller
}

/// The protected data.
struct House {
    component: Tested,
    /// The conversation of worker-a and worker-b.
    talk: String,
    /// The message that opens it.
    message: String,
    /// Tokens of sessions that are none of theirs: of their project, and of another one.
    strangers: [String; 2],
    /// Tokens of worker-a and worker-b.
    members: [String; 2],
}

impl House {
    async fn open() -> Self {
        let one = ["one".to_owned()];
        let two = ["two".to_owned()];
        let person = |name: &str, projects: &[String]| json!({ "name": name, "type": "human", "projects": projects, "principal": name });
        let settings = json!({
            "projects": { "one": { "name": "One" }, "two": { "name": "Two" } },
            "agents": {
                "worker-a": agent("A", &one), "worker-b": agent("B", &one),
                "worker-c": agent("C", &one), "worker-x": agent("X", &two),
                "hana": person("hana", &one), "jiro": person("jiro", &one),
                "taro": person("taro", &two),
            },
        });
        let bench = Bench::of("conversations").grant_all().at("2026-11-20T10:00:00");
        let component = bench.settings(settings).start().await;
        let mut tokens = Vec::new();
        for (who, project) in [("worker-c", "one"), ("worker-x", "two"), ("worker-a", "one")] {
            let session = component.call("authenticate", credentials(who, project)).await;
            tokens.push(session["session_token"].as_str().unwrap().to_owned());
        }
        let started = component
            .call(
                "start_conversation",
                json!({
                    "session_token": tokens[2], "target_agent_id": "worker-b",
                    "purpose": SECRET, "initial_message": SECRET,
                }),
            )
            .await;
        let session = component.call("authenticate", credentials("worker-b", "one")).await;
        tokens.push(session["session_token"].as_str().unwrap().to_owned());
        let talk = started["conversation_id"].as_str().unwrap().to_owned();
        let found = component.call("get_conversation", json!({ "conversation_id": talk })).await;
        let message = found["messages"][0]["id"].as_str().unwrap().to_owned();
        component.speak(caller("hana", &["conversations"]));
        let chat = json!({ "project_id": "one", "agent_id": "worker-a" });
        component.call("start_chat", chat.clone()).await;
        let mut chat = chat;
        chat["content"] = SECRET.into();
        component.call("send_chat", chat).await;
        let [c, x, a, b] = tokens.try_into().unwrap();
        Self { component, talk, message, strangers: [c, x], members: [a, b] }
    }

    /// All their data, as authorized callers see it.
    async fn theirs(&self) -> Value {
        self.component.speak(Caller::anonymous());
        let arguments = json!({ "conversation_id": self.talk });
        let talk = self.component.call("get_conversation", arguments).await;
        let mut sessions = Vec::new();
        for token in &self.members {
            let arguments = json!({ "session_token": token });
            sessions
                .push(self.component.call("list_agents", arguments).await["my_agent_id"].clone());
        }
        let projects = self.component.get("projects", &[]).await.unwrap();
        self.component.speak(caller("hana", &["conversations"]));
        let chat = "projects/one/agents/worker-a/chat/messages";
        let chat = self.component.get(chat, &[]).await.unwrap();
        let unread = self.component.get("projects/one/unread-counts", &[]).await.unwrap();
        let on = self.component.get("projects/one/agent-sessions", &[]).await.unwrap();
        json!([talk, sessions, projects, chat, unread, on])
    }

    /// Tries a tool as a caller; returns all that the caller learns.
    async fn try_tool(&self, who: &Caller, tool: &str, arguments: Value) -> Result<String, Value> {
        self.component.speak(who.clone());
        match self.component.round(tool, arguments, json!({})).await {
            SoloOutcome::Done(output) => Ok(format!("{output:?}")),
            SoloOutcome::Waits(_) => Ok(String::new()),
            SoloOutcome::Failed(failure) => Err(failure),
            SoloOutcome::InputRequired(questions) => {
                panic!("{tool} asks before it looks: {questions:?}")
            }
        }
    }
}

/// Checks that an answer contains none of their data.
fn is_clean(text: &str, what: &str) {
    assert!(!text.contains(SECRET), "{what} tells: {text}");
}

#[tokio::test]
async fn tools_neither_read_nor_write_data_of_others() {
    let house = House::open().await;
    let before = house.theirs().await;
    assert!(
        before.to_string().matches(SECRET).count() >= 3,
        "there is something to be told: {before}"
    );
    for tool in house.component.component().tools() {
        let name: &str = &tool.name;
        let cases = of(name, &house).unwrap_or_else(|| {
            panic!("{name} has no case in tests/components/conversations/isolation.rs")
        });
        assert!(!cases.is_empty(), "{name}: an empty case proves nothing");
        for case in cases {
            let what = format!("{name} {} by {}", case.arguments, case.caller.principal);
            let outcome = house.try_tool(&case.caller, name, case.arguments).await;
            match &outcome {
                Ok(text) => is_clean(text, &what),
                Err(failure) => is_clean(&failure.to_string(), &what),
            }
            if let Some(codes) = case.refused {
                let failure = outcome.expect_err(&what);
                let code = failure["error"].as_str().unwrap();
                assert!(codes.contains(&code), "{what}: {failure}");
            }
            assert_eq!(house.theirs().await, before, "{what} changed something");
        }
    }
}

#[tokio::test]
async fn endpoints_show_no_data_of_others() {
    let house = House::open().await;
    let before = house.theirs().await;
    let chat = "projects/one/agents/worker-a/chat/messages";
    let talk = [("id", house.talk.as_str())];
    let strangers = ["taro", "nobody"].map(|it| caller(it, &["conversations"]));
    let others = [&strangers[..], &[caller("jiro", &["conversations"])]].concat();
    let nothing: &[(&str, &str)] = &[];
    let paths = [
        (&strangers[..], "projects", nothing),
        (&strangers[..], "transcript", &talk[..]),
        (&strangers[..], "projects/one/agent-sessions", nothing),
        (&strangers[..], "projects/one/unread-counts", nothing),
        (&others[..], chat, nothing),
        (&others[..], chat, &[("before", house.message.as_str())]),
        (&others[..], chat, &[("after", house.message.as_str())]),
    ];
    for (who, path, query) in paths {
        for caller in who {
            house.component.speak(caller.clone());
            let what = format!("{path} by {}", caller.principal);
            match house.component.get(path, query).await {
                Ok(output) => {
                    is_clean(&output.to_string(), &what);
                    let theirs = ["worker-a", "worker-b", "worker-c"];
                    assert!(
                        theirs.iter().all(|it| !output.to_string().contains(it)),
                        "{what} tells of agents: {output}"
                    );
                }
                Err(failure) => is_clean(&failure.to_string(), &what),
            }
            assert_eq!(house.theirs().await, before, "{what} changed something");
        }
    }
}

#[tokio::test]
async fn resources_show_no_data_of_others() {
    let house = House::open().await;
    let before = house.theirs().await;
    let strangers = ["taro", "nobody"].map(|it| caller(it, &["conversations"]));
    let templates = &house.component.component().offers().templates;
    let resources = &house.component.component().offers().resources;
    let mut uris: Vec<_> = resources.iter().map(|it| it.uri.to_string()).collect();
    for template in templates {
        uris.push(match template.uri_template.text() {
            "conversation://{id}" | "conversation://{conversation_id}" => {
                format!("conversation://{}", house.talk)
            }
            "chats://{project_id}" => "chats://one".to_owned(),
            other => panic!("{other} has no case here"),
        });
    }
    for uri in uris {
        for caller in &strangers {
            house.component.speak(caller.clone());
            let page = format!("{:?}", house.component.read(&uri).await);
            is_clean(&page, &format!("{uri} by {}", caller.principal));
            assert_eq!(house.theirs().await, before, "{uri} changed something");
        }
    }
}

// Attempts of unauthorized callers, tool by tool.

/// One thing that a caller tries.
struct Attempt {
    caller: Caller,
    arguments: Value,
    /// Codes of which one must refuse it; without, it may succeed on the caller's own data.
    refused: Option<&'static [&'static str]>,
}

/// What a conversation says that is not theirs.
const FOREIGN: Option<&[&str]> =
    Some(&["not_conversation_participant", "conversation_not_found", "tool_not_available"]);

/// What a project says that is not theirs.
const ELSEWHERE: Option<&[&str]> = Some(&[
    "project_not_found",
    "agent_not_found",
    "target_agent_not_in_project",
    "tool_not_available",
    "conversation_not_found",
]);

/// What only the operator may.
const STAFF: Option<&[&str]> = Some(&["tool_not_available"]);

/// Without a session of one's own there is nothing.
const NO_SESSION: Option<&[&str]> = Some(&["invalid_session", "invalid_params"]);

fn person(name: &str) -> Caller {
    caller(name, &["conversations"])
}

/// With the tokens of strangers; and with none that is right.
fn by_agents(
    house: &House,
    refused: Option<&'static [&'static str]>,
    arguments: &Value,
) -> Vec<Attempt> {
    let tokens = house.strangers.iter().map(|it| (it.as_str(), refused));
    let wrong = ["sess_none", "", "' OR 1=1 --"].map(|it| (it, NO_SESSION));
    // The digest of a token is what the database has; it opens nothing.
    let attempt = |(token, refused): (&str, _)| {
        let mut arguments = arguments.clone();
        arguments["session_token"] = token.into();
        Attempt { caller: person("nobody"), arguments, refused }
    };
    tokens.chain(wrong).map(attempt).collect()
}

fn by_people(
    names: &[&str],
    refused: Option<&'static [&'static str]>,
    arguments: &Value,
) -> Vec<Attempt> {
    let attempt =
        |name: &&str| Attempt { caller: person(name), arguments: arguments.clone(), refused };
    names.iter().map(attempt).collect()
}

/// What is tried with a tool; none for one that has no case here.
fn of(tool: &str, house: &House) -> Option<Vec<Attempt>> {
    let strangers = ["taro", "nobody"];
    let others = ["jiro", "taro", "nobody"];
    let talk = json!({ "conversation_id": house.talk });
    let with = |mut object: Value, name: &str, value: Value| {
        object[name] = value;
        object
    };
    let written = with(talk.clone(), "content", "mine".into());
    let chat = json!({ "project_id": "one", "agent_id": "worker-a" });
    // Tools that need no token, or show only the caller's own data.
    Some(match tool {
        "authenticate" => authenticating(),
        "logout" => by_agents(house, None, &json!({})).split_off(2),
        "start_conversation" => starting(house),
        "end_conversation" => {
            let refused = Some(&["no_active_conversation"][..]);
            let mut all = by_agents(house, FOREIGN, &talk);
            all.extend(by_agents(house, refused, &json!({})));
            all
        }
        "send_message" => sending(house),
        "respond_chat" => by_agents(house, None, &json!({ "content": "mine" })),
        "get_pending_messages" | "get_next_action" | "list_agents" => {
            by_agents(house, None, &json!({}))
        }
        "get_conversation_messages" => {
            let mut all = by_agents(house, FOREIGN, &talk);
            let before = with(talk.clone(), "before", 5.into());
            all.extend(by_agents(house, None, &before));
            all.extend(by_agents(house, None, &with(talk, "after", 0.into())));
            all
        }
        "begin_conversation" => {
            let wanted = json!({
                "project_id": "one", "initiator_agent_id": "worker-a", "target_agent_id": "worker-c",
            });
            by_people(&strangers, ELSEWHERE, &wanted)
        }
        "list_conversations" => {
            let mut all = by_people(&strangers, None, &json!({}));
            all.extend(by_people(&strangers, None, &json!({ "project_id": "one" })));
            all.extend(by_people(&strangers, None, &json!({ "agent_id": "worker-a" })));
            all.extend(by_people(&strangers, None, &json!({ "query": SECRET })));
            all
        }
        "get_conversation" => by_people(&strangers, FOREIGN, &talk),
        "write_message" => by_people(&strangers, FOREIGN, &written),
        "pause_conversation" => by_people(&strangers, FOREIGN, &with(talk, "paused", true.into())),
        "stop_conversation" => by_people(&strangers, FOREIGN, &talk),
        // Who sees a project may chat there; a chat of their own changes no other one.
        "start_chat" | "end_chat" | "mark_chat_read" => by_people(&strangers, ELSEWHERE, &chat),
        "send_chat" => by_people(&strangers, ELSEWHERE, &with(chat, "content", "mine".into())),
        "define_project" => by_people(&others, STAFF, &json!({ "project_id": "one", "name": "n" })),
        "define_agent" => {
            let wanted = json!({
                "agent_id": "worker-a", "name": "n", "type": "ai", "project_ids": ["two"],
            });
            by_people(&others, STAFF, &wanted)
        }
        "retire_agent" | "renew_passkey" => {
            by_people(&others, STAFF, &json!({ "agent_id": "worker-a" }))
        }
        "import_messages" => by_people(&others, STAFF, &json!({ "lines": [lines(house)] })),
        _ => return None,
    })
}

fn authenticating() -> Vec<Attempt> {
    let tries = [
        ("worker-x", PASSKEY, "one"),
        ("worker-a", "wrong", "one"),
        ("worker-a", "", "one"),
        ("worker-a", super::HASH, "one"),
        ("worker-a", PASSKEY, "two"),
        ("hana", PASSKEY, "one"),
        ("operator", PASSKEY, "one"),
    ];
    let attempt = |(agent, passkey, project)| Attempt {
        caller: person("nobody"),
        arguments: json!({ "agent_id": agent, "passkey": passkey, "project_id": project }),
        refused: None,
    };
    tries.map(attempt).into()
}

/// Only what lies in another project; with an agent of one's own project any agent may talk.
fn starting(house: &House) -> Vec<Attempt> {
    let mut all = Vec::new();
    for target in ["worker-a", "worker-b"] {
        let refused = Some(&["target_agent_not_in_project", "agent_not_found"][..]);
        let arguments = json!({ "session_token": house.strangers[1], "target_agent_id": target });
        all.push(Attempt { caller: person("nobody"), arguments, refused });
    }
    all
}

fn sending(house: &House) -> Vec<Attempt> {
    let mut all = Vec::new();
    for target in ["worker-a", "worker-b"] {
        let plain = json!({ "target_agent_id": target, "content": "mine" });
        let mut named = plain.clone();
        named["conversation_id"] = house.talk.clone().into();
        let refused = Some(
            &[
                "conversation_required_for_ai_to_ai",
                "target_agent_not_in_project",
                "agent_not_found",
                "not_conversation_participant",
                "conversation_not_found",
                "invalid_session",
            ][..],
        );
        all.extend(by_agents(house, refused, &plain));
        all.extend(by_agents(house, refused, &named));
    }
    all
}

/// A line as if worker-a had sent it.
fn lines(house: &House) -> String {
    let line = json!({
        "id": "msg_forged", "senderId": "worker-a", "recipientId": "worker-b", "content": "mine",
        "timestamp": "2026-01-23T10:00:00Z", "conversationId": house.talk,
    });
    line.to_string()
}
