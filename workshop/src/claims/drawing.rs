//! Drawings of small game trees as alpha-beta searches them, with values and cutoffs.
//!
//! The search here records the nodes it visits; a test compares it with the algorithm of `drivers`.
//! Values in a drawing are from the point of view of the side to move at the root, as in the texts.

use std::fmt::Write as _;

use clap::ValueEnum;

use super::drivers::INFINITE;
use super::noughts::Noughts;
use super::tree::{Game, Growth, Node, Order};

/// A tree to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Picture {
    /// Three plies with the values 102, 187 and -28 of Owen's text; the other values are ours.
    #[default]
    Owen,
    /// Four plies with a deep cutoff: a value of the root refutes a move three plies below.
    Deep,
    /// The last moves of a game of noughts and crosses.
    Noughts,
    /// A synthetic tree, as in the experiments.
    Synthetic,
}

/// A game whose positions can be drawn.
trait Drawable: Game {
    /// Returns the squares of a board, row by row; `None` to draw a box.
    fn board(&self) -> Option<[char; 9]> {
        None
    }
}

/// A tree given by its leaves.
#[derive(Clone, Debug)]
enum Listed {
    /// A leaf and its value, from the point of view of the side to move at the root.
    Leaf(i32),
    Inner(Vec<Listed>),
}

/// A node of a listed tree.
#[derive(Clone, Debug)]
struct Place {
    tree: Listed,
    /// Whether the side to move at the root is to move.
    is_root_side: bool,
}

impl Game for Place {
    fn moves(&self) -> usize {
        match &self.tree {
            Listed::Leaf(_) => 0,
            Listed::Inner(children) => children.len(),
        }
    }

    fn play(&self, number: usize) -> Self {
        let tree = match &self.tree {
            Listed::Leaf(value) => Listed::Leaf(*value),
            Listed::Inner(children) => children[number].clone(),
        };
        Self { tree, is_root_side: !self.is_root_side }
    }

    fn value(&self) -> i32 {
        match self.tree {
            Listed::Leaf(value) if self.is_root_side => value,
            Listed::Leaf(value) => -value,
            Listed::Inner(_) => 0,
        }
    }
}

impl Drawable for Place {}

impl Drawable for Node {}

impl Drawable for Noughts {
    fn board(&self) -> Option<[char; 9]> {
        Some(Self::board(*self))
    }
}

fn leaves(values: &[i32]) -> Listed {
    Listed::Inner(values.iter().copied().map(Listed::Leaf).collect())
}

/// Returns a tree whose first branch is worth 102, so that -28 and 21 need no second reply.
fn deep() -> Place {
    let one = |tree| Listed::Inner(vec![tree]);
    let replies = vec![Listed::Inner(vec![leaves(&[-28, 15]), leaves(&[130, 140])]), one(leaves(&[21, 40]))];
    let tree = Listed::Inner(vec![one(one(leaves(&[102, 187]))), Listed::Inner(replies)]);
    Place { tree, is_root_side: true }
}

/// Returns a tree after Owen's text: the branch worth 102, the cutoff after 187, and in the middle branch a
/// knight that the opponent does not allow to be won.
fn owen() -> Place {
    let tree = Listed::Inner(vec![
        Listed::Inner(vec![leaves(&[102, -16, 95]), leaves(&[187, 12]), leaves(&[108, 99])]),
        Listed::Inner(vec![leaves(&[-28, 15]), leaves(&[342, 9])]),
        Listed::Inner(vec![leaves(&[103, 38]), leaves(&[21, -40])]),
    ]);
    Place { tree, is_root_side: true }
}

/// Whether a value is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Exact,
    AtLeast,
    AtMost,
}

/// A node of the drawing.
#[derive(Clone, Debug)]
struct Traced {
    board: Option<[char; 9]>,
    /// From the point of view of the side to move at the root; `None` if the node was cut off.
    value: Option<(Known, i32)>,
    /// Whether the side to move at the root is to move.
    is_root_side: bool,
    children: Vec<Traced>,
}

/// Searches with fail-soft alpha-beta and records the tree. Returns the value for the side to move.
fn trace(game: &impl Drawable, depth: u32, (alpha, beta): (i32, i32), is_root_side: bool) -> (Traced, i32) {
    let mut node = Traced { board: game.board(), value: None, is_root_side, children: Vec::new() };
    let (mut best, mut floor, mut is_cut) = (-INFINITE, alpha, false);
    let is_leaf = depth == 0 || game.moves() == 0;
    for number in 0..if is_leaf { 0 } else { game.moves() } {
        let child = game.play(number);
        if is_cut {
            node.children.push(Traced {
                board: child.board(),
                value: None,
                is_root_side: !is_root_side,
                children: Vec::new(),
            });
            continue;
        }
        let (traced, value) = trace(&child, depth - 1, (-beta, -floor), !is_root_side);
        node.children.push(traced);
        best = best.max(-value);
        floor = floor.max(best);
        is_cut = best >= beta;
    }
    let (known, value) = match best {
        _ if is_leaf => (Known::Exact, game.value()),
        best if best >= beta => (Known::AtLeast, best),
        best if best <= alpha => (Known::AtMost, best),
        best => (Known::Exact, best),
    };
    node.value = Some(match (is_root_side, known) {
        (true, known) => (known, value),
        (false, Known::Exact) => (Known::Exact, -value),
        (false, Known::AtLeast) => (Known::AtMost, -value),
        (false, Known::AtMost) => (Known::AtLeast, -value),
    });
    (node, value)
}

/// Width of a column of leaves. Units: pixels.
const COLUMN: f64 = 62.0;
/// Height of a ply. Units: pixels.
const ROW: f64 = 104.0;
/// Space around the tree. Units: pixels.
const MARGIN: f64 = 24.0;
/// Width of the labels at the left. Units: pixels.
const LABELS: f64 = 110.0;
/// Width that the legend needs. Units: pixels.
const LEAST_WIDTH: f64 = 760.0;
/// Height of the legend. Units: pixels.
const LEGEND: f64 = 44.0;
/// Edge of a board. Units: pixels.
const BOARD: f64 = 45.0;
/// Height of a box. Units: pixels.
const BOX: f64 = 26.0;

const STYLE: &str = "\
text { font: 13px sans-serif; text-anchor: middle; fill: #1b1b1b; }
.label { text-anchor: start; fill: #555; }
.edge { stroke: #444; stroke-width: 1.2; fill: none; }
.skipped { stroke: #aaa; stroke-dasharray: 4 3; }
.cut { stroke: #c22; stroke-width: 2.4; }
.max { fill: #e3edfb; stroke: #33507e; }
.min { fill: #fbeee0; stroke: #8a5a1c; }
.unseen { fill: #f4f4f4; stroke: #bbb; }
.grid { stroke: #777; stroke-width: 1; fill: none; }
.sign { stroke: #222; stroke-width: 1.8; fill: none; }
.best { stroke: #1a7a35; stroke-width: 3; }";

/// The legend: the meaning of colours and signs, in two lines.
const EXPLANATION: [&str; 2] = [
    "Blue maximizes, orange minimizes; values are those of the side to move at the root. Green: the best line.",
    "Red bar and ?: cut off, not searched. ≤ and ≥: a bound, since the search of that node ended early or failed low.",
];

/// Returns the drawing of a tree as SVG.
pub(super) fn draw(picture: Picture) -> String {
    let window = (-INFINITE, INFINITE);
    let (tree, title) = match picture {
        Picture::Deep => (trace(&deep(), 4, window, true).0, "A deep cutoff"),
        Picture::Owen => (trace(&owen(), 3, window, true).0, "Alpha-beta in the tree of Owen's text"),
        Picture::Noughts => {
            let start = Noughts::parse("xoxo.o.x.").unwrap_or_default();
            (
                trace(&start, 9, window, start.is_crosses_turn()).0,
                "Alpha-beta at the end of a game of noughts and crosses",
            )
        }
        Picture::Synthetic => {
            let growth = Growth { width: 3, order: Order::First(0.5), spread: 90, is_shrinking: false };
            (trace(&Node::root(growth, 2, 20), 3, window, true).0, "Alpha-beta in a synthetic tree")
        }
    };
    svg(&tree, title)
}

/// Returns the number of leaf columns of a node.
fn columns(node: &Traced) -> usize {
    node.children.iter().map(columns).sum::<usize>().max(1)
}

fn height(node: &Traced) -> usize {
    node.children.iter().map(|child| 1 + height(child)).max().unwrap_or(0)
}

fn svg(tree: &Traced, title: &str) -> String {
    let rows = height(tree) + 1;
    let width = LABELS + 2.0 * MARGIN + COLUMN * columns(tree) as f64;
    let tree_height = 2.0 * MARGIN + ROW * rows as f64;
    let (width, full_height) = (width.max(LEAST_WIDTH), tree_height + LEGEND);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{full_height:.0}\" viewBox=\"0 0 {width:.0} \
         {full_height:.0}\" role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<style>\n{STYLE}\n</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{:.1}\" y=\"18\">{title}</text>\n",
        width / 2.0
    );
    for ply in 0..rows {
        let side = if (ply % 2 == 0) == tree.is_root_side { "maximizes" } else { "minimizes" };
        let side = if ply + 1 == rows { "leaves" } else { side };
        let _ = writeln!(
            text,
            "<text class=\"label\" x=\"{MARGIN:.0}\" y=\"{:.1}\">ply {ply}: {side}</text>",
            center(ply) + 4.0
        );
    }
    // Lines first, so that the nodes are drawn over them.
    let mut lines = String::new();
    let mut nodes = String::new();
    place(tree, 0, 0, true, (&mut lines, &mut nodes));
    text.push_str(&lines);
    text.push_str(&nodes);
    for (line, y) in EXPLANATION.iter().zip([4.0, 24.0]) {
        let _ = writeln!(
            text,
            "<text class=\"label\" x=\"{MARGIN:.0}\" y=\"{:.1}\">{line}</text>",
            tree_height + y
        );
    }
    text.push_str("</svg>\n");
    text
}

/// Returns the vertical center of a ply.
fn center(ply: usize) -> f64 {
    MARGIN + ROW * (ply as f64 + 0.5)
}

/// Returns the horizontal center of a node whose first column is `column`.
fn middle(node: &Traced, column: usize) -> f64 {
    LABELS + MARGIN + COLUMN * (column as f64 + columns(node) as f64 / 2.0)
}

/// Whether a child is the first with its parent's exact value: the principal variation.
fn is_principal(node: &Traced, place: usize) -> bool {
    let is_it = |child: &Traced| child.value == node.value && matches!(child.value, Some((Known::Exact, _)));
    node.children.iter().position(is_it) == Some(place)
}

fn place(node: &Traced, ply: usize, column: usize, is_on_line: bool, out: (&mut String, &mut String)) {
    let (lines, nodes) = out;
    let (x, y) = (middle(node, column), center(ply));
    let half = if node.board.is_some() { BOARD / 2.0 } else { BOX / 2.0 };
    let mut first = column;
    for (number, child) in node.children.iter().enumerate() {
        let (to_x, to_y) = (middle(child, first), center(ply + 1) - half);
        let is_best = is_on_line && is_principal(node, number);
        let class = match child.value {
            None => "edge skipped",
            Some(_) if is_best => "edge best",
            Some(_) => "edge",
        };
        let from_y = y + half + if node.board.is_some() { 18.0 } else { 0.0 };
        let _ = writeln!(
            lines,
            "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{from_y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\"/>"
        );
        if child.value.is_none() {
            // The cutoff: a bar across every branch that is not searched.
            let (at_x, at_y) = (f64::midpoint(x, to_x), f64::midpoint(from_y, to_y));
            let _ = writeln!(
                lines,
                "<line class=\"cut\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
                at_x - 9.0,
                at_y + 4.0,
                at_x + 9.0,
                at_y - 4.0
            );
        }
        place(child, ply + 1, first, is_best, (&mut *lines, &mut *nodes));
        first += columns(child);
    }
    draw_node(node, (x, y), nodes);
}

fn draw_node(node: &Traced, (x, y): (f64, f64), out: &mut String) {
    let class = match node.value {
        None => "unseen",
        Some(_) if node.is_root_side => "max",
        Some(_) => "min",
    };
    let label = match node.value {
        None => "?".to_owned(),
        Some((Known::Exact, value)) => value.to_string(),
        Some((Known::AtLeast, value)) => format!("≥ {value}"),
        Some((Known::AtMost, value)) => format!("≤ {value}"),
    };
    let Some(board) = node.board else {
        let width = 52.0;
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width}\" height=\"{BOX}\" rx=\"3\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
            x - width / 2.0,
            y - BOX / 2.0,
            y + 4.5
        );
        return;
    };
    let (left, top, cell) = (x - BOARD / 2.0, y - BOARD / 2.0, BOARD / 3.0);
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{BOARD}\" height=\"{BOARD}\"/>\
         <path class=\"grid\" d=\"M{:.1} {top:.1}v{BOARD}M{:.1} {top:.1}v{BOARD}M{left:.1} {:.1}h{BOARD}M{left:.1} {:.1}h{BOARD}\"/>\
         <text x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
        left + cell,
        left + 2.0 * cell,
        top + cell,
        top + 2.0 * cell,
        top + BOARD + 14.0
    );
    for (square, sign) in board.into_iter().enumerate() {
        let (at_x, at_y) =
            (left + cell * ((square % 3) as f64 + 0.5), top + cell * ((square / 3) as f64 + 0.5));
        let arm = cell / 2.0 - 3.5;
        let _ = match sign {
            'x' => writeln!(
                out,
                "<path class=\"sign\" d=\"M{:.1} {:.1}l{:.1} {:.1}m0 {:.1}l{:.1} {:.1}\"/>",
                at_x - arm,
                at_y - arm,
                2.0 * arm,
                2.0 * arm,
                -2.0 * arm,
                -2.0 * arm,
                2.0 * arm
            ),
            'o' => writeln!(out, "<circle class=\"sign\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"{arm:.1}\"/>"),
            _ => Ok(()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::drivers::{Visits, alpha_beta, minimax};
    use super::*;

    const WINDOW: (i32, i32) = (-INFINITE, INFINITE);

    /// Returns the numbers of searched and of cut nodes.
    fn counts(node: &Traced) -> (u64, u64) {
        let own = if node.value.is_some() { (1, 0) } else { (0, 1) };
        node.children.iter().map(counts).fold(own, |sum, (seen, cut)| (sum.0 + seen, sum.1 + cut))
    }

    #[test]
    fn trace_visits_the_nodes_of_alpha_beta() {
        let growth = |order| Growth { width: 5, order, spread: 60, is_shrinking: false };
        for seed in 0..40 {
            for order in [Order::Worst, Order::First(1.0), Order::First(0.4)] {
                let root = Node::root(growth(order), seed, 7);
                let mut visits = Visits::default();
                alpha_beta(&root, 4, WINDOW, &mut visits);
                let (tree, value) = trace(&root, 4, WINDOW, true);
                assert_eq!((counts(&tree).0, value), (visits.nodes, 7));
                assert_eq!(tree.value, Some((Known::Exact, 7)));
            }
        }
    }

    #[test]
    fn tree_of_the_text_has_its_value_and_its_cutoff() {
        assert_eq!(minimax(&owen(), 3, &mut Visits::default()), 102);
        let (tree, _) = trace(&owen(), 3, WINDOW, true);
        let second = &tree.children[0].children[1];
        assert_eq!(second.value, Some((Known::AtLeast, 187)));
        assert_eq!(second.children[1].value, None, "the fifth leaf need not be evaluated");
        // The right branch is worth at most what its first reply leaves.
        assert!(matches!(tree.children[1].value, Some((Known::AtMost, 15))));
    }

    #[test]
    fn bound_of_the_root_cuts_three_plies_below() {
        assert_eq!(minimax(&deep(), 4, &mut Visits::default()), 102);
        let (tree, value) = trace(&deep(), 4, WINDOW, true);
        let [reply, other] = [0, 1].map(|number| &tree.children[1].children[number].children[0]);
        assert_eq!((value, reply.value, reply.children[1].value), (102, Some((Known::AtMost, -28)), None));
        assert_eq!((other.value, other.children[1].value), (Some((Known::AtMost, 21)), None));
    }

    #[test]
    fn drawings_are_closed_and_show_every_node() {
        for picture in [Picture::Owen, Picture::Deep, Picture::Noughts, Picture::Synthetic] {
            let text = draw(picture);
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
            for element in ["title", "style", "text", "svg"] {
                let opened = text.matches(&format!("<{element}")).count();
                assert_eq!(opened, text.matches(&format!("</{element}>")).count(), "{element}");
            }
            assert!(text.matches("class=\"cut\"").count() > 0, "{picture:?} shows a cutoff");
            assert!(text.matches("edge best").count() >= 2, "{picture:?} shows its best line");
        }
        let boards = draw(Picture::Noughts).matches("class=\"grid\"").count();
        let start = Noughts::parse("xoxo.o.x.").unwrap();
        let (seen, cut) = counts(&trace(&start, 9, WINDOW, true).0);
        assert_eq!(boards as u64, seen + cut);
    }
}
