//! Distances and durations as people read them, in two languages (NAV-20), and languages as providers name them.

use output::navigation::Measure;

use crate::ask::Language;

/// What a map says of itself in the reader's language: one line in each, Japanese first, or one for all.
pub fn of_map(text: &str, language: Language) -> &str {
    match (text.split_once('\n'), language) {
        (Some((japanese, _)), Language::Japanese) => japanese,
        (Some((_, english)), Language::English) => english,
        (None, _) => text,
    }
}

/// `200 m`, `32.4 km`, `123 km`.
pub fn distance(metres: f64) -> String {
    let metres = metres.max(0.0);
    let to_tens = (metres / 10.0).round() * 10.0;
    let kilometres = metres / 1_000.0;
    match metres {
        it if it < 99.5 => format!("{it:.0} m"),
        _ if to_tens < 1_000.0 => format!("{to_tens:.0} m"),
        _ if kilometres < 99.95 => format!("{kilometres:.1} km"),
        _ => format!("{kilometres:.0} km"),
    }
}

/// That a place is so far from the road where the route begins or ends there; none where that is plain to see.
pub fn off_road(name: &str, metres: f64, language: Language) -> Option<String> {
    /// What is nearer is not mentioned.
    const FAR_METRES: f64 = 300.0;
    let far = distance(metres);
    let note = match language {
        Language::Japanese => format!(
            "「{name}」は道路から{far}離れています。その間は距離にも所要時間にも含まれません。"
        ),
        Language::English => {
            format!("“{name}” is {far} from the road; that stretch is not counted.")
        }
    };
    (metres >= FAR_METRES).then_some(note)
}

/// `1分`, `1時間5分`; `1 min`, `1 h 5 min`. What takes any time takes a minute.
pub fn duration(seconds: f64, language: Language) -> String {
    let minutes = (seconds / 60.0).round().max(if seconds > 0.0 { 1.0 } else { 0.0 });
    let minutes = whole(minutes);
    let (days, hours, minutes) = (minutes / 1_440, minutes / 60 % 24, minutes % 60);
    let (day, hour, minute) = match language {
        Language::Japanese => ("日", "時間", "分"),
        Language::English => (" d", " h", " min"),
    };
    let mut parts = Vec::new();
    for (number, unit) in [(days, day), (hours, hour), (minutes, minute)] {
        // With days, minutes are left out.
        if number > 0 && !(unit == minute && days > 0) {
            parts.push(format!("{number}{unit}"));
        }
    }
    if parts.is_empty() {
        parts.push(format!("0{minute}"));
    }
    parts.join(if language == Language::English { " " } else { "" })
}

/// A length, for programs and people.
pub fn metres(metres: f64) -> Measure {
    Measure { text: distance(metres), value: whole(metres) }
}

/// A time, for programs and people.
pub fn seconds(seconds: f64, language: Language) -> Measure {
    Measure { text: duration(seconds, language), value: whole(seconds) }
}

/// Whole metres, for people.
pub fn kilometres(metres: u64) -> String {
    distance(f64::from(u32::try_from(metres).unwrap_or(u32::MAX)))
}

/// The nearest number that there can be of something; what is no number, or less than nothing, is 0.
pub fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// The language tag for providers.
pub fn tag(language: Language) -> &'static str {
    match language {
        Language::Japanese => "ja",
        Language::English => "en",
    }
}

/// A distance in kilometres or metres. Where roads are measured in miles, Google writes miles and feet, whatever the
/// language; its number is metres everywhere, as are the distances of every other provider.
pub fn metric(measure: Measure) -> Measure {
    if measure.text.ends_with('m') {
        measure
    } else {
        metres(f64::from(u32::try_from(measure.value).unwrap_or(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_as_in_the_specification() {
        let cases = [
            (0.0, "0 m"),
            (46.4, "46 m"),
            (204.0, "200 m"),
            (994.9, "990 m"),
            (995.0, "1.0 km"),
            (32_400.0, "32.4 km"),
            (99_960.0, "100 km"),
            (1_234_567.0, "1235 km"),
        ];
        for (metres, text) in cases {
            assert_eq!(distance(metres), text, "{metres}");
        }
    }

    #[test]
    fn times_read_as_in_the_specification_and_in_english() {
        let cases = [
            (0.0, "0分", "0 min"),
            (4.0, "1分", "1 min"),
            (2_700.0, "45分", "45 min"),
            (3_600.0, "1時間", "1 h"),
            (3_900.0, "1時間5分", "1 h 5 min"),
            (90_000.0, "1日1時間", "1 d 1 h"),
        ];
        for (seconds, ja, en) in cases {
            assert_eq!(duration(seconds, Language::Japanese), ja, "{seconds}");
            assert_eq!(duration(seconds, Language::English), en, "{seconds}");
        }
        assert_eq!(seconds(3_120.4, Language::Japanese).value, 3_120);
    }

    #[test]
    fn what_is_no_number_is_nothing() {
        for number in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            assert_eq!(whole(number), 0);
            assert_eq!(metres(number).text, "0 m");
            assert_eq!(seconds(number, Language::English).text, "0 min");
        }
    }
}
