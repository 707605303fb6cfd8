//! Compiles the build token into the program.

fn main() {
    cuzk_provenance::build_script::emit();
}
