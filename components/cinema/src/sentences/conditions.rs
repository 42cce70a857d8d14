//! Conditions on films and showings besides a title: the shortest, the earliest, under two hours, no anime.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use language::{
    Language,
    clock::{is_numeral, number, starts},
    coverage::is_small,
    dates::{Hours, is_refused},
    name_pieces::is_name_char,
    scan::{folded, marks},
    utterance::Utterance,
    words::Word,
};

use super::showings::{self, Timed};

/// Order of films; the first is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Order {
    Shortest,
    Longest,
    Newest,
    Oldest,
    Best,
    Worst,
}

/// Which of several showings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Pick {
    Earliest,
    Latest,
}

/// Order of showings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Sorting {
    Earliest,
    Latest,
    /// Most free seats first.
    Emptiest,
}

const SORTINGS: &[(Sorting, &str)] = &[
    (
        Sorting::Latest,
        "遅い順|遅いのから|遅いほうから|遅い方から|後ろから順|逆順|逆の順|latest first|late first|last first|from the latest|reverse order",
    ),
    (
        Sorting::Emptiest,
        "空いている順|空いてる順|空きの多い順|空席の多い順|空席順|空き順|席が多い順|by free seats|by seats left|most seats first|emptiest first|by availability",
    ),
    (
        Sorting::Earliest,
        "早い順|早いのから|時間順|時刻順|earliest first|early first|by time|in order of time",
    ),
];

/// Order of showings in `utterance`.
pub(super) fn sorting(utterance: &Utterance) -> Option<Sorting> {
    SORTINGS.iter().find(|it| utterance.says(it.1)).map(|it| it.0)
}

/// Position in the hall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Position {
    Front,
    Back,
    Middle,
    Aisle,
}

/// Denials of a position, before it in English and after it in Japanese.
const DENIALS_BEFORE: &str = "not |not in |not at |not the |not in the |not at the |not right at the |not right in the |not too close to |not too far |not next to the |not next to an |not near the |not by the |not beside the |not on the |not on an |not an |away from the |far from the |avoid |avoid the |avoiding the |no |nothing in the |anything but the |except the |except ";
const DENIALS_AFTER: &str = "以外|じゃな|じゃない|ではな|は避け|を避け|は嫌|はいや|はイヤ|はやめ|は無し|はなし|は苦手|すぎな|過ぎな";

const POSITIONS: &[(Position, &str)] = &[
    (
        Position::Aisle,
        "通路側|通路寄り|通路に近い|通路脇|通路沿い|端の席|端っこ|はしの席|the side|the sides|side seats|aisle|aisle seat|aisle seats|at the end of a row|at the end of the row",
    ),
    (
        Position::Back,
        "いちばんうしろ|一番うしろ|最後列|一番後ろ|後ろの方|後ろのほう|後ろ寄り|後方|後ろの席|うしろの席|うしろ|後ろ|back row|back rows|near the back|towards the back|toward the back|the back|at back|rear|towards the back|back seats|last row",
    ),
    (
        Position::Front,
        "too close to the screen|right at the screen|near the screen|まえのほう|まえの方|まえの席|まえのせき|いちばんまえ|一番まえ|いちばん前|最前列|最前|一番前|前の方|前のほう|前方|前寄り|前の席|前列|front row|front rows|near the front|towards the front|toward the front|the front|front seats|front|first row",
    ),
    (
        Position::Middle,
        "near the middle|near the center|near the centre|真ん中|まんなか|まん中|ど真ん中|中央|中ほど|センター|middle|in the middle|center|centre|central|centrally",
    ),
];

const ORDERS: &[(Order, &str)] = &[
    (
        Order::Shortest,
        "いちばんみじかい|一番みじかい|一番短い|いちばん短い|最も短い|もっとも短い|最短|短い順|一番短め|短いのから|もっと短い|短いほう|短い方|短い映画|短め|短いやつ|短いの|something short|a short film|short film|short films|short movie|a short one|something shorter|a shorter|any shorter|shorter one|shortest|least long|どっちが短い|どちらが短い|is shorter|one is shorter|the shorter",
    ),
    (
        Order::Longest,
        "いちばんながい|一番ながい|一番長い|いちばん長い|最も長い|最長|長い順|もっと長い|長いほう|長い方|something longer|a longer|any longer|longer one|longest|どっちが長い|どちらが長い|is longer|the longer",
    ),
    (
        Order::Newest,
        "一番新しい|いちばん新しい|最も新しい|最新の映画|最新作|新しい順|newest|latest film|latest movie|most recent|newer",
    ),
    (Order::Oldest, "一番古い|いちばん古い|最も古い|最古|古い順|oldest|older film"),
    (
        Order::Worst,
        "評価が低い|評価の低い|一番低い|最低評価|人気がない|worst rated|lowest rated|lowest rating|worst rating|least popular",
    ),
    (
        Order::Best,
        "評価順|人気順|おすすめ順|評判順|rated higher|rated better|by rating|by stars|評価の高い|評価が高い|評価高い|星の多い|星が多い|点数の高い|点数が高い|評判|most stars|best reviewed|best rated|top rated|top-rated|best rating|高評価|おすすめ|お勧め|オススメ|話題作|話題の映画|話題のやつ|人気作|名作|ヒット作|人気|評価|面白い|おもしろい|高評価|recommend|popular|best|rated|highest rating|top film|top movie|everyone's talking about|everyone is talking about|everybody's talking about|everybody is talking about|people are talking about|people talk about|most talked about|much talked about|talked-about|good",
    ),
];
/// Comparisons of two films.
const THAN: &[(Order, &str)] = &[
    (Order::Longest, "longer than|より長い"),
    (Order::Shortest, "shorter than|より短い"),
    (Order::Newest, "newer than|より新しい"),
    (Order::Oldest, "older than|より古い"),
    (
        Order::Best,
        "better rated than|higher rated than|rated higher than|rated better than|better than|より評価が高い|より評価の高い|より人気",
    ),
    (Order::Worst, "lower rated than|rated lower than|worse than|より評価が低い"),
];
/// End of a comparison: `高い方`, `the better one`.
const HIGHER: &str = "高い方|高いほう|higher one|higher rated one|the higher|better one|the better";
const LOWER: &str = "低い方|低いほう|lower one|lower rated one|the lower|worse one|the worse";
const EARLIEST: &str = "もっと早い|もう少し早い|もうちょっと早い|anything earlier|something earlier|any earlier|a bit earlier|earlier showing|earlier screening|いちばんはやい|一番はやい|なるべくはやい|できるだけはやい|はやい回|はやいほう|さいしょの回|さいしょのかい|早いほう|早い方|早めのほう|the early one|early one|earlier one|the earlier|first one|なるべく早い|なるべく早く|できるだけ早い|できるだけ早く|とにかく早い|最速|as soon as possible|asap|as early as possible|soonest|いちばん近い回|next available|一番早い|いちばん早い|1番早い|最も早い|最初の回|はじめの回|朝イチ|朝一|一番早く|いちばん早く|次の回|直近の回|一番近い回|すぐ観られる回|次のは|早い回|最初の上映|朝一番|earliest|first showing|first show|first screening|first one of the day|soonest|next showing|next screening";
const LATEST: &str = "もっと遅い|もう少し遅い|もうちょっと遅い|anything later|something later|any later|a bit later|later showing|later screening|いちばんおそい|一番おそい|おそい回|おそいほう|さいごの回|さいごのかい|遅いほう|遅い方|遅めのほう|あとのほう|後の方の回|the later one|later one|the later|the late one|late one|最終回|遅い回|一番最後|latest|the last one|最後の回|最後の上映|最後の映画|ラスト|一番遅い|いちばん遅い|最も遅い|最終上映|ラストの回|last show|last showing|last screening|latest show|latest screening|latest one|final showing|final screening";
/// Words that request only the first of an order.
const FIRST: &str = "短いほう|短い方|長いほう|長い方|the shorter|the longer|一番|いちばん|最も|もっとも|最高|最長|最短|最古|最新|best|highest|top|shortest|longest|newest|oldest|worst|lowest|most";
/// Words that make an hour the end of the film.
const ENDS: &str = "までに終わ|までには終わ|には終わ|で終わる|前に終わ|までに帰|までに出|ends by|ends before|end by|end before|ending by|ending before|finish by|finish before|finished by|finishes by|finishes before|over by|over before|done by|done before|out by|out before|home by|home before|back by|back before";
const WHEELCHAIR: &str = "車椅子|車いす|車イス|wheelchair";
const PREMIUM: &str = "プレミアムシート|プレミアム席|プレミアム|premium seats|premium seat|premium";

/// Conditions besides a title.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Conditions {
    pub(super) order: Option<Order>,
    /// Whether only the first of the order is requested.
    pub(super) is_first: bool,
    pub(super) pick: Option<Pick>,
    pub(super) sorting: Option<Sorting>,
    /// Order of films by their times.
    pub(super) timed: Option<Timed>,
    /// Whether both the earliest and the latest are requested.
    is_both: bool,
    /// Range of a film's minutes.
    pub(super) minutes: Option<(u64, u64)>,
    /// Minimum rating.
    pub(super) rating: Option<f64>,
    /// Exclusion, as written.
    pub(super) without: Option<String>,
    pub(super) wheelchair: bool,
    /// Whether premium seats are requested.
    pub(super) premium: bool,
    /// Whether the named hour is the end of the film.
    pub(super) ends: bool,
    /// Position in the hall.
    pub(super) position: Option<Position>,
    /// Whether an end of the hall is denied.
    is_away: bool,
    /// Named row: `F列`, `row F`.
    pub(super) row: Option<String>,
    /// Words for the film's length.
    length: Option<String>,
    /// Words that may describe a film.
    pub(super) words: Vec<String>,
    /// Words for companions and the like, which may be part of a name: `万引き家族`.
    pub(super) others: Vec<String>,
    /// Words by which films were found.
    pub(super) explained: Vec<String>,
    /// Whether named films are compared.
    pub(super) is_compared: bool,
    /// Compared films; empty for all.
    pub(super) among: Vec<String>,
    /// Word by which a compared film was searched.
    pub(super) looked: Option<String>,
    /// Alternative if the first is full.
    pub(super) instead: Option<String>,
}

impl Conditions {
    /// Parses the conditions in `utterance`.
    pub(super) fn parse(utterance: &Utterance) -> Self {
        let has = |words: &'static str| {
            marks(words).any(|phrase| {
                utterance
                    .find(phrase, 0)
                    .is_some_and(|at| !phrase.is_ascii() || utterance.is_word(at, phrase))
            })
        };
        let text: String = utterance.lower.iter().collect();
        let earliest = has(EARLIEST) || names_showing(&text, "first ");
        let latest = has(LATEST) || names_showing(&text, "last ");
        let pick = match (earliest, latest) {
            (true, false) => Some(Pick::Earliest),
            (false, true) => Some(Pick::Latest),
            _ => None,
        };
        let length = minutes(&utterance.lower);
        // `longer than two hours` compares no films.
        let than = THAN.iter().filter(|_| length.is_none());
        let mut than = than.filter(|it| marks(it.1).any(|it| is_between(&text, it)));
        let than = than.next();
        let order = than.or_else(|| ORDERS.iter().find(|it| has(it.1))).map(|it| it.0);
        // `2時間以内で終わる` is a duration.
        let ends = marks(ENDS).any(|mark| {
            let is_length = |at| length.is_some_and(|it| (it.1.0..=it.1.1).contains(&at));
            let at = utterance.find(mark, 0).filter(|at| !is_length(*at));
            at.is_some_and(|at| !mark.is_ascii() || utterance.is_word(at, mark))
        });
        let timed = showings::timed(utterance);
        let length = length.map(|it| (it.0, utterance.piece(it.1.0, it.1.1).text));
        Self {
            order,
            is_first: order.is_some() && has(FIRST),
            pick,
            is_both: has(EARLIEST) && has(LATEST),
            minutes: length.as_ref().map(|it| it.0),
            length: length.map(|it| it.1),
            rating: rating(&utterance.lower).map(|it| it.0),
            without: utterance.excluded_name().map(|it| it.text),
            wheelchair: has(WHEELCHAIR),
            premium: has(PREMIUM) && !avoids(utterance, PREMIUM),
            ends,
            position: {
                let mut wished =
                    POSITIONS.iter().filter(|it| !avoids(utterance, it.1) && has(it.1));
                // A denied end without anything else means the middle.
                let middle = || avoids_position(utterance).then_some(Position::Middle);
                wished.next().map(|it| it.0).or_else(middle)
            },
            is_away: avoids_position(utterance),
            row: row(&utterance.lower),
            is_compared: than.is_some()
                || utterance.has(&[Word::COMPARE])
                || (order.is_some() || timed.is_some())
                    && has("which|どっち|どちら")
                    && joins(&text),
            timed,
            ..Self::default()
        }
    }

    /// Applies the end of a comparison named by `utterance`: `高い方`, `the shorter one`.
    pub(super) fn apply_comparison_end(&mut self, utterance: &Utterance, before: &Self) {
        let ends = [(Order::Best, HIGHER), (Order::Worst, LOWER)];
        let is_rated = matches!(before.order, Some(Order::Best | Order::Worst));
        let end = ends.iter().find(|it| is_rated && utterance.says(it.1));
        if let Some((order, _)) = end.filter(|_| !before.among.is_empty()) {
            (self.order, self.is_first) = (Some(*order), true);
        }
    }

    /// Whether it says more of which film or showing.
    pub(super) fn chooses_film(&self) -> bool {
        self.pick.is_some()
            || self.order.is_some()
            || self.timed.is_some()
            || self.minutes.is_some()
            || self.rating.is_some()
    }

    /// Whether seats somewhere in the hall are requested.
    pub(super) fn is_seated(&self) -> bool {
        self.position.is_some() || self.row.is_some() || self.wheelchair || self.premium
    }

    /// Applies new conditions of a later sentence; returns whether there are any.
    pub(super) fn update(&mut self, later: Self) -> bool {
        let says = later.pick.is_some() || later.is_seated();
        self.pick = later.pick.or(self.pick);
        self.row = later.row.or(self.row.take());
        self.position = later.position.or(self.position);
        self.wheelchair |= later.wheelchair;
        self.premium |= later.premium;
        let is_ordered = later.is_first && self.order != later.order;
        if is_ordered {
            (self.order, self.is_first) = (later.order, true);
        }
        says || is_ordered
    }

    /// Keeps earlier conditions on showings and seats, unless there are new ones.
    pub(super) fn inherit(&mut self, before: &Self) {
        self.pick = self.pick.or(before.pick);
        self.row = self.row.take().or_else(|| before.row.clone());
        self.wheelchair |= before.wheelchair;
        self.premium |= before.premium;
        self.position = self.position.or(before.position);
    }

    /// Parts of the sentence that it uses, including the pick if `picks`.
    pub(super) fn used(&self, picks: bool) -> Vec<String> {
        let mut used: Vec<String> = Vec::new();
        let is_seated = picks;
        let tables = ORDERS.iter().chain(THAN).filter(|it| self.order == Some(it.0));
        let tables = tables.map(|it| it.1);
        let table = [(Pick::Earliest, EARLIEST), (Pick::Latest, LATEST)];
        let picks = table
            .into_iter()
            .filter(|it| picks && (self.is_both || self.pick == Some(it.0)))
            .map(|it| it.1);
        for table in tables.chain(picks) {
            used.extend(marks(table).map(str::to_owned));
        }
        if self.is_first {
            used.extend(marks(FIRST).map(str::to_owned));
        }
        if self.is_away {
            used.extend(marks(DENIALS_AFTER).map(str::to_owned));
        }
        if self.timed.is_some() {
            used.extend(showings::words().map(str::to_owned));
        }
        if self.ends {
            used.extend(marks(ENDS).map(str::to_owned));
        }
        if self.wheelchair {
            used.extend(marks(WHEELCHAIR).map(str::to_owned));
        }
        if is_seated {
            // Requested or denied: ordinary seats come first by themselves.
            used.extend(marks(PREMIUM).map(str::to_owned));
        }
        for (position, words) in POSITIONS {
            // The position matters while choosing seats.
            let is_away = self.is_away && *position != Position::Middle;
            if is_seated && (self.position == Some(*position) || is_away) {
                used.extend(marks(words).map(str::to_owned));
            }
        }
        if let Some(row) = &self.row {
            used.extend([format!("{row}列"), format!("row {row}")]);
        }
        used.extend(self.without.clone());
        used.extend(self.length.clone());
        used
    }

    /// Whether a film meets the length and the exclusions.
    pub(super) fn accepts(&self, film: &Value) -> bool {
        let fits = match (self.minutes, film["duration"].as_u64()) {
            (Some((from, to)), Some(minutes)) => (from..=to).contains(&minutes),
            _ => true,
        };
        let is_rated = match (self.rating, film["rating"].as_f64()) {
            (Some(least), Some(rating)) => rating >= least,
            _ => true,
        };
        let is_left_out = self.without.as_ref().is_some_and(|without| {
            let fold = |text: &str| folded(text).iter().collect::<String>();
            let parts: Vec<_> = without.split('・').map(fold).collect();
            ["title", "title_en", "genre", "genre_en"]
                .iter()
                .filter_map(|it| film[*it].as_str())
                .map(fold)
                .any(|mark| {
                    let is = |it: &String| it.contains(&mark) || it.len() > 2 && mark.contains(it);
                    mark.chars().count() > 1 && parts.iter().any(is)
                })
        });
        let is_among = self.among.is_empty() || {
            let id = film["movie_id"].as_str();
            self.among.iter().any(|it| Some(it.as_str()) == id)
        };
        fits && is_rated && is_among && !is_left_out
    }

    /// Sorts films in the requested order.
    pub(super) fn sort(&self, films: &mut [&Value]) {
        let minutes = |it: &Value| it["duration"].as_u64().unwrap_or_default();
        let day = |it: &Value| it["release_date"].as_str().unwrap_or_default().to_owned();
        let rating = |it: &Value| it["rating"].as_f64().unwrap_or_default();
        match self.order {
            Some(Order::Shortest) => films.sort_by_key(|it| minutes(it)),
            Some(Order::Longest) => films.sort_by_key(|it| std::cmp::Reverse(minutes(it))),
            Some(Order::Newest) => films.sort_by_key(|it| std::cmp::Reverse(day(it))),
            Some(Order::Oldest) => films.sort_by_key(|it| day(it)),
            Some(Order::Best) => films.sort_by(|a, b| rating(b).total_cmp(&rating(a))),
            Some(Order::Worst) => films.sort_by(|a, b| rating(a).total_cmp(&rating(b))),
            None => {}
        }
    }

    /// Describes the first of them: a superlative, or a comparative of two.
    pub(super) fn superlative(&self, language: Language) -> Option<String> {
        let (japanese, most, more) = match self.order? {
            Order::Shortest => ("短い", "shortest", "shorter"),
            Order::Longest => ("長い", "longest", "longer"),
            Order::Newest => ("新しい", "newest", "newer"),
            Order::Oldest => ("古い", "oldest", "older"),
            Order::Best => ("評価が高い", "best rated", "better rated"),
            Order::Worst => ("評価が低い", "lowest rated", "lower rated"),
        };
        Some(match self.among.len() {
            2 => language.pick(format!("{japanese}のは"), format!("The {more} one is")),
            _ => language.pick(format!("一番{japanese}のは"), format!("The {most} is")),
        })
    }

    /// Films whose title or description has most of the words, and those words.
    pub(super) fn described_by<'a>(&self, films: &[&'a Value]) -> (Vec<&'a Value>, Vec<String>) {
        let texts = ["title", "title_en", "description", "description_en", "genre", "genre_en"];
        let has = |film: &Value, word: &str| {
            let stem = stem(word);
            texts.iter().filter_map(|it| film[*it].as_str()).any(|text| {
                let text = text.to_lowercase();
                match stem.is_ascii() {
                    true => {
                        text.split(|it: char| !it.is_alphanumeric()).any(|it| it.starts_with(&stem))
                    }
                    false => text.contains(&stem),
                }
            })
        };
        let count = |film: &Value| self.words.iter().filter(|it| has(film, it)).count();
        let most = films.iter().map(|it| count(it)).max().unwrap_or_default();
        if most == 0 {
            return (Vec::new(), Vec::new());
        }
        let found: Vec<_> = films.iter().copied().filter(|it| count(it) == most).collect();
        let words: Vec<_> = self
            .words
            .iter()
            .filter(|word| found.iter().any(|it| has(it, word)))
            .cloned()
            .collect();
        (found, words)
    }
}

/// Whether names are joined: `AKIRAとゴジラ`, but not `ちょっと`.
fn joins(text: &str) -> bool {
    let is_name = |it: char| it == 'ー' || is_name_char(it);
    let is_joint = |(at, word): (usize, &str)| {
        let before = text[..at].trim_end_matches([' ', '」', '』']);
        let behind = text[at + word.len()..].trim_start_matches([' ', '「', '『']);
        before.ends_with(is_name) && behind.starts_with(char::is_alphanumeric)
    };
    text.contains(" or ") || text.match_indices('と').any(is_joint)
}

/// Whether `than` has names on both sides: `is A longer than B`, `AはBより長い`.
fn is_between(text: &str, than: &str) -> bool {
    let is_word = |it: &str| !is_small(it) && it.starts_with(char::is_alphabetic);
    let Some((before, behind)) = text.split_once(than) else { return false };
    match than.is_ascii() {
        true => {
            let word = |it: &str| it.split([' ', '?', '.', ',']).next().is_some_and(is_word);
            before.ends_with(' ') && before.split(' ').any(is_word) && word(behind.trim_start())
        }
        false => before.rsplit_once('は').is_some_and(|part| {
            part.0.ends_with(char::is_alphanumeric) && part.1.ends_with(is_name_char)
        }),
    }
}

/// Hours in `utterance`; `the early one` has none.
pub(super) fn hours(utterance: &Utterance, wanted: &Conditions) -> Option<Hours> {
    const RELATIVE: [&str; 4] = ["early one", "the early", "early show", "early screening"];
    let text: String = utterance.lower.iter().collect();
    let is_relative = wanted.pick.is_some()
        && RELATIVE.iter().any(|it| text.contains(it))
        && !text.contains("morning");
    utterance.when.hours.filter(|it| !is_relative || it.is_exact)
}

/// Parses a minimum rating with its span: `評価4.5以上`, `rated above 4`.
fn rating(lower: &[char]) -> Option<(f64, (usize, usize))> {
    const NAMES: &str = "評価|レビュー|レーティング|★|星|rating|rated|stars";
    const LEAST: &str =
        "以上|より上|を超|超え| or more| or higher| or above| or better| and above| and up|+";
    const BEFORE: &str = "above |over |at least |more than |higher than |better than ";
    let text: String = lower.iter().collect();
    if !marks(NAMES).any(|it| text.contains(it)) {
        return None;
    }
    let is_digit = |at: usize| lower.get(at).is_some_and(char::is_ascii_digit);
    // An integer only counts right after the word: `評価4以上の18時の回`.
    let is_named = |at: usize| {
        let before: String = lower[..at].iter().collect();
        let before = marks(BEFORE).find_map(|it| before.strip_suffix(it)).unwrap_or(&before);
        let before = before.trim_end_matches([' ', 'が', 'は']).trim_end_matches(" of");
        marks(NAMES).any(|it| before.ends_with(it))
    };
    let digits = |at: usize| match lower.get(at + 1) {
        _ if !is_digit(at) || at > 0 && is_digit(at - 1) => None,
        Some('.') if is_digit(at + 2) => Some(3),
        _ if is_digit(at + 1) || !is_named(at) => None,
        _ => Some(1),
    };
    // `5点満点で4.5以上`: the minimum.
    (0..lower.len()).find_map(|from| {
        let to = from + digits(from)?;
        let rating: f64 = lower[from..to].iter().collect::<String>().parse().ok()?;
        let behind: String = lower[to..].iter().collect();
        let behind = behind.trim_start_matches(['点', 'つ', ' ']);
        let before: String = lower[..from].iter().collect();
        let least = marks(LEAST).find(|it| behind.starts_with(it.trim_start()));
        let is_least = least.is_some() || marks(BEFORE).any(|it| before.ends_with(it));
        let end = lower.len() - behind.chars().count()
            + least.map_or(0, |it| it.trim_start().chars().count());
        is_least.then_some((rating, (from, if least.is_some() { end } else { to })))
    })
}

fn row(lower: &[char]) -> Option<String> {
    let text: String = lower.iter().collect();
    let letter = |it: Option<char>| it.filter(char::is_ascii_lowercase);
    let is_word = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
    if let Some((before, _)) = text.split_once('列') {
        let row = letter(before.chars().next_back())?;
        let is_alone = !is_word(before.chars().rev().nth(1));
        return is_alone.then(|| row.to_ascii_uppercase().to_string());
    }
    text.match_indices("row ").find_map(|(at, mark)| {
        let mut behind = text[at + mark.len()..].chars();
        let row = letter(behind.next())?;
        let is_apart = !is_word(text[..at].chars().next_back()) && !is_word(behind.next());
        is_apart.then(|| row.to_ascii_uppercase().to_string())
    })
}

/// Whether a film's name is within the phrase for a showing: `the first Rashomon showing on Thursday`.
fn names_showing(text: &str, which: &str) -> bool {
    const WORDS_MAX: usize = 4;
    let Some((_, behind)) = text.split_once(which) else { return false };
    let mut words = behind.split([' ', ',', '.', '?']).take(WORDS_MAX).skip(1);
    words.any(|it| ["showing", "show", "screening", "showtime"].contains(&it))
}

/// Whether `utterance` names a part of the hall: 真ん中, `at the back`.
pub(super) fn names_position(utterance: &Utterance) -> bool {
    POSITIONS.iter().any(|it| utterance.says(it.1))
}

/// Whether `text` is a part of the hall.
pub(super) fn is_position(text: &str) -> bool {
    POSITIONS.iter().flat_map(|it| marks(it.1)).any(|it| it == text)
}

/// Words for a film that is not named.
const VAGUE: &str = "話題作|話題の映画|話題のやつ|人気作|名作|ヒット作|短めの|短い映画|talking about|most talked about|much talked about|talked-about";

/// Whether `utterance` describes a film by its renown or length: `話題作`, `something everyone is talking about`.
pub(super) fn is_vague(utterance: &Utterance) -> bool {
    utterance.says(VAGUE)
}

/// Whether `text` is an order of films: `話題作`, `一番短い`.
pub(super) fn is_order(text: &str) -> bool {
    ORDERS.iter().flat_map(|it| marks(it.1)).any(|it| it == text)
}

/// Whether `utterance` denies an end of the hall: `not in the front row`, `最前列以外`, `no aisle seats`.
pub(super) fn avoids_position(utterance: &Utterance) -> bool {
    let mut ends = POSITIONS.iter().filter(|it| it.0 != Position::Middle);
    ends.any(|it| avoids(utterance, it.1))
}

/// Whether `utterance` denies a part of the hall by one of `words`.
fn avoids(utterance: &Utterance, words: &'static str) -> bool {
    marks(words).any(|phrase| {
        let Some(at) = utterance.find(phrase, 0) else { return false };
        let before: String = utterance.lower[..at].iter().collect();
        let behind = at + phrase.chars().count();
        match phrase.is_ascii() {
            true => marks(DENIALS_BEFORE).any(|it| before.ends_with(it)),
            false => marks(DENIALS_AFTER).any(|it| utterance.is_at(it, behind)),
        }
    })
}

/// Removes the ending of an English word.
fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    if !word.is_ascii() || word.len() < 5 {
        return word;
    }
    let bare = ["ing", "ers", "ies", "es", "er", "ed", "s", "y"]
        .iter()
        .find_map(|it| word.strip_suffix(it))
        .filter(|it| it.len() > 3);
    bare.unwrap_or(&word).to_owned()
}

/// Span of a limit of the price: `2000円以下`, `金額は1万円まで`, `under 4500 yen`.
pub(super) fn price_limit(lower: &[char]) -> Option<(usize, usize)> {
    const BEFORE: &str = "金額は|料金は|値段は|予算は|予算|合計|全部で|一人|1人|¥|not more than |no more than |not over |at most |up to |max |maximum |under |below |less than |within |budget of |budget is |budget ";
    const UNITS: &str = "円| yen|yen";
    const BEHIND: &str = "くらいまで|ぐらいまで|以下|以内|未満|まで|より安い|より安く|に収め|で収め| or less| at most| max| in total";
    let text = |from: usize, to: usize| lower[from..to].iter().collect::<String>();
    let is_digit = |it: &char| it.is_ascii_digit() || matches!(it, ',' | '万' | '千' | '百');
    let mut at = 0;
    while let Some(from) = (at..lower.len()).find(|it| lower[*it].is_ascii_digit()) {
        let to = (from..lower.len()).find(|it| !is_digit(&lower[*it])).unwrap_or(lower.len());
        at = to;
        let (mut begin, mut behind) = (from, text(to, lower.len()));
        let yen = marks(UNITS).find(|it| behind.starts_with(it));
        behind = yen.map_or(behind.as_str(), |it| &behind[it.len()..]).to_owned();
        let tail = marks(BEHIND).find(|it| behind.starts_with(it));
        let mut has_lead = false;
        while let Some(lead) = marks(BEFORE).find(|it| text(0, begin).ends_with(it)) {
            begin -= lead.chars().count();
            has_lead = true;
        }
        // `料金は2枚で` counts tickets.
        let is_large = to - from > 2 || text(from, to).contains(['万', '千', '百']);
        let is_price =
            yen.is_some() || is_large && text(begin, from).contains(['¥', '金', '料', '値', '予']);
        if is_price && (tail.is_some() || has_lead) {
            let length = |it: Option<&str>| it.map_or(0, |it| it.chars().count());
            return Some((begin, to + length(yen) + length(tail)));
        }
    }
    None
}

/// Further known spans of a lowercase sentence: lengths, ratings, prices, picks.
pub(super) fn spans(lower: &[char]) -> Vec<(usize, usize)> {
    let length = minutes(lower).map(|it| it.1).into_iter().chain(price_limit(lower));
    length.chain(rating(lower).map(|it| it.1)).chain(superlatives(lower)).collect()
}

/// Spans of superlatives: `いちばん早い回`, `一番新しい`.
fn superlatives(lower: &[char]) -> Vec<(usize, usize)> {
    let tables = ORDERS.iter().map(|it| it.1).chain([EARLIEST, LATEST]);
    // Words such as good or popular may be part of anything.
    const MARKS: [&str; 8] =
        ["一番", "いちばん", "最", "早い", "遅い", "評価", "latest", "earliest"];
    let words =
        tables.flat_map(marks).filter(|text| MARKS.iter().any(|mark| text.starts_with(mark)));
    let found = words.flat_map(|word| {
        let word: Vec<char> = word.chars().collect();
        let at = lower.windows(word.len()).position(|it| it == word);
        at.map(|at| (at, at + word.len()))
    });
    found.collect()
}

/// Parses a range of minutes with its span: `under 100 minutes`, `2時間以内`, `90分以上`.
pub(super) fn minutes(lower: &[char]) -> Option<((u64, u64), (usize, usize))> {
    const UNITS: [(u64, &str); 3] = [
        (1, "分| minutes| minute| mins| min|min"),
        (90, "時間半"),
        (60, "時間| hours| hour| hrs|hrs|h"),
    ];
    const WORDS: [(i32, &str); 7] = [
        (1, "one|an"),
        (2, "two"),
        (3, "three"),
        (4, "four"),
        (90, "ninety"),
        (100, "a hundred"),
        (120, "a hundred and twenty"),
    ];
    const BEHIND: [(bool, &str); 2] = [
        (
            true,
            "以内|以下|未満|より短|までの|くらいまで|を切る|切る|切り|で終わ|に収ま| or less| or shorter| at most| max",
        ),
        (false, "以上|より長|を超え|超え| or more| or longer| at least"),
    ];
    const BEFORE: [(bool, &str); 2] = [
        (true, "under |less than |shorter than |at most |within |below |up to |max "),
        (false, "over |more than |longer than |at least "),
    ];
    let starts = |at: usize, what: &str| starts(lower.get(at..).unwrap_or_default(), what);
    let letter = |at: usize| lower.get(at).is_some_and(char::is_ascii_alphanumeric);
    // `2時間以内ない？`, `is there nothing under two hours?` deny nothing.
    let asks = asks_for(lower);
    for at in 0..lower.len() {
        if at > 0 && (letter(at - 1) || is_numeral(lower[at - 1])) {
            continue;
        }
        let word = || {
            let words =
                WORDS.iter().flat_map(|it| marks(it.1).map(|word| (it.0, word.len(), word)));
            let found = words.filter(|it| starts(at, it.2)).max_by_key(|it| it.1)?;
            Some((found.0, found.1))
        };
        let Some((count, digits)) = number(&lower[at..]).or_else(word) else { continue };
        let behind = at + digits;
        let is_unit = |unit: &&str| {
            let end = behind + unit.chars().count();
            starts(behind, unit) && (!unit.is_ascii() || !letter(end))
        };
        let unit = UNITS.iter().find_map(|it| Some((it.0, marks(it.1).find(is_unit)?)));
        let Some((each, unit)) = unit else { continue };
        let mut to = behind + unit.chars().count();
        let half = [" and a half"].iter().find(|it| starts(to, it));
        let mut total = u64::try_from(count).ok()? * each.min(60) + each.saturating_sub(60);
        if let Some(half) = half {
            (to, total) = (to + half.len(), total + 30);
        }
        let behind =
            BEHIND.iter().find_map(|it| Some((it.0, marks(it.1).find(|it| starts(to, it))?)));
        let is_before = |it: &&str| at >= it.len() && starts(at - it.len(), it);
        let before = BEFORE.iter().find_map(|it| Some((it.0, marks(it.1).find(is_before)?)));
        let (is_most, from, to) = match (behind, before) {
            (Some((is_most, mark)), _) => {
                let to = to + mark.chars().count();
                (is_most != (is_refused(&lower[to..]) && !(asks && is_most)), at, to)
            }
            (None, Some((is_most, mark))) => {
                let from = at - mark.len();
                let no = no_before(&lower[..from]).filter(|_| !(asks && is_most));
                (is_most != no.is_some(), no.unwrap_or(from), to)
            }
            (None, None) => continue,
        };
        let range = if is_most { (0, total) } else { (total, u64::MAX) };
        return Some((range, (from, to)));
    }
    None
}

/// Whether `lower` asks for existence, so that a denial still requests it.
fn asks_for(lower: &[char]) -> bool {
    const BEGINS: &str =
        "is there|are there|isn't there|aren't there|why not|do you have|don't you have|have you";
    let text: String = lower.iter().collect();
    let text = text.trim();
    text.ends_with(['?', '？']) && !text.is_ascii()
        || text.ends_with("かな")
        || marks(BEGINS).any(|it| text.starts_with(it))
}

/// Start of a denial in the clause before the bound: `nothing over`, `no film longer than`, `don't want more than`.
fn no_before(before: &[char]) -> Option<usize> {
    const NOT: &str = "no|not|nothing|none|don't|dont|doesn't|can't|cannot|never|without|isn't";
    const BETWEEN: &str = "|film|films|movie|movies|anything|one|ones|that|that's|is|are|runs|lasts|takes|want|to|see|watch|do|sit|through|like|a|any|much";
    let begin = before.iter().rposition(|it| matches!(it, ',' | '.' | ';' | '?' | '!'));
    let begin = begin.map_or(0, |it| it + 1);
    let mut end = before.len();
    for word in before[begin..].rsplit(|it| *it == ' ') {
        let from = end - word.len();
        let word: String = word.iter().collect();
        if marks(NOT).any(|it| it == word) {
            return Some(from);
        }
        if !marks(BETWEEN).any(|it| it == word) {
            return None;
        }
        end = from.saturating_sub(1);
    }
    None
}
