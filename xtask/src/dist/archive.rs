//! Writes a tar archive whose bytes depend on its content only.

use std::collections::BTreeMap;

use anyhow::Result;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

const PROGRAM: u32 = 0o755;
const FILE: u32 = 0o644;

/// Files by their path, all of them in one folder.
pub(super) struct Archive {
    folder: String,
    files: BTreeMap<String, (u32, Vec<u8>)>,
}

impl Archive {
    pub(super) fn new(folder: String) -> Self {
        Self { folder, files: BTreeMap::new() }
    }

    /// A file that can be run.
    pub(super) fn program(&mut self, path: String, bytes: Vec<u8>) {
        self.files.insert(path, (PROGRAM, bytes));
    }

    pub(super) fn file(&mut self, path: String, bytes: Vec<u8>) {
        self.files.insert(path, (FILE, bytes));
    }

    /// Sorted, of one time, and of the user 0 without a name.
    pub(super) fn gzip(&self, time: u64) -> Result<Vec<u8>> {
        // The header of gzip has a time as well, and the name of the system.
        let gzip = GzBuilder::new().mtime(0).operating_system(255);
        let mut tar = Builder::new(gzip.write(Vec::new(), Compression::best()));
        for (path, (mode, bytes)) in &self.files {
            let mut header = Header::new_gnu();
            header.set_entry_type(EntryType::Regular);
            header.set_mode(*mode);
            header.set_mtime(time);
            header.set_uid(0);
            header.set_gid(0);
            header.set_size(bytes.len().try_into()?);
            tar.append_data(&mut header, format!("{}/{path}", self.folder), bytes.as_slice())?;
        }
        Ok(tar.into_inner()?.finish()?)
    }
}

/// The SHA-256 of `bytes`, as `sha256sum` writes it.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn input_order_does_not_change_bytes() {
        let mut one = Archive::new("madoguchi-1".to_owned());
        one.program("bin/madoguchi".to_owned(), vec![1; 4000]);
        one.file("LICENSE".to_owned(), b"yours".to_vec());
        let mut other = Archive::new("madoguchi-1".to_owned());
        other.file("LICENSE".to_owned(), b"yours".to_vec());
        other.program("bin/madoguchi".to_owned(), vec![1; 4000]);
        let bytes = one.gzip(1_700_000_000).unwrap();
        assert_eq!(bytes, other.gzip(1_700_000_000).unwrap());
        assert_eq!(&bytes[4..8], [0; 4], "no time in the header of gzip");

        let mut tar = tar::Archive::new(GzDecoder::new(bytes.as_slice()));
        let mut found = Vec::new();
        for entry in tar.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().display().to_string();
            let (mode, time) = (entry.header().mode().unwrap(), entry.header().mtime().unwrap());
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            found.push((path, mode, time, bytes.len()));
        }
        let expected = [
            ("madoguchi-1/LICENSE".to_owned(), 0o644, 1_700_000_000, 5),
            ("madoguchi-1/bin/madoguchi".to_owned(), 0o755, 1_700_000_000, 4000),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn digests_match_sha256sum_format() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
    }
}
