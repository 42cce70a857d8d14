//! How conversations end (CONV-15 to CONV-19, CONV-40 to CONV-44).

use futures::future::join_all;
use serde_json::{Value, json};

use super::office::{
    action, contents, end, enter, enter_at, next, office, outcome, refused, send, start, state,
    talking, unread,
};

#[tokio::test]
async fn conv_40_an_end_is_answered_in_the_words_of_the_specification() {
    let it = office().await;
    let (a, _, id) = talking(&it).await;
    let expected = json!({
        "success": true,
        "conversation_id": id,
        "status": "terminating",
        "instruction": "会話終了をリクエストしました。相手に通知されます。",
    });
    assert_eq!(end(&it, &a, &id).await, expected);
    assert_eq!(state(&it, &a, &id).await, "terminating", "CONV-15");
}

#[tokio::test]
async fn conv_40_refuses_what_cannot_be_ended_in_the_specified_order() {
    let it = office().await;
    let (a, _, id) = talking(&it).await;
    let c = enter(&it, "worker-c").await;
    let of = |token: &str, id: &str| json!({ "session_token": token, "conversation_id": id });
    let none = refused(&it, "end_conversation", json!({ "session_token": c })).await;
    assert_eq!(none, ("no_active_conversation".to_owned(), 400));
    let unknown = refused(&it, "end_conversation", of(&a, "conv_0")).await;
    assert_eq!(unknown, ("conversation_not_found".to_owned(), 404));
    let foreign = refused(&it, "end_conversation", of(&c, &id)).await;
    assert_eq!(foreign, ("not_conversation_participant".to_owned(), 403));
    let elsewhere = enter_at(&it, "worker-c", "depot").await;
    let there = refused(&it, "end_conversation", of(&elsewhere, &id)).await;
    assert_eq!(there, ("conversation_not_found".to_owned(), 404), "another project's");
    let unknown = refused(&it, "end_conversation", of("sess_0", &id)).await;
    assert_eq!(unknown, ("invalid_session".to_owned(), 401));
    assert_eq!(state(&it, &a, &id).await, "active", "nothing of it did anything");
}

#[tokio::test]
async fn conv_41_either_side_ends_it_and_both_learn_once_who_and_why() {
    for (ender, reason) in [("worker-a", "initiator_ended"), ("worker-b", "participant_ended")] {
        let it = office().await;
        let (a, b, id) = talking(&it).await;
        let (first, other) = if ender == "worker-a" { (&a, &b) } else { (&b, &a) };
        end(&it, first, &id).await;
        let expected = json!({
            "action": "conversation_ended",
            "conversation_id": id,
            "ended_by": ender,
            "reason": reason,
            "instruction": "会話が終了しました。get_next_actionで次の指示を確認してください。",
        });
        assert_eq!(next(&it, other).await, expected, "CONV-52");
        assert_eq!(state(&it, &a, &id).await, "ended", "CONV-54: the partner polled once");
        assert_eq!(next(&it, first).await, expected, "CONV-54: both are told");
        assert_eq!(state(&it, &a, &id).await, "ended");
        for token in [&a, &b] {
            assert_eq!(action(&it, token).await, "wait_for_messages", "and once");
        }
    }
}

#[tokio::test]
async fn conv_54_ender_may_be_notified_first_and_it_awaits_the_other() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    end(&it, &a, &id).await;
    assert_eq!(action(&it, &a).await, "conversation_ended");
    assert_eq!(state(&it, &a, &id).await, "terminating", "the partner has not heard of it");
    assert_eq!(action(&it, &b).await, "conversation_ended");
    assert_eq!(state(&it, &a, &id).await, "ended", "CONV-16");
}

#[tokio::test]
async fn conv_42_without_an_id_the_one_with_the_latest_activity_ends() {
    let it = office().await;
    let (a, b, first) = talking(&it).await;
    let ended = |it: &Value| it["conversation_id"].as_str().unwrap().to_owned();
    super::office::pass(&it, 1);
    let second = start(&it, &a, "worker-c").await;
    super::office::pass(&it, 1);
    send(&it, &b, "worker-a", "まだです").await;
    let arguments = json!({ "session_token": a });
    assert_eq!(ended(&it.call("end_conversation", arguments.clone()).await), first);
    assert_eq!(ended(&it.call("end_conversation", arguments.clone()).await), second, "CONV-18");
    let none = refused(&it, "end_conversation", arguments).await;
    assert_eq!(none, ("no_active_conversation".to_owned(), 400));
}

#[tokio::test]
async fn conv_42_of_two_with_the_same_activity_the_active_one_ends() {
    let it = office().await;
    let (a, _, first) = talking(&it).await;
    start(&it, &a, "worker-c").await;
    let ended = it.call("end_conversation", json!({ "session_token": a })).await;
    assert_eq!(ended["conversation_id"], first.as_str());
}

#[tokio::test]
async fn conv_43_ending_again_changes_nothing_and_ended_stays_ended() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    let first = end(&it, &a, &id).await;
    assert_eq!(end(&it, &a, &id).await, first, "the same again");
    assert_eq!(end(&it, &b, &id).await, first, "and from the other side");
    assert_eq!(next(&it, &b).await["ended_by"], "worker-a", "who ended it stays so");
    let failure =
        it.failure("end_conversation", json!({ "session_token": b, "conversation_id": id })).await;
    assert_eq!(
        (&failure["error"], &failure["status"]),
        (&json!("no_active_conversation"), &json!(400))
    );
    assert_eq!(failure["data"]["current_state"], "ended", "CONV-17");
    assert_eq!(state(&it, &a, &id).await, "ended");
}

#[tokio::test]
async fn conv_44_the_last_message_is_stored_before_the_end() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    let with =
        |text: &str| json!({ "session_token": a, "conversation_id": id, "final_message": text });
    assert_eq!(outcome(&it, "end_conversation", with(" ")).await, "content_required");
    assert_eq!(
        outcome(&it, "end_conversation", with(&"x".repeat(4_001))).await,
        "content_too_long"
    );
    assert_eq!(state(&it, &a, &id).await, "active", "of a refused end nothing is left");
    it.call("end_conversation", with("5ターン完了。終了します")).await;
    let notice = next(&it, &b).await;
    assert_eq!(notice["action"], "conversation_ended");
    assert_eq!(contents(&notice["pending_messages"]), ["5ターン完了。終了します"]);
    assert_eq!(action(&it, &b).await, "wait_for_messages", "CONV-100: it needs no answer");
    assert_eq!(unread(&it, &b).await, ["5ターン完了。終了します"], "it can be read afterwards");
}

#[tokio::test]
async fn request_is_declined_with_a_reason_that_the_initiator_reads() {
    let it = office().await;
    let (a, b) = (enter(&it, "worker-a").await, enter(&it, "worker-b").await);
    let id = start(&it, &a, "worker-b").await;
    let refusal = json!({ "session_token": b, "conversation_id": id, "reason_text": "いま忙しい" });
    assert_eq!(it.call("end_conversation", refusal).await["status"], "terminating");
    let instruction = next(&it, &a).await;
    assert_eq!(instruction["action"], "conversation_ended");
    assert_eq!(instruction["reason"], "participant_ended");
    assert_eq!(instruction["reason_text"], "いま忙しい");
    assert_eq!(state(&it, &a, &id).await, "ended");
    let long =
        json!({ "session_token": b, "conversation_id": id, "reason_text": "x".repeat(1_001) });
    assert_eq!(outcome(&it, "end_conversation", long).await, "invalid_params");
}

#[tokio::test]
async fn conv_18_a_request_that_is_withdrawn_is_not_heard_of_as_one() {
    let it = office().await;
    let (a, b) = (enter(&it, "worker-a").await, enter(&it, "worker-b").await);
    let id = start(&it, &a, "worker-b").await;
    end(&it, &a, &id).await;
    assert_eq!(state(&it, &a, &id).await, "terminating");
    assert_eq!(action(&it, &b).await, "conversation_ended", "and never conversation_request");
    assert_eq!(state(&it, &a, &id).await, "ended");
    assert_eq!(action(&it, &b).await, "wait_for_messages");
}

#[tokio::test]
async fn conv_18_a_withdrawn_request_launches_no_agent() {
    let it = office().await;
    let a = enter(&it, "worker-a").await;
    let id = start(&it, &a, "worker-b").await;
    end(&it, &a, &id).await;
    // What would have called worker-b is gone: it comes to work.
    let opened = it
        .call(
            "authenticate",
            json!({ "agent_id": "worker-b", "passkey": super::PASSKEY, "project_id": "office" }),
        )
        .await;
    assert_eq!(opened["purpose"], "task");
}

#[tokio::test]
async fn conv_19_conv_85_logout_ends_conversations_of_a_gone_agent() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    let withdrawn = start(&it, &a, "worker-c").await;
    it.call("logout", json!({ "session_token": a })).await;
    let step = next(&it, &b).await;
    assert_eq!(step["action"], "conversation_ended");
    assert_eq!((&step["ended_by"], &step["reason"]), (&json!("system"), &json!("session_expired")));
    assert_eq!(state(&it, &b, &id).await, "ended", "nobody waits for whoever has left");
    let c = enter(&it, "worker-c").await;
    assert_eq!(state(&it, &c, &withdrawn).await, "terminating", "its own requests go, too");
    // An agent that comes back within the hour is notified.
    let a = enter(&it, "worker-a").await;
    assert_eq!(next(&it, &a).await["reason"], "session_expired");
}

#[tokio::test]
async fn conv_85_nothing_ends_while_agent_has_another_live_session() {
    let it = office().await;
    let (a, _, id) = talking(&it).await;
    let c = enter(&it, "worker-c").await;
    let request = start(&it, &a, "worker-c").await;
    // It talks already, so a second session would be the chat session; the first ends by that.
    let again = enter(&it, "worker-a").await;
    assert_eq!(
        outcome(&it, "get_next_action", json!({ "session_token": a })).await,
        "invalid_session"
    );
    assert_eq!(state(&it, &again, &id).await, "active");
    // An agent that was asked and leaves may come again: the request stays.
    it.call("logout", json!({ "session_token": c })).await;
    assert_eq!(state(&it, &again, &request).await, "pending");
}

#[tokio::test]
async fn conv_16_a_member_that_left_during_the_end_is_swept_away() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    end(&it, &a, &id).await;
    it.run_schedule().await.unwrap();
    assert_eq!(state(&it, &a, &id).await, "terminating", "worker-b is there, and has not heard");
    it.call("logout", json!({ "session_token": b })).await;
    it.run_schedule().await.unwrap();
    assert_eq!(state(&it, &a, &id).await, "ended");
}

#[tokio::test]
async fn conv_16_sweep_completes_the_end_if_the_partner_never_came() {
    let it = office().await;
    let a = enter(&it, "worker-a").await;
    let id = start(&it, &a, "worker-b").await;
    end(&it, &a, &id).await;
    assert_eq!(state(&it, &a, &id).await, "terminating");
    it.run_schedule().await.unwrap();
    assert_eq!(state(&it, &a, &id).await, "ended");
}

#[tokio::test]
async fn both_ends_at_once_are_one_end_and_both_succeed() {
    for _ in 0..8 {
        let it = office().await;
        let (a, b, id) = talking(&it).await;
        let outcomes = join_all([end(&it, &a, &id), end(&it, &b, &id)]).await;
        assert_eq!(outcomes[0], outcomes[1]);
        let (one, other) = (next(&it, &a).await, next(&it, &b).await);
        assert_eq!(one, other, "both hear of the same end");
        assert_eq!(one["action"], "conversation_ended");
        assert_eq!(state(&it, &a, &id).await, "ended");
    }
}

#[tokio::test]
async fn ends_conversation_once_both_used_max_turns_and_not_before() {
    let it = office().await;
    let (a, b) = (enter(&it, "worker-a").await, enter(&it, "worker-b").await);
    let arguments = json!({ "session_token": a, "target_agent_id": "worker-b", "max_turns": 2, "initial_message": "りんご" });
    let started = it.call("start_conversation", arguments).await;
    let id = started["conversation_id"].as_str().unwrap().to_owned();
    assert_eq!(action(&it, &b).await, "conversation_request");
    send(&it, &b, "worker-a", "ごりら").await;
    send(&it, &a, "worker-b", "らっぱ").await;
    assert_eq!(state(&it, &a, &id).await, "active", "CONV-14: one turn and a half");
    send(&it, &b, "worker-a", "ぱんだ").await;
    assert_eq!(state(&it, &a, &id).await, "terminating", "two turns");
    for token in [&a, &b] {
        let step = next(&it, token).await;
        assert_eq!((&step["ended_by"], &step["reason"]), (&json!("system"), &json!("max_turns")));
    }
    assert_eq!(state(&it, &a, &id).await, "ended", "after both have heard of it");
    assert_eq!(unread(&it, &a).await, ["ごりら", "ぱんだ"], "nothing is lost");
    let late = super::office::letter(&a, "worker-b", "だちょう");
    assert_eq!(outcome(&it, "send_message", late).await, "conversation_required_for_ai_to_ai");
}

#[tokio::test]
async fn conv_17_ended_takes_no_message_or_second_end_but_is_readable() {
    let it = office().await;
    let (a, b, id) = talking(&it).await;
    send(&it, &a, "worker-b", "りんご").await;
    end(&it, &a, &id).await;
    action(&it, &b).await;
    let named = json!({ "session_token": a, "target_agent_id": "worker-b", "content": "?", "conversation_id": id });
    assert_eq!(outcome(&it, "send_message", named).await, "conversation_required_for_ai_to_ai");
    let read = json!({ "session_token": b, "conversation_id": id });
    let messages = it.call("get_conversation_messages", read).await;
    assert_eq!(contents(&messages["messages"]), ["りんご"]);
    // The pair may begin again.
    assert_ne!(start(&it, &b, "worker-a").await, id);
}
