//! What is written in a block is what is read from it.

use proptest::prelude::*;

use crate::file::{
    bytes::{Reader, checksum, put, put_signed},
    nodes::{self, Half, Junction, Limits, Nodes, UNKNOWN},
    roads::{Road, Roads},
    section::{self, Register, Section},
    tree,
};

const LIMITS: Limits = Limits { nodes: 10_000, links: 10_000, landmarks: 2 };

fn half() -> impl Strategy<Value = Half> {
    (any::<([u8; 2], u16)>(), 0..9_u8, 1..200_u8, 0..10_000_u32, 0..10_000_u32, any::<u32>())
        .prop_map(|(([twin, bearing], flags), class, kmh, other, link, decimetres)| Half {
            other,
            link,
            decimetres,
            twin,
            class,
            kmh,
            flags,
            bearing,
        })
}

fn junction() -> impl Strategy<Value = Junction> {
    let time = || prop_oneof![Just(UNKNOWN), 0..i32::MAX as u32];
    (
        any::<(i32, i32)>(),
        any::<u32>(),
        prop::collection::vec(half(), 0..5),
        prop::collection::btree_set((0..5_u8, 0..5_u8), 0..3),
        prop::collection::vec((time(), time()), 2),
    )
        .prop_map(|(at, text, halves, forbidden, landmarks)| Junction {
            at,
            text,
            halves,
            forbidden: forbidden.into_iter().collect(),
            landmarks,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_are_read_as_they_were_put(number in any::<u64>(), signed in any::<i64>()) {
        let mut bytes = Vec::new();
        put(&mut bytes, number);
        put_signed(&mut bytes, signed);
        let mut reader = Reader::new(&bytes, "a number");
        prop_assert_eq!((reader.number().unwrap(), reader.signed().unwrap()), (number, signed));
        prop_assert_eq!(reader.left(), 0);
        prop_assert!(reader.number().is_err());
    }

    #[test]
    fn any_flipped_bit_changes_the_checksum(bytes in prop::collection::vec(any::<u8>(), 1..200), bit in any::<prop::sample::Index>()) {
        let mut other = bytes.clone();
        let bit = bit.index(bytes.len() * 8);
        other[bit / 8] ^= 1 << (bit % 8);
        prop_assert_ne!(checksum(&bytes), checksum(&other));
    }

    #[test]
    fn a_block_of_junctions_is_read_as_it_was_written(junctions in prop::collection::vec(junction(), 0..100), first in 0..1_000_u32) {
        let block = Nodes::parse(&nodes::write(first, &junctions), first, LIMITS).unwrap();
        prop_assert_eq!(block.at.len(), junctions.len());
        for (index, junction) in junctions.iter().enumerate() {
            prop_assert_eq!((block.at[index], block.texts[index]), (junction.at, junction.text));
            prop_assert_eq!(block.ends(index).1, &junction.halves[..]);
            prop_assert_eq!(&block.landmarks[index * 2..index * 2 + 2], &junction.landmarks[..]);
            for (from, to) in [(0, 0), (1, 3), (4, 2)] {
                let forbidden = junction.forbidden.contains(&(from, to));
                prop_assert_eq!(block.is_forbidden(index, usize::from(from), usize::from(to)), forbidden);
            }
        }
    }

    #[test]
    fn a_block_of_roads_is_read_as_it_was_written(
        shapes in prop::collection::vec((prop::collection::vec(any::<(i32, i32)>(), 2..9), 0..10_000_u32, 0..10_000_u32, any::<u32>(), any::<([u8; 2], u16)>()), 0..100),
    ) {
        let mut block = Roads::default();
        for (shape, from, to, text, ([from_slot, to_slot], flags)) in shapes {
            let begin = block.points.len() as u32;
            block.points.extend(shape);
            let points = (begin, block.points.len() as u32);
            block.roads.push(Road { from, to, from_slot, to_slot, class: 3, flags, text, points });
        }
        let read = Roads::parse(&block.write(), 0, LIMITS).unwrap();
        prop_assert_eq!((read.roads, read.points), (block.roads, block.points));
    }

    #[test]
    fn any_bytes_are_a_block_or_damaged_and_no_more(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = Nodes::parse(&bytes, 0, LIMITS);
        let _ = Roads::parse(&bytes, 0, LIMITS);
        let _ = tree::parse(&bytes);
    }

    #[test]
    fn blocks_are_found_on_a_shelf_of_any_size(count in 0..600_usize) {
        let blocks: Vec<Vec<u8>> = (0..count).map(|it| vec![it as u8; it % 7]).collect();
        let bytes = section::write(&blocks).unwrap();
        let section = Section { offset: 0, length: bytes.len() as u64, blocks: count as u32 };
        let mut register = Register::default();
        for (index, block) in blocks.iter().enumerate() {
            prop_assert_eq!(&section.block(&&bytes[..], &mut register, index as u32, "it").unwrap(), block);
        }
        prop_assert!(section.block(&&bytes[..], &mut register, count as u32, "it").is_err());
    }
}

/// There is a box for each block of roads, and the levels lie one behind the other.
#[test]
fn tree_has_a_box_per_block_of_roads_and_levels_are_contiguous() {
    for leaves in [0, 1, 64, 65, 4_096, 4_097] {
        let levels = tree::levels(leaves);
        let begins = tree::begins(&levels);
        let written = tree::write(vec![[0, 0, 1, 1]; leaves]);
        let blocks: usize = levels.iter().map(|it| it.div_ceil(tree::FAN)).sum();
        assert_eq!(written.len(), blocks, "{leaves}");
        let last = begins.len() - 1;
        assert!(levels[last] <= tree::FAN && (leaves == 0 || begins[last] + 1 == blocks));
    }
}
