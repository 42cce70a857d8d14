//! Guessing at passkeys takes for ever (CONV-83).

use std::time::{Duration, Instant};

use host::caller::Caller;

use super::*;

/// Guesses wrong so many times.
async fn guess(it: &Tested, agent: &str, times: usize) {
    for number in 0..times {
        let refused = authenticate(it, agent, &format!("guess-{number}"), "shop").await;
        assert_eq!(refused["error"], "Authentication failed", "{number}");
    }
}

/// Why a try is not even looked at.
async fn refusal(it: &Tested, agent: &str) -> Value {
    let arguments = json!({ "agent_id": agent, "passkey": PASSKEY, "project_id": "shop" });
    it.failure("authenticate", arguments).await
}

/// The caller who has the token of that name.
fn by(principal: &str) -> Caller {
    let mut caller = Caller::anonymous();
    caller.principal = principal.into();
    caller
}

#[tokio::test]
async fn caller_with_ten_wrong_passkeys_waits_out_the_five_minutes() {
    let it = shop().start().await;
    it.speak(by("guesser"));
    guess(&it, "alice", 10).await;
    let failure = refusal(&it, "alice").await;
    assert_eq!((&failure["error"], &failure["status"]), (&json!("too_many_attempts"), &json!(429)));
    assert_eq!(failure["data"]["retry_after_seconds"], 300, "{failure}");
    enter(&it, "bob").await;
    it.pass(Duration::from_secs(299));
    assert_eq!(refusal(&it, "alice").await["data"]["retry_after_seconds"], 1);
    it.pass(Duration::from_secs(1));
    enter(&it, "alice").await;
    guess(&it, "alice", 10).await;
    assert_eq!(refusal(&it, "alice").await["error"], "too_many_attempts", "counted anew");
}

#[tokio::test]
async fn guessing_locks_no_other_agent_out() {
    let it = shop().start().await;
    it.speak(by("guesser"));
    guess(&it, "alice", 10).await;
    assert_eq!(refusal(&it, "alice").await["error"], "too_many_attempts");
    it.speak(by("owner"));
    enter(&it, "alice").await;
    it.speak(by("guesser"));
    assert_eq!(refusal(&it, "alice").await["error"], "too_many_attempts", "still");
}

/// Where callers have no names, or many callers guess, the right one waits for seconds only.
#[tokio::test]
async fn right_caller_waits_seconds_after_unnamed_or_many_guessers() {
    let it = shop().start().await;
    guess(&it, "alice", 10).await;
    assert_eq!(refusal(&it, "alice").await["data"]["retry_after_seconds"], 10);
    it.pass(Duration::from_secs(10));
    enter(&it, "alice").await;
    for number in 0..5 {
        it.speak(by(&format!("guesser-{number}")));
        guess(&it, "bob", 10).await;
    }
    it.speak(by("owner"));
    assert_eq!(refusal(&it, "bob").await["data"]["retry_after_seconds"], 10);
    it.pass(Duration::from_secs(10));
    enter(&it, "bob").await;
}

/// A guess at an agent that does not exist takes as long as any other, but only for the first ten.
#[tokio::test]
async fn guesses_at_unknown_agents_cost_as_much_but_only_ten_of_them() {
    let it = shop().start().await;
    let mut took = Vec::new();
    for number in 0..60 {
        let began = Instant::now();
        guess(&it, &format!("nobody-{number}"), 1).await;
        took.push(began.elapsed());
    }
    // The least of some: a machine that is busy with other things makes each longer, and none shorter.
    let least = |of: &[Duration]| of.iter().min().copied().unwrap();
    let first = least(&took[..8]);
    for rest in took[12..].chunks(16).map(least) {
        assert!(rest * 3 < first, "one of the first takes {first:?}, one of the rest {rest:?}");
    }
    enter(&it, "alice").await;
}

#[tokio::test]
async fn right_passkey_in_between_gives_a_guesser_no_more_tries() {
    let it = shop().start().await;
    guess(&it, "alice", 9).await;
    enter(&it, "alice").await;
    guess(&it, "alice", 1).await;
    assert_eq!(refusal(&it, "alice").await["error"], "too_many_attempts");
}

#[tokio::test]
async fn guessing_does_not_reveal_who_is_there() {
    let it = shop().start().await;
    for unknown in ["nobody", "played"] {
        guess(&it, unknown, 10).await;
        assert_eq!(refusal(&it, unknown).await["error"], "too_many_attempts", "{unknown}");
    }
}

#[tokio::test]
async fn of_many_guesses_at_once_about_ten_are_looked_at() {
    let it = shop().start().await;
    let wrong = json!({ "agent_id": "alice", "passkey": "guess", "project_id": "shop" });
    let guesses = (0..40).map(|_| it.round("authenticate", wrong.clone(), json!({})));
    futures::future::join_all(guesses).await;
    let refused = refusal(&it, "alice").await;
    assert_eq!(refused["error"], "too_many_attempts");
}

#[tokio::test]
async fn renewed_passkey_admits_at_once_and_ends_old_ones_sessions() {
    let it = shop().start().await;
    let define = json!({
        "agent_id": "dora", "name": "Dora", "type": "ai", "project_ids": ["shop"],
    });
    let old = it.call("define_agent", define).await["passkey"].as_str().unwrap().to_owned();
    let opened = authenticate(&it, "dora", &old, "shop").await;
    let token = opened["session_token"].as_str().unwrap();
    guess(&it, "dora", 10).await;
    let renewed = it.call("renew_passkey", json!({ "agent_id": "dora" })).await;
    assert!(!is_live(&it, token).await);
    let new = renewed["passkey"].as_str().unwrap();
    assert_eq!(authenticate(&it, "dora", new, "shop").await["success"], true);
    assert_eq!(authenticate(&it, "dora", &old, "shop").await["error"], "Authentication failed");
}
