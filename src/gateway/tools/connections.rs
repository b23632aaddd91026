//! From a program's connections to the guard that decides on them.
//!
//! Must never answer for the guard: what is not understood is a refusal.

use crate::call::{Json, Number};
use crate::enforce::{Connecting, Unopened, Wanted};
use crate::sandbox::egress::{Asked, Ended, Gate, How, Refused};
use crate::telemetry::Metrics;
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};

/// Hands the connections of one run to the guard, counts them, and keeps what became of them.
#[derive(Debug)]
pub(super) struct Connections {
    connecting: Connecting,
    metrics: Arc<Metrics>,
    ended: Mutex<Vec<Ended>>,
}

impl Connections {
    pub(super) fn new(connecting: &Connecting, metrics: &Arc<Metrics>) -> Arc<Self> {
        let (connecting, metrics) = (connecting.clone(), Arc::clone(metrics));
        Arc::new(Self { connecting, metrics, ended: Mutex::new(Vec::new()) })
    }

    /// What became of them, in the order in which they were asked for.
    pub(super) fn take(&self) -> Vec<Ended> {
        let mut ended =
            std::mem::take(&mut *self.ended.lock().unwrap_or_else(PoisonError::into_inner));
        ended.sort_by_key(|one| one.asked.number);
        ended
    }
}

impl Gate for Connections {
    fn decide<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Result<(), Refused>> {
        Box::pin(async move {
            let refused = asked.refused;
            let wanted = Wanted {
                number: asked.number,
                host: asked.host.clone(),
                port: asked.port,
                way: asked.way.as_str(),
                refused: refused.map(Refused::as_str),
            };
            self.connecting.decide(&wanted).await.map_err(|unopened| match unopened {
                Unopened::Refused => refused.unwrap_or(Refused::Unavailable),
                Unopened::Policy => Refused::Policy,
                Unopened::Unavailable => Refused::Unavailable,
            })
        })
    }

    fn ended(&self, ended: Ended) {
        let decision = match ended.how {
            How::Refused(_) => "denied",
            How::Closed | How::Bytes | How::Time | How::Broken | How::Run => "permitted",
        };
        self.metrics.connection(decision, ended.how.as_str());
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(ended);
    }
}

/// What the ledger keeps of one.
pub(super) fn summary(ended: &Ended) -> Json {
    let Ended { asked, how, sent_bytes, received_bytes } = ended;
    let number = |value: &dyn ToString| Json::Number(Number::new(value.to_string()));
    let members = [
        ("number", number(&asked.number)),
        ("host", Json::String(asked.host.clone())),
        ("port", number(&asked.port)),
        ("ended", Json::String(how.as_str().into())),
        ("sent_bytes", number(sent_bytes)),
        ("received_bytes", number(received_bytes)),
    ];
    Json::Object(members.map(|(key, value)| (key.into(), value)).into())
}
