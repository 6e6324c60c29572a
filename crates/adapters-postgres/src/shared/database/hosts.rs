//! Hosts of an address, each with its own settings.
//!
//! `tokio-postgres` tries the next host when a connection is refused. The kernel of a frozen server
//! still accepts connections, so each host needs a deadline.

use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

/// Returns the same settings for each host alone. A socket stays on the machine, and no server
/// encrypts it.
pub(crate) fn each(config: &Config) -> Vec<Config> {
    let mut each = alone(config);
    for config in &mut each {
        if matches!(config.get_hosts(), [Host::Unix(_)]) {
            config.ssl_mode(SslMode::Disable);
        }
    }
    each
}

fn alone(config: &Config) -> Vec<Config> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let count = hosts.len().max(addresses.len());
    if count <= 1 {
        return vec![config.clone()];
    }
    let ports = config.get_ports();
    (0..count)
        .map(|index| {
            let mut one = without_hosts(config);
            match hosts.get(index) {
                Some(Host::Tcp(name)) => _ = one.host(name),
                Some(Host::Unix(path)) => _ = one.host_path(path),
                None => {}
            }
            if let Some(address) = addresses.get(index) {
                one.hostaddr(*address);
            }
            if let Some(port) = ports.get(index).or_else(|| ports.first()) {
                one.port(*port);
            }
            one
        })
        .collect()
}

fn without_hosts(config: &Config) -> Config {
    let mut bare = Config::new();
    if let Some(user) = config.get_user() {
        bare.user(user);
    }
    if let Some(password) = config.get_password() {
        bare.password(password);
    }
    if let Some(name) = config.get_dbname() {
        bare.dbname(name);
    }
    if let Some(options) = config.get_options() {
        bare.options(options);
    }
    if let Some(name) = config.get_application_name() {
        bare.application_name(name);
    }
    if let Some(timeout) = config.get_connect_timeout() {
        bare.connect_timeout(*timeout);
    }
    if let Some(timeout) = config.get_tcp_user_timeout() {
        bare.tcp_user_timeout(*timeout);
    }
    if let Some(interval) = config.get_keepalives_interval() {
        bare.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        bare.keepalives_retries(retries);
    }
    bare.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding());
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_keeps_its_port_and_all_other_settings() {
        let config: Config =
            "postgres://ama:secret@one:1,two:2/shop?target_session_attrs=read-write&connect_timeout=7"
                .parse()
                .unwrap();

        let each = each(&config);

        let of = |host: &str, port: u16| -> Config {
            let url =
                "postgres://ama:secret@HOST/shop?target_session_attrs=read-write&connect_timeout=7";
            url.replace("HOST", &format!("{host}:{port}")).parse().unwrap()
        };
        assert_eq!(each, [of("one", 1), of("two", 2)]);
    }

    #[test]
    fn a_socket_is_not_encrypted_whatever_its_neighbours_are() {
        let config: Config = "host=/run/postgresql,one sslmode=require".parse().unwrap();

        let modes: Vec<_> = each(&config).iter().map(Config::get_ssl_mode).collect();

        assert_eq!(modes, [SslMode::Disable, SslMode::Require]);
    }

    #[test]
    fn a_single_port_applies_to_every_host() {
        let config: Config = "host=one,two port=6000 hostaddr=127.0.0.1,127.0.0.2".parse().unwrap();

        let ports: Vec<_> = each(&config).iter().map(|it| it.get_ports().to_vec()).collect();

        assert_eq!(ports, [[6000], [6000]]);
    }
}
