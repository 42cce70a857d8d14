//! Times and lengths of many pairs.

use crate::{
    find::{Matrix, NotFound, RouteOptions, cost::Rules},
    graph::Graph,
    network::Point,
    source::Source,
};

impl<S: Source> Graph<S> {
    /// Times and lengths from each of `origins` to each of `destinations`.
    ///
    /// # Errors
    /// When the file cannot be read; a pair that is too far apart, or with a place outside, is empty.
    pub fn matrix(
        &self,
        origins: &[Point],
        destinations: &[Point],
        options: &RouteOptions,
    ) -> Result<Matrix, NotFound> {
        let rules = Rules::new(options, self.drives_on_left());
        let mut rows = Vec::with_capacity(origins.len());
        for &origin in origins {
            let mut row = Vec::with_capacity(destinations.len());
            for &destination in destinations {
                self.trim();
                row.push(match self.best(origin, destination, &rules) {
                    Ok((_, _, path)) => {
                        let found = self.sums(&path, &rules)?;
                        Some(found)
                    }
                    Err(NotFound::Unreadable(why)) => return Err(NotFound::Unreadable(why)),
                    Err(_) => None,
                });
            }
            rows.push(row);
        }
        Ok(Matrix { rows })
    }
}
