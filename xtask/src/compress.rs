//! Compresses the page's files at build time.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use brotli::enc::BrotliEncoderParams;

use crate::files::{Tree, fingerprint, write_if_changed};

/// What shrinks. Pictures and fonts are compressed already.
const SHRINKING: [&str; 10] =
    ["bin", "html", "css", "js", "mjs", "wasm", "json", "svg", "txt", "webmanifest"];
/// Below this, the headers weigh more than what is saved.
const WORTH_BYTES_MIN: usize = 256;
/// brotli's best. A page takes seconds with it, therefore the cache.
const QUALITY: i32 = 11;

/// Adds `FILE.br` and `FILE.gz` beside each file that shrinks; `cache` remembers them by content.
pub(crate) fn add_compressed(page: &mut Tree, cache: &Path) -> Result<()> {
    let mut compressed = Tree::new();
    for (path, bytes) in &*page {
        let extension = path.rsplit('.').next().unwrap_or_default();
        if !SHRINKING.contains(&extension) || bytes.len() < WORTH_BYTES_MIN {
            continue;
        }
        for (suffix, compress) in [("br", brotli as Compress), ("gz", gzip)] {
            let small = cached(cache, suffix, bytes, compress)?;
            if small.len() < bytes.len() {
                compressed.insert(format!("{path}.{suffix}"), small);
            }
        }
    }
    page.append(&mut compressed);
    Ok(())
}

/// What a browser that takes brotli downloads, all files together.
pub(crate) fn transfer_bytes(page: &Tree) -> usize {
    let is_original = |path: &str| !path.ends_with(".br") && !path.ends_with(".gz");
    let originals = page.iter().filter(|(path, _)| is_original(path));
    originals.map(|(path, bytes)| page.get(&format!("{path}.br")).unwrap_or(bytes).len()).sum()
}

type Compress = fn(&[u8]) -> std::io::Result<Vec<u8>>;

fn cached(cache: &Path, suffix: &str, bytes: &[u8], compress: Compress) -> Result<Vec<u8>> {
    let file = cache.join(format!("{}.{suffix}", fingerprint(&(bytes, QUALITY))));
    if let Ok(cached) = fs::read(&file) {
        return Ok(cached);
    }
    let small = compress(bytes)?;
    write_if_changed(&file, &small)?;
    Ok(small)
}

fn brotli(mut bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let parameters = BrotliEncoderParams {
        quality: QUALITY,
        size_hint: bytes.len(),
        ..BrotliEncoderParams::default()
    };
    let mut small = Vec::new();
    brotli::BrotliCompress(&mut bytes, &mut small, &parameters)?;
    Ok(small)
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn adds_two_smaller_files_with_the_same_content() {
        let cache = std::env::temp_dir().join(format!("xtask-compress-{}", std::process::id()));
        let text = "座席 seat ".repeat(200).into_bytes();
        let mut page = Tree::from([
            ("page.css".to_owned(), text.clone()),
            ("tiny.css".to_owned(), b"p{}".to_vec()),
            ("seat.png".to_owned(), text.clone()),
        ]);
        add_compressed(&mut page, &cache).unwrap();
        let names = page.keys().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(names, ["page.css", "page.css.br", "page.css.gz", "seat.png", "tiny.css"]);
        let mut back = Vec::new();
        brotli::BrotliDecompress(&mut &page["page.css.br"][..], &mut back).unwrap();
        assert_eq!(back, text);
        back.clear();
        flate2::read::GzDecoder::new(&page["page.css.gz"][..]).read_to_end(&mut back).unwrap();
        assert_eq!(back, text);
        fs::remove_dir_all(cache).unwrap();
    }
}
