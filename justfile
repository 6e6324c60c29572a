# Lists the recipes.
default:
    @just --list

# Serves on http://127.0.0.1:8080, with a database of its own.
run *arguments:
    cargo run --release -- {{ arguments }}

# Serves a demo on http://127.0.0.1:8080, with invented people and messages.
demo *arguments:
    cargo run --release -- demo {{ arguments }}

# Runs all tests.
test *arguments:
    cargo test --workspace {{ arguments }}

# Writes pictures of every page of the dashboard into a folder; needs chromium-driver and npm.
pictures folder:
    ATUMPAN_SCREENSHOTS="{{ absolute_path(folder) }}" cargo test --workspace --test browser every_page

# Counts files and lines, the longest ones, and circles between files.
count:
    cargo test --quiet --workspace --test tidy longer_than -- --nocapture

# Checks format and lints.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features -- -D warnings

# Checks licences, sources and known vulnerabilities of dependencies; needs cargo-deny and the network.
deny:
    cargo deny check

# Measures the rules of the domain, as with `just bench-domain routing`.
bench-domain *arguments:
    cargo bench -p atumpan-domain -- {{ arguments }}

# Builds the documentation of the code.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Tests the clients and the guides against the service; needs Node.js, Python 3.11 and PHP, and their registries.
clients:
    cargo build -p atumpan-server
    cd clients/node && npm ci && npm test
    python3 -m venv target/clients
    target/clients/bin/pip install --quiet --upgrade 'pip>=25.1'
    target/clients/bin/pip install --quiet --constraint .ci/clients.txt --editable clients/python --group clients/python/pyproject.toml:dev
    cd clients/python && ../../target/clients/bin/python -m pytest --quiet . ../php/tests

# Rehearses the publication of the clients; `just publish-clients --upload` publishes them.
publish-clients *arguments:
    clients/publish {{ arguments }}

# Writes what the clients generate from docs/openapi.json anew.
clients-generate:
    cd clients/node && npm run generate
    cd clients/python && ../../target/clients/bin/python -m generator

# Writes docs/openapi.json anew.
openapi:
    cargo run --quiet -p atumpan-server -- openapi > docs/openapi.json.new
    mv docs/openapi.json.new docs/openapi.json

# Writes the parts of pages that come from the code: settings, commands, metrics, codes, rights, states.
pages:
    WRITE_PAGES=1 cargo test --quiet --workspace --test tidy pages_are_as_the_code_says

# Writes down what the statements of a release name, so that no later migration takes it away.
release-schema:
    cargo test --quiet --workspace --test tidy is_recorded -- --nocapture | sed -n 's/^record: //p' > docs/released-schema.txt.new
    mv docs/released-schema.txt.new docs/released-schema.txt

# Measures the service against PostgreSQL alone, in some eleven minutes.
bench *arguments:
    cargo build --profile dist -p atumpan-server -p bench --bins
    target/dist/bench {{ arguments }}

# Compares a service that exports one trace in a hundred with one that exports none, in two minutes.
bench-traces *arguments:
    cargo build --profile dist -p atumpan-server -p bench --bins --features atumpan-server/otel
    target/dist/bench --traces {{ arguments }}

# Compares a log of ten thousand lines with one of ten million, in some five minutes.
bench-large *arguments:
    cargo build --profile dist -p atumpan-server -p bench --bins
    target/dist/bench --growth 10000000 {{ arguments }}

# Makes the package of Debian, target/debian/atumpan_*.deb; needs cargo-deb 3.
deb:
    ATUMPAN_COMMIT="$(git rev-parse --short HEAD)" cargo deb --manifest-path crates/app/Cargo.toml

# Makes the image `atumpan` of a container; needs Docker.
image:
    docker build -f docs/deploy/Dockerfile --build-arg ATUMPAN_COMMIT="$(git rev-parse --short HEAD)" -t atumpan .

# Prints the bytes of the files that the image copies, of which there may be 60,000,000.
image-size:
    cargo build --locked --profile dist --features otel --bin atumpan
    rm -rf target/image
    install -D --strip target/dist/atumpan target/image/usr/bin/atumpan
    install -D docs/LICENSE target/image/usr/share/doc/atumpan/copyright
    find target/image -type f -printf '%s\n' | awk '{ bytes += $1 } END { print bytes; exit bytes > 60000000 }'

# Makes faults around the service and prints what they did, in some fifteen minutes; or those that are named.
faults *arguments:
    cargo build --release -p atumpan-server -p faults --bins
    target/release/faults {{ arguments }}

# Runs the use cases in simulated worlds, as with `just simulate 5000` or `just simulate --seed 17`.
simulate *arguments:
    cargo run --quiet --release -p simulation -- {{ arguments }}

# Packages the crates that others may depend on; `just packages --verify` compiles each by itself.
packages *arguments:
    .ci/packages {{ arguments }}

# Does all that must hold on a clean clone.
ci:
    .ci/run

# Runs all tests whole, on every PostgreSQL that is supported, and makes all faults: some hours.
ci-long:
    .ci/long
