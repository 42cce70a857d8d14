//! Forms: what an agent asks a person to fill in (FORM-1 to FORM-90).
