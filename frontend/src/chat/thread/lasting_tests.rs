//! What of a conversation lasts over a reload, and how much of it there may be (ILL-46).

use serde_json::json;

use super::tests::{call, done, receive, thread, waiting};
use super::*;
use crate::chat::entry::Piece;
use crate::chat::kept;

#[test]
fn reload_keeps_20_turns_pending_approvals_and_nothing_heavy() {
    // ILL-46
    let mut thread = thread();
    let heavy = "x".repeat(60_000);
    for number in 0..25 {
        thread.ask(&number.to_string(), Vec::new(), number);
        receive(
            &mut thread,
            &[
                call("c1", "route_search"),
                ("tool_result", json!({ "id": "c1", "result": { "line": heavy }, "meta": {} })),
                done(json!({})),
            ],
        );
    }
    waiting(&mut thread);
    let light = kept::light(&thread);
    let text = serde_json::to_string(&light).unwrap();
    assert!(text.len() <= 400_000, "{}", text.len());
    assert_eq!(light.entries.len(), 2 * kept::TURNS_MAX);
    let mut back: Thread = serde_json::from_str(&text).unwrap();
    back.wake();
    let oldest = back.entries[1].turn().unwrap();
    let Piece::Call(card) = &oldest.pieces[0] else { panic!("a call") };
    assert!(card.came().unwrap().is_cut && card.came().unwrap().result.is_null());
    assert!(back.is_waiting() && back.reply("c1", Reply::Allow));
    // A stream of before is not listened to.
    back.go_on();
    back.wake();
    assert!(!back.is_running());
    back.ask("次", Vec::new(), 9);
    let ids: std::collections::HashSet<u64> = back.entries.iter().map(|it| it.id).collect();
    assert_eq!(ids.len(), back.entries.len());
}

#[test]
fn a_conversation_has_limits() {
    let mut thread = thread();
    for number in 0..150 {
        thread.ask("あ".repeat(9_000).as_str(), Vec::new(), number);
        thread.stop();
    }
    assert!(thread.entries.len() <= ENTRIES_MAX);
    assert!(thread.entries[0].asked().is_some());
    assert_eq!(thread.entries[0].asked().unwrap().text.chars().count(), MESSAGE_MAX);
    assert_eq!(thread.name().chars().count(), TITLE_MAX);
    let mut saved_chats = kept::SavedChats::default();
    for number in 0..15 {
        let mut thread = Thread::new(number.to_string(), None);
        thread.ask(&format!("会話 {number}"), Vec::new(), number);
        saved_chats.note(&thread).unwrap();
    }
    assert_eq!(
        (saved_chats.heads.len(), saved_chats.heads[0].name.as_str()),
        (kept::THREADS_MAX, "会話 14")
    );
    assert_eq!(saved_chats.found("話 1").len(), 5);
}

#[test]
fn what_another_window_said_later_is_not_replaced() {
    let mut old = thread();
    old.ask("一", Vec::new(), 1);
    old.stop();
    let mut new = old.clone();
    new.ask("二", Vec::new(), 2);
    let mut saved_chats = kept::SavedChats::default();
    saved_chats.note(&old).unwrap();
    saved_chats.note(&new).unwrap();
    old.title = "古い".to_owned();
    assert_eq!(saved_chats.note(&old), None);
    assert_eq!((saved_chats.heads[0].at_ms, saved_chats.heads[0].name.as_str()), (2, "一"));
    new.title = "新しい".to_owned();
    assert!(saved_chats.note(&new).is_some(), "what was said last may change otherwise");
}

#[test]
fn what_two_windows_said_at_once_is_lost_by_neither() {
    let mut here = thread();
    here.ask("一", Vec::new(), 1);
    here.stop();
    let mut there = here.clone();
    here.ask("二", Vec::new(), 2);
    there.ask("三", Vec::new(), 3);
    let mut saved_chats = kept::SavedChats::default();
    saved_chats.note(&here).unwrap();
    saved_chats.note(&there).unwrap();
    assert_eq!(saved_chats.note(&here), None);
    assert!(!kept::has_last_of(&there, &here), "it is kept as a conversation of its own");
    // One that the other window has gone on from is in there already.
    there.entries = here.entries.clone();
    there.stop();
    there.ask("三", Vec::new(), 3);
    assert!(kept::has_last_of(&there, &here));
}
