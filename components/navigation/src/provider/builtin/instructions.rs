//! What a step says, in two languages, and Google's name for its maneuver.

use graph::{Leg, Text};

use super::{
    angles::{Side, heading},
    steps::{Cut, Move},
};
use crate::ask::Language;

/// Google's name for a move; none for the first.
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

/// What a step says.
pub(crate) fn instruction(legs: &[Leg], cut: Cut, language: Language) -> String {
    let leg = &legs[cut.at];
    let road = cut.road.map(|it| road(&legs[it], language)).unwrap_or_default();
    // An entrance has its name where the ramps end on the expressway.
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

/// That one is there.
pub(crate) fn arrival(name: &str, language: Language) -> String {
    match language {
        Language::Japanese => format!("{name}に到着"),
        Language::English => format!("Arrive at {name}"),
    }
}

/// A road as its signs name it.
pub(crate) fn road(leg: &Leg, language: Language) -> &str {
    let name = text(&leg.name, language);
    // Who reads no Japanese reads a number rather.
    let number = language == Language::English && leg.name.en.is_empty() && !leg.number.is_empty();
    if name.is_empty() || number { &leg.number } else { name }
}

/// A name in a language, or as it is there.
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
    let eighth = crate::words::whole(heading(from, to) / 45.0) % 8;
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
    // One goes ashore at a port, and over a junction.
    let particle = if matches!(what, Move::GoAshore) { "で" } else { "を" };
    let at = if junction.is_empty() { String::new() } else { format!("{junction}{particle}") };
    // How it ends where no road has a name, and how it goes on where one has.
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
        Move::Keep(it) | Move::Fork(it) | Move::Enter(it) | Move::Leave(it) => {
            format!("Keep {}{onto}", english_side(it))
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

/// The text with `word` before it; nothing where there is no text.
fn before(word: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{word}{text}") }
}
