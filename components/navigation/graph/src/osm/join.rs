//! Converts ways into links: cuts them at junctions, and joins similar ones. Converts relations of the type
//! `restriction` into forbidden turns.
//!
//! Closes links that cars cannot reach or leave, so that no route starts in a fenced yard.

use std::collections::{HashMap, HashSet};

use osmpbf::{RelMemberType, Relation};

use super::{
    extract::{Nodes, Relations, Way, Ways},
    road::{self, Road, Tags},
};
use crate::network::{Class, Forbidden, Link, Node, Point, Text};

/// Stands for no node.
const NONE: u32 = u32::MAX;

/// A piece of a way between two kept nodes: indexes of its nodes with both ends.
struct Piece {
    pub(super) points: Vec<u32>,
    /// Index of its road.
    pub(super) road: u32,
    /// Its first and last way.
    pub(super) ways: (i64, i64),
    /// The speed of a ferry with a duration.
    pub(super) kmh: Option<u8>,
}

/// Nodes and links with their origins.
#[derive(Default)]
pub(super) struct Joined {
    pub(super) nodes: Vec<Node>,
    pub(super) links: Vec<Link>,
    ways: Vec<(i64, i64)>,
    number: Vec<u32>,
}

impl Joined {
    /// Returns the network's node of an extract's node.
    pub(super) fn node(&self, index: u32) -> Option<u32> {
        self.number.get(index as usize).copied().filter(|it| *it != NONE)
    }

    /// Whether a link belongs to that way at a node.
    fn is_of_way(&self, link: u32, node: u32, way: i64) -> bool {
        let (first, last) = self.ways[link as usize];
        let link = &self.links[link as usize];
        (link.from == node && first == way) || (link.to == node && last == way)
    }

    /// Removes links that are closed to all.
    pub(super) fn drop_closed(&mut self) {
        let is_open =
            |it: &Link| it.walkers || it.cars != (false, false) || it.cycles != (false, false);
        let mut open = self.links.iter().map(is_open).collect::<Vec<_>>().into_iter();
        self.ways.retain(|_| open.next().unwrap_or_default());
        self.links.retain(is_open);
    }

    /// Returns the first way of a link.
    pub(super) fn way(&self, link: usize) -> i64 {
        self.ways[link].0
    }
}

/// Joins ways at their nodes into links and junctions.
pub(super) fn join(ways: &Ways, nodes: &Nodes, relations: &Relations) -> Joined {
    let runs = runs(ways, nodes);
    let mut kept = stays(&runs, nodes);
    kept.extend(relations.turns.iter().filter_map(|it| nodes.index(it.via)));
    kept.extend(nodes.stops.iter().chain(nodes.names.keys()).copied());
    let met = meetings(&runs, nodes.ids.len());
    let mut pieces = Vec::new();
    for (way, run) in &runs {
        cut(way, run, &kept, &met, nodes, &mut pieces);
    }
    drop(runs);
    let mut joined = Joined { number: vec![NONE; nodes.ids.len()], ..Joined::default() };
    for piece in chains(pieces, &ways.roads, &kept, nodes.ids.len()) {
        joined.add(&piece, ways, nodes);
    }
    joined
}

/// Returns the runs of existing nodes of each way.
fn runs<'w>(ways: &'w Ways, nodes: &Nodes) -> Vec<(&'w Way, Vec<u32>)> {
    let mut runs = Vec::new();
    for way in &ways.list {
        let mut run = Vec::new();
        for id in &ways.refs[way.refs.clone()] {
            match nodes.index(*id).filter(|it| nodes.at(*it).is_some()) {
                Some(index) => run.push(index),
                None => runs.push((way, std::mem::take(&mut run))),
            }
        }
        runs.push((way, run));
    }
    runs.retain(|(_, run)| run.len() > 1);
    runs
}

/// Returns the nodes to keep: those where ways meet or end.
fn stays(runs: &[(&Way, Vec<u32>)], nodes: &Nodes) -> HashSet<u32> {
    // Number of ways at a node: two is a bend, anything else a junction or an end.
    let mut goes = vec![0_u8; nodes.ids.len()];
    for (_, run) in runs {
        for (at, index) in run.iter().enumerate() {
            let sides = u8::from(at > 0) + u8::from(at + 1 < run.len());
            let goes = &mut goes[*index as usize];
            *goes = goes.saturating_add(sides);
        }
    }
    (0..).zip(goes).filter(|(_, goes)| *goes > 0 && *goes != 2).map(|(index, _)| index).collect()
}

/// For each node, whether a way ends there.
fn meetings(runs: &[(&Way, Vec<u32>)], count: usize) -> Vec<bool> {
    let mut met = vec![false; count];
    for (_, run) in runs {
        for end in [run.first(), run.last()].into_iter().flatten() {
            met[*end as usize] = true;
        }
    }
    met
}

/// Cuts a way at kept nodes; closed pieces are cut once more.
fn cut(
    way: &Way,
    run: &[u32],
    kept: &HashSet<u32>,
    met: &[bool],
    nodes: &Nodes,
    pieces: &mut Vec<Piece>,
) {
    let kmh = way.seconds.map(|seconds| {
        let metres: f64 = run.windows(2).map(|it| between(nodes, it[0], it[1])).sum();
        road::whole_kmh(metres / f64::from(seconds) * 3.6)
    });
    let mut begin = 0;
    for end in 1..run.len() {
        let index = run[end];
        let must = end + 1 == run.len() || kept.contains(&index) || met[index as usize];
        if must || end - begin >= POINTS_MAX {
            let points = run[begin..=end].to_vec();
            pieces.push(Piece { points, road: way.road, ways: (way.id, way.id), kmh });
            begin = end;
        }
    }
}

fn between(nodes: &Nodes, a: u32, b: u32) -> f64 {
    let at = |it| nodes.at(it).unwrap_or_default();
    at(a).metres_to(at(b))
}

impl Joined {
    /// Converts a piece into a link, or into two if it is closed.
    fn add(&mut self, piece: &Piece, ways: &Ways, nodes: &Nodes) {
        let points = &piece.points;
        if points.first() != points.last() {
            self.add_link(points, piece, ways, nodes);
        } else if points.len() > 3 {
            let middle = points.len() / 2;
            self.add_link(&points[..=middle], piece, ways, nodes);
            self.add_link(&points[middle..], piece, ways, nodes);
        }
    }

    fn add_link(&mut self, points: &[u32], piece: &Piece, ways: &Ways, nodes: &Nodes) {
        let [first, between @ .., last] = points else { return };
        let (from, to) = (self.node_of(*first, nodes), self.node_of(*last, nodes));
        let road = &ways.roads[piece.road as usize];
        let metres: f64 = points.windows(2).map(|it| self::between(nodes, it[0], it[1])).sum();
        let shape: Vec<Point> = between.iter().filter_map(|it| nodes.at(*it)).collect();
        let kmh = if road.class == Class::Ferry { piece.kmh } else { None };
        self.ways.push(piece.ways);
        self.links.push(Link {
            from,
            to,
            shape,
            metres: metres.max(0.1),
            class: road.class,
            kmh: kmh.unwrap_or(road.kmh),
            name: Text { local: road.local.clone(), en: road.en.clone() },
            number: road.number.clone(),
            cars: road.cars,
            walkers: road.walkers,
            cycles: road.cycles,
            stops: road.stops,
            toll: road.toll,
            ramp: road.ramp,
            roundabout: road.roundabout,
        });
    }

    fn node_of(&mut self, index: u32, nodes: &Nodes) -> u32 {
        let number = &mut self.number[index as usize];
        if *number == NONE {
            *number = u32::try_from(self.nodes.len()).unwrap_or(NONE);
            let name = nodes.names.get(&index).cloned().unwrap_or_default();
            self.nodes.push(Node { at: nodes.at(index).unwrap_or_default(), name });
        }
        *number
    }
}

/// Maximum number of points of a link; longer ones are cut.
const POINTS_MAX: usize = 400;

/// The two ends of pieces that meet at a node: index of the piece, twice, plus one for its end.
#[derive(Clone, Copy)]
struct Meeting(u32, u32);

/// Joins pieces as far as possible, except at nodes in `kept`.
fn chains(mut pieces: Vec<Piece>, roads: &[Road], kept: &HashSet<u32>, nodes: usize) -> Vec<Piece> {
    let meetings = ends_that_meet(&pieces, kept, nodes);
    let mut chains = Vec::with_capacity(pieces.len() / 2);
    for start in 0..pieces.len() {
        if pieces[start].points.is_empty() {
            continue;
        }
        let mut chain = take(&mut pieces, start);
        // Forwards, then the other way round.
        for is_reversed in [false, true] {
            grow(&mut chain, is_reversed, &mut pieces, roads, &meetings);
            reverse(&mut chain);
        }
        chains.push(chain);
    }
    chains
}

fn ends_that_meet(pieces: &[Piece], kept: &HashSet<u32>, nodes: usize) -> Vec<Meeting> {
    let mut meetings = vec![Meeting(NONE, NONE); nodes];
    for (index, piece) in (0_u32..).zip(pieces) {
        let ends = [(piece.points.first(), index * 2), (piece.points.last(), index * 2 + 1)];
        for (node, end) in ends.into_iter().filter_map(|(node, end)| Some((*node?, end))) {
            let meeting = &mut meetings[node as usize];
            // A node of three pieces is kept anyway.
            if meeting.0 == NONE {
                meeting.0 = end;
            } else {
                meeting.1 = end;
            }
        }
    }
    for node in kept {
        meetings[*node as usize] = Meeting(NONE, NONE);
    }
    meetings
}

/// Takes a piece, leaving an empty one.
fn take(pieces: &mut [Piece], index: usize) -> Piece {
    let piece = &mut pieces[index];
    let points = std::mem::take(&mut piece.points);
    Piece { points, road: piece.road, ways: piece.ways, kmh: piece.kmh }
}

fn reverse(piece: &mut Piece) {
    piece.points.reverse();
    piece.ways = (piece.ways.1, piece.ways.0);
}

/// Appends pieces at the end as long as possible.
fn grow(
    chain: &mut Piece,
    is_reversed: bool,
    pieces: &mut [Piece],
    roads: &[Road],
    meetings: &[Meeting],
) {
    while let Some(end) = chain.points.last().copied() {
        let Meeting(a, b) = meetings[end as usize];
        if a == NONE || b == NONE {
            return;
        }
        let next = [a, b].into_iter().find(|it| !pieces[(it / 2) as usize].points.is_empty());
        let Some(next) = next else { return };
        let piece = &pieces[(next / 2) as usize];
        let is_backwards = next % 2 == 1;
        let (cars, cycles) = {
            let road = &roads[piece.road as usize];
            (road.cars, road.cycles)
        };
        let fits = piece.road == chain.road && piece.kmh == chain.kmh;
        let is_one_way = cars.0 != cars.1 || cycles.0 != cycles.1;
        let turns = is_backwards != is_reversed && is_one_way;
        if !fits || turns || chain.points.len() + piece.points.len() > POINTS_MAX {
            return;
        }
        let mut piece = take(pieces, (next / 2) as usize);
        if is_backwards {
            reverse(&mut piece);
        }
        chain.points.extend(piece.points.iter().skip(1));
        chain.ways.1 = piece.ways.1;
    }
}

/// Maximum number of ways on one side of a turn.
const SIDE_MAX: usize = 16;

/// A turn of the extract: ways and the node between them.
pub(super) struct Turn {
    from: Vec<i64>,
    pub(super) via: i64,
    to: Vec<i64>,
    /// Whether only these ways are allowed, rather than forbidden.
    is_only: bool,
}

/// Parses the turn of a relation; none where it does not apply to cars, goes over a way, or is incomplete.
pub(super) fn turn(tags: &Tags<'_>, relation: &Relation<'_>) -> Option<Turn> {
    let keys = ["restriction:motorcar", "restriction:motor_vehicle", "restriction"];
    let says = keys.iter().find_map(|key| tags.get(key))?;
    let excepts = tags.get("except").unwrap_or_default();
    if excepts.split(';').any(|it| matches!(it.trim(), "motorcar" | "motor_vehicle" | "vehicle")) {
        return None;
    }
    let is_only = says.starts_with("only_");
    if !is_only && !says.starts_with("no_") {
        return None;
    }
    let (mut from, mut via, mut to) = (Vec::new(), None, Vec::new());
    for member in relation.members() {
        match (member.role().unwrap_or_default(), member.member_type) {
            ("from", RelMemberType::Way) if from.len() < SIDE_MAX => from.push(member.member_id),
            ("to", RelMemberType::Way) if to.len() < SIDE_MAX => to.push(member.member_id),
            ("via", RelMemberType::Node) if via.is_none() => via = Some(member.member_id),
            ("via", _) => return None,
            _ => {}
        }
    }
    let is_whole = !from.is_empty() && !to.is_empty();
    is_whole.then_some(Turn { from, via: via?, to, is_only })
}

/// Returns the forbidden turns between links: those of relations, and those over barriers.
pub(super) fn forbidden(joined: &Joined, turns: &[Turn], nodes: &Nodes) -> Vec<Forbidden> {
    let mut at = HashMap::<u32, Vec<u32>>::new();
    for turn in turns {
        at.extend(nodes.index(turn.via).and_then(|it| joined.node(it)).map(|it| (it, Vec::new())));
    }
    let stops: Vec<u32> = nodes.stops.iter().filter_map(|it| joined.node(*it)).collect();
    at.extend(stops.iter().map(|it| (*it, Vec::new())));
    for (index, link) in (0..).zip(&joined.links) {
        for end in [link.from, link.to] {
            if let Some(links) = at.get_mut(&end) {
                links.push(index);
            }
        }
    }
    let mut all = Vec::new();
    for turn in turns {
        let over = nodes.index(turn.via).and_then(|it| joined.node(it));
        let Some((over, links)) = over.and_then(|it| Some((it, at.get(&it)?))) else { continue };
        of_turn(joined, turn, over, links, &mut all);
    }
    for over in stops {
        let links = at.get(&over).map(Vec::as_slice).unwrap_or_default();
        let pairs = links.iter().flat_map(|from| links.iter().map(move |to| (*from, *to)));
        all.extend(pairs.filter(|(from, to)| from != to).map(|(from, to)| Forbidden {
            from,
            over,
            to,
        }));
    }
    all.sort_unstable_by_key(|it| (it.from, it.over, it.to));
    all.dedup();
    all
}

fn of_turn(joined: &Joined, turn: &Turn, over: u32, links: &[u32], all: &mut Vec<Forbidden>) {
    let comes = |link: &u32| {
        let link = &joined.links[*link as usize];
        (link.to == over && link.cars.0) || (link.from == over && link.cars.1)
    };
    let of = |link: u32, ways: &[i64]| ways.iter().any(|way| joined.is_of_way(link, over, *way));
    let froms: Vec<u32> =
        links.iter().copied().filter(|it| comes(it) && of(*it, &turn.from)).collect();
    let tos: Vec<u32> = links.iter().copied().filter(|it| of(*it, &turn.to)).collect();
    // A way that continues beyond the node is ambiguous.
    if froms.len() > turn.from.len() || tos.is_empty() {
        return;
    }
    for from in froms {
        if turn.is_only {
            let others = links.iter().copied().filter(|it| *it != from && !tos.contains(it));
            all.extend(others.map(|to| Forbidden { from, over, to }));
        } else if tos.len() <= turn.to.len() {
            all.extend(tos.iter().map(|to| Forbidden { from, over, to: *to }));
        }
    }
}

/// Networks with fewer links stay unchanged.
const LINKS_MIN: usize = 100;
/// Minimum size of a kept part: this fraction of the largest part's directed links (a fifth), or this number of them.
/// Real islands have their own roads.
const SHARE: usize = 5;
const ARCS: usize = 2000;

/// Closes to cars the links that cannot be reached from a part that is kept, or left towards one.
///
/// Looked at are links in their directions and the turns between them: behind a turn that is not
/// allowed, a road may lead nowhere though it touches another one.
pub(super) fn close(nodes: usize, links: &mut [Link], forbidden: &[Forbidden]) {
    if links.len() < LINKS_MIN {
        return;
    }
    let outs = outs(nodes, links, forbidden);
    let parts = parts(&outs);
    let mut sizes = vec![0_usize; outs.len()];
    for (arc, part) in parts.iter().enumerate() {
        sizes[*part as usize] += usize::from(is_open(links, arc));
    }
    let largest = sizes.iter().copied().max().unwrap_or_default();
    let is_kept = |size: usize| size > 0 && (size * SHARE >= largest || size >= ARCS);
    let kept: Vec<bool> = parts.iter().map(|it| is_kept(sizes[*it as usize])).collect();
    let from = reached(&kept, &outs);
    let to = reached(&kept, &reversed(&outs));
    for (index, link) in links.iter_mut().enumerate() {
        let either = |of: &[bool]| of[index * 2] || of[index * 2 + 1];
        if !either(&from) || !either(&to) {
            link.cars = (false, false);
        }
    }
}

/// A directed link is twice the link's index, plus one for the opposite direction.
fn is_open(links: &[Link], arc: usize) -> bool {
    let link = &links[arc / 2];
    link.class != Class::Path && if arc.is_multiple_of(2) { link.cars.0 } else { link.cars.1 }
}

/// Returns the links that cars can enter from the end of each link.
fn outs(nodes: usize, links: &[Link], forbidden: &[Forbidden]) -> Vec<Vec<u32>> {
    let forbidden: HashSet<(u32, u32, u32)> =
        forbidden.iter().map(|it| (it.from, it.over, it.to)).collect();
    let mut begin = vec![Vec::new(); nodes];
    for (index, link) in (0_u32..).zip(links) {
        for (arc, node) in [(index * 2, link.from), (index * 2 + 1, link.to)] {
            if is_open(links, arc as usize) {
                begin[node as usize].push(arc);
            }
        }
    }
    let out = |arc: u32| {
        let link = &links[arc as usize / 2];
        let over = if arc.is_multiple_of(2) { link.to } else { link.from };
        let may = |it: &u32| !forbidden.contains(&(arc / 2, over, it / 2));
        let all = begin[over as usize].iter().copied().filter(may);
        let (back, on): (Vec<u32>, Vec<u32>) = all.partition(|it| it / 2 == arc / 2);
        // Cars turn back only at dead ends.
        if on.is_empty() { back } else { on }
    };
    let arcs = (0_u32..).take(links.len() * 2);
    arcs.map(|it| if is_open(links, it as usize) { out(it) } else { Vec::new() }).collect()
}

fn reversed(outs: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut ins = vec![Vec::new(); outs.len()];
    for (arc, outs) in (0_u32..).zip(outs) {
        outs.iter().for_each(|it| ins[*it as usize].push(arc));
    }
    ins
}

/// Returns what is reachable from any of these.
fn reached(from: &[bool], outs: &[Vec<u32>]) -> Vec<bool> {
    let mut reached = from.to_vec();
    let mut open: Vec<usize> = (0..from.len()).filter(|it| from[*it]).collect();
    while let Some(arc) = open.pop() {
        for out in &outs[arc] {
            if !std::mem::replace(&mut reached[*out as usize], true) {
                open.push(*out as usize);
            }
        }
    }
    reached
}

/// Returns the strongly connected component of each, by Tarjan's algorithm with an explicit stack, because chains of a
/// million links would overflow a recursion.
fn parts(outs: &[Vec<u32>]) -> Vec<u32> {
    let mut search = Search {
        order: vec![0; outs.len()],
        low: vec![0; outs.len()],
        part: vec![u32::MAX; outs.len()],
        open: Vec::new(),
        next: 1,
        parts: 0,
    };
    for start in 0..outs.len() {
        if search.order[start] == 0 {
            search.from(start, outs);
        }
    }
    search.part
}

struct Search {
    order: Vec<u32>,
    low: Vec<u32>,
    part: Vec<u32>,
    open: Vec<usize>,
    next: u32,
    parts: u32,
}

impl Search {
    fn from(&mut self, start: usize, outs: &[Vec<u32>]) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((node, out)) = path.last_mut() {
            let node = *node;
            let Some(next) = outs[node].get(*out) else {
                path.pop();
                self.leave(node, path.last().map(|it| it.0));
                continue;
            };
            *out += 1;
            let next = *next as usize;
            if self.order[next] == 0 {
                self.enter(next);
                path.push((next, 0));
            } else if self.part[next] == u32::MAX {
                self.low[node] = self.low[node].min(self.order[next]);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.open.push(node);
    }

    fn leave(&mut self, node: usize, before: Option<usize>) {
        if self.low[node] == self.order[node] {
            while let Some(of_it) = self.open.pop() {
                self.part[of_it] = self.parts;
                if of_it == node {
                    break;
                }
            }
            self.parts += 1;
        }
        if let Some(before) = before {
            self.low[before] = self.low[before].min(self.low[node]);
        }
    }
}
