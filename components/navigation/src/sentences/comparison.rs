//! Comparisons of places by distance or time, and references of later sentences to the best one.

use serde::{Deserialize, Serialize};
use serde_json::json;

use language::{
    context::{TurnContext, failure, output},
    say,
    scan::marks,
    turn::{Answered, Decision},
    utterance::Utterance,
};

use output::navigation::kilometres;

use crate::words::duration;

use super::{
    planner::{self, COMPARE},
    query::Query,
};

/// The measure of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Measure {
    /// Not given.
    #[default]
    Any,
    Nearest,
    Farthest,
    Fastest,
    Slowest,
}

/// Measures and the phrases for them.
pub(super) const MEASURES: &[(Measure, &str)] = &[
    (Measure::Farthest, "長い順|longest first|遠い|遠く|遠さ|further|farther|furthest|farthest"),
    (
        Measure::Slowest,
        "時間がかかる|時間のかかる|時間かかる|時間がかかり|時間がかかって|一番遅|いちばん遅|slower|slowest|longest|takes longer|take longer",
    ),
    (
        Measure::Fastest,
        "時間順|時間の短い|by time|by duration|by travel time|早い|早く|速い|速く|時間がかからな|quick|fast|sooner|soonest|less time|least time",
    ),
    (
        Measure::Nearest,
        "距離順|短い順|by distance|近い|近く|近さ|closer|closest|nearer|nearest|shorter|shortest",
    ),
];

impl Measure {
    /// Parses the measure of a sentence without its places.
    pub(super) fn parse(constraint: &[char]) -> Self {
        let constraint: String = constraint.iter().collect::<String>().to_lowercase();
        let found = MEASURES.iter().find(|it| marks(it.1).any(|word| constraint.contains(word)));
        found.map_or(Self::Any, |it| it.0)
    }

    /// Returns the measure, with nearness as the default.
    pub(super) fn or_nearest(self) -> Self {
        if self == Self::Any { Self::Nearest } else { self }
    }

    /// Returns the sort key for metres and seconds.
    pub(super) fn key(self, (metres, seconds): (u64, u64)) -> i128 {
        match self {
            Self::Any | Self::Nearest => i128::from(metres),
            Self::Farthest => -i128::from(metres),
            Self::Fastest => i128::from(seconds),
            Self::Slowest => -i128::from(seconds),
        }
    }
}

/// The form of the answer to a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ListStyle {
    /// The rank of the place to name, from 0.
    place: usize,
    /// Whether to list the places in order.
    is_sorted: bool,
}

/// Phrases for sorted lists.
pub(super) const SORTS: &str = "順番に|順に|順で|順|並べ替えて|並べ替え|並び替えて|並び替え|ソートして|ソート|ランキング|sorted|sort|in order|order|ranked|rank|list";
/// Phrases for ranks from the second on, in Japanese and English.
pub(super) const PLACES: [&str; 4] = [
    "2番目|二番目|second|2nd",
    "3番目|三番目|third|3rd",
    "4番目|四番目|fourth|4th",
    "5番目|五番目|fifth|5th",
];

impl ListStyle {
    /// Parses the form that `utterance` asks for.
    pub(super) fn parse(utterance: &Utterance) -> Self {
        let place = PLACES.iter().position(|it| utterance.says(it)).map_or(0, |it| it + 1);
        Self { place, is_sorted: utterance.says(SORTS) }
    }
}

/// A place with its metres and seconds.
pub(super) type Row = (String, (u64, u64));

impl Query {
    pub(super) fn distances(
        &mut self,
        context: &mut TurnContext<'_>,
        answered: &[Answered],
    ) -> Decision {
        if self.origins.is_empty() || self.destinations.is_empty() {
            return self.ask(context);
        }
        if let Some((_, failure)) = failure(answered) {
            return context.conclude(say::failed(context, failure));
        }
        let constraints = planner::constraints(
            self.constraint_texts.last().map_or("", String::as_str),
            context.now,
        );
        let Some(table) = output(answered, COMPARE) else {
            let mut arguments =
                json!({ "origins": self.origins, "destinations": self.destinations });
            if let Some(time) = constraints.leaving() {
                arguments["departure_time"] = time.into();
            }
            let reason = context.say(
                "距離と所要時間をまとめて比べるため",
                "To compare distances and times at once",
            );
            return context.only(COMPARE, arguments, reason);
        };
        let (mut lines, mut rows, mut count) = (Vec::new(), Vec::<Row>::new(), 0);
        for (row, origin) in self.origins.iter().enumerate() {
            for (column, destination) in self.destinations.iter().enumerate() {
                let element = &table["rows"][row]["elements"][column];
                let value = |name: &str| element[name]["value"].as_u64();
                let seconds = value("duration_in_traffic").or(value("duration"));
                let worth = value("distance").zip(seconds);
                let shown = match worth {
                    Some(worth) => format_distance(context, worth),
                    None => context.say("ルートが見つかりませんでした", "no route was found"),
                };
                lines.push((format!("- {origin} → {destination}: {shown}"), worth));
                let name = if self.destinations.len() > 1 { destination } else { origin };
                rows.extend(worth.map(|it| (name.clone(), it)));
                count += 1;
            }
        }
        if self.style.is_sorted {
            // Unreachable places come last.
            lines.sort_by_key(|it| it.1.map_or(i128::MAX, |it| self.measure.key(it)));
        }
        let mut lines: Vec<_> = lines.into_iter().map(|it| it.0).collect();
        let is_row = self.origins.len() == 1 || self.destinations.len() == 1;
        if is_row && count > 1 {
            // Without a measure, `second` is part of a place's name.
            let is_ranked = self.measure != Measure::Any;
            let place = if is_ranked { self.style.place } else { 0 };
            lines.insert(0, place_at_rank(context, (self.measure, place), &rows, count));
            self.ranked = rows;
        }
        if constraints.needs_route() {
            lines.push(context.say(
                "※距離表は車での値です。徒歩・自転車や、避けたい道・到着時刻の条件は考慮していません。1か所ずつのルート検索では指定できます。",
                "Note: the table is for driving; walking, cycling, roads to avoid and a time of arrival are not part of it. A route to one of them can take these in.",
            ));
        }
        lines.extend(self.second_note(context).map(|it| it.trim().to_owned()));
        context.conclude(lines.join("\n"))
    }

    /// Replaces references to the best place in `lower` by its name: `the closest one`.
    pub(super) fn replace_best(&self, lower: &str) -> Option<String> {
        const BEST: &str = "一番早く着けるところ|一番早く着くところ|一番早く行けるところ|一番早いところ|一番近いところ|一番近い所|一番遠い所|一番早い所|いちばん近いところ|一番遠いところ|一番近い場所|一番早い場所|一番近い方|近いほう|近い方|早いほう|早い方|一番近いの|一番早いの|\
             the closest one|the nearest one|the fastest one|the quickest one|the closer one|the nearer one|the quicker one|the faster one|the farthest one|the furthest one|the closest|the nearest|the quickest|the winner|that one";
        if self.ranked.is_empty() {
            return None;
        }
        let word = marks(BEST).find(|it| lower.contains(it))?;
        let rest = lower.replacen(word, "", 1);
        // `一番近いのは？` asks for the place, not for a route.
        const WHICH: [&str; 9] = ["which", "what", "where", "is", "was", "s", "and", "then", "now"];
        let is_kana = |it: char| "はってどれこ教えですかを、?？。 ".contains(it);
        let mut words = rest.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
        let is_which = match word.is_ascii() {
            true => words.clone().next().is_some() && words.all(|it| WHICH.contains(&it)),
            false => rest.chars().all(is_kana),
        };
        if is_which {
            return None;
        }
        let measure = match Measure::parse(&word.chars().collect::<Vec<_>>()) {
            Measure::Any => self.measure,
            it => it,
        };
        let (name, _) = self.ranked.iter().min_by_key(|it| measure.key(it.1))?;
        // The compared places are destinations or origins.
        let is_end = self.destinations.len() > 1;
        let (from, to) = match is_end {
            true => (self.origins.first()?, name),
            false => (name, self.destinations.first()?),
        };
        Some(match word.is_ascii() {
            true => {
                let rest = rest.trim();
                let rest = ["from", "to", "for"]
                    .iter()
                    .fold(rest, |it, word| it.strip_suffix(word).unwrap_or(it).trim_end());
                format!("from {from} to {to}, {rest}")
            }
            false => {
                // Drops its particle: `一番遠いところから行く道`.
                let at = lower.find(word).unwrap_or_default();
                let (before, behind) = (&lower[..at], &lower[at + word.len()..]);
                let particle = ["からの", "までの", "への", "から", "まで", "へ", "に"]
                    .iter()
                    .find_map(|it| behind.strip_prefix(it));
                format!("{from}から{to}まで、{before}{}", particle.unwrap_or(behind))
            }
        })
    }
}

fn format_distance(context: &TurnContext<'_>, (metres, seconds): (u64, u64)) -> String {
    let (far, long) = (kilometres(metres), duration(seconds, context.language));
    context.say(format!("{far}、{long}"), format!("{far}, {long}"))
}

/// Returns the row at a rank from 0 by a measure; of `count` places only reachable ones are compared.
fn place_at_rank(
    context: &TurnContext<'_>,
    (measure, place): (Measure, usize),
    rows: &[Row],
    count: usize,
) -> String {
    if rows.len() < count {
        return context.say(
            "ルートのない場所があるため、どれが一番かは比べられません。",
            "There is no route to each of them, so they cannot be compared.",
        );
    }
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|it| measure.key(it.1));
    let Some((name, worth)) = sorted.get(place) else {
        let number = place + 1;
        return context.say(
            format!("比べたのは{count}か所で、{number}番目はありません。"),
            format!("Only {count} places were compared, so there is no number {number}."),
        );
    };
    if rows.iter().all(|it| measure.key(it.1) == measure.key(*worth)) {
        return context.say("どれも同じです。", "They are all alike.");
    }
    let (japanese, english) = match measure {
        Measure::Any | Measure::Nearest => ("近い", "nearest"),
        Measure::Farthest => ("遠い", "farthest"),
        Measure::Fastest => ("早く着く", "quickest"),
        Measure::Slowest => ("時間がかかる", "slowest"),
    };
    let shown = format_distance(context, *worth);
    let number = place + 1;
    let most = if place == 0 { "一番".to_owned() } else { format!("{number}番目に") };
    let nth = ["", "second ", "third ", "fourth ", "fifth "].get(place).unwrap_or(&"");
    context.say(
        format!("{most}{japanese}のは{name}です（{shown}）。"),
        format!("The {nth}{english} is {name} ({shown})."),
    )
}
