//! Which part of a file a client asks for (RFC 9110, 14.2): one range, or the whole.

/// The part of the file to send.
#[derive(Debug, PartialEq)]
pub(super) enum Part {
    Whole,
    Piece {
        from: u64,
        length: u64,
    },
    /// A range that begins behind the end.
    Beyond,
}

/// What `range` asks of `size` bytes. More ranges than one, and what cannot be read, mean the whole.
pub(super) fn part(range: Option<&str>, size: u64) -> Part {
    let Some(spec) = range.and_then(|it| it.strip_prefix("bytes=")) else { return Part::Whole };
    let Some((first, last)) = spec.trim().split_once('-') else { return Part::Whole };
    let number = |it: &str| it.parse::<u64>().ok().filter(|_| !it.starts_with('+'));
    match (first, number(first), last, number(last)) {
        ("", _, _, Some(0)) => Part::Beyond,
        ("", _, _, Some(_)) if size == 0 => Part::Beyond,
        ("", _, _, Some(tail)) => piece(size.saturating_sub(tail), size - 1),
        (_, Some(from), _, _) if from >= size && (last.is_empty() || number(last).is_some()) => {
            Part::Beyond
        }
        (_, Some(from), "", _) => piece(from, size - 1),
        (_, Some(from), _, Some(to)) if from <= to => piece(from, to.min(size - 1)),
        _ => Part::Whole,
    }
}

fn piece(from: u64, to: u64) -> Part {
    Part::Piece { from, length: to - from + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_a_piece_and_anything_else_the_whole() {
        let part = |range| part(Some(range), 10);
        let piece = |from, length| Part::Piece { from, length };
        assert_eq!(part("bytes=0-0"), piece(0, 1));
        assert_eq!(part("bytes=3-"), piece(3, 7));
        assert_eq!(part("bytes=3-99"), piece(3, 7));
        assert_eq!(part("bytes=-4"), piece(6, 4));
        assert_eq!(part("bytes=-99"), piece(0, 10));
        for whole in ["", "bytes", "bytes=", "bytes=-", "bytes=5-3", "bytes=0-1,3-4", "lines=1-2"] {
            assert_eq!(part(whole), Part::Whole, "{whole}");
        }
        for beyond in ["bytes=10-", "bytes=10-20", "bytes=-0"] {
            assert_eq!(part(beyond), Part::Beyond, "{beyond}");
        }
    }

    #[test]
    fn nothing_has_no_part() {
        assert_eq!(part(None, 0), Part::Whole);
        assert_eq!(part(Some("bytes=0-"), 0), Part::Beyond);
        assert_eq!(part(Some("bytes=-1"), 0), Part::Beyond);
    }
}
