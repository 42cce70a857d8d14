//! Places in a sentence: where a way begins and ends, and what place is looked for. The words around
//! them are data; what stands between those is the place.

use self::tables::{BETWEEN, FIELDS, LEADS, SOUGHT, TAILS};
use super::{
    heard::{Heard, Piece, marks},
    words::Word,
};

mod english;
mod japanese;
mod tables;

/// The most places of one list (a table of distances has no more).
const PLACES_MAX: usize = 25;
/// The longest name of a place, in characters.
const CHARS_MAX: usize = 60;

/// The places of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) origins: Vec<Piece>,
    pub(super) destinations: Vec<Piece>,
}

impl Heard {
    /// Where a way begins and ends, as far as that is said.
    pub(super) fn places(&self, is_list: bool) -> Places {
        let mut places = self.fields();
        let english = self.english(is_list);
        if places.origins.is_empty() {
            places.origins = english.origins;
        }
        if places.destinations.is_empty() {
            places.destinations = english.destinations;
        }
        let is_whole = !places.origins.is_empty() && !places.destinations.is_empty();
        if !is_whole && self.is_japanese() {
            let japanese = self.japanese(is_list);
            if places.origins.is_empty() {
                places.origins = japanese.origins;
            }
            if places.destinations.is_empty() {
                places.destinations = japanese.destinations;
            }
        }
        places
    }

    /// The place that is looked for.
    pub(super) fn sought(&self) -> Option<Piece> {
        const BEFORE: &str = "where is|where's|where are|coordinates of|coordinates for|\
             latitude and longitude of|latitude and longitude for|lat/long of|lat/long for|\
             location of|geocode|locate|position of|address of|map of|find|show me|show|put|\
             mark|pinpoint|where can i find|coordinate of|lat and long of|gps of";
        const AFTER: &str = " on the map| on a map| located| is located| is| lies| in coordinates| exactly| coordinates| please|\
             ?|!|.|,|\n|'s";
        for before in marks(BEFORE) {
            if let Some(at) = self.find(before, 0).filter(|at| self.is_word(*at, before)) {
                let from = at + before.chars().count();
                let to = marks(AFTER).filter_map(|it| self.find(it, from + 1)).min();
                let place = self.place(from, to.unwrap_or(self.lower.len()));
                if place.is_some() {
                    return place;
                }
            }
        }
        let end = marks(SOUGHT).filter_map(|it| self.find(it, 1)).min()?;
        self.place(self.cut_before(end, 0), end)
    }

    fn is_japanese(&self) -> bool {
        self.chars.iter().any(|it| matches!(it, '\u{3040}'..='\u{30ff}' | '→' | '⇒'))
    }

    fn fields(&self) -> Places {
        let mut places = Places::default();
        for (is_origin, field) in FIELDS {
            let Some(at) = self.find(field, 0) else { continue };
            let from = at + field.chars().count();
            let others = FIELDS.iter().filter_map(|it| self.find(it.1, from + 1));
            let marks = ["。", "、", ",", "\n", ".", "で、", "です", ";"]
                .into_iter()
                .filter_map(|it| self.find(it, from + 1));
            let to = others.chain(marks).min().unwrap_or(self.lower.len());
            let side = if *is_origin { &mut places.origins } else { &mut places.destinations };
            if side.is_empty() {
                side.extend(self.place(from, to));
            }
        }
        places
    }

    /// The places from `from` to `to`; one, where it is no list.
    fn list(&self, from: usize, to: usize, is_list: bool) -> Vec<Piece> {
        if !is_list {
            return self.place(from, to).into_iter().collect();
        }
        let (mut places, mut begin, mut at) = (Vec::new(), from, from);
        while at < to {
            let between =
                marks(BETWEEN).filter(|it| self.is_at(it, at)).map(|it| it.chars().count()).max();
            match between {
                Some(length) => {
                    places.extend(self.place(begin, at));
                    at += length;
                    begin = at;
                }
                None => at += 1,
            }
        }
        places.extend(self.place(begin, to));
        places.truncate(PLACES_MAX);
        places
    }

    /// The place from `from` to `to`, without what belongs to the words around it; none, where nothing
    /// is left that is not a known word.
    fn place(&self, from: usize, to: usize) -> Option<Piece> {
        let (mut from, mut to) = (from, to.min(self.chars.len()));
        while let Some(lead) = marks(LEADS).find(|it| from < to && self.is_at_raw(it, from)) {
            from += lead.chars().count();
        }
        for the in ["the ", "a ", "it ", "both ", "either "] {
            if self.is_at(the, from) && from + the.len() < to {
                from += the.len();
            }
        }
        while let Some(tail) = marks(TAILS).find(|it| {
            let length = it.chars().count();
            from + length < to && self.is_at_raw(it, to - length)
        }) {
            to -= tail.chars().count();
        }
        if from >= to || to - from > CHARS_MAX {
            return None;
        }
        // Neither a time nor a word that is known for something else.
        let is_new = (from..to).any(|it| !self.is_known(it) && !self.lower[it].is_whitespace());
        let is_time = self.when.spans.iter().any(|it| it.0 <= from && to <= it.1);
        (is_new && !is_time).then(|| self.piece(from, to))
    }

    /// Where the place that ends at `end` begins: behind the words before it, not before `least`.
    fn cut_before(&self, end: usize, least: usize) -> usize {
        const MARKS: &[char] =
            &['、', '。', ',', '!', '?', '\n', ';', ':', '「', '『', '"', '“', '→', '…'];
        const CUTS: &[Word] = &[
            Word::Lead,
            Word::Show,
            Word::Greeting,
            Word::Pause,
            Word::Stop,
            Word::Help,
            Word::Can,
            Word::Route,
            Word::Go,
            Word::Distance,
            Word::Compare,
            Word::Want,
            Word::Duration,
        ];
        const LEADING: &str = "えっと|ええと|あの|すみません|じゃあ|では|まず|次は|それでは|すいません|ねえ|\
             それじゃ|ちょっと|やっぱり|やはり|すみませんが";
        let mark = (least..end).rev().find(|it| MARKS.contains(&self.chars[*it])).map(|it| it + 1);
        let before = |to: &usize| *to <= end && *to > least;
        let words = self
            .tokens
            .iter()
            .filter(|it| CUTS.contains(&it.word))
            .map(|it| it.to)
            .filter(before)
            .max();
        let days =
            self.when.spans.iter().chain(&self.numbers.spans).map(|it| it.1).filter(before).max();
        let leading =
            marks(LEADING).filter_map(|it| self.find(it, least).map(|at| at + it.chars().count()));
        let leading = leading.filter(before).max();
        // A word right before the mark belongs to the place: `横浜ルート館から`.
        let words = words.filter(|it| *it < end);
        [mark, words, days.filter(|it| *it < end), leading]
            .into_iter()
            .flatten()
            .max()
            .unwrap_or(least)
    }

    fn first(&self, table: &'static str, from: usize) -> Option<(usize, usize)> {
        let found = marks(table).filter_map(|it| Some((self.find(it, from)?, it.chars().count())));
        found.min_by_key(|it| (it.0, usize::MAX - it.1))
    }

    pub(super) fn find(&self, what: &str, from: usize) -> Option<usize> {
        (from..self.lower.len()).find(|it| self.is_at(what, *it))
    }

    fn find_word(&self, what: &str, from: usize) -> Option<usize> {
        (from..self.lower.len()).find(|it| self.is_at(what, *it) && self.is_word(*it, what))
    }

    fn is_word(&self, at: usize, what: &str) -> bool {
        let is_letter =
            |it: Option<&char>| it.is_some_and(|it| it.is_ascii_alphanumeric() || *it == '-');
        let before = at.checked_sub(1).and_then(|it| self.lower.get(it));
        !is_letter(before) && !is_letter(self.lower.get(at + what.chars().count()))
    }

    pub(super) fn is_at(&self, what: &str, at: usize) -> bool {
        let mut rest = self.lower[at.min(self.lower.len())..].iter();
        what.chars().all(|it| rest.next() == Some(&it))
    }

    fn is_at_raw(&self, what: &str, at: usize) -> bool {
        let mut rest = self.chars[at.min(self.chars.len())..].iter();
        what.chars().all(|it| rest.next() == Some(&it))
    }
}
