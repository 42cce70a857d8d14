//! Events: notify waiting [calls](crate::Stop::wait) and subscribed clients of changes.

use crate::bindings::madoguchi::tool::events;

/// Publishes that the resource at `uri` has changed. Publish after storing the change: waiting calls
/// restart immediately.
pub fn publish(uri: &str) {
    events::publish(uri);
}
