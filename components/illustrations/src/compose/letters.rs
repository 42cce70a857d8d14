//! Text on the picture: outlines of the bundled font with an edge and a shadow.

use std::sync::OnceLock;

use output::text::is_unseen;
use tiny_skia::{FillRule, LineJoin, Path, PathBuilder, Stroke, Transform};
use ttf_parser::{Face, OutlineBuilder};

use super::{Palette, Style};
use crate::art::canvas::{Canvas, Tint, c, down, flat};

/// Noto Sans JP, black: JIS level 1, kana, ASCII. Its licence is in the same folder.
const FONT: &[u8] = include_bytes!("../../data/font/subset.ttf");
/// Replaces characters that the font lacks.
const SUBSTITUTE: char = '〓';

/// Writes titles with the bundled font.
pub(super) struct Lettering {
    tints: [Tint; 2],
    edge: Tint,
    /// Characters that the font lacks, each once.
    pub(super) missing: Vec<char>,
}

/// A box for text, given by its middle.
#[derive(Clone, Copy)]
struct Space {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
    lines_max: usize,
    /// Maximum size of the letters.
    size_max: f32,
}

impl Lettering {
    pub(super) fn new(palette: &Palette) -> Self {
        let edge = palette.night.to(c(0), 0.35);
        Self {
            tints: [c(0xffffff), palette.light.to(palette.glow, 0.35)],
            edge,
            missing: Vec::new(),
        }
    }

    /// Draws title and subtitle where the layout has room for them.
    pub(super) fn write(&mut self, canvas: &mut Canvas, style: Style, title: &str, subtitle: &str) {
        let beside = style == Style::Spotlight;
        let (big, small) = match (beside, subtitle.is_empty(), title.is_empty()) {
            (true, true, _) => (space(900.0, 360.0, 660.0, 470.0, 4, 190.0), None),
            (true, false, true) => (
                space(900.0, 200.0, 10.0, 10.0, 1, 10.0),
                Some(space(900.0, 360.0, 660.0, 200.0, 3, 90.0)),
            ),
            (true, false, false) => (
                space(900.0, 310.0, 660.0, 380.0, 3, 180.0),
                Some(space(900.0, 566.0, 640.0, 96.0, 2, 58.0)),
            ),
            (false, true, _) => (space(640.0, 626.0, 1220.0, 158.0, 2, 138.0), None),
            (false, false, _) => (
                space(640.0, 604.0, 1220.0, 118.0, 1, 116.0),
                Some(space(640.0, 688.0, 1180.0, 44.0, 1, 42.0)),
            ),
        };
        self.block(canvas, title, big, self.tints);
        if let Some(small) = small {
            self.block(canvas, subtitle, small, [c(0xffffff), c(0xfff4d0)]);
        }
    }

    /// Draws text as large as fits, with the number of lines that allows the largest letters.
    fn block(&mut self, canvas: &mut Canvas, text: &str, space: Space, tints: [Tint; 2]) {
        if text.is_empty() {
            return;
        }
        let mut best = (0.0, Vec::new());
        for count in 1..=space.lines_max {
            let lines = wrapped(text, count);
            let widest = lines.iter().map(|it| width(it)).fold(0.001, f32::max);
            let tall = space.height / (lines.len() as f32 * 1.16);
            let size = (space.width / widest).min(tall).min(space.size_max);
            if size > best.0 + 0.5 {
                best = (size, lines);
            }
        }
        let (size, lines) = best;
        let top = space.y - (lines.len() as f32 - 1.0) * size * 0.58;
        for (index, line) in lines.iter().enumerate() {
            let middle = top + index as f32 * size * 1.16;
            let mut path = PathBuilder::new();
            let wide = run(line, size, &mut path, &mut self.missing);
            let place = Transform::from_translate(-wide / 2.0, size * 0.36)
                .post_concat(Transform::from_row(1.0, 0.0, -0.09, 1.0, 0.0, 0.0))
                .post_translate(space.x, middle);
            if let Some(path) = path.finish().and_then(|it| it.transform(place)) {
                let span = [middle - size * 0.45, middle + size * 0.45];
                paint(canvas, &path, span, tints, self.edge, size * 0.075);
            }
        }
    }
}

const fn space(x: f32, y: f32, width: f32, height: f32, lines_max: usize, size_max: f32) -> Space {
    Space { x, y, width, height, lines_max, size_max }
}

/// Fills letters from one tint to another, within a light and a dark edge.
pub(super) fn paint(
    canvas: &mut Canvas,
    path: &Path,
    span: [f32; 2],
    tints: [Tint; 2],
    edge: Tint,
    width: f32,
) {
    let still = Transform::identity();
    let stroke = |width: f32| Stroke { width, line_join: LineJoin::Round, ..Stroke::default() };
    let dark = flat(edge.a(0.55));
    let fallen = Transform::from_translate(width * 0.7, width);
    canvas.map.stroke_path(path, &dark, &stroke(width * 3.6), fallen, None);
    canvas.map.stroke_path(path, &flat(edge), &stroke(width * 3.2), still, None);
    let middle = tints[1].to(edge, 0.35);
    canvas.map.stroke_path(path, &flat(middle), &stroke(width * 1.5), still, None);
    canvas.map.stroke_path(path, &flat(c(0xffffff)), &stroke(width * 0.5), still, None);
    let ink = down(span[0], tints[0], span[1], tints[1]).paint();
    canvas.map.fill_path(path, &ink, FillRule::Winding, still, None);
}

fn face() -> Option<&'static Face<'static>> {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(FONT, 0).ok()).as_ref()
}

/// Returns the width of a line at size 1.
fn width(line: &str) -> f32 {
    run(line, 1.0, &mut PathBuilder::new(), &mut Vec::new())
}

/// Adds a line's outlines from the origin. Returns its width.
pub(super) fn run(line: &str, size: f32, path: &mut PathBuilder, missing: &mut Vec<char>) -> f32 {
    let Some(face) = face() else { return 0.0 };
    let scale = size / f32::from(face.units_per_em());
    let mut x = 0.0;
    for letter in line.chars().filter(|it| !is_unseen(*it)) {
        let glyph = face.glyph_index(letter).or_else(|| {
            if !missing.contains(&letter) {
                missing.push(letter);
            }
            face.glyph_index(SUBSTITUTE)
        });
        let Some(glyph) = glyph else { continue };
        face.outline_glyph(glyph, &mut Pen { path, x, scale });
        x += f32::from(face.glyph_hor_advance(glyph).unwrap_or_default()) * scale;
    }
    x
}

/// Wraps text into `count` lines of similar width.
fn wrapped(text: &str, count: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    let mut from = 0;
    for line in 0..count {
        let left = letters.len() - from;
        let even = from + left.div_ceil(count - line);
        let to = if line + 1 < count { broken(&letters, from, even) } else { letters.len() };
        let piece: String = letters[from..to].iter().collect();
        if !piece.trim().is_empty() {
            lines.push(piece.trim().to_owned());
        }
        from = to;
    }
    lines
}

/// Returns the best break near `even`.
fn broken(letters: &[char], from: usize, even: usize) -> usize {
    let cost = |to: usize| {
        let (before, after) = (letters[to - 1], letters[to]);
        let far = to.abs_diff(even);
        match (kind(before), kind(after)) {
            (_, Kind::Space) | (Kind::Space, _) => far,
            _ if TRAILING.contains(after) => far + 40,
            (Kind::Latin, Kind::Latin) => far + 30,
            (before, after) if before == after => far + 6,
            // Words begin with kanji and end with kana.
            (Kind::Hiragana, _) => far + 1,
            (_, Kind::Hiragana) => far + 5,
            _ => far + 2,
        }
    };
    let reach = even.saturating_sub(5).max(from + 1)..(even + 6).min(letters.len());
    reach.min_by_key(|it| cost(*it)).unwrap_or(even.min(letters.len()))
}

/// Characters that may not begin a line.
const TRAILING: &str = "ぁぃぅぇぉっゃゅょァィゥェォッャュョー、。！？!?,.」』】）)…・〓";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Space,
    Latin,
    Hiragana,
    Katakana,
    Other,
}

fn kind(letter: char) -> Kind {
    match letter {
        ' ' | '\u{3000}' => Kind::Space,
        'ぁ'..='ん' => Kind::Hiragana,
        'ァ'..='ー' => Kind::Katakana,
        it if it.is_ascii_alphanumeric() => Kind::Latin,
        _ => Kind::Other,
    }
}

struct Pen<'a> {
    path: &'a mut PathBuilder,
    x: f32,
    scale: f32,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn font_has_all_names_of_cards_and_themes() {
        let mut missing = Vec::new();
        for theme in crate::cards::themes() {
            for name in theme.names().chain(theme.cards.iter().flat_map(|it| it.names())) {
                assert!(run(name, 10.0, &mut PathBuilder::new(), &mut missing) > 10.0, "{name}");
            }
        }
        assert_eq!(missing, Vec::<char>::new());
    }

    #[test]
    fn reports_missing_character_once_and_substitutes_it() {
        let mut missing = Vec::new();
        let wide = run("🐉a🐉\u{fe0f}", 10.0, &mut PathBuilder::new(), &mut missing);
        assert_eq!(missing, ['🐉']);
        assert!(wide > 20.0);
    }

    #[test]
    fn wraps_at_spaces_without_losing_letters() {
        assert_eq!(wrapped("Azure Dragons", 2), ["Azure", "Dragons"]);
        assert_eq!(wrapped("蒼晶竜対紅蓮機工", 2), ["蒼晶竜対", "紅蓮機工"]);
        assert_eq!(wrapped("星海航路デッキ徹底解説", 2), ["星海航路デッキ", "徹底解説"]);
        assert_eq!(wrapped("a", 3), ["a"]);
        assert_eq!(wrapped("", 2), Vec::<String>::new());
    }
}
