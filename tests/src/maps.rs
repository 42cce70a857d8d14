//! A real road network: Helsinki's centre, fetched by the set-up, imported once per test program.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use graph::{Network, Point};

use crate::root;

/// An imported map.
pub struct Map {
    /// Counts of the import.
    pub network: Network,
    /// The bytes of the map's file.
    pub bytes: Vec<u8>,
    /// The path of its file, to be granted to a component.
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
    // Renamed into place: other test programs may read it now.
    let temporary = file.with_extension(format!("tmp-{}", std::process::id()));
    fs::write(&temporary, &bytes).expect("target/maps can be written");
    fs::rename(&temporary, &file).expect("target/maps can be written");
    Map { network, bytes, file }
}

/// Rounds points to 10⁻⁶ degrees and lengths to tenths of a metre, as map files do, so that tests compute
/// with the same figures as components.
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
