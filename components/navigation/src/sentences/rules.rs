//! The vocabulary of navigation, and rules that find the goal of a sentence: the first one counts whose signs are all present and whose
//! exclusions are absent.

use Sign::Says;
use language::{
    rules::{Rule, rule},
    scan::marks,
    utterance::Piece,
    words::Word,
};

use super::places::{Places, Sentence};

/// The goal of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// An understood request that no tool supports.
    Elsewhere,
    /// A route between places.
    Route,
    /// Distances of several places.
    Distances,
    /// The location of a place.
    Place,
}

/// A sign that a rule looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Has one of these words, not negated.
    Says(&'static [Word]),
    /// Means walking or cycling, which distance tables do not support.
    ByFoot,
    /// Asks for the shortest route.
    Shortest,
    /// Has an origin.
    Origin,
    /// Has a destination.
    Destination,
    /// Has both ends.
    Ends,
    /// Asks for the nearest place of a kind, which no tool supports.
    Nearby,
    /// Has a constraint of a route.
    Requested,
    /// Has a word for tolls.
    Tolls,
    /// Has coordinates.
    Coordinates,
    /// Searches a known place.
    Spotted,
    /// Compares places by distance.
    Compared,
    /// Has several places on one side.
    SeveralPlaces,
    /// Searches a place.
    Sought,
    /// Has a number of things.
    Pieces,
    /// Has words joined by `to` that look like no places: `steps to reproduce`.
    Unnamed,
    /// Ends with a destination, or is one end of a route and nothing else.
    Towards,
    /// The route begins at the person's location.
    Here,
}

const ROUTE_WORDS: Sign = Says(&[ROUTE, GO, DISTANCE, DURATION]);
/// A word of another family.
const THEIRS: Sign = Says(&[Word::THEIRS]);
/// A word or verb of another family.
const ANY_OF_THEIRS: Sign = Says(&[Word::THEIRS, Word::THEIR_ACTION]);

/// The rules; the first match counts.
const RULES: &[Rule<Goal, Sign>] = &[
    // `高速代いくら` asks for no ticket's price.
    rule(96, Goal::Route, &[Sign::Ends, Sign::Tolls, Says(&[Word::PRICE])], &[THEIRS]),
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
    rule(72, Goal::Route, &[Sign::Ends, ROUTE_WORDS], &[]),
    rule(72, Goal::Route, &[Sign::Ends, Sign::Shortest], &[ANY_OF_THEIRS]),
    rule(72, Goal::Route, &[Sign::Ends, Sign::Requested], &[ANY_OF_THEIRS]),
    rule(72, Goal::Route, &[Says(&[ROUTE]), Sign::Destination], &[THEIRS]),
    rule(72, Goal::Route, &[Says(&[ROUTE]), Sign::Origin], &[THEIRS]),
    rule(72, Goal::Route, &[Sign::Ends], &[ANY_OF_THEIRS, Sign::Pieces, Sign::Unnamed]),
    rule(72, Goal::Route, &[Says(&[GO, LEAD]), Sign::Destination], &[ANY_OF_THEIRS]),
    rule(72, Goal::Route, &[Sign::Here, Sign::Destination], &[ANY_OF_THEIRS]),
    rule(62, Goal::Place, &[Says(&[Word::SHOW]), Sign::Spotted], &[ANY_OF_THEIRS, ROUTE_WORDS]),
    rule(62, Goal::Place, &[Sign::Coordinates], &[ANY_OF_THEIRS, Sign::Ends]),
    rule(62, Goal::Place, &[Says(&[Word::WHERE, SPOT]), Sign::Sought], &[ANY_OF_THEIRS]),
    rule(61, Goal::Route, &[Says(&[ROUTE])], &[ANY_OF_THEIRS]),
    rule(61, Goal::Distances, &[Says(&[DISTANCE])], &[]),
    rule(59, Goal::Route, &[Sign::Towards], &[ANY_OF_THEIRS, Says(&[Word::ELSEWHERE])]),
];

/// Returns the goal of `utterance` by the first matching rule, and how sure it is.
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
        Sign::Tolls => utterance.says(TOLLS),
        Sign::Coordinates => utterance.coordinates().is_some(),
        Sign::Spotted => {
            utterance.searched_place().is_some_and(|it| utterance.spots.contains(&(it.from, it.to)))
        }
        Sign::Compared => utterance.compared().is_some(),
        Sign::SeveralPlaces => {
            let (origins, destinations) = (&lists.origins, &lists.destinations);
            !destinations.is_empty()
                && !origins.is_empty()
                && origins.len() + destinations.len() > 2
        }
        Sign::Sought => utterance.searched_place().is_some(),
        Sign::Pieces => utterance.numbers.pieces().is_some(),
        Sign::Unnamed => is_unnamed(utterance, &places),
        Sign::Towards => is_towards(utterance, &places),
        Sign::Here => utterance.says(HERE),
    };
    language::rules::goal(RULES, has)
}

/// Whether the ends of `places` are words joined by `to`, and no names.
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

/// Whether `utterance` ends with a destination.
fn is_towards(utterance: &Sentence, places: &Places) -> bool {
    const ENDS: &str = "まで|へ|まで行きたい|まで行って|までお願いします|までお願い";
    let text = utterance.text();
    let text = text.trim_end_matches(['。', '!', '?', 'ね', ' ']);
    // `5往復まで` is an amount.
    const COUNTERS: &str = "往復|ターン|文字|字|人|名|件|枚|個|点|回|円";
    let is_count = |piece: &Piece| {
        piece.text.starts_with(char::is_numeric)
            && marks(COUNTERS).any(|end| piece.text.ends_with(end))
    };
    let lower = text.to_lowercase().replace(" please", "");
    let bare = lower.trim_end_matches("から").trim_start_matches("from ").trim_start_matches("to ");
    let is_end = |it: &(usize, usize)| it.1 - it.0 == bare.chars().count();
    let is_bare = bare.len() < lower.len() && utterance.spots.iter().any(is_end);
    is_bare
        || !places.destinations.is_empty()
            && !places.destinations.iter().any(is_count)
            && marks(ENDS).any(|it| text.ends_with(it))
}

pub(super) const ROUTE: Word = Word::own(0);
pub(super) const GO: Word = Word::own(1);
pub(super) const DISTANCE: Word = Word::own(2);
pub(super) const DURATION: Word = Word::own(3);
pub(super) const SPOT: Word = Word::own(4);
pub(super) const LEAD: Word = Word::own(5);

/// Phrases about tolls.
pub(super) const TOLLS: &str = "高速代|高速料金|高速の料金|通行料金|通行料|通行代|有料道路の料金|有料道路代|道路料金|いくらかかる|toll|tolls|toll fee|toll fees|toll charge|toll charges";

/// Words for things of this family.
pub(super) const NOUNS: &[Word] = &[ROUTE, GO, DISTANCE, DURATION, SPOT];
/// Phrases in lower case, separated by `|`; the longest match counts.
pub(super) const PHRASES: &[(Word, &str)] = &[
    (
        ROUTE,
        "ルート|ルート検索|ルート案内|道順|行き方|行きかた|経路|ナビ|案内|道のり|道案内|への道|までの道|からの道|へのルート|どう行け|どうやって行|どう行く|route|routes|\
         directions|traffic to|traffic going to|traffic on the way to|the way to|way to|navigate|navigation|drive|driving|how do i get|how can i get|\
         how to get|how do we get|how to reach|get from|get to|take me to|take me|go home|get home|drive home|walk home|way home|家に帰りたい|家まで帰りたい|travel from|go from|\
         path",
    ),
    (
        GO,
        "行きたい|いきたい|に行きたい|へ行きたい|まで行きたい|に行く|へ行く|まで行く|まで行って|に向かい|へ向かい|に向かって|へ向かって|に向かう|へ向かう|まで歩|まで車|まで徒歩|\
         まで運転|に帰|へ帰|まで帰|に戻る|に戻りたい|まで戻る|go back to|連れてって|連れて行って|連れていって|つれてって|移動|go to|going to get|get home|head to|heading to|drive to|walk to|travel to",
    ),
    (
        DISTANCE,
        "近い順|距離|何キロ|何km|何メートル|どれくらい離れ|どのくらい離れ|どれぐらい離れ|近いのは|一番近いの|how far|distance|distances|\
         how many kilometers|how many kilometres|how many km|how many miles|closest|nearest|\
         which is closer|closer|far from|far away from",
    ),
    (
        DURATION,
        "which one's quicker|which one is quicker|which is quicker|which one's faster|\
         which one is faster|所要時間|何分|何時間|どれくらいかか|どのくらいかか|どれぐらいかか|時間はどれ|時間はどの|how long|travel time|\
         travel times|drive time|driving time|driving times|minutes",
    ),
    (
        SPOT,
        "緯度|経度|座標|所在地|の住所|住所を調|地図で|地図に|地図上|マップ|coordinates|coordinate|latitude|longitude|lat/long|\
         on the map|on a map|geocode|find the place|map",
    ),
    (
        LEAD,
        "バイクで|原付で|オートバイで|トラックで|スクーターで|一番短い距離で|一番短い距離|最短距離で|最短距離|短い距離で|最短の距離で|距離が短い|距離の短い|距離が一番短い|距離が最短|\
         shortest distance|least distance|高速を使わずに|高速を使わないで|高速を使わず|高速道路を使わずに|高速道路を使わないで|高速使わずに|高速使わないで|\
         高速なしで|高速抜きで|高速を避けて|高速道路を避けて|高速を通らずに|高速に乗らずに|高速で|高速道路で|有料道路を使わずに|有料道路を避けて|有料道路なしで|有料を避けて|渋滞を避けて|\
         渋滞を回避して|混雑を避けて|フェリーを使わずに|フェリーなしで|下道で|一般道で|一番早く|一番速く|最速で|最短で|最短ルートで|なるべく早く|できるだけ早く|早く|安く|一番安く|\
         無料で|無料の道で|歩いて|徒歩で|車で|自動車で|クルマで|右折少なめで|右折を避けて|右折を少なくして|今から|いまから|これから|すぐに|急いで|のんびり|ゆっくり|タクシーで|\
         ドライブで|できれば|なるべく|できるだけ|使わずに|使わないで|避けて|渋滞なしで|経由せずに",
    ),
];
