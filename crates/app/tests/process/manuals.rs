//! Descriptions of the command line, which need no configuration.

use crate::program::{command, empty_folder, run};

#[test]
fn the_command_line_is_described_whatever_the_settings() {
    let folder = empty_folder();
    let text = |arguments: &[&str]| {
        let mut command = command(folder.path());
        let output = run(command.args(arguments).env("ATUMPAN_WORKERS", "many"));
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };

    let version = concat!("atumpan ", env!("CARGO_PKG_VERSION"));
    assert!(text(&["--version"]).starts_with(version));
    assert!(text(&["completions", "bash"]).contains("complete -F _atumpan"));
    assert!(text(&["completions", "zsh"]).starts_with("#compdef atumpan"));
    assert!(text(&["completions", "fish"]).contains("complete -c atumpan"));
    assert!(text(&["man"]).contains(".SH SETTINGS"));
    let nothing = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(nothing, 0, "no file is created");
}
