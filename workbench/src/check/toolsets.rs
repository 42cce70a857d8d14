//! Finds entries of `[toolsets]` without effect and toolsets without tools.

use sandbox::definition::Tool;

use super::{Document, Finding};
use base::{config::Config, tool_set::Owner, toolsets::Toolset};

/// Finds entries of toolsets without effect.
pub(super) fn notes(config: &Config, document: &Document<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, toolset) in config.toolsets.iter() {
        if !toolset.is_searched() && !toolset.always.is_empty() {
            let what = "tools/list has all of its tools anyway; discovery = \"search\" would leave out what is not always listed";
            findings.push(document.note(&["toolsets", name, "always"], what.to_owned()));
        }
    }
    findings
}

/// The toolsets that choose none of `tools`, by component, which are all that are installed.
pub(super) fn idle(
    config: &Config,
    document: &Document<'_>,
    tools: &[(String, Vec<Tool>)],
) -> Vec<Finding> {
    let has_one = |toolset: &Toolset| {
        // Offers of servers are unknown before connecting.
        config.servers.keys().any(|it| toolset.may_have_of(Owner::Server(it)))
            || tools.iter().any(|(component, tools)| {
                let owner = Owner::Component(component);
                tools.iter().any(|it| toolset.has(owner, &it.name, it.hints))
            })
    };
    let idle = config.toolsets.iter().filter(|(_, it)| !has_one(it));
    let note = |(name, _)| {
        let what = "it chooses no tool of the components that are installed; until one comes that it chooses, it is empty";
        document.note(&["toolsets", name], what.to_owned())
    };
    idle.map(note).collect()
}
