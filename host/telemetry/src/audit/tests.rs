//! Tests of the audit log: round trips, rotation and loss reports.

use std::time::SystemTime;

use tempfile::tempdir;

use super::*;
use store::digest::digest;

fn line(call: u64, arguments: &str) -> Line {
    Line {
        time: SystemTime::UNIX_EPOCH + Duration::from_millis(1_500),
        call,
        principal: "anonymous".into(),
        surface: "mcp",
        era: Some("modern"),
        round: 1,
        method: "tools/call",
        name: Name::Tool("echo".to_owned()),
        by: By {
            component: Some("echo".into()),
            digest: Some("0123456789abcdef".into()),
            ..By::default()
        },
        arguments: Arguments::digest_long(arguments.to_owned()),
        outcome: "done".into(),
        trap: None,
        on_behalf: None,
        kind: Kind::Ran,
        duration: Duration::from_micros(42),
    }
}

#[test]
fn line_has_caller_call_outcome_and_argument_digest() {
    let folder = tempdir().unwrap();
    let audit = Audit::open(folder.path(), &AuditConfig::default()).unwrap();
    let secret = r#"{"passkey":"open sesame"}"#;
    audit.write(line(7, secret));
    let lines = audit.tail(10);
    let expected = serde_json::json!({
        "time": "1970-01-01T00:00:01.500Z", "call": 7, "principal": "anonymous",
        "surface": "mcp", "era": "modern", "round": 1, "method": "tools/call", "tool": "echo",
        "component": "echo",
        "digest": "0123456789ab", "arguments_sha256": digest(secret.as_bytes()),
        "outcome": "done", "duration_us": 42,
    });
    assert_eq!(lines, [expected]);
    let file = folder.path().join("audit/audit.jsonl");
    assert!(!fs::read_to_string(&file).unwrap().contains("sesame"));
    {
        let mode = |path| {
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions())
        };
        assert_eq!(mode(file) & 0o777, 0o600);
        assert_eq!(mode(folder.path().join("audit")) & 0o777, 0o700);
    }
}

#[test]
fn rotates_full_files_drops_oldest_and_tails_across_them() {
    let folder = tempdir().unwrap();
    let config = AuditConfig { bytes_max: 700, files_kept: 2, ..AuditConfig::default() };
    let audit = Audit::open(folder.path(), &config).unwrap();
    for call in 0..20 {
        audit.write(line(call, "{}"));
        audit.flush();
    }
    let calls: Vec<_> = audit.tail(4).iter().map(|it| it["call"].as_u64().unwrap()).collect();
    assert_eq!(calls, [16, 17, 18, 19]);
    let files = fs::read_dir(folder.path().join("audit")).unwrap().count();
    assert_eq!(files, 3, "the one that is written and two full ones");
    assert!(audit.tail(100).len() < 20, "the oldest have gone");
}

#[test]
fn counts_and_reports_dropped_lines() {
    let (queue, jobs) = mpsc::sync_channel(2);
    let (state, folder) = (Arc::<State>::default(), tempdir().unwrap());
    let config = AuditConfig::default();
    let refused = RateLimiter::direct(Quota::per_second(REFUSED_PER_S));
    let files: Box<Path> = folder.path().join("audit").into();
    private::make_folder(&files).unwrap();
    let inner = Inner {
        queue,
        state: state.clone(),
        refused,
        is_required: true,
        folder: files.clone(),
        files_kept: 0,
    };
    let audit = Audit(Some(Arc::new(inner)));
    for call in 0..5 {
        audit.write(line(call, "{}"));
    }
    assert_eq!(audit.dropped(), 3);
    let writer = Writer::new(&files, &config, state);
    let writer = thread::spawn(move || writer.write_all(&jobs));
    let lines = audit.tail(10);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[2]["lines_dropped"], 3);
    drop(audit);
    writer.join().unwrap();
}

#[test]
fn truncated_line_spoils_no_other() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("audit/audit.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, r#"{"call":1,"#).unwrap();
    let audit = Audit::open(folder.path(), &AuditConfig::default()).unwrap();
    audit.write(line(2, "{}"));
    assert_eq!(audit.tail(10)[0]["call"], 2);
}

#[test]
fn digests_long_arguments_before_queueing() {
    assert!(matches!(Arguments::digest_long("x".repeat(3 << 10)), Arguments::Digest(_)));
    assert!(matches!(Arguments::digest_long("{}".to_owned()), Arguments::Text(_)));
}

#[test]
fn writes_nothing_when_disabled() {
    let folder = tempdir().unwrap();
    let config = AuditConfig { enabled: false, ..AuditConfig::default() };
    let audit = Audit::open(folder.path(), &config).unwrap();
    audit.write(line(1, "{}"));
    assert!(audit.tail(10).is_empty() && !folder.path().join("audit").exists());
}

#[test]
fn flood_of_refusals_does_not_evict_calls() {
    let folder = tempdir().unwrap();
    let config = AuditConfig { bytes_max: 4 << 10, files_kept: 1, ..AuditConfig::default() };
    let audit = Audit::open(folder.path(), &config).unwrap();
    audit.write(line(1, "{}"));
    for call in 2..20_000 {
        audit.write(Line {
            kind: Kind::Refused,
            outcome: "unknown_tool".into(),
            ..line(call, "{}")
        });
    }
    audit.write(line(20_000, "{}"));
    let lines = audit.tail(10_000);
    let ran: Vec<_> = lines.iter().filter(|it| it["outcome"] == "done").collect();
    assert_eq!(ran.len(), 2, "{ran:?}");
    assert_eq!(audit.dropped(), 0);
    let more: u64 = lines.iter().filter_map(|it| it["more_refused"].as_u64()).sum();
    assert!(more > 15_000, "most are counted and not written one by one: {more}");
    let files = fs::read_dir(folder.path().join("audit")).unwrap().flatten();
    let bytes: u64 = files.map(|it| it.metadata().unwrap().len()).sum();
    assert!(bytes < 700 << 10, "what is refused has a bound of its own: {bytes}");
}

#[test]
fn flood_of_reads_does_not_evict_changes() {
    let folder = tempdir().unwrap();
    let config = AuditConfig { bytes_max: 4 << 10, files_kept: 1, ..AuditConfig::default() };
    let audit = Audit::open(folder.path(), &config).unwrap();
    audit.write(line(1, "{}"));
    for call in 2..500 {
        audit.write(Line { kind: Kind::Read, outcome: "looked".into(), ..line(call, "{}") });
        if call % 100 == 0 {
            audit.flush();
        }
    }
    audit.write(line(500, "{}"));
    let lines = audit.tail(10_000);
    let ran: Vec<_> = lines.iter().filter(|it| it["outcome"] == "done").collect();
    assert_eq!(ran.len(), 2, "{ran:?}");
    let calls: Vec<_> = lines.iter().map(|it| it["call"].as_u64().unwrap()).collect();
    assert!(calls.is_sorted() && calls[0] == 1 && calls.contains(&499), "{calls:?}");
}

#[test]
fn keeps_lines_and_changes_while_the_disk_fails() {
    let folder = tempdir().unwrap();
    let audit = Audit::open(folder.path(), &AuditConfig::default()).unwrap();
    audit.write(line(1, "{}"));
    audit.flush();
    assert!(!audit.refuses_changes());
    // A file where the folder was takes nothing, not even from root.
    let (files, aside) = (folder.path().join("audit"), folder.path().join("aside"));
    fs::rename(&files, &aside).unwrap();
    fs::write(&files, "").unwrap();
    let config = AuditConfig::default();
    let (state, tolerant) = (Arc::<State>::default(), AuditConfig { required: false, ..config });
    let mut writer = Writer::new(&files, &config, state.clone());
    assert!(state.is_failing.load(Ordering::Relaxed), "known before the first call");
    let (queue, jobs) = mpsc::sync_channel(8);
    queue.try_send(Job::Line(line(2, "{}"))).unwrap();
    drop(queue);
    writer.gather_for_tests(&jobs);
    fs::remove_file(&files).unwrap();
    fs::rename(&aside, &files).unwrap();
    writer.write_all(&jobs);
    assert!(!state.is_failing.load(Ordering::Relaxed));
    let calls: Vec<_> = audit.tail(9).iter().map(|it| it["call"].as_u64().unwrap()).collect();
    assert_eq!(calls, [1, 2]);
    assert!(!Audit::open(folder.path(), &tolerant).unwrap().refuses_changes());
}
