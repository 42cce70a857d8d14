//! The program as users start it: a process, its output and its end.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    time::{Duration, Instant},
};

use crate::server::Folders;

/// A running process of `madoguchi`.
pub struct Process {
    child: Child,
    /// Its base URL.
    pub url: String,
}

/// The path of the built program.
pub fn program() -> PathBuf {
    let tests = std::env::current_exe().expect("a test is a program");
    let folder = tests.parent().and_then(|it| it.parent()).expect("target/release/deps");
    let program = folder.join("madoguchi");
    assert!(program.is_file(), "madoguchi is not built; `cargo xtask test` builds it");
    program
}

/// A command with a test's folders and the shared compiled code.
pub fn command(folders: &Folders) -> Command {
    folders.lend_code();
    bare_command(folders)
}

/// A command with a test's folders and without configuration from the environment.
pub fn bare_command(folders: &Folders) -> Command {
    let mut command = Command::new(program());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MADOGUCHI_")) {
        command.env_remove(name);
    }
    command.args(["--data".as_ref(), folders.data().as_os_str()]);
    command.envs(folders.store().map(|url| ("MADOGUCHI_STORE", url)));
    command
}

/// Runs a command to its end.
pub fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().expect("the program starts")
}

/// Writes a program for the shell.
///
/// A shell writes it: a file that this process writes is for a moment open in each child that another test
/// forks, and a file that is open for writing cannot be run.
pub fn script(file: &Path, text: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "printf %s \"$1\" > \"$0\" && chmod 700 \"$0\""]).arg(file).arg(text);
    assert!(output(&mut shell).status.success(), "{} can be written", file.display());
}

/// The lines of one exported table.
pub fn exported(folders: &Folders, component: &str, table: &str) -> Vec<serde_json::Value> {
    let export = output(command(folders).args(["export", component, "--table", table]));
    let text = String::from_utf8(export.stdout).expect("JSON lines are UTF-8");
    text.lines().map(|it| serde_json::from_str(it).expect("each line is JSON")).collect()
}

impl Process {
    /// Starts it on a free port.
    pub fn start(folders: &Folders) -> Self {
        let mut command = command(folders);
        command.args(["--addr", "127.0.0.1:0", "--components"]).arg(folders.components());
        Self::from(command)
    }

    /// Starts `command` and waits for its address.
    pub fn from(command: Command) -> Self {
        Self::logging(command, Stdio::null())
    }

    /// Its resident memory in bytes, where the system reports it.
    pub fn resident_bytes(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
    }

    /// The same with its log going to `log`.
    pub fn logging(mut command: Command, log: impl Into<Stdio>) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let url = loop {
            let line = lines.next().and_then(Result::ok).expect("it says where it listens");
            if let Some(url) = line.trim().strip_prefix("page") {
                break url.trim().trim_end_matches('/').to_owned();
            }
        };
        // Drained, or a full pipe would stop it.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { child, url }
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, as a power cut would.
    pub fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Sends SIGTERM.
    pub fn signal(&self) {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().expect("kill is there");
    }

    /// Waits until it has stopped.
    pub fn wait(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                return status;
            }
            assert!(began.elapsed() < crate::PATIENCE, "it does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
