//! The list as it is shown: pages of it, kept fresh, without moving what is being read.

use output::conversations::{Conversation, Conversations};

/// Pages that are fetched anew when something has changed; what is further down waits for a reload.
pub(crate) const PAGES_MAX: usize = 10;

/// What is listed, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Listing {
    pub(crate) shown: Vec<Conversation>,
    /// New ones that came while the reader looked further down.
    pub(crate) held: usize,
    /// Asks for what is further down.
    pub(crate) next_cursor: Option<String>,
}

impl Listing {
    /// Takes what the list begins with now. Where the reader `is_away` from its beginning, new
    /// conversations wait to be let in; what is shown is brought up to date where it stands.
    pub(crate) fn renew(&mut self, found: Conversations, is_away: bool) {
        let Conversations { conversations, next_cursor } = found;
        let floor = conversations.last().filter(|_| next_cursor.is_some()).cloned();
        let is_below = |it: &Conversation| floor.as_ref().is_some_and(|f| age(it) < age(f));
        let before = std::mem::take(&mut self.shown);
        let was_empty = before.is_empty();
        let is_known =
            |it: &Conversation| before.iter().any(|old| old.conversation_id == it.conversation_id);
        let (known, new): (Vec<_>, Vec<_>) = conversations.into_iter().partition(is_known);
        let rest: Vec<_> = before.iter().filter(|it| is_below(it)).cloned().collect();
        if rest.is_empty() {
            self.next_cursor = next_cursor;
        }
        let is_held = is_away && !was_empty;
        self.held = if is_held { new.len() } else { 0 };
        let new = if is_held { Vec::new() } else { new };
        self.shown = known.into_iter().chain(new).chain(rest).collect();
        self.shown.sort_by(|one, other| age(other).cmp(&age(one)));
    }

    /// Takes the next page.
    pub(crate) fn extend(&mut self, found: Conversations) {
        for conversation in found.conversations {
            if self.shown.iter().all(|it| it.conversation_id != conversation.conversation_id) {
                self.shown.push(conversation);
            }
        }
        self.next_cursor = found.next_cursor;
    }
}

/// What the list is in the order of.
fn age(it: &Conversation) -> (&str, &str) {
    (&it.created_at, &it.conversation_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::conversations::samples::conversation;

    fn found(ids: &[&str], next: Option<&str>) -> Conversations {
        let conversations = ids.iter().map(|it| conversation(it)).collect();
        Conversations { conversations, next_cursor: next.map(str::to_owned) }
    }

    fn ids(listing: &Listing) -> Vec<&str> {
        listing.shown.iter().map(|it| it.conversation_id.as_str()).collect()
    }

    #[test]
    fn a_new_one_comes_to_the_top_and_older_pages_stay() {
        let mut listing = Listing::default();
        listing.renew(found(&["4", "3"], Some("a")), false);
        listing.extend(found(&["2", "1"], None));
        listing.renew(found(&["5", "4"], Some("b")), false);
        assert_eq!(ids(&listing), ["5", "4", "3", "2", "1"]);
        assert_eq!(listing.next_cursor, None, "the end of the list is the end");
    }

    #[test]
    fn counts_new_ones_while_the_reader_is_lower_and_moves_nothing() {
        let mut listing = Listing::default();
        listing.renew(found(&["2", "1"], None), true);
        assert_eq!((ids(&listing), listing.held), (vec!["2", "1"], 0), "the first come at once");
        let mut next = found(&["4", "3", "2", "1"], None);
        next.conversations[3].messages = 9;
        listing.renew(next.clone(), true);
        assert_eq!((ids(&listing), listing.held), (vec!["2", "1"], 2));
        assert_eq!(listing.shown[1].messages, 9, "what is shown is kept fresh");
        listing.renew(next, false);
        assert_eq!((ids(&listing), listing.held), (vec!["4", "3", "2", "1"], 0));
    }

    #[test]
    fn what_no_longer_fits_goes() {
        let mut listing = Listing::default();
        listing.renew(found(&["3", "2", "1"], None), false);
        listing.renew(found(&["3", "1"], None), true);
        assert_eq!(ids(&listing), ["3", "1"]);
        listing.renew(found(&["3"], Some("c")), false);
        assert_eq!(ids(&listing), ["3", "1"], "what is below the first page may still be there");
        listing.renew(found(&[], None), false);
        assert_eq!(ids(&listing), [""; 0]);
    }
}
