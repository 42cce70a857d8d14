//! Components' SQL moves from SQLite to PostgreSQL and back, all or nothing (STO-42, STO-43).

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use host::database::{self, Moved, Plan};
use serde_json::{Value as Json, json};
use tests::{
    component_bytes,
    fixtures::{agents_toml, credentials, free_seats, showtime_id, showtimes},
    forms,
    postgres::program,
    process::{bare_command, command, output},
    server::{Folders, TestServer},
};

use super::*;

/// Every type, references among rows and tables, and rows that the migrations themselves put there.
const EVERYTHING: [&str; 6] = [
    "CREATE TABLE kept (id INTEGER PRIMARY KEY, n INTEGER, r REAL, t TEXT, b BLOB, j JSON, s SECRET_TEXT)",
    "CREATE TABLE \"Orders\" (id TEXT NOT NULL PRIMARY KEY, after TEXT REFERENCES \"Orders\"(id), kept INTEGER REFERENCES kept(id))",
    "CREATE TABLE bare (a INTEGER, b TEXT, PRIMARY KEY (a, b))",
    "CREATE UNIQUE INDEX kept_text ON kept(t) WHERE t IS NOT NULL",
    "CREATE VIEW seen AS SELECT id, t FROM kept",
    "INSERT INTO kept (id, t) VALUES (1, 'of the migration')",
];
const ROWS: &str = "SELECT id, n, r, t, b, s FROM kept ORDER BY id";
const ORDERS: &str = "SELECT id, after, kept FROM \"Orders\" ORDER BY id";

fn list() -> [Migration; 2] {
    [
        migration(1, &EVERYTHING),
        migration(2, &["ALTER TABLE kept ADD COLUMN more TEXT DEFAULT '無'"]),
    ]
}

/// A data folder in which the component `all` has such a database.
async fn full() -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join("databases/all.db");
    let database = Database::open(&path, Limits::default()).unwrap();
    database.migrate(&list()).await.unwrap();
    assert_eq!(
        write(&database, "UPDATE kept SET t = 'changed since' WHERE id = 1").await,
        "1 changed"
    );
    let add = "INSERT INTO kept (id, n, r, t, b, j, s) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let rows = [
        (2, Value::Integer(i64::MIN), Value::Real(-1e300), text("窓口 🎬 \"'\\\n"), "{\"a\": [1]}"),
        (3, Value::Integer(i64::MAX), Value::Real(0.1), text(""), "5"),
        (40, Value::Null, Value::Null, Value::Null, "1.50"),
        (41, Value::Integer(0), Value::Real(5e-324), text("が"), "\"5\""),
    ];
    for (key, integer, real, words, document) in rows {
        let bytes = match key {
            40 => Value::Null,
            _ => Value::Blob((0..=255).collect()),
        };
        let row = [Value::Integer(key), integer, real, words, bytes, text(document), text("hash")];
        database.transact(vec![statement(add, &row)], far_deadline()).await.unwrap();
    }
    let orders = "INSERT INTO \"Orders\" VALUES ('b', NULL, 41), ('a', 'b', NULL), ('c', 'a', 2)";
    assert_eq!(write(&database, orders).await, "3 changed");
    database.close().await;
    data
}

fn plans(recorded: &[database::Recorded]) -> Vec<Plan> {
    recorded.iter().map(|it| it.plan(&list()).expect("made by these")).collect()
}

async fn fill(server: &Server, data: &Path) -> Result<Vec<Moved>, String> {
    let recorded = database::recorded(data).map_err(|it| it.to_string())?;
    server.fill_from(data, &plans(&recorded), &[]).await.map_err(|it| it.to_string())
}

async fn empty(server: &Server, data: &Path) -> Result<Vec<Moved>, String> {
    let recorded = server.recorded(&[]).await.map_err(|it| it.to_string())?;
    server.empty_into(data, &plans(&recorded), &[]).await.map_err(|it| it.to_string())
}

/// Checks that the database has no components.
fn has_nothing(cluster: &Cluster, url: &str) -> bool {
    let tables = "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
        WHERE nspname LIKE 'component%' UNION ALL SELECT component FROM madoguchi.migrations";
    cluster.sql(url.rsplit('/').next().unwrap(), &[tables]).is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_move_there_and_back_with_equal_digests() {
    let (data, back) = (full().await, tempfile::tempdir().unwrap());
    let server = Server::connect(&address(&Cluster::shared().database())).await.unwrap();
    // The host's own data belongs to no component.
    let accounts = server.database(".accounts", Limits::default()).await.unwrap();
    accounts.migrate(&[migration(1, &["CREATE TABLE people (t TEXT)"])]).await.unwrap();
    let over = fill(&server, data.path()).await.unwrap();
    let tables: Vec<_> = over.iter().map(|it| (it.table.as_str(), it.rows)).collect();
    assert_eq!(tables, [("Orders", 3), ("bare", 0), ("kept", 5)]);
    let there = server.database("all", Limits::default()).await.unwrap();
    assert_eq!(there.migrate(&list()).await.unwrap(), 0, "they are known to be applied");
    let home = Database::open(data.path().join("databases/all.db"), Limits::default()).unwrap();
    for sql in [ROWS, ORDERS, "SELECT id, t FROM seen ORDER BY id"] {
        assert_eq!(read(&home, sql).await, read(&there, sql).await, "{sql}");
    }
    home.close().await;
    // Back from there: the same once more, and it goes on where it was.
    let moved = empty(&server, back.path()).await.unwrap();
    assert_eq!(moved, over);
    assert_eq!(database::recorded(back.path()).unwrap(), database::recorded(data.path()).unwrap());
    assert!(!back.path().join(".moving").exists());
    let home = Database::open(back.path().join("databases/all.db"), Limits::default()).unwrap();
    assert_eq!(home.migrate(&list()).await.unwrap(), 0);
    for database in [&home, &there] {
        let mut body = read(database, ROWS).await;
        body += &read(database, "SELECT j FROM kept WHERE id = 2").await;
        assert!(body.contains("窓口 🎬") && body.contains(&i64::MIN.to_string()), "{body}");
        assert_eq!(write(database, "INSERT INTO kept (t) VALUES ('new')").await, "1 changed");
        assert_eq!(read(database, "SELECT id FROM kept WHERE t = 'new'").await, "42");
        let broken = "INSERT INTO \"Orders\" VALUES ('d', 'nowhere', NULL)";
        assert!(write(database, broken).await.starts_with("0: ForeignKey"), "references hold");
        database.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nonempty_target_is_not_filled() {
    let (data, cluster) = (full().await, Cluster::shared());
    let server = Server::connect(&address(&cluster.database())).await.unwrap();
    fill(&server, data.path()).await.unwrap();
    let error = fill(&server, data.path()).await.unwrap_err();
    assert!(error.contains("has all already") || error.contains("has component_all"), "{error}");
    let refusal = empty(&server, data.path()).await.unwrap_err();
    assert!(
        refusal.contains("databases/all.db is there") && refusal.contains("move the files"),
        "{refusal}"
    );
    // A table that no migration is known of is something as well.
    let url = cluster.database();
    let name = url.rsplit('/').next().unwrap();
    let other = Server::connect(&address(&url)).await.unwrap();
    cluster.sql(name, &["CREATE SCHEMA component_x", "CREATE TABLE component_x.t (n bigint)"]);
    let refusal = fill(&other, data.path()).await.unwrap_err();
    assert!(refusal.contains("component_x.t already"), "{refusal}");
}

/// SQLite keeps a text in a column of integers where it is told to; PostgreSQL does not.
#[tokio::test(flavor = "multi_thread")]
async fn unfitting_row_is_named_and_nothing_is_moved() {
    let (data, cluster) = (full().await, Cluster::shared());
    let path = data.path().join("databases/all.db");
    let database = Database::open(&path, Limits::default()).unwrap();
    assert_eq!(write(&database, "UPDATE kept SET n = 'three' WHERE id = 3").await, "1 changed");
    database.close().await;
    let url = cluster.database();
    let server = Server::connect(&address(&url)).await.unwrap();
    let refusal = fill(&server, data.path()).await.unwrap_err();
    assert!(refusal.contains("column n of the table kept holds a text"), "{refusal}");
    assert!(has_nothing(cluster, &url));
    let database = Database::open(&path, Limits::default()).unwrap();
    assert_eq!(write(&database, "UPDATE kept SET n = 3 WHERE id = 3").await, "1 changed");
    database.close().await;
    assert_eq!(fill(&server, data.path()).await.unwrap().len(), 3);
}

/// Migrations that are not those of before make no database for it.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_builds_own_migrations_make_a_plan() {
    let data = full().await;
    let recorded = database::recorded(data.path()).unwrap();
    let [entry] = recorded.as_slice() else { panic!("{recorded:?}") };
    assert_eq!((entry.component.as_str(), entry.hashes.len()), ("all", 2));
    let longer: Vec<_> = list().into_iter().chain([migration(3, &["DROP VIEW seen"])]).collect();
    assert!(entry.plan(&longer).is_some(), "a later build begins with them");
    assert!(entry.plan(&longer[..1]).is_none(), "an earlier one has not all");
    let other = [migration(1, &EVERYTHING[..5]), longer[1].clone()];
    assert!(entry.plan(&other).is_none(), "another one");
}

const COMPONENTS: [&str; 3] = ["cinema", "conversations", "forms"];

/// What is on SQLite, whichever engine the ring runs on.
fn on_sqlite(config: &mut host::Config) {
    config.store.url = None;
}

/// Folders in which three components have served: a seat is reserved, a form waits, two agents talk.
async fn used_folders() -> (Folders, Json, forms::RequestedForm) {
    let folders = Folders::new();
    for name in COMPONENTS {
        folders.put(name, &component_bytes(name));
    }
    let agents = [("a".to_owned(), "壱".to_owned()), ("b".to_owned(), "B".to_owned())];
    let config = folders.config_with(&agents_toml("arena", &agents));
    let mut server = TestServer::start(folders, |into| {
        *into = config;
        on_sqlite(into);
    })
    .await;
    let client = server.client();
    let showtime = showtime_id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &showtime).await.remove(0);
    let reserve = json!({ "user_id": "mia", "showtime_id": showtime, "seat_ids": [seat] });
    let reserved = client.output("reserve_seats", reserve).await;
    let form = forms::ask(&client, &forms::example(1)).await;
    let session = client.output("authenticate", credentials("a", "arena")).await;
    let start = json!({ "session_token": session["session_token"], "target_agent_id": "b" });
    client.output("start_conversation", start).await;
    server.stop().await;
    let TestServer { folders, .. } = server;
    (folders, reserved["reservation_id"].clone(), form)
}

/// The command, with the server's address in its environment.
pub(super) fn moving(folders: &Folders, url: &str, to: &str) -> Command {
    let mut command = command(folders);
    command.args(["move", "--to", to, "--components"]).arg(folders.components());
    command.env("MADOGUCHI_STORE", url);
    command
}

/// The command's output.
pub(super) fn moved(folders: &Folders, url: &str, to: &str) -> String {
    let done = output(&mut moving(folders, url, to));
    let (out, error) =
        (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}{error}");
    assert!(!format!("{out}{error}").contains(tests::postgres::PASSWORD), "{out}{error}");
    out.into_owned()
}

fn refusal(folders: &Folders, url: &str, to: &str) -> String {
    let done = output(&mut moving(folders, url, to));
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// The lines of the tables.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|it| it.contains(" rows  ")).collect()
}

/// Moves the data folder's files away.
fn move_away(folders: &Folders) {
    let before = folders.data().join("before");
    fs::create_dir(&before).unwrap();
    for name in ["databases", "approvals", "tasks", "blobs", "answers.guard"] {
        fs::rename(folders.data().join(name), before.join(name)).unwrap();
    }
}

async fn holds(server: &TestServer, (reservation, form): (&Json, &forms::RequestedForm)) {
    let client = server.client();
    let asked = json!({ "reservation_id": reservation });
    assert_eq!(&client.output("get_reservation", asked).await["reservation_id"], reservation);
    assert_eq!(forms::submission(&client, &form.handle).await["status"], "waiting");
}

#[tokio::test(flavor = "multi_thread")]
async fn components_resume_their_state_after_a_move_both_ways() {
    let (folders, reservation, form) = used_folders().await;
    let url = Cluster::shared().database();
    let over = moved(&folders, &url, "postgres");
    assert!(lines(&over).len() > 20, "{over}");
    for table in ["cinema.reservations", "conversations.conversations", "forms.forms"] {
        assert!(lines(&over).iter().any(|it| it.starts_with(table)), "{table}: {over}");
    }
    assert!(over.contains("the same") && over.contains("stay where they were"), "{over}");
    let failure = refusal(&folders, &url, &url);
    assert!(failure.contains("already"), "{failure}");
    let mut server =
        TestServer::start(folders, |it| it.store.url = Some(host::config::Given::value(&url)))
            .await;
    holds(&server, (&reservation, &form)).await;
    let held = refusal(&server.folders, &url, "sqlite");
    assert!(held.contains("another server"), "a server runs: {held}");
    server.stop().await;
    let TestServer { folders, .. } = server;
    let refusal = refusal(&folders, &url, "sqlite");
    assert!(refusal.contains(".db is there"), "what SQLite has is not written over: {refusal}");
    move_away(&folders);
    let back = moved(&folders, &url, "sqlite");
    assert_eq!(lines(&back).len(), lines(&over).len());
    let server = TestServer::start(folders, on_sqlite).await;
    holds(&server, (&reservation, &form)).await;
}

/// Locks a table of the last component to be moved, until it is dropped.
pub(super) async fn hold(cluster: &Cluster, url: &str, sql: &str) -> tokio_postgres::Client {
    let admin = cluster.admin(url.rsplit('/').next().unwrap());
    let (client, connection) =
        tokio_postgres::connect(&admin, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("BEGIN").await.unwrap();
    client.batch_execute(sql).await.unwrap();
    client
}

/// Kills a move that waits for that lock.
pub(super) async fn kill_in_the_middle(mut command: Command, (cluster, url): (&Cluster, &str)) {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().unwrap();
    let waits = "SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    // On a new connection each time: within a transaction the server says the same again.
    while cluster.sql(url.rsplit('/').next().unwrap(), &[waits]).is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it did not wait");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

fn bytes_of(folder: PathBuf) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut found: Vec<_> = entries.map(|it| (it.clone(), fs::read(it).unwrap())).collect();
    found.sort();
    found
}

/// STO-43
#[tokio::test(flavor = "multi_thread")]
async fn killed_move_has_moved_nothing() {
    let (folders, reservation, form) = used_folders().await;
    let cluster = Cluster::shared();
    let url = cluster.database();
    drop(Server::connect(&address(&url)).await.unwrap());
    let before = bytes_of(folders.data().join("databases"));
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('component_forms', 0))";
    let held = hold(cluster, &url, lock).await;
    kill_in_the_middle(moving(&folders, &url, "postgres"), (cluster, &url)).await;
    held.batch_execute("ROLLBACK").await.unwrap();
    assert!(has_nothing(cluster, &url), "the first components were there already");
    let database_files = |all: &[(PathBuf, Vec<u8>)]| -> Vec<_> {
        all.iter().filter(|it| it.0.extension().is_some_and(|it| it == "db")).cloned().collect()
    };
    let after = bytes_of(folders.data().join("databases"));
    assert!(database_files(&before) == database_files(&after), "the source is as it was");
    // The server of before has gone with its process, and a second try is a new one.
    let over = moved(&folders, &url, "postgres");

    move_away(&folders);
    let held =
        hold(cluster, &url, "LOCK TABLE component_forms.forms IN ACCESS EXCLUSIVE MODE").await;
    kill_in_the_middle(moving(&folders, &url, "sqlite"), (cluster, &url)).await;
    held.batch_execute("ROLLBACK").await.unwrap();
    assert!(!folders.data().join("databases/cinema.db").exists(), "nothing is in its place");
    let back = moved(&folders, &url, "sqlite");
    assert_eq!(lines(&back), lines(&over));
    let server = TestServer::start(folders, on_sqlite).await;
    holds(&server, (&reservation, &form)).await;
}

/// As docs/operating.md has it: dumped, put back into a new database, and served from there (STO-44).
#[tokio::test(flavor = "multi_thread")]
async fn a_dump_is_served_from_a_new_database() {
    let cluster = Cluster::shared();
    let (url, other) = (cluster.database(), cluster.database());
    let folders = Folders::new();
    folders.put("cinema", &component_bytes("cinema"));
    let at = |url: &str| Some(host::config::Given::value(url));
    let mut server = TestServer::start(folders, |it| it.store.url = at(&url)).await;
    let client = server.client();
    let showtime = showtime_id(&showtimes(&client).await[0]);
    let seat = free_seats(&client, &showtime).await.remove(0);
    let reserve = json!({ "user_id": "mia", "showtime_id": showtime, "seat_ids": [seat] });
    let reserved = client.output("reserve_seats", reserve).await;
    server.stop().await;
    let TestServer { folders, .. } = server;

    let dump = folders.data().with_file_name("madoguchi.dump");
    let done = |command: &mut Command| {
        let done = output(command);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    done(program("pg_dump").args(["--format=custom", "--file"]).arg(&dump).arg(&url));
    let copy = folders.data().with_file_name("copy");
    done(bare_command(&folders).arg("backup").arg(&copy));
    let mut restore = program("pg_restore");
    restore.args(["--no-owner", "--no-privileges", "--exit-on-error", "--dbname", &other]);
    done(restore.arg(&dump));

    let again = Folders::new();
    again.put("cinema", &component_bytes("cinema"));
    done(bare_command(&again).arg("restore").arg(&copy));
    assert!(again.data().join("generations/cinema/manifest.json").is_file());
    let server = TestServer::start(again, |it| it.store.url = at(&other)).await;
    let client = server.client();
    let kept = json!({ "user_id": "mia", "reservation_id": reserved["reservation_id"] });
    client.output("cancel_reservation", kept).await;
    let name = other.rsplit('/').next().unwrap();
    let owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'component_cinema'";
    assert_eq!(cluster.sql(name, &[owners]), [format!("{name}.component_cinema")]);
}

/// STO-42: other hosts would write to the data during the move.
#[tokio::test(flavor = "multi_thread")]
async fn move_rejects_a_database_in_use_by_a_host() {
    let url = Cluster::shared().database();
    let (one, other) = (address(&url), address(&url));
    let one = Server::connect(&one).await.unwrap();
    let other = Server::connect(&other).await.unwrap();
    let refusal = one.alone().await.unwrap_err().to_string();
    assert!(
        refusal.contains("stop them first") && !refusal.contains(tests::postgres::PASSWORD),
        "{refusal}"
    );
    other.close().await;
    one.alone().await.unwrap();
    assert!(Server::connect(&address(&url)).await.is_err(), "and none comes meanwhile");
}

/// Without a target the possible ones are listed, and an unknown one is refused.
#[test]
fn move_without_target_lists_possible_targets() {
    let folders = Folders::new();
    let failure = refusal(&folders, "", "mysql");
    assert!(failure.contains("`postgres`") && failure.contains("`sqlite`"), "{failure}");
    let refusal = refusal(&folders, "", "sqlite");
    assert!(refusal.contains("MADOGUCHI_STORE"), "{refusal}");
}
