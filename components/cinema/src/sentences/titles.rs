//! Finds film names and genres in a sentence.

use std::{
    ops::{Deref, Range},
    sync::LazyLock,
};

use language::{
    Date,
    clock::is_numeral,
    coverage::{LAST, Used, is_condition, unused},
    name_pieces::{is_hiragana, is_name_char},
    scan::{Lexicon, marks},
    utterance::{Piece, Token, Utterance},
    words::Word,
};

use super::{
    VOCABULARY, booker,
    conditions::{self, Conditions},
    rules::USER,
    two_bookings,
    visit::USER_MAX,
    words,
};

/// Genres in Japanese and English as catalogues name them, and common words for them.
const GENRES: &[((&str, &str), &str)] = &[
    (
        ("アニメ", "Animation"),
        "アニメ作品|animations|animated films|animated movies|アニメ|アニメーション|アニメ映画|animation|animated|anime|cartoon|cartoons",
    ),
    (("SF", "Science fiction"), "sf|サイエンスフィクション|science fiction|sci-fi|scifi"),
    (
        ("時代劇", "Period drama"),
        "時代劇|侍映画|サムライもの|period drama|period dramas|samurai film|samurai films|samurai movie|samurai movies",
    ),
    (("ドラマ", "Drama"), "ドラマ|ヒューマンドラマ|人間ドラマ|drama|dramas|dramatic"),
    (
        ("特撮", "Monster film"),
        "特撮|怪獣|怪獣映画|monster film|monster films|monster movie|monster movies|kaiju|tokusatsu",
    ),
    (("ホラー", "Horror"), "ホラー|怖い映画|horror|scary"),
    (("コメディ", "Comedy"), "コメディ|コメディー|喜劇|笑える|comedy|comedies|funny"),
    (("アクション", "Action"), "アクション|action"),
    (("恋愛", "Romance"), "恋愛|ラブストーリー|ロマンス|romance|romantic|love story"),
    (("サスペンス", "Thriller"), "サスペンス|スリラー|ミステリー|thriller|suspense|mystery"),
    (("ドキュメンタリー", "Documentary"), "ドキュメンタリー|documentary"),
    (("ファンタジー", "Fantasy"), "ファンタジー|fantasy"),
];

static GENRE_WORDS: LazyLock<Lexicon<(&'static str, &'static str)>> =
    LazyLock::new(|| Lexicon::loose(GENRES));

/// Whether `text` chooses a film or a seat without a name: `2番`, `三つ目`, `真ん中`, `話題作`.
fn is_choice(text: &str) -> bool {
    const PLACES: &str = "番目|番|つ目|件目|本目|個目";
    const ANY: &str =
        "なんでもいい|何でもいい|任せ|任せる|任せます|おまかせ|お任せ|お任せします|おまかせします";
    let is_number = |it: &str| !it.is_empty() && it.chars().all(is_numeral);
    marks(PLACES).any(|it| text.strip_suffix(it).is_some_and(is_number))
        || marks(ANY).any(|it| text == it)
        || conditions::is_position(text)
        || conditions::is_order(text)
}

/// Spans of genres in a lowercase sentence.
pub(super) fn genres(lower: &[char]) -> Vec<(usize, usize)> {
    (0..lower.len()).filter_map(|at| Some((at, at + GENRE_WORDS.at(lower, at)?.1))).collect()
}

/// A sentence with its film names.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    /// The first request, without the booker's name.
    utterance: Utterance,
    /// Name of the booker: `under the name Ken`, `佐藤の名前で`.
    pub(super) booker: Option<String>,
    /// A second booking.
    pub(super) later: Option<String>,
    /// The alternative if the request is unavailable.
    pub(super) instead: Option<String>,
    /// Whether a waiting list is wished as well.
    pub(super) waits: bool,
}

impl Deref for Sentence {
    type Target = Utterance;

    fn deref(&self) -> &Utterance {
        &self.utterance
    }
}

impl Sentence {
    /// User of the booking: an identifier or a name.
    pub(super) fn user(&self) -> Option<String> {
        let id = self.numbers.id(USER).map(str::to_owned);
        id.or_else(|| self.booker.clone()).map(|it| it.chars().take(USER_MAX).collect())
    }

    /// Conditions, with the alternative.
    pub(super) fn wanted(&self) -> Conditions {
        let mut wanted = Conditions::parse(self);
        wanted.instead.clone_from(&self.instead);
        wanted
    }

    /// Parses `text`.
    pub(super) fn parse(text: &str, today: Date) -> Self {
        let text = &two_bookings::switched(&words::plainly(text));
        let (booker, text) = match booker::booker(text, today) {
            Some((booker, rest)) => (Some(booker), rest),
            None => (None, text.to_owned()),
        };
        if let Some((rest, day)) = two_bookings::without_waiting(&text, today) {
            let mut sentence = Self { waits: true, ..Self::parse(&rest, today) };
            sentence.utterance.when.date = sentence.utterance.when.date.or(day);
            sentence.booker = sentence.booker.or(booker);
            return sentence;
        }
        if let Some((first, condition, order)) = two_bookings::instead(&text, today) {
            let mut utterance = first.utterance;
            // `2枚取って、もし夜が埋まってたら` requests the evening.
            utterance.when.hours = utterance.when.hours.or(condition.when.hours);
            utterance.when.date = utterance.when.date.or(condition.when.date);
            return Self { utterance, booker, later: None, instead: Some(order), waits: false };
        }
        match two_bookings::split_bookings(&text, today) {
            Some((first, later)) => {
                Self { booker, later: Some(later), ..Self::plain(&first, today) }
            }
            None => Self { booker, ..Self::plain(&text, today) },
        }
    }

    /// Parses a text with a single booking and no booker.
    pub(super) fn plain(text: &str, today: Date) -> Self {
        let utterance = Utterance::parse(text, today, &VOCABULARY);
        Self { utterance, booker: None, later: None, instead: None, waits: false }
    }

    /// Genre, in Japanese and English; several that are joined are alternatives: `アニメか時代劇`.
    pub(super) fn genre(&self) -> Option<(String, String)> {
        const JOINTS: &str =
            "と|か|や|も|とか|または|もしくは|、|・| and | or |, |, or | and/or |/";
        let mut kinds: Vec<_> = self.kinds().filter(|it| !self.is_refused(it.1)).collect();
        kinds.dedup_by(|later, first| later.1.0 < first.1.1);
        let is_joined = |from: usize, to: usize| {
            let between: String = self.lower[from..to].iter().collect();
            marks(JOINTS).any(|it| it == between)
        };
        let count = kinds.windows(2).take_while(|it| is_joined(it[0].1.1, it[1].1.0)).count() + 1;
        kinds.truncate(count);
        let all = |name: fn(&(&'static str, &'static str)) -> &'static str, joint| {
            kinds.iter().map(|it| name(&it.0)).collect::<Vec<_>>().join(joint)
        };
        (!kinds.is_empty()).then(|| (all(|it| it.0, "・"), all(|it| it.1, " or ")))
    }

    /// Whether its genre is added to what was asked for: `時代劇も入れて`, `add period dramas`.
    pub(super) fn adds_genre(&self) -> bool {
        const BEHIND: &str = "も|を追加|を加え|を入れ|を足";
        let kinds = genres(&self.lower);
        kinds.iter().any(|it| marks(BEHIND).any(|mark| self.is_at(mark, it.1)))
            || !kinds.is_empty() && (self.says("add|include|plus") || self.says_too())
    }

    /// Whether its day is added to the one before: `日曜の夜も`, `Sunday as well`.
    pub(super) fn adds_day(&self) -> bool {
        // `日曜も無理` adds none.
        const DENIALS: &str =
            "も無理|もだめ|もダメ|もいや|も嫌|も行けな|もいけな|もやめ|もいらな|も忙し|も予定";
        let end = self.when.spans.iter().map(|it| it.1).max();
        self.says_too() && !self.says("not|can't|cant|don't|dont|full|busy")
            || end.is_some_and(|it| self.is_at("も", it)) && !self.says(DENIALS)
    }

    /// Whether it adds something in English; `too late` adds nothing.
    fn says_too(&self) -> bool {
        let text: String = self.lower.iter().collect();
        let text = text.trim_end_matches([' ', '?', '.', '!']);
        let text = text.strip_suffix(" please").unwrap_or(text);
        self.says("also|as well") || text.ends_with(" too") || text.contains(" too, ")
    }

    /// Whether `name`, at `range`, is to take the place of something but is no film: `2人にして`, `アニメにして`.
    pub(super) fn is_no_film(&self, name: &str, range: &Range<usize>) -> bool {
        const SCREENS: &str = "シアター|スクリーン|screen|theatre|theater";
        const ENDS: &str = "ほう|方|やつ|目|版|払い";
        const COUNTERS: [char; 5] = ['人', '枚', '席', '名', 'つ'];
        const OTHERS: &str =
            "なし|無し|それ|これ|あれ|上の|下の|最終|現金|paypay|cash|card|credit card";
        let lower = name.to_lowercase();
        marks(SCREENS).any(|it| lower.contains(it))
            || marks(ENDS).any(|it| name.ends_with(it))
            || marks(OTHERS).any(|it| it == lower)
            || lower.starts_with("my ")
            || !self.numbers.counts.is_empty() && name.ends_with(COUNTERS)
            || self.kinds().any(|it| it.1 == (range.start, range.end))
    }

    /// Unwanted genres, in Japanese: `アニメは見たくない`, `no anime or horror please`.
    pub(super) fn refused_genres(&self) -> Option<String> {
        let refused = self.kinds().filter(|it| self.is_refused(it.1)).map(|it| it.0.0);
        let refused: Vec<_> = refused.collect();
        (!refused.is_empty()).then(|| refused.join("・"))
    }

    /// Genres with the spans of their words.
    fn kinds(&self) -> impl Iterator<Item = ((&'static str, &'static str), (usize, usize))> + '_ {
        genres(&self.lower)
            .into_iter()
            .filter_map(|span| GENRE_WORDS.at(&self.lower, span.0).map(|it| (it.0, span)))
    }

    /// Whether the sentence denies the words in `span`.
    fn is_refused(&self, span: (usize, usize)) -> bool {
        const BEHIND: &str = "は見たくな|は観たくな|はみたくな|が見たくな|が観たくな|見たくな|観たくな|はいらな|は要らな|はいいや|はいやだ|は嫌|はイヤ|はやめ|はパス|は苦手|は好きじゃな|は無し|はなし|なしで|無しで|抜きで|じゃない|じゃなく|ではない|ではなく|でない|でもない|でもなく|も嫌|も苦手";
        const FILMS: [&str; 3] = ["映画", "作品", "もの"];
        const BEFORE: &str = "no|no more|not|not another|don't want|dont want|do not want|don't want to see|dont want to see|do not want to see|don't want to watch|dont want to watch|do not want to watch|don't like|dont like|do not like|don't feel like|dont feel like|not in the mood for|without|hate|isn't|isnt|aren't|arent|skip|anything but";
        let behind = self.lower.get(span.1..).unwrap_or_default();
        let behind: String = behind.iter().take(12).collect();
        let behind = FILMS.iter().find_map(|it| behind.strip_prefix(it)).unwrap_or(&behind);
        let more = behind.strip_prefix('も').map(|it| format!("は{it}")).unwrap_or_default();
        let before: String = self.lower[..span.0].iter().collect();
        let before = before.trim_end();
        let article = [" the", " a", " an", " any"].iter().find_map(|it| before.strip_suffix(it));
        let before = article.unwrap_or(before);
        let ends = |text: &str| {
            before.strip_suffix(text).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
        };
        // `アニメじゃない？` is a question.
        let asks = ["じゃない?", "じゃない？", "ではない?", "じゃないの?"];
        let is_excluded =
            || self.excluded_name().is_some_and(|it| it.from <= span.0 && span.1 <= it.to);
        // `no horror or anime`, `アニメやホラーは嫌`: both are denied.
        let is_with = |from: usize, to: usize, joints: &[&str]| {
            let between = self.lower.get(from..to).map(|it| it.iter().collect::<String>());
            between.is_some_and(|it| joints.contains(&it.as_str()))
        };
        let joined = || {
            self.kinds().any(|(_, other)| {
                (is_with(other.1, span.0, &[" or ", " nor "])
                    || is_with(span.1, other.0, &["と", "とか", "や", "も", "でも", "・"]))
                    && self.is_refused(other)
            })
        };
        marks(BEHIND).any(|it| behind.starts_with(it) || more.starts_with(it))
            && !asks.iter().any(|it| behind.starts_with(it))
            || marks(BEFORE).any(ends)
            || is_excluded()
            || joined()
    }

    /// Film's name: quoted, otherwise unknown words in a typical position.
    pub(super) fn title(&self) -> Option<String> {
        if let Some(quoted) = self.quoted.first() {
            return Some(quoted.text.clone());
        }
        let stretches = self.unknown_pieces(&['の', 'と', 'は', 'に', 'を', 'で']);
        let japanese =
            stretches.iter().filter(|it| self.is_title(it)).max_by_key(|it| it.to - it.from);
        let japanese = japanese.cloned().into_iter().chain(self.kana_title());
        let japanese = japanese.max_by_key(|it| it.to - it.from);
        japanese.map(|it| it.text).or_else(|| self.english_title())
    }

    /// Film's name in any position, if it looks like one: `十人で明日のアキラ`.
    pub(super) fn name(&self) -> Option<String> {
        const CHARS_MIN: usize = 3;
        let is_sign = |it: char| it == 'ー' || is_name_char(it) && !it.is_ascii();
        let is_thing = |it: &str| ["席", "日", "向け"].iter().any(|end| it.ends_with(end));
        let is_name = |name: &String| {
            name.chars().count() >= CHARS_MIN && name.chars().all(is_sign) && !is_thing(name)
        };
        self.title().or_else(|| self.leftover().filter(is_name))
    }

    /// A name only in hiragana, including particles: `きみのなはの上映`, `となりのととろ、あした`.
    fn kana_title(&self) -> Option<Piece> {
        const BEHIND: &str = "の上映|の映画|のチケット|の予約|の回|の時間|を予約|を見|を観|をみ|が見|が観|がみ|は何時|はなんじ|はいつ|っていつ|っていくら|を取";
        const BEGINS: &str = "つうろ|すみ|はじ|となりどうし|それ|これ|あれ|どれ|その|この|あの|どの|じゃあ|では|やっぱ";
        const ENDS: &str = "がわ|はなし|いきかた|みち|の|やつ|ほう|から|まで|ので|けど|たら|なら|だと|です|ます|して|って";
        const CHARS_MIN: usize = 4;
        let is_kana =
            |at: usize| self.lower.get(at).is_some_and(|it| is_hiragana(*it) || *it == 'ー');
        let begins = |at: usize| is_kana(at) && (at == 0 || !is_kana(at - 1));
        let spans = || self.when.spans.iter().chain(&self.numbers.spans);
        (0..self.lower.len()).filter(|at| begins(*at)).find_map(|begin| {
            let mut from = begin;
            // `早い回のおくりびと`
            if begin > 0
                && self.lower[begin - 1].is_alphanumeric()
                && matches!(
                    self.lower[begin],
                    'の' | 'を' | 'が' | 'は' | 'に' | 'で' | 'と' | 'も'
                )
            {
                from += 1;
            }
            // `あしたのきみのなは`: the day is not part of it.
            while let Some(span) = spans().find(|it| it.0 == from && it.1 > from) {
                from = span.1 + usize::from(self.lower.get(span.1) == Some(&'の'));
            }
            let end = (from..).find(|at| !is_kana(*at)).unwrap_or(from);
            let is_apart = |at: usize| {
                at == end
                    && matches!(self.lower.get(at), Some('、' | ' '))
                    && spans().any(|it| it.0 == at + 1)
            };
            let is_wished = |at: usize| {
                let rest: String = self.lower[at.min(self.lower.len())..].iter().collect();
                let rest = rest.strip_prefix("みたい").map(str::trim_start);
                rest.is_some_and(|it| !it.starts_with(['な', 'に', 'で']))
            };
            let to = (from + CHARS_MIN..=end).find(|at| {
                let is_shown = self.is_at("を見せ", *at) || self.is_at("をみせ", *at);
                is_apart(*at)
                    || is_wished(*at)
                    || !is_shown && marks(BEHIND).any(|it| self.is_at(it, *at))
            })?;
            let new = (from..to).filter(|at| !self.is_known(*at)).count();
            let is_word = |token: &Token| {
                token.word != Word::FILLER
                    && token.word != Word::PAUSE
                    && from <= token.from
                    && token.to <= to
            };
            let name = self.piece(from, to);
            let is_name = new * 2 > to - from
                && !self.tokens.iter().any(is_word)
                && !marks(BEGINS).any(|it| name.text.starts_with(it))
                && !marks(ENDS).any(|it| name.text.ends_with(it));
            is_name.then_some(name)
        })
    }

    /// Longest unknown piece that may be a film's name.
    pub(super) fn leftover(&self) -> Option<String> {
        if let Some(quoted) = self.quoted.first() {
            return Some(quoted.text.clone());
        }
        let mut unused = unused(self, &Used { conditions: vec![LAST], ..Used::default() });
        // `今夜何かある？子どもと二人です`, `today, the latest`: conditions are no names.
        unused.retain(|it| !is_condition(self, it));
        let stem = |word: &String| {
            word.trim_end_matches(|it| matches!(it, '\u{3041}'..='\u{3096}')).to_owned()
        };
        let has_unused = |text: &str| unused.iter().any(|it| text.contains(&stem(it)));
        let japanese = self.unknown_pieces(&['の', 'と', 'は', 'に', 'を', 'で']);
        let japanese = japanese.into_iter().filter(|piece| {
            has_unused(&piece.text) && !piece.text.is_ascii() && !is_choice(&piece.text)
        });
        if let Some(name) = japanese.max_by_key(|it| it.to - it.from) {
            return Some(name.text);
        }
        if let Some(name) = unused.iter().find(|it| !it.is_ascii() && !is_choice(&stem(it))) {
            return Some(stem(name));
        }
        let capital = self.capitalized_names().into_iter().max_by_key(|it| it.to - it.from);
        let latin = || {
            let words: Vec<_> = unused.iter().filter(|it| it.is_ascii() && it.len() > 2).collect();
            let text = self.text();
            // Adjacent words may be one name; scattered words are none.
            let name = (1..=words.len()).rev().map(|it| &words[..it]).find_map(|words| {
                let name = words.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" ");
                text.to_lowercase().contains(&name.to_lowercase()).then_some(name)
            });
            name.unwrap_or_default()
        };
        capital.map(|it| it.text).or_else(|| Some(latin()).filter(|it| !it.is_empty()))
    }

    /// Whether a piece is in a typical position of a film's name.
    fn is_title(&self, piece: &Piece) -> bool {
        const BEHIND: &str = "の上映|の映画|のチケット|の席|の座席|の空席|の予約|の回|の時間|の券|の空き|の残席|\
             のスケジュール|の前売|の今日|の明日|の夜|を観|を見|をみ|を予約|を1|を2|を3|を4|を5|\
             を一|を二|を三|を四|を五|を大人|を夜|を今|を明|を上映|を家族|を友|を彼|を取|を何|\
             を土|を日|が観|が見|がみ|がい|がやって|が気|って|は何時|はなんじ|はいつ|は上映|はやって|\
             はまだ|は観|は見|はある|はどこ|はあります|は空|という|で、|で2|で二|、2|、五|、5|、四|、4|、三|、3|、一|、1|、二|\
             の料金|の値段|はいくら|っていくら|のチケット代|の鑑賞料|の公開|の夕|の朝|の昼|の土|の日|の金|に空|の評|、|観たい|見たい|のレイト|、夜|\
             の一番|のいちばん|の最|の早|の遅|の次|の初|は明日|は今日|は今|は夜|は土|は日|は週|の来週|の今週|の週|の1|の2|の詳|のこと|\
             について|を来週|を今週|を週|予約|っていつ|いつ|見れ|観れ|みれ";
        let length = piece.to - piece.from;
        let is_named = piece.text.chars().any(is_name_char);
        let is_kana = piece.text.chars().all(|it| is_hiragana(it) || it == 'ー');
        // `その中で2時間以内は？` refers to the list.
        const THOSE: [&str; 4] = ["その中", "この中", "あの中", "そのうち"];
        // `誕生日いつ？` is about a person.
        const DAYS: [&str; 3] = ["誕生日", "記念日", "定休日"];
        if length < 2
            || THOSE.contains(&piece.text.as_str())
            || DAYS.contains(&piece.text.as_str())
            || is_choice(&piece.text)
            || !(is_named || (is_kana && length >= 3))
            || piece.text.chars().all(|it| it.is_ascii_digit())
        {
            return false;
        }
        let rest = piece.to.min(self.lower.len());
        marks(BEHIND).any(|behind| self.is_at(behind, rest)) || self.is_before_wish(piece)
    }

    /// Whether a day or a number of tickets follows a piece at once: `アキラ明日2枚`, `ゴジラ3枚`.
    fn is_before_wish(&self, piece: &Piece) -> bool {
        let follows = |spans: &[(usize, usize)]| spans.iter().find(|it| it.0 == piece.to).copied();
        let is_ticket = |(_, to): (usize, usize)| matches!(self.lower[to - 1], '枚' | '席');
        // `無理だから月曜に`, `雨なら明日`: a clause names no film.
        const CLAUSES: &str =
            "から|ので|なら|たら|だら|れば|けど|のに|くて|って|んで|ても|でも|だし";
        let is_clause = marks(CLAUSES).any(|end| piece.text.ends_with(end));
        let is_followed = follows(&self.when.spans).is_some()
            || follows(&self.numbers.counted).is_some_and(is_ticket);
        is_followed && !is_clause && !is_condition(self, &piece.text)
    }

    /// Capitalized unknown words: `Your Name`, `Seven Samurai`.
    fn english_title(&self) -> Option<String> {
        // `not Godzilla, Akira` means the other one.
        let is_meant = |piece: &Piece| {
            let before: String = self.lower[..piece.from].iter().collect();
            !before.ends_with("not ") || before.ends_with("why not ")
        };
        let capitals = self.capitalized_names().into_iter().filter(is_meant);
        if let Some(name) = capitals.max_by_key(|it| it.to - it.from) {
            return Some(name.text);
        }
        const BEFORE: &str = "showtimes for|show times for|showtimes of|screenings of|screening times for|\
             tickets for|tickets to|ticket for|ticket to|seats for|seat for|a film called|\
             a movie called|the movie|the film|movie called|film called|to see|to watch|see|\
             watch|when is|when does";
        const STOPS: &str = " tomorrow| today| tonight| on | at | this | next | for | in | please| playing| play| run| screen| air| get| showing| start| screen| with | and | around| after| before|\
             ?|.|,|!| is | monday| tuesday| wednesday| thursday| friday| saturday| sunday| still| now";
        for before in marks(BEFORE) {
            let Some(at) = self.find(before, 0) else { continue };
            let from = at + before.chars().count() + 1;
            let to =
                marks(STOPS).filter_map(|it| self.find(it, from)).min().unwrap_or(self.chars.len());
            if from >= to {
                continue;
            }
            let kinds = genres(&self.lower);
            let is_kind = |at: usize| kinds.iter().any(|it| it.0 <= at && at < it.1);
            let is_new =
                (from..to).any(|it| !self.is_known(it) && !is_kind(it) && self.lower[it] != ' ');
            let ends_known = self.is_known(from) && self.is_known(to - 1);
            let is_time = self.when.spans.iter().any(|it| it.0 == from);
            let text = self.piece(from, to).text.to_lowercase();
            let is_any = marks("for |less |under |$|whatever|the best|the highest|the longest|the shortest|the newest|the oldest|a film|a movie|any |anything|something|one that")
            .any(|it| text.starts_with(it));
            if is_new && !ends_known && !is_time && !is_any {
                return Some(self.piece(from, to).text);
            }
        }
        None
    }
}
