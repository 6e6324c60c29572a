//! Second factors: codes of an authenticator app, and recovery codes for people who lost it.
//!
//! ```
//! use domain::identity::second_factor::TotpSecret;
//!
//! let secret = TotpSecret::new(&[7; 32]);
//! assert!(secret.uri("ama@example.com").starts_with("otpauth://totp/"));
//! ```

mod base32;
mod recovery_code;
mod totp;

pub use self::{
    recovery_code::{RECOVERY_CODES, RecoveryCode},
    totp::TotpSecret,
};
