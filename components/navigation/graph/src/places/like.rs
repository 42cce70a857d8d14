//! How much two names are alike.

/// How many letters are other, left out, put in, or swapped with the next one; none where more than `most`.
pub(super) fn other(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, one) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, two) in b.iter().enumerate() {
            let swapped = i > 0 && j > 0 && a[i - 1] == *two && b[j - 1] == *one && one != two;
            let mut least = (row[j] + usize::from(one != two)).min(row[j + 1] + 1).min(next[j] + 1);
            if swapped {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|it| *it <= most)
}

#[cfg(test)]
mod tests {
    use super::other;

    #[test]
    fn letters_may_be_other_missing_too_many_or_swapped() {
        let of = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|it| it.chars().collect::<Vec<_>>());
            other(&a, &b, 2)
        };
        for (a, b, others) in [
            ("vaduz", "vaduz", Some(0)),
            ("vadus", "vaduz", Some(1)),
            ("vaduzz", "vaduz", Some(1)),
            ("vaudz", "vaduz", Some(1)),
            ("shcaan", "schaan", Some(1)),
            ("", "ab", Some(2)),
            ("vaduz", "triesen", None),
            ("", "abc", None),
        ] {
            assert_eq!((of(a, b), of(b, a)), (others, others), "{a} {b}");
        }
    }
}
