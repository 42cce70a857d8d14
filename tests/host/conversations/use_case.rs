//! UC016 by two independent clients over MCP (CONV-100 to CONV-104).
