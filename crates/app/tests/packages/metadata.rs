//! Metadata from which `cargo deb` makes the package, and the same package made from them without it.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use toml::{Table, Value};

use crate::files::{PROGRAM, path, read};

/// Folder of the paths in the metadata.
const FOLDER: &str = "crates/app";
/// Beginning of the path of a program that is built.
const BUILT: &str = "target/release/";
const SCRIPTS: [&str; 3] = ["postinst", "postrm", "prerm"];

/// Metadata of the package.
pub(crate) struct Metadata {
    table: Table,
}

/// File of the package.
pub(crate) struct Asset {
    pub(crate) source: String,
    /// Path from the root, without a slash at its beginning.
    pub(crate) target: PathBuf,
    pub(crate) mode: u32,
}

impl Metadata {
    pub(crate) fn read() -> Self {
        let manifest: Table = read(&format!("{FOLDER}/Cargo.toml")).parse().unwrap();
        let metadata = manifest["package"]["metadata"]["deb"].as_table().unwrap();
        Self { table: metadata.clone() }
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        self.table[key].as_str().unwrap()
    }

    pub(crate) fn assets(&self) -> Vec<Asset> {
        self.table["assets"].as_array().unwrap().iter().map(asset).collect()
    }

    /// Returns the packages that it depends on, without those of the libraries of the program.
    fn dependencies(&self) -> String {
        let dependencies = self.text("depends").split(", ").filter(|it| *it != "$auto");
        dependencies.collect::<Vec<_>>().join(", ")
    }

    /// Returns the folder of the scripts that are run when the package is installed or removed.
    fn scripts(&self) -> PathBuf {
        path(FOLDER).join(self.text("maintainer-scripts"))
    }

    /// Writes the files of the package into a folder, with a line added to the settings.
    pub(crate) fn lay_out(&self, folder: &Path, version: &str, setting: &str) {
        let assets = self.assets();
        for asset in &assets {
            let target = folder.join(&asset.target);
            create(target.parent().unwrap());
            match asset.source.strip_prefix(BUILT) {
                // The program itself is large, and the package does not depend on what is in it.
                Some(_) => {
                    write(&target, &format!("#!/bin/sh\nexec {PROGRAM} \"$@\"\n"), asset.mode);
                }
                None if is_settings(asset) => {
                    let text = fs::read_to_string(asset.path()).unwrap();
                    write(&target, &format!("{text}{setting}"), asset.mode);
                }
                None => write(&target, &fs::read_to_string(asset.path()).unwrap(), asset.mode),
            }
        }
        let control = folder.join("DEBIAN");
        create(&control);
        for script in SCRIPTS {
            let text = fs::read_to_string(self.scripts().join(script)).unwrap();
            write(&control.join(script), &text, 0o755);
        }
        let settings = assets.iter().filter(|asset| is_settings(asset));
        let settings: Vec<_> =
            settings.map(|asset| format!("/{}\n", asset.target.display())).collect();
        write(&control.join("conffiles"), &settings.concat(), 0o644);
        let text = format!(
            "Package: {}\nVersion: {version}\nArchitecture: all\nMaintainer: {}\nDepends: {}\n\
             Description: notification service\n",
            self.text("name"),
            self.text("maintainer"),
            self.dependencies()
        );
        write(&control.join("control"), &text, 0o644);
    }

    /// Makes the package, and returns its path.
    pub(crate) fn build(
        &self,
        builder: &mut Command,
        folder: &Path,
        version: &str,
        setting: &str,
    ) -> PathBuf {
        let tree = folder.join(format!("tree-{version}"));
        create(&tree);
        self.lay_out(&tree, version, setting);
        let package = folder.join(format!("atumpan_{version}.deb"));
        builder.args(["--root-owner-group", "-Znone", "--build"]).arg(&tree).arg(&package);
        let output = builder.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        package
    }
}

impl Asset {
    /// Returns the path of a file that is in the repository.
    pub(crate) fn path(&self) -> PathBuf {
        path(FOLDER).join(&self.source)
    }

    /// True if it is built.
    pub(crate) fn is_built(&self) -> bool {
        self.source.starts_with(BUILT)
    }
}

/// True for what `cargo deb` takes for a file of settings, which an upgrade leaves as it is.
fn is_settings(asset: &Asset) -> bool {
    asset.target.starts_with("etc")
}

fn asset(value: &Value) -> Asset {
    let [source, target, mode] = [0_usize, 1, 2].map(|at| value[at].as_str().unwrap());
    let target = match target.strip_suffix('/') {
        Some(folder) => Path::new(folder).join(Path::new(source).file_name().unwrap()),
        None => PathBuf::from(target),
    };
    Asset { source: source.to_owned(), target, mode: u32::from_str_radix(mode, 8).unwrap() }
}

/// Creates a folder and those above it, readable to all whatever the test may mask.
fn create(folder: &Path) {
    if folder.exists() {
        return;
    }
    create(folder.parent().unwrap());
    fs::create_dir(folder).unwrap();
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
}

fn write(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}
