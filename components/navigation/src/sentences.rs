//! Sentences about routes, distances and places, which are understood without a model; and routes that are asked for by
//! their kind.

mod comparison;
mod exchange;
mod places;
mod planner;
mod query;
mod rules;
mod words;

use jiff::Timestamp;
use language::{
    Date, Language,
    chat::{Chat, FOLLOWED, Family, Followed, Plan},
    context::{Holder, TurnContext, today},
    contract::TurnRequest,
    coverage::{CHEAP, LAST, SUPERLATIVES, Used, VEHICLES, unused},
    rules::Percent,
    say::{self, Skill},
    scan::marks,
    small_talk::Manner,
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
    query::Way,
    rules::Goal,
    words::{DISTANCE, DURATION, GO, LEAD, NOUNS, PHRASES, ROUTE, SPOT},
};

/// The member of a context that is a route that is asked for.
const ROUTE_CONTEXT: &str = "route";
/// How sure it is of such a route.
const PLANNED: f32 = 0.95;
/// How sure it is that what was compared is compared by something else.
const COMPARED: Percent = 62;
/// How sure it is of a question about the route that was found.
const TOLD: Percent = 96;

static VOCABULARY: Vocabulary =
    Vocabulary { family: "navigation", phrases: PHRASES, nouns: NOUNS, ..Vocabulary::NONE };

static HOLDER: Holder = Holder {
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
        is_told: true,
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
        is_told: false,
    },
    Skill {
        goals: &[Goal::Place],
        tools: &["geocode"],
        is_one_enough: false,
        name: ("場所の検索", "finding a place"),
        example: ("横浜駅はどこ？", "Where is Yokohama Station?"),
        is_told: false,
    },
];

/// What comes next: in a conversation with a person, or for a route that is asked for.
///
/// # Errors
/// Where the context or another JSON document of the turn cannot be read.
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

/// The words of the routes, for the other families.
///
/// # Errors
/// None.
pub fn names() -> Result<Vec<Name>, String> {
    Ok(VOCABULARY.names())
}

/// What can be written about routes.
pub fn samples(tag: &str) -> Vec<Sample> {
    say::samples(SKILLS, tag)
}

/// A route that is asked for, by a sentence or by its kind.
#[derive(Deserialize)]
struct Route {
    origin: String,
    destination: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    history: Vec<Remark>,
    /// One of the kinds of `POST /api/route`; none where the message has the constraints (NAV-18).
    kind: Option<String>,
    mode: Option<String>,
    #[serde(default)]
    via: Vec<String>,
    arrival: Option<String>,
}

impl Route {
    fn planner(self, language: Language, now: Timestamp, has_table: bool) -> Planner {
        let constraints = self.constraints();
        // Stops are read as in a conversation, one sentence after another.
        let today = today(now);
        let mut way = Way::default();
        for earlier in self.history.iter().filter(|it| it.is_user) {
            way.constraint(&Sentence::of(&earlier.content, today));
        }
        let last = Sentence::of(&self.message, today);
        let is_stop = way.stops(&last);
        way.constraint(&last);
        let request = RouteRequest {
            origin: self.origin,
            destination: self.destination,
            message: self.message,
            history: self.history,
            language,
            now,
            has_table,
            via: way.via,
        };
        match constraints {
            Some(constraints) => Planner::of_constraints(request, constraints),
            None if is_stop => Planner::of_order(request),
            None => Planner::of_sentence(request),
        }
    }

    /// The constraints of the kind of route; none where the message has them.
    fn constraints(&self) -> Option<Constraints> {
        let kind = self.kind.as_deref()?;
        let mut constraints = Constraints::default();
        constraints.walking = self.mode.as_deref() == Some("walking");
        constraints.cycling = self.mode.as_deref() == Some("bicycling");
        constraints.via.clone_from(&self.via);
        constraints.arrival.clone_from(&self.arrival);
        constraints.no_highways = kind == "no_highways";
        constraints.no_tolls = kind == "no_tolls";
        constraints.no_ferries = kind == "no_ferries";
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

/// The family; it remembers nothing beside its plan.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Navigation {}

impl Family for Navigation {
    type Sentence = Sentence;
    type Goal = Goal;
    type Plan = Way;

    const HOLDER: &'static Holder = &HOLDER;
    const SKILLS: &'static [Skill<Goal>] = SKILLS;
    const NEAR: &'static [(Goal, &'static [Word])] = &[
        (Goal::Route, &[ROUTE, GO, LEAD]),
        (Goal::Distances, &[DISTANCE, DURATION]),
        (Goal::Place, &[SPOT, Word::WHERE]),
    ];

    fn parse(text: &str, today: Date) -> Sentence {
        Sentence::of(text, today)
    }

    fn goal(utterance: &Sentence) -> Option<(Goal, Percent)> {
        rules::goal(utterance)
    }

    fn spares(utterance: &Sentence, manner: Manner) -> bool {
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

    fn obeys(_utterance: &Sentence, goal: Goal) -> bool {
        goal != Goal::Place
    }

    fn may_be_world(goal: Goal) -> bool {
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
        before: Option<&Way>,
    ) -> Option<Way> {
        Some(Way::of(utterance, goal, before))
    }

    fn follow(
        &self,
        plan: &mut Option<Way>,
        utterance: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        context: &TurnContext<'_>,
    ) -> Option<Followed> {
        let way = plan.as_mut()?;
        way.has_second = false;
        way.kept_off.clear();
        if let Some(compared) = way.compared_by(utterance)
            // `order them by distance` orders nothing to be brought.
            && manner.is_none_or(|it| it == Manner::Errand)
            && goal.is_none_or(|it| it == Goal::Distances)
            && context.has(COMPARE)
            && unused(utterance, &used(way, utterance, Goal::Distances)).is_empty()
        {
            *way = compared;
            return Some(Followed::On(COMPARED, Vec::new()));
        }
        let told = way.tells(utterance);
        let is_skipped = manner == Some(Manner::Nothing) && way.skips(utterance);
        let is_open = goal.is_none() && manner.is_none() || told.is_some() || is_skipped;
        if !is_open || !context.has(SEARCH) {
            return None;
        }
        if let Some(sure) = told {
            // `how long is the third one?` says what is asked about as well.
            if way.follows(&utterance.text(), context) {
                way.constraint(utterance);
            }
            return Some(Followed::On(sure, Vec::new()));
        }
        let is_stop = way.stops(utterance) || !utterance.kept_off().is_empty();
        let moved = if is_stop { None } else { way.moved(utterance) };
        match moved {
            Some(moved) => *way = moved,
            None if is_stop || way.follows(&utterance.text(), context) => way.constraint(utterance),
            None => return None,
        }
        let left = unused(utterance, &used(way, utterance, Goal::Route));
        Some(Followed::On(FOLLOWED, left))
    }
}

/// What a route uses of a sentence.
fn used(way: &Way, utterance: &Sentence, goal: Goal) -> Used {
    let (conditions, spans) = match goal {
        Goal::Place | Goal::Elsewhere => (Vec::new(), Vec::new()),
        Goal::Distances => (vec![SUPERLATIVES, LAST], utterance.spans()),
        Goal::Route => {
            let second = utterance.second().filter(|_| way.has_second);
            let spans = utterance.spans().into_iter().chain(second).collect();
            (vec![SUPERLATIVES, LAST, CHEAP, VEHICLES], spans)
        }
    };
    let mut names = way.used();
    if goal == Goal::Distances {
        // What puts places in order, and which of them is asked for.
        let tables = PLACES.into_iter().chain([SORTS]).chain(MEASURES.iter().map(|it| it.1));
        names.extend(tables.flat_map(marks).map(str::to_owned));
    }
    Used { names, conditions, spans }
}

impl Plan for Way {
    type Goal = Goal;
    type Sentence = Sentence;

    fn used(&self, utterance: &Sentence, goal: Goal) -> Used {
        used(self, utterance, goal)
    }

    fn is_settled(&self) -> bool {
        !self.used().is_empty()
    }

    fn put_right(&self, text: &str) -> Option<String> {
        self.exchanged(text)
    }

    fn plain(&self, text: String) -> String {
        self.named(&text)
    }

    fn recall(&mut self, text: &str, utterance: &Sentence, context: &TurnContext<'_>) {
        if self.follows(text, context) {
            self.constraint(utterance);
        }
    }

    fn filled(&mut self, values: &Map<String, Value>, _language: Language) {
        self.filled(values);
    }

    fn next(&mut self, context: &mut TurnContext<'_>, answered: &[Answered]) -> Decision {
        self.next(context, answered)
    }
}

#[cfg(test)]
mod tests;
