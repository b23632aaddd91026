//! One connection from its beginning to its end.
//!
//! Must never send a byte to a host before the first message was read and found to be for it.

use super::budget::{Budget, Spent};
use super::dial::dial;
use super::line::Line;
use super::{Asked, Egress, Ended, How, Refused, Target, Way, hello, plain};
use crate::call::Text;
use regate_agent::{Connect, Side};
use std::io;
use std::sync::{Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::timeout;

const PIECE_BYTES: usize = 32 << 10;
/// What a host's name may be in the record where it is none.
const HOST_CHARACTERS_MAX: usize = 253;

/// A connection of which the gate is told when this is dropped, wherever it stands then.
#[derive(Debug)]
pub(super) struct Passage<'a> {
    egress: &'a Egress,
    line: &'a Line,
    asked: Asked,
    budget: Budget,
    how: Mutex<How>,
}

/// Why a connection that was open is over.
#[derive(Debug)]
enum Over {
    Spent,
    Broken,
    /// The program says more than the one message that it may.
    More,
}

impl From<Spent> for Over {
    fn from(_: Spent) -> Self {
        Self::Spent
    }
}

impl From<io::Error> for Over {
    fn from(_: io::Error) -> Self {
        Self::Broken
    }
}

/// The first message, as it is sent on, and how many bytes may follow it.
struct First {
    bytes: Vec<u8>,
    /// How much of what the program sent is in it.
    read_bytes: usize,
    rest_bytes_max: u64,
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        let how = *self.how.lock().unwrap_or_else(PoisonError::into_inner);
        // Of a program that is over: whether it had closed its end by itself.
        let how = match (how, self.line.ended()) {
            (How::Run, Some(Side::Sending)) => How::Closed,
            (How::Run, Some(Side::Both)) => How::Broken,
            (how, _) => how,
        };
        let ended = Ended {
            asked: self.asked.clone(),
            how,
            sent_bytes: self.budget.sent.taken(),
            received_bytes: self.budget.received.taken(),
        };
        self.egress.gate.ended(ended);
    }
}

impl<'a> Passage<'a> {
    /// Leads a connection from the program's wish for it to its end.
    pub(super) async fn lead(egress: &'a Egress, line: &'a Line, connect: Connect) {
        let target = Target::new(&connect.host, connect.port);
        let refused = match &target {
            None => Some(Refused::Name),
            Some(target) if !egress.targets.contains(target) => Some(Refused::Unlisted),
            Some(_) => None,
        };
        let host = match &target {
            Some(target) => target.host().into(),
            None => connect.host.chars().take(HOST_CHARACTERS_MAX).collect::<String>().into(),
        };
        let passage = Self::new(egress, line, (host, refused), &connect);
        let how = tokio::select! {
            how = passage.through(target) => how,
            () = line.gone() => How::Broken,
        };
        *passage.how.lock().unwrap_or_else(PoisonError::into_inner) = how;
    }

    fn new(
        egress: &'a Egress,
        line: &'a Line,
        (host, refused): (Text, Option<Refused>),
        connect: &Connect,
    ) -> Self {
        let Connect { number, port, way, host: _ } = *connect;
        Self {
            egress,
            line,
            asked: Asked { number, host, port, way, refused },
            budget: Budget::of_connection(&egress.limits),
            how: Mutex::new(How::Run),
        }
    }

    async fn through(&self, target: Option<Target>) -> How {
        // Where the agent keeps to what it was told, there is always one.
        let _one = self.egress.at_once.acquire().await;
        let stream = match self.open(target.as_ref()).await {
            Ok(stream) => stream,
            Err(refused) => {
                self.line.answer(Some(refused)).await;
                return How::Refused(refused);
            }
        };
        self.line.answer(None).await;
        let Some(target) = target else { return How::Refused(Refused::Name) };
        let first = match timeout(self.egress.limits.open_max(), self.first(&target)).await {
            Ok(Ok(Some(first))) => first,
            // The program has closed it before it said anything whole.
            Ok(Ok(None)) => {
                self.line.close(Side::Both).await;
                return How::Closed;
            }
            Ok(Err(refused)) => return self.turn_away(refused).await,
            Err(_) => return self.turn_away(self.not_understood()).await,
        };
        let how = match timeout(self.egress.limits.lasting_max(), self.carry(stream, first)).await {
            Ok(Ok(())) => How::Closed,
            Ok(Err(Over::Spent)) => How::Bytes,
            Ok(Err(Over::Broken)) => How::Broken,
            Ok(Err(Over::More)) => How::Refused(Refused::Message),
            Err(_) => How::Time,
        };
        self.line.close(Side::Both).await;
        how
    }

    /// Asks, and dials. Nothing is done for a connection before it is permitted.
    async fn open(&self, target: Option<&Target>) -> Result<TcpStream, Refused> {
        self.egress.gate.decide(&self.asked).await?;
        let target = target.filter(|_| self.asked.refused.is_none()).ok_or(Refused::Unlisted)?;
        timeout(self.egress.limits.open_max(), dial(target))
            .await
            .unwrap_or(Err(Refused::Unreachable))
    }

    /// Reads the first message, of which nothing was sent on yet; nothing where it never comes.
    async fn first(&self, target: &Target) -> Result<Option<First>, Refused> {
        let mut said = Vec::new();
        while let Some(bytes) = self.line.next().await {
            said.extend_from_slice(&bytes);
            if let Some(first) = self.read(&said, target)? {
                return Ok(Some(first));
            }
        }
        Ok(None)
    }

    fn read(&self, said: &[u8], target: &Target) -> Result<Option<First>, Refused> {
        match self.asked.way {
            Way::Tunnel => {
                let whole = hello::names(said, target).map_err(|_| Refused::Tls)?;
                let first = || First {
                    bytes: said.to_vec(),
                    read_bytes: said.len(),
                    rest_bytes_max: u64::MAX,
                };
                Ok(whole.then(first))
            }
            Way::Plain => {
                let message = plain::read(said, target).map_err(|_| Refused::Message)?;
                let Some(message) = message else { return Ok(None) };
                let body = said.get(message.read_bytes..).unwrap_or_default();
                let rest_bytes_max = message.body_bytes.checked_sub(body.len() as u64);
                Ok(Some(First {
                    bytes: [&*message.head, body].concat(),
                    read_bytes: said.len(),
                    rest_bytes_max: rest_bytes_max.ok_or(Refused::Message)?,
                }))
            }
        }
    }

    const fn not_understood(&self) -> Refused {
        match self.asked.way {
            Way::Tunnel => Refused::Tls,
            Way::Plain => Refused::Message,
        }
    }

    /// Says on an open connection why it ends, in the words of what should have been spoken.
    async fn turn_away(&self, refused: Refused) -> How {
        match self.asked.way {
            Way::Tunnel => self.line.send(&hello::ALERT).await,
            Way::Plain => self.line.send(&refused.response()).await,
        }
        self.line.close(Side::Both).await;
        How::Refused(refused)
    }

    /// Carries both ways until both ends have said all.
    async fn carry(&self, stream: TcpStream, first: First) -> Result<(), Over> {
        let (from_host, to_host) = stream.into_split();
        tokio::try_join!(self.carry_out(to_host, first), self.carry_in(from_host)).map(|_| ())
    }

    async fn carry_out(&self, mut host: OwnedWriteHalf, first: First) -> Result<(), Over> {
        let First { mut bytes, mut read_bytes, rest_bytes_max: mut left } = first;
        loop {
            self.pay_out(bytes.len())?;
            // A host may have answered without listening to the end: then that is what counts.
            if host.write_all(&bytes).await.is_err() {
                return Ok(());
            }
            self.line.grant(read_bytes).await;
            let Some(more) = self.line.next().await else { break };
            left = left.checked_sub(more.len() as u64).ok_or(Over::More)?;
            (read_bytes, bytes) = (more.len(), more);
        }
        // One that has gone has no more to hear.
        let _ = host.shutdown().await;
        Ok(())
    }

    async fn carry_in(&self, mut host: OwnedReadHalf) -> Result<(), Over> {
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let room = self.line.room(PIECE_BYTES).await;
            let count = host.read(piece.get_mut(..room).unwrap_or_default()).await?;
            if count == 0 {
                self.line.close(Side::Sending).await;
                return Ok(());
            }
            self.budget.received.take(count)?;
            self.egress.budget.received.take(count)?;
            self.line.send(piece.get(..count).unwrap_or_default()).await;
        }
    }

    fn pay_out(&self, bytes: usize) -> Result<(), Spent> {
        self.budget.sent.take(bytes)?;
        self.egress.budget.sent.take(bytes)
    }
}
