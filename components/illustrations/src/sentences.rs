//! Understands sentences about cards, themes and thumbnails without a model.

mod cards;
mod catalogue;
mod changes;
mod exclusions;
mod request;
mod rules;
mod sentence;
mod wording;

use language::{
    Date, Language, bare,
    chat::{CONTINUED, Chat, Family, FollowUp, Plan},
    context::{FamilyInfo, TurnContext},
    contract::TurnRequest,
    coverage::{LAST, Used},
    rules::Percent,
    say::{self, Skill},
    small_talk::{Manner, takes_back},
    turn::{Answered, Decision},
    vocabulary::{Unit, Vocabulary},
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolkit::dialogue::{Name, Reply, Sample, Turn};

use self::{
    cards::Cards,
    catalogue::{cards_of, samples as examples, theme_names},
    rules::{CARD, COMPOSE, Goal, NOUNS, PHRASES, THEME, THUMBNAIL, VERSUS},
    sentence::Sentence,
};
use crate::sources;

/// Confidence in a sentence that is only a name.
const NAME_ONLY: Percent = 38;

/// Confidence in taking back a change.
const UNDONE: Percent = 96;

/// Words for cards in general.
const MONSTERS: &str = "モンスター|monster|monsters";
const SUBTITLE: &str = "サブタイトル|subtitle";

static VOCABULARY: Vocabulary = Vocabulary {
    family: "illustrations",
    phrases: PHRASES,
    nouns: NOUNS,
    actions: rules::DEEDS,
    heads: rules::HEADS,
    counters: &[(
        Unit::Pieces,
        "cards|card|illustrations|illustration|pictures|images|artworks|monsters|picture|image|artwork|monster|pics|pic",
    )],
    conditions: &[MONSTERS, SUBTITLE],
    ..Vocabulary::NONE
};

static FAMILY_INFO: FamilyInfo = FamilyInfo {
    family: "illustrations",
    codes: &[
        ("card_not_found", "そのカードは見つかりませんでした。"),
        ("theme_not_found", "そのテーマは見つかりませんでした。"),
    ],
    subjects: &["card_name", "theme"],
};

static SKILLS: &[Skill<Goal>] = &[Skill {
    goals: &[Goal::Thumbnail, Goal::Cards],
    tools: &["get_theme_illustrations", "get_card_illustration"],
    is_one_enough: true,
    name: ("カードイラスト", "card illustrations"),
    example: (
        "ブルー系テーマのカードでサムネイルを作って",
        "Make a thumbnail with blue cards, titled \"Final\"",
    ),
    is_featured: true,
}];

/// Decides on the next step of a chat with a person.
///
/// # Errors
/// When a JSON document of the turn cannot be parsed.
pub fn next(turn: Turn) -> Result<Reply, String> {
    let request = TurnRequest::read(turn, None)?;
    catalogue::set_known_names(&request.names);
    Ok(Chat::<Illustrations>::reply(&request))
}

/// Returns names of the cards and themes of all sources, and the vocabulary.
///
/// # Errors
/// A message for the operator, when a setting is invalid or a source fails.
pub fn names() -> Result<Vec<Name>, String> {
    let mut names = words();
    names.extend(sources::names()?);
    Ok(names)
}

/// Returns the vocabulary, for other families.
pub fn words() -> Vec<Name> {
    VOCABULARY.names()
}

/// Returns sample sentences.
pub fn samples(tag: &str) -> Vec<Sample> {
    say::samples(SKILLS, tag)
}

/// Returns the conditions that a plan for `goal` handles.
fn conditions(goal: Option<Goal>) -> Vec<&'static str> {
    match goal {
        Some(Goal::Thumbnail) => vec![LAST, MONSTERS, SUBTITLE],
        Some(Goal::Cards) => vec![LAST, MONSTERS],
        Some(Goal::Themes) => vec![MONSTERS],
        Some(Goal::Nothing) => Vec::new(),
        None => vec![LAST],
    }
}

/// The family; it has no state besides its plan.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Illustrations {}

/// The current plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Doing {
    Cards(Box<Cards>),
    Themes,
    /// List the themes except these, by their Japanese names.
    OtherThemes(Vec<String>),
}

impl Family for Illustrations {
    type Sentence = Sentence;
    type Goal = Goal;
    type Plan = Doing;

    const FAMILY_INFO: &'static FamilyInfo = &FAMILY_INFO;
    const SKILLS: &'static [Skill<Goal>] = SKILLS;
    const NEAR: &'static [(Goal, &'static [Word])] =
        &[(Goal::Thumbnail, &[THUMBNAIL, COMPOSE]), (Goal::Cards, &[CARD, THEME, VERSUS])];
    const OWN: &'static [Word] = &[CARD, THEME];

    fn parse(text: &str, today: Date) -> Sentence {
        Sentence::parse(text, today)
    }

    fn goal(utterance: &Sentence) -> Option<(Goal, Percent)> {
        rules::goal(utterance)
    }

    fn handles_manner(utterance: &Sentence, manner: Manner) -> bool {
        matches!(manner, Manner::Sending | Manner::Errand) && utterance.has(NOUNS)
    }

    fn is_denial(goal: Goal) -> bool {
        goal == Goal::Nothing
    }

    fn may_be_general_question(goal: Goal) -> bool {
        goal == Goal::Cards
    }

    fn direct_answer(
        &self,
        _utterance: &Sentence,
        goal: Goal,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        match goal {
            Goal::Nothing => Some(say::nothing(context)),
            _ => None,
        }
    }

    fn plan(
        &self,
        utterance: &Sentence,
        goal: Goal,
        language: Language,
        before: Option<&Doing>,
    ) -> Option<Doing> {
        let before = match before {
            Some(Doing::Cards(it)) => Some(&**it),
            _ => None,
        };
        Some(match goal {
            Goal::Cards | Goal::Thumbnail => {
                let cards = Cards::from_sentence(utterance, goal, language, before);
                Doing::Cards(Box::new(cards.behind(before)))
            }
            Goal::Themes => match utterance.left_out() {
                without if without.is_empty() => Doing::Themes,
                without => Doing::OtherThemes(without),
            },
            Goal::Nothing => return None,
        })
    }

    fn follow(
        &self,
        plan: &mut Option<Doing>,
        utterance: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<FollowUp> {
        let before = match plan {
            Some(Doing::Cards(it)) => Some(it.clone()),
            _ => None,
        };
        if takes_back(&utterance.text())
            && let Some(undone) = before.as_ref().and_then(|it| it.undone())
        {
            *plan = Some(Doing::Cards(Box::new(undone)));
            return Some(FollowUp::Continue(UNDONE, Vec::new()));
        }
        let followed = changed(plan, utterance, goal, manner, context)?;
        if let (FollowUp::Continue(..), Some(Doing::Cards(cards))) = (&followed, plan) {
            **cards = std::mem::take(&mut **cards).behind(before.as_deref());
        }
        Some(followed)
    }

    fn guess(
        &self,
        utterance: &Sentence,
        context: &TurnContext<'_>,
    ) -> Option<(Doing, Percent, Vec<String>)> {
        if !context.has(cards::CARD) {
            return None;
        }
        let left = utterance.unused_words(None, Vec::new());
        let name = bare::name(utterance, &left, &[], || None, || utterance.unknown_names())?;
        let lower = name.to_lowercase();
        let left = left.into_iter().filter(|it| !lower.contains(&it.to_lowercase())).collect();
        let cards = Cards::from_list(&name).unwrap_or_else(|| Cards::from_name(&name));
        Some((Doing::Cards(Box::new(cards)), NAME_ONLY, left))
    }
}

/// Applies a sentence about the cards shown before, or none where it is about something else.
fn changed(
    plan: &mut Option<Doing>,
    utterance: &Sentence,
    goal: Option<Goal>,
    manner: Option<Manner>,
    context: &TurnContext<'_>,
) -> Option<FollowUp> {
    let is_cards = matches!(plan, Some(Doing::Cards(_)));
    // Themes are excluded from the cards shown before.
    let is_out = is_cards && goal == Some(Goal::Themes) && !utterance.left_out().is_empty();
    let goal = if is_out { Some(Goal::Cards) } else { goal };
    let is_elsewhere = manner.is_none_or(Manner::is_elsewhere);
    let is_about = is_elsewhere && matches!(goal, None | Some(Goal::Cards | Goal::Thumbnail));
    // `最後のは消して` excludes one of the cards shown before.
    let picks = |it: &Cards| sentence::pick(utterance, &it.found).is_some();
    let picks = matches!(&*plan, Some(Doing::Cards(it)) if picks(it));
    let is_left_out = manner == Some(Manner::Delete) && picks;
    if is_about
        && !is_left_out
        && let Some(refusal) = exclusions::refusal(utterance, is_cards, context)
    {
        return Some(FollowUp::Answer(refusal));
    }
    let without = match plan {
        Some(Doing::Themes) => Some(&[][..]),
        Some(Doing::OtherThemes(without)) => Some(&without[..]),
        _ => None,
    };
    if let Some(without) = without.filter(|_| manner.is_none()) {
        let names = names_without(without, context.language);
        let cards = Cards::from_listed(utterance, goal, &names, context.language)?;
        let left = utterance.unused_words(goal.or(Some(Goal::Cards)), cards.used_words());
        *plan = Some(Doing::Cards(Box::new(cards)));
        return Some(FollowUp::Continue(CONTINUED, left));
    }
    let Some(Doing::Cards(cards)) = plan else { return None };
    if let Some(next) = cards.exclude(utterance, (goal, manner), context.language) {
        **cards = next;
        return Some(FollowUp::Continue(CONTINUED, Vec::new()));
    }
    if let Some(text) = cards.answer_absent_theme(utterance, (goal, manner), context) {
        return Some(FollowUp::Answer(text));
    }
    // `赤も一枚足して` means a card while cards are chosen.
    let added = cards
        .is_addition(utterance)
        .then(|| sentence::complete_addition(utterance, context.today()))
        .flatten();
    let utterance = added.as_ref().unwrap_or(utterance);
    let is_asked = is_about || manner.is_none() && goal == Some(Goal::Themes);
    if let Some(text) = cards.answer_about_picture(utterance, context).filter(|_| is_asked) {
        return Some(FollowUp::Answer(text));
    }
    if is_about && cards.take_title(utterance) {
        return Some(FollowUp::Continue(CONTINUED, Vec::new()));
    }
    // An answer to which cards are meant is about cards.
    let is_open = cards.wanted.is_empty() && goal.is_none() && manner.is_none();
    let answer = is_open.then(|| sentence::complete_answer(utterance, context.today())).flatten();
    let utterance = answer.as_ref().unwrap_or(utterance);
    if cards.change_picture(utterance, (goal, manner), context.language) {
        let left = utterance.unused_words(Some(Goal::Thumbnail), cards.used_words());
        return Some(FollowUp::Continue(CONTINUED, left));
    }
    // `and the moth from that same set`: more of the same.
    let is_more = manner.is_none() || is_left_out;
    let next = is_more
        .then(|| cards.follow(utterance, goal, answer.is_some(), context.language))
        .flatten();
    let Some(next) = next else {
        let is_open = is_more && goal.is_none() && !cards.found.is_empty();
        return exclusions::refuse_resize(utterance, context)
            .filter(|_| is_open)
            .map(FollowUp::Answer);
    };
    let left = utterance.unused_words(Some(Goal::Cards), next.used_words());
    **cards = next;
    Some(FollowUp::Continue(CONTINUED, left))
}

impl Plan for Doing {
    type Goal = Goal;
    type Sentence = Sentence;

    fn used(&self, utterance: &Sentence, goal: Goal) -> Used {
        let conditions = conditions(Some(goal));
        let names = match self {
            Self::Cards(it) => it.used_words(),
            Self::Themes | Self::OtherThemes(_) => {
                ["big", "large", "size", "sizes"].map(str::to_owned).to_vec()
            }
        };
        Used { names, conditions, spans: utterance.theme_ranges() }
    }

    fn is_settled(&self) -> bool {
        match self {
            Self::Cards(it) => it.is_named(),
            Self::Themes | Self::OtherThemes(_) => true,
        }
    }

    fn handles_denial(&self) -> bool {
        matches!(self, Self::Cards(it) if it.handles_denial())
    }

    fn filled(&mut self, values: &Map<String, Value>, _language: Language) {
        if let Self::Cards(cards) = self {
            cards.fill(values);
        }
    }

    fn next(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        match self {
            Self::Cards(it) => it.next(context, answered),
            Self::Themes => listed(context, &[]),
            Self::OtherThemes(without) => listed(context, without),
        }
    }
}

/// Returns the names of all themes except `without`, in order.
fn names_without(without: &[String], language: Language) -> Vec<String> {
    let names = theme_names(language).into_iter().zip(theme_names(Language::Japanese));
    let names = names.filter(|it| !without.iter().any(|name| name == it.1));
    names.map(|it| it.0.to_owned()).collect()
}

/// Lists all themes except `without`, with their number of cards.
fn listed(context: &TurnContext<'_>, without: &[String]) -> Decision {
    let names = names_without(without, context.language);
    if names.is_empty() {
        return context.conclude(context.say(
            "テーマの一覧はありません。カードかテーマの名前を書くと探します。",
            "There is no list of themes; write the name of a card or a theme, and I look for it.",
        ));
    }
    let line = |(at, theme): (usize, &String)| {
        let (number, count) = (at + 1, cards_of(theme));
        context.language.pick(
            format!("{number}. {theme}（{count}枚）"),
            format!("{number}. {theme} ({})", say::counted(count, "card")),
        )
    };
    let lines: Vec<_> = names.iter().enumerate().map(line).collect();
    let cards = names.iter().map(|it| cards_of(it)).sum::<usize>();
    let (count, list) = (names.len(), lines.join("\n"));
    let (sample, _) = examples(context.language);
    context.conclude(context.say(
        format!("テーマは次の{count}つ（カードは合わせて{cards}枚）です。\n{list}\nカードを見るときは「{sample}のカードを見せて」のように書いてください。"),
        format!("There are {count} themes with {cards} cards in all.\n{list}\nTo see cards, write for example \"show me the cards of {sample}\"."),
    ))
}

#[cfg(test)]
mod tests;
