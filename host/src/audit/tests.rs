//! Lines come back as they were sent, files stay within their bounds, and what is lost is told.

use std::{path::PathBuf, sync::atomic::AtomicUsize};

use super::*;
use crate::{record::Surface, seal::digest};

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("madoguchi-audit-{}-{count}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn line(call: u64, arguments: &str) -> Line {
    Line {
        time: SystemTime::UNIX_EPOCH + Duration::from_millis(1_500),
        call,
        principal: "anonymous".into(),
        surface: Surface::Mcp,
        round: 1,
        method: "tools/call",
        name: "echo".to_owned(),
        by: Some(By::Component(Version {
            component: "echo".into(),
            digest: "0123456789abcdef".into(),
            generation: None,
        })),
        arguments: Arguments::of(arguments.to_owned()),
        outcome: "done".into(),
        duration: Duration::from_micros(42),
    }
}

#[test]
fn a_line_has_who_what_and_how_it_ended_and_of_the_arguments_only_their_digest() {
    let folder = Folder::new();
    let audit = Audit::open(&folder.0, &AuditConfig::default()).unwrap();
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
    let file = folder.0.join("audit/audit.jsonl");
    assert!(!std::fs::read_to_string(&file).unwrap().contains("sesame"));
    #[cfg(unix)]
    {
        let mode = |path| {
            std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions())
        };
        assert_eq!(mode(file) & 0o777, 0o600);
        assert_eq!(mode(folder.0.join("audit")) & 0o777, 0o700);
    }
}

#[test]
fn full_files_are_put_away_the_oldest_go_and_the_tail_reads_across_them() {
    let folder = Folder::new();
    let config = AuditConfig { bytes_max: 700, files_kept: 2, ..AuditConfig::default() };
    let audit = Audit::open(&folder.0, &config).unwrap();
    for call in 0..20 {
        audit.write(line(call, "{}"));
        audit.flush();
    }
    let calls: Vec<_> = audit.tail(4).iter().map(|it| it["call"].as_u64().unwrap()).collect();
    assert_eq!(calls, [16, 17, 18, 19]);
    let files = std::fs::read_dir(folder.0.join("audit")).unwrap().count();
    assert_eq!(files, 3, "the one that is written and two full ones");
    assert!(audit.tail(100).len() < 20, "the oldest have gone");
}

#[test]
fn what_the_queue_has_no_room_for_is_counted_and_told() {
    let (queue, jobs) = mpsc::sync_channel(2);
    let (lost, folder) = (Arc::<Lost>::default(), Folder::new());
    let config = AuditConfig::default();
    let journal = Journal::open(&folder.0.join("audit"), &config).unwrap();
    let desk =
        Desk { queue, lost: lost.clone(), folder: folder.0.join("audit").into(), files_kept: 0 };
    let audit = Audit(Some(Arc::new(desk)));
    for call in 0..5 {
        audit.write(line(call, "{}"));
    }
    assert_eq!(audit.dropped(), 3);
    let writer = thread::spawn(move || write_all(&jobs, journal, &lost));
    let lines = audit.tail(10);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[2]["lines_dropped"], 3);
    drop(audit);
    writer.join().unwrap();
}

#[test]
fn a_line_that_was_cut_spoils_no_other() {
    let folder = Folder::new();
    let file = folder.0.join("audit/audit.jsonl");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, r#"{"call":1,"#).unwrap();
    let audit = Audit::open(&folder.0, &AuditConfig::default()).unwrap();
    audit.write(line(2, "{}"));
    assert_eq!(audit.tail(10)[0]["call"], 2);
}

#[test]
fn long_arguments_are_digested_before_they_are_queued() {
    assert!(matches!(Arguments::of("x".repeat(3 << 10)), Arguments::Digest(_)));
    assert!(matches!(Arguments::of("{}".to_owned()), Arguments::Text(_)));
}

#[test]
fn nothing_is_written_where_the_log_is_off() {
    let folder = Folder::new();
    let config = AuditConfig { enabled: false, ..AuditConfig::default() };
    let audit = Audit::open(&folder.0, &config).unwrap();
    audit.write(line(1, "{}"));
    assert!(audit.tail(10).is_empty() && !folder.0.exists());
}
