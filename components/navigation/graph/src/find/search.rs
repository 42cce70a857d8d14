//! Bidirectional A* search for the cheapest route between ends of links, with lower bounds by landmarks or by the
//! direct distance.
//!
//! The search goes over directed links, not over junctions, so that turns have costs and forbidden turns apply. The
//! forward side knows the cost to the start of a link, the backward side that from its end; a link known to both
//! gives a route.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::{
    Mode, NotFound,
    cost::Rules,
    labels::{Arc, COST_MAX, End, Join, NEVER, Pages, Path, ROOTS, state},
};
use crate::{
    file::{
        Source, SourceError, damaged,
        header::point,
        nodes::{Half, LANDMARK_MS, Nodes, UNKNOWN},
    },
    graph::Graph,
    network::Point,
};

/// Maximum number of settled links.
pub(super) const SETTLED_MAX: usize = 4_000_000;
/// Maximum number of settled links in a search around the best route.
const WIDE_MAX: usize = 300_000;

/// Penalties of links in sixteenths, for alternatives.
type Dearer<'d> = &'d [u8];

/// The state of one search.
pub(super) struct Search<'g, S> {
    pub(super) rules: &'g Rules,
    dearer: Option<Dearer<'g>>,
    pub(super) pages: Pages<'g, S>,
    pub(super) ends: [&'g [End]; 2],
    bounds: [Bounds; 2],
    queues: [BinaryHeap<Reverse<(u32, u32)>>; 2],
    pub(super) best: u32,
    pub(super) join: Option<Join>,
    /// Whether to find everything cheaper than `best`, not only the best route.
    wide: bool,
}

impl<'g, S: Source> Search<'g, S> {
    /// Finds the cheapest route from one of `origins` to one of `destinations`.
    ///
    /// # Errors
    /// When the file cannot be read, or the search exceeds its limit.
    pub(super) fn run(
        graph: &'g Graph<S>,
        rules: &'g Rules,
        dearer: Option<Dearer<'g>>,
        origins: &'g [End],
        destinations: &'g [End],
    ) -> Result<Option<Path>, NotFound> {
        let mut search = Self::new(graph, rules, dearer, origins, destinations)?;
        search.begin()?;
        search.settle()?;
        search.path()
    }

    /// Settles all links on routes cheaper than `limit`, from both sides.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(super) fn wide(
        graph: &'g Graph<S>,
        rules: &'g Rules,
        origins: &'g [End],
        destinations: &'g [End],
        limit: u32,
    ) -> Result<Self, NotFound> {
        let mut search = Self::new(graph, rules, None, origins, destinations)?;
        search.best = limit;
        search.wide = true;
        search.begin()?;
        search.settle()?;
        Ok(search)
    }

    fn new(
        graph: &'g Graph<S>,
        rules: &'g Rules,
        dearer: Option<Dearer<'g>>,
        origins: &'g [End],
        destinations: &'g [End],
    ) -> Result<Self, NotFound> {
        let tails: Vec<u32> = destinations.iter().map(|it| it.arc.node).collect();
        let heads: Vec<u32> = origins.iter().map(|it| it.head.node).collect();
        Ok(Self {
            rules,
            dearer,
            pages: Pages::new(graph),
            ends: [origins, destinations],
            bounds: [Bounds::to(graph, rules, &tails)?, Bounds::from(graph, rules, &heads)?],
            queues: Default::default(),
            best: COST_MAX,
            join: None,
            wide: false,
        })
    }

    fn begin(&mut self) -> Result<(), NotFound> {
        let [origins, destinations] = self.ends;
        for (from, origin) in origins.iter().enumerate() {
            for (to, end) in destinations.iter().enumerate() {
                if origin.arc == end.arc && origin.part <= end.part {
                    let on_link = end.before() - origin.before().min(end.before());
                    let cost = origin.access.saturating_add(end.access).saturating_add(on_link);
                    self.join(cost, Join::One(from, to));
                }
            }
        }
        for (index, origin) in origins.iter().enumerate() {
            let cost = origin.access.saturating_add(origin.after());
            self.spread(0, origin.head, cost, ROOTS | index as u32)?;
        }
        for (index, end) in destinations.iter().enumerate() {
            let cost = end.access.saturating_add(end.before());
            self.spread(1, end.arc, cost, ROOTS | index as u32)?;
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), NotFound> {
        for _ in 0..if self.wide { WIDE_MAX } else { SETTLED_MAX } {
            let Some((side, other_top)) = self.side() else { return Ok(()) };
            let Some(Reverse((_, settled))) = self.queues[side].pop() else { return Ok(()) };
            let label = self.pages.label_mut(side, settled);
            if std::mem::replace(&mut label.settled, true) {
                continue;
            }
            let cost = label.cost;
            self.expand(side, settled, cost, other_top)?;
        }
        Err(NotFound::TooFar)
    }

    /// Returns the side to continue and the lowest key of the other; none when finished.
    fn side(&mut self) -> Option<(usize, u32)> {
        let tops = [0, 1].map(|side| self.top(side));
        let fewer = usize::from(self.queues[1].len() < self.queues[0].len());
        if self.wide {
            let more = |it: &usize| tops[*it].is_some_and(|top| top < self.best);
            return [fewer, 1 - fewer].into_iter().find(more).map(|it| (it, 0));
        }
        let [Some(ahead), Some(back)] = tops else { return None };
        (ahead.max(back) < self.best).then_some((fewer, tops[1 - fewer]?))
    }

    /// Returns the lowest unsettled key of one side.
    fn top(&mut self, side: usize) -> Option<u32> {
        while let Some(&Reverse((key, state))) = self.queues[side].peek() {
            if !self.pages.label(side, state).settled {
                return Some(key);
            }
            self.queues[side].pop();
        }
        None
    }

    /// Expands a settled link to the links after it, or before it on the backward side.
    fn expand(
        &mut self,
        side: usize,
        settled: u32,
        cost: u32,
        other_top: u32,
    ) -> Result<(), NotFound> {
        let (half, _) = self.pages.half(settled);
        let far = Arc { node: half.other, slot: half.twin };
        let cost = cost.saturating_add(self.cost(&half));
        if cost >= self.best {
            return Ok(());
        }
        // Links settled by the other side are joined already; others cost at least its lowest key minus the bound.
        let (page, index) = self.pages.page(far.node)?;
        let (begin, ends) = self.pages.pages[page].nodes.ends(index);
        if ends.get(usize::from(far.slot)).is_none_or(|it| it.link != half.link) {
            return Err(damaged("the ends of a link do not agree").into());
        }
        if self.wide {
            return self.spread(side, far, cost, settled);
        }
        let other = self.pages.label(1 - side, state(page, begin + usize::from(far.slot)));
        if other.settled {
            return Ok(());
        }
        let behind = self.bounds[1 - side].at(&self.pages.pages[page].nodes, index);
        if behind == NEVER || cost.saturating_add(other_top.saturating_sub(behind)) >= self.best {
            return Ok(());
        }
        self.spread(side, far, cost, settled)
    }

    /// Labels all links after (before) a junction reached by one of its ends.
    fn spread(&mut self, side: usize, at: Arc, cost: u32, parent: u32) -> Result<(), NotFound> {
        let (page, index) = self.pages.page(at.node)?;
        let nodes = std::rc::Rc::clone(&self.pages.pages[page].nodes);
        let bound = self.bounds[side].at(&nodes, index);
        if bound == NEVER {
            return Ok(());
        }
        let (begin, ends) = nodes.ends(index);
        for (slot, half) in ends.iter().enumerate() {
            let turn = match side {
                0 if self.rules.leaves(half) => {
                    self.rules.turn(&nodes, index, usize::from(at.slot), slot)
                }
                1 if self.rules.comes(half) => {
                    self.rules.turn(&nodes, index, slot, usize::from(at.slot))
                }
                _ => None,
            };
            if let Some(turn) = turn {
                let cost = cost.saturating_add(turn);
                self.reach(side, state(page, begin + slot), half, cost, bound, parent);
            }
        }
        Ok(())
    }

    fn reach(&mut self, side: usize, to: u32, half: &Half, cost: u32, bound: u32, parent: u32) {
        let key = cost.saturating_add(bound);
        let label = self.pages.label_mut(side, to);
        if cost >= label.cost || label.settled || key >= self.best {
            return;
        }
        label.cost = cost;
        label.parent = parent;
        self.queues[side].push(Reverse((key, to)));
        let over = cost.saturating_add(self.cost(half));
        if let Some((page, index)) = self.pages.number_of(half.other) {
            let begin = self.pages.pages[page].nodes.ends(index).0;
            let twin = state(page, begin + usize::from(half.twin));
            let labels = &self.pages.pages[page].labels[1 - side];
            if let Some(label) = labels.get(begin + usize::from(half.twin))
                && label.cost != NEVER
            {
                let (ahead, back) = if side == 0 { (to, twin) } else { (twin, to) };
                self.join(over.saturating_add(label.cost), Join::Link(ahead, back));
            }
        }
        if side == 0 {
            let (_, arc) = self.pages.half(to);
            for (index, end) in self.ends[1].iter().enumerate().filter(|it| it.1.arc == arc) {
                let cost = cost.saturating_add(end.before()).saturating_add(end.access);
                self.join(cost, Join::Last(to, index));
            }
        }
    }

    fn join(&mut self, cost: u32, join: Join) {
        if cost < self.best && !self.wide {
            self.best = cost;
            self.join = Some(join);
        }
    }

    fn cost(&self, half: &Half) -> u32 {
        let cost = self.rules.link(half);
        let more = self.dearer.map_or(0, |it| it.get(half.link as usize).copied().unwrap_or(0));
        cost.saturating_add((cost / 16).saturating_mul(u32::from(more)))
    }
}

/// The goals of one side of a search, for lower bounds.
#[derive(Debug)]
struct Bounds {
    goals: Vec<Goal>,
    /// Whether it bounds the cost to the goals, not from them.
    to: bool,
    /// Minimum cost per metre of direct distance, where that is the better bound.
    pace: Option<f64>,
    /// Whether landmarks show which goals cars cannot reach.
    landmarks: bool,
}

#[derive(Debug)]
struct Goal {
    at: Point,
    landmarks: Vec<(u32, u32)>,
}

impl Bounds {
    /// Creates the bounds from a junction to the nearest of `nodes`.
    pub(super) fn to<S: Source>(
        graph: &Graph<S>,
        rules: &Rules,
        nodes: &[u32],
    ) -> Result<Self, SourceError> {
        Self::new(graph, rules, nodes, true)
    }

    /// Creates the bounds from the nearest of `nodes` to a junction.
    pub(super) fn from<S: Source>(
        graph: &Graph<S>,
        rules: &Rules,
        nodes: &[u32],
    ) -> Result<Self, SourceError> {
        Self::new(graph, rules, nodes, false)
    }

    fn new<S: Source>(
        graph: &Graph<S>,
        rules: &Rules,
        nodes: &[u32],
        to: bool,
    ) -> Result<Self, SourceError> {
        let mut goals = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let (block, index) = graph.node(node)?;
            let (lat, lng) = block.at[index];
            let landmarks = graph.header.landmarks as usize;
            let times = &block.landmarks[index * landmarks..(index + 1) * landmarks];
            goals.push(Goal { at: point(lat, lng), landmarks: times.to_vec() });
        }
        let pace = rules.crow_cost(&graph.header.crow);
        Ok(Self { goals, to, pace, landmarks: rules.mode == Mode::Drive })
    }

    /// Returns the bound of a junction; [`NEVER`] where no goal is reachable.
    pub(super) fn at(&self, nodes: &Nodes, index: usize) -> u32 {
        let bound = if self.landmarks { self.by_landmarks(nodes, index) } else { 0 };
        if let Some(pace) = self.pace
            && bound != NEVER
        {
            let (lat, lng) = nodes.at[index];
            let here = point(lat, lng);
            let metres = self.goals.iter().map(|it| it.at.metres_to(here)).fold(f64::MAX, f64::min);
            return (metres * pace) as u32;
        }
        bound
    }

    fn by_landmarks(&self, nodes: &Nodes, index: usize) -> u32 {
        let landmarks = nodes.landmarks.len() / nodes.at.len().max(1);
        let here = &nodes.landmarks[index * landmarks..(index + 1) * landmarks];
        let least = self.goals.iter().map(|it| it.bound(here, self.to)).min();
        match least {
            None | Some(NEVER) => least.unwrap_or(0),
            Some(steps) => steps.saturating_mul(LANDMARK_MS),
        }
    }
}

impl Goal {
    fn bound(&self, here: &[(u32, u32)], to: bool) -> u32 {
        let mut most = 0;
        for (goal, here) in self.landmarks.iter().zip(here) {
            let (begin, end) = if to { (here, goal) } else { (goal, here) };
            // Triangle inequality: the landmark is no farther from the end than over the start …
            if end.0 != UNKNOWN && begin.0 != UNKNOWN {
                most = most.max(end.0.saturating_sub(begin.0));
            } else if begin.0 != UNKNOWN {
                // … so where only the start is reachable, there is no route between them.
                return NEVER;
            }
            if end.1 != UNKNOWN && begin.1 != UNKNOWN {
                most = most.max(begin.1.saturating_sub(end.1));
            } else if end.1 != UNKNOWN {
                return NEVER;
            }
        }
        most
    }
}
