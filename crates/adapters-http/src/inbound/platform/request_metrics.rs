//! Numbers and durations of requests, as in `/metrics`.

use std::{cell::RefCell, collections::HashMap, time::Duration};

use metrics::{Counter, Histogram};

thread_local! {
    /// Series of each route that requests on this thread counted in: to find one by its labels takes longer
    /// than to read the request.
    static KNOWN: RefCell<HashMap<String, Vec<Series>>> = RefCell::default();
}

/// Series of the requests to a route with one method and status.
struct Series {
    method: &'static str,
    status: u16,
    requests: Counter,
    durations: Histogram,
}

/// Counts a request, which took that time.
pub(super) fn record(method: &'static str, route: &str, status: u16, took: Duration) {
    KNOWN.with_borrow_mut(|known| {
        if let Some(series) = find(known, method, route, status) {
            series.record(took);
            return;
        }
        let series = Series {
            method,
            status,
            requests: requests(method, route, status),
            durations: durations(method, route),
        };
        series.record(took);
        known.entry(route.to_owned()).or_default().push(series);
    });
}

fn find<'k>(
    known: &'k HashMap<String, Vec<Series>>,
    method: &str,
    route: &str,
    status: u16,
) -> Option<&'k Series> {
    let series = known.get(route)?;
    series.iter().find(|it| it.method == method && it.status == status)
}

impl Series {
    fn record(&self, took: Duration) {
        self.requests.increment(1);
        self.durations.record(took);
    }
}

/// Returns the number of requests to a route with one method and status.
pub(super) fn requests(method: &'static str, route: &str, status: u16) -> Counter {
    metrics::counter!(
        "atumpan_http_requests_total",
        "method" => method, "route" => route.to_owned(), "status" => status.to_string(),
    )
}

/// Returns the durations of requests to a route with one method.
pub(super) fn durations(method: &'static str, route: &str) -> Histogram {
    metrics::histogram!(
        "atumpan_http_request_duration_seconds", "method" => method, "route" => route.to_owned(),
    )
}
