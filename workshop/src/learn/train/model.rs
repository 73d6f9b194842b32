//! The floating-point network: parameters, initialisation and quantisation.

use anyhow::bail;
use stretto::eval::network::{
    BUCKETS, FEATURES, Fault, HIDDEN_ONE, KING_BUCKETS, Network, OUTPUT_ONE, Weights,
};

use stretto_harness::base::random::SplitMix64;

/// Weight limit that prevents overflow of the quantised sums of the first layer, and of a product in the second.
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

/// The weights of a network that training would cut at [`WEIGHT_LIMIT`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    pub(super) count: usize,
    /// Least scale that cuts none; infinite for weights of the first layer.
    least: f32,
}

impl Cut {
    /// Finds the weights that a scale would cut by more than they were rounded.
    fn find(weights: &Weights, scale: f32) -> Option<Self> {
        let share = |whole: f32, one: i32| (whole.abs() - 0.5) / (one as f32 * WEIGHT_LIMIT);
        let first = weights.rows.iter().chain(&weights.biases);
        let first = first.filter(|&&whole| share(whole.into(), HIDDEN_ONE) > 1.0).map(|_| f32::INFINITY);
        let outputs = weights.outputs.iter().map(|&whole| share(whole.into(), OUTPUT_ONE));
        let biases = weights.output_biases.map(|whole| share(whole as f32, HIDDEN_ONE * OUTPUT_ONE));
        let second = outputs.chain(biases).map(|share| share * weights.scale as f32);
        let cut: Vec<f32> = first.chain(second.filter(|&least| least > scale)).collect();
        let least = cut.iter().copied().fold(0.0, f32::max).ceil();
        (!cut.is_empty()).then_some(Self { count: cut.len(), least })
    }

    /// Returns what to do instead, after the word "expected".
    pub(super) fn expected(self) -> String {
        if self.least.is_finite() {
            format!("at least {}", self.least)
        } else {
            "a network with smaller weights in the first layer".to_owned()
        }
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
    /// Errors: weights would be cut.
    ///
    /// Panics: the network has more neurons than `hidden`.
    pub(super) fn of_network(weights: &Weights, hidden: usize, scale: f32, seed: u64) -> Result<Self, Cut> {
        if let Some(cut) = Cut::find(weights, scale) {
            return Err(cut);
        }
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
        Ok(parameters)
    }

    pub(super) fn shape(&self) -> Shape {
        Shape { hidden: self.hidden }
    }

    /// Returns the network of the parameters, in which an output of 1 counts `scale` centipawns. If its sums could
    /// overflow, its output weights are halved and its scale is doubled until they cannot.
    ///
    /// Errors: the weights are out of range even so.
    pub(super) fn network(&self, scale: i32, manifest: [u8; 16]) -> anyhow::Result<(Weights, Network)> {
        let mut factor = 1;
        loop {
            let weights = self.quantised(scale * factor, OUTPUT_ONE / factor, manifest);
            match Network::new(&weights) {
                Err(Fault::OutputOverflow { .. }) if factor < OUTPUT_ONE => factor *= 2,
                Ok(network) => return Ok((weights, network)),
                Err(fault) => bail!(
                    "cannot quantise the weights: {fault}; expected fewer neurons (`hidden`), a smaller `scale` or more `decay`"
                ),
            }
        }
    }

    /// Quantises the parameters, output weights in units of `1 / output_one`. `scale` is in centipawns.
    pub(super) fn quantised(&self, scale: i32, output_one: i32, manifest: [u8; 16]) -> Weights {
        let shape = self.shape();
        let round = |value: f32, one: i32| (value * one as f32).round() as i16;
        let whole = |range: std::ops::Range<usize>, one: i32| {
            self.values[range].iter().map(|&value| round(value, one)).collect()
        };
        let biases = &self.values[shape.output_biases()];
        Weights {
            rows: shape.rows_in_order().map(|place| round(self.values[place], HIDDEN_ONE)).collect(),
            biases: whole(shape.biases(), HIDDEN_ONE),
            outputs: whole(shape.outputs(), output_one),
            output_biases: std::array::from_fn(|bucket| {
                (biases[bucket] * (HIDDEN_ONE * output_one) as f32).round() as i32
            }),
            scale,
            manifest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let weights = parameters.quantised(scale, OUTPUT_ONE, [7; 16]);
        let network = |hidden: usize, scale: i32| {
            let parameters = Parameters::of_network(&weights, hidden, scale as f32, 2).unwrap();
            parameters.quantised(scale, OUTPUT_ONE, [7; 16])
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
        let weights = parameters.quantised(400, OUTPUT_ONE, [0; 16]);
        assert_eq!((weights.rows[0], weights.biases[0], weights.outputs[0]), (505, -505, -127));
        assert!(Network::new(&weights).is_ok());
    }

    #[test]
    fn scale_that_cuts_weights_is_an_error() {
        let mut weights = Parameters::random(64, 1).quantised(200, OUTPUT_ONE, [7; 16]);
        let of_network = |weights: &Weights, scale| Parameters::of_network(weights, 64, scale, 2);
        (weights.outputs[5], weights.outputs[6], weights.outputs[7]) = (127, -127, 90);
        assert_eq!(of_network(&weights, 150.0).unwrap_err(), Cut { count: 2, least: 200.0 });
        assert_eq!(of_network(&weights, 199.0).unwrap_err(), Cut { count: 2, least: 200.0 });
        assert_eq!(of_network(&weights, 200.0).unwrap().quantised(200, OUTPUT_ONE, [7; 16]), weights);
        weights.output_biases[3] = -(3 * HIDDEN_ONE * OUTPUT_ONE);
        assert_eq!(of_network(&weights, 200.0).unwrap_err(), Cut { count: 1, least: 304.0 });
        weights.rows[5] = 506;
        let cut = of_network(&weights, 200.0).unwrap_err();
        assert_eq!((cut.count, cut.least), (2, f32::INFINITY));
    }

    #[test]
    fn weights_whose_sums_would_overflow_have_a_larger_scale() {
        let mut parameters = Parameters::random(256, 1);
        let shape = parameters.shape();
        parameters.values[shape.rows()].fill(0.0);
        parameters.values[shape.biases()].fill(8.0 / HIDDEN_ONE as f32);
        parameters.values[shape.outputs()].fill(WEIGHT_LIMIT);
        parameters.values[shape.output_biases()].fill(0.5);
        let fault = Network::new(&parameters.quantised(200, OUTPUT_ONE, [0; 16])).unwrap_err();
        assert!(matches!(fault, Fault::OutputOverflow { .. }), "{fault}");
        let (weights, network) = parameters.network(200, [0; 16]).unwrap();
        assert_eq!((weights.scale, weights.outputs[0]), (400, 63));
        // 512 neurons of (8/255)², times 1.98, plus 0.5, times 200. The weights are 63/64 times 2.
        let score = network.evaluate(&stretto::position::Position::startpos()).0;
        assert!((297..=300).contains(&score), "{score}");
        // Many neurons with the largest weights.
        let shape = Shape { hidden: 1024 };
        let mut wide = Parameters { hidden: 1024, values: vec![WEIGHT_LIMIT; shape.len()] };
        wide.values[shape.rows()].fill(0.0);
        assert_eq!(wide.network(200, [0; 16]).unwrap().0.scale, 1600);
    }
}
