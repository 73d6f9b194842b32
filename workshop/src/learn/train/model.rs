//! The floating-point network: parameters, initialisation and quantisation.

use stretto::eval::network::{BUCKETS, FEATURES, HIDDEN_ONE, KING_BUCKETS, OUTPUT_ONE, Weights};

use stretto_harness::base::random::SplitMix64;

/// Weight limit that prevents overflow of the quantised sums.
pub(super) const WEIGHT_LIMIT: f32 = 1.98;

/// Range of the initial weights of the first layer.
const ROW_SPREAD: f32 = 0.09;
/// Initial biases of the first layer; most neurons are active then and learn at once.
const BIAS_START: f32 = 0.1;

/// Number of neurons of a group. The gradient of a group is summed in registers.
pub(super) const LANES: usize = 64;

/// Number of feature weights of a group in one king bucket.
pub(super) const BUCKET_ROWS: usize = FEATURES / KING_BUCKETS * LANES;

/// All parameters in one vector: feature weights, biases, output weights, output biases.
///
/// The feature weights are stored by group of neurons. Shape: `[group][feature][LANES]`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameters {
    pub(super) hidden: usize,
    pub(super) values: Vec<f32>,
}

/// The layout of the parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) hidden: usize,
}

impl Shape {
    pub(super) fn rows(self) -> std::ops::Range<usize> {
        0..FEATURES * self.hidden
    }

    /// Returns the place of a feature weight.
    pub(super) fn row(feature: usize, neuron: usize) -> usize {
        (neuron / LANES * FEATURES + feature) * LANES + neuron % LANES
    }

    /// Returns the places of all feature weights in the order of a network file: by feature, then by
    /// neuron.
    fn rows_in_order(self) -> impl Iterator<Item = usize> {
        (0..FEATURES).flat_map(move |feature| (0..self.hidden).map(move |neuron| Self::row(feature, neuron)))
    }

    pub(super) fn biases(self) -> std::ops::Range<usize> {
        let start = self.rows().end;
        start..start + self.hidden
    }

    pub(super) fn outputs(self) -> std::ops::Range<usize> {
        let start = self.biases().end;
        start..start + BUCKETS * 2 * self.hidden
    }

    pub(super) fn output_biases(self) -> std::ops::Range<usize> {
        let start = self.outputs().end;
        start..start + BUCKETS
    }

    pub(super) fn len(self) -> usize {
        self.output_biases().end
    }

    /// Returns the number of feature weights that all king buckets share.
    pub(super) fn shared(self) -> usize {
        self.rows().len() / KING_BUCKETS
    }
}

impl Parameters {
    /// Returns random weights from a seed, the same for all king buckets.
    pub(super) fn random(hidden: usize, seed: u64) -> Self {
        let shape = Shape { hidden };
        let mut random = SplitMix64::new(seed);
        let mut within = |spread: f32| {
            // 24 bits, which a float holds exactly.
            let unit = (random.next_u64() >> 40) as f32 / (1 << 24) as f32;
            (2.0 * unit - 1.0) * spread
        };
        let mut values = vec![0.0; shape.len()];
        for group in values[shape.rows()].chunks_exact_mut(FEATURES * LANES) {
            let (first, others) = group.split_at_mut(BUCKET_ROWS);
            first.fill_with(|| within(ROW_SPREAD));
            others.chunks_exact_mut(BUCKET_ROWS).for_each(|other| other.copy_from_slice(first));
        }
        values[shape.biases()].fill(BIAS_START);
        values[shape.outputs()].fill_with(|| within(1.0 / (2.0 * hidden as f32).sqrt()));
        Self { hidden, values }
    }

    /// Converts a network to parameters where an output of 1 counts `scale` centipawns, widened to
    /// `hidden` neurons. New neurons have random input weights and zero output weights, so the
    /// evaluation is unchanged.
    ///
    /// Panics: the network has more neurons than `hidden`.
    pub(super) fn of_network(weights: &Weights, hidden: usize, scale: f32, seed: u64) -> Self {
        let known = weights.hidden();
        assert!(known <= hidden, "a network of {known} neurons does not fit {hidden}");
        let mut parameters = Self::random(hidden, seed);
        let shape = parameters.shape();
        let values = &mut parameters.values;
        let fill = |into: &mut [f32], width: usize, from: &[i16], one: f32| {
            for (into, from) in into.chunks_exact_mut(width).zip(from.chunks_exact(known)) {
                for (value, &whole) in into.iter_mut().zip(from) {
                    *value = f32::from(whole) / one;
                }
            }
        };
        let stretch = weights.scale as f32 / scale;
        for (feature, row) in weights.rows.chunks_exact(known).enumerate() {
            for (neuron, &whole) in row.iter().enumerate() {
                values[Shape::row(feature, neuron)] = f32::from(whole) / HIDDEN_ONE as f32;
            }
        }
        fill(&mut values[shape.biases()], hidden, &weights.biases, HIDDEN_ONE as f32);
        values[shape.outputs()].fill(0.0);
        fill(&mut values[shape.outputs()], hidden, &weights.outputs, OUTPUT_ONE as f32 / stretch);
        for (value, &whole) in values[shape.output_biases()].iter_mut().zip(&weights.output_biases) {
            *value = whole as f32 / (HIDDEN_ONE * OUTPUT_ONE) as f32 * stretch;
        }
        for value in values.iter_mut() {
            *value = value.clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT);
        }
        parameters
    }

    pub(super) fn shape(&self) -> Shape {
        Shape { hidden: self.hidden }
    }

    /// Quantises the parameters. `scale` is the evaluation of an output of 1, in centipawns.
    pub(super) fn quantised(&self, scale: i32, manifest: [u8; 16]) -> Weights {
        let shape = self.shape();
        let round = |value: f32, one: i32| (value * one as f32).round() as i16;
        let whole = |range: std::ops::Range<usize>, one: i32| {
            self.values[range].iter().map(|&value| round(value, one)).collect()
        };
        let biases = &self.values[shape.output_biases()];
        Weights {
            rows: shape.rows_in_order().map(|place| round(self.values[place], HIDDEN_ONE)).collect(),
            biases: whole(shape.biases(), HIDDEN_ONE),
            outputs: whole(shape.outputs(), OUTPUT_ONE),
            output_biases: std::array::from_fn(|bucket| {
                (biases[bucket] * (HIDDEN_ONE * OUTPUT_ONE) as f32).round() as i32
            }),
            scale,
            manifest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto::eval::network::Network;

    #[test]
    fn seed_determines_the_weights() {
        let one = Parameters::random(64, 1);
        assert_eq!(one, Parameters::random(64, 1));
        assert_ne!(one, Parameters::random(64, 2));
        let shape = one.shape();
        assert!(one.values[shape.rows()].iter().all(|value| value.abs() <= ROW_SPREAD));
        let mean = one.values[shape.rows()].iter().sum::<f32>() / shape.rows().len() as f32;
        assert!(mean.abs() < 0.002, "{mean}");
    }

    #[test]
    fn network_keeps_its_evaluation_when_widened() {
        let scale = 200;
        let mut parameters = Parameters::random(64, 1);
        let biases = parameters.shape().output_biases();
        parameters.values[biases].fill(1.0);
        let weights = parameters.quantised(scale, [7; 16]);
        let network = |hidden: usize, scale: i32| {
            Parameters::of_network(&weights, hidden, scale as f32, 2).quantised(scale, [7; 16])
        };
        assert_eq!(network(64, scale), weights);
        let (one, wide) = (Network::new(&weights).unwrap(), Network::new(&network(128, scale)).unwrap());
        let other = Network::new(&network(64, 300)).unwrap();
        for fen in [
            "4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        ] {
            let position = stretto::position::Position::from_fen(fen).unwrap();
            let expected = one.evaluate(&position);
            assert_eq!(wide.evaluate(&position), expected);
            // Its output weights are rounded differently.
            assert!((other.evaluate(&position).0 - expected.0).abs() < 40, "{expected:?}");
        }
    }

    #[test]
    fn limit_weights_quantise_without_overflow() {
        let mut parameters = Parameters::random(64, 1);
        let shape = parameters.shape();
        parameters.values[shape.rows()].fill(WEIGHT_LIMIT);
        parameters.values[shape.biases()].fill(-WEIGHT_LIMIT);
        parameters.values[shape.outputs()].fill(-WEIGHT_LIMIT);
        let weights = parameters.quantised(400, [0; 16]);
        assert_eq!((weights.rows[0], weights.biases[0], weights.outputs[0]), (505, -505, -127));
        assert!(Network::new(&weights).is_ok());
    }
}
