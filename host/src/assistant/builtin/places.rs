//! Places in a sentence: where a way begins and ends, and what place is looked for. The words around
//! them are data; what stands between those is the place.

use self::tables::{BETWEEN, FIELDS, LEADS, SOUGHT, TAILS};
use super::{
    heard::{Heard, Piece, marks},
    words::Word,
};
use crate::assistant::planner::scan;

mod english;
mod japanese;
mod tables;

/// The most places of one list (a table of distances has no more).
const PLACES_MAX: usize = 25;
/// Places on one way.
const VIA_MAX: usize = 5;
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
        const BEFORE: &str = "where exactly is|where exactly are|where about is|whereabouts is|where in the city is|where on earth is|where is|where's|where are|coordinates of|coordinates for|\
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

    /// Places on the way: `川崎を経由して`, `via Kawasaki`.
    pub(super) fn via(&self) -> Vec<Piece> {
        const BEHIND: &str = "と回って|に立ち寄って|を経由|経由|に寄って|に寄り|に寄る|に立ち寄|に立寄|を通って|を回って|の順に回|の順で回|の順に寄|にも寄";
        const BEFORE: &str = "via|by way of|stopping at|stopping in|stopping by|stopping off at|stop at|stop in|stop by|a stop at|a stop in|passing through|passing by|through|calling at";
        const CUTS: &str = "、|。|を出て|から|まで|途中で|途中|へ| |\n|,|は、|→";
        let mut found: Vec<Piece> = Vec::new();
        for mark in marks(BEHIND) {
            let Some(end) = self.find(mark, 1) else { continue };
            // Several places are gone to in turn.
            let is_round = mark.contains('回') || mark.contains('順');
            let cuts = marks(CUTS).filter(|it| !(is_round && *it == "、"));
            let cuts = cuts.flat_map(|cut| {
                let length = cut.chars().count();
                (0..end).filter(move |it| self.is_at(cut, *it)).map(move |it| it + length)
            });
            let from = cuts.filter(|it| *it < end).max().unwrap_or(0);
            found.extend(self.list(from, end, true));
            break;
        }
        for mark in marks(BEFORE) {
            let Some(at) = self.find_word(mark, 0) else { continue };
            let from = at + mark.len() + 1;
            found.extend(self.list(from, self.stop(from, false), true));
            break;
        }
        // `高速経由` names roads and no place.
        let is_road = |it: &Piece| {
            let length = it.to - it.from;
            scan::spans(&it.text).iter().any(|span| span.1 - span.0 == length)
        };
        found.retain(|it| !is_road(it));
        found.truncate(VIA_MAX);
        found
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
            let between = marks(BETWEEN)
                .filter(|it| self.is_at(it, at) && !self.is_within(at, it))
                .map(|it| it.chars().count())
                .max();
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

    /// Whether the sign at `at` stands within a word in hiragana: `みなとみらい`.
    fn is_within(&self, at: usize, sign: &str) -> bool {
        let is_kana = |it: Option<&char>| it.is_some_and(|it| matches!(it, 'ぁ'..='ん'));
        let before = at.checked_sub(1).and_then(|it| self.chars.get(it));
        ["と", "や", "か"].contains(&sign) && is_kana(before) && is_kana(self.chars.get(at + 1))
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
        // `羽田空港に朝9時` has a time behind it.
        let time =
            |to: usize| self.when.spans.iter().find(|it| it.1 == to && it.0 > from).map(|it| it.0);
        let is_timed = time(to).is_some();
        while let Some(begin) = time(to) {
            to = begin;
        }
        while let Some(tail) = marks("に|は|を|、|,| |までに|まで| by| at").find(|it| {
            let length = it.chars().count();
            is_timed && from + length < to && self.is_at_raw(it, to - length)
        }) {
            to -= tail.chars().count();
        }
        const NO_PLACE: [&str; 4] = ["近い", "近く", "最寄", "一番"];
        // `上から2番目` counts.
        const SIDES: [&str; 7] = ["上", "下", "左", "右", "前", "後ろ", "うしろ"];
        let is_side = SIDES
            .iter()
            .any(|it| it.chars().count() == to.saturating_sub(from) && self.is_at_raw(it, from));
        let is_vague = is_side || NO_PLACE.iter().any(|it| self.is_at_raw(it, from));
        if from >= to || to - from > CHARS_MAX || is_vague {
            return None;
        }
        // Neither a time nor a word that is known for something else.
        const PARTICLES: &str = "のはがをにでとも";
        let means = |it: char| !it.is_whitespace() && !PARTICLES.contains(it);
        let is_new = (from..to).any(|it| !self.is_known(it) && means(self.lower[it]));
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
        const LEADING: &str = "ずに|ないで|なくて|くには|るには|むには|ので、|道で|道を|ルートで|経路で|コースで|着くように|くように|着きたいので|着きたいから|着きたい|えっと|ええと|あの|すみません|じゃあ|では|まず|次は|それでは|すいません|ねえ|\
             それじゃ|経由で|経由して|を通って|に寄って|と回って|に立ち寄って|の順に回って|の順で回って|を回って|に回って|くないから|たいから|ないから|だから|ないので|たいので|いるので|なので|ですから|ますから|ちょっと|やっぱり|やはり|すみませんが";
        let dash =
            (least..end.saturating_sub(2)).rev().find(|it| self.is_at(" - ", *it)).map(|it| it + 3);
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
        [mark, dash, words, days.filter(|it| *it < end), leading]
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

    pub(super) fn is_word(&self, at: usize, what: &str) -> bool {
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
