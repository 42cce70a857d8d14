//! Projects and agents, defined on the page.
