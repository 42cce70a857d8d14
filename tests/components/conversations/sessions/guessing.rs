//! Rate limits on guessing passkeys (CONV-83).

use std::time::{Duration, Instant};

use host::caller::Caller;

use super::*;

/// Guesses wrong so many times.
async fn guess(component: &Tested, agent: &str, times: usize) {
    for number in 0..times {
        let refused = authenticate(component, agent, &format!("guess-{number}"), "shop").await;
        assert_eq!(refused["error"], "Authentication failed", "{number}");
    }
}

/// The refusal of a rate-limited attempt.
async fn refusal(component: &Tested, agent: &str) -> Value {
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
    let failure = refusal(&component, "alice").await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_many_attempts"), &json!(429)));
    assert_eq!(failure["data"]["retry_after_seconds"], 300, "{failure}");
    enter(&component, "bob").await;
    component.pass(Duration::from_secs(299));
    assert_eq!(refusal(&component, "alice").await["data"]["retry_after_seconds"], 1);
    component.pass(Duration::from_secs(1));
    enter(&component, "alice").await;
    guess(&component, "alice", 10).await;
    assert_eq!(refusal(&component, "alice").await["error"], "too_many_attempts", "counted anew");
}

#[tokio::test]
async fn guessing_locks_no_other_agent_out() {
    let component = shop().start().await;
    component.speak(by("guesser"));
    guess(&component, "alice", 10).await;
    assert_eq!(refusal(&component, "alice").await["error"], "too_many_attempts");
    component.speak(by("owner"));
    enter(&component, "alice").await;
    component.speak(by("guesser"));
    assert_eq!(refusal(&component, "alice").await["error"], "too_many_attempts", "still");
}

/// Where callers have no names, or many callers guess, the right one waits for seconds only.
#[tokio::test]
async fn right_caller_waits_seconds_after_unnamed_or_many_guessers() {
    let component = shop().start().await;
    guess(&component, "alice", 10).await;
    assert_eq!(refusal(&component, "alice").await["data"]["retry_after_seconds"], 10);
    component.pass(Duration::from_secs(10));
    enter(&component, "alice").await;
    for number in 0..5 {
        component.speak(by(&format!("guesser-{number}")));
        guess(&component, "bob", 10).await;
    }
    component.speak(by("owner"));
    assert_eq!(refusal(&component, "bob").await["data"]["retry_after_seconds"], 10);
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
    assert_eq!(refusal(&component, "alice").await["error"], "too_many_attempts");
}

#[tokio::test]
async fn guessing_does_not_reveal_agents() {
    let component = shop().start().await;
    for unknown in ["nobody", "played"] {
        guess(&component, unknown, 10).await;
        assert_eq!(refusal(&component, unknown).await["error"], "too_many_attempts", "{unknown}");
    }
}

#[tokio::test]
async fn concurrent_guesses_are_limited_to_about_ten() {
    let component = shop().start().await;
    let wrong = json!({ "agent_id": "alice", "passkey": "guess", "project_id": "shop" });
    let guesses = (0..40).map(|_| component.round("authenticate", wrong.clone(), json!({})));
    futures::future::join_all(guesses).await;
    let refused = refusal(&component, "alice").await;
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
