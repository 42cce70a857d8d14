//! What is built before anything is served or tested.

use crate::step::Steps;
use crate::workspace::Workspace;
use crate::{components, page, run};

/// What the host carries and the rings load: components and the page.
pub(crate) fn parts(workspace: &Workspace, steps: &mut Steps) {
    steps.run("components", &["set-up"], || components::shipped(workspace));
    steps.run("components for tests", &["set-up"], || components::for_tests(workspace));
    steps.run("page", &["set-up"], || page::build(workspace));
}

/// The same, and the host with them inside.
pub(crate) fn bundle(workspace: &Workspace, steps: &mut Steps) {
    parts(workspace, steps);
    steps.run("host", &["components", "page"], || run::host(workspace));
}
