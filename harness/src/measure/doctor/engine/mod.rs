//! Tests an engine in situations in which engines commonly fail in matches.
//!
//! Each check has a fresh process. Its finding describes the failure and the rule of the protocol.

mod answers;
mod examine;
mod instances;
mod protocol;
mod support;

pub(crate) use examine::examine_engine;
pub(crate) use support::Subject;
