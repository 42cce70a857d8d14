//! Parses short answers: ordinals, days and names.

use jiff::ToSpan;
use language::{
    Date,
    clock::is_numeral,
    consent::{Consent, consent},
    coverage::{Used, is_small, unused},
    numbers::whole,
    scan::marks,
    utterance::Utterance,
    words::Word,
};

use super::words::RESERVE;

/// Words that begin no name: thinking, waiting, asking.
const THINKING: &str = "hmm|hm |umm|um,|um |uh|er |erm|wait|hold on|hang on|one moment|just a|let me|let's|i don|not sure|no idea|what|who|how|why|うーん|うん|ううん|うー|えー|えっと|ええと|あの|まっ|待|ちょっと|どう|どれ|どの|どっち|なに|何|そう|いい|だめ|やっぱ|やはり|まだ|もう|少し|考え|あとで|後で|わか|分か|お任せ|おまかせ|任せ|なんでも|何でも|適当";
/// Phrases around a name.
const BEFORE: &str = "i'm |i am |it's |this is |my name is |name is |under the name |under |for |お名前は|名前は|私は|予約者は";
const BEHIND: &str = "と申します|といいます|と言います|という名前です|の名前で|名義で|で予約してください|で予約して|で予約|でお願いします|でお願い|です|さんで|で";
/// Maximum characters and words of a name.
const CHARS_MAX: usize = 20;
const WORDS_MAX: usize = 3;

/// Parses an ordinal as an index from 0: `2番`, `2つ目`, `the second`, `number two`, `2`.
pub(super) fn ordinal(text: &str) -> Option<usize> {
    const WORDS: [&str; 6] = [
        "first|1st|最初|一番上",
        "second|2nd",
        "third|3rd",
        "fourth|4th",
        "fifth|5th",
        "sixth|6th",
    ];
    const LEADS: &str = "number |no. |no |nr. |option |#";
    const COUNTED: &str = "番目|つ目|件目|本目|個目|番|ばんめ|つめ|ばん";
    if let Ok(number) = text.trim().parse::<usize>() {
        return number.checked_sub(1);
    }
    let is_letter = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
    let is_word = |(at, word): &(usize, &str)| {
        !word.is_ascii()
            || !is_letter(text[..*at].chars().next_back())
                && !is_letter(text[at + word.len()..].chars().next())
    };
    let sentence = WORDS
        .iter()
        .position(|words| marks(words).any(|word| text.match_indices(word).any(|it| is_word(&it))));
    // `number two`, `#2`.
    let led = marks(LEADS).find_map(|lead| {
        let (at, _) = text
            .match_indices(lead)
            .find(|(at, _)| lead == "#" || !is_letter(text[..*at].chars().next_back()))?;
        let rest = &text[at + lead.len()..];
        let word = rest.split(|it: char| !it.is_ascii_alphanumeric()).next()?;
        // `no 2 adults` is a count.
        let mut behind = rest[word.len()..].split(|it: char| !it.is_alphanumeric());
        let behind = behind.find(|it| !it.is_empty());
        if lead == "no " && behind.is_some_and(|it| it != "please") {
            return None;
        }
        whole(word).filter(|_| lead != "no " || word.parse::<u8>().is_ok())
    });
    // `2番`, `三つ目`; `一番` alone is a superlative.
    let counted = || {
        marks(COUNTED).find_map(|mark| {
            let at = text.find(mark)?;
            let head = text[..at].trim_end_matches(is_numeral);
            let number = &text[head.len()..at];
            let is_most = number == "一" && mark == "番";
            whole(number).filter(|_| !is_most)
        })
    };
    let numbered = || led.or_else(counted).and_then(|it| (it as usize).checked_sub(1));
    sentence.or_else(numbered)
}

/// Parses an ordinal in a sentence, ignoring dates and showings: `the first of December`, `最初の回`.
pub(super) fn place(utterance: &Utterance) -> Option<usize> {
    const SHOWINGS: &str = "first showing|first show|first screening|最初の回|最初の上映";
    let text = marks(SHOWINGS).fold(undated(utterance), |it, mark| it.replace(mark, " "));
    ordinal(&text)
}

/// Parses an ordinal among `count` items, including the last: `the last one`, `一番下の`.
pub(super) fn place_of(utterance: &Utterance, count: usize) -> Option<usize> {
    const LAST: &str = "last one|last film|last movie|last of them|last on the list|一番下|いちばん下|最後のやつ|最後のもの|最後の映画";
    // The last film of an evening is the latest one.
    const LATEST: &str = "last film of|last movie of|last film tonight|last movie tonight|今夜の最後|今日の最後|夜の最後";
    let is_last = || utterance.says(LAST) && !utterance.says(LATEST);
    place(utterance).or_else(|| count.checked_sub(1).filter(|_| is_last()))
}

/// Lowercase text with spaces in place of dates and times.
pub(super) fn undated(utterance: &Utterance) -> String {
    let is_day = |at: usize| utterance.when.spans.iter().any(|it| (it.0..it.1).contains(&at));
    let chars = utterance.lower.iter().enumerate();
    chars.map(|(at, it)| if is_day(at) { ' ' } else { *it }).collect()
}

/// Parses a new count after a denial, if nothing else is in `text`: `no, 2 please`, `やっぱり3で`.
pub(super) fn recount(text: &str) -> Option<u32> {
    const AROUND: &str = "no|nope|nah|nvm|wait|sorry|actually|make it|just|please|pls|plz|thanks|then|instead|hmm|hm|oh|oops|uh|um|er|i mean|rather|scratch that|いや|いえ|ううん|やっぱり|やっぱ|ごめん|えっと|あっ|じゃあ|にして|にします|でお願いします|でお願い|で";
    const MARKS: &str = "、。,.!?…- ";
    let mut rest = text.trim();
    let mut is_taken_back = false;
    loop {
        let before = rest.len();
        rest = rest.trim_matches(|it| MARKS.contains(it));
        for word in marks(AROUND) {
            let is_apart = |neighbour: Option<char>| {
                !word.is_ascii() || neighbour.is_none_or(|it| !it.is_ascii_alphanumeric())
            };
            let head = rest.strip_prefix(word).filter(|it| is_apart(it.chars().next()));
            let tail = rest.strip_suffix(word).filter(|it| is_apart(it.chars().next_back()));
            if let Some(left) = head.or(tail) {
                (rest, is_taken_back) = (left, true);
            }
        }
        if rest.len() == before {
            break;
        }
    }
    whole(rest).filter(|it| is_taken_back && (1..=99).contains(it))
}

/// Whether the count in `utterance` is added to the earlier one: `もう1枚`, `one more seat`; not for
/// totals and reductions: `もう2枚でいい`, `もう1枚減らして`.
pub(super) fn is_addition(utterance: &Utterance) -> bool {
    const BEFORE: &str = "もう|あと|another";
    /// After another action, and denials.
    const OTHER: &str = "のあと|たあと|だあと|not";
    const INSTEAD: &str = "でいい|でも|で良い|でよい|で十分|で充分|で足り|で大丈夫|に|減|へら|少な|しか|取り消|取消|キャンセル|やめ|要らな|いらな|不要|質問|聞|確認|教え|取った|取ってあ|買った|買ってあ|あるか|ある?|持って";
    const FEWER: &str = "less|fewer|off|too many|don't|cancel|drop|remove";
    let [(from, to)] = utterance.numbers.counted[..] else { return false };
    let text = |from: usize, to: usize| utterance.lower[from..to].iter().collect::<String>();
    let (before, counted) = (text(0, from), text(from, to));
    let behind = text(to, utterance.lower.len());
    let (before, behind) = (before.trim_end(), behind.trim_start_matches(['を', 'は', '分', ' ']));
    let is_more = counted.contains(" more ") || marks(BEFORE).any(|it| before.ends_with(it));
    let padded = format!(" {} ", text(0, utterance.lower.len()).replace([',', '.', '!', '?'], " "));
    is_more
        && !marks(OTHER).any(|it| before.ends_with(it))
        && !marks(INSTEAD).any(|it| behind.starts_with(it))
        && !marks(FEWER).any(|it| padded.contains(&format!(" {it} ")))
}

/// For people who do not come: whether that is certain: `ひとり来れなくなった`, but not `1人来なかったらどうなる？`.
pub(super) fn absence(utterance: &Utterance) -> Option<bool> {
    const ABSENT: &str = "来れな|来られな|来な|行けな|行かな|欠席|不参加|抜け|can't|cant |cannot|won't|isn't coming|is not coming|dropped out|has dropped out";
    const OPEN: &str = "場合|たら|れば|なら|わけじゃ|わけでは";
    let [(from, to)] = utterance.numbers.counted[..] else { return None };
    let text = |from: usize, to: usize| utterance.lower[from..to].iter().collect::<String>();
    let behind = text(to, utterance.lower.len());
    let behind = behind.trim_start_matches(['を', 'は', 'が', '分', ' ']);
    let is_open = || {
        let is_if = text(0, from).contains("if ");
        is_if || utterance.asks() || marks(OPEN).any(|it| behind.contains(it))
    };
    marks(ABSENT).any(|it| behind.starts_with(it)).then(|| !is_open())
}

/// Whether what `utterance` counts is taken off what was counted before: `1枚減らして`, `one less seat`, `ひとり来れなくなった`.
pub(super) fn lessens(utterance: &Utterance) -> bool {
    const BEHIND: &str = "減らし|減って|減りま|へらし";
    const FEWER: [&str; 2] = ["less", "fewer"];
    const THINGS: &str = "seat|seats|ticket|tickets|tix|person|persons|people|ppl|adult|adults|child|children|kid|kids|student|students|senior|seniors|place|places|of|than|please|pls|plz|then|now|thanks";
    let [(from, to)] = utterance.numbers.counted[..] else { return false };
    let text = |from: usize, to: usize| utterance.lower[from..to].iter().collect::<String>();
    let (counted, behind) = (text(from, to), text(to, utterance.lower.len()));
    let behind = behind.trim_start_matches(['を', 'は', 'が', '分', ' ']);
    // `2 seats less expensive` are two.
    let is_fewer = |rest: &str| {
        let word = rest.trim_start().split(|it: char| !it.is_alphanumeric()).next();
        word.is_some_and(|word| word.is_empty() || marks(THINGS).any(|it| it == word))
    };
    let rest = |word: &&str| {
        let at = counted.find(&format!(" {word} ")).map(|at| &counted[at + word.len() + 1..]);
        at.or_else(|| behind.strip_prefix(word))
    };
    absence(utterance) == Some(true)
        || marks(BEHIND).any(|it| behind.starts_with(it))
        || FEWER.iter().filter_map(rest).any(is_fewer)
}

/// Words for each kind of people.
const KINDS_OF_PEOPLE: [&str; 4] = [
    "大人|おとな|adult|adults",
    "子供|子ども|こども|幼児|kid|kids|child|children",
    "学生|小学生|中学生|高校生|大学生|student|students",
    "シニア|senior|seniors|pensioner|pensioners",
];

/// For a corrected kind of people: its count in `before` and in `utterance`: `大人2、子供3`, `子供は二枚でした`.
pub(super) fn corrected_kind(before: &Utterance, utterance: &Utterance) -> Option<(u32, u32)> {
    let sorts = |sentence: &Utterance| -> Vec<(Option<usize>, u32)> {
        let spans = sentence.numbers.counts.iter().zip(&sentence.numbers.counted);
        let sort = |(from, to): (usize, usize)| {
            let head: String = sentence.lower[..from].iter().collect();
            let head = head.trim_end().trim_end_matches(['は', 'を', 'が', ' ']);
            let counted: String =
                sentence.lower[from..to.min(sentence.lower.len())].iter().collect();
            let last = counted.rsplit(' ').next().unwrap_or_default();
            let is_of = |it: &str| last == it || !it.is_ascii() && head.ends_with(it);
            KINDS_OF_PEOPLE.iter().position(|sort| marks(sort).any(is_of))
        };
        spans.map(|(count, span)| (sort(*span), count.1)).collect()
    };
    let [(Some(sort), now)] = sorts(utterance)[..] else { return None };
    let all = sorts(before);
    let mut same = all.iter().filter(|it| it.0 == Some(sort)).map(|it| it.1);
    let owned_count =
        same.next().filter(|_| all.len() > 1 && all.iter().all(|it| it.0.is_some()))?;
    same.next().is_none().then_some((owned_count, now))
}

/// Date meant by `utterance`: a weekday that corrects the day `before` belongs to the same week from
/// Monday on, and is never past.
pub(super) fn corrected_date(utterance: &Utterance, date: Date, before: Option<&str>) -> Date {
    if utterance.when.is_past_midnight {
        // `24:30の回` of the day in the conversation.
        let shown = before.and_then(|it| it.parse::<Date>().ok());
        return shown.and_then(|it| it.tomorrow().ok()).unwrap_or(date);
    }
    let is_bare = utterance.when.is_bare_weekday;
    let Some(before) = before.and_then(|it| it.parse::<Date>().ok()).filter(|_| is_bare) else {
        return date;
    };
    let place = |it: Date| i32::from(it.weekday().to_monday_zero_offset());
    let days = place(date) - place(before);
    let moved = before.checked_add(days.days()).ok();
    // An earlier day of the week is past.
    moved.filter(|it| *it >= date).unwrap_or(date)
}

/// Whether `text` retracts something: `no wait, four`, `やっぱり3で`.
pub(super) fn takes_back(text: &str) -> bool {
    const RETRACTIONS: &str = "no|nope|nah|nvm|wait|sorry|actually|oops|i mean|rather|scratch that";
    const JAPANESE: &str = "いや|いえ|ううん|やっぱ|ごめん|間違";
    let words: Vec<_> = text.split(|it: char| !it.is_ascii_alphanumeric()).collect();
    let is_said = |mark: &str| {
        let mark: Vec<_> = mark.split(' ').collect();
        words.windows(mark.len()).any(|it| it == mark)
    };
    marks(RETRACTIONS).any(is_said) || marks(JAPANESE).any(|it| text.contains(it))
}

/// Whether `utterance` approves a denied call after all: `fine, do it then`, `やっぱり進めて`.
pub(super) fn approves_after_all(utterance: &Utterance) -> bool {
    const DOES: &str = "do it|do that|go ahead|go for it|please do|進めて|そうして|お願い|やって";
    const LEADS: &str = "fine|ok|okay|alright|actually|oh|well|じゃあ|では|やっぱり|やっぱ";
    let text = utterance.text().to_lowercase();
    let text = text.trim_start();
    let lead = marks(LEADS).find_map(|it| text.strip_prefix(it)).unwrap_or(text);
    let is_yes = consent(text) == Some(Consent::Yes) || consent(lead) == Some(Consent::Yes);
    is_yes && marks(DOES).any(|it| text.contains(it))
}

/// Whether the writer only hesitates: `hmm let me think`, `ちょっと待って`.
pub(super) fn is_thinking(utterance: &Utterance) -> bool {
    let text: String = utterance.lower.iter().collect();
    let left = unused(utterance, &Used::default());
    let is_filler =
        utterance.tokens.iter().all(|it| is_filler(it.word) || it.word == Word::PROCEED);
    marks(THINKING).any(|it| text.trim().starts_with(it)) || left.is_empty() && is_filler
}

/// Parses a short answer that is only a name: `山田です`. Numbers, dates and other known words exclude it.
pub(super) fn short_name(utterance: &Utterance) -> Option<String> {
    let text = utterance.text();
    let text = text.trim().trim_end_matches(['。', '.', '!']);
    let lower = text.to_ascii_lowercase();
    if marks(THINKING).any(|it| lower.starts_with(it)) || ordinal(&lower).is_some() {
        return None;
    }
    let numbers = &utterance.numbers;
    let has_other = utterance.when.date.is_some()
        || utterance.when.hours.is_some()
        || !numbers.counts.is_empty()
        || !numbers.marked.is_empty()
        || utterance.asks();
    let before = marks(BEFORE).find(|it| lower.starts_with(it)).map_or(0, |it| it.len());
    let rest = &text[before..];
    let behind = marks(BEHIND).find(|it| rest.ends_with(it)).map_or(0, |it| it.len());
    let name = rest[..rest.len() - behind].trim();
    let is_framed = before > 0 || behind > "で".len();
    if has_other || !(1..=CHARS_MAX).contains(&name.chars().count()) {
        return None;
    }
    let from = text[..before].chars().count();
    let to = from + name.chars().count();
    let known = utterance.tokens.iter().filter(|it| it.from < to && it.to > from);
    let is_word = |it: char| it.is_alphanumeric() || "-_.'ー・々 　".contains(it);
    let is_new = known.clone().all(|it| is_filler(it.word)) && name.chars().all(is_word);
    let is_hiragana = name.chars().all(|it| matches!(it, '\u{3041}'..='\u{3096}'));
    let fits = match name.is_ascii() {
        // Each word is capitalized or an initial.
        true => {
            let words: Vec<_> = name.split_whitespace().collect();
            let is_own = |it: &&str| it.starts_with(char::is_uppercase) || !is_small(it);
            words.len() <= WORDS_MAX
                && known.count() == 0
                && words.iter().all(is_own)
                && words.iter().any(|it| !is_small(&it.to_lowercase()))
        }
        // Kana may be any words, so that a name in kana needs its phrase.
        false if is_hiragana => is_framed && known.count() == 0,
        false => known.count() == 0,
    };
    (is_new && fits).then(|| name.to_owned())
}

/// Whether `utterance` orders a booking: `花子で予約して`.
pub(super) fn orders(utterance: &Utterance) -> bool {
    utterance.has(&[RESERVE]) && !utterance.asks() && !utterance.has(&[Word::NOT, Word::CANCEL])
}

/// Whether a word has no meaning of its own.
fn is_filler(word: Word) -> bool {
    [Word::FILLER, Word::PAUSE, Word::STOP, Word::GREETING, Word::THANKS].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hour_past_midnight_belongs_to_the_day_before() {
        let today = Date::constant(2026, 11, 21);
        let utterance = Utterance::parse("24:30の回で", today, &super::super::VOCABULARY);
        let date = utterance.when.date.unwrap();
        let day = |before| corrected_date(&utterance, date, before).to_string();
        assert_eq!([day(None), day(Some("2026-11-23"))], ["2026-11-22", "2026-11-24"]);
    }

    #[test]
    fn accepts_a_number_after_a_denial() {
        for (text, number) in [
            ("no, 2 please", Some(2)),
            ("no 3", Some(3)),
            ("actually, make it 4", Some(4)),
            ("やっぱり3で", Some(3)),
            ("いや、2でお願いします", Some(2)),
            ("no wait, four", Some(4)),
            ("hmm no, sorry, 3", Some(3)),
            ("oops, i mean six please", Some(6)),
            ("やっぱ四で", Some(4)),
            ("2", None),
            ("no", None),
            ("no, the 2nd row", None),
            ("no, 200 please", None),
        ] {
            assert_eq!(recount(text), number, "{text}");
        }
    }

    #[test]
    fn parses_ordinals_in_many_forms() {
        for (text, place) in [
            ("book number two for saturday", 1),
            ("option 3 please", 2),
            ("no. 4", 3),
            ("#12 please", 11),
            ("number 11", 10),
            ("the second one", 1),
            ("5", 4),
            ("12番を2枚", 11),
            ("三つ目でお願い", 2),
            ("6番のやつは何時?", 5),
            ("一番目", 0),
            ("最初のにする", 0),
        ] {
            assert_eq!(ordinal(text), Some(place), "{text}");
        }
        for text in ["seconds", "no two are alike", "一番短いの", "a number of seats", "0番"]
        {
            assert_eq!(ordinal(text), None, "{text}");
        }
    }
}
