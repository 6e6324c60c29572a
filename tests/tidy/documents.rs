//! Rules of the documentation: each page begins with a sentence, is short, and is on the map of its readers; links,
//! anchors and named files exist; pictures are of a kind that is drawn.

mod beginnings;
mod lengths;
mod links;
mod maps;
mod mentions;
mod named_files;
mod page;
mod pictures;
mod targets;
