//! Builds the bundled network and the gazetteer from the tables in `data/`, and checks them.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

#[path = "build/roads.rs"]
mod roads;
#[path = "build/tables.rs"]
mod tables;

use std::path::PathBuf;

use graph::{Place, PlaceKind, Text};

use tables::{Open, Row, optional, rows};

fn main() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data");
    let folder = |name: &str| std::env::var(name).map(PathBuf::from).map_err(|it| it.to_string());
    let data = folder("CARGO_MANIFEST_DIR")?.join("data");
    let open = |name: &str| {
        std::fs::read_to_string(data.join(name)).map_err(|error| format!("{name}: {error}"))
    };
    let network = roads::read(&open)?;
    roads::check(&network)?;
    let out = folder("OUT_DIR")?;
    let keep = |name: &str, bytes: Vec<u8>| {
        std::fs::write(out.join(name), bytes).map_err(|error| format!("{name}: {error}"))
    };
    keep("network.graph", graph::write::write(&network)?)?;
    keep("gazetteer.places", graph::places::write(&gazetteer(&open)?))
}

/// Known places outside of the bundled network: cities of Japan and of the world, some stations, airports and sights.
fn gazetteer(open: Open<'_>) -> Result<Vec<Place>, String> {
    let cities = open("gazetteer.tsv")?;
    let outside = open("outside.tsv")?;
    let cities = rows("gazetteer.tsv", &cities, 7)?;
    let outside = rows("outside.tsv", &outside, 7)?;
    cities.iter().map(city).chain(outside.iter().map(other)).collect()
}

fn city(row: &Row<'_>) -> Result<Place, String> {
    let country = optional(row.field(4));
    let in_japan = country.is_empty();
    let reading = optional(row.field(3));
    Ok(Place {
        id: format!("geonames:{}", row.field(0)),
        name: Text { local: optional(row.field(1)), en: row.field(2).to_owned() },
        aliases: if reading.is_empty() { Vec::new() } else { vec![reading] },
        address: Text {
            local: String::new(),
            en: if in_japan { "Japan".to_owned() } else { country },
        },
        kind: PlaceKind::Town,
        at: row.point(5)?,
        weight: row.number(6)?,
    })
}

fn other(row: &Row<'_>) -> Result<Place, String> {
    let kind = match row.field(0) {
        "station" => PlaceKind::Station,
        "airport" => PlaceKind::Airport,
        "landmark" => PlaceKind::Landmark,
        other => return Err(row.wrong(&format!("{other:?} is no kind of place"))),
    };
    let others = row.field(7).split('|').filter(|it| !it.is_empty()).map(str::to_owned);
    Ok(Place {
        id: format!("builtin:{}", row.field(2).to_lowercase().replace([' ', '.'], "-")),
        name: Text { local: row.field(1).to_owned(), en: row.field(2).to_owned() },
        aliases: std::iter::once(row.field(3).to_owned()).chain(others).collect(),
        address: Text { local: row.field(4).to_owned(), en: "Japan".to_owned() },
        kind,
        at: row.point(5)?,
        weight: row.number(6)?,
    })
}
