//! The published files, from the manifest that Filecoin's proofs ship (`parameters.json` of filecoin-proofs 19.1).

use crate::digest::{Blake2b128, HexDigest};

/// The published files of one circuit.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    pub circuit_id: &'static str,
    /// Name of the parameter file. The verifying key's file has the same name with `.vk` for `.params`.
    pub params_name: &'static str,
    pub params_digest: Blake2b128,
    pub vk_digest: Blake2b128,
}

/// The files of `circuit_id`, if any are published for it.
pub fn published(circuit_id: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|entry| entry.circuit_id == circuit_id)
}

/// The 32 GiB circuits.
pub const PUBLISHED: &[Published] = &[
    Published {
        circuit_id: "porep-32g",
        params_name: "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820.params",
        params_digest: HexDigest(0x6a388072a518cf46ebd661f5cc46900a_u128.to_be_bytes()),
        vk_digest: HexDigest(0x0c7b4aac1c40fdb7eb82bc355b41addf_u128.to_be_bytes()),
    },
    Published {
        circuit_id: "winning-32g",
        params_name: "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e.params",
        params_digest: HexDigest(0xd84f79a16fe40e9e25a36e2107bb1ba0_u128.to_be_bytes()),
        vk_digest: HexDigest(0xfc02943678dd119e69e7fab8420e8819_u128.to_be_bytes()),
    },
    Published {
        circuit_id: "wpost-32g",
        params_name: "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc.params",
        params_digest: HexDigest(0x2cf49eb26f1fee94c85781a390ddb4c8_u128.to_be_bytes()),
        vk_digest: HexDigest(0x0f8ec542485568fa3468c066e9fed82b_u128.to_be_bytes()),
    },
    Published {
        circuit_id: "snap-32g",
        params_name: "v28-empty-sector-update-merkletree-poseidon_hasher-8-8-0-3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18.params",
        params_digest: HexDigest(0x1b3cfd761a961543f9eb273e435a06a2_u128.to_be_bytes()),
        vk_digest: HexDigest(0x3a6941983754737fde880d29c7094905_u128.to_be_bytes()),
    },
];

#[cfg(test)]
mod tests {
    use storage_proofs_core::parameter_cache::get_parameter_data_from_id;

    use super::*;

    const SECTOR_BYTES: u64 = 32 << 30;

    #[test]
    fn every_entry_is_in_the_manifest_of_filecoin_proofs() {
        for entry in PUBLISHED {
            let params = get_parameter_data_from_id(entry.params_name).expect(entry.circuit_id);
            let vk_name = entry.params_name.replace(".params", ".vk");
            let vk = get_parameter_data_from_id(&vk_name).expect(entry.circuit_id);
            assert_eq!(params.digest, entry.params_digest.to_string(), "{}", entry.circuit_id);
            assert_eq!(vk.digest, entry.vk_digest.to_string(), "{}", entry.circuit_id);
            assert_eq!((params.sector_size, vk.sector_size), (SECTOR_BYTES, SECTOR_BYTES));
        }
    }

    /// Names end in the SHA-256 of the public parameters' identifier, which says what the circuit is.
    #[test]
    fn the_two_proofs_of_spacetime_are_not_confused() {
        use sha2::{Digest as _, Sha256};
        for (circuit_id, challenges, sectors) in [("winning-32g", 1, 66), ("wpost-32g", 10, 2349)] {
            let identifier = format!(
                "FallbackPoSt::PublicParams{{sector_size: {SECTOR_BYTES}, challenge_count: {challenges}, sector_count: {sectors}}}"
            );
            let digest = hex::encode(Sha256::digest(identifier));
            let name = published(circuit_id).unwrap().params_name;
            assert!(name.ends_with(&format!("-{digest}.params")), "{circuit_id} is {name}");
        }
    }

    #[test]
    fn other_circuits_have_no_published_files() {
        assert!(published("bench:16:0.9").is_none());
        assert!(published("").is_none());
    }
}
