//! What the services share: the engine, names for jobs without one, and processor work kept off the threads that answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cuzk_engine::{Engine, Outcome, Ticket};
use cuzk_groth16::contract::JobId;
use tokio::sync::Semaphore;
use tonic::Status;

use crate::log;

/// Requests that are decoded at the same time; each takes a processor for some tens of milliseconds.
const CONCURRENT_DECODES: usize = 2;

#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

struct Inner {
    engine: Engine,
    next_name: AtomicU64,
    decodes: Semaphore,
}

impl Jobs {
    pub fn new(engine: Engine) -> Self {
        Self(Arc::new(Inner {
            engine,
            next_name: AtomicU64::new(1),
            decodes: Semaphore::new(CONCURRENT_DECODES),
        }))
    }

    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// A name for a job whose client gave none.
    pub fn new_name(&self) -> JobId {
        loop {
            let number = self.0.next_name.fetch_add(1, Ordering::Relaxed);
            // Clients may have used the name: take the next one.
            if let Some(id) = JobId::new(format!("job-{number}"))
                && !self.0.engine.knows(&id)
            {
                return id;
            }
        }
    }

    /// Runs processor work on a thread of its own kind, a few at a time.
    pub async fn decode<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let closed = |_| Status::unavailable("the daemon is ending");
        let _permit = self.0.decodes.acquire().await.map_err(closed)?;
        self.blocking(work).await
    }

    /// Runs work that blocks on a thread of its own kind.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let jobs = self.clone();
        let result = tokio::task::spawn_blocking(move || work(&jobs)).await;
        result.unwrap_or_else(|error| Err(Status::internal(format!("the request could not be handled: {error}"))))
    }

    /// Waits for a job and notes failures for the operator.
    pub async fn outcome(&self, ticket: &mut Ticket) -> Outcome {
        let outcome = ticket.outcome().await;
        if let Outcome::Failed(error) = &outcome {
            log::line(format!("job {} failed: {error}", ticket.id()));
        }
        outcome
    }
}
