//! Multipliers that spread a subset of relevant squares over the top bits of a product without harmful clashes.
//!
//! Found by the search in this file's tests (`cargo test magics_search -- --ignored --nocapture`).

/// The entry of a subset within its square's slot.
pub(super) const fn index(mask: u64, magic: u64, occupied: u64) -> usize {
    ((occupied & mask).wrapping_mul(magic) >> (64 - mask.count_ones())) as usize
}

pub(super) const ROOK: [u64; 64] = [
    0x0080005082400423,
    0x8040400050002000,
    0x02002080400a0090,
    0x0480080030000482,
    0x6e00102002002805,
    0x0200013004280600,
    0x2080010002001380,
    0x2100010001426882,
    0x0484800e80400420,
    0x0000401000200040,
    0x0000806000801000,
    0x1001001000482100,
    0x0601800802040080,
    0x020e000805108200,
    0xd001000200010074,
    0x1302000201408104,
    0x0100218000804000,
    0x1020004000300042,
    0x0410008030a00180,
    0x0001010008500020,
    0x0001808018000402,
    0x0000808004008200,
    0x8004040011421008,
    0x6204420000884401,
    0x0840400480002880,
    0x02a1400080806000,
    0x1800820200102041,
    0x0010002100090010,
    0x0042000a00102005,
    0x0002001200085044,
    0x0900088400121011,
    0x4000004a00048401,
    0x0190418001002108,
    0x1412042082004100,
    0x8000108222004200,
    0x4020500180800800,
    0x0000040801001100,
    0x1240120080800400,
    0x000a003406004128,
    0x2a00040082000041,
    0x9804a08040008000,
    0x0101024000810022,
    0x4221044020010010,
    0x2008100302a10008,
    0x1030040801010010,
    0x0043001804010002,
    0x1000060001008080,
    0x0800409100420004,
    0x8012801020400080,
    0x00044000201000c0,
    0x0806100120008280,
    0x0040200810010100,
    0x03806c8800310100,
    0x1201000806140100,
    0x0802908207080400,
    0x0909410044168200,
    0x0200502080004101,
    0x8080802100104202,
    0x2001001020000841,
    0x0202004070040862,
    0x00020088a0100402,
    0xc801000a44000801,
    0x8000482210014884,
    0x93018c0300408026,
];

pub(super) const BISHOP: [u64; 64] = [
    0x0308091010810100,
    0x008204111a020000,
    0x40303406a0204010,
    0x08040400811c8000,
    0x2041104000040144,
    0x0083100804100008,
    0x0201883828040822,
    0xa025840041142001,
    0x0401080218620410,
    0x0410024204040680,
    0x0000041404004840,
    0x0012240414802008,
    0x0004540420810100,
    0x2000020950080210,
    0x0002140109303012,
    0x0200310108030434,
    0x1040008408420430,
    0x0220000428020040,
    0x0008000122040110,
    0x408400204340802e,
    0x0092800402a01000,
    0x100240820042200a,
    0x0c02008406010400,
    0x0090800138841000,
    0x0004100020821000,
    0x10010880d4108414,
    0x1424088210008010,
    0x0001080005004100,
    0x04110c001a002100,
    0x0201020000480400,
    0x0081410082080301,
    0x0249004003140084,
    0x000e104000860805,
    0x08c4100302440c00,
    0x0000809000064400,
    0x0000200802030104,
    0x0088020400011010,
    0x0820040900406080,
    0x0202008200441208,
    0x8200808108160100,
    0x3041300804402020,
    0x8020480404101000,
    0x0000320310022100,
    0x020808a011000808,
    0x6000102012018140,
    0x2040418800400a80,
    0x0402108400880100,
    0x0050810049000280,
    0x0003010121209800,
    0x4180820101210d00,
    0x0040308248480200,
    0x0040100a42020610,
    0x000002c005030000,
    0x0810086008058100,
    0x120802100e421000,
    0x402001055a008080,
    0x0080802110100410,
    0x0020408a2101200c,
    0x400000a024220804,
    0x040204c001208800,
    0x0103000040104300,
    0x200108202002008c,
    0x0000200881482080,
    0x0010043088004108,
];

#[cfg(test)]
mod tests {
    use super::super::super::rays::{BISHOP_STEPS, ROOK_STEPS, relevant, walk_all};
    use super::*;

    type Steps = [(i32, i32); 4];

    /// Does every subset find an entry that holds its own attacks?
    fn works(square: usize, steps: Steps, magic: u64, entries: &mut [u64]) -> bool {
        let mask = relevant(square, steps);
        entries.fill(0);
        let mut subset: u64 = 0;
        loop {
            // Attacks are never empty, so zero marks an entry not yet used.
            let attacks = walk_all(square, steps, subset);
            let entry = &mut entries[index(mask, magic, subset)];
            if *entry != 0 && *entry != attacks {
                return false;
            }
            *entry = attacks;
            subset = subset.wrapping_sub(mask) & mask;
            if subset == 0 {
                return true;
            }
        }
    }

    #[test]
    fn every_magic_works() {
        let mut entries = vec![0; 4096];
        for square in 0..64 {
            assert!(works(square, ROOK_STEPS, ROOK[square], &mut entries), "rook {square}");
            assert!(works(square, BISHOP_STEPS, BISHOP[square], &mut entries), "bishop {square}");
        }
    }

    #[test]
    #[ignore = "prints the tables above; takes a few seconds"]
    fn magics_search() {
        let mut state: u64 = 0x5EED_0F57_1E77_0001;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut entries = vec![0; 4096];
        for (name, steps) in [("ROOK", ROOK_STEPS), ("BISHOP", BISHOP_STEPS)] {
            println!("pub(super) const {name}: [u64; 64] = [");
            for square in 0..64 {
                // Few set bits make few carries, and few carries make few clashes.
                let magic = loop {
                    let candidate = random() & random() & random();
                    if works(square, steps, candidate, &mut entries) {
                        break candidate;
                    }
                };
                print!(
                    "{}{magic:#018x},{}",
                    if square % 4 == 0 { "    " } else { " " },
                    if square % 4 == 3 { "\n" } else { "" }
                );
            }
            println!("];");
        }
    }
}
