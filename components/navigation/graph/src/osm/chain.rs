//! Pieces put together: where two of one road meet and nothing else does, there is no junction.

use std::collections::HashSet;

use super::{join::Piece, road::Road};

/// Points of one link at most; a longer one is cut.
pub(super) const POINTS_MAX: usize = 400;
/// Stands for no piece.
const NONE: u32 = u32::MAX;

/// The two ends of pieces that meet at a node: index of the piece, twice, plus one for its end.
#[derive(Clone, Copy)]
struct Meeting(u32, u32);

/// The pieces, as long as they can be. A node in `kept` stays an end.
pub(super) fn chains(
    mut pieces: Vec<Piece>,
    roads: &[Road],
    kept: &HashSet<u32>,
    nodes: usize,
) -> Vec<Piece> {
    let meetings = meetings(&pieces, kept, nodes);
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

fn meetings(pieces: &[Piece], kept: &HashSet<u32>, nodes: usize) -> Vec<Meeting> {
    let mut meetings = vec![Meeting(NONE, NONE); nodes];
    for (index, piece) in (0_u32..).zip(pieces) {
        let ends = [(piece.points.first(), index * 2), (piece.points.last(), index * 2 + 1)];
        for (node, end) in ends.into_iter().filter_map(|(node, end)| Some((*node?, end))) {
            let meeting = &mut meetings[node as usize];
            // The third that meets here would be a node that is kept anyway.
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

/// Takes a piece out; what remains is empty, which says that it is taken.
fn take(pieces: &mut [Piece], index: usize) -> Piece {
    let piece = &mut pieces[index];
    let points = std::mem::take(&mut piece.points);
    Piece { points, road: piece.road, ways: piece.ways, kmh: piece.kmh }
}

fn reverse(piece: &mut Piece) {
    piece.points.reverse();
    piece.ways = (piece.ways.1, piece.ways.0);
}

/// Appends what goes on at the end, as long as something does.
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
