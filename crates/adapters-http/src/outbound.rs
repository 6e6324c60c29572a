//! Adapters that need no vendor: passwords, tokens, calls of webhook endpoints and of instances.

mod hmac_sha256;
pub mod instances;
pub mod password;
pub mod sealer;
pub mod subscription_tokens;
pub mod token;
pub mod webhooks;

pub use runtime::random;
