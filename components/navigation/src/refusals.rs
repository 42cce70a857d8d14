//! Errors of providers by Google's statuses, and their texts in the caller's language with advice (NAV-40).

use output::navigation::kilometres;
use serde_json::{Value, json};
use toolkit::{Stop, caller, refused};

use crate::ask::Language;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderError {
    /// `ZERO_RESULTS`: there is no route between the places under the constraints.
    NoRoute,
    /// `NOT_FOUND`: no place has this name.
    UnknownPlace {
        /// JSON pointer of the argument: `/origin`, `/origins/3`.
        pointer: String,
        /// What was asked for.
        place: String,
    },
    /// The place is known, but outside of the map.
    OutsideMap {
        /// JSON pointer of the argument.
        pointer: String,
        /// As it is known.
        place: String,
        /// The area of the map.
        map: String,
    },
    /// No place has this name, but one has a similar name.
    NotQuite {
        /// JSON pointer of the argument.
        pointer: String,
        /// What was asked for.
        place: String,
        /// The similar name.
        close: Vec<String>,
    },
    /// The place is on the map, too far from any road.
    OffRoad {
        /// JSON pointer of the argument.
        pointer: String,
        /// As it is known.
        place: String,
        /// Its distance from the road.
        metres: u64,
    },
    /// `INVALID_REQUEST`: coordinates off the globe.
    OffGlobe {
        /// JSON pointer of the argument.
        pointer: String,
        /// What was asked for.
        place: String,
    },
    /// `INVALID_REQUEST`: the route ends where it begins, without a stop.
    SamePlace {
        /// As it is known.
        place: String,
    },
    /// `INVALID_REQUEST`, `MAX_…_EXCEEDED`: the caller must correct this argument.
    Invalid {
        /// JSON pointer of the argument; empty where the provider does not say.
        pointer: String,
        /// How to correct it.
        message: String,
    },
    /// `OVER_QUERY_LIMIT`, `OVER_DAILY_LIMIT`, or our own quota (NAV-57).
    OverQueryLimit {
        /// Retry delay, in seconds.
        retry_after_s: u32,
    },
    /// `REQUEST_DENIED`: the key is wrong; it is never disclosed.
    Denied,
    /// The provider cannot be reached, is too slow, or its answer is invalid.
    Failed {
        /// Message for the operator's log and the caller, without the key.
        message: String,
    },
    /// The imported map cannot be read.
    Map {
        /// The problem, and advice.
        message: String,
    },
}

/// Returns the caller's language: Japanese, unless they ask for another one.
pub fn language() -> Language {
    if caller::reads_japanese(true) { Language::Japanese } else { Language::English }
}

/// Converts the error into a stop. The REST endpoints choose their statuses by its code (NAV-10, NAV-40).
pub fn stop(error: &ProviderError) -> Stop {
    stop_in(error, language())
}

/// Converts the error into a stop in `language`.
pub fn stop_in(error: &ProviderError, language: Language) -> Stop {
    let (code, status, _) = codes(error);
    let (message, mut details) = (message(error, language), details(error));
    if let ProviderError::OffGlobe { pointer, .. } = error {
        // The same code as the host's for invalid arguments.
        details["problems"] = json!([{ "pointer": pointer, "message": message }]);
    }
    refused(code, status, message).with(details)
}

/// Returns the code, the HTTP status, and Google's name of the status.
fn codes(error: &ProviderError) -> (&'static str, u16, &'static str) {
    match error {
        ProviderError::NoRoute => ("zero_results", 404, "ZERO_RESULTS"),
        ProviderError::UnknownPlace { .. } | ProviderError::NotQuite { .. } => {
            ("place_unknown", 404, "NOT_FOUND")
        }
        ProviderError::OutsideMap { .. } | ProviderError::OffRoad { .. } => {
            ("place_outside_map", 404, "ZERO_RESULTS")
        }
        ProviderError::OffGlobe { .. } => ("invalid_params", 400, "INVALID_REQUEST"),
        ProviderError::Invalid { .. } | ProviderError::SamePlace { .. } => {
            ("invalid_request", 400, "INVALID_REQUEST")
        }
        ProviderError::OverQueryLimit { .. } => ("over_query_limit", 503, "OVER_QUERY_LIMIT"),
        ProviderError::Denied => ("request_denied", 500, "REQUEST_DENIED"),
        ProviderError::Failed { .. } => ("provider_failed", 502, "UNKNOWN_ERROR"),
        ProviderError::Map { .. } => ("map_unreadable", 500, "UNKNOWN_ERROR"),
    }
}

/// Returns Google's status.
pub fn status(error: &ProviderError) -> &'static str {
    codes(error).2
}

fn details(error: &ProviderError) -> Value {
    let status = status(error);
    match error {
        ProviderError::UnknownPlace { pointer, place }
        | ProviderError::OffGlobe { pointer, place } => {
            json!({ "status": status, "pointer": pointer, "place": place })
        }
        ProviderError::NotQuite { pointer, place, close } => {
            json!({ "status": status, "pointer": pointer, "place": place, "close": close })
        }
        ProviderError::OffRoad { pointer, place, metres } => {
            json!({ "status": status, "pointer": pointer, "place": place, "road_metres": metres })
        }
        ProviderError::OutsideMap { pointer, place, map } => {
            json!({ "status": status, "pointer": pointer, "place": place, "map": map })
        }
        ProviderError::Invalid { pointer, .. } => json!({ "status": status, "pointer": pointer }),
        ProviderError::SamePlace { place } => {
            json!({ "status": status, "pointer": "/destination", "place": place })
        }
        // For the operator, always in English.
        ProviderError::Failed { message } | ProviderError::Map { message } => {
            json!({ "status": status, "reason": message })
        }
        ProviderError::OverQueryLimit { retry_after_s } => {
            json!({ "status": status, "retry_after_s": retry_after_s })
        }
        ProviderError::NoRoute | ProviderError::Denied => json!({ "status": status }),
    }
}

/// Name of an OSRM server's map, which cannot be extended here.
pub const OSRM_MAP: &str = "OSRM";
/// Name of a Valhalla server's map.
pub const VALHALLA_MAP: &str = "Valhalla";

fn is_of_a_server(map: &str) -> bool {
    [OSRM_MAP, VALHALLA_MAP].contains(&map)
}

fn message(error: &ProviderError, language: Language) -> String {
    let (japanese, english) = match error {
        ProviderError::OutsideMap { place, map, .. } if is_of_a_server(map) => (
            format!("「{place}」は{map}サーバーの地図の外です。その地域の地図を持つサーバーを設定してください。"),
            format!("“{place}” is outside the map of the {map} server: set a server that has a map of that region."),
        ),
        ProviderError::NoRoute => (
            "ルートが見つからない。条件（回避する要素、移動手段）を緩めるか、出発地・目的地を変えてください。".to_owned(),
            "ルートが見つからない (no route found). Ask for less (what to avoid, how to travel), or for another origin or destination.".to_owned(),
        ),
        ProviderError::UnknownPlace { place, .. } => (
            format!("「{place}」という場所が見つかりません。綴りを確かめるか、駅名・住所・「緯度,経度」で指定してください。"),
            format!("No place named “{place}” is known. Check how it is spelt, or give a station, an address or `lat,lng`."),
        ),
        ProviderError::OutsideMap { place, map, .. } => (
            format!("「{place}」は内蔵の地図（{map}）の外です。その地域の OpenStreetMap 抽出を`madoguchi import-map` で取り込むか、経路プロバイダーを設定してください。"),
            format!("“{place}” is outside the built-in map ({map}): import an OpenStreetMap extract of that region with `madoguchi import-map`, or set a provider."),
        ),
        ProviderError::NotQuite { place, close, .. } => (
            format!("「{place}」という場所が見つかりません。似た名前: {}。このどれかで指定してください。", close.join("、")),
            format!("No place named “{place}” is known. Close to it: {}. Say one of these.", close.join("; ")),
        ),
        ProviderError::OffRoad { place, metres, .. } => (
            format!("「{place}」は、通れる道路から{}離れているため、出発地・目的地・経由地にできません。道路の近くの場所を指定してください。", kilometres(*metres)),
            format!("“{place}” is {} from any road that can be taken, so that no way begins or ends there. Name a place near a road.", kilometres(*metres)),
        ),
        ProviderError::OffGlobe { place, .. } => (
            format!("「{place}」は地球上の座標ではありません。緯度は-90〜90、経度は-180〜180で、「緯度,経度」の順に指定してください。"),
            format!("“{place}” is nowhere on the globe. Give lat,lng: -90 to 90, then -180 to 180."),
        ),
        ProviderError::SamePlace { place } => (
            format!("出発地と目的地が同じ場所（{place}）です。別の目的地を指定するか、経由地を加えてください。"),
            format!("The origin and the destination are the same place ({place}). Name another destination, or a stop on the way."),
        ),
        ProviderError::Invalid { pointer, message } => (
            format!("パラメータを修正してください{}: {message}", at(pointer)),
            format!("An argument must be mended{}: {message}", at(pointer)),
        ),
        ProviderError::OverQueryLimit { retry_after_s } => (
            format!("経路プロバイダーの利用上限に達しました。{retry_after_s} 秒後に再試行してください。"),
            format!("The provider takes no more requests for now. Try again in {retry_after_s} seconds."),
        ),
        ProviderError::Denied => (
            "経路プロバイダーがAPIキーを受け付けません。管理者がキーの設定と、有効にしたAPI・制限を確認する必要があります。".to_owned(),
            "The provider does not accept the key. The operator has to check the key, the APIs that it is for, and its restrictions.".to_owned(),
        ),
        ProviderError::Failed { message } => (
            "経路プロバイダーから答えが得られません。しばらくして再試行してください。".to_owned(),
            format!("The provider gave no answer: {message}. Try again in a while."),
        ),
        ProviderError::Map { message } => (
            "取り込んだ地図を読めません。管理者が `madoguchi import-map` でもう一度取り込むか、設定 maps から外す必要があります。".to_owned(),
            format!("An imported map cannot be read: {message}. The operator has to import it again with `madoguchi import-map`, or to take it out of the setting `maps`."),
        ),
    };
    language.pick(japanese, english)
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" ({pointer})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every() -> Vec<(ProviderError, &'static str, u16, &'static str)> {
        let pointer = "/origin".to_owned();
        let (place, map) = ("大阪駅".to_owned(), "東京–横浜".to_owned());
        let message = "why".to_owned();
        vec![
            (ProviderError::NoRoute, "zero_results", 404, "ZERO_RESULTS"),
            (
                ProviderError::UnknownPlace { pointer: pointer.clone(), place: place.clone() },
                "place_unknown",
                404,
                "NOT_FOUND",
            ),
            (
                ProviderError::OutsideMap { pointer: pointer.clone(), place, map },
                "place_outside_map",
                404,
                "ZERO_RESULTS",
            ),
            (
                ProviderError::NotQuite {
                    pointer: pointer.clone(),
                    place: "Vadus".to_owned(),
                    close: vec!["Vaduz".to_owned()],
                },
                "place_unknown",
                404,
                "NOT_FOUND",
            ),
            (
                ProviderError::OffRoad {
                    pointer: pointer.clone(),
                    place: "35.5,139.85".to_owned(),
                    metres: 7_066,
                },
                "place_outside_map",
                404,
                "ZERO_RESULTS",
            ),
            (
                ProviderError::Invalid { pointer, message: message.clone() },
                "invalid_request",
                400,
                "INVALID_REQUEST",
            ),
            (
                ProviderError::OverQueryLimit { retry_after_s: 60 },
                "over_query_limit",
                503,
                "OVER_QUERY_LIMIT",
            ),
            (ProviderError::Denied, "request_denied", 500, "REQUEST_DENIED"),
            (
                ProviderError::Failed { message: message.clone() },
                "provider_failed",
                502,
                "UNKNOWN_ERROR",
            ),
            (ProviderError::Map { message }, "map_unreadable", 500, "UNKNOWN_ERROR"),
            (
                ProviderError::OffGlobe {
                    pointer: "/origin".to_owned(),
                    place: "99.9,200".to_owned(),
                },
                "invalid_params",
                400,
                "INVALID_REQUEST",
            ),
            (
                ProviderError::SamePlace { place: "東京駅".to_owned() },
                "invalid_request",
                400,
                "INVALID_REQUEST",
            ),
        ]
    }

    #[test]
    fn every_error_has_code_and_google_status() {
        for (error, code, status, word) in every() {
            for language in [Language::Japanese, Language::English] {
                let Stop::Refused(it) = stop_in(&error, language) else { panic!("{error:?}") };
                assert_eq!((&*it.code, it.status), (code, status));
                let details: Value = serde_json::from_str(it.details.as_deref().unwrap()).unwrap();
                assert_eq!(details["status"], word);
                assert!(!it.message.is_empty());
            }
        }
    }

    #[test]
    fn japanese_text_omits_technical_reason() {
        for error in [&every()[8].0, &every()[9].0] {
            assert!(!message(error, Language::Japanese).contains("why"), "{error:?}");
            assert_eq!(details(error)["reason"], "why");
        }
    }

    #[test]
    fn not_found_begins_with_specified_text() {
        for language in [Language::Japanese, Language::English] {
            assert!(message(&ProviderError::NoRoute, language).starts_with("ルートが見つからない"));
        }
    }

    #[test]
    fn outside_and_limit_errors_give_advice() {
        let (outside, limit) = (&every()[2].0, &every()[6].0);
        assert!(message(&every()[4].0, Language::Japanese).contains("7.1 km"));
        assert!(message(&every()[3].0, Language::English).contains("Vaduz"));
        assert!(message(outside, Language::Japanese).contains("import-map"));
        assert!(message(outside, Language::English).contains("set a provider"));
        let place = "大阪駅".to_owned();
        let map = VALHALLA_MAP.to_owned();
        let elsewhere = ProviderError::OutsideMap { pointer: "/origin".to_owned(), place, map };
        assert!(message(&elsewhere, Language::Japanese).contains("Valhallaサーバーの地図の外"));
        assert!(!message(&elsewhere, Language::English).contains("import-map"));
        assert_eq!(details(limit)["retry_after_s"], 60);
        assert_eq!(details(outside)["pointer"], "/origin");
        assert!(message(&every()[10].0, Language::Japanese).contains("座標"));
    }
}
