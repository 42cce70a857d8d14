//! Checks the arguments of tools.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use graph::{Mode, Point, Prefer};
use output::{
    navigation::{self, ARRIVAL_TIME, PREFER, TRAVEL_MODE, VIA},
    text::is_blank,
};
use toolkit::{Stop, User, invalid};

use crate::{
    ask::{Departure, Language},
    refusals::{self, ProviderError},
};

/// Maximum number of characters of a place.
const PLACE_CHARS_MAX: usize = 200;
/// Maximum number of origins or destinations of a comparison.
const PLACES_MAX: usize = 25;
/// Maximum number of stops.
const VIA_MAX: usize = 10;
/// Maximum number of pairs of a comparison.
const PAIRS_MAX: usize = 100;
/// Tolerance for clocks that are behind.
const GRACE: Duration = Duration::from_mins(1);
/// Maximum time until the departure; later traffic is unknown.
const AHEAD_MAX: Duration = Duration::from_hours(24 * 366);

/// Returns a place without surrounding spaces; coordinates as `lat,lng`.
///
/// # Errors
/// When it is empty, too long, or a pair of numbers that is nowhere on the globe, which is said in `language`.
pub fn place(pointer: &str, text: &str, language: Language) -> Result<String, Stop> {
    // Checks bytes first, so that huge texts cost nothing.
    let too_long = text.len() > PLACE_CHARS_MAX * 16;
    let text = if too_long { text } else { text.trim() };
    if is_blank(text) {
        return Err(invalid(pointer, "must not be empty: a place, an address, or lat,lng"));
    }
    if too_long || text.chars().count() > PLACE_CHARS_MAX {
        return Err(invalid(pointer, format!("must have {PLACE_CHARS_MAX} characters at most")));
    }
    match coordinates(text) {
        Some(at) if !at.is_on_globe() => {
            let (pointer, place) = (pointer.to_owned(), text.to_owned());
            Err(refusals::stop_in(&ProviderError::OffGlobe { pointer, place }, language))
        }
        Some(at) => Ok(format!("{},{}", at.lat, at.lng)),
        None => Ok(text.to_owned()),
    }
}

/// Checks the places of one side of a comparison.
///
/// # Errors
/// When there are none or too many, or one of them is invalid.
pub fn places(pointer: &str, texts: &[String], language: Language) -> Result<Vec<String>, Stop> {
    if texts.is_empty() || texts.len() > PLACES_MAX {
        return Err(invalid(pointer, format!("must be 1 to {PLACES_MAX} places")));
    }
    let place =
        |(index, text): (usize, &String)| place(&format!("{pointer}/{index}"), text, language);
    texts.iter().enumerate().map(place).collect()
}

/// Checks the number of pairs.
///
/// # Errors
/// When there are too many.
pub fn pairs(origins: usize, destinations: usize) -> Result<(), Stop> {
    if origins * destinations <= PAIRS_MAX {
        return Ok(());
    }
    let message = format!("must make {PAIRS_MAX} pairs at most with the origins");
    Err(invalid("/destinations", message))
}

/// Parses `35.6812,139.7671`; none for names. The point may be off the globe.
///
/// Accepts spaces, brackets and full-width digits: `（３５．６８　１３９．７６）`. Without a comma both numbers need a
/// decimal point.
pub fn coordinates(text: &str) -> Option<Point> {
    const BRACKETS: [(char, char); 2] = [('(', ')'), ('[', ']')];
    let plain: String = text.chars().map(half_width).collect();
    let plain = plain.trim();
    let inner = BRACKETS.iter().find_map(|it| plain.strip_prefix(it.0)?.strip_suffix(it.1));
    let plain = inner.unwrap_or(plain).trim();
    let spaced = || plain.split_once(' ').filter(|it| it.0.contains('.') && it.1.contains('.'));
    let (lat, lng) = plain.split_once(',').or_else(spaced)?;
    Some(Point { lat: lat.trim().parse().ok()?, lng: lng.trim().parse().ok()? })
}

/// Converts full-width characters to ASCII.
fn half_width(sign: char) -> char {
    match sign {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(sign) - 0xff01 + 0x21).unwrap_or(sign),
        '、' => ',',
        '−' | 'ー' => '-',
        sign if sign.is_whitespace() => ' ',
        sign => sign,
    }
}

/// Parses a point on the globe; none for names.
pub fn point(text: &str) -> Option<navigation::Point> {
    let at = coordinates(text).filter(|it| it.is_on_globe())?;
    Some(navigation::Point { lat: at.lat, lng: at.lng })
}

/// Parses `now`, RFC 3339, or seconds since 1970 (NAV-21).
///
/// # Errors
/// When it is none of these, or in the past.
pub fn departure(text: &str, now: SystemTime) -> Result<Departure, Stop> {
    const POINTER: &str = "/departure_time";
    let text = text.trim();
    if text.eq_ignore_ascii_case("now") {
        return Ok(Departure::Now);
    }
    let no_time = || {
        let message = "must be now, a time as 2026-11-21T10:00:00+09:00, or seconds since 1970";
        invalid(POINTER, message)
    };
    let seconds = match text.parse::<i64>() {
        Ok(seconds) => seconds,
        Err(_) => chrono::DateTime::parse_from_rfc3339(text).map_err(|_| no_time())?.timestamp(),
    };
    let seconds = u64::try_from(seconds).map_err(|_| past(POINTER, now))?;
    let at = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).ok_or_else(no_time)?;
    if at <= now {
        let late = now.duration_since(at).unwrap_or_default();
        return if late <= GRACE { Ok(Departure::Now) } else { Err(past(POINTER, now)) };
    }
    if at.duration_since(now).unwrap_or_default() > AHEAD_MAX {
        return Err(invalid(POINTER, "must be within a year from now"));
    }
    Ok(Departure::At(at))
}

/// Returns the error for a time in the past, with the current time.
fn past(pointer: &str, now: SystemTime) -> Stop {
    invalid(pointer, format!("must not be in the past: it is {} now", written(now)))
}

/// Formats a moment in RFC 3339, in Japan's zone.
pub(crate) fn written(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let at = chrono::DateTime::from_timestamp(i64::try_from(since.as_secs()).unwrap_or(0), 0);
    let japan = at.unwrap_or_default() + chrono::TimeDelta::hours(9);
    japan.format("%Y-%m-%dT%H:%M:%S+09:00").to_string()
}

/// Reads the mode, which the page sends outside of the specified arguments.
///
/// # Errors
/// When the mode is unknown.
pub fn mode(user: &User) -> Result<Mode, Stop> {
    match user.request_meta().get(TRAVEL_MODE) {
        None => Ok(Mode::Drive),
        Some(it) if it == "driving" => Ok(Mode::Drive),
        Some(it) if it == "walking" => Ok(Mode::Walk),
        Some(it) if it == "bicycling" => Ok(Mode::Cycle),
        Some(_) => {
            let text = "must be driving, walking or bicycling";
            Err(invalid("", format!("_meta {TRAVEL_MODE} {text}")))
        }
    }
}

/// Reads the preference.
///
/// # Errors
/// When the value is unknown.
pub fn prefer(user: &User) -> Result<Prefer, Stop> {
    let meta = user.request_meta();
    let Some(value) = meta.get(PREFER) else { return Ok(Prefer::Fastest) };
    match value.as_str() {
        Some("fastest") => Ok(Prefer::Fastest),
        Some("shortest") => Ok(Prefer::Shortest),
        Some("cheapest") => Ok(Prefer::Cheapest),
        _ => {
            let text = "must be fastest, shortest or cheapest";
            Err(invalid("", format!("_meta {PREFER} {text}")))
        }
    }
}

/// Reads the stops, in order.
///
/// # Errors
/// When it is no list of places, or there are too many.
pub fn via(user: &User, language: Language) -> Result<Vec<String>, Stop> {
    let meta = user.request_meta();
    let Some(list) = meta.get(VIA) else { return Ok(Vec::new()) };
    let problem = || {
        let what = format!("must be a list of {VIA_MAX} places at most");
        invalid("", format!("_meta {VIA} {what}"))
    };
    let list = list.as_array().filter(|it| it.len() <= VIA_MAX).ok_or_else(problem)?;
    let named = |(index, value): (usize, &serde_json::Value)| {
        place(&format!("/via/{index}"), value.as_str().ok_or_else(problem)?, language)
    };
    list.iter().enumerate().map(named).collect()
}

/// Reads the arrival time; none where it is absent.
///
/// # Errors
/// When it is invalid or in the past.
pub fn arrival(user: &User, now: SystemTime) -> Result<Option<SystemTime>, Stop> {
    let meta = user.request_meta();
    let Some(time) = meta.get(ARRIVAL_TIME) else { return Ok(None) };
    let text = match time {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match departure(&text, now) {
        Ok(Departure::At(at)) => Ok(Some(at)),
        _ => {
            let what = "must be a time ahead, within a year, such as 2026-11-21T10:00:00+09:00";
            Err(invalid("", format!("_meta {ARRIVAL_TIME} {what}; it is {} now", written(now))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem<T: std::fmt::Debug>(result: Result<T, Stop>) -> (String, String) {
        let Err(Stop::InvalidArguments(mut problems)) = result else { panic!("{result:?}") };
        let problem = problems.remove(0);
        (problem.pointer, problem.message)
    }

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn trims_places_and_refuses_empty_or_long_ones() {
        let place = |text: &str| place("/origin", text, Language::Japanese);
        assert_eq!(place(" 東京駅\n").unwrap(), "東京駅");
        assert_eq!(place(&"駅".repeat(200)).unwrap().chars().count(), 200);
        for text in ["", " \u{3000}", &"駅".repeat(201), &"a".repeat(1 << 20)] {
            assert_eq!(problem(place(text)).0, "/origin");
        }
    }

    #[test]
    fn refuses_coordinates_off_the_globe() {
        let place = |text: &str| place("/origin", text, Language::Japanese);
        for text in ["NaN,139", "91,0", "0,-181", "inf,0", "1e999,0", "99.9 200.5"] {
            let Err(Stop::Refused(refusal)) = place(text) else { panic!("{text}") };
            assert!(refusal.code == "invalid_params" && refusal.message.contains("座標"), "{text}");
        }
        assert!(place("1-1, 丸の内").is_ok(), "an address with a comma is one");
    }

    #[test]
    fn reads_coordinates_in_any_notation() {
        let place = |text: &str| place("/origin", text, Language::Japanese);
        for text in [
            "35.68,139.76",
            " 35.68 , 139.76 ",
            "35.68 139.76",
            "(35.68, 139.76)",
            "[35.68,139.76]",
            "（３５．６８，１３９．７６）",
            "３５．６８　１３９．７６",
            "35.68、139.76",
        ] {
            assert_eq!(place(text).unwrap(), "35.68,139.76", "{text}");
        }
        assert_eq!(point("-35.5,139"), Some(navigation::Point { lat: -35.5, lng: 139.0 }));
        assert_eq!(point("0,181"), None);
        for name in ["東京駅", "1,2,3", "丸の内1,2", "1 2", "109 渋谷", "35.68", "()"] {
            assert_eq!(coordinates(name), None, "{name}");
        }
    }

    #[test]
    fn limits_places_per_side_and_pairs() {
        let some = |count| vec!["東京駅".to_owned(); count];
        let places = |pointer, texts: &[String]| places(pointer, texts, Language::English);
        assert_eq!(places("/origins", &some(25)).unwrap().len(), 25);
        for count in [0, 26, 500] {
            assert_eq!(problem(places("/origins", &some(count))).0, "/origins");
        }
        let mixed = ["東京駅".to_owned(), String::new()];
        assert_eq!(problem(places("/origins", &mixed)).0, "/origins/1");
        assert!(pairs(10, 10).is_ok());
        assert_eq!(problem(pairs(25, 5)).0, "/destinations");
    }

    #[test]
    fn reads_departure_and_refuses_the_past() {
        let now = at(1_795_000_000);
        assert_eq!(departure("now", now).unwrap(), Departure::Now);
        assert_eq!(departure("1795000600", now).unwrap(), Departure::At(at(1_795_000_600)));
        let written = departure("2026-11-19T02:06:40+09:00", at(1_794_000_000)).unwrap();
        assert_eq!(written, Departure::At(at(1_795_021_600)));
        assert_eq!(departure("1794999970", now).unwrap(), Departure::Now, "a clock may be behind");
        for past in ["1794999900", "2020-01-01T00:00:00Z", "-5"] {
            let message = problem(departure(past, now)).1;
            assert!(message.contains("past: it is 2026-11-18T20:06:40+09:00 now"), "{message}");
        }
        for wrong in ["", "tomorrow", "2026-11-21T10:00:00", "99999999999999", "10:00"] {
            assert_eq!(problem(departure(wrong, now)).0, "/departure_time", "{wrong}");
        }
    }
}
