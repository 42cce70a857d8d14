//! Other films and days in the middle of a visit: `and Godzilla?`, `what about Sunday?`.

use std::ops::Range;

use language::{
    Date,
    coverage::{SUPERLATIVES, Used, is_condition, unused},
    dates::is_refused,
    name_pieces::is_hiragana,
    numbers::whole,
    scan::marks,
    words::Word,
};

use super::{
    answers::{corrected_date, ordinal},
    conditions::Conditions,
    films,
    rules::Goal,
    titles::Sentence,
    visit::{Aim, Choice, Question, Visit},
};

impl Visit {
    /// The same visit for another film: `and Godzilla?`, `羅生門は？`; `None` if `utterance` is more than a name.
    pub(super) fn follow(&self, utterance: &Sentence, goal: Option<Goal>) -> Option<Self> {
        const LEADS: &str = "and |what about |how about |and what about |i meant |sorry i meant |sorry, i meant |no i meant |no, i meant |じゃあ|では";
        const TAILS: &str = "はどう|だと|なら|は|って";
        /// Ends of a sentence that puts another film in place of the chosen one.
        const SWITCHES: &str = "にして|にします|にする|に変えて|に変更して|のほうで|の方で|のほうがいい| instead| instead please";
        const FILLERS: &str = "ごめん、|すみません、|あ、|いや、|やっぱり|やっぱ|oh, |oh |no, |no |wait, |sorry, |sorry |actually, |actually ";
        const CHANGES: &str = "やっぱ|no, |actually";
        const OTHERS: &str = "大丈夫|無理|中止|保留|未定|駄目|不要|結構|最初|全部|今度|また|後で|あとで|今の|このまま|そのまま|さっき|みんな|別の|ほかの|他の|違う|同じ";
        // After an empty day, another may have films.
        let is_empty = self.aim == Aim::Films && self.question.is_none() && self.date.is_some();
        let next = self.on_another_day(utterance).filter(|_| is_empty && goal.is_none());
        if next.is_some() {
            return next;
        }
        let asks = matches!(self.aim, Aim::Showtimes | Aim::Seats) && self.film.is_some();
        let is_chosen = self.question.is_some_and(|it| it == Question::Showing || it.is_of_seats());
        let books = self.aim == Aim::Book && self.film.is_some() && is_chosen;
        if !asks && !books || !matches!(goal, None | Some(Goal::Look | Goal::Films)) {
            return None;
        }
        if let Some(next) = self.on_another_day(utterance).filter(|_| asks) {
            return Some(next);
        }
        let text = utterance.text();
        let text = text.trim().trim_end_matches(['?', '？', '。', '!', '.', ' ']);
        let folded = text.to_lowercase();
        let begin = behind_leads(&folded, FILLERS);
        // `やっぱりAKIRA`, but not `やっぱり大丈夫`, `no, thanks`.
        let is_title = |name: &str| match name.is_ascii() {
            true => name.starts_with(|it: char| it.is_ascii_uppercase()),
            false => !name.ends_with(is_hiragana) && !marks(OTHERS).any(|it| name.contains(it)),
        };
        let takes_back =
            marks(CHANGES).any(|it| folded[..begin].contains(it)) && !utterance.withdraws();
        let is_changed = takes_back && text.get(begin..).is_some_and(is_title);
        let leads = marks(LEADS).filter(|it| folded[begin..].starts_with(it));
        // `and Godzilla?` books nothing.
        let lead = leads.filter(|it| asks || *it != "and ").map(str::len).max();
        let switch = marks(SWITCHES).filter(|it| folded.ends_with(it)).map(str::len).max();
        let tail = marks(TAILS).filter(|it| asks && text.ends_with(it)).map(str::len).max();
        let tail = switch.or(tail);
        let begin = begin + lead.unwrap_or(0);
        let name = text.get(begin..text.len() - tail.unwrap_or(0))?.trim();
        let from = folded.get(..begin)?.chars().count();
        let range = from..from + name.chars().count();
        let is_led = lead.is_some() || tail.is_some() || is_changed;
        let name = Some(name).filter(|_| is_led && is_only_name(utterance, name, range));
        // `ごめん、やっぱりおくりびとで`
        let corrected = || bare_name(utterance).filter(|_| takes_back);
        let corrected = || corrected().filter(|it| !marks(OTHERS).any(|other| it.contains(other)));
        let mut next = Self::of_name(utterance, &name.map(str::to_owned).or_else(corrected)?);
        next.aim = self.aim;
        next.inherit(self);
        (next.choices, next.question, next.count) = (Vec::new(), None, self.count);
        next.before = self.to_return();
        // The time was that of the other film.
        next.hours = next.hours.filter(|it| asks || !it.is_exact);
        Some(next)
    }

    /// The only listed film with all unknown words of `utterance` in its name: `totoro please`, `トトロがいい`.
    pub(super) fn choice_in_part(&self, utterance: &Sentence) -> Option<&Choice> {
        const CHARS_MIN: usize = 3;
        /// Questions about something else: `is it in Tokyo?`.
        const STATES: &str = "is it |is this |is that |are they |are you |where ";
        let text: String = utterance.lower.iter().collect();
        if marks(STATES).any(|it| text.starts_with(it)) {
            return None;
        }
        let words = unused(utterance, &Used::default());
        let is_whole = !words.is_empty()
            && self.question == Some(Question::Film)
            && !utterance.has(&[Word::NOT, Word::THEIRS, Word::THEIR_ACTION, Word::ELSEWHERE])
            && words.iter().all(|it| it.chars().count() >= CHARS_MIN);
        let is_of = |choice: &&Choice| words.iter().all(|it| films::is_part(&choice.words, it));
        let mut all = self.choices.iter().filter(|_| is_whole).filter(is_of);
        let only = all.next()?;
        all.next().is_none().then_some(only)
    }

    /// Whether `title` is another film than the chosen one: `sorry, Rashomon on Sunday`, `ゴジラを日曜で`.
    pub(super) fn is_other_film(&self, title: &str, utterance: &Sentence) -> bool {
        if self.question == Some(Question::Film) {
            return true;
        }
        let names = [&self.title, &self.film.as_ref().map(|it| it.label.clone())];
        let names: Vec<_> =
            names.into_iter().flatten().cloned().chain([self.sentence.clone()]).collect();
        let title = title.to_lowercase();
        // `いや、ゴジラの遅い方で`, `no, Godzilla at 4pm`.
        let is_moved = || {
            const SCREENS: &str = "シアター|スクリーン|screen|theatre|theater";
            utterance.title().is_some_and(|it| it.to_lowercase() == title)
                && !marks(SCREENS).any(|it| title.contains(it))
                && (utterance.when.hours.is_some() || Conditions::parse(utterance).pick.is_some())
        };
        self.question.is_some()
            && self.film.is_some()
            && (utterance.when.date.is_some() || is_moved())
            && utterance.user().is_none()
            && !names.iter().any(|it| it.to_lowercase().contains(&title))
            && !films::is_named(&names[..names.len() - 1], &title)
    }

    /// Describes a film whatever day it was listed for.
    pub(super) fn forget_day(&mut self) {
        (self.date, self.also, self.week, self.hours) = (None, None, None, None);
    }

    /// The visit to go back to if another film is not found, while a showing or seats are chosen.
    pub(super) fn to_return(&self) -> Option<Box<Self>> {
        let is_chosen = self.film.is_some() && self.aim == Aim::Book;
        is_chosen.then(|| Box::new(Self { before: None, ..self.clone() }))
    }

    /// Leaves out the day that `utterance` refuses, and looks for others: `日曜も無理`, `Thursday doesn't work`.
    pub(super) fn leaves_day(&mut self, utterance: &Sentence) -> bool {
        let Some(day) = refused_day(utterance) else { return false };
        let day = corrected_date(utterance, day, self.date.as_deref()).to_string();
        (self.date, self.also, self.week, self.showing) = (None, None, None, None);
        self.seats.clear();
        self.not_on.push(day);
        true
    }

    /// The same visit on another day: `what about Sunday?`; `None` if `utterance` says anything else.
    fn on_another_day(&self, utterance: &Sentence) -> Option<Self> {
        const BEGINS: &str = "and |what about |how about |i meant |i mean |no, |じゃあ|では|それじゃ|なら|いや|やっぱ|間違え";
        let text: String = utterance.lower.iter().collect();
        let is_asked = utterance.asks() || marks(BEGINS).any(|it| text.starts_with(it));
        const FILLERS: [Word; 4] = [Word::FILLER, Word::STOP, Word::PAUSE, Word::LIST];
        let used = Used { conditions: vec![SUPERLATIVES], ..Used::default() };
        let is_all = utterance.title().is_none()
            && utterance.numbers.counts.is_empty()
            && utterance.numbers.marked.is_empty()
            && utterance.tokens.iter().all(|it| FILLERS.contains(&it.word))
            && unused(utterance, &used).is_empty();
        let date = utterance.when.date.filter(|_| is_asked && is_all)?;
        let mut next = self.clone();
        (next.date, next.also) = (Some(date.to_string()), None);
        next.hours = utterance.when.hours;
        next.wanted.update(Conditions::parse(utterance));
        (next.showing, next.seats) = (None, Vec::new());
        (next.choices, next.question) = (Vec::new(), None);
        Some(next)
    }
}

/// Where `text` goes on behind words that lead to a name.
fn behind_leads(text: &str, leads: &'static str) -> usize {
    let mut at = 0;
    let longest = |rest: &str| marks(leads).filter(|it| rest.starts_with(it)).map(str::len).max();
    while let Some(length) = text.get(at..).and_then(longest) {
        at += length;
        at += text[at..].len() - text[at..].trim_start_matches(['、', ' ']).len();
    }
    at
}

/// The film's name that `utterance` is but for words around it: `AKIRAで`, `じゃあゴジラにする`.
pub(super) fn bare_name(utterance: &Sentence) -> Option<String> {
    const BEFORE: &str = "あ、|あっ、|ごめん、|すみません、|いや、|じゃあ|では|それなら|やっぱり|やっぱ|then |ok, |okay, |actually, |actually |no, |let's see |i'll take ";
    const BEHIND: &str = "でお願いします|でお願い|にします|にする|にして|がいいです|がいい|で| please|, please| then";
    let text = utterance.text();
    let text = text.trim().trim_end_matches(['。', '!', '.', ' ']);
    let lower = text.to_lowercase();
    let begin = behind_leads(&lower, BEFORE);
    let end = marks(BEHIND).filter(|it| lower.ends_with(it)).map(str::len).max()?;
    let name = text.get(begin..text.len().checked_sub(end)?)?.trim();
    let from = text.get(..begin)?.chars().count();
    let range = from..from + name.chars().count();
    is_only_name(utterance, name, range).then(|| name.to_owned())
}

/// Whether `name`, at `range`, may be a film's, and nothing beside it means anything.
fn is_only_name(utterance: &Sentence, name: &str, range: Range<usize>) -> bool {
    const NAME_MAX: usize = 30;
    let wanted = Conditions::parse(utterance);
    let is_condition = wanted.pick.is_some()
        || wanted.order.is_some()
        || wanted.is_seated()
        || is_condition(utterance, name)
        || utterance.is_no_film(name, &range);
    (2..=NAME_MAX).contains(&name.chars().count())
        && utterance.when.spans.is_empty()
        && utterance.numbers.counted.iter().all(|it| range.contains(&it.0))
        && utterance.numbers.marked.is_empty()
        && ordinal(&name.to_lowercase()).or(whole(name).map(|_| 0)).is_none()
        && !is_condition
        && range.clone().any(|at| !utterance.is_known(at))
        && utterance.tokens.iter().all(|it| !range.contains(&it.from) || it.word == Word::FILLER)
}

/// The only day in `utterance`, if that refuses it.
fn refused_day(utterance: &Sentence) -> Option<Date> {
    const BEHIND: &str = "は用事|は予定|は仕事|は忙し|は都合が悪|は都合悪|は都合がつ|は行けない|は行けません|は行かれ|はきつい|は厳しい|はパス";
    const BESIDE: &str = "ちょっと|やっぱり|やっぱ|もう|、";
    /// Refusals without a particle.
    const BARE: &str = "無理|だめ|ダメ|ng|行けな|都合が悪|都合悪|忙し|用事";
    /// Refusals of a refusal.
    const DENIED: &str = "無理じゃ|無理では|だめじゃ|ダメじゃ|だめでは|予定はな|予定がな|用事はな|用事がな|予定なし|わけじゃ|わけでは|ことはな|ことない|忙しくな|予定通り|予定どおり|しないで|仕事休み|仕事は休み|仕事が休み|仕事はな|仕事がな|仕事な|大丈夫|問題な";
    /// Refusals of all other days, before and behind the day.
    const ALL_OTHERS: &str = "can't |cant |cannot |won't |no day but |nothing but ";
    const OTHERS_REFUSED: &str = "無理|だめ|ダメ|行けな|行かれ|都合が悪|都合悪|忙し|用事|予定";
    const BEHIND_ENGLISH: &str = " doesn't work| doesnt work| does not work| won't work| wont work| will not work| isn't good| is no good| isn't possible| is not possible| is impossible| is out| is bad| doesn't suit| does not suit| is too busy";
    const BEFORE: &str = "not |not on |can't on |cant on |can't do |cant do |cannot do |can't make |can't come on |busy on |any day but |anything but |any other day than |except |except on ";
    let date = utterance.when.date.filter(|_| utterance.when.also.is_none())?;
    let [(from, to)] = utterance.when.spans[..] else { return None };
    let to = if utterance.is_at("日", to) { to + 1 } else { to };
    let text = |from: usize, to: usize| utterance.lower[from..to].iter().collect::<String>();
    let (before, behind) = (text(0, from), text(to, utterance.lower.len()));
    // `も` refuses another day, too.
    let bare = behind.trim_start_matches(['も', 'が', 'は', '、']);
    let bare = marks(BESIDE).fold(bare, |it, word| it.strip_prefix(word).unwrap_or(it));
    // `日曜はちょっと…`
    let is_hint = behind.contains("ちょっと") && !bare.contains(char::is_alphanumeric);
    let is_bare = marks(BARE).any(|it| bare.starts_with(it));
    let behind = match is_bare || bare.len() < behind.len() {
        true => format!("は{bare}"),
        false => behind,
    };
    let is_behind = |table| marks(table).any(|it| behind.starts_with(it));
    let is_before = marks(BEFORE).any(|lead| {
        before
            .strip_suffix(lead)
            .is_some_and(|rest| !rest.ends_with(char::is_alphanumeric) && !rest.ends_with("why "))
    });
    let is_no = is_hint
        || is_refused(&behind.chars().collect::<Vec<_>>())
        || is_behind(BEHIND)
        || is_behind(BEHIND_ENGLISH)
        || is_before;
    let is_denied = marks(DENIED).any(|it| behind.contains(it));
    let refuses_others = behind.contains("以外")
        && marks(OTHERS_REFUSED).any(|it| behind.contains(it))
        || before.ends_with("but ") && marks(ALL_OTHERS).any(|it| before.contains(it));
    let is_meant = utterance.numbers.counts.is_empty() && !utterance.asks();
    (is_no && is_meant && !is_denied && !refuses_others).then_some(date)
}
