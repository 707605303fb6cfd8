//! The services of `cuzk.control.v1`: who answers, and proofs from seeds where development parameters are allowed.

use blstrs::Scalar;
use cuzk_circuits::{ProofKind, Seed, synthetic};
use cuzk_engine::{JobRequest, Outcome, Priority, Ticket};
use cuzk_groth16::contract::JobId;
use cuzk_groth16::srs::trust::TrustPolicy;
use cuzk_proto::control::{self, development_server::Development, identity_server};
use ff::PrimeField;
use tonic::{Request, Response, Status};

use crate::identity::{Identity, build_token};
use crate::jobs::Jobs;
use crate::{reply, request};

pub struct IdentityService {
    pub identity: Identity,
    pub backend: &'static str,
}

#[tonic::async_trait]
impl identity_server::Identity for IdentityService {
    async fn identify(
        &self,
        _: Request<control::IdentifyRequest>,
    ) -> Result<Response<control::IdentifyResponse>, Status> {
        let identity = self.identity.clone();
        let program = tokio::task::spawn_blocking(move || identity.program_file()).await;
        let program = program
            .map_err(|error| Status::internal(error.to_string()))?
            .map_err(Status::internal)?;
        Ok(Response::new(control::IdentifyResponse {
            pid: std::process::id(),
            build_token: build_token().to_owned(),
            program_sha256: hex::encode(program.sha256),
            build_id: hex::encode(program.build_id),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            backend: self.backend.to_owned(),
        }))
    }
}

pub struct DevelopmentService {
    pub jobs: Jobs,
    pub policy: TrustPolicy,
}

#[tonic::async_trait]
impl Development for DevelopmentService {
    async fn prove_synthetic(
        &self,
        request: Request<control::ProveSyntheticRequest>,
    ) -> Result<Response<control::ProveSyntheticResponse>, Status> {
        if self.policy == TrustPolicy::ProductionOnly {
            return Err(Status::permission_denied(
                "synthetic proofs need development parameters, which are not allowed here \
                 (hint: start the daemon with --allow-development-parameters)",
            ));
        }
        let control::ProveSyntheticRequest {
            circuit_id,
            seed,
            request_id,
        } = request.into_inner();
        let kind = request::circuit_id(&circuit_id)?;
        let id = request::optional_id(&request_id)?;
        let (mut ticket, public_inputs) = self.jobs.decode(move |jobs| accept(jobs, id, kind, seed)).await?;
        let outcome = self.jobs.outcome(&mut ticket).await;
        Ok(reply::with_metadata(
            response(ticket.id(), &outcome, public_inputs),
            &outcome,
        ))
    }
}

fn accept(
    jobs: &Jobs,
    id: Option<JobId>,
    kind: ProofKind,
    seed: u64,
) -> Result<(Ticket, Vec<control::PublicInputs>), Status> {
    let id = id.unwrap_or_else(|| jobs.new_name());
    let fingerprint = request::synthetic_fingerprint(&kind, seed);
    let task = synthetic::task(&kind, Seed(seed)).map_err(|error| Status::internal(error.to_string()))?;
    let public_inputs = task
        .partitions
        .iter()
        .map(|partition| public_inputs(&partition.public_inputs))
        .collect();
    let request = JobRequest {
        id,
        fingerprint,
        priority: Priority::Normal,
        task,
    };
    let ticket = jobs
        .engine()
        .submit(request)
        .map_err(|error| reply::submit_error(&error))?;
    Ok((ticket, public_inputs))
}

fn public_inputs(scalars: &[Scalar]) -> control::PublicInputs {
    control::PublicInputs {
        scalars: scalars.iter().map(|scalar| scalar.to_repr().to_vec()).collect(),
    }
}

fn response(
    id: &JobId,
    outcome: &Outcome,
    public_inputs: Vec<control::PublicInputs>,
) -> control::ProveSyntheticResponse {
    let completed = match outcome {
        Outcome::Completed(completed) => Some(completed),
        Outcome::Failed(_) | Outcome::Cancelled => None,
    };
    control::ProveSyntheticResponse {
        result: Some(reply::outcome(id, outcome)),
        public_inputs,
        development_parameters: completed.is_some_and(|completed| reply::is_development(completed)),
        verifying_key_sha256: completed
            .map(|completed| reply::verifying_key_hex(completed))
            .unwrap_or_default(),
    }
}
