//! Finds map features in a tool's output: GeoJSON, or any object with a latitude and a longitude.

use serde_json::{Map, Value, json};

/// Maximum number of features, and maximum depth of the search.
const FEATURES_MAX: usize = 500;
const DEPTH_MAX: usize = 6;

/// Drawable features: a GeoJSON `FeatureCollection` whose features may have a `title`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Features(pub(crate) Value);

/// Returns the features in a value, if there are any.
pub(crate) fn find(value: &Value) -> Option<Features> {
    let mut features = Vec::new();
    collect(value, None, 0, &mut features);
    features.truncate(FEATURES_MAX);
    let collection = json!({ "type": "FeatureCollection", "features": features });
    (!features.is_empty()).then_some(Features(collection))
}

impl Features {
    /// Titles of the features, as a text alternative to the map.
    pub(crate) fn titles(&self) -> Vec<String> {
        let features = self.0["features"].as_array().into_iter().flatten();
        let title = |it: &Value| it["properties"]["title"].as_str().map(str::to_owned);
        features.filter_map(title).collect()
    }
}

fn collect(
    value: &Value,
    around: Option<&Map<String, Value>>,
    depth: usize,
    found: &mut Vec<Value>,
) {
    if depth > DEPTH_MAX || found.len() >= FEATURES_MAX {
        return;
    }
    match value {
        Value::Object(object) => {
            if let Some(feature) = feature(object, around) {
                found.push(feature);
                return;
            }
            for inner in object.values() {
                collect(inner, Some(object), depth + 1, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(item, around, depth + 1, found);
            }
        }
        _ => {}
    }
}

/// Parses an object that is a feature, a geometry, or a point by its coordinates.
fn feature(object: &Map<String, Value>, around: Option<&Map<String, Value>>) -> Option<Value> {
    let title = title(object).or_else(|| title(around?)).unwrap_or_default();
    let geometry = if object.get("type").is_some_and(|it| it == "Feature") {
        let own = object.get("properties").and_then(Value::as_object).and_then(self::title);
        let geometry = object.get("geometry").and_then(Value::as_object).and_then(geometry)?;
        return Some(feature_of(&geometry, &own.unwrap_or(title)));
    } else {
        geometry(object).or_else(|| point(object))?
    };
    Some(feature_of(&geometry, &title))
}

fn feature_of(geometry: &Value, title: &str) -> Value {
    json!({ "type": "Feature", "properties": { "title": title }, "geometry": geometry })
}

/// Parses a GeoJSON geometry whose coordinates are on the globe.
fn geometry(object: &Map<String, Value>) -> Option<Value> {
    const KINDS: [&str; 6] =
        ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"];
    let kind = object.get("type")?.as_str()?;
    let coordinates = object.get("coordinates")?;
    // Nesting of coordinates: a point has one level, a line two, a polygon three.
    let levels = match kind {
        "Point" => 0,
        "MultiPoint" | "LineString" => 1,
        "MultiLineString" | "Polygon" => 2,
        _ => 3,
    };
    let is_good = KINDS.contains(&kind) && is_on_globe(coordinates, levels);
    is_good.then(|| json!({ "type": kind, "coordinates": coordinates }))
}

fn is_on_globe(coordinates: &Value, levels: usize) -> bool {
    let Some(items) = coordinates.as_array() else { return false };
    if levels > 0 {
        return !items.is_empty() && items.iter().all(|it| is_on_globe(it, levels - 1));
    }
    let number = |index: usize| items.get(index).and_then(Value::as_f64);
    matches!((number(0), number(1)), (Some(lng), Some(lat)) if in_range(lat, lng))
}

fn in_range(lat: f64, lng: f64) -> bool {
    lat.abs() <= 90.0 && lng.abs() <= 180.0
}

/// Parses `{lat, lng}` and its variants.
fn point(object: &Map<String, Value>) -> Option<Value> {
    let number = |names: &[&str]| names.iter().find_map(|it| object.get(*it)?.as_f64());
    let lat = number(&["lat", "latitude"])?;
    let lng = number(&["lng", "lon", "long", "longitude"])?;
    in_range(lat, lng).then(|| json!({ "type": "Point", "coordinates": [lng, lat] }))
}

fn title(object: &Map<String, Value>) -> Option<String> {
    let names = ["title", "name", "label", "display_name", "address"];
    names.iter().find_map(|it| object.get(*it)?.as_str()).map(|it| it.chars().take(80).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_take_the_enclosing_name() {
        let value = json!({ "cinemas": [
            { "name": "みなと座", "location": { "lat": 35.45, "lng": 139.63 } },
            { "name": "Nowhere", "location": { "lat": 135.0, "lng": 139.0 } },
        ] });
        let features = find(&value).unwrap();
        assert_eq!(features.titles(), ["みなと座"]);
        let coordinates = &features.0["features"][0]["geometry"]["coordinates"];
        assert_eq!(*coordinates, json!([139.63, 35.45]));
    }

    #[test]
    fn finds_geojson_at_any_depth() {
        let line = json!({ "type": "LineString", "coordinates": [[139.7, 35.6], [139.6, 35.4]] });
        let value = json!({ "route": { "type": "FeatureCollection", "features": [
            { "type": "Feature", "properties": { "name": "Way" }, "geometry": line } ] } });
        let features = find(&value).unwrap();
        assert_eq!(features.0["features"][0]["geometry"], line);
        assert_eq!(features.titles(), ["Way"]);
    }

    #[test]
    fn draws_no_map_of_broken_geometry_or_plain_data() {
        assert_eq!(find(&json!({ "movies": [{ "title": "A", "rating": 4.5 }] })), None);
        assert_eq!(find(&json!({ "type": "Polygon", "coordinates": [[1, 2], [3, 4]] })), None);
        assert_eq!(find(&json!({ "type": "Point", "coordinates": [1000, 2] })), None);
        assert_eq!(find(&json!({ "type": "Point", "coordinates": "x" })), None);
    }
}
