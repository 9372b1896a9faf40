//! Which kernels CPUs get.

use broadloom_lanes::Isa;
use broadloom_public_key::kernels;

use crate::common::isas;

/// What this prints is how CI knows that an emulated processor ran the kernels that it is there
/// for.
#[test]
fn lattices_are_on_the_widest_vectors() {
    for cpu in isas() {
        let infos = kernels(&cpu);
        let kernel = |name| {
            let info = infos.iter().find(|info| info.algorithm == name);
            info.expect("it has a kernel for every CPU").kernel
        };
        let [ml_kem, ml_dsa, rsa, curves] = ["ml-kem", "ml-dsa", "rsa", "curves"].map(kernel);
        println!(
            "kernels on {}: ml-kem {ml_kem}, ml-dsa {ml_dsa}, rsa {rsa}, curves {curves}",
            cpu.isa()
        );
        let expected = if cpu.isa() == Isa::Portable { "integers" } else { cpu.isa().name() };
        assert_eq!([ml_kem, ml_dsa], [expected; 2], "{cpu:?}");
    }
}
