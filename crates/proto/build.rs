//! Generates the wire types. The `.proto` files are compiled by protox, so no `protoc` needs to be installed.

#![allow(clippy::disallowed_methods)] // A build script is told its output directory through the environment.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use prost::Message;

const FILES: [&str; 2] = ["cuzk/v1/proving.proto", "cuzk/control/v1/control.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");
    let descriptors = protox::compile(FILES, ["proto"])?;
    // The test of names and numbers reads the compiled form, not the text.
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("cuzk.fds"),
        descriptors.encode_to_vec(),
    )?;
    tonic_prost_build::configure()
        // Vanilla proofs are large: `Bytes` shares the received buffer instead of copying it.
        .bytes(".cuzk.v1.SubmitProofRequest")
        .compile_fds(descriptors)?;
    Ok(())
}
