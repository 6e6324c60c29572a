//! Compression of the parts of a file. Each is compressed by itself, so that the work can go on after any
//! of them.

use std::io::{self, Read, Write};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};

/// Compresses a part. The fastest level makes a CSV of the log several times smaller already.
pub(super) fn compress(text: &str) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

/// Returns the text of a compressed part.
pub(super) fn decompress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut text)?;
    Ok(text)
}
