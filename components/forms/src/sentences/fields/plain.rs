//! Simplifies a sentence before parsing: date ranges into brackets, lists without counts, and
//! separators instead of spaces.

use language::{
    Date,
    clock::is_numeral,
    dates::written,
    scan::{marks, normal},
};
use serde_json::{Map, Value};

/// Simplifies `text`, written on the day `today`.
pub(in crate::sentences) fn plain(text: &str, today: Date) -> String {
    let text = text.replace("e.g., ", "such as ").replace("e.g. ", "such as ");
    spaced(&examples(&uncounted(&ranges(&parted(&text), today))))
}

/// `名前なしでメールと電話`: separates the list after a denial.
fn parted(text: &str) -> String {
    let is_word = |it: char| it.is_alphanumeric() && !matches!(it, 'ぁ'..='ん');
    ["なしで", "抜きで"].iter().fold(text.to_owned(), |text, no| {
        let mut pieces = text.split(no);
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |joined, piece| {
            let joint = if piece.starts_with(is_word) { "、" } else { "" };
            format!("{joined}{no}{joint}{piece}")
        })
    })
}

/// Parses a simplified date range: `2026-12-01/2026-12-20`.
pub(super) fn days(inner: &str) -> Option<Map<String, Value>> {
    let (first, last) = inner.trim().split_once('/')?;
    let day = |text: &str| text.is_empty() || text.parse::<Date>().is_ok();
    if !day(first) || !day(last) || first.len() + last.len() == 0 {
        return None;
    }
    let both = [("minDate", first), ("maxDate", last)].into_iter().filter(|it| !it.1.is_empty());
    Some(both.map(|it| (it.0.to_owned(), it.1.into())).collect())
}

/// Brackets `12月1日から12月20日の間` and `between December 1 and 15`.
fn ranges(text: &str, today: Date) -> String {
    const LEADS: &str = "from |between |on a day between |any day from ";
    const JOINTS: &str = "から|〜|～|~|-|–| - | to | through | until | and ";
    const TAILS: &str =
        "までの間の|までの間|までの|まで|の間の|の間|の期間の|の期間|の範囲の|の範囲";
    const SINCE: &str = "以降の|以降";
    let (chars, lower): (Vec<char>, Vec<char>) = (text.chars().collect(), normal(text));
    if chars.len() != lower.len() {
        return text.to_owned();
    }
    let longest = |table: &'static str, at: usize| {
        let is_at = |phrase: &&str| {
            let length = phrase.chars().count();
            lower.get(at..at + length).is_some_and(|part| part.iter().copied().eq(phrase.chars()))
        };
        marks(table).filter(is_at).max_by_key(|it| it.len())
    };
    let behind =
        |table: &'static str, at: usize| longest(table, at).map_or(0, |it| it.chars().count());
    let range = |at: usize| {
        let open = chars[..at].iter().rposition(|it| matches!(it, '(' | '（'));
        let is_open =
            open.is_some_and(|it| !chars[it..at].iter().any(|it| matches!(it, ')' | '）')));
        let bracket = |days: String| if is_open { days } else { format!("({days})") };
        let lead = longest(LEADS, at);
        let from = at + lead.map_or(0, str::len);
        let (first, length) = written(&lower, from, today)?;
        let end = from + length;
        let since = behind(SINCE, end);
        if since > 0 {
            return Some((bracket(format!("{first}/")), end + since));
        }
        let joint = longest(JOINTS, end)?;
        let is_between = lead.is_some_and(|it| it.ends_with("between "));
        if joint == " and " && !is_between {
            return None;
        }
        let next = end + joint.chars().count();
        let (last, length) = written(&lower, next, first)?;
        let end = next + length;
        (last > first).then(|| (bracket(format!("{first}/{last}")), end + behind(TAILS, end)))
    };
    let (mut plain, mut at) = (String::new(), 0);
    while at < chars.len() {
        match range(at) {
            Some((days, end)) => {
                plain.push_str(&days);
                at = end;
            }
            None => {
                plain.push(chars[at]);
                at += 1;
            }
        }
    }
    plain
}

/// `名前、備考の10項目で登録フォーム`: removes the count.
fn uncounted(text: &str) -> String {
    const BEHIND: [char; 4] = ['で', 'を', 'の', 'が'];
    let Some((before, behind)) = text.split_once("項目") else { return text.to_owned() };
    let list = before.trim_end_matches(is_numeral);
    let rest = behind.strip_prefix(BEHIND);
    match (rest, list.strip_suffix('の')) {
        (Some(rest), Some(list)) if list.len() + "の".len() < before.len() => {
            format!("{list}を聞く{rest}")
        }
        _ => text.to_owned(),
    }
}

/// `(例えば寿司とかラーメンとか)` becomes a list of two.
fn examples(text: &str) -> String {
    const HEADS: [&str; 4] = ["(例えば", "（例えば", "(たとえば", "（たとえば"];
    match HEADS.iter().any(|it| text.contains(it)) {
        true => HEADS
            .iter()
            .fold(text.to_owned(), |it, head| it.replace(head, "("))
            .replace("とか", "、"),
        false => text.to_owned(),
    }
}

/// `フォーム 名前 電話番号`: adds separators to a list with spaces only.
fn spaced(text: &str) -> String {
    const GAPS: [char; 2] = [' ', '\u{3000}'];
    /// Minimum gaps of such a list.
    const GAPS_MIN: usize = 2;
    let chars: Vec<char> = text.chars().collect();
    let is_word = |at: Option<usize>| {
        let sign = at.and_then(|it| chars.get(it));
        sign.is_some_and(|sign| {
            !sign.is_ascii() && sign.is_alphanumeric() || matches!(sign, '(' | ')' | '（' | '）')
        })
    };
    let is_gap = |at: &usize| {
        GAPS.contains(&chars[*at]) && is_word(at.checked_sub(1)) && is_word(Some(at + 1))
    };
    let gaps: Vec<usize> = (0..chars.len()).filter(is_gap).collect();
    if gaps.len() < GAPS_MIN || text.contains(['、', ',', '，', '。', '「', '・']) {
        return text.to_owned();
    }
    let mark = |(at, it): (usize, &char)| if gaps.contains(&at) { '、' } else { *it };
    chars.iter().enumerate().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simplifies_ranges_counts_and_spaces() {
        let today = "2026-11-21".parse().unwrap();
        for (text, expected) in [
            ("旅行日は12月1日から12月20日の間で", "旅行日は(2026-12-01/2026-12-20)で"),
            ("12/24〜1/5の希望日", "(2026-12-24/2027-01-05)の希望日"),
            ("a date between december 1 and december 15", "a date (2026-12-01/2026-12-15)"),
            ("arrival from Dec 3 to Dec 9, name", "arrival (2026-12-03/2026-12-09), name"),
            ("候補は12月1日と12月2日", "候補は12月1日と12月2日"),
            ("受取日は12月3日以降", "受取日は(2026-12-03/)"),
            ("希望日（12月1日〜12月20日の間）", "希望日（2026-12-01/2026-12-20）"),
            ("date (any, Dec 1 to Dec 9)", "date (any, 2026-12-01/2026-12-09)"),
            ("氏名、備考の10項目で登録フォーム", "氏名、備考を聞く登録フォーム"),
            ("項目は名前と年齢", "項目は名前と年齢"),
            ("フォーム　名前　電話番号", "フォーム、名前、電話番号"),
            ("サイズ S M L から", "サイズ S M L から"),
            ("好物（例えば寿司とかうどんとか）", "好物(寿司、うどん、）"),
        ] {
            assert_eq!(plain(text, today), expected, "{text}");
        }
    }
}
