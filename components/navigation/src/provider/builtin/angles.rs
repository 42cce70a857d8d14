//! Left and right: of angles in degrees, of which those to the right are positive.

use graph::Point;

/// One bends away less than that where a road forks.
const FORK: f64 = 45.0;
/// Two roads that bend less apart than that are described as left and right.
const APART: f64 = 60.0;

/// On which side a road lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// On which side of what one could have taken instead a route goes; where there is nothing, whither it
/// bends.
pub(crate) fn side(turn: f64, others: &[f64]) -> Side {
    let ahead = || others.iter().filter(|it| it.abs() < 120.0);
    let is_left = match ahead().count() {
        0 => turn < 0.0,
        _ if ahead().all(|it| *it > turn) => true,
        _ if ahead().all(|it| *it < turn) => false,
        _ => turn < 0.0,
    };
    if is_left { Side::Left } else { Side::Right }
}

/// Whether two roads lead on, one as straight as the other.
pub(crate) fn is_fork(turn: f64, others: &[f64]) -> bool {
    turn.abs() < FORK && others.iter().any(|it| it.abs() < FORK && (it - turn).abs() < APART)
}

/// Where one heads to from `from`, in degrees from north over east: 0 to 360.
pub(crate) fn heading(from: Point, to: Point) -> f64 {
    let east = (to.lng - from.lng) * from.lat.to_radians().cos();
    east.atan2(to.lat - from.lat).to_degrees().rem_euclid(360.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_told_by_what_one_could_have_taken_instead() {
        assert_eq!(side(10.0, &[40.0]), Side::Left, "left of the two, though it bends right");
        assert_eq!(side(-10.0, &[-40.0]), Side::Right);
        assert_eq!(side(5.0, &[]), Side::Right);
        assert_eq!(side(-5.0, &[-30.0, 30.0]), Side::Left);
    }

    #[test]
    fn a_road_forks_where_two_ways_lead_on() {
        assert!(is_fork(10.0, &[-20.0]));
        assert!(!is_fork(90.0, &[0.0]));
        assert!(!is_fork(0.0, &[90.0]));
    }

    #[test]
    fn north_is_where_latitude_grows() {
        let at = |lat, lng| Point { lat, lng };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.01, "{a} {b}");
        near(heading(at(35.0, 139.0), at(35.1, 139.0)), 0.0);
        near(heading(at(35.0, 139.0), at(35.0, 139.1)), 90.0);
        near(heading(at(35.0, 139.0), at(34.9, 139.0)), 180.0);
        near(heading(at(60.0, 25.0), at(60.1, 25.2)), 45.0);
    }
}
