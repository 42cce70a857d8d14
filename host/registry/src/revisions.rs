//! The revisions of one component: when each was installed, how it ended, and the operator's decisions.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{canary::CanaryShare, difference::Difference};
use base::{config::Reason, grants::Grant};
pub use sandbox::component::Status;
use sandbox::definition::Rewording;

mod store;

pub use store::RevisionStore;
pub use store::given;
pub use store::movables;

/// Revisions that are remembered; the bytes of fewer are kept.
const GENERATIONS_MAX: usize = 50;
/// Number of revisions with stored bytes.
pub const BYTES_KEPT: usize = 5;
/// Digests that are remembered as accepted, rejected or tested, each.
const DIGESTS_MAX: usize = 64;

/// One installed version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// Counts from 1, one more for each version.
    pub number: u64,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub digest: String,
    /// Time of first installation (RFC 3339).
    pub installed_at: String,
    /// The size of its bytes.
    pub size_bytes: u64,
    /// Origin of its bytes, for display.
    pub origin: String,
    /// The grants that it needs.
    pub grants: BTreeSet<Grant>,
    /// In what its tools differ from those of the version before it.
    #[serde(default)]
    pub differences: Vec<Difference>,
    pub status: Status,
}

/// A build that waits for the operator's approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The SHA-256 of its bytes.
    pub digest: String,
    /// Origin of its bytes, for display.
    pub origin: String,
    /// Why it waits, for the operator.
    pub why: String,
    /// The same point by point, without the command that accepts it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Definitions that models would read differently.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewordings: Vec<Rewording>,
    /// The calls that it answers meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<CanaryShare>,
    /// Why it answers none any more, in a sentence without its full stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The same by code and values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_reason: Option<Reason>,
}

/// A build that is not tried again by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    pub digest: String,
    pub number: u64,
    pub status: Status,
}

/// Everything that is remembered of one component's versions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// All revisions, oldest first.
    pub generations: Vec<Revision>,
    pub rejected: Vec<Rejected>,
    /// Builds that may need more, and break more, than the one before.
    pub accepted: Vec<String>,
    /// Builds that have passed their self-test here.
    pub tested: Vec<String>,
    pub pending: Option<Pending>,
    /// Digests of builds that the operator did not want.
    pub refused: Vec<String>,
    /// Accepted section of grants.
    pub given: Option<String>,
    /// Unloaded by the operator. A bundled component does not return by itself.
    pub is_unloaded: bool,
    /// The digest of the folder's file that was seen last, where other nodes work on the same database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it has accepted its settings here, so that it has something to serve where it does
    /// not accept those of today.
    pub is_configured: bool,
}

impl Manifest {
    pub fn serving(&self) -> Option<&Revision> {
        self.generations.iter().rfind(|it| it.status == Status::Serving)
    }

    /// The revision that serves, or the last one that did and was not rejected.
    pub fn last(&self) -> Option<&Revision> {
        let is_good = |it: &&Revision| self.rejection(&it.digest).is_none();
        self.serving().or_else(|| self.generations.iter().rfind(is_good))
    }

    pub fn next_number(&self) -> u64 {
        self.generations.last().map_or(1, |it| it.number + 1)
    }

    pub fn generation(&self, number: u64) -> Option<&Revision> {
        self.generations.iter().find(|it| it.number == number)
    }

    /// Default target of a rollback: the revision before the serving one, or the last.
    pub fn previous(&self) -> Option<&Revision> {
        let Some(serving) = self.serving() else { return self.last() };
        let before = |revision: &&Revision| {
            revision.number < serving.number
                && revision.digest != serving.digest
                && self.rejection(&revision.digest).is_none()
        };
        self.generations.iter().rfind(before)
    }

    /// Whether it was sent back, or the operator refused it.
    pub fn is_unwanted(&self, digest: &str) -> bool {
        self.rejection(digest).is_some() || self.refused.iter().any(|it| it == digest)
    }

    pub fn rejection(&self, digest: &str) -> Option<&Rejected> {
        self.rejected.iter().find(|it| it.digest == digest)
    }

    /// Whether that build has served before.
    pub fn has_served(&self, digest: &str) -> bool {
        self.generations.iter().any(|it| it.digest == digest) && self.rejection(digest).is_none()
    }

    /// The build in `revision` serves now.
    pub fn install(&mut self, generation: Revision) {
        self.end_serving(Status::Replaced);
        self.forgive(&generation.digest);
        self.pass(&generation.digest);
        self.pending = None;
        self.is_unloaded = false;
        self.generations.push(generation);
        let surplus = self.generations.len().saturating_sub(GENERATIONS_MAX);
        self.generations.drain(..surplus);
    }

    /// Revision `number` serves again; the one that served ended with `status`. What lies between the two was passed
    /// over with it, so that no later way back leads there.
    pub fn go_to(&mut self, number: u64, status: Status) {
        if let Some(serving) = self.serving().map(|it| it.number).filter(|it| *it > number) {
            for generation in &self.generations {
                let is_left = generation.number > number && generation.number <= serving;
                if is_left && !self.rejected.iter().any(|had| had.digest == generation.digest) {
                    let (digest, number) = (generation.digest.clone(), generation.number);
                    self.rejected.push(Rejected { digest, number, status });
                }
            }
            let surplus = self.rejected.len().saturating_sub(DIGESTS_MAX);
            self.rejected.drain(..surplus);
            self.end_serving(status);
        }
        self.serve(number);
    }

    /// Revision `number` serves, for another one cannot.
    pub fn serve(&mut self, number: u64) {
        if self.serving().is_some_and(|it| it.number == number) {
            return;
        }
        self.end_serving(Status::Replaced);
        self.is_unloaded = false;
        if let Some(generation) =
            self.generations.iter_mut().find(|generation| generation.number == number)
        {
            generation.status = Status::Serving;
            let digest = generation.digest.clone();
            self.forgive(&digest);
        }
    }

    pub fn end_serving(&mut self, status: Status) {
        for generation in
            self.generations.iter_mut().filter(|generation| generation.status == Status::Serving)
        {
            generation.status = status;
        }
    }

    /// The build of that digest, which waits, answers no calls any more.
    pub fn end_canary(&mut self, digest: &str, why: Reason) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.digest == digest) {
            pending.canary = None;
            (pending.ended, pending.ended_reason) = (Some(why.text.clone()), Some(why));
        }
    }

    pub fn accept(&mut self, digest: &str) {
        remember(&mut self.accepted, digest);
    }

    /// The operator does not want the build that waits.
    pub fn refuse(&mut self, digest: &str) {
        self.pending = None;
        remember(&mut self.refused, digest);
    }

    /// Allows a rejected build to be tried again.
    pub fn forgive(&mut self, digest: &str) {
        self.refused.retain(|it| it != digest);
        self.rejected.retain(|it| it.digest != digest);
    }

    /// The part that nodes share. Each node tests builds itself and has a folder of its own.
    pub fn shared(&self) -> Self {
        Self { tested: Vec::new(), file: None, ..self.clone() }
    }

    /// Whether that build, which a node has as it starts, is nothing new: it has served, and was there before.
    pub fn is_old(&self, digest: &str) -> bool {
        self.has_served(digest) && self.file.as_ref().is_none_or(|it| it == digest)
    }

    /// The build has passed its self-test here.
    pub fn pass(&mut self, digest: &str) {
        remember(&mut self.tested, digest);
    }

    /// Digests of builds whose bytes are kept.
    pub fn kept(&self) -> BTreeSet<&str> {
        let mut kept = BTreeSet::new();
        for generation in self.generations.iter().rev() {
            if kept.len() < BYTES_KEPT {
                kept.insert(generation.digest.as_str());
            }
        }
        kept.extend(self.serving().map(|it| it.digest.as_str()));
        kept.extend(self.pending.as_ref().map(|it| it.digest.as_str()));
        kept
    }
}

/// Adds `digest` to a list that does not grow for ever.
fn remember(digests: &mut Vec<String>, digest: &str) {
    digests.retain(|it| it != digest);
    digests.push(digest.to_owned());
    let surplus = digests.len().saturating_sub(DIGESTS_MAX);
    digests.drain(..surplus);
}

/// The time as RFC 3339 has it, in seconds.
pub fn timestamp() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generation(number: u64, digest: &str) -> Revision {
        Revision {
            number,
            digest: digest.to_owned(),
            installed_at: timestamp(),
            size_bytes: 1,
            origin: "a test".to_owned(),
            grants: BTreeSet::new(),
            differences: Vec::new(),
            status: Status::Serving,
        }
    }

    fn manifest(digests: &[&str]) -> Manifest {
        let mut manifest = Manifest::default();
        for digest in digests {
            manifest.install(generation(manifest.next_number(), digest));
        }
        manifest
    }

    fn serving(manifest: &Manifest) -> u64 {
        manifest.serving().unwrap().number
    }

    #[test]
    fn new_revision_replaces_the_serving_one() {
        let manifest = manifest(&["a", "b"]);
        assert_eq!(serving(&manifest), 2);
        assert_eq!(manifest.generations[0].status, Status::Replaced);
        assert_eq!(manifest.previous().unwrap().number, 1);
    }

    #[test]
    fn rolled_back_revision_is_rejected_until_named() {
        let mut manifest = manifest(&["a", "b", "c"]);
        manifest.go_to(2, Status::RolledBack);
        assert_eq!(serving(&manifest), 2);
        assert_eq!(manifest.rejection("c").unwrap().number, 3);
        manifest.go_to(3, Status::RolledBack);
        assert_eq!((serving(&manifest), manifest.rejection("c")), (3, None));
        assert_eq!(manifest.rejection("b"), None, "going forward rejects nothing");
    }

    #[test]
    fn rollback_skips_rejected_revisions() {
        let mut manifest = manifest(&["a", "b"]);
        manifest.go_to(1, Status::Returned);
        manifest.install(generation(3, "c"));
        assert_eq!(manifest.previous().unwrap().number, 1);
    }

    #[test]
    fn rollback_skips_versions_passed_over_before() {
        let mut manifest = manifest(&["a", "b", "c"]);
        manifest.go_to(1, Status::RolledBack);
        manifest.install(generation(4, "d"));
        assert_eq!(manifest.previous().unwrap().number, 1);
        manifest.go_to(2, Status::RolledBack);
        assert_eq!((serving(&manifest), manifest.rejection("b")), (2, None), "it was named");
    }

    #[test]
    fn revision_list_is_bounded_and_keeps_counting() {
        let digests: Vec<_> = (0..GENERATIONS_MAX + 7).map(|it| it.to_string()).collect();
        let manifest = manifest(&digests.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(manifest.generations.len(), GENERATIONS_MAX);
        assert_eq!(manifest.next_number(), digests.len() as u64 + 1);
        assert_eq!(manifest.kept().len(), BYTES_KEPT);
    }
}
