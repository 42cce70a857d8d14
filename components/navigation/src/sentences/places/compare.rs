//! Finds places compared by their distance from another one: `which is closer to X, Y or Z`,
//! `横浜と川崎では、どちらが東京駅に近い`.

use language::{scan::marks, utterance::Piece};

use super::{Places, Sentence, grammar::NEAREST};

/// English words for comparisons.
const MORE: &str = "closer|nearer|closest|nearest|further|farther|furthest|farthest|quicker|quickest|faster|fastest|slower|slowest|longest|soonest|sooner|compare|comparing|comparison|rank|sort|by distance|by travel time";
/// Japanese words for comparisons.
const WHICH: &str = "どこ|どれ|どっち|どちら|一番|いちばん|最も|近い順|遠い順|早い順|比べ|くらべ|比較|遠い?|近い?|近いのは|遠いのは|早いのは|それとも";

/// Maximum distance between the compared places and the other one, in characters.
const REACH: usize = 14;

impl Sentence {
    /// Returns the compared places, if there are any.
    pub(in crate::sentences) fn compared(&self) -> Option<&Places> {
        self.compared.get_or_init(|| self.comparison()).as_ref()
    }

    /// Parses two ways that share an end: `Shibuya to Haneda and Shinjuku to Haneda`, `渋谷から羽田と新宿から羽田`.
    fn two_ways(&self) -> Option<Places> {
        let way = |pair: &[(usize, usize)]| {
            let between: String = self.lower.get(pair[0].1..pair[1].0)?.iter().collect();
            let is_way = ["to", "から", "→"].contains(&between.trim());
            is_way.then(|| (self.piece(pair[0].0, pair[0].1), self.piece(pair[1].0, pair[1].1)))
        };
        let [one, other] = self
            .spots
            .chunks(2)
            .filter(|it| it.len() == 2)
            .map(way)
            .collect::<Option<Vec<_>>>()?
            .try_into()
            .ok()?;
        let is_same = |one: &Piece, other: &Piece| one.text.eq_ignore_ascii_case(&other.text);
        match (is_same(&one.0, &other.0), is_same(&one.1, &other.1)) {
            (false, true) => {
                Some(Places { origins: vec![one.0, other.0], destinations: vec![one.1] })
            }
            (true, false) => {
                Some(Places { origins: vec![one.0], destinations: vec![one.1, other.1] })
            }
            _ => None,
        }
    }

    fn comparison(&self) -> Option<Places> {
        if let Some(places) = self.two_ways() {
            return Some(places);
        }
        let english = marks(MORE).any(|it| self.find_word(it, 0).is_some());
        let found =
            if english { self.more_than().or_else(|| self.english_comparison()) } else { None };
        let japanese = || marks(WHICH).any(|it| self.find(it, 0).is_some());
        found.or_else(|| (self.is_japanese() && japanese()).then(|| self.japanese_comparison())?)
    }

    /// Parses `is X further from Z than Y`.
    fn more_than(&self) -> Option<Places> {
        let (at, length) = self.first(NEAREST, 0)?;
        let from = at + length;
        let than = self.find_word("than", from)?;
        let one = self.place_before(at)?;
        let other = self.place_at(than + "than".len())?;
        let origin = self.place(from, than)?;
        Some(Places { origins: vec![origin], destinations: vec![one, other] })
    }

    /// Parses an English comparison of joined places.
    fn english_comparison(&self) -> Option<Places> {
        const FROM: &str =
            "closer to|nearer to|closest to|nearest to|nearest|closest|near to|near|close to|from";
        const JOINTS: &str = "and to|or to|and|or|vs|vs.|versus";
        let origins = marks(FROM).filter_map(|mark| {
            let at = self.find_word(mark, 0)?;
            self.place_at(at + mark.len())
        });
        // `to Haneda from Shibuya, Shinjuku and Ikebukuro` has one destination.
        let from = self.find_word("from", 0).map(|it| it + "from ".len());
        let is_several = from.is_some_and(|it| self.list(it, self.stop(it, true), true).len() > 1);
        let to = self.find_word("to", 0).map(|it| it + "to".len());
        if is_several && to.is_some_and(|it| self.place_at(it).is_some()) {
            return None;
        }
        let via = self.via();
        for origin in origins {
            // `by car or bike` joins modes.
            let is_apart = |piece: &Piece| {
                let is_off = |other: &Piece| piece.to <= other.from || other.to <= piece.from;
                is_off(&origin) && via.iter().all(is_off) && !self.has_constraint(piece)
            };
            for joint in marks(JOINTS) {
                let mut at = 0;
                while let Some(found) = self.find_word(joint, at) {
                    at = found + joint.len();
                    let Some(last) = self.place_at(at).filter(is_apart) else { continue };
                    let mut those = vec![last];
                    let mut end = found;
                    while let Some(place) = self.place_before(end).filter(is_apart) {
                        end = place.from;
                        those.insert(0, place);
                        let before = self.lower[..end].iter().rposition(|it| *it != ' ');
                        match before.filter(|it| self.lower[*it] == ',') {
                            Some(comma) => end = comma,
                            None => break,
                        }
                    }
                    if those.len() > 1 {
                        return Some(Places { origins: vec![origin], destinations: those });
                    }
                }
            }
        }
        None
    }

    /// The same in Japanese.
    fn japanese_comparison(&self) -> Option<Places> {
        /// Texts after the place that others are compared with.
        const BEHIND: &str = "からいちばん近いのは|から一番近いのは|から最も近いのは|から近いのは|に一番近いのは|にいちばん近いのは|に最も近いのは|に近いのは|\
             から一番遠いのは|からいちばん遠いのは|から遠いのは|から一番早いのは|から見て|からみて|からだと|からなら|からは|から|により近|に一番近|にいちばん近|に最も近|に近";
        /// Texts after the compared places.
        const ENDS: &str = "のうちで|のうち|のなかで|の中では|の中で|のどっち|のどちら|のどれ|のどこ|では|だと|なら|って|で、|、どっち|、どちら|、どれ|、どこ|どっち|どちら|どれ|どこ|を比|の距離|を近い順|を遠い順|?|。";
        /// Texts before the place that others are compared with.
        const BEFORE: &str = "どっちが|どちらが|どっちの方が|どちらの方が|どちらのほうが|どれが|どこが|方が|ほうが|一番|いちばん|どっちのほうが";
        /// Texts after a stop, which is not compared.
        const ROUTE_WORDS: &str = "を経由|経由|に寄|を通|を回|に立ち寄|に立寄";
        let is_place = |piece: &Piece| {
            let asks = ["どこ", "どれ", "どっち", "どちら", "何"]
                .iter()
                .any(|word| piece.text.contains(word));
            !asks && !self.has_constraint(piece)
        };
        let those = |from: usize, to: usize| -> Option<Vec<Piece>> {
            let is_or = |at: usize| self.is_at("?それとも", at);
            let ends = marks(ENDS)
                .filter_map(|it| (from + 1..to).find(|at| self.is_at(it, *at) && !is_or(*at)));
            let end = ends.min();
            let end = end.unwrap_or(to).min(to);
            let found = self.list(from, end, true);
            (found.len() > 1 && found.iter().all(is_place)).then_some(found)
        };
        let mut at = 0;
        while let Some((end, length)) = self.first(BEHIND, at) {
            at = end + length;
            let cut = marks(BEFORE)
                .filter_map(|it| self.find(it, 0).map(|at| at + it.chars().count()))
                .filter(|it| *it < end)
                .max();
            let begin = self.cut_before(end, cut.unwrap_or(0));
            // `渋谷と新宿から横浜まで` has two origins.
            if self.list(begin, end, true).len() > 1 {
                continue;
            }
            let Some(origin) = self.place(begin, end).filter(is_place) else { continue };
            let is_way = |it: &Piece| marks(ROUTE_WORDS).any(|mark| self.is_at(mark, it.to));
            let before = if origin.from > 0 { those(0, origin.from) } else { None };
            // `一番早く着くのは渋谷と新宿のどっち` begins with the measure.
            let is = self.find("のは", at).filter(|it| *it < at + REACH).map_or(at, |it| it + 2);
            let found = before.or_else(|| those(is, self.lower.len()));
            // `渋谷から横浜、品川を経由して` is one route.
            if let Some(found) = found.filter(|it| !it.iter().any(is_way)) {
                return Some(Places { origins: vec![origin], destinations: found });
            }
        }
        None
    }

    /// Whether `piece` is a constraint rather than a place.
    fn has_constraint(&self, piece: &Piece) -> bool {
        let is_inside = |constraint: &(usize, usize)| {
            self.spots.iter().any(|spot| spot.0 <= constraint.0 && constraint.1 <= spot.1)
        };
        self.constraints.iter().any(|constraint| {
            constraint.0 < piece.to && piece.from < constraint.1 && !is_inside(constraint)
        })
    }

    /// Returns the place that begins after `from`.
    pub(super) fn place_at(&self, from: usize) -> Option<Piece> {
        let begin = (from..self.lower.len()).find(|it| !matches!(self.lower[*it], ' ' | ':'))?;
        if !self.is_name_at(begin) {
            return None;
        }
        self.place(begin, self.stop(begin, false))
    }

    /// Returns the place that ends before `end`.
    pub(super) fn place_before(&self, end: usize) -> Option<Piece> {
        let end = self.lower[..end].iter().rposition(|it| !matches!(it, ' ' | ','))? + 1;
        let begin = self.name_begin(0, end);
        self.place(begin, end)
    }
}
