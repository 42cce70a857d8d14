//! The colours of a thumbnail: a theme's, or what the picture itself has.

use tiny_skia::Pixmap;
use toolkit::Stop;

use crate::{
    art::canvas::{Tint, byte, c},
    cards::{self, Theme, themes},
    picture::Picture,
    refusals,
};

/// From dark to light.
#[derive(Clone, Debug)]
pub(super) struct Palette {
    pub(super) night: Tint,
    pub(super) deep: Tint,
    pub(super) middle: Tint,
    pub(super) light: Tint,
    pub(super) glow: Tint,
}

impl Palette {
    /// Those of the theme that is asked for, else of the card's theme, else of its picture.
    pub(super) fn of(
        theme: Option<&str>,
        card: Option<&Picture>,
        picture: Option<&Pixmap>,
    ) -> Result<Self, Stop> {
        if let Some(name) = theme {
            let all = || themes().iter().take(5).map(|it| it.name.clone()).collect::<Vec<_>>();
            return match cards::meant(name).0[..] {
                [only] => Ok(Self::theme(&themes()[only])),
                _ => Err(refusals::theme_not_found(name, &all())),
            };
        }
        let own = |card: &Picture| {
            themes().iter().find(|it| it.cards.iter().any(|it| it.name == card.name))
        };
        Ok(match (card.and_then(own), picture) {
            (Some(theme), _) => Self::theme(theme),
            (None, Some(picture)) => Self::around(mean(picture)),
            (None, None) => Self::around([60.0, 90.0, 160.0]),
        })
    }

    fn theme(theme: &Theme) -> Self {
        let tint = |i: usize| {
            let hex = theme.palette[i].trim_start_matches('#');
            c(u32::from_str_radix(hex, 16).unwrap_or_default())
        };
        Self { night: tint(0), deep: tint(1), middle: tint(2), light: tint(3), glow: tint(4) }
    }

    fn around(mean: [f32; 3]) -> Self {
        let most = mean.iter().copied().fold(1.0, f32::max);
        let full = mean.map(|it| it / most * 210.0);
        let of = |share: f32| {
            let [r, g, b] = full.map(|it| byte(it * share));
            c(u32::from_be_bytes([0, r, g, b]))
        };
        let white = c(0xffffff);
        Self {
            night: of(0.14),
            deep: of(0.38),
            middle: of(0.9),
            light: of(1.0).to(white, 0.45),
            glow: of(1.0).to(white, 0.85),
        }
    }
}

/// The mean colour of a picture, by every 97th pixel.
fn mean(picture: &Pixmap) -> [f32; 3] {
    let (mut sum, mut count) = ([0.0; 3], 1.0);
    for pixel in picture.pixels().iter().step_by(97) {
        for (sum, it) in sum.iter_mut().zip([pixel.red(), pixel.green(), pixel.blue()]) {
            *sum += f32::from(it);
        }
        count += 1.0;
    }
    sum.map(|it| it / count)
}
