//! Rules for goals and the signs of a sentence that they look for, evaluated lazily.

use std::cell::OnceCell;

use Sign::{Denies, Says};
use language::{
    inquiry::asks_whether_done,
    rules::{Rule, rule},
    scan::marks,
    vocabulary::Unit,
    words::Word,
};

use super::{
    conditions, questions, showings,
    titles::Sentence,
    words::{
        ABOUT, FILM, FREE, HOLD, HOW_TO, LET_GO, MINE, PLAYING, RECORD, RESERVATION, RESERVE,
        RESERVED, SEAT, SEE, SHOWTIMES, TICKET, VACANT, WAITING_LIST, WHEELCHAIR,
    },
};

/// Goal of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// Reserve or cancel nothing.
    Nothing,
    /// Cancel a reservation.
    Cancel,
    /// Change a reservation.
    Change,
    /// A report of the past.
    Past,
    /// Ask how something is done.
    Help,
    /// A thing is named without an action.
    Look,
    /// Read a recorded conversation.
    History,
    /// Look up a reservation.
    Reservation,
    /// Reserve seats.
    Book,
    /// Hold seats.
    Hold,
    /// List held seats.
    Held,
    /// Release held seats.
    Release,
    /// Reserve held seats.
    BookHeld,
    /// List free seats.
    Seats,
    /// List showtimes.
    Showtimes,
    /// Join a waiting list.
    Waiting,
    /// Ask for prices.
    Price,
    /// Ask for something not on record: a film's makers, parking.
    NotOnRecord,
    /// List films.
    Films,
}

/// Sign of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// One of these words, not denied.
    Says(&'static [Word]),
    /// One of these words, denied.
    Denies(&'static [Word]),
    /// A question rather than an order.
    Question,
    /// A question whether something was done.
    Done,
    /// Reserved or bought things.
    Booked,
    /// Films by rating.
    Rated,
    /// Length of a film.
    Length,
    /// Showings by their start.
    Occasion,
    /// Number of seats or people.
    People,
    /// Number of things.
    Pieces,
    /// Number of anything.
    Counted,
    /// Named seats.
    Seats,
    /// For whom seats are booked.
    Booker,
    /// Part of the hall.
    Position,
    /// Identifier of this kind.
    Has(&'static str),
    /// Genre.
    Genre,
    /// Unwanted genre.
    Refused,
    /// Film's name.
    Title,
    /// Date or time.
    When,
    /// Question for a day: `いつ？`.
    AsksDay,
    /// A list by that name, of nothing in particular.
    AsksList,
    /// Reference to a film.
    Back,
    /// Makers and cast of a film.
    Makers,
    /// Facilities of a cinema.
    House,
    /// For whom a film is suitable.
    Ages,
    /// Whether something ought to be: `何枚取ったらいい？`, `何席取ったほうがお得？`.
    Advice,
    /// Fee for cancelling.
    CancelFee,
    /// Films by the times of their showings.
    Timed,
    /// Comparison of films.
    Than,
    Ranked,
    /// Price for people: `シニア2枚だと？`, `how much for two seniors?`.
    Fare,
}

/// Kinds of identifiers.
pub(super) const MOVIE: &str = "movie";
pub(super) const SHOWTIME: &str = "showtime";
pub(super) const USER: &str = "user";
pub(super) const RESERVATION_ID: &str = "reservation";
pub(super) const CONVERSATION: &str = "conversation";

const FILMS: Sign = Says(&[FILM, SEE, SHOWTIMES, TICKET]);
/// Things of other families.
const THEIRS: Sign = Says(&[Word::THEIRS]);
/// Requests for several things.
const ASKS: Sign = Says(&[Word::LIST, FREE, VACANT, SHOWTIMES]);

/// Rules in order of precedence.
pub(super) const RULES: &[Rule<Goal, Sign>] = &[
    rule(96, Goal::Help, &[Says(&[HOW_TO])], &[THEIRS]),
    rule(96, Goal::Waiting, &[Says(&[WAITING_LIST])], &[THEIRS]),
    rule(
        95,
        Goal::Price,
        &[Says(&[Word::PRICE]), Says(&[TICKET, SEAT, FILM, SEE])],
        &[THEIRS, Says(&[Word::CANCEL, Word::ELSEWHERE, Word::CHANGE])],
    ),
    rule(
        95,
        Goal::Price,
        &[Says(&[Word::PRICE]), Sign::Title],
        &[THEIRS, Says(&[Word::CANCEL, Word::ELSEWHERE, Word::CHANGE, Word::MAKE])],
    ),
    rule(
        95,
        Goal::Price,
        &[Sign::Fare],
        &[
            THEIRS,
            Says(&[Word::CANCEL, Word::ELSEWHERE, Word::CHANGE, Word::MAKE, Word::THEIR_ACTION]),
        ],
    ),
    rule(96, Goal::NotOnRecord, &[Sign::CancelFee], &[THEIRS]),
    rule(80, Goal::NotOnRecord, &[Sign::Makers], &[THEIRS, Says(&[Word::THEIR_ACTION, RESERVE])]),
    rule(
        60,
        Goal::NotOnRecord,
        &[Sign::House],
        &[
            THEIRS,
            Sign::Counted,
            Says(&[Word::THEIR_ACTION, Word::MAKE, Word::WANT, Word::WHERE, RESERVE]),
        ],
    ),
    rule(
        80,
        Goal::NotOnRecord,
        &[Sign::Ages],
        &[THEIRS, Sign::Counted, Says(&[Word::THEIR_ACTION, Word::PRICE, Word::WANT, RESERVE])],
    ),
    rule(95, Goal::Nothing, &[Denies(&[Word::CANCEL, LET_GO])], &[]),
    rule(95, Goal::Release, &[Says(&[LET_GO])], &[THEIRS]),
    rule(95, Goal::Release, &[Says(&[HOLD]), Says(&[Word::CANCEL])], &[THEIRS]),
    rule(94, Goal::Cancel, &[Says(&[Word::CANCEL])], &[THEIRS, Says(&[Word::ELSEWHERE])]),
    rule(
        89,
        Goal::Change,
        &[Says(&[Word::CHANGE]), Says(&[SEAT, TICKET, RESERVE, RESERVATION, MINE])],
        &[Sign::Counted],
    ),
    rule(80, Goal::History, &[Says(&[Word::HISTORY])], &[]),
    rule(80, Goal::History, &[Sign::Has(CONVERSATION)], &[Says(&[RECORD])]),
    rule(74, Goal::Reservation, &[Says(&[MINE])], &[Sign::Advice]),
    rule(75, Goal::BookHeld, &[Says(&[HOLD]), Says(&[RESERVE])], &[THEIRS]),
    rule(75, Goal::Nothing, &[Denies(&[HOLD])], &[]),
    rule(75, Goal::Hold, &[Says(&[HOLD]), Sign::Seats], &[THEIRS]),
    rule(75, Goal::Hold, &[Says(&[HOLD]), Sign::Counted], &[THEIRS]),
    rule(75, Goal::Held, &[Says(&[HOLD]), Sign::Question], &[THEIRS]),
    rule(75, Goal::Held, &[Says(&[HOLD]), Says(&[Word::SHOW, Word::LIST])], &[THEIRS]),
    rule(75, Goal::Hold, &[Says(&[HOLD]), Says(&[SEAT, TICKET])], &[THEIRS]),
    rule(75, Goal::Hold, &[Says(&[HOLD]), Sign::Title], &[THEIRS]),
    // Asks about an earlier reservation.
    rule(74, Goal::Reservation, &[Sign::Done, Says(&[RESERVE])], &[THEIRS]),
    rule(74, Goal::Reservation, &[Sign::Done, Sign::Booked], &[THEIRS]),
    rule(
        74,
        Goal::Reservation,
        &[Says(&[RESERVED]), Says(&[RESERVE, RESERVED]), Sign::Question, Sign::Booked],
        &[Says(&[SHOWTIMES, FREE, VACANT, Word::CANCEL])],
    ),
    // Reports the past instead of requesting.
    rule(74, Goal::Past, &[Says(&[RESERVED])], &[Says(&[SHOWTIMES, FREE, VACANT, RESERVATION])]),
    rule(74, Goal::Reservation, &[Sign::Has(RESERVATION_ID)], &[Denies(&[Word::SHOW])]),
    rule(
        66,
        Goal::Films,
        &[Sign::Occasion, Sign::When, Sign::Question],
        &[Sign::Title, Sign::Counted, FILMS, THEIRS],
    ),
    rule(66, Goal::Films, &[Sign::Timed, Sign::Ranked, Sign::When], &[THEIRS]),
    rule(
        66,
        Goal::Help,
        &[Says(&[Word::WHERE]), FILMS],
        &[Sign::When, Sign::Title, Sign::Genre, Says(&[Word::SHOW, SEAT])],
    ),
    rule(66, Goal::Films, &[Says(&[ABOUT])], &[THEIRS]),
    rule(66, Goal::Seats, &[Denies(&[RESERVE]), Says(&[FREE, VACANT])], &[]),
    rule(66, Goal::Showtimes, &[Denies(&[RESERVE]), Says(&[SHOWTIMES])], &[]),
    rule(66, Goal::Showtimes, &[Denies(&[RESERVE]), Sign::Occasion, Sign::Title], &[]),
    rule(
        66,
        Goal::Films,
        &[Denies(&[RESERVE]), Says(&[FILM, SEE]), Says(&[Word::SHOW, Word::LIST])],
        &[],
    ),
    rule(66, Goal::Look, &[Denies(&[RESERVE]), Sign::Title, Says(&[Word::SHOW, Word::LIST])], &[]),
    rule(
        66,
        Goal::Seats,
        &[Denies(&[RESERVE]), Says(&[SEAT]), Says(&[Word::SHOW, Word::LIST]), Sign::Title],
        &[],
    ),
    rule(66, Goal::Nothing, &[Denies(&[RESERVE])], &[]),
    rule(
        66,
        Goal::Seats,
        &[Says(&[SEAT]), Says(&[Word::SHOW])],
        &[
            Says(&[RESERVE, HOLD, MINE, RESERVED, RESERVATION, Word::WHERE]),
            Sign::Counted,
            Sign::Position,
            THEIRS,
        ],
    ),
    // `are there still seats in the last row?`
    rule(
        66,
        Goal::Seats,
        &[Says(&[SEAT]), Says(&[Word::EXISTS]), Sign::Question],
        &[
            Says(&[RESERVE, HOLD, MINE, RESERVED, RESERVATION, Word::WANT, Word::WHERE]),
            Sign::Counted,
            Sign::Seats,
            THEIRS,
        ],
    ),
    rule(66, Goal::Book, &[Says(&[RESERVE]), Sign::Seats], &[]),
    rule(66, Goal::Seats, &[Says(&[FREE]), Says(&[SEAT])], &[Says(&[RESERVE])]),
    rule(66, Goal::Seats, &[Says(&[VACANT])], &[Says(&[RESERVE])]),
    rule(66, Goal::Seats, &[Sign::Has(SHOWTIME)], &[Says(&[RESERVE])]),
    rule(66, Goal::Book, &[Says(&[RESERVE]), Says(&[SEAT, TICKET, FILM, SEE])], &[]),
    rule(66, Goal::Book, &[Says(&[RESERVE]), Sign::People], &[]),
    rule(66, Goal::Book, &[Says(&[RESERVE]), Sign::Pieces, Sign::Title], &[]),
    rule(66, Goal::Book, &[Says(&[TICKET, SEAT]), Says(&[Word::WANT])], &[]),
    rule(66, Goal::Book, &[Says(&[TICKET, SEAT]), Sign::Counted], &[ASKS, THEIRS]),
    rule(66, Goal::Book, &[Says(&[SEE]), Sign::People], &[ASKS]),
    rule(66, Goal::Book, &[Says(&[RESERVE]), Sign::When], &[]),
    rule(
        66,
        Goal::Book,
        &[Says(&[RESERVE]), Sign::Position],
        &[ASKS, THEIRS, Says(&[Word::ELSEWHERE])],
    ),
    rule(
        66,
        Goal::Reservation,
        &[Says(&[RESERVATION])],
        &[Says(&[SEAT, TICKET, Word::WANT, Word::MAKE])],
    ),
    rule(
        66,
        Goal::Book,
        &[Says(&[RESERVATION]), Says(&[Word::WANT, Word::MAKE])],
        &[Says(&[Word::SHOW])],
    ),
    rule(66, Goal::Book, &[Says(&[FILM]), Sign::People], &[ASKS, Says(&[Word::SHOW])]),
    rule(
        66,
        Goal::Book,
        &[Says(&[FILM, SEE]), Sign::Counted, Sign::When],
        &[ASKS, Says(&[Word::SHOW, Word::EXISTS]), Sign::Question, THEIRS],
    ),
    rule(66, Goal::Showtimes, &[Says(&[SHOWTIMES])], &[THEIRS]),
    rule(66, Goal::Book, &[Says(&[WHEELCHAIR]), Says(&[Word::WANT]), Sign::Title], &[THEIRS]),
    rule(66, Goal::Seats, &[Says(&[WHEELCHAIR]), Sign::Title], &[THEIRS, Says(&[Word::WHERE])]),
    rule(66, Goal::Showtimes, &[Sign::Has(MOVIE)], &[THEIRS]),
    rule(66, Goal::Showtimes, &[Sign::Occasion, Sign::Title], &[THEIRS, Sign::Counted]),
    rule(
        66,
        Goal::Book,
        &[Sign::Occasion, Sign::Counted, Sign::Title],
        &[THEIRS, Says(&[Word::LIST, Word::EXISTS])],
    ),
    rule(
        66,
        Goal::Book,
        &[Sign::Occasion, Sign::Counted, Sign::When],
        &[THEIRS, Says(&[Word::LIST, Word::SHOW, Word::EXISTS])],
    ),
    rule(66, Goal::Films, &[Sign::Length], &[THEIRS]),
    rule(
        66,
        Goal::Films,
        &[Says(&[FREE, VACANT]), Says(&[FILM]), Sign::Question, Sign::When],
        &[Sign::Title, Sign::Counted, Says(&[RESERVE])],
    ),
    rule(66, Goal::Seats, &[Says(&[FREE]), FILMS], &[]),
    rule(66, Goal::Seats, &[Says(&[FREE]), Sign::People], &[THEIRS]),
    rule(66, Goal::Showtimes, &[Says(&[PLAYING]), Sign::Title], &[THEIRS]),
    rule(66, Goal::Showtimes, &[Says(&[PLAYING]), Sign::Back], &[THEIRS]),
    rule(66, Goal::Showtimes, &[Sign::Occasion, Sign::Back], &[THEIRS, Sign::Counted]),
    rule(66, Goal::Films, &[Says(&[PLAYING]), Sign::When], &[THEIRS]),
    rule(66, Goal::Films, &[Sign::Rated], &[THEIRS]),
    rule(66, Goal::Films, &[FILMS], &[]),
    rule(
        66,
        Goal::Films,
        &[Sign::Genre, Says(&[Word::LIST, Word::SHOW, Word::WANT, Word::EXISTS])],
        &[Sign::Counted],
    ),
    rule(
        66,
        Goal::Book,
        &[Sign::Genre, Sign::Counted, Sign::When],
        &[ASKS, Says(&[Word::SHOW, Word::EXISTS]), THEIRS],
    ),
    rule(
        66,
        Goal::Book,
        &[Sign::Refused, Sign::Counted, Sign::When],
        &[ASKS, Says(&[Word::SHOW, Word::EXISTS]), THEIRS],
    ),
    rule(66, Goal::Films, &[Sign::Genre, Sign::When], &[]),
    rule(66, Goal::Films, &[Sign::Refused, Sign::When], &[THEIRS, Sign::Counted]),
    rule(66, Goal::Films, &[Sign::Refused, Says(&[Word::LIST, Word::EXISTS])], &[THEIRS]),
    rule(66, Goal::Films, &[Sign::Genre], &[THEIRS, Says(&[Word::ELSEWHERE, Word::HELP])]),
    rule(66, Goal::Films, &[Says(&[Word::COMPARE]), Sign::Title], &[THEIRS]),
    rule(66, Goal::Films, &[Sign::Timed, Sign::When], &[THEIRS, Sign::Counted]),
    rule(66, Goal::Book, &[Sign::Title, Sign::When, Sign::Counted], &[THEIRS]),
    rule(66, Goal::Book, &[Sign::Title, Sign::Seats], &[THEIRS]),
    rule(66, Goal::Book, &[Sign::Booker, Sign::Seats], &[THEIRS]),
    rule(66, Goal::Book, &[Sign::Title, Sign::People, Says(&[Word::WANT])], &[THEIRS]),
    rule(66, Goal::Book, &[Sign::Title, Says(&[RESERVE])], &[THEIRS]),
    rule(
        66,
        Goal::Films,
        &[Sign::Than, Sign::Title, Sign::Question],
        &[THEIRS, Sign::When, Sign::Position],
    ),
    rule(60, Goal::Book, &[Says(&[SEAT, TICKET])], &[Says(&[Word::WHERE, Word::LIST])]),
    rule(
        57,
        Goal::Films,
        &[Sign::Ranked],
        &[THEIRS, Says(&[Word::THEIR_ACTION]), Sign::When, Sign::Position],
    ),
    // As sure as a guess: `東京物語いつ？`, `明日の一覧`.
    rule(
        45,
        Goal::Showtimes,
        &[Sign::Title, Sign::AsksDay, Sign::Question],
        &[THEIRS, Says(&[Word::THEIR_ACTION, Word::ELSEWHERE, Word::MAKE, Word::WHERE, RESERVED])],
    ),
    rule(
        45,
        Goal::Films,
        &[Sign::AsksList, Sign::When],
        &[
            THEIRS,
            Sign::Title,
            Sign::Counted,
            Says(&[
                Word::THEIR_ACTION,
                Word::THEIR_WORD,
                Word::ELSEWHERE,
                Word::MAKE,
                Word::WHERE,
                Word::DELETE,
                RESERVE,
                RESERVED,
            ]),
        ],
    ),
];

/// Words for reserved things.
const BOOKED: &str = "予約|取った|買った|booked|reserved|bought";
/// Questions of how many seats to take.
const ADVICE: &str = "取ったら|とったら|予約したら|押さえたら|買ったら|取ったほうが|取った方が|とったほうが|とった方が|予約したほうが|予約した方が|押さえたほうが|押さえた方が|買ったほうが|買った方が";
/// Showings by their start.
const OCCASIONS: &str = "早く始まる|最初に始まる|starts first|starting first|starts next|begins first|早い回|遅い回|最初の回|最後の回|最終回|次の回|朝の回|昼の回|夕方の回|夜の回|の回ある|の回は|の回って|の時間|when is|when's|when does|when do|when are|know when|earliest|soonest|as soon as possible|asap|as early as possible|なるべく早|できるだけ早|一番早|いちばん早|latest|first show|last show|next show";
/// Films by rating, without a word for films.
const RATED: &str = "評価が一番|一番評価|いちばん評価|評価が最も|評価の高いの|評価が高いの|評価の高いやつ|highest rated|highest-rated|best rated|best-rated|top rated|top-rated|best reviewed|highest rating|best rating|thing on|thing showing|thing playing|things on|things showing|thing you've got on|thing you have on|thing you're showing|thing that's on|thing that is on";

/// Makers and cast of a film.
pub(super) const MAKERS: &str = "誰が監督|だれが監督|監督?|監督は|監督が|監督って|監督誰|監督を教|の監督|出演者|出演して|誰が出|だれが出|主演|キャスト|声優|俳優|原作者|脚本|主題歌|who directed|who did direct|director of|the director|who's the director|who stars|who is starring|who's starring|stars in|who's in it|who is in it|who's in the film|who plays|who acts|who acted|the cast|cast of|actors|voice actors|who wrote|who made the film|who made it|soundtrack";
/// Facilities of a cinema.
const HOUSE: &str = "休憩は|休憩が|休憩って|休憩時間|休憩あ|インターミッション|予告編|予告は|本編の前|intermission|intermissions|is there a break|have a break|long is the break|an interval|the interval|trailer|trailers|previews|駐車場|駐輪場|電話番号|営業時間|何時に開き|何時に開く|何時に閉|何時まで開|開館|閉館|売店|ポップコーン|飲食|持ち込み|持込|トイレ|お手洗い|ロッカー|授乳室|忘れ物|parking|car park|phone number|opening hours|opening times|do you open|do you close|are you open|popcorn|snacks|toilets|toilet|restrooms|restroom|cloakroom|lost property|bring my dog|bring a dog|bring food|bring my own|wifi|wi-fi|wheelchair accessible|barrier-free|バリアフリー";

/// Phrases that contain an action and its denial.
const REFUSED: &[(Word, &str)] = &[
    (
        RESERVE,
        "取らないで|取らなくて|とらないで|とらなくて|買わないで|買わなくて|押さえないで|押さえなくて",
    ),
    (
        HOLD,
        "仮押さえしない|仮押さえしなく|仮押さえはいら|キープしない|キープしなく|don't hold|do not hold|dont hold",
    ),
    (LET_GO, "手放さない|手放さなく|don't release|do not release|don't let them go|don't let go"),
];

/// Whether a film's name interrupts the question when it is on: `when Rashomon is on`.
fn is_when(utterance: &Sentence) -> bool {
    const BEHIND: &str = " is on| is showing| is playing| plays| starts| begins| are on";
    let Some(at) = utterance.find_word("when", 0) else { return false };
    marks(BEHIND).any(|it| utterance.find(it, at).is_some())
}

/// Whether the time of a film is asked for: `アキラ時間教えて`, but not `営業時間を教えて`.
fn asks_time(utterance: &Sentence) -> bool {
    const ASKS: &str = "時間だけ|時間を教|時間教";
    let Some(at) = marks(ASKS).find_map(|it| utterance.find(it, 0)) else { return false };
    let before: String = utterance.lower[..at].iter().collect();
    utterance.name().is_some_and(|it| before.ends_with(&it.to_lowercase()))
}

/// Whether films are ranked.
fn is_ranked(utterance: &Sentence) -> bool {
    let wanted = conditions::Conditions::parse(utterance);
    wanted.is_compared && (wanted.order.is_some() || wanted.timed.is_some())
}

/// A sentence with its findings.
pub(super) struct Facts<'a> {
    utterance: &'a Sentence,
    has_title: OnceCell<bool>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(utterance: &'a Sentence) -> Self {
        Self { utterance, has_title: OnceCell::new() }
    }

    pub(super) fn has(&self, sign: Sign) -> bool {
        let utterance = self.utterance;
        match sign {
            Says(words) => utterance.has(words),
            // Words that deny an action: `取らないで`.
            Denies(words) => {
                let mut refused = REFUSED.iter().filter(|it| words.contains(&it.0));
                utterance.denies(words) || refused.any(|it| utterance.says(it.1))
            }
            Sign::Question => utterance.asks(),
            Sign::Done => asks_whether_done(utterance),
            Sign::Booked => utterance.says(BOOKED),
            Sign::Rated => utterance.says(RATED),
            Sign::Length => conditions::minutes(&utterance.lower).is_some(),
            Sign::Occasion => {
                utterance.says(OCCASIONS) || is_when(utterance) || asks_time(utterance)
            }
            Sign::People => utterance.numbers.counts.iter().any(|it| it.0 == Unit::People),
            Sign::Pieces => utterance.numbers.pieces().is_some(),
            Sign::Counted => !utterance.numbers.counts.is_empty(),
            Sign::Position => conditions::names_position(utterance),
            Sign::Seats => !utterance.numbers.marked.is_empty(),
            Sign::Booker => utterance.booker.is_some(),
            Sign::Has(RESERVATION_ID) if utterance.find("rsv-", 0).is_some() => true,
            Sign::Has(id) => utterance.numbers.id(id).is_some(),
            Sign::Genre => utterance.genre().is_some(),
            Sign::Refused => utterance.refused_genres().is_some(),
            Sign::Title => *self.has_title.get_or_init(|| utterance.title().is_some()),
            Sign::AsksDay => utterance.says("いつ"),
            Sign::AsksList => utterance.says("一覧|リスト"),
            Sign::Back => {
                utterance.says("それ|その映画|この映画|その作品|is it|it on|it playing|it showing|it start|that film|that movie")
            }
            Sign::Makers => utterance.says(MAKERS),
            Sign::Ages => questions::asks_age(utterance),
            Sign::Timed => showings::timed(utterance).is_some(),
            Sign::Advice => utterance.says(ADVICE),
            Sign::CancelFee => utterance.says(questions::CANCEL_FEES),
            Sign::House => utterance.says(HOUSE),
            Sign::Than => is_ranked(utterance) && utterance.says("than|より"),
            Sign::Ranked => is_ranked(utterance),
            Sign::Fare => questions::is_fare(utterance),
            Sign::When => {
                let when = &utterance.when;
                when.date.is_some() || when.week.is_some() || when.hours.is_some()
            }
        }
    }
}

/// Guesses a goal from a time, a number or seats next to a possible film name.
pub(super) fn guessed(utterance: &Sentence) -> Option<Goal> {
    const OTHERS: &[Word] = &[
        Word::ELSEWHERE,
        Word::MAKE,
        Word::NOT,
        Word::WHERE,
        Word::HELP,
        Word::DELETE,
        Word::THEIRS,
    ];
    if utterance.has(OTHERS) || utterance.leftover().is_none() && !conditions::is_vague(utterance) {
        return None;
    }
    let when = &utterance.when;
    let is_timed = when.date.is_some() || when.week.is_some() || when.hours.is_some();
    match () {
        () if !utterance.numbers.counts.is_empty() || !utterance.numbers.marked.is_empty() => {
            Some(Goal::Book)
        }
        () if is_timed || utterance.has(&[PLAYING]) => Some(Goal::Showtimes),
        () => None,
    }
}
