//! The proxy on the container's loopback, through which a program reaches what it may.
//!
//! It decides nothing: each connection is asked for at the gateway. Must never be there for a
//! program that has no connection open to it, nor hold more of one than its window.

mod client;
mod head;

use crate::outbox::Outbox;
use crate::waiting::{Stream, Waiting};
use client::{Client, Life};
use head::Wanted;
use regate_agent::{
    Answered, Close, Connect, Connections, Data, Frame, Kind, PROXY_PORT, Refused, Side, Window,
};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Result};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;

/// One of the proxy's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    Listener,
    /// The program's end of a connection, by the order in which they came.
    Client(u32),
}

/// The proxy; by default, none.
#[derive(Default)]
pub(crate) struct Proxy {
    open: Option<Open>,
}

struct Open {
    listener: TcpListener,
    bounds: Connections,
    /// Those that the program has opened to the proxy, by the order in which they came.
    clients: BTreeMap<u32, Client>,
    accepted: u32,
    /// The number of the last connection that was asked for.
    last: u32,
}

impl Proxy {
    /// Listens.
    pub(crate) fn open(bounds: Connections) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT))?;
        listener.set_nonblocking(true)?;
        let open = Open { listener, bounds, clients: BTreeMap::new(), accepted: 0, last: 0 };
        Ok(Self { open: Some(open) })
    }

    /// What the program's environment says of it; empty where there is none.
    pub(crate) fn address(&self) -> String {
        let told = |_: &Open| format!("http://{}:{PROXY_PORT}", Ipv4Addr::LOCALHOST);
        self.open.as_ref().map(told).unwrap_or_default()
    }

    /// Adds what something can be done with.
    pub(crate) fn wait<'a>(&'a self, waiting: &mut Waiting<'a>, outbox: &Outbox) {
        let Some(open) = &self.open else { return };
        if open.takes_more() {
            waiting.for_reading(Stream::Proxy(Spot::Listener), open.listener.as_fd());
        }
        for (place, client) in &open.clients {
            let stream = Stream::Proxy(Spot::Client(*place));
            if outbox.has_room() && client.listens() {
                waiting.for_reading(stream, client.as_fd());
            }
            if client.has_more() {
                waiting.for_writing(stream, client.as_fd());
            }
        }
    }

    /// Does what can be done with one of its streams.
    pub(crate) fn attend(&mut self, spot: Spot, outbox: &mut Outbox) -> Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        match spot {
            Spot::Listener => open.accept(),
            Spot::Client(place) => open.attend(place, outbox)?,
        }
        Ok(())
    }

    /// Takes what the gateway says of a connection.
    pub(crate) fn hear(&mut self, frame: &Frame, outbox: &mut Outbox) -> Result<()> {
        let open = self.open.as_mut().ok_or(ErrorKind::InvalidInput)?;
        open.hear(frame, outbox)
    }
}

impl Open {
    /// More are let in than may be connected, so that they hear why they are not.
    fn takes_more(&self) -> bool {
        self.clients.len() < usize::try_from(self.bounds.at_once_max).unwrap_or(usize::MAX) * 2
    }

    fn accept(&mut self) {
        while self.takes_more() {
            // One that is gone already is no reason to end.
            let Ok((stream, _)) = self.listener.accept() else { return };
            self.accepted = self.accepted.wrapping_add(1);
            if let Ok(client) = Client::new(stream) {
                self.clients.insert(self.accepted, client);
            }
        }
    }

    fn attend(&mut self, place: u32, outbox: &mut Outbox) -> Result<()> {
        let Some(client) = self.clients.get_mut(&place) else { return Ok(()) };
        client.write(outbox);
        let mut life = client.life();
        if life == Life::Goes && client.listens() {
            life = client.read(outbox);
        }
        if life == Life::Goes {
            self.ask(place, outbox)?;
        } else {
            self.clients.remove(&place);
        }
        Ok(())
    }

    /// Asks for the connection that a client wants, once it has said which.
    fn ask(&mut self, place: u32, outbox: &mut Outbox) -> Result<()> {
        let connected = self.clients.values().filter(|client| client.number().is_some()).count();
        let Some(client) = self.clients.get_mut(&place) else { return Ok(()) };
        let wanted = match client.wanted() {
            Ok(Some(wanted)) => wanted,
            Ok(None) => return Ok(()),
            Err(refused) => {
                client.refuse(refused);
                return Ok(());
            }
        };
        let at_once_max = usize::try_from(self.bounds.at_once_max).unwrap_or(usize::MAX);
        if connected >= at_once_max || self.last >= self.bounds.total_max {
            client.refuse(Refused::Busy);
            return Ok(());
        }
        self.last += 1;
        let Wanted { host, port, way, head_bytes } = wanted;
        client.is_asked_for(self.last, way, head_bytes);
        let connect = Connect { number: self.last, host, port, way };
        outbox.put(Kind::Connect, &serde_json::to_vec(&connect)?);
        Ok(())
    }

    fn hear(&mut self, frame: &Frame, outbox: &mut Outbox) -> Result<()> {
        let unreadable = || ErrorKind::InvalidData;
        let payload = &*frame.payload;
        let number = match frame.kind {
            Kind::Answer => {
                let Answered { number, refused } = serde_json::from_slice(payload)?;
                if let Some(client) = self.client(number)? {
                    client.is_answered(refused, outbox);
                }
                number
            }
            Kind::Data => {
                let Data { number, bytes } = Data::read(payload).ok_or_else(unreadable)?;
                self.client(number)?.map_or(Ok(()), |client| client.take(bytes))?;
                number
            }
            Kind::Window => {
                let Window { number, bytes } = Window::read(payload).ok_or_else(unreadable)?;
                self.client(number)?.map_or(Ok(()), |client| client.may_send(bytes))?;
                number
            }
            Kind::Close => {
                let Close { number, side } = Close::read(payload).ok_or_else(unreadable)?;
                if let Some(client) = self.client(number)? {
                    client.is_closed(side);
                }
                number
            }
            Kind::Start
            | Kind::Source
            | Kind::Go
            | Kind::Ready
            | Kind::Taken
            | Kind::Stdout
            | Kind::Stderr
            | Kind::Event
            | Kind::End
            | Kind::FileHead
            | Kind::FilePiece
            | Kind::Connect => return Err(ErrorKind::InvalidInput.into()),
        };
        self.clients.retain(|_, client| {
            client.number() != Some(number) || {
                client.write(outbox);
                client.life() == Life::Goes
            }
        });
        Ok(())
    }

    /// The client of a connection; nothing where it is gone by now.
    fn client(&mut self, number: u32) -> Result<Option<&mut Client>> {
        if number == 0 || number > self.last {
            return Err(ErrorKind::InvalidInput.into());
        }
        Ok(self.clients.values_mut().find(|client| client.number() == Some(number)))
    }
}

/// Tells the gateway that a connection is over, where there is one.
fn tell_gone(number: Option<u32>, outbox: &mut Outbox) {
    if let Some(number) = number {
        Close { number, side: Side::Both }.put(outbox.frames());
    }
}
