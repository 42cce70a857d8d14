//! The command `madoguchi nodes` lists the hosts that share a database and what each serves (STO-33).

use host::control::NodeReport;

/// The hosts that work on the database of the running server.
pub(crate) fn table(nodes: &[NodeReport]) -> Vec<String> {
    nodes.iter().flat_map(lines).collect()
}

/// Formats a node: one line, and below it what it serves and what failed.
fn lines(node: &NodeReport) -> Vec<String> {
    let state = match (node.is_here, node.is_gone) {
        (_, true) => ", gone",
        (true, _) => ", this one",
        _ => "",
    };
    let address = node.address.as_deref().unwrap_or("no address");
    let mut lines = vec![format!(
        "{} ({}{state})  {address}  {}  since {}, seen {}",
        node.name, node.id, node.version, node.started_at, node.seen_at
    )];
    let fine = node.components.iter().filter(|it| it.why.is_none());
    let fine: Vec<_> = fine
        .map(|it| match it.state.as_str() {
            "serving" => format!("{} {}", it.name, it.epoch),
            state => format!("{} {} ({state})", it.name, it.epoch),
        })
        .collect();
    lines.extend(node.not_ready.iter().map(|why| format!("  out of rotation: {why}")));
    if !fine.is_empty() {
        lines.push(format!("  epochs: {}", fine.join(", ")));
    }
    let failed = node.components.iter().filter_map(|of| Some((of, of.why.as_ref()?)));
    lines.extend(failed.map(|(of, why)| format!("  {} {}: {why}", of.name, of.epoch)));
    lines
}
