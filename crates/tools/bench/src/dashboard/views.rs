//! Measurements of pages, and the table of them.

use std::{
    error::Error,
    net::SocketAddr,
    time::{Duration, Instant},
};

use super::{SIGN_IN, pages::Page, statement_log::StatementLog};
use crate::{
    harness::Database,
    http::{Connection, Fetched, Request},
    report::number,
    tenant::Tenant,
};

/// Number of times that each page is timed.
const CALLS: usize = 30;
/// Number of times that the statements of a page are counted. Work in the background adds to some.
const COUNTS: usize = 5;
/// Median time above which a page is marked, in milliseconds.
const SLOW: f64 = 20.0;
/// Number of transferred bytes above which a page is marked: they come in one round trip after the
/// connection begins.
const LARGE: usize = 14_000;
/// Beginning of the addresses of style, script and picture.
const ASSETS: &str = "/app/assets/";

/// Measurement of a page.
struct View<'p> {
    page: &'p Page,
    /// Median and longest time, and the median of the sign-in page meanwhile, in milliseconds.
    median: f64,
    longest: f64,
    baseline: f64,
    size: Size,
    /// Fewest statements of one call; none until they are counted.
    statements: Option<usize>,
}

/// Numbers of bytes.
#[derive(Clone, Copy)]
struct Size {
    /// Content without compression.
    plain: usize,
    /// Content as it is sent to a client that reads gzip.
    compressed: usize,
    /// Whole answer to such a client.
    transferred: usize,
}

/// Measurements of all pages.
pub(super) struct Views<'p> {
    measured: Vec<View<'p>>,
    /// Pages that were not shown, with what was answered instead.
    failures: Vec<String>,
}

impl<'p> Views<'p> {
    /// Measures each page. One that is not shown is left out.
    pub(super) async fn measure(service: SocketAddr, tenant: &Tenant, pages: &'p [Page]) -> Self {
        let mut views = Self { measured: Vec::with_capacity(pages.len()), failures: Vec::new() };
        for page in pages {
            match View::measure(service, tenant, page).await {
                Ok(view) => views.measured.push(view),
                Err(error) => views.failures.push(format!("{}: {error}", page.name)),
            }
        }
        views
    }

    /// Fails if a page was not shown.
    pub(super) fn without_failures(&self) -> Result<(), Box<dyn Error>> {
        if self.failures.is_empty() { Ok(()) } else { Err(self.failures.join("\n").into()) }
    }

    /// Counts the statements of each page. Logging them takes time, so nothing is timed meanwhile.
    pub(super) async fn count_statements(
        &mut self,
        connection: &mut Connection,
        tenant: &Tenant,
        database: &Database,
    ) -> Result<(), Box<dyn Error>> {
        let mut log = StatementLog::begin(database).await?;
        for view in &mut self.measured {
            let request = tenant.visit(&view.page.address, "gzip");
            for _ in 0..COUNTS {
                log.skip()?;
                connection.fetch(&request).await?;
                let count = log.count()?;
                view.statements = Some(view.statements.map_or(count, |fewest| fewest.min(count)));
            }
        }
        log.end(database).await
    }

    /// Prints all measurements, those of slow and of large pages with a mark.
    pub(super) fn print(&self) {
        let names = self.measured.iter().map(|view| view.page.name.len());
        let width = names.max().unwrap_or_default();
        println!(
            "{:<width$}  {:>9}  {:>9}  {:>9}  {:>8}  {:>8}  {:>9}  {:>10}",
            "page",
            "median ms",
            "max ms",
            "/ sign-in",
            "html kB",
            "gzip kB",
            "wire kB",
            "statements"
        );
        for view in &self.measured {
            view.print(width);
        }
    }

    /// Returns the page with the most transferred bytes.
    fn largest(&self) -> Option<&View<'p>> {
        self.measured.iter().max_by_key(|view| view.size.transferred)
    }
}

impl<'p> View<'p> {
    /// Measures a page after calls that are not timed.
    async fn measure(
        service: SocketAddr,
        tenant: &Tenant,
        page: &'p Page,
    ) -> Result<Self, Box<dyn Error>> {
        let mut connection = Connection::open(service).await?;
        let size = size(&mut connection, tenant, &page.address).await?;
        let request = tenant.visit(&page.address, "gzip");
        let sign_in = tenant.visit(SIGN_IN, "gzip");
        let (mut times, mut baselines) = (Vec::new(), Vec::new());
        for _ in 0..CALLS {
            times.push(time(&mut connection, &request).await?);
            baselines.push(time(&mut connection, &sign_in).await?);
        }
        let (median, longest) = summary(times);
        let (baseline, _) = summary(baselines);
        Ok(Self { page, median, longest, baseline, size, statements: None })
    }

    fn print(&self, width: usize) {
        let Size { plain, compressed, transferred } = self.size;
        let slow = if self.median > SLOW { "!" } else { " " };
        let large = if transferred > LARGE { "!" } else { " " };
        let statements = self.statements.map(|count| count.to_string()).unwrap_or_default();
        println!(
            "{:<width$}  {:>8.2}{slow}  {:>9.2}  {:>9.2}  {:>8.1}  {:>8.1}  {:>8.1}{large}  {:>10}",
            self.page.name,
            self.median,
            self.longest,
            self.median / self.baseline,
            kilobytes(plain),
            kilobytes(compressed),
            kilobytes(transferred),
            statements
        );
    }
}

/// Prints the files that all pages load, and the bytes of a first view: a page and these files.
pub(super) async fn first_view(
    connection: &mut Connection,
    tenant: &Tenant,
    views: &Views<'_>,
) -> Result<(), Box<dyn Error>> {
    let page = fetch(connection, &tenant.visit(SIGN_IN, "identity")).await?;
    let html = String::from_utf8(page.body)?;
    let mut files = 0;
    for address in html.split('"').filter(|part| part.starts_with(ASSETS)) {
        let size = size(connection, tenant, address).await?;
        files += size.transferred;
        let kind = address.rsplit_once('.').map_or(address, |(_, kind)| kind);
        let (plain, compressed) = (kilobytes(size.plain), kilobytes(size.compressed));
        println!("{kind}: {plain:.1} kB, {compressed:.1} kB with gzip");
    }
    if files == 0 {
        return Err("the sign-in page loads no files".into());
    }
    let sign_in = size(connection, tenant, SIGN_IN).await?;
    println!("first view of {SIGN_IN}: {:.1} kB", kilobytes(files + sign_in.transferred));
    if let Some(largest) = views.largest() {
        let bytes = files + largest.size.transferred;
        println!("first view of {}, the largest: {:.1} kB", largest.page.name, kilobytes(bytes));
    }
    Ok(())
}

async fn size(
    connection: &mut Connection,
    tenant: &Tenant,
    address: &str,
) -> Result<Size, Box<dyn Error>> {
    let plain = fetch(connection, &tenant.visit(address, "identity")).await?;
    let compressed = fetch(connection, &tenant.visit(address, "gzip")).await?;
    Ok(Size {
        plain: plain.body.len(),
        compressed: compressed.body.len(),
        transferred: compressed.transferred,
    })
}

async fn time(connection: &mut Connection, request: &Request) -> Result<Duration, Box<dyn Error>> {
    let began = Instant::now();
    fetch(connection, request).await?;
    Ok(began.elapsed())
}

async fn fetch(connection: &mut Connection, request: &Request) -> Result<Fetched, Box<dyn Error>> {
    let answer = connection.fetch(request).await?;
    match answer.status {
        200 => Ok(answer),
        status => Err(format!("answered {status} {}", answer.location).into()),
    }
}

/// Returns the median and the longest of times, in milliseconds.
fn summary(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort();
    let millis = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1_000.0);
    (millis(times.get(times.len() / 2)), millis(times.last()))
}

fn kilobytes(bytes: usize) -> f64 {
    number(u64::try_from(bytes).unwrap_or(u64::MAX)) / 1_000.0
}
