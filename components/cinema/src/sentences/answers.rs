//! Short answers as text: which of several, and a name.

use language::{
    coverage::{Used, is_small, unused},
    utterance::Utterance,
    words::Word,
};

/// What begins what is no name: a word of thinking, waiting or asking.
const THINKING: &str = "hmm|hm |umm|um,|um |uh|er |erm|wait|hold on|hang on|one moment|just a|let me|let's|i don|not sure|no idea|what|who|how|why|うーん|うん|ううん|うー|えー|えっと|ええと|あの|まっ|待|ちょっと|どう|どれ|どの|どっち|なに|何|そう|いい|だめ|やっぱ|やはり|まだ|もう|少し|考え|あとで|後で|わか|分か|お任せ|おまかせ|任せ|なんでも|何でも|適当";
/// What a name stands in: before it and behind it.
const BEFORE: &[&str] = &[
    "i'm ",
    "i am ",
    "it's ",
    "this is ",
    "my name is ",
    "name is ",
    "under the name ",
    "under ",
    "for ",
    "お名前は",
    "名前は",
    "私は",
    "予約者は",
];
const BEHIND: &[&str] = &[
    "と申します",
    "といいます",
    "と言います",
    "という名前です",
    "の名前で",
    "名義で",
    "で予約してください",
    "で予約して",
    "で予約",
    "でお願いします",
    "でお願い",
    "です",
    "さんで",
    "で",
];
/// The longest name, in characters and in words.
const CHARS_MAX: usize = 20;
const WORDS_MAX: usize = 3;

/// `2番`, `2つ目`, `the second`, `2`: which of several, from 0.
pub(super) fn ordinal(text: &str) -> Option<usize> {
    const WORDS: &[(usize, &str)] = &[
        (0, "1番|一番目|1つ目|一つ目|最初|一番上|first|1st|number 1|option 1"),
        (1, "2番|二番|2つ目|二つ目|second|2nd|number 2|option 2"),
        (2, "3番|三番|3つ目|三つ目|third|3rd|number 3|option 3"),
        (3, "4番|四番|4つ目|四つ目|fourth|4th|number 4|option 4"),
        (4, "5番|五番|5つ目|五つ目|fifth|5th|number 5|option 5"),
    ];
    if let Ok(number) = text.trim().parse::<usize>() {
        return number.checked_sub(1);
    }
    WORDS.iter().find(|it| it.1.split('|').any(|it| text.contains(it))).map(|it| it.0)
}

/// Whether `utterance` only says that its writer thinks it over: `hmm let me think`, `ちょっと待って`.
pub(super) fn is_thinking(utterance: &Utterance) -> bool {
    let text: String = utterance.lower.iter().collect();
    let left = unused(utterance, &Used::default());
    let is_filler =
        utterance.tokens.iter().all(|it| is_beside(it.word) || it.word == Word::PROCEED);
    THINKING.split('|').any(|it| text.trim().starts_with(it)) || left.is_empty() && is_filler
}

/// A name that is all of a short answer: `山田です`. What has a number, a day or another known word in it is none.
pub(super) fn named(utterance: &Utterance) -> Option<String> {
    let text = utterance.text();
    let text = text.trim().trim_end_matches(['。', '.', '!']);
    let lower = text.to_ascii_lowercase();
    if THINKING.split('|').any(|it| lower.starts_with(it)) || ordinal(&lower).is_some() {
        return None;
    }
    let numbers = &utterance.numbers;
    let has_other = utterance.when.date.is_some()
        || utterance.when.hours.is_some()
        || !numbers.counts.is_empty()
        || !numbers.marked.is_empty()
        || utterance.asks();
    let before = BEFORE.iter().find(|it| lower.starts_with(*it)).map_or(0, |it| it.len());
    let rest = &text[before..];
    let behind = BEHIND.iter().find(|it| rest.ends_with(*it)).map_or(0, |it| it.len());
    let name = rest[..rest.len() - behind].trim();
    let is_framed = before > 0 || behind > "で".len();
    if has_other || !(1..=CHARS_MAX).contains(&name.chars().count()) {
        return None;
    }
    let from = text[..before].chars().count();
    let to = from + name.chars().count();
    let known = utterance.tokens.iter().filter(|it| it.from < to && it.to > from);
    let is_word = |it: char| it.is_alphanumeric() || "-_.'ー・々 　".contains(it);
    let is_new = known.clone().all(|it| is_beside(it.word)) && name.chars().all(is_word);
    let is_hiragana = name.chars().all(|it| matches!(it, '\u{3041}'..='\u{3096}'));
    let fits = match name.is_ascii() {
        // Each of its words is one that names something, or an initial.
        true => {
            let words: Vec<_> = name.split_whitespace().collect();
            let is_own = |it: &&str| it.starts_with(char::is_uppercase) || !is_small(it);
            words.len() <= WORDS_MAX
                && known.count() == 0
                && words.iter().all(is_own)
                && words.iter().any(|it| !is_small(&it.to_lowercase()))
        }
        // Kana alone may be any words; as a name they are framed as one.
        false if is_hiragana => is_framed && known.count() == 0,
        false => known.count() == 0,
    };
    (is_new && fits).then(|| name.to_owned())
}

/// Whether a word says nothing by itself.
fn is_beside(word: Word) -> bool {
    [Word::FILLER, Word::PAUSE, Word::STOP, Word::GREETING, Word::THANKS].contains(&word)
}
