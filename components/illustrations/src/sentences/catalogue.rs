//! The names of themes and cards that the host passes for a turn, and known themes and cards in a sentence: by name,
//! colour or mood, and candidates for unknown names by the words around them.

use std::{
    cell::Cell,
    hash::{DefaultHasher, Hash, Hasher},
};

use language::{
    Language,
    name_pieces::{is_hiragana, is_name_char},
    scan::{Lexicon, distance, hiragana, marks},
    utterance::{MASK, Piece, Token},
    words::Word,
};
use toolkit::dialogue::Name;

use super::{rules, sentence::Sentence};

/// A known card.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Card {
    /// The Japanese name of its theme; empty without a theme.
    pub(super) theme: &'static str,
    pub(super) japanese: &'static str,
    pub(super) english: &'static str,
    /// Names that count in any sentence.
    pub(super) names: Vec<String>,
    /// Motifs, which count in sentences about cards.
    pub(super) motifs: Vec<String>,
}

/// A card in a sentence.
#[derive(Clone, Debug)]
pub(super) struct Spotted {
    pub(super) card: &'static Card,
    pub(super) piece: Piece,
    /// Further places where it is named.
    pub(super) also: Vec<Piece>,
    /// Whether it is named, rather than a motif of it.
    pub(super) is_name: bool,
}

/// Minimum length of a kana name that may be written in hiragana: `るな` and `ゆき` are other words.
const KANA_MIN: usize = 3;

/// Returns the card with exactly this name.
pub(super) fn card_of(name: &str) -> Option<&'static Card> {
    let lower = name.trim().to_lowercase();
    known_names().cards.iter().find(|card| {
        let own = [card.japanese, card.english].iter().any(|it| it.to_lowercase() == lower);
        let called = card.english.to_lowercase().split(',').next() == Some(lower.as_str());
        own || called || card.names.contains(&lower)
    })
}

/// Returns all phrases for cards, the longest first, and whether each is a name.
pub(super) fn phrases(cards: &'static [Card]) -> Vec<(&'static Card, String, bool)> {
    let mut phrases = Vec::new();
    for card in cards {
        let english = card.english.to_lowercase();
        let full = [card.japanese.to_lowercase(), english.replace(',', ""), english];
        phrases.extend(full.into_iter().chain(card.names.clone()).map(|it| (card, it, true)));
        phrases.extend(card.motifs.iter().map(|it| (card, it.clone(), false)));
    }
    // The longest match counts.
    phrases.sort_by_key(|it| std::cmp::Reverse(it.1.chars().count()));
    phrases
}

fn is_katakana(sign: &char) -> bool {
    matches!(sign, '\u{30a1}'..='\u{30fa}' | 'ー')
}

fn is_kanji(sign: &char) -> bool {
    matches!(sign, '\u{4e00}'..='\u{9fff}')
}

impl Sentence {
    /// Returns the named cards in order; motifs count `with_motifs`.
    pub(super) fn spotted(&self, with_motifs: bool) -> Vec<Spotted> {
        let mut spotted = Vec::<Spotted>::new();
        let mut at = 0;
        while at < self.lower.len() {
            if self.lower[at] == MASK {
                at += 1;
                continue;
            }
            let longest = known_names().phrases.iter().find(|(_, phrase, is_name)| {
                (with_motifs || *is_name) && self.has_name_at(phrase, at, *is_name)
            });
            let Some((card, phrase, is_name)) = longest else {
                at += 1;
                continue;
            };
            let to = at + phrase.chars().count();
            let piece = self.piece(at, to);
            match spotted.iter_mut().find(|it| it.card == *card) {
                Some(it) => it.also.push(piece),
                None => {
                    spotted.push(Spotted { card, piece, also: Vec::new(), is_name: *is_name });
                }
            }
            at = to;
        }
        self.without_partial(spotted)
    }

    /// Removes cards within longer names: `Volcano Dragon` and `Dark Luna` are other names.
    fn without_partial(&self, spotted: Vec<Spotted>) -> Vec<Spotted> {
        let runs = self.capitalized_names();
        let spans: Vec<_> = spotted.iter().map(|it| (it.piece.from, it.piece.to)).collect();
        let is_named = |at: usize| spans.iter().any(|it| (it.0..it.1).contains(&at));
        let is_larger = |card: &Spotted| {
            let is_run = |run: &Piece| {
                run.from <= card.piece.from
                    && card.piece.to <= run.to
                    && (run.from..run.to).any(|at| {
                        !(card.piece.from..card.piece.to).contains(&at)
                            && self.chars[at].is_ascii_alphanumeric()
                            && !self.chars[..at].ends_with(&['\''])
                            && !self.is_known(at)
                            && !is_named(at)
                            && !self.in_theme(at)
                    })
            };
            // `ルナ・ノクス` has two names, `ルナ・パーク` is another one.
            let is_joined =
                |joint: usize, next: usize| self.chars.get(joint) == Some(&'・') && !is_named(next);
            let before = card.piece.from.checked_sub(2).is_some_and(|at| is_joined(at + 1, at));
            before || is_joined(card.piece.to, card.piece.to + 1) || runs.iter().any(is_run)
        };
        spotted.into_iter().filter(|it| !is_larger(it)).collect()
    }

    /// Whether the character at `at` is within a theme's name.
    fn in_theme(&self, at: usize) -> bool {
        (at.saturating_sub(24)..=at)
            .any(|from| theme(&self.lower, from).is_some_and(|it| from + it.1 > at))
    }

    /// Whether `phrase` is at `at` as a whole name.
    fn has_name_at(&self, phrase: &str, at: usize, is_name: bool) -> bool {
        let mut length = 0;
        for sign in phrase.chars() {
            if self
                .lower
                .get(at + length)
                .is_none_or(|written| hiragana(*written) != hiragana(sign))
            {
                return false;
            }
            length += 1;
        }
        if length == 0 {
            return false;
        }
        let (from, to) = (at, at + length);
        let first = self.lower[from];
        let before = from.checked_sub(1).and_then(|it| self.lower.get(it));
        let after = self.lower.get(to);
        if phrase.is_ascii() {
            let is_letter = |it: Option<&char>| it.is_some_and(char::is_ascii_alphanumeric);
            // `train's` and `cats` count as `train` and `cat`.
            return !is_letter(before) && !is_letter(after);
        }
        let written = &self.lower[from..to];
        let is_hiragana = |it: &char| matches!(it, '\u{3041}'..='\u{3096}');
        let is_kana = phrase.chars().all(|it| is_katakana(&it));
        if is_kana && written.iter().all(is_hiragana) && (length < KANA_MIN || !is_name) {
            return false;
        }
        if is_katakana(&first) && before.is_some_and(is_katakana)
            || is_katakana(&written[length - 1]) && after.is_some_and(is_katakana)
        {
            return false;
        }
        // A motif is a whole word: neither `桜木町` nor `桜っぽい`.
        let rest: String = self.lower[to..].iter().take(3).collect();
        const LIKE: [&str; 6] = ["っぽ", "ぽい", "みたい", "風", "系", "ちゃ"];
        let is_like = LIKE.iter().any(|it| rest.starts_with(it)) && !rest.starts_with("ちゃん");
        // `黄金王朝` is no `黄金王`.
        let is_longer = is_kanji(&written[length - 1])
            && after.is_some_and(|it| is_kanji(it) && !"対戦絵版風系達等入".contains(*it));
        let is_within = is_kanji(&first) && before.is_some_and(is_kanji)
            || is_kanji(&written[length - 1]) && after.is_some_and(is_kanji);
        !is_longer && (is_name || !is_within && !is_like)
    }
}

/// The kinds of names used here.
const KINDS: [&str; 2] = ["theme", "card"];

/// All names, prepared for searches.
pub(super) struct KnownNames {
    /// Themes with their names in lower case.
    pub(super) themes: Vec<(Theme, Vec<String>)>,
    pub(super) theme_words: Lexicon<Theme>,
    pub(super) mood_words: Lexicon<Theme>,
    /// Colours of a single character.
    pub(super) colours: Vec<(char, Theme)>,
    pub(super) cards: &'static [Card],
    pub(super) phrases: Vec<(&'static Card, String, bool)>,
}

thread_local! {
    /// The names received last, with their hash.
    static KNOWN: Cell<Option<(u64, &'static KnownNames)>> = const { Cell::new(None) };
}

/// Returns the current names; they are empty before any were received.
pub(super) fn known_names() -> &'static KnownNames {
    match KNOWN.get() {
        Some((_, known_names)) => known_names,
        None => set_known_names(&[]),
    }
}

/// Replaces the current names.
pub(super) fn set_known_names(names: &[Name]) -> &'static KnownNames {
    let names = names.iter().filter(|it| KINDS.contains(&it.kind.as_str()));
    let mut hasher = DefaultHasher::new();
    for name in names.clone() {
        (&name.kind, &name.name, &name.english, &name.within, &name.also, &name.hints, &name.moods)
            .hash(&mut hasher);
    }
    let hash = hasher.finish();
    match KNOWN.get().filter(|it| it.0 == hash) {
        Some((_, known_names)) => known_names,
        None => {
            let known_names = leak(KnownNames::of(names));
            KNOWN.set(Some((hash, known_names)));
            known_names
        }
    }
}

/// Leaks a value for the lifetime of the component's instance, which ends with the turn.
fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn leak_text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl KnownNames {
    fn of<'a>(names: impl Iterator<Item = &'a Name>) -> Self {
        let lower = |all: &[String]| all.iter().map(|it| it.to_lowercase()).collect::<Vec<_>>();
        let (mut themes, mut cards) = (Vec::new(), Vec::new());
        let (mut words, mut moods, mut colours) = (Vec::new(), Vec::new(), Vec::new());
        for name in names {
            let japanese = leak_text(&name.name);
            let english = name.english.as_deref().map_or(japanese, leak_text);
            match name.kind.as_str() {
                "theme" => {
                    let theme = Theme { japanese, english, is_name: true };
                    let mut named = vec![japanese.to_lowercase(), english.to_lowercase()];
                    named.extend(lower(&name.also));
                    let (signs, hints): (Vec<_>, Vec<_>) =
                        lower(&name.hints).into_iter().partition(|it| it.chars().count() == 1);
                    let hinted = Theme { is_name: false, ..theme };
                    colours
                        .extend(signs.iter().filter_map(|it| Some((it.chars().next()?, hinted))));
                    words.extend(named.iter().map(|it| (theme, it.clone())));
                    words.extend(hints.into_iter().map(|it| (hinted, it)));
                    moods.extend(lower(&name.moods).into_iter().map(|it| (theme, it)));
                    themes.push((theme, named));
                }
                "card" => cards.push(Card {
                    theme: name.within.as_deref().map_or("", leak_text),
                    japanese,
                    english,
                    names: lower(&name.also),
                    motifs: lower(&name.hints),
                }),
                _ => {}
            }
        }
        let cards = leak(cards).as_slice();
        Self {
            themes,
            theme_words: Lexicon::loose(&words),
            mood_words: Lexicon::new(&moods),
            colours,
            cards,
            phrases: phrases(cards),
        }
    }
}

/// Returns the moods and motifs in a sentence, with their themes and ranges.
pub(super) fn moods(lower: &[char]) -> Vec<(Theme, usize, usize)> {
    let words = &known_names().mood_words;
    let found = |at| words.at(lower, at).map(|(theme, length)| (theme, at, at + length));
    (0..lower.len()).filter_map(found).collect()
}

/// Returns the theme at `at`, by its name or a hint.
pub(super) fn theme(lower: &[char], at: usize) -> Option<(Theme, usize)> {
    known_names().theme_words.at(lower, at)
}

/// Returns the theme of the single-character colour at `at`: neither `面白い` nor `赤坂` has one.
pub(super) fn colour(lower: &[char], at: usize) -> Option<Theme> {
    let theme = known_names().colours.iter().find(|it| it.0 == lower[at])?.1;
    let is_kanji = |it: Option<&char>| it.is_some_and(|it| matches!(it, '\u{4e00}'..='\u{9fff}'));
    let before = at.checked_sub(1).and_then(|it| lower.get(it));
    let rest: String = lower[at + 1..].iter().take(3).collect();
    // `全部赤で`.
    let is_behind_all = lower[..at].ends_with(&['全', '部']);
    let is_alone = (is_behind_all || !is_kanji(before))
        && !matches!(before, Some('お' | '('))
        && !is_kanji(lower.get(at + 1));
    const BEHIND: &str = "テーマ|で|に|と|っぽ|、|い|を|が|な|から|は|も|だけ";
    // `金2枚と緑三枚`.
    let is_number = |it: char| it.is_ascii_digit() || "一二三四五六七八九十".contains(it);
    // `赤以外のカード`.
    let is_out = !is_kanji(before) && ["以外", "抜き"].iter().any(|it| rest.starts_with(it));
    let is_counted = is_out
        || (is_behind_all || !is_kanji(before))
            && rest.trim_start_matches(is_number).starts_with('枚');
    let is_colour =
        is_counted || is_alone && (rest.is_empty() || marks(BEHIND).any(|it| rest.starts_with(it)));
    is_colour.then_some(theme)
}

/// Returns the names of all known themes.
pub(super) fn theme_names(language: Language) -> Vec<&'static str> {
    known_names().themes.iter().map(|it| language.pick(it.0.japanese, it.0.english)).collect()
}

/// Returns the name of a theme or a card in `language`, if it is known.
pub(super) fn name_in(name: &str, language: Language) -> String {
    let theme = known_names().themes.iter().map(|it| it.0).find(|it| it.japanese == name);
    let theme = theme.map(|it| (it.japanese, it.english));
    let card = || card_of(name).map(|it| (it.japanese, it.english));
    theme.or_else(card).map_or(name, |it| language.pick(it.0, it.1)).to_owned()
}

/// Returns the number of cards of a theme.
pub(super) fn cards_of(theme: &str) -> usize {
    known_names()
        .themes
        .iter()
        .filter(|it| it.0.japanese == theme || it.0.english == theme)
        .map(|it| known_names().cards.iter().filter(|card| card.theme == it.0.japanese).count())
        .sum()
}

/// Returns a theme and two cards of different themes for examples, or generic words where there are none.
pub(super) fn samples(language: Language) -> (&'static str, [&'static str; 2]) {
    let themes = theme_names(language);
    let theme = themes.first().copied().unwrap_or(language.pick("テーマの名前", "name of a theme"));
    let cards = known_names().cards;
    let name = |it: &'static Card| language.pick(it.japanese, it.english);
    let first = cards.first();
    let second = cards.iter().find(|it| first.is_some_and(|first| first.theme != it.theme));
    let [one, other] =
        [language.pick("カードの名前", "one card"), language.pick("もう1枚の名前", "another")];
    (theme, [first.map_or(one, name), second.map_or(other, name)])
}

/// Number of allowed typos in a theme's name, per number of its characters.
const SLIPS: (usize, usize) = (1, 4);
const SLIPS_MAX: usize = 2;

/// A known theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) japanese: &'static str,
    pub(super) english: &'static str,
    /// Whether it is a name, rather than a colour.
    pub(super) is_name: bool,
}

/// Whether `name` is a theme's name with a typo, which the tool finds as written.
pub(super) fn is_nearly_theme(name: &str) -> bool {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let names = known_names().themes.iter().flat_map(|it| &it.1);
    names.map(|it| it.chars().collect::<Vec<_>>()).any(|other| {
        let most = (other.len() * SLIPS.0 / SLIPS.1).min(SLIPS_MAX);
        other.len().abs_diff(name.len()) <= most && distance(&other, &name) <= most
    })
}

/// English texts before a card's name.
const NAME_BEFORE: &str = "illustration of|illustrations of|picture of|pictures of|image of|images of|artwork of|artwork for|illustration for|card art for|card art of|art of|art for|card with an|card with a|card with the|card with|card of the|card of a|card of|card called|card named|the card|thumbnail of|thumbnail featuring|featuring";
const NAME_STOPS: &str = ".|,|?|!|\n| please| for | in | on | and | with | as | titled | that | card| theme| pls| thanks| by | from | is | vs | vs. | versus ";
const NAME_BEHIND: &str = " illustration| card art| card| artwork| picture| art";
const NAME_LEADS: &str = "draw me |draw us |draw |paint me |paint |make me |make us |make |add |throw in |put in |include |also |all the |all of the |all |every |some |more |show me |show |find |get |fetch |see |display |the |a |an |of |me |for |want |need |like |give me |look up |to |please |this |my |can i |pull up |what does the |what do the |what does |how does the |does the |is the |is there a |do you have a ";

impl Sentence {
    /// Returns candidates for names, which may contain a theme.
    pub(super) fn candidates(&self) -> Vec<Piece> {
        let mut names = self.capitalized_names();
        names.extend(self.described());
        const BEHIND: &[char] = &[
            'の', 'と', 'を', '、', 'が', 'で', 'は', '対', 'も', 'や', ' ', '?', '!', '。', ',',
            'に', 'っ', '(', 'v', '×', 'x', '・',
        ];
        names.extend(self.unknown_pieces(&['の', '・', '=']).into_iter().filter(|name| {
            // `猫のカード`: a single character is a name before a word for cards.
            let is_card = ["のカード", "の絵", "のイラスト", "の画像"]
                .iter()
                .any(|mark| self.is_at(mark, name.to));
            let is_long = name.to - name.from >= 2 || is_card;
            let is_word = |word: &Token| {
                word.from == name.to
                    && [
                        rules::CARD,
                        rules::THEME,
                        rules::THUMBNAIL,
                        rules::VERSUS,
                        Word::SHOW,
                        Word::WANT,
                    ]
                    .contains(&word.word)
            };
            let next = self.chars.get(name.to);
            let is_over =
                next.is_none_or(|it| BEHIND.contains(it)) || self.tokens.iter().any(is_word);
            // `並べた`, `強い`: verbs and adjectives are no names.
            let stem =
                name.text.chars().take_while(|it| matches!(it, '\u{4e00}'..='\u{9fff}')).count();
            let tail: String = name.text.chars().skip(stem).collect();
            let is_kana = !tail.is_empty() && tail.chars().all(is_hiragana);
            const VERBS: &str = "た|たい|て|る|れ|い|いの|りた|んだ|ない|く|きた";
            let is_verb =
                (1..=2).contains(&stem) && is_kana && marks(VERBS).any(|it| tail.ends_with(it));
            is_long
                && is_over
                && !is_verb
                && name.text.chars().any(is_name_char)
                && !name.text.is_ascii()
        }));
        names.extend(self.in_kana());
        names
    }

    /// Returns a hiragana name before a word for cards: `ほたるの絵`.
    fn in_kana(&self) -> Option<Piece> {
        const CARDS: &str = "のカード|の絵|のイラスト|の画像|ちゃん";
        let end = marks(CARDS).filter_map(|it| self.find(it, 2)).min()?;
        let is_kana = |it: &char| matches!(it, '\u{3041}'..='\u{3096}' | 'ー');
        let length = self.chars[..end].iter().rev().take_while(|it| is_kana(it)).count();
        if length == 0 {
            return None;
        }
        let before = &self.chars[..end - length];
        let length = length + before.iter().rev().take_while(|it| matches!(it, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '0'..='9')).count();
        let from = end - length;
        let is_begin = from == 0 || matches!(self.chars[from - 1], '、' | '。' | ' ' | '!' | '?');
        let is_new = (from..end).any(|it| !self.is_known(it));
        (is_begin && is_new && length > 1).then(|| self.piece(from, end))
    }

    /// Returns a name in an English description: `a picture of argo`, `argo the star ship illustration`.
    fn described(&self) -> Option<Piece> {
        let is_new = |from: usize, to: usize| {
            (from..to).any(|it| !self.is_known(it) && self.lower[it].is_ascii_alphanumeric())
        };
        for before in marks(NAME_BEFORE) {
            let Some(at) = self.find(before, 0) else { continue };
            let mut from = at + before.len() + 1;
            from += if self.is_at("the ", from) { 4 } else { 0 };
            let to = marks(NAME_STOPS)
                .filter_map(|it| self.find(it, from))
                .min()
                .unwrap_or(self.chars.len());
            if from < to && is_new(from, to) {
                return Some(self.piece(from, to));
            }
        }
        let end = marks(NAME_BEHIND).filter_map(|it| self.find(it, 1)).min()?;
        let mut from = self.chars[..end]
            .iter()
            .rposition(|it| matches!(it, '.' | ',' | '!' | '?' | ':' | '\n'))
            .map_or(0, |it| it + 1);
        from += usize::from(self.lower.get(from) == Some(&' '));
        let ends = marks(NAME_LEADS).filter_map(|lead| {
            (from..end).rev().find(|at| self.is_at(lead, *at)).map(|at| (at, lead.len()))
        });
        // The last lead before the name, unless the name is within a description.
        let begins: Vec<_> = ends.filter(|it| it.0 == from || it.1 > 4).collect();
        if let Some((at, length)) = begins.into_iter().max_by_key(|it| it.0 + it.1) {
            from = at + length;
        }
        while let Some(lead) = marks(NAME_LEADS).find(|it| self.is_at(it, from)) {
            from += lead.len();
        }
        // A capitalized name begins at its capital.
        let capital =
            self.capitalized_names().into_iter().find(|it| from < it.from && it.to <= end);
        from = capital.map_or(from, |it| it.from);
        (from < end && is_new(from, end) && self.lower[from..end].iter().all(char::is_ascii))
            .then(|| self.piece(from, end))
    }

    /// Whether `name` contains `theme` and more.
    pub(super) fn is_more(&self, name: &Piece, theme: &Piece) -> bool {
        let is_in = name.from <= theme.from && theme.to <= name.to;
        // Lower-case words before a theme belong to it: `a fan of four azure cards`.
        let is_lower = name.text.is_ascii() && name.text.chars().all(|it| !it.is_uppercase());
        // `蒼晶から紅蓮` has two themes.
        let is_second = (name.from..theme.from).any(|at| {
            self::theme(&self.lower, at)
                .is_some_and(|it| at + it.1 + 2 == theme.from && self.is_at("から", at + it.1))
        });
        let begin = if is_lower || is_second { theme.from } else { name.from };
        // `雪月花から桜` picks from the theme.
        let end = if self.is_at("から", theme.to) { theme.to } else { name.to };
        let outside = (begin..theme.from).chain(theme.to..end);
        // `blue and red cards` has two themes, and no name.
        let others: Vec<_> = match is_lower {
            true => (theme.to..end)
                .filter(|at| self.chars[at - 1] == ' ')
                .filter_map(|at| Some((at, at + self::theme(&self.lower, at)?.1)))
                .collect(),
            false => Vec::new(),
        };
        let is_name = |at: usize| {
            let sign = self.chars[at];
            let is_other = others.iter().any(|it| (it.0..it.1).contains(&at));
            is_name_char(sign) && !"系色的風".contains(sign) && !self.is_known(at) && !is_other
        };
        is_in && outside.into_iter().any(is_name)
    }
}
