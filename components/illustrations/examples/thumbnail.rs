//! Composes thumbnails into a folder, for inspection.

use std::{env, fs, path::PathBuf, time::Instant};

use illustrations::{
    cards,
    compose::{Plan, Style, compose},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(env::args().nth(1).unwrap_or_else(|| "target/sheet".to_owned()));
    fs::create_dir_all(&folder)?;
    let all: Vec<_> = cards::themes().iter().flat_map(|it| &it.cards).collect();
    let versus = Some(Style::Versus);
    let plans: [(&[usize], &str, &str, Option<Style>); 6] = [
        (&[0, 6], "蒼晶竜 対 紅蓮機工", "", None),
        (&[24, 26, 27], "深淵の夜、開幕！", "第3回 大会決勝", None),
        (&[36], "星海航路デッキ徹底解説", "初心者でも3分でわかる", None),
        (&[12, 13, 14, 15, 16], "Verdant Spirits 全紹介", "", None),
        (&[30, 32, 35, 33], "", "", versus),
        (
            &[18, 19, 20],
            "黄金王朝は本当に最強なのか？ 検証してみた🐉",
            "2026年環境",
            Some(Style::Spotlight),
        ),
    ];
    for (index, (chosen, title, subtitle, style)) in plans.into_iter().enumerate() {
        let cards = chosen.iter().map(|it| all[*it].picture()).collect();
        let (title, subtitle) = (title.to_owned(), subtitle.to_owned());
        let plan = Plan { cards, title, subtitle, style, theme: None };
        let began = Instant::now();
        let Ok(composed) = compose(&plan) else { return Err("refused".into()) };
        eprintln!(
            "{index}: {:?}, {} KB, {:?}",
            began.elapsed(),
            composed.png.len() >> 10,
            composed.missing
        );
        fs::write(folder.join(format!("thumbnail{index}.png")), composed.png)?;
    }
    Ok(())
}
