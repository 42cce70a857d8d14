//! Whether a route is locally the best: no stretch of it has a shorter way round.

use crate::{
    find::{NotFound, cost::Rules, pages::Arc, path::Path, search::Search},
    graph::Graph,
    source::{Source, SourceError},
};

impl<S: Source> Graph<S> {
    /// Whether every stretch of whole links that takes no longer than `stretch` ms is a fastest route from
    /// its first link to its last.
    ///
    /// It is asked of windows a quarter longer than that, each beginning a quarter after the one before:
    /// every such stretch lies in one of them. So what passes has the property; a route that just has it
    /// may fail. Parts of `best`, which is a fastest route, need not be asked.
    pub(super) fn is_locally_best(
        &self,
        path: &Path,
        best: &Path,
        rules: &Rules,
        stretch: u32,
    ) -> Result<bool, NotFound> {
        let times = self.times(path, rules)?;
        let on_best: Vec<Option<usize>> =
            path.arcs.iter().map(|it| best.arcs.iter().position(|arc| arc == it)).collect();
        let step = stretch / 4;
        let last = path.arcs.len().saturating_sub(1);
        let mut from = 0;
        while from < last {
            let begin = times[from].0;
            let reaches =
                |it: &usize| times[*it].1 >= begin.saturating_add(stretch).saturating_add(step);
            let to = (from..last).find(reaches).unwrap_or(last);
            // A route that leaves the best one may come back after as many links.
            let is_shared = |at: usize| (from..=to).all(|it| on_best[it] == Some(at + it - from));
            let shared = on_best[from].is_some_and(is_shared);
            if !shared && to > from {
                let taken = times[to].1 - begin;
                if self.fastest(path.arcs[from], path.arcs[to], rules)?.is_some_and(|it| it < taken)
                {
                    return Ok(false);
                }
            }
            if to == last {
                break;
            }
            let next = (from + 1..=last)
                .take_while(|&it| times[it].0 <= begin.saturating_add(step))
                .last();
            from = next.unwrap_or(from + 1);
        }
        Ok(true)
    }

    /// When each link of a route begins and ends, its first and last taken whole.
    pub(super) fn times(&self, path: &Path, rules: &Rules) -> Result<Vec<(u32, u32)>, SourceError> {
        let mut times: Vec<(u32, u32)> = Vec::with_capacity(path.arcs.len());
        let mut come = None;
        for &arc in &path.arcs {
            let half = self.leaving(arc)?;
            let mut begin = times.last().map_or(0, |it| it.1);
            if let Some(come) = come {
                let (nodes, index) = self.node(arc.node)?;
                let turn = rules.turn(&nodes, index, come, usize::from(arc.slot)).unwrap_or(0);
                begin = begin.saturating_add(turn);
            }
            times.push((begin, begin.saturating_add(rules.link(&half))));
            come = Some(usize::from(half.twin));
        }
        Ok(times)
    }

    /// What the fastest route costs from the beginning of one link to the end of another.
    fn fastest(&self, from: Arc, to: Arc, rules: &Rules) -> Result<Option<u32>, NotFound> {
        let ends = ([self.end(from, 0.0, rules)?], [self.end(to, 1.0, rules)?]);
        Ok(Search::run(self, rules, None, &ends.0, &ends.1)?.map(|it| it.cost))
    }
}
