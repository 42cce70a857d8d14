//! The time of a start with components that were compiled before.

use anyhow::Result;
use serde_json::json;

use crate::figures::{Report, Row};
use crate::servers::{Server, Starts};

/// Starts in turns: ours with its components, and a server that has nothing to load.
pub(crate) async fn measure(starts: &Starts, times: usize, report: &mut Report) -> Result<()> {
    // Compiles what is to be cached.
    let components = Server::start_again(starts).await?.1;
    let mut pairs = Vec::new();
    for _ in 0..times {
        let (ours, _) = Server::start_again(starts).await?;
        let empty = Server::start_empty(starts).await?;
        pairs.push((Some(ours), Some(empty)));
    }
    let row = Row::of_pairs(
        format!("start to ready, {components} cached components against none, ms"),
        &pairs,
    );
    report.figure("ready_ms", row.ours());
    report.figure("ready_components", json!(components));
    report.section("start".to_owned(), vec![row]);
    Ok(())
}
