//! Payment gateways. The simulated one speaks the protocol of the real one, so both read events alike.

mod event;
mod paystack;
mod simulated;

pub use self::{
    paystack::{InvalidGatewayUrl, Paystack},
    simulated::{InvalidWebhookUrl, SimulatedGateway},
};
