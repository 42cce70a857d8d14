//! Signs of a sentence for the rules, evaluated lazily.

use std::cell::OnceCell;

use language::{inquiry::asks_whether_done, scan::marks, vocabulary::Unit, words::Word};

use super::{
    conditions, questions,
    rules::{
        Goal, RESERVATION_ID,
        Sign::{self, Denies, Says},
    },
    timed,
    titles::Sentence,
    words::{HOLD, LET_GO, PLAYING, RESERVE},
};

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
            Sign::Occasion => utterance.says(OCCASIONS) || is_when(utterance),
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
            Sign::Timed => timed::timed(utterance).is_some(),
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
