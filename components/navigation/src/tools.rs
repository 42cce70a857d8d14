//! The tools, in the order in which a user meets them.

mod compare;
mod geocode;
mod search;

pub use compare::DistanceCompare;
pub use geocode::Geocode;
pub use search::RouteSearch;

toolkit::export_tools!(RouteSearch, DistanceCompare, Geocode);
