//! Measures the service beside PostgreSQL alone, on the same machine in the same run.
//!
//! Absolute figures depend on the machine, above all on the time in which its disk makes a commit
//! durable. So each row is a ratio to the rate of pgbench on the same server with one transaction
//! for each message, or to the same figure with less data in the tables. Generator, service and
//! PostgreSQL share the processors. Beside the rows about sending are the figures of a bare program
//! that writes the same and knows no rule: the ceiling of the machine.

mod administration;
mod analytics;
mod audience;
mod baseline;
mod campaign_recipients;
mod campaigns;
mod ceiling;
mod dashboard;
mod growth;
mod harness;
mod http;
mod load;
mod organizations;
mod overload;
mod receiver;
mod refused_calls;
mod report;
mod reports;
mod rows;
mod scheduled_messages;
mod small_campaigns;
mod tenant;
mod traces;
mod triggers;
mod usage;
mod webhooks;

use std::{error::Error, path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;
use mimalloc::MiMalloc;

use crate::{dashboard::Sizes, harness::Harness, report::Table};

/// Allocator of the service, so that the bare program does not differ by it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Measures the service against PostgreSQL alone.
#[derive(Parser)]
struct Arguments {
    /// Compares ten thousand lines in the log with this many instead, such as 10000000.
    #[arg(long, value_name = "LINES")]
    growth: Option<u64>,
    /// Folder of the files of PostgreSQL, on the disk that is to be measured.
    #[arg(long, value_name = "FOLDER", default_value = "target/bench")]
    folder: PathBuf,
    /// Compares a hundred organizations with many more, and nothing else.
    #[arg(long)]
    organizations: bool,
    /// Measures the acceptance and the delivery of messages, and nothing else.
    #[arg(long, conflicts_with_all = ["organizations", "audience", "campaigns", "triggers"])]
    sending: bool,
    /// Measures the bare program beside which the service is measured, and nothing else.
    #[arg(long, conflicts_with_all = ["growth", "organizations", "sending", "audience", "campaigns", "triggers", "analytics", "administration", "webhooks", "overload", "traces", "dashboard"])]
    ceiling: bool,
    /// Runs the bare program on a database. The bench starts itself so.
    #[arg(long, value_name = "URL", hide = true)]
    serve_ceiling: Option<String>,
    /// Lets the bare program hand messages over.
    #[arg(long, hide = true, requires = "serve_ceiling")]
    ceiling_delivers: bool,
    /// Measures imports, exports, lists and previews of contacts, and nothing else.
    #[arg(long, conflicts_with = "organizations")]
    audience: bool,
    /// Compares a campaign with bulk requests, and nothing else.
    #[arg(long, conflicts_with_all = ["organizations", "audience"])]
    campaigns: bool,
    /// Compares triggers with sends, and nothing else.
    #[arg(long, conflicts_with_all = ["organizations", "audience", "campaigns"])]
    triggers: bool,
    /// Measures figures about messages, and nothing else.
    #[arg(long, conflicts_with_all = ["organizations", "audience", "campaigns", "triggers"])]
    analytics: bool,
    /// Measures the views of platform administrators, and nothing else.
    #[arg(long, conflicts_with_all = ["organizations", "audience", "campaigns", "triggers", "analytics"])]
    administration: bool,
    /// Measures webhooks, and nothing else.
    #[arg(long, conflicts_with_all = ["organizations", "audience", "campaigns", "triggers", "analytics", "administration"])]
    webhooks: bool,
    /// Measures overload with more messages than can be delivered, and nothing else.
    #[arg(long, conflicts_with_all = ["organizations", "audience", "campaigns", "triggers", "analytics", "administration", "webhooks"])]
    overload: bool,
    /// Compares a service that exports traces with one that does not, and nothing else. The program needs
    /// the feature `otel`.
    #[arg(long, conflicts_with_all = ["growth", "organizations", "sending", "audience", "campaigns", "triggers", "analytics", "administration", "webhooks", "overload"])]
    traces: bool,
    /// Measures the pages of the dashboard, and nothing else.
    #[arg(long, conflicts_with_all = ["growth", "organizations", "sending", "audience", "campaigns", "triggers", "analytics", "administration", "webhooks", "overload", "traces"])]
    dashboard: bool,
    /// Messages of the organization whose pages are measured.
    #[arg(long, value_name = "MESSAGES", requires = "dashboard", default_value_t = 10_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(10_000..))]
    messages: u64,
    /// Contacts of the organization whose pages are measured.
    #[arg(long, value_name = "CONTACTS", requires = "dashboard", default_value_t = 1_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1_000..=9_999_999))]
    contacts: u64,
    /// Seconds for which each row is measured.
    #[arg(long, value_name = "SECONDS", default_value_t = 8)]
    seconds: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(&Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(url) = &arguments.serve_ceiling {
        return ceiling::serve(url, arguments.ceiling_delivers).await;
    }
    let harness = Harness::start(&arguments.folder).await?;
    println!("PostgreSQL {}", harness.version().await?);
    if arguments.dashboard {
        let sizes = Sizes { messages: arguments.messages, contacts: arguments.contacts };
        let measured = dashboard::measure(&harness, sizes).await;
        harness.stop().await?;
        return measured;
    }
    let duration = Duration::from_secs(arguments.seconds);
    let mut table = Table::beside(baseline::processor(&harness, duration).await?);
    let measured = match arguments.growth {
        Some(lines) => growth::measure(&harness, duration, lines, &mut table).await,
        None => measure(&harness, duration, arguments, &mut table).await,
    };
    table.print();
    harness.stop().await?;
    measured
}

async fn measure(
    harness: &Harness,
    duration: Duration,
    only: &Arguments,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    if only.ceiling {
        return rows::measure_ceiling(harness, duration, table).await;
    }
    if only.sending {
        return rows::measure(harness, duration, table).await;
    }
    if only.analytics {
        return analytics::measure(harness, table).await;
    }
    if only.campaigns {
        let rate = campaigns::measure(harness, duration, table).await?;
        small_campaigns::measure(harness, rate, table).await?;
        return campaign_recipients::measure(harness, table).await;
    }
    if only.administration {
        return administration::measure(harness, table).await;
    }
    if only.triggers {
        return triggers::measure(harness, duration, table).await;
    }
    if only.traces {
        return traces::measure(harness, duration, table).await;
    }
    if only.overload {
        return overload::measure(harness, duration, table).await;
    }
    if only.webhooks {
        return webhooks::measure(harness, duration, table).await;
    }
    if !only.organizations && !only.audience {
        rows::measure(harness, duration, table).await?;
        overload::measure(harness, duration, table).await?;
        let rate = campaigns::measure(harness, duration, table).await?;
        small_campaigns::measure(harness, rate, table).await?;
        campaign_recipients::measure(harness, table).await?;
        triggers::measure(harness, duration, table).await?;
        webhooks::measure(harness, duration, table).await?;
    }
    if !only.audience {
        organizations::measure(harness, duration, table).await?;
    }
    if !only.organizations {
        audience::measure(harness, table).await?;
    }
    if !only.organizations && !only.audience {
        analytics::measure(harness, table).await?;
        administration::measure(harness, table).await?;
    }
    Ok(())
}
