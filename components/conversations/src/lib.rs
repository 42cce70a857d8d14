//! Conversations between agents, with a life cycle that one can watch (CONV-1 to CONV-111).
