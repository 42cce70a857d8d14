//! Sessions: authenticate and logout (CONV-80 to CONV-85), classes of tools, secrets, guesses.

use std::time::{Duration, Instant};

use host::caller::Caller;
use serde_json::{Value, json};
use tests::bench::{Bench, Tested, kept};

use super::{HASH, PASSKEY, bench};

/// A shop with two agents from outside, one that the host plays, and a person; and a depot with
/// another one.
pub(super) fn shop() -> Bench {
    let agent = |name: &str, project: &str| json!({ "name": name, "type": "ai", "projects": [project], "passkey": HASH });
    bench().settings(json!({
        "projects": { "shop": { "name": "Web shop" }, "depot": { "name": "Depot" } },
        "agents": {
            "alice": agent("Alice", "shop"),
            "bob": agent("Bob", "shop"),
            "carol": agent("Carol", "depot"),
            "played": { "name": "Played", "projects": ["shop"], "assistant": "talker" },
            "taro": { "name": "Taro", "type": "human", "projects": ["shop"], "principal": "taro" },
        },
    }))
}

/// The answer of `authenticate`.
async fn authenticate(component: &Tested, agent: &str, passkey: &str, project: &str) -> Value {
    let arguments = json!({ "agent_id": agent, "passkey": passkey, "project_id": project });
    component.call("authenticate", arguments).await
}

/// The token of a session that is opened now.
async fn enter(component: &Tested, agent: &str) -> String {
    let opened = authenticate(component, agent, PASSKEY, "shop").await;
    assert_eq!(opened["success"], true, "{opened}");
    opened["session_token"].as_str().unwrap().to_owned()
}

/// Whether a token opens anything.
async fn is_live(component: &Tested, token: &str) -> bool {
    match component.round("list_agents", json!({ "session_token": token }), json!({})).await {
        workbench::solo::SoloOutcome::Done(_) => true,
        workbench::solo::SoloOutcome::Failed(failure) => {
            assert_eq!(
                (&failure["error"], &failure["status"]),
                (&json!("invalid_session"), &json!(401))
            );
            false
        }
        other => panic!("{other:?}"),
    }
}

/// The members of an object, by their names.
fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

// Classes of tools: without a session, with any session, with a chat session (CONV-111).

/// Tools that take a session, with what else they need.
fn tools(token: &str) -> [(&'static str, Value); 9] {
    let with = |more: Value| {
        let mut arguments = json!({ "session_token": token });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let conversation = "conv_00000000-0000-7000-8000-000000000000";
    [
        ("list_agents", with(json!({}))),
        ("start_conversation", with(json!({ "target_agent_id": "bob" }))),
        ("send_message", with(json!({ "target_agent_id": "bob", "content": "hi" }))),
        ("get_next_action", with(json!({}))),
        ("get_pending_messages", with(json!({}))),
        ("respond_chat", with(json!({ "content": "hi" }))),
        ("get_conversation_messages", with(json!({ "conversation_id": conversation }))),
        ("end_conversation", with(json!({}))),
        ("logout", with(json!({}))),
    ]
}

/// Why a call is refused, if it is.
async fn refusal(component: &Tested, tool: &str, arguments: &Value) -> Option<(String, u64)> {
    match component.round(tool, arguments.clone(), json!({})).await {
        workbench::solo::SoloOutcome::Failed(failure) => {
            Some((failure["error"].as_str()?.to_owned(), failure["status"].as_u64()?))
        }
        _ => None,
    }
}

#[tokio::test]
async fn every_other_tool_needs_a_live_session_conv_83() {
    let component = shop().start().await;
    let token = enter(&component, "alice").await;
    component.pass(Duration::from_secs(3_600));
    let left = enter(&component, "alice").await;
    component.call("logout", json!({ "session_token": left })).await;
    let digest_like = "0".repeat(64);
    let nearly = format!("{}x", &token[..token.len() - 1]);
    for token in ["", "sess_", "' OR 1=1 --", &digest_like, &nearly, &token, &left] {
        for (tool, arguments) in tools(token) {
            let refused = refusal(&component, tool, &arguments).await;
            assert_eq!(refused, Some(("invalid_session".to_owned(), 401)), "{tool} {token}");
        }
    }
}

#[tokio::test]
async fn only_chat_sessions_may_read_and_answer_conv_111() {
    for (tool, is_of_chat) in [
        ("list_agents", false),
        ("get_next_action", false),
        ("get_pending_messages", true),
        ("respond_chat", true),
        ("start_conversation", false),
        ("send_message", false),
        ("end_conversation", false),
        ("logout", false),
    ] {
        let component = shop().start().await;
        let token = enter(&component, "alice").await;
        let arguments = tools(&token).into_iter().find(|it| it.0 == tool).unwrap().1;
        let refused = refusal(&component, tool, &arguments).await;
        let is_refused = refused.is_some_and(|it| it == ("tool_not_available".to_owned(), 403));
        assert_eq!(is_refused, is_of_chat, "{tool}");
    }
}

#[tokio::test]
async fn session_becomes_chat_by_beginning_conversation_conv_111() {
    let component = shop().start().await;
    let token = enter(&component, "alice").await;
    let start = json!({ "session_token": token, "target_agent_id": "bob" });
    component.call("start_conversation", start).await;
    let read = component.call("get_pending_messages", json!({ "session_token": token })).await;
    assert_eq!(read["success"], true, "{read}");
}

// Passkeys and tokens appear only in the one answer that gives them (CONV-83).

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}

#[tokio::test]
async fn neither_passkeys_nor_tokens_are_in_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("conversations.sqlite");
    let component = shop().database(&file).start().await;
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let passkey =
        component.call("define_agent", define).await["passkey"].as_str().unwrap().to_owned();
    assert!(passkey.starts_with("mdp_") && passkey.len() == 4 + 64, "256 bits");
    let token = enter(&component, "alice").await;
    authenticate(&component, "dora", "a-wrong-passkey", "shop").await;
    let opened = authenticate(&component, "dora", &passkey, "shop").await;
    let other = opened["session_token"].as_str().unwrap().to_owned();
    let renewed = component.call("renew_passkey", json!({ "agent_id": "dora" })).await;
    let renewed = renewed["passkey"].as_str().unwrap().to_owned();
    let bytes = kept(&file);
    assert!(has(&bytes, "Dora") && has(&bytes, "$argon2id$v=19$m=19456,t=2,p=1$"), "looked here");
    for secret in [&token, &other, &passkey, &renewed, PASSKEY, "a-wrong-passkey"] {
        let secret = secret.trim_start_matches("sess_").trim_start_matches("mdp_");
        assert!(!has(&bytes, secret), "{secret}");
    }
}

#[tokio::test]
async fn a_passkey_is_shown_once_and_a_hash_never() {
    let component = shop().start().await;
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let first = component.call("define_agent", define.clone()).await;
    let passkey = first["passkey"].as_str().unwrap();
    let again = component.call("define_agent", define).await;
    assert!(again.get("passkey").is_none(), "it has one: {again}");
    assert_eq!(authenticate(&component, "dora", passkey, "shop").await["success"], true);
    let token = enter(&component, "alice").await;
    let listed = component.call("list_agents", json!({ "session_token": token })).await.to_string();
    for secret in [passkey, &token, "argon2"] {
        assert!(!listed.contains(secret), "{listed}");
    }
}

#[tokio::test]
async fn secrets_are_marked_for_masking_sys_11() {
    let component = shop().start().await;
    let schema = |tool: &str, is_input: bool| {
        let tool = component.component().tools().iter().find(|it| &*it.name == tool).unwrap();
        if is_input { tool.input_schema.clone() } else { tool.output_schema.clone().unwrap() }
    };
    for (tool, is_input, member) in [
        ("authenticate", true, "passkey"),
        ("authenticate", false, "session_token"),
        ("logout", true, "session_token"),
        ("list_agents", true, "session_token"),
        ("define_agent", false, "passkey"),
        ("renew_passkey", false, "passkey"),
    ] {
        let format = &schema(tool, is_input)["properties"][member]["format"];
        assert_eq!(format, "password", "{tool} {member}");
    }
}

// Rate limits on guessing passkeys (CONV-83).

/// Guesses wrong so many times.
async fn guess(component: &Tested, agent: &str, times: usize) {
    for number in 0..times {
        let refused = authenticate(component, agent, &format!("guess-{number}"), "shop").await;
        assert_eq!(refused["error"], "Authentication failed", "{number}");
    }
}

/// The refusal of a rate-limited attempt.
async fn locked_out(component: &Tested, agent: &str) -> Value {
    let arguments = json!({ "agent_id": agent, "passkey": PASSKEY, "project_id": "shop" });
    component.failure("authenticate", arguments).await
}

/// The caller who has the token of that name.
fn by(principal: &str) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    caller
}

#[tokio::test]
async fn caller_with_ten_wrong_passkeys_waits_out_the_five_minutes() {
    let component = shop().start().await;
    component.speak(by("guesser"));
    guess(&component, "alice", 10).await;
    let failure = locked_out(&component, "alice").await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_many_attempts"), &json!(429)));
    assert_eq!(failure["data"]["retry_after_seconds"], 300, "{failure}");
    enter(&component, "bob").await;
    component.pass(Duration::from_secs(299));
    assert_eq!(locked_out(&component, "alice").await["data"]["retry_after_seconds"], 1);
    component.pass(Duration::from_secs(1));
    enter(&component, "alice").await;
    guess(&component, "alice", 10).await;
    assert_eq!(locked_out(&component, "alice").await["error"], "too_many_attempts", "counted anew");
}

#[tokio::test]
async fn guessing_locks_no_other_agent_out() {
    let component = shop().start().await;
    component.speak(by("guesser"));
    guess(&component, "alice", 10).await;
    assert_eq!(locked_out(&component, "alice").await["error"], "too_many_attempts");
    component.speak(by("owner"));
    enter(&component, "alice").await;
    component.speak(by("guesser"));
    assert_eq!(locked_out(&component, "alice").await["error"], "too_many_attempts", "still");
}

/// Where callers have no names, or many callers guess, the right one waits for seconds only.
#[tokio::test]
async fn right_caller_waits_seconds_after_unnamed_or_many_guessers() {
    let component = shop().start().await;
    guess(&component, "alice", 10).await;
    assert_eq!(locked_out(&component, "alice").await["data"]["retry_after_seconds"], 10);
    component.pass(Duration::from_secs(10));
    enter(&component, "alice").await;
    for number in 0..5 {
        component.speak(by(&format!("guesser-{number}")));
        guess(&component, "bob", 10).await;
    }
    component.speak(by("owner"));
    assert_eq!(locked_out(&component, "bob").await["data"]["retry_after_seconds"], 10);
    component.pass(Duration::from_secs(10));
    enter(&component, "bob").await;
}

/// A guess at an agent that does not exist takes as long as any other, but only for the first ten.
#[tokio::test]
async fn guesses_at_unknown_agents_cost_as_much_but_only_ten_of_them() {
    let component = shop().start().await;
    let mut took = Vec::new();
    for number in 0..60 {
        let began = Instant::now();
        guess(&component, &format!("nobody-{number}"), 1).await;
        took.push(began.elapsed());
    }
    // The least of some: a machine that is busy with other things makes each longer, and none shorter.
    let least = |of: &[Duration]| of.iter().min().copied().unwrap();
    let first = least(&took[..8]);
    for rest in took[12..].chunks(16).map(least) {
        assert!(rest * 3 < first, "one of the first takes {first:?}, one of the rest {rest:?}");
    }
    enter(&component, "alice").await;
}

#[tokio::test]
async fn right_passkey_in_between_gives_a_guesser_no_more_tries() {
    let component = shop().start().await;
    guess(&component, "alice", 9).await;
    enter(&component, "alice").await;
    guess(&component, "alice", 1).await;
    assert_eq!(locked_out(&component, "alice").await["error"], "too_many_attempts");
}

#[tokio::test]
async fn guessing_does_not_reveal_agents() {
    let component = shop().start().await;
    for unknown in ["nobody", "played"] {
        guess(&component, unknown, 10).await;
        assert_eq!(
            locked_out(&component, unknown).await["error"],
            "too_many_attempts",
            "{unknown}"
        );
    }
}

#[tokio::test]
async fn concurrent_guesses_are_limited_to_about_ten() {
    let component = shop().start().await;
    let wrong = json!({ "agent_id": "alice", "passkey": "guess", "project_id": "shop" });
    let guesses = (0..40).map(|_| component.round("authenticate", wrong.clone(), json!({})));
    futures::future::join_all(guesses).await;
    let refused = locked_out(&component, "alice").await;
    assert_eq!(refused["error"], "too_many_attempts");
}

#[tokio::test]
async fn renewed_passkey_admits_at_once_and_ends_old_ones_sessions() {
    let component = shop().start().await;
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let old = component.call("define_agent", define).await["passkey"].as_str().unwrap().to_owned();
    let opened = authenticate(&component, "dora", &old, "shop").await;
    let token = opened["session_token"].as_str().unwrap();
    guess(&component, "dora", 10).await;
    let renewed = component.call("renew_passkey", json!({ "agent_id": "dora" })).await;
    assert!(!is_live(&component, token).await);
    let new = renewed["passkey"].as_str().unwrap();
    assert_eq!(authenticate(&component, "dora", new, "shop").await["success"], true);
    assert_eq!(
        authenticate(&component, "dora", &old, "shop").await["error"],
        "Authentication failed"
    );
}

// Login and logout of agents.

/// Has one agent ask another for a conversation.
async fn start(component: &Tested, token: &str, target: &str) -> String {
    let arguments = json!({ "session_token": token, "target_agent_id": target });
    let started = component.call("start_conversation", arguments).await;
    started["conversation_id"].as_str().unwrap().to_owned()
}

/// The state of a conversation, as the operator sees it, and its trace.
async fn trace(component: &Tested, conversation: &str) -> Vec<(String, String, String)> {
    let transcript =
        component.call("get_conversation", json!({ "conversation_id": conversation })).await;
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let step = |it: &Value| (text(&it["state"]), text(&it["caused_by"]), text(&it["cause"]));
    transcript["steps"].as_array().unwrap().iter().map(step).collect()
}

#[tokio::test]
async fn passkey_holder_is_given_a_task_session_conv_80_82() {
    let component = shop().start().await;
    let opened = authenticate(&component, "alice", PASSKEY, "shop").await;
    let members =
        ["agent_name", "expires_in", "instruction", "purpose", "session_token", "success"];
    assert_eq!(keys(&opened), members);
    assert_eq!(opened["success"], true);
    assert_eq!((&opened["agent_name"], &opened["expires_in"]), (&json!("Alice"), &json!(3600)));
    assert_eq!(opened["purpose"], "task", "nobody asked for it (CONV-82)");
    let token = opened["session_token"].as_str().unwrap();
    assert!(token.starts_with("sess_") && token.len() == 5 + 64, "256 bits (CONV-83)");
    assert!(opened["instruction"].as_str().unwrap().contains("get_next_action"));
    let listed = component.call("list_agents", json!({ "session_token": token })).await;
    assert_eq!((&listed["my_agent_id"], &listed["project_id"]), (&json!("alice"), &json!("shop")));
    let ids: Vec<_> =
        listed["agents"].as_array().unwrap().iter().map(|it| &it["agent_id"]).collect();
    assert_eq!(ids, ["alice", "bob", "operator", "played", "taro"], "and nobody of the depot");
}

#[tokio::test]
async fn refused_agent_reads_one_of_three_errors_and_exits_conv_80() {
    let component = shop().start().await;
    for (agent, passkey, project, error) in [
        ("alice", "open-sesam", "shop", "Authentication failed"),
        ("alice", "", "shop", "Authentication failed"),
        ("nobody", PASSKEY, "shop", "Authentication failed"),
        ("taro", PASSKEY, "shop", "Authentication failed"),
        ("operator", PASSKEY, "shop", "Authentication failed"),
        ("played", PASSKEY, "shop", "Authentication failed"),
        // Only a caller who has the passkey learns of projects.
        ("bob", "wrong", "nowhere", "Authentication failed"),
        ("alice", PASSKEY, "nowhere", "Project not found"),
        ("alice", PASSKEY, "depot", "Agent not assigned to project"),
    ] {
        let refused = authenticate(&component, agent, passkey, project).await;
        assert_eq!(keys(&refused), ["action", "error", "instruction", "success"], "{agent}");
        assert_eq!(refused["success"], false);
        assert_eq!((&refused["error"], &refused["action"]), (&json!(error), &json!("exit")));
        assert!(!refused["instruction"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn every_argument_is_required_and_bounded_conv_80() {
    let component = shop().start().await;
    let whole = json!({ "agent_id": "alice", "passkey": PASSKEY, "project_id": "shop" });
    for missing in ["agent_id", "passkey", "project_id"] {
        let mut arguments = whole.clone();
        arguments.as_object_mut().unwrap().remove(missing);
        assert_eq!(component.failure("authenticate", arguments).await["error"], "invalid_params");
    }
    for (member, most) in [("agent_id", 64), ("passkey", 200), ("project_id", 64)] {
        let mut long = whole.clone();
        long[member] = "x".repeat(most + 1).into();
        let failure = component.failure("authenticate", long).await;
        assert_eq!(failure["error"], "invalid_params", "a hash of a novel costs nothing");
        assert_eq!(failure["data"]["problems"][0]["pointer"], format!("/{member}"));
        assert!(!failure.to_string().contains("xxx"), "and is not said back");
    }
}

#[tokio::test]
async fn a_session_is_over_after_an_hour_conv_82_83() {
    let component = shop().start().await;
    let token = enter(&component, "alice").await;
    component.pass(Duration::from_secs(3_599));
    assert!(is_live(&component, &token).await);
    component.pass(Duration::from_secs(1));
    assert!(!is_live(&component, &token).await);
}

#[tokio::test]
async fn task_sessions_coexist_and_the_oldest_goes_beyond_twenty() {
    let component = shop().start().await;
    let mut tokens = Vec::new();
    for _ in 0..21 {
        tokens.push(enter(&component, "alice").await);
        component.pass(Duration::from_millis(1));
    }
    assert!(!is_live(&component, &tokens[0]).await, "twenty is most");
    for token in &tokens[1..] {
        assert!(is_live(&component, token).await);
    }
}

#[tokio::test]
async fn logging_out_ends_the_session_once_conv_85() {
    let component = shop().start().await;
    let (token, other) = (enter(&component, "alice").await, enter(&component, "alice").await);
    let left = component.call("logout", json!({ "session_token": token })).await;
    assert_eq!(left["success"], true);
    assert!(left["instruction"].is_string());
    assert!(!is_live(&component, &token).await);
    assert!(is_live(&component, &other).await, "the other session is another matter");
    let again = component.failure("logout", json!({ "session_token": token })).await;
    assert_eq!((&again["error"], &again["status"]), (&json!("invalid_session"), &json!(401)));
}

#[tokio::test]
async fn requested_agent_gets_chat_and_active_conversation_conv_81_82() {
    let component = shop().start().await;
    let alice = enter(&component, "alice").await;
    let conversation = start(&component, &alice, "bob").await;
    let opened = authenticate(&component, "bob", PASSKEY, "shop").await;
    assert_eq!(opened["purpose"], "chat");
    assert_eq!(
        trace(&component, &conversation).await,
        [
            ("pending".into(), "alice".into(), "start_conversation".into()),
            ("active".into(), "bob".into(), "authenticate".into()),
        ]
    );
    let token = opened["session_token"].as_str().unwrap();
    let next = component.call("get_next_action", json!({ "session_token": token })).await;
    assert_eq!(next["action"], "conversation_request", "it is still delivered: {next}");
    assert_eq!(next["conversation_id"], conversation.as_str());
    component.call("end_conversation", json!({ "session_token": token })).await;
    // The purpose was used up, and the conversation is over.
    assert_eq!(authenticate(&component, "bob", PASSKEY, "shop").await["purpose"], "task");
}

/// An agent that is in a conversation comes back to chat, and its session before that ends (CONV-82).
#[tokio::test]
async fn reentering_a_conversation_ends_the_earlier_session_conv_82() {
    let component = shop().start().await;
    let alice = enter(&component, "alice").await;
    start(&component, &alice, "bob").await;
    let bob = enter(&component, "bob").await;
    let opened = authenticate(&component, "bob", PASSKEY, "shop").await;
    assert_eq!(opened["purpose"], "chat", "there is an answer to read");
    assert!(!is_live(&component, &bob).await, "one chat session per agent and project");
    assert!(is_live(&component, opened["session_token"].as_str().unwrap()).await);
}

#[tokio::test]
async fn an_agent_asked_by_two_joins_both_conv_81() {
    let component = shop().start().await;
    let (alice, bob) = (enter(&component, "alice").await, enter(&component, "bob").await);
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let passkey =
        component.call("define_agent", define).await["passkey"].as_str().unwrap().to_owned();
    let (first, second) =
        (start(&component, &alice, "dora").await, start(&component, &bob, "dora").await);
    authenticate(&component, "dora", &passkey, "shop").await;
    for conversation in [first, second] {
        assert_eq!(trace(&component, &conversation).await.last().unwrap().0, "active");
    }
}

#[tokio::test]
async fn agent_logs_in_as_task_after_the_requests_timeout_conv_13_82() {
    let component = shop().start().await;
    let alice = enter(&component, "alice").await;
    let conversation = start(&component, &alice, "bob").await;
    component.pass(Duration::from_secs(300));
    assert_eq!(authenticate(&component, "bob", PASSKEY, "shop").await["purpose"], "task");
    assert_eq!(trace(&component, &conversation).await.last().unwrap().0, "expired");
}

#[tokio::test]
async fn logout_of_the_last_session_leaves_conversation_conv_19_85() {
    let component = shop().start().await;
    let alice = enter(&component, "alice").await;
    let conversation = start(&component, &alice, "bob").await;
    let bob = enter(&component, "bob").await;
    component.call("logout", json!({ "session_token": alice })).await;
    assert_eq!(trace(&component, &conversation).await.last().unwrap().0, "terminating");
    let next = component.call("get_next_action", json!({ "session_token": bob })).await;
    // The request first, as it has not been delivered; then the end.
    let next = match next["action"].as_str() {
        Some("conversation_request") => {
            component.call("get_next_action", json!({ "session_token": bob })).await
        }
        _ => next,
    };
    assert_eq!(
        (&next["action"], &next["reason"]),
        (&json!("conversation_ended"), &json!("session_expired"))
    );
}

#[tokio::test]
async fn logout_of_one_of_two_sessions_keeps_conversation_conv_85() {
    let component = shop().start().await;
    let (alice, other) = (enter(&component, "alice").await, enter(&component, "alice").await);
    let conversation = start(&component, &alice, "bob").await;
    enter(&component, "bob").await;
    component.call("logout", json!({ "session_token": other })).await;
    assert_eq!(trace(&component, &conversation).await.last().unwrap().0, "active");
}
