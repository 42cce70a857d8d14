//! The two ends of the route: what stands in their fields, and how a place gets there.

use leptos::prelude::*;
use leptos::task::spawn_local;
use output::navigation::Point;

use super::Board;
use crate::families::navigation::{client, place, position};
use crate::lookup::combo::Combo;
use crate::page::page;
use crate::text::Key;

/// Characters to type before places are suggested, and how long to wait after the last one.
const CHARS_MIN: usize = 1;
const DEBOUNCE_MS: u32 = 250;

/// One end of the route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    From,
    To,
}

/// A field with a place in it.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) combo: RwSignal<Combo>,
    /// Where that is, once that is known.
    pub(crate) point: RwSignal<Option<Point>>,
}

impl End {
    pub(super) fn new() -> Self {
        let combo = RwSignal::new(Combo::free(CHARS_MIN, DEBOUNCE_MS));
        Self { combo, point: RwSignal::new(None) }
    }

    pub(crate) fn text(self) -> String {
        self.combo.with(|it| it.text.clone())
    }

    /// Puts a place in, by its name and, where it is known, its point.
    pub(crate) fn put(self, name: &str, point: Option<Point>) {
        self.combo.update(|it| it.settle(Some(name).filter(|it| !it.is_empty())));
        self.point.set(point);
    }
}

impl Board {
    /// The other way round.
    pub(crate) fn swap(self) {
        let ends = [self.from, self.to]
            .map(|it| (it.combo.with_untracked(|it| it.text.clone()), it.point.get_untracked()));
        let [(from, from_at), (to, to_at)] = ends;
        self.from.put(&to, to_at);
        self.to.put(&from, from_at);
        page().announce_key(Key::NavSwapped);
    }

    /// Puts where the reader is into the field of the origin.
    pub(crate) fn locate(self) {
        self.here.set(None);
        self.is_locating.set(true);
        spawn_local(async move {
            let found = position::here().await;
            self.is_locating.set(false);
            match found {
                Ok(point) => self.set_point(Side::From, point),
                Err(key) => {
                    self.here.set(Some(key));
                    page().announce_key(key);
                }
            }
        });
    }

    /// A point of the map is an end of the route; its name follows a moment later.
    pub(crate) fn set_point(self, side: Side, point: Point) {
        if !place::is_on_globe(point) {
            return;
        }
        let end = self.end(side);
        let text = place::coordinates(point);
        end.put(&text, Some(point));
        let key = if side == Side::From { Key::NavFromIs } else { Key::NavToIs };
        spawn_local(async move {
            let name = client::nearest(point).await;
            if end.combo.try_with_untracked(|it| it.text == text) != Some(true) {
                return;
            }
            // The point counts and not the middle of what is called so.
            if let Some(name) = &name {
                end.put(name, Some(point));
            }
            page().announce_fill(key, &[name.as_deref().unwrap_or(&text)]);
        });
    }

    /// Where the place is that was typed (S3:332): the map goes there before anything is searched.
    pub(crate) fn find(self, side: Side) {
        let end = self.end(side);
        let text = end.combo.with_untracked(|it| it.text.trim().to_owned());
        if text.is_empty() || end.point.with_untracked(Option::is_some) {
            return;
        }
        if let Some(point) = place::point_of(&text) {
            return end.point.set(Some(point));
        }
        spawn_local(async move {
            // An error of it is shown by the search itself.
            let Ok(found) = client::geocode(&text).await else { return };
            let is_same = end.combo.try_with_untracked(|it| it.text.trim() == text);
            if is_same == Some(true) && place::is_on_globe(found.location) {
                end.point.set(Some(found.location));
            }
        });
    }
}
