//! Places by the words behind them, as Japanese has it: `東京駅から横浜駅まで`.

use super::{
    Places,
    tables::{BEGINS, ENDS, LIST_STOPS, STOPS},
};
use crate::assistant::builtin::heard::{Heard, Piece, marks};

impl Heard {
    /// By the words behind places.
    pub(super) fn japanese(&self, is_list: bool) -> Places {
        let mut places = Places::default();
        let near = self.near();
        if near != places {
            return near;
        }
        let (origins, behind) = self.begin_of_way(is_list);
        places.origins = origins;
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
        let stop = match is_list {
            true => marks(LIST_STOPS).filter_map(|it| self.find(it, behind)).min(),
            false => marks(STOPS).filter_map(|it| self.find(it, behind + 1)).min(),
        };
        places.destinations = self.list(behind, stop.unwrap_or(self.lower.len()), is_list);
        if places.destinations.is_empty() && is_list {
            // `羽田と成田、品川からどちらが近い`.
            places.destinations = self.list(0, places.origins[0].from, true);
        }
        places
    }

    /// Where the way begins, and where the words behind that end.
    fn begin_of_way(&self, is_list: bool) -> (Vec<Piece>, usize) {
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
        // `川崎駅を20時に出て`: the time stands between.
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

    /// `横浜と川崎では、どちらが東京駅に近い`: one place, and those of which one is the nearest.
    fn near(&self) -> Places {
        // `東京駅から一番近いのは新宿と池袋どっち`.
        const NEAREST: &str =
            "から一番近いのは|から近いのは|に一番近いのは|に近いのは|から最も近いのは";
        const WHICH: &str = "のどっち|のどちら|どっち|どちら|?|。";
        if let Some((end, length)) = self.first(NEAREST, 1) {
            let to = marks(WHICH)
                .filter_map(|it| self.find(it, end + length))
                .min()
                .unwrap_or(self.lower.len());
            let (origin, found) =
                (self.place(self.cut_before(end, 0), end), self.list(end + length, to, true));
            if let Some(origin) = origin.filter(|_| found.len() >= 2) {
                return Places { origins: vec![origin], destinations: found };
            }
        }
        // `新宿と渋谷、東京駅から近い順に`.
        if let Some((end, _)) = self.first("から近い順|に近い順", 1) {
            let origin = self.place(self.cut_before(end, 0), end);
            let found = origin.as_ref().map(|it| self.list(0, it.from, true)).unwrap_or_default();
            if let Some(origin) = origin.filter(|_| found.len() >= 2) {
                return Places { origins: vec![origin], destinations: found };
            }
        }
        const NEAR: &str = "に近い|により近い|から近い|に一番近い|から一番近い";
        const THOSE: &str =
            "では|だと|のうち|の中で|なら|って|、どっち|、どちら|どっち|どちら|で、";
        let Some(end) = marks(NEAR).filter_map(|it| self.find(it, 1)).min() else {
            return Places::default();
        };
        let origin = {
            const WHICH: &str = "どっちが|どちらが|どっちの方が|どちらのほうが|どれが|方が|ほうが";
            let which = marks(WHICH)
                .filter_map(|it| self.find(it, 0).map(|at| at + it.chars().count()))
                .filter(|it| *it <= end)
                .max();
            self.place(self.cut_before(end, which.unwrap_or(0)), end)
        };
        let those = marks(THOSE).filter_map(|it| self.find(it, 1)).filter(|it| *it < end).min();
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
