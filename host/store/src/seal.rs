//! The key of a data folder: what is signed with it comes from here.

use std::{fs, io, path::Path};

use crate::database::{Kind, Movable, MovedRows, Value, no_row};
use crate::private::{self, there};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The key that signs and checks.
#[derive(Clone)]
pub struct Seal(Hmac<Sha256>);

impl Seal {
    /// The key in `file`, made anew where there is none.
    pub fn open(file: &Path) -> io::Result<Self> {
        if let Some(key) = Self::look(file) {
            return Ok(key);
        }
        let key = random()?;
        private::write(file, &key)?;
        Ok(Self::of(&key))
    }

    /// The key in `file`, if there is one; nothing is made.
    pub fn look(file: &Path) -> Option<Self> {
        fs::read(file).ok().and_then(|it| it.try_into().ok()).map(|it| Self::of(&it))
    }

    /// A key that is kept nowhere.
    pub fn fresh() -> io::Result<Self> {
        random().map(|it| Self::of(&it))
    }

    /// This key, which is kept elsewhere.
    pub fn of(key: &[u8; 32]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes a key of any length"))
    }

    /// A key derived from this one for another purpose: what is tagged with either proves nothing
    /// with the other.
    pub fn derive(&self, purpose: &str) -> Self {
        Self::of(&self.tag(format!("derived key: {purpose}").as_bytes()))
    }

    /// The beginning of a tag, for what comes in pieces.
    pub fn begin(&self) -> Hmac<Sha256> {
        self.0.clone()
    }

    /// The tag of `text`, which proves that it comes from here.
    pub fn tag(&self, text: &[u8]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(text);
        mac.finalize().into_bytes().into()
    }

    /// Whether `tag` is that of `text`; what is compared is compared in constant time.
    pub fn verify(&self, text: &[u8], tag: &[u8]) -> bool {
        let mut mac = self.0.clone();
        mac.update(text);
        mac.verify_slice(tag).is_ok()
    }

    /// `text` with its tag, as a text of letters and digits.
    pub fn close(&self, text: &[u8]) -> String {
        let (tag, text) = (BASE64.encode(self.tag(text)), BASE64.encode(text));
        format!("{tag}.{text}")
    }

    /// The text in `sealed`, if it is genuine.
    pub fn open_text(&self, sealed: &str) -> Option<Vec<u8>> {
        let (tag, text) = sealed.split_once('.')?;
        let text = BASE64.decode(text).ok()?;
        self.verify(&text, &BASE64.decode(tag).ok()?).then_some(text)
    }
}

/// The key's file in a data folder.
const FILE: &str = "seal.key";
/// What the key is called that nodes share in its place.
const SHARED: &str = "state";

/// The key of a data folder, as that which nodes share (STO-46). A host on PostgreSQL has one of its own beside it,
/// which signs compiled code alone: that gives way.
pub fn movable() -> Movable {
    Movable {
        name: "keys",
        columns: &[("name", Kind::Text), ("value", Kind::Blob)],
        select: format!("SELECT name, value FROM madoguchi_host.secrets WHERE name = '{SHARED}'"),
        insert: "INSERT INTO madoguchi_host.secrets (name, value) VALUES ($1, $2)",
        path: None,
        rows: Box::new(rows),
        put: Box::new(put),
        fit: Box::new(Ok),
    }
}

fn rows(folder: &Path) -> io::Result<MovedRows> {
    let key = there(fs::read(folder.join(FILE)))?;
    // One of another length is made anew where it is looked for.
    let key = key.filter(|it| it.len() == 32);
    let row = |it| -> io::Result<Vec<Value>> {
        Ok(vec![Value::Text(SHARED.to_owned()), Value::Blob(it)])
    };
    Ok(Box::new(key.map(row).into_iter()))
}

fn put(folder: &Path, row: &[Value]) -> io::Result<()> {
    let [_, Value::Blob(key)] = row else { return Err(no_row()) };
    private::write(&folder.join(FILE), key)
}

/// As much as nothing can guess.
pub fn random() -> io::Result<[u8; 32]> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_changed_or_forged_text() {
        let seal = Seal::of(&[7; 32]);
        let sealed = seal.close(b"a text");
        assert_eq!(seal.open_text(&sealed).unwrap(), b"a text");
        for at in 0..sealed.len() {
            let mut forged = sealed.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert_eq!(seal.open_text(&forged), None, "{at}");
        }
        assert_eq!(Seal::of(&[8; 32]).open_text(&sealed), None);
    }
}
