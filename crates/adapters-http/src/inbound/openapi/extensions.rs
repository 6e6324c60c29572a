//! What goes beyond the specification, marked for programs: where the code says `Extension: …` of an
//! operation or a field, the document has `x-atumpan-extension`.

use serde_json::Value;
use utoipa::openapi::{
    RefOr, Schema,
    extensions::Extensions,
    path::Operation,
    schema::{AllOfBuilder, ArrayItems},
};

const WORD: &str = "Extension: ";
const MARK: &str = "x-atumpan-extension";

/// Marks all that is said to be an extension.
pub(super) fn mark<'o>(
    operations: impl Iterator<Item = &'o mut Operation>,
    schemas: impl Iterator<Item = &'o mut RefOr<Schema>>,
) {
    for operation in operations {
        if take_word(&mut operation.description) {
            set(&mut operation.extensions);
        }
        for response in operation.responses.responses.values_mut() {
            let RefOr::T(response) = response else { continue };
            for content in response.content.values_mut() {
                let RefOr::T(content) = content else { continue };
                content.schema.iter_mut().for_each(mark_schema);
            }
        }
    }
    schemas.for_each(mark_schema);
}

fn mark_schema(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::Ref(reference) => {
            let mut description = Some(reference.description.clone());
            if take_word(&mut description) {
                // A reference holds no mark itself.
                reference.description.clear();
                let marked = AllOfBuilder::new()
                    .item(reference.clone())
                    .description(description)
                    .extensions(Some(marks()));
                *schema = RefOr::T(marked.build().into());
            }
        }
        RefOr::T(schema) => mark_inner(schema),
    }
}

fn mark_inner(schema: &mut Schema) {
    let (description, extensions) = match schema {
        Schema::Object(object) => {
            object.properties.values_mut().for_each(mark_schema);
            (&mut object.description, &mut object.extensions)
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                mark_schema(items);
            }
            (&mut array.description, &mut array.extensions)
        }
        Schema::OneOf(one) => {
            // A field that may be null: what is said of it stands at the reference.
            for item in &mut one.items {
                if let RefOr::Ref(reference) = item
                    && reference.description.starts_with(WORD)
                {
                    one.description = Some(std::mem::take(&mut reference.description));
                }
            }
            one.items.iter_mut().for_each(mark_schema);
            (&mut one.description, &mut one.extensions)
        }
        Schema::AllOf(all) => {
            all.items.iter_mut().for_each(mark_schema);
            (&mut all.description, &mut all.extensions)
        }
        _ => return,
    };
    if take_word(description) {
        set(extensions);
    }
}

/// Takes the word away from the beginning of a description, if it is there.
fn take_word(description: &mut Option<String>) -> bool {
    let rest = description.as_ref().and_then(|text| text.strip_prefix(WORD));
    let Some(rest) = rest.map(capitalized) else { return false };
    *description = Some(rest);
    true
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

fn set(extensions: &mut Option<Extensions>) {
    extensions.get_or_insert_default().insert(MARK.to_owned(), Value::Bool(true));
}

fn marks() -> Extensions {
    [(MARK, true)].into_iter().collect()
}
