//! No less than what is still to go: by the times to landmarks, or as the crow flies.

use crate::{
    file::{
        header::point,
        nodes::{LANDMARK_MS, Nodes, UNKNOWN},
    },
    find::{Mode, cost::Rules, pages::NEVER},
    graph::Graph,
    network::Point,
    source::{Source, SourceError},
};

/// Goals of one side of a search, and how they are kept.
#[derive(Debug)]
pub(super) struct Bounds {
    goals: Vec<Goal>,
    /// Whether it is the time to the goals, and not from them.
    to: bool,
    /// What a metre as the crow flies costs at least, where that gives the better bound.
    pace: Option<f64>,
    /// Whether landmarks tell which goals cars cannot come to.
    landmarks: bool,
}

#[derive(Debug)]
struct Goal {
    at: Point,
    landmarks: Vec<(u32, u32)>,
}

impl Bounds {
    /// Of what it costs from a junction to the nearest of `nodes`.
    pub(super) fn to<S: Source>(
        graph: &Graph<S>,
        rules: &Rules,
        nodes: &[u32],
    ) -> Result<Self, SourceError> {
        Self::new(graph, rules, nodes, true)
    }

    /// Of what it costs from the nearest of `nodes` to a junction.
    pub(super) fn from<S: Source>(
        graph: &Graph<S>,
        rules: &Rules,
        nodes: &[u32],
    ) -> Result<Self, SourceError> {
        Self::new(graph, rules, nodes, false)
    }

    fn new<S: Source>(
        graph: &Graph<S>,
        rules: &Rules,
        nodes: &[u32],
        to: bool,
    ) -> Result<Self, SourceError> {
        let mut goals = Vec::with_capacity(nodes.len());
        for &node in nodes {
            let (block, index) = graph.node(node)?;
            let (lat, lng) = block.at[index];
            let landmarks = graph.header.landmarks as usize;
            let times = &block.landmarks[index * landmarks..(index + 1) * landmarks];
            goals.push(Goal { at: point(lat, lng), landmarks: times.to_vec() });
        }
        let pace = rules.crow_cost(&graph.header.crow);
        Ok(Self { goals, to, pace, landmarks: rules.mode == Mode::Drive })
    }

    /// For one junction; [`NEVER`] where no route can lead to (from) any goal.
    pub(super) fn at(&self, nodes: &Nodes, index: usize) -> u32 {
        let bound = if self.landmarks { self.by_landmarks(nodes, index) } else { 0 };
        if let Some(pace) = self.pace
            && bound != NEVER
        {
            let (lat, lng) = nodes.at[index];
            let here = point(lat, lng);
            let metres = self.goals.iter().map(|it| it.at.metres_to(here)).fold(f64::MAX, f64::min);
            return (metres * pace) as u32;
        }
        bound
    }

    fn by_landmarks(&self, nodes: &Nodes, index: usize) -> u32 {
        let landmarks = nodes.landmarks.len() / nodes.at.len().max(1);
        let here = &nodes.landmarks[index * landmarks..(index + 1) * landmarks];
        let least = self.goals.iter().map(|it| it.bound(here, self.to)).min();
        match least {
            None | Some(NEVER) => least.unwrap_or(0),
            Some(steps) => steps.saturating_mul(LANDMARK_MS),
        }
    }
}

impl Goal {
    fn bound(&self, here: &[(u32, u32)], to: bool) -> u32 {
        let mut most = 0;
        for (goal, here) in self.landmarks.iter().zip(here) {
            let (begin, end) = if to { (here, goal) } else { (goal, here) };
            // From the landmark to the end it is no farther than over the beginning …
            if end.0 != UNKNOWN && begin.0 != UNKNOWN {
                most = most.max(end.0.saturating_sub(begin.0));
            } else if begin.0 != UNKNOWN {
                // … so a search that reaches the beginning and not the end finds no route between.
                return NEVER;
            }
            if end.1 != UNKNOWN && begin.1 != UNKNOWN {
                most = most.max(begin.1.saturating_sub(end.1));
            } else if end.1 != UNKNOWN {
                return NEVER;
            }
        }
        most
    }
}
