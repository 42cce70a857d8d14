//! A model of traffic, without measurements (see the README).
//!
//! Factors depend on the class of the road, the hour, and whether it is a working day, with interpolation between
//! hours. Holidays are not considered.

use std::time::{SystemTime, UNIX_EPOCH};

use graph::{Class, Point};

use crate::ask::Traffic;

/// Percent of the free time by hour, on a working day.
const MOTORWAY: [u16; 24] = [
    100, 100, 100, 100, 100, 104, 118, 145, 155, 140, 125, 120, 116, 118, 122, 130, 142, 158, 160,
    142, 122, 110, 104, 101,
];
/// On a Saturday or Sunday.
const MOTORWAY_WEEKEND: [u16; 24] = [
    100, 100, 100, 100, 100, 102, 108, 118, 128, 134, 136, 132, 126, 124, 128, 138, 148, 150, 140,
    126, 114, 107, 103, 101,
];
/// National and main roads, on a working day.
const MAIN: [u16; 24] = [
    103, 101, 100, 100, 101, 106, 118, 140, 150, 140, 132, 130, 128, 130, 132, 136, 144, 155, 156,
    142, 126, 116, 110, 106,
];
/// On a Saturday or Sunday.
const MAIN_WEEKEND: [u16; 24] = [
    104, 102, 100, 100, 100, 102, 106, 112, 120, 130, 136, 138, 136, 136, 138, 140, 142, 140, 134,
    126, 118, 112, 108, 106,
];
/// Residential streets have no rush hour; they are slow all day.
const SMALL: [u16; 24] = [
    100, 100, 100, 100, 100, 102, 106, 114, 116, 112, 112, 112, 112, 112, 112, 114, 116, 118, 116,
    112, 108, 104, 102, 100,
];

/// Factor of delays on a bad day.
const BAD: f64 = 1.7;
/// Factor of delays on a good day.
const GOOD: f64 = 0.5;
/// Additional delay on a bad day, even in an empty hour.
const BAD_LEAST: f64 = 0.05;

/// Returns the factors of all classes at a moment and place; 1 is an empty road.
pub fn factors(at: SystemTime, place: Point, model: Traffic) -> [f32; 9] {
    let (hour, is_weekend) = local(at, place);
    let mut factors = [1.0; 9];
    for (class, curve) in curves(is_weekend) {
        factors[class as usize] = shaped(between(curve, hour), model);
    }
    factors
}

/// Returns the curves of all classes with traffic, which ferries and paths do not have.
fn curves(is_weekend: bool) -> [(Class, &'static [u16; 24]); 7] {
    let (motorway, main) =
        if is_weekend { (&MOTORWAY_WEEKEND, &MAIN_WEEKEND) } else { (&MOTORWAY, &MAIN) };
    [
        (Class::Motorway, motorway),
        (Class::Trunk, main),
        (Class::Primary, main),
        (Class::Secondary, main),
        (Class::Tertiary, &SMALL),
        (Class::Residential, &SMALL),
        (Class::Service, &SMALL),
    ]
}

fn shaped(factor: f64, model: Traffic) -> f32 {
    let delay = factor - 1.0;
    let delay = match model {
        Traffic::BestGuess => delay,
        Traffic::Pessimistic => delay.mul_add(BAD, BAD_LEAST),
        Traffic::Optimistic => delay * GOOD,
    };
    (1.0 + delay.max(0.0)) as f32
}

/// Interpolates the factor at an hour with a fraction.
fn between(curve: &[u16; 24], hour: f64) -> f64 {
    let (whole, part) = (hour.floor(), hour - hour.floor());
    let (this, next) = (whole as usize % 24, (whole as usize + 1) % 24);
    f64::from(curve[next]).mul_add(part, f64::from(curve[this]) * (1.0 - part)) / 100.0
}

/// Returns the local hour with a fraction, and whether it is a Saturday or Sunday.
fn local(at: SystemTime, place: Point) -> (f64, bool) {
    let seconds = at.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    let seconds = i64::try_from(seconds).unwrap_or(0) + offset_s(place);
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // The first day of 1970 was a Thursday.
    let is_weekend = matches!((day + 4).rem_euclid(7), 0 | 6);
    (second as f64 / 3_600.0, is_weekend)
}

/// Returns the offset from UTC in seconds: Japan's time in Japan, elsewhere solar time.
fn offset_s(Point { lat, lng }: Point) -> i64 {
    let is_japan = (20.0..46.0).contains(&lat) && (122.0..154.0).contains(&lng);
    if is_japan { 9 * 3_600 } else { (lng / 15.0).round() as i64 * 3_600 }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const TOKYO: Point = Point { lat: 35.68, lng: 139.77 };
    const HELSINKI: Point = Point { lat: 60.17, lng: 24.94 };
    /// Friday, 20 November 2026, midnight in Japan.
    const FRIDAY: u64 = 1_795_100_400;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn motorway(seconds: u64, model: Traffic) -> f32 {
        factors(at(seconds), TOKYO, model)[Class::Motorway as usize]
    }

    #[test]
    fn rush_hour_is_worst_and_night_is_free() {
        let hour = |it: u64| motorway(FRIDAY + it * 3_600, Traffic::BestGuess);
        assert!((hour(3) - 1.0).abs() < 1e-6);
        assert!(hour(18) > hour(12) && hour(12) > hour(22));
        let saturday = motorway(FRIDAY + (24 + 8) * 3_600, Traffic::BestGuess);
        assert!(saturday < hour(8), "nobody goes to work on a Saturday");
    }

    #[test]
    fn traffic_depends_on_the_model() {
        for hour in 0..24 {
            let of = |model| motorway(FRIDAY + hour * 3_600, model);
            let (good, guess, bad) =
                (of(Traffic::Optimistic), of(Traffic::BestGuess), of(Traffic::Pessimistic));
            assert!(1.0 <= good && good <= guess && guess < bad, "{hour}: {good} {guess} {bad}");
        }
    }

    #[test]
    fn uses_local_hour_of_the_place() {
        let (tokyo, weekend) = local(at(FRIDAY + 8 * 3_600), TOKYO);
        assert!((tokyo - 8.0).abs() < 1e-9 && !weekend);
        let (helsinki, _) = local(at(FRIDAY + 8 * 3_600), HELSINKI);
        assert!((helsinki - 1.0).abs() < 1e-9, "{helsinki}");
        assert!(local(at(FRIDAY + 24 * 3_600), TOKYO).1);
    }

    #[test]
    fn interpolates_between_hours() {
        assert!((between(&MOTORWAY, 7.5) - 1.5).abs() < 1e-9);
        assert!((between(&MOTORWAY, 23.5) - 1.005).abs() < 1e-9);
    }
}
