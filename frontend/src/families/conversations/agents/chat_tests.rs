//! Pages, receipts, the mark of the unread, and messages on their way.

use super::*;

fn message(sequence: u64, sender: &str) -> ChatMessage {
    ChatMessage {
        id: format!("msg_{sequence}"),
        sender_id: sender.to_owned(),
        content: format!("{sequence}"),
        sequence,
        ..ChatMessage::default()
    }
}

fn page(messages: &[(u64, &str)], has_more: bool) -> Messages {
    let messages = messages.iter().map(|(number, who)| message(*number, who)).collect();
    Messages { messages, has_more }
}

fn unsent(id: &str) -> Unsent {
    Unsent { client_id: id.to_owned(), content: format!("text of {id}") }
}

fn numbers(chat: &Chat) -> Vec<u64> {
    chat.messages.iter().map(|it| it.sequence).collect()
}

#[test]
fn pages_come_in_any_order_and_each_message_is_there_once() {
    let mut chat = Chat::default();
    assert_eq!(chat.take_newest("me", page(&[(3, "a"), (4, "me")], true), true), []);
    assert!(chat.has_older);
    chat.take_older(page(&[(1, "a"), (2, "me"), (3, "a")], false));
    let new = chat.take_newest("me", page(&[(4, "me"), (5, "a")], true), true);
    assert_eq!(numbers(&chat), [1, 2, 3, 4, 5]);
    assert_eq!(new.len(), 1, "of the other side, and new");
    assert!(!chat.has_older, "that there are older ones than this page is known already");
}

#[test]
fn a_gap_is_not_papered_over() {
    let mut chat = Chat::default();
    chat.take_newest("me", page(&[(1, "a"), (2, "a")], false), true);
    chat.take_newest("me", page(&[(80, "a"), (81, "a")], true), true);
    assert_eq!(numbers(&chat), [80, 81]);
    assert!(chat.has_older);
}

#[test]
fn unread_begins_where_it_did_on_arrival_until_reader_writes() {
    let mut chat = Chat::default();
    let mut first = page(&[(1, "a"), (2, "me"), (3, "a"), (4, "a")], false);
    first.messages[0].read_at = Some("2026-01-23T10:00:00Z".to_owned());
    chat.take_newest("me", first, true);
    assert_eq!(chat.mark, Some(3));
    assert!(chat.is_to_tell());
    assert!(!chat.is_to_tell(), "once");
    chat.untold();
    assert!(chat.is_to_tell(), "again where it failed");
    chat.write(unsent("x"));
    assert_eq!(chat.mark, None);
    chat.take_newest("me", page(&[(5, "a")], true), true);
    assert_eq!(chat.mark, None, "whoever looks on has it read");
    chat.take_newest("me", page(&[(6, "a")], true), false);
    assert!(chat.mark.is_some(), "whoever was away has not");
}

#[test]
fn a_receipt_holds_for_what_came_before() {
    let mut chat = Chat::default();
    chat.take_newest("me", page(&[(1, "me"), (2, "a"), (3, "me"), (4, "me")], false), true);
    let mut newer = page(&[(3, "me"), (4, "me")], true);
    newer.messages[0].read_at = Some("2026-01-23T10:00:00Z".to_owned());
    chat.take_newest("me", newer, true);
    let read: Vec<_> = chat.messages.iter().map(|it| it.read_at.is_some()).collect();
    assert_eq!(read, [true, false, true, false]);
}

#[test]
fn messages_go_one_by_one_and_a_failed_one_holds_up_the_rest() {
    let mut chat = Chat::default();
    chat.write(unsent("1"));
    chat.write(unsent("2"));
    assert_eq!(chat.next_to_send(), Some(unsent("1")));
    assert_eq!(chat.next_to_send(), None, "one is on its way");
    chat.failed("1", CallError::Offline);
    assert_eq!(chat.next_to_send(), None);
    assert_eq!(chat.unsent(), [unsent("1"), unsent("2")]);
    chat.again();
    assert_eq!(chat.next_to_send(), Some(unsent("1")), "under the same name");
    chat.taken("1", "msg_7");
    assert_eq!(chat.next_to_send(), Some(unsent("2")));
    assert_eq!(chat.outgoing.len(), 2, "shown until the list has it");
    chat.take_newest("me", page(&[(7, "me")], false), true);
    assert_eq!(chat.outgoing.len(), 1);
    chat.taken("2", "msg_7");
    assert!(chat.outgoing.is_empty(), "the list may have been faster");
}

#[test]
fn messages_unsent_before_a_reload_go_out_under_their_names() {
    let mut chat = Chat::with(vec![unsent("1"), unsent("2")]);
    assert_eq!(chat.next_to_send(), Some(unsent("1")));
    chat.failed("1", CallError::Offline);
    assert_eq!(chat.next_to_send(), None, "they keep their order");
    assert_eq!(chat.withdraw("1").as_deref(), Some("text of 1"));
    assert_eq!(chat.next_to_send(), Some(unsent("2")));
    assert!(!chat.is_empty());
}
