//! The author's guide, `docs/authoring.md`: its commands run in order in each language, and their output
//! matches the page (DEV-7).

use std::{
    fs::{self, DirBuilder},
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::{DirBuilderExt as _, symlink},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use tests::{
    fake_registry::FakeRegistry,
    process::{output, program},
    root, server,
};

/// Commands that the page may leave to its readers alone, in blocks that say so.
const UNRUN_MAX: usize = 2;
/// The marker that the shell prints before each exit status.
const MARK: &str = "#ended#";

/// The kind of a block, by the word after its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Commands that succeed.
    Commands,
    /// Commands of which the last fails.
    Fails,
    /// A command that goes on, in a terminal of its own.
    Terminal,
    /// Commands that only readers run.
    Unrun,
    /// The output of the block before.
    Printed,
    /// The next output of the latest terminal.
    PrintedThere,
}

/// A block of the page that is run or written.
#[derive(Debug)]
enum Block {
    Shell(Kind, String),
    /// A file's name and its text.
    File(String, String),
}

/// The blocks of the page for that language.
fn blocks(page: &str, language: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (at, block) in page.split("\n```").enumerate().filter(|(at, _)| at % 2 == 1) {
        let (info, text) = block.split_once('\n').unwrap_or((block, ""));
        let text = format!("{text}\n");
        let kind = match info.split(' ').collect::<Vec<_>>()[..] {
            ["sh", "rust" | "js" | "python"] if info != format!("sh {language}") => continue,
            ["sh"] | ["sh", "rust" | "js" | "python"] => Kind::Commands,
            ["sh", "fails"] => Kind::Fails,
            ["sh", "terminal"] => Kind::Terminal,
            ["sh", "not-run"] => Kind::Unrun,
            ["text"] => Kind::Printed,
            ["text", "terminal"] => Kind::PrintedThere,
            ["toml", file] => {
                blocks.push(Block::File(file.to_owned(), text));
                continue;
            }
            ["toml" | "rust" | "js" | "python"] => continue,
            _ => panic!("block {at} of the guide is of no kind that is known here: {info:?}"),
        };
        blocks.push(Block::Shell(kind, text));
    }
    blocks
}

fn page() -> String {
    fs::read_to_string(root().join("docs/authoring.md")).unwrap()
}

/// Whether a line is as the page has it, where `…` stands for anything.
fn is_line(expected: &str, line: &str) -> bool {
    let Some((head, mut rest)) = expected.split_once('…') else { return expected == line };
    let Some(mut line) = line.strip_prefix(head) else { return false };
    while let Some((part, after)) = rest.split_once('…') {
        let Some(at) = line.find(part) else { return false };
        (line, rest) = (&line[at + part.len()..], after);
    }
    line.ends_with(rest)
}

/// Whether lines are as the page has them, where `…` alone stands for any lines.
fn is_text(expected: &[&str], lines: &[String]) -> bool {
    match expected {
        [] => lines.is_empty(),
        ["…", rest @ ..] => (0..=lines.len()).any(|it| is_text(rest, &lines[it..])),
        [first, rest @ ..] => {
            lines.first().is_some_and(|it| is_line(first, it)) && is_text(rest, &lines[1..])
        }
    }
}

/// A program and its output on both pipes.
struct Terminal {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Terminal {
    /// Runs a command line, with both pipes as one.
    fn run(mut shell: Command, line: &str) -> Self {
        let line = format!("exec 2>&1; {line}");
        let mut child = shell.args(["-c", &line]).stdout(Stdio::piped()).spawn().unwrap();
        let pipe = BufReader::new(child.stdout.take().unwrap());
        let (to, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in pipe.lines().map_while(Result::ok) {
                let _ = to.send(line);
            }
        });
        Self { child, lines }
    }

    /// Waits until its next output is `expected`.
    fn says(&self, expected: &str) {
        let wanted: Vec<_> = expected.lines().collect();
        let mut all = Vec::new();
        while !is_text(&wanted, &all) {
            let line = self.lines.recv_timeout(Duration::from_secs(600));
            all.push(line.unwrap_or_else(|_| {
                panic!("the page has\n{expected}and what is said is\n{}", all.join("\n"))
            }));
        }
    }

    /// Interrupts it, as Ctrl-C does; whether it ended well.
    fn interrupt(mut self) -> bool {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.child.wait().unwrap().success()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An author at work: a shell, and terminals beside it.
struct Author {
    home: tempfile::TempDir,
    language: &'static str,
    registry: String,
    shell: Terminal,
    input: ChildStdin,
    terminals: Vec<Terminal>,
}

impl Author {
    fn new(language: &'static str, registry: &str) -> Self {
        // Beside the code that tests have compiled, so that it can be linked.
        let home = tempfile::tempdir_in(root().join("target/tests")).unwrap();
        let bin = home.path().join("bin");
        fs::create_dir(&bin).unwrap();
        symlink(program(), bin.join("madoguchi")).unwrap();
        server::lend_compiled(&home.path().join("data/madoguchi"));
        let mut shell = Self::command(home.path(), home.path());
        shell.stdin(Stdio::piped());
        let mut shell = Terminal::run(shell, "exec sh");
        let input = shell.child.stdin.take().unwrap();
        let registry = registry.to_owned();
        Self { home, language, registry, shell, input, terminals: Vec::new() }
    }

    /// A shell in that folder: nothing is as on another author's machine but that `madoguchi` listens on free ports,
    /// keeps its data in `home`, and that what is downloaded is there.
    fn command(home: &Path, at: &Path) -> Command {
        let mut shell = Command::new("sh");
        for (name, _) in std::env::vars().filter(|(name, _)| {
            ["CARGO_", "RUSTC", "MADOGUCHI_"].iter().any(|it| name.starts_with(it))
                && name != "CARGO_HOME"
        }) {
            shell.env_remove(name);
        }
        let path = std::env::var("PATH").unwrap();
        shell.env("PATH", format!("{}:{path}", home.join("bin").display()));
        shell.env("XDG_DATA_HOME", home.join("data")).env("DOCKER_CONFIG", home.join("docker"));
        shell.env("MADOGUCHI_ADDR", "127.0.0.1:0");
        shell.envs([("CARGO_NET_OFFLINE", "true"), ("PIP_NO_INDEX", "1")]);
        shell.envs([("npm_config_offline", "true"), ("npm_config_update_notifier", "false")]);
        // What is compiled is not what is tried here: it need not be fast.
        for (key, value) in [("OPT_LEVEL", "0"), ("LTO", "off"), ("CODEGEN_UNITS", "16")] {
            shell.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
        }
        shell.stdin(Stdio::null()).current_dir(at);
        shell
    }

    /// Where the component is written.
    fn folder(&self) -> PathBuf {
        self.home.path().join("greeting")
    }

    /// Runs a line in the shell; what it prints, and whether it ended well.
    fn line(&mut self, line: &str) -> (Vec<String>, bool) {
        writeln!(self.input, "{{ {line}\n}} </dev/null; echo \"{MARK} $?\"").unwrap();
        let mut printed = Vec::new();
        loop {
            let received = self.shell.lines.recv_timeout(Duration::from_secs(600));
            let line = received.unwrap_or_else(|_| panic!("{line}: {}", printed.join("\n")));
            // A command need not end its last line.
            if let Some((before, status)) = line.split_once(MARK) {
                printed.extend((!before.is_empty()).then(|| before.to_owned()));
                return (printed, status == " 0");
            }
            printed.push(line);
        }
    }

    /// Installs dependencies offline, in this project's versions.
    fn download(&self) {
        let folder = self.folder();
        let built = root().join("target/languages").join(self.language).join("greeting");
        let packages = match self.language {
            "rust" => {
                fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
                let target = root().join("target/tests/new");
                fs::create_dir_all(&target).unwrap();
                return symlink(target, folder.join("target")).unwrap();
            }
            "js" => "node_modules",
            _ => ".venv",
        };
        let from = built.join(packages);
        assert!(from.is_dir(), "{packages} is not there; `cargo xtask test` has it made");
        let copied = output(Command::new("cp").arg("-a").args([&from, &folder.join(packages)]));
        assert!(copied.status.success(), "{copied:?}");
    }

    /// Links what the first server has compiled for the second one: it would be compiled for nothing else here.
    fn lend_code(&self) {
        let (own, second) = (self.home.path().join("data/madoguchi"), self.folder().join("second"));
        DirBuilder::new().mode(0o700).create(&second).unwrap();
        let from = ["compiled", "seal.key"].map(|it| own.join(it));
        let copied = output(Command::new("cp").arg("-al").args(from).arg(second));
        assert!(copied.status.success(), "{copied:?}");
    }

    /// Follows the page from its first block to its last; how many commands were run.
    fn follow(mut self, page: &str) -> usize {
        let (mut printed, mut commands) = (None, 0);
        for block in blocks(page, self.language) {
            match block {
                Block::File(name, text) => {
                    fs::write(self.folder().join(name), text).unwrap();
                    self.lend_code();
                }
                Block::Shell(Kind::Unrun, _) => {
                    let line = format!("registry={}", self.registry);
                    assert!(self.line(&line).1);
                }
                Block::Shell(Kind::Terminal, text) => {
                    commands += 1;
                    let at = if self.folder().is_dir() {
                        self.folder()
                    } else {
                        self.home.path().into()
                    };
                    let shell = Self::command(self.home.path(), &at);
                    let line = format!("exec {}", text.trim());
                    self.terminals.push(Terminal::run(shell, &line));
                    printed = None;
                }
                Block::Shell(kind @ (Kind::Commands | Kind::Fails), text) => {
                    let mut all = Vec::new();
                    let lines: Vec<_> = text.lines().collect();
                    for (at, line) in lines.iter().enumerate() {
                        commands += 1;
                        let (printed, is_good) = self.line(line);
                        let fails = kind == Kind::Fails && at + 1 == lines.len();
                        assert_eq!(is_good, !fails, "{line}: {}", printed.join("\n"));
                        all.extend(printed);
                        if line.starts_with("madoguchi new ") {
                            self.download();
                        }
                    }
                    printed = Some(all);
                }
                Block::Shell(Kind::Printed, expected) => match printed.take() {
                    Some(lines) => {
                        let wanted: Vec<_> = expected.lines().collect();
                        let lines: Vec<_> = lines.into_iter().collect();
                        assert!(
                            is_text(&wanted, &lines),
                            "the page has\n{expected}and what is printed is\n{}",
                            lines.join("\n")
                        );
                    }
                    None => self.terminals.last().unwrap().says(&expected),
                },
                Block::Shell(Kind::PrintedThere, expected) => {
                    self.terminals.last().unwrap().says(&expected);
                }
            }
        }
        for terminal in self.terminals.drain(..) {
            assert!(terminal.interrupt(), "what goes on ends well by Ctrl-C");
        }
        commands
    }
}

/// From an empty folder to a second server, in that language.
async fn is_followed(language: &'static str) {
    let registry = FakeRegistry::start().await;
    let host = registry.host.clone();
    let done = tokio::task::spawn_blocking(move || Author::new(language, &host).follow(&page()));
    let commands = done.await.unwrap();
    assert!(commands > 20, "DEV-7: {commands}");
    assert!(registry.tagged("greeting", "1.0.0").starts_with("sha256:"), "it is published");
}

#[tokio::test(flavor = "multi_thread")]
async fn guide_works_as_written_in_rust() {
    is_followed("rust").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guide_works_as_written_in_javascript() {
    is_followed("js").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guide_works_as_written_in_python() {
    is_followed("python").await;
}

/// What is not run is in blocks that say so, and is little; no other block is left out.
#[test]
fn guide_marks_commands_that_are_not_run() {
    let page = page();
    for language in ["rust", "js", "python"] {
        let all = blocks(&page, language);
        let of = |wanted: Kind| {
            let texts = all.iter().filter_map(|block| match block {
                Block::Shell(kind, text) if *kind == wanted => Some(text.lines().count()),
                _ => None,
            });
            texts.sum::<usize>()
        };
        assert!(of(Kind::Unrun) <= UNRUN_MAX, "DEV-7: {language}");
        assert!(of(Kind::Commands) + of(Kind::Terminal) > 20, "{language}: {all:?}");
    }
    let shown = page.matches("\n```sh").count() + page.matches("\n```console").count();
    let read = page.matches("\n```sh").count();
    assert_eq!(shown, read, "commands stand in blocks of `sh`");
    for indented in ["   ```sh", "$ madoguchi"] {
        assert!(!page.contains(indented), "{indented}: it would not be run");
    }
}

#[test]
fn altered_guide_is_detected() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let is = |expected: &str, printed: &str| {
        is_text(&expected.lines().collect::<Vec<_>>(), &lines(printed))
    };
    assert!(is("built in … s\n…\nend", "built in 0.3 s\nmore\nand more\nend"));
    assert!(is("a\n…", "a") && is("…\na … c …", "x\na b c d"));
    for (expected, printed) in [
        ("Hello", "Hello!"),
        ("Hello", "Hello\nand more"),
        ("Hello\n…\nend", "Hello\nmore"),
        ("built in … s", "built at 0.3 s"),
        ("generation … serves", "generation 2 serves not"),
    ] {
        assert!(!is(expected, printed), "{expected:?} is not {printed:?}");
    }
}
