//! What links and turns cost, as wished: in milliseconds, whole ones, so that sums are the same either way.
//!
//! **Driving**: a link takes its length by its speed, times the factor of its class. Where three links
//! or more meet, a turn of 45° or more takes 3 s, and 8 s where it crosses the traffic that comes towards
//! one (to the right where people drive on the left); onto, off and on roundabouts nothing is added.
//! Nobody goes back into the link that they come by unless nothing else is left there (20 s).
//!
//! **Walking**: 4.8 km/h on every link for walkers, in both directions; a ferry takes what it takes.

use crate::{
    file::nodes::{Half, IN, Nodes, OUT, ROUNDABOUT, TOLL, WALK, free_ms, to_ms},
    find::{Mode, Wish},
    network::Class,
};

/// 4.8 km/h.
pub(crate) const WALK_METRES_A_SECOND: f64 = 4.8 / 3.6;
/// A turn.
pub(crate) const TURN_MS: u32 = 3_000;
/// A turn through the traffic that comes towards one.
pub(crate) const CROSSING_MS: u32 = 8_000;
/// Going back where nothing else is left.
pub(crate) const BACK_MS: u32 = 20_000;
/// From here on, in 256ths of a full turn, a bend is a turn: 45°.
const TURN: i8 = 32;

/// A wish, made ready for a search.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) walk: bool,
    pub(crate) left: bool,
    /// Which classes are shut, a bit each.
    shut: u16,
    no_tolls: bool,
    factors: [f64; 9],
}

impl Rules {
    /// Of a wish, where people drive on this side. Factors below 1, and what is no number, count as 1.
    pub(crate) fn new(wish: &Wish, left: bool) -> Self {
        let walk = wish.mode == Mode::Walk;
        let shut = [
            (walk || wish.avoid_highways, Class::Motorway),
            (!walk, Class::Path),
            (wish.avoid_ferries, Class::Ferry),
        ];
        Self {
            walk,
            left,
            shut: shut.iter().filter(|it| it.0).fold(0, |bits, it| bits | 1 << it.1 as u8),
            no_tolls: wish.avoid_tolls && !walk,
            factors: wish.traffic.map(|it| f64::from(it).clamp(1.0, 100.0).max(1.0)),
        }
    }

    /// Whether a class, with or without a toll, is open.
    pub(crate) fn admits(&self, class: u8, toll: bool) -> bool {
        self.shut & 1 << class == 0 && !(toll && self.no_tolls)
    }

    /// Whether ferries are open.
    pub(crate) fn ferries(&self) -> bool {
        self.shut & 1 << Class::Ferry as u8 == 0
    }

    /// Whether one may leave a junction by this end.
    pub(crate) fn leaves(&self, half: &Half) -> bool {
        half.flags & if self.walk { WALK } else { OUT } != 0
            && self.admits(half.class, half.flags & TOLL != 0)
    }

    /// Whether one may come to a junction by this end.
    pub(crate) fn comes(&self, half: &Half) -> bool {
        half.flags & if self.walk { WALK } else { IN } != 0
            && self.admits(half.class, half.flags & TOLL != 0)
    }

    /// What a link costs, from end to end.
    pub(crate) fn link(&self, half: &Half) -> u32 {
        if self.walk {
            return self.free(half);
        }
        let factor = self.factors[usize::from(half.class).min(8)];
        to_ms(f64::from(half.decimetres) * 360.0 / f64::from(half.kmh) * factor)
    }

    /// What it costs when nobody else is there.
    pub(crate) fn free(&self, half: &Half) -> u32 {
        match self.walk {
            true if half.class != Class::Ferry as u8 => half.decimetres.saturating_mul(75),
            _ => free_ms(half.decimetres, half.kmh),
        }
    }

    /// What it costs to come by one end of a junction's and leave by another; none where one may not.
    pub(crate) fn turn(&self, nodes: &Nodes, index: usize, come: usize, go: usize) -> Option<u32> {
        if self.walk {
            return Some(0);
        }
        let (_, ends) = nodes.ends(index);
        let (Some(by), Some(into)) = (ends.get(come), ends.get(go)) else { return None };
        if nodes.is_forbidden(index, come, go) {
            return None;
        }
        if come == go {
            let other = |it: &(usize, &Half)| {
                it.0 != come && self.leaves(it.1) && !nodes.is_forbidden(index, come, it.0)
            };
            return (!ends.iter().enumerate().any(|it| other(&it))).then_some(BACK_MS);
        }
        if ends.len() < 3 || (by.flags | into.flags) & ROUNDABOUT != 0 {
            return Some(0);
        }
        // Right is positive.
        let bend = into.bearing.wrapping_sub(by.bearing).wrapping_add(128) as i8;
        Some(if bend.unsigned_abs() < TURN as u8 {
            0
        } else if (bend > 0) == self.left {
            CROSSING_MS
        } else {
            TURN_MS
        })
    }
}
