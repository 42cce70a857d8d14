//! Recognizes a bare name, without a word for what it is; every family that may have it looks it up.

use crate::{
    coverage::is_condition,
    name_pieces::{is_hiragana, longest},
    scan::marks,
    utterance::{Piece, Utterance},
    words::Word,
};

/// Maximum length of a name, in characters.
const NAME_MAX: usize = 60;
/// Maximum words of an English sentence that is only a name.
const BARE_WORDS_MAX: usize = 6;
/// Maximum characters of a Japanese one.
const BARE_CHARS_MAX: usize = 16;
/// Words that show another subject.
const OTHERS: &[Word] = &[
    Word::ELSEWHERE,
    Word::MAKE,
    Word::GREETING,
    Word::THANKS,
    Word::HELP,
    Word::NOT,
    Word::PRICE,
    Word::CANCEL,
    Word::THEIRS,
];
/// Words of requests to show something.
const REQUESTS: &[Word] = &[Word::SHOW, Word::LIST, Word::WANT, Word::EXISTS, Word::WHO];

/// Returns the name if the sentence is only a name and words of a request.
fn bare_name(utterance: &Utterance) -> Option<String> {
    const ENDS: &str = "。|.|?|!| |は|って|とは|見せて|みせて|見たい|みたい|ある|please|pls|を|が|の|ちょうだい|ください|お願い";
    /// Verb endings, which end no name: `進んでる？`, `返金される？`.
    const VERBS: &str = "でした|てる|でる|ている|でいる|てます|でます|される|れた|ました|ません|ますか|かった|だった|った|にする|にします|たら|れば|けど|苦手|嫌い|好き|無理|話せる|できる|使える|られる|は安い|は高い|は近い|は遠い|は広い";
    /// Words that continue a conversation: `じゃあとなりのトトロは？`.
    const LEADS: &str = "じゃあ|それじゃあ|それじゃ|では|ちなみに";
    let text = utterance.text();
    let begun = marks(LEADS).filter_map(|it| text.strip_prefix(it)).min_by_key(|it| it.len());
    let mut name = begun.unwrap_or(&text).trim_start_matches(['、', ' ']);
    let from = text.chars().count() - name.chars().count();
    loop {
        let before = name.len();
        for it in marks(ENDS) {
            name = name.trim_end_matches(it);
        }
        if name.len() == before {
            break;
        }
    }
    let span = from..from + name.chars().count();
    let is_word = utterance.tokens.iter().any(|it| span.contains(&it.from) && !text.is_ascii());
    let mut spans = utterance.when.spans.iter().chain(&utterance.numbers.spans);
    let is_time = spans.any(|it| span.contains(&it.0));
    let is_written = !name.contains('を')
        && !name.ends_with('て')
        && !marks(VERBS).any(|it| name.trim_end_matches(['〜', '~', 'ね', 'よ']).ends_with(it))
        && !is_order(name)
        && name.chars().all(|it| !matches!(it, '<' | '>' | '=' | '+' | ';' | '{' | '}' | '/'));
    let is_new =
        span.clone().any(|it| !utterance.is_known(it) && utterance.chars[it].is_alphabetic());
    (span.len() > 1 && !is_word && !is_time && is_written && is_new).then(|| name.to_owned())
}

/// Returns a lowercase name, if nothing else is in the sentence: `dark magician pls`.
fn lowercase_name(utterance: &Utterance, unused: &[String]) -> Option<String> {
    const LEADS: &str = "the |a |and |um |uh |hey ";
    const TAILS: &str = " please| pls| plz| thanks|?|.|!";
    let text = utterance.text().to_ascii_lowercase();
    let name = marks(LEADS).fold(text.as_str(), |it, lead| it.strip_prefix(lead).unwrap_or(it));
    let name = marks(TAILS).rev().fold(name, |it, tail| it.strip_suffix(tail).unwrap_or(it));
    let words: Vec<_> = name.split(' ').collect();
    let is_new = |it: &&&str| unused.iter().any(|word| word.eq_ignore_ascii_case(it));
    let new = words.iter().filter(is_new).count();
    let is_written = name.chars().all(|it| it.is_ascii_alphabetic() || matches!(it, ' ' | '-'));
    let is_few = (1..=3).contains(&words.len()) && new > 0 && new + 1 >= words.len();
    let is_asked = utterance.tokens.iter().all(|token| {
        [Word::FILLER, Word::THEIR_WORD].contains(&token.word) || utterance.is_noun(token.word)
    });
    // Without a word of a request it may be anything.
    let is_asked_for = name.len() < text.trim_end_matches(['.', '!']).len();
    (is_asked_for && text.is_ascii() && is_written && is_few && is_asked && words.len() > 1)
        .then(|| name.to_owned())
}

/// Whether the sentence refers to the context or the person: `is it finished?`, `and by bike?`, `what's my size?`.
fn refers_to_context(utterance: &Utterance, text: &str) -> bool {
    const BEFORE: &str = "it|them|they|its|their|my";
    const PLACES: &str = "first|second|third|fourth|fifth|last|newest|oldest|latest|cheapest";
    const GOES_ON: &str =
        "and by |and on |and with |and without |and in |how many |how much |how long |how far |in ";
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|it: char| !it.is_ascii_alphanumeric());
    let end = lower.trim_end_matches(['?', '.', '!', ' ']).trim_end_matches(" please");
    let ends_there = [" there", " one", " ones"].iter().any(|it| end.ends_with(it))
        || marks(PLACES)
            .any(|it| end.strip_suffix(it).is_some_and(|it| it.is_empty() || it.ends_with("the ")));
    // `which one is stronger?` refers to what was shown.
    let points = lower.starts_with("which one ")
        || words.any(|it| marks(BEFORE).any(|before| before == it))
        || ends_there
        || marks(GOES_ON).any(|it| lower.starts_with(it));
    text.is_ascii()
        && points
        && utterance.quoted.is_empty()
        && utterance.capitalized_names().is_empty()
}

/// Whether `name` is an order, a setting or an everyday word: `遅い順で`, `満足度は5段階で`, `確定で`, `結果`.
fn is_order(name: &str) -> bool {
    const ACTIONS: &str = "ストップ|一度|一回|もう一度|もう一回|再度|確定|決定|再開|中断|中止|続行|完了|送信|終了|開始|一時停止|追加|削除|変更|保存|結果|続き|状況|様子|経過|他に|ほかに|他には|ほかには|その他|次の日|翌日|スタッフ|店員|担当者|係員|責任者";
    let bare_name = name.trim_end_matches(['で', 'に']);
    let is_set = name.split_once('は').is_some_and(|(_, set)| {
        set.chars().any(char::is_numeric) || set.chars().count() > 1 && set.ends_with(['で', 'に'])
    });
    bare_name.ends_with('順')
        || name.starts_with("もっと")
        || is_set
        || marks(ACTIONS).any(|it| it == bare_name)
}

/// Whether `word` is one kanji followed by hiragana: `雪のや` of `雪のやつ`.
fn is_single_kanji(word: &str) -> bool {
    let stem = word.trim_end_matches(is_hiragana);
    stem.len() < word.len() && stem.chars().count() == 1
}

/// Returns the name in `utterance`, if it asks to see it or contains nothing else. `asks` are further
/// words of requests, `title` is a name in a typical position, and `names` are names that no table has.
pub fn name(
    utterance: &Utterance,
    unused: &[String],
    asks: &[Word],
    title: impl Fn() -> Option<String>,
    names: impl Fn() -> Vec<Piece>,
) -> Option<String> {
    let asks = utterance.has(REQUESTS) || utterance.has(asks);
    // An English question marks its subject by a capital.
    let asks = asks || utterance.chars.last() == Some(&'?') && utterance.text().is_ascii();
    let is_tell = utterance.find("tell me", 0).is_some() || utterance.find("教えて", 0).is_some();
    let text = utterance.text();
    if utterance.has(OTHERS) || refers_to_context(utterance, &text) {
        return None;
    }
    let is_bare = match text.is_ascii() {
        true => {
            let run = utterance
                .capitalized_names()
                .into_iter()
                .map(|it| it.to - it.from)
                .max()
                .unwrap_or(0);
            text.split_whitespace().count() <= BARE_WORDS_MAX && run * 10 >= text.len() * 6
        }
        false => text.chars().count() <= BARE_CHARS_MAX && text.chars().any(char::is_alphanumeric),
    };
    let quoted = utterance.quoted.first().map(|it| it.text.clone());
    // `show me the shadow cat`.
    let shown = || {
        const LEADS: &str = "show me |show |can i see |let me see |i want to see ";
        let lower = text.to_ascii_lowercase();
        let polite = ["please ", "pls ", "plz ", "hey ", "ok ", "can you ", "could you "];
        let lower =
            polite.iter().fold(lower.as_str(), |it, word| it.strip_prefix(word).unwrap_or(it));
        let rest = marks(LEADS).find_map(|it| lower.strip_prefix(it))?;
        let the = ["the ", "a ", "an "].iter().find_map(|it| rest.strip_prefix(it));
        let rest = the.unwrap_or(rest).trim_end_matches(['.', '!', '?']);
        let rest = rest.trim_end_matches(" please");
        let is_name = (1..=4).contains(&rest.split_whitespace().count()) && !unused.is_empty();
        let is_all = unused.iter().all(|it| rest.contains(&it.to_lowercase()));
        (text.is_ascii() && is_name && is_all).then(|| rest.to_owned())
    };
    let name = match (quoted, asks) {
        (Some(quoted), _) => Some(quoted),
        // Without a request it is looked up only if nothing else is in the sentence.
        (None, false) if text.is_ascii() => longest(utterance.capitalized_names())
            .filter(|_| is_bare)
            .or_else(|| lowercase_name(utterance, unused)),
        (None, false) => is_bare.then(|| bare_name(utterance)).flatten(),
        (None, true) => {
            let known = longest(utterance.capitalized_names()).or_else(&title);
            let single = || match unused {
                // A single kanji belongs to the text after it.
                [only] if !is_tell && !is_single_kanji(only) => Some(only.clone()),
                _ => None,
            };
            known
                .or_else(|| if is_tell { None } else { longest(names()) })
                .or_else(single)
                .or_else(shown)
                .or_else(|| if is_tell || text.is_ascii() { None } else { bare_name(utterance) })
        }
    }?;
    // `結果見せて` and `デートにおすすめは？` contain no name.
    let is_name = !is_condition(utterance, &name)
        && name.chars().filter(|it| it.is_alphabetic()).count() > 1
        && (!utterance.quoted.is_empty() || !is_order(&name));
    // `worker-a` is an identifier.
    let is_sign = name.contains(['-', '_']) && !name.contains(|it: char| it.is_uppercase());
    // If many other words are unknown, it is not the subject.
    let others = unused.iter().filter(|it| !name.contains(it.as_str())).count();
    // `What's the capital of France` asks about an attribute.
    let is_other = text.is_ascii() && others > 0 && utterance.find(" of ", 0).is_some();
    let is_bare = is_bare || lowercase_name(utterance, unused).is_some();
    ((asks || is_bare) && is_name && !is_sign && others <= 2 && !is_other)
        .then(|| name.chars().take(NAME_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Vocabulary;

    #[test]
    fn verb_is_no_name() {
        static WORDS: Vocabulary = Vocabulary::NONE;
        for text in [
            "進んでる？",
            "返金される？",
            "もう届きました？",
            "面白かった？",
            "つかれた〜",
            "あれは最高でしたよ",
            "フランス語話せる？",
            "平日は安い？",
        ] {
            let utterance = Utterance::parse(text, jiff::civil::date(2026, 11, 21), &WORDS);
            assert_eq!(name(&utterance, &[], &[], || None, Vec::new), None, "{text}");
        }
    }

    #[test]
    fn order_or_setting_is_no_name() {
        static WORDS: Vocabulary = Vocabulary::NONE;
        for text in [
            "遅い順で",
            "遠い順に",
            "満足度は5段階で",
            "もっと短い道は？",
            "確定で",
            "優先度は高中低で",
            "年代は複数選択可で",
            "サイズの初期値はMに",
            "デートは？",
            "再開",
            "ストップ",
            "the cheapest one",
        ] {
            let utterance = Utterance::parse(text, jiff::civil::date(2026, 11, 21), &WORDS);
            assert_eq!(name(&utterance, &[], &[], || None, Vec::new), None, "{text}");
        }
        for text in ["深淵の魔女", "じゃあ、深淵の魔女は？", "では深淵の魔女を"]
        {
            let utterance = Utterance::parse(text, jiff::civil::date(2026, 11, 21), &WORDS);
            let found = name(&utterance, &[], &[], || None, Vec::new);
            assert_eq!(found.as_deref(), Some("深淵の魔女"), "{text}");
        }
    }

    #[test]
    fn reference_to_context_is_no_name() {
        static WORDS: Vocabulary = Vocabulary::NONE;
        let found = |text: &str, unused: &str| {
            let utterance = Utterance::parse(text, jiff::civil::date(2026, 11, 21), &WORDS);
            name(&utterance, &[unused.to_owned()], &[], || None, Vec::new)
        };
        for (text, unused) in [
            ("is it finished?", "finished"),
            ("and by bike?", "bike"),
            ("whats my size?", "size"),
            ("can I walk there?", "walk"),
        ] {
            assert_eq!(found(text, unused), None, "{text}");
        }
        assert_eq!(found("is there a nightingale?", "nightingale").as_deref(), Some("nightingale"));
    }
}
