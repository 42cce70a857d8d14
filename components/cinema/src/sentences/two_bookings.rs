//! Two bookings in one sentence, made one after the other.

use language::{Date, scan::marks, words::Word};

use super::{conditions::Conditions, titles::Sentence, words::RESERVE};

/// Separators of bookings.
const BETWEEN: &str = "、|。|と|，|, |. |; | and | then | plus |それから|あと";
/// Words of a correction, where the second replaces the first.
const CORRECTS: &str = "いや|やっぱ|やはり|じゃなく|ではなく|違う|no |no,|actually|wait|sorry|rather|instead|or |もしくは|または|if ";

/// Splits off the first booking, if counts belong to different films or days.
pub(super) fn split_bookings(text: &str, today: Date) -> Option<(String, String)> {
    let whole = Sentence::plain(text, today);
    if whole.numbers.counts.len() < 2 {
        return of_each(text, today);
    }
    let lower = text.to_ascii_lowercase();
    let mut places: Vec<_> = marks(BETWEEN)
        .flat_map(|mark| lower.match_indices(mark).map(|it| (it.0, it.1.len())))
        .collect();
    places.sort_unstable();
    places.into_iter().find_map(|(at, length)| {
        let (first, later) = (text[..at].trim(), text[at + length..].trim());
        let begin = later.to_ascii_lowercase();
        let begin = begin.strip_prefix("and ").unwrap_or(&begin);
        if marks(CORRECTS).any(|it| begin.starts_with(it)) {
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

/// Splits a booking of the same number of seats for each of two films: `アキラとゴジラを明日2枚ずつ`, `two each for Akira and
/// Godzilla`.
fn of_each(text: &str, today: Date) -> Option<(String, String)> {
    const EACH: &str = "両方とも|両方|それぞれ|どちらも|どっちも";
    const ENDS: &str = " tomorrow| today| tonight| on | at | this | please|,|.|!|?";
    let lower = text.to_ascii_lowercase();
    let read = |it: &str| Sentence::plain(it, today);
    let differ = |both: &(String, String)| {
        let (one, other) = (read(&both.0).leftover(), read(&both.1).leftover());
        one.is_some() && other.is_some() && one != other
    };
    let japanese = || {
        let rest = |it: &str| it.replace("ずつ", "").trim_start_matches(['を', '、']).to_owned();
        let end = marks(EACH).filter_map(|it| Some((text.find(it)?, it))).min();
        let end = end.or_else(|| Some((text.find("を")?, "を")))?;
        let (names, behind) = (&text[..end.0], rest(&text[end.0 + end.1.len()..]));
        let names = names.trim_end_matches('を');
        // `明日アキラとゴジラを`, `アキラとゴジラ明日`: the day is that of both.
        let chars: Vec<char> = names.chars().collect();
        let part = |from: usize, to: usize| chars[from..to].iter().collect::<String>();
        let (day, names) = match read(names).when.spans[..] {
            [(0, to)] if to <= chars.len() => (part(0, to), names.to_owned()),
            [(from, to)] if to == chars.len() => (part(from, to), part(from, to) + &part(0, from)),
            _ => (String::new(), names.to_owned()),
        };
        let mut joints = names.match_indices('と').map(|(at, joint)| {
            let (one, other) = (&names[..at], &names[at + joint.len()..]);
            let other = other.trim_end_matches(['、', 'の']);
            (format!("{one}を{behind}"), format!("{day}{other}を{behind}"))
        });
        joints.find(|it| differ(it))
    };
    let english = || {
        let (head, names) = text.split_at(lower.find(" for ")? + " for ".len());
        let (one, behind) = names.split_at(names.find(" and ")?);
        let behind = &behind[" and ".len()..];
        let end = marks(ENDS).filter_map(|it| behind.find(it)).min().unwrap_or(behind.len());
        let (other, tail) = behind.split_at(end);
        let head = head.replacen(" each", "", 1);
        Some((format!("{head}{one}{tail}"), format!("{head}{other}{tail}"))).filter(differ)
    };
    match () {
        () if lower.contains(" each for ") => english(),
        () if text.contains("ずつ") || marks(EACH).any(|it| text.contains(it)) => japanese(),
        () => None,
    }
}

/// Splits `text` into a booking and an alternative if it is unavailable: `夜が埋まってたら昼の回`.
pub(super) fn instead(text: &str, today: Date) -> Option<(Sentence, Sentence, String)> {
    let (at, find_unavailable, end) = find_unavailable(text).or_else(|| is_full(text))?;
    let behind = &text[end..];
    let order = behind.split_once([',', '、']).map_or(behind, |it| it.1).trim();
    let read = |it: &str| Sentence::plain(it, today);
    let (mut first, other) = (read(text[..at].trim()), read(order));
    // `朝の回が満席だったら午後の回を2枚` counts both.
    let count = other.numbers.counted.first().map(|it| other.piece(it.0, it.1).text);
    if let Some(count) = count.filter(|_| first.numbers.counts.is_empty()) {
        let title = first.title();
        let counted = read(&format!("{}、{count}", text[..at].trim().trim_end_matches('、')));
        if title.is_some() && counted.title() == title {
            first = counted;
        }
    }
    let is_order = |it: &Sentence| !it.asks() && !it.denies(&[RESERVE]) && !it.has(&[Word::NOT]);
    let is_booking = first.has(&[RESERVE]) || !first.numbers.counts.is_empty();
    let names = other.when.date.is_some()
        || other.when.hours.is_some()
        || other.title().is_some()
        || Conditions::parse(&other).pick.is_some();
    let is_instead = is_booking && names && is_order(&first) && is_order(&other);
    is_instead.then(|| (first, read(text[at..find_unavailable].trim()), order.to_owned()))
}

/// Leaves out the wish for a waiting list next to a booking, and returns its day: `満席ならキャンセル待ち、空いてたら2枚予約して`,
/// `put me on the waiting list for Akira tomorrow and book 2 for Totoro`.
pub(super) fn without_waiting(text: &str, today: Date) -> Option<(String, Option<Date>)> {
    const WAITING: &str = "キャンセル待|waiting list|waitlist|wait list|wait-list";
    /// Conditions between a film and the wish to wait for it.
    const FULL: &str = "が満席|は満席|満席|が埋ま|は埋ま|埋ま|がいっぱい|いっぱい|がだめ|だめ|もし";
    /// Conditions of the booking, which is only made with seats that are free.
    const FREE: &str = "空いてたら|空いていたら|空いてれば|空いていれば|空きがあれば|席があれば|あいてたら|あれば|そうでなければ|otherwise |if not |if there are seats |if it's free ";
    let lower = text.to_ascii_lowercase();
    let waiting = marks(WAITING).filter_map(|it| lower.find(it)).min()?;
    let places = marks(BETWEEN).flat_map(|mark| lower.match_indices(mark));
    let places: Vec<_> = places.map(|it| (it.0, it.0 + it.1.len())).collect();
    let from = places.iter().map(|it| it.1).filter(|it| *it <= waiting).max().unwrap_or(0);
    let to = places.iter().filter(|it| it.0 > waiting).min().copied();
    let (clause, rest) = match to {
        Some((end, begin)) => (&text[from..end], format!("{}{}", &text[..from], &text[begin..])),
        None => (&text[from..], text[..from].to_owned()),
    };
    let begun = rest.to_ascii_lowercase();
    let lead = marks(FREE).chain(["and "]);
    let condition = lead.filter(|it| begun.starts_with(it)).map(str::len).max().unwrap_or(0);
    let rest = rest[condition..].trim().trim_end_matches(['、', ',']).trim_end_matches(" and");
    let read = |it: &str| Sentence::plain(it, today);
    let order = read(rest);
    let is_order = !order.asks()
        && !order.denies(&[RESERVE])
        && !order.has(&[Word::NOT, Word::CANCEL])
        && (order.has(&[RESERVE]) || !order.numbers.counts.is_empty());
    let day = read(clause).when.date;
    if is_order && order.title().is_some() {
        return Some((rest.to_owned(), day));
    }
    // `…, 2 people` are those who wait.
    if !is_order || !order.has(&[RESERVE]) || order.numbers.counts.is_empty() {
        return None;
    }
    // Both are for the same film.
    let ends = marks(FULL).chain(marks(WAITING)).filter_map(|it| clause.find(it));
    let film = &clause[..ends.min().unwrap_or(0)];
    Some((format!("{film}、{rest}"), day))
}

/// Drops a film that is refused before another one, but not its day: `明日のAKIRAはいらない。ゴジラにして`.
pub(super) fn switched(text: &str) -> String {
    const REFUSALS: &str = "はいらない。|は要らない。|はいらないので|はいらないから|はやめて、|はやめて。|はもういいので|はやめにして";
    const SWITCHES: &str = "にして|にする|にします|に変え|がいい|のほうで|の方で";
    const DAYS: &str = "今日の|明日の|明後日の|あさっての|今夜の|月曜の|火曜の|水曜の|木曜の|金曜の|土曜の|日曜の|月曜日の|火曜日の|水曜日の|木曜日の|金曜日の|土曜日の|日曜日の";
    let found = marks(REFUSALS).filter_map(|it| Some((text.find(it)?, it))).min();
    let rest = found.map(|(at, mark)| text[at + mark.len()..].trim_start_matches(['、', ' ']));
    match rest.filter(|it| marks(SWITCHES).any(|switch| it.contains(switch))) {
        Some(rest) => {
            let day = marks(DAYS).find(|it| text.starts_with(it)).unwrap_or_default();
            // `AKIRAはやめて、ゴジラにして` only switches the film of the order in the conversation.
            let ends = ["にして", "にします", "にする", "に変えて"];
            let is_all =
                day.is_empty() && ends.iter().any(|it| rest.trim_end_matches('。').ends_with(it));
            let rest = ends
                .iter()
                .filter(|_| !is_all)
                .fold(rest.to_owned(), |it, switch| it.replacen(switch, "で", 1));
            format!("{day}{rest}")
        }
        None => text.to_owned(),
    }
}

/// Finds the condition `if it is unavailable`: its start, and the span of its last words.
pub(super) fn find_unavailable(text: &str) -> Option<(usize, usize, usize)> {
    const BEGINS: &str = "、もし|。もし|, if |. if |; if |, but if |, and if |. and if | and if | but if | if it's | if they're ";
    let lower = text.to_ascii_lowercase();
    let at = marks(BEGINS).filter_map(|it| lower.find(it)).min()?;
    unavailable_after(&lower, at)
}

/// Finds such a condition that begins with its clause, `、朝の回が満席だったら`, or that the film is the subject of:
/// `アキラ満席だったらゴジラ`.
fn is_full(text: &str) -> Option<(usize, usize, usize)> {
    let starts = text.match_indices(['、', '。']).map(|it| it.0 + it.1.len());
    let of_clause = starts.rev().find_map(|from| unavailable_after(text, from));
    let of_film = || unavailable_after(text, 0).map(|it| (it.1, it.1, it.2));
    of_clause.or_else(|| of_film().filter(|it| !text[it.1..it.2].is_ascii()))
}

/// Finds the words for `it is unavailable` behind `at`, in a lowercase text.
fn unavailable_after(lower: &str, at: usize) -> Option<(usize, usize, usize)> {
    const UNAVAILABLE: &str = "埋まってたら|埋まっていたら|満席なら|満席だったら|売り切れなら|売り切れだったら|売り切れてたら|売り切れていたら|取れなければ|取れなかったら|とれなければ|とれなかったら|空いてなければ|空いてなかったら|空いていなければ|だめなら|ダメなら|sold out|full|not available|unavailable|taken|gone|booked out|no seats";
    const IS: [&str; 5] = [" is ", "'s ", " are ", "'re ", " if "];
    marks(UNAVAILABLE).find_map(|phrase| {
        let found = at + lower[at..].find(phrase)?;
        let ends =
            lower[found + phrase.len()..].starts_with(|it: char| !it.is_ascii_alphanumeric());
        let is_said =
            !phrase.is_ascii() || ends && IS.iter().any(|is| lower[..found].ends_with(is));
        is_said.then_some((at, found, found + phrase.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Option<(String, String)> {
        split_bookings(text, Date::constant(2026, 11, 21))
    }

    #[test]
    fn counts_of_different_films_are_two_bookings() {
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
    fn number_for_each_film_is_two_bookings() {
        for (text, first, later) in [
            ("アキラとゴジラを明日2枚ずつ", "アキラを明日2枚", "ゴジラを明日2枚"),
            (
                "明日アキラとゴジラを2枚ずつ予約して",
                "明日アキラを2枚予約して",
                "明日ゴジラを2枚予約して",
            ),
            ("アキラと君の名は両方明日2枚ずつ", "アキラを明日2枚", "君の名はを明日2枚"),
            ("アキラとゴジラをそれぞれ明日3枚", "アキラを明日3枚", "ゴジラを明日3枚"),
            ("アキラとゴジラ明日それぞれ2枚", "明日アキラを2枚", "明日ゴジラを2枚"),
            (
                "two each for Akira and Godzilla tomorrow",
                "two for Akira tomorrow",
                "two for Godzilla tomorrow",
            ),
        ] {
            assert_eq!(parts(text), Some((first.to_owned(), later.to_owned())), "{text}");
        }
        for text in ["大人と子供を2枚ずつ", "アキラを2枚ずつ", "a seat each for Ken and me"]
        {
            assert_eq!(parts(text), None, "{text}");
        }
    }

    #[test]
    fn companions_stay_in_one_booking() {
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

    #[test]
    fn waiting_list_does_not_hide_the_booking() {
        let today = Date::constant(2026, 11, 21);
        for (text, rest) in [
            (
                "明日のアキラ満席ならキャンセル待ち、空いてたら2枚予約して",
                "明日のアキラ、2枚予約して",
            ),
            ("ゴジラを2枚予約して、アキラはキャンセル待ちで", "ゴジラを2枚予約して"),
            ("book 2 for Totoro and waitlist me for Akira", "book 2 for Totoro"),
            ("put me on the waiting list for Akira, and book 2 for Totoro", "book 2 for Totoro"),
        ] {
            let found = without_waiting(text, today).map(|it| it.0);
            assert_eq!(found.as_deref(), Some(rest), "{text}");
        }
        for text in [
            "明日のアキラのキャンセル待ちに入れて、2人です",
            "明日のアキラは満席？満席ならキャンセル待ちで",
            "アキラのキャンセル待ち、予約はしないで",
            "put me on the waiting list for Akira tomorrow, 2 people",
            "is there a waiting list?",
        ] {
            assert_eq!(without_waiting(text, today), None, "{text}");
        }
    }

    #[test]
    fn only_an_order_replaces_a_booking() {
        let order = |text| instead(text, Date::constant(2026, 11, 21)).map(|it| it.2);
        for (text, expected) in [
            ("明日のAKIRAを2枚取って、もし夜が埋まってたら朝の回にして", "朝の回にして"),
            ("book 2 for Akira, if the evening is full, take the noon one", "take the noon one"),
            ("book 2 for Akira tomorrow if it's sold out book Totoro", "book Totoro"),
            ("Book Akira at 6, if sold out Godzilla at 4", "Godzilla at 4"),
            ("明日のAKIRA満席だったらゴジラを2枚", "ゴジラを2枚"),
        ] {
            assert_eq!(order(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "明日のAKIRAを2枚予約して、もし18時の回が取れなければ予約しないで",
            "明日のAKIRAを2枚予約して、もし問題なければ18時の回で",
            "明日のAKIRAを2枚予約して、もし埋まってなければ18時の回で",
            "明日のAKIRAを2枚予約して、もし満席なら教えて",
            "book two for Akira tomorrow, if possible at 18:30 with a full view",
            "book two for Akira tomorrow, if it's not full at 18:30",
            "book two for Akira tomorrow, if it is wonderful at 18:30",
            "I'd like to see Akira tomorrow at 18:30, can you check if it's sold out?",
            "book two for Akira, if it's sold out what is on in the evening?",
            "what happens if they're sold out?",
            "what is on tomorrow, if it's sold out take the morning one",
        ] {
            assert_eq!(order(text), None, "{text}");
        }
    }
}
