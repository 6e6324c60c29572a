//! Spans of steps.

use domain::{
    messaging::{delivery::Status, job::Step, spans},
    shared::{span::Span, trace::TraceContext},
};

use super::Deliveries;

impl Deliveries {
    /// Returns a step with its spans. A message that fails outside of any trace gets one after the fact,
    /// made of its log, for failures are what traces are looked at for.
    pub(super) fn trace(&self, step: Step) -> (Step, Vec<Span>) {
        if !self.deps.tracer.is_on() {
            return (step, Vec::new());
        }
        let now = self.deps.clock.now();
        let (message, status) = (step.message(), step.message().delivery.status());
        if message.trace.is_some() {
            let spans = spans::of_step(&step, (now, now));
            return (step, spans);
        }
        if status != Status::Failed || step.previous_status() == Status::Failed {
            return (step, Vec::new());
        }
        let root = TraceContext::root(message.id.uuid());
        let step = step.in_trace(root);
        let spans = spans::rebuilt(step.message(), now);
        (step, spans)
    }
}
