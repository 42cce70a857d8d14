//! Events: publish that something has changed, to calls that [wait](crate::Stop::wait) and to clients
//! that listen.

use crate::bindings::madoguchi::tool::events;

/// Publishes that the resource at `uri` has changed. Publish after the change is stored: a call that waits is
/// called again at once, and looks.
pub fn publish(uri: &str) {
    events::publish(uri);
}
