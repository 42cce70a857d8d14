//! The bell: says that something has changed, to calls that [wait](crate::Stop::wait) and to clients
//! that listen.

use crate::bindings::madoguchi::tool::events;

/// Says that whatever `uri` names has changed. Publish after the change is stored: whoever waits is
/// called again at once, and looks.
pub fn publish(uri: &str) {
    events::publish(uri);
}
