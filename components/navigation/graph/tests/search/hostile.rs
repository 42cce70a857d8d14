//! Files that are damaged, foreign or cut off: a clear error, never a panic, never an endless loop.

use graph::{Class, Graph, Mode, Network, NotFound, Point, RouteOptions, write::write};
use proptest::prelude::*;

use crate::{any_network, grid, network, node, street};

/// The checksum as the file has it, so that what is damaged looks whole.
fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(0x100_0000_01b3);
        sum ^= sum >> 29;
    }
    for &byte in rest {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    (sum ^ (sum >> 32)) as u32
}

/// Where the sealed pieces of a file lie: its header, and each section's index and blocks.
fn sealed(bytes: &[u8]) -> Vec<(usize, usize)> {
    let number = |at: usize, length: usize| {
        bytes[at..at + length].iter().rev().fold(0_usize, |sum, &it| sum << 8 | usize::from(it))
    };
    let mut pieces = vec![(0, number(12, 4))];
    for section in 0..4 {
        let about = 16 + section * 20;
        let (offset, blocks) = (number(about, 8), number(about + 16, 4));
        let pages = blocks.div_ceil(256);
        for page in 0..pages {
            pieces.push((offset + page * 1032, 1032));
        }
        let begin = offset + pages * 1032;
        for block in 0..blocks {
            let entry = offset + block / 256 * 1032 + block % 256 * 4;
            let (from, to) = (number(entry, 4), number(entry + 4, 4));
            pieces.push((begin + from, to - from));
        }
    }
    pieces
}

/// Asks all that can be asked; what comes of it is no matter, as long as something comes.
fn ask(bytes: &[u8]) -> Result<(), NotFound> {
    let graph = Graph::open(bytes)?;
    let (a, b) = (node(10.0, 20.0).at, node(600.0, 500.0).at);
    for mode in [Mode::Drive, Mode::Walk] {
        let options = RouteOptions { mode, ways: 3, ..RouteOptions::default() };
        let found = [
            graph.nearest(a, &options, 1_000.0).map(drop),
            graph.ways(a, b, &options).map(drop),
            graph.ways(b, a, &options).map(drop),
            graph.matrix(&[a, b], &[b, a], &options).map(drop),
        ];
        for unreadable in found.into_iter().filter_map(Result::err) {
            if matches!(unreadable, NotFound::Unreadable(_)) {
                return Err(unreadable);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn detects_flipped_byte_or_result_is_unchanged(
        network in any_network(), at in any::<prop::sample::Index>(), flip in 1..=255_u8,
    ) {
        let mut bytes = write(&network).unwrap();
        let sound = format!("{:?}", answers(&bytes));
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        if let Err(unreadable) = ask(&bytes) {
            prop_assert!(matches!(unreadable, NotFound::Unreadable(why) if why.contains("map")));
        } else {
            prop_assert_eq!(format!("{:?}", answers(&bytes)), sound);
        }
    }

    #[test]
    fn hostile_file_never_panics_or_loops(
        network in any_network(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..=255_u8), 1..6),
    ) {
        let mut bytes = write(&network).unwrap();
        for (piece, at, flip) in flips {
            let pieces = sealed(&bytes);
            let (begin, length) = pieces[piece.index(pieces.len())];
            // Behind the header's first words: those are looked at by their own test.
            let first = if begin == 0 { begin + 16 } else { begin };
            let end = begin + length - 4;
            if end > first && end + 4 <= bytes.len() {
                let at = first + at.index(end - first);
                bytes[at] ^= flip;
                let sum = checksum(&bytes[begin..end]);
                bytes[end..end + 4].copy_from_slice(&sum.to_le_bytes());
            }
            if begin == 0 || length == 1032 {
                break;
            }
        }
        let _ = ask(&bytes);
    }

    #[test]
    fn truncated_file_is_unreadable(network in any_network(), at in any::<prop::sample::Index>()) {
        let bytes = write(&network).unwrap();
        let cut = &bytes[..at.index(bytes.len())];
        prop_assert!(matches!(Graph::open(cut), Err(NotFound::Unreadable(_))));
    }

    #[test]
    fn random_bytes_are_no_graph(bytes in prop::collection::vec(any::<u8>(), 0..4_000)) {
        let Err(NotFound::Unreadable(why)) = Graph::open(&bytes[..]) else { panic!("opened") };
        prop_assert!(why.contains("no map of Madoguchi's"));
    }
}

fn answers(bytes: &[u8]) -> Option<Vec<String>> {
    let graph = Graph::open(bytes).ok()?;
    let (a, b) = (node(10.0, 20.0).at, node(600.0, 500.0).at);
    let options = RouteOptions { ways: 3, ..RouteOptions::default() };
    Some(vec![
        format!("{:?}", graph.ways(a, b, &options)),
        format!("{:?}", graph.nearest(a, &options, 1_000.0)),
        format!("{:?}", graph.bounds()),
        graph.name().to_owned(),
    ])
}

#[test]
fn reports_other_version() {
    let mut bytes = write(&grid(2, 2, &[])).unwrap();
    bytes[8] = 9;
    let Err(NotFound::Unreadable(why)) = Graph::open(&bytes[..]) else { panic!("opened") };
    assert!(why.contains("version 9"), "{why}");
}

#[test]
fn refuses_to_write_invalid_network() {
    let sound = grid(2, 2, &[]);
    let spoilt = |spoil: fn(&mut Network)| {
        let mut network = sound.clone();
        spoil(&mut network);
        write(&network).unwrap_err()
    };
    assert_eq!(spoilt(|it| it.nodes[1].at.lat = f64::NAN), "node 1 is not on the globe");
    assert_eq!(spoilt(|it| it.links[2].to = 99), "link 2 leads to a node that there is not");
    assert_eq!(spoilt(|it| it.links[0].metres = f64::INFINITY), "link 0 has no length");
    assert_eq!(spoilt(|it| it.links[0].metres = -1.0), "link 0 has no length");
    assert_eq!(spoilt(|it| it.links[0].kmh = 0), "link 0 has no speed");
    let off = |it: &mut Network| it.links[3].shape.push(Point { lat: 91.0, lng: 0.0 });
    assert_eq!(spoilt(off), "link 3 leads off the globe");
    let mut crowded = sound.clone();
    crowded.links = vec![street(&crowded.nodes, 0, 1); 256];
    assert_eq!(write(&crowded).unwrap_err(), "more than 255 links meet at one junction");
    crowded.links.truncate(255);
    assert!(write(&crowded).is_ok());
}

#[test]
fn places_off_the_globe_and_empty_maps_find_nothing() {
    let bytes = write(&network(Vec::new(), Vec::new())).unwrap();
    let empty = Graph::open(&bytes[..]).unwrap();
    let here = node(0.0, 0.0).at;
    let options = RouteOptions::default();
    assert_eq!(empty.ways(here, here, &options).unwrap_err(), NotFound::OriginOutside(None));
    let bytes = write(&grid(3, 3, &[])).unwrap();
    let graph = Graph::open(&bytes[..]).unwrap();
    let nowhere = Point { lat: f64::NAN, lng: 139.7 };
    assert_eq!(graph.ways(nowhere, here, &options).unwrap_err(), NotFound::OriginOutside(None));
    let far = Point { lat: 36.0, lng: 139.7 };
    let Err(NotFound::DestinationOutside(Some(metres))) = graph.ways(here, far, &options) else {
        panic!("found")
    };
    assert!((44_000.0..44_200.0).contains(&metres), "{metres}");
    let shut = RouteOptions { traffic: [f32::NAN; 9], ..RouteOptions::default() };
    assert!(graph.ways(here, node(390.0, 400.0).at, &shut).is_ok(), "no number counts as 1");
}

#[test]
fn file_is_deterministic_with_its_metadata() {
    let mut sound = grid(4, 4, &[]);
    sound.name = "Grid".into();
    sound.attribution = "© nobody".into();
    sound.links[0].class = Class::Ferry;
    let bytes = write(&sound).unwrap();
    assert_eq!(bytes, write(&sound).unwrap(), "the same each time");
    let graph = Graph::open(&bytes[..]).unwrap();
    assert_eq!(
        (graph.name(), graph.attribution(), graph.drives_on_left()),
        ("Grid", "© nobody", true)
    );
    let (low, high) = graph.bounds();
    assert_eq!((low, high), (sound.nodes[0].at, sound.nodes[15].at));
}
