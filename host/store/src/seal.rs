//! The signing key of a data folder.

use std::{fs, io, path::Path};

use crate::database::{Kind, Movable, MovedRows, Value, no_row};
use crate::private::{self, if_exists};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as BASE64};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The key that signs and checks.
#[derive(Clone)]
pub struct Seal(Hmac<Sha256>);

impl Seal {
    /// Reads the key in `file`, or creates it.
    pub fn open(file: &Path) -> io::Result<Self> {
        if let Some(key) = Self::look(file) {
            return Ok(key);
        }
        if file.exists() {
            let shown = file.display();
            tracing::warn!(
                "{shown}: it is no key of 32 bytes, so that another one is made; what the one before has signed, such as questions that are open, has to be asked again"
            );
        }
        let key = random()?;
        private::write(file, &key)?;
        Ok(Self::with_key(&key))
    }

    /// The key in `file`, if there is one; nothing is made.
    pub fn look(file: &Path) -> Option<Self> {
        fs::read(file).ok().and_then(|it| it.try_into().ok()).map(|it| Self::with_key(&it))
    }

    /// A key that is kept nowhere.
    pub fn fresh() -> io::Result<Self> {
        random().map(|it| Self::with_key(&it))
    }

    /// This key, which is kept elsewhere.
    pub fn with_key(key: &[u8; 32]) -> Self {
        Self(Hmac::new_from_slice(key).expect("HMAC takes a key of any length"))
    }

    /// Derives an independent key for another purpose.
    pub fn derive(&self, purpose: &str) -> Self {
        Self::with_key(&self.tag(format!("derived key: {purpose}").as_bytes()))
    }

    /// Starts a tag over several pieces.
    pub fn begin(&self) -> Hmac<Sha256> {
        self.0.clone()
    }

    /// The tag of `text`, which proves that it comes from here.
    pub fn tag(&self, text: &[u8]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(text);
        mac.finalize().into_bytes().into()
    }

    /// Verifies `tag` of `text` in constant time.
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
/// Name of the key shared by nodes.
const SHARED: &str = "state";

/// The key to move (STO-46). On PostgreSQL, the data folder has another one for compiled code only, which is
/// replaced.
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
    let key = if_exists(fs::read(folder.join(FILE)))?;
    // A key of another length is replaced when opened.
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

/// Random bytes for a key.
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
        let seal = Seal::with_key(&[7; 32]);
        let sealed = seal.close(b"a text");
        assert_eq!(seal.open_text(&sealed).unwrap(), b"a text");
        for at in 0..sealed.len() {
            let mut forged = sealed.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).unwrap();
            assert_eq!(seal.open_text(&forged), None, "{at}");
        }
        assert_eq!(Seal::with_key(&[8; 32]).open_text(&sealed), None);
    }
}
