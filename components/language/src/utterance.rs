//! Parses a sentence: known words, quotations, and denials.

use jiff::civil::Date;

use crate::{
    clock::starts,
    dates::{self, When},
    numbers::{self, Numbers},
    scan::{self, QUOTES, distance, marks, spaced},
    vocabulary::Vocabulary,
    words::{PHRASES, Word},
};

/// Maximum length of a parsed sentence, in characters; the rest is ignored.
pub const CHARS_MAX: usize = 600;
/// Maximum distance of a denial from its action, in characters.
const REACH: usize = 14;
/// Placeholder for a quoted name while words are found.
pub const MASK: char = '\u{fffc}';

/// A phrase in a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// Its meaning.
    pub word: Word,
    /// Start, in characters.
    pub from: usize,
    /// End, in characters.
    pub to: usize,
    /// Whether the words around it deny it.
    pub is_denied: bool,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Start, in characters.
    pub from: usize,
    /// End, in characters.
    pub to: usize,
    /// Text as written.
    pub text: String,
}

/// A parsed sentence.
#[derive(Clone, Debug)]
pub struct Utterance {
    /// Text with normalized widths and spaces.
    pub chars: Vec<char>,
    /// Lowercase text with masked quotations.
    pub lower: Vec<char>,
    /// Known words.
    pub tokens: Vec<Token>,
    /// Quotations, without their marks.
    pub quoted: Vec<Piece>,
    /// Date and hours.
    pub when: When,
    /// Counts and identifiers.
    pub numbers: Numbers,
    /// Vocabulary of the family.
    pub(crate) vocabulary: &'static Vocabulary,
    /// For each character, whether it belongs to something known.
    known: Vec<bool>,
}

impl Utterance {
    /// Parses `text` on the day `today`.
    pub fn parse(text: &str, today: Date, vocabulary: &'static Vocabulary) -> Self {
        let chars = clean(text);
        let mut lower: Vec<char> =
            chars.iter().map(|it| it.to_lowercase().next().unwrap_or(*it)).collect();
        let quoted = quoted(&chars);
        for piece in &quoted {
            lower[piece.from..piece.to].fill(MASK);
        }
        let when = dates::read(&lower, today);
        let numbers = numbers::read(&chars, &lower, &when.spans, vocabulary);
        let mut tokens = match mistyped(&lower) {
            Some(word) => vec![Token { word, from: 0, to: lower.len(), is_denied: false }],
            None => tokens(&lower, vocabulary),
        };
        let spans = (vocabulary.spans)(&lower);
        drop_tokens(&mut tokens, &spans);
        let mut known = vec![false; lower.len()];
        let words = tokens.iter().map(|it| (it.from, it.to)).chain(spans);
        for (from, to) in words.chain(when.spans.iter().chain(&numbers.spans).copied()) {
            let to = to.min(known.len());
            known[from.min(to)..to].fill(true);
        }
        Self { chars, lower, tokens, quoted, when, numbers, vocabulary, known }
    }

    /// Marks `spans` as the family's own, dropping other families' words there.
    pub fn claim(&mut self, spans: &[(usize, usize)]) {
        drop_tokens(&mut self.tokens, spans);
    }

    /// Whether one of `words` is present and not denied.
    pub fn has(&self, words: &[Word]) -> bool {
        self.tokens.iter().any(|it| words.contains(&it.word) && !it.is_denied)
    }

    /// Whether one of `words` is present and denied.
    pub fn denies(&self, words: &[Word]) -> bool {
        self.tokens.iter().any(|it| words.contains(&it.word) && it.is_denied)
    }

    /// Returns the characters from `from` to `to` as written.
    pub fn piece(&self, from: usize, to: usize) -> Piece {
        let text = self.chars[from..to].iter().collect::<String>();
        Piece { from, to, text }
    }

    /// Returns the whole sentence.
    pub fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// Whether it is a question, by its mark, ending or first word.
    pub fn asks(&self) -> bool {
        const ENDS: &str =
            "ですか|ますか|っけ|だっけ|かな|のか|でしょうか|かしら|何|なに|どれ|どっち|どちら|どう";
        const BEGINS: &str =
            "what|which|when|where|who|how|is|are|do|does|did|has|have|any|was|were";
        let text: String = self.lower.iter().collect();
        let text = text.trim_end_matches(['。', ' ', '.', '!', '…']);
        let first = text.split([' ', '\'']).next().unwrap_or_default();
        text.ends_with('?')
            || marks(ENDS).any(|it| text.ends_with(it))
            || marks(BEGINS).any(|it| it == first)
    }

    /// Whether it asks for general knowledge, which no tool has: who, why, how high. With `is_sure`, only
    /// if it cannot be about a family's things; `known` are words for those.
    pub fn is_general_question(&self, is_sure: bool, known: &[Word]) -> bool {
        const SURE: &str = "総理|首相|大統領|首都|人口|何歳|高さ|面積";
        const SURELY_BEGINS: &str = "why is|why are|why do|why does|who is the president|who is the prime|how old|how tall|how high|what is the capital|what's the capital|whats the capital";
        const JAPANESE: &str = "誰|だれ|なぜ|なんで|どうして|総理|首相|大統領|首都|人口|何歳|何年|何メートル|何人い|どこですか|高さ|面積|意味|とは何|とはなに";
        const BEGINS: &str = "who is|who's|whos|who was|who are|who wrote|who invented|who won|why|how old|how tall|how high|how big|how deep|how does|how do|how did|how many people|when did|when was|when were|where was|where is the|what year|what does|what is the|what's the|whats the|what was|what causes|how come|explain|define";
        // `首都高` is a motorway.
        let text = self.lower.iter().collect::<String>().replace("首都高", "");
        let text = text.trim_start();
        let (japanese, begins) = if is_sure { (SURE, SURELY_BEGINS) } else { (JAPANESE, BEGINS) };
        let is_world = scan::begins(text, begins).is_some()
            || !text.is_ascii() && marks(japanese).any(|it| text.contains(it));
        is_world
            && self.quoted.is_empty()
            && !self.has(&[Word::SHOW, Word::THEIRS])
            && !self.has(known)
    }

    /// Whether it refers to an earlier subject without naming it.
    pub fn points_back(&self) -> bool {
        const BACK: &str = "その|that ";
        const ALONE: &str = "さっきの|that one|the same one";
        let text: String = self.lower.iter().collect();
        let is_noun = |it: &Token| self.is_noun(it.word) || it.word == Word::THEIR_ACTION;
        let is_before = |token: &Token| {
            let before: String = self.lower[..token.from].iter().collect();
            marks(BACK).any(|mark| before.ends_with(mark))
        };
        let is_pointing = marks(ALONE).any(|it| text.contains(it))
            || self.tokens.iter().any(|it| is_noun(it) && is_before(it));
        is_pointing && self.quoted.is_empty() && self.numbers.ids.is_empty()
    }

    /// Whether a word is a noun of this family or another.
    pub fn is_noun(&self, word: Word) -> bool {
        word == Word::THEIRS || self.vocabulary.nouns.contains(&word)
    }

    /// Whether it ends with a withdrawal: `やっぱり映画やめとく`.
    pub fn withdraws(&self) -> bool {
        const ENDS: &str = "やっぱりしないで|やっぱりやめて|やっぱやめて|やっぱりいいです|やっぱりいいや|やっぱいいや|やっぱりいい|やっぱり大丈夫です|actually don't|actually, don't|actually no|actually, no|on second thought, no|nvm|やめとく|やめとくわ|やめとくよ|やめとこう|やめておく|やめておきます|やめときます|やめます|やめた|やめることにした|やめることにします|見送ります|見送る|遠慮します|遠慮しておきます|取らなくていい|取らなくて大丈夫";
        let text: String = self.lower.iter().collect();
        let text = text
            .trim_end_matches(['。', ' ', '.', '!', '…', '、', 'ね', 'よ', 'わ', 'な', '〜', '~']);
        marks(ENDS).any(|it| text.ends_with(it))
    }

    /// Whether it orders an unsupported errand: in English at its beginning, in Japanese anywhere.
    pub fn is_errand(&self) -> bool {
        const POLITE: &str = "please |can you |could you |would you |will you |hey |ok |i want you to |i need you to |go ahead and ";
        const VERBS: &str = "send|email|e-mail|mail|text|phone|call|order|buy|remind|translate|turn|write|pay|post|tweet|play|sing|install|download|upload|print|summarize|summarise|calculate|convert|solve|open|wake|deliver|ship";
        const JAPANESE: &str = "メールを送|メール送|メールして|メールを出|電話して|電話をかけ|電話かけ|lineを送|line送|ツイート|つぶやいて|投稿して|注文して|出前|配達して|翻訳して|計算して|要約して|再生して|流して|歌って|起こして|通知して";
        let text: String = self.lower.iter().collect();
        if marks(JAPANESE).any(|it| text.contains(it)) {
            return true;
        }
        let mut rest = text.trim_start();
        while let Some(tail) = marks(POLITE).find_map(|it| rest.strip_prefix(it)) {
            rest = tail;
        }
        let first = rest.split([' ', ',', '.', '!']).next().unwrap_or_default();
        marks(VERBS).any(|it| it == first)
    }

    /// Whether the character at `at` belongs to a known word, date or number.
    pub fn is_known(&self, at: usize) -> bool {
        self.known.get(at).copied().unwrap_or(false)
    }

    /// Position of `what` from `from` on.
    pub fn find(&self, what: &str, from: usize) -> Option<usize> {
        (from..self.lower.len()).find(|it| self.is_at(what, *it))
    }

    /// Position of `what` as a whole word.
    pub fn find_word(&self, what: &str, from: usize) -> Option<usize> {
        (from..self.lower.len()).find(|it| self.is_at(what, *it) && self.is_word(*it, what))
    }

    /// First phrase of `table` with its length; the longer one at the same position.
    pub fn first(&self, table: &'static str, from: usize) -> Option<(usize, usize)> {
        let found = marks(table).filter_map(|it| Some((self.find(it, from)?, it.chars().count())));
        found.min_by_key(|it| (it.0, usize::MAX - it.1))
    }

    /// Whether it contains a phrase of `table`; Latin phrases are whole words.
    pub fn says(&self, table: &'static str) -> bool {
        let is_letter = |it: Option<&char>| it.is_some_and(char::is_ascii_alphanumeric);
        let is_whole = |mark: &str, at: usize| {
            let end = self.lower.get(at + mark.chars().count());
            !is_letter(at.checked_sub(1).and_then(|it| self.lower.get(it)))
                && (mark.ends_with(' ') || !is_letter(end))
        };
        marks(table).any(|mark| {
            (0..self.lower.len())
                .any(|at| self.is_at(mark, at) && (!mark.is_ascii() || is_whole(mark, at)))
        })
    }

    /// Whether `what` at `at` is a whole word.
    pub fn is_word(&self, at: usize, what: &str) -> bool {
        let is_letter =
            |it: Option<&char>| it.is_some_and(|it| it.is_ascii_alphanumeric() || *it == '-');
        let before = at.checked_sub(1).and_then(|it| self.lower.get(it));
        !is_letter(before) && !is_letter(self.lower.get(at + what.chars().count()))
    }

    /// Whether `what` is at `at`.
    pub fn is_at(&self, what: &str, at: usize) -> bool {
        starts(&self.lower[at.min(self.lower.len())..], what)
    }

    /// Whether `what` is at `at` in the original text, including quotations and case.
    pub fn is_at_raw(&self, what: &str, at: usize) -> bool {
        starts(&self.chars[at.min(self.chars.len())..], what)
    }
}

/// The greeting or thanks that the whole sentence is but for one typo: `helo`, `こんちには`.
fn mistyped(lower: &[char]) -> Option<Word> {
    const CHARS_MIN: usize = 4;
    let text: String = lower.iter().collect();
    let text: Vec<char> = text.trim_matches(|it: char| !it.is_alphanumeric()).chars().collect();
    let is_near = |phrase: &[char]| {
        // Two neighbours that are exchanged are one typo.
        let is_exchanged = || {
            let differ: Vec<_> = (0..text.len()).filter(|it| text[*it] != phrase[*it]).collect();
            matches!(differ[..], [one, other] if one + 1 == other
                && text[one] == phrase[other] && text[other] == phrase[one])
        };
        phrase.len() >= CHARS_MIN
            && text.first() == phrase.first()
            && (distance(&text, phrase) == 1 || text.len() == phrase.len() && is_exchanged())
    };
    let polite = PHRASES.iter().filter(|it| [Word::GREETING, Word::THANKS].contains(&it.0));
    let mut phrases = polite.flat_map(|it| marks(it.1).map(|phrase| (it.0, phrase)));
    let is_exact = phrases.clone().any(|it| it.1.chars().eq(text.iter().copied()));
    phrases.find(|it| !is_exact && is_near(&it.1.chars().collect::<Vec<_>>())).map(|it| it.0)
}

/// Finds known words from left to right, the longest at each position.
fn tokens(lower: &[char], vocabulary: &'static Vocabulary) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    let [own, theirs] = vocabulary.lexicons();
    while at < lower.len() {
        let both = [theirs.at(lower, at), own.at(lower, at)];
        match both.into_iter().flatten().max_by_key(|it| it.1) {
            Some((word, length)) => {
                tokens.push(Token { word, from: at, to: at + length, is_denied: false });
                at += length;
            }
            None => at += 1,
        }
    }
    for token in &mut tokens {
        // `ください` asks for a thing, `教えてください` for the action before it.
        let before = token.from.checked_sub(1).map(|it| lower[it]);
        let is_polite = lower[token.from] == 'く' || lower[token.from] == '下';
        if token.word == Word::WANT && is_polite && matches!(before, Some('て' | 'で')) {
            token.word = Word::FILLER;
        }
    }
    let denied: Vec<_> =
        (0..tokens.len()).map(|it| is_denied(lower, &tokens, it, vocabulary)).collect();
    for (token, is_denied) in tokens.iter_mut().zip(denied) {
        token.is_denied = is_denied;
    }
    tokens
}

/// Drops other families' words within `spans`.
fn drop_tokens(tokens: &mut Vec<Token>, spans: &[(usize, usize)]) {
    let is_theirs = |it: Word| [Word::THEIRS, Word::THEIR_ACTION, Word::THEIR_WORD].contains(&it);
    let is_inside = |it: &Token| spans.iter().any(|span| span.0 <= it.from && it.to <= span.1);
    tokens.retain(|it| !is_theirs(it.word) || !is_inside(it));
}

/// Actions of every family; a denial belongs to the nearest action.
const ACTIONS: &[Word] = &[Word::MAKE, Word::SHOW, Word::CANCEL, Word::THEIR_ACTION];

/// Whether the action at `at` is denied: by the nearest denial after it in Japanese, before it in English.
fn is_denied(lower: &[char], tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let token = &tokens[at];
    let is_action = |word: Word| ACTIONS.contains(&word) || vocabulary.actions.contains(&word);
    // Another family's things may be denied as well.
    if !is_action(token.word) && token.word != Word::THEIRS {
        return false;
    }
    let is_no = |it: &Token| it.word == Word::NOT;
    let is_end = |it: &Token| it.word == Word::STOP;
    if lower[token.from].is_ascii() {
        let begin = token.from.saturating_sub(3);
        let is_none =
            lower[begin..token.from] == ['n', 'o', ' '] && (begin == 0 || lower[begin - 1] == ' ');
        if is_none && vocabulary.actions.contains(&token.word) {
            return true;
        }
        let before = tokens[..at].iter().rev();
        let mut near = before
            .take_while(|it| !is_end(it) && it.word != Word::PAUSE && it.to + REACH >= token.from);
        return near.any(|it| is_no(it) && lower[it.from].is_ascii());
    }
    let behind = tokens[at + 1..].iter();
    let mut near = behind.take_while(|next| {
        let is_other = is_action(next.word) && next.from > token.to + 2;
        !is_end(next) && next.word != Word::PAUSE && !is_other && next.from <= token.to + REACH
    });
    near.any(|it| is_no(it) && !lower[it.from].is_ascii())
}

/// Normalizes width and spaces.
pub fn clean(text: &str) -> Vec<char> {
    spaced(text.trim().chars().take(CHARS_MAX))
}

/// Maximum length of a name in single quotation marks, which are apostrophes as well.
const SINGLE_MAX: usize = 60;

/// End of the name in single quotation marks at `at`.
fn single_quote_end(chars: &[char], at: usize) -> Option<usize> {
    let is_letter = |it: Option<&char>| it.is_some_and(|it| it.is_alphanumeric());
    if chars[at] != '\'' || is_letter(at.checked_sub(1).and_then(|it| chars.get(it))) {
        return None;
    }
    let rest = &chars[at + 1..chars.len().min(at + 1 + SINGLE_MAX)];
    let ends = |it: usize| rest[it] == '\'' && !is_letter(chars.get(at + 1 + it + 1));
    (1..rest.len()).find(|it| ends(*it))
}

fn quoted(chars: &[char]) -> Vec<Piece> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        if let Some(length) = single_quote_end(chars, at) {
            pieces.push(Piece {
                from: at + 1,
                to: at + 1 + length,
                text: chars[at + 1..at + 1 + length].iter().collect(),
            });
            at += length + 2;
            continue;
        }
        let close = QUOTES.iter().find(|it| it.0 == chars[at]).map(|it| it.1);
        let end = close.and_then(|close| chars[at + 1..].iter().position(|it| *it == close));
        match end {
            Some(length) if length > 0 => {
                let (from, to) = (at + 1, at + 1 + length);
                pieces.push(Piece { from, to, text: chars[from..to].iter().collect() });
                at = to + 1;
            }
            _ => at += 1,
        }
    }
    pieces
}
