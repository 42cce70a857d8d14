//! Sentences about routes, distances and places, which are understood without a model; and routes that are asked for by
//! their kind.

mod places;
mod planner;
mod rules;
mod table;
mod way;
mod words;

use language::{
    Date, Language,
    chat::{Chat, FOLLOWED, Family, Followed, Plan},
    contract::Told,
    coverage::{CHEAP, LAST, SUPERLATIVES, Used, unused},
    desk::{Desk, Holder},
    rules::Percent,
    say::{self, Skill},
    small_talk::Manner,
    turn::{Answered, Decision},
    vocabulary::Vocabulary,
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolkit::dialogue::{Name, Reply, Sample, Turn};

use self::{
    places::Sentence,
    planner::{COMPARE, Planner, Rule, SEARCH, Said, Trip, Wishes},
    rules::Goal,
    way::Way,
    words::{DISTANCE, DURATION, GO, LEAD, NOUNS, PHRASES, ROUTE, SPOT},
};

/// The member of a context that is a route that is asked for.
const ROUTE_CONTEXT: &str = "route";
/// How sure it is of such a route.
const PLANNED: f32 = 0.95;

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
    let told = Told::read(turn, Some(ROUTE_CONTEXT))?;
    if told.is_theirs {
        return Ok(told.nothing());
    }
    if let Some(route) = told.known::<Route>()? {
        let turn = told.turn();
        let has_table = turn.offers.iter().any(|it| it.name == COMPARE);
        let decision = route.planner(&told, has_table).next(turn.answered);
        return Ok(told.reply(decision, &Value::Null, PLANNED));
    }
    let mut chat = Chat::<Navigation>::resume(&told.memory);
    let (decision, confidence) = chat.next(told.turn());
    Ok(told.reply(decision, &chat.memory(), confidence))
}

/// The words of the routes, for the other families.
///
/// # Errors
/// None.
pub fn names() -> Result<Vec<Name>, String> {
    Ok(VOCABULARY.told())
}

/// What can be written about routes.
#[must_use]
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
    history: Vec<Said>,
    /// One of the kinds of `POST /api/route`; none where the message has the constraints (NAV-18).
    kind: Option<String>,
    mode: Option<String>,
    #[serde(default)]
    via: Vec<String>,
    arrival: Option<String>,
}

impl Route {
    fn planner(self, told: &Told, has_table: bool) -> Planner {
        let wishes = self.wishes();
        let trip = Trip {
            origin: self.origin,
            destination: self.destination,
            message: self.message,
            history: self.history,
            language: told.task.language,
            now: told.task.now,
            has_table,
            via: Vec::new(),
        };
        match wishes {
            Some(wishes) => Planner::of_wishes(trip, wishes),
            None => Planner::of_sentence(trip),
        }
    }

    /// The constraints of the kind of route; none where the message has them.
    fn wishes(&self) -> Option<Wishes> {
        let kind = self.kind.as_deref()?;
        let mut wishes = Wishes::default();
        wishes.walking = self.mode.as_deref() == Some("walking");
        wishes.cycling = self.mode.as_deref() == Some("bicycling");
        wishes.via.clone_from(&self.via);
        wishes.arrival.clone_from(&self.arrival);
        wishes.no_highways = kind == "no_highways";
        wishes.no_tolls = kind == "no_tolls";
        wishes.no_ferries = kind == "no_ferries";
        wishes.rule = match kind {
            "fastest" => Some(Rule::Fastest),
            "shortest" => Some(Rule::Shortest),
            "cheapest" => Some(Rule::Cheapest),
            "fewest_right_turns" => Some(Rule::FewestRightTurns),
            _ => None,
        };
        Some(wishes)
    }
}

/// The family; it remembers nothing beside its plan.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Navigation {}

/// What is being done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Doing {
    Way(Box<Way>),
}

impl Family for Navigation {
    type Sentence = Sentence;
    type Goal = Goal;
    type Plan = Doing;

    const HOLDER: &'static Holder = &HOLDER;
    const SKILLS: &'static [Skill<Goal>] = SKILLS;
    const NEAR: &'static [(Goal, &'static [Word])] = &[
        (Goal::Route, &[ROUTE, GO, LEAD]),
        (Goal::Distances, &[DISTANCE, DURATION]),
        (Goal::Place, &[SPOT, Word::WHERE]),
    ];

    fn hear(text: &str, today: Date) -> Sentence {
        Sentence::of(text, today)
    }

    fn goal(heard: &Sentence) -> Option<(Goal, Percent)> {
        rules::goal(heard)
    }

    fn spares(heard: &Sentence, manner: Manner) -> bool {
        let has_ends = || {
            let places = heard.places(false);
            !places.origins.is_empty() && !places.destinations.is_empty()
        };
        match manner {
            Manner::How => heard.has(&[ROUTE, GO]),
            Manner::Price => heard.has(&[ROUTE]) || has_ends(),
            _ => false,
        }
    }

    fn is_wish(goal: Goal) -> bool {
        goal != Goal::Elsewhere
    }

    fn obeys(_heard: &Sentence, goal: Goal) -> bool {
        goal != Goal::Place
    }

    fn may_be_world(goal: Goal) -> bool {
        goal != Goal::Elsewhere
    }

    fn told(&self, _heard: &Sentence, goal: Goal, desk: &Desk<'_>) -> Option<String> {
        (goal == Goal::Elsewhere).then(|| say::elsewhere(desk, SKILLS))
    }

    fn plan(
        &self,
        heard: &Sentence,
        goal: Goal,
        _language: Language,
        before: Option<&Doing>,
    ) -> Option<Doing> {
        let before = before.map(|Doing::Way(it)| &**it);
        Some(Doing::Way(Box::new(Way::of(heard, goal, before))))
    }

    fn follow(
        &self,
        plan: &mut Option<Doing>,
        heard: &Sentence,
        goal: Option<Goal>,
        manner: Option<Manner>,
        desk: &Desk<'_>,
    ) -> Option<Followed> {
        let Some(Doing::Way(way)) = plan else { return None };
        if goal.is_some() || manner.is_some() || !desk.has(SEARCH) {
            return None;
        }
        let is_stop = way.stops(heard);
        let moved = if is_stop { None } else { way.moved(heard) };
        match moved {
            Some(moved) => **way = moved,
            None if is_stop || way.follows(&heard.text(), desk) => way.wish(heard),
            None => return None,
        }
        let left = unused(heard, &used(way, heard, Goal::Route));
        Some(Followed::On(FOLLOWED, left))
    }
}

/// What a route uses of a sentence.
fn used(way: &Way, heard: &Sentence, goal: Goal) -> Used {
    let (conditions, spans) = match goal {
        Goal::Place | Goal::Elsewhere => (Vec::new(), Vec::new()),
        Goal::Distances => (vec![SUPERLATIVES, LAST], heard.spans()),
        Goal::Route => (vec![SUPERLATIVES, LAST, CHEAP], heard.spans()),
    };
    Used { names: way.used(), conditions, spans }
}

impl Plan for Doing {
    type Goal = Goal;
    type Sentence = Sentence;

    fn used(&self, heard: &Sentence, goal: Goal) -> Used {
        let Self::Way(it) = self;
        used(it, heard, goal)
    }

    fn is_settled(&self) -> bool {
        let Self::Way(it) = self;
        !it.used().is_empty()
    }

    fn plain(&self, said: String) -> String {
        let Self::Way(it) = self;
        it.named(&said)
    }

    fn recall(&mut self, text: &str, heard: &Sentence, desk: &Desk<'_>) {
        let Self::Way(it) = self;
        if it.follows(text, desk) {
            it.wish(heard);
        }
    }

    fn filled(&mut self, values: &Map<String, Value>, _language: Language) {
        let Self::Way(it) = self;
        it.filled(values);
    }

    fn next(&mut self, desk: &mut Desk<'_>, answered: &[Answered]) -> Decision {
        let Self::Way(it) = self;
        it.next(desk, answered)
    }
}

#[cfg(test)]
mod tests;
