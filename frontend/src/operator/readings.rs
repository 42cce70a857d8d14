//! Calls a second, from what the server says one time after the other, and the line that they make.

use std::collections::VecDeque;
use std::fmt::Write;

/// How far back the line goes.
pub(crate) const SPAN_S: f64 = 120.0;
/// Points that are kept.
const POINTS_MAX: usize = 60;
/// The line's ground, in its own units.
pub(crate) const WIDTH: f64 = 600.0;
pub(crate) const HEIGHT: f64 = 120.0;
/// What is left free above the highest point.
const HEADROOM: f64 = 6.0;

/// One time that the server was asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) uptime_s: f64,
    pub(crate) calls: u64,
}

/// Calls a second between two readings of one start of the server.
pub(crate) fn rate(before: Reading, after: Reading) -> Option<f64> {
    let seconds = after.uptime_s - before.uptime_s;
    let calls = after.calls.checked_sub(before.calls)?;
    (seconds > 0.0).then(|| calls as f64 / seconds)
}

/// The rates of the last two minutes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Readings {
    last: Option<Reading>,
    /// When, as the server's uptime, and how many.
    points: VecDeque<(f64, f64)>,
}

impl Readings {
    /// Takes another reading; after a new start of the server all begins anew.
    pub(crate) fn take(&mut self, reading: Reading) {
        let Some(last) = self.last.replace(reading) else { return };
        if reading.calls < last.calls || reading.uptime_s < last.uptime_s {
            self.points.clear();
        } else if let Some(rate) = rate(last, reading) {
            self.points.push_back((reading.uptime_s, rate));
        }
        let since = reading.uptime_s - SPAN_S;
        while self.points.len() > POINTS_MAX || self.points.front().is_some_and(|it| it.0 < since) {
            self.points.pop_front();
        }
    }

    pub(crate) fn latest(&self) -> Option<f64> {
        self.points.back().map(|it| it.1)
    }

    pub(crate) fn most(&self) -> Option<f64> {
        self.points.iter().map(|it| it.1).reduce(f64::max)
    }

    /// Whether there is a line to draw.
    pub(crate) fn is_line(&self) -> bool {
        self.points.len() > 1
    }

    /// The line as an SVG path, the latest at the right.
    pub(crate) fn line(&self) -> String {
        let Some(last) = self.points.back() else { return String::new() };
        let most = self.most().unwrap_or_default().max(1.0);
        let mut path = String::new();
        for (index, (at, rate)) in self.points.iter().enumerate() {
            let x = WIDTH * (1.0 - (last.0 - at) / SPAN_S);
            let y = HEIGHT - (HEIGHT - HEADROOM) * rate / most;
            let letter = if index == 0 { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{letter}{x:.1} {y:.1}");
        }
        path
    }

    /// What lies under the line, as an SVG path.
    pub(crate) fn area(&self) -> String {
        let (Some(first), Some(last)) = (self.points.front(), self.points.back()) else {
            return String::new();
        };
        let begin = WIDTH * (1.0 - (last.0 - first.0) / SPAN_S);
        format!("{}L{WIDTH:.1} {HEIGHT:.1}L{begin:.1} {HEIGHT:.1}Z", self.line())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(uptime_s: f64, calls: u64) -> Reading {
        Reading { uptime_s, calls }
    }

    #[test]
    fn calls_a_second_come_from_two_readings_of_one_start() {
        assert_eq!(rate(at(10.0, 100), at(12.0, 107)), Some(3.5));
        assert_eq!(rate(at(10.0, 100), at(12.0, 100)), Some(0.0));
        assert_eq!(rate(at(900.0, 100), at(2.0, 3)), None, "the server started anew");
        assert_eq!(rate(at(900.0, 3), at(2.0, 9)), None, "so it did here");
        assert_eq!(rate(at(10.0, 100), at(10.0, 101)), None, "no time has passed");
    }

    #[test]
    fn a_new_start_begins_a_new_line() {
        let mut readings = Readings::default();
        for reading in [at(10.0, 0), at(12.0, 4), at(14.0, 20)] {
            readings.take(reading);
        }
        assert_eq!((readings.latest(), readings.most()), (Some(8.0), Some(8.0)));
        readings.take(at(1.0, 2));
        assert_eq!(readings.latest(), None);
        readings.take(at(3.0, 4));
        assert_eq!(readings.latest(), Some(1.0));
    }

    #[test]
    fn only_the_last_two_minutes_are_drawn() {
        let mut readings = Readings::default();
        for second in (0..600).step_by(2) {
            readings.take(at(f64::from(second), 0));
        }
        assert!(readings.points.len() <= POINTS_MAX && readings.is_line());
        assert!(readings.line().ends_with("L600.0 120.0"), "no calls are a line on the ground");
        readings.take(at(2_000.0, 10));
        assert_eq!(readings.points.len(), 1, "what is older is gone");
    }
}
