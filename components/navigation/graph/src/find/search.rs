//! Bidirectional A* search for the cheapest route between ends of links, with lower bounds by landmarks or by the
//! direct distance.
//!
//! The search goes over directed links, not over junctions, so that turns have costs and forbidden turns apply. The
//! forward side knows the cost to the start of a link, the backward side that from its end; a link known to both
//! gives a route.
//!
//! The labels of a search, stored with their blocks, and the extraction of the route.

use std::{cmp::Reverse, collections::BinaryHeap, rc::Rc};

use super::{Mode, NotFound, Rules};
use crate::{
    file::{
        Source, SourceError, damaged,
        nodes::{Half, LANDMARK_MS, NODES, Nodes, UNKNOWN},
        point,
    },
    graph::Graph,
    network::Point,
};

/// Maximum number of settled links.
const SETTLED_MAX: usize = 4_000_000;
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
        let nodes = Rc::clone(&self.pages.pages[page].nodes);
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

/// Cost of unreached links.
pub(super) const NEVER: u32 = u32::MAX;
/// Maximum cost: ten days.
const COST_MAX: u32 = 864_000_000;
/// Parents from here on are origins or destinations, by their number.
pub(super) const ROOTS: u32 = 0xffff_0000;

/// The cost to (or from) an end of a link, and the parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub(super) cost: u32,
    /// The parent as page and half; the highest numbers are origins or destinations.
    pub(super) parent: u32,
    pub(super) settled: bool,
}

const UNSEEN: Label = Label { cost: NEVER, parent: NEVER, settled: false };

/// One block, and its labels.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) nodes: Rc<Nodes>,
    /// The number of its first junction.
    pub(super) first: u32,
    /// Of each half: leaving the junction by it, from the origin (0), and coming to the junction by it,
    /// towards the destination (1).
    pub(super) labels: [Vec<Label>; 2],
}

/// A link in one direction of travel: the junction that it leaves, and by which of the ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Arc {
    pub(crate) node: u32,
    pub(crate) slot: u8,
}

/// The blocks of one search.
#[derive(Debug)]
pub(super) struct Pages<'g, S> {
    graph: &'g Graph<S>,
    /// Of each block of the graph: the number of its page, plus one.
    numbers: Vec<u16>,
    pub(super) pages: Vec<Page>,
}

impl<'g, S: Source> Pages<'g, S> {
    pub(super) fn new(graph: &'g Graph<S>) -> Self {
        let blocks = graph.header.topology.blocks as usize;
        Self { graph, numbers: vec![0; blocks], pages: Vec::new() }
    }

    /// The page of a junction that is there already, and the junction's place in it.
    pub(super) fn number_of(&self, node: u32) -> Option<(usize, usize)> {
        let number = *self.numbers.get(node as usize / NODES)?;
        (number > 0).then(|| (usize::from(number) - 1, node as usize % NODES))
    }

    /// The page of a junction, and the junction's place in it.
    pub(super) fn page(&mut self, node: u32) -> Result<(usize, usize), NotFound> {
        if let Some(number) = self.number_of(node) {
            return Ok(number);
        }
        let block = node / NODES as u32;
        let nodes = self.graph.nodes(block)?;
        let Some(number) = self.numbers.get_mut(block as usize) else {
            return Err(damaged("a junction").into());
        };
        if self.pages.len() >= self.graph.blocks_max {
            return Err(NotFound::TooFar);
        }
        // A block that is shorter than the rest may be the last only; its absent junctions have no ends.
        let expected = (self.graph.header.nodes - block * NODES as u32).min(NODES as u32);
        if nodes.at.len() != expected as usize {
            return Err(damaged("a block of junctions").into());
        }
        let labels = [vec![UNSEEN; nodes.halves.len()], vec![UNSEEN; nodes.halves.len()]];
        self.pages.push(Page { nodes, first: block * NODES as u32, labels });
        *number = self.pages.len() as u16;
        Ok((self.pages.len() - 1, node as usize % NODES))
    }

    /// The half with this number, and the junction it is at: its number, and which of its ends it is.
    pub(super) fn half(&self, state: u32) -> (Half, Arc) {
        let page = &self.pages[(state >> 16) as usize];
        let index = (state & 0xffff) as usize;
        let owner = usize::from(page.nodes.owner[index]);
        let slot = (index - page.nodes.ends(owner).0) as u8;
        (page.nodes.halves[index], Arc { node: page.first + owner as u32, slot })
    }

    pub(super) fn label(&self, side: usize, state: u32) -> &Label {
        &self.pages[(state >> 16) as usize].labels[side][(state & 0xffff) as usize]
    }

    pub(super) fn label_mut(&mut self, side: usize, state: u32) -> &mut Label {
        &mut self.pages[(state >> 16) as usize].labels[side][(state & 0xffff) as usize]
    }
}

/// The number of a half within a search.
pub(super) fn state(page: usize, index: usize) -> u32 {
    (page as u32) << 16 | index as u32
}

impl<S: Source> Graph<S> {
    /// The half that an arc leaves by.
    pub(super) fn leaving(&self, arc: Arc) -> Result<Half, SourceError> {
        let (nodes, index) = self.node(arc.node)?;
        let half = nodes.ends(index).1.get(usize::from(arc.slot)).copied();
        half.ok_or_else(|| damaged("a junction"))
    }
}

/// Where on a link a route begins or ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    /// The link in the direction of travel.
    pub(super) arc: Arc,
    /// Where it leads, and by which of the ends there.
    pub(super) head: Arc,
    /// Which part of the link lies before the place: 0 to 1.
    pub(super) part: f64,
    /// What it costs to get from the place to the link.
    pub(super) access: u32,
    /// The link's cost, from end to end.
    pub(super) cost: u32,
}

impl End {
    pub(super) fn before(&self) -> u32 {
        (f64::from(self.cost) * self.part).round() as u32
    }

    pub(super) fn after(&self) -> u32 {
        self.cost - self.before().min(self.cost)
    }
}

/// A route: links in one direction of travel, and the parts of the first and the last that are not travelled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    pub(super) arcs: Vec<Arc>,
    /// Which part of the first link is behind one at the origin.
    pub(super) begin: f64,
    /// Which part of the last is behind one at the destination.
    pub(super) end: f64,
    /// In milliseconds, the route to the first link included.
    pub(super) cost: u32,
}

/// How the best route known so far joins its two halves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Join {
    /// The link with these labels on either side.
    Link(u32, u32),
    /// The link of the destination with this number, reached from the origin.
    Last(u32, usize),
    /// Both on one link.
    One(usize, usize),
}

impl<S: Source> Search<'_, S> {
    /// The best route that was found.
    pub(super) fn path(&self) -> Result<Option<Path>, NotFound> {
        let Some(join) = self.join else { return Ok(None) };
        let mut arcs = Vec::new();
        let (first, last) = match join {
            Join::One(from, to) => {
                arcs.push(self.ends[0][from].arc);
                (from, to)
            }
            Join::Last(ahead, to) => (self.ahead(ahead, &mut arcs)?, to),
            Join::Link(ahead, back) => {
                let first = self.ahead(ahead, &mut arcs)?;
                (first, self.back(back, &mut arcs)?)
            }
        };
        let (Some(from), Some(to)) = (self.ends[0].get(first), self.ends[1].get(last)) else {
            return Err(damaged("a way has no end").into());
        };
        Ok(Some(Path { arcs, begin: from.part, end: to.part, cost: self.best }))
    }

    /// The links from the origin up to this one; and which of the origins.
    pub(super) fn ahead(&self, mut at: u32, arcs: &mut Vec<Arc>) -> Result<usize, NotFound> {
        for _ in 0..SETTLED_MAX {
            if at >= ROOTS {
                let root = (at & !ROOTS) as usize;
                arcs.push(self.ends[0].get(root).map_or(Arc { node: 0, slot: 0 }, |it| it.arc));
                arcs.reverse();
                return Ok(root);
            }
            arcs.push(self.pages.half(at).1);
            at = self.pages.label(0, at).parent;
        }
        Err(NotFound::TooFar)
    }

    /// The links after this one up to the destination; and which of them.
    pub(super) fn back(&self, at: u32, arcs: &mut Vec<Arc>) -> Result<usize, NotFound> {
        let mut next = self.pages.label(1, at).parent;
        for _ in 0..SETTLED_MAX {
            if next >= ROOTS {
                let root = (next & !ROOTS) as usize;
                arcs.extend(self.ends[1].get(root).map(|it| it.arc));
                return Ok(root);
            }
            let (half, _) = self.pages.half(next);
            arcs.push(Arc { node: half.other, slot: half.twin });
            next = self.pages.label(1, next).parent;
        }
        Err(NotFound::TooFar)
    }
}
