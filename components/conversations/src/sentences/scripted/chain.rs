//! Word chains, in which each word begins as the one before it ends: しりとり, and an English variant. Has
//! the rules for the next kana, the word lists, and the search for a word in a message.

use std::sync::LazyLock;

use language::{
    Language, say,
    scan::{self, QUOTES, marks},
};

use super::{By, LogEntry, Scene};

/// Names of the game.
const JAPANESE: &[&str] = &["しりとり", "シリトリ", "尻取り", "しり取り"];
const ENGLISH_GAMES: &[&str] = &["shiritori", "word chain", "word-chain", "last letter"];
/// Default number of rounds, and its maximum.
const ROUNDS: usize = 5;
const ROUNDS_MAX: usize = 50;
/// Units after a number of rounds.
const UNITS: &str = "ターン|往復|回|ラウンド|周|rounds|round|turns|turn|times";
/// Number of mistakes of the partner after which the game ends.
const FAULTS_MAX: usize = 3;
/// Beginnings of messages that play no word, and endings of last messages.
const NOTICES: [&str; 2] = ["すみません、", "Sorry, "];
const CLOSINGS: [&str; 2] = ["終了します", "Ending here."];

static NUMERALS: LazyLock<Vec<char>> = LazyLock::new(|| "〇一二三四五六七八九".chars().collect());

/// The next move of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Say(String),
    /// The last message of the game.
    End(String),
    Nothing,
}

/// The kind of the last message so far.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    Own,
    /// A valid word of the partner.
    Word(String),
    /// A message without a word before the first one.
    Invitation,
    Fault(Fault),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    Unread,
    Start(String),
    Repeated(String),
}

/// The state of a game.
pub(super) struct Chain {
    language: Language,
    is_initiator: bool,
    rounds: Option<usize>,
    used: Vec<String>,
    wanted: Vec<char>,
    own_words: usize,
    partner_words: usize,
    faults: usize,
    last: Last,
    is_over: bool,
}

impl Chain {
    /// Replays `log`. Returns the current game, if one is played.
    pub(super) fn replay(scene: &Scene, log: &[LogEntry], language: Language) -> Option<Self> {
        let purpose = scene.purpose.as_deref().unwrap_or_default();
        let rounds = scene.may_end.then(|| rounds(purpose).unwrap_or(ROUNDS));
        let fresh = |language| Self {
            language,
            is_initiator: scene.is_initiator,
            rounds,
            used: Vec::new(),
            wanted: Vec::new(),
            own_words: 0,
            partner_words: 0,
            faults: 0,
            last: Last::Nothing,
            is_over: false,
        };
        let mut chain = requested_language(purpose, language).map(fresh);
        for entry in log {
            let is_over = chain.as_ref().is_none_or(|it| it.is_over);
            if is_over && entry.by == By::Partner {
                chain = requested_language(&entry.text, language).map(fresh);
            }
            match (&mut chain, &entry.by) {
                (Some(it), By::Own) => it.apply_own(&entry.text),
                (Some(it), By::Partner) => it.apply_partner(&entry.text),
                // A third party plays no word.
                (_, By::Other(_)) | (None, _) => {}
            }
        }
        chain.filter(|it| !it.is_over)
    }

    fn apply_own(&mut self, text: &str) {
        self.last = Last::Own;
        if CLOSINGS.iter().any(|it| text.ends_with(it)) {
            self.is_over = true;
        } else if !NOTICES.iter().any(|it| text.starts_with(it))
            && let Found::Word(word) = find(text, &self.wanted, self.language)
        {
            self.own_words += 1;
            self.is_over = self.loses(&word) && !self.is_initiator;
            self.play(word);
        }
    }

    fn apply_partner(&mut self, text: &str) {
        self.last = match find(text, &self.wanted, self.language) {
            Found::Nothing if self.used.is_empty() => Last::Invitation,
            Found::Word(it)
                if self.used.is_empty() && requested_language(&it, self.language).is_some() =>
            {
                Last::Invitation
            }
            Found::Nothing => Last::Fault(Fault::Unread),
            Found::Word(word) if self.used.contains(&word) => Last::Fault(Fault::Repeated(word)),
            Found::Word(word) => {
                let first = word.chars().next();
                match self.wanted.is_empty() || first.is_some_and(|it| self.wanted.contains(&it)) {
                    false => Last::Fault(Fault::Start(word)),
                    true => {
                        self.partner_words += 1;
                        self.play(word.clone());
                        Last::Word(word)
                    }
                }
            }
        };
        if matches!(self.last, Last::Fault(_)) {
            self.faults += 1;
        }
    }

    fn play(&mut self, word: String) {
        self.wanted = next_letters(&word, self.language);
        self.used.push(word);
    }

    /// Whether `word` loses, because no word can follow.
    fn loses(&self, word: &str) -> bool {
        self.language == Language::Japanese && word.ends_with('ん')
    }

    /// Why no word can follow the partner's last one.
    pub(super) fn lost(&self) -> Option<String> {
        let Last::Word(word) = &self.last else { return None };
        self.loses(word).then(|| {
            format!("「{word}」は「ん」で終わり、続く言葉がありません（言ったほうの負け）")
        })
    }

    /// Chooses the next move.
    pub(super) fn next(&self) -> Move {
        let is_done = self.is_initiator && self.rounds == Some(self.partner_words);
        match &self.last {
            Last::Nothing if self.is_initiator => self.open(),
            Last::Nothing | Last::Own => Move::Nothing,
            Last::Word(_) if is_done => Move::End(self.localized(
                format!("{}ターン完了。終了します", self.partner_words),
                format!("{} done. Ending here.", say::counted(self.partner_words, "round")),
            )),
            Last::Word(word) if self.loses(word) => Move::End(format!(
                "「{word}」は「ん」で終わったので、私の勝ちです。ありがとうございました。終了します"
            )),
            Last::Word(_) | Last::Invitation => self.answer(),
            Last::Fault(_) if self.faults >= FAULTS_MAX => Move::End(self.localized(
                "続けられないようなので、ここで終了します".to_owned(),
                "It seems that we cannot go on. Ending here.".to_owned(),
            )),
            Last::Fault(fault) => Move::Say(self.fault_text(fault)),
        }
    }

    fn open(&self) -> Move {
        let first = word_list(self.language).first().map_or("", |it| it.text);
        Move::Say(self.localized(
            format!("しりとりをしましょう。{first}"),
            format!("Let's play a word chain. {first}"),
        ))
    }

    /// Plays a valid word. The participant ends the last round with a losing word.
    fn answer(&self) -> Move {
        let is_last = !self.is_initiator && self.rounds == Some(self.own_words + 1);
        let pick = |wants_loss: bool| {
            let begins = |text: &str, with: Option<char>| {
                with.is_none_or(|it| text.starts_with(it))
                    && self.loses(text) == wants_loss
                    && !self.used.iter().any(|it| it == text)
            };
            let starts: Vec<_> = match self.wanted.is_empty() {
                true => vec![None],
                false => self.wanted.iter().copied().map(Some).collect(),
            };
            let mut found = starts.into_iter().filter_map(|with| {
                word_list(self.language).iter().find(|it| begins(it.text, with))
            });
            found.next()
        };
        let word = is_last.then(|| pick(true)).flatten().or_else(|| pick(false));
        match word {
            Some(it) => Move::Say(it.text.to_owned()),
            None => Move::End(self.localized(
                "思いつきません。参りました。終了します".to_owned(),
                "I know no other word: you win. Ending here.".to_owned(),
            )),
        }
    }

    fn fault_text(&self, fault: &Fault) -> String {
        let wanted = self.wanted.first().copied().unwrap_or_default();
        match fault {
            Fault::Unread => self.localized(
                format!("すみません、言葉を読み取れませんでした。「{wanted}」から始まる言葉を、ひらがなで一つお願いします。"),
                format!("Sorry, I could not find your word. One that begins with \"{wanted}\", please."),
            ),
            Fault::Start(word) => self.localized(
                format!("すみません、「{word}」は「{wanted}」から始まっていません。「{wanted}」から始まる言葉をお願いします。"),
                format!("Sorry, \"{word}\" does not begin with \"{wanted}\". One that does, please."),
            ),
            Fault::Repeated(word) => self.localized(
                format!("すみません、「{word}」はもう出ました。「{wanted}」から始まる別の言葉をお願いします。"),
                format!("Sorry, \"{word}\" was said before. Another one with \"{wanted}\", please."),
            ),
        }
    }

    fn localized(&self, japanese: String, english: String) -> String {
        self.language.pick(japanese, english)
    }
}

/// Returns the language of the game that `text` asks for, if it does.
fn requested_language(text: &str, language: Language) -> Option<Language> {
    let lower = text.to_lowercase();
    if JAPANESE.iter().any(|it| lower.contains(it)) {
        return Some(Language::Japanese);
    }
    ENGLISH_GAMES.iter().any(|it| lower.contains(it)).then_some(language)
}

/// Returns the number of rounds that `text` names.
pub(in crate::sentences) fn rounds(text: &str) -> Option<usize> {
    let chars: Vec<char> = text.to_lowercase().chars().collect();
    let digit = |sign: char| match sign {
        '0'..='9' => sign.to_digit(10),
        '０'..='９' => u32::from(sign).checked_sub(u32::from('０')),
        '十' => Some(10),
        _ => NUMERALS.iter().position(|n| *n == sign).and_then(|it| u32::try_from(it).ok()),
    };
    let mut at = 0;
    while at < chars.len() {
        let (mut number, mut end) = (0_usize, at);
        while let Some(value) = chars.get(end).copied().and_then(digit).filter(|_| end < at + 4) {
            // 十二 adds its digits, 12 is positional.
            let is_ten = end > at && chars[end - 1] == '十';
            number = match value {
                10 => number.max(1) * 10,
                value if is_ten => number + value as usize,
                value => number * 10 + value as usize,
            };
            end += 1;
        }
        let behind: String = chars[end..].iter().collect();
        if end > at && marks(UNITS).any(|it| behind.trim_start().starts_with(it)) {
            return Some(number.clamp(1, ROUNDS_MAX));
        }
        at = end.max(at + 1);
    }
    None
}

/// Pairs of small and large kana.
const SMALL: &str = "ぁあぃいぅうぇえぉおっつゃやゅゆょよゎわゕかゖけ";
/// Pairs of kana with and without marks.
const MARKED: &str = "がかぎきぐくげけごこざさじしずすぜせぞそだたぢちづつでてどとばはびひぶふべへぼほぱはぴひぷふぺへぽほゔう";
/// The kana of each vowel.
const VOWELS: [(char, &str); 5] = [
    ('あ', "あかさたなはまやらわがざだばぱ"),
    ('い', "いきしちにひみりぎじぢびぴ"),
    ('う', "うくすつぬふむゆるぐずづぶぷゔ"),
    ('え', "えけせてねへめれげぜでべぺ"),
    ('お', "おこそとのほもよろをごぞどぼぽ"),
];

/// Converts katakana to hiragana.
pub(super) fn hiragana(text: &str) -> String {
    text.chars().map(scan::hiragana).collect()
}

/// Whether it is hiragana only, apart from long vowel marks.
pub(super) fn is_kana(text: &str) -> bool {
    text.chars().all(|it| matches!(it, '\u{3041}'..='\u{3096}' | 'ー'))
}

/// Returns the second kana of the pair in `table` that begins with `kana`.
fn paired(table: &str, kana: char) -> Option<char> {
    let mut chars = table.chars();
    while let (Some(first), Some(second)) = (chars.next(), chars.next()) {
        if first == kana {
            return Some(second);
        }
    }
    None
}

/// Returns the kana with which the word after `word` may begin, the usual one first. A small kana counts as the large
/// one, a long vowel mark as the kana before it or as the vowel, and marks may be left out.
pub(super) fn next_kana(word: &str) -> Vec<char> {
    let mut chars = word.chars().rev();
    let last = chars.next();
    let is_drawn = last == Some('ー');
    let Some(last) = (if is_drawn { chars.find(|it| *it != 'ー') } else { last }) else {
        return Vec::new();
    };
    let large = paired(SMALL, last).unwrap_or(last);
    let mut next_kana = vec![large];
    if is_drawn {
        next_kana.extend(VOWELS.iter().find(|it| it.1.contains(large)).map(|it| it.0));
    }
    let plain: Vec<_> = next_kana.iter().filter_map(|it| paired(MARKED, *it)).collect();
    next_kana.extend(plain);
    next_kana.dedup();
    next_kana
}

/// Japanese nouns in kana, one per line, followed by other spellings; common ones come first.
static NOUNS: LazyLock<Vec<Word>> = LazyLock::new(|| parse_table(include_str!("nouns.txt")));
/// English nouns.
static ENGLISH: LazyLock<Vec<Word>> = LazyLock::new(|| parse_table(include_str!("english.txt")));

/// Length of an unknown word, in characters.
const CHARS: std::ops::RangeInclusive<usize> = 2..=10;
/// Texts around a word in a message.
const BEFORE: &str = "それでは|では|じゃあ|えーと|えっと|うーん|はい|次は|つぎは|私は|わたしは|僕は|ぼくは|答えは|こたえは|私の言葉は|言葉は";
const BEHIND: &str =
    "でお願いします|にします|ですね|ですよ|でーす|でした|です|だよ|だね|だ|かな|で|ね|よ";

/// A word and its other spellings.
pub(super) struct Word {
    pub(super) text: &'static str,
    others: Vec<&'static str>,
}

/// The result of a search in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A word, possibly an unknown one.
    Word(String),
    Nothing,
}

fn parse_table(table: &'static str) -> Vec<Word> {
    let lines = table.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#'));
    let word = |line: &'static str| {
        let mut words = line.split(' ');
        Some(Word { text: words.next()?, others: words.collect() })
    };
    lines.filter_map(word).collect()
}

/// Returns the words of a language, common ones first.
pub(super) fn word_list(language: Language) -> &'static [Word] {
    language.pick(&NOUNS, &ENGLISH)
}

/// Returns the letters with which the word after `word` may begin.
pub(super) fn next_letters(word: &str, language: Language) -> Vec<char> {
    match language {
        Language::Japanese => next_kana(word),
        Language::English => word.chars().last().into_iter().collect(),
    }
}

/// Returns `piece` in the spelling of the word list, and whether it is listed. None where it cannot be a word.
fn lookup(piece: &str, language: Language) -> Option<(String, bool)> {
    let text = match language {
        Language::Japanese => hiragana(piece),
        Language::English => piece.to_lowercase(),
    };
    let is_match = |it: &&Word| it.text == text || it.others.contains(&piece);
    if let Some(word) = word_list(language).iter().find(is_match) {
        return Some((word.text.to_owned(), true));
    }
    let is_written = match language {
        Language::Japanese => is_kana(&text),
        Language::English => text.chars().all(|it| it.is_ascii_lowercase()),
    };
    (is_written && CHARS.contains(&text.chars().count())).then_some((text, false))
}

/// Finds the word in `text`, which should begin with one of `wanted`. Prefers listed words that fit, then words that
/// fit, then any. Where `wanted` is empty, the last word counts.
pub(super) fn find(text: &str, wanted: &[char], language: Language) -> Found {
    let mut pieces = pieces(text, language);
    if wanted.is_empty() {
        pieces.reverse();
    }
    let words = pieces.iter().flatten().filter_map(|it| lookup(it, language));
    let words: Vec<_> = words.collect();
    let fits = |word: &&(String, bool)| {
        wanted.is_empty() || word.0.chars().next().is_some_and(|it| wanted.contains(&it))
    };
    let found = words
        .iter()
        .find(|it| it.1 && fits(it))
        .or_else(|| words.iter().find(|it| fits(it) && is_alone(text, language)))
        .or_else(|| words.iter().find(|it| it.1))
        .or_else(|| words.first().filter(|_| is_alone(text, language)));
    found.map_or(Found::Nothing, |it| Found::Word(it.0.clone()))
}

/// Whether the text is so short that an unknown word in it counts.
fn is_alone(text: &str, language: Language) -> bool {
    match language {
        Language::Japanese => text.chars().count() <= 40,
        Language::English => text.split_whitespace().count() <= 3,
    }
}

/// Returns the pieces of `text` that may be a word: quoted ones first, then those between punctuation marks. Each comes
/// with and without the texts around words.
fn pieces(text: &str, language: Language) -> Vec<Vec<String>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((at, open)) = rest.char_indices().find(|it| QUOTES.iter().any(|q| q.0 == it.1)) {
        let inner = &rest[at + open.len_utf8()..];
        let close = QUOTES.iter().find(|it| it.0 == open).map_or(open, |it| it.1);
        let Some(end) = inner.find(close) else { break };
        pieces.push(vec![inner[..end].trim().to_owned()]);
        rest = &inner[end + close.len_utf8()..];
    }
    let is_mark = |sign: char| match language {
        Language::Japanese => !sign.is_alphanumeric() && sign != 'ー',
        Language::English => !sign.is_ascii_alphabetic(),
    };
    for piece in text.split(is_mark).filter(|it| !it.is_empty()) {
        let mut ways = vec![piece.to_owned()];
        if language == Language::Japanese {
            let mut plain = piece;
            while let Some(stripped) =
                marks(BEFORE).find_map(|stripped| plain.strip_prefix(stripped))
            {
                plain = stripped;
            }
            ways.push(plain.to_owned());
            let bare = marks(BEHIND).find_map(|it| plain.strip_suffix(it));
            ways.extend(bare.map(str::to_owned));
        }
        pieces.push(ways);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_next_kana_after_small_long_and_marked_kana() {
        for (word, expected) in [
            ("りんご", "ごこ"),
            ("らっぱ", "ぱは"),
            ("だちょう", "う"),
            ("きんぎょ", "よ"),
            ("いしゃ", "や"),
            ("すきー", "きい"),
            ("れーだー", "だあた"),
            ("こーひー", "ひい"),
            ("うさぎ", "ぎき"),
            ("らいおん", "ん"),
            ("ー", ""),
            ("", ""),
        ] {
            assert_eq!(next_kana(word).iter().collect::<String>(), expected, "{word}");
        }
        assert_eq!(hiragana("ラッパとゴリラー桜"), "らっぱとごりらー桜");
        assert!(is_kana("すきー") && !is_kana("桜") && !is_kana("a"));
    }
}
