//! The page on connecting: what it says to run is run, and what it says to write can be read.

use std::{fs, path::Path, process::Command};

use serde_json::Value;
use tests::{
    compiled, component_bytes,
    process::{Process, program},
    root,
    server::Folders,
};

/// What a client sends that has one; where none is asked for, it is ignored.
const TOKEN: &str = "mdg_nobody";

/// A block of the page that a person copies.
struct Snippet {
    language: String,
    text: String,
}

fn snippets() -> Vec<Snippet> {
    let page = fs::read_to_string(root().join("docs/clients.md")).unwrap();
    let blocks = page.split("\n```").collect::<Vec<_>>();
    // Every second one is between two fences.
    let inside = blocks.iter().skip(1).step_by(2).map(|block| {
        let (language, text) = block.split_once('\n').unwrap();
        Snippet { language: language.to_owned(), text: text.to_owned() }
    });
    inside.collect()
}

fn of(language: &str) -> Vec<String> {
    let all = snippets().into_iter().filter(|it| it.language == language).map(|it| it.text);
    let all: Vec<_> = all.collect();
    assert!(!all.is_empty(), "the page has no snippet in {language}");
    all
}

/// The data folder of what clients start by themselves.
const ALONE: &str = "alone";

/// The counter, with a folder that finds the clients' packages.
struct Counter {
    folders: Folders,
    process: Process,
}

impl Counter {
    fn open() -> Self {
        let folders = Folders::new();
        folders.put("echo", &component_bytes("echo"));
        let process = Process::start(&folders);
        #[cfg(unix)]
        std::os::unix::fs::symlink(
            clients().join("node_modules"),
            Self::beside(&folders, "node_modules"),
        )
        .unwrap();
        // Its own, since a data folder has one server.
        compiled::lend(&Self::beside(&folders, ALONE));
        Self { folders, process }
    }

    fn beside(folders: &Folders, name: &str) -> std::path::PathBuf {
        folders.data().with_file_name(name)
    }

    /// `text` with this server in the places of the one on the page, as a file of this name.
    fn file(&self, name: &str, text: &str) -> std::path::PathBuf {
        let file = Self::beside(&self.folders, name);
        fs::write(&file, self.placed(text)).unwrap();
        file
    }

    fn placed(&self, text: &str) -> String {
        let components = self.folders.components();
        let data = Self::beside(&self.folders, ALONE);
        let components = components.display();
        let alone = format!(r#""--stdio", "--components", "{components}""#);
        let in_shell = format!(" --stdio --components {components}");
        let text = text.replace("http://127.0.0.1:8808", &self.process.url);
        let text = text.replace("/path/to/madoguchi", &program().display().to_string());
        let text = text.replace("$MADOGUCHI_TOKEN", TOKEN);
        let text = text.replace(" --stdio", &in_shell).replace(r#""--stdio""#, &alone);
        // Each snippet has a folder of its own; here one snippet runs at a time.
        let mut pieces = text.split("/path/to/data/");
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |all, rest| {
            let is_name = |it: char| it.is_ascii_alphanumeric() || it == '-';
            format!("{all}{}{}", data.display(), rest.trim_start_matches(is_name))
        })
    }

    /// What a command says that must do it without complaint.
    fn output_of(&self, command: &mut Command) -> String {
        let folder = Self::beside(&self.folders, "");
        let output = command.env("MADOGUCHI_TOKEN", TOKEN).current_dir(folder).output();
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {text}{complained}");
        text
    }
}

fn clients() -> std::path::PathBuf {
    root().join("tests/clients")
}

fn node() -> Command {
    Command::new(clients().join("node_modules/node/bin/node"))
}

fn lists(text: &str, snippet: &str) {
    assert!(text.contains("greet_twice"), "it lists no tools: {text}\n{snippet}");
}

#[test]
fn python_and_typescript_snippets_list_the_tools() {
    let counter = Counter::open();
    for snippet in of("js") {
        let file = counter.file("snippet.mjs", &snippet);
        lists(&counter.output_of(node().arg(file)), &snippet);
    }
    for snippet in of("python") {
        let file = counter.file("snippet.py", &snippet);
        let python = root().join("target/venv/bin/python");
        lists(&counter.output_of(Command::new(python).arg(file)), &snippet);
    }
}

#[test]
fn inspector_snippet_lists_the_tools() {
    const NPX: &str = "npx -y @modelcontextprotocol/inspector@";
    let counter = Counter::open();
    let launcher = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    let commands = of("sh").join("\n");
    let mut run = 0;
    for line in commands.lines().filter_map(|it| it.strip_prefix(NPX)) {
        let (version, rest) = line.split_once(' ').unwrap();
        let package = fs::read_to_string(clients().join("package.json")).unwrap();
        assert!(
            package.contains(&format!("/inspector\": \"{version}\"")),
            "{version} is not tried"
        );
        let rest = words(&counter.placed(rest));
        lists(&counter.output_of(node().arg(clients().join(launcher)).args(rest)), line);
        run += 1;
    }
    assert_eq!(run, 3);
}

/// A line as a shell takes it apart, as far as the page needs it.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn configuration_snippets_parse_and_name_the_server() {
    for snippet in of("json") {
        let read: Value =
            serde_json::from_str(&snippet).unwrap_or_else(|it| panic!("{it}: {snippet}"));
        let servers = read.get("mcpServers").or(read.get("servers")).and_then(Value::as_object);
        for (name, server) in servers.unwrap_or_else(|| panic!("no servers: {snippet}")) {
            let is_one =
                server["url"] == "http://127.0.0.1:8808/mcp" || server["command"].is_string();
            assert!(is_one, "{name}: {snippet}");
        }
    }
    let [goose] = &of("yaml")[..] else { panic!("one snippet is in YAML") };
    assert!(!goose.contains('\t') && goose.contains("uri: http://127.0.0.1:8808/mcp"), "{goose}");
    let default = host::Config::default().addr.to_string();
    assert_eq!(default, "127.0.0.1:8808", "the page has the default address");
}

#[test]
fn every_link_of_the_page_resolves() {
    let page = fs::read_to_string(root().join("docs/clients.md")).unwrap();
    let targets = page.split("](").skip(1).filter_map(|it| it.split(')').next());
    let ours = targets.filter(|it| !it.starts_with('#') && !it.contains("://"));
    for target in ours {
        let file = target.split('#').next().unwrap_or_default();
        assert!(Path::new(&root().join("docs")).join(file).is_file(), "{target}");
    }
}
