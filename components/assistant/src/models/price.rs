//! What a conversation costs: tokens as the provider counts them, times its prices.

use crate::Usage;

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Price {
    pub(super) input: f64,
    pub(super) output: f64,
    /// What tokens from the cache cost, as a part of the input's price.
    pub(super) cached_share: f64,
    /// What tokens cost that go into the cache, as a part of the input's price.
    pub(super) caching_share: f64,
}

/// The tokens of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tokens {
    /// That were neither in the cache nor went into it.
    pub(super) fresh: u64,
    /// That went into the cache.
    pub(super) caching: u64,
    /// That came from the cache.
    pub(super) cached: u64,
    pub(super) output: u64,
}

const MILLION: f64 = 1e6;

impl Tokens {
    /// Adds them to `usage`; the cost, where `price` is known.
    pub(super) fn count(self, usage: &mut Usage, price: Option<Price>) {
        let input = self.fresh.saturating_add(self.caching).saturating_add(self.cached);
        usage.input_tokens = usage.input_tokens.saturating_add(input);
        usage.cached_tokens = usage.cached_tokens.saturating_add(self.cached);
        usage.output_tokens = usage.output_tokens.saturating_add(self.output);
        if let Some(price) = price {
            *usage.cost_usd.get_or_insert_default() += self.cost_usd(price);
        }
    }

    fn cost_usd(self, price: Price) -> f64 {
        let input = self.fresh as f64
            + self.caching as f64 * price.caching_share
            + self.cached as f64 * price.cached_share;
        (input * price.input + self.output as f64 * price.output) / MILLION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_the_cache_is_counted_and_costs_less() {
        let price = Price { input: 2.0, output: 10.0, cached_share: 0.1, caching_share: 1.25 };
        let tokens = Tokens { fresh: 1_000, caching: 2_000, cached: 10_000, output: 100 };
        let mut usage = Usage::default();
        tokens.count(&mut usage, Some(price));
        assert_eq!(
            (usage.input_tokens, usage.cached_tokens, usage.output_tokens),
            (13_000, 10_000, 100)
        );
        let cost = usage.cost_usd.unwrap();
        assert!((cost - 0.01).abs() < 1e-9, "{cost}");
        tokens.count(&mut usage, Some(price));
        assert!((usage.cost_usd.unwrap() - 0.02).abs() < 1e-9);
    }

    #[test]
    fn without_a_price_there_is_no_cost() {
        let mut usage = Usage::default();
        Tokens { output: 5, ..Tokens::default() }.count(&mut usage, None);
        assert_eq!((usage.output_tokens, usage.cost_usd), (5, None));
    }
}
