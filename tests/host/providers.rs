//! Remote providers of routes: requests and responses.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tests::{
    client::Client,
    component_bytes,
    fake_maps::{FakeMaps, KEY},
    process::{Process, command},
    server::Folders,
};

mod environment;
mod google;
mod leaks;
mod open;
mod quota;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod real;

/// The program with navigation over fake providers.
struct Asking {
    client: Client,
    process: Process,
    folders: Folders,
    log: PathBuf,
}

impl Asking {
    /// Serves it with these lines of configuration and this environment.
    fn start(lines: &str, environment: &[(&str, &str)]) -> Self {
        let folders = Folders::new();
        folders.put("navigation", &component_bytes("navigation"));
        let config = folders.data().with_file_name("madoguchi.toml");
        fs::write(&config, format!("bundled = false\n{lines}\n")).unwrap();
        let log = config.with_file_name("log");
        let mut command = command(&folders);
        command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        command.arg("--config").arg(&config).env("MADOGUCHI_LOG", "trace");
        for name in [
            "GOOGLE_MAPS_API_KEY",
            "GOOGLE_MAPS_URL",
            "GOOGLE_ROUTES_URL",
            "OSRM_URL",
            "VALHALLA_URL",
            "NOMINATIM_URL",
            "NAV_PROVIDER",
            "GOOGLE_DAILY_QUOTA",
        ] {
            command.env_remove(name);
        }
        command.envs(environment.iter().copied());
        let process = Process::logging(command, fs::File::create(&log).unwrap());
        Self { client: Client::new(&process.url), process, folders, log }
    }

    /// With Google's APIs played by `fake`, the key in the environment.
    fn google(fake: &FakeMaps, provider: &str, environment: &[(&str, &str)]) -> Self {
        let mut all = vec![("GOOGLE_MAPS_API_KEY", KEY), ("NAV_PROVIDER", provider)];
        all.extend(environment);
        Self::start(&google_lines(fake, 10_000), &all)
    }

    async fn routes(&self, more: Value) -> Value {
        self.client.output("route_search", route(more)).await
    }

    /// The error of a failed search for routes.
    async fn no_routes(&self, more: Value) -> Value {
        self.client.failure("route_search", route(more)).await
    }
}

/// From 東京駅 to 横浜駅, and `more`.
fn route(more: Value) -> Value {
    let mut arguments = json!({ "origin": "東京駅", "destination": "横浜駅" });
    let fields = arguments.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    arguments
}

/// Configuration that replaces Google by `fake`.
fn google_lines(fake: &FakeMaps, timeout_ms: u32) -> String {
    let (url, port) = (&fake.url, fake.port());
    // The first entry that fits host, port and method decides: one for each way of giving the key.
    format!(
        "[components.navigation.settings]\ngoogle_url = '{url}'\ngoogle_routes_url = '{url}'\n\
         [components.navigation.limits]\nhttp_timeout_ms = {timeout_ms}\n\
         [[components.navigation.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {port}\n\
         private = true\nmethods = ['GET']\n\
         secrets = [{{ query = 'key', environment = 'GOOGLE_MAPS_API_KEY' }}]\n\
         [[components.navigation.http]]\nhost = '127.0.0.1'\nscheme = 'http'\nport = {port}\n\
         private = true\nmethods = ['POST']\n\
         secrets = [{{ header = 'x-goog-api-key', environment = 'GOOGLE_MAPS_API_KEY' }}]\n"
    )
}
