//! Claims about endgame tables, tested on generated tables.

use std::sync::LazyLock;

use stretto::tablebase::{Index, Material, Metric, Outcome};
use stretto::types::{Color, Square};

use super::{Claim, Effort, Finding, Text, Verdict};
use crate::base::cancel::Cancel;
use crate::endgames::{Statistics, Table, Tables, fen, generate, statistics, to_bytes, verify};

const TEXTS: &[Text] = &[Text::BooksAndTables];

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "T1",
        texts: TEXTS,
        statement: "KQK has at most 64·63·62·2 = 499,968 positions",
        experiment: queen_positions,
    },
    Claim {
        id: "T2",
        texts: TEXTS,
        statement: "The longest win of KQK takes 10 moves and is found in about 21 iterations",
        experiment: queen_depth,
    },
    Claim {
        id: "T3",
        texts: TEXTS,
        statement: "Almost every position of KQK is won",
        experiment: queen_wins,
    },
    Claim {
        id: "T4",
        texts: TEXTS,
        statement: "Distances to mate are odd for wins and even for losses",
        experiment: parity,
    },
    Claim {
        id: "T5",
        texts: TEXTS,
        statement: "Positions that are unmarked after an iteration without changes are drawn",
        experiment: fixpoint,
    },
    Claim {
        id: "T6",
        texts: TEXTS,
        statement: "In most endgames either side can win",
        experiment: both_can_win,
    },
    Claim {
        id: "T7",
        texts: TEXTS,
        statement: "KQKP needs KQKQ, KQKR, KQKN, KQKB and KPK",
        experiment: queen_against_pawn,
    },
    Claim {
        id: "T8",
        texts: TEXTS,
        statement: "The successor relation of endgames has no cycles",
        experiment: acyclic,
    },
    Claim {
        id: "T9",
        texts: TEXTS,
        statement: "One table serves both colours: flip the board and swap the colours and the side to move",
        experiment: colours,
    },
    Claim {
        id: "T10",
        texts: TEXTS,
        statement: "KBKB is always drawn with same-coloured bishops, and nearly always otherwise",
        experiment: bishops,
    },
    Claim {
        id: "T11",
        texts: TEXTS,
        statement: "Three symmetries map eight positions of KQK to one",
        experiment: eight_symmetries,
    },
    Claim {
        id: "T12",
        texts: TEXTS,
        statement: "With pawns only the left-right symmetry remains",
        experiment: pawn_symmetries,
    },
    Claim { id: "T13", texts: TEXTS, statement: "There are 110 five-piece endgames", experiment: five_men },
    Claim {
        id: "T14",
        texts: TEXTS,
        statement: "Five-piece endgames have at most 201,287,116,800 positions, about half of them invalid",
        experiment: five_men_positions,
    },
    Claim {
        id: "T15",
        texts: TEXTS,
        statement: "Tables store about 13 positions per byte",
        experiment: positions_a_byte,
    },
    Claim {
        id: "T16",
        texts: TEXTS,
        statement: "In KQKR the rook side can resist for more than fifty moves",
        experiment: queen_against_rook,
    },
    Claim {
        id: "T17",
        texts: TEXTS,
        statement: "A grandmaster failed to win KQKR against a table within fifty moves",
        experiment: browne,
    },
    Claim {
        id: "T18",
        texts: TEXTS,
        statement: "KBBKN takes up to 66 moves to win the knight",
        experiment: two_bishops,
    },
    Claim {
        id: "T19",
        texts: TEXTS,
        statement: "Almost every position of KBBKN is lost for the knight's side",
        experiment: two_bishops_share,
    },
    Claim {
        id: "T20",
        texts: TEXTS,
        statement: "The fortress of Kling and Horwitz, king b6 and knight b7, is lost",
        experiment: kling_and_horwitz,
    },
    Claim {
        id: "T21",
        texts: TEXTS,
        statement: "Some endings are won only without the fifty-move rule",
        experiment: fifty_moves,
    },
    Claim {
        id: "T22",
        texts: TEXTS,
        statement: "Tables need not store moves, because values are sufficient",
        experiment: moves_from_values,
    },
    Claim {
        id: "T23",
        texts: TEXTS,
        statement: "Distances to conversion are smaller than distances to mate and need fewer bits",
        experiment: smaller_numbers,
    },
    Claim {
        id: "T24",
        texts: TEXTS,
        statement: "A result type of two bits and a distance fit into one byte",
        experiment: one_byte,
    },
    Claim {
        id: "T25",
        texts: TEXTS,
        statement: "With few pieces the fifty-move rule has no effect",
        experiment: few_men,
    },
];

/// Generates tables with all their successors. Tables that cannot be generated are missing from the
/// result.
fn made(names: &[&str], metric: Metric) -> Tables {
    fn add(table: Material, metric: Metric, tables: &mut Tables) {
        if tables.get(table).is_some() {
            return;
        }
        for next in table.successors() {
            add(next, metric, tables);
        }
        if let Ok(made) = generate(table, metric, tables, &Cancel::new()) {
            tables.add(made);
        }
    }
    let mut tables = Tables::new(metric);
    for material in names.iter().filter_map(|name| name.parse().ok()) {
        add(material, metric, &mut tables);
    }
    tables
}

/// Evaluates one of the tables; a missing table refutes the claim.
fn look_at(tables: &Tables, name: &str, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    match name.parse().ok().and_then(|material| tables.get(material)) {
        Some(table) => look(&table, tables),
        None => Finding::new(Verdict::Refuted, format!("{name} could not be generated")),
    }
}

fn of_one(name: &str, metric: Metric, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    look_at(&made(&[name], metric), name, look)
}

fn positions_of(statistics: &Statistics) -> [u64; 2] {
    [0, 1].map(|side| statistics.sides[side].distinguishable.iter().sum())
}

fn queen_positions(_: Effort) -> Finding {
    of_one("KQvK", Metric::Dtm, |table, _| {
        let bound = 64 * 63 * 62 * 2_u64;
        let index = table.index();
        let (mut legal, all) = ([0_u64; 2], positions_of(&statistics(table)));
        for kings in Square::all().flat_map(|white| Square::all().map(move |black| [white, black])) {
            for queen in Square::all().filter(|queen| !kings.contains(queen)) {
                let Some(place) = index.index_of(&[kings[0], kings[1], queen]) else { continue };
                let Some((row, men)) = index.row(place / index.row_len()).zip(index.squares_at(place)) else {
                    continue;
                };
                for side in Color::ALL {
                    legal[side.index()] += u64::from(row.legal(side).has(men[2]));
                }
            }
        }
        let sum: u64 = legal.iter().sum();
        Finding::new(
            Verdict::of(sum <= bound && bound == 499_968),
            format!(
                "the bound is {bound}; {} with White and {} with Black to move are legal, {sum} in total, of which {} and {} \
                 remain when symmetric positions count once",
                legal[0], legal[1], all[0], all[1]
            ),
        )
    })
}

fn queen_depth(_: Effort) -> Finding {
    of_one("KQvK", Metric::Dtm, |table, _| {
        let [white, black] = statistics(table).sides;
        let (win, loss) = (white.longest_win.unwrap_or(0), black.longest_loss.unwrap_or(0));
        Finding::new(
            Verdict::of(win == 19 && loss == 20),
            format!(
                "{win} plies with White to move ({} positions), {loss} with Black ({}): {} moves, {} iterations",
                white.longest_wins,
                black.longest_losses,
                win.div_ceil(2),
                loss + 1
            ),
        )
    })
}

fn queen_wins(_: Effort) -> Finding {
    of_one("KQvK", Metric::Dtm, |table, _| {
        let [white, black] = statistics(table).sides;
        let drawn = black.draws as f64 / (black.draws + black.losses) as f64;
        Finding::new(
            Verdict::of(white.draws == 0 && drawn < 0.2),
            format!(
                "all {} with White to move; with Black to move {:.1} % are drawn ({} of {}) by stalemate or capture of the queen",
                white.wins,
                100.0 * drawn,
                black.draws,
                black.draws + black.losses
            ),
        )
    })
}

/// Visits every legal position of a table.
fn each_position(table: &Table, mut look: impl FnMut(Color, usize, Outcome)) {
    let index = table.index();
    for row in (0..index.rows()).filter_map(|number| index.row(number)) {
        for side in Color::ALL {
            for square in row.legal(side) & row.canonical() {
                let place = row.index_of(square);
                look(side, place, table.at(side, place));
            }
        }
    }
}

fn parity(effort: Effort) -> Finding {
    let names: &[&str] = effort.pick(&["KPvK", "KQvKR"], &["KPvKP", "KBNvK", "KRvKN", "KQvKR"]);
    let tables = made(names, Metric::Dtm);
    let (mut odd, mut count) = (0_u64, 0_u64);
    for table in (3..=4).flat_map(Material::all).filter_map(|material| tables.get(material)) {
        each_position(&table, |_, _, outcome| {
            let is_right = match outcome {
                Outcome::Draw => return,
                Outcome::Win(plies) => plies % 2 == 1,
                Outcome::Loss(plies) => plies % 2 == 0,
            };
            count += 1;
            odd += u64::from(!is_right);
        });
    }
    Finding::new(Verdict::of(odd == 0 && count > 0), format!("{count} values, {odd} with the wrong parity"))
}

fn fixpoint(effort: Effort) -> Finding {
    let name = effort.pick("KPvK", "KRvKN");
    of_one(name, Metric::Dtm, |table, tables| match verify(table, tables) {
        Ok((wrong, _)) => Finding::new(
            Verdict::of(wrong == 0),
            format!("{name}: another pass over all moves changes {wrong} values, including draws"),
        ),
        Err(error) => Finding::new(Verdict::Refuted, error.to_string()),
    })
}

fn both_can_win(effort: Effort) -> Finding {
    let mut rows = Vec::new();
    let mut shares = Vec::new();
    let names: Vec<String> =
        (3..=effort.pick(3, 4)).flat_map(Material::all).map(|material| material.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tables = made(&names, Metric::Dtm);
    for men in 3..=effort.pick(3, 4) {
        let all: Vec<_> =
            Material::all(men).into_iter().filter_map(|material| tables.get(material)).collect();
        let has_both = |table: &Table| {
            let [white, black] = statistics(table).sides;
            white.wins + black.losses > 0 && black.wins + white.losses > 0
        };
        let both = all.iter().filter(|table| has_both(table)).count();
        rows.push(vec![men.to_string(), all.len().to_string(), both.to_string()]);
        shares.push(format!("{both} of {} with {men} pieces", all.len()));
    }
    Finding::new(Verdict::Refuted, format!("{}; published for five pieces: 71 of 110", shares.join(", ")))
        .with("Tables with wins for both sides", vec!["pieces", "tables", "both win"], rows)
}

fn queen_against_pawn(_: Effort) -> Finding {
    let next = |name: &str| {
        let tables: Result<Material, _> = name.parse();
        tables
            .map_or_else(|_| Vec::new(), |table| table.successors().iter().map(ToString::to_string).collect())
    };
    let found: Vec<String> = next("KQvKP");
    let claimed = ["KQvKQ", "KQvKR", "KQvKN", "KQvKB", "KPvK"];
    let more: Vec<&str> = found.iter().map(String::as_str).filter(|name| !claimed.contains(name)).collect();
    let has_all = claimed.iter().all(|name| found.iter().any(|found| found == name));
    Finding::new(
        if has_all && more.is_empty() { Verdict::Confirmed } else { Verdict::Refuted },
        format!(
            "{} tables; the text omits {} (the pawn is captured, or captures the queen and promotes)",
            found.len(),
            more.join(", ")
        ),
    )
}

fn acyclic(_: Effort) -> Finding {
    let order: Vec<Material> = (2..=5).flat_map(Material::all).collect();
    let later = |place: usize| {
        let next = order[place].successors();
        next.iter().filter(|next| !order[..place].contains(next)).count()
    };
    let count: usize = (0..order.len()).map(later).sum();
    Finding::new(
        Verdict::of(count == 0),
        format!(
            "in the generation order of the {} tables of 2 to 5 pieces, {count} precede a successor",
            order.len()
        ),
    )
}

fn colours(_: Effort) -> Finding {
    of_one("KPvK", Metric::Dtm, |table, tables| {
        let (mut count, mut wrong) = (0_u64, 0_u64);
        let index = table.index();
        let exchanged = |text: &str| {
            let (board, rest) = text.split_once(' ').unwrap_or((text, ""));
            let ranks: Vec<String> = board
                .split('/')
                .rev()
                .map(|rank| {
                    let turned = |letter: char| {
                        if letter.is_ascii_uppercase() {
                            letter.to_ascii_lowercase()
                        } else {
                            letter.to_ascii_uppercase()
                        }
                    };
                    rank.chars().map(turned).collect()
                })
                .collect();
            let side = if rest.starts_with('w') { "b" } else { "w" };
            format!("{} {side} - - 0 1", ranks.join("/"))
        };
        each_position(table, |side, place, outcome| {
            let Some(men) = index.squares_at(place).filter(|_| place % 17 == 0) else { return };
            let text = exchanged(&fen(index, &men, side));
            if let Ok(position) = stretto::position::Position::from_fen(&text) {
                count += 1;
                wrong += u64::from(tables.probe(&position) != Some(outcome));
            }
        });
        Finding::new(
            Verdict::of(wrong == 0 && count > 0),
            format!("{count} positions of KPK probed as KKP, {wrong} with a different answer"),
        )
    })
}

fn bishops(_: Effort) -> Finding {
    of_one("KBvKB", Metric::Dtm, |table, _| {
        let index = table.index();
        let (mut same, mut counts) = (0_u64, [0_u64; 3]);
        each_position(table, |side, place, outcome| {
            if side == Color::Black {
                return;
            }
            let class = match outcome {
                Outcome::Win(_) => 0,
                Outcome::Loss(_) => 1,
                Outcome::Draw => 2,
            };
            counts[class] += 1;
            let is_light = |square: Square| stretto::types::Bitboard::LIGHT.has(square);
            let men = index.squares_at(place);
            same += u64::from(class < 2 && men.is_some_and(|men| is_light(men[2]) == is_light(men[3])));
        });
        let [wins, losses, draws] = counts;
        Finding::new(
            Verdict::of(same == 0 && draws > 1000 * (wins + losses)),
            format!(
                "White to move: {wins} won, {losses} lost, {draws} drawn; {same} decisive with same-coloured bishops"
            ),
        )
    })
}

/// Returns how many index entries represent how many three-piece positions each.
fn orbits(name: &str) -> Vec<(usize, usize)> {
    let Ok(material) = name.parse() else { return Vec::new() };
    let index = Index::new(material);
    let mut orbits = std::collections::HashMap::new();
    for kings in Square::all().flat_map(|white| Square::all().map(move |black| [white, black])) {
        for third in Square::all().skip(index.first_square()).take(index.row_len()) {
            if kings[0] != kings[1]
                && !kings.contains(&third)
                && let Some(place) = index.index_of(&[kings[0], kings[1], third])
            {
                *orbits.entry(place).or_insert(0_usize) += 1;
            }
        }
    }
    let mut sizes = std::collections::BTreeMap::new();
    for size in orbits.into_values() {
        *sizes.entry(size).or_insert(0_usize) += 1;
    }
    sizes.into_iter().collect()
}

fn describe_orbits(sizes: &[(usize, usize)]) -> String {
    let parts: Vec<String> = sizes
        .iter()
        .map(|(size, count)| format!("{count} entries represent {size} positions each"))
        .collect();
    parts.join(", ")
}

fn eight_symmetries(_: Effort) -> Finding {
    let sizes = orbits("KQvK");
    let holds = sizes.iter().map(|&(size, _)| size).collect::<Vec<_>>() == [4, 8];
    Finding::new(
        Verdict::of(holds),
        format!("462 king placements; {} (all pieces on a diagonal)", describe_orbits(&sizes)),
    )
}

fn pawn_symmetries(_: Effort) -> Finding {
    let sizes = orbits("KPvK");
    Finding::new(
        Verdict::of(sizes.iter().all(|&(size, _)| size == 2) && !sizes.is_empty()),
        format!("1806 king placements; {}", describe_orbits(&sizes)),
    )
}

fn five_men(_: Effort) -> Finding {
    let counts = [3, 4, 5, 6].map(|men| Material::all(men).len());
    Finding::new(Verdict::of(counts[2] == 110), format!("{counts:?} with three to six pieces"))
}

fn five_men_positions(_: Effort) -> Finding {
    let bound = 110 * 64 * 63 * 62 * 61 * 60_u64 * 2;
    let places: u64 = Material::all(5).iter().map(|&table| 2 * Index::new(table).len() as u64).sum();
    // Published count: see results/tablebases.md.
    let legal = 32_612_482_961_u64;
    let text = format!(
        "the product is {bound}; the index has {places} entries, and {legal} legal positions remain when symmetric \
         positions count once and identical pieces are distinguishable: {:.0} %, not half",
        100.0 * legal as f64 / bound as f64
    );
    Finding::new(Verdict::Depends, text)
}

fn positions_a_byte(effort: Effort) -> Finding {
    let names: &[&str] = effort.pick(&["KPvK", "KQvK"], &["KQvKR", "KRvKN", "KRvKP", "KBNvK", "KQQvK"]);
    let tables = made(names, Metric::Dtm);
    let (mut bytes, mut positions, mut rows) = (0, 0, Vec::new());
    for &name in names {
        let Some(table) = name.parse().ok().and_then(|material| tables.get(material)) else { continue };
        let size = to_bytes(&table, crate::endgames::StoredSides::One).len();
        let legal: u64 = positions_of(&statistics(&table)).iter().sum();
        rows.push(vec![
            name.to_owned(),
            legal.to_string(),
            size.to_string(),
            format!("{:.1}", legal as f64 / size as f64),
        ]);
        (bytes, positions) = (bytes + size, positions + legal);
    }
    Finding::new(
        Verdict::Depends,
        format!(
            "{:.1} legal positions per byte, with symmetric positions counted once; other formats reach 4 to 5, and 13 only with \
             symmetric positions counted separately",
            positions as f64 / bytes as f64
        ),
    )
    .with("Sizes", vec!["table", "positions", "bytes", "per byte"], rows)
}

fn queen_against_rook(_: Effort) -> Finding {
    of_one("KQvKR", Metric::Dtc, |table, _| {
        let captures = statistics(table).sides[0].longest_win.unwrap_or(0);
        of_one("KQvKR", Metric::Dtm, |table, _| {
            let mates = statistics(table).sides[0].longest_win.unwrap_or(0);
            Finding::new(
                Verdict::of(captures.div_ceil(2) > 50),
                format!(
                    "with best play {} moves to the capture and {} to mate; more only after errors",
                    captures.div_ceil(2),
                    mates.div_ceil(2)
                ),
            )
        })
    })
}

fn browne(_: Effort) -> Finding {
    of_one("KQvKR", Metric::Dtc, |_, tables| {
        let start = stretto::position::Position::from_fen("K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1");
        let outcome = start.ok().and_then(|start| tables.probe(&start));
        Finding::new(
            Verdict::of(outcome == Some(Outcome::Win(61))),
            format!(
                "the initial position has a distance to conversion of {} plies, the maximum; that leaves {} of fifty moves to spare",
                outcome.map_or_else(|| "?".to_owned(), |outcome| outcome.to_string()),
                50 - 31
            ),
        )
    })
}

/// `KBBvKN` and its successors, generated once for several claims.
static TWO_BISHOPS: LazyLock<Tables> = LazyLock::new(|| made(&["KBBvKN"], Metric::Dtc));

/// Evaluates `KBBvKN`, which has five pieces and is generated only with full effort.
fn with_two_bishops(effort: Effort, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    match effort {
        Effort::Quick => {
            Finding::new(Verdict::Depends, "KBBKN has five pieces and is generated only with --effort full")
        }
        Effort::Full => look_at(&TWO_BISHOPS, "KBBvKN", look),
    }
}

fn two_bishops(effort: Effort) -> Finding {
    with_two_bishops(effort, |table, _| {
        let [white, black] = statistics(table).sides;
        let (win, loss) = (white.longest_win.unwrap_or(0), black.longest_loss.unwrap_or(0));
        Finding::new(
            Verdict::of(loss == 132),
            format!(
                "{win} plies with White to move ({} positions, bishops interchangeable), {loss} with Black ({}): {} moves",
                white.longest_wins,
                black.longest_losses,
                loss.div_ceil(2)
            ),
        )
    })
}

fn two_bishops_share(effort: Effort) -> Finding {
    with_two_bishops(effort, |table, _| {
        let index = table.index();
        let mut counts = [[0_u64; 2]; 2];
        each_position(table, |side, place, outcome| {
            if side == Color::White
                && let Some(men) = index.squares_at(place)
            {
                let is_light = |square: Square| stretto::types::Bitboard::LIGHT.has(square);
                let is_opposite = is_light(men[2]) != is_light(men[3]);
                counts[usize::from(is_opposite)][usize::from(matches!(outcome, Outcome::Win(_)))] += 1;
            }
        });
        let share = |[other, won]: [u64; 2]| 100.0 * won as f64 / (won + other).max(1) as f64;
        let [same, opposite] = counts;
        Finding::new(
            Verdict::Depends,
            format!(
                "White to move: {:.1} % won with opposite-coloured bishops, {:.1} % with same-coloured ones",
                share(opposite),
                share(same)
            ),
        )
    })
}

fn kling_and_horwitz(effort: Effort) -> Finding {
    with_two_bishops(effort, |table, _| {
        let square = |text: &str| text.parse::<Square>().unwrap_or(Square::from_index(0));
        let (king, knight) = (square("b6"), square("b7"));
        let (mut won, mut all, mut longest) = (0_u64, 0_u64, 0);
        for white in Square::all() {
            for one in Square::all().filter(|&one| stretto::types::Bitboard::LIGHT.has(one)) {
                for two in Square::all().filter(|&two| stretto::types::Bitboard::DARK.has(two)) {
                    let men = [white, king, one, two, knight];
                    let is_apart = men.iter().enumerate().all(|(place, man)| !men[..place].contains(man));
                    let index = table.index();
                    let Some(place) = is_apart.then(|| index.index_of(&men)).flatten() else { continue };
                    let Some((row, men)) = index.row(place / index.row_len()).zip(index.squares_at(place))
                    else {
                        continue;
                    };
                    if !row.legal(Color::White).has(men[4]) {
                        continue;
                    }
                    all += 1;
                    if let Outcome::Win(plies) = table.at(Color::White, place) {
                        won += 1;
                        longest = longest.max(plies);
                    }
                }
            }
        }
        let share = 100.0 * won as f64 / all.max(1) as f64;
        Finding::new(
            Verdict::of(share > 90.0),
            format!(
                "{share:.1} % of all {all} positions with king b6 and knight b7 are won with White to move, in at most {longest} plies"
            ),
        )
    })
}

fn fifty_moves(effort: Effort) -> Finding {
    with_two_bishops(effort, |table, _| {
        let (mut wins, mut late) = (0_u64, 0_u64);
        each_position(table, |side, _, outcome| {
            if let (Color::White, Outcome::Win(plies)) = (side, outcome) {
                wins += 1;
                late += u64::from(plies > 100);
            }
        });
        Finding::new(
            Verdict::of(late > 0),
            format!(
                "{late} of {wins} wins of KBBKN (bishops interchangeable) take more than fifty moves to the next capture"
            ),
        )
    })
}

fn moves_from_values(effort: Effort) -> Finding {
    let name = effort.pick("KPvK", "KQvKR");
    of_one(name, Metric::Dtm, |table, tables| {
        let index = table.index();
        let (mut games, mut wrong) = (0_u64, 0_u64);
        let step = effort.pick(501, 5003);
        let encoded = tables.coded(Metric::Dtm);
        each_position(table, |side, place, outcome| {
            let (Outcome::Win(plies), true) = (outcome, place % step == 0) else { return };
            let position = index.squares_at(place).map(|men| fen(index, &men, side));
            let position = position.and_then(|text| stretto::position::Position::from_fen(&text).ok());
            let (Some(mut position), Ok(encoded)) = (position, &encoded) else { return };
            games += 1;
            let mut length = 0;
            while length <= plies {
                let best = position.legal_moves().into_iter().filter_map(|mv| {
                    let outcome = encoded.move_value(&position, mv).ok().flatten()?;
                    Some((mv, outcome))
                });
                let best = best.reduce(|one, other| if one.1.better(other.1) == one.1 { one } else { other });
                let Some((mv, _)) = best else { break };
                position = position.after(mv);
                length += 1;
            }
            let is_mate = position.is_check() && !position.has_legal_move();
            wrong += u64::from(!is_mate || length != plies);
        });
        Finding::new(
            Verdict::of(wrong == 0 && games > 0),
            format!(
                "{games} games of {name} played from values only, {wrong} without mate in the predicted number of plies"
            ),
        )
    })
}

fn smaller_numbers(effort: Effort) -> Finding {
    let names: &[&str] = effort.pick(&["KPvK"], &["KQvKR", "KRvKP", "KPvKP"]);
    let mut rows = Vec::new();
    let mut sizes = [0_usize; 3];
    for (metric, size) in Metric::ALL.into_iter().zip(&mut sizes) {
        let tables = made(names, metric);
        for &name in names {
            let Some(table) = name.parse().ok().and_then(|material| tables.get(material)) else { continue };
            let mut seen = std::collections::HashSet::new();
            each_position(&table, |_, _, outcome| {
                seen.insert(outcome);
            });
            let bytes = to_bytes(&table, crate::endgames::StoredSides::One).len();
            *size += bytes;
            rows.push(vec![name.to_owned(), metric.to_string(), seen.len().to_string(), bytes.to_string()]);
        }
    }
    Finding::new(
        Verdict::of(sizes[1] < sizes[0] && sizes[2] < sizes[0]),
        format!("{} bytes with DTM, {} with DTC, {} with DTZ", sizes[0], sizes[1], sizes[2]),
    )
    .with("Values and bytes", vec!["table", "metric", "values", "bytes"], rows)
}

fn one_byte(effort: Effort) -> Finding {
    let names: &[&str] = effort.pick(&["KPvK"], &["KRvKN", "KRvKP", "KBNvK"]);
    let tables = made(names, Metric::Dtm);
    let mut longest = (0, String::new());
    for &name in names {
        let Some(table) = name.parse().ok().and_then(|material| tables.get(material)) else { continue };
        let mut most = 0;
        each_position(&table, |_, _, outcome| {
            if let Outcome::Win(plies) | Outcome::Loss(plies) = outcome {
                most = most.max(plies);
            }
        });
        if most >= longest.0 {
            longest = (most, name.to_owned());
        }
    }
    Finding::new(
        Verdict::of(longest.0 < 255),
        format!(
            "at most {} plies here ({}); wins are odd and losses even, so even the 127 moves of five pieces need 127 + 128 + 1 \
             values, which just fit into a byte",
            longest.0, longest.1
        ),
    )
}

fn few_men(effort: Effort) -> Finding {
    let men = effort.pick(3, 4);
    let names: Vec<String> = Material::all(men).iter().map(ToString::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tables = made(&names, Metric::Dtz);
    let mut longest = (0, String::new());
    for table in (3..=men).flat_map(Material::all).filter_map(|material| tables.get(material)) {
        for side in statistics(&table).sides {
            let most = side.longest_win.max(side.longest_loss).unwrap_or(0);
            if most > longest.0 {
                longest = (most, table.material().to_string());
            }
        }
    }
    Finding::new(
        Verdict::of((1..=100).contains(&longest.0)),
        format!(
            "up to {men} pieces, the longest distance to a zeroing move or mate is {} plies, in {}",
            longest.0, longest.1
        ),
    )
}
