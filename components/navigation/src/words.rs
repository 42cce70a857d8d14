//! Formats distances and durations in two languages (NAV-20), and language tags for providers.

use output::navigation::{Measure, kilometres, minutes};

use crate::ask::Language;

/// Returns a map's text in a language: one line for each, Japanese first, or one for all.
pub fn map_text(text: &str, language: Language) -> &str {
    match (text.split_once('\n'), language) {
        (Some((japanese, _)), Language::Japanese) => japanese,
        (Some((_, english)), Language::English) => english,
        (None, _) => text,
    }
}

/// Formats a length for people.
pub fn distance(metres: f64) -> String {
    kilometres(whole(metres))
}

/// Says how far a place is from the road; none where it is near.
pub fn off_road(name: &str, metres: f64, language: Language) -> Option<String> {
    /// Minimum distance to mention, in metres.
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

/// Formats `1分`, `1時間5分`; `1 min`, `1 h 5 min`; at least a minute.
pub fn duration(seconds: u64, language: Language) -> String {
    spelled(minutes(seconds), language)
}

/// Formats so many minutes.
pub fn spelled(minutes: u64, language: Language) -> String {
    let (days, hours, minutes) = (minutes / 1_440, minutes / 60 % 24, minutes % 60);
    let (day, hour, minute) = match language {
        Language::Japanese => ("日", "時間", "分"),
        Language::English => (" d", " h", " min"),
    };
    let mut parts = Vec::new();
    for (number, unit) in [(days, day), (hours, hour), (minutes, minute)] {
        // Omits minutes with days.
        if number > 0 && !(unit == minute && days > 0) {
            parts.push(format!("{number}{unit}"));
        }
    }
    if parts.is_empty() {
        parts.push(format!("0{minute}"));
    }
    parts.join(if language == Language::English { " " } else { "" })
}

/// Returns a length for programs and people.
pub fn metres(metres: f64) -> Measure {
    Measure { text: distance(metres), value: whole(metres) }
}

/// Returns a duration for programs and people.
pub fn seconds(seconds: f64, language: Language) -> Measure {
    Measure { text: duration(whole(seconds), language), value: whole(seconds) }
}

/// Rounds to a whole number; negative and invalid ones become 0.
pub fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// Returns the language tag for providers.
pub fn tag(language: Language) -> &'static str {
    match language {
        Language::Japanese => "ja",
        Language::English => "en",
    }
}

/// Returns a distance in kilometres or metres. Google writes miles and feet in some countries in any language, but its
/// number is always metres.
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
    fn formats_lengths_as_specified() {
        let cases = [
            (0.0, "0 m"),
            (46.4, "46 m"),
            (204.0, "200 m"),
            (994.4, "990 m"),
            (995.0, "1.0 km"),
            (48_149.4, "48.1 km"),
            (48_149.6, "48.2 km"),
            (32_400.0, "32.4 km"),
            (99_960.0, "100 km"),
            (1_234_567.0, "1235 km"),
        ];
        for (metres, text) in cases {
            assert_eq!(distance(metres), text, "{metres}");
        }
    }

    #[test]
    fn formats_durations_in_both_languages() {
        let cases = [
            (0, "0分", "0 min"),
            (4, "1分", "1 min"),
            (2_700, "45分", "45 min"),
            (3_600, "1時間", "1 h"),
            (3_900, "1時間5分", "1 h 5 min"),
            (90_000, "1日1時間", "1 d 1 h"),
        ];
        for (seconds, ja, en) in cases {
            assert_eq!(duration(seconds, Language::Japanese), ja, "{seconds}");
            assert_eq!(duration(seconds, Language::English), en, "{seconds}");
        }
        assert_eq!(seconds(3_120.4, Language::Japanese).value, 3_120);
    }

    #[test]
    fn converts_invalid_numbers_to_zero() {
        for number in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            assert_eq!(whole(number), 0);
            assert_eq!(metres(number).text, "0 m");
            assert_eq!(seconds(number, Language::English).text, "0 min");
        }
    }
}
