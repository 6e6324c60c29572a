//! Has the crate rebuilt when a migration comes: they are embedded.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
