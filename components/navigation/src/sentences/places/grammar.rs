//! Finds known places, which are never cut, and places by the words after them, as in Japanese (`東京駅から横浜駅まで`),
//! or before them, as in English.

use std::sync::LazyLock;

use language::{
    coverage,
    scan::{Lexicon, marks},
    utterance::Piece,
    words::Word,
};

use super::{Places, Sentence, rules};

impl Sentence {
    /// Parses places by the words after them.
    pub(super) fn japanese(&self, is_list: bool) -> Places {
        let mut places = Places::default();
        let (origins, behind) = self.begin_of_way(is_list);
        places.origins = origins;
        let behind = if places.origins.is_empty() { behind } else { self.behind_stop(behind) };
        let mut at = behind;
        while let Some((end, length)) = self.first(ENDS, at) {
            places.destinations = self.list(self.cut_before(end, behind), end, is_list);
            at = end + length;
            if !places.destinations.is_empty() {
                return places;
            }
        }
        // `成田空港に11時着`: a time comes between.
        for span in &self.when.spans {
            let is_end = span.0 > 1 && self.chars[span.0 - 1] == 'に';
            let is_there =
                ["着", "に着", "までに着", "まで"].iter().any(|it| self.is_at(it, span.1));
            if is_end && is_there {
                let end = span.0 - 1;
                places.destinations = self.list(self.cut_before(end, 0), end, is_list);
                if !places.destinations.is_empty() {
                    return places;
                }
            }
        }
        if places.origins.is_empty() {
            return self.pair();
        }
        // `横浜駅まで東京駅から` has the destination first.
        let ends = (0..behind).filter(|at| marks(ENDS).any(|it| self.is_at(it, *at)));
        let mut before = ends.map(|end| (end, self.list(self.cut_before(end, 0), end, is_list)));
        if let Some((end, found)) = before.find(|it| !it.1.is_empty()) {
            let origin = &mut places.origins[0];
            if origin.from < end {
                let begin = origin.to;
                places.origins = self.list(self.cut_before(begin, end + 2), begin, is_list);
            }
            places.destinations = found;
            return places;
        }
        let is_ascii =
            self.lower[behind..].iter().find(|it| **it != ' ').is_some_and(char::is_ascii);
        let stop = match is_list {
            _ if is_ascii => Some(self.stop(behind, is_list)),
            true => marks(LIST_STOPS).filter_map(|it| self.find(it, behind)).min(),
            false => (behind + 1..self.lower.len())
                .find(|at| !self.is_inside(*at) && marks(STOPS).any(|it| self.is_at(it, *at))),
        };
        places.destinations = self.list(behind, stop.unwrap_or(self.lower.len()), is_list);
        if places.destinations.is_empty() && is_list {
            // `羽田と成田、品川からどちらが近い`.
            places.destinations = self.list(0, places.origins[0].from, true);
        }
        places
    }

    /// Returns the origins, and the end of the words after them.
    fn begin_of_way(&self, is_list: bool) -> (Vec<Piece>, usize) {
        // Of several candidates (`高速はこわいから、`), the last before the destination counts.
        let mut begins = Vec::new();
        let mut from = 0;
        while let Some((begin, length)) = self.first(BEGINS, from) {
            from = begin + length;
            // `参加・不参加から選ぶ` chooses.
            if marks("選ぶ|選び|選ん|選べ|選択").any(|it| self.is_at(it, from)) {
                continue;
            }
            // `坂がきつそうだから` is a reason, `うめだから` an origin.
            const NAMES: &str = "はねだ|うめだ|わせだ|まちだ|かんだ|ごたんだ|はんだ|さんだ|うえだ|いけだ|ちよだ|いいだ|とだ";
            let cut = self.cut_before(begin, 0);
            let name: String = self.chars[cut.min(begin)..begin].iter().collect();
            let is_spot = self.spots.iter().any(|it| it.1 == begin)
                || marks(NAMES).any(|it| it == name.trim());
            // `AKIRAはもう見たから`
            let is_clause =
                self.chars[..begin].ends_with(&['た']) && name.contains(['は', 'が', 'を']);
            if (is_clause || self.chars[..begin].ends_with(&['だ'])) && !is_spot {
                continue;
            }
            let origins = self.list(cut, begin, is_list);
            if !origins.is_empty() {
                begins.push((origins, from));
            }
        }
        // `川崎駅を20時に出て`: a time comes between.
        for span in &self.when.spans {
            let is_left = span.0 > 1 && self.chars[span.0 - 1] == 'を';
            let leaves = ["に出", "発", "に発", "出発", "ごろ出", "頃出"]
                .iter()
                .any(|it| self.is_at(it, span.1));
            if is_left && leaves {
                let end = span.0 - 1;
                let origins = self.list(self.cut_before(end, 0), end, is_list);
                if !origins.is_empty() {
                    begins.push((origins, span.1));
                }
            }
        }
        begins.sort_by_key(|it| it.1);
        let is_end = |at: usize, begin: usize| {
            !self.list(self.cut_before(at, begin), at, is_list).is_empty()
        };
        let (mut at, mut end) = (begins.first().map_or(0, |it| it.1), usize::MAX);
        let first = at;
        while let Some((found, length)) = self.first(ENDS, at).filter(|_| end == usize::MAX) {
            end = if is_end(found, first) { found } else { end };
            at = found + length;
        }
        let last = begins.iter().rposition(|it| it.1 <= end).or(begins.len().checked_sub(1));
        let last = if end == usize::MAX { last.map(|_| 0) } else { last };
        let behind = last.map_or(0, |it| begins[it].1);
        (last.map(|it| begins.swap_remove(it).0).unwrap_or_default(), behind)
    }

    /// Returns where the words for a stop after `from` end: `スカイツリー経由で浅草`.
    fn behind_stop(&self, from: usize) -> usize {
        const VIA: &str = "を経由して|経由して|を経由し|経由で|経由の|経由、|経由|を通って|に寄って|に立ち寄って|に寄り|を回って";
        let Some((at, length)) = self.first(VIA, from) else { return from };
        let ends_before = self.first(ENDS, from).is_some_and(|it| it.0 < at);
        // `高速経由で` names roads, and a destination may come before its stop.
        let stop = self.list(self.cut_before(at, from), at, true);
        let is_stop = stop.iter().any(|it| self.is_spot(it));
        let to = at + length;
        let is_place = self.spots.iter().any(|it| it.0 >= to) || self.first(ENDS, to).is_some();
        if is_stop && is_place && !ends_before { to } else { from }
    }

    /// Parses `東京と大阪の距離`, `東京・大阪間`.
    fn pair(&self) -> Places {
        const BEHIND: &str = "の間の|間の|の距離|の道のり|の所要時間|はどれくらい離|はどのくらい離|の間は|間は|\
             は何キロ|って何キロ|はどれ|はどの";
        let end = marks(BEHIND).filter_map(|it| self.find(it, 1)).min();
        let Some(end) = end else { return Places::default() };
        let mut found = self.list(self.cut_before(end, 0), end, true);
        if found.len() < 2 {
            return Places::default();
        }
        let destinations = found.split_off(1);
        Places { origins: found, destinations }
    }
}

/// Names in lower case, one per line.
const NAMES: &str = include_str!("names.txt");
/// Minimum number of characters of a name.
const CHARS_MIN: usize = 2;

static LEXICON: LazyLock<Lexicon<()>> =
    LazyLock::new(|| Lexicon::new(&[((), NAMES.trim().replace('\n', "|").as_str())]));

/// Returns the ranges of known places in `lower` from left to right, the longest at each position.
pub(super) fn spots(lower: &[char]) -> Vec<(usize, usize)> {
    let (mut spots, mut at) = (Vec::new(), 0);
    while at < lower.len() {
        match LEXICON.at(lower, at).filter(|it| it.1 >= CHARS_MIN) {
            Some((_, length)) => {
                spots.push((at, at + length));
                at += length;
            }
            None => at += 1,
        }
    }
    spots
}

/// After an origin.
pub(super) const BEGINS: &str = "を何時に出|を何時ごろ出|を何時頃出|をいつ出|から出発して|にいるんだけど|にいるんですけど|にいるのですが|にいますが|にいます|にいるので|にいるから|にいて|にいる|におり|からスタートして|からスタート|からだと|からなら|からは|から出て|からの|から|を出発して|を出発し|を出て|\
     を出発地に|を起点に|発で|発、|発→|発 |スタートで|を出発地として|出発で|→|⇒| ~ | – | — |–|—|~|〜|～| -> ";
/// After a destination.
pub(super) const ENDS: &str = "までの|まで|への|へ|に行き|に行く|に行っ|に行け|に行こう|に向か|に着|到着で|着で|に帰|に戻り|に戻る|に戻っ|に到着|行きの|\
     行きで|行き、|に移動|を目指|を目的地に|に寄ら|に急い|に出かけ|にドライブ";
/// Before a place, like a form field.
pub(super) const FIELDS: [(bool, &str); 2] = [
    (
        true,
        "現在地は|今は|いまは|今、|出発地を|スタートを|出発地点は|出発地点:|出発地は|出発地:|出発地が|出発は|出発地 |出発:|起点は|スタートは|origin:|origin is|start:|starting point:",
    ),
    (
        false,
        "目的地を|行き先を|到着地を|ゴールを|目的地は|目的地:|目的地が|目的地 |到着地は|到着地:|行き先は|行き先:|到着は|ゴールは|destination:|destination is|goal:|end:",
    ),
];
/// After a destination without its own mark.
pub(super) const STOPS: &str = "の道|のルート|の行き方|の経路|の距離|の所要|の時間|の間|間の|だと|って|で|を|に|は|が|。|\
     、|?|!| |,|\n|高速|有料|下道|一番|最短|最速|徒歩|歩い|渋滞|車|どの|どれ|何分|何キロ|何時間|\
     ルート|行き方|経路|です|なん";
/// After a list of destinations.
pub(super) const LIST_STOPS: &str =
    "って|だと|なら|の|まで|を|は|で|。|?|、どっち|、どちら|どっち|どちら";
/// After a searched place.
pub(super) const SOUGHT: &str = "って正確にはどこ|は正確にはどこ|ってどのへん|ってどの辺|の場所|はどこ|ってどこ|がどこ|どこ|の正確な位置|の場所|の緯度|の経度|の座標|の位置|の住所|\
     の所在地|を地図|の地図|はどの辺|はどのへん|は地図|って地図|を座標|を緯度|という場所|を探|をさが|を検索|を調べ|にピン|\
     にマーカー|の緯度経度|をマップ|へピン";
/// Removed from the start of a place.
pub(super) const LEADS: &str = "電車だと|電車なら|電車は|バスだと|車だと|車なら|徒歩だと|自転車だと|歩いて|徒歩で|車で|バスで|電車で|自転車で|バイクで|を|に|は|の|が|も|で|て|、|と|から|まで|ずに|ないで|・|,| |「|」|『|』|\"|“|”|【|】|:";
/// Removed from the end of a place.
pub(super) const TAILS: &str = "行くのと|行くの|行く|の順番で|の順番に|の順で|の順に|の順|何時ごろ|何時頃|何時|」|』|\"|”|】| |、|,|さん|。|まで|から|!|?|の|は|を|に|間";
/// Between places of a list.
pub(super) const BETWEEN: &str =
    "?それとも|、それとも|それとも|、|・|と|や|および|または|か|, and | and | or |, |,";
/// Before the place that others are compared with, in English.
pub(super) const NEAREST: &str = "closer to|nearer to|closest to|nearest to|closer from|nearer from|further from|farther from|furthest from|farthest from|further away from|farther away from|longer from|quicker from|faster from|further to|farther to";

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
            rules::ROUTE,
            rules::DISTANCE,
            Word::COMPARE,
            rules::DURATION,
            Word::WANT,
            Word::GREETING,
            Word::WHERE,
            rules::SPOT,
            Word::CAN,
            rules::GO,
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
