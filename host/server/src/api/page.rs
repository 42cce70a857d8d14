//! `GET /api/page`: what the operator gives to the page.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde_json::{Value, json};

use base::config::PageConfig;

/// The tiles, or null where the page shows the built-in map.
pub(crate) async fn answer(State(page): State<Arc<PageConfig>>) -> Json<Value> {
    let tiles = page.tiles.as_ref().map(
        |it| json!({ "url": it.url(), "attribution": it.attribution(), "maxZoom": it.max_zoom() }),
    );
    Json(json!({ "tiles": tiles }))
}
