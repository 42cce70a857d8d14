//! 蒼晶竜: dragons and crystals under the moon.

mod ajur;
mod rivie;
mod roar;
mod ruri;
mod seiran;
mod spire;

use super::{
    canvas::{Canvas, Ink, Tint, c, down, round},
    card,
    shape::{Shape, blob, disc, leaf, limb, poly, star, thick},
    subjects::{fingers, membrane},
};

const NIGHT: Tint = c(0x0006_1436);
const DEEP: Tint = c(0x000f_3d8c);
const BLUE: Tint = c(0x002f_86d6);
const LIGHT: Tint = c(0x008f_d8ff);
const ICE: Tint = c(0x00e9_fbff);

pub(super) fn draw(id: &str) -> Option<Canvas> {
    Some(match id {
        "azure" => ajur::draw(),
        "ruri" => ruri::draw(),
        "rivie" => rivie::draw(),
        "roar" => roar::draw(),
        "seiran" => seiran::draw(),
        "spire" => spire::draw(),
        _ => return None,
    })
}

fn round_light() -> Shape {
    star(240.0, 82.0, 8, 70.0, 9.0, 0.0)
}
