//! A real road network: Helsinki's centre, fetched by the set-up, imported once in each test program.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use graph::{Network, Point};

use crate::root;

/// A map as the import makes it.
pub struct Map {
    /// What the extract came to.
    pub network: Network,
    /// The bytes of the map's file.
    pub bytes: Vec<u8>,
    /// Where it lies, to be granted to a component.
    pub file: PathBuf,
}

/// The extract of Helsinki: © OpenStreetMap contributors, ODbL 1.0.
pub fn helsinki_extract() -> PathBuf {
    let file = root().join("target/maps/helsinki.osm.pbf");
    assert!(file.is_file(), "there is no {}; `cargo xtask test` fetches it", file.display());
    file
}

/// The map of Helsinki, imported once.
pub fn helsinki() -> &'static Map {
    static HELSINKI: LazyLock<Map> = LazyLock::new(|| import(&helsinki_extract()));
    &HELSINKI
}

fn import(extract: &Path) -> Map {
    let mut network = graph::osm::read(extract, &mut |_| ()).expect("the extract is sound");
    as_kept(&mut network);
    let bytes = graph::write::write(&network).expect("it fits");
    let file = extract.with_extension("").with_extension("map");
    // Beside it and renamed: other test programs may read it right now.
    let beside = file.with_extension(format!("tmp-{}", std::process::id()));
    fs::write(&beside, &bytes).expect("target/maps can be written");
    fs::rename(&beside, &file).expect("target/maps can be written");
    Map { network, bytes, file }
}

/// Points and lengths as a file keeps them, so that a test that computes with the network computes with
/// the same figures as the component that reads the file: 10⁻⁶ degrees, tenths of a metre.
fn as_kept(network: &mut Network) {
    let keep = |point: &mut Point| {
        point.lat = (point.lat * 1e6).round() / 1e6;
        point.lng = (point.lng * 1e6).round() / 1e6;
    };
    network.nodes.iter_mut().for_each(|it| keep(&mut it.at));
    for link in &mut network.links {
        link.shape.iter_mut().for_each(keep);
        link.metres = (link.metres * 10.0).round().max(1.0) / 10.0;
    }
}
