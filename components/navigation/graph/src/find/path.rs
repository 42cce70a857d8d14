//! A route as a search knows it, and how it is read from what the search has labelled.

use crate::{
    file::bytes::damaged,
    find::{
        NotFound,
        pages::{Arc, ROOTS},
        search::{SETTLED_MAX, Search},
    },
    source::Source,
};

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
