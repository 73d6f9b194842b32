//! The checksum at the end of a Syzygy file.
//!
//! The last 16 bytes of a file are a 128-bit hash of the rest. Only files of a single hash chunk
//! are verified here; larger ones are too large to be read before a search.
//!
//! Source: the file format by Ronald de Man (`CityHashCrc256` of chunks of 16 MiB, then
//! `CityHash128` of the hashes), and `CityHash` 1.0.3 by Geoff Pike and Jyrki Alakuijala (Google,
//! MIT licence), whose formulas are used.

/// Chunk size, and thus the maximum size of files that can be verified. Units: bytes.
pub(super) const CHUNK: usize = 1 << 24;
/// Size of the checksum. Units: bytes.
pub(super) const LEN: usize = 16;
/// The data before the checksum is a multiple of this. Units: bytes.
pub(super) const ALIGNMENT: usize = 64;

/// The constants k0, k1 and k3 of `CityHash`, and the multiplier of its 128-to-64-bit mixing.
const K0: u64 = 0xC3A5_C85C_97CB_3127;
const K1: u64 = 0xB492_B66F_BE98_F273;
const K3: u64 = 0xC949_D7C7_509E_6557;
const MIX: u64 = 0x9DDF_EA08_EB38_2D69;

/// Data consumed per step, as five words. Units: bytes.
const STRIDE: usize = 40;
/// Minimum length of hashed data; shorter data is padded with zeros. Units: bytes.
const MIN_HASHED: usize = 240;
/// Strides of one iteration of the main loop.
const STRIDES_PER_LOOP: usize = MIN_HASHED / STRIDE;

/// Whether a file matches the checksum at its end; `None` if it is too large to tell.
pub(super) fn matches(file: &[u8]) -> Option<bool> {
    let (data, checksum) = file.split_at_checked(file.len().checked_sub(LEN)?)?;
    (data.len() <= CHUNK).then(|| of_one_chunk(data) == [word(checksum, 0), word(checksum, 8)])
}

/// Computes the checksum of at most one chunk, as two little-endian words.
pub(super) fn of_one_chunk(data: &[u8]) -> [u64; 2] {
    let hash = if data.len() >= MIN_HASHED {
        hash_256(data, 0)
    } else {
        let mut filled = [0; MIN_HASHED];
        filled[..data.len()].copy_from_slice(data);
        hash_256(&filled, !(data.len() as u32))
    };
    hash_128(hash)
}

/// Returns the eight bytes at an offset as a little-endian word.
fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Mixes two words into one.
const fn mix(low: u64, high: u64) -> u64 {
    let a = (low ^ high).wrapping_mul(MIX);
    let a = a ^ a >> 47;
    let b = (high ^ a).wrapping_mul(MIX);
    (b ^ b >> 47).wrapping_mul(MIX)
}

/// Folds the upper bits into the lower.
const fn fold(word: u64) -> u64 {
    word ^ word >> 47
}

/// Computes `CityHash128` of four words.
const fn hash_128(words: [u64; 4]) -> [u64; 2] {
    let (a, b) = (words[0] ^ K3, words[1]);
    let inner = mix(words[2], words[3].wrapping_add(16).rotate_right(16)) ^ words[3];
    let a = fold(a.wrapping_mul(K1)).wrapping_mul(K1);
    let c = b.wrapping_mul(K1).wrapping_add(inner);
    let d = fold(a.wrapping_add(words[2]));
    let (a, b) = (mix(a, c), mix(d, b));
    [a ^ b, mix(b, a)]
}

/// The running state of `CityHashCrc256`.
struct State {
    /// Five words mixed with five data words per stride, and the previous first word.
    words: [u64; 6],
    /// A cyclic redundancy check for each of the five.
    checks: [u64; 5],
}

impl State {
    /// Consumes one stride. `is_plain` strides rotate by a different amount and do not multiply.
    #[inline]
    fn take(&mut self, stride: &[u8], is_plain: bool) {
        let multiplier = if is_plain { 1 } else { K0 };
        let [a, b, c, d, e, last] = self.words;
        let rotated = [(b, 41), (c, 27), (d, 41), (e, 33), (last, 25)];
        for (place, (old, shift)) in rotated.into_iter().enumerate() {
            let word = old
                .rotate_right(shift ^ u32::from(is_plain))
                .wrapping_mul(multiplier)
                .wrapping_add(word(stride, 8 * place));
            self.words[place] = word;
            self.checks[place] = crc(self.checks[place], word);
        }
        self.words[5] = a;
    }
}

/// Computes `CityHashCrc256`. Range: at least [`MIN_HASHED`] bytes.
fn hash_256(data: &[u8], seed: u32) -> [u64; 4] {
    let (len, seed) = (data.len() as u64, u64::from(seed));
    let first = mix(word(data, 96).wrapping_add(K0), len);
    let second = word(data, 120).wrapping_mul(K0).wrapping_add(len);
    let mut state = State {
        words: [
            word(data, 56).wrapping_add(K0),
            word(data, 96).wrapping_add(K0),
            first,
            second,
            word(data, 184).wrapping_add(seed),
            first.wrapping_add(second),
        ],
        checks: [seed, 0, 0, 0, 0],
    };
    let main = data.len() / MIN_HASHED * MIN_HASHED;
    for (index, stride) in data[..main].chunks_exact(STRIDE).enumerate() {
        state.take(stride, (index % STRIDES_PER_LOOP).is_multiple_of(2));
    }
    let rest = data[main..].chunks_exact(STRIDE);
    let is_even = rest.remainder().is_empty();
    for stride in rest {
        state.take(stride, false);
    }
    if !is_even {
        state.take(&data[data.len() - STRIDE..], false);
    }
    finish(&state, first, second)
}

/// Mixes the final state into four words.
fn finish(state: &State, first: u64, second: u64) -> [u64; 4] {
    let [a, b, c, d, e, t] = state.words;
    let [f, g, h, i, j] = state.checks;
    let j = j.wrapping_add(i << 32);
    let a = mix(a, j);
    let h = h.wrapping_add(g << 32);
    let b = b.wrapping_add(h);
    let c = mix(c, f).wrapping_add(i);
    let d = mix(d, e.wrapping_add(first));
    let j = j.wrapping_add(e);
    let i = i.wrapping_add(mix(h, t));
    let e = mix(a, d).wrapping_add(j);
    let f = mix(b, c).wrapping_add(a);
    let g = mix(j, i).wrapping_add(c);
    let one = e.wrapping_add(f).wrapping_add(g).wrapping_add(h);
    let a = fold(a.wrapping_add(g).wrapping_mul(K0)).wrapping_mul(K0).wrapping_add(b);
    let two = second.wrapping_add(a).wrapping_add(one);
    let a = fold(a.wrapping_mul(K0)).wrapping_mul(K0).wrapping_add(c);
    let three = a.wrapping_add(two);
    let a = fold(a.wrapping_add(e).wrapping_mul(K0)).wrapping_mul(K0);
    [one, two, three, a.wrapping_add(three)]
}

/// The polynomial of CRC-32C (Castagnoli), lowest power first.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// Effect of a byte on the check, by the number of bytes that follow it in its word.
static STEPS: [[u32; 256]; 8] = steps();

const fn steps() -> [[u32; 256]; 8] {
    let mut steps = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut check = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            check = check >> 1 ^ if check & 1 == 0 { 0 } else { POLYNOMIAL };
            bit += 1;
        }
        steps[0][byte] = check;
        byte += 1;
    }
    let mut follow = 1;
    while follow < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = steps[follow - 1][byte];
            steps[follow][byte] = before >> 8 ^ steps[0][(before & 0xFF) as usize];
            byte += 1;
        }
        follow += 1;
    }
    steps
}

/// Updates a check with a word, as the instruction `crc32` does.
#[inline]
fn crc(check: u64, word: u64) -> u64 {
    let bytes = (word ^ check & 0xFFFF_FFFF).to_le_bytes();
    let carried = bytes
        .iter()
        .zip(STEPS.iter().rev())
        .fold(0, |carried, (&byte, step)| carried ^ step[usize::from(byte)]);
    u64::from(carried)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_matches_the_check_value_of_crc_32c() {
        // "12345678" under CRC-32C, with the inversions of the standard.
        let check = crc(0xFFFF_FFFF, u64::from_le_bytes(*b"12345678"));
        assert_eq!(!(check as u32), 0x6087_809A);
    }

    #[test]
    #[ignore = "needs Syzygy tables of four pieces: make test-data"]
    fn with_data_published_tables_match_their_checksum_unless_a_bit_is_flipped() {
        let data = std::env::var("STRETTO_TEST_DATA").expect("`make test-data DATA=FOLDER` sets it");
        let mut seen = 0;
        for entry in std::fs::read_dir(format!("{data}/tb/syzygy")).expect("the folder of the tables") {
            let path = entry.expect("a folder that can be read").path();
            let mut file = std::fs::read(&path).expect("a file that can be read");
            assert_eq!(matches(&file), Some(true), "{}", path.display());
            for at in [0, 5, file.len() / 3, file.len() / 2, file.len() - LEN - 1, file.len() - 1] {
                file[at] ^= 4;
                assert_eq!(matches(&file), Some(false), "{} byte {at}", path.display());
                file[at] ^= 4;
            }
            seen += 1;
        }
        assert_eq!(seen, 70);
    }

    #[test]
    fn too_short_or_too_long_files_are_not_verified() {
        assert_eq!(matches(&[]), None);
        assert_eq!(matches(&[0; 15]), None);
        assert_eq!(matches(&vec![0; CHUNK + LEN + 1]), None);
        assert_eq!(matches(&[0; 80]), Some(false));
    }
}
