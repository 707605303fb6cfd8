//! Names and numbers on the wire, compared with what existing clients use.
//!
//! The expected table is written out by hand: it is the contract, the `.proto` file only implements it.

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};

const COMPILED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cuzk.fds"));

fn file(package: &str) -> FileDescriptorProto {
    let set = FileDescriptorSet::decode(COMPILED).unwrap();
    set.file.into_iter().find(|file| file.package() == package).unwrap()
}

fn type_name(field: &FieldDescriptorProto) -> String {
    let name = match field.r#type() {
        Type::String => "string",
        Type::Bytes => "bytes",
        Type::Uint32 => "uint32",
        Type::Uint64 => "uint64",
        Type::Bool => "bool",
        Type::Enum | Type::Message => field.type_name().rsplit('.').next().unwrap(),
        other => panic!("unexpected type {other:?} of {}", field.name()),
    };
    if field.label() == Label::Repeated {
        format!("repeated {name}")
    } else {
        name.to_owned()
    }
}

fn message_lines(message: &DescriptorProto) -> Vec<String> {
    let field = |field: &FieldDescriptorProto| {
        format!(
            "{} {} {}={}",
            message.name(),
            type_name(field),
            field.name(),
            field.number()
        )
    };
    let nested = message
        .enum_type
        .iter()
        .flat_map(|e| enum_lines(&format!("{}.{}", message.name(), e.name()), e));
    message.field.iter().map(field).chain(nested).collect()
}

fn enum_lines(name: &str, e: &prost_types::EnumDescriptorProto) -> Vec<String> {
    e.value
        .iter()
        .map(|value| format!("{name} {}={}", value.name(), value.number()))
        .collect()
}

fn lines(package: &str) -> Vec<String> {
    let file = file(package);
    let mut lines: Vec<String> = Vec::new();
    for service in &file.service {
        for method in &service.method {
            let last = |path: &str| path.rsplit('.').next().unwrap().to_owned();
            let (input, output) = (last(method.input_type()), last(method.output_type()));
            lines.push(format!("{}.{} {input} -> {output}", service.name(), method.name()));
            assert!(
                !method.client_streaming() && !method.server_streaming(),
                "{} is unary",
                method.name()
            );
        }
    }
    lines.extend(file.enum_type.iter().flat_map(|e| enum_lines(e.name(), e)));
    lines.extend(file.message_type.iter().flat_map(message_lines));
    lines.sort();
    lines
}

#[track_caller]
fn check(package: &str, expected: &str) {
    let mut expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    expected.sort_unstable();
    assert_eq!(lines(package), expected);
}

#[test]
fn the_proving_service_is_the_one_that_existing_clients_call() {
    check("cuzk.v1", PROVING);
}

#[test]
fn the_control_services_keep_their_numbers() {
    check("cuzk.control.v1", CONTROL);
}

const PROVING: &str = "
    ProvingEngine.SubmitProof SubmitProofRequest -> SubmitProofResponse
    ProvingEngine.AwaitProof AwaitProofRequest -> AwaitProofResponse
    ProvingEngine.Prove ProveRequest -> ProveResponse
    ProvingEngine.CancelProof CancelProofRequest -> CancelProofResponse
    ProvingEngine.GetStatus GetStatusRequest -> GetStatusResponse
    ProvingEngine.GetMetrics GetMetricsRequest -> GetMetricsResponse
    ProvingEngine.PreloadSRS PreloadSrsRequest -> PreloadSrsResponse
    ProvingEngine.EvictSRS EvictSrsRequest -> EvictSrsResponse

    ProofKind PROOF_KIND_UNSPECIFIED=0
    ProofKind POREP_SEAL_COMMIT=1
    ProofKind SNAP_DEALS_UPDATE=2
    ProofKind WINDOW_POST_PARTITION=3
    ProofKind WINNING_POST=4

    Priority PRIORITY_UNSPECIFIED=0
    Priority LOW=1
    Priority NORMAL=2
    Priority HIGH=3
    Priority CRITICAL=4

    AwaitProofResponse.Status UNKNOWN=0
    AwaitProofResponse.Status COMPLETED=1
    AwaitProofResponse.Status FAILED=2
    AwaitProofResponse.Status CANCELLED=3
    AwaitProofResponse.Status TIMEOUT=4

    SRSStatus.Tier HOT=0
    SRSStatus.Tier WARM=1
    SRSStatus.Tier COLD=2

    SubmitProofRequest string request_id=1
    SubmitProofRequest ProofKind proof_kind=2
    SubmitProofRequest uint64 sector_size=3
    SubmitProofRequest uint64 registered_proof=4
    SubmitProofRequest Priority priority=5
    SubmitProofRequest bytes vanilla_proof=10
    SubmitProofRequest repeated bytes vanilla_proofs=11
    SubmitProofRequest uint64 sector_number=20
    SubmitProofRequest uint64 miner_id=21
    SubmitProofRequest bytes randomness=22
    SubmitProofRequest uint32 partition_index=23
    SubmitProofRequest bytes comm_r_old=30
    SubmitProofRequest bytes comm_r_new=31
    SubmitProofRequest bytes comm_d_new=32

    SubmitProofResponse string job_id=1
    SubmitProofResponse uint32 queue_position=2
    SubmitProofResponse string assigned_gpu=3

    AwaitProofRequest string job_id=1
    AwaitProofRequest uint64 timeout_ms=2

    AwaitProofResponse string job_id=1
    AwaitProofResponse Status status=2
    AwaitProofResponse bytes proof=3
    AwaitProofResponse string error_message=4
    AwaitProofResponse uint64 queue_wait_ms=10
    AwaitProofResponse uint64 srs_load_ms=11
    AwaitProofResponse uint64 synthesis_ms=12
    AwaitProofResponse uint64 gpu_compute_ms=13
    AwaitProofResponse uint64 total_ms=14

    ProveRequest SubmitProofRequest submit=1
    ProveResponse AwaitProofResponse result=1

    CancelProofRequest string job_id=1
    CancelProofResponse bool was_running=1

    GetStatusResponse repeated GPUStatus gpus=1
    GetStatusResponse repeated SRSStatus loaded_srs=2
    GetStatusResponse repeated QueueStatus queues=3
    GetStatusResponse uint64 total_proofs_completed=4
    GetStatusResponse uint64 total_proofs_failed=5
    GetStatusResponse uint64 uptime_seconds=6
    GetStatusResponse uint64 pinned_memory_bytes=7
    GetStatusResponse uint64 pinned_memory_limit_bytes=8

    GPUStatus uint32 ordinal=1
    GPUStatus string name=2
    GPUStatus uint64 vram_total_bytes=3
    GPUStatus uint64 vram_free_bytes=4
    GPUStatus string current_job_id=5
    GPUStatus string current_proof_kind=6

    SRSStatus string circuit_id=1
    SRSStatus Tier tier=2
    SRSStatus uint64 size_bytes=3
    SRSStatus uint32 ref_count=4

    QueueStatus string proof_kind=1
    QueueStatus uint32 pending=2
    QueueStatus uint32 in_progress=3

    PreloadSrsRequest string circuit_id=1
    PreloadSrsResponse bool already_loaded=1
    PreloadSrsResponse uint64 load_time_ms=2

    EvictSrsRequest string circuit_id=1
    EvictSrsResponse bool was_loaded=1
    EvictSrsResponse uint64 freed_bytes=2

    GetMetricsResponse string prometheus_text=1
";

const CONTROL: &str = "
    Identity.Identify IdentifyRequest -> IdentifyResponse
    Development.ProveSynthetic ProveSyntheticRequest -> ProveSyntheticResponse

    IdentifyResponse uint32 pid=1
    IdentifyResponse string build_token=2
    IdentifyResponse string program_sha256=3
    IdentifyResponse string build_id=4
    IdentifyResponse string version=5
    IdentifyResponse string backend=6

    ProveSyntheticRequest string circuit_id=1
    ProveSyntheticRequest uint64 seed=2
    ProveSyntheticRequest string request_id=3

    ProveSyntheticResponse AwaitProofResponse result=1
    ProveSyntheticResponse repeated PublicInputs public_inputs=2
    ProveSyntheticResponse bool development_parameters=3
    ProveSyntheticResponse string verifying_key_sha256=4

    PublicInputs repeated bytes scalars=1
";
