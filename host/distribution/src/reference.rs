//! References to components in registries: `oci://HOST/NAME:TAG`, `oci://HOST/NAME@sha256:…`, and
//! `namespace:name@version`.

use std::{fmt, str::FromStr};

use base::config::registries::is_authority;
use serde::{Deserialize, Serialize};
use store::digest::digest;

use crate::{Error, Result};

/// Characters that the name of a repository may have, its host apart.
const NAME_MAX: usize = 255;
/// Characters that a tag may have.
const TAG_MAX: usize = 128;

/// The SHA-256 of a blob or manifest, as registries write it: `sha256:` and 64 digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Digest(String);

impl Digest {
    /// The digest of `bytes`.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(format!("sha256:{}", digest(bytes)))
    }

    /// Its digits.
    pub fn digits(&self) -> &str {
        &self.0["sha256:".len()..]
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix("sha256:").unwrap_or_default();
        let fits = |it: u8| it.is_ascii_digit() || (b'a'..=b'f').contains(&it);
        match digits.len() == 64 && digits.bytes().all(fits) {
            true => Ok(Self(text.to_owned())),
            false => Err(format!(
                "{:?} is no digest; sha256: and 64 digits are right",
                text.chars().take(80).collect::<String>()
            )),
        }
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A component in a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// `HOST` or `HOST:PORT`.
    pub host: String,
    /// The name of the repository, with its slashes.
    pub repository: String,
    /// Tag. Only informative with a digest.
    pub tag: Option<String>,
    /// Its very manifest.
    pub digest: Option<Digest>,
    /// Registry that referred to this one. Its signature requirements apply as well.
    pub via: Option<String>,
}

/// `namespace:name@version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Namespace, which leads to a registry.
    pub namespace: String,
    /// Name within the namespace.
    pub name: String,
    /// Version. `None` for the newest.
    pub version: Option<semver::Version>,
}

/// A parsed name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A place in a registry.
    Reference(Reference),
    /// A package, located by its registry.
    Package(Package),
}

impl FromStr for Named {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.strip_prefix("oci://") {
            Some(rest) => reference(rest).map(Self::Reference),
            None => package(text).map(Self::Package),
        }
        .ok_or_else(|| Error::reference(text.chars().take(300).collect::<String>()))
    }
}

fn reference(rest: &str) -> Option<Reference> {
    let (host, rest) = rest.split_once('/')?;
    let host = host.to_ascii_lowercase();
    let (rest, digest) = match rest.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest.parse().ok()?)),
        None => (rest, None),
    };
    let (repository, tag) = match rest.split_once(':') {
        Some((repository, tag)) => (repository, Some(tag.to_owned())),
        None => (rest, digest.is_none().then(|| "latest".to_owned())),
    };
    let fits =
        is_authority(&host) && is_repository(repository) && tag.as_deref().is_none_or(is_tag);
    let repository = repository.to_owned();
    fits.then_some(Reference { host, repository, tag, digest, via: None })
}

fn package(text: &str) -> Option<Package> {
    let (namespace, rest) = text.split_once(':')?;
    let (name, version) = match rest.split_once('@') {
        Some((name, version)) => (name, Some(semver::Version::parse(version).ok()?)),
        None => (rest, None),
    };
    // Versions with build metadata cannot be tags.
    let is_taggable = version.as_ref().is_none_or(|it| it.build.is_empty());
    let fits = is_kebab(namespace) && is_kebab(name) && is_taggable;
    fits.then(|| Package { namespace: namespace.to_owned(), name: name.to_owned(), version })
}

fn is_kebab(text: &str) -> bool {
    text.len() <= 64
        && text.split('-').all(|word| {
            word.starts_with(|it: char| it.is_ascii_lowercase())
                && word.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
        })
}

/// Whether registries take it as the name of a repository.
pub(crate) fn is_repository(text: &str) -> bool {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit())
    };
    let is_part = |part: &str| {
        // Words stand apart by one dot, one or two underscores, or any number of hyphens.
        let mut words = part.split(|it: char| "._-".contains(it)).peekable();
        let is_apart = !part.contains("..") && !part.contains("___");
        let mixed = ["._", "_.", ".-", "-.", "_-", "-_"].iter().any(|it| part.contains(it));
        let ends = words.peek().is_some_and(|it| is_word(it))
            && part.ends_with(|it: char| it.is_ascii_alphanumeric());
        is_apart && !mixed && ends && words.all(|it| it.is_empty() || is_word(it))
    };
    text.len() <= NAME_MAX && text.split('/').all(is_part)
}

/// Whether registries take it as a tag.
pub(crate) fn is_tag(text: &str) -> bool {
    let fits = |it: u8| it.is_ascii_alphanumeric() || b"_.-".contains(&it);
    text.len() <= TAG_MAX
        && text.bytes().all(fits)
        && text.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_')
}

impl Reference {
    /// The tag or the digest, as a registry's path has it.
    pub(crate) fn manifest(&self) -> String {
        match (&self.digest, &self.tag) {
            (Some(digest), _) => digest.to_string(),
            (None, tag) => tag.clone().unwrap_or_default(),
        }
    }

    /// The same repository with another tag.
    ///
    /// # Errors
    /// If the tag is invalid.
    pub fn with_tag(&self, tag: &str) -> Result<Self> {
        match is_tag(tag) {
            true => Ok(Self { tag: Some(tag.to_owned()), digest: None, ..self.clone() }),
            false => Err(Error::reference(tag.chars().take(TAG_MAX).collect::<String>())),
        }
    }

    /// Whether both are in the same repository.
    pub fn is_same_repository(&self, other: &Self) -> bool {
        (&self.host, &self.repository) == (&other.host, &other.repository)
    }

    /// The last part of the repository's name, which a component gets that is given no other.
    pub fn last(&self) -> &str {
        self.repository.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "oci://{}/{}", self.host, self.repository)?;
        self.tag.iter().try_for_each(|it| write!(f, ":{it}"))?;
        self.digest.iter().try_for_each(|it| write!(f, "@{it}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn parses_reference_as_written() {
        for text in [
            "oci://registry.example/tools/echo:1.0".to_owned(),
            "oci://127.0.0.1:5000/echo:latest".to_owned(),
            format!("oci://[::1]:5000/a/b__c/d-e.f@{DIGEST}"),
            format!("oci://registry.example/echo:1.0@{DIGEST}"),
        ] {
            let Ok(Named::Reference(reference)) = text.parse() else { panic!("{text}") };
            assert_eq!(reference.to_string(), text);
        }
        let Ok(Named::Reference(reference)) = "oci://Registry.Example/echo".parse() else {
            panic!()
        };
        assert_eq!(reference.to_string(), "oci://registry.example/echo:latest");
    }

    #[test]
    fn rejects_invalid_references() {
        for text in [
            "",
            "echo",
            "oci://",
            "oci://registry.example",
            "oci://registry.example/",
            "oci://registry.example/Echo:1",
            "oci://registry.example/../echo:1",
            "oci://registry.example/a//b:1",
            "oci://registry.example/echo:",
            "oci://registry.example/echo:.1",
            "oci://registry.example/echo?x:1",
            "oci://user@registry.example/echo:1",
            "oci://registry.example/echo@sha256:12",
            "oci://registry.example/echo@md5:12",
            "https://registry.example/echo:1",
            "Ann:echo@1.0.0",
            "ann:echo@1",
            "ann:echo@1.0.0+build",
            "ann:-echo",
        ] {
            assert!(text.parse::<Named>().is_err(), "{text}");
        }
    }

    #[test]
    fn package_has_namespace_name_and_optional_version() {
        let Ok(Named::Package(package)) = "ann:echo-all@1.2.3-rc.1".parse() else { panic!() };
        assert_eq!((&*package.namespace, &*package.name), ("ann", "echo-all"));
        assert_eq!(package.version.unwrap().to_string(), "1.2.3-rc.1");
        let Ok(Named::Package(package)) = "ann:echo".parse() else { panic!() };
        assert_eq!(package.version, None);
    }
}
