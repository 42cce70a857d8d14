//! Parses seats by row and number.

use language::{
    clock::starts,
    numbers::{begins_word, counter},
    vocabulary::Marked,
};

use super::VOCABULARY;

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
    let (seats, end) = through(chars, lower, seat.to_ascii_uppercase(), end);
    Some((seats, end - at))
}

/// The seats from `first`, which ends at `end`, up to one that is named behind: `C3 to C6`, `A1からA4`.
fn through(chars: &[char], lower: &[char], first: String, end: usize) -> (Vec<String>, usize) {
    const TO: [&str; 8] = ["から", "〜", "～", "~", "–", " - ", " to ", " through "];
    let link = TO.iter().find(|it| starts(&lower[end..], it)).map(|it| end + it.chars().count());
    let last = link.filter(|it| *it < lower.len()).and_then(|from| {
        let (next, length) = seats(chars, lower, from)?;
        let number = |seat: &str| seat[1..].parse::<u32>().ok();
        let range = number(&first)?..=number(&next[0])?;
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
