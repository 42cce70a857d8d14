//! Places in the order of a curve that fills the plane: what is near in the plane is mostly near on it.

use crate::network::Point;

/// Steps of the curve to either side.
const SIDE: u32 = 1 << 22;

/// Where on Hilbert's curve over the globe a point lies.
pub(super) fn along_curve(at: Point) -> u64 {
    let step = |degrees: f64, most: f64| {
        let part = (degrees + most) / (2.0 * most) * f64::from(SIDE);
        (part.max(0.0) as u32).min(SIDE - 1)
    };
    let (mut x, mut y) = (step(at.lng, 180.0), step(at.lat, 90.0));
    let mut distance = 0_u64;
    let mut size = SIDE / 2;
    while size > 0 {
        let (right, up) = (u32::from(x & size > 0), u32::from(y & size > 0));
        distance += u64::from(size) * u64::from(size) * u64::from((3 * right) ^ up);
        if up == 0 {
            if right == 1 {
                (x, y) = (SIDE - 1 - x, SIDE - 1 - y);
            }
            (x, y) = (y, x);
        }
        size /= 2;
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_the_plane() {
        let (lat, lng) = (180.0 / f64::from(SIDE), 360.0 / f64::from(SIDE));
        let mut cells = Vec::new();
        for y in 0..32_i32 {
            for x in 0..32_i32 {
                let at = Point {
                    lat: (f64::from(y) + 0.5) * lat - 90.0,
                    lng: (f64::from(x) + 0.5) * lng - 180.0,
                };
                cells.push((along_curve(at), x, y));
            }
        }
        cells.sort_unstable();
        for (index, pair) in cells.windows(2).enumerate() {
            assert_eq!(pair[0].0, index as u64, "each cell once");
            assert_eq!((pair[0].1 - pair[1].1).abs() + (pair[0].2 - pair[1].2).abs(), 1);
        }
    }
}
