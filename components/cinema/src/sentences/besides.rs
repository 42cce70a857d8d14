//! What is asked in the middle of a visit, which goes on as it was: what it costs, which of the films that were shown.

use language::{
    Language,
    context::TurnContext,
    coverage::{Used, unused},
    scan::marks,
    utterance::Utterance,
    vocabulary::Unit,
    wondering::{asks_done, supposes},
    words::Word,
};

use super::{
    answers::{allows, is_thinking, place_of},
    facts::MAKERS,
    rules::Goal,
    titles::Sentence,
    visit::{Aim, Asked, Settled, Visit},
    wanted::{Wanted, sorting},
    words::{ABOUT, FILM, RESERVE, SEAT, SEE, TICKET},
};

/// What asks how long seats are held.
const LEFT: &str = "あと何分|あと何秒|いつまで|何分まで|何時まで|何分間|期限|有効|how long|until when|till when|how much time|how many minutes|expire|expires|run out|keep them|keep it";
/// What makes a booking of seats that are held.
const CONFIRMS: &str = "確定|confirm|confirmed";
/// What says for whom a price is lower.
const DISCOUNTS: &str = "割引|割り引き|学割|値引|安くなる|子供|子ども|こども|小人|学生|シニア|高齢|大学生|高校生|中学生|小学生|discount|discounts|child|children|kid|kids|student|students|senior|seniors|concession";
/// What asks for a price beside the words for one.
const REDUCED: &str = "割引|割り引き|学割|値引|discount|discounts|concession";

/// What puts a list in order.
const SORTED: &str =
    "順|並べ|並び|もっと|sort|sorted|order|ordered|by rating|by length|shorter|longer|newer|older";
/// What puts films in order by what they cost.
pub(super) const CHEAPEST: &str = "一番やすい|安い席|やすい席|cheap seats|安い順|やすい順|高い順|値段順|値段の順|料金順|料金の順|価格順|一番安い|いちばん安い|いちばんやすい|最安|cheapest|cheapest first|by price|price order|lowest price|least expensive|most expensive";
/// What goes on from one price to that of others, behind whom it is for and before it.
const FOR_BEHIND: &str = "だと|なら|だったら|の場合は|の場合";
const FOR_BEFORE: &str = "what about |how about |and for |and what about ";

/// Whether `utterance` asks when a film is on.
pub(super) fn asks_when(utterance: &Utterance) -> bool {
    const WHEN: &str = "when could|when can|when is it|when's it|when does it|what time|what times|which showing|何時|いつやって|いつ観|いつ見|間に合う回|の回も|回を教えて|時間も";
    marks(WHEN).any(|it| utterance.find(it, 0).is_some())
}

/// Whether a sentence is about something that it does not name: `how long is it?`, `何分ですか`.
pub(super) fn points_back(said: &str) -> bool {
    const BACK: &str = "それ|その映画|その作品|これ|この映画";
    const ENGLISH: [&str; 3] = ["it", "that", "it's"];
    let said = said.to_lowercase();
    let mut words = said.split(|it: char| !it.is_alphanumeric() && it != '\'');
    const BARE: &str = "何分|何時間|どのくらいの長さ|長さは|あらすじ|どんな話|ストーリー|内容は|plot|synopsis|storyline";
    let begun = ["じゃあ", "で、", "ちなみに"].iter().find_map(|it| said.strip_prefix(it));
    let begun = begun.unwrap_or(&said).trim_start_matches('、');
    let is_bare =
        marks(BARE).any(|it| begun.starts_with(it)) || said.starts_with("what's the plot");
    const FILM: &str = "is the film|is the movie|is that film|is that movie|does the film|does the movie|映画は何分|映画って何分|映画の長さ";
    is_bare
        || marks(FILM).any(|it| said.contains(it))
        || marks(BACK).any(|it| said.contains(it))
        || words.any(|it| ENGLISH.contains(&it))
}

/// Whether `utterance` asks how long a film is.
pub(super) fn asks_length(utterance: &Utterance) -> bool {
    const LENGTH: &str = "how long is|how long's|what's the runtime|runtime|running time|何分?|何分ですか|何分なの|何時間?|何分の映画|何分ある|長さは|上映時間は何分|どのくらいの長さ|どれくらいの長さ";
    marks(LENGTH).any(|it| utterance.find(it, 0).is_some())
}

/// What is answered where `utterance` asks for what is not on record.
pub(super) fn unkept(utterance: &Sentence, language: Language) -> &'static str {
    match utterance.says(MAKERS) {
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

/// What is told where `utterance` asks for the way to the house beside what it wants there.
pub(super) fn of_way(utterance: &Sentence, language: Language) -> Option<String> {
    const WAY: &str = "映画館まで|映画館への|way to the cinema|get to the cinema|directions to the cinema|route to the cinema";
    let told = language.pick(
        "映画館の場所は登録されていないため、行き方は調べていません。",
        "Where the house is is not on record, so the way there was not looked up.",
    );
    (utterance.says(WAY) && utterance.has(&[Word::THEIRS])).then(|| told.to_owned())
}

/// Whether `utterance` asks who made a film that it names.
pub(super) fn names_made(utterance: &Sentence) -> bool {
    let is_word = |it: &String| marks(MAKERS).any(|mark| mark.contains(&it.to_lowercase()));
    utterance.says(MAKERS) && utterance.title().is_some_and(|it| !is_word(&it))
}

/// Whether `utterance` asks how long seats are held.
pub(super) fn asks_how_long(utterance: &Sentence) -> bool {
    utterance.asks() && utterance.says(LEFT)
}

/// Whether `utterance` makes a booking of what is held, and names nothing else.
pub(super) fn confirms(utterance: &Sentence) -> bool {
    (utterance.has(&[RESERVE]) || utterance.says(CONFIRMS))
        && utterance.numbers.marked.is_empty()
        && utterance.numbers.counts.is_empty()
        && utterance.title().is_none()
}

/// Whether `utterance` does no more than order what waits to be allowed: `予約して`, `book it`.
pub(super) fn orders_again(utterance: &Sentence) -> bool {
    confirms(utterance)
        && !utterance.asks()
        && !utterance.has(&[Word::NOT, Word::CANCEL, Word::CHANGE, Word::THEIRS])
        && utterance.when.spans.is_empty()
        && unused(utterance, &Used::default()).is_empty()
}

/// Whether `utterance` asks what the seats of a visit cost; `is_price` says that it has a word for that.
pub(super) fn asks_price(utterance: &Sentence, is_price: bool) -> bool {
    const OTHERS: &[Word] = &[
        Word::THEIRS,
        Word::THEIR_DEED,
        Word::THEIR_WORD,
        Word::ELSEWHERE,
        Word::CANCEL,
        Word::CHANGE,
        Word::DELETE,
    ];
    let is_asked =
        is_price || utterance.asks() && (utterance.says(REDUCED) || is_for_some(utterance));
    is_asked && !utterance.has(OTHERS) && utterance.title().is_none()
}

/// Whether `utterance` goes on with a price that is asked: `シニア二枚だと？`, `what about two students?`.
fn is_for_some(utterance: &Sentence) -> bool {
    let text = utterance.text().to_lowercase();
    let bare = text.trim_end_matches(['?', '？', ' ', '。']);
    // `子供は？` goes on as well.
    let whom = bare.strip_suffix('は').unwrap_or_default();
    let is_counted = !utterance.numbers.counts.is_empty() || marks(DISCOUNTS).any(|it| it == whom);
    utterance.says(DISCOUNTS)
        && (marks(FOR_BEHIND).any(|it| bare.ends_with(it))
            || marks(FOR_BEFORE).any(|it| bare.starts_with(it))
            || is_counted && bare.ends_with('は'))
}

/// Whether `utterance` asks what seats cost by how many people they are for, with no word for seats.
pub(super) fn is_fare(utterance: &Sentence) -> bool {
    let counts = &utterance.numbers.counts;
    // `大人と学生の料金は？`
    let is_for = utterance.says(DISCOUNTS) || counts.iter().any(|it| it.0 == Unit::People);
    utterance.has(&[Word::PRICE]) && is_for
        || !counts.is_empty() && utterance.asks() && is_for_some(utterance)
        || is_kind_of_ticket(utterance)
}

/// Whether `utterance` asks for tickets of some people, and neither for a number of them nor what they cost: `kids
/// tickets?`, `学生のチケットはある？`.
fn is_kind_of_ticket(utterance: &Sentence) -> bool {
    utterance.says(DISCOUNTS)
        && utterance.has(&[TICKET])
        && utterance.asks()
        && utterance.numbers.counts.is_empty()
        && !utterance.has(&[RESERVE, Word::PRICE, Word::WANT])
}

/// Whether `utterance` asks what seats cost for some people, of no showing and no number of seats.
pub(super) fn is_open_fare(utterance: &Sentence) -> bool {
    utterance.says(DISCOUNTS)
        && utterance.numbers.counts.is_empty()
        && utterance.when.spans.is_empty()
        && utterance.title().is_none()
        && (!utterance.has(&[FILM, TICKET, SEAT, SEE]) || is_kind_of_ticket(utterance))
}

/// Whether `utterance` wants none of what is being chosen, and nothing else.
pub(super) fn leaves(utterance: &Sentence) -> bool {
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
    /// Whether what was asked last is asked again: the sentence is one of thinking it over, or orders once more what
    /// waits to be allowed.
    pub(super) fn stays(
        &mut self,
        utterance: &Sentence,
        goal: Option<Goal>,
        context: &TurnContext<'_>,
    ) -> bool {
        if self.asked == Some(Asked::Seats) && goal.is_none() && self.is_urged(utterance) {
            return true;
        }
        match self.asked {
            Some(Asked::Seats) if goal.is_none() && is_thinking(utterance) => {
                self.remark = Some(context.say(
                    "お決まりになったらお選びください。まだ何も予約していません。",
                    "Take your time; nothing is reserved yet.",
                ));
                true
            }
            Some(Asked::Denied) => self.is_urged(utterance) || allows(utterance),
            Some(Asked::Leave) => {
                let is_anew = goal == Some(Goal::Book) && utterance.title().is_none();
                is_anew || goal.is_none() && is_thinking(utterance)
            }
            _ => false,
        }
    }

    /// What is told of the price where the seats to choose from are known, and the visit stays as it is.
    pub(super) fn costs(&self, utterance: &Sentence, context: &TurnContext<'_>) -> Option<String> {
        let chosen = [self.seats.join(",")];
        let sets: Vec<&str> = match (self.seats.is_empty(), self.asked) {
            (false, _) => chosen.iter().map(String::as_str).collect(),
            (true, Some(Asked::Seats)) => self.choices.iter().map(|it| it.value.as_str()).collect(),
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

    /// The same visit, to tell what its seats cost; none where no film is settled.
    pub(super) fn priced(&self, utterance: &Sentence, context: &TurnContext<'_>) -> Option<Self> {
        let film = self.film.as_ref().or(self.told.as_ref());
        if film.is_none() && self.showing.is_none() {
            return None;
        }
        let mut next = Self::of(utterance, Goal::Price, Some(self));
        next.film = next.film.or_else(|| film.cloned());
        next.remark = no_discounts(utterance, context.language);
        Some(next)
    }

    /// The film of the list `before` that `utterance` means by its number: `2番のは何時？`.
    pub(super) fn pick_listed(&mut self, utterance: &Sentence, before: &Self) {
        let is_open = self.film.is_none() && self.title.is_none() && self.genre.is_none();
        let is_listed = before.asked == Some(Asked::Film) && utterance.numbers.marked.is_empty();
        if !is_open || !is_listed {
            return;
        }
        let place = place_of(utterance, before.choices.len());
        let chosen = place.and_then(|it| before.choices.get(it));
        // `the first one` is a film of the list.
        let is_film = chosen.is_some() && utterance.says("first one|last one|最後の映画");
        self.wanted.pick = self.wanted.pick.filter(|_| !is_film);
        if self.aim == Aim::Films {
            // `how long is number 3?` asks about that one.
            let name = chosen.map(|it| it.name.as_ref().unwrap_or(&it.label).clone());
            if let Some(name) = name.filter(|_| utterance.has(&[ABOUT]) || self.asks_length) {
                self.said = format!("{} {name}", self.said);
                self.title = Some(name);
            }
            return;
        }
        self.film = chosen.map(|it| Settled {
            id: it.value.clone(),
            label: it.name.as_ref().unwrap_or(&it.label).clone(),
        });
    }

    /// The same visit, to tell how long the film is that `utterance` points to or calls by its number: `1番目のは何分？`.
    pub(super) fn length_of(&self, utterance: &Sentence, goal: Option<Goal>) -> Option<Self> {
        if goal.is_some() || !asks_length(utterance) || utterance.title().is_some() {
            return None;
        }
        let next = Self::of(utterance, Goal::Films, Some(self));
        next.title.is_some().then_some(next)
    }

    /// The films or showings that were shown, by what `utterance` asks for of them: `how about the shortest one?`,
    /// `遅い順で`.
    pub(super) fn by_order(&self, utterance: &Sentence, goal: Option<Goal>) -> Option<Self> {
        let sorting = sorting(utterance).filter(|_| self.aim == Aim::Showtimes);
        let may_sort = matches!(goal, None | Some(Goal::Seats | Goal::Showtimes));
        if let Some(sorting) = sorting.filter(|_| may_sort && utterance.title().is_none()) {
            let mut next = self.clone();
            (next.wanted.sorting, next.wanted.pick) = (Some(sorting), None);
            return Some(next);
        }
        let mut wanted = Wanted::of(utterance);
        wanted.takes_end(utterance, &self.wanted);
        let is_when = matches!(goal, None | Some(Goal::Showtimes | Goal::Films))
            && (goal == Some(Goal::Showtimes) || asks_when(utterance))
            && !self.wanted.among.is_empty();
        let is_sorted = wanted.order.is_some() && utterance.says(SORTED);
        let is_asked = self.aim == Aim::Films
            && (goal.is_none() || is_when)
            && utterance.title().is_none()
            && (wanted.is_first || is_sorted || utterance.refused_genres().is_some());
        is_asked.then(|| {
            // `短いほうを2枚予約して`, `two for the shorter one`
            let is_counted = !utterance.numbers.counts.is_empty() && !utterance.asks();
            let is_booked = utterance.has(&[RESERVE]) || is_counted;
            let goal = match () {
                () if is_booked => Goal::Book,
                () if is_when => Goal::Showtimes,
                () => Goal::Films,
            };
            let mut next = Self::of(utterance, goal, Some(self));
            (next.wanted.order, next.wanted.is_first) = (wanted.order, wanted.is_first);
            next.wanted.among.clone_from(&self.wanted.among);
            next.count = next.count.or_else(|| utterance.numbers.pieces().filter(|_| is_booked));
            next.genre = next.genre.or_else(|| self.genre.clone());
            next.wanted.minutes = next.wanted.minutes.or(self.wanted.minutes);
            // The first in the same order is the one that was told.
            let told = self.told.clone().filter(|_| wanted.order == self.wanted.order);
            next.film = match is_when {
                true => told,
                false => next.film.or(told.filter(|_| is_booked)),
            };
            next
        })
    }

    /// The same once more after it was booked: `同じのをもう1枚`, `same again but for three`, `the same film on Tuesday`.
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
        let next = Self { film: self.film.clone(), ..Self::of(utterance, Goal::Book, None) };
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

    /// Whether `utterance` only says once more that what is being chosen is to be booked: `great, book them`.
    pub(super) fn is_urged(&mut self, utterance: &Sentence) -> bool {
        let is_all = unused(utterance, &Used::default()).len() <= 1;
        let is_question = asks_done(utterance) || supposes(utterance);
        let is_urged =
            is_all && confirms(utterance) && !is_question && utterance.when.spans.is_empty();
        self.is_hold &= !is_urged;
        is_urged
    }
}

/// That there is no lower price, where `utterance` asks for that.
pub(super) fn no_discounts(utterance: &Sentence, language: Language) -> Option<String> {
    let told = language.pick(
        "料金は座席の種類ごとで、年齢や学生などによる割引の情報はありません。",
        "Prices go by the kind of seat; I know of no discounts by age or for students.",
    );
    utterance.says(DISCOUNTS).then(|| told.to_owned())
}

/// That films have no order by price, where `utterance` asks for that.
fn no_order_by_price(utterance: &Sentence, language: Language) -> Option<String> {
    let told = language.pick(
        "料金は映画では決まらず、上映と座席の種類ごとなので、料金の順には並べられません。「1番の料金は？」のように書くと確かめられます。",
        "Prices go by showing and kind of seat, not by film, so I cannot put films in that order. Write for example \"how much is number 1?\" to see them.",
    );
    utterance.says(CHEAPEST).then(|| told.to_owned())
}

/// That seats are not picked by what they cost, where `utterance` asks for that.
pub(super) fn no_cheap_seats(utterance: &Sentence, language: Language) -> Option<String> {
    let told = language.pick(
        "料金は座席の種類ごとで、安い席だけを選ぶことはできません。合計は予約の前に示します。",
        "Prices go by the kind of seat, so I cannot pick the cheapest. You see the total before you book.",
    );
    utterance.says(CHEAPEST).then(|| told.to_owned())
}

/// What is to be said of prices beside what `utterance` asks for.
pub(super) fn of_prices(utterance: &Sentence, goal: Goal, language: Language) -> Option<String> {
    match goal {
        Goal::Price => no_discounts(utterance, language),
        Goal::Films | Goal::Showtimes => no_order_by_price(utterance, language),
        _ => None,
    }
}
