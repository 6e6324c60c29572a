//! Language models.

mod openai;
mod prompt;

pub use self::openai::{ChatModel, ChatModelError, ChatModelSettings};
