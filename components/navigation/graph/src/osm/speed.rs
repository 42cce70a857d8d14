//! How fast a car goes that is alone: limits where they are known, else what is usual.
//!
//! | class | without a limit, km/h (a ramp) | share of a limit |
//! |---|---|---|
//! | motorway | 110 (60) | 1.0 |
//! | trunk | 80 (50) | 0.95 |
//! | primary | 60 (40) | 0.9 |
//! | secondary | 50 (35) | 0.85 |
//! | tertiary | 45 (30) | 0.85 |
//! | residential, unclassified, road | 30 | 0.8 |
//! | living street | 10 | |
//! | service, track | 15, 10 | at most 20 |
//! | for visitors only | at most 10 | |
//! | ferry | its length over its duration, else 20 | |

use crate::network::Class;

/// The speed of a car where no limit is known, on a road of a class.
pub(super) fn usual(class: Class, is_ramp: bool) -> u8 {
    let (road, ramp) = match class {
        Class::Motorway => (110, 60),
        Class::Trunk => (80, 50),
        Class::Primary => (60, 40),
        Class::Secondary => (50, 35),
        Class::Tertiary => (45, 30),
        Class::Residential => (30, 25),
        Class::Service => (15, 15),
        Class::Path => (5, 5),
        Class::Ferry => (20, 20),
    };
    if is_ramp { ramp } else { road }
}

/// The speed where the limit is `limit` km/h.
pub(super) fn under_limit(class: Class, limit: u8) -> u8 {
    let share = match class {
        Class::Motorway => 1.0,
        Class::Trunk => 0.95,
        Class::Primary => 0.9,
        Class::Secondary | Class::Tertiary => 0.85,
        _ => 0.8,
    };
    let speed = kmh(f64::from(limit) * share);
    if class >= Class::Service { speed.min(20) } else { speed }
}

/// A limit as it is tagged, in km/h: `50`, `30 mph`, `FI:urban`, `DE:zone:30`, `none`, `walk`.
pub(super) fn limit(text: &str) -> Option<u8> {
    let text = text.split([';', '|']).next().unwrap_or_default().trim();
    match text {
        "none" => return Some(130),
        "walk" => return Some(7),
        _ => {}
    }
    if let Some((country, kind)) = text.split_once(':') {
        return of_country(country, kind);
    }
    let digits = text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let factor = match text[digits..].trim() {
        "" | "km/h" | "kmh" | "kph" => 1.0,
        "mph" => 1.609_344,
        "knots" => 1.852,
        _ => return None,
    };
    // Nothing on a road is limited to 2 km/h, or to 900.
    Some(number * factor).filter(|it| (3.0..=200.0).contains(it)).map(kmh)
}

/// What a country's law says where there is no sign.
fn of_country(country: &str, kind: &str) -> Option<u8> {
    let kind = kind.strip_prefix("zone").map_or(kind, |it| it.trim_start_matches(':'));
    if let Ok(zone) = kind.parse::<u8>() {
        return (5..=100).contains(&zone).then_some(zone);
    }
    let (urban, rural, trunk, motorway) = match country {
        "GB" => (48, 97, 113, 113),
        "JP" => (40, 60, 60, 100),
        "US" => (40, 89, 89, 105),
        "DE" | "AT" => (50, 100, 100, 130),
        "FI" => (50, 80, 100, 120),
        "SE" | "NO" => (50, 70, 90, 110),
        "CH" | "LI" => (50, 80, 100, 120),
        "FR" | "LU" => (50, 80, 110, 130),
        "IT" => (50, 90, 110, 130),
        "NL" => (50, 80, 100, 100),
        "ES" | "AD" | "PT" => (50, 90, 90, 120),
        _ => (50, 90, 100, 120),
    };
    match kind {
        "urban" | "nsl_restricted" => Some(urban),
        "rural" | "nsl_single" => Some(rural),
        "trunk" | "nsl_dual" | "expressway" => Some(trunk),
        "motorway" => Some(motorway),
        "living_street" => Some(10),
        "walk" => Some(7),
        _ => None,
    }
}

/// How long a ferry takes, in seconds: `00:15`, `1:30:00`, `PT20M`, `15` (minutes).
pub(super) fn duration(text: &str) -> Option<u32> {
    let text = text.trim();
    let seconds = match text.strip_prefix("PT").or_else(|| text.strip_prefix("P")) {
        Some(iso) => iso_seconds(iso)?,
        None => {
            let parts: Option<Vec<u32>> = text.split(':').map(|it| it.parse().ok()).collect();
            match parts?[..] {
                [minutes] => minutes.checked_mul(60)?,
                [hours, minutes] => {
                    hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?
                }
                [hours, minutes, seconds] => hours
                    .checked_mul(3600)?
                    .checked_add(minutes.checked_mul(60)?)?
                    .checked_add(seconds)?,
                _ => return None,
            }
        }
    };
    (30..=7 * 86_400).contains(&seconds).then_some(seconds)
}

fn iso_seconds(text: &str) -> Option<u32> {
    let (mut seconds, mut number) = (0_u32, String::new());
    for letter in text.chars().filter(|it| *it != 'T') {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        let unit = match letter {
            'D' => 86_400,
            'H' => 3600,
            'M' => 60,
            'S' => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.parse::<u32>().ok()?.checked_mul(unit)?)?;
        number.clear();
    }
    Some(seconds)
}

/// A speed as it is kept: whole km/h, at least 1.
pub(super) fn kmh(speed: f64) -> u8 {
    speed.round().clamp(1.0, 250.0) as u8
}

#[cfg(test)]
mod tests {
    use super::{duration, limit};

    #[test]
    fn parses_tagged_limits_and_ignores_nonsense() {
        let cases =
            [("50", 50), ("30 mph", 48), ("FI:urban", 50), ("DE:zone:30", 30), ("none", 130)];
        for (text, wanted) in cases {
            assert_eq!(limit(text), Some(wanted), "{text}");
        }
        for text in ["", "fast", "-5", "1e9", "99999", "NaN", "XX:warp", "signals", "0"] {
            assert_eq!(limit(text), None, "{text}");
        }
    }

    #[test]
    fn parses_tagged_durations_and_ignores_nonsense() {
        let cases =
            [("00:15", 900), ("1:30:00", 5400), ("PT20M", 1200), ("PT1H5M", 3900), ("15", 900)];
        for (text, wanted) in cases {
            assert_eq!(duration(text), Some(wanted), "{text}");
        }
        for text in ["", "soon", "99999999999", "4294967295:59", "PT", "P9Z", "0"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }
}
