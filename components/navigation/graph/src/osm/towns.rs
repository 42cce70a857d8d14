//! Which town a point is in: the one that reaches it best, found by a grid.

use std::collections::HashMap;

use super::sight::Sight;
use crate::network::{PlaceKind, Point, Text};

/// The side of a cell, in degrees.
const CELL: f64 = 0.1;
/// Cells around one that are looked at: a city reaches 15 to 20 km.
const AROUND: i32 = 2;
/// Towns of one cell at most that are looked at; the biggest.
const CELL_MAX: usize = 200;

/// Towns and quarters, to be asked for the ones around a point.
pub(super) struct Towns {
    towns: Vec<Town>,
    cells: HashMap<(i32, i32), Vec<u32>>,
}

struct Town {
    name: Text,
    at: Point,
    reach: f64,
    is_quarter: bool,
}

impl Towns {
    pub(super) fn new<'s>(sights: impl Iterator<Item = &'s Sight>) -> Self {
        let towns = sights.filter(|it| it.reach > 0.0).map(|sight| Town {
            name: sight.place.name.clone(),
            at: sight.place.at,
            reach: sight.reach,
            is_quarter: sight.place.kind == PlaceKind::Quarter,
        });
        let mut towns: Vec<Town> = towns.collect();
        towns.sort_by(|a, b| b.reach.total_cmp(&a.reach));
        let mut cells = HashMap::<_, Vec<u32>>::new();
        for (index, town) in (0..).zip(&towns) {
            let cell = cells.entry(cell(town.at)).or_default();
            if cell.len() < CELL_MAX {
                cell.push(index);
            }
        }
        Self { towns, cells }
    }

    /// The town at a point, and the quarter of it: names, of which either may be missing.
    pub(super) fn at(&self, point: Point) -> (Option<u32>, Option<u32>) {
        let (x, y) = cell(point);
        let around = |it: i32| it.saturating_sub(AROUND)..=it.saturating_add(AROUND);
        let cells = around(x).flat_map(|x| around(y).map(move |y| (x, y)));
        let mut best = [(f64::INFINITY, None), (f64::INFINITY, None)];
        for index in cells.filter_map(|it| self.cells.get(&it)).flatten() {
            let town = &self.towns[*index as usize];
            // Within a quarter of its reach a hamlet wins over the city around it.
            let far = town.at.metres_to(point) / town.reach;
            let best = &mut best[usize::from(town.is_quarter)];
            if far < 1.5 && far < best.0 {
                *best = (far, Some(*index));
            }
        }
        (best[0].1, best[1].1)
    }

    /// What a place of that kind is part of, for people: `Kallio, Helsinki`.
    pub(super) fn address(&self, point: Point, kind: PlaceKind) -> Text {
        let (town, quarter) = match (kind, self.at(point)) {
            (PlaceKind::Town, _) => (None, None),
            (PlaceKind::Quarter, (town, _)) => (town, None),
            (_, both) => both,
        };
        let names = [quarter, town].into_iter().flatten().map(|it| &self.towns[it as usize].name);
        let (local, en): (Vec<&str>, Vec<&str>) = names
            .map(|it| (&*it.local, if it.en.is_empty() { &*it.local } else { &*it.en }))
            .unzip();
        let (local, en) = (local.join(", "), en.join(", "));
        Text { en: if en == local { String::new() } else { en }, local }
    }

    /// The name of a town.
    pub(super) fn name(&self, town: u32) -> Text {
        self.towns[town as usize].name.clone()
    }
}

fn cell(at: Point) -> (i32, i32) {
    ((at.lat / CELL).floor() as i32, (at.lng / CELL).floor() as i32)
}
