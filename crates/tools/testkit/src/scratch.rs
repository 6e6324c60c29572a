//! Folders that all tests of a process share.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process, thread,
};

/// Returns the path of a folder that the tests of this process share, which does not exist yet. Values are
/// not dropped when a process ends, so folders of ended processes are removed here.
pub fn shared_folder(name: &str) -> PathBuf {
    let beginning = format!("atumpan-{name}-");
    let own = env::temp_dir().join(format!("{beginning}{}", process::id()));
    // A process may have the number of an ended one.
    let _ = fs::remove_dir_all(&own);
    // Removal may take a minute, and no test has to wait for it.
    thread::spawn(move || remove_leftovers(&beginning));
    own
}

fn remove_leftovers(beginning: &str) {
    for entry in fs::read_dir(env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(beginning));
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
