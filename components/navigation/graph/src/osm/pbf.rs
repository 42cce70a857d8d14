//! Writes small extracts for tests, wrong ones too: the format is four messages of protobuf.

use tempfile::NamedTempFile;

/// An extract in the making.
#[derive(Default)]
pub(super) struct Pbf {
    strings: Vec<String>,
    group: Vec<u8>,
    wants: Vec<&'static str>,
}

impl Pbf {
    /// A street plan: nodes of these ids and places.
    pub(super) fn nodes(mut self, nodes: &[(i64, f64, f64)]) -> Self {
        for (id, lat, lng) in nodes {
            self = self.node(*id, *lat, *lng, &[]);
        }
        self
    }

    pub(super) fn node(mut self, id: i64, lat: f64, lng: f64, tags: &[(&str, &str)]) -> Self {
        let mut node = Vec::new();
        number(&mut node, 1, zigzag(id));
        self.tags(&mut node, tags);
        number(&mut node, 8, zigzag((lat * 1e7).round() as i64));
        number(&mut node, 9, zigzag((lng * 1e7).round() as i64));
        bytes(&mut self.group, 1, &node);
        self
    }

    pub(super) fn way(mut self, id: i64, refs: &[i64], tags: &[(&str, &str)]) -> Self {
        let mut way = Vec::new();
        number(&mut way, 1, id.cast_unsigned());
        self.tags(&mut way, tags);
        let mut last = 0_i64;
        let deltas =
            refs.iter().map(|it| zigzag(it.wrapping_sub(std::mem::replace(&mut last, *it))));
        bytes(&mut way, 8, &packed(deltas));
        bytes(&mut self.group, 3, &way);
        self
    }

    /// Members are a role, a kind (0 node, 1 way) and an id.
    pub(super) fn relation(
        mut self,
        id: i64,
        members: &[(&str, u64, i64)],
        tags: &[(&str, &str)],
    ) -> Self {
        let mut relation = Vec::new();
        number(&mut relation, 1, id.cast_unsigned());
        self.tags(&mut relation, tags);
        let roles: Vec<u64> = members.iter().map(|(role, _, _)| self.string(role)).collect();
        bytes(&mut relation, 8, &packed(roles.into_iter()));
        let mut last = 0_i64;
        let deltas =
            members.iter().map(|it| zigzag(it.2.wrapping_sub(std::mem::replace(&mut last, it.2))));
        bytes(&mut relation, 9, &packed(deltas));
        bytes(&mut relation, 10, &packed(members.iter().map(|it| it.1)));
        bytes(&mut self.group, 4, &relation);
        self
    }

    /// Claims that a reader must understand this.
    pub(super) fn wants(mut self, feature: &'static str) -> Self {
        self.wants.push(feature);
        self
    }

    fn tags(&mut self, element: &mut Vec<u8>, tags: &[(&str, &str)]) {
        let keys: Vec<u64> = tags.iter().map(|it| self.string(it.0)).collect();
        let values: Vec<u64> = tags.iter().map(|it| self.string(it.1)).collect();
        bytes(element, 2, &packed(keys.into_iter()));
        bytes(element, 3, &packed(values.into_iter()));
    }

    fn string(&mut self, text: &str) -> u64 {
        let found = self.strings.iter().position(|it| it == text);
        let index = found.unwrap_or_else(|| {
            self.strings.push(text.to_owned());
            self.strings.len() - 1
        });
        // The first string of a table is never used.
        index as u64 + 1
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut header = Vec::new();
        for feature in ["OsmSchema-V0.6"].iter().chain(&self.wants) {
            bytes(&mut header, 4, feature.as_bytes());
        }
        let mut table = Vec::new();
        bytes(&mut table, 1, b"");
        for string in &self.strings {
            bytes(&mut table, 1, string.as_bytes());
        }
        let mut block = Vec::new();
        bytes(&mut block, 1, &table);
        bytes(&mut block, 2, &self.group);
        let mut file = blob("OSMHeader", &header);
        file.extend(blob("OSMData", &block));
        file
    }

    /// Writes the file.
    pub(super) fn file(&self) -> NamedTempFile {
        file(&self.bytes())
    }
}

/// A file of that content.
pub(super) fn file(content: &[u8]) -> NamedTempFile {
    let file = tempfile::Builder::new().suffix(".osm.pbf").tempfile().unwrap();
    std::fs::write(file.path(), content).unwrap();
    file
}

fn blob(kind: &str, content: &[u8]) -> Vec<u8> {
    let mut blob = Vec::new();
    bytes(&mut blob, 1, content);
    let mut header = Vec::new();
    bytes(&mut header, 1, kind.as_bytes());
    number(&mut header, 3, blob.len() as u64);
    let mut all = u32::try_from(header.len()).unwrap().to_be_bytes().to_vec();
    all.extend(header);
    all.extend(blob);
    all
}

fn number(to: &mut Vec<u8>, field: u8, value: u64) {
    to.push(field << 3);
    varint(to, value);
}

fn bytes(to: &mut Vec<u8>, field: u8, value: &[u8]) {
    to.push(field << 3 | 2);
    varint(to, value.len() as u64);
    to.extend(value);
}

fn packed(values: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut all = Vec::new();
    values.for_each(|it| varint(&mut all, it));
    all
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}
