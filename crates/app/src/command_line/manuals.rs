//! `atumpan completions` and `atumpan man`: descriptions of the command line for shells and readers.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

use super::CommandLine;
use crate::service::StartError;

#[derive(Debug, Args)]
pub(super) struct CompletionsOptions {
    /// Shell that reads them
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManOptions {
    /// Write a page for each command into this folder, instead of the main page to standard output
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl CompletionsOptions {
    /// Prints the completions.
    pub(super) fn run(&self) -> Result<(), StartError> {
        Ok(io::stdout().write_all(&self.script())?)
    }

    fn script(&self) -> Vec<u8> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut CommandLine::command(), "atumpan", &mut script);
        script
    }
}

impl ManOptions {
    /// Prints the main page, or writes all pages.
    pub(super) fn run(&self) -> Result<(), StartError> {
        let Some(folder) = &self.folder else {
            return Ok(io::stdout().write_all(&main_page()?)?);
        };
        std::fs::create_dir_all(folder)?;
        clap_mangen::generate_to(CommandLine::command(), folder)?;
        // The main page with its settings replaces the one of the same name.
        std::fs::write(folder.join("atumpan.1"), main_page()?)?;
        Ok(())
    }
}

/// Returns the page of the program, whose settings have a section with lines as they are.
fn main_page() -> io::Result<Vec<u8>> {
    let command = CommandLine::command();
    let settings = settings(&command);
    let man = Man::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_subcommands_section(&mut page)?;
    settings.to_writer(&mut page)?;
    man.render_version_section(&mut page)?;
    Ok(page)
}

fn settings(command: &Command) -> Roff {
    let mut section = Roff::new();
    section.control("SH", ["SETTINGS"]);
    section.control("nf", []);
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    for line in text.lines() {
        section.text([roman(line)]);
    }
    section.control("fi", []);
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shell_completes_each_command() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = String::from_utf8(CompletionsOptions { shell }.script()).unwrap();
            for command in CommandLine::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }

    #[test]
    fn the_page_has_commands_and_settings() {
        let page = String::from_utf8(main_page().unwrap()).unwrap();

        assert!(page.starts_with(".ie") || page.contains(".TH atumpan 1"), "{page}");
        assert!(page.contains("atumpan\\-export(1)"), "{page}");
        assert!(page.contains("\n.SH SETTINGS\n.nf\n"), "{page}");
        assert!(page.contains("ATUMPAN_LISTEN"), "{page}");
    }

    #[test]
    fn each_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();

        ManOptions { folder: Some(folder.path().to_owned()) }.run().unwrap();

        let has = |name: &str| folder.path().join(name).exists();
        for name in ["atumpan.1", "atumpan-serve.1", "atumpan-admin-create.1", "atumpan-export.1"] {
            assert!(has(name), "{name}");
        }
    }
}
