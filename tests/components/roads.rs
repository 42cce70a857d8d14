//! The roads that the page draws under a route match the bundled network.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use tests::goldens;

/// What is drawn, in this order; ferries and ramps are not.
const CLASSES: [&str; 4] = ["secondary", "primary", "trunk", "motorway"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The rows of a table, without their comments.
fn rows(name: &str) -> Vec<Vec<String>> {
    let path = root().join("components/navigation/data").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.map(|it| it.split('\t').map(str::to_owned).collect()).collect()
}

/// `35.68,139.77` as GeoJSON has it.
fn place(text: &str) -> String {
    let (lat, lng) = text.split_once(',').unwrap();
    format!("[{},{}]", lng.parse::<f64>().unwrap(), lat.parse::<f64>().unwrap())
}

/// A `FeatureCollection`: one feature a class, one line a row of the table.
fn drawn() -> String {
    let pairs = |name: &str, column: usize| -> BTreeMap<String, String> {
        rows(name).into_iter().map(|row| (row[0].clone(), row[column].clone())).collect()
    };
    let (junctions, classes) = (pairs("junctions.tsv", 1), pairs("roads.tsv", 4));
    let links = rows("links.tsv");
    let line = |row: &Vec<String>| {
        let place = |it: &str| place(junctions.get(it).map_or(it, String::as_str));
        let places = row[2].split_whitespace().map(place).collect::<Vec<_>>();
        format!("[{}]", places.join(","))
    };
    let mut text = String::from("{\"type\":\"FeatureCollection\",\"features\":[");
    for (index, class) in CLASSES.iter().enumerate() {
        let own = links.iter().filter(|row| classes.get(&row[0]).is_some_and(|it| it == class));
        let lines = own.map(line).collect::<Vec<_>>().join(",\n");
        let comma = if index > 0 { "," } else { "" };
        write!(
            text,
            "{comma}\n{{\"type\":\"Feature\",\"properties\":{{\"class\":\"{class}\"}},\
             \"geometry\":{{\"type\":\"MultiLineString\",\"coordinates\":[\n{lines}\n]}}}}"
        )
        .unwrap();
    }
    text.push_str("\n]}\n");
    text
}

#[test]
fn roads_drawn_by_the_page_are_those_of_the_bundled_network() {
    goldens::check(&root().join("components/output/map/roads.json"), &drawn());
}
