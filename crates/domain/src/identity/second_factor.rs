//! Second factors: codes of an authenticator app, and recovery codes for people who lost it.

mod base32;
mod recovery_code;
mod totp;

pub use self::{
    recovery_code::{RECOVERY_CODES, RecoveryCode},
    totp::TotpSecret,
};
