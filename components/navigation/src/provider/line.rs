//! Lines of routes: read, written with precision 5, and where on them each step begins.

use output::navigation::Point;

use super::carrier::failed;
use crate::error::ProviderError;

/// Points that one line may have.
const POINTS_MAX: usize = 200_000;

/// The points of an encoded line, (lat, lng).
///
/// # Errors
/// When it is none.
pub fn points(encoded: &str, precision: u32) -> Result<Vec<Point>, ProviderError> {
    let unreadable = || failed("the provider's line of a route cannot be read");
    let line = polyline::decode_polyline(encoded, precision).map_err(|_| unreadable())?;
    let points = line.coords().take(POINTS_MAX).map(|it| Point { lat: it.y, lng: it.x });
    Ok(points.collect())
}

/// The line through these points, encoded with precision 5.
///
/// # Errors
/// When one of them is not on the globe.
pub fn encoded(points: &[Point]) -> Result<String, ProviderError> {
    let points = points.iter().map(|it| (it.lng, it.lat).into());
    polyline::encode_coordinates(points, 5)
        .map_err(|_| failed("the provider's line of a route leaves the globe"))
}

/// For each step the index of the point of `line` at which it begins: the nearest one to where the
/// provider says that it begins, and never before the step before it.
pub fn steps_at(line: &[Point], begins: &[Point]) -> Vec<u32> {
    let mut from = 0;
    let at = begins.iter().map(|begin| {
        let rest = line.iter().enumerate().skip(from);
        let nearest = rest.min_by(|a, b| apart(*a.1, *begin).total_cmp(&apart(*b.1, *begin)));
        from = nearest.map_or(from, |it| it.0);
        u32::try_from(from).unwrap_or(u32::MAX)
    });
    at.collect()
}

/// How far two points are apart, in no unit: only to tell which is nearer.
fn apart(a: Point, b: Point) -> f64 {
    let lng = (a.lng - b.lng) * b.lat.to_radians().cos();
    (a.lat - b.lat).powi(2) + lng.powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_six_digits_becomes_one_of_five() {
        let line = [(35.681_236, 139.767_125), (35.465_8, 139.622_3)];
        let line = line.map(|(lat, lng)| Point { lat, lng });
        let six = polyline::encode_coordinates(line.map(|it| (it.lng, it.lat).into()), 6).unwrap();
        let five = encoded(&points(&six, 6).unwrap()).unwrap();
        let read = points(&five, 5).unwrap();
        assert_eq!(read[0], Point { lat: 35.681_24, lng: 139.767_13 });
        assert!(points("\u{1}", 5).is_err() && encoded(&[Point { lat: 91.0, lng: 0.0 }]).is_err());
    }

    #[test]
    fn steps_begin_where_they_are_said_to_and_in_order() {
        let line: Vec<_> =
            (0..5).map(|it| Point { lat: 35.0, lng: 139.0 + f64::from(it) }).collect();
        let begins = [line[0], line[2], Point { lat: 35.0, lng: 139.1 }, line[4]];
        // The third says a place that lies behind: it does not go back.
        assert_eq!(steps_at(&line, &begins), [0, 2, 2, 4]);
        assert_eq!(steps_at(&[], &begins), [0, 0, 0, 0]);
    }
}
