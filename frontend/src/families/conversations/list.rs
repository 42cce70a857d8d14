//! The list of conversations: filtered, paged, and kept up to date by events.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::conversations::{Conversation, Conversations, Projects};

use super::client;
use super::place::{At, Filter};
use crate::browser;
use crate::call::{Loaded, take};
use crate::error::CallError;
use crate::history;
use crate::mcp::listen;
use crate::page::{Connection, page};
use crate::route::FamilyRoute;
use crate::subscriptions::Subscriptions;

/// Minimum pause between fetches: each message of each conversation changes the list.
const PAUSE: Duration = Duration::from_millis(400);
/// Maximum number of consecutive retries.
const RETRIES_MAX: u32 = 5;

/// State of the list.
#[derive(Clone, Copy)]
pub(crate) struct ConversationList {
    pub(crate) filter: RwSignal<Filter>,
    pub(crate) listing: RwSignal<Loaded<Listing>>,
    pub(crate) projects: RwSignal<Loaded<Projects>>,
    /// Why the next page could not be fetched.
    pub(crate) no_more: RwSignal<Option<CallError>>,
    /// Whether the reader has scrolled down.
    pub(crate) is_away: RwSignal<bool>,
    /// Number of the latest request: answers to earlier ones are dropped.
    number: StoredValue<u32>,
    is_busy: StoredValue<bool>,
    is_due: StoredValue<bool>,
    /// Whether the requested filter differs from the shown one.
    is_other: StoredValue<bool>,
}

impl ConversationList {
    /// Creates the list for a filter.
    pub(crate) fn new(filter: Filter) -> Self {
        Self {
            filter: RwSignal::new(filter),
            listing: RwSignal::new(Loaded::Loading),
            projects: RwSignal::new(Loaded::Loading),
            no_more: RwSignal::new(None),
            is_away: RwSignal::new(false),
            number: StoredValue::new(0),
            is_busy: StoredValue::new(false),
            is_due: StoredValue::new(false),
            is_other: StoredValue::new(false),
        }
    }

    /// Keeps it up to date while the view exists.
    pub(crate) fn stay(self, subscriptions: Subscriptions) {
        let rung = subscriptions.changes("conversations://list");
        Effect::new(move |_| {
            rung.track();
            page().refreshed.track();
            untrack(|| self.renew());
        });
        Effect::new(move |_| {
            page().refreshed.track();
            spawn_local(async move {
                take(self.projects, client::projects().await);
            });
        });
    }

    /// Applies a filter and writes it into the address.
    pub(crate) fn ask(self, filter: Filter) {
        if self.filter.with_untracked(|it| *it == filter) {
            return;
        }
        history::replace_hash(&At::List(filter.clone()).hash());
        self.follow(filter);
    }

    /// Applies the filter of the address.
    pub(crate) fn follow(self, filter: Filter) {
        if self.filter.with_untracked(|it| *it == filter) {
            return;
        }
        self.filter.set(filter);
        self.anew();
    }

    /// Fetches the list afresh. The old one is shown meanwhile.
    pub(crate) fn anew(self) {
        self.number.update_value(|it| *it = it.wrapping_add(1));
        self.no_more.set(None);
        self.is_other.set_value(true);
        self.is_busy.set_value(false);
        self.renew();
    }

    /// Fetches again; during a fetch, once more after it.
    pub(crate) fn renew(self) {
        self.is_due.set_value(true);
        if self.is_busy.get_value() {
            return;
        }
        self.is_busy.set_value(true);
        let number = self.number.get_value();
        spawn_local(async move {
            let (mut is_first, mut failed) = (true, 0);
            while self.number.try_get_value() == Some(number) && self.is_due.get_value() {
                self.is_due.set_value(false);
                let found = self.pages().await;
                if self.number.try_get_value() != Some(number) {
                    return;
                }
                let is_lost = matches!(found, Err(CallError::Offline));
                self.take(found, is_first);
                is_first = false;
                // A short interruption is over before it would be shown.
                let is_there = page().connection.get_untracked() != Connection::Offline;
                if is_lost && is_there && failed < RETRIES_MAX {
                    self.is_due.set_value(true);
                    browser::sleep(listen::pause(failed, js_sys::Math::random())).await;
                    failed += 1;
                } else {
                    failed = 0;
                    browser::sleep(PAUSE).await;
                }
            }
            if self.number.try_get_value() == Some(number) {
                self.is_busy.set_value(false);
            }
        });
    }

    /// Fetches as many pages as are shown.
    async fn pages(self) -> Result<Conversations, CallError> {
        let shown = match self.is_other.get_value() {
            true => 0,
            false => self.listing.with_untracked(|it| it.ready().map_or(0, |it| it.shown.len())),
        };
        let filter = self.filter.get_untracked();
        let mut found = client::list(&filter, None).await?;
        for _ in 1..PAGES_MAX {
            let Some(cursor) = found.next_cursor.clone() else { break };
            if found.conversations.len() >= shown {
                break;
            }
            let next = client::list(&filter, Some(&cursor)).await?;
            found.conversations.extend(next.conversations);
            found.next_cursor = next.next_cursor;
        }
        Ok(found)
    }

    fn take(self, found: Result<Conversations, CallError>, is_first: bool) {
        let is_away = self.is_away.get_untracked();
        let is_other = self.is_other.get_value();
        self.is_other.set_value(false);
        match found {
            Ok(found) => self.listing.update(|listing| match listing {
                Loaded::Ready(listing) if !is_other => listing.renew(found, is_away),
                other => {
                    let mut listing = Listing::default();
                    listing.renew(found, false);
                    *other = Loaded::Ready(listing);
                }
            }),
            Err(error) => {
                let is_here = self.listing.with_untracked(|it| it.ready().is_some());
                // An old list is better than none.
                if is_other || !(is_here && (error.may_pass() || !is_first)) {
                    self.listing.set(Loaded::Failed(error));
                }
            }
        }
    }

    /// Appends the next page.
    pub(crate) fn more(self) {
        let cursor = self.listing.with_untracked(|it| it.ready()?.next_cursor.clone());
        let Some(cursor) = cursor else { return };
        self.no_more.set(None);
        let (number, filter) = (self.number.get_value(), self.filter.get_untracked());
        spawn_local(async move {
            let found = client::list(&filter, Some(&cursor)).await;
            if self.number.try_get_value() != Some(number) {
                return;
            }
            match found {
                Ok(found) => self.listing.update(|listing| {
                    if let Loaded::Ready(listing) = listing {
                        listing.extend(found);
                    }
                }),
                Err(error) => self.no_more.set(Some(error)),
            }
        });
    }

    /// Shows the held-back new conversations.
    pub(crate) fn let_in(self) {
        self.is_away.set(false);
        self.renew();
    }
}

/// Maximum number of pages fetched again after a change; later ones need a reload.
pub(crate) const PAGES_MAX: usize = 10;

/// The listed conversations, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Listing {
    pub(crate) shown: Vec<Conversation>,
    /// Number of new conversations held back while the reader is further down.
    pub(crate) held: usize,
    /// Cursor of the next page.
    pub(crate) next_cursor: Option<String>,
}

impl Listing {
    /// Merges the current beginning of the list. If the reader `is_away` from it, new conversations are held back;
    /// shown ones are updated in place.
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

    /// Appends a page.
    pub(crate) fn extend(&mut self, found: Conversations) {
        for conversation in found.conversations {
            if self.shown.iter().all(|it| it.conversation_id != conversation.conversation_id) {
                self.shown.push(conversation);
            }
        }
        self.next_cursor = found.next_cursor;
    }
}

/// Sort key of the list.
fn age(conversation: &Conversation) -> (&str, &str) {
    (&conversation.created_at, &conversation.conversation_id)
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
    fn new_conversation_comes_first_and_older_pages_stay() {
        let mut listing = Listing::default();
        listing.renew(found(&["4", "3"], Some("a")), false);
        listing.extend(found(&["2", "1"], None));
        listing.renew(found(&["5", "4"], Some("b")), false);
        assert_eq!(ids(&listing), ["5", "4", "3", "2", "1"]);
        assert_eq!(listing.next_cursor, None, "the end of the list is the end");
    }

    #[test]
    fn counts_new_ones_without_moving_the_list() {
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
    fn removes_entries_that_no_longer_match() {
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
