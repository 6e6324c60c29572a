//! Secrets in files: those of the operator, and those that are generated once and kept in the data
//! directory, in development only.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use ports::shared::random::Random;

/// Returns the secret in the file `name`, which is created if it is missing.
pub fn keep(data_dir: &Path, name: &str, random: &dyn Random) -> io::Result<String> {
    fs::create_dir_all(data_dir)?;
    let path = data_dir.join(name);
    match fs::read_to_string(&path) {
        Ok(secret) if !secret.trim().is_empty() => return Ok(secret.trim().to_owned()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let secret =
        random.secret().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    file.write_all(secret.as_bytes())?;
    file.sync_all()?;
    Ok(secret)
}

/// Reads the secret that is alone in a file. The error is a description to follow the name of the
/// setting.
pub fn read(path: &str) -> Result<String, String> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| format!("cannot be read from {path}: {error}"))?;
    // Editors end a file with a line break.
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(format!("is not in {path}: the file is empty")),
        secret => Ok(secret.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use ports::shared::mock::MockRandom;

    use super::*;

    #[test]
    fn a_secret_is_generated_once_and_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = MockRandom::new();
        random.expect_secret().once().return_const([0xab; 32]);

        let first = keep(folder.path(), "secret", &random).unwrap();
        let second = keep(folder.path(), "secret", &random).unwrap();

        assert_eq!(first, "ab".repeat(32));
        assert_eq!(first, second);
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &fs::metadata(folder.path().join("secret")).unwrap().permissions(),
        );
        assert_eq!(mode & 0o777, 0o600);
    }
}
