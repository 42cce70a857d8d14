//! Real OSRM and Valhalla servers over a real road network, compared with our own graph. The set-up fetches
//! the servers and the network.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use graph::{Graph, Point, RouteOptions};
use tempfile::TempDir;
use tests::{
    free_addr,
    maps::{helsinki, helsinki_extract},
    root,
};

use super::*;

/// Pairs of places in the centre of Helsinki, (lat, lng).
const PAIRS: [((f64, f64), (f64, f64)); 6] = [
    ((60.1640, 24.9410), (60.1720, 24.9440)),
    ((60.1640, 24.9410), (60.1760, 24.9380)),
    ((60.1640, 24.9410), (60.1735, 24.9410)),
    ((60.1720, 24.9440), (60.1640, 24.9410)),
    ((60.1720, 24.9440), (60.1662, 24.9290)),
    ((60.1662, 24.9290), (60.1735, 24.9410)),
];

/// A server of another project, that ends with its test.
struct Real {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl Drop for Real {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn routers() -> PathBuf {
    let folder = root().join("target/routers");
    assert!(folder.is_dir(), "there is no {}; `cargo xtask test` fetches it", folder.display());
    folder
}

fn done(program: &Path, arguments: &[&Path]) {
    let ended = output(Command::new(program).args(arguments));
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{}: {text}", program.display());
}

impl Real {
    /// A server of OSRM with a map of Helsinki.
    fn osrm() -> Self {
        let (osrm, folder) = (routers().join("osrm"), tempfile::tempdir().unwrap());
        let extract = folder.path().join("map.osm.pbf");
        fs::copy(helsinki_extract(), &extract).unwrap();
        let profile = osrm.join("share/profiles/car.lua");
        done(&osrm.join("bin/osrm-extract"), &["-p".as_ref(), &profile, &extract]);
        let map = folder.path().join("map.osrm");
        done(&osrm.join("bin/osrm-partition"), &[&map]);
        done(&osrm.join("bin/osrm-customize"), &[&map]);
        let port = free_addr().port();
        let mut command = Command::new(osrm.join("bin/osrm-routed"));
        command.args(["--algorithm", "MLD", "--ip", "127.0.0.1", "--port", &port.to_string()]);
        command.arg(map);
        Self::start(command, port, folder)
    }

    /// A server of Valhalla with a map of Helsinki.
    fn valhalla() -> Self {
        let (all, folder) = (routers(), tempfile::tempdir().unwrap());
        let port = free_addr().port();
        let text = fs::read_to_string(all.join("valhalla.json")).unwrap();
        let mut config: Value = serde_json::from_str(&text).unwrap();
        config["mjolnir"]["tile_dir"] = json!(folder.path().join("tiles"));
        config["mjolnir"]["concurrency"] = json!(1);
        config["httpd"]["service"]["listen"] = json!(format!("tcp://127.0.0.1:{port}"));
        let file = folder.path().join("valhalla.json");
        fs::write(&file, config.to_string()).unwrap();
        let bin = all.join("valhalla/bin");
        done(&bin.join("valhalla_build_tiles"), &["-c".as_ref(), &file, &helsinki_extract()]);
        let mut command = Command::new(bin.join("valhalla_service"));
        command.arg(file).arg("1");
        Self::start(command, port, folder)
    }

    /// Starts it and waits until its port is open.
    fn start(mut command: Command, port: u16, folder: TempDir) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Drained, or a full pipe would stop it.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(began.elapsed() < tests::PATIENCE, "it does not listen");
            assert_eq!(child.try_wait().unwrap(), None, "it ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { child, url: format!("http://127.0.0.1:{port}"), _folder: folder }
    }
}

fn coordinates((lat, lng): (f64, f64)) -> String {
    format!("{lat},{lng}")
}

/// The metres of the best way by our own graph.
fn own_metres((from, to): ((f64, f64), (f64, f64))) -> f64 {
    let graph = Graph::open(&helsinki().bytes[..]).unwrap();
    let point = |it: (f64, f64)| Point { lat: it.0, lng: it.1 };
    let options = RouteOptions { ways: 1, ..RouteOptions::default() };
    let ways = graph.ways(point(from), point(to), &options);
    ways.unwrap_or_else(|error| panic!("{from:?} to {to:?}: {error:?}"))[0].metres
}

/// The metres of each pair by the real server, through the program.
async fn measured_metres(asking: &Asking) -> Vec<f64> {
    let mut all = Vec::new();
    for (from, to) in PAIRS {
        let ends = json!({ "origin": coordinates(from), "destination": coordinates(to), "alternatives": true });
        let routes = asking.routes(ends).await;
        let route = &routes["routes"][0];
        let steps = route["steps"].as_array().unwrap();
        assert!(steps.len() >= 2, "{route}");
        assert!(steps.iter().all(|it| !it["instruction"].as_str().unwrap().is_empty()), "{route}");
        let line = polyline::decode_polyline(route["polyline"].as_str().unwrap(), 5).unwrap();
        let (first, last) = (line.0[0], line.0[line.0.len() - 1]);
        for (end, (lat, lng)) in [(first, from), (last, to)] {
            let apart = Point { lat: end.y, lng: end.x }.metres_to(Point { lat, lng });
            // Some ends lie in a park, or in the bay: the road is a way off, for each provider.
            assert!(apart < 500.0, "the line ends {apart} m away");
        }
        all.push(route["distance"]["value"].as_f64().unwrap());
    }
    all
}

/// Compares our distances with theirs: each within a quarter, the sum within a tenth. Both minimize time, with
/// their own speeds and turn costs.
fn compare_with_ours(theirs: &[f64]) {
    let ours: Vec<_> = PAIRS.into_iter().map(own_metres).collect();
    for ((ours, theirs), pair) in ours.iter().zip(theirs).zip(PAIRS) {
        let ratio = ours / theirs;
        assert!((0.8..1.25).contains(&ratio), "{pair:?}: {ours} m by us, {theirs} m by them");
    }
    let ratio = ours.iter().sum::<f64>() / theirs.iter().sum::<f64>();
    assert!((0.9..1.1).contains(&ratio), "{ours:?} m by us, {theirs:?} m by them");
}

/// A table, and a place off the map.
async fn table_and_outside(asking: &Asking) {
    let far = "35.68,139.76";
    let origins: Vec<_> = PAIRS[..2].iter().map(|it| coordinates(it.0)).collect();
    let destinations: Vec<_> =
        PAIRS[..2].iter().map(|it| coordinates(it.1)).chain([far.to_owned()]).collect();
    let asked = json!({ "origins": origins, "destinations": destinations });
    // Valhalla refuses a table that is wider than it takes, before it looks at places.
    let table = asking.client.output("distance_compare", asked).await;
    for row in table["rows"].as_array().unwrap() {
        assert_eq!(row["elements"][0]["status"], "OK", "{table}");
        assert_ne!(row["elements"][2]["status"], "OK", "{table}");
    }
    let refusal = asking
        .no_routes(json!({ "origin": coordinates(PAIRS[0].0), "destination": "61.5,25.5" }))
        .await;
    let code = refusal["error"].as_str().unwrap();
    assert!(matches!(code, "place_outside_map" | "invalid_request"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn real_osrm_routes_are_as_long_as_ours() {
    let real = Real::osrm();
    let asking = Asking::start("", &[("NAV_PROVIDER", "osrm"), ("OSRM_URL", &real.url)]);
    compare_with_ours(&measured_metres(&asking).await);
    table_and_outside(&asking).await;
    // The profile of cars that OSRM comes with leaves one class out, and no two at once: it is asked for
    // one after the other.
    let ends = |avoid: Value| json!({ "origin": coordinates(PAIRS[0].0), "destination": coordinates(PAIRS[0].1), "avoid": avoid });
    asking.routes(ends(json!(["tolls"]))).await;
    asking.routes(ends(json!(["tolls", "highways"]))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn real_valhalla_routes_are_as_long_as_ours() {
    let real = Real::valhalla();
    let asking = Asking::start("", &[("NAV_PROVIDER", "valhalla"), ("VALHALLA_URL", &real.url)]);
    compare_with_ours(&measured_metres(&asking).await);
    let (from, to) = (coordinates(PAIRS[0].0), coordinates(PAIRS[4].1));
    let ends = json!({ "origin": from, "destination": to, "alternatives": true });
    let several = asking.routes(ends).await;
    assert!(several["routes"].as_array().unwrap().len() > 1, "{several}");
    table_and_outside(&asking).await;
}
