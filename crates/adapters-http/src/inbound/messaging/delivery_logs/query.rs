//! Filters of the log.

use domain::messaging::{delivery_log::LogRequest, message::Message};

use crate::inbound::shared::{
    json_fields::Rfc3339,
    query::{FromQuery, Parameters, Place},
};

/// Filter, and place in the list.
pub(super) struct LogQuery {
    /// Filter.
    pub(super) filter: LogRequest,
    /// Place in the list.
    pub(super) place: Place<Message>,
}

impl FromQuery for LogRequest {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let status = parameters.optional("status", "Only messages in this state.");
        let channel = parameters.optional("channel", "Only messages of this channel.");
        let recipient = parameters.optional(
            "recipient",
            "Only messages to this recipient, in any form that `to` of a message may have. Numbers \
             without a calling code are numbers of Ghana.",
        );
        let campaign = parameters.optional("campaignId", "Only messages of this campaign.");
        let from = parameters.optional("from", "Only messages accepted at this time or later.");
        let to = parameters.optional("to", "Only messages accepted before this time.");
        let event =
            parameters.optional("event", "Only messages that notify of the event with this slug.");
        let provider =
            parameters.optional("provider", "Only messages that this provider has, or had last.");
        let error_code = parameters.optional(
            "errorCode",
            "Only messages that failed for this reason; with `NO_REPORT` those without a report.",
        );
        let is_sandbox = parameters
            .optional("isSandbox", "Only messages of the sandbox if true, only others if false.");
        let metadata = parameters.pairs(
            "metadata",
            "Only messages with this value of this key of their metadata, as in \
             `metadata[order]=4711`. Several pairs must all be there.",
        );
        Some(Self {
            status,
            channel,
            recipient,
            campaign,
            from: from.map(|Rfc3339(at)| at),
            to: to.map(|Rfc3339(at)| at),
            event,
            provider,
            error_code,
            is_sandbox,
            metadata,
        })
    }
}

impl FromQuery for LogQuery {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let filter = LogRequest::from_query(parameters)?;
        let place = parameters.place()?;
        Some(Self { filter, place })
    }
}
