//! Understands sentences about films, showings, seats and reservations without a model.

mod answers;
mod booker;
mod cancel;
mod conditions;
mod fares;
mod films;
mod held_seats;
mod marks;
mod questions;
mod reserve;
mod rules;
mod seats;
mod showings;
mod switches;
mod titles;
mod two_bookings;
mod visit;
mod words;

use language::{
    Date, Language, bare,
    chat::{CONTINUED, Chat, Family, FollowUp, Plan},
    context::{FamilyInfo, TurnContext, failure, output},
    contract::TurnRequest,
    coverage::{ASKED_FROM, CHILDREN, LAST, Used, unused},
    rules::{Percent, goal},
    say::{self, Skill, failed, samples as samples_of},
    scan::marks,
    small_talk::{Manner, takes_back},
    turn::{Answered, Decision},
    vocabulary::{Unit, Vocabulary},
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolkit::dialogue::{Name, Reply, Sample, Turn};

use self::{
    answers::place,
    cancel::{Bookings, Cancel, number},
    conditions::Conditions,
    held_seats::{Before, Held, HoldAction},
    questions::{changes, names_seats},
    rules::{CONVERSATION, Facts, Goal, MOVIE, RESERVATION_ID, RULES, SHOWTIME, USER, guessed},
    titles::Sentence,
    visit::{MOVIES, Visit},
    words::{
        ABOUT, FILM, FREE, MINE, NOUNS, PHRASES, PLAYING, RESERVATION, RESERVE, SEAT, SEE,
        SHOWTIMES, TICKET, VACANT,
    },
};

const HISTORY: &str = "get_conversation_history";
/// Confidence in a name with a time or a number, and in a name alone.
const GUESSED: Percent = 45;
const LOOKED_FOR: Percent = 40;
/// Confidence in seats alone while a showing or seats are chosen.
const SEATED: Percent = 90;

/// Words of questions about prices.
const PRICES: &str =
    "はいくら|いくら|料金|値段|入場料|鑑賞料|how much|prices|price|costs|cost|fees|fee";
/// Deliveries of tickets that are not supported.
const SENT: &str = "email|e-mail|mail me|text me|print|forward|メールで|メールして|印刷";
/// Known words that matter when choosing seats.
const MIDDLE: &str = "真ん中|まんなか|まん中|中央|後ろ|うしろ|前の方|前方|後方|最前列|最後列|middle|centre|center|front row|back row";
const WHEELCHAIR: &str = "車椅子|車いす|車イス|くるまいす|wheelchair";

static VOCABULARY: Vocabulary = Vocabulary {
    family: "cinema",
    phrases: PHRASES,
    nouns: NOUNS,
    actions: words::ACTIONS,
    done: "reserved|booked|held|ordered|bought|予約|押さえ|購入|買っ|登録",
    heads: words::HEADS,
    labels: &[
        (MOVIE, "movie_id|movie id|映画id|作品id|film id|映画のid"),
        (
            SHOWTIME,
            "showtime_id|showtime id|上映id|上映枠id|上映時間枠id|上映回id|時間枠id|上映のid|上映時間枠|上映回|上映枠|showtime|screening|スケジュールid",
        ),
        (
            USER,
            "user_id|user id|ユーザーid|ユーザid|利用者id|会員id|会員番号|ユーザー|利用者|member id|customer id|userid|user|customer",
        ),
        (
            RESERVATION_ID,
            "reservation_id|reservation id|予約id|予約番号|reservation number|booking number|booking id|reservation|予約|booking",
        ),
        (
            CONVERSATION,
            "conversation_id|conversation id|会話id|対話id|会話番号|conversation|会話|対話|chat",
        ),
    ],
    counters: &[(Unit::People, "席分|席|tix|seats|seat|tickets|ticket|adjacent seats|good seats")],
    counts: &[(1, Unit::People, "a ticket|a seat|single ticket|single seat")],
    conditions: &[
        MIDDLE,
        "通路側|通路寄り|端の席|端っこ|はしの席|窓側|aisle|window seat|at the end of",
        WHEELCHAIR,
        "字幕|吹替|吹き替え|3d|4d|imax|dubbed|subtitled|subtitles",
        "毎週|毎日|毎晩|毎朝|毎月|毎回|every monday|every tuesday|every wednesday|every thursday|every friday|every saturday|every sunday|every week|every day|every month|weekly",
    ],
    spans: conditions::spans,
    kinds: titles::genres,
    marks: marks::seats,
};

static FAMILY_INFO: FamilyInfo = FamilyInfo {
    family: "cinema",
    codes: &[
        ("reservation_not_found", "その番号の予約は見つかりませんでした。"),
        ("reservation_user_mismatch", "その予約は別の利用者のものです。"),
        ("reservation_cancelled", "その予約は取り消されています。"),
        ("showtime_closed", "その上映はもう始まっています。"),
        ("showtime_not_found", "その上映は見つかりませんでした。"),
        ("movie_not_found", "その映画は見つかりませんでした。"),
        ("hold_not_found", "その仮押さえは見つかりませんでした。"),
        ("hold_expired", "仮押さえの期限が切れています。"),
        ("seat_held", "その座席は仮押さえされています。"),
        ("not_enough_seats", "空いている席が足りません。"),
        ("conversation_not_found", "その会話は見つかりませんでした。"),
    ],
    subjects: &["reservation_id"],
};

static SKILLS: &[Skill<Goal>] = &[
    Skill {
        goals: &[Goal::Book],
        tools: &["list_movies", "list_showtimes", "list_available_seats", "reserve_seats"],
        is_one_enough: false,
        name: ("映画の座席の予約", "booking seats at the cinema"),
        example: ("明日の夜に2席取りたい", "Book two seats for tomorrow night"),
        is_featured: true,
    },
    Skill {
        goals: &[Goal::Hold, Goal::Held, Goal::Release, Goal::BookHeld],
        tools: &[
            "list_movies",
            "list_showtimes",
            "list_available_seats",
            "hold_seats",
            "list_holds",
        ],
        is_one_enough: false,
        name: ("座席の仮押さえ", "holding seats"),
        example: ("A5とA6を仮押さえして", "Hold A5 and A6 for me"),
        is_featured: false,
    },
    Skill {
        goals: &[Goal::Films],
        tools: &["list_movies"],
        is_one_enough: false,
        name: ("上映中の映画の一覧", "listing films"),
        example: ("明日やっているアニメは？", "What animated films are on tomorrow?"),
        is_featured: true,
    },
    Skill {
        goals: &[Goal::Showtimes],
        tools: &["list_movies", "list_showtimes"],
        is_one_enough: false,
        name: ("上映時間の検索", "looking up showtimes"),
        example: ("「羅生門」の上映時間を教えて", "When is Rashomon on?"),
        is_featured: false,
    },
    Skill {
        goals: &[Goal::Seats, Goal::Price],
        tools: &["list_movies", "list_showtimes", "list_available_seats"],
        is_one_enough: false,
        name: ("空席の確認", "looking up free seats"),
        example: ("明日の「羅生門」に空席はある？", "Are there seats left for Rashomon tomorrow?"),
        is_featured: false,
    },
    Skill {
        goals: &[Goal::Reservation],
        tools: &["get_reservation"],
        is_one_enough: false,
        name: ("予約の確認", "looking up a reservation"),
        example: ("予約番号 r-123 の内容を見せて", "Show me reservation r-123"),
        is_featured: false,
    },
    Skill {
        goals: &[Goal::Cancel],
        tools: &["get_reservation", "cancel_reservation"],
        is_one_enough: false,
        name: ("予約の取り消し", "cancelling a reservation"),
        example: ("予約番号 r-123 を取り消して", "Cancel reservation r-123"),
        is_featured: true,
    },
    Skill {
        goals: &[Goal::History],
        tools: &["get_conversation_history"],
        is_one_enough: false,
        name: ("対話履歴の取得", "reading a conversation"),
        example: ("会話ID c-1 の履歴を見せて", "Show the history of conversation c-1"),
        is_featured: false,
    },
];

/// Handles a turn of a conversation.
///
/// # Errors
/// If a JSON document of the turn is invalid.
pub fn next(turn: Turn) -> Result<Reply, String> {
    Ok(Chat::<Cinema>::reply(&TurnRequest::read(turn, None)?))
}

/// The cinema's words, for other families.
///
/// # Errors
/// Never.
pub fn names() -> Result<Vec<Name>, String> {
    Ok(VOCABULARY.names())
}

/// Example sentences.
pub fn samples(tag: &str) -> Vec<Sample> {
    samples_of(SKILLS, tag)
}

/// Memory of a conversation.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Cinema {
    bookings: Bookings,
}

/// State of a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Visit(Box<Visit>),
    /// Lists, releases or reserves held seats.
    Held(Held),
    Cancel(Cancel),
    /// Looks up a recorded conversation.
    History(String),
}

impl Family for Cinema {
    type Sentence = Sentence;
    type Goal = Goal;
    type Plan = Request;

    const FAMILY_INFO: &'static FamilyInfo = &FAMILY_INFO;
    const SKILLS: &'static [Skill<Goal>] = SKILLS;
    const NEAR: &'static [(Goal, &'static [Word])] = &[
        (Goal::Book, &[RESERVE, TICKET]),
        (Goal::Seats, &[SEAT, VACANT, FREE]),
        (Goal::Films, &[FILM, SEE, ABOUT, PLAYING]),
        (Goal::Showtimes, &[SHOWTIMES]),
        (Goal::Reservation, &[RESERVATION, MINE]),
    ];
    const OWN: &'static [Word] = &[FILM, SEE, ABOUT, PLAYING];

    fn parse(text: &str, today: Date) -> Sentence {
        Sentence::parse(text, today)
    }

    fn goal(utterance: &Sentence) -> Option<(Goal, Percent)> {
        let facts = Facts::new(utterance);
        goal(RULES, |sign| facts.has(sign))
    }

    fn effect(goal: Goal) -> Option<(&'static str, &'static str)> {
        Some(match goal {
            Goal::Book | Goal::BookHeld => (
                "予約すると、選んだ席が確保され、予約番号が出ます。取り消せるのは上映が始まるまでです。予約の前に必ず内容を確認します。",
                "A booking makes the chosen seats yours and gives you its number; it can be cancelled until the showing begins. You are always asked before it is made.",
            ),
            Goal::Hold => (
                "仮押さえすると、その席は数分間ほかの人が取れなくなり、期限が過ぎると自動で手放されます。仮押さえの前に必ず内容を確認します。",
                "Seats that are held are kept from others for some minutes, and are let go by themselves after that. You are always asked before they are held.",
            ),
            Goal::Release => (
                "手放すと、その席はすぐにほかの人が取れるようになります。",
                "Seats that are let go are free for others at once.",
            ),
            Goal::Cancel => (
                "取り消すと、その席は空席に戻り、予約は使えなくなります。取り消せるのは上映が始まるまでです。返金については登録されていません。取り消す前に必ず内容を確認します。",
                "Cancelling frees the seats and ends the reservation; it can be done until the showing begins. Refunds are not on record here. You are always asked before it is done.",
            ),
            _ => return None,
        })
    }

    fn handles_manner(utterance: &Sentence, manner: Manner) -> bool {
        match manner {
            Manner::Errand => {
                (utterance.has(NOUNS) || utterance.has(&[SEE, SEAT])) && !utterance.says(SENT)
            }
            Manner::Price => Self::goal(utterance).is_some_and(|it| it.0 == Goal::Price),
            // `上映時間が一番長いのって何？`
            Manner::How => Conditions::parse(utterance).is_first && Self::goal(utterance).is_some(),
            Manner::Elsewhere => utterance.has(NOUNS) || utterance.has(&[SEE]),
            _ => false,
        }
    }

    fn is_denial(goal: Goal) -> bool {
        goal == Goal::Nothing
    }

    fn is_request(goal: Goal) -> bool {
        use Goal::{Films, Look, Reservation, Seats, Showtimes};
        matches!(goal, Films | Showtimes | Seats | Reservation | Look)
    }

    fn handles_denial(utterance: &Sentence, goal: Goal) -> bool {
        matches!(goal, Goal::Book | Goal::Hold | Goal::Seats)
            && (conditions::avoids_position(utterance)
                || !marks::named_seats(utterance, &[]).1.is_empty())
            || goal == Goal::Films && utterance.refused_genres().is_some()
    }

    fn repeats_order(utterance: &Sentence) -> bool {
        questions::repeats_order(utterance)
    }

    fn points_back(utterance: &Sentence) -> bool {
        utterance.points_back() && utterance.title().is_none()
    }

    fn observe(&mut self, answered: &[Answered]) {
        self.bookings.parse(answered);
    }

    fn direct_answer(
        &self,
        utterance: &Sentence,
        goal: Goal,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        let examples = || say::examples(context, SKILLS);
        Some(match goal {
            Goal::Nothing if two_bookings::find_unavailable(&utterance.text()).is_some() => context.say(
                "条件つきの予約はできないため、何も予約していません。映画・日時・枚数を書いてください。予約の前に必ず内容を確認するので、ご希望の回がなければそこで取りやめられます。",
                "I cannot book on a condition, so nothing was booked. Write the film, the time and how many seats: you are asked before anything is booked, and can leave it if that showing is not to be had.",
            ),
            Goal::Nothing => say::nothing(context),
            Goal::Change => {
                context.say(
                    "予約の「変更」は内蔵プランナーとの会話ではできないため、何も変えていません。「予約番号 r-123 を取り消して」のように取り消してから、あらためて予約してください。",
                    "The built-in planner cannot change a reservation, so nothing was changed. Cancel it (\"Cancel reservation r-123\") and book anew.",
                )
            }
            Goal::Past => context.say(
                format!(
                    "以前のことと受け取りました。新しい予約などは何もしていません。{}",
                    examples()
                ),
                format!("I take that as something past; nothing was done now. {}", examples()),
            ),
            Goal::Waiting => {
                let nothing = context.say("何もしていません。", " Nothing was done.");
                format!("{}{nothing}", questions::no_waiting(context.language))
            }
            // A named film is described instead.
            Goal::NotOnRecord if questions::asks_of_films(utterance) => return None,
            Goal::NotOnRecord => questions::not_on_record(utterance, context.language).to_owned(),
            Goal::Help => examples(),
            Goal::Price if questions::is_open_fare(utterance) => {
                let remark = questions::no_discounts(utterance, context.language)?;
                let next = context.say(
                    "上映ごとの料金は「明日の「羅生門」の料金は？」のように書くと確かめられます。",
                    "To see those of a showing, write for example \"How much is Rashomon tomorrow?\".",
                );
                context.say(format!("{remark}{next}"), format!("{remark} {next}"))
            }
            Goal::Reservation if number(utterance).is_none() => self.bookings.described(context),
            _ => return None,
        })
    }

    fn plan(
        &self,
        utterance: &Sentence,
        goal: Goal,
        language: Language,
        before: Option<&Request>,
    ) -> Option<Request> {
        Some(match goal {
            Goal::Cancel => Request::Cancel(Cancel::new(utterance, &self.bookings)),
            Goal::History => {
                let id = utterance.numbers.id(CONVERSATION);
                Request::History(
                    id.or(utterance.quoted.first().map(|it| it.text.as_str()))?.to_owned(),
                )
            }
            Goal::Held | Goal::Release | Goal::BookHeld => {
                let action = match goal {
                    Goal::Held => HoldAction::Tell,
                    Goal::Release => HoldAction::Release,
                    _ => HoldAction::Reserve,
                };
                let before = match before {
                    Some(Request::Visit(it)) => Some(Before::Visit(it)),
                    Some(Request::Held(it)) => Some(Before::Held(it)),
                    _ => None,
                };
                Request::Held(Held::new(utterance, action, before))
            }
            // A film named next to a denial: with a day, its times.
            Goal::Look if utterance.title().is_some() && !utterance.has(&[Word::THEIRS]) => {
                let goal =
                    if utterance.when.date.is_some() { Goal::Showtimes } else { Goal::Films };
                Request::Visit(Box::new(Visit::new(utterance, goal, visit_of(before))))
            }
            Goal::NotOnRecord => {
                let mut visit = Visit::new(utterance, Goal::Films, None);
                visit.remark = Some(questions::not_on_record(utterance, language).to_owned());
                if questions::asks_age(utterance) {
                    (visit.genre, visit.title) = (None, questions::film_asked_of(utterance));
                }
                Request::Visit(Box::new(visit))
            }
            Goal::Films
            | Goal::Showtimes
            | Goal::Seats
            | Goal::Price
            | Goal::Book
            | Goal::Hold
            | Goal::Reservation => {
                let mut visit = Visit::new(utterance, goal, visit_of(before));
                visit.remark = questions::price_remark(utterance, goal, language)
                    .or_else(|| questions::route_remark(utterance, language))
                    .or_else(|| {
                        utterance.waits.then(|| questions::no_waiting(language).to_owned())
                    });
                Request::Visit(Box::new(visit))
            }
            _ => return None,
        })
    }

    fn follow(
        &self,
        plan: &mut Option<Request>,
        utterance: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<FollowUp> {
        let on = FollowUp::Continue(CONTINUED, Vec::new());
        // `なかったことにして` after a booking cancels it.
        if manner == Some(Manner::Nothing)
            && takes_back(&utterance.text())
            && matches!(&*plan, Some(Request::Visit(it)) if it.is_made)
        {
            *plan = Some(Request::Cancel(Cancel::new(utterance, &self.bookings)));
            return Some(on);
        }
        let is_made = matches!(&*plan, Some(Request::Visit(it)) if it.is_made);
        if manner.is_none_or(|it| it == Manner::Price)
            && !matches!(goal, Some(Goal::Cancel | Goal::Release))
            && let Some(text) = self.bookings.recall_bookings(utterance, is_made, context)
        {
            return Some(FollowUp::Answer(text));
        }
        match plan {
            Some(Request::Cancel(cancel)) => {
                if matches!(goal, None | Some(Goal::Cancel)) && cancel.goes_ahead(utterance) {
                    return Some(on);
                }
                let is_open = matches!(goal, None | Some(Goal::Reservation));
                if let Some(text) = cancel.ask_for_user(utterance, context).filter(|_| is_open) {
                    return Some(FollowUp::Answer(text));
                }
                if is_open && manner.is_none() && cancel.switch_to_other(utterance) {
                    return Some(on);
                }
                let is_answer = cancel.waits
                    && manner.is_none()
                    && matches!(goal, None | Some(Goal::Cancel | Goal::Reservation));
                (is_answer && cancel.answer_in_text(utterance)).then_some(on)
            }
            Some(Request::Held(held)) => {
                if manner.is_some() {
                    return None;
                }
                if goal.is_none() && held.answer_in_text(utterance) {
                    return Some(on);
                }
                if let Some(action) = Held::next_action(utterance, goal) {
                    *held = Held::new(utterance, action, Some(Before::Held(held)));
                    return Some(on);
                }
                let is_open = matches!(goal, None | Some(Goal::Book));
                let visit = held.with_new_count(utterance, context).filter(|_| is_open)?;
                *plan = Some(Request::Visit(Box::new(visit)));
                Some(on)
            }
            // Releases held seats.
            Some(Request::Visit(visit))
                if goal == Some(Goal::Cancel)
                    && visit.held.is_some()
                    && number(utterance).is_none()
                    && !utterance.has(&[RESERVATION]) =>
            {
                *plan = Some(Request::Held(Held::new(utterance, HoldAction::Release, Some(Before::Visit(visit)))));
                Some(on)
            }
            // A question about the price in between.
            Some(Request::Visit(visit))
                if goal.is_none() && questions::asks_price(utterance, manner == Some(Manner::Price))
                    || goal == Some(Goal::Price) && questions::asks_price(utterance, questions::is_fare(utterance)) =>
            {
                if let Some(text) = visit.costs(utterance, context) {
                    return Some(FollowUp::Answer(text));
                }
                let Some(next) = visit.as_price_question(utterance, context) else {
                    return questions::price_remark(utterance, Goal::Price, context.language)
                        .map(|it| FollowUp::Answer(it.trim_end().to_owned()));
                };
                **visit = next;
                Some(on)
            }
            // A question about the hold's duration.
            Some(Request::Visit(visit))
                if goal.is_none() && visit.held.is_some() && questions::asks_how_long(utterance) =>
            {
                *plan = Some(Request::Held(Held::new(utterance, HoldAction::Tell, Some(Before::Visit(visit)))));
                Some(on)
            }
            // Nothing is held yet.
            Some(Request::Visit(visit))
                if goal.is_none()
                    && visit.is_hold
                    && visit.awaits_text()
                    && questions::asks_how_long(utterance) =>
            {
                let (japanese, english) = Self::effect(Goal::Hold)?;
                Some(FollowUp::Answer(context.say(japanese, english)))
            }
            // A reservation is not changed.
            Some(Request::Visit(visit)) if manner.is_none() && visit.is_made && changes(utterance) => {
                Some(FollowUp::Answer(context.say(
                    "予約はもう完了しているため、何も変えていません。変えるには、「キャンセルして」で取り消してから、あらためて予約してください。",
                    "That booking is made already, and nothing was changed. To change it, cancel it (\"cancel it\") and book anew.",
                )))
            }
            // Nothing is reserved yet: the choice is abandoned.
            Some(Request::Visit(visit))
                if (goal == Some(Goal::Cancel)
                    || goal == Some(Goal::Release) && visit.held.is_none()
                    || goal.is_none() && questions::abandons(utterance))
                    && visit.awaits_text()
                    && number(utterance).is_none()
                    && !utterance.has(&[RESERVATION]) =>
            {
                *plan = None;
                Some(FollowUp::Answer(say::nothing(context)))
            }
            // Books what was looked at: `book it`, `F列の10と11で`.
            Some(Request::Visit(visit))
                if manner.is_none()
                    && visit.is_looked_at()
                    && (questions::repeats_order(utterance)
                        || goal.is_none() && !utterance.asks() && names_seats(utterance)) =>
            {
                visit.book();
                visit.take_seats(utterance);
                Some(FollowUp::Continue(SEATED, Vec::new()))
            }
            // Books held seats if nothing else is named: `book them`.
            Some(Request::Visit(visit))
                if manner.is_none()
                    && visit.held.is_some()
                    && questions::confirms(utterance) =>
            {
                *plan = Some(Request::Held(Held::new(utterance, HoldAction::Reserve, Some(Before::Visit(visit)))));
                Some(on)
            }
            // `何分ですか？`: other things take minutes as well, such as the way in `駅まで何分？`.
            Some(Request::Visit(visit)) if manner.is_none() && utterance.has(&[Word::THEIRS]) => {
                let is_way = utterance.says("まで|から|歩|車で|電車|to|from");
                **visit = visit.as_length_question(utterance, goal).filter(|_| !is_way)?;
                Some(on)
            }
            Some(Request::Visit(visit)) if manner.is_none() => {
                use Goal::{Book, Films, Look, Showtimes};
                let is_order = matches!(goal, None | Some(Book | Films | Look | Showtimes));
                let less = || visit.without(utterance);
                if let Some(next) = visit.once_more(utterance).or_else(less).or_else(|| visit.counted(utterance)).filter(|_| is_order) {
                    **visit = next;
                    return Some(on);
                }
                if let Some(text) = visit.asks_which_times(utterance, goal, context) {
                    return Some(FollowUp::Answer(text));
                }
                if let Some(next) = visit.as_length_question(utterance, goal) {
                    **visit = next;
                    return Some(on);
                }
                if let Some(next) = visit.follow(utterance, goal) {
                    **visit = next;
                    return Some(on);
                }
                if let Some(next) = visit.reordered(utterance, goal) {
                    **visit = next;
                    return Some(on);
                }
                // `席だけ変えて、F列で`: nothing is reserved that could be changed.
                let is_change = goal == Some(Goal::Change) && !visit.is_made;
                let is_counted = !utterance.numbers.counts.is_empty() && !utterance.asks();
                // `3番の映画を2枚` books one that was listed.
                let is_picked = goal == Some(Films) && is_counted && place(utterance).is_some();
                let is_chosen = matches!(goal, Some(Films | Showtimes)) && visit.chooses_showing(utterance);
                let is_open = is_change || is_picked || is_chosen || matches!(goal, None | Some(Book));
                if !visit.awaits_text() || !is_open {
                    return None;
                }
                if goal == Some(Book) {
                    visit.book();
                }
                let remark = questions::no_cheap_seats(utterance, context.language);
                visit.remark = remark.or(visit.remark.take());
                // A new order starts over, unless it chooses among the offered options.
                let before = (visit.user.clone(), visit.question);
                let goes_on = visit.answer_in_text(utterance) || visit.repeats_question(utterance, goal, context);
                visit.repeat_name(before, context);
                // `A1からA4まで` might be places elsewhere.
                let on = if names_seats(utterance) { FollowUp::Continue(SEATED, Vec::new()) } else { on };
                goes_on.then_some(on)
            }
            _ => None,
        }
    }

    fn guess(
        &self,
        utterance: &Sentence,
        context: &TurnContext<'_>,
    ) -> Option<(Request, Percent, Vec<String>)> {
        if !context.has(MOVIES) {
            return None;
        }
        if questions::only_books(utterance) {
            let visit = Visit::new(utterance, Goal::Book, None);
            return Some((Request::Visit(Box::new(visit)), GUESSED, Vec::new()));
        }
        if let Some(goal) = guessed(utterance) {
            let mut visit = Visit::guessed(utterance, goal);
            visit.remark = questions::no_cheap_seats(utterance, context.language);
            let left = unused(utterance, &used(&visit, goal));
            if left.len() < ASKED_FROM {
                visit.described_by(&left, utterance);
                return Some((Request::Visit(Box::new(visit)), GUESSED, left));
            }
        }
        // A bare name may be a film's.
        let left = unused(utterance, &Used { conditions: vec![LAST], ..Used::default() });
        let asks = [SEE, ABOUT, PLAYING];
        let name = bare::name(utterance, &left, &asks, || utterance.title(), Vec::new)?;
        let lower = name.to_lowercase();
        let left = left.into_iter().filter(|it| !lower.contains(&it.to_lowercase()));
        let visit = Visit::possible_name(&Sentence::parse(&name, context.today()), &name);
        Some((Request::Visit(Box::new(visit)), LOOKED_FOR, left.collect()))
    }
}

/// Returns the visit of a plan.
fn visit_of(plan: Option<&Request>) -> Option<&Visit> {
    match plan {
        Some(Request::Visit(it)) => Some(it),
        _ => None,
    }
}

/// Parts of a sentence that a visit uses.
fn used(visit: &Visit, goal: Goal) -> Used {
    let conditions = match goal {
        Goal::Book | Goal::Hold | Goal::Seats => vec![LAST, MIDDLE, WHEELCHAIR],
        Goal::Showtimes => vec![LAST],
        _ => Vec::new(),
    };
    let mut names = visit.used();
    let mut conditions = conditions;
    if visit.count.is_some() {
        // Companions are counted.
        conditions.push(CHILDREN);
    }
    match goal {
        Goal::Price => names.extend(marks(PRICES).map(str::to_owned)),
        Goal::NotOnRecord => {
            names.extend(marks(questions::AGE_WORDS).map(str::to_owned));
            let words = marks(rules::MAKERS).flat_map(|it| it.split(' '));
            names.extend(words.map(str::to_owned));
        }
        Goal::Films | Goal::Showtimes | Goal::Book | Goal::Seats => {
            let words =
                marks(questions::CHEAPEST).filter(|it| visit.sentence.to_lowercase().contains(it));
            names.extend(words.flat_map(|it| it.split(' ')).map(str::to_owned));
        }
        _ => {}
    }
    Used { names, conditions, spans: Vec::new() }
}

impl Plan for Request {
    type Goal = Goal;
    type Sentence = Sentence;

    fn used(&self, _utterance: &Sentence, goal: Goal) -> Used {
        match self {
            Self::Visit(it) => used(it, goal),
            Self::Held(_) | Self::Cancel(_) | Self::History(_) => Used::default(),
        }
    }

    fn covers(&self) -> bool {
        matches!(self, Self::Visit(it) if it.covers())
    }

    fn is_settled(&self) -> bool {
        matches!(self, Self::Visit(it) if it.is_titled())
    }

    fn plain(&self, sentence: String) -> String {
        match self {
            Self::Visit(it) if it.awaits_text() => questions::whole_comparison(&sentence),
            _ => sentence,
        }
    }

    fn may_repeat(&self) -> bool {
        matches!(self, Self::Visit(it) if !it.is_made && it.held.is_none())
            || matches!(self, Self::History(_))
    }

    fn learn(&mut self, words: &[String], utterance: &Sentence) {
        if let Self::Visit(visit) = self {
            visit.described_by(words, utterance);
        }
    }

    fn explained(&self) -> &[String] {
        match self {
            Self::Visit(it) => it.explained(),
            Self::Held(_) | Self::Cancel(_) | Self::History(_) => &[],
        }
    }

    fn filled(&mut self, values: &Map<String, Value>, _language: Language) {
        if let Self::Visit(visit) = self {
            visit.filled(values);
        }
    }

    fn next(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        match self {
            Self::Visit(it) => it.next(context, answered),
            Self::Held(it) => it.next(context, answered),
            Self::Cancel(it) => it.next(context, answered),
            Self::History(id) => history(id, context, answered),
        }
    }
}

/// Reads a recorded conversation.
fn history(id: &str, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
    if let Some((_, failure)) = failure(answered) {
        return context.conclude(failed(context, failure));
    }
    let Some(found) = output(answered, HISTORY) else {
        let reason = context.say("対話の記録を確認", "To read what was said");
        return context.only(HISTORY, json!({ "conversation_id": id }), reason);
    };
    let lines = found["history"].as_array().into_iter().flatten().filter_map(|entry| {
        Some(format!("- {}: {}", entry["sender"].as_str()?, entry["content"].as_str()?))
    });
    context.conclude(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests;
