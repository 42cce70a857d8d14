//! The labels of a search, stored with their blocks, and the extraction of the route.

use std::rc::Rc;

use super::{
    NotFound,
    search::{SETTLED_MAX, Search},
};
use crate::{
    file::{
        Source, SourceError, damaged,
        nodes::{Half, NODES, Nodes},
    },
    graph::Graph,
};

/// Cost of unreached links.
pub(super) const NEVER: u32 = u32::MAX;
/// Maximum cost: ten days.
pub(super) const COST_MAX: u32 = 864_000_000;
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
