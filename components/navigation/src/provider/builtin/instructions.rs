//! Texts of a route in two languages: instructions with Google's maneuvers, summaries by the longest roads, and
//! warnings.

use std::collections::BTreeMap;

use graph::{Class, Leg, Mode, Text};

use super::steps::{Cut, Move, Side, heading};
use crate::{ask::Language, words};

/// Returns Google's name for a manoeuvre; none for the first step.
pub(crate) fn maneuver(what: Move) -> Option<&'static str> {
    let of = |side, left, right| Some(if side == Side::Left { left } else { right });
    match what {
        Move::Depart => None,
        Move::Straight | Move::GoAshore => Some("straight"),
        Move::Slight(it) => of(it, "turn-slight-left", "turn-slight-right"),
        Move::Turn(it) => of(it, "turn-left", "turn-right"),
        Move::Sharp(it) => of(it, "turn-sharp-left", "turn-sharp-right"),
        Move::Back(it) => of(it, "uturn-left", "uturn-right"),
        Move::Keep(it) => of(it, "keep-left", "keep-right"),
        Move::Fork(it) => of(it, "fork-left", "fork-right"),
        Move::Enter(it) | Move::Leave(it) => of(it, "ramp-left", "ramp-right"),
        Move::Merge => Some("merge"),
        Move::Roundabout(it, _) => of(it, "roundabout-left", "roundabout-right"),
        Move::Board => Some("ferry"),
    }
}

/// Returns the instruction of a step.
pub(crate) fn instruction(legs: &[Leg], cut: Cut, language: Language) -> String {
    let leg = &legs[cut.at];
    let road = cut.road.map(|it| road(&legs[it], language)).unwrap_or_default();
    // The name of an entrance is where its ramps end on the expressway.
    let onto = legs[cut.at..].iter().find(|it| !it.ramp).map(|it| text(&it.junction, language));
    let junction = match (cut.what, onto) {
        (Move::Enter(_), Some(name)) if !name.is_empty() => name,
        _ => text(&leg.junction, language),
    };
    let before = legs[..cut.at].last().map(|it| self::road(it, language)).unwrap_or_default();
    match (language, cut.what) {
        (_, Move::Depart) => depart(leg, road, language),
        (_, Move::Leave(_)) => leave(junction, before, road, language),
        (_, Move::Enter(it)) => enter(it, junction, road, language),
        (Language::Japanese, it) => japanese(it, junction, road),
        (Language::English, it) => english(it, junction, road),
    }
}

/// Returns the instruction for the arrival.
pub(crate) fn arrival(name: &str, language: Language) -> String {
    match language {
        Language::Japanese => format!("{name}に到着"),
        Language::English => format!("Arrive at {name}"),
    }
}

/// Returns the name of a road as on its signs.
pub(crate) fn road(leg: &Leg, language: Language) -> &str {
    let name = text(&leg.name, language);
    // Readers without Japanese prefer the number.
    let number = language == Language::English && leg.name.en.is_empty() && !leg.number.is_empty();
    if name.is_empty() || number { &leg.number } else { name }
}

/// Returns a name in a language, or the local one.
pub(crate) fn text(text: &Text, language: Language) -> &str {
    if language == Language::English && !text.en.is_empty() || text.local.is_empty() {
        &text.en
    } else {
        &text.local
    }
}

fn depart(leg: &Leg, road: &str, language: Language) -> String {
    let from = leg.points.first().copied().unwrap_or_default();
    let to = leg.points.iter().find(|it| from.metres_to(**it) > 1.0).copied().unwrap_or(from);
    let eighth = words::whole(heading(from, to) / 45.0) % 8;
    let eighth = usize::try_from(eighth).unwrap_or(0);
    match language {
        Language::Japanese => {
            let whither = ["北", "北東", "東", "南東", "南", "南西", "西", "北西"][eighth];
            let on = if road.is_empty() { String::new() } else { format!("{road}を") };
            format!("{on}{whither}に向かって進む")
        }
        Language::English => {
            const NAMES: [&str; 8] = [
                "north",
                "north-east",
                "east",
                "south-east",
                "south",
                "south-west",
                "west",
                "north-west",
            ];
            format!("Head {}{}", NAMES[eighth], before(" on ", road))
        }
    }
}

fn leave(junction: &str, old: &str, road: &str, language: Language) -> String {
    match language {
        Language::Japanese => {
            let place = if junction.is_empty() { "出口" } else { junction };
            let old = if old.is_empty() { "高速道路" } else { old };
            let into =
                if road.is_empty() { "る".to_owned() } else { format!("て、{road}に入る") };
            format!("{place}で{old}を出{into}")
        }
        Language::English => {
            let old = if old.is_empty() { "the expressway" } else { old };
            format!("Leave {old}{}{}", before(" at ", junction), before(" for ", road))
        }
    }
}

fn enter(side: Side, junction: &str, road: &str, language: Language) -> String {
    match language {
        Language::Japanese => {
            let ramp = format!("{}のランプ", japanese_side(side));
            let place = if junction.is_empty() { &ramp } else { junction };
            let road = if road.is_empty() { "高速道路" } else { road };
            format!("{place}から{road}に入る")
        }
        Language::English => {
            let road = if road.is_empty() { "the expressway" } else { road };
            let ramp = format!("Take the ramp on the {}", english_side(side));
            format!("{ramp}{} onto {road}", before(" at ", junction))
        }
    }
}

fn japanese(what: Move, junction: &str, road: &str) -> String {
    // Ports and junctions need different texts.
    let particle = if matches!(what, Move::GoAshore) { "で" } else { "を" };
    let at = if junction.is_empty() { String::new() } else { format!("{junction}{particle}") };
    // The endings without and with a named road.
    let (end, on) = match what {
        Move::Straight if junction.is_empty() => ("道なりに進む".into(), "そのまま".into()),
        Move::Straight | Move::Depart => ("直進する".into(), "直進し、".into()),
        Move::Slight(it) => of(it, "斜め", "方向に進む", "方向に進み、"),
        Move::Turn(it) => of(it, "", "折する", "折して"),
        Move::Sharp(it) => of(it, "大きく", "折する", "折して"),
        Move::Back(_) => ("Uターンする".into(), "Uターンして".into()),
        Move::Keep(it) => of(it, "", "側を進む", "側を進み、"),
        Move::Fork(it) | Move::Enter(it) | Move::Leave(it) => of(it, "", "方向に進む", "方向、"),
        Move::Merge => return format!("{road}{}合流する", if road.is_empty() { "" } else { "に" }),
        Move::Roundabout(_, exit) => (
            format!("ロータリーの{exit}番目の出口を出る"),
            format!("ロータリーの{exit}番目の出口を出て"),
        ),
        Move::Board if road.is_empty() => return "フェリーに乗る".to_owned(),
        Move::Board => return format!("フェリー（{road}）に乗る"),
        Move::GoAshore => ("フェリーを降りる".into(), "フェリーを降りて".into()),
    };
    if road.is_empty() { format!("{at}{end}") } else { format!("{at}{on}{road}に入る") }
}

fn of(side: Side, begin: &str, end: &str, on: &str) -> (String, String) {
    let side = japanese_side(side);
    (format!("{begin}{side}{end}"), format!("{begin}{side}{on}"))
}

fn english(what: Move, junction: &str, road: &str) -> String {
    let onto = before(" onto ", road);
    let does = match what {
        Move::Straight | Move::Depart if road.is_empty() => "Continue straight".to_owned(),
        Move::Straight | Move::Depart => format!("Continue{onto}"),
        Move::Slight(it) => format!("Bear slightly {}{onto}", english_side(it)),
        Move::Turn(it) => format!("Turn {}{onto}", english_side(it)),
        Move::Sharp(it) => format!("Turn sharp {}{onto}", english_side(it)),
        Move::Back(_) => format!("Make a U-turn{onto}"),
        Move::Keep(side) | Move::Fork(side) | Move::Enter(side) | Move::Leave(side) => {
            format!("Keep {}{onto}", english_side(side))
        }
        Move::Merge => format!("Merge{onto}"),
        Move::Roundabout(_, exit) => format!("At the roundabout take exit {exit}{onto}"),
        Move::Board => format!("Take the ferry{}", before(" ", road)),
        Move::GoAshore => format!("Leave the ferry{onto}"),
    };
    does + &before(" at ", junction)
}

fn japanese_side(side: Side) -> &'static str {
    if side == Side::Left { "左" } else { "右" }
}

fn english_side(side: Side) -> &'static str {
    if side == Side::Left { "left" } else { "right" }
}

/// Prefixes the text with `word`; empty texts stay empty.
fn before(word: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{word}{text}") }
}

/// Minimum ratio of the second road's length to the first one to be named as well.
const SECOND_MIN: f64 = 0.45;

/// Returns a summary for each route, all different.
pub(crate) fn summaries(ways: &[&[Leg]], language: Language) -> Vec<String> {
    let roads: Vec<_> = ways.iter().map(|it| longest(it, language)).collect();
    let mut all: Vec<Vec<String>> = Vec::new();
    for (index, own) in roads.iter().enumerate() {
        let mut named = first(own);
        // A road that no other route takes distinguishes it best.
        let is_elsewhere = |name: &String| {
            let others = roads.iter().enumerate().filter(|it| it.0 != index);
            others.flat_map(|it| it.1).any(|it| it.0 == *name)
        };
        if all.contains(&named)
            && let Some((name, _)) =
                own.iter().find(|it| !named.contains(&it.0) && !is_elsewhere(&it.0))
        {
            named.truncate(1);
            named.push(name.clone());
        }
        all.push(named);
    }
    let mut texts: Vec<String> = Vec::new();
    for (named, way) in all.iter().zip(ways) {
        let mut text = sentence(named, language);
        if texts.contains(&text) {
            let metres = way.iter().map(|it| it.metres).sum();
            text = format!("{text} ({})", words::distance(metres));
        }
        texts.push(text);
    }
    texts
}

/// Returns the longest road, and the second where it is nearly as long.
fn first(roads: &[(String, f64)]) -> Vec<String> {
    let most = roads.first().map_or(0.0, |it| it.1);
    let near = roads.iter().take(2).filter(|it| it.1 >= most * SECOND_MIN);
    near.map(|it| it.0.clone()).collect()
}

fn sentence(roads: &[String], language: Language) -> String {
    match (language, roads.is_empty()) {
        (Language::Japanese, true) => "一般道経由".to_owned(),
        (Language::English, true) => "via local streets".to_owned(),
        (Language::Japanese, false) => format!("{}経由", roads.join("、")),
        (Language::English, false) => format!("via {}", roads.join(" and ")),
    }
}

/// Returns the named roads with their weights, the longest first.
fn longest(legs: &[Leg], language: Language) -> Vec<(String, f64)> {
    let mut roads: BTreeMap<&str, f64> = BTreeMap::new();
    for leg in legs.iter().filter(|it| !it.ramp) {
        let name = road(leg, language);
        if !name.is_empty() {
            *roads.entry(name).or_default() += leg.metres * weight(leg.class);
        }
    }
    let mut roads: Vec<_> = roads.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    roads.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    roads
}

/// Weights a road: routes are known by their big roads.
fn weight(class: Class) -> f64 {
    match class {
        Class::Motorway => 1.3,
        Class::Trunk | Class::Ferry => 1.0,
        Class::Primary => 0.9,
        Class::Secondary => 0.7,
        Class::Tertiary => 0.5,
        Class::Residential | Class::Service | Class::Path => 0.4,
    }
}

/// Returns the warnings of a route, the data's attribution first.
pub(crate) fn warnings_of(
    attribution: &str,
    legs: &[Leg],
    mode: Mode,
    language: Language,
) -> Vec<String> {
    let is_japanese = language == Language::Japanese;
    let pick = |ja: &str, en: &str| if is_japanese { ja } else { en }.to_owned();
    let mut warnings = vec![pick(
        "ネットワークに接続せずに求めた概算です。実際の運転・案内には使わないでください。",
        "Worked out offline and roughly; not for navigation on the road.",
    )];
    match mode {
        Mode::Drive => warnings.push(pick(
            "所要時間の渋滞は時間帯別のモデルによるもので、実測ではありません。",
            "Traffic is a model by the hour of the day, not a measurement.",
        )),
        Mode::Walk => warnings.push(pick(
            "歩道や横断歩道がない区間が含まれることがあります。",
            "Parts of the way may lack pavements and crossings.",
        )),
        Mode::Cycle => warnings.push(pick(
            "押し歩きが必要な区間や、勾配の大きい区間が含まれることがあります。",
            "Parts of the way may be steep, or have to be walked.",
        )),
    }
    if mode == Mode::Drive && legs.iter().any(|it| it.toll) {
        warnings.push(pick("有料道路を通ります。", "The route has tolls."));
    }
    if legs.iter().any(|it| it.class == Class::Ferry) {
        warnings.push(pick(
            "フェリーの待ち時間と運賃は含まれていません。",
            "Waiting for a ferry, and its fare, are not in it.",
        ));
    }
    if !attribution.is_empty() {
        let data = pick("地図データ", "Map data");
        warnings.push(format!("{data}: {attribution}"));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::builtin::tests::leg;

    fn of(ways: &[&[Leg]]) -> Vec<String> {
        summaries(ways, Language::Japanese)
    }

    #[test]
    fn summary_is_the_longest_road() {
        let way = [leg("国道1号", 900.0), leg("首都高速横羽線", 9_000.0), leg("", 20_000.0)];
        assert_eq!(of(&[&way]), ["首都高速横羽線経由"]);
        assert_eq!(summaries(&[&way], Language::English), ["via 首都高速横羽線"]);
        assert_eq!(of(&[&[leg("", 1.0)]]), ["一般道経由"]);
    }

    #[test]
    fn summary_names_two_similar_roads() {
        let way = [leg("国道1号", 900.0), leg("国道15号", 800.0)];
        assert_eq!(of(&[&way]), ["国道1号、国道15号経由"]);
    }

    #[test]
    fn alternatives_have_distinct_summaries() {
        let one = [leg("国道15号", 9_000.0), leg("国道1号", 300.0)];
        let other = [leg("国道15号", 9_000.0), leg("環八通り", 900.0)];
        let third = [leg("国道15号", 9_100.0)];
        let texts = of(&[&one, &other, &third]);
        assert_eq!(texts, ["国道15号経由", "国道15号、環八通り経由", "国道15号経由 (9.1 km)"]);
    }
}
