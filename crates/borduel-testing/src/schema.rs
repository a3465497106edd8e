//! JSON Schema, so much of it as `docs/schemas` uses, and stricter: a key that a schema does not name is an error.

use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The schemas of a folder, and which of the keys that they describe have been met.
pub struct Schemas {
    files: BTreeMap<String, Value>,
    met: RefCell<BTreeSet<String>>,
}

/// A schema within a file: the file's name, the path in it, and what stands there.
#[derive(Clone, Copy)]
struct At<'a> {
    file: &'a str,
    path: &'a str,
    schema: &'a Value,
}

/// The keywords that are understood; `$schema`, `title` and `description` ask for nothing.
const KEYWORDS: [&str; 19] = [
    "$schema",
    "$defs",
    "$ref",
    "title",
    "description",
    "type",
    "const",
    "enum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "oneOf",
    "anyOf",
];

impl Schemas {
    /// Those of this folder.
    pub fn read(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let schema = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path.file_name().unwrap().to_string_lossy().into_owned(), schema)
        });
        Self { files: files.collect(), met: RefCell::default() }
    }

    /// What the schemas say of themselves, by their files.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.files.iter().map(|(name, schema)| (name.as_str(), schema))
    }

    /// Holds a value against the schema of this file.
    pub fn hold(&self, file: &str, value: &Value) -> Result<(), String> {
        let (file, schema) = self.files.get_key_value(file).ok_or_else(|| format!("there is no {file}"))?;
        self.whole(At { file, path: "", schema }, value, "")
    }

    /// The keys that are described and were in no value so far.
    pub fn never_met(&self) -> BTreeSet<String> {
        fn described(path: &str, schema: &Value, found: &mut BTreeSet<String>) {
            match schema {
                Value::Object(map) => map.iter().for_each(|(key, value)| {
                    let here = format!("{path}/{key}");
                    if path.ends_with("/properties") {
                        found.insert(here.clone());
                    }
                    described(&here, value, found);
                }),
                Value::Array(list) => {
                    (0..).zip(list).for_each(|(at, value)| described(&format!("{path}/{at}"), value, found));
                }
                _ => {}
            }
        }
        let mut found = BTreeSet::new();
        self.files().for_each(|(file, schema)| described(&format!("{file}#"), schema, &mut found));
        &found - &self.met.borrow()
    }

    /// A value and all of its keys.
    fn whole(&self, at: At<'_>, value: &Value, place: &str) -> Result<(), String> {
        let (mut named, mut met) = (BTreeSet::new(), BTreeSet::new());
        self.part(at, value, place, &mut named, &mut met)?;
        if let Some(unknown) = value.as_object().and_then(|map| map.keys().find(|key| !named.contains(*key))) {
            return Err(format!("{place}/{unknown} is not described in {}#{}", at.file, at.path));
        }
        self.met.borrow_mut().extend(met);
        Ok(())
    }

    /// A value against one schema, which names some of its keys.
    fn part(
        &self,
        at: At<'_>,
        value: &Value,
        place: &str,
        named: &mut BTreeSet<String>,
        met: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let At { file, path, schema } = at;
        let wrong = |what: &str| Err(format!("{place} {what}: {}", brief(value)));
        let rules = schema.as_object().ok_or_else(|| format!("{file}#{path} is no schema"))?;
        if let Some(odd) = rules.keys().find(|key| !KEYWORDS.contains(&key.as_str()) && *key != "allOf") {
            return Err(format!("{file}#{path}: the keyword {odd} is not understood here"));
        }
        let within = |key: &str| format!("{path}/{key}");
        if let Some(reference) = rules.get("$ref").and_then(Value::as_str) {
            self.part(self.referred(file, reference)?, value, place, named, met)?;
        }
        for (number, all) in (0..).zip(list(rules, "allOf")) {
            self.part(At { file, path: &within(&format!("allOf/{number}")), schema: all }, value, place, named, met)?;
        }
        if let Some(types) = rules.get("type") {
            let known = types.as_array().map_or_else(|| vec![types], |types| types.iter().collect());
            if !known.iter().any(|name| is(value, name.as_str().unwrap_or_default())) {
                return wrong(&format!("is no {types}"));
            }
        }
        if rules.get("const").is_some_and(|only| only != value) {
            return wrong(&format!("is not {}", rules["const"]));
        }
        if rules.contains_key("enum") && !list(rules, "enum").any(|one| one == value) {
            return wrong("is none of those listed");
        }
        let (least, most) = (rules.get("minimum"), rules.get("maximum"));
        if let Some(number) = value.as_f64() {
            let limit = |bound: Option<&Value>| bound.and_then(Value::as_f64);
            if limit(least).is_some_and(|least| number < least) || limit(most).is_some_and(|most| number > most) {
                return wrong("lies outside of its limits");
            }
        }
        match value {
            Value::Object(map) => self.keys(at, rules, map, place, named, met)?,
            Value::Array(values) => self.elements(at, rules, values, place)?,
            _ => {}
        }
        for (word, exactly_one) in [("oneOf", true), ("anyOf", false)] {
            if rules.contains_key(word) {
                self.choice((at, word, exactly_one), value, place, named, met)?;
            }
        }
        Ok(())
    }

    /// One of several schemas; of `oneOf` no more than one.
    fn choice(
        &self,
        (At { file, path, schema }, word, exactly_one): (At<'_>, &str, bool),
        value: &Value,
        place: &str,
        named: &mut BTreeSet<String>,
        met: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let (mut fitting, mut why) = (0, Vec::new());
        for (number, one) in (0..).zip(schema[word].as_array().into_iter().flatten()) {
            let (mut names, mut keys) = (named.clone(), met.clone());
            let path = format!("{path}/{word}/{number}");
            match self.part(At { file, path: &path, schema: one }, value, place, &mut names, &mut keys) {
                Ok(()) => {
                    fitting += 1;
                    (*named, *met) = (names, keys);
                }
                Err(reason) => why.push(reason),
            }
        }
        match fitting {
            0 => Err(format!("{place} fits none of {file}#{path}/{word}: {}", why.join(" | "))),
            1 => Ok(()),
            _ if exactly_one => Err(format!("{place} fits {fitting} of {file}#{path}/oneOf")),
            _ => Ok(()),
        }
    }

    fn keys(
        &self,
        At { file, path, schema }: At<'_>,
        rules: &Map<String, Value>,
        map: &Map<String, Value>,
        place: &str,
        named: &mut BTreeSet<String>,
        met: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        if let Some(missing) = list(rules, "required").filter_map(Value::as_str).find(|key| !map.contains_key(*key)) {
            return Err(format!("{place} lacks {missing}, which {file}#{path} requires"));
        }
        for (key, value) in map {
            let own = schema["properties"].get(key);
            let path =
                if own.is_some() { format!("{path}/properties/{key}") } else { format!("{path}/additionalProperties") };
            match own.or_else(|| rules.get("additionalProperties")) {
                None => continue,
                Some(Value::Bool(true)) => {}
                Some(Value::Bool(false)) => return Err(format!("{place}/{key} may not be there")),
                Some(schema) => self.whole(At { file, path: &path, schema }, value, &format!("{place}/{key}"))?,
            }
            named.insert(key.clone());
            met.insert(format!("{file}#{path}"));
        }
        Ok(())
    }

    fn elements(
        &self,
        At { file, path, schema }: At<'_>,
        rules: &Map<String, Value>,
        values: &[Value],
        place: &str,
    ) -> Result<(), String> {
        let bound = |key: &str| rules.get(key).and_then(Value::as_u64);
        let count = values.len() as u64;
        if bound("minItems").is_some_and(|least| count < least) || bound("maxItems").is_some_and(|most| count > most) {
            return Err(format!("{place} has {count} elements"));
        }
        let first: Vec<&Value> = list(rules, "prefixItems").collect();
        for (number, value) in values.iter().enumerate() {
            let (schema, part) = match first.get(number) {
                Some(schema) => (*schema, format!("prefixItems/{number}")),
                None if rules.contains_key("items") => (&schema["items"], "items".to_owned()),
                None => continue,
            };
            self.whole(At { file, path: &format!("{path}/{part}"), schema }, value, &format!("{place}/{number}"))?;
        }
        Ok(())
    }

    fn referred<'a>(&'a self, file: &'a str, reference: &'a str) -> Result<At<'a>, String> {
        let (other, path) = reference.split_once('#').unwrap_or((reference, ""));
        let file = if other.is_empty() { file } else { other };
        let schema = self.files.get(file).and_then(|schema| schema.pointer(path));
        schema.map(|schema| At { file, path, schema }).ok_or_else(|| format!("{file} refers to {reference}: nothing"))
    }
}

fn list<'a>(rules: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    rules.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn brief(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}
