//! Durable reservations per second, compared with the group commit of the same disk, and the cost of a seat's
//! change for each open grid.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::figures::{Report, Row, Spread};
use crate::servers::Server;
use crate::wire::{Call, Connection, has_output, listen_request};

/// Clients that reserve at a time, each a seat of its own.
const CLIENTS: usize = 64;
/// Bytes that a client of the disk alone wants to be durable: about what a reservation says.
const RECORD_BYTES: usize = 512;
const SCREENS: usize = 4;
const ROWS: usize = 20;
const SEATS_OF_ROW: usize = 20;
/// Clients that listen to one hall, and changes of a seat in it in each round.
const GRIDS: usize = 1_000;
const CHANGES: usize = 20;
/// Clients that read the hall at a time, and how often each does.
const READERS: usize = 16;
const READS: usize = 25;
/// How long all notices of one change may take before they count as lost.
const NOTIFIED: Duration = Duration::from_secs(30);
/// The method in each notice.
const NOTICE: &[u8] = b"notifications/resources/updated";
/// The host's acknowledgement of a subscription.
const AGREED: &[u8] = b"notifications/subscriptions/acknowledged";

/// A cinema of equal halls in which one film runs every other hour of the day.
pub(crate) fn catalogue() -> Value {
    let row = |at: usize| json!({ "row": row_letter(at), "seats": "s".repeat(SEATS_OF_ROW) });
    let rows: Vec<_> = (0..ROWS).map(row).collect();
    let screens = (1..=SCREENS)
        .map(|it| json!({ "screen_id": format!("s{it}"), "name": format!("{it}"), "rows": rows }));
    let times: Vec<_> = (0..12).map(|it| format!("{:02}:00", it * 2)).collect();
    let shown = (1..=SCREENS)
        .map(|it| json!({ "screen_id": format!("s{it}"), "movie_id": "film", "times": times }));
    json!({
        "screens": screens.collect::<Vec<_>>(),
        "movies": [{ "movie_id": "film", "title": "Film", "description": "A film.", "duration": 60, "rating": 4.0 }],
        "programme": shown.collect::<Vec<_>>(),
    })
}

fn row_letter(row: usize) -> char {
    char::from(b'A' + u8::try_from(row % 26).unwrap_or_default())
}

/// The `number`-th seat of a hall.
fn seat(number: usize) -> String {
    format!("{}{}", row_letter(number / SEATS_OF_ROW), number % SEATS_OF_ROW + 1)
}

/// Showings of the last five days on sale.
async fn showings(host: &Server) -> Result<Vec<String>> {
    let call = Call::named("list_showtimes", json!({ "movie_id": "film" }));
    let listed = output(host, &call).await?;
    let listed = listed["showtimes"].as_array().context("no showings")?;
    let mut found: Vec<_> = listed
        .iter()
        .filter_map(|it| Some((it["start_time"].as_str()?, it["showtime_id"].as_str()?)))
        .collect();
    found.sort_unstable();
    let first = found.len().saturating_sub(5 * 12 * SCREENS);
    Ok(found[first..].iter().map(|it| it.1.to_owned()).collect())
}

async fn output(host: &Server, call: &Call) -> Result<Value> {
    let mut connection = Connection::open(&host.address).await?;
    let answer = connection.exchange(&call.request(&host.address)).await?;
    let answer: Value = serde_json::from_slice(answer)?;
    ensure!(answer["result"]["structuredContent"].is_object(), "{answer}");
    Ok(answer["result"]["structuredContent"].clone())
}

/// Both measurements, in rounds that take turns.
pub(crate) async fn measure(
    host: &Server,
    rounds: usize,
    round: Duration,
    report: &mut Report,
) -> Result<()> {
    let showings = Arc::<[String]>::from(showings(host).await?);
    // The last one is for the grids.
    let next = Arc::new(AtomicUsize::new(0));
    reserve(host, &showings, &next, round / 4).await?;
    let (mut pairs, mut cpu, mut times, mut syncs) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let raw = tokio::task::spawn_blocking(move || group_commits(round)).await??;
        let ours = reserve(host, &showings, &next, round).await?;
        pairs.push((Some(ours.per_second), Some(raw.per_second)));
        cpu.extend(ours.cpu_us);
        times.push(ours.median_ms);
        syncs.push(raw.sync_ms);
    }
    let sold = Row::of_pairs("reservations per second, records made durable", &pairs);
    let spread = |name: &str, values| Row { ours: Spread::of(values), ..Row::of_one(name, None) };
    let cpu = spread("CPU of the host per reservation, µs", cpu);
    report.figure("reservations_per_second", sold.ours());
    report.figure("reservations_vs_group_commit", sold.ratio());
    report.figure("reservation_cpu_us", cpu.ours());
    let rows = vec![
        sold,
        cpu,
        spread("a reservation, median, ms", times),
        spread("one sync of the disk, mean, ms", syncs),
    ];
    let title =
        format!("{CLIENTS} clients reserve a seat each time, against group commit to a file");
    report.section(title, rows);

    let hall = showings.last().context("no showing")?;
    let (mut alone, mut notified, mut read) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        alone.extend(changes(host, hall, &Grids::none()).await?);
        let mut grids = Grids::open(host, hall, GRIDS).await?;
        notified.extend(changes(host, hall, &grids).await?);
        grids.tasks.shutdown().await;
        read.extend(reads(host, hall).await?);
    }
    let each =
        alone.iter().zip(&notified).map(|(alone, notified)| (notified - alone) / GRIDS as f64);
    let notice = spread("CPU of the host per change and grid, µs", each.collect());
    report.figure("grid_cpu_us", notice.ours());
    let rows = vec![
        notice,
        spread("CPU of the host per change alone, µs", alone),
        spread("CPU of the host per grid that reads its hall again, µs", read),
    ];
    report.section(format!("{GRIDS} grids listen to one hall, a seat is held and let go"), rows);
    Ok(())
}

/// The figures of one round of reservations.
struct Sold {
    per_second: f64,
    cpu_us: Option<f64>,
    median_ms: f64,
}

/// Reserves seats that no other call asks for, as fast as 64 clients can.
async fn reserve(
    host: &Server,
    showings: &Arc<[String]>,
    next: &Arc<AtomicUsize>,
    round: Duration,
) -> Result<Sold> {
    let (cpu, begun) = (host.cpu(), Instant::now());
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (showings, next, address) = (showings.clone(), next.clone(), host.address.clone());
        clients.spawn(async move {
            let mut connection = Connection::open(&address).await?;
            let mut times = Vec::new();
            while begun.elapsed() < round {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let (show, seat) = (number / (ROWS * SEATS_OF_ROW), seat(number % (ROWS * SEATS_OF_ROW)));
                ensure!(show + 1 < showings.len(), "every seat is sold; take shorter rounds");
                let arguments = json!({ "user_id": format!("u{number}"), "showtime_id": showings[show], "seat_ids": [seat] });
                let request = Call::named("reserve_seats", arguments).request(&address);
                let asked = Instant::now();
                let answer = connection.exchange(&request).await?;
                times.push(asked.elapsed().as_secs_f64() * 1_000.0);
                ensure!(has_output(answer), "not reserved: {}", String::from_utf8_lossy(answer));
            }
            Ok(times)
        });
    }
    let mut times = Vec::new();
    while let Some(done) = clients.join_next().await {
        times.extend(done??);
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let used = cpu.zip(host.cpu()).map(|(before, after)| after.saturating_sub(before));
    let count = times.len() as f64;
    Ok(Sold {
        per_second: count / elapsed,
        cpu_us: used.map(|it| it.as_secs_f64() * 1e6 / count),
        median_ms: Spread::of(times).context("nothing was reserved")?.median,
    })
}

/// The figures of the disk alone.
struct Committed {
    per_second: f64,
    sync_ms: f64,
}

/// Records to be written, and the number of durable ones.
#[derive(Default)]
struct Log {
    waiting: Vec<u8>,
    taken: usize,
    durable: usize,
    is_writing: bool,
}

/// As many threads as there are clients, each waiting until its record is on the disk. One that finds no other writing
/// writes for all that wait. The file lies beside the host's databases, which are temporary as well.
fn group_commits(round: Duration) -> Result<Committed> {
    let folder = TempDir::new()?;
    let file = std::fs::File::create(folder.path().join("log"))?;
    let (log, changed) = (Mutex::new(Log::default()), Condvar::new());
    let syncs = AtomicUsize::new(0);
    let (begun, busy) = (Instant::now(), Mutex::new(Duration::ZERO));
    let client = || -> Result<usize> {
        let (record, mut records) = ([b'r'; RECORD_BYTES], 0);
        while begun.elapsed() < round {
            let mut state = log.lock().map_err(|_| anyhow::anyhow!("a client ended"))?;
            state.waiting.extend(record);
            state.taken += 1;
            let own = state.taken;
            while state.durable < own {
                if state.is_writing {
                    state = changed.wait(state).map_err(|_| anyhow::anyhow!("a client ended"))?;
                    continue;
                }
                state.is_writing = true;
                let (bytes, last) = (std::mem::take(&mut state.waiting), state.taken);
                drop(state);
                let asked = Instant::now();
                (&file).write_all(&bytes)?;
                file.sync_data()?;
                syncs.fetch_add(1, Ordering::Relaxed);
                *busy.lock().map_err(|_| anyhow::anyhow!("a client ended"))? += asked.elapsed();
                state = log.lock().map_err(|_| anyhow::anyhow!("a client ended"))?;
                (state.is_writing, state.durable) = (false, last);
                changed.notify_all();
            }
            records += 1;
        }
        Ok(records)
    };
    let records = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        let ended = clients
            .into_iter()
            .map(|it| it.join().map_err(|_| anyhow::anyhow!("a client ended"))?);
        ended.sum::<Result<usize>>()
    })?;
    let busy = busy.into_inner().map_err(|_| anyhow::anyhow!("a client ended"))?;
    Ok(Committed {
        per_second: records as f64 / begun.elapsed().as_secs_f64(),
        sync_ms: busy.as_secs_f64() * 1_000.0 / syncs.into_inner().max(1) as f64,
    })
}

/// Clients that listen to a hall, and how many notices have come to them in all.
struct Grids {
    tasks: JoinSet<Result<()>>,
    count: usize,
    notices: Arc<AtomicUsize>,
}

impl Grids {
    fn none() -> Self {
        Self { tasks: JoinSet::new(), count: 0, notices: Arc::default() }
    }

    async fn open(host: &Server, showing: &str, count: usize) -> Result<Self> {
        let (mut tasks, notices) = (JoinSet::new(), Arc::new(AtomicUsize::new(0)));
        let uri = format!("cinema://showtimes/{showing}/seats");
        let request = listen_request(&host.address, &uri);
        for _ in 0..count {
            let mut stream = TcpStream::connect(&host.address).await?;
            stream.write_all(&request).await?;
            let mut text = Vec::new();
            while !take(&mut text, AGREED) {
                ensure!(
                    stream.read_buf(&mut text).await? > 0,
                    "{}",
                    String::from_utf8_lossy(&text)
                );
            }
            let notices = notices.clone();
            tasks.spawn(async move {
                loop {
                    while take(&mut text, NOTICE) {
                        notices.fetch_add(1, Ordering::Relaxed);
                    }
                    ensure!(stream.read_buf(&mut text).await? > 0, "a grid was given up");
                }
            });
        }
        Ok(Self { tasks, count, notices })
    }

    /// Waits until every grid has had so many notices.
    async fn notified(&self, changes: usize) -> Result<()> {
        let begun = Instant::now();
        while self.notices.load(Ordering::Relaxed) < changes * self.count {
            ensure!(begun.elapsed() < NOTIFIED, "{} notices", self.notices.load(Ordering::Relaxed));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }
}

/// Takes the text up to the end of the first `what`, if it is there.
fn take(text: &mut Vec<u8>, what: &[u8]) -> bool {
    let Some(at) = text.windows(what.len()).position(|it| it == what) else { return false };
    text.drain(..at + what.len());
    true
}

/// CPU of the host for a change, in microseconds.
async fn changes(host: &Server, showing: &str, grids: &Grids) -> Result<Option<f64>> {
    let arguments = json!({ "user_id": "u", "showtime_id": showing, "seat_ids": [seat(0)] });
    let hold = Call::named("hold_seats", arguments);
    let before = host.cpu();
    for change in 0..CHANGES / 2 {
        let held = output(host, &hold).await?;
        grids.notified(2 * change + 1).await?;
        let token = json!({ "hold_token": held["hold_token"] });
        output(host, &Call::named("release_hold", token)).await?;
        grids.notified(2 * change + 2).await?;
    }
    let used = before.zip(host.cpu()).map(|(before, after)| after.saturating_sub(before));
    Ok(used.map(|it| it.as_secs_f64() * 1e6 / CHANGES as f64))
}

/// CPU of the host for a grid that reads its hall, in microseconds.
async fn reads(host: &Server, showing: &str) -> Result<Option<f64>> {
    let arguments = json!({ "showtime_id": showing, "include_reserved": true });
    let request: Arc<[u8]> =
        Call::named("list_available_seats", arguments).request(&host.address).into();
    let (before, mut readers) = (host.cpu(), JoinSet::new());
    for _ in 0..READERS {
        let (request, address) = (request.clone(), host.address.clone());
        readers.spawn(async move {
            let mut connection = Connection::open(&address).await?;
            for _ in 0..READS {
                let answer = connection.exchange(&request).await?;
                ensure!(has_output(answer), "{}", String::from_utf8_lossy(answer));
            }
            Ok(())
        });
    }
    while let Some(done) = readers.join_next().await {
        done??;
    }
    let used = before.zip(host.cpu()).map(|(before, after)| after.saturating_sub(before));
    Ok(used.map(|it| it.as_secs_f64() * 1e6 / (READERS * READS) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_durable_before_its_client_continues() {
        let raw = group_commits(Duration::from_millis(50)).unwrap();
        assert!(raw.per_second > 0.0 && raw.sync_ms > 0.0);
    }

    #[test]
    fn seats_have_the_names_of_the_catalogue() {
        assert_eq!([seat(0), seat(19), seat(20), seat(399)], ["A1", "A20", "B1", "T20"]);
        assert_eq!(catalogue()["screens"][0]["rows"].as_array().unwrap().len(), ROWS);
    }

    #[test]
    fn notice_split_anywhere_is_counted_once() {
        let mut text = b"notifications/resources/upd".to_vec();
        assert!(!take(&mut text, NOTICE));
        text.extend(b"ated notifications/resources/updated");
        assert!(take(&mut text, NOTICE) && take(&mut text, NOTICE) && !take(&mut text, NOTICE));
    }
}
