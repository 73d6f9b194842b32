//! Repair of checksums after a mutation, so that the code behind them is tested too.

/// Writes the checksum of a network file: FNV-1a of all other bytes.
pub(crate) fn network(bytes: &mut [u8]) {
    const OWN: std::ops::Range<usize> = 56..64;
    if bytes.len() < OWN.end {
        return;
    }
    let rest = bytes[..OWN.start].iter().chain(&bytes[OWN.end..]);
    let hash = rest.fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    bytes[OWN].copy_from_slice(&hash.to_le_bytes());
}

/// Writes length and checksums of a table: of its header and of the blocks listed there.
pub(crate) fn table(bytes: &mut [u8]) {
    const LENGTH_AT: usize = 32;
    const SIDES_AT: usize = 11;
    const OUTCOMES_AT: usize = 40;
    let number = |bytes: &[u8], at: usize, len: usize| {
        bytes
            .get(at..at + len)
            .map(|part| part.iter().rev().fold(0_usize, |sum, &byte| sum << 8 | usize::from(byte)))
    };
    let Some(head) = number(bytes, 28, 4).filter(|&head| head > OUTCOMES_AT + 4 && head <= bytes.len())
    else {
        return;
    };
    let length = bytes.len() as u64;
    bytes[LENGTH_AT..LENGTH_AT + 8].copy_from_slice(&length.to_le_bytes());
    let mut entry = OUTCOMES_AT;
    for _ in 0..bytes[SIDES_AT].count_ones() {
        let Some(count) = number(bytes, entry, 2) else { return };
        entry += 2 + 2 * count;
    }
    let mut block = head;
    while entry + 6 <= head - 4 {
        let Some(end) = number(bytes, entry, 2).map(|len| block + len).filter(|&end| end <= bytes.len())
        else {
            break;
        };
        let sum = crc32(&bytes[block..end]);
        bytes[entry + 2..entry + 6].copy_from_slice(&sum.to_le_bytes());
        (entry, block) = (entry + 6, end);
    }
    let sum = crc32(&bytes[..head - 4]);
    bytes[head - 4..head].copy_from_slice(&sum.to_le_bytes());
}

/// Returns the CRC-32 as in zip.
fn crc32(bytes: &[u8]) -> u32 {
    let rest = bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    });
    !rest
}
