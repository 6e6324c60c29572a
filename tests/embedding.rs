//! Programs of `docs/embedding.md` and its pages, compiled and run outside the workspace with the
//! dependencies that are printed there, and the facade over each store.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use acceptance::{fresh_database_url, until};
use atumpan::{
    Atumpan, Store,
    adapters_providers::Declaration,
    domain::{
        messaging::{delivery::Status, message::MessageRequest},
        shared::{channel::Channel, country::Country, money::Money},
    },
    usecases::messaging::messages::SendMessage,
};
use tempfile::TempDir;
use testkit::is_long;

const PAGES: [&str; 3] = [
    include_str!("../docs/embedding.md"),
    include_str!("../docs/embedding/postgresql.md"),
    include_str!("../docs/embedding/own-wiring.md"),
];

/// Profile of the workspace, so that most of what it has compiled is used again.
const PROFILE: &str = "[profile.dev]\ndebug = \"line-tables-only\"\n\
                       [profile.dev.package.\"*\"]\ndebug = false\n";

/// Section of a page with a program.
struct Example {
    name: String,
    dependencies: &'static str,
    program: &'static str,
    /// Text that the program prints; `None` if it has tests instead.
    output: Option<&'static str>,
}

impl Example {
    fn read(section: &'static str) -> Option<Self> {
        let (title, text) = section.split_once('\n')?;
        let name = title.to_lowercase().replace(' ', "-");
        let (dependencies, program) = (block(text, "toml")?, block(text, "rust")?);
        Some(Self { name, dependencies, program, output: block(text, "text") })
    }

    fn write(&self, workspace: &Path) {
        let folder = workspace.join(&self.name);
        fs::create_dir_all(folder.join("src")).unwrap();
        let (name, top) = (&self.name, top());
        let dependencies = self.dependencies.replace("../atumpan/", &format!("{}/", top.display()));
        let package = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n{dependencies}");
        fs::write(folder.join("Cargo.toml"), package).unwrap();
        let file = if self.output.is_some() { "src/main.rs" } else { "src/lib.rs" };
        fs::write(folder.join(file), self.program).unwrap();
    }
}

#[tokio::test]
async fn the_printed_programs_run_with_the_printed_dependencies() {
    let sections = PAGES.into_iter().flat_map(|page| page.split("\n## ").skip(1));
    let examples: Vec<_> = sections.filter_map(Example::read).collect();
    assert_eq!(examples.len(), 5, "sections with programs");
    // All that they depend on is compiled once more, which takes minutes.
    if is_long() {
        check(&examples, &fresh_database_url().await);
    }
}

/// Compiles each example by itself and runs it, with this `DATABASE_URL`.
fn check(examples: &[Example], database: &str) {
    let workspace = tempfile::tempdir().unwrap();
    let names: Vec<_> = examples.iter().map(|it| format!("\"{}\"", it.name)).collect();
    let members = format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", names.join(", "));
    fs::write(workspace.path().join("Cargo.toml"), members + PROFILE).unwrap();
    fs::copy(top().join("Cargo.lock"), workspace.path().join("Cargo.lock")).unwrap();
    // Before the first is built, for Cargo reads all members.
    for example in examples {
        example.write(workspace.path());
    }
    for example in examples {
        let Some(output) = example.output else {
            succeeds(&cargo(&workspace, &["test", "--package", &example.name]));
            continue;
        };
        succeeds(&cargo(&workspace, &["build", "--package", &example.name]));
        let program = target().join("debug").join(&example.name);
        let printed = Command::new(program).env("DATABASE_URL", database).output().unwrap();
        succeeds(&printed);
        assert_eq!(String::from_utf8_lossy(&printed.stdout), output, "{}", example.name);
    }
}

fn cargo(workspace: &TempDir, arguments: &[&str]) -> Output {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).args(["--offline", "--quiet"]).current_dir(workspace.path());
    command.env("CARGO_TARGET_DIR", target()).env_remove("RUSTC_WORKSPACE_WRAPPER");
    command.output().unwrap()
}

#[track_caller]
fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the first block of a language in a section.
fn block(section: &'static str, language: &str) -> Option<&'static str> {
    let (_, block) = section.split_once(&format!("\n```{language}\n"))?;
    Some(block.split_once("```")?.0)
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the folder in which Cargo built this test.
fn target() -> PathBuf {
    env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned()
}

#[tokio::test]
async fn workers_deliver_over_the_store_in_memory() {
    workers_deliver_over(Store::Memory).await;
}

#[tokio::test]
async fn workers_deliver_over_postgresql() {
    workers_deliver_over(Store::Postgres(fresh_database_url().await)).await;
}

async fn workers_deliver_over(store: Store) {
    let simulated = Declaration::new("simulated", "simulated".parse().unwrap(), Channel::Sms);
    let builder = Atumpan::builder().store(store).declared(simulated).workers(2);
    let atumpan = builder.build().await.unwrap();
    let organization = atumpan.create_organization("Shop", Money::from_cedis(1)).await.unwrap();
    let caller = atumpan.caller(organization).await.unwrap();
    for (country, micros) in
        [(None, 30_000), (Some(Country::GH), 40_000), (Some(Country::GH), 50_000)]
    {
        let price = Money::from_micros(micros);
        atumpan.set_price(Channel::Sms, country, price).await.unwrap();
    }
    let message = MessageRequest {
        channel: Some(Channel::Sms),
        to: Some("0241234567".to_owned()),
        body: Some("Hello".to_owned()),
        ..MessageRequest::default()
    };
    let command = SendMessage { message, is_async: true, ..SendMessage::default() };
    let accepted = atumpan.messages().send(&caller, command).await.unwrap().accepted;

    let status = async || {
        let message = atumpan.messages().get(&caller, accepted.id).await.unwrap();
        message.delivery.status()
    };
    until("it is delivered", async || status().await == Status::Delivered).await;
    assert_eq!(accepted.cost, Money::from_micros(50_000));
    let balance = atumpan.balance(organization).await.unwrap();
    assert_eq!(balance, Money::from_micros(950_000));
    assert!(atumpan.stop(Duration::from_secs(10)).await);
}
