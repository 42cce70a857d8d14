//! Kinds of films and themes of cards that are known by name, and what people say for them.

use std::sync::LazyLock;

use crate::{Language, planner::scan::Lexicon};

/// Kinds of films, in Japanese and English as the catalogue may name them, and what people say.
const GENRES: &[((&str, &str), &str)] = &[
    (
        ("アニメ", "Animation"),
        "アニメ作品|animations|animated films|animated movies|アニメ|アニメーション|アニメ映画|animation|animated|anime|cartoon",
    ),
    (("SF", "Science fiction"), "sf|サイエンスフィクション|science fiction|sci-fi|scifi"),
    (
        ("時代劇", "Period drama"),
        "時代劇|侍映画|サムライもの|period drama|samurai film|samurai movie",
    ),
    (("ドラマ", "Drama"), "ドラマ|ヒューマンドラマ|人間ドラマ|drama|dramas|dramatic"),
    (("特撮", "Monster film"), "特撮|怪獣|怪獣映画|monster film|monster movie|kaiju|tokusatsu"),
    (("ホラー", "Horror"), "ホラー|怖い映画|horror|scary"),
    (("コメディ", "Comedy"), "コメディ|コメディー|喜劇|笑える|comedy|funny"),
    (("アクション", "Action"), "アクション|action"),
    (("恋愛", "Romance"), "恋愛|ラブストーリー|ロマンス|romance|romantic|love story"),
    (("サスペンス", "Thriller"), "サスペンス|スリラー|ミステリー|thriller|suspense|mystery"),
    (("ドキュメンタリー", "Documentary"), "ドキュメンタリー|documentary"),
    (("ファンタジー", "Fantasy"), "ファンタジー|fantasy"),
];

/// Themes of the bundled catalogue, and what people say for them: names and colours.
const THEMES: &[(Theme, &str)] = &[
    (
        Theme { japanese: "蒼晶竜", english: "Azure Crystal Dragons", is_name: true },
        "蒼晶竜|そうしょうりゅう|azure crystal dragons|azure crystal dragon|azure crystal|azure dragons|azure dragon|crystal dragons|青い竜|ブルーの竜",
    ),
    (
        Theme { japanese: "蒼晶竜", english: "Azure Crystal Dragons", is_name: false },
        "蒼晶|青っぽい|青みたいな|ブルー|青系|青い|青色|青の|水色|蒼い|蒼系|ブルー系|青いろ|blue|azure|blue-themed|blue-ish|bluish|blueish",
    ),
    (
        Theme { japanese: "紅蓮機工", english: "Crimson Engine", is_name: true },
        "紅蓮機工|ぐれんきこう|crimson engine|crimson engines|engine legion",
    ),
    (
        Theme { japanese: "紅蓮機工", english: "Crimson Engine", is_name: false },
        "紅蓮|赤っぽい|レッド|赤系|赤い|赤色|赤の|紅い|紅色|レッド系|真っ赤|red|crimson|scarlet|red-themed",
    ),
    (
        Theme { japanese: "翠森精霊", english: "Verdant Spirits", is_name: true },
        "翠森精霊|すいしんせいれい|verdant spirits|verdant spirit|forest spirits|森の精霊",
    ),
    (
        Theme { japanese: "翠森精霊", english: "Verdant Spirits", is_name: false },
        "翠森|緑っぽい|グリーン|緑系|緑の|緑色|みどり|翠色|グリーン系|green|verdant|emerald|green-themed|greenish",
    ),
    (
        Theme { japanese: "黄金王朝", english: "Golden Dynasty", is_name: true },
        "黄金王朝|おうごんおうちょう|golden dynasty",
    ),
    (
        Theme { japanese: "黄金王朝", english: "Golden Dynasty", is_name: false },
        "金っぽい|黄色っぽい|ゴールド|金色|黄色|黄色い|金の|イエロー|ゴールド系|金系|黄系|黄金の|gold|golden|yellow|gold-themed|gold-colored",
    ),
    (
        Theme { japanese: "深淵魔導", english: "Abyssal Arcana", is_name: true },
        "深淵魔導|しんえんまどう|abyssal arcana",
    ),
    (
        Theme { japanese: "深淵魔導", english: "Abyssal Arcana", is_name: false },
        "深淵|紫っぽい|パープル|紫系|紫の|紫色|バイオレット|むらさき|パープル系|purple|violet|purple-themed|abyssal",
    ),
    (
        Theme { japanese: "雪月花", english: "Snow Moon Flower", is_name: true },
        "雪月花|せつげっか|snow moon flower|snow moon flowers",
    ),
    (
        Theme { japanese: "雪月花", english: "Snow Moon Flower", is_name: false },
        "snow theme|snow cards|snow set|snow deck|白っぽい|ホワイト|白系|白い|白色|真っ白|ホワイト系|白の|white|snowy|white-themed",
    ),
    (
        Theme { japanese: "星海航路", english: "Starfarer Route", is_name: true },
        "星海航路|せいかいこうろ|starfarer route|starfarer routes|starfarer|starfarers",
    ),
    (
        Theme { japanese: "星海航路", english: "Starfarer Route", is_name: false },
        "星海|紺っぽい|ネイビー|紺色|紺系|紺の|藍色|宇宙系|宇宙っぽい|ネイビー系|navy|navy-blue|navy blue|starry",
    ),
];

/// Moods and motifs, and the themes whose cards have them; they count where nothing else is named.
const MOODS: &[(usize, &str)] = &[
    (
        0,
        "ドラゴン|竜の|竜たち|dragon|dragons|海|水中|水の|氷|涼し|爽やか|さわやか|クールな|ocean|sea|underwater|water|icy|ice|cool",
    ),
    (
        1,
        "炎|火山|火の|燃え|熱い|熱血|情熱|メカ|機械|ロボット|歯車|スチームパンク|fire|fiery|flame|flames|burning|hot|mecha|mechanical|machine|machines|robot|robots|steampunk|volcanic",
    ),
    (2, "森|自然|草木|植物|妖精|癒し|癒やし|ナチュラル|forest|nature|woods|woodland|fairy|natural"),
    (
        3,
        "豪華|ゴージャス|高級|王様|王家|太陽|砂漠|きらきら|キラキラ|royal|regal|luxurious|luxury|fancy|king|sun|sunny|desert|shiny",
    ),
    (
        4,
        "闇|暗い|暗め|ダーク|怪しい|怪しげ|妖しい|不気味|ホラー|呪い|ミステリアス|神秘|ゴシック|魔法|魔術|ハロウィン|dark|spooky|creepy|scary|eerie|gothic|horror|mysterious|magic|magical|sinister|halloween|occult",
    ),
    (
        5,
        "雪|冬|桜|和風|和の|儚|はかない|幻想|春|winter|snowy|wintry|cherry blossom|cherry blossoms|sakura|spring|japanese-style",
    ),
    (6, "宇宙|星空|星の|銀河|space|galaxy|cosmic|stars|starry|outer space|universe|sci-fi"),
];

/// The moods and motifs that are said: the theme of each, and where its word stands.
pub(in crate::builtin) fn moods(lower: &[char]) -> Vec<(Theme, usize, usize)> {
    let named: Vec<Theme> = THEMES.iter().map(|it| it.0).filter(|it| it.is_name).collect();
    let found = |at| MOOD_WORDS.at(lower, at).map(|(theme, length)| (theme, at, at + length));
    let found = (0..lower.len()).filter_map(found);
    found.filter_map(|it| Some((*named.get(it.0)?, it.1, it.2))).collect()
}

static MOOD_WORDS: LazyLock<Lexicon<usize>> = LazyLock::new(|| Lexicon::new(MOODS));

/// Colours in one sign, and the theme that has each.
const COLOURS: &[(char, &str)] = &[
    ('青', "蒼晶竜"),
    ('蒼', "蒼晶竜"),
    ('赤', "紅蓮機工"),
    ('紅', "紅蓮機工"),
    ('緑', "翠森精霊"),
    ('翠', "翠森精霊"),
    ('金', "黄金王朝"),
    ('黄', "黄金王朝"),
    ('紫', "深淵魔導"),
    ('白', "雪月花"),
    ('紺', "星海航路"),
];

/// The theme of the colour at `at`, where that stands by itself: neither `面白い` nor `赤坂` has one.
pub(super) fn colour(lower: &[char], at: usize) -> Option<Theme> {
    let name = COLOURS.iter().find(|it| it.0 == lower[at])?.1;
    let is_kanji = |it: Option<&char>| it.is_some_and(|it| matches!(it, '\u{4e00}'..='\u{9fff}'));
    let before = at.checked_sub(1).and_then(|it| lower.get(it));
    let rest: String = lower[at + 1..].iter().take(3).collect();
    let is_alone =
        !is_kanji(before) && !matches!(before, Some('お' | '(')) && !is_kanji(lower.get(at + 1));
    const BEHIND: [&str; 10] = ["で", "に", "と", "っぽ", "、", "い", "を", "が", "な", "から"];
    let is_colour = is_alone && (rest.is_empty() || BEHIND.iter().any(|it| rest.starts_with(it)));
    THEMES.iter().map(|it| it.0).find(|it| is_colour && it.japanese == name && !it.is_name)
}

pub(super) static GENRE_WORDS: LazyLock<Lexicon<(&'static str, &'static str)>> =
    LazyLock::new(|| Lexicon::loose(GENRES));
pub(super) static THEME_WORDS: LazyLock<Lexicon<Theme>> = LazyLock::new(|| Lexicon::loose(THEMES));

/// The names of all themes that are known.
pub(in crate::builtin) fn theme_names(language: Language) -> Vec<&'static str> {
    let named = THEMES.iter().filter(|it| it.0.is_name);
    named.map(|it| language.pick(it.0.japanese, it.0.english)).collect()
}

/// How many characters may differ from a theme's name, for each so many that it has.
const SLIPS: (usize, usize) = (1, 4);
const SLIPS_MAX: usize = 2;

/// A theme that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::builtin) struct Theme {
    pub(in crate::builtin) japanese: &'static str,
    pub(in crate::builtin) english: &'static str,
    /// Whether it is named, rather than a colour.
    pub(in crate::builtin) is_name: bool,
}

/// Whether `name` is a theme's with a slip in it: the tool finds it, as it was written.
pub(in crate::builtin) fn is_nearly_theme(name: &str) -> bool {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let names = THEMES.iter().filter(|it| it.0.is_name).flat_map(|it| it.1.split('|'));
    names.map(|it| it.chars().collect::<Vec<_>>()).any(|it| {
        let most = (it.len() * SLIPS.0 / SLIPS.1).min(SLIPS_MAX);
        it.len().abs_diff(name.len()) <= most && distance(&it, &name) <= most
    })
}

/// How many characters are to be put in, left out or changed.
pub(in crate::builtin) fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, x) in a.iter().enumerate() {
        let (mut corner, mut left) = (at, at + 1);
        for (below, y) in b.iter().enumerate() {
            let up = row[below + 1];
            let here = (corner + usize::from(x != y)).min(up + 1).min(left + 1);
            row[below] = left;
            (corner, left) = (up, here);
        }
        row[b.len()] = left;
    }
    row[b.len()]
}
