//! Where each card lies.

use super::Style;

/// A card's place: its middle, its height, and how it is turned, in radians.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) height: f32,
    pub(super) turn: f32,
}

const fn place(x: f32, y: f32, height: f32, turn: f32) -> Place {
    Place { x, y, height, turn }
}

/// The places of so many cards, in their order; smaller where there is a text.
pub(super) fn places(style: Style, count: usize, has_text: bool) -> Vec<Place> {
    match style {
        Style::Versus => versus(count, has_text),
        Style::Spread => spread(count, has_text),
        Style::Spotlight => spotlight(count, has_text),
    }
}

/// The order in which they are drawn: who lies in front comes last.
pub(super) fn back_to_front(style: Style, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    match style {
        Style::Spotlight => order.reverse(),
        Style::Spread => {
            // Twice the way from the middle, so that it is a whole number.
            order.sort_by_key(|it| std::cmp::Reverse((2 * it + 1).abs_diff(count)));
        }
        Style::Versus => {}
    }
    order
}

/// Half of them left, the others right.
fn versus(count: usize, has_text: bool) -> Vec<Place> {
    let (y, height) = if has_text { (290.0, 480.0) } else { (360.0, 590.0) };
    let lefts = count / 2 + count % 2;
    let side = |index: usize, of: usize, middle: f32, turn: f32| {
        let off = index as f32 - (of as f32 - 1.0) / 2.0;
        let size = if of > 1 { height * 0.84 } else { height };
        place(
            middle + off * size * if of > 2 { 0.4 } else { 0.52 },
            y + off.abs() * 8.0,
            size,
            turn + off * 0.06,
        )
    };
    (0..count)
        .map(|at| {
            if at < lefts {
                side(at, lefts, 316.0, -0.11)
            } else {
                side(at - lefts, count - lefts, 964.0, 0.11)
            }
        })
        .collect()
}

/// A fan around the middle, whose card is the largest.
fn spread(count: usize, has_text: bool) -> Vec<Place> {
    let (y, height) = if has_text { (280.0, 470.0) } else { (350.0, 570.0) };
    let step = if count > 4 { 232.0 } else { 272.0 };
    (0..count)
        .map(|at| {
            let off = at as f32 - (count as f32 - 1.0) / 2.0;
            let size = height * (1.0 - 0.075 * off.abs());
            place(640.0 + off * step, y + off * off * 13.0, size, off * 0.085)
        })
        .collect()
}

/// The first card big; the others behind it, to its right where no text stands there.
fn spotlight(count: usize, has_text: bool) -> Vec<Place> {
    let x = if has_text { 300.0 } else { 640.0 };
    let mut places = vec![place(x, 360.0, 610.0, -0.05)];
    for it in 1..count {
        let off = it as f32;
        if has_text {
            places.push(place(
                x + 120.0 + off * 78.0,
                372.0 + off * 12.0,
                540.0 - off * 30.0,
                off * 0.085,
            ));
        } else {
            let side = if it % 2 == 1 { 1.0 } else { -1.0 };
            let far = it.div_ceil(2) as f32;
            places.push(place(
                x + side * (70.0 + far * 210.0),
                372.0,
                560.0 - far * 50.0,
                side * far * 0.1,
            ));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_is_drawn_once_with_its_middle_on_the_picture() {
        for style in [Style::Versus, Style::Spread, Style::Spotlight] {
            for count in 1..=5 {
                for has_text in [false, true] {
                    let places = places(style, count, has_text);
                    assert_eq!(places.len(), count);
                    for it in &places {
                        assert!((60.0..1220.0).contains(&it.x), "{style:?} {count}: {it:?}");
                        assert!((60.0..660.0).contains(&it.y), "{style:?} {count}: {it:?}");
                    }
                }
                let mut order = back_to_front(style, count);
                order.sort_unstable();
                assert_eq!(order, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn middle_of_a_fan_and_first_in_the_spotlight_lie_in_front() {
        assert_eq!(back_to_front(Style::Spread, 5).last(), Some(&2));
        assert_eq!(back_to_front(Style::Spotlight, 4).last(), Some(&0));
    }
}
