//! Excludes themes and cards from those shown before, and adds others: `やっぱり赤はいらない`, `not red, green`.

use language::{Language, context::TurnContext, scan::marks, small_talk::Manner, utterance::Piece};

use super::{
    cards::{CARDS_MAX, Cards, Wanted},
    catalogue::card_of,
    changes::{ONLY, PLACES, REPLACED, asks_more, traded, trades},
    request::{count, is_named_as},
    rules::Goal,
    sentence::Sentence,
    themes::Theme,
    wording::{is_excluded, is_ground},
    words,
};

/// Phrases that replace everything shown before.
const INSTEAD: &str = "やっぱり|やはり|やっぱ|いや|代わりに|かわりに|instead|actually|rather";
/// Phrases that change colours or add cards, and exclude none.
const OTHERWISE: &str = "make it|もっと|もう少し|もうちょっと|っぽく|色|colour|color|追加|足し|加え|add|also|too|plus|as well";
/// Phrases for all cards that are shown.
const ALL: &str = "全部|ぜんぶ|すべて|全て|all|everything|all of them";
/// Phrases that make cards others.
const INTO: &str = "make|turn|swap|switch|change|replace|exchange|instead|rather";
/// Words around an exclusion without a meaning of their own.
const AROUND: &str = "one|ones|all|everything|全部|away|out|remove|drop|lose|ditch|rid|forget|instead|rather|actually|either|swap|switch|change|replace|exchange|make|外|替|変|増|減|消|抜|除|結構|代";

impl Cards {
    /// Returns the request without the themes and cards that `utterance` excludes, and with those that it names
    /// instead. None where it says anything else.
    pub(super) fn exclude(
        &self,
        utterance: &Sentence,
        (goal, manner): (Option<Goal>, Option<Manner>),
        language: Language,
    ) -> Option<Self> {
        let is_about = matches!(goal, None | Some(Goal::Cards | Goal::Thumbnail))
            && manner.is_none_or(|it| it.is_elsewhere() || it == Manner::Nothing);
        let is_plain = !utterance.asks() && utterance.quoted.is_empty();
        if !is_about || !is_plain || self.found.is_empty() {
            return None;
        }
        let spotted = utterance.spotted(true);
        let is_card = |piece: &Piece| {
            spotted.iter().any(|card| card.piece.from < piece.to && piece.from < card.piece.to)
        };
        let mut themes = utterance.themes_with_colours();
        themes.retain(|it| !is_card(&it.1));
        let mut next = match (themes.is_empty(), spotted.is_empty()) {
            (false, true) => self
                .with_other_themes(utterance, &themes, language)
                .or_else(|| self.without_themes(utterance, &themes, language))?,
            // Pictures change by single cards.
            (true, false) if !self.is_thumbnail => {
                let pieces: Vec<_> = spotted.iter().map(|it| it.piece.clone()).collect();
                let is_out = |it: &Piece| is_excluded(utterance, it, &pieces);
                let is_there = |card| self.found.iter().any(|it| is_named_as(card, it));
                if !spotted.iter().all(|it| is_out(&it.piece) && is_there(it.card)) {
                    return None;
                }
                let kept = |it: &&String| !spotted.iter().any(|out| is_named_as(out.card, it));
                Self { wanted: requests_for(self.found.iter().filter(kept)), ..self.clone() }
            }
            _ => return None,
        };
        next.words = themes.iter().map(|it| it.1.text.clone()).collect();
        next.words.extend(spotted.iter().map(|it| it.piece.text.clone()));
        next.words.extend(marks(AROUND).map(str::to_owned));
        (next.found, next.counts, next.is_arranged) = (Vec::new(), false, false);
        (next.mood, next.moods) = (None, Vec::new());
        let left = utterance.unused_words(Some(Goal::Cards), next.used_words());
        (left.len() < 2).then_some(next)
    }

    /// Answers where `utterance` excludes a theme that is not among the cards: `やっぱ赤はいらない`.
    pub(super) fn answer_absent_theme(
        &self,
        utterance: &Sentence,
        (goal, manner): (Option<Goal>, Option<Manner>),
        context: &TurnContext<'_>,
    ) -> Option<String> {
        let is_about = matches!(goal, None | Some(Goal::Cards | Goal::Thumbnail))
            && manner.is_none_or(|it| it == Manner::Nothing);
        let is_plain = !utterance.asks() && utterance.quoted.is_empty();
        if !is_about || !is_plain || self.found.is_empty() || utterance.says(OTHERWISE) {
            return None;
        }
        let themes = utterance.themes_with_colours();
        let pieces: Vec<_> = themes.iter().map(|it| it.1.clone()).collect();
        let is_there = |theme: &Theme| {
            let card = |it: &String| card_of(it).is_some_and(|it| it.theme == theme.japanese);
            self.found.iter().any(card)
        };
        let is_lacking = |entry: &(Theme, Piece)| {
            !is_there(&entry.0)
                && !is_ground(utterance, &entry.1)
                && is_excluded(utterance, &entry.1, &pieces)
        };
        let words = pieces.iter().map(|it| it.text.clone()).chain(marks(AROUND).map(str::to_owned));
        let is_all = utterance.unused_words(Some(Goal::Cards), words.collect()).len() < 2;
        if themes.is_empty() || !is_all || !themes.iter().all(is_lacking) {
            return None;
        }
        let name = |it: &(Theme, Piece)| context.language.pick(it.0.japanese, it.0.english);
        let names = themes.iter().map(name).collect::<Vec<_>>();
        let names = names.join(context.language.pick("、", ", "));
        Some(context.say(
            format!("「{names}」のカードはもともと入っていないため、今のカードのままです。"),
            format!("No card of {names} is among them, so they stay as they are."),
        ))
    }

    /// Returns the request in which themes shown have changed places with others or one another, or with another number
    /// of one: `swap the verdant for golden`, `青を緑に`, `やっぱ全部赤で`, `緑は三枚にして`.
    fn with_other_themes(
        &self,
        utterance: &Sentence,
        themes: &[(Theme, Piece)],
        language: Language,
    ) -> Option<Self> {
        const CHANGES: &str = "にして|に変更|に変えて|に増や|に減ら|でお願い|make it|make that|make the|change|instead";
        let is_it = |it: &Wanted, of: &Theme| it.name == of.japanese || it.name == of.english;
        let place = |of: &Theme| self.wanted.iter().position(|it| it.is_theme && is_it(it, of));
        let composes = utterance.has(&[words::THUMBNAIL, words::COMPOSE]);
        let is_ground = themes.iter().any(|it| is_ground(utterance, &it.1));
        if self.is_thumbnail || composes || is_ground || asks_more(utterance) {
            return None;
        }
        let is_listed = self.wanted.iter().all(|it| it.is_theme);
        let limit = |it: &Wanted| it.limit.or(self.limit);
        let of = |theme: &Theme, limit: Option<u32>| {
            let name = language.pick(theme.japanese, theme.english).to_owned();
            Wanted { limit, ..Wanted::new(true, name) }
        };
        let mut next = self.clone();
        match themes {
            [one, other] if trades(utterance, [&one.1, &other.1]) => {
                match (place(&one.0), place(&other.0)) {
                    (Some(from), Some(to)) if utterance.says(PLACES) => next.wanted.swap(from, to),
                    // The cards of both are of the second then.
                    (Some(from), Some(to)) => {
                        let both = limit(&self.wanted[from]).zip(limit(&self.wanted[to]));
                        next.wanted[to].limit = both.map(|it| it.0 + it.1);
                        next.wanted.remove(from);
                    }
                    (Some(at), None) => next.wanted[at] = of(&other.0, self.wanted[at].limit),
                    (None, Some(at)) => next.wanted[at] = of(&one.0, self.wanted[at].limit),
                    (None, None) => return None,
                }
            }
            // `全部の赤いカード` asks for all of that theme.
            [only]
                if is_listed
                    && utterance.says(ALL)
                    && (utterance.says(INTO)
                        || ["に", "で"].iter().any(|it| utterance.is_at(it, only.1.to)))
                    && place(&only.0).is_none() =>
            {
                let total = self.wanted.iter().map(limit).sum::<Option<u32>>();
                (next.wanted, next.limit) = (vec![of(&only.0, total)], None);
            }
            // `赤だけ3枚にして`.
            [only] if utterance.says(ONLY) => {
                let own = &self.wanted[place(&only.0)?];
                (next.wanted, next.limit) =
                    (vec![of(&only.0, count(utterance).or(limit(own)))], None);
            }
            [only] if place(&only.0).is_some() => {
                let count = count(utterance).filter(|_| utterance.says(CHANGES))?;
                next.wanted[place(&only.0)?].limit = Some(count);
            }
            // `swap one for a red one`: of the last theme that has so many.
            [only] if is_listed && utterance.says(REPLACED) => {
                let some = traded(utterance)?;
                let has = |it: &Wanted| limit(it).filter(|it| *it > some);
                let at = self.wanted.iter().rposition(|it| has(it).is_some())?;
                next.wanted[at].limit = has(&self.wanted[at]).map(|it| it - some);
                next.wanted.push(of(&only.0, Some(some)));
            }
            _ => return None,
        }
        next.wanted = next.wanted.into_iter().map(Wanted::reset).collect();
        Some(next)
    }

    fn without_themes(
        &self,
        utterance: &Sentence,
        themes: &[(Theme, Piece)],
        language: Language,
    ) -> Option<Self> {
        let pieces: Vec<_> = themes.iter().map(|it| it.1.clone()).collect();
        if utterance.says(OTHERWISE) || pieces.iter().any(|it| is_ground(utterance, it)) {
            return None;
        }
        let is_of = |theme: &Theme, it: &Wanted| match it.is_theme {
            true => it.name == theme.japanese || it.name == theme.english,
            false => card_of(&it.name).is_some_and(|card| card.theme == theme.japanese),
        };
        let before = match self.is_thumbnail {
            true => requests_for(self.found.iter().take(CARDS_MAX)),
            false => self.wanted.clone(),
        };
        let is_there = |theme: &Theme| before.iter().any(|it| is_of(theme, it));
        // `not red, green`: a theme after a comma is requested, unless it is there already.
        let is_apart = |piece: &Piece| {
            utterance.lower[..piece.from].iter().rev().find(|it| **it != ' ') == Some(&',')
        };
        let is_refused = |entry: &(Theme, Piece)| {
            let is_wished =
                is_apart(&entry.1) && !is_there(&entry.0) && !is_excluded(utterance, &entry.1, &[]);
            is_excluded(utterance, &entry.1, &pieces) && !is_wished
        };
        let (out, new): (Vec<_>, Vec<_>) = themes.iter().partition(|it| is_refused(it));
        let is_instead = out.is_empty() && utterance.says(INSTEAD);
        if !is_instead && out.is_empty() || out.iter().any(|it| !is_there(&it.0)) {
            return None;
        }
        let is_kept = |it: &Wanted| !is_instead && !out.iter().any(|out| is_of(&out.0, it));
        let wanted = before.iter().filter(|it| is_kept(it)).cloned().map(Wanted::reset);
        let new = new.into_iter().filter(|it| is_instead || !is_there(&it.0));
        let new =
            new.map(|it| Wanted::new(true, language.pick(it.0.japanese, it.0.english).to_owned()));
        Some(Self { wanted: wanted.chain(new).collect(), ..self.clone() })
    }
}

/// Creates requests for cards by name.
fn requests_for<'a>(names: impl Iterator<Item = &'a String>) -> Vec<Wanted> {
    names.map(|it| Wanted::new(false, it.clone())).collect()
}
