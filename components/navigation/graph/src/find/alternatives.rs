//! Alternative routes.
//!
//! An alternative takes at most 1.4 times as long as the best route, shares at most 70 % of the shorter length with any
//! route before it, visits no junction twice, and is locally optimal: every stretch of at most a quarter of the best
//! route's time is a fastest route between its ends. Candidates come from plateaus, where both search trees agree.

use std::collections::HashSet;

use super::{
    Found, NotFound, RouteOptions, Rules,
    search::{Arc, End, NEVER, Path, ROOTS, Search, state},
};
use crate::{
    file::{Source, SourceError},
    graph::Graph,
};

/// Maximum ratio of an alternative's time to the best route's.
pub const LONGER_MAX: f64 = 1.4;
/// Maximum length in common with a better route, as a share of the shorter of the two.
pub const SHARED_MAX: f64 = 0.7;
/// Stretches up to this part of the best route's time are locally optimal.
pub const STRETCH: f64 = 0.25;

/// Size of the two trees, as a ratio to the best cost.
const TREES: f64 = 1.25;
/// Maximum number of routes over plateaus.
const LOOKED_AT: usize = 24;
/// Maximum number of searches with penalties.
const ROUNDS: usize = 8;
/// Maximum number of links of a network for penalties, which take a byte each.
const LINKS_MAX: u32 = 32 << 20;
/// Penalty of a link, in sixteenths, each time a route is found over it.
const DEARER: u8 = 4;

impl<S: Source> Graph<S> {
    /// Whether `way` is an alternative to `better`, of which the first is the best route there is.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn is_alternative(
        &self,
        way: &Found,
        better: &[Found],
        options: &RouteOptions,
    ) -> Result<bool, NotFound> {
        let rules = Rules::new(options, self.drives_on_left());
        let better: Vec<&Path> = better.iter().map(|it| &it.path).collect();
        self.is_other(&way.path, &better, &rules)
    }

    fn is_other(&self, way: &Path, better: &[&Path], rules: &Rules) -> Result<bool, NotFound> {
        let Some(best) = better.first() else { return Ok(true) };
        let (seconds, _, metres) = self.sums(way, rules)?;
        let fastest = self.sums(best, rules)?.0;
        if seconds > fastest * LONGER_MAX || self.repeats(way) {
            return Ok(false);
        }
        for other in better {
            let shorter = self.sums(other, rules)?.2.min(metres);
            // Either may travel more of the link where it begins or ends.
            let shared = self.shared(way, other)?.max(self.shared(other, way)?);
            if shared > shorter * SHARED_MAX {
                return Ok(false);
            }
        }
        self.is_locally_best(way, best, rules, (fastest * STRETCH * 1000.0) as u32)
    }

    fn repeats(&self, way: &Path) -> bool {
        let mut nodes = HashSet::with_capacity(way.arcs.len());
        // The first link may be left to either side, so its start does not count.
        !way.arcs.iter().skip(1).all(|it| nodes.insert(it.node))
    }

    /// Returns the metres of a route on links in common with another, in either direction.
    fn shared(&self, way: &Path, other: &Path) -> Result<f64, SourceError> {
        let mut links = HashSet::with_capacity(other.arcs.len());
        for &arc in &other.arcs {
            links.insert(self.leaving(arc)?.link);
        }
        let last = way.arcs.len().saturating_sub(1);
        let mut metres = 0.0;
        for (index, &arc) in way.arcs.iter().enumerate() {
            let half = self.leaving(arc)?;
            if links.contains(&half.link) {
                let begin = if index == 0 { way.begin } else { 0.0 };
                let end = if index == last { way.end } else { 1.0 };
                metres += f64::from(half.decimetres) / 10.0 * (end - begin).max(0.0);
            }
        }
        Ok(metres)
    }

    /// Adds up to `most` − 1 alternatives to the best route: over plateaus, then by penalties. There are fewer where
    /// the search limit is exceeded.
    pub(super) fn alternatives(
        &self,
        ways: &mut Vec<Path>,
        most: usize,
        rules: &Rules,
        origins: &[End],
        destinations: &[End],
    ) -> Result<(), NotFound> {
        let mut tried = self.on_trees(ways, most, rules, origins, destinations);
        if matches!(tried, Ok(()) | Err(NotFound::TooFar)) && ways.len() < most {
            tried = self.on_dearer_links(ways, most, rules, origins, destinations);
        }
        if !matches!(tried, Ok(()) | Err(NotFound::TooFar)) {
            return tried;
        }
        let mut timed = Vec::with_capacity(ways.len());
        for way in ways.drain(1..) {
            timed.push((self.sums(&way, rules)?.0, way));
        }
        timed.sort_by(|a, b| a.0.total_cmp(&b.0));
        ways.extend(timed.into_iter().map(|it| it.1));
        Ok(())
    }

    fn on_trees(
        &self,
        ways: &mut Vec<Path>,
        most: usize,
        rules: &Rules,
        origins: &[End],
        destinations: &[End],
    ) -> Result<(), NotFound> {
        let limit = (f64::from(ways[0].cost) * TREES) as u32;
        let trees = Search::wide(self, rules, origins, destinations, limit)?;
        let limit = (f64::from(ways[0].cost) * LONGER_MAX) as u32;
        for way in trees.over_plateaus(limit, LOOKED_AT)? {
            if ways.len() >= most {
                break;
            }
            self.take(ways, way, rules)?;
        }
        Ok(())
    }

    fn on_dearer_links(
        &self,
        ways: &mut Vec<Path>,
        most: usize,
        rules: &Rules,
        origins: &[End],
        destinations: &[End],
    ) -> Result<(), NotFound> {
        if self.header.links > LINKS_MAX {
            return Ok(());
        }
        let mut dearer = vec![0_u8; self.header.links as usize];
        let mut last = ways.clone();
        for _ in 0..ROUNDS {
            for arc in last.iter().flat_map(|it| &it.arcs) {
                if let Some(more) = dearer.get_mut(self.leaving(*arc)?.link as usize) {
                    *more = more.saturating_add(DEARER);
                }
            }
            let found = Search::run(self, rules, Some(&dearer), origins, destinations)?;
            let Some(mut way) = found else { return Ok(()) };
            way.cost = (self.sums(&way, rules)?.0 * 1000.0).round() as u32;
            last = vec![way.clone()];
            self.take(ways, way, rules)?;
            if ways.len() >= most {
                break;
            }
        }
        Ok(())
    }

    /// Adds a route, if it is an alternative to the present ones.
    fn take(&self, ways: &mut Vec<Path>, way: Path, rules: &Rules) -> Result<(), NotFound> {
        let better: Vec<&Path> = ways.iter().collect();
        if self.is_other(&way, &better, rules)? {
            ways.push(way);
        }
        Ok(())
    }
}

/// A plateau: links on which both trees agree.
#[derive(Clone, Copy, Debug)]
struct Plateau {
    /// The cost of the route over it without the plateau; smaller is better.
    rank: u32,
    cost: u32,
    /// Its first link, by its labels on both sides.
    ahead: u32,
    back: u32,
}

impl<S: Source> Search<'_, S> {
    /// Routes over the best plateaus, the most promising first; `limit` bounds what each costs.
    fn over_plateaus(&self, limit: u32, most: usize) -> Result<Vec<Path>, NotFound> {
        let mut plateaus = Vec::new();
        for page in 0..self.pages.pages.len() {
            for half in 0..self.pages.pages[page].nodes.halves.len() {
                plateaus.extend(self.plateau(state(page, half), limit));
            }
        }
        plateaus.sort_by_key(|it| (it.rank, it.cost, it.ahead));
        plateaus.truncate(most);
        plateaus.into_iter().map(|it| self.over(it)).collect()
    }

    fn over(&self, plateau: Plateau) -> Result<Path, NotFound> {
        let mut arcs = Vec::new();
        let first = self.ahead(plateau.ahead, &mut arcs)?;
        let last = self.back(plateau.back, &mut arcs)?;
        let [origins, destinations] = self.ends;
        Ok(Path {
            arcs,
            begin: origins.get(first).map_or(0.0, |it| it.part),
            end: destinations.get(last).map_or(1.0, |it| it.part),
            cost: plateau.cost,
        })
    }

    /// The plateau that begins with this link, if one does, and the route over it costs less than `limit`.
    fn plateau(&self, ahead: u32, limit: u32) -> Option<Plateau> {
        let label = self.pages.label(0, ahead);
        let (back, over) = self.twin(ahead).filter(|_| label.cost != NEVER)?;
        let behind = self.pages.label(1, back);
        let cost = label.cost.checked_add(over)?.checked_add(behind.cost)?;
        if behind.cost == NEVER || cost >= limit {
            return None;
        }
        // It does not begin here where the link before, on the one tree, leads here on the other.
        if label.parent < ROOTS
            && let Some((before, _)) = self.twin(label.parent)
            && self.pages.label(1, before).parent == back
        {
            return None;
        }
        let mut last = (ahead, label.cost.saturating_add(over));
        let mut next = behind.parent;
        for _ in 0..100_000 {
            let Some(following) = self.forward(next) else { break };
            if self.pages.label(0, following).parent != last.0 {
                break;
            }
            let over = self.twin(following)?.1;
            last = (following, self.pages.label(0, following).cost.saturating_add(over));
            next = self.pages.label(1, next).parent;
        }
        let length = last.1.saturating_sub(label.cost);
        Some(Plateau { rank: cost.saturating_sub(length), cost, ahead, back })
    }

    /// A link as the side of the destination knows it, and what it costs.
    fn twin(&self, ahead: u32) -> Option<(u32, u32)> {
        let (half, _) = self.pages.half(ahead);
        let (page, index) = self.pages.number_of(half.other)?;
        let (begin, ends) = self.pages.pages[page].nodes.ends(index);
        let twin = ends.get(usize::from(half.twin)).filter(|it| it.link == half.link)?;
        Some((state(page, begin + usize::from(half.twin)), self.rules.link(twin)))
    }

    /// A link as the side of the origin knows it.
    fn forward(&self, back: u32) -> Option<u32> {
        if back >= ROOTS {
            return None;
        }
        let (half, _) = self.pages.half(back);
        let arc = Arc { node: half.other, slot: half.twin };
        let (page, index) = self.pages.number_of(arc.node)?;
        let (begin, ends) = self.pages.pages[page].nodes.ends(index);
        ends.get(usize::from(arc.slot))?;
        Some(state(page, begin + usize::from(arc.slot)))
    }
}

impl<S: Source> Graph<S> {
    /// Whether every stretch of whole links that takes no longer than `stretch` ms is a fastest route from
    /// its first link to its last.
    ///
    /// It is asked of windows a quarter longer than that, each beginning a quarter after the one before:
    /// every such stretch lies in one of them. So what passes has the property; a route that just has it
    /// may fail. Parts of `best`, which is a fastest route, need not be asked.
    fn is_locally_best(
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
