//! What people do with conversations: begin, watch, step in.
