//! Finds places by the words before them, as in English: `from Tokyo to Yokohama`.

use language::{coverage, scan::marks, utterance::Piece, words::Word};

use super::{Places, Sentence, words};

impl Sentence {
    /// Parses places by the words before them: `from X to Y`, `between X and Y`.
    pub(super) fn english(&self, is_list: bool) -> Places {
        const NO_PLACE: &str = "go|get|drive|walk|see|book|avoid|take|travel|watch|reserve|know|find|make|be|have|\
             me|choose|use|buy|compare|ask|create|do|collect|fill|show|pay|leave|arrive|head|\
             navigate|look|reach|return|come|sit|you|search|give|set|build|draw|help|\
             change|cancel|eat";
        let mut places = Places::default();
        if let Some(places) = self.between() {
            return places;
        }
        for (is_origin, word) in [(true, "from"), (false, "to")] {
            let mut at = 0;
            while let Some(found) = self.find_word(word, at) {
                let from = found + word.len() + 1;
                at = from;
                let is_verb = marks(NO_PLACE).any(|it| self.find_word(it, from) == Some(from))
                    || !self.is_name_at(from);
                let to = self.stop(from, is_list);
                let list = if is_verb { Vec::new() } else { self.list(from, to, is_list) };
                let side = if is_origin { &mut places.origins } else { &mut places.destinations };
                if !list.is_empty() && side.is_empty() {
                    *side = list;
                }
            }
        }
        // `I'm at Tokyo Station. How do I get to …`.
        for word in marks(
            "i'm at|i'm in|im at|im in|i am at|i am in|we're at|we're in|we are at|we are in|starting at|starting in|start at|start in|starting point is",
        ) {
            let Some(at) = self.find_word(word, 0).filter(|_| places.origins.is_empty()) else {
                continue;
            };
            let from = at + word.len() + 1;
            if self.is_name_at(from) {
                places.origins = self.list(from, self.stop(from, is_list), is_list);
            }
        }
        // `What time should I leave Ikebukuro`, `Leave Tokyo for Yokohama`.
        let is_proper = |piece: &Piece| {
            let is_spot = self.spots.iter().any(|spot| piece.from <= spot.0 && spot.1 <= piece.to);
            is_spot || self.chars[piece.from].is_uppercase()
        };
        for word in ["leave", "leaving", "departing"] {
            let Some(at) = self.find_word(word, 0).filter(|_| places.origins.is_empty()) else {
                continue;
            };
            let from = at + word.len() + 1;
            if self.is_name_at(from) {
                let end = self.stop(from, is_list);
                places.origins = self.list(from, end, is_list);
                let goal = end + "for ".len();
                if self.is_at("for ", end)
                    && places.destinations.is_empty()
                    && places.origins.iter().all(is_proper)
                    && self.is_name_at(goal)
                {
                    places.destinations = self.list(goal, self.stop(goal, is_list), is_list);
                    places.destinations.retain(is_proper);
                }
            }
        }
        // `Is Y far from X`.
        if let Some((at, _)) = self.first("far from|far away from", 1)
            && places.destinations.is_empty()
        {
            places.destinations.extend(self.place_before(at));
        }
        // `how far is Y from X`, `Tokyo Station to Yokohama`, `leaving X`.
        if places.destinations.is_empty() && !places.origins.is_empty() {
            for word in marks(
                "how far is|how far are|how long is|destination|get to|be at|be in|arrive at|arrive in|make it to|reach|which is closer,|is it closer|distance of|how far",
            ) {
                let Some(at) = self.find(word, 0) else { continue };
                let from = at + word.chars().count();
                places.destinations = self.list(from, self.stop(from, is_list), is_list);
                if !places.destinations.is_empty() {
                    break;
                }
            }
        }
        // `Yokohama - Kamakura`, with known names.
        if let Some(dash) = self.find(" - ", 1)
            && places.destinations.is_empty()
            && places.origins.is_empty()
        {
            let is_spot = |it: &Piece| self.spots.contains(&(it.from, it.to));
            let ends = self.place_before(dash).zip(self.place_at(dash + " - ".len()));
            if let Some((one, other)) = ends.filter(|it| is_spot(&it.0) && is_spot(&it.1)) {
                (places.origins, places.destinations) = (vec![one], vec![other]);
            }
        }
        // `odaiba from tokyo station`: a known name comes directly before.
        if let Some(from) = self.find_word("from", 1)
            && places.destinations.is_empty()
            && !places.origins.is_empty()
        {
            let place = self.place_before(from);
            let is_spot = |it: &Piece| self.spots.contains(&(it.from, it.to));
            places.destinations.extend(place.filter(is_spot));
        }
        if places.origins.is_empty() && !places.destinations.is_empty() {
            let to =
                self.find_word("to", 0).filter(|it| *it + 3 == self.begin(&places.destinations[0]));
            if let Some(end) = to.and_then(|it| it.checked_sub(1)) {
                places.origins = self.list(self.name_begin(0, end), end, is_list);
                // `send an email to my boss` has no place before `to`.
                let is_thing = |piece: &Piece| {
                    [" a ", " an ", " my ", " this ", " that "]
                        .iter()
                        .any(|the| piece.text.contains(the))
                };
                places.origins.retain(|it| !is_thing(it));
            }
        }
        places
    }

    /// Parses `between X and Y`.
    fn between(&self) -> Option<Places> {
        if let Some(at) = self.find_word("between", 0) {
            let from = at + "between".len();
            let to = self.stop(from, true);
            let mut both = self.list(from, to, true);
            if both.len() >= 2 {
                let destinations = both.split_off(1);
                return Some(Places { origins: both, destinations });
            }
        }
        None
    }

    /// Returns the start of the name that ends at `end`: after words that belong to no name.
    pub(super) fn name_begin(&self, least: usize, end: usize) -> usize {
        let (mut begin, mut at) = (end, end);
        loop {
            while at > least && self.lower[at - 1] == ' ' {
                at -= 1;
            }
            let is_letter = |it: &usize| is_letter(self.lower[*it]);
            let from = (least..at).rev().take_while(is_letter).last().unwrap_or(at);
            if from == at || !self.is_name_word(from, at) {
                return begin;
            }
            (begin, at) = (from, from);
        }
    }

    /// Whether a name may begin at `at`.
    pub(super) fn is_name_at(&self, at: usize) -> bool {
        let the = if self.is_at("the ", at) { at + "the ".len() } else { at };
        let end = (the..self.lower.len()).find(|it| !is_letter(self.lower[*it]));
        let end = end.unwrap_or(self.lower.len());
        end > the && self.is_name_word(the, end)
    }

    /// Whether the word from `from` to `to` may belong to a place's name: known names, capitalized words, and words
    /// that are neither function words nor constraints.
    fn is_name_word(&self, from: usize, to: usize) -> bool {
        const NO_NAME: &[Word] = &[
            Word::SHOW,
            words::ROUTE,
            words::DISTANCE,
            Word::COMPARE,
            words::DURATION,
            Word::WANT,
            Word::GREETING,
            Word::WHERE,
            words::SPOT,
            Word::CAN,
            words::GO,
        ];
        /// Numbers of minutes.
        const NUMBERS: &str = "ten|fifteen|twenty|thirty|forty|fifty|half|two|three|five";
        /// Verbs and nouns around places.
        const DEEDS: &str = "rank|sort|plan|check|calculate|travel|trip|journey|departing|depart|departure|destination|origin|start|instead|reverse|estimate|far|whether";
        /// Nouns after which a mode is part of a name: `Kanaya ferry terminal`.
        const NOUNS: &str =
            "terminal|station|port|pier|museum|stop|depot|park|hotel|market|tower|bridge";
        let is_inside = |it: &(usize, usize)| it.0 <= from && to <= it.1;
        if self.spots.iter().any(is_inside) {
            return true;
        }
        let word: String = self.lower[from..to].iter().collect();
        let before = self.lower[..from].iter().rposition(|it| *it != ' ');
        let is_first =
            before.is_none_or(|it| matches!(self.lower[it], '.' | '!' | '?' | ':' | ';'));
        if self.chars[from].is_ascii_uppercase() && !is_first {
            return true;
        }
        let touches = |it: &(usize, usize)| it.0 < to && from < it.1;
        let is_noun = marks(NOUNS).any(|it| self.find_word(it, to + 1) == Some(to + 1));
        // Counting numbers are constraints, no numbers of terminals.
        let is_request = !is_noun && self.constraints.iter().any(touches);
        let is_other =
            self.tokens.iter().any(|it| NO_NAME.contains(&it.word) && touches(&(it.from, it.to)));
        let is_small = coverage::is_small(&word)
            || marks(NUMBERS).chain(marks(DEEDS)).any(|it| it == word)
            || word.chars().all(|it| it == '-');
        !is_request && !is_other && !is_small && !self.when.spans.iter().any(touches)
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
        const MARKS: &[char] = &['?', '!', ';', '\n', '(', ')', ':', '—', '–', '→', '…'];
        let dash = self.find(" - ", from + 1);
        let words = marks(WORDS).filter_map(|it| self.find_word(it, from + 1));
        let and = ["and", ","].iter().filter(|_| !is_list).filter_map(|mark| match *mark {
            "and" => self.find_word("and", from + 1),
            mark => (from + 1..self.lower.len()).find(|at| {
                let is_digit = |at: usize| self.lower.get(at).is_some_and(char::is_ascii_digit);
                self.is_at(mark, *at) && !(is_digit(*at - 1) && is_digit(*at + 1))
            }),
        });
        let marks = (from..self.lower.len()).find(|at| {
            let is_dot =
                self.lower[*at] == '.' && self.lower.get(at + 1).is_none_or(|it| *it == ' ');
            // `35.6,139.7` is one point.
            is_dot || MARKS.contains(&self.lower[*at])
        });
        let hard = words.chain(and).chain(marks).chain(dash).min().unwrap_or(self.lower.len());
        self.name_end(from, hard)
    }

    /// Where the name that begins at `from` ends, before `to`: at the first word that is none of a name's.
    fn name_end(&self, from: usize, to: usize) -> usize {
        let (mut at, mut is_first, mut is_of) = (from, true, false);
        while at < to {
            if !is_letter(self.lower[at]) {
                at += 1;
                continue;
            }
            let end = (at..to).find(|it| !is_letter(self.lower[*it])).unwrap_or(to);
            let is_joint = ["of", "the", "and", "or"]
                .iter()
                .any(|it| end - at == it.len() && self.is_at(it, at));
            let is_ascii = self.lower[at].is_ascii();
            if is_ascii && !is_joint && !is_first && !self.is_name_word(at, end) {
                return at;
            }
            if self.is_at("the ", at) && !is_first && !is_of {
                return at;
            }
            is_of = self.is_at("of ", at);
            is_first = false;
            at = end;
        }
        to
    }
}

/// Whether a sign belongs to a word.
fn is_letter(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '-' | '\'' | '&')
}
