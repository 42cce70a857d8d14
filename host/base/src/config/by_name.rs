//! Reads tables by the names of their entries alone. Serde would also take a list in a table's place, by position, so
//! that `rate = [5, 10]` says something that the file does not.

use serde::{
    Deserializer,
    de::{DeserializeSeed, EnumAccess, Error, MapAccess, SeqAccess, Unexpected, Visitor},
    forward_to_deserialize_any,
};

/// Entries that an error names of a table.
const SHOWN_MAX: usize = 4;

/// A deserializer, seed, visitor or access whose tables are read by name.
pub(super) struct ByName<T> {
    inner: T,
    /// The entries of the table that is wanted, where one is.
    entries: Option<&'static [&'static str]>,
}

impl<T> ByName<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, entries: None }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ByName<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(ByName::new(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(ByName::new(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_newtype_struct(name, ByName::new(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = ByName { inner: visitor, entries: Some(fields) };
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_enum(name, variants, ByName::new(visitor))
    }

    forward_to_deserialize_any! {
        bool u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ByName<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.expecting(formatter)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, all: A) -> Result<V::Value, A::Error> {
        match self.entries {
            Some(entries) => {
                let named: Vec<_> =
                    entries.iter().take(SHOWN_MAX).map(|it| format!("{it} = …")).collect();
                let more = if entries.len() > SHOWN_MAX { ", …" } else { "" };
                let right = format!("a table: {{ {}{more} }}", named.join(", "));
                Err(Error::invalid_type(Unexpected::Seq, &right.as_str()))
            }
            None => self.inner.visit_seq(ByName::new(all)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, all: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(ByName::new(all))
    }

    fn visit_some<D: Deserializer<'de>>(self, one: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(ByName::new(one))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, one: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(ByName::new(one))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, one: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(one)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.inner.visit_bool(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        self.inner.visit_i64(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        self.inner.visit_u64(value)
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<V::Value, E> {
        self.inner.visit_i128(value)
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<V::Value, E> {
        self.inner.visit_u128(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        self.inner.visit_f64(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<V::Value, E> {
        self.inner.visit_str(value)
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<V::Value, E> {
        self.inner.visit_borrowed_str(value)
    }

    fn visit_string<E: Error>(self, value: String) -> Result<V::Value, E> {
        self.inner.visit_string(value)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ByName<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, one: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(ByName::new(one))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for ByName<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        self.inner.next_element_seed(ByName::new(seed))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ByName<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.inner.next_value_seed(ByName::new(seed))
    }
}
