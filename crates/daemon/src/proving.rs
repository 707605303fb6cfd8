//! The service `cuzk.v1.ProvingEngine`.

use std::time::Instant;

use cuzk_engine::{Cancellation, Eviction, Family, Fetched, JobRequest, Lookup, Status as EngineStatus, Ticket};
use cuzk_proto::v1::{self, proving_engine_server::ProvingEngine};
use tonic::{Request, Response, Status};

use crate::jobs::Jobs;
use crate::request::{self, Rejection};
use crate::{metrics, reply};

pub struct ProvingService(pub Jobs);

/// Whether a job outlives the call that asked for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lifetime {
    OfTheCall,
    Lasting,
}

impl ProvingService {
    /// From a message to a job: reading, joining, decoding, admission, off the threads that answer.
    async fn accept(&self, submit: v1::SubmitProofRequest, lifetime: Lifetime) -> Result<Ticket, Status> {
        self.0.decode(move |jobs| accept(jobs, &submit, lifetime)).await
    }
}

fn accept(jobs: &Jobs, submit: &v1::SubmitProofRequest, lifetime: Lifetime) -> Result<Ticket, Status> {
    let engine = jobs.engine();
    let request::ProofRequest {
        id,
        priority,
        fingerprint,
        winning,
    } = request::read(submit)?;
    let id = id.unwrap_or_else(|| jobs.new_name());
    // A repeated request joins its job before the work of decoding is done again.
    let joined = match lifetime {
        Lifetime::OfTheCall => engine.join(&id, fingerprint),
        Lifetime::Lasting => engine.join_lasting(&id, fingerprint),
    };
    if let Some(ticket) = joined.map_err(|error| reply::submit_error(&error))? {
        return Ok(ticket);
    }
    let task = winning.decode().map_err(Rejection::from)?;
    let request = JobRequest {
        id,
        fingerprint,
        priority,
        task,
    };
    let accepted = match lifetime {
        Lifetime::OfTheCall => engine.submit(request),
        Lifetime::Lasting => engine.submit_lasting(request),
    };
    accepted.map_err(|error| reply::submit_error(&error))
}

#[tonic::async_trait]
impl ProvingEngine for ProvingService {
    async fn submit_proof(
        &self,
        request: Request<v1::SubmitProofRequest>,
    ) -> Result<Response<v1::SubmitProofResponse>, Status> {
        let ticket = self.accept(request.into_inner(), Lifetime::Lasting).await?;
        Ok(Response::new(v1::SubmitProofResponse {
            job_id: ticket.id().to_string(),
            queue_position: ticket.position().0.try_into().unwrap_or(u32::MAX),
            assigned_gpu: String::new(),
        }))
    }

    async fn await_proof(
        &self,
        request: Request<v1::AwaitProofRequest>,
    ) -> Result<Response<v1::AwaitProofResponse>, Status> {
        let v1::AwaitProofRequest { job_id, timeout_ms } = request.into_inner();
        let id = request::id(&job_id)?;
        let outcome = match self.0.engine().find(&id) {
            None => return Err(reply::unknown_job(&id)),
            Some(Lookup::Finished(outcome)) => outcome,
            Some(Lookup::InFlight(mut ticket)) => {
                let wait = self.0.outcome(&mut ticket);
                match request::deadline(timeout_ms) {
                    None => wait.await,
                    Some(deadline) => match tokio::time::timeout_at(deadline.into(), wait).await {
                        Ok(outcome) => outcome,
                        Err(_) => return Ok(Response::new(reply::timed_out(&id))),
                    },
                }
            }
        };
        Ok(reply::with_metadata(reply::outcome(&id, &outcome), &outcome))
    }

    async fn prove(&self, request: Request<v1::ProveRequest>) -> Result<Response<v1::ProveResponse>, Status> {
        let submit = request
            .into_inner()
            .submit
            .ok_or(Rejection::Missing { field: "submit" })?;
        let mut ticket = self.accept(submit, Lifetime::OfTheCall).await?;
        let outcome = self.0.outcome(&mut ticket).await;
        let result = Some(reply::outcome(ticket.id(), &outcome));
        Ok(reply::with_metadata(v1::ProveResponse { result }, &outcome))
    }

    async fn cancel_proof(
        &self,
        request: Request<v1::CancelProofRequest>,
    ) -> Result<Response<v1::CancelProofResponse>, Status> {
        let id = request::id(&request.into_inner().job_id)?;
        let was_running = match self.0.engine().cancel(&id) {
            Cancellation::Unknown => return Err(reply::unknown_job(&id)),
            Cancellation::AlreadyOver | Cancellation::WasQueued => false,
            Cancellation::WasRunning => true,
        };
        Ok(Response::new(v1::CancelProofResponse { was_running }))
    }

    async fn get_status(&self, _: Request<v1::GetStatusRequest>) -> Result<Response<v1::GetStatusResponse>, Status> {
        Ok(Response::new(status(&self.0.engine().status())))
    }

    async fn get_metrics(&self, _: Request<v1::GetMetricsRequest>) -> Result<Response<v1::GetMetricsResponse>, Status> {
        let prometheus_text = metrics::text(&self.0.engine().status());
        Ok(Response::new(v1::GetMetricsResponse { prometheus_text }))
    }

    async fn preload_srs(
        &self,
        request: Request<v1::PreloadSrsRequest>,
    ) -> Result<Response<v1::PreloadSrsResponse>, Status> {
        let kind = request::circuit_id(&request.into_inner().circuit_id)?;
        let start = Instant::now();
        let preload = move |jobs: &Jobs| {
            jobs.engine()
                .preload(&kind)
                .map_err(|error| reply::parameter_error(&error))
        };
        let already_loaded = self.0.blocking(preload).await? == Fetched::FromMemory;
        let load_time_ms = if already_loaded {
            0
        } else {
            reply::milliseconds(start.elapsed())
        };
        Ok(Response::new(v1::PreloadSrsResponse {
            already_loaded,
            load_time_ms,
        }))
    }

    async fn evict_srs(&self, request: Request<v1::EvictSrsRequest>) -> Result<Response<v1::EvictSrsResponse>, Status> {
        let kind = request::circuit_id(&request.into_inner().circuit_id)?;
        let eviction = self.0.blocking(move |jobs| Ok(jobs.engine().evict(&kind))).await?;
        Ok(Response::new(match eviction {
            Eviction::NotLoaded => v1::EvictSrsResponse {
                was_loaded: false,
                freed_bytes: 0,
            },
            Eviction::Evicted { freed_bytes } => v1::EvictSrsResponse {
                was_loaded: true,
                freed_bytes,
            },
        }))
    }
}

/// The fixed strings of the wire; `bench` is ours.
fn queue_name(family: Family) -> &'static str {
    match family {
        Family::WinningPost => "winning-post",
        Family::Porep => "porep-c2",
        Family::Bench => "bench",
    }
}

fn status(status: &EngineStatus) -> v1::GetStatusResponse {
    let srs = status.parameters.iter().map(|parameters| v1::SrsStatus {
        circuit_id: parameters.circuit_id.clone(),
        tier: v1::srs_status::Tier::Hot.into(),
        size_bytes: parameters.bytes,
        ref_count: parameters.users.try_into().unwrap_or(u32::MAX),
    });
    let queues = status.families.iter().map(|family| v1::QueueStatus {
        proof_kind: queue_name(family.family).to_owned(),
        pending: family.pending,
        in_progress: family.in_progress,
    });
    v1::GetStatusResponse {
        gpus: vec![], // The backend of this daemon has none.
        loaded_srs: srs.collect(),
        queues: queues.collect(),
        total_proofs_completed: status.families.iter().map(|family| family.completed).sum(),
        total_proofs_failed: status.families.iter().map(|family| family.failed).sum(),
        uptime_seconds: status.uptime.as_secs(),
        pinned_memory_bytes: 0,
        pinned_memory_limit_bytes: 0,
    }
}
