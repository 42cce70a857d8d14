//! What lies outside the bundled network and is known all the same: so that a place outside is known
//! apart from a name that no place has.

use graph::{
    Place,
    places::{Match, Places},
};

/// The index, made from `data/gazetteer.tsv` and `data/outside.tsv` when the component is built.
static GAZETTEER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/gazetteer.places"));

/// Whose data it is; cities are GeoNames' (CC BY 4.0).
pub const ATTRIBUTION: &str = "GeoNames (CC BY 4.0)";

/// The place that `text` means: called so, or the most specific part of the address. A mere beginning
/// of a name is no answer here.
pub fn find(text: &str) -> Option<Place> {
    let index = GAZETTEER;
    let hits = Places::open(&index, 0, index.len() as u64).hits(text, 1);
    // What was built in is whole.
    let hit = hits.unwrap_or_default().into_iter().next();
    hit.filter(|hit| hit.by != Match::Beginning).map(|hit| hit.place)
}

#[cfg(test)]
mod tests {
    use super::{GAZETTEER, find};

    #[test]
    fn places_outside_are_known_in_both_scripts() {
        for (text, en) in [
            ("大阪駅", "Osaka Station"),
            ("Osaka", "Osaka"),
            ("大阪市", "Osaka"),
            ("おおさか駅", "Osaka Station"),
            ("京都府京都市下京区烏丸通", "Kyoto"),
            ("名古屋", "Nagoya Station"),
            ("札幌市", "Sapporo"),
            ("成田空港", "Narita Airport"),
            ("NRT", "Narita Airport"),
            ("大阪府大阪市北区梅田", "Osaka Station"),
            ("大阪府大阪市北区中之島", "Osaka"),
            ("Kita Ward, Osaka", "Osaka"),
            ("ヘルシンキ", "Helsinki"),
            ("Helsinki", "Helsinki"),
            ("Paris, France", "Paris"),
            ("São Paulo", "São Paulo"),
            ("さいたま市", "Saitama"),
        ] {
            let found = find(text);
            assert_eq!(found.map(|it| it.name.en).as_deref(), Some(en), "{text}");
        }
    }

    #[test]
    fn an_unknown_place_is_not_found() {
        for text in ["", "どこにもない場所", "Xyzzyville", "Osak", "12345", "\u{0}"] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn the_gazetteer_is_small() {
        assert!(GAZETTEER.len() < 250_000, "{} bytes", GAZETTEER.len());
    }
}
