//! What a sentence asks of the cards: the first rule whose words are all there, and none of those that bar it.

use language::{
    rules::{Rule, rule},
    scan::marks,
    words::Word,
};

use super::{
    request,
    sentence::Sentence,
    themes::moods,
    words::{CARD, COMPOSE, NAMES, THEME, THUMBNAIL},
};

/// What a sentence asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The sentence says that no picture is to be made.
    Nothing,
    /// Themes and cards that there are.
    Themes,
    /// A picture that is composed of cards.
    Thumbnail,
    /// The illustrations of cards.
    Cards,
}

/// What a rule looks at: words, or what else a sentence has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// One of these is there, and not denied.
    Says(&'static [Word]),
    /// One of these is there, and denied.
    Denies(&'static [Word]),
    /// A number of things.
    Pieces,
    /// A theme or a colour that is known.
    KnownTheme,
    /// Themes but those that are named.
    LeftOut,
    /// A card by a name that is known.
    KnownCard,
    /// Several things that are on cards, or how one looks.
    Motifs,
    /// Cards are picked from a theme.
    Picked,
    /// How cards or a theme are to be laid out: a title, a background, one against the other.
    Laid,
    /// Cards or themes by names that no table knows.
    Named,
    /// Cards of a mood or a motif.
    Mood,
    /// A date or a time.
    When,
}

use Sign::{Denies, Says};

const PICTURE: Sign = Says(&[CARD, THEME, THUMBNAIL, COMPOSE]);
/// What another family has.
const THEIRS: Sign = Says(&[Word::THEIRS]);
/// The same, and what is done with it.
const ANY_OF_THEIRS: Sign = Says(&[Word::THEIRS, Word::THEIR_DEED]);

/// The rules, the first that fits counts.
const RULES: &[Rule<Goal, Sign>] = &[
    rule(
        85,
        Goal::Themes,
        &[Sign::LeftOut, Says(&[Word::EXISTS, Word::LIST, Word::SHOW, NAMES])],
        &[Sign::Pieces, Sign::Picked, Says(&[CARD, THUMBNAIL, Word::MAKE]), THEIRS],
    ),
    rule(
        85,
        Goal::Themes,
        &[Says(&[THEME]), Says(&[Word::EXISTS, Word::LIST, NAMES])],
        &[Sign::KnownTheme, Sign::Named, Says(&[THUMBNAIL, Word::MAKE]), THEIRS],
    ),
    rule(
        85,
        Goal::Themes,
        &[Says(&[CARD]), Says(&[Word::EXISTS, Word::LIST])],
        &[
            Sign::KnownTheme,
            Sign::Named,
            Sign::Mood,
            Sign::Pieces,
            Says(&[THUMBNAIL, Word::MAKE]),
            THEIRS,
        ],
    ),
    rule(82, Goal::Nothing, &[Denies(&[THUMBNAIL, COMPOSE])], &[Says(&[Word::SHOW])]),
    rule(78, Goal::Thumbnail, &[Says(&[THUMBNAIL])], &[]),
    rule(78, Goal::Thumbnail, &[Says(&[COMPOSE]), PICTURE], &[]),
    rule(78, Goal::Thumbnail, &[Sign::Laid], &[ANY_OF_THEIRS, Says(&[Word::SHOW])]),
    rule(78, Goal::Cards, &[Sign::Motifs], &[ANY_OF_THEIRS, Says(&[Word::WHERE, THUMBNAIL])]),
    rule(78, Goal::Cards, &[Sign::Picked], &[ANY_OF_THEIRS]),
    rule(78, Goal::Cards, &[Says(&[CARD])], &[THEIRS]),
    rule(78, Goal::Cards, &[Sign::KnownTheme], &[ANY_OF_THEIRS]),
    rule(78, Goal::Cards, &[Sign::KnownCard], &[ANY_OF_THEIRS, Says(&[Word::CANCEL]), Sign::When]),
    rule(78, Goal::Cards, &[Sign::Mood], &[ANY_OF_THEIRS]),
    rule(78, Goal::Cards, &[Says(&[THEME])], &[THEIRS]),
];

/// What `utterance` asks for, as far as the rules tell.
pub(super) fn goal(utterance: &Sentence) -> Option<(Goal, u8)> {
    const LOOKS: &str = "look like|looks like|どんな見た目|どんな絵|見た目は";
    const LIKE: &str = "のやつ|なやつ|のもの|な感じ|っぽい|っぽ|系の|系|風の|themed|-ish";
    let text: String = utterance.lower.iter().collect();
    let has = |sign| match sign {
        Says(words) => utterance.has(words),
        Denies(words) => utterance.denies(words),
        Sign::Pieces => utterance.numbers.pieces().is_some(),
        Sign::KnownTheme => !utterance.themes().is_empty(),
        Sign::LeftOut => utterance.is_of_others(),
        Sign::KnownCard => !utterance.spotted(false).is_empty(),
        Sign::Motifs => {
            let count = utterance.spotted(true).len();
            let shows = utterance.has(&[Word::SHOW, Word::WANT]);
            count > 1 && shows || count > 0 && utterance.says(LOOKS)
        }
        Sign::Picked => request::is_picked(utterance),
        Sign::Laid => request::is_laid(utterance),
        Sign::Named => !utterance.unknown_names().is_empty() || !utterance.quoted.is_empty(),
        Sign::Mood => {
            marks(LIKE).any(|it| text.contains(it)) && !moods(&utterance.lower).is_empty()
        }
        Sign::When => utterance.when.date.is_some() || utterance.when.hours.is_some(),
    };
    language::rules::goal(RULES, has)
}
