//! Finds places by the words after them, as in Japanese: `東京駅から横浜駅まで`.

use super::{
    Places, Sentence,
    tables::{BEGINS, ENDS, LIST_STOPS, STOPS},
};
use language::{scan::marks, utterance::Piece};

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
