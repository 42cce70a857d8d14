//! One at a time, and once more if it was wanted meanwhile: what events are about is fetched neither
//! twice at once nor once too few.

/// Lets one through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turnstile {
    is_busy: bool,
    is_wanted: bool,
}

impl Turnstile {
    /// Whether a request that comes may go now; otherwise another goes for it.
    pub(crate) fn enter(&mut self) -> bool {
        self.is_wanted = self.is_busy;
        !std::mem::replace(&mut self.is_busy, true)
    }

    /// The request is back; whether to go once more, for those who came meanwhile.
    pub(crate) fn leave(&mut self) -> bool {
        self.is_busy = false;
        std::mem::take(&mut self.is_wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_comes_meanwhile_is_gone_for_once() {
        let mut turnstile = Turnstile::default();
        assert!(turnstile.enter());
        assert!(!turnstile.enter());
        assert!(!turnstile.enter());
        assert!(turnstile.leave(), "once more");
        assert!(turnstile.enter());
        assert!(!turnstile.leave(), "and that was it");
        assert!(turnstile.enter());
    }
}
