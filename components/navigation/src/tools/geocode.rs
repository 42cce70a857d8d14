//! `geocode`: where a place is (NAV-30).

use output::navigation::Place;
use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::{English, Hints, Stop, Text, Tool, User};

use crate::{arguments, provider, refusals};

/// 地名や住所を緯度・経度に変換します。地図上にマーカーを配置する際に使用します。
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Geocode {
    /// 変換したい地名または住所
    address: String,
}

impl Tool for Geocode {
    const NAME: &str = "geocode";
    const TITLE: Text = Text { ja: "座標変換", en: "Find a place" };
    const ENGLISH: English = English {
        description: "Turns a place's name or address into latitude and longitude. Used to put \
                      markers on a map.",
        arguments: &[("address", "The place's name or address")],
    };
    const HINTS: Hints = Hints::READ_ONLY.union(Hints::IDEMPOTENT);
    const VIEW: Option<&str> = Some("place");
    const INPUT_SCHEMA: Option<&str> = Some(include_str!("geocode/input.json"));
    type Output = Place;

    fn call(self, user: &User) -> Result<Place, Stop> {
        let language = refusals::language();
        let address = arguments::place("/address", &self.address, language)?;
        let place = provider::chosen()?.place(&address, language);
        let place = place.map_err(|it| refusals::stop(&it))?;
        let (lat, lng) = (place.location.lat, place.location.lng);
        user.show(format!("{}: {lat:.5}, {lng:.5}", place.formatted_address));
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the specification prints it (NAV-30).
    const SAMPLE: &str = include_str!("geocode/sample.json");

    #[test]
    fn the_sample_of_the_specification_is_read_and_written_as_it_is() {
        let given: serde_json::Value = serde_json::from_str(SAMPLE).unwrap();
        let place: Place = serde_json::from_value(given.clone()).unwrap();
        assert_eq!(serde_json::to_value(&place).unwrap(), given);
    }
}
