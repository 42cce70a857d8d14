//! Places in a sentence: where a way begins and ends, and what place is looked for. The words around
//! them are data; what stands between those is the place.

use super::{
    heard::{Heard, Piece},
    words::Word,
};

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

/// Behind a place where a way begins.
const BEGINS: &str =
    "から出発して|からだと|からなら|からは|から出て|からの|から|を出発して|を出発し|を出て|\
     を出発地に|を起点に|発で|発、|発→|発 |スタートで|を出発地として|出発で|→|⇒|〜|～| -> ";
/// Behind a place where a way ends.
const ENDS: &str =
    "までの|まで|への|へ|に行き|に行く|に行っ|に行け|に行こう|に向か|に着|に帰|に到着|行きの|\
     行きで|行き、|に移動|を目指|を目的地に|に寄ら|に急い|に出かけ|にドライブ";
/// Before a place, where it is named like a field of a form.
const FIELDS: &[(bool, &str)] = &[
    (true, "出発地点は"),
    (true, "出発地点:"),
    (true, "出発地は"),
    (true, "出発地:"),
    (true, "出発地が"),
    (true, "出発は"),
    (true, "出発地 "),
    (true, "出発:"),
    (true, "起点は"),
    (false, "目的地は"),
    (false, "目的地:"),
    (false, "目的地が"),
    (false, "目的地 "),
    (false, "到着地は"),
    (false, "到着地:"),
    (false, "行き先は"),
    (false, "行き先:"),
    (false, "到着は"),
    (false, "ゴールは"),
    (true, "スタートは"),
    (true, "origin:"),
    (true, "origin is"),
    (true, "start:"),
    (true, "starting point:"),
    (false, "destination:"),
    (false, "destination is"),
    (false, "goal:"),
    (false, "end:"),
];
/// Behind a destination that has no mark of its own.
const STOPS: &str =
    "の道|のルート|の行き方|の経路|の距離|の所要|の時間|の間|間の|だと|って|で|を|に|は|が|。|\
     、|?|!| |,|\n|高速|有料|下道|一番|最短|最速|徒歩|歩い|渋滞|車|どの|どれ|何分|何キロ|何時間|\
     ルート|行き方|経路|です|なん";
/// Behind a place that is looked for.
const SOUGHT: &str =
    "はどこ|ってどこ|がどこ|どこ|の正確な位置|の場所|の緯度|の経度|の座標|の位置|の住所|\
     の所在地|を地図|の地図|はどの辺|はどのへん|は地図|って地図|を座標|を緯度|という場所|にピン|\
     にマーカー|の緯度経度|をマップ|へピン";
/// What a place may not begin with, once the words before it are cut off.
const LEADS: &str =
    "を|に|は|の|が|も|で|て|、|と|から|まで|ずに|ないで|・|,| |「|」|『|』|\"|“|”|【|】|:";
/// What a place may not end with.
const TAILS: &str =
    "」|』|\"|”|】| |、|,|さん|。|まで|から|!|?|の|は|を|に|間";
/// Between places of one list.
const BETWEEN: &str =
    "、|・|と|や|および|または|か|, and | and | or |, |,";

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
        if places == Places::default() && self.is_japanese() {
            places = self.japanese(is_list);
        }
        places
    }

    /// The place that is looked for.
    pub(super) fn sought(&self) -> Option<Piece> {
        const BEFORE: &str =
            "where is|where's|where are|coordinates of|coordinates for|\
             latitude and longitude of|latitude and longitude for|lat/long of|lat/long for|\
             location of|geocode|locate|position of|address of|map of|find|show me|show|put|\
             mark|pinpoint|where can i find|coordinate of|lat and long of|gps of";
        const AFTER: &str =
            " on the map| on a map| located| is located| is| lies| in coordinates| exactly| coordinates| please|\
             ?|!|.|,|\n|'s";
        for before in words(BEFORE) {
            if let Some(at) = self.find(before, 0).filter(|at| self.is_word(*at, before)) {
                let from = at + before.chars().count();
                let to = words(AFTER).filter_map(|it| self.find(it, from + 1)).min();
                let place = self.place(from, to.unwrap_or(self.lower.len()));
                if place.is_some() {
                    return place;
                }
            }
        }
        let end = words(SOUGHT).filter_map(|it| self.find(it, 1)).min()?;
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

    fn japanese(&self, is_list: bool) -> Places {
        let mut places = Places::default();
        let near = self.near();
        if near != places {
            return near;
        }
        // Of several that may be it (`高速はこわいから、`), the last before the end counts.
        let mut begins = Vec::new();
        let mut from = 0;
        while let Some((begin, length)) = self.first(BEGINS, from) {
            let origins = self.list(self.cut_before(begin, 0), begin, is_list);
            from = begin + length;
            if !origins.is_empty() {
                begins.push((origins, from));
            }
        }
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
        places.origins = last.map(|it| begins.swap_remove(it).0).unwrap_or_default();
        let mut at = behind;
        while let Some((end, length)) = self.first(ENDS, at) {
            places.destinations = self.list(self.cut_before(end, behind), end, is_list);
            at = end + length;
            if !places.destinations.is_empty() {
                return places;
            }
        }
        if places.origins.is_empty() {
            return self.pair();
        }
        // `横浜駅まで東京駅から` has its end first.
        let before = words(ENDS).filter_map(|it| self.find(it, 0)).find(|it| *it < behind);
        if let Some(end) = before {
            let found = self.list(self.cut_before(end, 0), end, is_list);
            if !found.is_empty() {
                let origin = &mut places.origins[0];
                if origin.from < end {
                    let begin = origin.to;
                    places.origins = self.list(self.cut_before(begin, end + 2), begin, is_list);
                }
                places.destinations = found;
                return places;
            }
        }
        let stop = match is_list {
            true => [
                "の",
                "まで",
                "を",
                "は",
                "で",
                "。",
                "?",
                "、どっち",
                "、どちら",
                "どっち",
                "どちら",
            ]
            .iter()
            .filter_map(|it| self.find(it, behind + 1))
            .min(),
            false => words(STOPS).filter_map(|it| self.find(it, behind + 1)).min(),
        };
        places.destinations = self.list(behind, stop.unwrap_or(self.lower.len()), is_list);
        places
    }

    /// `横浜と川崎では、どちらが東京駅に近い`: one place, and those of which one is the nearest.
    fn near(&self) -> Places {
        const NEAR: &str =
            "に近い|により近い|から近い|に一番近い|から一番近い";
        const THOSE: &str =
            "では|だと|のうち|の中で|なら|って|、どっち|、どちら|どっち|どちら|で、";
        let Some(end) = words(NEAR).filter_map(|it| self.find(it, 1)).min() else {
            return Places::default();
        };
        let origin = {
            const WHICH: &str =
                "どっちが|どちらが|どっちの方が|どちらのほうが|どれが|方が|ほうが";
            let which = words(WHICH)
                .filter_map(|it| self.find(it, 0).map(|at| at + it.chars().count()))
                .filter(|it| *it <= end)
                .max();
            self.place(self.cut_before(end, which.unwrap_or(0)), end)
        };
        let those = words(THOSE).filter_map(|it| self.find(it, 1)).filter(|it| *it < end).min();
        let found = those.map(|it| self.list(0, it, true)).unwrap_or_default();
        match origin {
            Some(origin) if found.len() >= 2 => {
                Places { origins: vec![origin], destinations: found }
            }
            _ => Places::default(),
        }
    }

    /// `東京と大阪の距離`, `東京・大阪間`.
    fn pair(&self) -> Places {
        const BEHIND: &str =
            "の間の|間の|の距離|の道のり|の所要時間|はどれくらい離|はどのくらい離|の間は|間は|\
             は何キロ|って何キロ|はどれ|はどの|って";
        let end = words(BEHIND).filter_map(|it| self.find(it, 1)).min();
        let Some(end) = end else { return Places::default() };
        let mut found = self.list(self.cut_before(end, 0), end, true);
        if found.len() < 2 {
            return Places::default();
        }
        let destinations = found.split_off(1);
        Places { origins: found, destinations }
    }

    /// By the words before places: `from X to Y`, `between X and Y`.
    fn english(&self, is_list: bool) -> Places {
        const NO_PLACE: &str =
            "go|get|drive|walk|see|book|avoid|take|travel|watch|reserve|know|find|make|be|have|\
             me|choose|use|buy|compare|ask|create|do|collect|fill|show|pay|leave|arrive|head|\
             navigate|look|reach|return|come|sit|you|search|give|set|build|the movies|\
             the cinema|a movie|draw|help|change|cancel|eat";
        let mut places = Places::default();
        if let Some(at) = self.find_word("between", 0) {
            let from = at + "between".len();
            let to = self.stop(from, true);
            let mut both = self.list(from, to, true);
            if both.len() >= 2 {
                let destinations = both.split_off(1);
                return Places { origins: both, destinations };
            }
        }
        // `which is closer to X, Y or Z`.
        let near =
            ["closer to", "nearer to", "closest to", "nearest to", "closer from", "nearer from"];
        if let Some((at, length)) = self.first(&near, 0) {
            let from = at + length;
            let mark =
                (from..self.lower.len()).find(|it| matches!(self.lower[*it], ',' | ':' | ';'));
            let between =
                mark.map(|it| self.list(it + 1, self.stop(it + 1, true), true)).unwrap_or_default();
            let origin = mark.and_then(|it| self.place(from, it));
            if let Some(origin) = origin.filter(|_| between.len() >= 2) {
                return Places { origins: vec![origin], destinations: between };
            }
        }
        for (is_origin, word) in [(true, "from"), (false, "to")] {
            let mut at = 0;
            while let Some(found) = self.find_word(word, at) {
                let from = found + word.len() + 1;
                at = from;
                let is_verb = words(NO_PLACE).any(|it| self.find_word(it, from) == Some(from));
                let to = self.stop(from, is_list);
                let list = if is_verb { Vec::new() } else { self.list(from, to, is_list) };
                let side = if is_origin { &mut places.origins } else { &mut places.destinations };
                if !list.is_empty() && side.is_empty() {
                    *side = list;
                }
            }
        }
        // `how far is Y from X`, `Tokyo Station to Yokohama`, `leaving X`.
        if places.destinations.is_empty() && !places.origins.is_empty() {
            for word in [
                "how far is",
                "how far are",
                "how long is",
                "get to",
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
                places.origins = self.list(self.cut_before(end, 0), end, is_list);
            }
        }
        places
    }

    fn begin(&self, piece: &Piece) -> usize {
        let the: Vec<char> = "the ".chars().collect();
        match piece.from.checked_sub(4) {
            Some(at) if self.lower[at..piece.from] == the[..] => at,
            _ => piece.from,
        }
    }

    /// Where an English place that begins at `from` is over.
    fn stop(&self, from: usize, is_list: bool) -> usize {
        const WORDS: &str =
            "from|to|avoiding|avoid|without|by|via|using|with|on foot|please|at|tomorrow|today|\
             tonight|now|if|that|which|as|so|in|leaving|departing|starting|comparing|compare|\
             while|but|no|not|on|is|are|for|the fastest|the quickest|the shortest|fastest|then|\
             i|we|because|when|during|this|next|walking|driving|taking|skipping|quickly|asap|\
             right|preferably|ideally|how|what|can|could|minus|except|free|toll-free|there|\
             don't|do|via|keeping|staying|and avoid|and compare|and show|and tell|and don't|\
             and no|and keep|and use|would|take|takes";
        const MARKS: &[char] = &['?', '!', ';', '\n', '(', ':', '—', '–'];
        let words = words(WORDS).filter_map(|it| self.find_word(it, from + 1));
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

    /// The places from `from` to `to`; one, where it is no list.
    fn list(&self, from: usize, to: usize, is_list: bool) -> Vec<Piece> {
        if !is_list {
            return self.place(from, to).into_iter().collect();
        }
        let (mut places, mut begin, mut at) = (Vec::new(), from, from);
        while at < to {
            let between =
                words(BETWEEN).filter(|it| self.is_at(it, at)).map(|it| it.chars().count()).max();
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
        while let Some(lead) = words(LEADS).find(|it| from < to && self.is_at_raw(it, from)) {
            from += lead.chars().count();
        }
        for the in ["the ", "a ", "it ", "both ", "either "] {
            if self.is_at(the, from) && from + the.len() < to {
                from += the.len();
            }
        }
        while let Some(tail) = words(TAILS).find(|it| {
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
        const LEADING: &str =
            "えっと|ええと|あの|すみません|じゃあ|では|まず|次は|それでは|すいません|ねえ|\
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
            words(LEADING).filter_map(|it| self.find(it, least).map(|at| at + it.chars().count()));
        let leading = leading.filter(before).max();
        // A word right before the mark belongs to the place: `横浜ルート館から`.
        let words = words.filter(|it| *it < end);
        [mark, words, days.filter(|it| *it < end), leading]
            .into_iter()
            .flatten()
            .max()
            .unwrap_or(least)
    }

    fn first(&self, marks: &[&str], from: usize) -> Option<(usize, usize)> {
        let found = marks.iter().filter_map(|it| Some((self.find(it, from)?, it.chars().count())));
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
