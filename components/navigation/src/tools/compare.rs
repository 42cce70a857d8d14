//! `distance_compare`: each of some places to each of others (NAV-25).

use std::time::SystemTime;

use output::navigation::Comparison;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use super::search::now;
use crate::{
    arguments,
    ask::{CompareAsk, Language},
    provider, refusals,
};

/// 複数の出発地・目的地の組み合わせで距離と所要時間を一括比較します。異なるルートの所要時間を比較する場合に使用します。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DistanceCompare {
    /// 出発地のリスト
    origins: Vec<String>,
    /// 目的地のリスト
    destinations: Vec<String>,
    /// 出発時刻。'now'で現在時刻。
    #[serde(default = "now")]
    departure_time: String,
}

impl Tool for DistanceCompare {
    const NAME: &str = "distance_compare";
    const TITLE: Text = Text { ja: "距離・所要時間の比較", en: "Compare distances" };
    const ENGLISH: English = English {
        description: "Compares distances and times of several origins and destinations at once. Used \
                      to compare how long different routes take.",
        arguments: &[
            ("origins", "Where from: 1 to 25 places"),
            ("destinations", "Where to: 1 to 25 places, at most 100 pairs"),
            ("departure_time", "When to leave: `now`, RFC 3339, or seconds since 1970"),
        ],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("comparison");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("compare/input.json"));
    type Output = Comparison;

    fn call(self, user: &User) -> Result<Comparison, Stop> {
        // How many there are comes first: nothing is done with 500 of them.
        let language = refusals::language();
        let origins = arguments::places("/origins", &self.origins, language)?;
        let destinations = arguments::places("/destinations", &self.destinations, language)?;
        arguments::pairs(origins.len(), destinations.len())?;
        let departure = arguments::departure(&self.departure_time, SystemTime::now())?;
        let ask = CompareAsk { origins, destinations, departure, language };
        let comparison = provider::chosen()?.compare(&ask).map_err(|it| refusals::stop(&it))?;
        user.show(text(&comparison, &ask));
        Ok(comparison)
    }
}

/// A line a pair, for clients that draw no table.
fn text(comparison: &Comparison, ask: &CompareAsk) -> String {
    let mut lines = Vec::new();
    for (origin, row) in ask.origins.iter().zip(&comparison.rows) {
        for (destination, element) in ask.destinations.iter().zip(&row.elements) {
            let duration = element.duration_in_traffic.as_ref().or(element.duration.as_ref());
            let text = match (&element.distance, duration) {
                (Some(distance), Some(duration)) => format!("{}, {}", distance.text, duration.text),
                _ => element.status.clone(),
            };
            lines.push(match ask.language {
                Language::Japanese => format!("{origin}→{destination}: {text}"),
                Language::English => format!("{origin} to {destination}: {text}"),
            });
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Departure;

    /// As the specification prints it (NAV-25).
    const SAMPLE: &str = include_str!("compare/sample.json");

    #[test]
    fn the_sample_of_the_specification_is_read_and_written_as_it_is() {
        let given: serde_json::Value = serde_json::from_str(SAMPLE).unwrap();
        let comparison: Comparison = serde_json::from_value(given.clone()).unwrap();
        assert_eq!(serde_json::to_value(&comparison).unwrap(), given);
    }

    #[test]
    fn a_line_says_what_is_known_of_a_pair() {
        let comparison: Comparison = serde_json::from_str(SAMPLE).unwrap();
        let ask = CompareAsk {
            origins: vec!["東京駅".to_owned()],
            destinations: vec!["横浜駅".to_owned()],
            departure: Departure::Now,
            language: Language::Japanese,
        };
        assert_eq!(text(&comparison, &ask), "東京駅→横浜駅: 32.4 km, 52分");
    }
}
