//! Converts a found route into the specified shape: its line, its steps, the details for a page, and its estimated
//! toll for an ordinary car with ETC, where a rule is known.
//!
//! Metropolitan Expressway since October 2026: 32.472 yen a kilometre and 150 yen a drive, 10 % tax,
//! to the nearest 10 yen, at least 300 and at most 2,130 yen. Of other roads fixed prices.
//!
//! A model of traffic, without measurements (see the README).
//!
//! Factors depend on the class of the road, the hour, and whether it is a working day, with interpolation between
//! hours. Holidays are not considered.

use std::time::{SystemTime, UNIX_EPOCH};

use graph::{Class, Found, Leg, Mode, Point};
use output::navigation::{Route, RouteDetails, Step, Toll};

use super::{
    instructions::{arrival, instruction, maneuver},
    steps::{Cut, cuts},
};
use crate::{
    ask::{Language, Traffic},
    words,
};

/// Precision of encoded lines, in decimals of a degree.
const PRECISION: u32 = 5;

/// A part of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way<'a> {
    pub(crate) seconds: f64,
    pub(crate) free_seconds: f64,
    pub(crate) metres: f64,
    pub(crate) legs: &'a [Leg],
}

impl<'a> From<&'a Found> for Way<'a> {
    fn from(found: &'a Found) -> Self {
        Self {
            seconds: found.seconds,
            free_seconds: found.free_seconds,
            metres: found.metres,
            legs: &found.legs,
        }
    }
}

/// The settings for the description of a route.
#[derive(Clone, Debug)]
pub(crate) struct Telling<'a> {
    pub(crate) mode: Mode,
    pub(crate) language: Language,
    /// The traffic factors of the search.
    pub(crate) traffic: &'a [f32; 9],
    /// The destination of each part.
    pub(crate) goals: Vec<&'a str>,
    pub(crate) summary: String,
    pub(crate) warnings: Vec<String>,
    /// The place of a route without links.
    pub(crate) ends: (Point, Point),
}

/// Returns the route over these parts, from stop to stop, and its details.
pub(crate) fn route(parts: &[Way<'_>], telling: Telling<'_>) -> (Route, RouteDetails) {
    let mut line: Vec<Point> = Vec::new();
    let (mut steps, mut steps_at) = (Vec::new(), Vec::new());
    for (part, goal) in parts.iter().zip(&telling.goals) {
        let (points, starts) = self::line(part.legs, telling.ends);
        let joins = line.last().is_some_and(|it| points.first() == Some(it));
        let begin = line.len() - usize::from(joins);
        line.extend(points.into_iter().skip(usize::from(joins)));
        let cuts = cuts(part.legs);
        for (index, cut) in cuts.iter().enumerate() {
            let end = cuts.get(index + 1).map_or(part.legs.len(), |it| it.at);
            steps.push(step(part.legs, *cut, end, &telling));
            steps_at.push(index_of(begin + starts[cut.at]));
        }
        steps.push(Step {
            instruction: arrival(goal, telling.language),
            distance: words::distance(0.0),
            duration: words::duration(0, telling.language),
            maneuver: None,
        });
        steps_at.push(index_of(line.len().saturating_sub(1)));
    }
    let sum = |of: fn(&Way<'_>) -> f64| parts.iter().map(of).sum::<f64>();
    let measure = |seconds| words::seconds(seconds, telling.language);
    let is_driving = telling.mode == Mode::Drive;
    let route = Route {
        summary: telling.summary,
        distance: words::metres(sum(|it| it.metres)),
        duration: measure(sum(|it| it.free_seconds)),
        duration_in_traffic: is_driving.then(|| measure(sum(|it| it.seconds))),
        polyline: encoded(&line),
        steps,
        warnings: telling.warnings,
    };
    let legs: Vec<&[Leg]> = parts.iter().map(|it| it.legs).collect();
    (route, details(&legs.concat(), steps_at, telling.mode))
}

fn step(legs: &[Leg], cut: Cut, end: usize, telling: &Telling<'_>) -> Step {
    let part = &legs[cut.at..end];
    let free = |it: &Leg| it.seconds / f64::from(telling.traffic[it.class as usize]).max(1.0);
    Step {
        instruction: instruction(legs, cut, telling.language),
        distance: words::distance(part.iter().map(|it| it.metres).sum()),
        duration: words::seconds(part.iter().map(free).sum(), telling.language).text,
        maneuver: maneuver(cut.what).map(str::to_owned),
    }
}

fn details(legs: &[Leg], steps_at: Vec<u32>, mode: Mode) -> RouteDetails {
    let metres = |which: fn(&Leg) -> bool| {
        Some(words::whole(legs.iter().filter(|it| which(it)).map(|it| it.metres).sum()))
    };
    let is_driving = mode == Mode::Drive;
    RouteDetails {
        steps_at,
        toll: is_driving.then(|| toll(legs)).flatten(),
        toll_metres: metres(|it| it.toll),
        highway_metres: metres(|it| it.class == Class::Motorway),
        ferry_metres: metres(|it| it.class == Class::Ferry),
    }
}

/// Returns the whole line, and the index at which each leg begins.
fn line(legs: &[Leg], ends: (Point, Point)) -> (Vec<Point>, Vec<usize>) {
    let mut line: Vec<Point> = Vec::new();
    let mut starts = Vec::with_capacity(legs.len());
    for leg in legs {
        let joins = line.last().is_some_and(|it| leg.points.first() == Some(it));
        starts.push(if joins { line.len() - 1 } else { line.len() });
        line.extend(leg.points.iter().skip(usize::from(joins)));
    }
    if line.is_empty() {
        line = vec![ends.0, ends.1];
    }
    (line, starts)
}

/// Encodes a line in Google's format.
fn encoded(line: &[Point]) -> String {
    let points = line.iter().map(|it| (it.lng, it.lat).into());
    // Graphs only have points on the globe.
    polyline::encode_coordinates(points, PRECISION).unwrap_or_default()
}

fn index_of(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Yen per kilometre, before tax.
const YEN_A_KM: f64 = 32.472;
/// Yen per drive.
const YEN_A_DRIVE: f64 = 150.0;
const TAX: f64 = 1.1;
const YEN_LEAST: f64 = 300.0;
const YEN_MOST: f64 = 2_130.0;
/// The Third Keihin Road, all of it (an ordinary car, 2024).
const THIRD_KEIHIN: f64 = 400.0;
/// The Yokohama Shindo, however far (an ordinary car, 2024).
const YOKOHAMA_SHINDO: f64 = 320.0;

/// The operator of a toll road.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Metropolitan,
    ThirdKeihin,
    YokohamaShindo,
}

/// Returns the toll of a route; none without tolls, or where a price is unknown.
pub(crate) fn toll(legs: &[Leg]) -> Option<Toll> {
    let mut amount = 0.0;
    // The current drive: its operator and length.
    let mut drive: Option<(Operator, f64)> = None;
    let mut is_any = false;
    for (at, leg) in legs.iter().enumerate() {
        let operator = if leg.toll { operator(&legs[at..], drive)? } else { None };
        is_any |= operator.is_some();
        match (operator, &mut drive) {
            (Some(new), Some((old, metres))) if new == *old => *metres += leg.metres,
            // Ramps between two roads of one operator are not always marked.
            (None, Some(_)) if leg.ramp => {}
            (new, _) => {
                amount += drive.map_or(0.0, price);
                drive = new.map(|it| (it, leg.metres));
            }
        }
    }
    amount += drive.map_or(0.0, price);
    is_any.then(|| Toll { currency: "JPY".to_owned(), amount, is_estimate: true })
}

/// Returns the operator of the road that begins there. A ramp belongs to the current road, else to the one it leads
/// to, else it is free. None where it is unknown.
fn operator(legs: &[Leg], drive: Option<(Operator, f64)>) -> Option<Option<Operator>> {
    let is_ramp = |it: &&Leg| it.ramp || it.name.local.is_empty();
    let mut tolled = legs.iter().take_while(|it| it.toll);
    match legs.first().filter(is_ramp).and(drive) {
        Some((operator, _)) => Some(Some(operator)),
        None if tolled.clone().all(|it| it.ramp) => Some(None),
        None => named(&tolled.find(|it| !is_ramp(it))?.name.local).map(Some),
    }
}

fn named(road: &str) -> Option<Operator> {
    let names = [
        ("首都高", Operator::Metropolitan),
        ("第三京浜", Operator::ThirdKeihin),
        ("横浜新道", Operator::YokohamaShindo),
    ];
    names.into_iter().find(|it| road.contains(it.0)).map(|it| it.1)
}

fn price((operator, metres): (Operator, f64)) -> f64 {
    match operator {
        // Started hundred metres count as whole ones.
        Operator::Metropolitan => metropolitan((metres / 100.0).ceil() / 10.0),
        Operator::ThirdKeihin => THIRD_KEIHIN,
        Operator::YokohamaShindo => YOKOHAMA_SHINDO,
    }
}

fn metropolitan(kilometres: f64) -> f64 {
    let yen = kilometres.mul_add(YEN_A_KM, YEN_A_DRIVE) * TAX;
    ((yen / 10.0).round() * 10.0).clamp(YEN_LEAST, YEN_MOST)
}

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
pub(super) fn factors(at: SystemTime, place: Point, model: Traffic) -> [f32; 9] {
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
    use crate::provider::builtin::tests::leg;

    fn telling(mode: Mode) -> Telling<'static> {
        Telling {
            mode,
            language: Language::Japanese,
            traffic: &[2.0; 9],
            goals: vec!["横浜駅"],
            summary: "国道15号経由".to_owned(),
            warnings: Vec::new(),
            ends: (Point { lat: 38.5, lng: -120.2 }, Point { lat: 40.7, lng: -120.95 }),
        }
    }

    fn found(legs: &[Leg]) -> Way<'_> {
        let metres = legs.iter().map(|it| it.metres).sum();
        let seconds: f64 = legs.iter().map(|it| it.seconds).sum();
        Way { seconds, free_seconds: seconds / 2.0, metres, legs }
    }

    fn point(lat: f64) -> Point {
        Point { lat, lng: 139.0 }
    }

    #[test]
    fn route_has_specified_shape_and_steps_on_its_line() {
        let turned = Leg {
            points: vec![point(35.01), point(35.02), point(35.03)],
            turn: 90.0,
            others: vec![0.0],
            ..leg("国道15号", 1_200.0)
        };
        let legs = [leg("", 200.0), turned];
        let (route, details) = route(&[found(&legs)], telling(Mode::Drive));
        assert_eq!(route.distance, words::metres(1_400.0));
        assert_eq!((route.duration.value, route.duration_in_traffic.unwrap().value), (70, 140));
        assert_eq!(details.steps_at, [0, 1, 3]);
        let texts: Vec<_> = route.steps.iter().map(|it| it.instruction.as_str()).collect();
        assert_eq!(texts, ["北に向かって進む", "右折して国道15号に入る", "横浜駅に到着"]);
        assert_eq!((&*route.steps[0].distance, &*route.steps[0].duration), ("200 m", "1分"));
        let line = polyline::decode_polyline(&route.polyline, 5).unwrap();
        assert_eq!(line.0.len(), 4, "ends that meet are one point");
        assert_eq!(details.toll, None);
    }

    #[test]
    fn stop_has_arrival_and_departure() {
        let there = [leg("国道15号", 1_200.0)];
        let back =
            Leg { points: there[0].points.iter().rev().copied().collect(), ..there[0].clone() };
        let back = [back];
        let goals = vec!["川崎駅", "東京駅"];
        let telling = Telling { goals, ..telling(Mode::Drive) };
        let (route, details) = route(&[found(&there), found(&back)], telling);
        let texts: Vec<_> = route.steps.iter().map(|it| it.instruction.as_str()).collect();
        assert_eq!((texts[1], texts.last()), ("川崎駅に到着", Some(&"東京駅に到着")), "{texts:?}");
        assert_eq!(route.distance, words::metres(2_400.0));
        assert!(details.steps_at.is_sorted() && details.steps_at.len() == route.steps.len());
    }

    #[test]
    fn walking_has_no_traffic_and_toll() {
        let toll = Leg { toll: true, ..leg("第三京浜道路", 900.0) };
        let (walk, details) = route(&[found(std::slice::from_ref(&toll))], telling(Mode::Walk));
        assert_eq!((walk.duration_in_traffic, details.toll), (None, None));
        let (_, details) = route(&[found(std::slice::from_ref(&toll))], telling(Mode::Drive));
        assert_eq!(details.toll.map(|it| it.amount), Some(400.0));
    }

    #[test]
    fn who_is_there_already_gets_a_line_and_one_step() {
        let (route, details) = route(&[found(&[])], telling(Mode::Drive));
        assert_eq!(route.polyline, "_p~iF~ps|U_ulLnnqC", "as Google's documentation has it");
        assert_eq!((route.steps.len(), details.steps_at), (1, vec![1]));
    }

    fn paid(name: &str, metres: f64) -> Leg {
        Leg { toll: true, ..leg(name, metres) }
    }

    fn amount(legs: &[Leg]) -> Option<f64> {
        toll(legs).map(|it| it.amount)
    }

    #[test]
    fn the_expressway_costs_by_distance_between_a_least_and_a_most() {
        assert_eq!(amount(&[paid("首都高速横羽線", 1_000.0)]), Some(300.0));
        assert_eq!(amount(&[paid("首都高速横羽線", 55_000.0)]), Some(2_130.0));
        assert_eq!(amount(&[paid("首都高速湾岸線", 90_000.0)]), Some(2_130.0));
        // 30.0 km: (974.16 + 150) × 1.1 = 1236.6 yen.
        let parts = [paid("首都高速都心環状線", 10_000.0), paid("首都高速横羽線", 20_000.0)];
        assert_eq!(amount(&parts), Some(1_240.0), "one drive, over two of its lines");
        let ramp = Leg { ramp: true, ..paid("", 200.0) };
        assert_eq!(amount(&[ramp.clone(), paid("首都高速横羽線", 900.0), ramp]), Some(300.0));
    }

    #[test]
    fn who_leaves_and_comes_back_pays_twice() {
        let legs = [
            paid("首都高速横羽線", 1_000.0),
            leg("国道15号", 500.0),
            paid("首都高速横羽線", 1_000.0),
            paid("第三京浜道路", 9_000.0),
            paid("横浜新道", 500.0),
        ];
        assert_eq!(amount(&legs), Some(300.0 + 300.0 + 400.0 + 320.0));
    }

    #[test]
    fn gives_no_toll_amount_where_there_is_none_or_it_is_unknown() {
        assert_eq!(amount(&[leg("国道15号", 500.0)]), None);
        assert_eq!(amount(&[paid("首都高速横羽線", 1_000.0), paid("E6", 500.0)]), None);
        assert_eq!(amount(&[paid("", 500.0)]), None);
        let ramp = Leg { ramp: true, ..paid("空港中央入口", 40.0) };
        assert_eq!(amount(std::slice::from_ref(&ramp)), None, "it leads to no toll road");
        let way = [paid("首都高速横羽線", 900.0), leg("国道15号", 500.0), ramp];
        assert_eq!(amount(&way), Some(300.0));
        assert!(toll(&[paid("横浜新道", 500.0)]).unwrap().is_estimate);
    }

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
