//! A sentence as it was heard: its words by the tables, what is quoted in it, and what is said no to.

use std::{cell::OnceCell, sync::LazyLock};

use jiff::civil::Date;

use super::{
    dates::{self, When},
    numbers::{self, Numbers},
    places::{Places, known},
    words::{PHRASES, Word},
};
use crate::planner::scan::{self, Lexicon};

/// The longest sentence that is read, in characters; what is behind is not.
pub(super) const CHARS_MAX: usize = 600;
/// How far a no may be from what it denies, in characters.
const REACH: usize = 14;
/// What stands in place of a quoted name while words are looked for.
pub(super) const MASK: char = '\u{fffc}';
/// Brackets and quotation marks that hold a name.
const QUOTES: [(char, char); 6] =
    [('「', '」'), ('『', '』'), ('"', '"'), ('“', '”'), ('【', '】'), ('《', '》')];

static WORDS: LazyLock<Lexicon<Word>> = LazyLock::new(|| Lexicon::loose(PHRASES));

/// A phrase that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) word: Word,
    /// Where it begins and ends, in characters.
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether the words around it say no to it.
    pub(super) is_denied: bool,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
}

/// A sentence as it was heard.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    /// As it was written, in one way of writing widths and spaces.
    pub(super) chars: Vec<char>,
    /// The same in lower case, with what is quoted masked.
    pub(super) lower: Vec<char>,
    pub(super) tokens: Vec<Token>,
    /// What is in quotation marks, without them.
    pub(super) quoted: Vec<Piece>,
    pub(super) when: When,
    pub(super) numbers: Numbers,
    /// Where places stand that are known by name.
    pub(super) spots: Vec<(usize, usize)>,
    /// Where wishes for a way stand.
    pub(super) wishes: Vec<(usize, usize)>,
    /// Places that are compared, once they are looked for.
    pub(super) compared: OnceCell<Option<Places>>,
    /// Of each character, whether it belongs to something that is known.
    known: Vec<bool>,
}

impl Heard {
    /// What is heard in `text` on the day `today`.
    pub(super) fn of(text: &str, today: Date) -> Self {
        let chars = clean(text);
        let mut lower: Vec<char> =
            chars.iter().map(|it| it.to_lowercase().next().unwrap_or(*it)).collect();
        let quoted = quoted(&chars);
        for piece in &quoted {
            lower[piece.from..piece.to].fill(MASK);
        }
        let when = dates::read(&lower, today);
        let numbers = numbers::read(&chars, &lower, &when.spans);
        let mut tokens = tokens(&lower);
        let spots = known::spots(&lower);
        // `新宿` has no lodging in it.
        let is_inside = |it: &Token| {
            it.word == Word::Elsewhere
                && spots.iter().any(|spot| spot.0 <= it.from && it.to <= spot.1)
        };
        tokens.retain(|it| !is_inside(it));
        let mut known = vec![false; lower.len()];
        let length = super::cinema::minutes(&lower).map(|it| it.1);
        let words = tokens.iter().map(|it| (it.from, it.to)).chain(length);
        let words = words.chain(super::cinema::rating(&lower).map(|it| it.1));
        let words = words.chain(super::cinema::superlatives(&lower));
        for (from, to) in words.chain(when.spans.iter().chain(&numbers.spans).copied()) {
            let to = to.min(known.len());
            known[from.min(to)..to].fill(true);
        }
        let text: String = lower.iter().collect();
        let is_word = |it: &(usize, usize)| {
            lower[it.0..it.1.min(lower.len())].iter().any(|it| it.is_alphanumeric())
        };
        let wishes = scan::spans(&text).into_iter().filter(is_word).collect();
        Self {
            chars,
            lower,
            tokens,
            quoted,
            when,
            numbers,
            spots,
            wishes,
            compared: OnceCell::new(),
            known,
        }
    }

    /// Whether one of `words` is there and not denied.
    pub(super) fn has(&self, words: &[Word]) -> bool {
        self.tokens.iter().any(|it| words.contains(&it.word) && !it.is_denied)
    }

    /// Whether one of `words` is there and denied.
    pub(super) fn denies(&self, words: &[Word]) -> bool {
        self.tokens.iter().any(|it| words.contains(&it.word) && it.is_denied)
    }

    /// The characters from `from` to `to`, as they were written.
    pub(super) fn piece(&self, from: usize, to: usize) -> Piece {
        let text = self.chars[from..to].iter().collect::<String>();
        Piece { from, to, text }
    }

    /// The whole sentence.
    pub(super) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// Whether it asks something: by its mark, by how it ends, or by the word that it begins with.
    pub(super) fn asks(&self) -> bool {
        const ENDS: &str =
            "ですか|ますか|っけ|だっけ|かな|のか|でしょうか|かしら|何|なに|どれ|どう";
        const BEGINS: &str =
            "what|which|when|where|who|how|is|are|do|does|did|has|have|any|was|were";
        let text: String = self.lower.iter().collect();
        let text = text.trim_end_matches(['。', ' ', '.', '!', '…']);
        let first = text.split([' ', '\'']).next().unwrap_or_default();
        text.ends_with('?')
            || marks(ENDS).any(|it| text.ends_with(it))
            || marks(BEGINS).any(|it| it == first)
    }

    /// Whether it asks for knowledge of the world, which no tool here has: who, why, how high; `is_sure`
    /// counts only what is no question of cards or ways either.
    pub(super) fn asks_the_world(&self, is_sure: bool) -> bool {
        const SURE: &str = "総理|首相|大統領|首都|人口|何歳|高さ|面積";
        const SURELY_BEGINS: &str = "why is|why are|why do|why does|who is the president|who is the prime|how old|how tall|how high|what is the capital|what's the capital|whats the capital";
        const JAPANESE: &str = "誰|だれ|なぜ|なんで|どうして|総理|首相|大統領|首都|人口|何歳|何年|何メートル|何人い|どこですか|高さ|面積|意味|とは何|とはなに";
        const BEGINS: &str = "who is|who's|whos|who was|who are|who wrote|who invented|who won|why|how old|how tall|how high|how big|how deep|how does|how do|how did|how many people|when did|when was|when were|where was|where is the|what year|what does|what is the|what's the|whats the|what was|what causes|how come|explain|define";
        const KNOWN: [Word; 9] = [
            Word::Film,
            Word::See,
            Word::About,
            Word::Card,
            Word::Theme,
            Word::Talks,
            Word::Agents,
            Word::Playing,
            Word::Show,
        ];
        let text: String = self.lower.iter().collect();
        let text = text.trim_start();
        let (japanese, begins) = if is_sure { (SURE, SURELY_BEGINS) } else { (JAPANESE, BEGINS) };
        let begins = marks(begins).any(|it| {
            text.strip_prefix(it)
                .is_some_and(|it| !it.starts_with(|it: char| it.is_ascii_alphanumeric()))
        });
        let is_world = begins || !text.is_ascii() && marks(japanese).any(|it| text.contains(it));
        is_world && self.quoted.is_empty() && !self.has(&KNOWN)
    }

    /// Whether of a form nothing is said but that it is wanted: neither that it is to be closed nor sent.
    pub(super) fn is_bare_form(&self) -> bool {
        const WANTED: &str = "作|つく|お願|おねが|くだ|下さ|頼|たの|用意|準備|欲|ほし|必要|要|いる|いり|くれ|もら|出し|表示|開|入力|使|取|とり|と|やり|やって|して|し|実施|設|組|考|書|記入|配|み|見|送りたい";
        const PARTICLES: [char; 3] = ['を', 'が', 'に'];
        let Some(form) = self.tokens.iter().rfind(|it| it.word == Word::Form) else { return false };
        let rest: String = self.lower[form.to..].iter().collect();
        const DONE: &str = "email|mail|e-mail|forward|print|close|delete|remove|stop|edit|change|rename|send|share|publish|archive|submit|export|copy|duplicate|move|lock|end|cancel|clear|reset|update";
        let text: String = self.lower.iter().collect();
        let text = text.trim_start_matches("please ").trim_start_matches("can you ");
        let first = text.split(' ').next().unwrap_or_default();
        if marks(DONE).any(|it| it == first) {
            return false;
        }
        match rest.strip_prefix(PARTICLES) {
            Some(rest) => rest.is_empty() || marks(WANTED).any(|it| rest.starts_with(it)),
            None => true,
        }
    }

    /// Whether it points to something that was said before, and names nothing.
    pub(super) fn points_back(&self) -> bool {
        const BACK: &str = "その映画|その作品|その席|その予約|その会話|その回|さっきの|that film|that movie|that one|that booking|that reservation|the same one";
        let text: String = self.lower.iter().collect();
        let names = || super::names::Names::title(self).is_some() || !self.numbers.ids.is_empty();
        marks(BACK).any(|it| text.contains(it)) && self.quoted.is_empty() && !names()
    }

    /// Whether it ends with leaving be what it is about: `やっぱり映画やめとく`.
    pub(super) fn gives_up(&self) -> bool {
        const ENDS: &str = "やっぱりしないで|やっぱりやめて|やっぱやめて|やっぱりいいです|やっぱりいいや|やっぱいいや|やっぱりいい|やっぱり大丈夫です|actually don't|actually, don't|actually no|actually, no|on second thought, no|nvm|やめとく|やめとくわ|やめとくよ|やめとこう|やめておく|やめておきます|やめときます|やめます|やめた|やめることにした|やめることにします|見送ります|見送る|遠慮します|遠慮しておきます|取らなくていい|取らなくて大丈夫";
        let text: String = self.lower.iter().collect();
        let text = text
            .trim_end_matches(['。', ' ', '.', '!', '…', '、', 'ね', 'よ', 'わ', 'な', '〜', '~']);
        marks(ENDS).any(|it| text.ends_with(it))
    }

    /// Whether it wants what goes on to end: `that's enough, end it`, `もう止めて`.
    pub(super) fn ends_it(&self) -> bool {
        const ENDS: &str = "that's enough|thats enough|that is enough|end it|stop it|stop them|end this|end the talk|call it off|cut it off|wrap it up|make them stop|もういいよ、止めて|もう止めて|もうやめさせて|そこまで|その辺で|終わらせて|切り上げ";
        let text: String = self.lower.iter().collect();
        marks(ENDS).any(|it| text.contains(it))
    }

    /// Whether it begins with an order for what nothing here does.
    pub(super) fn is_errand(&self) -> bool {
        const POLITE: &str = "please |can you |could you |would you |will you |hey |ok |i want you to |i need you to |go ahead and ";
        const VERBS: &str = "send|email|e-mail|mail|text|phone|call|order|buy|remind|translate|turn|write|pay|post|tweet|play|sing|install|download|upload|print|summarize|summarise|calculate|convert|solve|open|wake|deliver|ship";
        const JAPANESE: &str = "メールを送|メール送|メールして|メールを出|電話して|電話をかけ|電話かけ|lineを送|line送|ツイート|つぶやいて|投稿して|注文して|出前|配達して|翻訳して|計算して|要約して|再生して|流して|歌って|起こして|通知して";
        let text: String = self.lower.iter().collect();
        if marks(JAPANESE).any(|it| text.contains(it)) {
            return true;
        }
        let mut rest = text.trim_start();
        while let Some(it) = marks(POLITE).find_map(|it| rest.strip_prefix(it)) {
            rest = it;
        }
        let first = rest.split([' ', ',', '.', '!']).next().unwrap_or_default();
        marks(VERBS).any(|it| it == first)
    }

    /// Whether the character at `at` belongs to a word, a date or a number that is known.
    pub(super) fn is_known(&self, at: usize) -> bool {
        self.known.get(at).copied().unwrap_or(false)
    }
}

/// What the tables find, from left to right, the longest at each place.
fn tokens(lower: &[char]) -> Vec<Token> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < lower.len() {
        match WORDS.at(lower, at) {
            Some((word, length)) => {
                tokens.push(Token { word, from: at, to: at + length, is_denied: false });
                at += length;
            }
            None => at += 1,
        }
    }
    for token in &mut tokens {
        // `ください` asks for a thing, `教えてください` for the deed before it.
        let before = token.from.checked_sub(1).map(|it| lower[it]);
        let is_polite = lower[token.from] == 'く' || lower[token.from] == '下';
        if token.word == Word::Want && is_polite && matches!(before, Some('て' | 'で')) {
            token.word = Word::Filler;
        }
    }
    let denied: Vec<_> = (0..tokens.len()).map(|it| is_denied(lower, &tokens, it)).collect();
    for (token, is_denied) in tokens.iter_mut().zip(denied) {
        token.is_denied = is_denied;
    }
    tokens
}

/// Words that name a deed; a no belongs to the nearest of them.
const DEEDS: &[Word] = &[
    Word::Reserve,
    Word::Make,
    Word::Compose,
    Word::Form,
    Word::Thumbnail,
    Word::Show,
    Word::Record,
    Word::Converse,
    Word::Chain,
    Word::Cancel,
];

/// Whether a no denies the deed at `at`: the nearest one behind it in Japanese, before it in English.
fn is_denied(lower: &[char], tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    if !DEEDS.contains(&token.word) {
        return false;
    }
    let is_no = |it: &Token| matches!(it.word, Word::Not);
    let is_end = |it: &Token| it.word == Word::Stop;
    if lower[token.from].is_ascii() {
        let begin = token.from.saturating_sub(3);
        let is_none =
            lower[begin..token.from] == ['n', 'o', ' '] && (begin == 0 || lower[begin - 1] == ' ');
        if is_none && token.word == Word::Reserve {
            return true;
        }
        let before = tokens[..at].iter().rev();
        let mut near = before
            .take_while(|it| !is_end(it) && it.word != Word::Pause && it.to + REACH >= token.from);
        return near.any(|it| is_no(it) && lower[it.from].is_ascii());
    }
    let behind = tokens[at + 1..].iter();
    let mut near = behind.take_while(|it| {
        let is_other = DEEDS.contains(&it.word) && it.from > token.to + 2;
        !is_end(it) && it.word != Word::Pause && !is_other && it.from <= token.to + REACH
    });
    near.any(|it| is_no(it) && !lower[it.from].is_ascii())
}

/// The phrases of a table, with `|` between them.
pub(super) fn marks(table: &'static str) -> impl Iterator<Item = &'static str> + Clone {
    table.split('|')
}

/// In one way of writing: ASCII where there is a wide form of it, one space at a time.
pub(super) fn clean(text: &str) -> Vec<char> {
    let mut chars: Vec<char> = Vec::new();
    for it in text.trim().chars().take(CHARS_MAX) {
        let it = match it {
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(it) - 0xff01 + 0x21).unwrap_or(it),
            '’' | '‘' => '\'',
            it if it.is_whitespace() && it != '\n' => ' ',
            it => it,
        };
        if it != ' ' || chars.last().is_some_and(|it| *it != ' ') {
            chars.push(it);
        }
    }
    chars
}

/// The longest name in single quotation marks, which are apostrophes as well.
const SINGLE_MAX: usize = 60;

/// Where a name in single quotation marks that begin at `at` ends.
fn single(chars: &[char], at: usize) -> Option<usize> {
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
        if let Some(length) = single(chars, at) {
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
