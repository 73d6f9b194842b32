//! Claims about endgame tables, put to tables made here and now.

use std::sync::LazyLock;

use stretto::tablebase::{Index, Material, Metric, Outcome};
use stretto::types::{Color, Square};

use super::{Claim, Effort, Finding, Text, Verdict};
use crate::cancel::Cancel;
use crate::tablebase::{Statistics, Table, Tables, fen, generate, statistics, to_bytes, verify};

const TEXTS: &[Text] = &[Text::BooksAndTables];

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "T1",
        texts: TEXTS,
        gist: "KQK has at most 64·63·62·2 = 499,968 positions",
        experiment: queen_positions,
    },
    Claim {
        id: "T2",
        texts: TEXTS,
        gist: "The longest win of KQK takes 10 moves, and some 21 iterations find it",
        experiment: queen_depth,
    },
    Claim { id: "T3", texts: TEXTS, gist: "Almost every position of KQK is won", experiment: queen_wins },
    Claim {
        id: "T4",
        texts: TEXTS,
        gist: "Distances to mate are odd where won and even where lost",
        experiment: parity,
    },
    Claim {
        id: "T5",
        texts: TEXTS,
        gist: "What is unmarked when an iteration changes nothing is drawn",
        experiment: fixpoint,
    },
    Claim { id: "T6", texts: TEXTS, gist: "In most endgames either side can win", experiment: both_can_win },
    Claim {
        id: "T7",
        texts: TEXTS,
        gist: "KQKP needs KQKQ, KQKR, KQKN, KQKB and KPK",
        experiment: queen_against_pawn,
    },
    Claim {
        id: "T8",
        texts: TEXTS,
        gist: "Endgames lead to each other without circles",
        experiment: acyclic,
    },
    Claim {
        id: "T9",
        texts: TEXTS,
        gist: "A table serves both colours: turn the board, exchange the colours and the side to move",
        experiment: colours,
    },
    Claim {
        id: "T10",
        texts: TEXTS,
        gist: "KBKB is drawn with bishops of one colour, and nearly always otherwise",
        experiment: bishops,
    },
    Claim {
        id: "T11",
        texts: TEXTS,
        gist: "Eight positions of KQK become one by three symmetries",
        experiment: eight_symmetries,
    },
    Claim {
        id: "T12",
        texts: TEXTS,
        gist: "Pawns leave only the mirror image of left and right",
        experiment: pawn_symmetries,
    },
    Claim { id: "T13", texts: TEXTS, gist: "There are 110 endgames of five men", experiment: five_men },
    Claim {
        id: "T14",
        texts: TEXTS,
        gist: "Five men have at most 201,287,116,800 positions, about half of them invalid",
        experiment: five_men_positions,
    },
    Claim {
        id: "T15",
        texts: TEXTS,
        gist: "Tables hold about 13 positions a byte",
        experiment: positions_a_byte,
    },
    Claim {
        id: "T16",
        texts: TEXTS,
        gist: "In KQKR the rook can hold out for more than fifty moves",
        experiment: queen_against_rook,
    },
    Claim {
        id: "T17",
        texts: TEXTS,
        gist: "A grandmaster could not win KQKR against the tables in fifty moves",
        experiment: browne,
    },
    Claim {
        id: "T18",
        texts: TEXTS,
        gist: "KBBKN takes up to 66 moves until the knight is won",
        experiment: two_bishops,
    },
    Claim {
        id: "T19",
        texts: TEXTS,
        gist: "Almost every position of KBBKN is lost for the knight",
        experiment: two_bishops_share,
    },
    Claim {
        id: "T20",
        texts: TEXTS,
        gist: "The defence of Kling and Horwitz, king b6 and knight b7, is lost",
        experiment: kling_and_horwitz,
    },
    Claim {
        id: "T21",
        texts: TEXTS,
        gist: "Some endings are won but for the fifty-move rule",
        experiment: fifty_moves,
    },
    Claim {
        id: "T22",
        texts: TEXTS,
        gist: "Tables need not hold moves: values are enough",
        experiment: moves_from_values,
    },
    Claim {
        id: "T23",
        texts: TEXTS,
        gist: "Distances to a conversion are smaller than to mate and take fewer bits",
        experiment: smaller_numbers,
    },
    Claim {
        id: "T24",
        texts: TEXTS,
        gist: "Two bits for the kind and a number: a byte holds a value",
        experiment: one_byte,
    },
    Claim {
        id: "T25",
        texts: TEXTS,
        gist: "With few men the fifty-move rule changes nothing",
        experiment: few_men,
    },
];

/// A table and all it leads to; what cannot be made is not there.
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

/// Looks at one table of some; a claim whose table is missing is refuted by that.
fn look_at(tables: &Tables, name: &str, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    match name.parse().ok().and_then(|material| tables.get(material)) {
        Some(table) => look(&table, tables),
        None => Finding::new(Verdict::Refuted, format!("{name} could not be made")),
    }
}

fn of_one(name: &str, metric: Metric, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    look_at(&made(&[name], metric), name, look)
}

fn positions_of(statistics: &Statistics) -> [u64; 2] {
    [0, 1].map(|side| statistics.sides[side].told_apart.iter().sum())
}

fn queen_positions(_: Effort) -> Finding {
    of_one("KQvK", Metric::Dtm, |table, _| {
        let bound = 64 * 63 * 62 * 2_u64;
        let index = table.index();
        let (mut legal, all) = ([0_u64; 2], positions_of(&statistics(table)));
        for kings in Square::all().flat_map(|white| Square::all().map(move |black| [white, black])) {
            for queen in Square::all().filter(|queen| !kings.contains(queen)) {
                let Some(place) = index.place(&[kings[0], kings[1], queen]) else { continue };
                let Some((row, men)) = index.row(place / index.row_len()).zip(index.men(place)) else {
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
                "{bound} is the bound; {} with White and {} with Black to move are legal, {sum} in all, of which {} and {} \
                 are left when symmetric ones count once",
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
                "{win} plies with White to move ({} position), {loss} with Black ({}): {} moves, {} iterations from 0",
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
                "all {} with White to move; with Black {:.1} % are drawn ({} of {}), by stalemate or because the queen falls",
                white.wins,
                100.0 * drawn,
                black.draws,
                black.draws + black.losses
            ),
        )
    })
}

/// Looks at every legal position of a table.
fn each_position(table: &Table, mut look: impl FnMut(Color, usize, Outcome)) {
    let index = table.index();
    for row in (0..index.rows()).filter_map(|number| index.row(number)) {
        for side in Color::ALL {
            for square in row.legal(side) & row.canonical() {
                let place = row.place(square);
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
    Finding::new(Verdict::of(odd == 0 && count > 0), format!("{count} values, {odd} of the wrong kind"))
}

fn fixpoint(effort: Effort) -> Finding {
    let name = effort.pick("KPvK", "KRvKN");
    of_one(name, Metric::Dtm, |table, tables| match verify(table, tables) {
        Ok((wrong, _)) => Finding::new(
            Verdict::of(wrong == 0),
            format!("{name}: one more pass over all moves changes {wrong} values, draws included"),
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
        shares.push(format!("{both} of {} with {men} men", all.len()));
    }
    Finding::new(Verdict::Refuted, format!("{}; with five men it is said to be 71 of 110", shares.join(", ")))
        .with("Tables with wins for both sides", vec!["men", "tables", "both win"], rows)
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
            "{} tables; not named are {} (the pawn is taken, or takes the queen and promotes)",
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
        format!("{} tables of 2 to 5 men in an order in which {count} lead to a later one", order.len()),
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
            let Some(men) = index.men(place).filter(|_| place % 17 == 0) else { return };
            let text = exchanged(&fen(index, &men, side));
            if let Ok(position) = stretto::position::Position::from_fen(&text) {
                count += 1;
                wrong += u64::from(tables.probe(&position) != Some(outcome));
            }
        });
        Finding::new(
            Verdict::of(wrong == 0 && count > 0),
            format!("{count} positions of KPK asked for as KKP, {wrong} with another answer"),
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
            let men = index.men(place);
            same += u64::from(class < 2 && men.is_some_and(|men| is_light(men[2]) == is_light(men[3])));
        });
        let [wins, losses, draws] = counts;
        Finding::new(
            Verdict::of(same == 0 && draws > 1000 * (wins + losses)),
            format!(
                "White to move: {wins} won, {losses} lost, {draws} drawn; {same} decided with bishops of one colour"
            ),
        )
    })
}

/// How many positions of three men become one, by how often.
fn orbits(name: &str) -> Vec<(usize, usize)> {
    let Ok(material) = name.parse() else { return Vec::new() };
    let index = Index::new(material);
    let mut orbits = std::collections::HashMap::new();
    for kings in Square::all().flat_map(|white| Square::all().map(move |black| [white, black])) {
        for third in Square::all().skip(index.first_square()).take(index.row_len()) {
            if kings[0] != kings[1]
                && !kings.contains(&third)
                && let Some(place) = index.place(&[kings[0], kings[1], third])
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

fn told_orbits(sizes: &[(usize, usize)]) -> String {
    let parts: Vec<String> =
        sizes.iter().map(|(size, count)| format!("{count} stand for {size} each")).collect();
    parts.join(", ")
}

fn eight_symmetries(_: Effort) -> Finding {
    let sizes = orbits("KQvK");
    let holds = sizes.iter().map(|&(size, _)| size).collect::<Vec<_>>() == [4, 8];
    Finding::new(
        Verdict::of(holds),
        format!("462 placements of the kings; {} (all men on a diagonal)", told_orbits(&sizes)),
    )
}

fn pawn_symmetries(_: Effort) -> Finding {
    let sizes = orbits("KPvK");
    Finding::new(
        Verdict::of(sizes.iter().all(|&(size, _)| size == 2) && !sizes.is_empty()),
        format!("1806 placements of the kings; {}", told_orbits(&sizes)),
    )
}

fn five_men(_: Effort) -> Finding {
    let counts = [3, 4, 5, 6].map(|men| Material::all(men).len());
    Finding::new(Verdict::of(counts[2] == 110), format!("{counts:?} with three to six men"))
}

fn five_men_positions(_: Effort) -> Finding {
    let bound = 110 * 64 * 63 * 62 * 61 * 60_u64 * 2;
    let places: u64 = Material::all(5).iter().map(|&table| 2 * Index::new(table).len() as u64).sum();
    // Counted by others: see results/tablebases.md.
    let legal = 32_612_482_961_u64;
    let text = format!(
        "the product is {bound}; our index has {places} places, and {legal} legal positions are left when symmetric \
         ones count once, and like men are told apart as in the product: {:.0} %, not half",
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
        let size = to_bytes(&table, crate::tablebase::StoredSides::One).len();
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
            "{:.1} legal positions a byte in our files, symmetric ones counted once; other tables have 4 to 5, and 13 only by \
             the loose count",
            positions as f64 / bytes as f64
        ),
    )
    .with("Sizes", vec!["table", "positions", "bytes", "a byte"], rows)
}

fn queen_against_rook(_: Effort) -> Finding {
    of_one("KQvKR", Metric::Dtc, |table, _| {
        let captures = statistics(table).sides[0].longest_win.unwrap_or(0);
        of_one("KQvKR", Metric::Dtm, |table, _| {
            let mates = statistics(table).sides[0].longest_win.unwrap_or(0);
            Finding::new(
                Verdict::of(captures.div_ceil(2) > 50),
                format!(
                    "with best play {} moves to the capture and {} to mate: more only against those who err",
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
                "his first position is worth {} plies to the capture, the most there are: of fifty moves he could waste {}",
                outcome.map_or_else(|| "?".to_owned(), |outcome| outcome.to_string()),
                50 - 31
            ),
        )
    })
}

/// `KBBvKN` and what it leads to, made once for several claims.
static TWO_BISHOPS: LazyLock<Tables> = LazyLock::new(|| made(&["KBBvKN"], Metric::Dtc));

/// What `KBBvKN` says; five men are for the full effort alone.
fn with_two_bishops(effort: Effort, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    match effort {
        Effort::Quick => {
            Finding::new(Verdict::Depends, "KBBKN is made only with full effort: it is five men")
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
                "{win} plies with White to move ({} positions, the bishops not told apart), {loss} with Black ({}): {} moves",
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
                && let Some(men) = index.men(place)
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
                "White to move: {:.1} % are won with bishops on both colours, {:.1} % with both on one",
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
                    let Some(place) = is_apart.then(|| index.place(&men)).flatten() else { continue };
                    let Some((row, men)) = index.row(place / index.row_len()).zip(index.men(place)) else {
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
                "{share:.1} % of all {all} positions with king b6 and knight b7 are won for White to move, the longest in {longest} plies"
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
                "{late} of {wins} wins of KBBKN (the bishops not told apart) take more than fifty moves to the next capture"
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
        let coded = tables.coded(Metric::Dtm);
        each_position(table, |side, place, outcome| {
            let (Outcome::Win(plies), true) = (outcome, place % step == 0) else { return };
            let position = index.men(place).map(|men| fen(index, &men, side));
            let position = position.and_then(|text| stretto::position::Position::from_fen(&text).ok());
            let (Some(mut position), Ok(coded)) = (position, &coded) else { return };
            games += 1;
            let mut length = 0;
            while length <= plies {
                let best = position.legal_moves().into_iter().filter_map(|mv| {
                    let worth = coded.worth(&position, mv).ok().flatten()?;
                    Some((mv, worth))
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
                "{games} games of {name} played out from values alone, {wrong} that do not end in mate in time"
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
            let bytes = to_bytes(&table, crate::tablebase::StoredSides::One).len();
            *size += bytes;
            rows.push(vec![name.to_owned(), metric.to_string(), seen.len().to_string(), bytes.to_string()]);
        }
    }
    Finding::new(
        Verdict::of(sizes[1] < sizes[0] && sizes[2] < sizes[0]),
        format!(
            "{} bytes by mate, {} by conversion, {} by conversion or pawn move",
            sizes[0], sizes[1], sizes[2]
        ),
    )
    .with("Values and bytes", vec!["table", "count", "values", "bytes"], rows)
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
            "at most {} plies here ({}); wins are odd and losses even, so even the 127 moves of five men need 127 + 128 + 1 \
             values, which a byte just holds",
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
            "up to {men} men the longest way to a capture, move of a pawn or mate is {} plies, in {}",
            longest.0, longest.1
        ),
    )
}
