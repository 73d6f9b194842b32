//! The embedded tables, compared to published results.

use stretto::position::Position;
use stretto::tablebase::Wdl;

use crate::data;

#[test]
fn embedded_tables_agree_with_published_results() {
    let tables = crate::embedded();
    let text = data::carried("epd/tablebase-wdl-dtz.epd");
    let mut counts = [0; 3];
    for line in data::lines(&text) {
        let (fen, operations) = line.split_once(" wdl_table ").expect("a position with operations");
        let value = operations.split("; ").find_map(|operation| operation.strip_prefix("wdl "));
        let (place, expected) = match value {
            Some("-2") => (0, Wdl::Loss),
            Some("0") => (1, Wdl::Draw),
            Some("2") => (2, Wdl::Win),
            _ => panic!("expected a win, draw or loss: {line}"),
        };
        let position = Position::from_fen(fen).expect("a position");
        assert_eq!(tables.result(&position), Some(expected), "{line}");
        counts[place] += 1;
    }
    assert_eq!(counts, [36, 36, 28]);
}
