//! A suite is worth what it finds: providers with one defect each, and the topic that must notice.

use std::ops::RangeInclusive;
use std::sync::Arc;

use broadloom_conformance::{compare, reference_provider, topics};
use broadloom_engine::provider::{
    AnyQueue, Operation, Portion, Provider, ProviderError, ProviderSession, Queue,
};
use broadloom_engine::{
    Algorithm, CompressionAlgorithm, Direction, HashAlgorithm, JobError, Transform,
};

use crate::failing::fails;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    /// Says that it lacks what it has.
    HidesSha1,
    /// Has less than it says.
    RefusesToOpen,
    /// Uses keys with a bit wrong, where they are of 24 bytes.
    WrongLongKeys,
    /// Takes every tag for right.
    AcceptsAnyTag,
    /// Forgets the last of many.
    ForgetsTheLast,
    /// Does the first again where there are many.
    RepeatsTheFirst,
    /// Fails what comes alone.
    FailsAlone,
    /// Forgets the last of many pieces.
    ForgetsPieces,
    /// Takes a piece that comes alone twice.
    AbsorbsTwice,
}

struct Defective(Arc<dyn Provider>, Defect);

struct DefectiveQueue(Box<dyn Queue>, Defect);

impl Provider for Defective {
    fn name(&self) -> &str {
        "defective"
    }

    fn description(&self) -> String {
        format!("{:?}", self.1)
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        let hidden =
            self.1 == Defect::HidesSha1 && algorithm == Algorithm::Hash(HashAlgorithm::Sha1);
        !hidden && self.0.supports(algorithm)
    }

    fn levels(&self, algorithm: CompressionAlgorithm) -> Option<RangeInclusive<u8>> {
        self.0.levels(algorithm)
    }

    fn open_session(
        &self,
        transform: &Transform,
    ) -> Result<Box<dyn ProviderSession>, ProviderError> {
        let (algorithm, direction) = (transform.algorithm(), transform.direction());
        match self.1 {
            Defect::RefusesToOpen if direction == Direction::Open => {
                Err(ProviderError::new("not today"))
            }
            Defect::WrongLongKeys if transform.key().len() == 24 => {
                let mut key = transform.key().to_vec();
                key[20] ^= 0x10;
                let wrong = Transform::new(algorithm, direction, &key, &[])
                    .build()
                    .expect("it fits as before");
                self.0.open_session(&wrong)
            }
            _ => self.0.open_session(transform),
        }
    }

    fn open_queue(&self) -> Result<AnyQueue, ProviderError> {
        Ok(match self.0.open_queue()? {
            AnyQueue::Local(queue) => AnyQueue::local(DefectiveQueue(queue, self.1)),
            device @ AnyQueue::Device(_) => device,
        })
    }
}

impl Queue for DefectiveQueue {
    fn batch(&mut self, class: u8) -> usize {
        self.0.batch(class)
    }

    fn run(&mut self, operations: &mut [&mut Operation<'_>]) {
        let len = operations.len();
        match self.1 {
            Defect::ForgetsTheLast if len > 16 => return self.0.run(&mut operations[..len - 1]),
            _ => self.0.run(operations),
        }
        for operation in operations.iter_mut() {
            let direction = operation.session().direction();
            if self.1 == Defect::AcceptsAnyTag && direction.checks() {
                operation.complete(Ok(()));
            }
        }
        if self.1 == Defect::RepeatsTheFirst && len > 16 {
            self.0.run(&mut operations[..1]);
        }
        if self.1 == Defect::FailsAlone && len == 1 {
            operations[0].complete(Err(JobError::Provider { code: 1 }));
        }
    }

    fn absorb(&mut self, portions: &mut [Portion<'_>]) {
        let len = portions.len();
        match self.1 {
            Defect::ForgetsPieces if len > 16 => self.0.absorb(&mut portions[..len - 1]),
            Defect::AbsorbsTwice if len == 1 => {
                self.0.absorb(portions);
                self.0.absorb(portions);
            }
            _ => self.0.absorb(portions),
        }
    }
}

fn defective(defect: Defect) -> Arc<dyn Provider> {
    Arc::new(Defective(reference_provider(), defect))
}

fn notices(defect: Defect, topic: impl Fn(&Arc<dyn Provider>)) -> bool {
    let provider = defective(defect);
    fails(|| topic(&provider))
}

#[test]
fn defects_are_noticed() {
    assert!(notices(Defect::HidesSha1, topics::support), "it opens what it does not support");
    assert!(notices(Defect::RefusesToOpen, topics::support));
    assert!(notices(Defect::WrongLongKeys, topics::known_answers));
    assert!(notices(Defect::WrongLongKeys, topics::random_jobs));
    assert!(notices(Defect::WrongLongKeys, |provider| compare(provider, &reference_provider())));
    assert!(notices(Defect::AcceptsAnyTag, topics::wrong_tags));
    assert!(notices(Defect::AcceptsAnyTag, topics::wrong_tags_of_chains));
    assert!(notices(Defect::AcceptsAnyTag, |provider| compare(&reference_provider(), provider)));
    assert!(notices(Defect::ForgetsTheLast, topics::lengths));
    assert!(notices(Defect::ForgetsTheLast, topics::order));
    assert!(notices(Defect::RepeatsTheFirst, topics::alignments), "what was encrypted twice");
    assert!(notices(Defect::FailsAlone, topics::known_answers));
    assert!(notices(Defect::FailsAlone, topics::streams), "what comes in pieces is one job");
    assert!(notices(Defect::AcceptsAnyTag, topics::misused_streams));
    assert!(notices(Defect::ForgetsPieces, topics::streams_together));
    assert!(notices(Defect::AbsorbsTwice, topics::streams));
    assert!(notices(Defect::WrongLongKeys, topics::streams));
}

#[test]
fn without_a_defect_nothing_is_noticed() {
    for topic in [topics::support, topics::known_answers, topics::wrong_tags, topics::lengths] {
        assert!(!notices(Defect::None, topic));
    }
    for topic in [topics::streams, topics::streams_together, topics::misused_streams] {
        assert!(!notices(Defect::None, topic));
    }
}
