//! `atumpan admin`: platform administrators, and second factors that were lost.

use std::io;

use clap::Subcommand;
use usecases::identity::admins::Admins;

use crate::{
    config::{Config, Source},
    service::{self, Database, StartError},
};

#[derive(Debug, Subcommand)]
pub(super) enum AdminCommand {
    /// Register a platform administrator
    ///
    /// The password is read from `ATUMPAN_ADMIN_PASSWORD`, or else as one line from standard input.
    Create {
        /// Address to sign in with
        #[arg(long)]
        email: String,
        /// Make the user with this address an administrator; the user keeps the password
        #[arg(long)]
        promote: bool,
    },
    /// Remove the second factor of a user who lost it
    ///
    /// The next login needs the password only. In production, a platform administrator must then set
    /// up another one.
    ResetTotp {
        /// Address that the user signs in with
        #[arg(long)]
        email: String,
    },
}

impl AdminCommand {
    /// Runs the command on an existing database.
    pub(super) async fn run(self, config: &Config) -> Result<(), StartError> {
        let database = Database::open_existing(&config.storage).await?;
        let done = self.run_on(database.url()).await;
        database.close().await?;
        println!("{}", done?);
        Ok(())
    }

    /// Runs the command, and returns its result in words.
    async fn run_on(&self, database_url: &str) -> Result<String, StartError> {
        match self {
            Self::Create { email, promote } => {
                make_admin(&service::admins(database_url)?, email, *promote).await?;
                Ok(format!("{email} is a platform administrator."))
            }
            Self::ResetTotp { email } => {
                if service::reset_second_factor(database_url, email).await? {
                    Ok(format!("The second factor of {email} is removed."))
                } else {
                    Ok(format!("{email} has no second factor."))
                }
            }
        }
    }
}

async fn make_admin(admins: &Admins, email: &str, promote: bool) -> Result<(), StartError> {
    if promote {
        return Ok(admins.promote(email).await?);
    }
    // Do not ask for a password that would not be used.
    if !admins.exists(email).await? {
        admins.create(email, &admin_password()?).await?;
    }
    Ok(())
}

fn admin_password() -> Result<String, StartError> {
    let given = Source::of_environment().with_secret_files()?;
    if let Some(password) = given.get("ATUMPAN_ADMIN_PASSWORD") {
        return Ok(password);
    }
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
