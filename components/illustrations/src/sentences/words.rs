//! The vocabulary of cards, themes and thumbnails.

use language::words::Word;

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
