//! The index, written and asked; and given to it damaged.

use proptest::prelude::*;

use super::{Match, Places, other_letters, write};
use crate::{
    file::{Source, SourceError},
    names::folded,
    network::{Place, PlaceKind, Point, Text},
};

fn place(id: &str, kind: PlaceKind, name: (&str, &str), address: &str, at: (f64, f64)) -> Place {
    Place {
        id: id.to_owned(),
        name: Text { local: name.0.to_owned(), en: name.1.to_owned() },
        aliases: Vec::new(),
        address: Text { local: address.to_owned(), en: String::new() },
        kind,
        at: Point { lat: at.0, lng: at.1 },
        weight: 100,
    }
}

fn some() -> Vec<Place> {
    use PlaceKind::{Landmark, Quarter, Station, Town};
    let mut all = vec![
        place(
            "tokyo",
            Station,
            ("東京駅", "Tokyo Station"),
            "東京都千代田区丸の内",
            (35.681, 139.767),
        ),
        place(
            "shinagawa",
            Station,
            ("品川駅", "Shinagawa Station"),
            "東京都港区高輪",
            (35.628, 139.739),
        ),
        place("shinagawa-ku", Quarter, ("品川区", "Shinagawa City"), "東京都", (35.609, 139.730)),
        place("chiyoda", Quarter, ("千代田区", "Chiyoda City"), "東京都", (35.694, 139.754)),
        place("marunouchi", Quarter, ("丸の内", "Marunouchi"), "東京都千代田区", (35.681, 139.764)),
        place(
            "mm",
            Quarter,
            ("みなとみらい", "Minatomirai"),
            "神奈川県横浜市西区",
            (35.457, 139.632),
        ),
        place("nishi", Quarter, ("横浜市西区", "Nishi Ward"), "神奈川県", (35.453, 139.617)),
        place("yokohama", Town, ("横浜市", "Yokohama"), "神奈川県", (35.444, 139.638)),
        place(
            "tower",
            Landmark,
            ("東京タワー", "Tokyo Tower"),
            "東京都港区芝公園",
            (35.6586, 139.7454),
        ),
        place("chuo-y", Quarter, ("中央", "Chuo"), "神奈川県横浜市西区", (35.451, 139.617)),
        place("chuo-o", Quarter, ("中央", "Chuo"), "東京都大田区", (35.588, 139.720)),
    ];
    all[0].aliases = vec!["とうきょう".to_owned(), "Tokyo Sta.".to_owned()];
    all
}

fn first(bytes: &[u8], text: &str) -> Option<(String, Match)> {
    let hits = Places::open(&bytes, 0, bytes.len() as u64).hits(text, 5).expect("a whole index");
    hits.first().map(|hit| (hit.place.id.clone(), hit.by))
}

#[test]
fn finds_place_by_any_spelling() {
    let bytes = write(&some());
    for text in [
        "東京駅",
        "東京",
        "とうきょう駅",
        "トウキョウエキ",
        "tokyo station",
        "Tōkyō Sta.",
        "ＴＯＫＹＯ",
    ] {
        assert_eq!(first(&bytes, text), Some(("tokyo".to_owned(), Match::Whole)), "{text}");
    }
    assert_eq!(first(&bytes, "東京タワー").map(|it| it.0).as_deref(), Some("tower"));
    assert_eq!(first(&bytes, "Nowhere"), None);
}

/// A name without its ending means the station, and one of which it is the beginning comes last.
#[test]
fn name_without_ending_is_station_before_prefixes() {
    let bytes = write(&some());
    assert_eq!(first(&bytes, "品川"), Some(("shinagawa".to_owned(), Match::Whole)));
    assert_eq!(first(&bytes, "品川区"), Some(("shinagawa-ku".to_owned(), Match::Whole)));
    assert_eq!(first(&bytes, "東京タ"), Some(("tower".to_owned(), Match::Beginning)));
    let bytes = bytes.as_slice();
    let named =
        Places::open(&bytes, 0, bytes.len() as u64).named("東京", 5).expect("a whole index");
    assert_eq!(named.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["tokyo", "tower"]);
}

#[test]
fn finds_most_specific_known_part_of_address() {
    let bytes = write(&some());
    for (text, id) in [
        ("東京都千代田区丸の内1丁目", "marunouchi"),
        ("日本、〒100-0005 東京都千代田区丸の内１丁目９−１", "marunouchi"),
        ("東京都千代田区外神田", "chiyoda"),
        ("東京駅丸の内南口", "tokyo"),
        ("Tokyo Station, Yaesu Exit", "tokyo"),
        ("Shinagawa Station Konan Exit", "shinagawa"),
        ("横浜市西区みなとみらい", "mm"),
        ("神奈川県横浜市西区みなとみらい2-3-1", "mm"),
        ("神奈川県横浜市西区北幸", "nishi"),
        ("横浜市緑区", "yokohama"),
        ("東京都大田区中央2丁目", "chuo-o"),
        ("横浜市西区中央1-1", "chuo-y"),
        ("1-9 Marunouchi, Chiyoda City, Tokyo", "marunouchi"),
        ("Marunouchi, Chiyoda City, Tokyo", "marunouchi"),
    ] {
        let (found, by) = first(&bytes, text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(found, id, "{text}");
        assert!(matches!(by, Match::Part | Match::Around), "{text}: {by:?}");
    }
    for (text, by) in [
        ("Marunouchi, Chiyoda City, Tokyo", Match::Part),
        ("横浜市西区みなとみらい", Match::Part),
        ("1-9 Marunouchi, Chiyoda City, Tokyo", Match::Around),
        ("神奈川県横浜市西区北幸", Match::Around),
    ] {
        assert_eq!(first(&bytes, text).map(|it| it.1), Some(by), "{text}");
    }
    // What lies elsewhere is not meant, though it is called the same.
    for text in ["大阪府大阪市中央1丁目", "京都府丸の内", "札幌市中央"] {
        assert_eq!(first(&bytes, text), None, "{text}");
    }
}

#[test]
fn finds_houses_in_usual_spellings_at_their_place() {
    use PlaceKind::{House, Street, Town};
    let at = |lat: f64| (lat, 9.52);
    let mut all = vec![
        place("vaduz", Town, ("Vaduz", ""), "", at(47.14)),
        place("schaan", Town, ("Schaan", ""), "", at(47.16)),
        place("land-s", Street, ("Landstrasse", ""), "Schaan", at(47.161)),
        place("land-v", Street, ("Landstrasse", ""), "Vaduz", at(47.141)),
        place("feld", Street, ("Feldkircher Strasse", ""), "Schaan", at(47.17)),
        place("ten-s", House, ("Landstrasse 10", ""), "Schaan", at(47.162)),
        place("ten-v", House, ("Landstrasse 10", ""), "Vaduz", at(47.142)),
    ];
    for place in &mut all[..2] {
        place.weight = 150;
    }
    let bytes = write(&all);
    let bytes = bytes.as_slice();
    let places = || Places::open(&bytes, 0, bytes.len() as u64).within("Liechtenstein");
    let first = |text: &str| {
        let hits = places().hits(text, 3).expect("a whole index");
        hits.first().map(|it| (it.place.id.clone(), it.by))
    };
    for (text, id, by) in [
        ("Landstrasse 10, Schaan", "ten-s", Match::Part),
        ("10 Landstrasse, Vaduz", "ten-v", Match::Part),
        ("Landstrasse 10 Schaan", "ten-s", Match::Part),
        ("Schaan Landstrasse 10", "ten-s", Match::Part),
        ("Landstrasse 10, 9494 Schaan, Liechtenstein", "ten-s", Match::Part),
        ("Landstrasse 999, Schaan", "land-s", Match::Around),
        ("Landstrasse 999 Vaduz", "land-v", Match::Around),
        ("Vaduz Liechtenstein", "vaduz", Match::Part),
        ("Vaduz, Liechtenstein", "vaduz", Match::Part),
        ("Feldkirch", "feld", Match::Beginning),
    ] {
        assert_eq!(first(text), Some((id.to_owned(), by)), "{text}");
    }
    for text in ["Landstrasse 10, Feldkirch", "Landstrasse 10 Feldkirch", "Nowhere Vaduz"] {
        assert_eq!(first(text), None, "{text}");
    }
    let close = |text: &str| {
        let close = places().close(text, 5).expect("a whole index");
        close.into_iter().map(|it| (it.0, it.1.id)).collect::<Vec<_>>()
    };
    assert_eq!(close("Vadus"), [(1, "vaduz".to_owned())]);
    assert_eq!(close("Schan"), [(1, "schaan".to_owned())]);
    assert_eq!((close("Zürich"), close("V")), (Vec::new(), Vec::new()));
}

#[test]
fn finds_nearest_place_within_the_limit() {
    let bytes = write(&some());
    let bytes = bytes.as_slice();
    let places = Places::open(&bytes, 0, bytes.len() as u64);
    let near = |lat, lng, metres| {
        let place = places.nearest(Point { lat, lng }, metres).expect("a whole index");
        place.map(|it| it.id)
    };
    assert_eq!(near(35.6585, 139.7456, 500.0).as_deref(), Some("tower"));
    assert_eq!(near(35.6812, 139.7645, 2_000.0).as_deref(), Some("marunouchi"));
    assert_eq!(near(35.3, 139.7, 500.0), None);
    assert_eq!(near(f64::NAN, 139.7, 500.0), None);
}

/// Counts what is read.
struct Counted<'b>(&'b [u8], std::cell::Cell<u64>);

impl Source for Counted<'_> {
    fn size(&self) -> Result<u64, SourceError> {
        self.0.size()
    }

    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, SourceError> {
        self.1.set(self.1.get() + u64::from(length));
        self.0.read(offset, length)
    }
}

#[test]
fn name_among_fifty_thousand_reads_few_blocks() {
    let many = (0..50_000).map(|at| {
        let (lat, lng) = (35.0 + f64::from(at % 223) / 223.0, 139.0 + f64::from(at) / 50_000.0);
        let (local, en) = (format!("町{at}丁"), format!("Quarter {at}"));
        place(&format!("p{at}"), PlaceKind::Quarter, (&local, &en), "", (lat, lng))
    });
    let bytes = write(&many.collect::<Vec<_>>());
    let source = Counted(&bytes, std::cell::Cell::new(0));
    let places = Places::open(&source, 0, bytes.len() as u64);
    let hits = places.hits("quarter 31415", 3).expect("a whole index");
    assert_eq!(hits[0].place.id, "p31415");
    assert!(source.1.take() < 64 * 1024, "a look-up by name reads little");
    let near = places.nearest(Point { lat: 35.5, lng: 139.5 }, 3_000.0).expect("a whole index");
    assert!(near.is_some());
    assert!(source.1.take() < 128 * 1024, "a look-up by position reads little");
}

#[test]
fn empty_index_finds_nothing() {
    let bytes = write(&[]);
    assert!(bytes.is_empty());
    assert_eq!(first(&bytes, "東京"), None);
}

proptest! {
    #[test]
    fn finds_every_place_by_name_and_location(
        names in proptest::collection::btree_set("[a-zあ-ん東京横浜]{3,12}", 1..40),
    ) {
        let places = names.iter().enumerate().map(|(at, name)| {
            let place_at = (35.0 + at as f64 * 0.013, 139.0 + at as f64 * 0.007);
            place(&format!("p{at}"), PlaceKind::Quarter, (name, ""), "", place_at)
        });
        let places = places.filter(|it| !folded(&it.name.local).is_empty()).collect::<Vec<_>>();
        let bytes = write(&places);
        let bytes = bytes.as_slice();
        let index = Places::open(&bytes, 0, bytes.len() as u64);
        for place in &places {
            let hits = index.hits(&place.name.local, 50).expect("a whole index");
            prop_assert!(hits.iter().any(|hit| hit.place == *place && hit.by == Match::Whole));
            let near = index.nearest(place.at, 10.0).expect("a whole index");
            prop_assert_eq!(near.as_ref(), Some(place));
        }
    }

    #[test]
    fn reports_damaged_index_without_panic(
        at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = write(&some());
        let at = at.index(bytes.len());
        bytes[at] = value;
        bytes.truncate(cut.index(bytes.len()) + 1);
        let bytes = bytes.as_slice();
        for length in [bytes.len() as u64, u64::MAX, 3] {
            let index = Places::open(&bytes, 0, length);
            for text in ["東京", "横浜市西区みなとみらい", "s", "\u{0}"] {
                let _ = index.hits(text, 5);
            }
            let _ = index.nearest(Point { lat: 35.6, lng: 139.7 }, 5_000.0);
        }
    }

    #[test]
    fn accepts_any_text(text in "\\PC{0,120}") {
        let bytes = write(&some());
        let bytes = bytes.as_slice();
        prop_assert!(Places::open(&bytes, 0, bytes.len() as u64).hits(&text, 5).is_ok());
    }
}

#[test]
fn allows_changed_missing_extra_or_swapped_letters() {
    let of = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|it| it.chars().collect::<Vec<_>>());
        other_letters(&a, &b, 2)
    };
    for (a, b, others) in [
        ("vaduz", "vaduz", Some(0)),
        ("vadus", "vaduz", Some(1)),
        ("vaduzz", "vaduz", Some(1)),
        ("vaudz", "vaduz", Some(1)),
        ("shcaan", "schaan", Some(1)),
        ("", "ab", Some(2)),
        ("vaduz", "triesen", None),
        ("", "abc", None),
    ] {
        assert_eq!((of(a, b), of(b, a)), (others, others), "{a} {b}");
    }
}
