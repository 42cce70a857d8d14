//! Export of a route: GPX 1.1 and GeoJSON.

use std::fmt::Write;

use output::navigation::{Route, RouteDetails};
use serde_json::{Value, json};

use crate::browser;
use crate::families::navigation::line::Point;
use crate::page::page;
use crate::text::Key;

/// Maximum number of characters of a file name without extension.
const NAME_MAX: usize = 60;
/// Maximum number of steps written.
const STEPS_MAX: usize = 2_000;

/// The exported data of a route.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ExportedRoute {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) summary: String,
    pub(crate) line: Vec<Point>,
    /// Position and instruction of each step, in order.
    pub(crate) steps: Vec<(Point, String)>,
    pub(crate) metres: u64,
    pub(crate) seconds: u64,
    /// Attribution of the data.
    pub(crate) attribution: String,
}

impl ExportedRoute {
    /// A route between two ends, with steps at the positions of its details.
    pub(crate) fn new(
        route: &Route,
        details: Option<&RouteDetails>,
        line: &[Point],
        (from, to): (&str, &str),
        attribution: &str,
    ) -> Self {
        let at = details.map(|it| it.steps_at.as_slice()).unwrap_or_default();
        let steps = route.steps.iter().zip(at).filter_map(|(step, at)| {
            Some((*line.get(usize::try_from(*at).ok()?)?, step.instruction.clone()))
        });
        Self {
            from: from.to_owned(),
            to: to.to_owned(),
            summary: route.summary.clone(),
            line: line.to_vec(),
            steps: steps.take(STEPS_MAX).collect(),
            metres: route.distance.value,
            seconds: route.duration_in_traffic.as_ref().unwrap_or(&route.duration).value,
            attribution: attribution.to_owned(),
        }
    }

    fn title(&self) -> String {
        [self.from.as_str(), self.to.as_str()].join(" → ")
    }

    /// Saves it as GPX or GeoJSON.
    pub(crate) fn save(&self, is_gpx: bool) {
        let (ending, mime, text) = match is_gpx {
            true => ("gpx", "application/gpx+xml", self.gpx()),
            false => ("geojson", "application/geo+json", self.geo_json()),
        };
        if browser::download(&self.file_name(ending), text.as_bytes(), mime).is_ok() {
            page().announce_key(Key::RouteSaved);
        }
    }

    /// The file's name: `route-東京駅-横浜駅.gpx`.
    fn file_name(&self, ending: &str) -> String {
        let plain = |name: &str| {
            let is_plain = |it: char| it.is_alphanumeric() || it == '-' || it == '_';
            let name: String = name.chars().map(|it| if is_plain(it) { it } else { '-' }).collect();
            let parts = name.split('-').filter(|it| !it.is_empty()).collect::<Vec<_>>();
            parts.join("-").chars().take(NAME_MAX / 2).collect::<String>()
        };
        let parts = ["route".to_owned(), plain(&self.from), plain(&self.to)];
        let parts = parts.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
        format!("{}.{ending}", parts.join("-"))
    }

    /// GPX 1.1: the steps as a route announced by a device, the line as a track to follow.
    fn gpx(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <gpx version=\"1.1\" creator=\"Madoguchi\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n",
        );
        let (title, summary) = (escaped(&self.title()), escaped(&self.summary));
        let _ = writeln!(text, "  <metadata><name>{title}</name><desc>{summary}</desc></metadata>");
        if !self.steps.is_empty() {
            let _ = writeln!(
                text,
                "  <rte><name>{title}</name><src>{}</src>",
                escaped(&self.attribution)
            );
            for ((lat, lng), step) in &self.steps {
                let step = escaped(step);
                let _ = writeln!(
                    text,
                    "    <rtept lat=\"{lat:.5}\" lon=\"{lng:.5}\"><desc>{step}</desc></rtept>"
                );
            }
            text.push_str("  </rte>\n");
        }
        let _ = writeln!(
            text,
            "  <trk><name>{title}</name><src>{}</src><trkseg>",
            escaped(&self.attribution)
        );
        for (lat, lng) in &self.line {
            let _ = writeln!(text, "    <trkpt lat=\"{lat:.5}\" lon=\"{lng:.5}\"/>");
        }
        text.push_str("  </trkseg></trk>\n</gpx>\n");
        text
    }

    /// A `FeatureCollection`: the line, and a point per step.
    fn geo_json(&self) -> String {
        let place = |(lat, lng): &Point| json!([rounded(*lng), rounded(*lat)]);
        let line = json!({
            "type": "Feature",
            "properties": {
                "name": self.title(),
                "from": self.from,
                "to": self.to,
                "summary": self.summary,
                "distance_m": self.metres,
                "duration_s": self.seconds,
                "attribution": self.attribution,
            },
            "geometry": {
                "type": "LineString",
                "coordinates": self.line.iter().map(place).collect::<Vec<_>>(),
            },
        });
        let step = |(number, (at, text)): (usize, &(Point, String))| {
            json!({
                "type": "Feature",
                "properties": { "step": number + 1, "instruction": text },
                "geometry": { "type": "Point", "coordinates": place(at) },
            })
        };
        let steps = self.steps.iter().enumerate().map(step);
        let features: Vec<Value> = std::iter::once(line).chain(steps).collect();
        json!({ "type": "FeatureCollection", "features": features }).to_string()
    }
}

/// Rounds to the precision of an encoded line.
fn rounded(degrees: f64) -> f64 {
    (degrees * 1e5).round() / 1e5
}

/// Escapes text for XML 1.0; characters that XML cannot contain are removed.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            it if it.is_control() && u32::from(it) < 0x20 => {}
            it => escaped.push(it),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use output::navigation::{Measure, Step};

    use super::*;

    fn exported() -> ExportedRoute {
        let measure = |value| Measure { text: String::new(), value };
        let step = |text: &str| Step { instruction: text.to_owned(), ..Step::default() };
        let route = Route {
            summary: "A <b>&\"road\"".to_owned(),
            distance: measure(32_400),
            duration: measure(2_000),
            duration_in_traffic: Some(measure(2_500)),
            steps: vec![step("右折 & 直進"), step("到着\u{1}]]>"), step("nowhere")],
            ..Route::default()
        };
        let details = RouteDetails { steps_at: vec![0, 2, 99], ..RouteDetails::default() };
        let line = [(35.681_236, 139.767_128), (35.6, 139.7), (35.465_8, 139.622_3)];
        ExportedRoute::new(&route, Some(&details), &line, ("東京駅", "横浜/駅 \"west\""), "© A & B")
    }

    /// Checks the output of `gpx`: elements are paired or closed, and text is escaped.
    fn check_xml(text: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").unwrap();
        while let Some(begin) = rest.find('<') {
            assert!(!rest[..begin].contains('>'), "{}", &rest[..begin]);
            let end = begin + rest[begin..].find('>').unwrap();
            let tag = &rest[begin + 1..end];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap());
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty() && rest.trim().is_empty());
        let entities = text.split('&').skip(1).map(|it| it.split(';').next().unwrap());
        assert!(entities.into_iter().all(|it| ["amp", "lt", "gt", "quot", "apos"].contains(&it)));
        assert!(!text.contains('\u{1}'));
    }

    /// Every string is text.
    #[test]
    fn gpx_has_track_route_and_escaped_text() {
        let gpx = exported().gpx();
        check_xml(&gpx);
        assert_eq!(gpx.matches("<trkpt ").count(), 3);
        assert_eq!(gpx.matches("<rtept ").count(), 2, "a step that is nowhere is left out");
        assert!(gpx.contains("lat=\"35.68124\" lon=\"139.76713\""), "{gpx}");
        assert!(gpx.contains("<desc>右折 &amp; 直進</desc>"));
        assert!(gpx.contains("A &lt;b&gt;&amp;&quot;road&quot;"));
        assert!(gpx.contains("<src>© A &amp; B</src>"));
    }

    #[test]
    fn geojson_has_longitude_first_and_route_properties() {
        let value: Value = serde_json::from_str(&exported().geo_json()).unwrap();
        let features = value["features"].as_array().unwrap();
        assert_eq!(features.len(), 3);
        assert_eq!(features[0]["geometry"]["coordinates"][0], json!([139.76713, 35.68124]));
        assert_eq!(features[0]["properties"]["distance_m"], 32_400);
        assert_eq!(features[0]["properties"]["duration_s"], 2_500, "as it is in traffic");
        assert_eq!(features[2]["properties"], json!({ "step": 2, "instruction": "到着\u{1}]]>" }));
        assert_eq!(features[2]["geometry"]["coordinates"], json!([139.6223, 35.4658]));
    }

    #[test]
    fn file_name_has_both_ends_and_no_path() {
        assert_eq!(exported().file_name("gpx"), "route-東京駅-横浜-駅-west.gpx");
        let exported = ExportedRoute {
            from: "../../etc".to_owned(),
            to: "a".repeat(500),
            ..ExportedRoute::default()
        };
        let name = exported.file_name("geojson");
        assert!(name.starts_with("route-etc-aaa") && name.chars().count() < 80, "{name}");
        assert_eq!(ExportedRoute::default().file_name("gpx"), "route.gpx");
    }

    #[test]
    fn exports_line_alone_without_details() {
        let route = Route { steps: vec![Step::default()], ..Route::default() };
        let exported = ExportedRoute::new(&route, None, &[(35.0, 139.0)], ("", ""), "");
        assert!(exported.steps.is_empty());
        let gpx = exported.gpx();
        check_xml(&gpx);
        assert!(!gpx.contains("<rte>") && gpx.contains("<trkpt "));
    }
}
