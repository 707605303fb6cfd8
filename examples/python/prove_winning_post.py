#!/usr/bin/env python3
"""Proves a WinningPoSt through a running cuzk daemon, as any gRPC client would.

    pip install grpcio grpcio-tools
    cuzk serve --listen unix:///tmp/cuzk/s --allow-development-parameters &
    cuzk-bench vanilla --proof winning-32g --seed 1 --out vanilla.bin --json > request.json
    python examples/python/prove_winning_post.py unix:///tmp/cuzk/s request.json
"""

import argparse
import importlib
import json
import pathlib
import sys
import tempfile

import grpc
from grpc_tools import protoc

PROTO_ROOT = pathlib.Path(__file__).resolve().parents[2] / "crates/proto/proto"
WINNING_POST = 4  # cuzk.v1.ProofKind
COMPLETED = 1  # cuzk.v1.AwaitProofResponse.Status
SECTOR_BYTES = 32 << 30
PROOF_BYTES = 192


def generated_modules():
    """The message and service modules that protoc makes from the project's .proto file."""
    out = tempfile.mkdtemp(prefix="cuzk-proto-")
    proto = "cuzk/v1/proving.proto"
    arguments = ["protoc", f"-I{PROTO_ROOT}", f"--python_out={out}", f"--grpc_python_out={out}", proto]
    if protoc.main(arguments) != 0:
        sys.exit(f"protoc does not accept {PROTO_ROOT / proto}")
    sys.path.insert(0, out)
    return importlib.import_module("cuzk.v1.proving_pb2"), importlib.import_module("cuzk.v1.proving_pb2_grpc")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("socket", help="address of the daemon, unix:///PATH")
    parser.add_argument("request", type=pathlib.Path, help="what `cuzk-bench vanilla --json` printed")
    arguments = parser.parse_args()
    request = json.loads(arguments.request.read_text())
    messages, services = generated_modules()

    submit = messages.SubmitProofRequest(
        request_id=f"python-{request['seed']}",
        proof_kind=WINNING_POST,
        sector_size=SECTOR_BYTES,
        miner_id=request["miner_id"],
        randomness=bytes.fromhex(request["randomness"]),
        vanilla_proofs=[pathlib.Path(request["file"]).read_bytes()],
    )
    # For a unix socket gRPC's C core sends the escaped path as authority, which HTTP/2 servers refuse as malformed.
    options = [("grpc.default_authority", "localhost")]
    with grpc.insecure_channel(arguments.socket, options) as channel:
        engine = services.ProvingEngineStub(channel)
        result = engine.Prove(messages.ProveRequest(submit=submit)).result
        if result.status != COMPLETED or len(result.proof) != PROOF_BYTES:
            sys.exit(f"no proof: status {result.status}, {result.error_message}")
        print(f"proof {result.proof.hex()}")
        print(f"synthesis {result.synthesis_ms} ms, proving {result.gpu_compute_ms} ms, total {result.total_ms} ms")
        status = engine.GetStatus(messages.GetStatusRequest())
        print(f"daemon: {status.total_proofs_completed} proofs completed, up {status.uptime_seconds} s")


if __name__ == "__main__":
    main()
