//! starfarer.

use super::canvas::Canvas;

pub(super) fn draw(_id: &str) -> Option<Canvas> {
    None
}
