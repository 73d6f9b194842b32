//! The games that the speed test replays: five games of Stretto against itself from its own
//! openings. White won two, Black won one, two were drawn.

/// A game: its start position, and its moves in UCI notation.
pub(super) struct Replay {
    pub(super) fen: &'static str,
    pub(super) moves: &'static str,
}

/// The games in replay order.
pub(super) const GAMES: &[Replay] = &[
    Replay {
        fen: "2bqkbnr/rp1ppppp/n1p5/p7/5PP1/4P3/PPPPN2P/RNBQKB1R w KQk - 3 5",
        moves: "f1g2 d7d5 g2f3 e7e5 f4e5 d8h4 e2g3 g8h6 d2d4 c8g4 e1g1 g4h3 f1e1 h3e6 e3e4 h6g4 d1d2 g7g6 d2g2 a6b4 \
                f3g4 h4g4 a2a3 b4a6 b1c3 a6c7 g3e2 f8g7 e2f4 g4h4 c1e3 e8g8 e4d5 c6d5 c3d5 c7d5 f4d5 b7b5 e3f2 h4g4 \
                d5f6 g7f6 g2g4 e6g4 e5f6 a7a6 e1e5 g4d7 e5d5 d7f5 d5b5 f5c2 d4d5 a6f6 a3a4 f6f5 f2g3 f8d8 b5a5 g8g7 \
                a5c5 c2e4 a4a5 d8d5 c5d5 f5d5 a5a6 f7f6 a6a7 d5d2 a1e1 e4f3 e1e3 f3g2 e3e7 g7g8 g3e1 d2b2 e1c3 b2a2 \
                c3f6 g2d5 e7g7 g8f8 g7h7 d5f7 h7h8 f7g8 f6d4 f8f7 h2h4 f7f8 g1f1 f8f7 h8h6 a2a4 f1f2 a4a6 f2e2 a6a3 \
                e2d2 a3a4 d2c3 a4a1 c3b4 a1a2 h6h8 f7f8 b4b5 f8f7 b5c6 a2a3 c6b7 a3b3 d4b6 b3a3 a7a8r a3a8 b7a8 f7g7 \
                b6d4 g7f7 a8a7 f7f8 a7b6 f8f7 b6a7 f7f8 a7b7 f8f7 b7b6 f7f8 b6c7 f8f7 h8h6",
    },
    Replay {
        fen: "rnbqkb1r/pp1ppp1p/5n2/2p3p1/P2P4/7N/1PP1PPPP/RNBQKB1R w KQkq - 0 4",
        moves: "h3g5 h7h6 g5f3 c5d4 c2c3 d4c3 b1c3 e7e6 e2e4 b8c6 f1d3 d7d5 e4d5 f6d5 c3d5 e6d5 e1g1 f8g7 d1b3 e8g8 \
                f1e1 c8g4 d3b1 d8d6 h2h3 g4f3 b3f3 a8e8 e1e3 c6d4 f3g4 f7f5 g4d1 f5f4 e3e8 f8e8 b1d3 f4f3 c1d2 e8f8 \
                g2g3 d4e6 a1c1 b7b6 b2b3 h6h5 d1e1 a7a5 b3b4 h5h4 g3h4 e6f4 d2f4 d6f4 e1e6 g8h8 c1c6 a5b4 e6g4 f4g4 \
                h3g4 f8f6 c6c7 h8g8 g1h2 b4b3 h2g3 f6f8 c7e7 g7f6 e7d7 f6e5 g3h3 e5d4 d7d5 d4f2 d5b5 f2c5 a4a5 b6a5 \
                b5c5 a5a4 c5g5 g8h8 g5b5 f3f2 h3g2 a4a3 b5b3 f8a8 b3b1 a8a4 d3e2 h8g7 g2f2 a3a2 b1a1 a4a3 e2c4 a3a4 \
                c4e6 a4e4 e6f5 e4a4 f2e3 g7f6 e3d3 a4a7 d3c3 a7a8 c3b2 a8b8 b2a2 b8h8 a1h1 f6e5 a2b3 h8h6 b3c3 e5f4 \
                c3d4 h6d6 d4c5 d6a6 h1g1 a6h6 g1f1 f4g3 g4g5 h6h4 g5g6 h4h8 c5d5 h8g8 d5e6",
    },
    Replay {
        fen: "rnbqkbr1/2pppppp/p6n/1p6/7P/2N3PB/PPPPPP2/R1BQK1NR w KQq - 3 5",
        moves: "e2e4 b5b4 c3e2 c8b7 d2d3 d7d5 h3g2 d5e4 c1g5 h6g4 d3e4 b8c6 a2a3 d8d1 a1d1 b4a3 b2a3 e7e6 d1b1 b7c8 \
                g5c1 f8c5 g1h3 e6e5 b1b3 c5b6 f2f3 g4f6 b3d3 e8e7 a3a4 c6b4 c1a3 b6c5 a3b4 c5b4 c2c3 b4d6 g3g4 c8d7 \
                e2g3 d7a4 h4h5 g7g6 h3f2 a8b8 h5g6 h7g6 d3d2 b8b1 e1e2 a4b5 f2d3 b1h1 g3h1 f6d7 e2e1 a6a5 h1f2 a5a4 \
                d3b4 d6b4 c3b4 a4a3 d2a2 g8a8 g2f1 b5f1 e1f1 c7c5 b4c5 d7c5 f1e2 a8a4 f2d1 c5b3 e2f2 b3c1 a2a1 a3a2 \
                a1c1 a2a1q c1a1 a4a1 d1e3 e7d6 g4g5 d6c5 e3g4 c5d6 g4h6 d6e6 h6g4 a1h1 f2g3 h1f1 g3g2 f1a1 g2g3 a1h1 \
                g4f6 h1g1 g3h4 e6d6 f6g4 g1f1 h4g3 f1h1 g4f6 h1g1 g3h4 d6c5 f6e8 g1b1 h4g3 b1g1 g3h4 c5d4 e8d6 d4e3 \
                d6f7 e3f4 h4h3 g1b1 h3g2 b1b3 f7d8 b3f3 d8f7 f3d3 f7h8 f4g5 g2f2 g5f6 f2e2 d3h3 e2f2 h3h8 f2g2",
    },
    Replay {
        fen: "r1bqkb1r/pppnp1pp/7n/3p1p2/1P2P3/8/P1PP1PPP/RNBQKBNR w KQkq - 1 5",
        moves: "d2d4 h6f7 e4f5 d7f6 f1d3 e7e6 f5e6 c8e6 a2a3 f8d6 g1f3 e8g8 e1g1 a7a5 b4a5 c7c5 f1e1 e6g4 d4c5 d6e5 \
                a1a2 g4f3 d1f3 d8a5 c1d2 a5c7 g2g3 e5d4 f3f5 f7e5 d2c3 d4c3 b1c3 a8e8 e1e2 c7c5 e2e5 c5c3 e5e8 f8e8 \
                g1g2 g7g6 f5f4 f6e4 d3e4 d5e4 f4e3 c3e3 f2e3 e8d8 g3g4 g6g5 a2b2 h7h6 b2b7 d8d2 g2g3 d2c2 b7e7 c2c4 \
                h2h4 g5h4 g3h4 g8f8 e7e6 c4c3 e6e4 c3a3 h4g3 f8f7 g3f4 a3a1 e4b4 a1f1 f4g3 f7g6 b4b6 g6g5 b6b5 g5f6 \
                g3g2 f1d1 g2f2 d1d2 f2f3 d2d1 b5f5 f6g6 e3e4 d1e1 e4e5 e1f1 f3e4 f1g1 e4d5 g1g4 f5f6 g6g7 f6f1 g4a4 \
                f1g1 g7f8 g1h1 a4a5 d5e6 a5a2 h1h4 a2a1 h4b4 f8g7 b4b7 g7g6 e6d7 a1e1 b7b6 g6f5 b6f6 f5g5 d7d6 h6h5 \
                f6f8 h5h4 e5e6 e1d1 d6e7 h4h3 f8g8 g5f5",
    },
    Replay {
        fen: "rnbqkb1r/p1pppppp/1p6/8/2B1P1n1/6PP/PPPP1P2/RNBQK1NR b KQkq - 1 4",
        moves: "g4f6 e4e5 d7d5 c4e2 f6d7 d2d4 c7c5 g1f3 b8c6 c2c3 e7e6 e1g1 f8e7 e2b5 d8c7 c3c4 c6d4 f3d4 c5d4 c4d5 \
                e6d5 d1d4 e7c5 d4d5 c8b7 b5d7 c7d7 d5d7 e8d7 c1e3 h8c8 b1c3 d7e6 c3b5 b7a6 a2a4 c5e3 f2e3 a6b5 a4b5 \
                c8c5 a1a4 c5e5 a4c4 f7f6 c4c7 e5b5 f1f4 g7g5 f4f2 a8d8 c7h7 b5b3 h7a7 b3e3 g1h2 d8d3 f2g2 f6f5 a7h7 \
                d3b3 h7h6 e6f7 h6h7 f7g6 h7h8 g6f7 h8h5 f5f4 g3f4 g5f4 g2f2 e3e4 h5h6 e4d4 h6h7 f7g6 h7h8 d4d3 h8h4 \
                g6g5 h4g4 g5h5 f2f4 b3b2 g4g2 b2g2 h2g2 d3b3 f4f8 b6b5 f8h8 h5g5 h8g8 g5h6 g8h8 h6g7 h8b8 b5b4 b8b6 \
                b3b2 g2g3 b2b1 h3h4 b4b3 h4h5 g7h7 g3f3 b3b2 f3g2 b1a1 b6b2 a1a5 b2b6 a5h5 b6b7 h7g6 b7b3 h5a5 b3g3 \
                g6f7 g3b3 f7g6 g2g3 g6h6 b3b4 a5g5",
    },
];
