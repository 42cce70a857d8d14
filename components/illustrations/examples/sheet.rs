//! Draws every bundled card into a folder, and all of them onto one sheet, for inspection.

use std::{env, fs, path::PathBuf, time::Instant};

use illustrations::{art, cards};
use tiny_skia::{Color, FilterQuality, Pixmap, PixmapPaint, Transform};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env::args().nth(1).unwrap_or_else(|| "target/sheet".to_owned()));
    let only = env::args().nth(2);
    fs::create_dir_all(&folder)?;
    let themes: Vec<_> = cards::themes()
        .iter()
        .filter(|it| only.as_ref().is_none_or(|only| it.id == *only))
        .collect();
    let rows = u32::try_from(themes.len())?;
    let mut sheet = Pixmap::new(6 * 330, rows * 440).ok_or("no cards")?;
    sheet.fill(Color::BLACK);
    for (row, theme) in (0_u16..).zip(&themes) {
        for (column, card) in (0_u16..).zip(&theme.cards) {
            let began = Instant::now();
            let drawn = art::draw(&card.id);
            let drew = began.elapsed();
            let picture = illustrations::picture::Picture::png(&card.name, &drawn);
            fs::write(folder.join(format!("{}.png", card.id)), &picture.bytes)?;
            eprintln!(
                "{}: {drew:?}, {:?}, {} KB",
                card.id,
                began.elapsed(),
                picture.bytes.len() >> 10
            );
            let at = Transform::from_scale(0.6775, 0.6775)
                .post_translate(f32::from(column) * 330.0, f32::from(row) * 440.0);
            let paint = PixmapPaint { quality: FilterQuality::Bilinear, ..PixmapPaint::default() };
            sheet.draw_pixmap(0, 0, drawn.as_ref(), &paint, at, None);
        }
    }
    fs::write(folder.join("sheet.png"), illustrations::picture::Picture::png("", &sheet).bytes)?;
    Ok(())
}
