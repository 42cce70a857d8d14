//! Dates and times: parsed by hand, formatted by the browser's `Intl` in the reader's language.

use js_sys::{Array, Date, Function, Intl, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::text::{Key, Lang};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Day {
    pub(crate) year: u32,
    pub(crate) month: u32,
    pub(crate) day: u32,
}

impl Day {
    /// Parses `YYYY-MM-DD`; rejects days that are not on the calendar.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_shaped = text.len() == 10
            && text.bytes().enumerate().all(|(index, byte)| match index {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok();
        let day = is_shaped.then_some(Self {
            year: number(0, 4)?,
            month: number(5, 7)?,
            day: number(8, 10)?,
        })?;
        ((1..=12).contains(&day.month) && (1..=day.days_of_month()).contains(&day.day))
            .then_some(day)
    }

    /// Returns the day of `YYYY-MM-DDTHH:MM:SS`.
    pub(crate) fn of_time(text: &str) -> Option<Self> {
        Self::parse(text.get(..10)?)
    }

    fn days_of_month(self) -> u32 {
        let is_leap = self.year.is_multiple_of(4)
            && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    pub(crate) fn next(self) -> Self {
        if self.day < self.days_of_month() {
            return Self { day: self.day + 1, ..self };
        }
        if self.month < 12 {
            return Self { month: self.month + 1, day: 1, ..self };
        }
        Self { year: self.year + 1, month: 1, day: 1 }
    }

    /// Today, in the browser's time zone.
    pub(crate) fn today() -> Self {
        let now = Date::new_0();
        Self { year: now.get_full_year(), month: now.get_month() + 1, day: now.get_date() }
    }

    fn date(self) -> Date {
        let (month, day) = (self.month.cast_signed() - 1, self.day.cast_signed());
        let date = Date::new_with_year_month_day(self.year, month, day);
        // JavaScript reads years below 100 as the twentieth century, but only here.
        date.set_full_year(self.year);
        date
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Returns `HH:MM` of `YYYY-MM-DDTHH:MM:SS`.
pub(crate) fn clock(time: &str) -> &str {
    time.get(11..16).unwrap_or(time)
}

/// The day of the month and the weekday, for a date strip.
pub(crate) fn weekday(day: Day, lang: Lang) -> String {
    format(&day.date(), lang, &[("weekday", "short")])
}

/// Nov, 11月
pub(crate) fn month(day: Day, lang: Lang) -> String {
    format(&day.date(), lang, &[("month", "short")])
}

/// Returns 0 for Sunday. Weekends have their own colours.
pub(crate) fn weekday_number(day: Day) -> u32 {
    day.date().get_day()
}

/// 11月21日(土) · Sat 21 Nov
pub(crate) fn short_day(day: Day, lang: Lang) -> String {
    let options = [("weekday", "short"), ("month", "short"), ("day", "numeric")];
    format(&day.date(), lang, &options).replace(',', "")
}

/// 2026年11月21日土曜日 · Saturday, 21 November 2026
pub(crate) fn long_day(day: Day, lang: Lang) -> String {
    let options = [("year", "numeric"), ("month", "long"), ("day", "numeric"), ("weekday", "long")];
    format(&day.date(), lang, &options)
}

/// 2026年11月21日(土) · Sat, 21 Nov 2026
pub(crate) fn dated(day: Day, lang: Lang) -> String {
    let options =
        [("year", "numeric"), ("month", "short"), ("day", "numeric"), ("weekday", "short")];
    format(&day.date(), lang, &options)
}

/// Formats the day and time of `YYYY-MM-DDTHH:MM:SS`; other text is returned unchanged.
pub(crate) fn day_and_time(time: &str, lang: Lang) -> String {
    match Day::of_time(time) {
        Some(day) => {
            let apart = if lang == Lang::En { ", " } else { " " };
            [&short_day(day, lang), apart, clock(time)].concat()
        }
        None => time.to_owned(),
    }
}

/// Formats the day and time of `YYYY-MM-DDTHH:MM:SS` in a zone, which is named if the browser's shows another time.
pub(crate) fn local(time: &str, zone: Option<&str>, lang: Lang) -> String {
    zoned(day_and_time(time, lang), time, zone, lang)
}

/// Appends the zone to what is shown of a time, as by [`local`].
pub(crate) fn zoned(shown: String, time: &str, zone: Option<&str>, lang: Lang) -> String {
    match zone.and_then(|it| foreign_zone(it, time, lang)) {
        Some(zone) => lang.fill(Key::Bracketed, &[&shown, &zone]),
        None => shown,
    }
}

/// Formats `YYYY-MM-DDTHH:MM:SSZ` in the browser's time zone; other text is returned unchanged.
pub(crate) fn moment(time: &str, lang: Lang) -> String {
    let date = Date::new(&time.into());
    if date.get_time().is_nan() {
        return time.to_owned();
    }
    let day = [("year", "numeric"), ("month", "short"), ("day", "numeric")];
    let clock = [("hour", "2-digit"), ("minute", "2-digit")];
    format(&date, lang, &[&day[..], &clock[..]].concat())
}

/// Formats the time of day of such a moment in the browser's time zone.
pub(crate) fn clock_of_moment(time: &str, lang: Lang) -> String {
    let date = Date::new(&time.into());
    if date.get_time().is_nan() {
        return time.to_owned();
    }
    format(&date, lang, &[("hour", "2-digit"), ("minute", "2-digit")])
}

/// Whether two moments are on the same day in the browser's time zone.
pub(crate) fn are_of_one_day(one: &str, other: &str) -> bool {
    let day = |time: &str| Date::new(&time.into()).to_date_string();
    day(one) == day(other)
}

/// Formats a moment in milliseconds since 1970 for a list: the time of today, or the day, with its year if it is another.
pub(crate) fn lately(ms: f64, lang: Lang) -> String {
    let (date, now) = (Date::new(&ms.into()), Date::new_0());
    let clock = [("hour", "2-digit"), ("minute", "2-digit")];
    let day = [("month", "short"), ("day", "numeric"), ("year", "numeric")];
    let options = match () {
        () if date.to_date_string() == now.to_date_string() => &clock[..],
        () if date.get_full_year() == now.get_full_year() => &day[..2],
        () => &day[..],
    };
    format(&date, lang, options)
}

/// Formats a moment to the second; with the day if it is not today, and never with the year.
pub(crate) fn second(time: &str, lang: Lang) -> String {
    let date = Date::new(&time.into());
    if date.get_time().is_nan() {
        return time.to_owned();
    }
    let day = [("month", "short"), ("day", "numeric")];
    let clock = [("hour", "2-digit"), ("minute", "2-digit"), ("second", "2-digit")];
    let is_today = date.to_date_string() == Date::new_0().to_date_string();
    let options = if is_today { clock.to_vec() } else { [&day[..], &clock[..]].concat() };
    format(&date, lang, &options)
}

/// The current time in the browser's time zone, in the cinema's format.
pub(crate) fn now() -> String {
    let now = Date::new_0();
    let (hours, minutes, seconds) = (now.get_hours(), now.get_minutes(), now.get_seconds());
    format!("{}T{hours:02}:{minutes:02}:{seconds:02}", Day::today())
}

/// How far a clock that shows `time` at a moment is ahead of the browser's, rounded to quarters of an hour, as time
/// zones are.
pub(crate) fn ahead_ms(time: &str, at_ms: f64) -> f64 {
    quarters_ms(Date::new(&time.into()).get_time() - at_ms)
}

fn quarters_ms(ms: f64) -> f64 {
    const QUARTER_MS: f64 = 900_000.0;
    if ms.is_nan() { 0.0 } else { (ms / QUARTER_MS).round() * QUARTER_MS }
}

/// Formats the time of day at a moment in milliseconds since 1970.
pub(crate) fn clock_at(ms: f64, lang: Lang) -> String {
    let options = [("hour", "2-digit"), ("minute", "2-digit"), ("second", "2-digit")];
    format(&Date::new(&ms.into()), lang, &options)
}

/// The IANA name of the reader's time zone.
pub(crate) fn zone() -> Option<String> {
    let options = Intl::DateTimeFormat::new(&Array::new(), &Object::new()).resolved_options();
    Reflect::get(&options, &"timeZone".into()).ok()?.as_string()
}

/// The name of a time zone whose clocks show another time at `time` than the browser's.
pub(crate) fn foreign_zone(zone: &str, time: &str, lang: Lang) -> Option<String> {
    let parsed = Date::new(&time.into());
    let date = if parsed.get_time().is_nan() { Date::new_0() } else { parsed };
    let shown = |zone: &str| {
        let options = [("timeZone", zone), ("timeZoneName", "longGeneric")];
        let options =
            [&options[..], &[("day", "numeric"), ("hour", "2-digit"), ("minute", "2-digit")]];
        let parts = intl("DateTimeFormat", &options.concat(), lang)?;
        let parts = parts.unchecked_into::<Intl::DateTimeFormat>().format_to_parts(&date);
        let text = |it: JsValue, name: &str| Reflect::get(&it, &name.into()).ok()?.as_string();
        let parts = parts.iter().map(|it| Some((text(it.clone(), "type")?, text(it, "value")?)));
        let (name, clock): (Vec<_>, Vec<_>) =
            parts.flatten().partition(|it| it.0 == "timeZoneName");
        Some((name.into_iter().next()?.1, clock))
    };
    let (name, clock) = shown(zone)?;
    (shown(&self::zone()?)?.1 != clock).then_some(name)
}

/// Makes a formatter of `Intl`. Unlike the typed bindings, this reports invalid options without a panic.
fn intl(class: &str, options: &[(&str, &str)], lang: Lang) -> Option<JsValue> {
    let wanted = Object::new();
    for (name, value) in options {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&wanted, &(*name).into(), &(*value).into());
    }
    let class = Reflect::get(&Reflect::get(&js_sys::global(), &"Intl".into()).ok()?, &class.into());
    let class: Function = class.ok()?.dyn_into().ok()?;
    Reflect::construct(&class, &Array::of2(&locales(lang), &wanted)).ok()
}

/// Formats a number with the reader's separators.
pub(crate) fn number(value: f64, lang: Lang) -> String {
    let format = Intl::NumberFormat::new(&locales(lang), &Object::new());
    let format = format.format();
    let text = format.call1(&JsValue::UNDEFINED, &value.into());
    text.ok().and_then(|it| it.as_string()).unwrap_or_else(|| value.to_string())
}

/// Groups digits by three, as both languages do.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats an amount of money with the reader's separators: `¥1,800`. A currency code unknown to the browser is put
/// before it.
pub(crate) fn money(amount: &str, currency: &str, lang: Lang) -> String {
    let sign = ("currencyDisplay", "narrowSymbol");
    let options = [("style", "currency"), ("currency", currency), sign];
    let shown = || {
        let format: Intl::NumberFormat = intl("NumberFormat", &options, lang)?.unchecked_into();
        let value: f64 = amount.parse().ok()?;
        format.format().call1(&JsValue::UNDEFINED, &value.into()).ok()?.as_string()
    };
    shown().unwrap_or_else(|| format!("{currency} {amount}"))
}

fn format(date: &Date, lang: Lang, options: &[(&str, &str)]) -> String {
    let wanted = Object::new();
    for (name, value) in options {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&wanted, &(*name).into(), &(*value).into());
    }
    let format = Intl::DateTimeFormat::new(&locales(lang), &wanted).format();
    let text = format.call1(&JsValue::UNDEFINED, date);
    text.ok().and_then(|it| it.as_string()).unwrap_or_default()
}

/// Locales for a language. English puts the day before the month and uses a 24-hour clock, as the cinema prints it.
fn locales(lang: Lang) -> Array {
    let tag = match lang {
        Lang::Ja => "ja-JP",
        Lang::En => "en-GB",
    };
    Array::of1(&tag.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_calendar_days() {
        assert!(Day::parse("2028-02-29").is_some());
        for wrong in
            ["2026-02-29", "2026-13-01", "2026-00-10", "26-01-01", "2026/01/01", "2026-1-01"]
        {
            assert_eq!(Day::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn rounds_zone_offset_to_quarter_hours() {
        let hour = 3_600_000.0;
        assert_eq!(quarters_ms(9.0 * hour - 1_400.0), 9.0 * hour);
        assert_eq!(quarters_ms(-3.5 * hour + 90_000.0), -3.5 * hour);
        assert_eq!((quarters_ms(2_000.0), quarters_ms(f64::NAN)), (0.0, 0.0));
    }

    #[test]
    fn splits_time_into_day_and_clock() {
        let time = "2026-11-21T09:30:00";
        assert_eq!(Day::of_time(time).unwrap().to_string(), "2026-11-21");
        assert_eq!(clock(time), "09:30");
        assert_eq!(clock("soon"), "soon");
    }

    #[test]
    fn next_day_crosses_months_and_years() {
        let next = |text: &str| Day::parse(text).unwrap().next().to_string();
        assert_eq!(next("2026-12-31"), "2027-01-01");
        assert_eq!(next("2026-02-28"), "2026-03-01");
        assert_eq!(next("2026-11-21"), "2026-11-22");
    }
}
