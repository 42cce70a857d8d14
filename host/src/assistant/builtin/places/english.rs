//! Places by the words before them, as English has it: `from Tokyo to Yokohama`.

use super::Places;
use crate::assistant::builtin::heard::{Heard, Piece, marks};

impl Heard {
    /// By the words before places: `from X to Y`, `between X and Y`.
    pub(super) fn english(&self, is_list: bool) -> Places {
        const NO_PLACE: &str = "go|get|drive|walk|see|book|avoid|take|travel|watch|reserve|know|find|make|be|have|\
             me|choose|use|buy|compare|ask|create|do|collect|fill|show|pay|leave|arrive|head|\
             navigate|look|reach|return|come|sit|you|search|give|set|build|the movies|\
             the cinema|a movie|draw|help|change|cancel|eat";
        let mut places = Places::default();
        if let Some(places) = self.one_and_others() {
            return places;
        }
        for (is_origin, word) in [(true, "from"), (false, "to")] {
            let mut at = 0;
            while let Some(found) = self.find_word(word, at) {
                let from = found + word.len() + 1;
                at = from;
                let is_verb = marks(NO_PLACE).any(|it| self.find_word(it, from) == Some(from));
                let to = self.stop(from, is_list);
                let list = if is_verb { Vec::new() } else { self.list(from, to, is_list) };
                let side = if is_origin { &mut places.origins } else { &mut places.destinations };
                if !list.is_empty() && side.is_empty() {
                    *side = list;
                }
            }
        }
        // `What time should I leave Ikebukuro`.
        for word in ["leave", "leaving", "departing", "starting at", "starting in"] {
            let Some(at) = self.find_word(word, 0).filter(|_| places.origins.is_empty()) else {
                continue;
            };
            let from = at + word.len() + 1;
            let is_name = self.chars.get(from).is_some_and(char::is_ascii_uppercase);
            if is_name {
                places.origins = self.list(from, self.stop(from, is_list), is_list);
            }
        }
        // `how far is Y from X`, `Tokyo Station to Yokohama`, `leaving X`.
        if places.destinations.is_empty() && !places.origins.is_empty() {
            for word in [
                "how far is",
                "how far are",
                "how long is",
                "get to",
                "be at",
                "be in",
                "arrive at",
                "arrive in",
                "make it to",
                "reach",
                "which is closer,",
                "is it closer",
                "distance of",
            ] {
                let Some(at) = self.find(word, 0) else { continue };
                let from = at + word.chars().count();
                places.destinations = self.list(from, self.stop(from, is_list), is_list);
                if !places.destinations.is_empty() {
                    break;
                }
            }
        }
        if places.origins.is_empty() && !places.destinations.is_empty() {
            let to =
                self.find_word("to", 0).filter(|it| *it + 3 == self.begin(&places.destinations[0]));
            if let Some(end) = to.and_then(|it| it.checked_sub(1)) {
                places.origins =
                    self.list(self.name_begin(self.cut_before(end, 0), end), end, is_list);
                // `send an email to my boss` names no place before `to`.
                let is_thing = |it: &Piece| {
                    [" a ", " an ", " my ", " this ", " that "]
                        .iter()
                        .any(|the| it.text.contains(the))
                };
                places.origins.retain(|it| !is_thing(it));
            }
        }
        places
    }

    /// `between X and Y`, and which of several is near to one.
    fn one_and_others(&self) -> Option<Places> {
        if let Some(at) = self.find_word("between", 0) {
            let from = at + "between".len();
            let to = self.stop(from, true);
            let mut both = self.list(from, to, true);
            if both.len() >= 2 {
                let destinations = both.split_off(1);
                return Some(Places { origins: both, destinations });
            }
        }
        // `which one's quicker from X: Y or Z`.
        let from = self.find_word("from", 0).map(|it| it + "from ".len());
        let colon = from.and_then(|it| (it..self.lower.len()).find(|at| self.lower[*at] == ':'));
        if let Some((from, colon)) = from.zip(colon) {
            let those = self.list(colon + 1, self.stop(colon + 1, true), true);
            let origin = self.place(from, colon);
            if let Some(origin) = origin.filter(|_| those.len() >= 2) {
                return Some(Places { origins: vec![origin], destinations: those });
            }
        }
        // `which is closer to X, Y or Z`.
        const NEAR: &str = "closer to|nearer to|closest to|nearest to|closer from|nearer from|further from|farther from|furthest from|farthest from";
        if let Some((at, length)) = self.first(NEAR, 0) {
            let from = at + length;
            // `is X further from Z than Y`.
            if let Some(than) = self.find_word("than", from) {
                const LEADS: &str = "is|are|isn't|would";
                let begin = marks(LEADS).find(|it| self.find_word(it, 0) == Some(0));
                let one = self.place(begin.map_or(0, str::len), at);
                let behind = than + "than".len() + 1;
                let other = self.place(behind, self.stop(behind, false));
                let origin = self.place(from, than);
                if let (Some(origin), Some(one), Some(other)) = (origin, one, other) {
                    return Some(Places { origins: vec![origin], destinations: vec![one, other] });
                }
            }
            let mark =
                (from..self.lower.len()).find(|it| matches!(self.lower[*it], ',' | ':' | ';'));
            let between =
                mark.map(|it| self.list(it + 1, self.stop(it + 1, true), true)).unwrap_or_default();
            // `is X or Y closer to Z`.
            if mark.is_none() {
                const LEADS: [&str; 6] =
                    ["is it", "which is", "which one is", "is", "are", "would"];
                let begin = LEADS.iter().find(|it| self.is_at(it, 0)).map_or(0, |it| it.len());
                let those = self.list(begin, at, true);
                let origin = self.place(from, self.stop(from, false));
                if let Some(origin) = origin.filter(|_| those.len() >= 2) {
                    return Some(Places { origins: vec![origin], destinations: those });
                }
            }
            let origin = mark.and_then(|it| self.place(from, it));
            if let Some(origin) = origin.filter(|_| between.len() >= 2) {
                return Some(Places { origins: vec![origin], destinations: between });
            }
        }
        None
    }

    /// Where the name of the place that ends at `end` begins, behind wishes and orders:
    /// `Fastest by car Shibuya to …`.
    fn name_begin(&self, from: usize, end: usize) -> usize {
        const SMALL: &str = "by|car|on|my|please|pls|the|a|way|route|routes|quickest|fastest|shortest|cheapest|best|drive|driving|walk|walking|cycling|bike|go|going|get|getting|hey|hi|ok|okay|me|give|find|show|need|want|i|to|direct|directly|directions|right|now|how|long|far|is|it|what|whats|what's|about|trip|for";
        let (mut begin, mut at) = (from, from);
        while at < end {
            let is_gap = |it: char| it == ' ' || it == ',' || it == '-';
            while at < end && is_gap(self.lower[at]) {
                at += 1;
            }
            let to = (at..end).find(|it| is_gap(self.lower[*it])).unwrap_or(end);
            let word: String = self.lower[at..to].iter().collect();
            if to >= end || !marks(SMALL).any(|it| it == word) {
                break;
            }
            begin = to + 1;
            at = to;
        }
        begin.min(end)
    }

    fn begin(&self, piece: &Piece) -> usize {
        let the: Vec<char> = "the ".chars().collect();
        match piece.from.checked_sub(4) {
            Some(at) if self.lower[at..piece.from] == the[..] => at,
            _ => piece.from,
        }
    }

    /// Where an English place that begins at `from` is over.
    pub(super) fn stop(&self, from: usize, is_list: bool) -> usize {
        const WORDS: &str = "through|stopping|passing|calling|from|to|avoiding|avoid|without|by|via|using|with|on foot|please|at|tomorrow|today|\
             tonight|now|if|that|which|as|so|in|leaving|departing|starting|comparing|compare|\
             while|but|no|not|on|is|are|for|the fastest|the quickest|the shortest|fastest|then|\
             i|we|because|when|during|this|next|walking|driving|taking|skipping|quickly|asap|\
             right|preferably|ideally|how|what|can|could|minus|except|free|toll-free|there|\
             don't|do|via|keeping|staying|and avoid|and compare|and show|and tell|and don't|\
             and no|and keep|and use|would|take|takes";
        const MARKS: &[char] = &['?', '!', ';', '\n', '(', ':', '—', '–'];
        let words = marks(WORDS).filter_map(|it| self.find_word(it, from + 1));
        let and = ["and", ","].iter().filter(|_| !is_list).filter_map(|it| match *it {
            "and" => self.find_word("and", from + 1),
            mark => self.find(mark, from + 1),
        });
        let marks = (from..self.lower.len()).find(|it| {
            let is_dot =
                self.lower[*it] == '.' && self.lower.get(it + 1).is_none_or(|it| *it == ' ');
            is_dot || MARKS.contains(&self.lower[*it])
        });
        words.chain(and).chain(marks).min().unwrap_or(self.lower.len())
    }
}
