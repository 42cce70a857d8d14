//! What a component has to read: page by page, and one by one.

use super::{CallError, LoadedComponent, Round, offers::stopped, output_check};
use crate::{
    bindings::resources::exports::madoguchi::tool::resources as wit, definition::Resource,
};

pub use wit::Contents;
pub use wit::Request as ReadRequest;

/// Bytes of a component's own cursor.
const CURSOR_BYTES_MAX: usize = 4 << 10;

/// One page of what there is to read.
pub struct Page {
    pub resources: Vec<Resource>,
    pub next_cursor: Option<String>,
}

impl LoadedComponent {
    /// What there is to read now, from `cursor` on.
    pub async fn list_resources(
        &self,
        cursor: Option<&str>,
        round: Round,
    ) -> Result<Page, CallError> {
        let empty = Page { resources: Vec::new(), next_cursor: None };
        let Some(pre) = &self.exports.resources else { return Ok(empty) };
        let call_id = round.call_id;
        let broken = |what: String| {
            let component = self.name.clone();
            CallError::Broken { component, call_id, what }
        };
        let unknown = || CallError::UnknownResource { uri: String::new() };
        let (_place, deadline) = self.place().await?;
        // No trial of the version: that it can list says little of its calls.
        let page = self
            .round(self.context(round.until(deadline)), async |store| {
                let instance = pre.instantiate_async(&mut *store).await?;
                let resources = instance.madoguchi_tool_resources();
                let result = resources.call_list(store, cursor).await?;
                Ok(result.map_err(|it| stopped(it, unknown)))
            })
            .await??;
        let next_cursor = page.next_cursor;
        if next_cursor.as_ref().is_some_and(|it| it.len() > CURSOR_BYTES_MAX) {
            return Err(broken(format!("its cursor has more than {CURSOR_BYTES_MAX} bytes")));
        }
        let resources = Resource::read_all(page.resources).map_err(|it| broken(it.to_string()))?;
        Ok(Page { resources, next_cursor })
    }

    /// Runs one round of `resources/read`.
    pub async fn read_resource(
        &self,
        request: &ReadRequest,
        round: Round,
    ) -> Result<Vec<Contents>, CallError> {
        let unknown = || CallError::UnknownResource { uri: request.uri.clone() };
        let Some(pre) = &self.exports.resources else { return Err(unknown()) };
        let check = |it: &Vec<Contents>| output_check::contents(it);
        self.answered(round, check, async |store| {
            let instance = pre.instantiate_async(&mut *store).await?;
            let result = instance.madoguchi_tool_resources().call_read(store, request).await?;
            Ok(result.map_err(|it| stopped(it, unknown)))
        })
        .await
    }
}
