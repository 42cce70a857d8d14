//! Tests of a process killed while writing.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::*;

const CHILD: &str = "MADOGUCHI_DATABASE_OF_THE_CHILD";

/// The process to be killed: sells seats and prints acknowledged sales.
async fn sell_until_killed(path: PathBuf) {
    let cinema = Database::open(path, Limits::default()).unwrap();
    prepared(&cinema).await;
    let sellers: Vec<_> = (0..16)
        .map(|seller| {
            let cinema = cinema.clone();
            tokio::spawn(async move {
                for number in 0.. {
                    let seat = format!("{seller}-{number}");
                    cinema.transact(sell("noon", &seat), later()).await.unwrap();
                    println!("sold {seat}");
                }
            })
        })
        .collect();
    for seller in sellers {
        seller.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_survive_kill_9_exactly_once() {
    if let Some(path) = std::env::var_os(CHILD) {
        return sell_until_killed(path.into()).await;
    }
    let folder = std::env::temp_dir().join(format!("madoguchi-kill-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("cinema.db");
    let (_, module) = module_path!().split_once("::").unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg(format!("{module}::acknowledged_writes_survive_kill_9_exactly_once"))
        .env(CHILD, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut sold = Vec::new();
    for line in lines {
        // The harness writes its own lines into the same stream, the first on the same line.
        if let Some((_, seat)) = line.split_once("sold ") {
            sold.push(seat.to_owned());
        }
        if sold.len() == 3_000 {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(sold.len() >= 3_000, "the child ended by itself after {}", sold.len());
    let cinema = Database::open(&path, Limits::default()).unwrap();
    for seat in &sold {
        let sql = "SELECT seat FROM seats WHERE showtime = 'noon' AND seat = $1";
        let rows = cinema.query(with(sql, [seat.as_str().into()]), later()).await.unwrap();
        assert_eq!(rows[0].rows.len(), 1, "{seat} was acknowledged and is gone");
    }
    cinema.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}
