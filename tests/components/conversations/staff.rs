//! Projects and agents, from settings and from the page.
