//! What a sentence asks of routes and places: the first rule whose words are all there, and none of those that bar it.

use language::{
    rules::{Rule, rule},
    scan::marks,
    utterance::Piece,
    words::Word,
};

use super::{
    places::{Places, Sentence},
    words::{DISTANCE, DURATION, GO, LEAD, ROUTE, SPOT},
};

/// What a sentence asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// It is understood that no tool does it.
    Elsewhere,
    /// A route from one place to another.
    Route,
    /// How far several places are.
    Distances,
    /// Where a place is.
    Place,
}

/// What a rule looks at: words, or what else a sentence has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// One of these is there, and not denied.
    Says(&'static [Word]),
    /// On foot or by bicycle, which no table of distances knows.
    ByFoot,
    /// The sentence asks for the shortest route.
    Shortest,
    /// The sentence has where the route begins.
    Origin,
    /// The sentence has where it ends.
    Destination,
    /// The sentence has both.
    Ends,
    /// The nearest of a kind of place, which no tool knows.
    Nearby,
    /// The sentence has a constraint of a route.
    Requested,
    /// A point on the map.
    Coordinates,
    /// A place that is looked for and known by name.
    Spotted,
    /// Places are compared by how far they are.
    Compared,
    /// More than one place on a side.
    SeveralPlaces,
    /// A place is looked for.
    Sought,
    /// A number of things.
    Pieces,
    /// Two words that `to` joins, neither of which looks like the name of a place: `steps to reproduce`.
    Unnamed,
    /// A sentence that ends with where to go.
    Towards,
    /// The way begins where the person is.
    Here,
}

use Sign::Says;

const WAY: Sign = Says(&[ROUTE, GO, DISTANCE, DURATION]);
/// What another family has.
const THEIRS: Sign = Says(&[Word::THEIRS]);
/// The same, and what is done with it.
const ANY_OF_THEIRS: Sign = Says(&[Word::THEIRS, Word::THEIR_DEED]);

/// The rules, the first that fits counts.
const RULES: &[Rule<Goal, Sign>] = &[
    rule(72, Goal::Elsewhere, &[Sign::Nearby], &[ANY_OF_THEIRS, Sign::Compared]),
    rule(72, Goal::Distances, &[Sign::Compared], &[]),
    rule(
        72,
        Goal::Distances,
        &[Says(&[DISTANCE, DURATION, Word::COMPARE]), Sign::SeveralPlaces],
        &[Sign::Shortest],
    ),
    rule(
        72,
        Goal::Distances,
        &[Says(&[DISTANCE]), Sign::Ends],
        &[Says(&[ROUTE]), Sign::ByFoot, Sign::Shortest],
    ),
    rule(72, Goal::Route, &[Sign::Ends, WAY], &[]),
    rule(72, Goal::Route, &[Sign::Ends, Sign::Shortest], &[ANY_OF_THEIRS]),
    rule(72, Goal::Route, &[Sign::Ends, Sign::Requested], &[ANY_OF_THEIRS]),
    rule(72, Goal::Route, &[Says(&[ROUTE]), Sign::Destination], &[THEIRS]),
    rule(72, Goal::Route, &[Says(&[ROUTE]), Sign::Origin], &[THEIRS]),
    rule(72, Goal::Route, &[Sign::Ends], &[ANY_OF_THEIRS, Sign::Pieces, Sign::Unnamed]),
    rule(72, Goal::Route, &[Says(&[GO, LEAD]), Sign::Destination], &[ANY_OF_THEIRS]),
    rule(72, Goal::Route, &[Sign::Here, Sign::Destination], &[ANY_OF_THEIRS]),
    rule(62, Goal::Place, &[Says(&[Word::SHOW]), Sign::Spotted], &[ANY_OF_THEIRS, WAY]),
    rule(62, Goal::Place, &[Sign::Coordinates], &[ANY_OF_THEIRS, Sign::Ends]),
    rule(62, Goal::Place, &[Says(&[Word::WHERE, SPOT]), Sign::Sought], &[ANY_OF_THEIRS]),
    rule(61, Goal::Route, &[Says(&[ROUTE])], &[ANY_OF_THEIRS]),
    rule(61, Goal::Distances, &[Says(&[DISTANCE])], &[]),
    rule(59, Goal::Route, &[Sign::Towards], &[ANY_OF_THEIRS, Says(&[Word::ELSEWHERE])]),
];

/// What `utterance` asks for, as far as the rules tell.
pub(super) fn goal(utterance: &Sentence) -> Option<(Goal, u8)> {
    const SHORTEST: &str =
        "短い|最短|短く|shortest|shorter|一番安|いちばん安|最安|cheapest|least expensive";
    const BY_FOOT: &str =
        "歩い|歩け|歩き|徒歩|自転車|on foot|by foot|walking|walk|bike|bicycle|cycling";
    const NEARBY: &str = "半径|近くに|近くで|周辺で|近くの|最寄り|最寄の|もより|一番近い|いちばん近い|近所の|周辺の|あたりの|nearest|closest|near me|nearby|close by|around here";
    const KINDS: &str = "コンビニ|ガソリンスタンド|駐車場|カフェ|喫茶店|レストラン|トイレ|薬局|ドラッグストア|スーパー|銀行|郵便局|交番|病院|最寄り駅|最寄りの駅|最寄駅|atm|convenience store|gas station|petrol station|parking|restaurant|cafe|coffee shop|toilet|restroom|pharmacy|drugstore|supermarket|bank|post office|hospital|nearest station|closest station|train station|subway station";
    const HERE: &str = "ここから|現在地から|今いる場所から|いまいる場所から|今いるところから|家から|自宅から|うちから|会社から|職場から|from here|from home|from work|from my place|from my house|from my home|from my location|from my current location|from where i am|from the office|from my office|from my hotel";
    let (places, lists) = (utterance.places(false), utterance.places(true));
    let has = |sign| match sign {
        Says(words) => utterance.has(words),
        Sign::ByFoot => utterance.says(BY_FOOT),
        Sign::Shortest => utterance.says(SHORTEST),
        Sign::Origin => !places.origins.is_empty(),
        Sign::Destination => !places.destinations.is_empty(),
        Sign::Ends => !places.origins.is_empty() && !places.destinations.is_empty(),
        Sign::Nearby => utterance.says(NEARBY) && utterance.says(KINDS),
        Sign::Requested => !utterance.constraints.is_empty(),
        Sign::Coordinates => utterance.coordinates().is_some(),
        Sign::Spotted => {
            utterance.sought().is_some_and(|it| utterance.spots.contains(&(it.from, it.to)))
        }
        Sign::Compared => utterance.compared().is_some(),
        Sign::SeveralPlaces => {
            let (origins, destinations) = (&lists.origins, &lists.destinations);
            !destinations.is_empty()
                && !origins.is_empty()
                && origins.len() + destinations.len() > 2
        }
        Sign::Sought => utterance.sought().is_some(),
        Sign::Pieces => utterance.numbers.pieces().is_some(),
        Sign::Unnamed => is_unnamed(utterance, &places),
        Sign::Towards => is_towards(utterance, &places),
        Sign::Here => utterance.says(HERE),
    };
    language::rules::goal(RULES, has)
}

/// Whether the ends of `places` are words that `to` joins in a sentence, and no names.
fn is_unnamed(utterance: &Sentence, places: &Places) -> bool {
    let mut ends = places.origins.iter().chain(&places.destinations);
    let is_name = |piece: &Piece| {
        let is_spot = utterance.spots.iter().any(|spot| spot.0 < piece.to && piece.from < spot.1);
        is_spot
            || utterance.chars[piece.from..piece.to]
                .iter()
                .any(|it| !it.is_ascii_lowercase() && *it != ' ')
    };
    !utterance.says("from|→") && !ends.any(is_name)
}

/// Whether `utterance` ends with where to go.
fn is_towards(utterance: &Sentence, places: &Places) -> bool {
    const ENDS: &str = "まで|へ|まで行きたい|まで行って|までお願いします|までお願い";
    let text = utterance.text();
    let text = text.trim_end_matches(['。', '!', '?', 'ね', ' ']);
    // `5往復まで` says how much.
    const COUNTERS: &str = "往復|ターン|文字|字|人|名|件|枚|個|点|回|円";
    let is_count = |piece: &Piece| {
        piece.text.starts_with(char::is_numeric)
            && marks(COUNTERS).any(|end| piece.text.ends_with(end))
    };
    !places.destinations.is_empty()
        && !places.destinations.iter().any(is_count)
        && marks(ENDS).any(|it| text.ends_with(it))
}
