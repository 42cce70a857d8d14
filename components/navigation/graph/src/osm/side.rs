//! On which side people drive, by where the roads are: for extracts without their country's border.

use crate::network::{Node, Point};

/// Boxes around the countries where people drive on the left: south, west, north, east. They are
/// coarse; a border in the extract that says `driving_side` comes before them.
const LEFT: [[f64; 4]; 22] = [
    [49.8, -8.7, 61.0, 1.8],      // Great Britain
    [51.3, -10.7, 55.5, -5.4],    // Ireland
    [24.0, 122.9, 31.0, 131.5],   // Japan: Okinawa and Amami
    [30.9, 129.4, 34.8, 132.2],   // Japan: Kyushu
    [32.7, 132.0, 41.6, 142.1],   // Japan: Shikoku and Honshu
    [41.3, 139.3, 45.6, 145.9],   // Japan: Hokkaido
    [-44.0, 112.9, -10.0, 154.0], // Australia
    [-47.5, 166.0, -34.0, 179.0], // New Zealand
    [8.0, 70.0, 30.0, 88.0],      // India, Nepal
    [20.7, 88.0, 28.3, 92.6],     // Bangladesh, Bhutan
    [5.9, 79.5, 9.9, 81.9],       // Sri Lanka
    [24.0, 61.5, 36.5, 71.0],     // Pakistan
    [5.6, 97.4, 20.0, 101.0],     // Thailand: west
    [13.0, 100.5, 18.3, 105.0],   // Thailand: east
    [-10.9, 95.0, 5.6, 119.5],    // Malaysia, Singapore, Indonesia
    [-10.9, 119.5, 2.0, 141.0],   // Indonesia: east
    [22.1, 113.5, 22.6, 114.5],   // Hong Kong, Macao
    [34.5, 32.2, 35.7, 34.6],     // Cyprus
    [35.7, 14.1, 36.1, 14.6],     // Malta
    [-34.9, 16.4, -17.0, 36.0],   // Southern Africa
    [-17.0, 28.0, 4.5, 41.9],     // Eastern Africa
    [17.6, -78.4, 18.6, -76.1],   // Jamaica
];

/// Whether most of these lie where people drive on the left.
pub(super) fn left_at(nodes: &[Node]) -> bool {
    // A thousand of them are enough.
    let step = (nodes.len() / 1000).max(1);
    let looked_at = nodes.iter().step_by(step).count();
    let left = nodes.iter().step_by(step).filter(|it| is_left(it.at)).count();
    left * 2 > looked_at
}

fn is_left(at: Point) -> bool {
    let within = |[south, west, north, east]: &[f64; 4]| {
        (*south..=*north).contains(&at.lat) && (*west..=*east).contains(&at.lng)
    };
    LEFT.iter().any(within)
}

#[cfg(test)]
mod tests {
    use super::is_left;
    use crate::network::Point;

    #[test]
    fn drives_left_in_tokyo_and_london_and_right_in_paris_and_seoul() {
        let left = [(35.68, 139.77), (51.5, -0.12), (43.06, 141.35), (26.2, 127.7), (-33.9, 151.2)];
        let right = [(48.86, 2.35), (37.56, 126.98), (60.17, 24.94), (42.5, 1.52), (31.2, 121.5)];
        for (lat, lng) in left {
            assert!(is_left(Point { lat, lng }), "{lat} {lng}");
        }
        for (lat, lng) in right {
            assert!(!is_left(Point { lat, lng }), "{lat} {lng}");
        }
    }
}
