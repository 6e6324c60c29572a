//! Parts that all subjects use.

pub(crate) mod accept;
pub(crate) mod answers;
pub(crate) mod background;
pub(crate) mod body;
pub(crate) mod caller;
pub(crate) mod credentials;
pub(crate) mod cross_origin;
pub(crate) mod csv;
pub(crate) mod endpoint;
pub(crate) mod error;
pub(crate) mod flow;
pub(crate) mod formats;
pub(crate) mod hang_up;
pub(crate) mod html;
pub(crate) mod json_fields;
pub(crate) mod long_text;
pub(crate) mod path_id;
pub(crate) mod platform_admin;
pub(crate) mod query;
pub(crate) mod rate_limits;
pub(crate) mod request_id;
pub(crate) mod unique_json;
pub(crate) mod upload;
