//! Understands sentences about routes, distances and places without a model, and plans routes by their kind.

mod comparison;
mod places;
mod planner;
mod query;
mod rules;

use jiff::Timestamp;
use language::{
    Date, Language,
    chat::{CONTINUED, Chat, Family, FollowUp, Plan},
    context::{FamilyInfo, TurnContext, today},
    contract::TurnRequest,
    coverage::{CHEAP, LAST, SUPERLATIVES, Used, VEHICLES, unused},
    rules::Percent,
    say::{self, Skill},
    scan::marks,
    small_talk::{Manner, takes_back},
    turn::{Answered, Decision},
    vocabulary::Vocabulary,
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolkit::dialogue::{Name, Reply, Sample, Turn};

use self::{
    comparison::{MEASURES, PLACES, SORTS},
    places::Sentence,
    planner::{COMPARE, Constraints, Planner, Remark, RouteRequest, Rule, SEARCH},
    query::Query,
    rules::{DISTANCE, DURATION, GO, Goal, LEAD, NOUNS, PHRASES, ROUTE, SPOT, TOLLS},
};

/// The member of a context that has a requested route.
const ROUTE_CONTEXT: &str = "route";
/// Confidence in a requested route.
const PLANNED: f32 = 0.95;
/// Confidence in another measure for a comparison.
const COMPARED: Percent = 62;
/// Confidence in taking back a change.
const UNDONE: Percent = 96;
/// Confidence in a question about the found route.
const ANSWERED: Percent = 96;

static VOCABULARY: Vocabulary =
    Vocabulary { family: "navigation", phrases: PHRASES, nouns: NOUNS, ..Vocabulary::NONE };

static FAMILY_INFO: FamilyInfo = FamilyInfo {
    family: "navigation",
    codes: &[("place_not_found", "その場所は見つかりませんでした。")],
    subjects: &["address", "place"],
};

static SKILLS: &[Skill<Goal>] = &[
    Skill {
        goals: &[Goal::Route],
        tools: &["route_search"],
        is_one_enough: false,
        name: ("ルート検索", "searching routes"),
        example: (
            "東京駅から横浜駅まで、高速を使わずに",
            "From Tokyo Station to Yokohama Station, no motorways",
        ),
        is_featured: true,
    },
    Skill {
        goals: &[Goal::Distances],
        tools: &["distance_compare"],
        is_one_enough: false,
        name: ("距離の比較", "comparing distances"),
        example: (
            "東京駅から横浜駅と千葉駅までの距離を比べて",
            "Compare the distances from Tokyo Station to Yokohama and Chiba",
        ),
        is_featured: false,
    },
    Skill {
        goals: &[Goal::Place],
        tools: &["geocode"],
        is_one_enough: false,
        name: ("場所の検索", "finding a place"),
        example: ("横浜駅はどこ？", "Where is Yokohama Station?"),
        is_featured: false,
    },
];

/// Decides on the next step of a chat with a person, or of a requested route.
///
/// # Errors
/// When the context or another JSON document of the turn cannot be parsed.
pub fn next(turn: Turn) -> Result<Reply, String> {
    let request = TurnRequest::read(turn, Some(ROUTE_CONTEXT))?;
    if let Some(route) = request.context_as::<Route>()? {
        let turn = request.turn();
        let has_table = turn.offers.iter().any(|it| it.name == COMPARE);
        let task = turn.task;
        let mut planner = route.planner(task.language, task.now, has_table);
        let decision = planner.next(turn.answered);
        return Ok(request.reply(decision, &Value::Null, PLANNED));
    }
    Ok(Chat::<Navigation>::reply(&request))
}

/// Returns the vocabulary, for other families.
///
/// # Errors
/// None.
pub fn names() -> Result<Vec<Name>, String> {
    Ok(VOCABULARY.names())
}

/// Returns sample sentences.
pub fn samples(tag: &str) -> Vec<Sample> {
    say::samples(SKILLS, tag)
}

/// A requested route, by a sentence or by its kind.
#[derive(Deserialize)]
struct Route {
    origin: String,
    destination: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    history: Vec<Remark>,
    /// A kind of `POST /api/route`; none where the message has the constraints (NAV-18).
    kind: Option<String>,
    mode: Option<String>,
    #[serde(default)]
    via: Vec<String>,
    #[serde(default)]
    avoid: Vec<String>,
    arrival: Option<String>,
    departure: Option<String>,
}

impl Route {
    fn planner(self, language: Language, now: Timestamp, has_table: bool) -> Planner {
        let constraints = self.constraints();
        // Stops are parsed as in a chat, sentence by sentence.
        let today = today(now);
        let mut query = Query::default();
        for earlier in self.history.iter().filter(|it| it.is_user) {
            query.add_constraint(&Sentence::parse(&earlier.content, today));
        }
        let last = Sentence::parse(&self.message, today);
        let is_stop = query.changes_stops(&last);
        query.add_constraint(&last);
        let request = RouteRequest {
            origin: self.origin,
            destination: self.destination,
            message: self.message,
            history: self.history,
            language,
            now,
            has_table,
            via: query.via,
        };
        match constraints {
            Some(constraints) => Planner::from_constraints(request, constraints),
            None if is_stop => Planner::from_order(request),
            None => Planner::from_sentence(request),
        }
    }

    /// Returns the constraints of the kind; none where the message has them.
    fn constraints(&self) -> Option<Constraints> {
        let kind = self.kind.as_deref()?;
        let mut constraints = Constraints::default();
        constraints.walking = self.mode.as_deref() == Some("walking");
        constraints.cycling = self.mode.as_deref() == Some("bicycling");
        constraints.via.clone_from(&self.via);
        constraints.arrival.clone_from(&self.arrival);
        constraints.departure = self.departure.as_deref().and_then(|it| it.parse().ok());
        let avoids = |what: &str| {
            kind.strip_prefix("no_") == Some(what) || self.avoid.iter().any(|it| it == what)
        };
        constraints.no_highways = avoids("highways");
        constraints.no_tolls = avoids("tolls");
        constraints.no_ferries = avoids("ferries");
        constraints.rule = match kind {
            "fastest" => Some(Rule::Fastest),
            "shortest" => Some(Rule::Shortest),
            "cheapest" => Some(Rule::Cheapest),
            "fewest_right_turns" => Some(Rule::FewestRightTurns),
            _ => None,
        };
        Some(constraints)
    }
}

/// The family; it has no state besides its plan.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Navigation {}

impl Family for Navigation {
    type Sentence = Sentence;
    type Goal = Goal;
    type Plan = Query;

    const FAMILY_INFO: &'static FamilyInfo = &FAMILY_INFO;
    const SKILLS: &'static [Skill<Goal>] = SKILLS;
    const NEAR: &'static [(Goal, &'static [Word])] = &[
        (Goal::Route, &[ROUTE, GO, LEAD]),
        (Goal::Distances, &[DISTANCE, DURATION]),
        (Goal::Place, &[SPOT, Word::WHERE]),
    ];

    fn parse(text: &str, today: Date) -> Sentence {
        Sentence::parse(text, today)
    }

    fn goal(utterance: &Sentence) -> Option<(Goal, Percent)> {
        rules::goal(utterance)
    }

    fn handles_manner(utterance: &Sentence, manner: Manner) -> bool {
        let has_ends = || {
            let places = utterance.places(false);
            !places.origins.is_empty() && !places.destinations.is_empty()
        };
        match manner {
            Manner::How => utterance.has(&[ROUTE, GO]),
            Manner::Price => utterance.has(&[ROUTE]) || has_ends(),
            _ => false,
        }
    }

    fn is_request(goal: Goal) -> bool {
        goal != Goal::Elsewhere
    }

    fn handles_denial(_utterance: &Sentence, goal: Goal) -> bool {
        goal != Goal::Place
    }

    fn may_be_general_question(goal: Goal) -> bool {
        goal != Goal::Elsewhere
    }

    fn direct_answer(
        &self,
        _utterance: &Sentence,
        goal: Goal,
        context: &TurnContext<'_>,
    ) -> Option<String> {
        (goal == Goal::Elsewhere).then(|| say::elsewhere(context, SKILLS))
    }

    fn plan(
        &self,
        utterance: &Sentence,
        goal: Goal,
        _language: Language,
        before: Option<&Query>,
    ) -> Option<Query> {
        Some(Query::from_sentence(utterance, goal, before).behind(before))
    }

    fn follow(
        &self,
        plan: &mut Option<Query>,
        utterance: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<FollowUp> {
        let before = plan.clone()?;
        if takes_back(&utterance.text())
            && let Some(undone) = before.undone()
        {
            *plan = Some(undone);
            return Some(FollowUp::Continue(UNDONE, Vec::new()));
        }
        let followed = self.changed(plan, utterance, goal, manner, context)?;
        *plan = plan.take().map(|it| it.behind(Some(&before)));
        Some(followed)
    }
}

impl Navigation {
    /// Applies a sentence about the route found before, or none where it is about something else.
    fn changed(
        &self,
        plan: &mut Option<Query>,
        utterance: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<FollowUp> {
        let query = plan.as_mut()?;
        query.has_second = false;
        query.avoided_places.clear();
        if let Some(compared) = query.with_measure(utterance)
            // `order them by distance` is no purchase.
            && manner.is_none_or(|it| it == Manner::Errand)
            && goal.is_none_or(|it| it == Goal::Distances)
            && context.has(COMPARE)
            && unused(utterance, &used(query, utterance, Goal::Distances)).is_empty()
        {
            *query = compared;
            return Some(FollowUp::Continue(COMPARED, Vec::new()));
        }
        let told = query.question_confidence(utterance);
        let is_left = matches!(manner, Some(Manner::Nothing | Manner::Delete));
        let is_skipped = is_left && query.removes_stop(utterance);
        let is_open = goal.is_none() && manner.is_none() || told.is_some() || is_skipped;
        if !is_open || !context.has(SEARCH) {
            return None;
        }
        if let Some(sure) = told {
            // `how long is the third one?` also names the route.
            let is_changed = || query.has_constraint(&utterance.text(), context);
            if query.removes_stop(utterance) || is_changed() {
                query.add_constraint(utterance);
            }
            return Some(FollowUp::Continue(sure, Vec::new()));
        }
        let is_stop = query.changes_stops(utterance) || !utterance.avoided_places().is_empty();
        let moved = if is_stop { None } else { query.with_new_ends(utterance) };
        match moved {
            Some(moved) => *query = moved,
            // `寄り道なしで` is right of a route without stops as well.
            None if is_stop
                || utterance.says("寄り道な|寄り道無|寄り道はな|経由な|経由無|経由はな")
                || query.has_constraint(&utterance.text(), context) =>
            {
                query.add_constraint(utterance)
            }
            None => return None,
        }
        let left = unused(utterance, &used(query, utterance, Goal::Route));
        Some(FollowUp::Continue(CONTINUED, left))
    }
}

/// Returns what a query uses of a sentence.
fn used(query: &Query, utterance: &Sentence, goal: Goal) -> Used {
    let (conditions, spans) = match goal {
        Goal::Place | Goal::Elsewhere => (Vec::new(), Vec::new()),
        Goal::Distances => (vec![SUPERLATIVES, LAST], utterance.spans()),
        Goal::Route => (vec![SUPERLATIVES, LAST, CHEAP, VEHICLES], utterance.spans()),
    };
    let second = utterance.second_route().filter(|_| query.has_second);
    let spans = spans.into_iter().chain(second).collect();
    let mut names = query.used_words();
    if goal == Goal::Route && utterance.says(TOLLS) {
        names.extend(marks(TOLLS).chain(["料金"]).map(str::to_owned));
    }
    if goal == Goal::Distances {
        // Phrases for sorting and ranks.
        let tables = PLACES.into_iter().chain([SORTS]).chain(MEASURES.iter().map(|it| it.1));
        names.extend(tables.flat_map(marks).map(str::to_owned));
    }
    Used { names, conditions, spans }
}

impl Plan for Query {
    type Goal = Goal;
    type Sentence = Sentence;

    fn used(&self, utterance: &Sentence, goal: Goal) -> Used {
        used(self, utterance, goal)
    }

    fn is_settled(&self) -> bool {
        !self.used_words().is_empty()
    }

    fn normalize_correction(&self, text: &str) -> Option<String> {
        self.replace_place(text)
    }

    fn plain(&self, text: String) -> String {
        self.resolve_references(&text)
    }

    fn recall(&mut self, text: &str, utterance: &Sentence, context: &TurnContext<'_>) {
        if self.has_constraint(text, context) {
            self.add_constraint(utterance);
        }
    }

    fn filled(&mut self, values: &Map<String, Value>, _language: Language) {
        self.fill(values);
    }

    fn next(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        self.next(context, answered)
    }
}

#[cfg(test)]
mod tests;
