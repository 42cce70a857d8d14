//! The vocabulary of cards, and rules that find the goal of a sentence: the first one counts whose signs are all present and whose
//! exclusions are absent.

use Sign::{Denies, Says};
use language::{
    rules::{Rule, rule},
    scan::marks,
    words::Word,
};

use super::{catalogue::moods, request, sentence::Sentence};

/// The goal of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// No picture is to be made.
    Nothing,
    /// Themes and cards are to be listed.
    Themes,
    /// A picture is to be composed of cards.
    Thumbnail,
    /// Illustrations are to be shown.
    Cards,
}

/// A sign that a rule looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Has one of these words, not negated.
    Says(&'static [Word]),
    /// Has one of these words, negated.
    Denies(&'static [Word]),
    /// Has a number of things.
    Pieces,
    /// Has a known theme or colour.
    KnownTheme,
    /// Means all themes except the named ones.
    LeftOut,
    /// Wants a number of cards of each theme.
    EachTheme,
    /// Names a known card.
    KnownCard,
    /// Has several motifs, or asks how a card looks.
    Motifs,
    /// Picks cards from a theme.
    Picked,
    /// Describes a composition: a title, a background, opponents.
    Layout,
    /// Has unknown names.
    Named,
    /// Has a mood or a motif.
    Mood,
    /// Wants a number of any cards.
    Random,
    /// Has a date or a time.
    When,
}

const PICTURE: Sign = Says(&[CARD, THEME, THUMBNAIL, COMPOSE]);
/// A word of another family.
const THEIRS: Sign = Says(&[Word::THEIRS]);
/// A word or verb of another family.
const ANY_OF_THEIRS: Sign = Says(&[Word::THEIRS, Word::THEIR_ACTION]);

/// The rules; the first match counts.
const RULES: &[Rule<Goal, Sign>] = &[
    rule(85, Goal::Cards, &[Sign::EachTheme], &[Says(&[THUMBNAIL, COMPOSE]), THEIRS]),
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
        &[Says(&[THEME]), Says(&[Word::SHOW])],
        &[
            Sign::KnownTheme,
            Sign::KnownCard,
            Sign::Named,
            Sign::Mood,
            Sign::Pieces,
            Sign::Picked,
            Says(&[CARD, THUMBNAIL, COMPOSE, Word::MAKE]),
            THEIRS,
        ],
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
    rule(78, Goal::Thumbnail, &[Sign::Layout], &[ANY_OF_THEIRS, Says(&[Word::SHOW])]),
    rule(78, Goal::Cards, &[Sign::Motifs], &[ANY_OF_THEIRS, Says(&[Word::WHERE, THUMBNAIL])]),
    rule(78, Goal::Cards, &[Sign::Picked], &[ANY_OF_THEIRS]),
    rule(78, Goal::Cards, &[Says(&[CARD])], &[THEIRS]),
    rule(78, Goal::Cards, &[Sign::KnownTheme], &[ANY_OF_THEIRS]),
    rule(78, Goal::Cards, &[Sign::KnownCard], &[ANY_OF_THEIRS, Says(&[Word::CANCEL]), Sign::When]),
    rule(78, Goal::Cards, &[Sign::Mood], &[ANY_OF_THEIRS]),
    rule(78, Goal::Cards, &[Says(&[THEME])], &[THEIRS]),
    rule(78, Goal::Cards, &[Sign::Random, Sign::Pieces], &[ANY_OF_THEIRS]),
];

/// Returns the goal of `utterance` by the first matching rule, and how sure it is.
pub(super) fn goal(utterance: &Sentence) -> Option<(Goal, u8)> {
    const LOOKS: &str = "look like|looks like|どんな見た目|どんな絵|見た目は";
    const LIKE: &str = "のやつ|なやつ|のもの|な感じ|っぽい|っぽ|系の|系|風の|themed|-ish";
    /// Before a mood: `something scary`.
    const SOME: &str = "something|something a bit|something a little|something more|something really|something very";
    let text: String = utterance.lower.iter().collect();
    let has = |sign| match sign {
        Says(words) => utterance.has(words),
        Denies(words) => utterance.denies(words),
        Sign::Pieces => utterance.numbers.pieces().is_some(),
        Sign::KnownTheme => !utterance.themes().is_empty(),
        Sign::LeftOut => utterance.is_of_others(),
        Sign::EachTheme => request::is_of_each_theme(utterance),
        Sign::KnownCard => !utterance.spotted(false).is_empty(),
        Sign::Motifs => {
            let count = utterance.spotted(true).len();
            let shows = utterance.has(&[Word::SHOW, Word::WANT]);
            count > 1 && shows || count > 0 && utterance.says(LOOKS)
        }
        Sign::Picked => request::picks_from_theme(utterance),
        Sign::Layout => request::describes_layout(utterance),
        Sign::Named => !utterance.unknown_names().is_empty() || !utterance.quoted.is_empty(),
        Sign::Mood => {
            let is_like = marks(LIKE).any(|it| text.contains(it));
            // `show 3 dragons`.
            let is_shown =
                || utterance.has(&[Word::SHOW]) && request::counted_mood(utterance).is_some();
            let is_some = || {
                let is_behind = |at: usize| {
                    let before = text.chars().take(at).collect::<String>();
                    let before = before.trim_end();
                    marks(SOME).any(|it| before == it || before.ends_with(&format!(" {it}")))
                };
                // `recommend something scary` may mean a film.
                !utterance.says("recommend|suggest")
                    && moods(&utterance.lower).iter().any(|it| is_behind(it.1))
            };
            (is_like || is_shown() || is_some()) && !moods(&utterance.lower).is_empty()
        }
        // `なんでもいい、明日の夜2枚`: cards have no day.
        Sign::Random => {
            let is_named = || utterance.has(&[CARD, THUMBNAIL]);
            request::is_random(utterance) && (utterance.when.spans.is_empty() || is_named())
        }
        Sign::When => utterance.when.date.is_some() || utterance.when.hours.is_some(),
    };
    language::rules::goal(RULES, has)
}

pub(super) const CARD: Word = Word::own(0);
pub(super) const THEME: Word = Word::own(1);
pub(super) const THUMBNAIL: Word = Word::own(2);
pub(super) const COMPOSE: Word = Word::own(3);
pub(super) const VERSUS: Word = Word::own(4);
pub(super) const NAMES: Word = Word::own(5);

/// Words for things of this family.
pub(super) const NOUNS: &[Word] = &[CARD, THEME, THUMBNAIL, COMPOSE];
/// Words for actions of this family.
pub(super) const DEEDS: &[Word] = &[THUMBNAIL, COMPOSE];
/// Further words that may follow a card's name.
pub(super) const HEADS: &[Word] = &[VERSUS];

/// Phrases in lower case, separated by `|`; the longest match counts.
pub(super) const PHRASES: &[(Word, &str)] = &[
    (
        CARD,
        "の画像|画像を見|画像が見|an image of|a picture of|picture of|pictures of|image of|絵を|の絵|カード|カードの|カードイラスト|\
         イラスト|イラストの|アートワーク|絵柄|モンスター|カード画像|card|cards|illustration|illustrations|artwork|artworks|\
         card art|art|monster|monsters",
    ),
    (
        THEME,
        "カード群|カードセット|card sets|sets|factions|テーマ|テーマの|系統|シリーズ|アーキタイプ|カテゴリ|カテゴリー|デッキ|系の|系テーマ|系カード|系で|\
         theme|themes|themed|archetype|archetypes|deck|decks",
    ),
    (
        THUMBNAIL,
        "動画用の画像|動画の画像|動画に使う画像|動画用画像|動画の表紙|動画用のイラスト|video image|image for my video|picture for my video|\
         cover for my video|image for a video|picture for a video|video cover|thumbnial|thumnail|\
         tumbnail|thumbnal|サムネール|cover for my|the cover|cover:|cover for the|cover for a|cover with|\
         cover of|a cover|youtube cover|cover art|thumb|thumbs|サムネ|サムネイル|サムネイル画像|サムネ画像|バナー|見出し画像|表紙|\
         thumbnail|thumbnails|banner|cover image|cover picture",
    ),
    (
        COMPOSE,
        "in one image|in one picture|into one image|into one picture|in a single image|\
         in a single picture|一枚の画像|1枚の画像|一枚の絵に|1枚の絵に|画像を作|絵を作|画像を生成|画像生成|画像にして|並べた画像|合成|コラージュ|compose|\
         collage|make an image|make a picture|create an image|create a picture|generate an image|\
         generate a picture|draw a picture|draw an image",
    ),
    (
        VERSUS,
        "対決|対戦|バトル|戦って|戦う|戦い|ぶつか| 対 |戦わせ|fight|fights|fighting|face off|facing off|vs|vs.|versus|against|\
         battle|duel",
    ),
    (
        NAMES,
        "名前を教えて|名前をおしえて|名前を知りたい|名前は|名前だけ|名称だけ|names|names of|just the names|only the names|name of each",
    ),
    (
        Word::FILLER,
        "っぽい|っぽく|文字なし|文字無し|文字は無し|文字はなし|タイトルなし|タイトル無し|no text|without text|no title|without a title|動画|実況|配信|背景|\
         キャラ|タイトル|題名|見出し|テキスト|文言|って書いて|カードゲーム|クレジットカード|ギフトカード|gift card|gift cards|ポイントカード|会員カード|card game|credit card|business card|\
         for a card",
    ),
];
