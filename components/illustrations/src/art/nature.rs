//! Scenery such as stars, moons, mountains, woods, water and crystals, and common parts: wings, lamps, smoke.

use std::f32::consts::TAU;

use super::canvas::{
    Canvas, Dice, Ink, Point, Shape, Tint, bar, c, disc, down, leaf, limb, noise, poly, rough,
    round, rows, star, thick,
};

impl Canvas {
    /// Stars down to a height, some with a glow.
    pub(crate) fn stars(&mut self, seed: u32, count: u16, bottom: f32, tint: Tint) {
        let mut dice = Dice::new(seed);
        for _ in 0..count {
            let (x, y) = (dice.within(0.0, self.width()), dice.within(0.0, bottom));
            let size = dice.roll().powi(4) * 1.7 + 0.5;
            disc(x, y, size, size).fill(self, tint.a(tint.1 * dice.within(0.35, 1.0)));
            if size > 1.6 {
                self.glow(x, y, size * 7.0, tint.a(0.5));
            }
        }
    }

    /// A disc of light with a wide glow.
    pub(crate) fn moon(&mut self, x: f32, y: f32, radius: f32, tint: Tint, halo: Tint) {
        self.glow(x, y, radius * 4.2, halo.a(0.42));
        self.glow(x, y, radius * 1.9, halo.a(0.65));
        let white = c(0xffffff);
        let face = vec![(0.0, tint.to(white, 0.75)), (0.75, tint.to(white, 0.35)), (1.0, tint)];
        disc(x, y, radius, radius).fill(self, Ink::Round([x, y], radius, face));
    }

    /// The seas of a moon.
    pub(crate) fn craters(&mut self, x: f32, y: f32, radius: f32, tint: Tint) {
        let Some(mask) = self.mask(&disc(x, y, radius, radius)) else { return };
        for [dx, dy, r] in
            rows("-0.35,-0.25,0.28 0.1,-0.42,0.16 0.3,0.05,0.3 -0.2,0.4,0.22 -0.55,0.2,0.14")
        {
            let crater = disc(x + dx * radius, y + dy * radius, r * radius, r * radius * 0.9);
            crater.fill_within(self, tint, Some(&mask));
        }
    }

    /// Mountains from `base` up to `height`; a low `size` is jagged.
    pub(crate) fn ridge(
        &mut self,
        seed: u32,
        base: f32,
        height: f32,
        size: f32,
        top: Tint,
        foot: Tint,
    ) {
        let bottom = self.height();
        let mut line = vec![[-4.0, bottom], [-4.0, base]];
        let mut x = -4.0;
        while x < self.width() + 8.0 {
            let peak = 1.0 - (2.0 * noise(x / size, 0.5, seed) - 1.0).abs();
            let small = rough(x / size * 3.0, 9.5, seed + 7, 3);
            line.push([x, base - height * (0.72 * peak * peak + 0.28 * small)]);
            x += 4.0;
        }
        line.push([self.width() + 4.0, bottom]);
        Shape(vec![line]).fill(self, down(base - height, top, base + height * 0.5, foot));
    }

    /// Rolling ground: its top at about `base`.
    pub(crate) fn ground(&mut self, seed: u32, base: f32, swell: f32, top: Tint, foot: Tint) {
        let bottom = self.height();
        let mut line = vec![[-4.0, bottom]];
        let mut x = -4.0;
        while x < self.width() + 8.0 {
            line.push([x, base - swell * (rough(x / 190.0, 3.5, seed, 2) * 2.0 - 1.0)]);
            x += 6.0;
        }
        line.push([self.width() + 4.0, bottom]);
        Shape(vec![line]).fill(self, down(base - swell, top, bottom, foot));
    }

    /// A row of firs whose feet stand at about `base`.
    pub(crate) fn firs(&mut self, seed: u32, base: f32, height: f32, top: Tint, foot: Tint) {
        let mut dice = Dice::new(seed);
        let mut wood = Shape::default();
        let mut x = -10.0;
        while x < self.width() + 20.0 {
            let tall = height * dice.within(0.55, 1.0);
            let y = base + dice.within(-4.0, 6.0);
            let wide = tall * 0.24;
            for tier in [0.0, 0.26, 0.5_f32] {
                let (tip, low) = (y - tall * (1.0 - tier * 0.9), y - tall * (0.52 - tier));
                let half = wide * (0.5 + tier);
                wood.0.push(vec![
                    [x, tip],
                    [x + half, low],
                    [x, low - tall * 0.05],
                    [x - half, low],
                ]);
            }
            x += wide * dice.within(0.8, 1.5);
        }
        wood.fill(self, down(base - height, top, base, foot));
    }

    /// Water from `top` to the bottom, with the light of something at `x` on it.
    pub(crate) fn water(
        &mut self,
        seed: u32,
        top: f32,
        far: Tint,
        near: Tint,
        x: f32,
        light: Tint,
    ) {
        let (width, bottom) = (self.width(), self.height());
        let sheet = bar(0.0, top, width, bottom);
        sheet.fill(self, down(top, far, bottom, near));
        let mut dice = Dice::new(seed);
        for _ in 0..150 {
            let depth = dice.roll().powf(1.4);
            let y = top + 1.0 + depth * (bottom - top);
            let spread = 26.0 + depth * 110.0;
            let off = dice.within(-1.0, 1.0);
            let long = (4.0 + depth * 30.0) * dice.within(0.5, 1.3);
            let at = x + off * off * off * spread * 2.0 + dice.within(-0.3, 0.3) * spread;
            let thin = 0.5 + depth * 1.6;
            let alpha = (1.0 - off.abs() * 0.75) * dice.within(0.25, 0.9);
            disc(at, y, long, thin).fill(self, light.a(light.1 * alpha));
        }
    }

    /// A crystal: its foot at a place, leaning by `lean`.
    pub(crate) fn crystal(
        &mut self,
        x: f32,
        y: f32,
        height: f32,
        lean: f32,
        dark: Tint,
        light: Tint,
    ) {
        let half = height * 0.14;
        let tip = [x + lean * height, y - height];
        let (left, right) = ([x - half, y], [x + half, y]);
        let shoulder = |from: [f32; 2], out: f32| {
            [from[0] + (tip[0] - x) * 0.72 + out, from[1] - height * 0.76]
        };
        let (upper_left, upper_right) =
            (shoulder(left, -half * 0.15), shoulder(right, half * 0.15));
        let edge = [x + lean * height * 0.7 + half * 0.2, y - height * 0.72];
        let foot = [x + half * 0.2, y];
        let facets = [
            (vec![left, upper_left, edge, foot], dark.to(light, 0.55)),
            (vec![foot, edge, upper_right, right], dark.to(light, 0.1)),
            (vec![upper_left, tip, edge], light),
            (vec![edge, tip, upper_right], dark.to(light, 0.35)),
        ];
        for (facet, tint) in facets {
            Shape(vec![facet]).fill(self, down(y - height, tint, y, tint.to(dark, 0.75)));
        }
        thick(&[upper_left, tip], &[0.8, 1.6]).fill(self, c(0xffffff).a(0.55));
    }

    /// A row of crystals along the lower edge.
    pub(crate) fn crystals(&mut self, seed: u32, base: f32, height: f32, dark: Tint, light: Tint) {
        let mut dice = Dice::new(seed);
        let mut x = -20.0;
        while x < self.width() + 20.0 {
            let edge = ((x / self.width() - 0.5).abs() * 2.0).min(1.0);
            let tall = height * (0.3 + 0.7 * edge * edge) * dice.within(0.5, 1.0);
            let lean = dice.within(-0.22, 0.22) + (x / self.width() - 0.5) * 0.3;
            self.crystal(x, base + dice.within(0.0, 14.0), tall, lean, dark, light);
            x += tall * dice.within(0.2, 0.4) + 8.0;
        }
    }

    /// Little lights with four points.
    pub(crate) fn sparkles(&mut self, seed: u32, count: u8, area: [f32; 4], tint: Tint) {
        let mut dice = Dice::new(seed);
        for _ in 0..count {
            let (x, y) = (dice.within(area[0], area[2]), dice.within(area[1], area[3]));
            let size = 2.5 + dice.roll().powi(3) * 12.0;
            self.glow(x, y, size * 2.4, tint.a(0.55));
            star(x, y, 4, size, size * 0.16, 0.0).fill(self, c(0xffffff).a(0.92));
        }
    }

    /// Sparks, fireflies, bubbles: soft points, bright in the middle.
    pub(crate) fn motes(&mut self, seed: u32, count: u8, area: [f32; 4], size: f32, tint: Tint) {
        let mut dice = Dice::new(seed);
        for _ in 0..count {
            let (x, y) = (dice.within(area[0], area[2]), dice.within(area[1], area[3]));
            let size = size * (0.35 + dice.roll().powi(2));
            self.glow(x, y, size * 4.5, tint.a(0.5));
            disc(x, y, size, size).fill(self, tint.to(c(0xffffff), 0.7));
        }
    }

    /// Petals, leaves or feathers in the wind.
    pub(crate) fn petals(
        &mut self,
        seed: u32,
        count: u8,
        area: [f32; 4],
        size: f32,
        tints: [Tint; 2],
    ) {
        let mut dice = Dice::new(seed);
        for _ in 0..count {
            let (x, y) = (dice.within(area[0], area[2]), dice.within(area[1], area[3]));
            let near = dice.roll().powi(2);
            let long = size * (0.5 + near * 1.1);
            let angle = dice.within(0.0, TAU);
            let to = [x + angle.cos() * long, y + angle.sin() * long];
            let tint = tints[0].to(tints[1], dice.roll());
            leaf([x, y], to, long * dice.within(0.3, 0.62)).fill(self, tint);
        }
    }

    /// Snow: some far, some near.
    pub(crate) fn snow(&mut self, seed: u32, count: u16, tint: Tint) {
        let mut dice = Dice::new(seed);
        for _ in 0..count {
            let (x, y) = (dice.within(0.0, self.width()), dice.within(0.0, self.height()));
            let near = dice.roll().powi(5);
            let size = 0.8 + near * 6.0;
            let soft = round(x, y, size, tint.a(tint.1 * (1.0 - near * 0.5)), tint.a(0.0));
            disc(x, y, size, size).fill(self, soft);
        }
    }

    /// A band of light across the sky, such as a galaxy.
    pub(crate) fn band(&mut self, seed: u32, line: &[[f32; 2]], width: f32, tint: Tint) {
        let shape = thick(line, &[width * 0.4, width, width * 0.3]);
        shape.aura(self, width, tint);
        let mut dice = Dice::new(seed);
        for pair in line.windows(2) {
            for _ in 0..9 {
                let share = dice.roll();
                let at = |i: usize| pair[0][i] + (pair[1][i] - pair[0][i]) * share;
                let off = dice.within(-1.0, 1.0);
                let (x, y) = (at(0) + off * width * 0.3, at(1) + off * off.abs() * width * 0.6);
                let size = dice.within(0.4, 1.3);
                disc(x, y, size, size).fill(self, c(0xffffff).a(dice.within(0.3, 0.9)));
            }
        }
    }

    /// A curtain of northern light that hangs from a line.
    pub(crate) fn aurora(&mut self, seed: u32, top: f32, height: f32, tint: Tint) {
        let mut dice = Dice::new(seed);
        let mut x = -20.0;
        while x < self.width() + 20.0 {
            let y = top + 60.0 * (noise(x / 130.0, 1.5, seed) - 0.5);
            let tall = height * (0.5 + noise(x / 40.0, 4.5, seed));
            let curtain = poly([[x, y], [x + 9.0, y], [x + 14.0, y - tall], [x, y - tall]]);
            let alpha = tint.1 * dice.within(0.3, 1.0);
            curtain.fill(self, down(y - tall, tint.a(0.0), y, tint.a(alpha)));
            x += 8.0;
        }
    }
}

fn along(a: Point, b: Point, share: f32) -> Point {
    [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
}

/// A wing of skin: from the shoulder over the wrist to the tips, and back to the hip.
pub(crate) fn membrane(shoulder: Point, wrist: Point, tips: &[Point], hip: Point) -> Shape {
    let mut outline = vec![shoulder, wrist];
    outline.extend(tips.first());
    let ends = tips.iter().skip(1).chain([&hip]);
    for (from, to) in tips.iter().zip(ends) {
        let pull = along(along(*from, *to, 0.5), wrist, 0.3);
        for i in 1..=6_u8 {
            let t = f32::from(i) / 6.0;
            outline.push(along(along(*from, pull, t), along(pull, *to, t), t));
        }
    }
    Shape(vec![outline])
}

/// The fingers of such a wing.
pub(crate) fn fingers(shoulder: Point, wrist: Point, tips: &[Point], width: f32) -> Shape {
    let mut bones = thick(&[shoulder, wrist], &[width * 1.3, width]);
    for tip in tips {
        let bow = along(along(wrist, *tip, 0.5), [wrist[0], tip[1].min(wrist[1])], 0.12);
        bones = bones.and(thick(&[wrist, bow, *tip], &[width * 0.8, width * 0.5, 0.5]));
    }
    bones
}

/// A wing of feathers that spreads from a shoulder: angles in radians, lengths in pixels, first and last.
pub(crate) fn feathers(
    at: Point,
    count: u8,
    angles: [f32; 2],
    lengths: [f32; 2],
    width: f32,
) -> Shape {
    let mut wing = Shape::default();
    for i in 0..count {
        let share = f32::from(i) / f32::from(count.max(2) - 1);
        let angle = angles[0] + (angles[1] - angles[0]) * share;
        let bulge = 1.0 + 0.25 * (share * std::f32::consts::PI).sin();
        let length = (lengths[0] + (lengths[1] - lengths[0]) * share) * bulge;
        let to = [at[0] + angle.cos() * length, at[1] + angle.sin() * length];
        wing = wing.and(leaf(at, to, width));
    }
    wing
}

impl Canvas {
    /// Layers of feathers, each shorter and lighter than the one below it.
    pub(crate) fn plumage(
        &mut self,
        at: Point,
        angles: [f32; 2],
        lengths: [f32; 2],
        width: f32,
        tints: [Tint; 2],
    ) {
        for (layer, size) in [(0_u8, 1.0), (1, 0.74), (2, 0.48)] {
            let tint = tints[0].to(tints[1], f32::from(layer) / 2.0);
            let reach = lengths[0].max(lengths[1]) * size;
            let lengths = lengths.map(|it| it * size);
            let ink = Ink::Round(at, reach, vec![(0.0, tint.to(tints[1], 0.3)), (1.0, tint)]);
            for i in 0..11_u8 {
                let share = f32::from(i) / 10.0;
                let angle = angles[0] + (angles[1] - angles[0]) * share;
                let feather = feathers(
                    at,
                    1,
                    [angle, angle],
                    [lengths[0] + (lengths[1] - lengths[0]) * share; 2],
                    width * size,
                );
                feather.fill(self, ink.clone());
                feather.stroke(self, 0.8, tints[0].to(c(0), 0.35).a(0.45));
            }
        }
    }

    /// Windows, lanterns: a small light with a glow around it.
    pub(crate) fn lamp(&mut self, x: f32, y: f32, size: f32, tint: Tint) {
        self.glow(x, y, size * 6.0, tint.a(0.6));
        disc(x, y, size, size).fill(self, tint.to(c(0xffffff), 0.7));
    }

    /// A trail of smoke, wider and fainter with its length.
    pub(crate) fn smoke(&mut self, trail: &str, widths: &[f32], tint: Tint) {
        let trail = limb(trail, widths);
        trail.shadow(self, 22.0, tint);
    }
}
