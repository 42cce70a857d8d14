//! Cards of the bundled catalogue that are known by name, and what people say for them.

use std::sync::LazyLock;

use crate::builtin::heard::{Heard, MASK, Piece, marks};

/// A card that is known.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::builtin) struct Card {
    /// The theme that has it, in Japanese.
    pub(in crate::builtin) theme: &'static str,
    pub(in crate::builtin) japanese: &'static str,
    pub(in crate::builtin) english: &'static str,
    /// What names it anywhere.
    names: &'static str,
    /// What is on it, which names it where a sentence is about cards.
    motifs: &'static str,
}

/// A card that a sentence names, and where.
#[derive(Clone, Debug)]
pub(in crate::builtin) struct Spotted {
    pub(in crate::builtin) card: &'static Card,
    pub(in crate::builtin) piece: Piece,
    /// Where else it is named.
    pub(in crate::builtin) also: Vec<Piece>,
    /// Whether it is named, rather than what is on it.
    pub(in crate::builtin) is_name: bool,
}

const fn card(
    theme: &'static str,
    japanese: &'static str,
    english: &'static str,
    names: &'static str,
    motifs: &'static str,
) -> Card {
    Card { theme, japanese, english, names, motifs }
}

const AZURE: &str = "蒼晶竜";
const CRIMSON: &str = "紅蓮機工";
const VERDANT: &str = "翠森精霊";
const GOLDEN: &str = "黄金王朝";
const ABYSSAL: &str = "深淵魔導";
const SNOW: &str = "雪月花";
const STARFARER: &str = "星海航路";

const CARDS: &[Card] = &[
    card(AZURE, "蒼晶竜アジュール", "Azure, the Crystal Dragon", "アジュール|アズール", ""),
    card(
        AZURE,
        "蒼晶の幼竜ルリ",
        "Ruri, Crystal Hatchling",
        "ルリ|蒼晶の幼竜|ruri|crystal hatchling",
        "幼竜|子竜|赤ちゃん竜|赤ちゃんドラゴン|hatchling|baby dragon",
    ),
    card(
        AZURE,
        "蒼海竜リヴィエ",
        "Rivie, Serpent of the Blue Sea",
        "リヴィエ|リビエ|蒼海竜|rivie|serpent of the blue sea",
        "海竜|sea serpent|serpent",
    ),
    card(AZURE, "蒼晶竜の咆哮", "Roar of the Crystal Dragon", "crystal dragon roar", "咆哮|roar"),
    card(
        AZURE,
        "蒼晶竜騎士セイラン",
        "Seiran, Crystal Dragon Rider",
        "セイラン|蒼晶竜騎士|seiran|crystal dragon rider",
        "竜騎士|dragon rider|rider",
    ),
    card(AZURE, "蒼晶の尖塔", "Spire of Azure Crystal", "", "尖塔|spire|crystal tower"),
    card(CRIMSON, "紅蓮機工ボルカノ", "Volcano Engine", "ボルカノ|volcano engine", "volcano"),
    card(
        CRIMSON,
        "紅蓮特急ブレイズ",
        "Blaze Express",
        "ブレイズ|紅蓮特急",
        "blaze|train|locomotive|機関車|列車|汽車|特急|電車",
    ),
    card(
        CRIMSON,
        "機工城塞ガルド",
        "Gard, the Engine Fortress",
        "ガルド|機工城塞|gard|engine fortress",
        "fortress|城塞|要塞|砦",
    ),
    card(
        CRIMSON,
        "歯車の心臓",
        "Heart of Gears",
        "歯車のしんぞう|はぐるまの心臓",
        "心臓|heart|gear heart",
    ),
    card(
        CRIMSON,
        "鋼翼機ファルコ",
        "Falco, Wing of Steel",
        "ファルコ|鋼翼機|falco|wing of steel",
        "隼|ハヤブサ|はやぶさ|falcon",
    ),
    card(
        CRIMSON,
        "紅蓮の鍛冶師ホムラ",
        "Homura, Crimson Smith",
        "ホムラ|紅蓮の鍛冶師|homura|crimson smith",
        "鍛冶師|鍛冶屋|鍛冶|smith|blacksmith|forging",
    ),
    card(VERDANT, "翠森精霊リーフィ", "Leafy of the Verdant", "リーフィ", "leafy"),
    card(
        VERDANT,
        "大樹の守り人オルド",
        "Old Ord, Keeper of the Tree",
        "オルド|大樹の守り人|old ord|keeper of the tree",
        "守り人|大樹|old tree|ord",
    ),
    card(
        VERDANT,
        "翠角の鹿シルヴァ",
        "Silva, the Green-Antlered Stag",
        "シルヴァ|シルバ|翠角の鹿|silva|green-antlered stag",
        "鹿|シカ|stag|deer",
    ),
    card(
        VERDANT,
        "蛍火の梟ミミ",
        "Mimi, the Firefly Owl",
        "ミミ|蛍火の梟|mimi|firefly owl",
        "梟|フクロウ|ふくろう|owl",
    ),
    card(
        VERDANT,
        "苔むす巨人モルグ",
        "Morg, the Mossy Giant",
        "モルグ|苔むす巨人|morg|mossy giant|moss giant",
        "巨人|giant",
    ),
    card(VERDANT, "精霊の泉", "Fountain of Spirits", "spirit fountain", "泉|蓮|fountain|lotus"),
    card(
        GOLDEN,
        "黄金王ソレイユ",
        "Soleil, the Golden King",
        "ソレイユ|黄金王|soleil",
        "golden king|the king",
    ),
    card(
        GOLDEN,
        "王冠の獅子レオン",
        "Leon, the Crowned Lion",
        "レオン|王冠の獅子|leon|crowned lion",
        "獅子|ライオン|lion",
    ),
    card(
        GOLDEN,
        "太陽の大神殿",
        "Great Temple of the Sun",
        "大神殿|temple of the sun|sun temple",
        "神殿|temple",
    ),
    card(
        GOLDEN,
        "黄金翼の騎士オーラム",
        "Aurum, Golden-Winged Knight",
        "オーラム|黄金翼の騎士|aurum|golden-winged knight",
        "黄金の騎士|golden knight|winged knight",
    ),
    card(GOLDEN, "王家の聖杯", "Royal Chalice", "", "聖杯|chalice|grail"),
    card(
        GOLDEN,
        "不死鳥フェニエル",
        "Feniel, the Phoenix",
        "フェニエル|不死鳥|feniel",
        "phoenix|フェニックス|火の鳥",
    ),
    card(
        ABYSSAL,
        "深淵魔導師ノクス",
        "Nox, Abyssal Mage",
        "ノクス|深淵魔導師|nox|abyssal mage",
        "魔導師|mage",
    ),
    card(
        ABYSSAL,
        "禁書アビスノート",
        "Abyss Note, the Forbidden Book",
        "アビスノート|abyss note|forbidden book",
        "禁書|魔導書|grimoire",
    ),
    card(ABYSSAL, "深淵を覗く眼", "Eye of the Abyss", "深淵を覗く目|abyss eye", "目玉|the eye"),
    card(
        ABYSSAL,
        "影猫ルナ",
        "Luna, the Shadow Cat",
        "ルナ|影猫|luna|shadow cat",
        "猫|ネコ|ねこ|cat|kitty",
    ),
    card(ABYSSAL, "呪鎖の門", "Gate of Cursed Chains", "cursed gate", "門|gate|cursed chains"),
    card(
        ABYSSAL,
        "夢喰いの蛾ニュイ",
        "Nuit, Moth of Dreams",
        "ニュイ|夢喰いの蛾|nuit|moth of dreams|dream moth",
        "蛾|moth",
    ),
    card(
        SNOW,
        "雪兎ユキ",
        "Yuki, the Snow Hare",
        "ユキ|雪兎|雪うさぎのユキ|雪うさぎ|yuki|snow hare",
        "兎|ウサギ|うさぎ|hare|rabbit|bunny",
    ),
    card(
        SNOW,
        "月下の舞姫カグヤ",
        "Kaguya, Dancer under the Moon",
        "カグヤ|月下の舞姫|kaguya",
        "舞姫|踊り子|dancer",
    ),
    card(
        SNOW,
        "花嵐の狐コハナ",
        "Kohana, Fox of the Petal Storm",
        "コハナ|花嵐の狐|kohana|fox of the petal storm",
        "狐|キツネ|きつね|fox",
    ),
    card(
        SNOW,
        "雪灯りの社",
        "Shrine of Snow Lanterns",
        "雪あかりの社|snow lantern shrine",
        "神社|shrine",
    ),
    card(
        SNOW,
        "白鶴ツララ",
        "Tsurara, the White Crane",
        "ツララ|白鶴|tsurara|white crane",
        "鶴|ツル|crane",
    ),
    card(
        SNOW,
        "千年桜",
        "Thousand-Year Cherry",
        "千年ざくら|千年さくら|1000年桜|thousand year cherry",
        "桜|サクラ|さくら|cherry tree|cherry",
    ),
    card(
        STARFARER,
        "星海船アルゴ",
        "Argo, the Star Ship",
        "アルゴ|星海船|argo|star ship",
        "船|帆船|ship|sailing ship",
    ),
    card(
        STARFARER,
        "灯台星ファロス",
        "Pharos, the Lighthouse Star",
        "ファロス|灯台星|pharos|lighthouse star",
        "灯台|lighthouse",
    ),
    card(
        STARFARER,
        "環の惑星サテュラ",
        "Satyra, the Ringed World",
        "サテュラ|環の惑星|satyra|ringed world|ringed planet",
        "惑星|planet",
    ),
    card(
        STARFARER,
        "星鯨バレナ",
        "Barena, the Star Whale",
        "バレナ|星鯨|barena|star whale",
        "鯨|クジラ|くじら|whale",
    ),
    card(STARFARER, "航海士ステラ", "Stella, the Navigator", "ステラ|航海士|stella", "navigator"),
    card(
        STARFARER,
        "星詠みの羅針盤",
        "Compass of the Star Readers",
        "star readers",
        "羅針盤|コンパス|compass",
    ),
];

/// The shortest name in kana that is one in hiragana as well: `るな` and `ゆき` are other words.
const KANA_MIN: usize = 3;

/// The card that bears this name as a whole.
pub(in crate::builtin) fn card_of(name: &str) -> Option<&'static Card> {
    let lower = name.trim().to_lowercase();
    CARDS.iter().find(|it| {
        let own = [it.japanese, it.english].iter().any(|it| it.to_lowercase() == lower);
        let called = it.english.to_lowercase().split(',').next() == Some(lower.as_str());
        own || called || marks(it.names).any(|it| it == lower && !it.is_empty())
    })
}

/// Every phrase for a card, and whether it names it.
static PHRASES: LazyLock<Vec<(&'static Card, String, bool)>> = LazyLock::new(|| {
    let mut phrases = Vec::new();
    for card in CARDS {
        let english = card.english.to_lowercase();
        let full = [card.japanese.to_owned(), english.replace(',', ""), english];
        let names = marks(card.names).filter(|it| !it.is_empty()).map(str::to_owned);
        phrases.extend(full.into_iter().chain(names).map(|it| (card, it, true)));
        let motifs = marks(card.motifs).filter(|it| !it.is_empty());
        phrases.extend(motifs.map(|it| (card, it.to_owned(), false)));
    }
    // The longest counts.
    phrases.sort_by_key(|it| std::cmp::Reverse(it.1.chars().count()));
    phrases
});

/// Katakana as hiragana.
fn fold(it: char) -> char {
    match it {
        '\u{30a1}'..='\u{30f6}' => char::from_u32(u32::from(it) - 0x60).unwrap_or(it),
        it => it,
    }
}

fn is_katakana(it: &char) -> bool {
    matches!(it, '\u{30a1}'..='\u{30fa}' | 'ー')
}

fn is_kanji(it: &char) -> bool {
    matches!(it, '\u{4e00}'..='\u{9fff}')
}

impl Heard {
    /// The cards that are named, in order; what is merely on a card counts `with_motifs`.
    pub(in crate::builtin) fn spotted(&self, with_motifs: bool) -> Vec<Spotted> {
        let mut spotted = Vec::<Spotted>::new();
        let mut at = 0;
        while at < self.lower.len() {
            if self.lower[at] == MASK {
                at += 1;
                continue;
            }
            let longest = PHRASES.iter().find(|(_, phrase, is_name)| {
                (with_motifs || *is_name) && self.bears(phrase, at, *is_name)
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
        self.whole(spotted)
    }

    /// Without those that are part of a longer name: `Volcano Dragon` and `Dark Luna` are others.
    fn whole(&self, spotted: Vec<Spotted>) -> Vec<Spotted> {
        let runs = self.capitals();
        let spans: Vec<_> = spotted.iter().map(|it| (it.piece.from, it.piece.to)).collect();
        let is_named = |at: usize| spans.iter().any(|it| (it.0..it.1).contains(&at));
        let is_larger = |it: &Spotted| {
            let is_run = |run: &Piece| {
                run.from <= it.piece.from
                    && it.piece.to <= run.to
                    && (run.from..run.to).any(|at| {
                        !(it.piece.from..it.piece.to).contains(&at)
                            && self.chars[at].is_ascii_alphanumeric()
                            && !self.chars[..at].ends_with(&['\''])
                            && !self.is_known(at)
                            && !is_named(at)
                            && !self.in_theme(at)
                    })
            };
            // `ルナ・ノクス` are two, `ルナ・パーク` is another name.
            let is_joined =
                |joint: usize, next: usize| self.chars.get(joint) == Some(&'・') && !is_named(next);
            let before = it.piece.from.checked_sub(2).is_some_and(|at| is_joined(at + 1, at));
            before || is_joined(it.piece.to, it.piece.to + 1) || runs.iter().any(is_run)
        };
        spotted.into_iter().filter(|it| !is_larger(it)).collect()
    }

    /// Whether the character at `at` is in a theme's own name.
    fn in_theme(&self, at: usize) -> bool {
        (at.saturating_sub(24)..=at).any(|from| {
            super::tables::THEME_WORDS.at(&self.lower, from).is_some_and(|it| from + it.1 > at)
        })
    }

    /// Whether `phrase` stands at `at` as a name of its own.
    fn bears(&self, phrase: &str, at: usize, is_name: bool) -> bool {
        let mut length = 0;
        for it in phrase.chars() {
            if self.lower.get(at + length).is_none_or(|written| fold(*written) != fold(it)) {
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
            // `train's` is a train's, `cats` are cats.
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
        // What is on a card is a word of its own: neither `桜木町` nor `桜っぽい`.
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
