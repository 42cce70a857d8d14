//! Other routes that are worth showing, by a definition.
//!
//! An alternative takes at most 1.4 times as long as the best route; of the shorter of the two, it shares
//! at most 70 % of the length with any route that is shown before it; it comes by no junction twice; and
//! every stretch of it that takes no longer than a quarter of the best route's time is itself a fastest route
//! between its ends.

use std::collections::HashSet;

use crate::{
    find::{
        Found, NotFound, RouteOptions,
        cost::Rules,
        path::{End, Path},
        search::Search,
    },
    graph::Graph,
    source::{Source, SourceError},
};

/// How much longer an alternative may take than the best route.
pub const LONGER_MAX: f64 = 1.4;
/// Which part of its length it may share with a better one.
pub const SHARED_MAX: f64 = 0.7;
/// Stretches up to this part of the best route's time have no way round that is faster.
pub const STRETCH: f64 = 0.25;

/// How far the two trees are grown: times the best.
const TREES: f64 = 1.25;
/// Routes over plateaus that are looked at.
const LOOKED_AT: usize = 24;
/// Searches with dearer links.
const ROUNDS: usize = 8;
/// Links of a network in which links are made dearer: each takes a byte.
const LINKS_MAX: u32 = 32 << 20;
/// By how many sixteenths a link gets dearer each time a route is found over it.
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
        // The link where one is may be left to either side: its beginning is not come by.
        !way.arcs.iter().skip(1).all(|it| nodes.insert(it.node))
    }

    /// The metres of a route on links that another goes too, in whichever direction.
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

    /// Adds up to `most` − 1 alternatives to the best route: over plateaus, then by making dearer what is
    /// there. Where more would have to be looked at than a query may, there are fewer.
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

    /// Adds a route, if it is an alternative to those that there are.
    fn take(&self, ways: &mut Vec<Path>, way: Path, rules: &Rules) -> Result<(), NotFound> {
        let better: Vec<&Path> = ways.iter().collect();
        if self.is_other(&way, &better, rules)? {
            ways.push(way);
        }
        Ok(())
    }
}
