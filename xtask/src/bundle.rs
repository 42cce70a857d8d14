//! What is built before anything is served or tested.

use crate::step::Steps;
use crate::workspace::Workspace;
use crate::{components, page, run};

/// What the host carries and the rings load: components and the page.
pub(crate) fn parts(workspace: &Workspace, steps: &Steps) {
    steps.run("components", &["set-up"], || components::shipped(workspace));
    steps.run("page", &["set-up"], || page::build(workspace));
    steps.run("components for tests", &["set-up"], || components::for_tests(workspace));
}

/// The same, and beside them the host for tests, which reads them where they lie.
pub(crate) fn bundle(workspace: &Workspace, steps: &Steps) {
    let host = || steps.run("host", &[], || run::host(workspace));
    steps.side_by_side(|| parts(workspace, steps), host);
}
