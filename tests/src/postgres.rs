//! A private PostgreSQL cluster per test binary: on a free port, in its own folder, as an ordinary user,
//! without fsync. It ends with its process.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        LazyLock, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

/// Options that skip syncing to disk.
const HASTE: &str = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off";
/// Where Debian keeps the programs of each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The user that a cluster runs as where tests run as root, which `initdb` refuses.
const USER: &str = "nobody";
const GROUP: &str = "nogroup";
/// The password of all database users, which must appear nowhere.
pub const PASSWORD: &str = "hunter2-hunter2";
/// Makes the cluster and starts it; ends it when standard input is closed, as it is when the test's process ends.
const SCRIPT: &str = r#"
set -e
folder=$(mktemp -d "${TMPDIR:-/tmp}/madoguchi-postgres-XXXXXX")
cd "$folder"
trap 'rm -rf "$folder"' EXIT
printf '%s' "$3" > password
"$1/initdb" --pgdata=data --username=postgres --pwfile=password --auth=scram-sha-256 \
  --encoding=UTF8 --locale=C.UTF-8 --no-sync > initdb.log 2>&1 || { cat initdb.log >&2; exit 1; }
start() {
  "$1/postgres" -D data -k "$folder" -h 127.0.0.1 -p "$2" $4 \
    -c max_connections=400 -c shared_buffers=32MB >> server.log 2>&1 &
  server=$!
  until "$1/pg_isready" -q -h 127.0.0.1 -p "$2"; do
    kill -0 $server 2>/dev/null || { cat server.log >&2; exit 1; }
    sleep 0.05
  done
}
start "$1" "$2" "" "$4"
echo ready
while read -r asked; do
  case $asked in
    stop) kill -INT $server; wait $server || true; echo stopped ;;
    crash) kill -QUIT $server; wait $server || true; echo stopped ;;
    start) start "$1" "$2" "" "$4"; echo started ;;
  esac
done
kill -QUIT $server 2>/dev/null && wait $server || true
"#;

/// A cluster that runs.
pub struct Cluster {
    port: u16,
    /// Its control pipes; it ends when they close.
    talk: Mutex<Option<(ChildStdin, BufReader<ChildStdout>)>>,
    child: Child,
    made: AtomicU32,
}

/// Whether all tests of this process are to run on PostgreSQL: `MADOGUCHI_TEST_STORE=postgres`.
pub fn is_asked_for() -> bool {
    std::env::var_os("MADOGUCHI_TEST_STORE").is_some_and(|it| it == "postgres")
}

impl Cluster {
    /// The shared cluster of this process.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Cluster> = LazyLock::new(Cluster::start);
        &SHARED
    }

    /// A private cluster for tests that stop and start it.
    ///
    /// # Panics
    /// If there is no PostgreSQL on this machine.
    pub fn start() -> Self {
        Self::start_with(HASTE)
    }

    /// A private cluster with durable commits.
    ///
    /// # Panics
    /// If there is no PostgreSQL on this machine.
    pub fn lasting() -> Self {
        Self::start_with("")
    }

    fn start_with(options: &str) -> Self {
        let programs = programs();
        let port = crate::ports::free_addr().port();
        let script: [&std::ffi::OsStr; 8] = [
            "sh".as_ref(),
            "-c".as_ref(),
            SCRIPT.as_ref(),
            "cluster".as_ref(),
            programs.as_os_str(),
            &std::ffi::OsString::from(port.to_string()),
            PASSWORD.as_ref(),
            options.as_ref(),
        ];
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", USER, "--regid", GROUP, "--clear-groups", "--"]);
            command.args(script);
            command
        } else {
            let mut command = Command::new(script[0]);
            command.args(&script[1..]);
            command
        };
        let child = command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("a shell is there");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let talk = (stdin.expect("it is piped"), BufReader::new(stdout.expect("it is piped")));
        let cluster = Self { port, talk: Mutex::new(Some(talk)), child, made: AtomicU32::new(0) };
        assert_eq!(cluster.line(""), "ready", "the cluster starts");
        cluster
    }

    /// A new database, and its address: its owner may make roles, and is no superuser.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.made.fetch_add(1, Ordering::Relaxed));
        self.sql(
            "postgres",
            &[
                &format!("CREATE ROLE {name} LOGIN CREATEROLE PASSWORD '{PASSWORD}'"),
                &format!("CREATE DATABASE {name} OWNER {name}"),
            ],
        );
        format!("postgres://{name}:{PASSWORD}@127.0.0.1:{}/{name}", self.port)
    }

    /// The address of the database of that name for the cluster's administrator.
    pub fn admin(&self, database: &str) -> String {
        format!("postgres://postgres:{PASSWORD}@127.0.0.1:{}/{database}", self.port)
    }

    /// Runs statements as the administrator, each by itself; returns the first column of all rows as text.
    ///
    /// # Panics
    /// If one fails.
    pub fn sql(&self, database: &str, statements: &[&str]) -> Vec<String> {
        let url = self.admin(database);
        let statements: Vec<_> = statements.iter().map(|it| (*it).to_owned()).collect();
        // A test may be at work on a runtime of its own.
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime can be made").block_on(async {
                let (client, connection) =
                    tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("it lets in");
                tokio::spawn(connection);
                let mut found = Vec::new();
                for sql in &statements {
                    let messages = client.simple_query(sql).await;
                    for message in messages.unwrap_or_else(|error| panic!("{sql}: {error:?}")) {
                        if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
                            found.push(row.get(0).unwrap_or_default().to_owned());
                        }
                    }
                }
                found
            })
        };
        std::thread::spawn(work).join().expect("the statements are right")
    }

    /// Dumps the database at `url` as text.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn dump(&self, url: &str) -> Vec<u8> {
        let name = url.rsplit('/').next().expect("it ends with a name");
        self.sql(name, &["SELECT database_to_xml(true, false, '')"]).concat().into_bytes()
    }

    /// Stops the server; its data stay.
    pub fn stop(&self) {
        assert_eq!(self.line("stop\n"), "stopped");
    }

    /// Kills the server without closing connections; it recovers when it starts. Acknowledged commits stay
    /// where the database has `synchronous_commit = on`.
    pub fn crash(&self) {
        assert_eq!(self.line("crash\n"), "stopped");
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts it again.
    pub fn restart(&self) {
        assert_eq!(self.line("start\n"), "started");
    }

    fn line(&self, asked: &str) -> String {
        let mut talk = self.talk.lock().expect("no test ends in between");
        let talk = talk.as_mut().expect("it runs");
        talk.0.write_all(asked.as_bytes()).expect("the cluster listens");
        let mut line = String::new();
        talk.1.read_line(&mut line).expect("the cluster answers");
        line.trim_end().to_owned()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Ok(mut talk) = self.talk.lock() {
            *talk = None;
        }
        let _ = self.child.wait();
    }
}

/// A program that comes with the server, such as `pg_dump`.
pub fn program(name: &str) -> Command {
    Command::new(programs().join(name))
}

/// Whether PostgreSQL is on this machine.
pub fn is_installed() -> bool {
    found().is_some()
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|it| it.stdout.trim_ascii() == b"0")
}

/// The folder of `initdb` and its like: of the newest version that Debian has put here, or where `pg_config` says.
fn programs() -> PathBuf {
    found().expect(
        "PostgreSQL 15 or newer is not on this machine; on Debian `apt-get install postgresql`",
    )
}

fn found() -> Option<PathBuf> {
    let versions = std::fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let mut found: Vec<_> = versions
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin")))
        })
        .filter(|it| it.1.join("initdb").is_file())
        .collect();
    found.sort();
    let shown = || {
        let output = Command::new("pg_config").arg("--bindir").output().ok()?;
        Some(Path::new(String::from_utf8(output.stdout).ok()?.trim()).to_owned())
    };
    found.pop().map(|it| it.1).or_else(shown)
}
