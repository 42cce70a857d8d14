//! `madoguchi passkey`.
