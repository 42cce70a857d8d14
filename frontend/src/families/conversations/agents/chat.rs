//! A person's chat with an agent as plain state: received and outgoing messages, the unread mark, and the limits of a
//! message.

use output::conversations::ChatMessage;
use output::text::is_blank;
use serde::Deserialize;

use crate::error::CallError;
use crate::families::conversations::unsent::Unsent;

/// A page of a chat (`GET …/chat/messages`), oldest first.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Messages {
    pub(crate) messages: Vec<ChatMessage>,
    pub(crate) has_more: bool,
}

/// State of an outgoing message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Delivery {
    /// It waits for earlier ones.
    Waiting,
    /// It is being sent.
    Sending,
    /// The host has accepted it under this id, but has not listed it yet.
    Taken(String),
    /// It may or may not have arrived.
    Failed(CallError),
}

/// An outgoing message of the reader's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outgoing {
    pub(crate) unsent: Unsent,
    pub(crate) delivery: Delivery,
}

/// A chat with an agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chat {
    /// Id of the reader's own agent.
    me: String,
    /// The received messages, by number.
    pub(crate) messages: Vec<ChatMessage>,
    pub(crate) has_older: bool,
    pub(crate) outgoing: Vec<Outgoing>,
    /// The number of the first message unread when the reader arrived.
    pub(crate) mark: Option<u64>,
    /// The last number reported to the host as read.
    reported: u64,
    has_begun: bool,
}

impl Chat {
    /// Creates a chat with messages whose delivery was unknown when the reader left; they are sent again under the same
    /// ids.
    pub(crate) fn with(unsent: Vec<Unsent>) -> Self {
        let outgoing = |unsent| Outgoing { unsent, delivery: Delivery::Waiting };
        Self { outgoing: unsent.into_iter().map(outgoing).collect(), ..Self::default() }
    }

    /// Merges the newest page. Returns the new messages of the other side; none for the first page.
    pub(crate) fn take_newest(
        &mut self,
        me: &str,
        page: Messages,
        is_seen: bool,
    ) -> Vec<ChatMessage> {
        me.clone_into(&mut self.me);
        let last = self.last();
        let has_begun = std::mem::replace(&mut self.has_begun, true);
        let is_gap = page.messages.first().is_some_and(|it| it.sequence > last + 1);
        if is_gap || page.messages.is_empty() {
            // The gap is fetched when the reader goes there.
            self.messages.clear();
        }
        if self.messages.is_empty() {
            self.has_older = page.has_more;
        }
        let new = page.messages.iter().filter(|it| it.sequence > last && it.sender_id != me);
        let new: Vec<_> = if has_begun { new.cloned().collect() } else { Vec::new() };
        self.merge(page.messages);
        if !has_begun || (!is_seen && !new.is_empty() && self.mark.is_none()) {
            let first = self.unread().map(|it| it.sequence).next();
            self.mark = first;
        }
        new
    }

    /// Merges a page of earlier messages.
    pub(crate) fn take_older(&mut self, page: Messages) {
        self.has_older = page.has_more && !page.messages.is_empty();
        self.merge(page.messages);
    }

    fn merge(&mut self, messages: Vec<ChatMessage>) {
        for message in messages {
            match self.messages.binary_search_by_key(&message.sequence, |it| it.sequence) {
                Ok(index) => self.messages[index] = message,
                Err(index) => self.messages.insert(index, message),
            }
        }
        let is_here = |id: &String| self.messages.iter().any(|it| it.id == *id);
        let is_left = |it: &Outgoing| !matches!(&it.delivery, Delivery::Taken(id) if is_here(id));
        self.outgoing.retain(is_left);
        self.spread_receipts();
    }

    /// Marks all messages before a read one as read, even if their receipts are outdated.
    fn spread_receipts(&mut self) {
        let mut read_at = None;
        for message in self.messages.iter_mut().rev().filter(|it| it.sender_id == self.me) {
            if message.read_at.is_some() {
                read_at.clone_from(&message.read_at);
            } else {
                message.read_at.clone_from(&read_at);
            }
        }
    }

    fn last(&self) -> u64 {
        self.messages.last().map_or(0, |it| it.sequence)
    }

    fn unread(&self) -> impl Iterator<Item = &ChatMessage> {
        self.messages.iter().filter(|it| it.sender_id != self.me && it.read_at.is_none())
    }

    /// Whether to report the shown messages as read; once for each.
    pub(crate) fn must_report_read(&mut self) -> bool {
        let last = self.unread().last().map_or(0, |it| it.sequence);
        let must_report_read = last > self.reported;
        self.reported = self.reported.max(last);
        must_report_read
    }

    /// The report failed and is due again.
    pub(crate) fn report_failed(&mut self) {
        self.reported = 0;
    }

    /// Adds a message of the reader's and clears the unread mark.
    pub(crate) fn write(&mut self, unsent: Unsent) {
        self.mark = None;
        self.outgoing.push(Outgoing { unsent, delivery: Delivery::Waiting });
    }

    /// The next message to send: the first waiting one, if none is being sent. A failed one blocks later ones, to keep
    /// the order.
    pub(crate) fn next_to_send(&mut self) -> Option<Unsent> {
        let is_settled = |it: &&mut Outgoing| !matches!(it.delivery, Delivery::Taken(_));
        let next = self.outgoing.iter_mut().find(is_settled)?;
        if next.delivery != Delivery::Waiting {
            return None;
        }
        next.delivery = Delivery::Sending;
        Some(next.unsent.clone())
    }

    /// The host has accepted a message under this id.
    pub(crate) fn taken(&mut self, client_id: &str, message_id: &str) {
        self.settle(client_id, Delivery::Taken(message_id.to_owned()));
        self.merge(Vec::new());
    }

    /// A message may not have been delivered.
    pub(crate) fn failed(&mut self, client_id: &str, error: CallError) {
        self.settle(client_id, Delivery::Failed(error));
    }

    /// Retries all failed messages under the same ids, so that the host stores each once.
    pub(crate) fn again(&mut self) {
        let failed = |it: &&mut Outgoing| matches!(it.delivery, Delivery::Failed(_));
        self.outgoing.iter_mut().filter(failed).for_each(|it| it.delivery = Delivery::Waiting);
    }

    fn settle(&mut self, client_id: &str, delivery: Delivery) {
        if let Some(message) = self.outgoing.iter_mut().find(|it| it.unsent.client_id == client_id)
        {
            message.delivery = delivery;
        }
    }

    /// Removes an undelivered message. Returns its text.
    pub(crate) fn withdraw(&mut self, client_id: &str) -> Option<String> {
        let has_id = |it: &Outgoing| it.unsent.client_id == client_id;
        let index = self.outgoing.iter().position(has_id)?;
        Some(self.outgoing.remove(index).unsent.content)
    }

    /// The messages to store over a reload.
    pub(crate) fn unsent(&self) -> Vec<Unsent> {
        let is_open = |it: &&Outgoing| !matches!(it.delivery, Delivery::Taken(_));
        self.outgoing.iter().filter(is_open).map(|it| it.unsent.clone()).collect()
    }

    /// Whether the reader wrote it.
    pub(crate) fn is_own(&self, message: &ChatMessage) -> bool {
        message.sender_id == self.me
    }

    /// Whether there are no messages yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.outgoing.is_empty()
    }
}

/// Maximum number of characters of a message, as counted by the host (CONV-65).
pub(crate) const MESSAGE_MAX: usize = 4_000;
/// Number of characters from which the counter is shown.
pub(crate) const MESSAGE_NEAR: usize = 3_500;

/// A fault of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Only whitespace.
    Empty,
    /// Number of excess characters.
    TooLong(usize),
}

/// Number of characters, as counted by the host.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

/// Checks a message.
pub(crate) fn fault(text: &str) -> Option<Fault> {
    let excess = length(text).saturating_sub(MESSAGE_MAX);
    match () {
        () if is_blank(text) => Some(Fault::Empty),
        () if excess > 0 => Some(Fault::TooLong(excess)),
        () => None,
    }
}

/// Truncates a text to `max` characters without splitting a grapheme cluster.
pub(crate) fn beginning(text: &str, max: usize) -> String {
    let Some((mut end, _)) = text.char_indices().nth(max) else { return text.to_owned() };
    while end > 0 && !is_boundary(text, end) {
        end = text[..end].char_indices().next_back().map_or(0, |(index, _)| index);
    }
    format!("{}…", text[..end].trim_end())
}

const JOINER: char = '\u{200d}';

/// Whether a position lies between two grapheme clusters.
fn is_boundary(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text[..at].chars().next_back(), text[at..].chars().next())
    else {
        return true;
    };
    // A flag consists of two regional indicators: no boundary follows an odd one.
    let letters = text[..at].chars().rev().take_while(|it| is_flag_letter(*it)).count();
    let is_in_flag = is_flag_letter(after) && letters % 2 == 1;
    !(before == JOINER || after == JOINER || is_extending(after) || is_in_flag)
}

fn is_flag_letter(letter: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&letter)
}

/// Marks combined with the preceding character: accents, voicing marks, variants, skin tones, tags.
fn is_extending(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}' | '\u{e31}'
        | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{1f3fb}'..='\u{1f3ff}'
        | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests {
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
    fn merges_pages_in_any_order_without_duplicates() {
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
    fn drops_older_messages_across_a_gap() {
        let mut chat = Chat::default();
        chat.take_newest("me", page(&[(1, "a"), (2, "a")], false), true);
        chat.take_newest("me", page(&[(80, "a"), (81, "a")], true), true);
        assert_eq!(numbers(&chat), [80, 81]);
        assert!(chat.has_older);
    }

    #[test]
    fn unread_mark_stays_until_reader_writes() {
        let mut chat = Chat::default();
        let mut first = page(&[(1, "a"), (2, "me"), (3, "a"), (4, "a")], false);
        first.messages[0].read_at = Some("2026-01-23T10:00:00Z".to_owned());
        chat.take_newest("me", first, true);
        assert_eq!(chat.mark, Some(3));
        assert!(chat.must_report_read());
        assert!(!chat.must_report_read(), "once");
        chat.report_failed();
        assert!(chat.must_report_read(), "again where it failed");
        chat.write(unsent("x"));
        assert_eq!(chat.mark, None);
        chat.take_newest("me", page(&[(5, "a")], true), true);
        assert_eq!(chat.mark, None, "whoever looks on has it read");
        chat.take_newest("me", page(&[(6, "a")], true), false);
        assert!(chat.mark.is_some(), "whoever was away has not");
    }

    #[test]
    fn receipt_covers_earlier_messages() {
        let mut chat = Chat::default();
        chat.take_newest("me", page(&[(1, "me"), (2, "a"), (3, "me"), (4, "me")], false), true);
        let mut newer = page(&[(3, "me"), (4, "me")], true);
        newer.messages[0].read_at = Some("2026-01-23T10:00:00Z".to_owned());
        chat.take_newest("me", newer, true);
        let read: Vec<_> = chat.messages.iter().map(|it| it.read_at.is_some()).collect();
        assert_eq!(read, [true, false, true, false]);
    }

    #[test]
    fn sends_messages_in_order_and_failed_one_blocks_rest() {
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
    fn resends_unsent_messages_with_their_ids_after_reload() {
        let mut chat = Chat::with(vec![unsent("1"), unsent("2")]);
        assert_eq!(chat.next_to_send(), Some(unsent("1")));
        chat.failed("1", CallError::Offline);
        assert_eq!(chat.next_to_send(), None, "they keep their order");
        assert_eq!(chat.withdraw("1").as_deref(), Some("text of 1"));
        assert_eq!(chat.next_to_send(), Some(unsent("2")));
        assert!(!chat.is_empty());
    }

    #[test]
    fn accepts_nonempty_messages_up_to_4000_characters() {
        assert_eq!(fault(&"あ".repeat(MESSAGE_MAX)), None);
        assert_eq!(fault(&"𠮷".repeat(MESSAGE_MAX + 3)), Some(Fault::TooLong(3)));
        assert_eq!(fault(" \n"), Some(Fault::Empty));
    }

    #[test]
    fn truncation_keeps_grapheme_clusters_whole() {
        assert_eq!(beginning("しりとり", 4), "しりとり");
        assert_eq!(beginning("しりとり", 3), "しりと…");
        for whole in ["👨‍👩‍👧", "🇯🇵", "か\u{3099}", "👍🏽", "❤️", "e\u{301}"]
        {
            let text = format!("あ{whole}い");
            for max in 0..length(&text) {
                let cut = beginning(&text, max);
                let cut = cut.trim_end_matches('…');
                assert!(["", "あ", &format!("あ{whole}")].contains(&cut), "{text} {max}: {cut:?}");
            }
        }
        assert_eq!(beginning("🇯🇵🇫🇷🇩🇪", 4), "🇯🇵🇫🇷…");
    }
}
