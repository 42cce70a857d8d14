//! Tests of the blob store: content, limits, removal and restarts.

use std::{path::Path, sync::Mutex};

use tempfile::TempDir;

use super::*;

impl Blobs {
    /// Keeps a blob without an owner.
    async fn put(&self, data: &[u8], mime_type: &str) -> Result<Blob, BlobError> {
        self.put_for(None, data, mime_type).await
    }
}

struct Bench {
    folder: PathBuf,
    _home: TempDir,
    now: Arc<Mutex<Duration>>,
}

impl Bench {
    fn new() -> Self {
        let now = Arc::new(Mutex::new(Duration::from_secs(1_795_000_000)));
        let home = tempfile::tempdir().unwrap();
        Self { folder: home.path().join("blobs"), _home: home, now }
    }

    fn open(&self, limits: Limits) -> Blobs {
        Blobs::open(self.folder.clone(), limits, Clock::Fixed(self.now.clone())).unwrap()
    }

    fn pass(&self, seconds: u64) {
        *self.now.lock().unwrap() += Duration::from_secs(seconds);
    }

    /// Every file there is.
    fn files(&self) -> usize {
        fn count(folder: &Path) -> usize {
            let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
            entries.map(|it| if it.is_dir() { count(&it) } else { 1 }).sum()
        }
        count(&self.folder)
    }
}

#[tokio::test]
async fn finds_content_by_its_digest_only() {
    let bench = Bench::new();
    let blobs = bench.open(Limits::default());
    let blob = blobs.put(b"hello", "text/plain").await.unwrap();
    assert_eq!(blob.id, crate::digest::digest(b"hello"));
    assert_eq!(blobs.read(&blob.id, 1, 3).await.unwrap(), b"ell");
    assert_eq!(blobs.read(&blob.id, 9, 3).await.unwrap(), b"");
    for strange in ["", "../../seal.key", &crate::digest::digest(b"other"), &blob.id[..63]] {
        assert!(matches!(blobs.stat(strange).await, Err(BlobError::Unknown)), "{strange}");
    }
}

#[tokio::test]
async fn removes_unused_blobs_and_keeps_used_ones() {
    let bench = Bench::new();
    let blobs = bench.open(Limits { ttl_s: 100, ..Limits::default() });
    let (kept, lost) = (blobs.put(b"a", "").await.unwrap(), blobs.put(b"b", "").await.unwrap());
    bench.pass(70);
    blobs.stat(&kept.id).await.unwrap();
    bench.pass(70);
    assert!(matches!(blobs.stat(&lost.id).await, Err(BlobError::Unknown)), "over before the sweep");
    assert_eq!(blobs.sweep().await.unwrap(), 1);
    assert_eq!(bench.files(), 2, "one content, and what is known of it");
    // The use was written down: a restart does not forget it.
    let blobs = bench.open(Limits { ttl_s: 100, ..Limits::default() });
    assert_eq!(blobs.read(&kept.id, 0, 9).await.unwrap(), b"a");
    bench.pass(101);
    let blobs = bench.open(Limits { ttl_s: 100, ..Limits::default() });
    bench.pass(26);
    assert_eq!(blobs.sweep().await.unwrap(), 1);
    assert_eq!(bench.files(), 0);
}

/// Forms use files for weeks: a stop of two days, or a restored backup, must not expire them.
#[tokio::test]
async fn grace_period_does_not_elapse_while_stopped() {
    let bench = Bench::new();
    let blobs = bench.open(Limits::default());
    let (kept, lost) = (blobs.put(b"a", "").await.unwrap(), blobs.put(b"b", "").await.unwrap());
    drop(blobs);
    bench.pass(2 * 86_400);
    let blobs = bench.open(Limits::default());
    assert_eq!(blobs.sweep().await.unwrap(), 0, "none had the time to use them");
    bench.pass(3_600);
    let again = blobs.stat(&kept.id).await.unwrap();
    assert_eq!(again.expires_at, *bench.now.lock().unwrap() + Duration::from_secs(86_400));
    bench.pass(3_601);
    assert_eq!(blobs.sweep().await.unwrap(), 1);
    assert_eq!(blobs.read(&kept.id, 0, 9).await.unwrap(), b"a");
    assert!(matches!(blobs.stat(&lost.id).await, Err(BlobError::Unknown)));
}

#[tokio::test]
async fn rejects_too_large_and_too_many_without_leftovers() {
    let bench = Bench::new();
    let limits =
        Limits { blob_bytes_max: 8 << 10, bytes_max: 20 << 10, ttl_s: 100, ..Limits::default() };
    let blobs = bench.open(limits);
    let error = blobs.put(&[0; 8193], "").await.unwrap_err();
    assert!(matches!(error, BlobError::TooLarge(8192)), "{error}");
    assert_eq!(bench.files(), 0);
    blobs.put(&[1; 8192], "").await.unwrap();
    blobs.put(&[2; 8192], "").await.unwrap();
    blobs.put(&[2; 8192], "").await.expect_err("the same again needs room until it is known");
    blobs.put(b"small", "").await.unwrap();
    let error = blobs.put(b"one more", "").await.unwrap_err();
    assert!(matches!(error, BlobError::Full(20480)), "{error}");
    assert_eq!(bench.files(), 6);
    bench.pass(101);
    assert_eq!(blobs.sweep().await.unwrap(), 3);
    blobs.put(&[3; 8192], "").await.expect("there is room again");
}

#[tokio::test]
async fn lost_folder_is_made_again_for_what_comes() {
    let bench = Bench::new();
    let blobs = bench.open(Limits::default());
    blobs.put(b"hello", "text/plain").await.unwrap();
    fs::remove_dir_all(&bench.folder).unwrap();
    // The same content is known, and lost all the same.
    for content in [b"hello", b"other"] {
        let blob = blobs.put(content, "text/plain").await.unwrap();
        assert_eq!(blobs.read(&blob.id, 0, 9).await.unwrap(), content);
    }
    let blobs = bench.open(Limits::default());
    let again = blobs.stat(&crate::digest::digest(b"hello")).await.unwrap();
    assert_eq!((again.mime_type.as_str(), bench.files()), ("text/plain", 4));
}

#[tokio::test]
async fn aborted_upload_frees_its_space() {
    let bench = Bench::new();
    let blobs = bench.open(Limits { bytes_max: 8 << 10, ..Limits::default() });
    let mut upload = blobs.upload(None).await.unwrap();
    upload.write(&[0; 6000]).await.unwrap();
    blobs.put(b"x", "").await.expect_err("the room is promised");
    drop(upload);
    assert_eq!(bench.files(), 0);
    blobs.put(b"x", "").await.expect("the room is back");
    // After a crash, the next start cleans up.
    fs::write(index::arriving(&bench.folder).join("7"), b"half").unwrap();
    bench.open(Limits::default());
    assert_eq!(bench.files(), 2);
}

#[tokio::test]
async fn content_with_wrong_length_is_not_served_after_restart() {
    let bench = Bench::new();
    let blob = bench.open(Limits::default()).put(b"hello", "text/plain").await.unwrap();
    fs::write(index::path(&bench.folder, &blob.id), b"hel").unwrap();
    let blobs = bench.open(Limits::default());
    assert!(matches!(blobs.stat(&blob.id).await, Err(BlobError::Unknown)));
    assert_eq!(bench.files(), 0);
}

#[tokio::test]
async fn counts_uploads_in_progress() {
    let bench = Bench::new();
    let blobs = bench.open(Limits::default());
    let mut uploads = Vec::new();
    for _ in 0..UPLOADS_MAX {
        uploads.push(blobs.upload(None).await.unwrap());
    }
    assert!(matches!(blobs.upload(None).await, Err(BlobError::Busy)));
    uploads.pop();
    blobs.upload(None).await.expect("a place is free again");
}

#[tokio::test]
async fn blobs_are_private_to_the_user() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let blob = bench.open(Limits::default()).put(b"hello", "text/plain").await.unwrap();
    let path = index::path(&bench.folder, &blob.id);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert_eq!(mode(&bench.folder), 0o700);
}

#[tokio::test]
async fn one_caller_cannot_exhaust_bytes_and_slots() {
    let bench = Bench::new();
    let limits = || Limits {
        bytes_max: 64 << 10,
        caller_bytes_max: 16 << 10,
        caller_uploads_max: 2,
        ttl_s: 100,
        ..Limits::default()
    };
    let owner = |name: &str| Some(Arc::from(name));
    let blobs = bench.open(limits());
    let greedy = async |content: &[u8]| blobs.put_for(owner("greedy"), content, "").await;
    greedy(&[1; 8192]).await.unwrap();
    let second = greedy(&[2; 4096]).await.unwrap();
    let error = greedy(&[3; 8192]).await.unwrap_err();
    assert!(matches!(error, BlobError::ShareFull(16384)), "{error}");
    blobs.put_for(owner("modest"), &[2; 4096], "").await.unwrap();
    blobs.put_for(owner("modest"), &[3; 8192], "").await.expect("a share of their own");
    blobs.put_for(owner("modest"), &[4; 8192], "").await.expect("what greedy brought is greedy's");
    let _ways = (blobs.upload(owner("greedy")).await.unwrap(), blobs.upload(None).await.unwrap());
    let error = greedy(b"more").await.unwrap_err();
    assert!(matches!(error, BlobError::ShareFull(_)), "the way takes the last room: {error}");
    bench.pass(70);
    blobs.stat(&second.id).await.unwrap();
    drop(blobs);
    // Owners are known after a restart, and removed blobs have none.
    bench.pass(70);
    let blobs = bench.open(limits());
    bench.pass(26);
    assert!(blobs.sweep().await.unwrap() > 0);
    let greedy = async |content: &[u8]| blobs.put_for(owner("greedy"), content, "").await;
    greedy(&[5; 8192]).await.unwrap();
    assert!(matches!(greedy(&[6; 8192]).await, Err(BlobError::ShareFull(_))));
    let _first = blobs.upload(owner("other")).await.unwrap();
    let _second = blobs.upload(owner("other")).await.unwrap();
    let error = blobs.upload(owner("other")).await.err().unwrap();
    assert!(matches!(error, BlobError::ShareBusy(2)), "{error}");
    blobs.upload(owner("another")).await.unwrap();
}
