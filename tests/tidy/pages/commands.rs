//! Commands of the program, as it describes them itself.

use app::command_line::CommandLine;
use clap::{Arg, Command, CommandFactory};

use super::markdown::{code, section, table};

/// Command that can be run.
struct Runnable<'c> {
    /// Words that call it.
    name: String,
    command: &'c Command,
    /// Arguments, with those that it has from the commands above it.
    arguments: Vec<&'c Arg>,
}

/// Returns a table of all commands, and a section for each that has more to say.
pub(super) fn commands() -> String {
    let program = CommandLine::command();
    let mut found = Vec::new();
    collect(&program, "atumpan", &[], &mut found);

    let rows = found.iter().map(|it| vec![it.reference(), text(it.command.get_about())]);
    let mut parts = vec![table(&["command", "description"], rows)];
    let sections = found.iter().filter(|it| it.has_section());
    parts.extend(sections.map(|it| section(3, &it.name, "", &it.details().join("\n\n"))));
    parts.join("\n\n")
}

/// Adds the commands below one that can be run, in their order.
fn collect<'c>(above: &'c Command, words: &str, shared: &[&'c Arg], found: &mut Vec<Runnable<'c>>) {
    for command in above.get_subcommands() {
        let name = format!("{words} {}", command.get_name());
        let own = command.get_arguments();
        let arguments: Vec<_> = own.chain(shared.iter().copied()).collect();
        let global: Vec<_> = arguments.iter().copied().filter(|it| it.is_global_set()).collect();
        if !command.is_subcommand_required_set() {
            found.push(Runnable { name: name.clone(), command, arguments });
        }
        collect(command, &name, &global, found);
    }
}

impl Runnable<'_> {
    /// Returns the call with the arguments that it requires, as a link if there is a section.
    fn reference(&self) -> String {
        let required = self.arguments.iter().filter(|argument| argument.is_required_set());
        let required = required.map(|argument| form(argument));
        let words: Vec<_> = [self.name.clone()].into_iter().chain(required).collect();
        let call = code(&words.join(" "));
        if self.has_section() {
            format!("[{call}](#{})", self.name.replace(' ', "-"))
        } else {
            call
        }
    }

    fn has_section(&self) -> bool {
        !self.details().is_empty()
    }

    /// Returns the paragraphs behind the first one, and the list of arguments.
    fn details(&self) -> Vec<String> {
        let long = text(self.command.get_long_about());
        let mut details: Vec<_> = long.split("\n\n").skip(1).map(str::to_owned).collect();
        let arguments: Vec<_> = self.arguments.iter().map(|argument| item(argument)).collect();
        if !arguments.is_empty() {
            details.push(arguments.join("\n"));
        }
        details
    }
}

/// Returns the item of an argument in the list: its form, its meaning, its values and its default.
fn item(argument: &Arg) -> String {
    let mut item = format!("- {}: {}", code(&form(argument)), text(argument.get_help()));
    if argument.get_action().takes_values() {
        let values: Vec<_> =
            argument.get_possible_values().iter().map(|value| code(value.get_name())).collect();
        if !values.is_empty() {
            item = format!("{item}: {}", values.join(", "));
        }
        let defaults = argument.get_default_values().iter();
        let defaults: Vec<_> = defaults.map(|value| code(&value.to_string_lossy())).collect();
        if !defaults.is_empty() {
            item = format!("{item}; by default {}", defaults.join(", "));
        }
    }
    item
}

/// Returns the form of an argument in a call.
fn form(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let values: Vec<_> = names.iter().map(ToString::to_string).collect();
    let value = Some(values.join(" ")).filter(|_| argument.get_action().takes_values());
    let long = argument.get_long().map(|long| format!("--{long}"));
    long.into_iter().chain(value).collect::<Vec<_>>().join(" ")
}

fn text(styled: Option<impl ToString>) -> String {
    styled.map(|styled| styled.to_string()).unwrap_or_default()
}

#[test]
fn a_command_is_listed_with_its_required_arguments_and_has_a_section_for_the_rest() {
    let commands = commands();
    for line in [
        "| [`atumpan export --organization ID --folder DIR`](#atumpan-export) | Write everything ",
        "| [`atumpan config check`](#atumpan-config-check) | ",
        "\n### atumpan health\n\nEnds with status 1 ",
        "\n- `--ready`: Ask only ",
        "`bash`, ",
        "; by default `.atumpan-demo`",
    ] {
        assert!(commands.contains(line), "{line}: {commands}");
    }
    assert!(!commands.contains("| `atumpan admin`"), "it has no meaning by itself: {commands}");
}
