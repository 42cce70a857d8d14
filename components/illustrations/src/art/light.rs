//! Light effects: glows, auras, clouds, rays and the vignette.

use tiny_skia::{FillRule, Mask, Transform};

use super::{
    canvas::{Canvas, Ink, Tint, byte},
    noise::{Dice, rough},
    shape::{Shape, thick},
};

/// Grid distance of auras and clouds in pixels; values between are interpolated.
const COARSE: usize = 4;

/// Amounts on a coarse grid.
struct Grid {
    width: usize,
    height: usize,
    amounts: Vec<f32>,
}

impl Grid {
    fn at(&self, x: usize, y: usize) -> f32 {
        self.amounts[y.min(self.height - 1) * self.width + x.min(self.width - 1)]
    }
}

impl Canvas {
    /// Draws a glow around a point, which fades out at `radius`.
    pub(crate) fn glow(&mut self, x: f32, y: f32, radius: f32, tint: Tint) {
        let light = tint.channels().map(|it| it / 255.0 * tint.1);
        let (width, height) = (self.map.width() as usize, self.map.height() as usize);
        let from = ((y - radius).max(0.0) as usize, (x - radius).max(0.0) as usize);
        let to = ((y + radius).max(0.0) as usize, (x + radius).max(0.0) as usize);
        let pixels = self.map.data_mut();
        for row in from.0..to.0.min(height) {
            let dy = (row as f32 - y) / radius;
            for column in from.1..to.1.min(width) {
                let dx = (column as f32 - x) / radius;
                let near = 1.0 - dx * dx - dy * dy;
                if near > 0.0 {
                    let at = (row * width + column) * 4;
                    lighten(&mut pixels[at..at + 3], light, near * near * near);
                }
            }
        }
    }

    fn add(&mut self, grid: &Grid, tint: Tint) {
        let light = tint.channels().map(|it| it / 255.0 * tint.1);
        self.each(grid, |pixel, amount| lighten(pixel, light, amount));
    }

    fn cover(&mut self, grid: &Grid, tint: Tint) {
        let over = tint.channels();
        self.each(grid, |pixel, amount| {
            let amount = amount * tint.1;
            for (old, over) in pixel.iter_mut().zip(over) {
                *old = byte(f32::from(*old) * (1.0 - amount) + over * amount);
            }
        });
    }

    /// Calls `paint` for each pixel with the interpolated value.
    fn each(&mut self, grid: &Grid, paint: impl Fn(&mut [u8], f32)) {
        let width = self.map.width() as usize;
        let rows = self.map.data_mut().chunks_exact_mut(width * 4);
        for (y, row) in rows.enumerate() {
            let (cell_y, v) = (y / COARSE, (y % COARSE) as f32 / COARSE as f32);
            for (cell_x, pixels) in row.chunks_mut(COARSE * 4).enumerate() {
                let column = |x: usize| {
                    let (above, below) = (grid.at(x, cell_y), grid.at(x, cell_y + 1));
                    above + (below - above) * v
                };
                let (left, right) = (column(cell_x), column(cell_x + 1));
                if left <= 0.002 && right <= 0.002 {
                    continue;
                }
                for (x, pixel) in pixels.chunks_exact_mut(4).enumerate() {
                    let amount = left + (right - left) * x as f32 / COARSE as f32;
                    paint(&mut pixel[..3], amount);
                }
            }
        }
    }

    fn blurred(&self, shape: &Shape, reach: f32) -> Option<Grid> {
        let width = self.map.width() as usize / COARSE + 1;
        let height = self.map.height() as usize / COARSE + 1;
        let mut mask = Mask::new(width as u32, height as u32)?;
        let path = shape.path_at(1.0 / COARSE as f32)?;
        mask.fill_path(&path, FillRule::Winding, true, Transform::identity());
        let amounts = mask.data().iter().map(|it| f32::from(*it) / 255.0).collect();
        let mut grid = Grid { width, height, amounts };
        let radius = (reach / COARSE as f32 / 2.0).max(1.0) as usize;
        for _ in 0..3 {
            grid.blur(radius);
        }
        Some(grid)
    }

    /// Draws clouds between two heights; `cover` is their density.
    pub(crate) fn clouds(&mut self, seed: u32, span: [f32; 2], size: f32, cover: f32, tint: Tint) {
        let (width, height) =
            (self.map.width() as usize / COARSE + 2, self.map.height() as usize / COARSE + 2);
        let mut amounts = Vec::with_capacity(width * height);
        let (middle, half) = ((span[0] + span[1]) / 2.0, (span[1] - span[0]) / 2.0);
        for y in 0..height {
            let y = (y * COARSE) as f32;
            let near = (1.0 - ((y - middle) / half).powi(2)).max(0.0);
            for x in 0..width {
                let x = (x * COARSE) as f32;
                let amount = if near > 0.0 {
                    let wave = rough(x / size, y / size * 2.0, seed, 4);
                    ((wave - 1.0 + cover) * 3.2).clamp(0.0, 1.0) * near
                } else {
                    0.0
                };
                amounts.push(amount);
            }
        }
        self.cover(&Grid { width, height, amounts }, tint);
    }

    /// Draws rays of different widths from a point.
    pub(crate) fn rays(&mut self, from: [f32; 2], seed: u32, count: u8, length: f32, tint: Tint) {
        let mut dice = Dice::new(seed);
        for i in 0..count {
            let angle = std::f32::consts::TAU * (f32::from(i) + dice.within(-0.35, 0.35))
                / f32::from(count);
            let reach = length * dice.within(0.6, 1.0);
            let to = [from[0] + angle.cos() * reach, from[1] + angle.sin() * reach];
            let width = dice.within(0.06, 0.2) * reach;
            let ray = thick(&[from, to], &[1.0, width]);
            let faint = vec![(0.0, tint), (1.0, tint.a(0.0))];
            ray.fill(self, Ink::Round(from, reach, faint));
        }
    }

    /// Darkens the corners.
    pub(crate) fn vignette(&mut self, strength: f32) {
        let (width, height) = (self.width(), self.height());
        let row_bytes = self.map.width() as usize * 4;
        for (y, row) in self.map.data_mut().chunks_exact_mut(row_bytes).enumerate() {
            let dy = (y as f32 / height - 0.5) * 1.8;
            for (x, pixel) in row.chunks_exact_mut(4).enumerate() {
                let dx = (x as f32 / width - 0.5) * 1.8;
                let far = (dx * dx + dy * dy - 0.35).max(0.0);
                if far > 0.0 {
                    let keep = 1.0 - strength * far.min(1.0);
                    for channel in &mut pixel[..3] {
                        *channel = byte(f32::from(*channel) * keep);
                    }
                }
            }
        }
    }
}

impl Shape {
    /// Draws light around the shape, `reach` wide.
    pub(crate) fn aura(&self, canvas: &mut Canvas, reach: f32, tint: Tint) {
        if let Some(grid) = canvas.blurred(self, reach) {
            canvas.add(&grid, tint);
        }
    }

    /// Draws a soft shadow.
    pub(crate) fn shadow(&self, canvas: &mut Canvas, reach: f32, tint: Tint) {
        if let Some(grid) = canvas.blurred(self, reach) {
            canvas.cover(&grid, tint);
        }
    }
}

impl Grid {
    /// Box blur in two passes.
    fn blur(&mut self, radius: usize) {
        let whole = (2 * radius + 1) as f32;
        for (count, length, step, stride) in
            [(self.height, self.width, self.width, 1), (self.width, self.height, 1, self.width)]
        {
            let mut line = vec![0.0; length];
            for i in 0..count {
                for (k, it) in line.iter_mut().enumerate() {
                    *it = self.amounts[i * step + k * stride];
                }
                let mut sum: f32 = line.iter().take(radius).sum();
                for k in 0..length {
                    sum += line.get(k + radius).copied().unwrap_or(0.0);
                    if k > radius {
                        sum -= line[k - radius - 1];
                    }
                    self.amounts[i * step + k * stride] = sum / whole;
                }
            }
        }
    }
}

/// Adds light by the screen formula, never beyond white.
fn lighten(pixel: &mut [u8], light: [f32; 3], amount: f32) {
    for (old, light) in pixel.iter_mut().zip(light) {
        let dark = 255.0 - f32::from(*old);
        *old = byte(255.0 - dark * (1.0 - light * amount).max(0.0) + 0.5);
    }
}
