//! Tests of the cache: which files are loaded and which are rejected.

use std::os::unix::fs::PermissionsExt;

use base::limits::SandboxConfig;
use tempfile::TempDir;

use super::*;

const NAME: &str = "a-1.cwasm";
const OTHER: &str = "b-1.cwasm";

/// The folder of a test's data folder, gone with it.
struct Data(TempDir);

impl Data {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder can be made"))
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("data/compiled")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }
}

/// A sandbox with room for one.
fn sandbox() -> Sandbox {
    let config = SandboxConfig { instances_max: 1, ..SandboxConfig::default() };
    Sandbox::with(&config, 1 << 20).expect("a sandbox can be made here")
}

/// The least component, compiled.
fn code(sandbox: &Sandbox) -> Vec<u8> {
    sandbox.compiler(false).precompile_component(b"\0asm\x0d\0\x01\0").expect("it is a component")
}

/// A folder with code under both names, with its sandbox and key.
fn kept(data: &Data) -> (Sandbox, Seal, CodeStore) {
    let (sandbox, seal) = (sandbox(), Seal::fresh().expect("random bytes"));
    let store = CodeStore::open(data.folder(), &seal);
    for name in [NAME, OTHER] {
        store.keep(&sandbox, name, &code(&sandbox)).expect("the folder can be written");
        assert!(store.load(&sandbox, name).is_some());
    }
    (sandbox, seal, store)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn keeps_code_for_this_user_alone() {
    let data = Data::new();
    let (sandbox, seal, _) = kept(&data);
    assert_eq!((mode(&data.folder()), mode(&data.file(NAME))), (0o700, 0o600));
    let again = CodeStore::open(data.folder(), &seal);
    assert!(again.load(&sandbox, NAME).is_some(), "after a restart, too");
    let look = CodeStore::look(data.folder(), Some(&seal));
    assert!(look.load(&sandbox, NAME).is_some());
}

/// What a command has compiled is there for the next one and for the server; a command makes no folder.
#[test]
fn commands_keep_code_where_a_server_does() {
    let data = Data::new();
    let (sandbox, seal) = (sandbox(), Seal::fresh().unwrap());
    let code = code(&sandbox);
    CodeStore::look(data.folder(), Some(&seal)).keep(&sandbox, NAME, &code).unwrap();
    assert!(!data.folder().exists());
    let server = CodeStore::open(data.folder(), &seal);
    CodeStore::look(data.folder(), Some(&seal)).keep(&sandbox, NAME, &code).unwrap();
    assert!(server.load(&sandbox, NAME).is_some());
}

#[test]
fn refuses_damaged_code() {
    let data = Data::new();
    let (sandbox, _, store) = kept(&data);
    let good = fs::read(data.file(NAME)).unwrap();
    let middle = good.len() / 2;
    let mut damages = vec![Vec::new(), vec![0; good.len()], good[..middle].to_vec()];
    let mut zeros = good.clone();
    zeros[100..300].fill(0);
    assert!(zeros != good, "there is something to lose");
    damages.push(zeros);
    damages.push([&good[..], &[0]].concat());
    for at in [0, 100, middle, good.len() - 33, good.len() - 32, good.len() - 1] {
        let mut flipped = good.clone();
        flipped[at] ^= 1;
        damages.push(flipped);
    }
    for damaged in damages {
        fs::write(data.file(NAME), &damaged).unwrap();
        assert!(store.load(&sandbox, NAME).is_none(), "{} bytes", damaged.len());
        assert!(!data.file(NAME).exists(), "it is thrown away");
    }
    fs::write(data.file(NAME), &good).unwrap();
    assert!(store.load(&sandbox, NAME).is_some(), "what is whole is taken");
}

#[test]
fn refuses_code_of_another_component() {
    let data = Data::new();
    let (sandbox, _, store) = kept(&data);
    fs::copy(data.file(OTHER), data.file(NAME)).unwrap();
    assert!(store.load(&sandbox, NAME).is_none());
    assert!(store.load(&sandbox, OTHER).is_some());
}

#[test]
fn refuses_code_with_the_hash_of_another_key() {
    let data = Data::new();
    let (sandbox, seal, _) = kept(&data);
    let other = CodeStore::open(data.folder(), &Seal::fresh().unwrap());
    assert!(other.load(&sandbox, NAME).is_none());
    let same_key_for_something_else = seal.derive("another purpose");
    let file = data.file(OTHER);
    write_verified(&file, OTHER, &same_key_for_something_else, &code(&sandbox)).unwrap();
    let store = CodeStore::open(data.folder(), &seal);
    assert!(store.load(&sandbox, OTHER).is_none());
}

#[test]
fn rejects_unsigned_code_of_earlier_versions() {
    let data = Data::new();
    let (sandbox, _, store) = kept(&data);
    fs::write(data.file(NAME), code(&sandbox)).unwrap();
    assert!(store.load(&sandbox, NAME).is_none());
}

#[test]
fn rejects_writable_files_and_links() {
    let data = Data::new();
    let (sandbox, _, store) = kept(&data);
    fs::set_permissions(data.file(NAME), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(store.load(&sandbox, NAME).is_none());
    std::os::unix::fs::symlink(data.file(OTHER), data.file(NAME)).unwrap();
    assert!(store.load(&sandbox, NAME).is_none());
    assert!(store.load(&sandbox, OTHER).is_some(), "the link is gone, and not what it led to");
}

#[test]
fn empties_folder_readable_by_others() {
    for open in [0o777, 0o755, 0o720] {
        let data = Data::new();
        let (sandbox, seal, _) = kept(&data);
        fs::set_permissions(data.folder(), fs::Permissions::from_mode(open)).unwrap();
        let look = CodeStore::look(data.folder(), Some(&seal));
        assert!(look.load(&sandbox, NAME).is_none(), "not even by a look");
        let store = CodeStore::open(data.folder(), &seal);
        assert_eq!((store.load(&sandbox, NAME).is_none(), mode(&data.folder())), (true, 0o700));
        store.keep(&sandbox, NAME, &code(&sandbox)).unwrap();
        assert!(store.load(&sandbox, NAME).is_some());
    }
}

#[test]
fn works_without_a_creatable_folder() {
    let data = Data::new();
    fs::write(data.0.path().join("data"), "a file where a folder should be").unwrap();
    let (sandbox, seal) = (sandbox(), Seal::fresh().unwrap());
    let store = CodeStore::open(data.folder(), &seal);
    assert!(store.keep(&sandbox, NAME, &code(&sandbox)).is_ok(), "it is loaded all the same");
    fs::remove_file(data.0.path().join("data")).unwrap();
}

#[test]
fn replaces_a_link_in_place_of_the_folder() {
    let data = Data::new();
    let (sandbox, seal, _) = kept(&data);
    let aside = data.0.path().join("aside");
    fs::rename(data.folder(), &aside).unwrap();
    std::os::unix::fs::symlink(&aside, data.folder()).unwrap();
    let store = CodeStore::open(data.folder(), &seal);
    assert!(store.load(&sandbox, NAME).is_none());
    assert!(fs::symlink_metadata(data.folder()).unwrap().is_dir());
    assert!(aside.join(NAME).exists(), "nothing behind the link is touched");
}

#[test]
fn keeps_limited_number_and_drops_oldest() {
    let data = Data::new();
    let (sandbox, _, store) = kept(&data);
    let code = code(&sandbox);
    for number in 0..FILES_MAX {
        store.keep(&sandbox, &format!("{number}-1.cwasm"), &code).unwrap();
    }
    assert_eq!(fs::read_dir(data.folder()).unwrap().count(), FILES_MAX);
    assert!(store.load(&sandbox, &format!("{}-1.cwasm", FILES_MAX - 1)).is_some());
}

#[test]
fn reports_invalid_component_once() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().to_owned();
    let config = Config { components_folder: Some(folder.clone()), ..Config::defaults() };
    let library = Library::look(&config);
    let file = folder.join("Evil Name.wasm");
    fs::write(&file, "").unwrap();
    let count = || library.scan().unwrap().1.len();
    assert_eq!((count(), count()), (1, 0));
    fs::remove_file(&file).unwrap();
    assert_eq!(count(), 0);
    fs::write(&file, "").unwrap();
    assert_eq!(count(), 1, "another one of that name");
    std::os::unix::fs::symlink("gone", folder.join("link.wasm")).unwrap();
    std::os::unix::fs::symlink("loop.wasm", folder.join("loop.wasm")).unwrap();
    fs::create_dir(folder.join("folder.wasm")).unwrap();
    fs::write(folder.join("right.wasm"), "").unwrap();
    let (files, unfit) = library.scan().unwrap();
    assert_eq!((files.len(), unfit.len()), (4, 0), "no link keeps the others out");
    for changed in [library.put("folder", b"new"), library.take_away("folder")] {
        let error = changed.unwrap_err().to_string();
        assert!(error.contains("folder.wasm is a folder: take it away"), "{error}");
    }
    let names = fs::read_dir(&folder).unwrap().flatten().map(|it| it.file_name());
    assert!(names.into_iter().all(|it| !it.to_string_lossy().contains(".tmp-")));
    for name in ["folder", "link", "loop"] {
        let error = library.read(name).map(|it| it.digest).unwrap_err().to_string();
        assert!(error.contains("no link that leads to one"), "{name}: {error}");
    }
    assert_eq!(count(), 0);
}
