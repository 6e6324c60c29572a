//! Tools that tests, benchmarks and fault injection share: the service as a process, its organizations, the
//! servers around it, and browsers.

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "tests report by panicking")]

mod answer;
mod caller;
mod http_server;
pub mod processes;
mod programs;
mod receiver;
mod redis;
mod scratch;
mod service;
pub mod smtp;
mod tenant;
mod wait;
pub mod webdriver;

pub use answer::Answer;
pub use caller::{Caller, client};
pub use http_server::{HttpServer, Received, Reply};
pub use programs::{is_long, missing, requires, skipped};
pub use receiver::Receiver;
pub use redis::{Redis, free_port};
pub use reqwest::Client;
pub use scratch::shared_folder;
pub use service::{Service, built, command};
pub use tenant::{Tenant, registration, text_message};
pub use wait::{until, until_some};
