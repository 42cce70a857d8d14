//! Questions in the middle of a visit, which continues afterwards: prices, lengths, items of a list.

use language::{
    Language,
    context::TurnContext,
    coverage::{Used, is_small, unused},
    inquiry::{asks_whether_done, is_hypothetical},
    scan::marks,
    utterance::Utterance,
    vocabulary::Unit,
    words::Word,
};

use super::{
    answers::{approves_after_all, is_thinking, place_of},
    conditions::{self, Conditions, names_position, sorting},
    marks::named_seats,
    rules::{Goal, MAKERS},
    titles::Sentence,
    visit::{Aim, Question, Selection, Visit},
    words::{ABOUT, FILM, RESERVE, SEAT, SEE, TICKET},
};

/// Questions about the duration of a hold.
const TIME_LEFT: &str = "あと何分|あと何秒|いつまで|何分まで|何時まで|何分間|期限|有効|how long|until when|till when|how much time|how many minutes|expire|expires|run out|keep them|keep it";
/// Words that book held seats.
const CONFIRMS: &str = "確定|confirm|confirmed";
/// Films by their places in a list that elsewhere are showings.
pub(super) const OF_LIST: &str = "first one|last one|最後の映画";
/// People with discounts.
const DISCOUNTS: &str = "割引|割り引き|学割|値引|安くなる|子供|子ども|こども|小人|学生|シニア|高齢|大学生|高校生|中学生|小学生|discount|discounts|child|children|kid|kids|student|students|senior|seniors|concession";
/// Words for discounts.
const REDUCED: &str = "割引|割り引き|学割|値引|discount|discounts|concession";

/// Words of questions for whom a film is suitable.
pub(super) const AGE_WORDS: &str = "怖い|怖く|子供|子ども|小学生|対象年齢|scary|violent|suitable|appropriate|year|old|years|kids|children";
/// Questions for whom a film is suitable.
const AGES: &str = "対象年齢|年齢制限|子供でも見|子供でも観|子どもでも見|子どもでも観|子供も見|子供も観|子どもも見|子どもも観|age rating|age ratings|age limit|age restriction|kids watch|children watch|kids see|children see";
/// The same where films are mentioned; elsewhere they ask about other things.
const AGES_OF_FILMS: &str = "何歳から|何才から|何歳以上|小学生でも|って怖い|は怖い|怖くない|r15|r18|pg12|歳の子|歳児|too scary|ok for kids|okay for kids|ok for children|year old|year-old|years old";
/// Fees for cancelling.
pub(super) const CANCEL_FEES: &str = "キャンセル料|キャンセル代|キャンセルの手数料|キャンセル手数料|キャンセルにお金|cancellation fee|cancellation fees|cancellation charge|cancelling fee|fee for cancelling|fee for canceling|charge for cancelling|cost to cancel|cost me to cancel";
/// Qualities of a film that are not on record, after its name.
const SUITS: &str = " scary| violent| suitable| appropriate";

/// Words that sort a list.
const SORTED: &str =
    "順|並べ|並び|もっと|sort|sorted|order|ordered|by rating|by length|shorter|longer|newer|older";
/// Words that sort films by price.
pub(super) const CHEAPEST: &str = "一番やすい|一番安く|いちばん安く|もっと安い|もう少し安い|もうちょっと安い|安いの|安いやつ|cheaper|安い席|やすい席|cheap seats|安い順|やすい順|高い順|値段順|値段の順|料金順|料金の順|価格順|一番安い|いちばん安い|いちばんやすい|最安|cheapest|cheapest first|by price|price order|lowest price|least expensive|most expensive";
/// Phrases that ask the same price for others.
const FOR_BEHIND: &str = "だと|なら|だったら|の場合は|の場合";
const FOR_BEFORE: &str = "what about |how about |and for |and what about ";

/// Whether `utterance` asks when a film is on.
pub(super) fn asks_when(utterance: &Utterance) -> bool {
    const WHEN: &str = "when could|when can|when is it|when's it|when does it|what time|what times|which showing|何時|いつやって|いつ観|いつ見|間に合う回|の回も|回を教えて|時間も";
    marks(WHEN).any(|it| utterance.find(it, 0).is_some())
}

/// Whether a sentence refers to a film without naming it: `how long is it?`, `何分ですか`.
pub(super) fn refers_to_film(sentence: &str) -> bool {
    const BACK: &str = "それ|その映画|その作品|これ|この映画";
    const ENGLISH: [&str; 3] = ["it", "that", "it's"];
    let sentence = sentence.to_lowercase();
    let mut words = sentence.split(|it: char| !it.is_alphanumeric() && it != '\'');
    const BARE: &str = "何分|何時間|どのくらいの長さ|長さは|あらすじ|どんな話|ストーリー|内容は|plot|synopsis|storyline";
    let begun = ["じゃあ", "で、", "ちなみに"].iter().find_map(|it| sentence.strip_prefix(it));
    let begun = begun.unwrap_or(&sentence).trim_start_matches('、');
    let is_bare =
        marks(BARE).any(|it| begun.starts_with(it)) || sentence.starts_with("what's the plot");
    const FILM: &str = "is the film|is the movie|is that film|is that movie|does the film|does the movie|映画は何分|映画って何分|映画の長さ";
    is_bare
        || marks(FILM).any(|it| sentence.contains(it))
        || marks(BACK).any(|it| sentence.contains(it))
        || words.any(|it| ENGLISH.contains(&it))
}

/// Whether `utterance` asks for a film's length.
pub(super) fn asks_length(utterance: &Utterance) -> bool {
    const LENGTH: &str = "how long is|how long's|what's the runtime|runtime|running time|何分?|何分？|何分ですか|何分なの|何時間?|何分の映画|何分ある|長さは|上映時間は何分|どのくらいの長さ|どれくらいの長さ";
    marks(LENGTH).any(|it| utterance.find(it, 0).is_some())
}

/// Answer to a question that is not on record.
pub(super) fn not_on_record(utterance: &Sentence, language: Language) -> &'static str {
    match utterance.says(MAKERS) {
        _ if utterance.says(CANCEL_FEES) => language.pick(
            "キャンセル料や返金については登録されていないため、分かりません。予約を取り消せるのは、上映が始まるまでです。何もしていません。",
            "Fees for cancelling, and refunds, are not on record here, so I cannot say. A booking can be cancelled until the showing begins. Nothing was done.",
        ),
        _ if asks_age(utterance) => language.pick(
            "対象年齢や、お子さん向けか・怖いかは登録されていないため、分かりません。",
            "Age ratings, and whether a film suits children, are not on record here, so I cannot say.",
        ),
        true => language.pick(
            "監督・出演者・スタッフは登録されていないため、分かりません。あらすじ・長さ・公開年・評価と、上映時間・空席・料金はお調べできます。",
            "Who made a film and who plays in it are not on record here, so I cannot say. I can look up its story, length, year and rating, showtimes, free seats and prices.",
        ),
        false => language.pick(
            "館内の設備や営業時間、休憩や予告編などは登録されていないため、分かりません。映画・上映時間・空席・料金はお調べでき、座席の予約もできます。",
            "The house's facilities and hours, intermissions, trailers and the like are not on record here, so I cannot say. I can look up films, showtimes, free seats and prices, and book seats.",
        ),
    }
}

/// Says that the waiting list is elsewhere.
pub(super) fn no_waiting(language: Language) -> &'static str {
    language.pick(
        "キャンセル待ちは、内蔵プランナーとの会話では受け付けていません。満席の回の座席表から申し込めます。",
        "The built-in planner takes no names for the waiting list; you can join it on the plan of the hall of a showing that is full.",
    )
}

/// Remark about the route to the cinema, which is not supported here.
pub(super) fn route_remark(utterance: &Sentence, language: Language) -> Option<String> {
    const WAY: &str = "映画館まで|映画館への|way to the cinema|get to the cinema|directions to the cinema|route to the cinema";
    let remark = language.pick(
        "映画館の場所は登録されていないため、行き方は調べていません。",
        "Where the house is is not on record, so the way there was not looked up.",
    );
    (utterance.says(WAY) && utterance.has(&[Word::THEIRS])).then(|| remark.to_owned())
}

/// Whether `utterance` asks what is not on record of a named film, or of those of a day.
pub(super) fn asks_of_films(utterance: &Sentence) -> bool {
    film_asked_of(utterance).is_some() && (utterance.says(MAKERS) || asks_age(utterance))
        || asks_age(utterance) && utterance.when.date.is_some()
}

/// The named film, if the name is not a word of the question.
pub(super) fn film_asked_of(utterance: &Sentence) -> Option<String> {
    let is_word = |word: &String| {
        let ages = marks(AGES).chain(marks(AGES_OF_FILMS));
        marks(MAKERS).chain(ages).any(|mark| mark.contains(&word.to_lowercase()))
    };
    // `is godzilla scary?`
    let text: String = utterance.lower.iter().collect();
    let subject = marks(SUITS).find_map(|it| text.split_once(it));
    let subject = subject.and_then(|it| it.0.trim().strip_prefix("is ").map(str::to_owned));
    let subject = subject.filter(|it| !is_small(it) && !it.contains(' '));
    utterance.title().filter(|it| !is_word(it)).or(subject)
}

/// Whether `utterance` asks for whom a film is suitable: `子どもでも見れる？`, `is Godzilla scary?`.
pub(super) fn asks_age(utterance: &Sentence) -> bool {
    // `my dog is 3 years old`, `雷は怖い` and the seat R15 are about no film.
    let is_of_day = utterance.when.date.is_some() && utterance.says("anything|something|何か");
    let is_seen = utterance.has(&[SEE]) || utterance.says("見れ|観れ|見られ|観られ");
    let is_seen =
        is_seen && utterance.numbers.marked.is_empty() && !utterance.says("見たい|観たい");
    let is_of_films = is_of_day || is_seen || utterance.has(&[FILM]);
    let text: String = utterance.lower.iter().collect();
    let quality =
        marks(SUITS).filter(|it| text.trim_start().starts_with("is ") && text.contains(it));
    let is_film = |mark: &str| {
        let subject = text.split_once(mark).map_or("", |it| it.0.trim_start());
        let is_one = subject.trim_start_matches("is ").split(' ').count() == 1;
        is_of_films || is_one && [" scary", " violent"].contains(&mark)
    };
    // `ゴジラは怖い？`
    let is_title = |mark: &str| {
        let before = text.split_once(mark).and_then(|it| it.0.chars().next_back());
        before.is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, '\u{30a1}'..='ー'))
    };
    let is_scary = utterance.asks() && ["って怖い", "は怖い"].into_iter().any(is_title);
    let mut qualities = quality.map(is_film);
    utterance.says(AGES)
        || is_of_films && utterance.says(AGES_OF_FILMS)
        || is_scary
        || qualities.any(|it| it)
}

/// Whether `utterance` asks how long seats are held.
pub(super) fn asks_how_long(utterance: &Sentence) -> bool {
    utterance.asks() && utterance.says(TIME_LEFT)
}

/// Whether `utterance` books held seats and names nothing else.
pub(super) fn confirms(utterance: &Sentence) -> bool {
    (utterance.has(&[RESERVE]) || utterance.says(CONFIRMS))
        && utterance.numbers.marked.is_empty()
        && utterance.numbers.counts.is_empty()
        && utterance.title().is_none()
}

/// Whether `utterance` only repeats the pending order: `予約して`, `book it`.
pub(super) fn repeats_order(utterance: &Sentence) -> bool {
    confirms(utterance)
        && !utterance.asks()
        && !utterance.has(&[Word::NOT, Word::CANCEL, Word::CHANGE, Word::THEIRS])
        && utterance.when.spans.is_empty()
        && unused(utterance, &Used::default()).is_empty()
}

/// Whether the whole `utterance` wishes a booking: `予約したい`, `I'd like to book`.
pub(super) fn only_books(utterance: &Sentence) -> bool {
    const WHOLE: &str = "予約したい|予約したいです|予約したいんですが|予約したいのですが|予約をしたい|予約をしたいです|i want to book|i'd like to book|i would like to book|i want to make a booking|i'd like to make a booking|i'd like to make a reservation";
    let text: String = utterance.lower.iter().collect();
    let text =
        text.trim().trim_end_matches(['。', '.', '!', '、', ',']).trim_end_matches(" please");
    marks(WHOLE).any(|it| it == text) && utterance.user().is_none()
}

/// Whether `utterance` asks for the price of a visit's seats; `is_price` if it has a word for that.
pub(super) fn asks_price(utterance: &Sentence, is_price: bool) -> bool {
    const OTHERS: &[Word] = &[
        Word::THEIRS,
        Word::THEIR_ACTION,
        Word::THEIR_WORD,
        Word::ELSEWHERE,
        Word::CANCEL,
        Word::CHANGE,
        Word::DELETE,
    ];
    let is_asked = is_price
        || only_limits_price(utterance)
        || utterance.asks() && (utterance.says(REDUCED) || asks_price_for_others(utterance));
    is_asked && !utterance.has(OTHERS) && utterance.title().is_none()
}

/// Whether `utterance` asks for the same price for others: `シニア二枚だと？`, `what about two students?`.
fn asks_price_for_others(utterance: &Sentence) -> bool {
    let text = utterance.text().to_lowercase();
    let bare = text.trim_end_matches(['?', '？', ' ', '。']);
    // `子供は？` as well.
    let whom = bare.strip_suffix('は').unwrap_or_default();
    let is_counted = !utterance.numbers.counts.is_empty() || marks(DISCOUNTS).any(|it| it == whom);
    utterance.says(DISCOUNTS)
        && (marks(FOR_BEHIND).any(|it| bare.ends_with(it))
            || marks(FOR_BEFORE).any(|it| bare.starts_with(it))
            || is_counted && bare.ends_with('は'))
}

/// Whether `utterance` asks for a price by people, without a word for seats.
pub(super) fn is_fare(utterance: &Sentence) -> bool {
    let counts = &utterance.numbers.counts;
    // `大人と学生の料金は？`
    let is_for = utterance.says(DISCOUNTS) || counts.iter().any(|it| it.0 == Unit::People);
    utterance.has(&[Word::PRICE]) && is_for
        || !counts.is_empty() && utterance.asks() && asks_price_for_others(utterance)
        || is_kind_of_ticket(utterance)
}

/// Whether `utterance` asks about tickets of a kind of people, with neither count nor price: `kids
/// tickets?`, `学生のチケットはある？`.
fn is_kind_of_ticket(utterance: &Sentence) -> bool {
    utterance.says(DISCOUNTS)
        && utterance.has(&[TICKET])
        && utterance.asks()
        && utterance.numbers.counts.is_empty()
        && !utterance.has(&[RESERVE, Word::PRICE, Word::WANT])
}

/// Whether `utterance` asks for prices by people, without a showing or count.
pub(super) fn is_open_fare(utterance: &Sentence) -> bool {
    utterance.says(DISCOUNTS)
        && utterance.numbers.counts.is_empty()
        && utterance.when.spans.is_empty()
        && utterance.title().is_none()
        && (!utterance.has(&[FILM, TICKET, SEAT, SEE]) || is_kind_of_ticket(utterance))
}

/// Whether `utterance` only abandons the choice.
pub(super) fn abandons(utterance: &Sentence) -> bool {
    utterance.has(&[Word::NOT])
        && !utterance.asks()
        && utterance.numbers.counts.is_empty()
        && utterance.numbers.marked.is_empty()
        && utterance.when.spans.is_empty()
        && utterance.title().is_none()
        && unused(utterance, &Used::default()).is_empty()
        && utterance.says("いらない|いらん|いりません|要らない|要りません|不要|結構です|やめて|やめる|やめます|don't want|no longer|do not want")
}

impl Visit {
    /// Adds what `utterance` names besides to what was looked for: `時代劇も入れて`, `日曜の夜も`.
    pub(super) fn add_to(&mut self, utterance: &Sentence, before: &Self) {
        self.add_day(utterance, before);
        let Some(new) = self.genre.clone().filter(|_| utterance.adds_genre()) else { return };
        let parts = before.wanted.without.iter().flat_map(|it| it.split('・'));
        let (back, without): (Vec<&str>, Vec<&str>) = parts.partition(|it| *it == new.0);
        if !back.is_empty() {
            // It was left out before.
            self.genre.clone_from(&before.genre);
            self.wanted.without = (!without.is_empty()).then(|| without.join("・"));
        } else if let Some(old) = before.genre.as_ref().filter(|it| **it != new) {
            self.genre = Some((format!("{}・{}", old.0, new.0), format!("{} or {}", old.1, new.1)));
        }
    }

    /// Looks on the day before as well, at the same hours.
    pub(super) fn add_day(&mut self, utterance: &Sentence, before: &Self) {
        let is_same_time = utterance.when.hours.is_none() || utterance.when.hours == before.hours;
        let is_list = matches!(self.aim, Aim::Films | Aim::Showtimes) && self.also.is_none();
        let is_added = utterance.adds_day() && utterance.title().is_none();
        let other = before.date.clone().filter(|it| self.date.as_ref() != Some(it));
        let other = other.filter(|_| is_added && is_same_time && is_list);
        if let (Some(other), Some(own)) = (other, self.date.clone()) {
            self.also = Some(own.clone().max(other.clone()));
            self.date = Some(own.min(other));
        }
    }

    /// Takes the seats that `utterance` wants; where it refuses some that were chosen, the others stay.
    pub(super) fn take_seats(&mut self, utterance: &Sentence) {
        let (wanted, refused) = named_seats(utterance, &self.seats);
        if self.seats.iter().any(|it| refused.contains(it)) {
            self.seats.retain(|it| !refused.contains(it));
            let new: Vec<_> = wanted.into_iter().filter(|it| !self.seats.contains(it)).collect();
            self.seats.extend(new);
            self.count = u32::try_from(self.seats.len()).ok().filter(|it| *it > 0).or(self.count);
        } else if !wanted.is_empty() {
            self.seats = wanted;
        }
    }

    /// The films that were listed without those that are refused now or were before: `ゴジラも抜きで`, `without Ikiru`.
    pub(super) fn without(&self, utterance: &Sentence) -> Option<Self> {
        let other = self.other_than(utterance);
        let no = other.clone().or_else(|| self.refused_films(utterance))?;
        let all = self.wanted.without.iter().fold(no, |all, it| format!("{all}・{it}"));
        let mut next =
            Self { choices: Vec::new(), question: None, film_of_answer: None, ..self.clone() };
        next.wanted.without = Some(all);
        if other.is_some() {
            (next.film, next.showing, next.title) = (None, None, None);
            next.seats.clear();
            next.wanted.words.clear();
            next.sentence = utterance.text();
            // `別の映画を明後日3枚`
            let said = Self::new(utterance, Goal::Showtimes, None);
            if !utterance.when.spans.is_empty() {
                (next.date, next.also) = (said.date, said.also);
                (next.week, next.hours) = (said.week, said.hours);
            }
            next.count = said.count.or(next.count);
            let books = [self.aim, said.aim].contains(&Aim::Book);
            next.aim = if books { Aim::Book } else { Aim::Films };
        }
        Some(next)
    }

    /// The chosen film or that of the last answer, where another one is wished: `他の映画で`, `もう見たから他ので`.
    fn other_than(&self, utterance: &Sentence) -> Option<String> {
        const OTHER: &str = "他の映画|ほかの映画|別の映画|違う映画|another film|another movie|a different film|a different movie|some other film|some other movie";
        const ANY: &str = "他の|ほかの|別の|違うの|something else|a different one|another one";
        const SEEN: &str =
            "もう見た|もう観た|見たことある|観たことある|前に見た|already seen|seen it|seen that";
        const NOT: &str = "いらない|いりません|不要|じゃなくて|ではなく|映画館|not another|not a different|no other|don't want";
        let film = self.film.as_ref().or(self.film_of_answer.as_ref())?;
        if utterance.says(NOT) {
            return None;
        }
        let is_film = self.question.is_none_or(|it| it == Question::Film);
        let is_any = utterance.says(ANY) && (is_film || utterance.says(SEEN));
        let is_open = utterance.numbers.marked.is_empty() && utterance.name().is_none();
        (is_open && (is_any || utterance.says(OTHER))).then(|| film.label.clone())
    }

    /// The films that were listed and are refused now.
    fn refused_films(&self, utterance: &Sentence) -> Option<String> {
        const BEFORE: &str = "and not |and no |without |not |no |except |leave out |skip ";
        const BEHIND: &str = "抜きで|抜いて|除いて|外して|なしで|無しで|以外で|以外|いらない";
        let text = utterance.text().to_lowercase();
        let text = text.trim_end_matches(['。', '.', '!', '?', ' ']);
        let name = marks(BEFORE).find_map(|it| text.strip_prefix(it));
        let name = name.or_else(|| marks(BEHIND).find_map(|it| text.strip_suffix(it)))?;
        let name = name.trim_end_matches(" either").trim_end_matches(" please");
        let name = name.trim_end_matches(['も', 'は', 'を']);
        // `not this` and `no me` are parts of titles, too.
        let is_listed = |name: &&str| {
            let is_name = name.len() > 3 && !is_small(name);
            let is_it = |word: &String| is_name && word.to_lowercase().contains(name);
            self.choices.iter().any(|it| it.words.iter().any(is_it))
        };
        let both = name.replace(" and ", "と").replace(" or ", "と");
        let names: Vec<_> = if is_listed(&name) { vec![name] } else { both.split('と').collect() };
        let listed = || names.iter().all(is_listed).then(|| names.join("・"));
        let is_open = self.question == Some(Question::Film) && utterance.when.spans.is_empty();
        utterance.refused_genres().or_else(listed).filter(|_| is_open)
    }

    /// The same seats that were looked at, to be booked for a number of people: `じゃあ2枚`, `book two of them`.
    pub(super) fn counted(&self, utterance: &Sentence) -> Option<Self> {
        // `not for two`, `2人は無理`.
        const DENIALS: &str =
            "not|no|never|don't|dont|can't|cant|無理|いらな|要らな|じゃな|ではな|だめ|ダメ|やめ";
        let is_order = self.is_looked_at()
            && !utterance.asks()
            && !utterance.says(DENIALS)
            && utterance.title().is_none()
            && utterance.when.spans.is_empty()
            && utterance.numbers.marked.is_empty();
        let count = utterance.numbers.people().filter(|_| is_order)?;
        let mut next = Self { count: Some(count), ..self.clone() };
        next.wanted.update(Conditions::parse(utterance));
        next.book();
        Some(next)
    }

    /// Whether the last question is repeated: the writer hesitates, or repeats the pending order.
    pub(super) fn repeats_question(
        &mut self,
        utterance: &Sentence,
        goal: Option<Goal>,
        context: &TurnContext<'_>,
    ) -> bool {
        let is_open = matches!(goal, None | Some(Goal::Book | Goal::Seats));
        if self.question == Some(Question::Seats) && is_open && leaves_seats(utterance) {
            self.take_recommended();
            return true;
        }
        if self.question == Some(Question::Seats)
            && goal.is_none()
            && self.repeats_booking(utterance)
        {
            if self.user.is_some() && repeats_order(utterance) {
                self.take_recommended();
            }
            return true;
        }
        // `明日の映画は？`, `予約したい`
        let is_looked = matches!(self.question, Some(Question::Film | Question::Showing));
        let is_order = only_books(utterance) || repeats_order(utterance);
        if is_looked && self.aim != Aim::Book && goal.is_none() && is_order {
            self.book();
            self.is_listed = self.has_list;
            if let [only] = &self.choices.clone()[..] {
                self.chose(only);
            }
            return true;
        }
        match self.question {
            Some(Question::Seats) if goal.is_none() && is_thinking(utterance) => {
                self.remark = Some(context.say(
                    "お決まりになったらお選びください。まだ何も予約していません。",
                    "Take your time; nothing is reserved yet.",
                ));
                true
            }
            Some(Question::Denied) => {
                self.repeats_booking(utterance) || approves_after_all(utterance)
            }
            Some(Question::Approval) => {
                let is_anew = goal == Some(Goal::Book) && utterance.title().is_none();
                is_anew || goal.is_none() && is_thinking(utterance)
            }
            _ => false,
        }
    }

    /// Answer to a question about the price while seats are chosen; the visit is unchanged.
    pub(super) fn costs(&self, utterance: &Sentence, context: &TurnContext<'_>) -> Option<String> {
        let chosen = [self.seats.join(",")];
        let sets: Vec<&str> = match (self.seats.is_empty(), self.question) {
            (false, _) => chosen.iter().map(String::as_str).collect(),
            (true, Some(Question::Seats)) => {
                self.choices.iter().map(|it| it.value.as_str()).collect()
            }
            _ => Vec::new(),
        };
        let line = |set: &str| {
            let seats: Vec<_> = set.split(',').map(str::to_owned).collect();
            let total = self.fares.total(&seats, context);
            let names = seats.join(context.language.pick("・", ", "));
            (!total.is_empty()).then(|| format!("- {names}{total}"))
        };
        let lines: Vec<_> = sets.into_iter().filter_map(line).collect();
        let discounts = no_discounts(utterance, context.language).unwrap_or_default();
        let head = context.say(
            format!("料金です。まだ予約していません。{discounts}"),
            format!("The price; nothing is reserved yet. {discounts}"),
        );
        (!lines.is_empty()).then(|| format!("{}\n{}", head.trim_end(), lines.join("\n")))
    }

    /// A copy of the visit that asks for prices; `None` without a film.
    pub(super) fn as_price_question(
        &self,
        utterance: &Sentence,
        context: &TurnContext<'_>,
    ) -> Option<Self> {
        let film = self.film.as_ref().or(self.film_of_answer.as_ref());
        if film.is_none() && self.showing.is_none() {
            return None;
        }
        let mut next = Self::new(utterance, Goal::Price, Some(self));
        next.film = next.film.or_else(|| film.cloned());
        next.remark = no_discounts(utterance, context.language);
        Some(next)
    }

    /// Selects the film of the list `before` by its number in `utterance`: `2番のは何時？`.
    pub(super) fn pick_from_list(&mut self, utterance: &Sentence, before: &Self) {
        let is_open = self.film.is_none() && self.title.is_none() && self.genre.is_none();
        let is_listed =
            before.question == Some(Question::Film) && utterance.numbers.marked.is_empty();
        if !is_open || !is_listed {
            return;
        }
        let place = place_of(utterance, before.choices.len());
        let chosen = place.and_then(|it| before.choices.get(it));
        // `the first one` is a film of the list.
        let is_film = chosen.is_some() && utterance.says(OF_LIST);
        self.wanted.pick = self.wanted.pick.filter(|_| !is_film);
        if self.aim == Aim::Films {
            // `how long is number 3?` is about that film.
            let name = chosen.map(|it| it.name.as_ref().unwrap_or(&it.label).clone());
            if let Some(name) = name.filter(|_| utterance.has(&[ABOUT]) || self.asks_length) {
                self.sentence = format!("{} {name}", self.sentence);
                self.title = Some(name);
                if utterance.when.spans.is_empty() {
                    self.forget_day();
                }
            }
            return;
        }
        self.film = chosen.map(|it| Selection {
            id: it.value.clone(),
            label: it.name.as_ref().unwrap_or(&it.label).clone(),
        });
    }

    /// Asks what is meant where films are listed, which have no time: `もっと早い時間は？`, `something earlier`. Where times
    /// are listed, `他ので` may mean another film or another time.
    pub(super) fn asks_which_times(
        &self,
        utterance: &Sentence,
        goal: Option<Goal>,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        const TIMES: &str = "もっと早い|もう少し早い|もうちょっと早い|もっと遅い|もう少し遅い|もうちょっと遅い|早い時間|遅い時間|something earlier|something later|anything earlier|anything later|any earlier|any later|a bit earlier|a bit later";
        const OTHERS: &str = "他ので|ほかので|別ので|違うので|他のは|ほかのは|別のは|他のがいい|別のがいい|another one|a different one|something else";
        let is_plain = goal.is_none()
            && utterance.title().is_none()
            && utterance.when.spans.is_empty()
            && utterance.numbers.counts.is_empty()
            && utterance.numbers.marked.is_empty();
        let lists_films = self.aim == Aim::Films
            && self.question == Some(Question::Film)
            && self.choices.len() > 1;
        if is_plain && lists_films && utterance.says(TIMES) {
            return Some(context.say(
                "映画の一覧には上映時刻がありません。どの映画の回か（例:「1番の一番早い回」）、何時ごろか（例:「明日の15時までの映画」）を書いてください。",
                "A list of films has no times. Please write of which film (such as \"the earliest of number 1\") or until when (\"films tomorrow before 3pm\").",
            ));
        }
        let lists_times = self.question == Some(Question::Showing) && self.film.is_some();
        (is_plain && lists_times && utterance.says(OTHERS)).then(|| {
            context.say(
                "別の回ですか、別の映画ですか？「2番の回」「他の映画で」のように書いてください。",
                "Another time or another film? Please write for example \"number 2\" or \"another film\".",
            )
        })
    }

    /// A copy of the visit that asks for the length of the film meant by `utterance`: `1番目のは何分？`.
    pub(super) fn as_length_question(
        &self,
        utterance: &Sentence,
        goal: Option<Goal>,
    ) -> Option<Self> {
        if goal.is_some() || !asks_length(utterance) || utterance.title().is_some() {
            return None;
        }
        let next = Self::new(utterance, Goal::Films, Some(self));
        next.title.is_some().then_some(next)
    }

    /// A copy of the visit with another order of the shown films or showings: `how about the shortest one?`, `遅い順で`.
    pub(super) fn reordered(&self, utterance: &Sentence, goal: Option<Goal>) -> Option<Self> {
        let sorting = sorting(utterance).filter(|_| self.aim == Aim::Showtimes);
        let may_sort = matches!(goal, None | Some(Goal::Seats | Goal::Showtimes));
        if let Some(sorting) = sorting.filter(|_| may_sort && utterance.title().is_none()) {
            let mut next = self.clone();
            (next.wanted.sorting, next.wanted.pick) = (Some(sorting), None);
            return Some(next);
        }
        let mut wanted = Conditions::parse(utterance);
        wanted.apply_comparison_end(utterance, &self.wanted);
        let is_when = matches!(goal, None | Some(Goal::Showtimes | Goal::Films))
            && (goal == Some(Goal::Showtimes) || asks_when(utterance))
            && !self.wanted.among.is_empty();
        let is_sorted = wanted.order.is_some() && utterance.says(SORTED);
        let is_asked = self.aim == Aim::Films
            && (goal.is_none() || is_when)
            && utterance.title().is_none()
            && (wanted.is_first || is_sorted || utterance.refused_genres().is_some());
        is_asked.then(|| {
            // `短いほうを2枚予約して`, `two for the shorter one`.
            let is_counted = !utterance.numbers.counts.is_empty() && !utterance.asks();
            let is_booked = utterance.has(&[RESERVE]) || is_counted;
            let goal = match () {
                () if is_booked => Goal::Book,
                () if is_when => Goal::Showtimes,
                () => Goal::Films,
            };
            let mut next = Self::new(utterance, goal, Some(self));
            (next.wanted.order, next.wanted.is_first) = (wanted.order, wanted.is_first);
            next.wanted.among.clone_from(&self.wanted.among);
            next.count = next.count.or_else(|| utterance.numbers.pieces().filter(|_| is_booked));
            next.genre = next.genre.or_else(|| self.genre.clone());
            next.wanted.minutes = next.wanted.minutes.or(self.wanted.minutes);
            next.wanted.without = next.wanted.without.or_else(|| self.wanted.without.clone());
            // The first in the same order is the film of the last answer.
            let remark = self.film_of_answer.clone().filter(|_| wanted.order == self.wanted.order);
            next.film = match is_when {
                true => remark,
                false => next.film.or(remark.filter(|_| is_booked)),
            };
            next
        })
    }

    /// A copy of the visit to book again: `同じのをもう1枚`, `same again but for three`, `the same film on Tuesday`.
    pub(super) fn once_more(&self, utterance: &Sentence) -> Option<Self> {
        const SAME: &str = "同じ|おなじ|same";
        const MORE: &str = "もう|あと|追加|another|more";
        const AGAIN: &str = "again|もう一度|もう一回";
        const ELSE: &str = "他の|ほかの|別の|違う|ジャンル|監督|あとで|あとから|other|others|different|genre|kind|director";
        const OTHERS: &[Word] = &[Word::NOT, Word::CANCEL, Word::CHANGE, Word::THEIRS];
        let counts = !utterance.numbers.counts.is_empty();
        let is_timed = utterance.when.date.is_some() || utterance.when.hours.is_some();
        let is_ordered = counts || is_timed || utterance.has(&[RESERVE]) || utterance.says(AGAIN);
        let is_meant = self.is_made
            && (utterance.says(SAME) || counts && utterance.says(MORE))
            && is_ordered
            && !utterance.says(ELSE)
            && !utterance.asks()
            && !utterance.has(OTHERS)
            && utterance.title().is_none_or(|it| marks(SAME).any(|same| it.contains(same)));
        let next = Self { film: self.film.clone(), ..Self::new(utterance, Goal::Book, None) };
        let is_other_time = next.date.is_some() || next.hours.is_some();
        is_meant.then(|| Self {
            title: None,
            genre: None,
            date: next.date.clone().or_else(|| self.date.clone()),
            count: next.count.or(self.count),
            user: next.user.clone().or_else(|| self.user.clone()),
            showing: self.showing.clone().filter(|_| !is_other_time),
            is_hold: false,
            ..next
        })
    }

    /// Whether `utterance` only repeats that the choice is to be booked: `great, book them`.
    pub(super) fn repeats_booking(&mut self, utterance: &Sentence) -> bool {
        let is_all = unused(utterance, &Used::default()).len() <= 1;
        let is_question = asks_whether_done(utterance) || is_hypothetical(utterance);
        let repeats_booking =
            is_all && confirms(utterance) && !is_question && utterance.when.spans.is_empty();
        self.is_hold &= !repeats_booking;
        repeats_booking
    }
}

/// Completes a comparison that is the whole sentence: `shorter`, `what about earlier?`.
pub(super) fn whole_comparison(sentence: &str) -> String {
    const LEADS: &str = "what about |how about |and |a bit |a little |bit |make it |ok, |ok ";
    const WORDS: &str = "shorter|longer|newer|older|earlier|later";
    let lower = sentence.trim().to_lowercase();
    let bare = lower.trim_end_matches(['?', '.', '!', ' ']).trim_end_matches(" please");
    let bare = marks(LEADS).fold(bare, |it, lead| it.strip_prefix(lead).unwrap_or(it));
    match marks(WORDS).find(|it| *it == bare) {
        Some(word) => format!("something {word}"),
        None => sentence.to_owned(),
    }
}

/// Whether `utterance` names seats and nothing else; `E5とE6はだめ` refuses them.
pub(super) fn names_seats(utterance: &Sentence) -> bool {
    const REFUSED: &str = "だめ|ダメ|駄目|以外|じゃな|ではな|でな|いや|嫌|避け|抜き|not|except|avoid|anything but|other than";
    !utterance.says(REFUSED)
        && !utterance.numbers.marked.is_empty()
        && unused(utterance, &Used::default()).is_empty()
}

/// Whether `utterance` changes a reservation without naming a film.
pub(super) fn changes(utterance: &Sentence) -> bool {
    const CHANGES: &str = "make it|make that|change it|change that|change the|move it|move that|move the|instead|にして|に変え|に変更|に増や|に減ら|に移|にずらし|やっぱり|やっぱ";
    let is_other = !utterance.numbers.counts.is_empty()
        || !utterance.numbers.marked.is_empty()
        || utterance.when.date.is_some()
        || utterance.when.hours.is_some();
    is_other && utterance.says(CHANGES) && utterance.title().is_none()
}

/// Whether `utterance` leaves the choice of seats: `席はおまかせ`, `any good seats`.
fn leaves_seats(utterance: &Sentence) -> bool {
    const ANY: &str = "おまかせ|お任せ|任せます|任せる|どこでもいい|どこでも大丈夫|おすすめで|おすすめの席|お勧めの席|any seat|any seats|any good seat|any good seats|anywhere is fine|anywhere|you choose|you pick|up to you|best available|the recommended one|the recommended ones|recommended seats";
    utterance.says(ANY)
        && !utterance.asks()
        && utterance.numbers.counts.is_empty()
        && utterance.numbers.marked.is_empty()
        && !names_position(utterance)
}

/// Explains that there are no discounts.
pub(super) fn no_discounts(utterance: &Sentence, language: Language) -> Option<String> {
    let remark = language.pick(
        "料金は座席の種類ごとで、年齢や学生などによる割引の情報はありません。",
        "Prices go by the kind of seat; I know of no discounts by age or for students.",
    );
    utterance.says(DISCOUNTS).then(|| remark.to_owned())
}

/// Explains that films cannot be sorted by price.
fn no_order_by_price(utterance: &Sentence, language: Language) -> Option<String> {
    let remark = language.pick(
        "料金は映画では決まらず、上映と座席の種類ごとなので、料金の順には並べられません。「1番の料金は？」のように書くと確かめられます。",
        "Prices go by showing and kind of seat, not by film, so I cannot put films in that order. Write for example \"how much is number 1?\" to see them.",
    );
    goes_by_price(utterance).then(|| remark.to_owned())
}

/// Whether prices are to decide: `一番安い席`, `2000円以下の席`.
fn goes_by_price(utterance: &Sentence) -> bool {
    utterance.says(CHEAPEST) || conditions::price_limit(&utterance.lower).is_some()
}

/// Whether `utterance` only limits the price of what is chosen: `金額は3000円まで`.
fn only_limits_price(utterance: &Sentence) -> bool {
    conditions::price_limit(&utterance.lower).is_some()
        && utterance.title().is_none()
        && utterance.when.spans.is_empty()
        && utterance.numbers.counts.is_empty()
        && utterance.numbers.marked.is_empty()
        && utterance.user().is_none()
        && !names_position(utterance)
        && unused(utterance, &Used::default()).is_empty()
}

/// Explains that seats are not chosen by price.
pub(super) fn no_cheap_seats(utterance: &Sentence, language: Language) -> Option<String> {
    let remark = language.pick(
        "料金は座席の種類ごとで、料金で席を選ぶことはできません。合計は予約の前に示します。",
        "Prices go by the kind of seat, so I cannot choose seats by price or pick the cheapest. You see the total before you book.",
    );
    goes_by_price(utterance).then(|| remark.to_owned())
}

/// Remark about prices in `utterance`.
pub(super) fn price_remark(utterance: &Sentence, goal: Goal, language: Language) -> Option<String> {
    match goal {
        Goal::Price => {
            no_discounts(utterance, language).or_else(|| no_cheap_seats(utterance, language))
        }
        Goal::Films | Goal::Showtimes => no_order_by_price(utterance, language),
        Goal::Book | Goal::Hold | Goal::Seats => no_cheap_seats(utterance, language),
        _ => None,
    }
}
