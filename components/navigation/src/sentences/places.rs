//! Finds the places of a sentence: ends and stops of a route, and searched places. Tables have the words around
//! places; the text between those is the place.

mod compare;
mod grammar;

use std::{cell::OnceCell, ops::Deref};

use language::{
    Date, coverage,
    scan::marks,
    utterance::{Piece, Utterance},
    words::Word,
};

use self::grammar::{BEGINS, BETWEEN, FIELDS, LEADS, SOUGHT, STOPS, TAILS};
use super::{VOCABULARY, planner, rules};

/// Maximum number of places of a list, as in a distance table.
const PLACES_MAX: usize = 25;
/// Maximum number of stops of a route.
const VIA_MAX: usize = 5;
/// Minimum number of characters of a hiragana name.
const KANA_MIN: usize = 3;
/// Maximum number of characters of a place.
const CHARS_MAX: usize = 60;

/// The places of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) origins: Vec<Piece>,
    pub(super) destinations: Vec<Piece>,
}

/// A sentence about routes, with its known places and constraints.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    utterance: Utterance,
    /// Ranges of known places.
    pub(super) spots: Vec<(usize, usize)>,
    /// Ranges of phrases about routes.
    phrases: Vec<(usize, usize)>,
    /// Ranges of constraints.
    pub(super) constraints: Vec<(usize, usize)>,
    /// Whether it takes back earlier constraints.
    is_anything: bool,
    /// Whether a leg in another mode was cut off.
    pub(super) has_leg: bool,
    /// Compared places, computed once.
    compared: OnceCell<Option<Places>>,
}

impl Deref for Sentence {
    type Target = Utterance;

    fn deref(&self) -> &Utterance {
        &self.utterance
    }
}

/// Normalizes coordinates in `text` for the tools: `35.6586, 139.7454` and `35.6586 139.7454` get only a comma
/// between them.
fn normalize_points(text: &str) -> String {
    const GAPS: [char; 5] = [' ', '\u{3000}', ',', '，', '、'];
    let is_part = |it: char| matches!(it, '0'..='9' | '.' | '０'..='９' | '．');
    let is_fraction = |number: &str| number.trim_end_matches(['.', '．']).contains(['.', '．']);
    let (mut normalize_points, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(GAPS) {
        let (before, from) = rest.split_at(at);
        let behind = from.trim_start_matches(GAPS);
        let number = behind.strip_prefix('-').unwrap_or(behind);
        let length = number.find(|it| !is_part(it)).unwrap_or(number.len());
        // A number with a fraction is followed by another one.
        let is_point = is_fraction(&before[before.trim_end_matches(is_part).len()..])
            && is_fraction(&number[..length]);
        normalize_points.push_str(before);
        normalize_points.push_str(if is_point { "," } else { &from[..from.len() - behind.len()] });
        rest = behind;
    }
    normalize_points + rest
}

/// Returns the first leg of `text`, where the next one has another mode: `cycle to Ueno, then walk to the zoo`.
fn first_leg(text: &str) -> Option<String> {
    const JOINTS: &str = ", and then |, then | and then | then |そこから|そのあと|その後|それから";
    const MODES: [&str; 3] = [
        "walk|on foot|歩き|歩い|歩く|徒歩",
        "cycle|cycling|bike|bicycle|自転車|チャリ",
        "drive|driving|by car|車で|運転|ドライブ",
    ];
    const ENDS: &str = " to |まで|へ";
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let says = |text: &str, words: &str| words.split('|').any(|it| text.contains(it));
    // `自転車で` contains the word for car.
    let mode = |text: &str| {
        let text = text.replace("自転車で", "自転車");
        MODES.iter().position(|it| says(&text, it))
    };
    JOINTS.split('|').find_map(|joint| {
        let at = lower.find(joint).filter(|it| *it > 0)?;
        let (head, tail) = (&lower[..at], &lower[at + joint.len()..]);
        let is_other = mode(head)? != mode(tail)?;
        if !is_other || !says(head, ENDS) || !says(&format!(" {tail}"), ENDS) {
            return None;
        }
        // The origin may come last.
        let from = tail.find(" from ").filter(|_| !format!(" {head}").contains(" from "));
        let from = from.map_or("", |it| &text[at + joint.len() + it..]);
        Some(format!("{}{from}", text[..at].trim_end_matches(['、', ',', ' '])))
    })
}

/// Whether `text` has a known place.
pub(super) fn has_known_place(text: &str) -> bool {
    !grammar::spots(&text.chars().collect::<Vec<_>>()).is_empty()
}

/// Whether `text` is a known place and nothing else.
pub(super) fn is_known_place(text: &str) -> bool {
    let signs: Vec<char> = text.chars().collect();
    grammar::spots(&signs).contains(&(0, signs.len()))
}

impl Sentence {
    /// Parses `text` with the vocabulary of navigation.
    pub(super) fn parse(text: &str, today: Date) -> Self {
        let leg = first_leg(text);
        let text = leg.as_deref().unwrap_or(text);
        let mut utterance = Utterance::parse(&normalize_points(text), today, &VOCABULARY);
        let spots = grammar::spots(&utterance.lower);
        // `新宿` contains no lodging.
        let is_inside = |from: usize, to: usize| spots.iter().any(|it| it.0 <= from && to <= it.1);
        utterance.tokens.retain(|it| it.word != Word::ELSEWHERE || !is_inside(it.from, it.to));
        let text: String = utterance.lower.iter().collect();
        let is_word = |span: &(usize, usize)| {
            utterance.lower[span.0..span.1.min(utterance.lower.len())]
                .iter()
                .any(|it| it.is_alphanumeric())
        };
        let phrases = planner::spans(&text, today);
        let constraints = phrases.iter().copied().filter(is_word).collect();
        let is_anything = planner::is_anything(&text, today);
        let (has_leg, compared) = (leg.is_some(), OnceCell::new());
        Self { utterance, spots, phrases, constraints, is_anything, has_leg, compared }
    }

    /// Returns the range of a second route: `、それと渋谷から川崎`, `and Shibuya to Kawasaki`.
    pub(super) fn second_route(&self) -> Option<(usize, usize)> {
        let is_route = |pair: &[(usize, usize)]| {
            let between: String = self.lower.get(pair[0].1..pair[1].0)?.iter().collect();
            ["to", "から"].contains(&between.trim()).then_some((pair[0].0, pair[1].1))
        };
        let routes: Vec<_> = self.spots.windows(2).filter_map(is_route).collect();
        // `A to B to C` is one route.
        let first = routes.first()?;
        routes.iter().find(|it| it.0 > first.1).copied()
    }

    /// Returns places to avoid: `渋谷は通りたくない`, `avoid Ginza`.
    pub(super) fn avoided_places(&self) -> Vec<String> {
        const BEHIND: &str = "は避け|を避け|も避け|はさけ|をさけ|は通ら|を通ら|は通りたくな|を通りたくな|は経由せ|を経由せ|は経由しな|を経由しな|は迂回|を迂回|は回避|を回避|に行きたくな|には行かな|には近づ|以外を通";
        const BEFORE: &str = "avoid|avoids|avoiding|bypass|bypassing|keep out of|keeping out of|stay out of|staying out of|stay away from|keep away from|steer clear of|not through|not go through|don't go through|dont go through|not going through|not want to go through|don't want to go through|without going through|without passing through|not pass through|don't pass through";
        let is_before = |at: usize| {
            let before: String = self.lower[..at].iter().collect();
            let before = format!(" {}", before.trim_end());
            marks(BEFORE).any(|it| before.ends_with(&format!(" {it}")))
        };
        let spots = self
            .spots
            .iter()
            .filter(|it| is_before(it.0) || marks(BEHIND).any(|mark| self.is_at(mark, it.1)));
        spots.map(|it| self.piece(it.0, it.1).text).collect()
    }

    /// Ranges of phrases about routes.
    pub(super) fn spans(&self) -> Vec<(usize, usize)> {
        self.phrases.clone()
    }

    /// Whether it takes back earlier constraints.
    pub(super) fn is_anything(&self) -> bool {
        self.is_anything
    }

    /// Returns the ends of the route that the sentence has.
    pub(super) fn places(&self, is_list: bool) -> Places {
        let places = self.named_places(is_list);
        /// Units of numbers, and texts after ranges.
        const UNITS: &str =
            "の間で|の間|まで|くらい|cm|kg|センチ|キロ|人|名|個|枚|点|歳|才|円|回|%|文字|日";
        // `人数は1から5まで`, `身長は100から250の間で` have no places.
        let all = places.origins.iter().chain(&places.destinations);
        let is_count = |piece: &Piece| {
            let number = piece.text.rsplit_once('は').map_or(piece.text.as_str(), |it| it.1).trim();
            let is_digit = |it: char| it.is_ascii_digit() || matches!(it, '万' | '千' | '百');
            let unit = number.trim_start_matches(is_digit);
            // `10人まででお願いします`
            let unit = unit.split_once("まで").map_or(unit, |it| it.0);
            unit.len() < number.len() && (unit.is_empty() || marks(UNITS).any(|it| it == unit))
        };
        if all.clone().next().is_some() && all.clone().all(is_count) {
            return Places::default();
        }
        places
    }

    /// Returns the texts at the positions of a route's ends.
    fn named_places(&self, is_list: bool) -> Places {
        if let Some(places) = self.compared() {
            return places.clone();
        }
        if let Some([first, .., last]) = self.chain().as_deref() {
            return Places { origins: vec![first.clone()], destinations: vec![last.clone()] };
        }
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

    /// Returns the searched place.
    pub(super) fn searched_place(&self) -> Option<Piece> {
        const BEFORE: &str = "where exactly is|where exactly are|where about is|whereabouts is|where in the city is|where on earth is|where is|where's|where are|coordinates of|coordinates for|\
             latitude and longitude of|latitude and longitude for|lat/long of|lat/long for|\
             location of|geocode|locate|position of|address of|map of|find|show me|show|put|\
             mark|pinpoint|where can i find|coordinate of|lat and long of|gps of";
        const AFTER: &str = " on the map| on a map| located| is located| is| lies| in coordinates| exactly| coordinates| please|\
             ?|!|.|,|\n|'s";
        const LEADS: &str = "me |on the map |on a map |where |exactly |is ";
        if let Some(point) = self.coordinates() {
            return Some(point);
        }
        for before in marks(BEFORE) {
            if let Some(at) = self.find(before, 0).filter(|at| self.is_word(*at, before)) {
                let mut from = at + before.chars().count() + 1;
                while let Some(lead) = marks(LEADS).find(|it| self.is_at(it, from)) {
                    from += lead.len();
                }
                let to = marks(AFTER).filter_map(|it| self.find(it, from + 1)).min();
                let place = self.place(from, to.unwrap_or(self.lower.len()));
                if place.is_some() {
                    return place;
                }
            }
        }
        // `tell me where Zoorasia is`.
        let is_sought = |spot: &&(usize, usize)| {
            spot.0.checked_sub("where ".len()).is_some_and(|at| self.is_at("where ", at))
                && self.is_at(" is", spot.1)
        };
        if let Some(spot) = self.spots.iter().find(is_sought) {
            return Some(self.piece(spot.0, spot.1));
        }
        let end = marks(SOUGHT).filter_map(|it| self.find(it, 1)).min()?;
        self.place(self.cut_before(end, 0), end)
    }

    /// Returns the only place of the sentence, and the one that it replaces: `新宿駅`, `Shinagawa instead of Shibuya`.
    pub(super) fn single_place(&self) -> Option<(Piece, Option<Piece>)> {
        const FILLERS: &str = "今いるのは|いまいるのは|現在地は|いまは|今は|やっぱり|やっぱ|やはり|じゃあ|では|あ、|えっと|ごめん|すみません|にして|に変えて|に変更|に変更して|でお願いします|お願いします|お願い|でいい|にする|にします|です|だと|なら|だったら|だったらどう|どう|は|で|に|を|の|場合|ください|目的地|行き先|actually|instead|make|that|no|sorry|i meant|i mean|rather|what about|how about|and|or|please|pls|then|ok|okay|it|change it|destination|goal|of|the|wait|hm|hmm|well|let's|go|say|one|to|from|also|too|as well|i'm in|im in|i am in|i'm at|im at|i am at|we're in|we are in|start|も|追加|追加して|入れて|加えて|足して|add|include";
        let spot = |index: usize| {
            let (from, to) = *self.spots.get(index)?;
            Some(self.piece(from, to))
        };
        let (place, other) = (spot(0)?, spot(1));
        let is_instead = self.find_word("instead of", place.to).is_some();
        if self.spots.len() > 2 || other.is_some() && !is_instead {
            return None;
        }
        let mut rest: String = (0..self.lower.len())
            .filter(|at| !self.spots.iter().any(|it| it.0 <= *at && *at < it.1))
            .map(|at| self.lower[at])
            .collect();
        if !rest.is_ascii() {
            let mut fillers: Vec<_> = marks(FILLERS).filter(|it| !it.is_ascii()).collect();
            fillers.sort_by_key(|it| std::cmp::Reverse(it.len()));
            for filler in fillers {
                rest = rest.replace(filler, " ");
            }
        }
        // `what about` comes before `what`.
        let mut rest = format!(" {} ", rest.split_whitespace().collect::<Vec<_>>().join(" "));
        for filler in marks(FILLERS).filter(|it| it.contains(' ')) {
            rest = rest.replace(&format!(" {filler} "), "  ");
        }
        let is_filler = |it: &str| marks(FILLERS).any(|filler| filler == it);
        let is_left = rest
            .split(|it: char| !it.is_alphanumeric() && it != '\'')
            .filter(|it| !it.is_empty())
            .any(|it| !is_filler(it));
        (!is_left).then_some((place, other))
    }

    /// Returns coordinates: `35.6586, 139.7454`.
    pub(super) fn coordinates(&self) -> Option<Piece> {
        let number = |from: usize| {
            let rest = self.lower[from.min(self.lower.len())..].iter();
            let is_part = |it: &&char| it.is_ascii_digit() || matches!(it, '.' | '-');
            let part: String = rest.take_while(is_part).collect();
            let part = part.trim_end_matches('.').to_owned();
            (part.contains('.') && part.parse::<f64>().is_ok()).then_some(from + part.len())
        };
        let is_inner = |at: usize| {
            at > 0 && (self.lower[at - 1].is_ascii_alphanumeric() || self.lower[at - 1] == '.')
        };
        (0..self.lower.len()).filter(|it| !is_inner(*it)).find_map(|from| {
            let end = number(from)?;
            let comma = (self.lower.get(end) == Some(&',')).then_some(end + 1)?;
            let second = comma + usize::from(self.lower.get(comma) == Some(&' '));
            Some(self.piece(from, number(second)?))
        })
    }

    /// Returns stops: `川崎を経由して`, `via Kawasaki`.
    pub(super) fn via(&self) -> Vec<Piece> {
        const BEHIND: &str = "と回って|に立ち寄って|を経由|経由|に寄|に立ち寄|に立寄|で拾|で乗せ|で合流|で休憩|でランチ|で昼食|で食事|を通って|を通る|を通り|を回って|の順に回|の順で回|の順に寄|にも寄";
        const BEFORE: &str = "via|by way of|with a stop in|with a stop at|with a stop by|that stops at|that stops in|stops at|stops in|stop over in|stopping over in|pick up someone in|pick someone up at|pick someone up in|swing by|swinging by|drop by|dropping by|going by way of|go via|going via|go through|going through|passes through|stopping at|stopping in|stopping by|stopping off at|stop at|stop in|stop by|a stop at|a stop in|passing through|passing by|through|calling at";
        const CUTS: &str = "、|。|を出て|から|まで|途中で|途中|へ| |\n|,|は、|→";
        if let Some([_, between @ .., _]) = self.chain().as_deref() {
            return between.to_vec();
        }
        /// Texts after a negated stop.
        const NOT: &str = "せず|しない|しなく|しません|なし|以外|らず|らない|らなく|じゃな|ではな";
        const NO: &str =
            "without|without going|not|don't|do not|avoid|never|not going|avoiding|instead of|no";
        let mut found: Vec<Piece> = Vec::new();
        // `川崎寄りたい` has no particle.
        const DETOURS: &str = "寄りた|寄って|寄る";
        const NO_DETOURS: &str = "寄りたくな|寄りたくあり|寄って欲しくな|寄ってほしくな|寄るな|寄るのは|寄るのを|寄るのやめ|寄る必要|寄るつもりはな";
        const WANTED: &str = "寄りたくなっ|寄りたくなり|寄りたくなる";
        let bare = |spot: &&(usize, usize)| {
            let is_behind = |texts| marks(texts).any(|it| self.is_at(it, spot.1));
            is_behind(DETOURS) && (!is_behind(NO_DETOURS) || is_behind(WANTED))
        };
        found.extend(self.spots.iter().find(bare).map(|it| self.piece(it.0, it.1)));
        for mark in marks(BEHIND) {
            let Some(end) = self.find(mark, 1) else { continue };
            let behind = end + mark.chars().count();
            if marks(NOT).any(|it| self.is_at(it, behind)) {
                continue;
            }
            // Several places are visited in turn: `新宿、池袋に寄って上野` behind an origin.
            let is_round = mark.contains('回')
                || mark.contains('順')
                || self.is_listed_before(end) && self.spots.iter().any(|it| it.0 >= behind);
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
            let before: String = self.lower[..at].iter().collect();
            let before = format!(" {}", before.trim_end());
            if marks(NO).any(|it| before.ends_with(&format!(" {it}"))) {
                continue;
            }
            let from = at + mark.len() + 1;
            let names = self.list(from, self.stop(from, true), true);
            found.extend(names.into_iter().filter(|it| self.is_name_at(it.from)));
            break;
        }
        // `高速経由` and `大通りを通って` name roads.
        found.retain(|it| !self.is_request(it) && !self.is_road(it));
        found.truncate(VIA_MAX);
        found
    }

    /// Whether only known places and commas are between an origin's mark and `end`.
    fn is_listed_before(&self, end: usize) -> bool {
        const JOINTS: [char; 3] = ['、', '・', 'と'];
        let Some((begin, length)) = self.first(BEGINS, 0).filter(|it| it.0 < end) else {
            return false;
        };
        let is_listed = |at: usize| {
            JOINTS.contains(&self.lower[at]) || self.spots.iter().any(|it| it.0 <= at && at < it.1)
        };
        (begin + length..end).all(is_listed)
    }

    /// Returns three or more places in order: `三軒茶屋→下北沢→吉祥寺`, `from Ueno to Ginza to Odaiba`.
    fn chain(&self) -> Option<Vec<Piece>> {
        let arrows: Vec<_> =
            (1..self.lower.len()).filter(|it| matches!(self.lower[*it], '→' | '⇒')).collect();
        let length = self.lower.len();
        if let [first, .., last] = arrows[..] {
            let mut chain: Vec<_> =
                self.place(self.cut_before(first, 0), first).into_iter().collect();
            chain.extend(arrows.windows(2).filter_map(|it| self.stop_between(it[0] + 1, it[1])));
            let from = (last + 1..length).find(|it| self.lower[*it] != ' ').unwrap_or(length);
            let is_ascii = self.lower.get(from).is_some_and(char::is_ascii);
            let japanese = || marks(STOPS).filter_map(|it| self.find(it, from + 1)).min();
            let end = if is_ascii { Some(self.stop(from, false)) } else { japanese() };
            chain.extend(self.place(from, end.unwrap_or(length)));
            return (chain.len() == arrows.len() + 1).then_some(chain);
        }
        let first = self.find_word("to", 1)?;
        let mut chain: Vec<_> = self.place(self.name_begin(0, first), first).into_iter().collect();
        let mut at = Some(first);
        while let Some(to) = at {
            let from = to + "to ".len();
            let end = self.stop(from, false);
            chain.extend(self.place(from, end).filter(|_| self.is_name_at(from)));
            // `from A to B, then on to C`.
            const THEN: &str =
                "to |on to |and on to |then to |then on to |and then to |and then on to |then ";
            let next = (end..self.lower.len()).find(|at| !matches!(self.lower[*at], ' ' | ','));
            let then = next.and_then(|next| {
                // `, to` after the ends is no third place.
                let is_joint = |word: &&str| {
                    self.is_at(word, next)
                        && (word.contains("then") || self.lower[end..next] == [' '] || next == end)
                };
                let then = marks(THEN).filter(is_joint).map(str::len).max()?;
                self.is_name_at(next + then).then_some(next + then)
            });
            at = then.map(|it| it - "to ".len());
        }
        (chain.len() > 2).then_some(chain)
    }

    /// Returns the place between two arrows, without the words for a stop: `途中で六本木に寄って`.
    fn stop_between(&self, from: usize, to: usize) -> Option<Piece> {
        const LEADS: &str = "途中で|途中|まず|次に|via ";
        const TAILS: &str = "に寄って|に立ち寄って|を経由して|を通って|経由で|寄って|経由";
        let (mut from, mut to) = (from, to);
        if let Some(lead) = marks(LEADS).find(|it| self.is_at(it, from)) {
            from += lead.chars().count();
        }
        let ends = |tail: &&str| {
            let length = tail.chars().count();
            from + length < to && self.is_at_raw(tail, to - length)
        };
        if let Some(tail) = marks(TAILS).find(ends) {
            to -= tail.chars().count();
        }
        self.place(from, to)
    }

    /// Whether a piece is a known place.
    pub(super) fn is_spot(&self, piece: &Piece) -> bool {
        self.spots.iter().any(|it| it.0 <= piece.from && piece.to <= it.1)
    }

    /// Whether a piece is a road or a kind of roads: `国道1号`, `目黒通り`, `wide streets`, `Route 246`.
    fn is_road(&self, piece: &Piece) -> bool {
        const ROADS: &str = "通り|い道|な道|の道|国道|県道|都道|府道|林道|旧道|裏道|抜け道|道路|街道|線|号|バイパス|トンネル|沿い|住宅街";
        /// Roads only without a name before them.
        const ROAD: &str = "road|street|tunnel|bridge|highway";
        const KINDS: &str = "roads|streets|avenues|lanes|alleys|tunnels|bridges";
        let text = piece.text.as_str();
        let is_road = if text.is_ascii() {
            let (before, last) = text.rsplit_once(' ').unwrap_or(("", text));
            let is_number = last.chars().all(|it| it.is_ascii_digit());
            is_number && ["route", "highway"].contains(&&*before.to_lowercase())
                || marks(ROAD).any(|it| it == text)
                || marks(KINDS).any(|it| it == last) && text == text.to_lowercase()
        } else {
            marks(ROADS).any(|it| text.ends_with(it))
        };
        is_road && !self.is_spot(piece)
    }

    /// Whether a piece is a constraint, no name.
    fn is_request(&self, piece: &Piece) -> bool {
        !self.is_spot(piece)
            && self.constraints.iter().any(|it| it.0 <= piece.from && piece.to <= it.1)
    }

    fn is_japanese(&self) -> bool {
        self.chars
            .iter()
            .any(|it| matches!(it, '\u{3040}'..='\u{30ff}' | '→' | '⇒' | '〜' | '~' | '–' | '—'))
    }

    fn fields(&self) -> Places {
        let mut places = Places::default();
        let all = || FIELDS.into_iter().flat_map(|it| marks(it.1).map(move |field| (it.0, field)));
        for (is_origin, field) in all() {
            let Some(at) = self.find(field, 0) else { continue };
            let from = at + field.chars().count();
            let others = all().filter_map(|it| self.find(it.1, from + 1));
            let ends =
                ["。", "、", ",", "\n", ".", "で、", "です", ";", "に変", "にし", "に直", "にい"]
                    .into_iter()
                    .filter_map(|it| self.find(it, from + 1));
            let to = others.chain(ends).min().unwrap_or(self.lower.len());
            let side = if is_origin { &mut places.origins } else { &mut places.destinations };
            if side.is_empty() {
                side.extend(self.place(from, to));
            }
        }
        places
    }

    /// Returns the places from `from` to `to`; only one, unless it is a list.
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
        let is_name = |it: &Piece| !it.text.is_ascii() || self.is_name_at(it.from);
        places.retain(|it| !self.is_request(it) && is_name(it));
        places.truncate(PLACES_MAX);
        places
    }

    /// Whether `at` is within a known name, such as the `が` of `自由が丘`.
    fn is_inside(&self, at: usize) -> bool {
        self.spots.iter().any(|it| it.0 < at && at < it.1)
    }

    /// Whether the character at `at` is within a known name or a hiragana word.
    fn is_within(&self, at: usize, sign: &str) -> bool {
        let is_kana = |it: Option<&char>| it.is_some_and(|it| matches!(it, 'ぁ'..='ん'));
        let before = at.checked_sub(1).and_then(|it| self.chars.get(it));
        let is_beside = self.spots.iter().any(|it| it.1 == at || it.0 == at + 1);
        let is_word = ["と", "や", "か"].contains(&sign)
            && is_kana(before)
            && is_kana(self.chars.get(at + 1));
        self.is_inside(at) || is_word && !is_beside
    }

    /// Returns the place from `from` to `to` without the words around it; none, where only known words remain.
    fn place(&self, from: usize, to: usize) -> Option<Piece> {
        let (mut from, mut to) = (from, to.min(self.chars.len()));
        if to > from && self.station(from, to) == Some(from) {
            return Some(self.piece(from, to));
        }
        while let Some(lead) = marks(LEADS).find(|it| from < to && self.is_at_raw(it, from)) {
            from += lead.chars().count();
        }
        for the in ["the ", "a ", "it ", "both ", "either "] {
            if self.is_at(the, from) && from + the.len() < to {
                from += the.len();
            }
        }
        // Names in kana that end as a particle.
        const NAMES: &str = "うえの|なかの|ひの|ながの|あさの|おおの";
        let is_name = |to: usize| {
            let length = to.saturating_sub(from);
            marks(NAMES).any(|it| it.chars().count() == length && self.is_at_raw(it, from))
        };
        while let Some(tail) = marks(TAILS).filter(|_| !is_name(to)).find(|tail| {
            let length = tail.chars().count();
            from + length < to && self.is_at_raw(tail, to - length)
        }) {
            to -= tail.chars().count();
        }
        // `羽田空港に朝9時` has a time after it.
        let time = |to: usize| {
            // `品川駅に明日の夕方6時`: a particle comes before day and time.
            let is_end = |end: usize| end == to || end + 1 == to && self.chars[end] == 'の';
            self.when.spans.iter().find(|it| is_end(it.1) && it.0 > from).map(|it| it.0)
        };
        let is_timed = time(to).is_some();
        while let Some(begin) = time(to) {
            to = begin;
        }
        while let Some(tail) = marks("に|は|を|、|,| |までに|まで| by| at").find(|tail| {
            let length = tail.chars().count();
            is_timed && from + length < to && self.is_at_raw(tail, to - length)
        }) {
            to -= tail.chars().count();
        }
        // `友達を川崎`: text before the place may end with a particle.
        let is_lead = |at: usize| {
            matches!(self.chars[at], 'ぁ'..='ん') && !"のとやか".contains(self.chars[at])
        };
        // `今渋谷`: a time may come before the place.
        let is_now = |at: usize| {
            ["今", "現在"]
                .iter()
                .any(|it| from + it.chars().count() == at && self.is_at_raw(it, from))
        };
        // `映画を観たあと横浜`.
        let is_after = |at: usize| self.chars[from..at].ends_with(&['あ', 'と']);
        let is_begin = |at: usize| at > from && (is_lead(at - 1) || is_now(at) || is_after(at));
        let spot = self.spots.iter().find(|it| it.1 == to && is_begin(it.0));
        if let Some(spot) = spot {
            from = spot.0;
        }
        // `江の島で`, `横浜中華街着`, `横浜行くと`: text after a known name is no part of it.
        let is_tail = |at: usize| {
            matches!(self.chars[at], 'ぁ'..='ん') && self.chars[at] != 'の'
                || matches!(self.chars[at], '着' | '行')
        };
        let spot = self.spots.iter().find(|it| it.0 == from && it.1 < to);
        if let Some(spot) = spot.filter(|it| (it.1..to).all(is_tail)) {
            to = spot.1;
        }
        const NO_PLACE: &str = "近い|近く|最寄|一番|最初|前の|元の|さっき|さきほど|先ほど|一つ前|ひとつ前|直前|それだと|これだと|それなら|これなら|それじゃ|そうすると|その場合|この場合|そのルート|このルート|その道|この道";
        // `上から2番目` counts.
        const SIDES: &str = "上|下|左|右|前|後ろ|うしろ";
        let is_side = marks(SIDES)
            .any(|it| it.chars().count() == to.saturating_sub(from) && self.is_at_raw(it, from));
        let is_town = self.is_at_raw("一番町", from);
        let is_vague = is_side || !is_town && marks(NO_PLACE).any(|it| self.is_at_raw(it, from));
        // Adverbs such as `roughly`.
        const ABOUT: &str =
            "roughly|approximately|approx|approx.|about|ideally|in km|in kilometres";
        let text: String = self.lower[from.min(to)..to].iter().collect();
        let is_vague = is_vague || marks(ABOUT).any(|it| it == text.trim());
        if from >= to || to - from > CHARS_MAX || is_vague {
            return None;
        }
        // Neither times nor known words are places.
        const JOINTS: &str = "のをにはがもでとや、,。・ ";
        let is_spot = self.spots.iter().any(|it| from <= it.0 && it.1 <= to);
        let is_request = |at: usize| self.constraints.iter().any(|it| it.0 <= at && at < it.1);
        let is_kana = |at: usize| matches!(self.lower[at], 'ぁ'..='ん');
        let is_word = |at: &usize| {
            let sign = self.lower[*at];
            // Hiragana needs a minimum length to be a name.
            let run = (from..=*at).rev().take_while(|it| is_kana(*it)).count()
                + (*at + 1..to).take_while(|it| is_kana(*it)).count();
            (!is_kana(*at) || run >= KANA_MIN)
                && !self.is_known(*at)
                && !is_request(*at)
                && !JOINTS.contains(sign)
                && !coverage::is_empty(sign)
        };
        // `予算を0`, `50万円` and `20分` are no places.
        let is_amount = self.lower[from].is_ascii_digit()
            && self.lower[from..to].iter().any(|it| "円万個件枚分割点%".contains(*it));
        // A text with the marks of another place has several places.
        let has_mark = (from + 1..to).any(|it| self.is_at("から", it) && it + 2 < to);
        let has_object = has_mark || self.lower[from..to].contains(&'を');
        // A single character is the rest of a longer name.
        const SIGNS: &str = "柏津堺呉蕨家";
        let is_sign =
            to - from == 1 && !self.lower[from].is_ascii() && !SIGNS.contains(self.lower[from]);
        let is_new =
            is_spot || !is_sign && (from..to).any(|it| is_word(&it)) && !is_amount && !has_object;
        let is_time = self.when.spans.iter().any(|it| it.0 <= from && to <= it.1);
        (is_new && !is_time).then(|| self.piece(from, to))
    }

    /// Returns the start of a hiragana station that ends at `end`: `とうきょうえき`.
    fn station(&self, least: usize, end: usize) -> Option<usize> {
        const STATION: &str = "えき";
        const CHARS_MIN: usize = 4;
        let is_station = end >= least + CHARS_MIN && self.is_at_raw(STATION, end - 2);
        let is_kana = |it: &usize| matches!(self.chars[*it], 'ぁ'..='ん');
        let begin = (least..end).rev().take_while(is_kana).last().filter(|_| is_station)?;
        let begin = ["じゃあ", "では", "えっと", "ねえ"]
            .iter()
            .find(|it| self.is_at_raw(it, begin))
            .map_or(begin, |it| begin + it.chars().count());
        (end - begin >= CHARS_MIN).then_some(begin)
    }

    /// Returns the start of the place that ends at `end`: after the words before it, not before `least`.
    fn cut_before(&self, end: usize, least: usize) -> usize {
        const MARKS: &[char] =
            &['、', '。', ',', '!', '?', '\n', ';', ':', '「', '『', '"', '“', '→', '…'];
        const CUTS: &[Word] = &[
            rules::LEAD,
            Word::SHOW,
            Word::GREETING,
            Word::PAUSE,
            Word::STOP,
            Word::HELP,
            Word::CAN,
            rules::ROUTE,
            rules::GO,
            rules::DISTANCE,
            Word::COMPARE,
            Word::WANT,
            rules::DURATION,
        ];
        const LEADING: &str = "そのあと|その後|それから|それと|最後に|最終的に|ずに|ないで|なくて|くには|るには|むには|ので、|道で|道を|ルートで|経路で|コースで|着くように|くように|着きたいので|着きたいから|着きたい|えっと|ええと|あの|すみません|じゃあ|では|まず|次は|それでは|すいません|ねえ|\
             それじゃ|経由で|経由して|を通って|に寄って|と回って|に立ち寄って|拾って|の順に回って|の順で回って|を回って|に回って|くないから|たいから|ないから|だから|ないので|たいので|いるので|なので|ですから|ますから|ちょっと|やっぱり|やはり|すみませんが";
        if let Some(begin) = self.station(least, end) {
            return begin;
        }
        let dash =
            (least..end.saturating_sub(2)).rev().find(|it| self.is_at(" - ", *it)).map(|it| it + 3);
        // `35.68,139.76`: marks between digits do not separate.
        let is_digit = |at: usize| self.chars.get(at).is_some_and(char::is_ascii_digit);
        let is_within = |at: usize| {
            matches!(self.chars.get(at), Some(',' | '.'))
                && at > 0
                && is_digit(at - 1)
                && is_digit(at + 1)
        };
        let is_mark = |at: &usize| MARKS.contains(&self.chars[*at]) && !is_within(*at);
        let mark = (least..end).rev().find(is_mark).map(|it| it + 1);
        let before = |to: &usize| *to <= end && *to > least;
        let words = self
            .tokens
            .iter()
            .filter(|it| CUTS.contains(&it.word))
            .map(|it| it.to)
            .filter(before)
            .max();
        let days = self.when.spans.iter().chain(&self.numbers.spans).map(|it| it.1).filter(before);
        // `一番町` is a name.
        let is_address = |at: usize| {
            ["町", "丁目", "番町", "条", "番地"].iter().any(|it| self.is_at_raw(it, at))
        };
        let days = days.filter(|it| !is_address(*it));
        let days = days.filter(|it| !(is_within(*it) || is_within(*it - 1) && is_digit(*it))).max();
        let leading =
            marks(LEADING).filter_map(|it| self.find(it, least).map(|at| at + it.chars().count()));
        let leading = leading.filter(before).max();
        // A word directly before the mark belongs to the place: `横浜ルート館から`.
        let words = words.filter(|it| *it < end && !is_within(*it - 1));
        let cuts = [mark, dash, words, days.filter(|it| *it < end), leading];
        let begin = cuts.into_iter().flatten().max().unwrap_or(least);
        let is_ascii = self.lower[begin..end].iter().all(char::is_ascii);
        let is_sign = |it: &char| it.is_ascii_digit() || matches!(it, ',' | '.' | '-' | ' ');
        let is_pair =
            self.lower[begin..end].contains(&',') && self.lower[begin..end].iter().all(is_sign);
        if is_ascii && !is_pair {
            return self.name_begin(begin, end);
        }
        // Known names are not cut; after hiragana they begin where they are known to begin.
        let is_kana = |at: usize| {
            matches!(self.chars[at], 'ぁ'..='ん') && !"のとやか".contains(self.chars[at])
        };
        let spot = self.spots.iter().rev().find(|it| it.1 <= end && least <= it.0 && it.1 > begin);
        match spot {
            Some(spot) if spot.0 < begin => spot.0,
            Some(spot) if spot.0 > begin && is_kana(spot.0 - 1) => spot.0,
            _ => begin,
        }
    }
}
