//! Names in a sentence: films, kinds of films, themes and cards. What is known is data; what is not is
//! taken as it was written.

use std::sync::LazyLock;

use super::{
    heard::{Heard, MASK, Piece, Token},
    words::Word,
};
use crate::assistant::planner::scan::Lexicon;

/// Kinds of films, in Japanese and English as the catalogue may name them, and what people say.
const GENRES: &[((&str, &str), &str)] = &[
    (("アニメ", "Animation"), "アニメ|アニメーション|アニメ映画|animation|animated|anime|cartoon"),
    (("SF", "Science fiction"), "sf|サイエンスフィクション|science fiction|sci-fi|scifi"),
    (
        ("時代劇", "Period drama"),
        "時代劇|侍映画|サムライもの|period drama|samurai film|samurai movie",
    ),
    (("ドラマ", "Drama"), "ドラマ|ヒューマンドラマ|人間ドラマ|drama"),
    (("特撮", "Monster film"), "特撮|怪獣|怪獣映画|monster film|monster movie|kaiju"),
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
        "蒼晶竜|そうしょうりゅう|azure crystal dragons|azure crystal dragon|azure crystal|azure dragons|crystal dragons",
    ),
    (
        Theme { japanese: "蒼晶竜", english: "Azure Crystal Dragons", is_name: false },
        "ブルー|青系|青い|青色|青の|水色|蒼い|蒼系|ブルー系|青いろ|blue|azure|blue-themed|blue-ish|bluish",
    ),
    (
        Theme { japanese: "紅蓮機工", english: "Crimson Engine", is_name: true },
        "紅蓮機工|ぐれんきこう|crimson engine|crimson engines",
    ),
    (
        Theme { japanese: "紅蓮機工", english: "Crimson Engine", is_name: false },
        "レッド|赤系|赤い|赤色|赤の|紅い|紅色|レッド系|真っ赤|red|crimson|scarlet|red-themed",
    ),
    (
        Theme { japanese: "翠森精霊", english: "Verdant Spirits", is_name: true },
        "翠森精霊|すいしんせいれい|verdant spirits|verdant spirit",
    ),
    (
        Theme { japanese: "翠森精霊", english: "Verdant Spirits", is_name: false },
        "グリーン|緑系|緑の|緑色|みどり|翠色|グリーン系|green|verdant|emerald|green-themed",
    ),
    (
        Theme { japanese: "黄金王朝", english: "Golden Dynasty", is_name: true },
        "黄金王朝|おうごんおうちょう|golden dynasty",
    ),
    (
        Theme { japanese: "黄金王朝", english: "Golden Dynasty", is_name: false },
        "ゴールド|金色|黄色|黄色い|金の|イエロー|ゴールド系|金系|黄系|黄金の|gold|golden|yellow|gold-themed|gold-colored",
    ),
    (
        Theme { japanese: "深淵魔導", english: "Abyssal Arcana", is_name: true },
        "深淵魔導|しんえんまどう|abyssal arcana",
    ),
    (
        Theme { japanese: "深淵魔導", english: "Abyssal Arcana", is_name: false },
        "パープル|紫系|紫の|紫色|バイオレット|むらさき|パープル系|purple|violet|purple-themed",
    ),
    (
        Theme { japanese: "雪月花", english: "Snow Moon Flower", is_name: true },
        "雪月花|せつげっか|snow moon flower|snow moon flowers",
    ),
    (
        Theme { japanese: "雪月花", english: "Snow Moon Flower", is_name: false },
        "ホワイト|白系|白い|白色|真っ白|ホワイト系|白の|white|snowy|white-themed",
    ),
    (
        Theme { japanese: "星海航路", english: "Starfarer Route", is_name: true },
        "星海航路|せいかいこうろ|starfarer route|starfarer routes|starfarer",
    ),
    (
        Theme { japanese: "星海航路", english: "Starfarer Route", is_name: false },
        "ネイビー|紺色|紺系|紺の|藍色|宇宙系|宇宙っぽい|ネイビー系|navy|navy-blue|navy blue|starry",
    ),
];

static GENRE_WORDS: LazyLock<Lexicon<(&'static str, &'static str)>> =
    LazyLock::new(|| Lexicon::loose(GENRES));
static THEME_WORDS: LazyLock<Lexicon<Theme>> = LazyLock::new(|| Lexicon::loose(THEMES));

/// How many characters may differ from a theme's name, for each so many that it has.
const SLIPS: (usize, usize) = (1, 4);
const SLIPS_MAX: usize = 2;

/// Whether `name` is a theme's with a slip in it: the tool finds it, as it was written.
pub(super) fn is_nearly_theme(name: &str) -> bool {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let names = THEMES.iter().filter(|it| it.0.is_name).flat_map(|it| it.1.split('|'));
    names.map(|it| it.chars().collect::<Vec<_>>()).any(|it| {
        let most = (it.len() * SLIPS.0 / SLIPS.1).min(SLIPS_MAX);
        it.len().abs_diff(name.len()) <= most && distance(&it, &name) <= most
    })
}

/// How many characters are to be put in, left out or changed.
fn distance(a: &[char], b: &[char]) -> usize {
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

/// A theme that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) japanese: &'static str,
    pub(super) english: &'static str,
    /// Whether it is named, rather than a colour.
    pub(super) is_name: bool,
}

/// The names that a sentence has.
pub(super) trait Names {
    /// The kind of film, in Japanese and English.
    fn genre(&self) -> Option<(&'static str, &'static str)>;
    /// Themes that are known, in order, and where they stand.
    fn themes(&self) -> Vec<(Theme, Piece)>;
    /// The film's name: what is quoted, else what no table knows and stands where a film's name does.
    fn title(&self) -> Option<String>;
    /// Names of cards and themes that no table knows.
    fn unknown_names(&self) -> Vec<Piece>;
}

impl Names for Heard {
    fn genre(&self) -> Option<(&'static str, &'static str)> {
        (0..self.lower.len()).find_map(|at| GENRE_WORDS.at(&self.lower, at)).map(|it| it.0)
    }

    fn themes(&self) -> Vec<(Theme, Piece)> {
        let lower: Vec<char> =
            self.chars.iter().filter_map(|it| it.to_lowercase().next()).collect();
        let (mut themes, mut at) = (Vec::<(Theme, Piece)>::new(), 0);
        let names = self.candidates();
        while at < lower.len() {
            let Some((theme, length)) = THEME_WORDS.at(&lower, at) else {
                at += 1;
                continue;
            };
            // `ブルーアイズ` is a name and no colour, and `深淵魔導師ノクス` a card's and no theme's.
            let piece = self.piece(at, at + length);
            if names.iter().any(|it| self.is_more(it, &piece)) {
                at += length;
                continue;
            }
            if !themes.iter().any(|it| it.0.japanese == theme.japanese) {
                themes.push((theme, self.piece(at, at + length)));
            }
            at += length;
        }
        themes
    }

    fn title(&self) -> Option<String> {
        if let Some(quoted) = self.quoted.first() {
            return Some(quoted.text.clone());
        }
        let stretches = self.stretches(&['の', 'と', 'は', 'に', 'を', 'で']);
        let japanese =
            stretches.iter().filter(|it| self.is_title(it)).max_by_key(|it| it.to - it.from);
        japanese.map(|it| it.text.clone()).or_else(|| self.english_title())
    }

    fn unknown_names(&self) -> Vec<Piece> {
        let themes = self.themes();
        let mut names = self.candidates();
        names.retain(|it| !themes.iter().any(|theme| theme.1.from < it.to && it.from < theme.1.to));
        names.sort_by_key(|it| (it.from, it.from.wrapping_sub(it.to)));
        names.dedup_by(|next, it| next.from < it.to);
        names
    }
}

/// What is neither hiragana nor a mark: what names are written in.
fn is_name_char(it: char) -> bool {
    matches!(it, '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}') || it.is_ascii_alphanumeric()
}

fn is_hiragana(it: char) -> bool {
    matches!(it, '\u{3041}'..='\u{3096}')
}

/// Before and behind a card's name in English.
const NAME_BEFORE: &str = "illustration of|illustrations of|picture of|pictures of|image of|images of|artwork of|artwork for|illustration for|card art for|card art of|art of|art for|card called|card named|the card|thumbnail of|thumbnail featuring|featuring";
const NAME_STOPS: &str = ".|,|?|!|\n| please| for | in | on | and | with | as | titled | that | card| theme| pls| thanks| by | from | is | vs | vs. | versus ";
const NAME_BEHIND: &str = " illustration| card art| card| artwork| picture| art";
const NAME_LEADS: &str = "show me |show |find |get |fetch |see |display |the |a |an |of |me |for |want |need |like |give me |look up |to |please |this |my |can i |pull up ";

impl Heard {
    /// What may be the name of a card, a theme among it or not.
    fn candidates(&self) -> Vec<Piece> {
        let mut names = self.capitals();
        names.extend(self.described());
        const BEHIND: &[char] = &[
            'の', 'と', 'を', '、', 'が', 'で', 'は', '対', 'も', 'や', ' ', '?', '!', '。', ',',
            'に', '(', 'v', '×', 'x', '・',
        ];
        names.extend(self.stretches(&['の', '・', '=']).into_iter().filter(|it| {
            let is_long = it.to - it.from >= 2;
            let is_word = |word: &Token| {
                word.from == it.to
                    && matches!(
                        word.word,
                        Word::Card | Word::Theme | Word::Thumbnail | Word::Versus
                    )
            };
            let next = self.chars.get(it.to);
            let is_over =
                next.is_none_or(|it| BEHIND.contains(it)) || self.tokens.iter().any(is_word);
            is_long && is_over && it.text.chars().any(is_name_char) && !it.text.is_ascii()
        }));
        names
    }

    /// A card's name as English describes it: `a picture of argo`, `argo the star ship illustration`.
    fn described(&self) -> Option<Piece> {
        let words = |it: &'static str| it.split('|');
        let is_new = |from: usize, to: usize| {
            (from..to).any(|it| !self.is_known(it) && self.lower[it].is_ascii_alphanumeric())
        };
        for before in words(NAME_BEFORE) {
            let Some(at) = self.find(before, 0) else { continue };
            let mut from = at + before.len() + 1;
            from += if self.is_at("the ", from) { 4 } else { 0 };
            let to = words(NAME_STOPS)
                .filter_map(|it| self.find(it, from))
                .min()
                .unwrap_or(self.chars.len());
            if from < to && is_new(from, to) {
                return Some(self.piece(from, to));
            }
        }
        let end = words(NAME_BEHIND).filter_map(|it| self.find(it, 1)).min()?;
        let mut from = self.chars[..end]
            .iter()
            .rposition(|it| matches!(it, '.' | ',' | '!' | '?' | ':' | '\n'))
            .map_or(0, |it| it + 1);
        from += usize::from(self.lower.get(from) == Some(&' '));
        let ends = words(NAME_LEADS).filter_map(|lead| {
            (from..end).rev().find(|at| self.is_at(lead, *at)).map(|at| (at, lead.len()))
        });
        // The last lead before the name, as long as the name is not within a description of it.
        let begins: Vec<_> = ends.filter(|it| it.0 == from || it.1 > 4).collect();
        if let Some((at, length)) = begins.into_iter().max_by_key(|it| it.0 + it.1) {
            from = at + length;
        }
        while let Some(lead) = words(NAME_LEADS).find(|it| self.is_at(it, from)) {
            from += lead.len();
        }
        // A name with a capital begins there.
        let capital = self.capitals().into_iter().find(|it| from < it.from && it.to <= end);
        from = capital.map_or(from, |it| it.from);
        (from < end && is_new(from, end) && self.lower[from..end].iter().all(char::is_ascii))
            .then(|| self.piece(from, end))
    }

    /// Whether `name` has `theme` in it, and more than that.
    fn is_more(&self, name: &Piece, theme: &Piece) -> bool {
        let is_in = name.from <= theme.from && theme.to <= name.to;
        let outside = (name.from..theme.from).chain(theme.to..name.to);
        let is_name = |at: usize| {
            let it = self.chars[at];
            is_name_char(it) && !"系色的風".contains(it) && !self.is_known(at)
        };
        is_in && outside.into_iter().any(is_name)
    }

    /// Stretches that no table knows, put together over one of `joints` between two of them.
    fn stretches(&self, joints: &[char]) -> Vec<Piece> {
        let genre = |at: usize| {
            (at.saturating_sub(8)..=at)
                .any(|from| GENRE_WORDS.at(&self.lower, from).is_some_and(|it| from + it.1 > at))
        };
        let particle = |it: char| {
            "のとはにをでがもへや、。,!?! 　・~〜ー".contains(it) && it != 'ー' && it != '・'
        };
        let is_free = |at: usize| {
            let it = self.chars[at];
            let is_quoting = it == 'っ' && self.is_at("って", at)
                || it == 'て' && at > 0 && self.is_at("って", at - 1);
            if is_quoting || self.lower[at] == MASK || "「」『』“”【】《》()".contains(it)
            {
                return false;
            }
            !it.is_ascii() && !particle(it) && !self.is_known(at) && !genre(at)
                || it.is_ascii_alphanumeric()
                    && !self.is_known(at)
                    && !genre(at)
                    && self.is_mixed(at)
        };
        let mut stretches: Vec<Piece> = Vec::new();
        let mut at = 0;
        while at < self.chars.len() {
            if !is_free(at) {
                at += 1;
                continue;
            }
            let mut to = at;
            while to < self.chars.len() {
                let is_joint = joints.contains(&self.chars[to])
                    && to + 1 < self.chars.len()
                    && is_free(to + 1);
                if !is_free(to) && !is_joint {
                    break;
                }
                to += 1;
            }
            stretches.push(self.piece(at, to));
            at = to.max(at + 1);
        }
        stretches
    }

    /// Whether a letter at `at` is in a Japanese sentence.
    fn is_mixed(&self, _at: usize) -> bool {
        self.chars.iter().any(|it| is_hiragana(*it))
    }

    /// Whether a stretch stands where a film's name does.
    fn is_title(&self, it: &Piece) -> bool {
        const BEHIND: &str =
            "の上映|の映画|のチケット|の席|の座席|の空席|の予約|の回|の時間|の券|の空き|の残席|\
             のスケジュール|の前売|の今日|の明日|の夜|を観|を見|をみ|を予約|を1|を2|を3|を4|を5|\
             を一|を二|を三|を四|を五|を大人|を夜|を今|を明|を上映|を家族|を友|を彼|を取|を何|\
             を土|を日|が観|が見|がみ|がい|がやって|が気|って|は何時|はいつ|は上映|はやって|\
             はまだ|は観|は見|はある|はどこ|はあります|は空|という|で、|で2|で二|、2|、二|\
             の公開|の夕|の朝|の昼|の土|の日|の金|に空|の評|、|観たい|見たい|のレイト|、夜|\
             は明日|は今日|は今|は夜|は土|は日|は週|の来週|の今週|の週|の1|の2|の詳|のこと|\
             について|を来週|を今週|を週";
        let length = it.to - it.from;
        let is_named = it.text.chars().any(is_name_char);
        let is_kana = it.text.chars().all(|it| is_hiragana(it) || it == 'ー');
        if length < 2
            || !(is_named || (is_kana && length >= 3))
            || it.text.chars().all(|it| it.is_ascii_digit())
        {
            return false;
        }
        let rest = it.to.min(self.lower.len());
        words(BEHIND).any(|behind| self.is_at(behind, rest))
    }

    /// Words with capitals that no table knows for anything else: `Your Name`, `Seven Samurai`.
    fn english_title(&self) -> Option<String> {
        if let Some(it) = self.capitals().into_iter().max_by_key(|it| it.to - it.from) {
            return Some(it.text);
        }
        const BEFORE: &str =
            "showtimes for|show times for|showtimes of|screenings of|screening times for|\
             tickets for|tickets to|ticket for|ticket to|seats for|seat for|a film called|\
             a movie called|the movie|the film|movie called|film called|to see|to watch|see|\
             watch|when is|when does";
        const STOPS: &str =
            " tomorrow| today| tonight| on | at | this | next | for | in | please| playing| showing| start| screen| with | and | around| after| before|\
             ?|.|,|!| is | friday| saturday| sunday| still| now";
        for before in words(BEFORE) {
            let Some(at) = self.find(before, 0) else { continue };
            let from = at + before.chars().count() + 1;
            let to =
                words(STOPS).filter_map(|it| self.find(it, from)).min().unwrap_or(self.chars.len());
            if from >= to {
                continue;
            }
            let is_new = (from..to).any(|it| !self.is_known(it) && self.lower[it] != ' ');
            let ends_known = self.is_known(from) && self.is_known(to - 1);
            let is_time = self.when.spans.iter().any(|it| it.0 == from);
            if is_new && !ends_known && !is_time {
                return Some(self.piece(from, to).text);
            }
        }
        None
    }

    /// Runs of English words that begin with a capital, small words between them allowed; the first word
    /// of a sentence counts only where no table knows it.
    pub(super) fn capitals(&self) -> Vec<Piece> {
        const SMALL: &str =
            "of|the|and|no|to|in|a|with|-";
        let mut words: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        while at < self.chars.len() {
            let length = self.chars[at..]
                .iter()
                .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '\'' | '-'))
                .count();
            if length > 0 && self.lower[at] != MASK {
                words.push((at, at + length));
            }
            at += length.max(1);
        }
        let text = |it: &(usize, usize)| self.chars[it.0..it.1].iter().collect::<String>();
        let is_taken = |it: &(usize, usize)| {
            let lies = |span: &(usize, usize)| span.0 <= it.0 && it.1 <= span.1;
            self.when.spans.iter().any(lies)
                || self.numbers.ids.iter().any(|id| id.1 == text(it))
                || self.numbers.seats.contains(&text(it))
        };
        let is_capital = |index: usize| {
            let it = &words[index];
            let word = text(it);
            let is_upper = self.chars[it.0].is_ascii_uppercase()
                && !matches!(
                    word.as_str(),
                    "I" | "I'd"
                        | "I'm"
                        | "I've"
                        | "OK"
                        | "SF"
                        | "PM"
                        | "AM"
                        | "I'll"
                        | "ID"
                        | "A"
                        | "The"
                );
            let before = self.chars[..it.0].iter().rev().find(|it| **it != ' ');
            let begins = before.is_none_or(|it| matches!(it, '.' | '!' | '?' | '\n' | ':'));
            let is_known = (it.0..it.1).all(|at| self.is_known(at));
            is_upper
                && !is_taken(it)
                && !(begins && (is_known || self.numbers.spans.iter().any(|span| span.0 == it.0)))
        };
        let (mut runs, mut index) = (Vec::new(), 0);
        while index < words.len() {
            if !is_capital(index) {
                index += 1;
                continue;
            }
            let (begin, mut end, mut next) = (words[index].0, words[index].1, index + 1);
            while next < words.len() {
                let gap: String = self.chars[words[next - 1].1..words[next].0].iter().collect();
                let is_small = SMALL.contains(&text(&words[next]).as_str())
                    && next + 1 < words.len()
                    && is_capital(next + 1)
                    && text(&words[next]) != "and";
                if gap.trim() != "" && gap != ": " || !(is_capital(next) || is_small) {
                    break;
                }
                end = words[next].1;
                next += 1;
            }
            runs.push(self.piece(begin, end));
            index = next;
        }
        // One word that merely begins a sentence is a name where it stands before what names have.
        let heads = [
            Word::Card,
            Word::Theme,
            Word::Thumbnail,
            Word::Versus,
            Word::Showtimes,
            Word::Ticket,
            Word::Film,
            Word::Playing,
            Word::Seat,
        ];
        runs.retain(|it| {
            let before = self.chars[..it.from].iter().rev().find(|it| **it != ' ');
            let begins = before.is_none_or(|it| matches!(it, '.' | '!' | '?' | '\n'));
            let is_head = self
                .tokens
                .iter()
                .any(|token| token.from == it.to + 1 && heads.contains(&token.word));
            !begins || it.text.contains(' ') || is_head || self.is_at(" and ", it.to)
        });
        runs.retain(|it| {
            let words = [Word::Card, Word::Theme, Word::Film, Word::Show];
            !self.tokens.iter().any(|token| {
                words.contains(&token.word) && token.from == it.from && token.to == it.to
            })
        });
        runs
    }
}
