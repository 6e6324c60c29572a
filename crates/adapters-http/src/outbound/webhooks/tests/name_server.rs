//! A name server, and its client.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use tokio::net::UdpSocket;

use super::{Id, IpAddr, Names, NoPlace, Organization};

/// Address record of the queried name, with a lifetime of zero: a pointer to the name, type A,
/// class IN, and the length of an address.
const RECORD: [u8; 12] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4];

/// Name server that answers differently each time.
pub(super) struct NameServer {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl NameServer {
    /// Starts a name server that gives the answers in turn, and the last one from then on.
    pub(super) async fn answering(answers: &[&[Ipv4Addr]]) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&asked);
        let answers: Vec<_> = answers.iter().map(|answer| answer.to_vec()).collect();
        tokio::spawn(async move {
            let mut query = [0; 512];
            while let Ok((length, client)) = socket.recv_from(&mut query).await {
                let turn = count.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1);
                let answer = answer(&query[..length], &answers[turn]);
                socket.send_to(&answer, client).await.unwrap();
            }
        });
        Self { address, asked }
    }

    /// Returns the number of queries.
    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Returns the answer to a query with these addresses (RFC 1035, section 4).
fn answer(query: &[u8], addresses: &[Ipv4Addr]) -> Vec<u8> {
    let mut answer = query.to_vec();
    answer[2..4].copy_from_slice(&[0x81, 0x80]);
    answer[7] = addresses.len().try_into().unwrap();
    for address in addresses {
        answer.extend(RECORD);
        answer.extend(address.octets());
    }
    answer
}

/// Returns a query for the IPv4 addresses of a name.
fn query(name: &str) -> Vec<u8> {
    let mut query = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.trim_end_matches('.').split('.') {
        query.push(label.len().try_into().unwrap());
        query.extend(label.as_bytes());
    }
    query.extend([0, 0, 1, 0, 1]);
    query
}

#[async_trait]
impl Names for NameServer {
    async fn addresses(
        &self,
        _organization: Id<Organization>,
        name: &str,
    ) -> Result<Vec<IpAddr>, NoPlace> {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let query = query(name);
        socket.send_to(&query, self.address).await.unwrap();
        let mut answer = [0; 512];
        let length = socket.recv(&mut answer).await.unwrap();
        let records = answer[query.len()..length].chunks(RECORD.len() + 4);
        let octets = records.map(|record| *record.last_chunk::<4>().unwrap());
        Ok(octets.map(|octets| Ipv4Addr::from(octets).into()).collect())
    }
}
