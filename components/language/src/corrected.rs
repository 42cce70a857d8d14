//! Applies corrections of a number, a time or a day: `2枚…じゃなかった、3枚`, `2 - actually 3 - tickets`.

use crate::{
    clock::{is_numeral, spelled, starts},
    scan::marks,
};

/// Kind of a corrected word; only the same kind replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Count,
    Clock,
    Day,
}

/// A word by its start and end, in characters, and its kind.
type Unit = (usize, usize, Kind);

const COUNTERS: &str = "枚席人名つ個";
const DAYS: &str = "明後日|あさって|明日|あした|今日|本日|今夜|今晩|月曜日|火曜日|水曜日|木曜日|金曜日|土曜日|日曜日|月曜|火曜|水曜|木曜|金曜|土曜|日曜";
/// Kinds of people.
const KINDS_OF_PEOPLE: &str = "大人|子供|子ども|こども|学生|シニア";
/// Phrases that retract the word before them.
const RETRACTIONS: &str = "じゃなかった|ではなかった|じゃなくて|ではなくて|じゃなく|ではなく|でなく|じゃないや|じゃない|いやいや|いや|やっぱり|やっぱ|やはり|違った|違う|ちがう|訂正|間違えた|まちがえた|もとい|ううん";
/// Filler words around them.
const FILLERS: &str = "ので|で|ごめんなさい|ごめん|すみません|えっと|ええと|あっ|あ|え|ね|で|に|を|は|の|、|。|…|・|ー|!|?| |　|「|」";

/// Removes corrected words from `text`.
pub fn corrected(text: &str) -> String {
    english(&japanese(text))
}

fn japanese(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while let Some(first) = unit(&chars, at) {
        at = first.1;
        let Some(second) = unit(&chars, first.1) else { break };
        if first.2 != second.2 {
            // `二人でゴジラ、明日。あ、やっぱり四人で`: the corrected word is further back.
            let between: String = chars[first.1..second.0].iter().collect();
            let before = last_before(&chars, first.0, second.2).filter(|_| is_retraction(&between));
            if let Some((from, to, _)) = before {
                let length = to - from;
                chars.drain(from..to);
                at = second.0 - length;
            }
            continue;
        }
        let between: String = chars[first.1..second.0].iter().collect();
        // `子供3人、やっぱり子供2人`: the kind is repeated.
        let before: String = chars[..first.0].iter().collect();
        let sort = marks(KINDS_OF_PEOPLE).find(|it| between.ends_with(it) && before.ends_with(it));
        let length = sort.map_or(0, |it| it.chars().count());
        if is_retraction(between.strip_suffix(sort.unwrap_or_default()).unwrap_or(&between)) {
            chars.drain(first.0 - length..second.0 - length);
            at = first.0 - length;
            continue;
        }
        // `1人減らして2人に`: the new number, not the difference.
        let behind: String = chars[second.1..].iter().collect();
        if first.2 == Kind::Count && is_change(&between) && behind.starts_with(['に', 'で']) {
            chars.drain(first.0..second.0);
            at = first.0 + second.1 - second.0;
            continue;
        }
        // `席3つ取って。いや2つでいいや`: the order around the corrected number stays.
        // An ordinal counts nothing, and `も` adds: `やっぱり3つ目の映画で`, `やっぱり日曜も`.
        let is_other = behind.starts_with('目')
            || ["", "の回", "に", "の回に"].iter().any(|it| behind.starts_with(&format!("{it}も")));
        let is_order = || between.split_once(['。', '、']).is_some_and(|it| is_retraction(it.1));
        if !is_other && is_order() {
            chars.drain(first.0..first.1);
            at = second.0 - (first.1 - first.0);
            continue;
        }
        // `3枚で、2枚じゃなくて`: only the earlier word can replace it.
        let mark = marks(RETRACTIONS)
            .find(|it| (it.contains("じゃな") || it.contains("でな")) && behind.starts_with(it));
        let is_near = between.chars().count() <= 3;
        if let Some(mark) = mark.filter(|_| is_near) {
            let end = second.1 + mark.chars().count();
            let is_last = unit(&chars, end).is_none_or(|it| it.2 != first.2);
            if is_last {
                chars.drain(second.0..end);
            }
        }
    }
    chars.into_iter().collect()
}

/// Whether `between` only says that something is more or less by the number before: `減らして`, `を増やして、`.
fn is_change(between: &str) -> bool {
    const CHANGES: &str = "減|増|へら|へっ|ふや|ふえ|足し|追加";
    const CHARS_MAX: usize = 8;
    let text = between.trim_start_matches(['を', 'が', 'は', '分', '、']);
    between.chars().count() <= CHARS_MAX && marks(CHANGES).any(|it| text.starts_with(it))
}

/// Last word of this kind before `end`.
fn last_before(chars: &[char], end: usize, kind: Kind) -> Option<Unit> {
    let (mut at, mut last) = (0, None);
    while let Some(found) = unit(&chars[..end], at) {
        last = Some(found).filter(|it| it.2 == kind).or(last);
        at = found.1;
    }
    last
}

/// Next word of any kind from `at`.
fn unit(chars: &[char], at: usize) -> Option<Unit> {
    let starts = |from: usize, what: &str| starts(&chars[from..], what);
    (at..chars.len()).find_map(|from| {
        if let Some(day) = marks(DAYS).find(|it| starts(from, it)) {
            return Some((from, from + day.chars().count(), Kind::Day));
        }
        let is_begin = from == 0 || !is_numeral(chars[from - 1]);
        let digits = chars[from..].iter().take_while(|it| is_numeral(**it)).count();
        let end = from + digits;
        match chars.get(end).filter(|_| is_begin && digits > 0) {
            Some(it) if COUNTERS.contains(*it) => Some((from, end + 1, Kind::Count)),
            Some('時') if chars.get(end + 1) != Some(&'間') => {
                let half = usize::from(chars.get(end + 1) == Some(&'半'));
                Some((from, end + 1 + half, Kind::Clock))
            }
            _ => None,
        }
    })
}

/// Whether `between` is only a retraction.
fn is_retraction(between: &str) -> bool {
    let (mut rest, mut is_said) = (between, false);
    while !rest.is_empty() {
        if let Some(mark) = marks(RETRACTIONS).find(|it| rest.starts_with(it)) {
            (rest, is_said) = (&rest[mark.len()..], true);
        } else if let Some(mark) = marks(FILLERS).find(|it| rest.starts_with(it)) {
            rest = &rest[mark.len()..];
        } else {
            return false;
        }
    }
    is_said
}

const ENGLISH_MARKS: &str = "no|wait|sorry|actually|i|mean|scratch|that|rather|make|it|correction|oops|er|err|uh|um|hmm|-|–|—|or|oh|better|on|for";
/// English words that retract by themselves.
const STRONG: &str = "no|wait|sorry|actually|mean|scratch|rather|correction|oops|make";

/// English words behind a count that has no noun of its own.
const BARE: &str = "please|pls|plz|thanks|instead|then|for|of|on|at|to";
/// Words before a number that counts nothing.
const NAMED: &str = "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|row|screen|number";
/// Maximum number of words between a count and its retraction.
const BETWEEN_MAX: usize = 8;

fn english(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    if !text.is_ascii() || words.len() < 3 {
        return text.to_owned();
    }
    let bare = |word: &str| {
        let word = word.trim_matches(|it: char| matches!(it, ',' | '.' | '!' | '?' | '…' | ';'));
        if word.is_empty() { "-".to_owned() } else { word.to_ascii_lowercase() }
    };
    let bare: Vec<String> = words.iter().map(|it| bare(it)).collect();
    // The day of a month and the like count nothing.
    let is_named = |at: usize| at > 0 && marks(NAMED).any(|it| bare[at - 1] == it);
    let kind = |at: usize| bare.get(at).and_then(|it| english_kind(it)).filter(|_| !is_named(at));
    let mut left_out = vec![false; words.len()];
    for at in 0..words.len() {
        let Some(first) = kind(at) else { continue };
        // `2 tickets, no wait, 3 tickets`: the noun is repeated; `2 tickets for Akira, no wait, 3` has it only once.
        for between in 0..=BETWEEN_MAX {
            let from = at + 1 + between;
            if between > 0 && (from > bare.len() || kind(from - 1) == Some(first)) {
                break;
            }
            let marks = bare.iter().skip(from);
            let length =
                marks.take_while(|it| self::marks(ENGLISH_MARKS).any(|mark| mark == *it)).count();
            let is_strong = bare[from.min(bare.len())..(from + length).min(bare.len())]
                .iter()
                .any(|it| self::marks(STRONG).any(|mark| mark == it));
            let next = from + length;
            if length == 0 || !is_strong || kind(next) != Some(first) {
                continue;
            }
            let is_same_noun =
                between == 0 || between == 1 && bare.get(next + 1) == bare.get(at + 1);
            let noun = bare.get(next + 1);
            let is_bare = |it: &String| self::marks(BARE).any(|word| word == it);
            let is_noun_again =
                between > 1 && noun == bare.get(at + 1) && noun.is_some_and(|it| !is_bare(it));
            // `2 tickets, no. 3 please` chooses by number.
            let is_number = length == 1 && words[from] == "no.";
            // `2 tickets at 7pm, no wait, 8` corrects the time.
            let is_clock = kind(from - 1) == Some(Kind::Clock) && !is_noun_again;
            let is_alone = first == Kind::Count
                && !is_number
                && !is_clock
                && words[from - 1].ends_with([',', '.', ';', '-', '…'])
                && noun.is_none_or(|noun| {
                    // `2 for Akira, sorry, 3 for Totoro` corrects the film.
                    is_noun_again || is_bare(noun) && !bare[at + 1..from].contains(noun)
                });
            if is_same_noun {
                // `two, no wait, four`: the retraction stays if nothing else is in the sentence.
                let is_all = first == Kind::Count && at == 0 && next + 1 == words.len();
                left_out[at..if is_all { from } else { next }].fill(true);
                if bare.get(next + 1).is_some_and(|it| it == "-") {
                    left_out[next + 1] = true;
                }
                break;
            }
            if is_alone {
                words[at] = words[next].trim_end_matches([',', '.', '!', '?', '…', ';']);
                left_out[from..=next + usize::from(is_noun_again)].fill(true);
                break;
            }
        }
        // `not two, three` and `three, not two`.
        let is_not = |at: usize| bare.get(at).is_some_and(|it| it == "not");
        let on = usize::from(bare.get(at + 1).is_some_and(|it| it == "on" || it == "for"));
        if at > 0 && is_not(at - 1) && kind(at + 1 + on) == Some(first) {
            left_out[at - 1..=at].fill(true);
        }
        for noun in 0..2 {
            let not = at + 1 + noun;
            if is_not(not) && kind(not + 1) == Some(first) && kind(not + 2) != Some(first) {
                left_out[not..=not + 1].fill(true);
            }
        }
    }
    let left = words.iter().zip(left_out).filter(|it| !it.1).map(|it| *it.0);
    left.collect::<Vec<_>>().join(" ")
}

fn english_kind(word: &str) -> Option<Kind> {
    const DAYS: &str = "today|tonight|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun";
    let digits = word.trim_end_matches("am").trim_end_matches("pm");
    let is_number = !digits.is_empty()
        && digits.len() <= 5
        && digits.chars().all(|it| it.is_ascii_digit() || it == ':');
    match () {
        () if is_number && (digits.len() < word.len() || digits.contains(':')) => Some(Kind::Clock),
        () if is_number || spelled(word).is_some() => Some(Kind::Count),
        () if marks(DAYS).any(|it| it == word) => Some(Kind::Day),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correction_replaces_the_earlier_word() {
        for (sentence, meant) in [
            ("千と千尋を二枚…じゃなかった、三枚お願いします", "千と千尋を三枚お願いします"),
            ("明日、いや明後日の夜に2席", "明後日の夜に2席"),
            ("7時、やっぱり8時からの回", "8時からの回"),
            ("AKIRAを3枚、2枚じゃなくて", "AKIRAを3枚、"),
            ("二人でゴジラ、明日。あ、やっぱり四人で", "でゴジラ、明日。あ、やっぱり四人で"),
            ("大人2枚と子供1枚", "大人2枚と子供1枚"),
            ("1人減らして2人にして", "2人にして"),
            ("2枚追加して、計5枚にしたい", "5枚にしたい"),
            ("席を1つ増やして4つで", "席を4つで"),
            ("1人減らして2人追加", "1人減らして2人追加"),
            ("1人増えたので3人になりました", "3人になりました"),
            ("大人2人子供3人、やっぱり子供2人で", "大人2人子供2人で"),
            ("大人3枚、いや大人2枚と学生1枚", "大人2枚と学生1枚"),
            ("明日か明後日", "明日か明後日"),
            ("Get me 2 - actually 3 - tickets to Godzilla", "Get me 3 tickets to Godzilla"),
            ("Not two, three tickets please", "three tickets please"),
            ("three seats, not two, for Akira", "three seats, for Akira"),
            ("two seats, no wait, four seats tomorrow", "four seats tomorrow"),
            ("Akira tomorrow, sorry, on Monday", "Akira Monday"),
            ("two adults and one child", "two adults and one child"),
            ("no seats for one", "no seats for one"),
            ("two, no wait, four", "no wait, four"),
            ("3 - sorry, 5", "- sorry, 5"),
            ("席3つ取って。いや2つでいいや。明日の昼", "席取って。いや2つでいいや。明日の昼"),
            ("席3つ取って。いや、AKIRAの席2つ", "席3つ取って。いや、AKIRAの席2つ"),
            ("席2つ取って。やっぱり3つ目の映画で", "席2つ取って。やっぱり3つ目の映画で"),
            ("カードを5枚見せて、やっぱり3枚目だけ", "カードを5枚見せて、やっぱり3枚目だけ"),
            ("土曜の回を見せて。やっぱり日曜も", "土曜の回を見せて。やっぱり日曜も"),
            ("土曜の回を見せて。やっぱり日曜の回で", "の回を見せて。やっぱり日曜の回で"),
            ("明日2枚取って。明後日も3枚", "明日2枚取って。明後日も3枚"),
            ("3枚取れる？2枚でもいいや", "3枚取れる？2枚でもいいや"),
            ("子供3人です。いや大人2人もいる", "子供3人です。いや大人2人もいる"),
            ("AKIRAを3枚。やっぱりゴジラも2枚", "AKIRAを3枚。やっぱりゴジラも2枚"),
            ("two, I mean three please", "three please"),
            ("two tickets, no wait, three", "three tickets,"),
            ("Two tickets, no wait, three for Akira.", "three tickets, for Akira."),
            (
                "book two for Akira tomorrow, sorry, three please",
                "book three for Akira tomorrow, please",
            ),
            ("2 tickets, no. 3 please", "2 tickets, no. 3 please"),
            ("2 seats on December 3, no wait, 4 seats", "4 seats on December 3,"),
            ("two tickets, no 3d please", "two tickets, no 3d please"),
            ("2 for Akira, sorry, 3 for Totoro", "2 for Akira, sorry, 3 for Totoro"),
            ("2 tickets at 7pm, no wait, 8", "2 tickets at 7pm, no wait, 8"),
            ("2 tickets at 7pm, no wait, 3 tickets", "3 tickets at 7pm,"),
        ] {
            assert_eq!(corrected(sentence), meant);
        }
    }
}
