//! The policy point `connect`: while an effect is had, policy is asked of each connection that it
//! would open, with what its session has come to by then.
//!
//! Must never let a connection be opened that is not on record as permitted.

use super::case::Case;
use super::{Guard, record};
use crate::call::Text;
use crate::policy::{Cause, Connection, Fault, Obligations, Opening};
use std::sync::Arc;
use std::time::Instant;

/// Where one effect asks for its connections. Clones ask for the same one.
#[derive(Debug, Clone)]
pub struct Connecting {
    guard: Arc<Guard>,
    case: Case,
    /// What the permit obliges to be opened.
    obliged: Arc<[Text]>,
}

/// A connection that an effect would open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The how many of its call it is, from 1 on.
    pub number: u32,
    /// The host's name.
    pub host: Text,
    /// The port.
    pub port: u16,
    /// `tunnel` or `plain`.
    pub way: &'static str,
    /// What the effect itself refuses it for, if it does: a word of a closed set. It is recorded
    /// then, and nobody is asked.
    pub refused: Option<&'static str>,
}

/// Why a connection is not to be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unopened {
    /// The effect itself refuses it.
    Refused,
    /// A rule refuses it, or none permits it.
    Policy,
    /// It could not be decided, or not be recorded.
    Unavailable,
}

impl Connecting {
    pub(super) fn new(guard: &Arc<Guard>, case: &Case, obligations: &Obligations) -> Self {
        let obliged = obligations.connect.as_slice().into();
        Self { guard: Arc::clone(guard), case: case.clone(), obliged }
    }

    /// Decides on a connection and records it, before anything is done for it.
    ///
    /// # Errors
    /// Where it is not to be opened.
    pub async fn decide(&self, wanted: &Wanted) -> Result<(), Unopened> {
        let started = Instant::now();
        let opening = match wanted.refused {
            Some(_) => Opening { ruling: Err(Cause::Obligation), findings: Vec::new() },
            None => self.ask(wanted).await,
        };
        let unopened = opening.ruling.err().map(|cause| match (wanted.refused, cause) {
            (Some(_), _) => Unopened::Refused,
            (None, Cause::Indeterminate(_) | Cause::Ledger | Cause::Obligation) => {
                Unopened::Unavailable
            }
            (None, _) => Unopened::Policy,
        });
        let recorded = self.record(wanted, opening).await;
        self.guard.metrics.decision_stage("connect", started.elapsed());
        match (unopened, recorded) {
            (Some(unopened), _) => Err(unopened),
            (None, Err(_)) => Err(Unopened::Unavailable),
            (None, Ok(())) => Ok(()),
        }
    }

    async fn ask(&self, wanted: &Wanted) -> Opening {
        let context = match self.guard.context(&self.case).await {
            Ok(context) => context,
            Err(denial) => {
                return Opening { ruling: Err(denial.ruling.cause()), findings: denial.findings };
            }
        };
        let (case, obliged, wanted) =
            (self.case.clone(), Arc::clone(&self.obliged), wanted.clone());
        let span = tracing::Span::current();
        // Evaluating is pure computation, as judging a call is.
        let asked = tokio::task::spawn_blocking(move || {
            let _entered = span.entered();
            let Wanted { number, ref host, port, way, refused: _ } = wanted;
            let connection = Connection { number, host, port, way, obliged: &obliged };
            case.policy.open(&case.call, case.code.as_ref(), &context, &connection)
        });
        asked.await.unwrap_or_else(|error| {
            tracing::error!(%error, "judging a connection broke off");
            Opening { ruling: Err(Cause::Indeterminate(Fault::Panic)), findings: Vec::new() }
        })
    }

    async fn record(&self, wanted: &Wanted, opening: Opening) -> Result<(), Unopened> {
        let Opening { ruling, findings } = opening;
        let (decision, cause) = match (ruling, wanted.refused) {
            (Ok(()), _) => ("permitted", Cause::Rule.as_str()),
            (Err(_), Some(refused)) => ("denied", refused),
            (Err(cause), None) => ("denied", cause.as_str()),
        };
        for finding in &findings {
            self.guard.metrics.finding(&finding.rule);
        }
        let (host, port) = (&*wanted.host, wanted.port);
        tracing::info!(call = %self.case.call.id, host, port, decision, cause, "connection");
        let told = (decision, cause, findings);
        let record = record::connection(&self.case, wanted, told, self.guard.now());
        self.guard.ledger.connection(record).await.map_err(|error| {
            tracing::error!(%error, "a connection cannot be recorded");
            self.guard.metrics.ledger_error(error.as_str());
            Unopened::Unavailable
        })
    }
}
