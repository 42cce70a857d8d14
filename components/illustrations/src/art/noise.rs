//! Reproducible random numbers and smooth noise.

/// A random number generator that depends only on its seed.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u32);

impl Dice {
    pub(crate) fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b)
    }

    /// Returns a number from 0 to 1.
    pub(crate) fn roll(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        unit(mix(self.0))
    }

    pub(crate) fn within(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * self.roll()
    }
}

fn mix(mut bits: u32) -> u32 {
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x7feb_352d);
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x846c_a68b);
    bits ^ (bits >> 16)
}

fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / 16_777_216.0
}

fn corner(x: i32, y: i32, seed: u32) -> f32 {
    unit(mix((x as u32).wrapping_mul(0x27d4_eb2f) ^ mix((y as u32).wrapping_add(seed))))
}

/// Smooth noise from 0 to 1, with about one hill per unit.
pub(crate) fn noise(x: f32, y: f32, seed: u32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (u, v) = (x - left, y - top);
    let (u, v) = (u * u * (3.0 - 2.0 * u), v * v * (3.0 - 2.0 * v));
    let (left, top) = (left as i32, top as i32);
    let above = corner(left, top, seed) * (1.0 - u) + corner(left + 1, top, seed) * u;
    let below = corner(left, top + 1, seed) * (1.0 - u) + corner(left + 1, top + 1, seed) * u;
    above * (1.0 - v) + below * v
}

/// Noise with finer noise on it, from 0 to 1.
pub(crate) fn rough(mut x: f32, mut y: f32, seed: u32, octaves: u32) -> f32 {
    let (mut sum, mut weight, mut whole) = (0.0, 0.5, 0.0);
    for octave in 0..octaves {
        sum += weight * noise(x, y, seed.wrapping_add(octave * 101));
        whole += weight;
        weight *= 0.5;
        (x, y) = (x * 2.03 + 11.7, y * 2.03 + 5.3);
    }
    sum / whole
}
