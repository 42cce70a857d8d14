//! `madoguchi nodes`: the hosts that work on one database, and what each serves (STO-33).

use host::control::NodeReport;

/// The hosts that work on the database of the running server.
pub(crate) fn table(nodes: &[NodeReport]) -> Vec<String> {
    nodes.iter().flat_map(lines).collect()
}

/// A node as people read it: one line, and below it what it serves and what failed.
fn lines(it: &NodeReport) -> Vec<String> {
    let state = match (it.is_here, it.is_gone) {
        (_, true) => ", gone",
        (true, _) => ", this one",
        _ => "",
    };
    let address = it.address.as_deref().unwrap_or("no address");
    let mut lines = vec![format!(
        "{} ({}{state})  {address}  {}  since {}, seen {}",
        it.name, it.id, it.version, it.started_at, it.seen_at
    )];
    let fine = it.components.iter().filter(|it| it.why.is_none());
    let fine: Vec<_> = fine
        .map(|it| match it.state.as_str() {
            "serving" => format!("{} {}", it.name, it.epoch),
            state => format!("{} {} ({state})", it.name, it.epoch),
        })
        .collect();
    lines.extend(it.not_ready.iter().map(|why| format!("  out of rotation: {why}")));
    if !fine.is_empty() {
        lines.push(format!("  epochs: {}", fine.join(", ")));
    }
    let failed = it.components.iter().filter_map(|of| Some((of, of.why.as_ref()?)));
    lines.extend(failed.map(|(of, why)| format!("  {} {}: {why}", of.name, of.epoch)));
    lines
}
