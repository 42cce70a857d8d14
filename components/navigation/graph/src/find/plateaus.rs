//! Other routes from two search trees: where both trees run along the same links, a route over them is as
//! good as can be on either side.

use crate::{
    find::{
        NotFound,
        pages::{Arc, NEVER, ROOTS, state},
        path::Path,
        search::Search,
    },
    source::Source,
};

/// A row of links on which both trees agree.
#[derive(Clone, Copy, Debug)]
struct Plateau {
    /// The route over it, less the plateau itself: the smaller, the better.
    rank: u32,
    cost: u32,
    /// Its first link, as either side knows it.
    ahead: u32,
    back: u32,
}

impl<S: Source> Search<'_, S> {
    /// Routes over the best plateaus, the most promising first; `limit` bounds what each costs.
    pub(super) fn over_plateaus(&self, limit: u32, most: usize) -> Result<Vec<Path>, NotFound> {
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
