//! Other films and days in the middle of a visit: `and Godzilla?`, `what about Sunday?`.

use language::{
    coverage::{SUPERLATIVES, Used, is_condition, unused},
    numbers::whole,
    scan::marks,
    words::Word,
};

use super::{
    answers::ordinal,
    conditions::Conditions,
    rules::Goal,
    titles::Sentence,
    visit::{Aim, Question, Visit},
};

impl Visit {
    /// The same visit for another film: `and Godzilla?`, `羅生門は？`; `None` if `utterance` is more than a name.
    pub(super) fn follow(&self, utterance: &Sentence, goal: Option<Goal>) -> Option<Self> {
        const LEADS: &str = "and |what about |how about |and what about |i meant |sorry i meant |sorry, i meant |no i meant |no, i meant |じゃあ|では";
        const TAILS: &str = "はどう|だと|なら|は|って";
        /// Ends of a sentence that puts another film in place of the chosen one.
        const SWITCHES: &str = "にして|にします|にする|に変えて|に変更して|のほうで|の方で|のほうがいい| instead| instead please";
        const FILLERS: &str = "ごめん、|すみません、|あ、|いや、|やっぱり|やっぱ|oh, |oh |no, |no |wait, |sorry, |sorry |actually, |actually ";
        const NAME_MAX: usize = 30;
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
        let begin = marks(FILLERS)
            .fold(0, |at, it| at + folded[at..].strip_prefix(it).map_or(0, |_| it.len()));
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
        let wanted = Conditions::parse(utterance);
        let is_condition = wanted.pick.is_some()
            || wanted.order.is_some()
            || wanted.is_seated()
            || is_condition(utterance, name)
            || utterance.is_no_film(name, &range);
        let is_name = (2..=NAME_MAX).contains(&name.chars().count())
            && utterance.when.spans.is_empty()
            && utterance.numbers.counted.iter().all(|it| range.contains(&it.0))
            && utterance.numbers.marked.is_empty()
            && ordinal(&name.to_lowercase()).or(whole(name).map(|_| 0)).is_none()
            && !is_condition
            && range.clone().any(|at| !utterance.is_known(at))
            && utterance
                .tokens
                .iter()
                .all(|it| !range.contains(&it.from) || it.word == Word::FILLER);
        if lead.is_none() && tail.is_none() || !is_name {
            return None;
        }
        let mut next = Self::of_name(utterance, name);
        next.aim = self.aim;
        next.inherit(self);
        (next.choices, next.question, next.count) = (Vec::new(), None, self.count);
        // The time was that of the other film.
        next.hours = next.hours.filter(|it| asks || !it.is_exact);
        Some(next)
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
