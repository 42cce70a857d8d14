//! Builds everything that serving and testing need.

use crate::step::Steps;
use crate::workspace::Workspace;
use crate::{components, page, run};

/// Builds components and page, which the host embeds and tests load.
pub(crate) fn parts(workspace: &Workspace, steps: &Steps) {
    let page = || steps.run("page", &["set-up"], || page::build(workspace));
    steps.side_by_side(page, || {
        steps.run("components", &["set-up"], || components::shipped(workspace));
        steps.run("components for tests", &["set-up"], || components::for_tests(workspace));
    });
}

/// Builds the same and the host for tests, which reads them from disk.
pub(crate) fn bundle(workspace: &Workspace, steps: &Steps) {
    let host = || steps.run("host", &[], || run::host(workspace));
    steps.side_by_side(|| parts(workspace, steps), host);
}
