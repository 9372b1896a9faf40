//! P-256, P-384, P-521 and secp256k1: the examples of RFC 6979, and the definition of the curves.

use std::string::String;
use std::vec::Vec;

use broadloom_lanes::{OutOfOrder, Planner};
use num_bigint::BigUint;

use super::reference::Reference;
use super::{cpus, hex, many};
use crate::curves::weierstrass::{PrivateKey, PublicKey};
use crate::curves::{CurveError, CurveJob};
use crate::kernels::curves::weierstrass::curve::{Curve, Multiples};
use crate::kernels::curves::weierstrass::error::CurveKeyError;
use crate::kernels::curves::weierstrass::p256::P256;
use crate::kernels::curves::weierstrass::p384::P384;
use crate::kernels::curves::weierstrass::p521::P521;
use crate::kernels::curves::weierstrass::points::{Point, table};
use crate::kernels::curves::weierstrass::secp256k1::Secp256k1;
use crate::{CurveInputError, CurveLanes, X25519Key};

type Job<'a, T> = CurveJob<'a, Vec<u8>, T>;

/// An operation on a job's input, by which tests call it for any curve.
type Made<'a, T> = Result<Job<'a, T>, CurveInputError>;

/// A curve as tests see it.
trait Tested<const K: usize>: Curve<K> {
    /// The numbers of the curve, in hexadecimal digits, as [`Reference::new`] takes them.
    const REFERENCE: [&'static str; 4];

    /// The private key of RFC 6979, section A.2, and the coordinates of its point.
    const KNOWN_KEY: [&'static str; 3];

    /// Nonces and signatures of the same section, of messages with the longest hash that is not
    /// longer than numbers.
    const KNOWN: [[&'static str; 4]; 2];

    /// The file of the table, below the sources.
    const TABLE_FILE: &'static str;

    /// Returns the number of a message's digest.
    fn digest(message: &str) -> Vec<u8>;

    fn private(bytes: &[u8]) -> Result<PrivateKey<Self, K>, CurveKeyError>;

    fn public(bytes: &[u8]) -> Result<PublicKey<Self, K>, CurveKeyError>;

    fn sign<'a, T>(
        key: &'a PrivateKey<Self, K>,
        nonce: &'a PrivateKey<Self, K>,
        input: Vec<u8>,
        user: T,
    ) -> Made<'a, T>;

    fn verify<T>(key: &PublicKey<Self, K>, input: Vec<u8>, user: T) -> Made<'_, T>;

    fn agree<T>(key: &PrivateKey<Self, K>, input: Vec<u8>, user: T) -> Made<'_, T>;

    fn point<T>(key: &PrivateKey<Self, K>, room: Vec<u8>, user: T) -> Made<'_, T>;

    /// Returns the whole table of the base point.
    fn whole_table() -> Vec<Multiples<K>>;
}

macro_rules! tested {
    (
        $curve:ident, $words:literal, $hash:ident, $rows:literal, $file:literal,
        $sign:ident, $verify:ident, $agree:ident, $point:ident, $($constants:item)*
    ) => {
        impl Tested<$words> for $curve {
            $($constants)*

            const TABLE_FILE: &'static str = $file;

            fn digest(message: &str) -> Vec<u8> {
                use sha2::Digest;

                let digest = sha2::$hash::digest(message);
                let mut number = std::vec![0; Self::BYTES - digest.len()];
                number.extend(digest);
                number
            }

            fn private(bytes: &[u8]) -> Result<PrivateKey<Self, $words>, CurveKeyError> {
                PrivateKey::new(bytes.try_into().expect("as long as a number"))
            }

            fn public(bytes: &[u8]) -> Result<PublicKey<Self, $words>, CurveKeyError> {
                PublicKey::new(bytes.try_into().expect("as long as two numbers"))
            }

            fn sign<'a, T>(
                key: &'a PrivateKey<Self, $words>,
                nonce: &'a PrivateKey<Self, $words>,
                input: Vec<u8>,
                user: T,
            ) -> Made<'a, T> {
                CurveJob::$sign(key, nonce, input, user)
            }

            fn verify<T>(
                key: &PublicKey<Self, $words>,
                input: Vec<u8>,
                user: T,
            ) -> Made<'_, T> {
                CurveJob::$verify(key, input, user)
            }

            fn agree<T>(
                key: &PrivateKey<Self, $words>,
                input: Vec<u8>,
                user: T,
            ) -> Made<'_, T> {
                CurveJob::$agree(key, input, user)
            }

            fn point<T>(
                key: &PrivateKey<Self, $words>,
                room: Vec<u8>,
                user: T,
            ) -> Made<'_, T> {
                CurveJob::$point(key, room, user)
            }

            fn whole_table() -> Vec<Multiples<$words>> {
                table::<Self, $words, $rows>(&Point::BASE, 5).to_vec()
            }
        }
    };
}

tested! {
    P256, 4, Sha256, 52, "p256.bin", p256_sign, p256_verify, p256_agree, p256_public,

    const REFERENCE: [&'static str; 4] = [
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
    ];

    const KNOWN_KEY: [&'static str; 3] = [
        "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6",
        "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
    ];

    const KNOWN: [[&'static str; 4]; 2] = [
        [
            "sample",
            "a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60",
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
            "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        ],
        [
            "test",
            "d16b6ae827f17175e040871a1c7ec3500192c4c92677336ec2537acaee0008e0",
            "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
            "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
        ],
    ];
}

tested! {
    P384, 6, Sha384, 78, "p384.bin", p384_sign, p384_verify, p384_agree, p384_public,

    const REFERENCE: [&'static str; 4] = [
        "ffffffffffffffffffffffffffffffffffffffffffffffff\
         fffffffffffffffeffffffff0000000000000000ffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffff\
         c7634d81f4372ddf581a0db248b0a77aecec196accc52973",
        "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b98\
         59f741e082542a385502f25dbf55296c3a545e3872760ab7",
        "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147c\
         e9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f",
    ];

    const KNOWN_KEY: [&'static str; 3] = [
        "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba\
         9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
        "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e\
         06aae5286b300c64def8f0ea9055866064a254515480bc13",
        "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9\
         f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
    ];

    const KNOWN: [[&'static str; 4]; 2] = [
        [
            "sample",
            "94ed910d1a099dad3254e9242ae85abde4ba15168eaf0ca8\
             7a555fd56d10fbca2907e3e83ba95368623b8c4686915cf9",
            "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa7\
             3d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46",
            "99ef4aeb15f178cea1fe40db2603138f130e740a19624526\
             203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8",
        ],
        [
            "test",
            "015ee46a5bf88773ed9123a5ab0807962d193719503c527b\
             031b4c2d225092ada71f4a459bc0da98adb95837db8312ea",
            "8203b63d3c853e8d77227fb377bcf7b7b772e97892a80f36\
             ab775d509d7a5feb0542a7f0812998da8f1dd3ca3cf023db",
            "ddd0760448d42d8a43af45af836fce4de8be06b485e9b61b\
             827c2f13173923e06a739f040649a667bf3b828246baa5a5",
        ],
    ];
}

tested! {
    P521, 9, Sha512, 106, "p521.bin", p521_sign, p521_verify, p521_agree, p521_public,

    const REFERENCE: [&'static str; 4] = [
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
         fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
        "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3d\
         baa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66",
        "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e66\
         2c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650",
    ];

    const KNOWN_KEY: [&'static str; 3] = [
        "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75ca\
         a896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538",
        "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd37\
         1123d46e45db6b5d5370a7f20fb633155d38ffa16d2bd761dcac474b9a2f5023a4",
        "00493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f746a28\
         a0db25741b5b34a828008b22acc23f924faafbd4d33f81ea66956dfeaa2bfdfcf5",
    ];

    const KNOWN: [[&'static str; 4]; 2] = [
        [
            "sample",
            "01dae2ea071f8110dc26882d4d5eae0621a3256fc8847fb9022e2b7d28e6f10198\
             b1574fdd03a9053c08a1854a168aa5a57470ec97dd5ce090124ef52a2f7ecbffd3",
            "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f17\
             4e25a1ee9017b5d450606add152b534931d7d4e8455cc91f9b15bf05ec36e377fa",
            "00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b68af28\
             2623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a",
        ],
        [
            "test",
            "016200813020ec986863bedfc1b121f605c1215645018aea1a7b215a564de9eb1b\
             38a67aa1128b80ce391c4fb71187654aaa3431027bfc7f395766ca988c964dc56d",
            "013e99020abf5cee7525d16b69b229652ab6bdf2affcaef38773b4b7d08725f10c\
             db93482fdcc54edcee91eca4166b2a7c6265ef0ce2bd7051b7cef945babd47ee6d",
            "01fbd0013c674aa79cb39849527916ce301c66ea7ce8b80682786ad60f98f7e78a\
             19ca69eff5c57400e3b3a0ad66ce0978214d13baf4e9ac60752f7b155e2de4dce3",
        ],
    ];
}

tested! {
    Secp256k1, 4, Sha256, 52, "secp256k1.bin", secp256k1_sign, secp256k1_verify, secp256k1_agree,
    secp256k1_public,

    const REFERENCE: [&'static str; 4] = [
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
    ];

    // The RFC has no example on this curve. This is its key on P-256, whose signatures were made
    // here by another program.
    const KNOWN_KEY: [&'static str; 3] = [
        "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        "2c8c31fc9f990c6b55e3865a184a4ce50e09481f2eaeb3e60ec1cea13a6ae645",
        "64b95e4fdb6948c0386e189b006a29f686769b011704275e4459822dc3328085",
    ];

    const KNOWN: [[&'static str; 4]; 2] = [
        [
            "sample",
            "a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60",
            "432310e32cb80eb6503a26ce83cc165c783b870845fb8aad6d970889fcd7a6c8",
            "530128b6b81c548874a6305d93ed071ca6e05074d85863d4056ce89b02bfab69",
        ],
        [
            "test",
            "d16b6ae827f17175e040871a1c7ec3500192c4c92677336ec2537acaee0008e0",
            "f2adcea7139057be6409855ee96d008e0e5b5f532333ec17448e26a36f47bcb2",
            "570c9d342779b40f513c0d75cbf93e3f3de7b01f6593f17bfc2ee87151414d64",
        ],
    ];
}

/// Makes a test of each function, for each curve.
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        mod p256 {
            $(#[test] fn $name() { super::$name::<super::P256, 4>() })*
        }

        mod p384 {
            $(#[test] fn $name() { super::$name::<super::P384, 6>() })*
        }

        mod p521 {
            $(#[test] fn $name() { super::$name::<super::P521, 9>() })*
        }

        mod secp256k1 {
            $(#[test] fn $name() { super::$name::<super::Secp256k1, 4>() })*
        }
    };
}

tests!(
    the_multiples_of_the_reference_are_sums,
    signatures_are_those_of_the_standard_alone_and_in_full_lanes,
    products_are_those_of_the_definition,
    public_keys_are_those_of_the_definition_in_any_number,
    sums_that_are_doublings_or_neutral_are_verified_rightly,
    wrong_signatures_beside_right_ones_do_not_verify,
    points_off_the_curve_have_no_secret_and_those_beside_them_have,
    bad_keys_are_refused_by_the_rule_that_they_break,
    the_table_has_the_multiples_of_the_base_point,
);

fn reference<C: Tested<K>, const K: usize>() -> Reference {
    Reference::new(C::REFERENCE, C::A_IS_ZERO)
}

fn private<C: Tested<K>, const K: usize>(number: &BigUint) -> PrivateKey<C, K> {
    C::private(&reference::<C, K>().bytes(number)).expect("below the order")
}

/// Returns a number below the order that looks random.
fn random(curve: &Reference, seed: u64) -> BigUint {
    let word =
        |i: u64| ((seed + 1) * (2 * i + 7)).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    let words: Vec<_> = (0..curve.bytes.div_ceil(8) as u64).map(word).collect();
    BigUint::from_bytes_le(&words.concat()) % &curve.order
}

/// Returns the numbers from one to the order less one: at both ends, where digits are at their
/// extremes, near multiples of 32, and others. In the products with the order less 18 and less 2,
/// whose last digits are the order's with another sign, a sum of equal points must be avoided.
fn numbers(curve: &Reference) -> Vec<BigUint> {
    let (one, n, bits) = (BigUint::from(1u8), &curve.order, curve.order.bits() as usize);
    let mut numbers = Vec::new();
    for small in [1u8, 2, 15, 16, 17, 18, 31, 32, 33, 48] {
        numbers.extend([BigUint::from(small), n - small]);
    }
    for power in [5, 64, bits - 32, bits - 31, bits - 6, bits - 1] {
        let power = &one << power;
        numbers.extend([&power - 1u8, power.clone(), &power + 1u8, n - &power]);
    }
    // All digits but the highest are -16, or all are 15. Above that, the highest digit of P-384 is
    // 1, and that of P-521 is 0.
    for digits in [bits / 5, bits.div_ceil(5)] {
        let ones: BigUint = (0..digits).map(|at| &one << (5 * at)).sum();
        let highest = &one << (5 * digits);
        numbers.extend([
            highest - &ones * 16u8,
            &ones * 15u8,
            &ones * 15u8 + 1u8,
            &ones * 15u8 + 2u8,
        ]);
    }
    numbers.retain(|number| number < n);
    numbers.extend((0..many(12) as u64).map(|seed| random(curve, seed)));
    numbers
}

fn outputs<T>(jobs: &[Job<'_, T>]) -> Vec<Option<Vec<u8>>> {
    let output = |job: &Job<'_, T>| match job.output().expect("complete") {
        Ok(output) => Some(output.to_vec()),
        Err(CurveError) => None,
    };
    jobs.iter().map(output).collect()
}

fn verified<C: Tested<K>, const K: usize>(
    planner: &mut Planner<CurveLanes>,
    checks: &[(PublicKey<C, K>, Vec<u8>)],
) -> Vec<bool> {
    let mut jobs: Vec<_> = checks
        .iter()
        .map(|(key, input)| C::verify(key, input.clone(), ()).expect("three numbers"))
        .collect();
    planner.process_many(&mut jobs);
    outputs(&jobs)
        .into_iter()
        .map(|output| {
            output.inspect(|zeros| assert_eq!(zeros, &std::vec![0; 3 * C::BYTES])).is_some()
        })
        .collect()
}

/// Multiples as tests expect them are sums by the definition: up to the 40th, and at the order,
/// where the sum is neutral.
fn the_multiples_of_the_reference_are_sums<C: Tested<K>, const K: usize>() {
    let curve = reference::<C, K>();
    let mut sum = None;
    for number in 0..=40u8 {
        assert_eq!(curve.multiple(&BigUint::from(number), &curve.base), sum, "{number}");
        sum = curve.sum(&sum, &curve.base);
    }
    let last = curve.multiple(&(&curve.order - 1u8), &curve.base);
    assert_eq!(last, curve.negative(&curve.base));
    assert_eq!(curve.sum(&last, &curve.base), None);
    assert_eq!(curve.multiple(&curve.order, &curve.base), None);
    let [one, other] = [1, 2].map(|seed| random(&curve, seed));
    let products = [&one, &other].map(|number| curve.multiple(number, &curve.base));
    let sum = curve.multiple(&(one + other), &curve.base);
    assert_eq!(curve.sum(&products[0], &products[1]), sum);
}

fn signatures_are_those_of_the_standard_alone_and_in_full_lanes<C: Tested<K>, const K: usize>() {
    let [key, x, y] = C::KNOWN_KEY;
    let key = C::private(&hex(key)).expect("a key");
    let public = C::public(&hex(&[x, y].concat())).expect("a point");
    let known: Vec<_> = C::KNOWN
        .iter()
        .map(|[message, nonce, r, s]| {
            let nonce = C::private(&hex(nonce)).expect("a nonce");
            (nonce, C::digest(message), hex(&[*r, *s].concat()))
        })
        .collect();
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for count in [1, 2, 3, planner.lanes(), planner.lanes() + 1, 17] {
            let all: Vec<_> = known.iter().cycle().take(count).collect();
            let mut jobs: Vec<_> = all
                .iter()
                .map(|(nonce, digest, _)| {
                    let input = [digest.clone(), std::vec![0xaa; C::BYTES]].concat();
                    C::sign(&key, nonce, input, ()).expect("two numbers")
                })
                .collect();
            planner.process_many(&mut jobs);
            for (output, (_, _, expected)) in outputs(&jobs).iter().zip(&all) {
                assert_eq!(output.as_ref(), Some(expected), "{}", cpu.isa());
            }
            let checks: Vec<_> = all
                .iter()
                .map(|(_, digest, signature)| (public.clone(), [&digest[..], signature].concat()))
                .collect();
            assert!(verified(&mut planner, &checks).iter().all(|right| *right), "{}", cpu.isa());
        }
    }
}

/// Of the base point by signatures, of others by shared secrets.
fn products_are_those_of_the_definition<C: Tested<K>, const K: usize>() {
    let curve = reference::<C, K>();
    let other = curve.multiple(&BigUint::from(12_345u32), &curve.base);
    let expected: Vec<_> = numbers(&curve)
        .into_iter()
        .enumerate()
        .map(|(at, number)| {
            // An agreement with a product of the base point is one more multiplication of that.
            let point = if at % 3 == 0 { curve.base.clone() } else { other.clone() };
            let x = curve.multiple(&number, &point).expect("below the order").0;
            let signed = random(&curve, at as u64 + 77);
            let right = curve.signature(&random(&curve, at as u64), &number, &signed);
            (number, curve.coordinates(&point), curve.bytes(&x), signed, right)
        })
        .collect();
    for cpu in cpus() {
        let keys: Vec<_> =
            (0..expected.len() as u64).map(|seed| private::<C, K>(&random(&curve, seed))).collect();
        let scalars: Vec<_> = expected.iter().map(|(number, ..)| private::<C, K>(number)).collect();
        // Other operations are in between.
        let x25519 = X25519Key::new(&[7; 32]);
        let mut manager = OutOfOrder::new(&cpu, 64);
        let mut checked = 0;
        let mut check = |job: Job<'_, Option<(usize, bool)>>| {
            let output = job.output().expect("complete").expect("good points and nonces");
            let Some((at, signs)) = *job.user() else { return };
            let (number, _, x, _, right) = &expected[at];
            match signs {
                true => assert_eq!(output, right, "{number:x} on {}", cpu.isa()),
                false => {
                    assert_eq!(
                        output,
                        [x.clone(), std::vec![0; C::BYTES]].concat(),
                        "{number:x} on {}",
                        cpu.isa()
                    )
                }
            }
            checked += 1;
        };
        for (at, (_, point, _, signed, _)) in expected.iter().enumerate() {
            let input = [curve.bytes(signed), std::vec![0; C::BYTES]].concat();
            let jobs = [
                C::sign(&keys[at], &scalars[at], input, Some((at, true))),
                C::agree(&scalars[at], point.to_vec(), Some((at, false))),
                CurveJob::x25519(&x25519, std::vec![9; 32], None),
            ];
            for job in jobs.into_iter().take(if at % 7 == 0 { 3 } else { 2 }) {
                manager.submit(job.expect("the right length")).into_iter().for_each(&mut check);
            }
        }
        core::iter::from_fn(|| manager.flush()).for_each(&mut check);
        assert_eq!(checked, 2 * expected.len());
    }
}

/// Returns a signature of which the base point is to be multiplied by `u`, and the key's by `v`;
/// right, if their sum is not neutral.
fn made<C: Tested<K>, const K: usize>(
    key: &BigUint,
    u: &BigUint,
    v: &BigUint,
) -> (PublicKey<C, K>, Vec<u8>, bool) {
    let curve = reference::<C, K>();
    let n = &curve.order;
    let point = curve.multiple(key, &curve.base);
    let products = curve.sum(&curve.multiple(u, &curve.base), &curve.multiple(v, &point));
    let is_right = products.is_some();
    let r = products.map_or(BigUint::from(5u8), |(x, _)| x % n);
    let s = &r * v.modinv(n).expect("not zero") % n;
    let number = u * &s % n;
    let input = [&number, &r, &s].map(|number| curve.bytes(number)).concat();
    (C::public(&curve.coordinates(&point)).expect("a point"), input, is_right)
}

fn sums_that_are_doublings_or_neutral_are_verified_rightly<C: Tested<K>, const K: usize>() {
    let curve = reference::<C, K>();
    let n = &curve.order;
    let mut checks = Vec::new();
    let keys = [BigUint::from(1u8), n - 1u8, BigUint::from(2u8), n - 32u8, random(&curve, 9)];
    for (at, key) in keys.iter().enumerate() {
        let v = random(&curve, at as u64 + 20);
        let own = key * &v % n;
        for (u, v) in [
            // Twice a point; no point; only one of the products; and close to that.
            (own.clone(), v.clone()),
            (n - &own, v.clone()),
            (BigUint::ZERO, v.clone()),
            ((&own + 1u8) % n, v.clone()),
            (key.clone(), BigUint::from(1u8)),
            (n - key, BigUint::from(1u8)),
            (key * 3u8 % n, BigUint::from(2u8)),
        ] {
            checks.push(made::<C, K>(key, &u, &v));
        }
    }
    assert!(checks.iter().any(|(_, _, is_right)| !is_right));
    // Keys with their multiples and without, in turn and in groups.
    for prepared in [|_| false, |_| true, |at| at % 2 == 0, |at| at / 8 % 2 == 0, |at| at % 8 == 0]
        as [fn(usize) -> bool; 5]
    {
        let with = |(at, (key, input, _)): (usize, &(PublicKey<C, K>, Vec<u8>, bool))| {
            let mut key = key.clone();
            if prepared(at) {
                key.prepare();
            }
            (key, input.clone())
        };
        let inputs: Vec<_> = checks.iter().enumerate().map(with).collect();
        for cpu in cpus() {
            let mut planner = Planner::new(&cpu);
            let together = verified(&mut planner, &inputs);
            for (at, (_, _, expected)) in checks.iter().enumerate() {
                assert_eq!(together[at], *expected, "{at} on {}", cpu.isa());
                let alone = verified(&mut planner, &inputs[at..=at]);
                assert_eq!(alone, [*expected], "{at} on {}", cpu.isa());
            }
        }
    }
}

fn wrong_signatures_beside_right_ones_do_not_verify<C: Tested<K>, const K: usize>() {
    let curve = reference::<C, K>();
    let (n, bytes) = (&curve.order, curve.bytes);
    let [key, u, v] = [1, 2, 3].map(|seed| random(&curve, seed));
    let (key, right, _) = made::<C, K>(&key, &u, &v);
    let flipped = (0..24 * bytes).step_by(24 * bytes / many(48)).map(|bit| {
        let mut wrong = right.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        wrong
    });
    let with = |at: usize, number: &BigUint| {
        let mut wrong = right.clone();
        wrong[at..at + bytes].copy_from_slice(&curve.bytes(number));
        wrong
    };
    let [r, s] = [bytes, 2 * bytes].map(|at| BigUint::from_bytes_be(&right[at..at + bytes]));
    let out_of_range = [bytes, 2 * bytes].into_iter().flat_map(|at| {
        let highest = (BigUint::from(1u8) << (8 * bytes)) - 1u8;
        [BigUint::ZERO, n.clone(), n + 1u8, highest].map(|number| with(at, &number))
    });
    let mut wrong: Vec<_> = flipped.chain(out_of_range).collect();
    wrong.extend([with(bytes, &(n - &r)), std::vec![0; 3 * bytes], std::vec![0xff; 3 * bytes]]);
    // The other nonce of the same r verifies, too.
    let other = with(2 * bytes, &(n - &s));
    let mut checks: Vec<_> = wrong
        .into_iter()
        .flat_map(|wrong| [(key.clone(), wrong), (key.clone(), right.clone())])
        .collect();
    checks.extend([(key.clone(), right[..].to_vec()), (key, other)]);
    for cpu in cpus() {
        let results = verified(&mut Planner::new(&cpu), &checks);
        for (at, is_right) in results.iter().enumerate() {
            let expected = at % 2 == 1 || at + 2 == checks.len();
            assert_eq!(*is_right, expected, "{at} on {}", cpu.isa());
        }
    }
}

fn public_keys_are_those_of_the_definition_in_any_number<C: Tested<K>, const K: usize>() {
    let curve = reference::<C, K>();
    let [known, x, y] = C::KNOWN_KEY;
    let mut all = std::vec![(C::private(&hex(known)).expect("a key"), hex(&[x, y].concat()))];
    all.extend(numbers(&curve).into_iter().map(|number| {
        let point = curve.multiple(&number, &curve.base);
        (private::<C, K>(&number), curve.coordinates(&point))
    }));
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for count in [1, 2, planner.lanes(), planner.lanes() + 1, all.len()] {
            let room = |at| std::vec![at as u8; 2 * curve.bytes];
            let mut jobs: Vec<_> = all
                .iter()
                .take(count)
                .enumerate()
                .map(|(at, (key, _))| C::point(key, room(at), ()).expect("two numbers"))
                .collect();
            planner.process_many(&mut jobs);
            for (output, (_, point)) in outputs(&jobs).iter().zip(&all) {
                assert_eq!(output.as_ref(), Some(point), "{count} on {}", cpu.isa());
            }
        }
    }
}

fn points_off_the_curve_have_no_secret_and_those_beside_them_have<C: Tested<K>, const K: usize>() {
    let curve = reference::<C, K>();
    let (one, other) = (random(&curve, 4), random(&curve, 5));
    let [ours, theirs] = [&one, &other].map(|key| curve.multiple(key, &curve.base));
    let shared = curve.multiple(&other, &ours).expect("not neutral").0;
    let (x, y) = theirs.clone().expect("not neutral");
    let point = |x: &BigUint, y: &BigUint| [curve.bytes(x), curve.bytes(y)].concat();
    let bad = [
        point(&x, &(&y + 1u8)),
        point(&y, &x),
        point(&curve.prime, &y),
        point(&x, &curve.prime),
        point(&BigUint::ZERO, &BigUint::ZERO),
        std::vec![0xff; 2 * curve.bytes],
    ];
    let (one, other) = (private::<C, K>(&one), private::<C, K>(&other));
    let negative = curve.negative(&theirs);
    for cpu in cpus() {
        let mut planner = Planner::new(&cpu);
        for bad in &bad {
            let inputs = [(&one, &theirs), (&one, &None), (&other, &ours), (&one, &negative)];
            let mut jobs: Vec<_> = inputs
                .into_iter()
                .map(|(key, point)| {
                    let input = match point {
                        Some(_) => curve.coordinates(point),
                        None => bad.clone(),
                    };
                    C::agree(key, input, ()).expect("two numbers")
                })
                .collect();
            planner.process_many(&mut jobs);
            let right = [curve.bytes(&shared), std::vec![0; curve.bytes]].concat();
            let right = Some(right);
            let expected = [right.clone(), None, right.clone(), right];
            assert_eq!(outputs(&jobs), expected, "{bad:x?} on {}", cpu.isa());
            let (buffer, ()) = jobs.swap_remove(1).into_parts();
            assert_eq!(buffer, std::vec![0; 2 * curve.bytes]);
        }
    }
}

fn bad_keys_are_refused_by_the_rule_that_they_break<C: Tested<K>, const K: usize>() {
    let curve = reference::<C, K>();
    let n = &curve.order;
    for bad in [BigUint::ZERO, n.clone(), n + 1u8] {
        assert_eq!(C::private(&curve.bytes(&bad)).unwrap_err(), CurveKeyError::Scalar);
    }
    let (x, y) = curve.base.clone().expect("a point");
    let refused = |x: &BigUint, y: &BigUint| {
        let both = [curve.bytes(x), curve.bytes(y)].concat();
        C::public(&both).map(|key| key.bytes().as_ref().to_vec()).unwrap_err()
    };
    assert_eq!(refused(&curve.prime, &y), CurveKeyError::Coordinate);
    assert_eq!(refused(&x, &(&curve.prime + 1u8)), CurveKeyError::Coordinate);
    assert_eq!(refused(&x, &(&y + 1u8)), CurveKeyError::OffCurve);
    assert_eq!(refused(&BigUint::ZERO, &BigUint::ZERO), CurveKeyError::OffCurve);
    let texts: Vec<String> =
        [CurveKeyError::Scalar, CurveKeyError::Coordinate, CurveKeyError::OffCurve]
            .map(|error| std::format!("{error}"))
            .into();
    assert!(texts[0].contains("zero") && texts[1].contains("prime") && texts[2].contains("curve"));
    let key = private::<C, K>(&random(&curve, 0));
    let (wanted, given) = (2 * curve.bytes, 2 * curve.bytes - 1);
    let short = C::agree(&key, std::vec![0; given], ()).err();
    assert_eq!(short, Some(CurveInputError { given, wanted }));
    let given = wanted + 1;
    let long = C::sign(&key, &key, std::vec![0; given], ()).err();
    assert_eq!(long, Some(CurveInputError { given, wanted }));
    let names = std::format!("{key:?} {:?}", C::public(&curve.coordinates(&curve.base)));
    assert!(names.starts_with(&std::format!("{}PrivateKey ", C::NAME)), "{names}");
    assert!(names.contains(&std::format!("{}PublicKey([", C::NAME)), "{names}");
}

/// The table of the base point is in a file. The variable `BROADLOOM_WRITE_TABLE` has it written.
fn the_table_has_the_multiples_of_the_base_point<C: Tested<K>, const K: usize>() {
    let right = C::whole_table();
    if std::env::var_os("BROADLOOM_WRITE_TABLE").is_some() {
        let words = right.as_flattened().as_flattened().as_flattened().iter();
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/kernels/curves/weierstrass/");
        let path = [folder, C::TABLE_FILE].concat();
        std::fs::write(path, bytes).expect("the source can be written");
    }
    assert!(C::TABLE == right, "the file {} is out of date", C::TABLE_FILE);
}
