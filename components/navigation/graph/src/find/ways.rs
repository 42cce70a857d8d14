//! The routes between two places.

use crate::{
    file::bytes::damaged,
    find::{
        Found, NotFound, Prefer, RouteOptions, Snap,
        cost::Rules,
        pages::Arc,
        path::{End, Path},
        search::Search,
    },
    graph::Graph,
    network::Point,
    source::{Source, SourceError},
};

/// How far from a road a place may be, in metres.
pub(crate) const OUTSIDE_METRES: f64 = 2_500.0;
/// Alternatives at most.
const WAYS_MAX: usize = 3;
/// Roads near a place that are tried where the nearest leads nowhere.
const TRIED: usize = 8;
/// How much farther than the nearest road those may be, in metres.
const AROUND_METRES: f64 = 500.0;
/// How far one looks for the nearest road, to say how far it is, in metres.
const LOOK_METRES: f64 = 100_000.0;

impl<S: Source> Graph<S> {
    /// The best route, and up to `options.ways` − 1 others, best first: real alternatives to it, or, where the
    /// best is not the fastest, the fastest and alternatives to that.
    ///
    /// It leads from the nearest point of a road to the nearest point of a road; see [`Self::nearest`].
    /// Where there is no route between those two, up to 16 roads each are tried that are at most 500 m
    /// farther, the metres between walked.
    ///
    /// # Errors
    /// When there is none; see [`NotFound`].
    pub fn ways(
        &self,
        from: Point,
        to: Point,
        options: &RouteOptions,
    ) -> Result<Vec<Found>, NotFound> {
        self.trim();
        let rules = Rules::new(options, self.drives_on_left());
        let (origins, destinations, best) = self.best(from, to, &rules)?;
        let mut ways = vec![best];
        let most = options.ways.min(WAYS_MAX);
        if most > 1 && options.prefer == Prefer::Fastest {
            self.alternatives(&mut ways, most, &rules, &origins, &destinations)?;
        } else if most > 1 {
            ways.extend(self.beside(from, to, options, most)?);
            // What is the fastest too is there once.
            let arcs = ways[0].arcs.clone();
            let mut index = 0;
            ways.retain(|way| {
                index += 1;
                index == 1 || way.arcs != arcs
            });
            ways.truncate(most);
        }
        let mut found = Vec::with_capacity(ways.len());
        for path in &ways {
            found.push(self.found(path, &rules)?);
        }
        Ok(found)
    }

    /// The fastest route and its alternatives, to be shown beside one that is best by something else.
    fn beside(
        &self,
        from: Point,
        to: Point,
        options: &RouteOptions,
        most: usize,
    ) -> Result<Vec<Path>, NotFound> {
        let options = RouteOptions { prefer: Prefer::Fastest, ..options.clone() };
        let rules = Rules::new(&options, self.drives_on_left());
        let (origins, destinations, best) = self.best(from, to, &rules)?;
        let mut ways = vec![best];
        self.alternatives(&mut ways, most, &rules, &origins, &destinations)?;
        Ok(ways)
    }

    /// The best route, and the ends that it was found between.
    pub(super) fn best(
        &self,
        from: Point,
        to: Point,
        rules: &Rules,
    ) -> Result<(Vec<End>, Vec<End>, Path), NotFound> {
        let Some(origin) = self.snapped(from, rules)? else {
            return Err(NotFound::OriginOutside(self.farther(from, rules)?));
        };
        let Some(destination) = self.snapped(to, rules)? else {
            return Err(NotFound::DestinationOutside(self.farther(to, rules)?));
        };
        let nearest = (self.ends(&[origin], rules)?, self.ends(&[destination], rules)?);
        if let Some(path) = Search::run(self, rules, None, &nearest.0, &nearest.1)? {
            return Ok((nearest.0, nearest.1, path));
        }
        let origins = self.ends(&self.around(from, rules)?, rules)?;
        let destinations = self.ends(&self.around(to, rules)?, rules)?;
        match Search::run(self, rules, None, &origins, &destinations)? {
            Some(path) => Ok((origins, destinations, path)),
            None => Err(NotFound::NoWay),
        }
    }

    fn snapped(&self, at: Point, rules: &Rules) -> Result<Option<Snap>, SourceError> {
        Ok(self.near(at, rules, OUTSIDE_METRES, 1, false)?.pop())
    }

    /// Roads around a place, and those among them that most others reach: the nearest may lead nowhere.
    fn around(&self, at: Point, rules: &Rules) -> Result<Vec<Snap>, SourceError> {
        let nearest = self.snapped(at, rules)?.map_or(0.0, |it| it.metres);
        let reach = nearest + AROUND_METRES;
        let mut near = self.near(at, rules, reach, TRIED, false)?;
        for snap in self.near(at, rules, reach, TRIED, true)? {
            if near.iter().all(|it| it.link.0 != snap.link.0) {
                near.push(snap);
            }
        }
        Ok(near)
    }

    /// How far it is to the nearest road, if it is not very far.
    fn farther(&self, at: Point, rules: &Rules) -> Result<Option<f64>, SourceError> {
        Ok(self.near(at, rules, LOOK_METRES, 1, false)?.first().map(|it| it.metres))
    }

    /// The directions in which one may travel on the links of these points.
    fn ends(&self, snaps: &[Snap], rules: &Rules) -> Result<Vec<End>, SourceError> {
        let nearest = snaps.iter().map(|it| it.metres).fold(f64::INFINITY, f64::min);
        let mut ends = Vec::new();
        for snap in snaps {
            let (roads, index) = self.road(snap.link.0)?;
            let road = &roads.roads[index];
            let begin = Arc { node: road.from, slot: road.from_slot };
            let end = Arc { node: road.to, slot: road.to_slot };
            let access = rules.access((snap.metres - nearest).max(0.0));
            for (arc, head, part) in [(begin, end, snap.link.1), (end, begin, 1.0 - snap.link.1)] {
                let half = self.leaving(arc)?;
                if half.link != snap.link.0 || half.other != head.node || half.twin != head.slot {
                    return Err(damaged("a road leads elsewhere"));
                }
                if rules.leaves(&half) {
                    ends.push(End { access, ..self.end(arc, part, rules)? });
                }
            }
        }
        Ok(ends)
    }

    /// A place on a link in one direction of travel.
    pub(super) fn end(&self, arc: Arc, part: f64, rules: &Rules) -> Result<End, SourceError> {
        let half = self.leaving(arc)?;
        let head = Arc { node: half.other, slot: half.twin };
        if self.leaving(head)?.link != half.link {
            return Err(damaged("the ends of a link do not agree"));
        }
        Ok(End { arc, head, part, access: 0, cost: rules.link(&half) })
    }
}
