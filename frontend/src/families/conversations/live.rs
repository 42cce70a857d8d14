//! The shown part of a conversation: messages by number, without duplicates or gaps, extended at both ends.

use output::conversations::{ChatMessage, Conversation, State, Step, Transcript};

/// Number of messages fetched at a time.
pub(crate) const PAGE: usize = 100;
/// Maximum number of messages kept; older ones are fetched again on request.
const MESSAGES_MAX: usize = 2_000;

/// Maximum number of new messages shown one after another; more are shown at once.
const PACED_MAX: usize = 40;

/// A part of the messages to fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Latest,
    Before(u64),
    After(u64),
}

/// The known part of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Live {
    pub(crate) transcript: Transcript,
}

/// Result of merging a fetched part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    /// Number of messages newer than all before.
    pub(crate) new: usize,
    /// Whether there is more to fetch.
    pub(crate) is_full: bool,
}

impl Live {
    pub(crate) fn new(transcript: Transcript) -> Self {
        let mut live = Self { transcript };
        live.transcript.messages.sort_by_key(|it| it.sequence);
        live
    }

    pub(crate) fn message(&self, sequence: u64) -> Option<&ChatMessage> {
        let messages = &self.transcript.messages;
        let found = messages.binary_search_by_key(&sequence, |it| it.sequence).ok()?;
        messages.get(found)
    }

    /// The part that contains all news: new messages and new receipts.
    pub(crate) fn next(&self) -> Part {
        let Some(last) = self.transcript.messages.last() else { return Part::Latest };
        let recent = self.transcript.messages.iter().rev().take(PAGE / 2);
        let unread = recent.filter(|it| it.read_at.is_none()).map(|it| it.sequence).min();
        Part::After(unread.map_or(last.sequence, |it| it.saturating_sub(1)))
    }

    /// The part after all known messages.
    pub(crate) fn onward(&self) -> Part {
        self.transcript.messages.last().map_or(Part::Latest, |it| Part::After(it.sequence))
    }

    /// The part before the known messages.
    pub(crate) fn older(&self) -> Option<Part> {
        let first = self.transcript.messages.first()?;
        self.transcript.has_older.then_some(Part::Before(first.sequence))
    }

    /// Splits fetched messages for showing them one after another: one part per message, with the conversation's state
    /// then, except the last, which is the whole. Empty if they are not to be paced.
    pub(crate) fn paced(&self, found: &Transcript) -> Vec<Transcript> {
        let last = self.transcript.messages.last().map_or(0, |it| it.sequence);
        let mut new: Vec<_> = found.messages.iter().filter(|it| it.sequence > last).collect();
        new.sort_by_key(|it| it.sequence);
        let is_next = new.first().is_some_and(|it| it.sequence == last + 1);
        if !is_next || new.len() > PACED_MAX {
            return Vec::new();
        }
        new.pop();
        let mut known = self.transcript.clone();
        let part = |message: &ChatMessage| {
            known.messages.push(message.clone());
            // Times have a resolution of seconds: the end may fall into the second of a message; the last part shows
            // it.
            let is_end = |state| matches!(state, State::Terminating | State::Ended);
            let is_then = |it: &&Step| it.at <= message.timestamp && !is_end(it.state);
            let steps: Vec<_> = found.steps.iter().filter(is_then).cloned().collect();
            let state = steps.last().map_or(self.transcript.conversation.state, |it| it.state);
            known.conversation = counted(&known, &found.conversation);
            Transcript {
                conversation: Conversation {
                    state,
                    messages: u32::try_from(message.sequence).unwrap_or(u32::MAX),
                    ..known.conversation.clone()
                },
                steps,
                messages: vec![message.clone()],
                has_older: found.has_older,
                may_step_in: found.may_step_in,
            }
        };
        new.into_iter().map(part).collect()
    }

    /// Merges a fetched part.
    pub(crate) fn take(&mut self, found: Transcript, part: Part) -> Merged {
        let last = self.transcript.messages.last().map(|it| it.sequence);
        let had_older = self.transcript.has_older;
        let Transcript { conversation, steps, mut messages, has_older, may_step_in } = found;
        messages.sort_by_key(|it| it.sequence);
        let is_full = messages.len() >= PAGE && matches!(part, Part::After(_));
        let new = messages.iter().filter(|it| last.is_none_or(|last| it.sequence > last)).count();
        let (first, is_first) = (messages.first().map(|it| it.sequence), last.is_none());
        // The gap is too large to fill: older messages can be fetched again.
        let is_apart = matches!(part, Part::Latest)
            && first.zip(last).is_some_and(|(first, last)| first > last + 1);
        if is_apart {
            self.transcript.messages.clear();
        }
        self.transcript.has_older = match part {
            Part::Before(_) => has_older,
            Part::Latest if is_apart || is_first => has_older,
            Part::Latest | Part::After(_) => had_older,
        };
        (self.transcript.conversation, self.transcript.steps) = (conversation, steps);
        self.transcript.may_step_in = may_step_in;
        for message in messages {
            let own = &mut self.transcript.messages;
            match own.binary_search_by_key(&message.sequence, |it| it.sequence) {
                Ok(at) => own[at] = message,
                Err(at) => own.insert(at, message),
            }
        }
        let surplus = self.transcript.messages.len().saturating_sub(MESSAGES_MAX);
        if surplus > 0 && !matches!(part, Part::Before(_)) {
            self.transcript.messages.drain(..surplus);
            self.transcript.has_older = true;
        }
        Merged { new: if is_first { 0 } else { new }, is_full }
    }
}

/// The conversation with the counts of what is known of it; `whole` has those of all of it.
fn counted(known: &Transcript, whole: &Conversation) -> Conversation {
    let count = |is_it: &dyn Fn(&ChatMessage) -> bool| {
        let count = known.messages.iter().filter(|it| is_it(it)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let mut own = known.conversation.clone();
    let mut fewest = u32::MAX;
    for (member, last) in own.members.iter_mut().zip(&whole.members) {
        let sent = count(&|it| it.sender_id == member.agent_id);
        fewest = fewest.min(sent);
        member.usage.turns = last.usage.turns.min(member.usage.turns.max(sent));
        member.unread = count(&|message| {
            let is_to = message.recipient_id.as_ref().is_none_or(|to| *to == member.agent_id);
            is_to && message.sender_id != member.agent_id && message.read_at.is_none()
        });
    }
    // Where older messages are not known, the count before is at least as good.
    own.turns = own.turns.max(fewest).min(whole.turns);
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::conversations::samples::transcript;

    fn numbers(live: &Live) -> Vec<u64> {
        live.transcript.messages.iter().map(|it| it.sequence).collect()
    }

    fn read(mut transcript: Transcript) -> Transcript {
        transcript
            .messages
            .iter_mut()
            .for_each(|it| it.read_at = Some("2026-01-23T10:00:00Z".into()));
        transcript
    }

    #[test]
    fn appends_new_messages_without_duplicates() {
        let mut live = Live::new(read(transcript(1..=3)));
        assert_eq!(live.next(), Part::After(3));
        let merged = live.take(transcript(3..=5), Part::After(2));
        assert_eq!(merged, Merged { new: 2, is_full: false });
        assert_eq!(numbers(&live), [1, 2, 3, 4, 5]);
        assert_eq!(live.next(), Part::After(2), "from the first that nobody has read");
        assert_eq!(live.message(4).unwrap().sequence, 4);
        assert_eq!(live.message(9), None);
    }

    #[test]
    fn updates_receipts() {
        let mut live = Live::new(transcript(1..=2));
        assert_eq!(live.next(), Part::After(0));
        let merged = live.take(read(transcript(1..=2)), Part::After(0));
        assert_eq!(merged.new, 0);
        assert!(live.transcript.messages.iter().all(|it| it.read_at.is_some()));
    }

    #[test]
    fn prepends_older_messages_without_counting_them() {
        let mut part = transcript(5..=6);
        part.has_older = true;
        let mut live = Live::new(part);
        assert_eq!(live.older(), Some(Part::Before(5)));
        let merged = live.take(transcript(1..=4), Part::Before(5));
        assert_eq!((merged.new, numbers(&live)), (0, vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(live.older(), None);
    }

    #[test]
    fn restarts_without_gap_after_long_interruption() {
        let mut live = Live::new(transcript(1..=3));
        let mut later = transcript(8..=9);
        later.has_older = true;
        let merged = live.take(later, Part::Latest);
        assert_eq!((merged.new, numbers(&live)), (2, vec![8, 9]));
        assert_eq!(live.older(), Some(Part::Before(8)));
        live.take(transcript(9..=10), Part::Latest);
        assert_eq!(numbers(&live), [8, 9, 10], "what fits together stays");
        assert_eq!(live.older(), Some(Part::Before(8)), "and older ones are still there");
    }

    #[test]
    fn full_page_continues_up_to_kept_limit() {
        let mut live = Live::new(transcript(1..=1));
        let merged = live.take(transcript(2..=101), Part::After(1));
        assert!(merged.is_full);
        assert_eq!(live.onward(), Part::After(101), "and not from the first that nobody has read");
        live.take(transcript(102..=2_500), Part::After(101));
        assert_eq!(
            (live.transcript.messages.len(), live.transcript.has_older),
            (MESSAGES_MAX, true)
        );
    }

    #[test]
    fn paces_messages_of_finished_game() {
        let mut over = transcript(1..=4);
        over.conversation.state = State::Ended;
        over.conversation.messages = 4;
        over.conversation.turns = 2;
        over.conversation.members.iter_mut().for_each(|it| it.usage.turns = 2);
        // In the second of the third message.
        let at = over.messages[2].timestamp.clone();
        over.steps.push(Step { state: State::Ended, at, ..Step::default() });
        let begun = Transcript { messages: Vec::new(), ..transcript(1..=1) };
        let mut live = Live::new(begun);
        let parts = live.paced(&over);
        let states = parts.iter().map(|it| (it.conversation.state, it.conversation.messages));
        let going_on = |number| (State::Active, number);
        assert_eq!(states.collect::<Vec<_>>(), [going_on(1), going_on(2), going_on(3)]);
        // All counts are of the messages so far.
        let counts = parts.iter().map(|part| {
            let [one, other] = &part.conversation.members[..] else { panic!("{part:?}") };
            (part.conversation.turns, one.usage.turns, other.usage.turns, other.unread)
        });
        assert_eq!(counts.collect::<Vec<_>>(), [(0, 1, 0, 1), (1, 1, 1, 1), (1, 2, 1, 2)]);
        for part in parts {
            live.take(part, Part::After(0));
        }
        assert_eq!(numbers(&live), [1, 2, 3]);
        live.take(over.clone(), Part::Latest);
        assert_eq!(numbers(&live), [1, 2, 3, 4]);
        assert_eq!(live.transcript.conversation.state, State::Ended);
        assert_eq!(live.paced(&over), Vec::new(), "what is known is not shown again");
    }

    #[test]
    fn shows_other_transcripts_at_once() {
        let live = Live::new(transcript(1..=3));
        assert_eq!(live.paced(&transcript(4..=4)), Vec::new(), "one comes as it is");
        assert_eq!(live.paced(&transcript(4..=5)).len(), 1);
        assert_eq!(live.paced(&transcript(6..=9)), Vec::new(), "some are missing");
        assert_eq!(live.paced(&transcript(4..=200)), Vec::new(), "too many");
    }

    #[test]
    fn first_messages_are_not_announced() {
        let mut live = Live::default();
        assert_eq!(live.next(), Part::Latest);
        assert_eq!(live.take(transcript(1..=3), Part::Latest).new, 0);
    }
}
