//! Declared providers of a running service, whose adapters change with the providers file.

use std::sync::{Mutex, PoisonError};

use adapters_providers::{AdapterSlot, Declaration, DeclarationError, Deps, build_adapter};

/// Declared providers, each with the place of its adapter.
pub(super) struct DeclaredProviders {
    deps: Deps,
    declared: Mutex<Vec<Declared>>,
}

/// Provider with the declaration of its adapter.
pub(super) struct Declared {
    pub(super) declaration: Declaration,
    pub(super) slot: AdapterSlot,
}

impl DeclaredProviders {
    pub(super) fn new(deps: Deps, declared: Vec<Declared>) -> Self {
        Self { deps, declared: Mutex::new(declared) }
    }

    /// Replaces the adapters of the providers whose declarations changed, all or none, and returns the
    /// names of these. The log names what changes at the next start only.
    pub(super) fn renew(&self, newer: &[Declaration]) -> Result<Vec<String>, DeclarationError> {
        let mut declared = self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut renewed = Vec::new();
        for known in declared.iter_mut() {
            let known_now = &known.declaration;
            let Some(newer) = newer.iter().find(|newer| newer.name == known_now.name) else {
                continue;
            };
            let declaration = known_now.renewed_by(newer);
            if declaration != *known_now {
                let adapter = build_adapter(&declaration, &self.deps)?;
                renewed.push((known, declaration, adapter));
            }
        }
        let mut names = Vec::new();
        for (known, declaration, adapter) in renewed {
            known.slot.put(adapter);
            names.push(declaration.name.clone());
            known.declaration = declaration;
        }
        warn_of_the_rest(&declared, newer);
        Ok(names)
    }
}

/// Names what a running service cannot change.
fn warn_of_the_rest(declared: &[Declared], newer: &[Declaration]) {
    for Declared { declaration, .. } in declared {
        let provider = declaration.name.as_str();
        match newer.iter().find(|newer| newer.name == declaration.name) {
            None => tracing::warn!(
                provider,
                "the provider is declared no more, and is used until the next start"
            ),
            Some(newer) => {
                let keys = declaration.lasting_differences(newer);
                if !keys.is_empty() {
                    let keys = keys.join(", ");
                    tracing::warn!(provider, keys, "these keys change at the next start only");
                }
            }
        }
    }
    for newer in newer {
        if declared.iter().all(|known| known.declaration.name != newer.name) {
            let provider = newer.name.as_str();
            tracing::warn!(provider, "the provider is new, and is used from the next start on");
        }
    }
}
