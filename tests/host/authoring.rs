//! The author's tools: `madoguchi new` makes a folder that builds, is tested and served unchanged; `madoguchi
//! dev`.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tests::{
    component_bytes,
    process::{Process, bare_command, command, output},
    rebuilt, root,
    server::{Folders, TestServer},
};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn new(folders: &Folders, folder: &Path) -> Output {
    output(bare_command(folders).arg("new").arg(folder))
}

/// A new component of that name, which shares what is compiled with those of other tests.
fn component_folder(folders: &Folders, home: &Path, name: &str) -> PathBuf {
    let (folder, target) = (home.join(name), root().join("target/tests/new"));
    assert!(new(folders, &folder).status.success());
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::create_dir_all(&target).unwrap();
    symlink(target, folder.join("target")).unwrap();
    folder
}

/// Writes a file at once, as editors do.
fn save(file: &Path, text: &str) {
    let temporary = file.parent().unwrap().with_extension("saved");
    fs::write(&temporary, text).unwrap();
    fs::rename(temporary, file).unwrap();
}

/// Puts the second of each pair in the place of the first in the component's source, in one save; the line on which
/// the first pair's stands then.
fn edit(folder: &Path, changes: &[(&str, &str)]) -> usize {
    edit_file(&folder.join("src/lib.rs"), changes)
}

fn edit_file(file: &Path, changes: &[(&str, &str)]) -> usize {
    let mut text = fs::read_to_string(file).unwrap();
    let found = |text: &str, old: &str| text.find(old).unwrap_or_else(|| panic!("{old}"));
    let line = text[..found(&text, changes[0].0)].lines().count();
    for (old, new) in changes {
        found(&text, old);
        text = text.replacen(old, new, 1);
    }
    save(file, &text);
    line
}

/// A running command and its output.
struct Dev {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Dev {
    fn start(folders: &Folders, folder: &Path, more: &[&str]) -> Self {
        let mut command = bare_command(folders);
        for (name, _) in std::env::vars().filter(|(name, _)| {
            name.starts_with("CARGO_") && name != "CARGO_HOME" || name.starts_with("RUSTC")
        }) {
            command.env_remove(name);
        }
        command.arg("dev").arg(folder).args(more).env("CARGO_NET_OFFLINE", "true");
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, lines) = mpsc::channel();
        let pipes: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for pipe in pipes {
            let to = to.clone();
            thread::spawn(move || {
                for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                    let _ = to.send(line);
                }
            });
        }
        Self { child, lines }
    }

    /// Waits for a line with `text`; returns all lines until then.
    fn until(&self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            let line = self.lines.recv_timeout(Duration::from_secs(600));
            let line = line.unwrap_or_else(|_| panic!("nothing says {text:?}: {all}"));
            all = format!("{all}{line}\n");
        }
        all
    }

    /// Interrupts it like a terminal; returns whether it succeeded.
    fn interrupt(mut self) -> bool {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.child.wait().unwrap().success()
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs cargo in `folder`, with the crates that are there: of the versions that this project has.
fn cargo(folder: &Path, arguments: &[&str]) {
    let target = root().join("target/tests/new");
    let mut cargo = Command::new("cargo");
    for (name, _) in std::env::vars().filter(|(name, _)| {
        name.starts_with("CARGO_") && name != "CARGO_HOME" || name.starts_with("RUSTC")
    }) {
        cargo.env_remove(name);
    }
    cargo.args(arguments).arg("--offline").arg("--target-dir").arg(target).current_dir(folder);
    let done = output(&mut cargo);
    assert!(done.status.success(), "{arguments:?}: {}", text(&done.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_component_builds_is_tried_alone_and_served() {
    let folders = Folders::new();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("my-greeter");
    let made = new(&folders, &folder);
    assert!(made.status.success(), "{made:?}");
    assert!(text(&made.stdout).contains("cargo build --release --target wasm32-wasip2"));
    for entry in ["AGENTS.md", "README.md", ".gitignore", "rust-toolchain.toml", "wit/world.wit"] {
        assert!(folder.join(entry).is_file(), "{entry}");
    }
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(readme.contains("release/my_greeter.wasm my_greeter '{"), "{readme}");
    assert!(!readme.contains("greeting"), "{readme}");

    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    cargo(&folder, &["build", "--target", "wasm32-wasip2"]);
    let built = root().join("target/tests/new/wasm32-wasip2/debug/my_greeter.wasm");
    let call = |arguments: &str| {
        output(bare_command(&folders).arg("run").arg(&built).args(["my_greeter", arguments]))
    };
    let greeted = call("{\"name\":\"花子\"}");
    let answer: Value = serde_json::from_slice(&greeted.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&greeted.stderr)));
    assert_eq!(answer, json!({ "text": "Hello, 花子!" }));
    let refused = call("{\"name\":\" \"}");
    assert!(!refused.status.success() && text(&refused.stderr).contains("no_name"), "{refused:?}");

    folders.put("my_greeter", &fs::read(&built).unwrap());
    let server = TestServer::start(folders, |_| {}).await;
    let served = server.client().output("my_greeter", json!({ "name": "Ann" })).await;
    assert_eq!(served, json!({ "text": "Hello, Ann!" }));
}

/// What an author sees in an hour: what is saved is served, and what is not good is named and leaves what serves
/// (DEV-1, DEV-2).
#[test]
fn each_save_is_built_tested_and_served_or_its_error_reported() {
    let (folders, home) = (Folders::new(), tempfile::tempdir().unwrap());
    let folder = component_folder(&folders, home.path(), "my-dev");
    let dev = Dev::start(&folders, &folder, &["--serve"]);
    let printed = dev.until("#/counter/my_dev");
    for step in ["my_dev: MCP at http://127.0.0.1:", ": built in ", "3 examples hold"] {
        assert!(printed.contains(step), "{step}: {printed}");
    }
    assert!(printed.contains("served as generation 1"), "{printed}");

    let line = edit(&folder, &[("Ok(Greeted {", "panic!(\"no greeting\"); Ok(Greeted {")]);
    let printed = dev.until("generation 1 serves on");
    assert!(printed.contains("was expected of my_dev; what came was a trap"), "{printed}");
    assert!(printed.contains(&format!("/src/lib.rs:{line} (")), "line {line}: {printed}");
    assert!(printed.contains("no greeting"), "what the guest said itself: {printed}");

    edit(&folder, &[("panic!(", "panik!(")]);
    let lines = dev.until("generation 1 serves on");
    assert!(lines.contains("not built") && lines.contains("cannot find macro `panik`"), "{lines}");

    let good = [
        ("panik!(\"no greeting\"); ", ""),
        ("\"Hello, {}!\"", "\"Good day, {}!\""),
        ("\"Hello, 花子!\"", "\"Good day, 花子!\""),
    ];
    edit(&folder, &good);
    let printed = dev.until("served as generation ");
    assert!(!printed.contains("#/counter"), "the address is told once: {printed}");
    let called = output(bare_command(&folders).args(["call", "my_dev", "{\"name\":\"Ann\"}"]));
    assert!(text(&called.stdout).contains("Good day, Ann!"), "{called:?}");
    assert!(dev.interrupt());
}

/// The loop in JavaScript and in Python, which compiles nothing anew but what has changed: no interpreter and no kit
/// (DEV-8, SYS-63).
#[test]
fn a_save_in_js_or_python_is_served_uncompiled() {
    // A second tool of the same name, and one with a text in one language.
    let js = "\nconst both = { ja: 'a', en: 'a' };\ntool('my_quick', { title: both, description: both, run: () => ({}) });\n";
    let python = "\n\n@tool(name='my_quick', title=Text('a', 'a'), description=Text('a', 'a'))\ndef again():\n    pass\n";
    for (language, packages, source, at, again) in [
        ("js", "node_modules", "src/tools.js", "src/tools.js", js),
        ("python", ".venv", "src/tools.py", "src/tools.py:", python),
    ] {
        let (folders, home) = (Folders::new(), tempfile::tempdir().unwrap());
        let folder = home.path().join("my-quick");
        let mut new = bare_command(&folders);
        let made = output(new.arg("new").arg(&folder).arg(format!("--{language}")));
        assert!(made.status.success(), "{made:?}");
        let built = root().join("target/languages").join(language).join("greeting").join(packages);
        symlink(built, folder.join(packages)).unwrap();
        let (file, manifest) = (folder.join(source), folder.join("madoguchi.toml"));
        let dev = Dev::start(&folders, &folder, &["--serve"]);
        let printed = dev.until("#/counter/my_quick");
        assert!(printed.contains("3 examples hold"), "{language}: {printed}");
        // The compiled parts of the toolkit and the server.
        let compiled = || {
            let files = [folder.join("build/quick"), folders.data().join("compiled")];
            let entries = files.iter().flat_map(|it| fs::read_dir(it).unwrap().flatten());
            let kept = entries
                .map(|it| it.path())
                .filter(|it| it.extension().is_some_and(|it| it == "base" || it == "cwasm"));
            let mut kept: Vec<_> =
                kept.map(|it| (fs::metadata(&it).unwrap().modified().unwrap(), it)).collect();
            kept.sort();
            kept
        };
        let before = compiled();
        assert_eq!(before.len(), 2, "{before:?}");

        // Of all that is saved, in the tool and in its examples.
        let whole = fs::read_to_string(&file).unwrap();
        save(&file, &whole.replace("Hello, ", "Good day, "));
        dev.until("served as generation 2");
        let called =
            output(bare_command(&folders).args(["call", "my_quick", "{\"name\":\"Ann\"}"]));
        assert!(text(&called.stdout).contains("Good day, Ann!"), "{language}: {called:?}");
        assert_eq!(compiled(), before, "DEV-8, SYS-63: {language}");

        save(&file, &format!("{whole}\n)) no language says this"));
        let output = dev.until("generation 2 serves on");
        assert!(output.contains("not built") && output.contains(at), "{language}: {output}");
        save(&file, &format!("{whole}{again}"));
        let output = dev.until("generation 2 serves on");
        assert!(output.contains("two tools are called my_quick"), "{language}: {output}");
        let one =
            again.replace("'my_quick'", "'other'").replace("description: both", "description: 'a'");
        let one = one.replace("description=Text('a', 'a')", "description='a'");
        save(&file, &format!("{whole}{one}"));
        let output = dev.until("generation 2 serves on");
        let named = output.contains("tool \"other\": description: ");
        assert!(named && output.contains("is needed"), "{language}: {output}");
        let idle = again.replace("'my_quick'", "'idle'");
        let wrong = [
            (idle.replace(", run: () => ({})", ""), "tool \"idle\": run, a function, is needed"),
            (
                idle.replace("run:", "hints: { readonly: true }, run:"),
                "readonly is none of readOnly",
            ),
            (idle.replace("run: ()", "run: async ()"), "tool \"idle\": run is async"),
            (
                idle.replace("run:", "input: { n: 'strng' }, run:"),
                "the field n: a schema, or one of",
            ),
            (
                "\nconst two = example('two', 'my_quick', {});\ntwo.asks();\ntwo.asks();\n"
                    .to_owned(),
                "\"two\": it says twice how it ends (src/tools.js:",
            ),
            (
                idle.replace("run:", "input: { n: { type: 'string', pattern: '(' } }, run:"),
                "n: the pattern ( is no regular expression",
            ),
            ("\nfetch('https://a.example');\n".to_owned(), "`http` of the kit sends requests"),
            ("\nconst fs = require('node:fs');\n".to_owned(), "node:fs is not there"),
            ("\nawait 1;\n".to_owned(), "write it without await"),
            ("\nexport const helper = 1;\n".to_owned(), "exports helper"),
            ("\nthrow new Error('early');\n".to_owned(), "Error: early (src/tools.js:"),
        ];
        let waiting = "\n\nclass Schedule:\n    async def run(self):\n        pass\n";
        let wrong: Vec<_> = match language {
            "js" => wrong.into(),
            _ => vec![
                (waiting.to_owned(), "run is async, and nothing here waits"),
                (
                    "\ntwo = example('two', 'my_quick', {})\ntwo.asks()\ntwo.asks()\n".to_owned(),
                    "\"two\": it says twice how it ends (src/tools.py:",
                ),
                (
                    again.replace("my_quick", "idle").replace("again()", "again(*all)"),
                    "tool \"idle\": *all has no name",
                ),
            ],
        };
        for (added, why) in wrong {
            save(&file, &format!("{whole}{added}"));
            let output = dev.until("generation 2 serves on");
            assert!(output.contains(why), "{output}");
        }
        // What no server could begin with is reported where it is written.
        let (defaults, asked) = (folder.join("defaults.toml"), "\ngrants = 'sql'\n");
        let own = fs::read_to_string(&defaults).unwrap();
        save(&defaults, &format!("{own}{asked}"));
        let output = dev.until("generation 2 serves on");
        assert!(output.contains("grants: what is right here is a list"), "{language}: {output}");
        save(&defaults, &own);
        dev.until("generation 2 serves on");
        // The manifest is read again, and its errors are reported.
        let was = fs::read_to_string(&manifest).unwrap();
        save(&manifest, &was.replace("[dev]", "[def]"));
        let output = dev.until("save it again");
        assert!(output.contains("def"), "DEV-8: {language}: {output}");
        save(&manifest, &was.replace("build = ", "build = \"echo by another; false\" # "));
        // The command's output and the report come by two pipes, in either order.
        let output = dev.until("generation 2 serves on");
        assert!(output.contains("echo by another; false"), "{language}: {output}");
        save(&file, &whole);
        save(&manifest, &was);
        dev.until("served as generation 3");
        assert!(dev.interrupt());
    }
}

/// A trap in a call names file and line to author and operator, and to its caller neither (DEV-3).
#[test]
fn trap_names_file_and_line_to_the_author_but_not_the_caller() {
    let (folders, home) = (Folders::new(), tempfile::tempdir().unwrap());
    let folder = component_folder(&folders, home.path(), "my-fault");
    let fault = "if self.name == \"Eve\" { panic!(\"not her\"); }\n        Ok(Greeted {";
    let line = edit(&folder, &[("Ok(Greeted {", fault)]);
    cargo(&folder, &["build", "--target", "wasm32-wasip2"]);
    let built = folder.join("target/wasm32-wasip2/debug/my_fault.wasm");
    let eve = ["my_fault", "{\"name\":\"Eve\"}"];
    let run = output(bare_command(&folders).arg("run").arg(&built).args(eve));
    let help = text(&run.stderr);
    assert!(!run.status.success() && help.contains(&format!("/src/lib.rs:{line} (")), "{help}");
    assert!(!help.contains("/rustc/"), "the places are the author's: {help}");

    folders.put("my_fault", &fs::read(&built).unwrap());
    let log = home.path().join("log");
    let mut command = command(&folders);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
    let mut server = Process::logging(command, fs::File::create(&log).unwrap());
    let call = output(bare_command(&folders).arg("call").args(eve));
    let message = format!("{}{}", text(&call.stdout), text(&call.stderr));
    assert!(message.contains("broke down") && !message.contains("lib.rs"), "{message}");
    let audit = text(&output(bare_command(&folders).arg("audit")).stdout);
    assert!(audit.contains(&format!("/src/lib.rs:{line} (")), "{audit}");
    server.signal();
    server.wait();
    let log = fs::read_to_string(&log).unwrap();
    assert!(log.contains(&format!("/src/lib.rs:{line} (")), "{log}");
}

/// Any language works by a build command and the file that it writes (DEV-1).
#[test]
fn any_command_builds_for_the_server_that_runs() {
    let (folders, home) = (Folders::new(), tempfile::tempdir().unwrap());
    let alone = Dev::start(&folders, home.path(), &[]).until("madoguchi new");
    assert!(alone.contains("has no madoguchi.toml"), "{alone}");
    let manifest = "build = \"sh src/build.sh\"\ncomponent = \"out/echo.wasm\"\n";
    fs::write(home.path().join("madoguchi.toml"), manifest).unwrap();
    for folder in ["src", "out"] {
        fs::create_dir(home.path().join(folder)).unwrap();
    }
    let build = |script: &str| save(&home.path().join("src/build.sh"), script);
    build("cp next.wasm out/echo.wasm");
    let next = |bytes: &[u8]| fs::write(home.path().join("next.wasm"), bytes).unwrap();
    next(&component_bytes("echo"));
    let none = Dev::start(&folders, home.path(), &[]).until("--serve");
    assert!(none.contains("no server runs"), "{none}");

    let mut server = Process::start(&folders);
    let dev = Dev::start(&folders, home.path(), &[]);
    let output = dev.until("#/counter/");
    assert!(output.contains("echo: served as generation 1"), "{output}");
    assert!(output.contains(&server.url), "the page of that server: {output}");
    next(&rebuilt(&component_bytes("echo"), 1));
    build("cp next.wasm out/echo.wasm # again");
    dev.until("echo: served as generation 2");
    build("rm out/echo.wasm");
    let output = dev.until("generation 2 serves on");
    assert!(output.contains("wrote no ") && output.contains("out/echo.wasm"), "{output}");

    build("sleep 600 & echo $! > child; wait");
    let child = home.path().join("child");
    let is_there = || fs::read_to_string(&child).is_ok_and(|it| it.ends_with('\n'));
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < Duration::from_secs(120), "it is not built");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(dev.interrupt());
    let child = fs::read_to_string(&child).unwrap();
    let runs = || {
        let status = fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        // One that has ended may still be on its parent's list.
        status.is_ok_and(|it| !it.contains(") Z "))
    };
    while runs() {
        assert!(began.elapsed() < Duration::from_secs(120), "what a build began goes on");
        thread::sleep(Duration::from_millis(20));
    }
    server.signal();
    assert!(server.wait().success());
}

#[test]
fn new_rejects_existing_folders_and_invalid_names() {
    let (folders, home) = (Folders::new(), tempfile::tempdir().unwrap());
    for (name, expected) in [
        ("Weather", "a-z 0-9 _ -"),
        ("My Weather", "; my-weather would be one"),
        ("9lives", "letter at the beginning, and none of _ - at the end; lives would be one"),
        ("天気", "a-z"),
        ("a-", "at the end; a would be one"),
        ("serde", "another name"),
        ("test", "another name"),
    ] {
        let refused = new(&folders, &home.path().join(name));
        assert!(!refused.status.success(), "{name}");
        assert!(text(&refused.stderr).contains(expected), "{name}: {}", text(&refused.stderr));
        assert!(!home.path().join(name).exists(), "{name}: nothing is made");
    }
    let class = home.path().join("class");
    let refused = output(bare_command(&folders).arg("new").arg(&class).arg("--python"));
    assert!(text(&refused.stderr).contains("a function of Python"), "SYS-60: {refused:?}");
    let both = output(bare_command(&folders).arg("new").arg(&class).args(["--js", "--python"]));
    assert!(!both.status.success() && !class.exists(), "{both:?}");
    let go = output(bare_command(&folders).arg("new").arg(&class).arg("--go"));
    assert!(text(&go.stderr).contains("[--rust | --js | --python] <FOLDER>"), "{go:?}");
    let full = home.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("diary"), "mine").unwrap();
    let refused = new(&folders, &full);
    assert!(text(&refused.stderr).contains("is there already"), "{refused:?}");
    assert_eq!(fs::read_dir(&full).unwrap().count(), 1, "nothing is added");
    let here = home.path().join("here");
    fs::create_dir(&here).unwrap();
    let made = output(bare_command(&folders).args(["new", "."]).current_dir(&here));
    assert!(made.status.success() && here.join("src/lib.rs").is_file(), "{made:?}");
}

#[test]
fn contract_command_shows_and_writes_the_wit_files() {
    let (folders, home) = (Folders::new(), tempfile::tempdir().unwrap());
    let shown = text(&output(bare_command(&folders).arg("wit")).stdout);
    assert!(shown.contains("// world.wit\n") && shown.contains("world tool-component"), "{shown}");
    let folder = home.path().join("wit");
    let written = output(bare_command(&folders).arg("wit").arg(&folder));
    assert!(written.status.success(), "{written:?}");
    for part in ["", "awaiting"] {
        let entries = fs::read_dir(root().join("wit").join(part)).unwrap();
        for file in entries.map(|it| it.unwrap().path()).filter(|it| it.is_file()) {
            let copy = fs::read(folder.join(part).join(file.file_name().unwrap())).unwrap();
            assert_eq!(copy, fs::read(&file).unwrap(), "{}", file.display());
        }
    }
}
