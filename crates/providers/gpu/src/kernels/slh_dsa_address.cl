// What the kernels of SLH-DSA know of keys and addresses. The hashes come between this and them.

// Where a key has what, in words.
//
// SHA-2: the states of SHA-256 and of SHA-512 after the block of PK.seed. SHAKE: PK.seed.
#define SHA512_STATE 8
// The numbers of the set: words of a node, layers (d), height of a tree of the hypertree (h'),
// height (a) and number (k) of those of FORS.
#define NODE_WORDS 24
#define LAYERS 25
#define HEIGHT 26
#define FORS_HEIGHT 27
#define FORS_TREES 28
// SK.seed to sign, PK.root to verify.
#define OWN 32

// Kinds of addresses.
#define CHAIN 0
#define CHAIN_ENDS 1
#define TREE 2
#define FORS 3
#define FORS_ROOTS 4
#define CHAIN_SECRET 5
#define FORS_SECRET 6

// Where in the structure a hash is (FIPS 205, 4.2). What the words mean depends on the kind: the
// key pair, the chain or the height, and the step or the index.
typedef struct {
    u32 layer;
    u64 tree;
    u32 kind;
    u32 words[3];
} Address;
