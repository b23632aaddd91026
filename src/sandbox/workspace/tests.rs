#![expect(clippy::disallowed_methods, reason = "a test damages files and looks at them")]

use super::blobs::tenant_digest;
use super::{Changes, Error, File, Limit, Name, Owner, Settings, Workspaces};
use crate::call::Timestamp;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

const NOW: Timestamp = Timestamp::from_unix_ms(1_000_000_000_000);

fn later(ms: i64) -> Timestamp {
    Timestamp::from_unix_ms(NOW.unix_ms() + ms)
}

fn owner(tenant: &str, subject: &str, session: &str) -> Owner {
    Owner { tenant: tenant.into(), subject: subject.into(), session: session.into() }
}

fn ann() -> Owner {
    owner("acme", "ann", "run")
}

fn file(name: &str, content: &[u8]) -> File {
    File::new(Name::new(name).unwrap(), content.to_vec())
}

struct Bench {
    folder: TempDir,
    settings: Settings,
    workspaces: Workspaces,
}

impl Bench {
    async fn open() -> Self {
        Self::with(|settings| settings).await
    }

    async fn with(change: impl Fn(Settings) -> Settings) -> Self {
        let folder = TempDir::new().unwrap();
        let settings = change(Settings::in_directory(folder.path()));
        let workspaces = Workspaces::open(&settings).await.unwrap();
        Self { folder, settings, workspaces }
    }

    /// Another life in the same folder, whose earlier one was not closed.
    async fn reopen(&mut self) {
        self.workspaces = Workspaces::open(&self.settings).await.unwrap();
    }

    async fn put(&self, owner: &Owner, files: &[File]) -> Result<(), Error> {
        self.workspaces.keep(owner, &Changes { put: files, gone: &[] }, NOW).await
    }

    /// Name and content of all that an owner has.
    async fn all(&self, owner: &Owner) -> BTreeMap<String, Vec<u8>> {
        let loaded = self.workspaces.load(owner, NOW).await.unwrap();
        loaded.into_iter().map(|file| (file.name.to_string(), file.content)).collect()
    }

    /// The digests of the bytes that lie on the shelf of a tenant.
    fn blobs(&self, tenant: &str) -> BTreeSet<String> {
        let shelf = self.settings.folder.join("blobs").join(tenant_digest(tenant));
        let Ok(entries) = std::fs::read_dir(shelf) else { return BTreeSet::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

#[tokio::test]
async fn files_are_kept_changed_and_removed() {
    let bench = Bench::open().await;
    bench.put(&ann(), &[file("a/b.csv", b"1,2"), file("empty", b"")]).await.unwrap();
    let (entry, content) =
        bench.workspaces.read(&ann(), &Name::new("a/b.csv").unwrap(), NOW).await.unwrap().unwrap();
    assert_eq!((entry.bytes, entry.media_type, &*content), (3, "text/csv", b"1,2".as_slice()));
    assert_eq!(*entry.digest, *blake3::hash(b"1,2").to_hex());
    bench.put(&ann(), &[file("a/b.csv", b"3")]).await.unwrap();
    assert_eq!(bench.all(&ann()).await["a/b.csv"], b"3");
    let name = Name::new("empty").unwrap();
    assert!(bench.workspaces.remove(&ann(), &name).await.unwrap());
    assert!(!bench.workspaces.remove(&ann(), &name).await.unwrap());
    assert_eq!(bench.all(&ann()).await.len(), 1);
}

/// A run that was told of a file may remove that file, and no newer one of its name.
#[tokio::test]
async fn what_is_gone_goes_only_as_it_was() {
    let bench = Bench::open().await;
    let [old, new] = [file("a", b"old"), file("a", b"new")];
    bench.put(&ann(), &[new.clone(), file("b", b"b")]).await.unwrap();
    let gone = [(old.name, old.digest), (Name::new("b").unwrap(), file("b", b"b").digest)];
    bench.workspaces.keep(&ann(), &Changes { put: &[], gone: &gone }, NOW).await.unwrap();
    assert_eq!(bench.all(&ann()).await, BTreeMap::from([("a".to_owned(), b"new".to_vec())]));
}

#[tokio::test]
async fn nobody_sees_what_is_another_s() {
    let bench = Bench::open().await;
    let others =
        [owner("acme", "bob", "run"), owner("other", "ann", "run"), owner("acme", "ann", "other")];
    bench.put(&ann(), &[file("secret", b"s")]).await.unwrap();
    let name = Name::new("secret").unwrap();
    for other in &others {
        assert_eq!(bench.all(other).await.len(), 0);
        assert!(bench.workspaces.read(other, &name, NOW).await.unwrap().is_none());
        assert!(!bench.workspaces.remove(other, &name).await.unwrap());
    }
    assert_eq!(bench.all(&ann()).await.len(), 1);
    let listed = async |owner: &Owner| -> Vec<String> {
        let listed = bench.workspaces.list_all(owner, (None, 9), NOW).await.unwrap();
        listed.into_iter().map(|(session, entry)| format!("{session} {}", entry.name)).collect()
    };
    assert_eq!(listed(&owner("acme", "ann", "")).await, ["run secret"]);
    assert_eq!(listed(&owner("acme", "bob", "")).await, [""; 0]);
}

/// The same bytes of two tenants lie apart, so that neither time nor room tells of the other's.
#[tokio::test]
async fn tenants_share_no_bytes_and_one_tenant_stores_them_once() {
    let bench = Bench::open().await;
    let same = [file("a", b"same"), file("b", b"same")];
    bench.put(&ann(), &same).await.unwrap();
    bench.put(&owner("other", "ann", "run"), &same).await.unwrap();
    assert_eq!((bench.blobs("acme").len(), bench.blobs("other").len()), (1, 1));
    for name in ["a", "b"] {
        bench.workspaces.remove(&ann(), &Name::new(name).unwrap()).await.unwrap();
    }
    assert_eq!(bench.workspaces.sweep(NOW).await.unwrap(), 1);
    assert_eq!((bench.blobs("acme").len(), bench.blobs("other").len()), (0, 1));
}

#[tokio::test]
async fn bounds_are_kept_and_what_passes_one_changes_nothing() {
    let bench = Bench::with(|settings| Settings {
        file_bytes_max: 8,
        session_bytes_max: 10,
        session_files_max: 3,
        tenant_bytes_max: 12,
        ..settings
    })
    .await;
    let refused = async |owner: &Owner, files: &[File]| match bench.put(owner, files).await {
        Err(Error::Full(limit)) => limit,
        other => panic!("{other:?}"),
    };
    bench.put(&ann(), &[file("a", b"12345678")]).await.unwrap();
    assert_eq!(refused(&ann(), &[file("b", b"123456789")]).await, Limit::FileBytes);
    assert_eq!(refused(&ann(), &[file("b", b"123")]).await, Limit::SessionBytes);
    let many = ["b", "c", "d"].map(|name| file(name, b""));
    assert_eq!(refused(&ann(), &many).await, Limit::SessionFiles);
    // It counts as often as it is kept, though its bytes lie there once.
    let bob = owner("acme", "bob", "run");
    assert_eq!(refused(&bob, &[file("a", b"12345678")]).await, Limit::TenantBytes);
    assert_eq!((bench.all(&ann()).await.len(), bench.all(&bob).await.len()), (1, 0));
    bench.put(&bob, &[file("a", b"1234")]).await.unwrap();
    bench.put(&owner("other", "bob", "run"), &[file("a", b"12345678")]).await.unwrap();
    bench.put(&ann(), &[file("a", b"1"), file("b", b"2")]).await.unwrap();
}

#[tokio::test]
async fn files_go_when_nobody_used_them_for_their_time() {
    let bench = Bench::with(|settings| Settings { kept_ms_max: 1_000_000, ..settings }).await;
    bench.put(&ann(), &[file("a", b"a")]).await.unwrap();
    bench.put(&owner("acme", "ann", "used"), &[file("a", b"used")]).await.unwrap();
    let used = bench.workspaces.load(&owner("acme", "ann", "used"), later(900_000)).await.unwrap();
    assert_eq!(used.len(), 1);
    let listed = async |session: &str, ms: i64| {
        let owner = owner("acme", "ann", session);
        bench.workspaces.list(&owner, later(ms)).await.unwrap().len()
    };
    assert_eq!((listed("run", 1_000_000).await, listed("used", 1_000_000).await), (1, 1));
    // Its time is over before anybody sweeps.
    assert_eq!((listed("run", 1_000_001).await, listed("used", 1_000_001).await), (0, 1));
    assert_eq!(bench.workspaces.sweep(later(1_000_001)).await.unwrap(), 1);
    assert_eq!((bench.blobs("acme").len(), listed("used", 1_000_001).await), (1, 1));
}

/// Whoever comes back to a session whose time is over finds none of its files.
#[tokio::test]
async fn what_is_over_does_not_come_back_with_the_next_file() {
    let bench = Bench::with(|settings| Settings { kept_ms_max: 1_000, ..settings }).await;
    bench.put(&ann(), &[file("old", b"old")]).await.unwrap();
    let put = [file("new", b"new")];
    bench.workspaces.keep(&ann(), &Changes { put: &put, gone: &[] }, later(2_000)).await.unwrap();
    let listed = bench.workspaces.list(&ann(), later(2_000)).await.unwrap();
    assert_eq!(listed.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["new"]);
}

#[tokio::test]
async fn bytes_that_are_not_what_was_stored_are_not_handed_out() {
    let bench = Bench::open().await;
    bench.put(&ann(), &[file("a", b"true")]).await.unwrap();
    let digest = bench.blobs("acme").pop_first().unwrap();
    let place = bench.settings.folder.join("blobs").join(tenant_digest("acme")).join(digest);
    assert_eq!(std::fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o600);
    for wrong in [&b"fals"[..], b"true and more", b"tru", b""] {
        std::fs::write(&place, wrong).unwrap();
        let read = bench.workspaces.load(&ann(), NOW).await;
        assert!(matches!(read, Err(Error::Damaged(_))), "{read:?}");
    }
    // Whoever stores them again mends them.
    bench.put(&ann(), &[file("b", b"true")]).await.unwrap();
    assert_eq!(bench.all(&ann()).await.len(), 2);
}

#[tokio::test]
async fn a_file_that_is_no_index_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let settings = Settings::in_directory(folder.path());
    std::fs::create_dir(&settings.folder).unwrap();
    let index = settings.folder.join("index.db");
    let sqlite = sqlx::sqlite::SqliteConnectOptions::new().filename(&index).create_if_missing(true);
    let pool = sqlx::SqlitePool::connect_with(sqlite).await.unwrap();
    sqlx::raw_sql("CREATE TABLE others (one INTEGER)").execute(&pool).await.unwrap();
    pool.close().await;
    let before = std::fs::read(&index).unwrap();
    assert!(matches!(Workspaces::open(&settings).await, Err(Error::Foreign(_))));
    assert_eq!(std::fs::read(&index).unwrap(), before);
}

#[test]
fn a_file_is_an_image_by_its_bytes_alone() {
    let kinds = [
        ("plot.png", &b"\x89PNG\r\n\x1a\n..."[..], "image/png", true),
        ("plot.txt", b"GIF89a", "image/gif", true),
        ("plot.png", b"<script>", "text/plain", false),
        ("page.html", b"<script>", "text/html", false),
        ("a.webp", b"RIFF....WEBP", "image/webp", true),
        ("data.CSV", b"1,2", "text/csv", false),
        ("data.csv", b"1,\xff", "application/octet-stream", false),
        ("a.tar.gz", b"\x1f\x8b\x08", "application/gzip", false),
        ("none", b"", "text/plain", false),
    ];
    for (name, content, media_type, is_image) in kinds {
        let file = file(name, content);
        assert_eq!((file.media_type, file.is_image()), (media_type, is_image), "{name}");
        assert_eq!(super::kind::known(media_type), media_type);
    }
    assert_eq!(super::kind::known("text/html; charset=evil"), "application/octet-stream");
}

/// One thing that happens to workspaces.
#[derive(Debug, Clone)]
enum Step {
    Put(usize, usize, u8),
    Remove(usize, usize),
    /// A run of which everything is gone.
    Empty(usize),
    Sweep,
    /// Someone who keeps gives up after so many turns.
    GiveUp(usize, usize, u8, usize),
    /// The process dies while it writes, or after that and before the index knows.
    Die(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let (session, name, content) = (0..3_usize, 0..3_usize, 0..4_u8);
    let file = (session.clone(), name.clone(), content.clone());
    prop_oneof![
        4 => file.clone().prop_map(|(session, name, content)| Step::Put(session, name, content)),
        2 => (session.clone(), name).prop_map(|(session, name)| Step::Remove(session, name)),
        1 => session.prop_map(Step::Empty),
        2 => any::<()>().prop_map(|()| Step::Sweep),
        2 => (file, 0..30_usize)
            .prop_map(|((session, name, content), turns)| Step::GiveUp(session, name, content, turns)),
        1 => content.prop_map(Step::Die),
    ]
}

/// The sessions of two tenants.
fn owners() -> [Owner; 3] {
    [ann(), owner("acme", "bob", "run"), owner("other", "ann", "run")]
}

type Model = [BTreeMap<String, Vec<u8>>; 3];

async fn happens(bench: &mut Bench, model: &mut Model, step: &Step) {
    const NAMES: [&str; 3] = ["a", "a b/c", "ü.csv"];
    let owners = owners();
    match *step {
        Step::Put(session, name, content) => {
            bench.put(&owners[session], &[file(NAMES[name], &[content])]).await.unwrap();
            model[session].insert(NAMES[name].to_owned(), vec![content]);
        }
        Step::Remove(session, name) => {
            let removed = Name::new(NAMES[name]).unwrap();
            let removed = bench.workspaces.remove(&owners[session], &removed).await.unwrap();
            assert_eq!(model[session].remove(NAMES[name]).is_some(), removed);
        }
        Step::Empty(session) => {
            let loaded = bench.workspaces.load(&owners[session], NOW).await.unwrap();
            let gone: Vec<_> = loaded.into_iter().map(|file| (file.name, file.digest)).collect();
            let changes = Changes { put: &[], gone: &gone };
            bench.workspaces.keep(&owners[session], &changes, NOW).await.unwrap();
            model[session].clear();
        }
        Step::Sweep => {
            bench.workspaces.sweep(NOW).await.unwrap();
        }
        Step::GiveUp(session, name, content, turns) => {
            let put = file(NAMES[name], &[content]);
            give_up(bench, (&owners[session], &mut model[session]), put, turns).await;
        }
        Step::Die(content) => {
            let orphan = file("orphan", &[content, content]);
            bench.workspaces.blobs.write("acme", &orphan, ()).await.unwrap();
            std::fs::write(bench.settings.folder.join("unfinished/half"), b"h").unwrap();
            bench.reopen().await;
            assert!(is_empty(&bench.settings.folder.join("unfinished")));
        }
    }
}

/// It is there or it is not; what it is, is told from then on.
async fn give_up(
    bench: &Bench,
    (owner, files): (&Owner, &mut BTreeMap<String, Vec<u8>>),
    put: File,
    turns: usize,
) {
    let turned = async {
        for _ in 0..turns {
            tokio::task::yield_now().await;
        }
    };
    let put = [put];
    tokio::select! {
        biased;
        kept = bench.put(owner, &put) => kept.unwrap(),
        () = turned => {}
    }
    let all = bench.all(owner).await;
    let mut with_it = files.clone();
    with_it.insert(put[0].name.to_string(), put[0].content.clone());
    assert!(all == with_it || all == *files);
    *files = all;
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

async fn agrees(bench: &Bench, model: &Model) {
    for (owner, files) in owners().iter().zip(model) {
        assert_eq!(bench.all(owner).await, *files);
    }
}

/// A tenant has its share, and nobody more than there is; what is given back may be had again.
#[tokio::test]
async fn a_tenant_that_holds_its_share_of_transfers_leaves_places_to_others() {
    let bench = Bench::with(|settings| Settings {
        transfers_at_once_max: 3,
        transfers_at_once_per_tenant_max: 2,
        ..settings
    });
    let (workspaces, acme, other) = (&bench.await.workspaces, "acme".into(), "other".into());
    let first = workspaces.transfer(&acme).unwrap();
    let _second = workspaces.transfer(&acme).unwrap();
    assert!(workspaces.transfer(&acme).is_none());
    let third = workspaces.transfer(&other).unwrap();
    assert!(workspaces.transfer(&other).is_none());
    drop(first);
    let _fourth = workspaces.transfer(&other).unwrap();
    assert!(workspaces.transfer(&acme).is_none());
    drop(third);
    assert!(workspaces.transfer(&acme).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever happens in whatever order, each session has what it was given, and after a sweep
    /// the disk holds that and no more.
    #[test]
    fn sessions_have_what_they_were_given_and_nothing_else_stays(steps in vec(step(), 1..30)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (mut bench, mut model) = (Bench::open().await, Model::default());
            for step in &steps {
                happens(&mut bench, &mut model, step).await;
                agrees(&bench, &model).await;
            }
            bench.workspaces.sweep(NOW).await.unwrap();
            agrees(&bench, &model).await;
            let digests = |files: &[&BTreeMap<String, Vec<u8>>]| -> BTreeSet<String> {
                let contents = files.iter().flat_map(|files| files.values());
                contents.map(|content| blake3::hash(content).to_hex().to_string()).collect()
            };
            assert_eq!(bench.blobs("acme"), digests(&[&model[0], &model[1]]));
            assert_eq!(bench.blobs("other"), digests(&[&model[2]]));
            drop(bench.folder);
        });
    }
}
