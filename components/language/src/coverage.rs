//! Finds the unused words of a sentence, so that they are reported or asked about.

use std::{collections::HashSet, sync::LazyLock};

use crate::{
    scan::{TYPED_MIN, is_mistyped, marks},
    utterance::{MASK, Utterance},
    words::Word,
};

/// Maximum number of reported words.
const LISTED_MAX: usize = 5;
/// Number of unknown words from which the sentence is asked about.
pub const ASKED_FROM: usize = 4;

/// Superlatives: known words that count as conditions if no plan uses them.
pub const SUPERLATIVES: &str = "一番|いちばん|最も|もっとも|the most|the least|most|least|最短|最長|最安|shortest|longest|cheapest|earliest|latest|fastest|newest|oldest|biggest|largest|smallest|furthest|farthest";
/// First and last.
pub const LAST: &str = "最終回|最後|最初";
/// Things that are over.
pub const OVER: &str = "終わった|終わっちゃ|終了した|already over|finished";
/// Low and high prices.
pub const CHEAP: &str = "安い|高い|安く|割引|無料で|cheap|discount|expensive";
/// Vehicles other than cars.
pub const VEHICLES: &str =
    "バイク|原付|トラック|オートバイ|スクーター|motorcycle|motorbike|truck|scooter";
/// Companions.
pub const CHILDREN: &str = "子ども|子供|こども|お子さん|キッズ|家族|親子|赤ちゃん|デート|初心者|children|child|kids|kid|toddler|toddlers|family|families|grandparents|beginners|date night";
/// All conditions, including those that no plan uses.
const CONDITIONS: &[&str] = &[
    SUPERLATIVES,
    LAST,
    OVER,
    CHEAP,
    CHILDREN,
    VEHICLES,
    "までに終わる|前に終わる|には終わる|に終わる|ends before|end before|ends by|finishes before|finishes by|over by",
];

/// Kanji without a meaning of their own: verbs of asking and being.
const EMPTY: &str = "思言来行知気事物時中上下所様回度等自分私何今前後見観対道字文題教調探願頂件者達々的用他絵同次年月日週曜円番目方面別各当約毎全部両合話聞出入取待使作始終買売食飲人名枚席間楽是非一二三四五六七八九十百千";

/// English words without a meaning of their own.
const SMALL: &str = "able about approximately approx roughly above actually ago preferably ideally no headline caption subtitle \
tagline ah all almost alone along already alright also although always am among an and another anybody anyone \
anything anyway anywhere apparently are around as ask asked asking at aware away back be because been before \
being best better between bit both bring but buddy by call called came can can't cannot check checking come \
comes coming could couldn't curious day days dear decide did didn't different do does doesn't doing done dont \
down during each easy either else enough especially etc even ever every everybody everyone everything exactly \
exist expect fancy far feel few find fine first folks for forget found friend friends from fun gave get gets \
getting give given gives go goes going gone gonna good got great guess guy guys had happen happening happens \
happy has have haven't having he hear heard hello help her here hers hey hi him his hmm hope hoping how i i'd \
i'll i'm i've idea if in into is isn't it it'd it'll it's its just keep kind kindly know last later least less \
let let's like liked little ll look looking lot love lovely make makes making many may maybe me mean meant \
meet might mind mine minute moment more most much must my myself name named need needs nice now of off oh ok \
okay on once one ones online only or other others our ours out over own people perhaps person place plan \
planning plans play plays please pls plz possible possibly prefer pretty probably put quick quickly quite \
rather re ready really right said same saw say says see seeing seem seems seen self several shall she should \
show showing shown shows since sir so some somebody somehow someone something somewhere sometime soon sorry \
sort speak start starting starts still stuff such sure take takes taking talk tell than thank thanks that \
that's the their theirs them then there there's these they they're thing things think thinking this those \
though thought through thx till time times to together told tonight too took toward tried trip true try trying \
two u under until up upon us use used uses using usually ve very via view wait wanna want wanted wants was \
wasn't watch watching way we we'd we'll we're we've week well went were what what's whatever when when's where \
where's which while who who's whole whom whose why will wish with wondering won't work works would wouldn't ya \
yeah yes yet you you'd you'll you're you've your yours today tomorrow evening morning afternoon night weekend \
saying box title titled titles video picture pictures image images caption text style rating ratings rated \
leave leaving depart arrive arriving highway sheet called spaces space pick choose select book ur r im ive id \
thats whats hows anywhere everybody's detail details info information question quick word words sentence \
number stuff any";

static SMALL_WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| SMALL.split_whitespace().collect());

/// Parts of a sentence that a plan uses.
#[derive(Clone, Debug, Default)]
pub struct Used {
    /// Words found in the sentence.
    pub names: Vec<String>,
    /// Tables of conditions, from here or the vocabulary.
    pub conditions: Vec<&'static str>,
    /// Spans of the sentence.
    pub spans: Vec<(usize, usize)>,
}

/// Returns the unused words of `utterance`.
pub fn unused(utterance: &Utterance, used: &Used) -> Vec<String> {
    let mut known: Vec<bool> =
        (0..utterance.chars.len()).map(|at| utterance.is_known(at)).collect();
    for (at, letter) in utterance.lower.iter().enumerate() {
        known[at] |= *letter == MASK;
    }
    for piece in &utterance.quoted {
        // Quoted names are checked by the tool.
        known[piece.from..piece.to].fill(true);
    }
    for (from, to) in (utterance.vocabulary.kinds)(&utterance.lower).iter().chain(&used.spans) {
        let to = (*to).min(known.len());
        known[(*from).min(to)..to].fill(true);
    }
    // Conditions are reported as written.
    let mut conditions: Vec<(usize, usize)> = Vec::new();
    for words in CONDITIONS.iter().chain(utterance.vocabulary.conditions) {
        if used.conditions.contains(words) {
            continue;
        }
        for word in marks(words) {
            let length = word.chars().count();
            let at = match word.is_ascii() {
                true => utterance.find_word(word, 0),
                false => utterance.find(word, 0),
            };
            if let Some(at) = at {
                known[at..at + length].fill(false);
                conditions.push((at, at + length));
            }
        }
    }
    // Words that no family or another family has are no part of a request.
    let others = [Word::ELSEWHERE, Word::DELETE, Word::PRICE, Word::THEIRS];
    for token in utterance.tokens.iter().filter(|it| others.contains(&it.word) && !it.is_denied) {
        known[token.from..token.to].fill(false);
    }
    for name in &used.names {
        let name: Vec<char> = name.to_lowercase().chars().collect();
        let text: String = name.iter().collect();
        let is_at = |at: &usize| utterance.lower[*at..].starts_with(&name);
        let all = (0..utterance.lower.len()).filter(is_at).filter(|_| !name.is_empty());
        // Repetitions are used as well.
        for (index, at) in all.enumerate() {
            if index == 0 || utterance.is_word(at, &text) {
                known[at..at + name.len()].fill(true);
            }
        }
    }
    conditions.retain(|it| known[it.0..it.1].iter().all(|it| !it));
    conditions.sort_by_key(|it| (it.0, usize::MAX - it.1));
    conditions.dedup_by(|later, first| later.1 <= first.1);
    for (from, to) in &conditions {
        known[*from..*to].fill(true);
    }
    let mut left = words(utterance, &known);
    for (from, to) in conditions {
        left.push((from, utterance.piece(from, to).text));
    }
    left.sort_by_key(|it| it.0);
    let mut left: Vec<String> = left.into_iter().map(|it| it.1).collect();
    left.truncate(LISTED_MAX);
    left
}

/// Returns the sentence with its English words spelled out, if one is shortened or has a typo: `can u get 2 tickts
/// tomorow`. Names, which are capitalized or quoted, stay.
pub(crate) fn without_typos(utterance: &Utterance) -> Option<String> {
    const DAYS: &str = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|tonight|tomorrow";
    /// What follows may be the text of a message or a title, which stays.
    const TEXT: &str = "about|tell|say|says|saying|ask|discuss|debate|message|title|titled|called|named|label|labelled";
    /// Words that are one letter from a phrase.
    const OTHERS: &str = "remainder|remainders|relied|relies|fraction|fractions";
    /// Words before a letter: `row u`.
    const ROWS: &str = "row|rows|seat|seats";
    const SHORT: [(&str, &str); 3] = [("u", "you"), ("ur", "your"), ("tn", "tonight")];
    let (chars, lower) = (&utterance.chars, &utterance.lower);
    let lexicons = utterance.vocabulary.lexicons();
    let is_way = utterance.says("from|route|directions|drive");
    let meant = |word: &[char], before: &[char], behind: &[char]| -> Option<Vec<char>> {
        let text: String = word.iter().collect();
        if let Some((short, long)) = SHORT.iter().find(|it| it.0 == text) {
            let is_row = marks(ROWS).any(|it| before.iter().copied().eq(it.chars()));
            // `memphis, tn to nashville` is Tennessee.
            let is_state = *short == "tn" && (is_way || behind.first() == Some(&','));
            return Some(long.chars().collect()).filter(|_| !is_row && !is_state);
        }
        if word.len() < TYPED_MIN || is_small(&text) || marks(OTHERS).any(|it| it == text) {
            return None;
        }
        let days = marks(DAYS).map(|it| it.chars().collect::<Vec<_>>());
        let days = days.filter(|it| is_mistyped(word, it));
        let words = lexicons.iter().flat_map(|it| it.mistyped_as(word).map(<[char]>::to_vec));
        days.chain(words).find(|it| it.iter().all(char::is_ascii_alphabetic))
    };
    // `user_name` and `a@b.c` are no words.
    let is_joint =
        |it: Option<&char>| it.is_some_and(|it| it.is_alphanumeric() || "-_'@/".contains(*it));
    let (mut out, mut at, mut is_changed, mut is_text) = (String::new(), 0, false, false);
    let mut before: &[char] = &[];
    while at < chars.len() {
        let length = lower[at..].iter().take_while(|it| it.is_ascii_alphabetic()).count();
        let (word, end) = (&lower[at..at + length], at + length);
        is_text |= marks(TEXT).any(|it| word.iter().copied().eq(it.chars()));
        let is_free = length > 0
            && !is_text
            && (at == 0 || !chars[at].is_uppercase() && !is_joint(chars.get(at - 1)))
            && !is_joint(chars.get(end))
            && !(at..end).any(|it| utterance.is_known(it));
        let meant = if is_free { meant(word, before, &lower[end..]) } else { None };
        if length > 0 {
            before = word;
        }
        is_changed |= meant.is_some();
        let end = end.max(at + 1);
        out.extend(meant.as_deref().unwrap_or(&chars[at..end]));
        at = end;
    }
    is_changed.then_some(out)
}

/// Whether a word is a condition.
pub fn is_condition(utterance: &Utterance, word: &str) -> bool {
    let tables = CONDITIONS.iter().chain(utterance.vocabulary.conditions);
    tables.flat_map(|it| marks(it)).any(|it| it == word.to_lowercase())
}

/// Whether a denial remains that denies no action, excludes nothing and states no time.
pub fn has_stray_no(utterance: &Utterance) -> bool {
    let is_denied = utterance.tokens.iter().any(|it| it.is_denied);
    // `not later than 5 pm` is a time, and `not over two hours` belongs to the family.
    let mut spans = (utterance.vocabulary.spans)(&utterance.lower);
    spans.extend(&utterance.when.spans);
    let is_time = |from: usize, to: usize| spans.iter().any(|it| it.0 <= from && to <= it.1);
    let is_no = utterance.tokens.iter().any(|it| it.word == Word::NOT && !is_time(it.from, it.to));
    !is_denied && is_no && utterance.excluded_name().is_none()
}

/// Unknown words that carry meaning, with their positions.
fn words(utterance: &Utterance, known: &[bool]) -> Vec<(usize, String)> {
    let chars = &utterance.chars;
    let (mut found, mut at) = (Vec::<(usize, String)>::new(), 0);
    while at < chars.len() {
        let kind = kind(chars[at]);
        if known[at] || kind == Kind::Other {
            at += 1;
            continue;
        }
        let from = at;
        while at < chars.len() && !known[at] && self::kind(chars[at]) == kind {
            at += 1;
        }
        // `1500円以内` is one word.
        let is_number = chars[from..at].iter().all(char::is_ascii_digit);
        while is_number && at < chars.len() && !known[at] && self::kind(chars[at]) == Kind::Kanji {
            at += 1;
        }
        let text: String = chars[from..at].iter().collect();
        let is_inner = from > 0 && known[from - 1] && self::kind(chars[from - 1]) == kind;
        let means = match kind {
            Kind::Latin => (is_word(&text.to_lowercase()) || !text.is_ascii()) && !is_inner,
            Kind::Kanji => text.chars().any(|it| !EMPTY.contains(it)),
            Kind::Kana => text.chars().filter(|it| *it != 'ー').count() > 1,
            Kind::Other => false,
        };
        if means {
            // A single kanji is reported with the text after it.
            let tail =
                chars[at..].iter().take(2).take_while(|it| matches!(it, '\u{3041}'..='\u{3096}'));
            let tail: String =
                if text.chars().count() == 1 { tail.collect() } else { String::new() };
            let word = format!("{text}{tail}");
            if !found.iter().any(|it| it.1 == word) {
                found.push((from, word));
            }
        }
    }
    found
}

/// Whether a kanji has no meaning of its own.
pub fn is_empty(sign: char) -> bool {
    EMPTY.contains(sign)
}

/// Whether an English word has no meaning of its own.
pub fn is_small(word: &str) -> bool {
    SMALL_WORDS.contains(word) || word.len() < 2 && !word.chars().all(|it| it.is_ascii_digit())
}

fn is_word(word: &str) -> bool {
    let is_small = SMALL_WORDS.contains(word.trim_matches('\''));
    let letters = word.chars().filter(char::is_ascii_alphabetic).count();
    let is_number = word.chars().all(|it| it.is_ascii_digit());
    !is_small && (letters > 1 || is_number)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Latin,
    Kanji,
    Kana,
    Other,
}

fn kind(sign: char) -> Kind {
    match sign {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '\'' => Kind::Latin,
        '\u{4e00}'..='\u{9fff}' | '々' => Kind::Kanji,
        '\u{30a1}'..='\u{30fa}' | 'ー' => Kind::Kana,
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Date, vocabulary::Vocabulary};

    const LEND: Word = Word::own(0);
    static LIBRARY: Vocabulary = Vocabulary {
        phrases: &[(
            LEND,
            "reserve|tickets|booking|cancel|back|walking|change|path|with the|reminder|replied|replies|factions|faction",
        )],
        ..Vocabulary::NONE
    };

    fn corrected(text: &str) -> Option<String> {
        without_typos(&Utterance::parse(text, Date::constant(2026, 11, 21), &LIBRARY))
    }

    #[test]
    fn typos_are_corrected() {
        for (text, meant) in [
            ("resrve 2 tickts", "reserve 2 tickets"),
            ("Cancle it", "cancel it"),
            ("my bokking", "my booking"),
            ("what can u do tn?", "what can you do tonight?"),
        ] {
            assert_eq!(corrected(text).as_deref(), Some(meant), "{text}");
        }
    }

    #[test]
    fn other_words_are_no_typos() {
        for text in [
            "reserve it tomorrow",
            "three black cards with a witch",
            "is there a charge?",
            "waking up",
            "the patch",
            "a Tickts of mine",
            "\"resrve\"",
            "resrve-a, my_tickts, a@tickts.com",
            "seat u5",
            "row u",
            "seats u and v",
            "the remainder",
            "it relied on fractions",
            "route from memphis, tn to nashville, tn",
            "memphis tn, please",
            "two people talk about tickts and u",
            "明日のAKIRA",
        ] {
            assert_eq!(corrected(text), None, "{text}");
        }
    }
}
