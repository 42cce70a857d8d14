//! Two bookings in one sentence: they are made one at a time, the first one first.

use language::{Date, scan::marks};

use super::titles::Sentence;

/// What stands between two bookings.
const BETWEEN: &[&str] =
    &["、", "。", "と", "，", ", ", ". ", "; ", " and ", " then ", " plus ", "それから", "あと"];
/// What says that the second takes the place of the first.
const CORRECTS: &[&str] = &[
    "いや",
    "やっぱ",
    "やはり",
    "じゃなく",
    "ではなく",
    "違う",
    "no ",
    "no,",
    "actually",
    "wait",
    "sorry",
    "rather",
    "instead",
    "or ",
    "もしくは",
    "または",
    "if ",
];

/// The first booking and the rest of `text`, where counts belong to different films or days.
pub(super) fn apart(text: &str, today: Date) -> Option<(String, String)> {
    if let Some(both) = instead(text) {
        return Some(both);
    }
    let whole = Sentence::plain(text, today);
    if whole.numbers.counts.len() < 2 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let mut places: Vec<_> = BETWEEN
        .iter()
        .flat_map(|mark| lower.match_indices(mark).map(|it| (it.0, it.1.len())))
        .collect();
    places.sort_unstable();
    places.into_iter().find_map(|(at, length)| {
        let (first, later) = (text[..at].trim(), text[at + length..].trim());
        let begin = later.to_ascii_lowercase();
        let begin = begin.strip_prefix("and ").unwrap_or(&begin);
        if CORRECTS.iter().any(|it| begin.starts_with(it)) {
            return None;
        }
        let (one, other) = (Sentence::plain(first, today), Sentence::plain(later, today));
        let is_counted = !one.numbers.counts.is_empty() && !other.numbers.counts.is_empty();
        let differ = |a: Option<String>, b: Option<String>| a.is_some() && b.is_some() && a != b;
        let day = |it: &Sentence| it.when.date.map(|it| it.to_string());
        let is_other = || differ(one.title(), other.title()) || differ(day(&one), day(&other));
        (is_counted && is_other()).then(|| (first.to_owned(), later.to_owned()))
    })
}

/// What is asked for, and what is to be done where that is not to be had: `夜が埋まってたら昼の回`.
fn instead(text: &str) -> Option<(String, String)> {
    const BEGINS: &str = "、もし|。もし|, if |. if |; if |, but if | if it's | if they're ";
    const GONE: &str = "埋ま|満席|売り切れ|取れな|とれな|空いてな|なければ|無ければ|なかったら|無かったら|だめなら|ダメなら|sold out|full|not available|unavailable|taken|gone|booked out|no seats";
    let lower = text.to_ascii_lowercase();
    let (at, _) = marks(BEGINS).filter_map(|it| Some((lower.find(it)?, it))).min()?;
    let (first, later) = text.split_at(at);
    let later = later.trim_start_matches(['、', '。', ',', '.', ';', ' ']);
    let is_instead = marks(GONE).any(|it| later.to_ascii_lowercase().contains(it));
    (is_instead && !first.trim().is_empty()).then(|| (first.trim().to_owned(), later.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(String, String)> {
        apart(text, Date::constant(2026, 11, 21))
    }

    #[test]
    fn counts_of_other_films_or_days_are_two_bookings() {
        for (text, first, later) in [
            ("AKIRAを明日2枚、ゴジラを月曜に3枚", "AKIRAを明日2枚", "ゴジラを月曜に3枚"),
            ("AKIRAを2枚とゴジラを3枚予約して", "AKIRAを2枚", "ゴジラを3枚予約して"),
            (
                "book 2 seats for Akira tomorrow and 3 for Godzilla on Monday",
                "book 2 seats for Akira tomorrow",
                "3 for Godzilla on Monday",
            ),
            (
                "Two tickets for Akira tomorrow, four tickets for Rashomon on Friday",
                "Two tickets for Akira tomorrow",
                "four tickets for Rashomon on Friday",
            ),
        ] {
            let expected = Some((first.to_owned(), later.to_owned()));
            assert_eq!(parts(text), expected, "{text}");
        }
    }

    #[test]
    fn companions_of_one_booking_stay_together() {
        for text in [
            "明日のAKIRAを大人2枚と子供1枚",
            "大人2枚、子供1枚で明日のAKIRA",
            "Two adults and one child for Akira tomorrow",
            "2 seats for Akira tomorrow or Monday",
            "明日か明後日、AKIRAを2枚",
            "七人の侍を明日2枚",
        ] {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
