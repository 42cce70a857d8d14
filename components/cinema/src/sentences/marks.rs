//! Parses seats by row and number.

use language::{
    clock::starts,
    numbers::{begins_word, counter},
    scan::marks,
    utterance::Utterance,
    vocabulary::Marked,
};

use super::VOCABULARY;

/// Links between the ends of a range.
const TO: [&str; 8] = ["から", "〜", "～", "~", "–", " - ", " to ", " through "];
/// Words that put other seats in place of those chosen.
const CHANGES: &str = "change|changing|move|moving|swap|switch|replace|exchange|変更|変え|かえて|かえた|替え|換え|交換|移動|移し|移り";

/// Parses the seats at `at`, with the length: `A5`, `H列の7番`, `row F seat 7`.
pub(super) fn seats(chars: &[char], lower: &[char], at: usize) -> Marked {
    let row = lower[at].is_ascii_lowercase() && begins_word(lower, at);
    // `Dの8`, `H列の7番`.
    let link = ["列の", "列", "の"]
        .into_iter()
        .find(|it| starts(lower.get(at + 1..).unwrap_or_default(), it));
    if let Some(link) = link.filter(|_| row) {
        let from = at + 1 + link.chars().count();
        let digits = lower[from..].iter().take_while(|it| it.is_ascii_digit()).count();
        if (1..=2).contains(&digits) {
            let number: String = lower[from..from + digits].iter().collect();
            let row = chars[at].to_ascii_uppercase();
            let tail = usize::from(lower.get(from + digits) == Some(&'番'));
            let mut seats = vec![format!("{row}{number}")];
            let end = more_of_row(lower, row, from + digits + tail, &mut seats);
            return Some((seats, end - at));
        }
    }
    if let Some(found) = in_row(lower, at) {
        return Some(found);
    }
    let dash = usize::from(lower.get(at + 1) == Some(&'-'));
    let digits = lower[at + 1..].iter().skip(dash).take_while(|it| it.is_ascii_digit()).count();
    let end = at + 1 + dash + digits;
    let is_over = !lower.get(end).is_some_and(|it| it.is_ascii_alphanumeric() || *it == '-');
    // `u-1` is no seat, `A-1` is.
    let is_written = dash == 0 || chars[at].is_ascii_uppercase();
    if !row || !is_written || !(1..=2).contains(&digits) || !is_over {
        return None;
    }
    let seat = chars[at..end].iter().filter(|it| **it != '-').collect::<String>();
    // `change to C3 to C6` names a range.
    let is_end = at > 0 && starts(&lower[at.saturating_sub(4)..], " to ");
    let is_moved = !is_end && changes(lower);
    let (seats, end) = through(chars, lower, seat.to_ascii_uppercase(), end, is_moved);
    Some((seats, end - at))
}

/// Whether a sentence puts other seats in place of those chosen; `I changed my mind` does not.
fn changes(lower: &[char]) -> bool {
    let is_word = |at: usize, word: &str| {
        let behind = lower.get(at + word.len());
        !word.is_ascii()
            || begins_word(lower, at) && !behind.is_some_and(char::is_ascii_alphanumeric)
    };
    (0..lower.len()).any(|at| marks(CHANGES).any(|it| starts(&lower[at..], it) && is_word(at, it)))
}

/// The seats that `utterance` wants and those that it refuses: `C4, not C3`, `C3はやめて`. `chosen` are the
/// seats before it.
pub(super) fn named_seats(utterance: &Utterance, chosen: &[String]) -> (Vec<String>, Vec<String>) {
    const BEFORE: &str = "not |without |except |drop |remove |release ";
    const BEHIND: &str = "以外|じゃな|ではな|はいらな|は要らな|はやめ|をやめ|は無し|はなし|なし|抜き|は外|を外|を除|は除";
    /// Phrases that insist on a seat.
    const INSISTS: &str = "じゃないと|じゃなきゃ|じゃなくちゃ|じゃなけ|ではないと|ではなけ|は外せな|を外せな|は外さな|を外さな|はやめな|をやめな";
    const JOINTS: [&str; 7] = [" and ", " or ", " & ", "と", "や", "・", "も"];
    let (chars, lower) = (&utterance.chars, &utterance.lower);
    let text = |from: usize, to: usize| lower[from..to].iter().collect::<String>();
    let spans = utterance.numbers.spans.iter();
    let groups: Vec<_> = spans
        .filter_map(|(from, to)| {
            let (names, length) = seats(chars, lower, *from)?;
            (from + length == *to).then_some((names, *from, *to))
        })
        .collect();
    let is_chosen = |at: usize| groups[at].0.iter().all(|it| chosen.contains(it));
    // The text before each group and behind the last one.
    let ends = std::iter::once(0).chain(groups.iter().map(|it| it.2));
    let begins = groups.iter().map(|it| it.1).chain([lower.len()]);
    let between: Vec<_> = ends.zip(begins).map(|(from, to)| text(from, to)).collect();
    let is_changed = changes(lower);
    let mut is_refused = vec![false; groups.len()];
    // The word of refusal that stands before a list.
    let mut lead = None;
    for at in 0..groups.len() {
        let before = &between[at];
        let is_comma = || before == ", " || before == ", and ";
        let is_list = |lead: &str| lead != "not " && (chosen.is_empty() || is_chosen(at));
        lead = match marks(BEFORE).find(|it| before.ends_with(it)) {
            Some(it) => Some(it).filter(|_| !before.ends_with("why not ")),
            None => {
                lead.filter(|it| JOINTS.contains(&before.as_str()) || is_comma() && is_list(it))
            }
        };
        is_refused[at] = lead.is_some();
    }
    // Whether the seats of the group behind are refused by what follows them.
    let mut is_tail = false;
    for at in (0..groups.len()).rev() {
        let behind = &between[at + 1];
        let is_joined = JOINTS.contains(&behind.as_str()) || behind == "、" && is_chosen(at);
        let is_moved = is_changed
            && at + 1 < groups.len()
            && ["から", "を", " to "].contains(&behind.as_str())
            && !between[at].ends_with(" to ");
        let is_no = marks(BEHIND).any(|it| behind.starts_with(it))
            && !marks(INSISTS).any(|it| behind.starts_with(it));
        is_tail = is_tail && is_joined || is_moved || is_no;
        is_refused[at] |= is_tail;
    }
    let names = |no: bool| {
        let groups = groups.iter().zip(&is_refused).filter(move |it| *it.1 == no);
        groups.flat_map(|it| it.0.0.clone()).collect::<Vec<_>>()
    };
    let (mut wanted, refused) = (names(false), names(true));
    wanted.retain(|it| !refused.contains(it));
    // `2 seats from C3 to C8` are two of them.
    let mut left = groups.iter().zip(&is_refused).filter(|it| !it.1);
    if let (Some(((_, from, to), _)), None) = (left.next(), left.next()) {
        let is_range = TO.iter().any(|it| text(*from, *to).contains(it));
        let count = utterance.numbers.people().filter(|_| is_range);
        wanted.truncate(count.map_or(usize::MAX, |it| it as usize));
    }
    (wanted, refused)
}

/// The seats from `first`, which ends at `end`, up to one that is named behind: `C3 to C6`, `A1からA4`; where
/// the sentence changes seats (`is_moved`), `C3からC6に` is no range.
fn through(
    chars: &[char],
    lower: &[char],
    first: String,
    end: usize,
    is_moved: bool,
) -> (Vec<String>, usize) {
    let link = TO.iter().find(|it| starts(&lower[end..], it)).map(|it| end + it.chars().count());
    let last = link.filter(|it| *it < lower.len()).and_then(|from| {
        let (next, length) = seats(chars, lower, from)?;
        let number = |seat: &str| seat[1..].parse::<u32>().ok();
        let range = number(&first)?..=number(&next[0])?;
        let is_open = starts(&lower[end..], "から") || starts(&lower[end..], " to ");
        if is_moved && is_open && !starts(&lower[from + length..], "まで") {
            return None;
        }
        (first[..1] == next[0][..1] && !range.is_empty()).then_some((range, from + length))
    });
    let Some((range, to)) = last else { return (vec![first], end) };
    (range.map(|it| format!("{}{it}", &first[..1])).collect(), to)
}

/// `row F seat 7`, `row F, seats 7 and 8`.
fn in_row(lower: &[char], at: usize) -> Marked {
    if !begins_word(lower, at) || !starts(&lower[at..], "row ") {
        return None;
    }
    let row = *lower.get(at + 4).filter(|it| it.is_ascii_lowercase())?;
    let mut end = at + 5;
    const LINKS: [&str; 6] = [", seats ", ", seat ", " seats ", " seat ", " number ", " numbers "];
    let link = LINKS.iter().find(|it| starts(&lower[end.min(lower.len())..], it))?;
    end += link.len();
    let mut seats = Vec::new();
    loop {
        let digits = lower[end..].iter().take_while(|it| it.is_ascii_digit()).count();
        if !(1..=2).contains(&digits) {
            break;
        }
        let number: String = lower[end..end + digits].iter().collect();
        seats.push(format!("{}{number}", row.to_ascii_uppercase()));
        end += digits;
        let rest = &lower[end..];
        let joint = [" and ", ", and ", ", ", " & "].into_iter().find(|it| starts(rest, it));
        match joint.filter(|it| rest.get(it.len()).is_some_and(char::is_ascii_digit)) {
            Some(joint) => end += joint.len(),
            None => break,
        }
    }
    (!seats.is_empty()).then_some((seats, end - at))
}

/// Parses further seats of a row: `F列の5と6`, `F列の5、6、7`; returns the end.
fn more_of_row(lower: &[char], row: char, from: usize, seats: &mut Vec<String>) -> usize {
    const BETWEEN: [char; 5] = ['と', '、', '・', ',', 'や'];
    let mut end = from;
    while lower.get(end).is_some_and(|it| BETWEEN.contains(it)) {
        let rest = &lower[end + 1..];
        let spaces = rest.iter().take_while(|it| **it == ' ').count();
        let digits = rest[spaces..].iter().take_while(|it| it.is_ascii_digit()).count();
        let next = rest.get(spaces + digits);
        // `F列の5、2枚` continues with a count.
        let counts = counter(lower, end + 1 + spaces + digits, &VOCABULARY).is_some();
        let is_word = next.is_some_and(|it| matches!(it, '月' | '日' | '時' | ':'));
        if !(1..=2).contains(&digits) || counts || is_word {
            break;
        }
        let number: String = rest[spaces..spaces + digits].iter().collect();
        seats.push(format!("{row}{number}"));
        end += 1 + spaces + digits + usize::from(next == Some(&'番'));
    }
    end
}
