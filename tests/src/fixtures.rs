//! The bundled components as tests use them: what they begin with, and examples of what they take.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use graph::{Network, Point};
use host::{Config, grants::Grant};
use serde_json::{Value, json};

use crate::{
    client::Client,
    root,
    server::{Folders, TestServer},
};

/// The showtimes to come with the most free seats, most first.
pub async fn showtimes(client: &Client) -> Vec<Value> {
    let movies = client.output("list_movies", json!({})).await;
    let mut showtimes = Vec::new();
    for movie in movies["movies"].as_array().expect("a list") {
        let arguments = json!({ "movie_id": movie["movie_id"] });
        let listed = client.output("list_showtimes", arguments).await;
        showtimes.extend(listed["showtimes"].as_array().expect("a list").iter().cloned());
    }
    // Those of today may begin while the test runs.
    let day = |it: &Value| it["start_time"].as_str().expect("a time")[..10].to_owned();
    let last = showtimes.iter().map(day).max().expect("there are showtimes");
    showtimes.retain(|it| day(it) == last);
    showtimes.sort_by_key(|it| std::cmp::Reverse(it["available_seats_count"].as_u64()));
    showtimes
}

/// The free seats of a showtime.
pub async fn free_seats(client: &Client, showtime_id: &str) -> Vec<String> {
    let map = client.output("list_available_seats", json!({ "showtime_id": showtime_id })).await;
    let seats = map["seats"].as_array().expect("a list").iter();
    seats.map(|it| it["seat_id"].as_str().expect("an id").to_owned()).collect()
}

/// The id of a showtime.
pub fn showtime_id(showtime: &Value) -> String {
    showtime["showtime_id"].as_str().expect("an id").to_owned()
}

// Agents for the tests of conversations: configuration and credentials.

/// The passkey of every agent in the tests.
pub const PASSKEY: &str = "open-sesame";

/// Its argon2id hash at minimal cost, so that 200 agents can log in at once.
pub const HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$bWFkb2d1Y2hpLXNhbHQ$Q3UV5Q6E4w4SElZgWftXQ8uhMJGmK/+3sMx4uOg/gEI";

/// The settings of an agent from outside in these projects.
pub fn agent(name: &str, projects: &[String]) -> Value {
    json!({ "name": name, "type": "ai", "projects": projects, "passkey": HASH })
}

/// The component's settings in TOML: one project with these agents.
pub fn agents_toml(project: &str, agents: &[(String, String)]) -> String {
    let mut lines =
        format!("[components.conversations.settings.projects.{project}]\nname = \"{project}\"\n");
    for (id, name) in agents {
        lines += &format!(
            "[components.conversations.settings.agents.{id}]\nname = \"{name}\"\ntype = \"ai\"\n\
             projects = [\"{project}\"]\npasskey = \"{HASH}\"\n"
        );
    }
    lines
}

/// The arguments of `authenticate`.
pub fn credentials(agent: &str, project: &str) -> Value {
    json!({ "agent_id": agent, "passkey": PASSKEY, "project_id": project })
}

// A server with the component `library`, which offers prompts, resources and completions as well as tools.

/// A server with the library, which may publish events, and with these components.
pub async fn library(also: &[&str]) -> TestServer {
    let folders = Folders::new();
    for name in also.iter().chain([&"library"]) {
        folders.put(name, &crate::component_bytes(name));
    }
    TestServer::start(folders, grants).await
}

/// Lets the library and its twin publish events.
pub fn grants(config: &mut Config) {
    for name in ["library", "twin"] {
        let component = config.components.entry(name.to_owned()).or_default();
        component.grants = Some(BTreeSet::from([Grant::Events]));
    }
}

// A real road network: Helsinki's centre, fetched by the set-up, imported once per test program.

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

// Golden files of a component's permissions and tools: each change shows in the diff.

/// Compares `actual` with the golden `file`, or writes it where `MADOGUCHI_GOLDENS=write` says so.
///
/// # Panics
///
/// Where they differ.
pub fn check_golden(file: &Path, actual: &str) {
    if std::env::var("MADOGUCHI_GOLDENS").is_ok_and(|it| it == "write") {
        fs::write(file, actual).expect("the golden can be written");
        return;
    }
    let golden = fs::read_to_string(file).unwrap_or_default();
    assert!(
        golden == actual,
        "{} is not what is built now; `cargo xtask goldens` writes it anew. It should be:\n{actual}",
        file.display()
    );
}
