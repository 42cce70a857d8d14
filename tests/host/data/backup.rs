//! Backups are taken during bookings, and restored whole or not at all.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use tests::operator::Operator;

use super::*;

fn run(folders: &Folders, arguments: &[&str], path: &Path) -> Output {
    output(bare_command(folders).args(arguments).arg(path))
}

#[tokio::test(flavor = "multi_thread")]
async fn restores_from_backup_all_that_was_acknowledged_before_it() {
    let folders = cinema_in_files();
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let upload = client.post("/api/blobs", &[("content-type", "text/plain")], "a blob").await;
    let blob: Value = upload.json().await.unwrap();
    let (booked, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
    let show = id(&showtimes(&client).await[0]);
    let seats = free_seats(&client, &show).await;
    let buyer = {
        let (client, booked, is_over) = (client.clone(), booked.clone(), is_over.clone());
        tokio::spawn(async move {
            for seat in seats {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let arguments = json!({ "user_id": "u", "showtime_id": show, "seat_ids": [seat] });
                let done = client.output("reserve_seats", arguments).await;
                booked.lock().unwrap().push(done["reservation_id"].as_str().unwrap().to_owned());
            }
        })
    };
    while booked.lock().unwrap().len() < 5 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let before = booked.lock().unwrap().clone();
    let copy = folders.components().with_file_name("copy");
    let taken = run(&folders, &["backup"], &copy);
    is_over.store(true, Ordering::Relaxed);
    assert!(taken.status.success(), "{taken:?}");
    buyer.await.unwrap();
    assert_eq!(open_to_others(&copy), [], "as secret as the folder");
    assert!(!copy.join("operator.json").exists() && !copy.join("host.lock").exists());
    assert!(copy.join("answers.guard").is_file(), "no used answer counts again");

    // Not over data, and never into what is copied.
    let over = run(&folders, &["restore"], &copy);
    let complaint = String::from_utf8_lossy(&over.stderr);
    assert!(!over.status.success() && complaint.contains("another server"), "{complaint}");
    assert!(!run(&folders, &["backup"], &copy).status.success(), "the copy is not written over");
    let inside = run(&folders, &["backup"], &folders.data().join("inside"));
    assert!(String::from_utf8_lossy(&inside.stderr).contains("elsewhere"), "{inside:?}");
    drop(process);
    let over = run(&folders, &["restore"], &copy);
    let complaint = String::from_utf8_lossy(&over.stderr);
    assert!(!over.status.success() && complaint.contains("has data already"), "{complaint}");

    let fresh = Folders::in_files();
    fresh.put("cinema", &component_bytes("cinema"));
    let restored = run(&fresh, &["restore"], &copy);
    assert!(restored.status.success(), "{restored:?}");
    assert_eq!(open_to_others(&fresh.data()), []);
    // A backup leaves out compiled code: one component is compiled again.
    let alone = fresh.components().join("madoguchi.toml");
    fs::write(&alone, "bundled = false\n").unwrap();
    let mut command = command(&fresh);
    command.args(["--addr", "127.0.0.1:0", "--components"]).arg(fresh.components());
    command.arg("--config").arg(&alone);
    let process = Process::from(command);
    let client = Client::new(&process.url);
    assert_eq!(health(&client).await["status"], "ok");
    for reservation in &before {
        let arguments = json!({ "reservation_id": reservation });
        let stored = client.output("get_reservation", arguments).await;
        assert_eq!(stored["reservation_id"], **reservation);
    }
    let path = format!("/api/blobs/{}", blob["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.text().await.unwrap(), "a blob");
    reserve(&client).await;
}

/// OPS-11: what the operator's page downloads is what the command copies, and comes back the same way.
#[tokio::test(flavor = "multi_thread")]
async fn a_downloaded_backup_is_restored_once_unpacked() {
    let folders = cinema_in_files();
    let process = Process::start(&folders);
    let client = Client::new(&process.url);
    let upload = client.post("/api/blobs", &[("content-type", "text/plain")], "a blob").await;
    let blob: Value = upload.json().await.unwrap();
    let reservation = reserve(&client).await;
    let operator = Operator::of(&folders.data());
    let ask = || {
        let address = format!("{}/operator/backup", operator.url);
        tests::client::http().build().unwrap().post(address).bearer_auth(&operator.token).send()
    };
    // One that is not read holds its turn, and nothing else up.
    let stalled = ask().await.unwrap();
    assert_eq!(stalled.status(), 200);
    assert_eq!(stalled.headers()["cache-control"], "no-store");
    reserve(&client).await;
    drop(stalled);
    let mut taken = None;
    tests::until("the next one has its turn", async || {
        let answer = ask().await.unwrap();
        match answer.status().as_u16() {
            200 => taken = Some(answer.bytes().await.unwrap()),
            status => assert_eq!(status, 409, "there is one at a time"),
        }
        taken.is_some()
    })
    .await;
    let taken = taken.unwrap();
    assert!(!folders.data().join("backup.tmp").exists(), "nothing is left behind");
    drop(process);

    let copy = folders.components().with_file_name("copy");
    fs::create_dir(&copy).unwrap();
    let archive = folders.components().with_file_name("copy.tar");
    fs::write(&archive, &taken).unwrap();
    let unpacked =
        output(std::process::Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&copy));
    assert!(unpacked.status.success(), "{unpacked:?}");
    let fresh = Folders::in_files();
    fresh.put("cinema", &component_bytes("cinema"));
    let restored = run(&fresh, &["restore"], &copy);
    assert!(restored.status.success(), "{restored:?}");
    let process = Process::start(&fresh);
    let client = Client::new(&process.url);
    let arguments = json!({ "reservation_id": reservation });
    let stored = client.output("get_reservation", arguments).await;
    assert_eq!(stored["reservation_id"], reservation);
    let path = format!("/api/blobs/{}", blob["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.text().await.unwrap(), "a blob");
    drop(process);

    // An interrupted backup is invalid: its list is written last.
    let broken = fs::File::options().write(true).open(&archive).unwrap();
    broken.set_len(taken.len() as u64 / 2).unwrap();
    fs::remove_dir_all(&copy).unwrap();
    fs::create_dir(&copy).unwrap();
    output(std::process::Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&copy));
    let refused = run(&Folders::in_files(), &["restore"], &copy);
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("nothing was restored"),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn incomplete_backup_is_not_restored_at_all() {
    let folders = cinema_in_files();
    let mut process = Process::start(&folders);
    reserve(&Client::new(&process.url)).await;
    process.kill();
    let copy = folders.components().with_file_name("copy");
    assert!(run(&folders, &["backup"], &copy).status.success(), "without a server, too");
    let database = copy.join("databases/cinema.db");
    let good = fs::read(&database).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    let fresh = Folders::in_files();
    for (bytes, why) in [(Some(flipped), "not as it was written"), (None, "cinema.db")] {
        match bytes {
            Some(bytes) => fs::write(&database, bytes).unwrap(),
            None => fs::remove_file(&database).unwrap(),
        }
        let refused = run(&fresh, &["restore"], &copy);
        let complaint = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success(), "{refused:?}");
        assert!(
            complaint.contains(why) && complaint.contains("nothing was restored"),
            "{complaint}"
        );
        assert!(!fresh.data().exists());
    }
    fs::write(&database, good).unwrap();
    fs::remove_file(copy.join("backup.json")).unwrap();
    assert!(
        !run(&fresh, &["restore"], &copy).status.success(),
        "a copy that broke off has no list"
    );
    let nothing = run(&fresh, &["backup"], &fresh.components().join("copy"));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("no data folder"), "{nothing:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn interrupted_restore_changes_nothing() {
    let folders = cinema_in_files();
    let mut process = Process::start(&folders);
    let reservation = reserve(&Client::new(&process.url)).await;
    process.kill();
    let copy = folders.components().with_file_name("copy");
    assert!(run(&folders, &["backup"], &copy).status.success());
    let fresh = Folders::in_files();
    // Without the trap the system kills it at the first file that grows beyond that; with it the disk is full.
    for trap in ["", "trap '' XFSZ; "] {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("{trap}ulimit -f 16; exec \"$0\" \"$@\"")]).arg(program());
        shell.arg("--data").arg(fresh.data()).arg("restore").arg(&copy);
        let broken = output(&mut shell);
        assert!(!broken.status.success(), "{broken:?}");
        let there = ["databases", "audit", "seal.key", "answers.guard"];
        let there = there.map(|it| fresh.data().join(it).exists());
        assert_eq!(there, [false; 4], "{broken:?}");
    }
    let restored = run(&fresh, &["restore"], &copy);
    assert!(restored.status.success(), "{restored:?}");
    assert!(!fresh.data().join(".moving").exists(), "nothing of before is left");
    let kept = tests::process::exported(&fresh, "cinema", "reservations");
    assert!(kept.iter().any(|it| it["reservation_id"] == *reservation), "{kept:?}");
}
