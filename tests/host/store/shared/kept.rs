//! The host's stores by themselves: the same in a folder and on a database, and shared by all nodes.

use std::{path::Path, sync::Arc, sync::Mutex};

use futures::future::join_all;
use host::{
    answers::{Answers, Found},
    blobs::{self, BlobError, Blobs},
    ceremonies::Ceremonies,
    documents::{DocumentLimits, Documents, Place, number},
    leases::Leases,
};
use tokio_util::sync::CancellationToken;

use super::*;

const KINDS: &[&str] = &["over", "wait"];

fn documents(place: Place, documents_max: usize, bytes_max: u64) -> Documents {
    let limits = DocumentLimits { documents_max, bytes_max, document_bytes_max: 100 };
    Documents::open(place, limits, KINDS).unwrap()
}

/// The same documents by both ways; those of a database by one node after the other.
async fn both_ways(
    documents_max: usize,
    bytes_max: u64,
) -> (tempfile::TempDir, [Vec<Documents>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let (_, nodes) = nodes(3).await;
    let in_folder = documents(Place::Folder(folder.path().join("kept")), documents_max, bytes_max);
    let in_table = nodes.iter().map(|it| Place::new(Some(it), Path::new(""), "kept"));
    let in_table = in_table.map(|it| documents(it, documents_max, bytes_max)).collect();
    (folder, [vec![in_folder], in_table])
}

/// Puts one that has so many bytes as JSON.
async fn put(documents: &Documents, id: &str, owner: &str, kind: &'static str, bytes: usize) {
    documents.put((id, owner), kind, "x".repeat(bytes - 2)).await.unwrap();
}

async fn is_there(documents: &Documents, id: &str, owner: &str) -> bool {
    documents.get::<String>(id, owner).await.unwrap().is_some()
}

/// STO-13
#[tokio::test(flavor = "multi_thread")]
async fn documents_are_private_and_current_on_all_nodes() {
    let (_folder, ways) = both_ways(9, 900).await;
    for nodes in ways {
        let (first, last) = (&nodes[0], nodes.last().unwrap());
        let [one, other] = [number().unwrap(), number().unwrap()];
        put(first, &one, "ann", "wait", 10).await;
        put(last, &other, "ann", "over", 11).await;
        assert_eq!(last.get::<String>(&one, "ann").await.unwrap().unwrap().len(), 8);
        assert!(!is_there(last, &one, "eve").await, "another's");
        for wrong in ["", "../../seal.key", &one[..31], &one.to_uppercase()] {
            assert!(!is_there(last, wrong, "ann").await, "{wrong}");
        }
        assert_eq!(last.of_owner::<String>("ann", "wait").await.unwrap().len(), 1);
        assert_eq!(last.of_owner::<String>("eve", "wait").await.unwrap().len(), 0);
        put(last, &one, "ann", "over", 20).await;
        assert_eq!(first.get::<String>(&one, "ann").await.unwrap().unwrap().len(), 18);
        assert_eq!(first.of_owner::<String>("ann", "wait").await.unwrap().len(), 0, "of one kind");
        let too_big = first.put((&one, "ann"), "over", "x".repeat(99)).await.unwrap_err();
        assert_eq!(too_big.to_string(), "it has 101 bytes; 100 is most");
        first.remove(&one, "eve").await.unwrap();
        assert!(is_there(last, &one, "ann").await);
        first.remove(&one, "ann").await.unwrap();
        assert!(!is_there(last, &one, "ann").await && is_there(first, &other, "ann").await);
    }
}

/// STO-13
#[tokio::test(flavor = "multi_thread")]
async fn documents_are_evicted_in_the_same_order_both_ways() {
    let ids: Vec<_> = (0..40).map(|at| format!("{at:032x}")).collect();
    let (_folder, ways) = both_ways(6, 200).await;
    for nodes in ways {
        let at = |place: usize| &nodes[place % nodes.len()];
        let left = async |owner: &str| {
            let mut left = Vec::new();
            for (place, id) in ids.iter().enumerate() {
                if is_there(at(0), id, owner).await {
                    left.push(place);
                }
            }
            left
        };
        put(at(0), &ids[0], "eve", "wait", 90).await;
        for (place, id) in ids.iter().enumerate().take(12).skip(1) {
            put(at(place), id, "ann", "wait", 10).await;
        }
        assert_eq!(left("ann").await, [7, 8, 9, 10, 11], "the eldest of who has most");
        assert_eq!(left("eve").await, [0]);
        put(at(1), &ids[7], "ann", "wait", 10).await;
        put(at(2), &ids[12], "ann", "wait", 10).await;
        assert_eq!(left("ann").await, [7, 9, 10, 11, 12], "written again it is the youngest");
        put(at(0), &ids[13], "ann", "over", 10).await;
        put(at(1), &ids[14], "ann", "wait", 10).await;
        assert_eq!(left("ann").await, [7, 10, 11, 12, 14], "what is over goes first");
        put(at(2), &ids[15], "bob", "wait", 100).await;
        assert_eq!(left("ann").await, [7, 11, 12, 14], "first by number");
        assert_eq!((left("eve").await, left("bob").await), (vec![], vec![15]), "then by bytes");
        put(at(0), &ids[16], "eve", "wait", 100).await;
        assert_eq!((left("eve").await, left("bob").await), (vec![16], vec![]), "but the latest");
        assert_eq!(left("ann").await, [7, 11, 12, 14]);
    }
}

/// STO-11
#[tokio::test(flavor = "multi_thread")]
async fn claim_belongs_to_one_node_until_released_or_lost() {
    let (url, nodes) = nodes(3).await;
    let leases: Vec<_> = nodes.iter().map(|it| Leases::new(Some(it))).collect();
    let soon = Duration::from_millis(100);
    let first = leases[0].claim(".tests", "a").await.unwrap();
    assert!(leases[1].claim_within(".tests", "a", soon).await.unwrap().is_none());
    drop(leases[1].claim(".tests", "b").await.unwrap());
    for leases in &leases {
        assert!(leases.is_held(".tests", "a").await.unwrap());
    }
    drop(first);
    let second = leases[1].claim(".tests", "a").await.unwrap();
    cut(&url);
    assert!(
        leases[2].claim_within(".tests", "a", soon).await.unwrap().is_none(),
        "a connection is no claim"
    );
    // As a node that is killed is taken for gone, and one that only slept.
    let forget = format!(
        "UPDATE madoguchi_host.nodes SET seen_at = now() - interval '1 minute' WHERE id = {}",
        nodes[1].node()
    );
    Cluster::shared().sql(name_of(&url), &[&forget]);
    let third = leases[2].claim(".tests", "a").await.unwrap();
    let kept = Documents::open(
        Place::Table(nodes[0].clone(), "kept"),
        DocumentLimits { documents_max: 9, bytes_max: 900, document_bytes_max: 100 },
        KINDS,
    )
    .unwrap();
    let id = number().unwrap();
    let late = kept.put_holding((&id, "ann"), "wait", "late", second.fence()).await.unwrap_err();
    assert!(late.to_string().contains("taken for gone"), "{late}");
    kept.put_holding((&id, "ann"), "wait", "in time", third.fence()).await.unwrap();
    assert_eq!(kept.get::<String>(&id, "ann").await.unwrap().unwrap(), "in time");
    drop(second);
    assert!(
        leases[0].claim_within(".tests", "a", soon).await.unwrap().is_none(),
        "it gives back its own only"
    );
    drop(third);
    drop(leases[0].claim(".tests", "a").await.unwrap());
}

/// STO-11. A node looks which leases it has, and takes more of them meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn lease_taken_during_renewal_is_not_lost() {
    let (_, nodes) = nodes(1).await;
    for round in 0..30 {
        let (leases, stop) = (Leases::new(Some(&nodes[0])), CancellationToken::new());
        let looks = leases.monitor(&stop).expect("they are shared");
        let take = async |number: usize| {
            tokio::time::sleep(Duration::from_micros(200) * u32::try_from(number).unwrap()).await;
            leases.take(".tests", &format!("{round}/{number}")).await.unwrap().expect("it is free")
        };
        let held = join_all((0..40).map(take)).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        let lost = held.iter().filter(|it| it.over().is_cancelled()).count();
        assert_eq!(lost, 0, "in round {round}");
        stop.cancel();
        looks.await.unwrap();
    }
}

/// STO-11. A claim may be abandoned and made again.
#[tokio::test(flavor = "multi_thread")]
async fn abandoned_claim_blocks_no_later_lease() {
    let (_, nodes) = nodes(2).await;
    let (leases, others) = (Leases::new(Some(&nodes[0])), Leases::new(Some(&nodes[1])));
    for round in 0..100 {
        let (key, patience) = (round.to_string(), Duration::from_micros(20 * round));
        drop(leases.claim_within(".tests", &key, patience).await.unwrap());
        let hold = leases.claim(".tests", &key).await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert!(others.is_held(".tests", &key).await.unwrap(), "round {round}");
        assert!(others.take(".tests", &key).await.unwrap().is_none(), "round {round}");
        drop(hold);
    }
}

/// STO-25. If two nodes write at once, the node that ended the task wins.
#[tokio::test(flavor = "multi_thread")]
async fn finished_task_is_not_overwritten_by_another_node() {
    let (_, nodes) = nodes(2).await;
    let [here, there] =
        [0, 1].map(|it| documents(Place::new(Some(&nodes[it]), Path::new(""), "kept"), 9, 900));
    let id = number().unwrap();
    let of = (id.as_str(), "ann");
    assert!(here.put_before_the_end(of, "wait", "begun").await.unwrap());
    assert!(there.put_before_the_end(of, "over", "cancelled").await.unwrap());
    for (kind, text) in [("wait", "goes on"), ("over", "completed")] {
        assert!(!here.put_before_the_end(of, kind, text).await.unwrap(), "{text}");
    }
    assert!(
        there.put_before_the_end(of, "over", "cancelled").await.unwrap(),
        "it may be said twice"
    );
    assert_eq!(here.get::<String>(&id, "ann").await.unwrap().unwrap(), "cancelled");
    here.put(of, "wait", "anew").await.unwrap();
    assert_eq!(there.get::<String>(&id, "ann").await.unwrap().unwrap(), "anew", "others may");
}

/// STO-17
#[tokio::test(flavor = "multi_thread")]
async fn oldest_ceremony_is_evicted_beyond_the_limit() {
    let (url, nodes) = nodes(1).await;
    let open = Ceremonies::open(Some(&nodes[0]));
    let many = "INSERT INTO madoguchi_host.ceremonies (name, state, at)
        SELECT 'c' || it, '', now() - make_interval(secs => 100 - it / 100.0)
        FROM generate_series(1, 4096) AS it";
    Cluster::shared().sql(name_of(&url), &[many]);
    open.put("one more", b"state").await.unwrap();
    assert_eq!(open.take("c1").await.unwrap(), None, "the oldest");
    assert!(open.take("c2").await.unwrap().is_some());
    assert!(open.take("one more").await.unwrap().is_some());
    open.put("another", b"state").await.unwrap();
    assert!(open.take("c3").await.unwrap().is_some(), "what is taken is not open");
}

/// STO-12
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_once_on_three_nodes() {
    let (url, nodes) = nodes(3).await;
    let answers: Vec<_> = nodes.into_iter().map(Answers::new).collect();
    for call in [7_u64, u64::MAX] {
        let once = (0..24).map(|at| {
            let answers = answers[at % 3].clone();
            tokio::spawn(async move {
                match answers.claim(call, 2_000).await.unwrap() {
                    Found::Free(claim) => {
                        answers.end(call, 2_100, claim).await.unwrap();
                        1
                    }
                    _ => 0,
                }
            })
        });
        let counted: usize = join_all(once).await.into_iter().map(Result::unwrap).sum();
        assert_eq!(counted, 1, "{call}");
    }
    // A round that broke off may be repeated, on any node.
    let Found::Free(claim) = answers[0].claim(8, 2_000).await.unwrap() else {
        panic!("it is free")
    };
    drop(claim);
    assert!(matches!(answers[1].claim(8, 2_000).await.unwrap(), Found::Free(_)));
    let kept =
        || Cluster::shared().sql(name_of(&url), &["SELECT count(*) FROM madoguchi_host.answers"]);
    answers[2].sweep(2_100).await.unwrap();
    assert_eq!(kept(), ["2"], "nodes' clocks differ");
    answers[2].sweep(3_000).await.unwrap();
    assert_eq!(kept(), ["0"]);
    // Where there are too many the eldest are forgotten, and nothing as old as they were is taken.
    let many =
        "INSERT INTO madoguchi_host.answers SELECT n, 5000 + n FROM generate_series(1, 20) n";
    Cluster::shared().sql(name_of(&url), &[many, "SELECT madoguchi_host.sweep_answers(0, 8)"]);
    assert_eq!(kept(), ["8"]);
    assert!(matches!(answers[0].claim(99, 5_012).await.unwrap(), Found::Forgotten));
    assert!(matches!(answers[0].claim(99, 5_013).await.unwrap(), Found::Free(_)));
    assert!(matches!(answers[0].claim(20, 5_020).await.unwrap(), Found::Taken));
    // The larger share is evicted in favour of the other.
    let two = "INSERT INTO madoguchi_host.answers SELECT (share << 54) + n, 6000 + n
        FROM (VALUES (1::bigint, 1), (2, 20)) AS shares (share, count), generate_series(1, count) n";
    Cluster::shared().sql(name_of(&url), &[two, "SELECT madoguchi_host.sweep_answers(5900, 8)"]);
    assert_eq!(kept(), ["8"]);
    let number = |share: u64, n: u64| (share << 54) + n;
    assert!(matches!(answers[0].claim(number(2, 99), 6_010).await.unwrap(), Found::Forgotten));
    assert!(matches!(answers[0].claim(number(1, 99), 6_010).await.unwrap(), Found::Free(_)));
    assert!(matches!(answers[0].claim(number(1, 1), 6_001).await.unwrap(), Found::Taken));
}

/// The blobs of a database by each of three nodes, at a time that the test says.
struct Files {
    url: String,
    nodes: Vec<Server>,
    now: Arc<Mutex<Duration>>,
}

impl Files {
    async fn new() -> Self {
        let (url, nodes) = nodes(3).await;
        Self { url, nodes, now: Arc::new(Mutex::new(Duration::from_secs(1_795_000_000))) }
    }

    fn open(&self, limits: &blobs::Limits) -> Vec<Blobs> {
        let clock = || Clock::Fixed(self.now.clone());
        self.nodes.iter().map(|it| Blobs::shared(it.clone(), limits.clone(), clock())).collect()
    }

    fn pass(&self, seconds: u64) {
        *self.now.lock().unwrap() += Duration::from_secs(seconds);
    }

    fn count(&self, table: &str) -> String {
        let sql = format!("SELECT count(*) FROM madoguchi_host.{table}");
        Cluster::shared().sql(name_of(&self.url), &[&sql]).remove(0)
    }

    /// Waits for this number of rows; abandoned ones are deleted in the background.
    async fn until_rows(&self, table: &str, count: &str) {
        until(&format!("{table} has not {count} rows"), async || self.count(table) == count).await;
    }
}

/// STO-14
#[tokio::test(flavor = "multi_thread")]
async fn a_blob_of_one_node_is_read_in_parts_on_another() {
    let files = Files::new().await;
    let blobs = files.open(&blobs::Limits::default());
    let whole: Vec<u8> = (0..700_001_u32).map(|it| (it % 251) as u8).collect();
    let blob = blobs[0].put_for(Some("ann".into()), &whole, "image/png").await.unwrap();
    assert_eq!(blob.id, digest(&whole));
    assert_eq!(blobs[1].stat(&blob.id).await.unwrap(), blob);
    let piece = 256 << 10;
    for (from, length) in [
        (0, 700_001),
        (0, 1),
        (piece - 1, 2),
        (piece, piece),
        (piece - 3, 2 * piece),
        (700_000, 9),
        (700_001, 9),
        (900_000, 9),
        (5, 0),
    ] {
        let found = blobs[2].read(&blob.id, from as u64, length).await.unwrap();
        let expected = whole.get(from..whole.len().min(from + length)).unwrap_or_default();
        assert!(found == expected, "{from} {length}: {}", found.len());
    }
    for strange in ["", "../../seal.key", &digest(b"other"), &blob.id[..63]] {
        assert!(matches!(blobs[1].stat(strange).await, Err(BlobError::Unknown)), "{strange}");
    }
    let empty = blobs[1].put_for(None, b"", "text/plain").await.unwrap();
    assert_eq!(blobs[2].read(&empty.id, 0, 9).await.unwrap(), b"");
    // The same content has one name, one place, and its last description.
    let again = blobs[1].put_for(None, &whole, "image/webp").await.unwrap();
    assert_eq!(
        (again.id, &*blobs[0].stat(&blob.id).await.unwrap().mime_type),
        (blob.id, "image/webp")
    );
    assert_eq!((&*files.count("blobs"), &*files.count("contents")), ("2", "2"));
}

/// STO-14
#[tokio::test(flavor = "multi_thread")]
async fn blobs_have_one_limit_over_all_nodes() {
    let files = Files::new().await;
    let limits = blobs::Limits {
        blob_bytes_max: 8 << 10,
        bytes_max: 20 << 10,
        caller_bytes_max: 12 << 10,
        caller_uploads_max: 2,
        ttl_s: 100,
        ..blobs::Limits::default()
    };
    let blobs = files.open(&limits);
    let put = async |node: usize, owner: Option<&str>, content: &[u8]| {
        blobs[node].put_for(owner.map(Into::into), content, "").await
    };
    let error = put(0, None, &[0; 8193]).await.unwrap_err();
    assert!(matches!(error, BlobError::TooLarge(8192)), "{error}");
    put(0, Some("ann"), &[1; 8192]).await.unwrap();
    let error = put(1, Some("ann"), &[2; 8192]).await.unwrap_err();
    assert!(matches!(error, BlobError::ShareFull(12288)), "{error}");
    put(2, Some("bob"), &[2; 8192]).await.unwrap();
    put(1, None, b"small").await.unwrap();
    let error = put(0, None, b"one more").await.unwrap_err();
    assert!(matches!(error, BlobError::Full(20480)), "{error}");
    files.until_rows("contents", "3").await;
    files.pass(101);
    assert!(matches!(blobs[1].read(&digest(b"small"), 0, 9).await, Err(BlobError::Unknown)));
    let swept = join_all(blobs.iter().map(Blobs::sweep)).await;
    assert_eq!(swept.into_iter().map(Result::unwrap).sum::<usize>(), 3, "each by one node");
    assert_eq!(["blobs", "contents", "pieces"].map(|it| files.count(it)), ["0", "0", "0"]);
    put(2, Some("ann"), &[3; 8192]).await.expect("there is room again");

    let _ways = [
        blobs[0].upload(Some("eve".into())).await.unwrap(),
        blobs[1].upload(Some("eve".into())).await.unwrap(),
    ];
    let error = blobs[2].upload(Some("eve".into())).await.err().unwrap();
    assert!(matches!(error, BlobError::ShareBusy(2)), "{error}");
    let error = put(2, None, &[4; 8192]).await.unwrap_err();
    assert!(matches!(error, BlobError::Full(_)), "the ways take the last room: {error}");
}

/// STO-14
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_ends_early_or_with_its_node_leaves_nothing() {
    let files = Files::new().await;
    let limits = blobs::Limits { bytes_max: 700 << 10, ..blobs::Limits::default() };
    let blobs = files.open(&limits);
    let begin = async |node: usize| {
        let mut upload = blobs[node].upload(Some("ann".into())).await.unwrap();
        upload.write(&[7; 600_000]).await.unwrap();
        upload
    };
    let upload = begin(0).await;
    assert_eq!(files.count("pieces"), "2");
    assert!(matches!(blobs[1].put_for(None, &[0; 200_000], "").await, Err(BlobError::Full(_))));
    drop(upload);
    files.until_rows("contents", "0").await;
    let mut upload = begin(1).await;
    // Its node expires: its parts are deleted, and late ones are rejected.
    let forget = format!(
        "UPDATE madoguchi_host.nodes SET seen_at = now() - interval '1 minute' WHERE id = {}",
        files.nodes[1].node()
    );
    Cluster::shared().sql(name_of(&files.url), &[&forget]);
    assert_eq!(blobs[2].sweep().await.unwrap(), 0, "it is no blob");
    assert_eq!((&*files.count("contents"), &*files.count("pieces")), ("0", "0"));
    assert!(upload.write(&[7; 600_000]).await.is_err() || upload.finish("").await.is_err());
    files.until_rows("pieces", "0").await;
    // The connection is cut in the middle, and the upload goes on.
    let mut upload = begin(2).await;
    cut(&files.url);
    upload.write(&[8; 10]).await.unwrap();
    let blob = upload.finish("").await.unwrap();
    assert_eq!(blobs[0].read(&blob.id, 599_999, 2).await.unwrap(), [7, 8]);
}
