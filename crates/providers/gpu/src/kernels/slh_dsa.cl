// SLH-DSA (FIPS 205) with any parameter set of a hash. The host hashes the message, and says which
// leaves the digest chooses: they are public, as they follow from the signature.
//
// No tree of the hypertree waits for another: the root below decides only which values of the
// chains are given out. So the leaves of all trees are made at once, with a work item for each
// chain.
//
// No branch and no address depends on a secret. Verification reads nothing that is secret.
//
// Task of all kernels: first group, items, key, number of the lowest tree (two words), leaf in it,
// chosen leaves of FORS, intermediate results, output, and the signature to verify, or the
// randomizer of the one to make. Nodes are as the standard writes them.

// The last place in a chain.
#define LAST 15u

// What a task says, and the numbers of the set.
typedef struct {
    __global const u32 *key;
    __global const u32 *chosen;
    __global const u32 *signature;
    __global u32 *memory;
    __global u32 *made;
    u64 tree;
    u32 leaf;
    u32 words, layers, height, fors_height, fors_trees, chains;
} Job;

Job job_of(
    __global const u32 *task, __global const u32 *in, __global u32 *out, __global u32 *scratch)
{
    Job job;
    job.key = in + task[2];
    job.tree = (u64)task[4] << 32 | task[3];
    job.leaf = task[5];
    job.chosen = in + task[6];
    job.memory = scratch + task[7];
    job.made = out + task[8];
    job.signature = in + task[9];
    job.words = job.key[NODE_WORDS];
    job.layers = job.key[LAYERS];
    job.height = job.key[HEIGHT];
    job.fors_height = job.key[FORS_HEIGHT];
    job.fors_trees = job.key[FORS_TREES];
    job.chains = 8 * job.words + 3;
    return job;
}

#define JOB job_of(task, in, out, scratch)

// A signature's intermediate results: the ends of all chains, the trees of the hypertree,
// those of FORS, and the roots of FORS with their hash. A tree's root is its node 1. The children
// of node i are nodes 2i and 2i + 1.
__global u32 *tree_nodes(const Job job, const u32 layer)
{
    const u32 before = (job.layers << job.height) * job.chains + (2 * layer << job.height);
    return job.memory + before * job.words;
}

__global u32 *fors_nodes(const Job job, const u32 tree)
{
    return tree_nodes(job, job.layers) + (2 * tree << job.fors_height) * job.words;
}

__global u32 *fors_roots(const Job job) { return fors_nodes(job, job.fors_trees); }

// The word of a signature where a part begins: of a tree of FORS, or of a layer.
u32 fors_part(const Job job, const u32 tree)
{
    return (1 + tree * (1 + job.fors_height)) * job.words;
}

u32 layer_part(const Job job, const u32 layer)
{
    return fors_part(job, job.fors_trees) + layer * (job.chains + job.height) * job.words;
}

// The number of a layer's tree, and the leaf that signs in it.
u64 tree_of(const Job job, const u32 layer)
{
    const u32 shift = layer * job.height;
    return shift < 64 ? job.tree >> shift : 0;
}

u32 leaf_of(const Job job, const u32 layer)
{
    if (layer == 0) return job.leaf;
    return (u32)tree_of(job, layer - 1) & ((1u << job.height) - 1);
}

Address address_of(
    const Job job, const u32 layer, const u32 kind, const u32 first, const u32 second,
    const u32 third)
{
    Address address;
    address.layer = layer;
    address.tree = tree_of(job, layer);
    address.kind = kind;
    address.words[0] = first;
    address.words[1] = second;
    address.words[2] = third;
    return address;
}

void load(u32 node[8], __global const u32 *from, const u32 words)
{
    UNROLL
    for (u32 i = 0; i < 8; i++) node[i] = i < words ? from[i] : 0;
}

void store(__global u32 *to, const u32 node[8], const u32 words)
{
    UNROLL
    for (u32 i = 0; i < 8; i++) {
        if (i < words) to[i] = node[i];
    }
}

// How far a chain goes to sign a node: a digit of four bits, or of the checksum (FIPS 205,
// algorithm 7).
u32 digit_of(__global const u32 *node, const u32 words, const u32 chain)
{
    if (chain < 8 * words) {
        const u32 byte = node[chain / 8] >> (chain / 2 % 4 * 8);
        return (chain % 2 ? byte : byte >> 4) & LAST;
    }
    u32 sum = 8 * words * LAST;
    for (u32 i = 0; i < words; i++) {
        for (u32 shift = 0; shift < 32; shift += 4) sum -= node[i] >> shift & LAST;
    }
    return sum >> (8 - 4 * (chain - 8 * words)) & LAST;
}

// An item makes the end of a chain of a leaf.
KERNEL
void slh_dsa_chains(ARGUMENTS)
{
    WIDE_TASK_OR_RETURN(task, item);
    const Job job = JOB;
    const u32 number = item / job.chains, chain = item % job.chains;
    const u32 layer = number >> job.height, leaf = number & ((1u << job.height) - 1);
    u32 value[8];
    load(value, job.key + OWN, job.words);
    const Address address = address_of(job, layer, CHAIN, leaf, chain, 0);
    run_chain(value, job.key, address, CHAIN_SECRET, 0, LAST);
    store(job.memory + item * job.words, value, job.words);
}

// An item makes a leaf of the ends of its chains.
KERNEL
void slh_dsa_leaves(ARGUMENTS)
{
    WIDE_TASK_OR_RETURN(task, item);
    const Job job = JOB;
    const u32 layer = item >> job.height, leaf = item & ((1u << job.height) - 1);
    const u32 len = job.chains * job.words;
    u32 node[8];
    const Address address = address_of(job, layer, CHAIN_ENDS, leaf, 0, 0);
    hash_nodes(node, job.key, address, job.memory + item * len, len);
    const u32 place = (1u << job.height) + leaf;
    store(tree_nodes(job, layer) + place * job.words, node, job.words);
}

// An item makes some leaves of a tree of FORS and the nodes above, and gives out the secret of the
// chosen leaf, if that is among them.
KERNEL
void slh_dsa_fors(ARGUMENTS)
{
    WIDE_TASK_OR_RETURN(task, item);
    const Job job = JOB;
    const u32 words = job.words, parts = job.fors_height - FORS_PART;
    const u32 tree = item >> parts, part = item & ((1u << parts) - 1);
    __global u32 *nodes = fors_nodes(job, tree);
    u32 value[8];
    for (u32 i = 0; i < 1 << FORS_PART; i++) {
        const u32 leaf = (part << FORS_PART) + i;
        const u32 index = (tree << job.fors_height) + leaf;
        const Address address = address_of(job, 0, FORS, job.leaf, 0, index);
        // The secret first, and then its hash.
        for (u32 is_leaf = 0; is_leaf < 2; is_leaf++) {
            if (!is_leaf) load(value, job.key + OWN, words);
            run_chain(value, job.key, address, is_leaf ? 0 : FORS_SECRET, index, is_leaf);
            if (!is_leaf && leaf == job.chosen[tree]) {
                store(job.made + fors_part(job, tree), value, words);
            }
        }
        store(nodes + ((1u << job.fors_height) + leaf) * words, value, words);
    }
    for (u32 level = 1; level <= FORS_PART; level++) {
        const u32 height = job.fors_height - level, own = 1u << (FORS_PART - level);
        for (u32 i = 0; i < own; i++) {
            const u32 at = part * own + i, place = (1u << height) + at;
            const u32 index = (tree << height) + at;
            const Address address = address_of(job, 0, FORS, job.leaf, level, index);
            hash_nodes(value, job.key, address, nodes + 2 * place * words, 2 * words);
            store(nodes + place * words, value, words);
        }
    }
}

// A group makes the other nodes of a tree, of FORS or of a layer, and gives out the path.
KERNEL
void slh_dsa_climb(ARGUMENTS)
{
    GROUP_TASK_OR_RETURN(task, number);
    const Job job = JOB;
    const u32 words = job.words, own = get_local_id(0);
    const bool is_fors = number < job.fors_trees;
    const u32 layer = is_fors ? 0 : number - job.fors_trees;
    const u32 height = is_fors ? job.fors_height : job.height;
    __global u32 *nodes = is_fors ? fors_nodes(job, number) : tree_nodes(job, layer);
    const u32 first = is_fors ? number : 0;
    for (u32 level = is_fors ? FORS_PART + 1 : 1; level <= height; level++) {
        const u32 below = height - level;
        for (u32 i = own; i < 1u << below; i += GROUP) {
            const u32 place = (1u << below) + i;
            Address address = address_of(job, layer, TREE, 0, level, (first << below) + i);
            if (is_fors) {
                address.kind = FORS;
                address.words[0] = job.leaf;
            }
            u32 node[8];
            hash_nodes(node, job.key, address, nodes + 2 * place * words, 2 * words);
            store(nodes + place * words, node, words);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    const u32 leaf = is_fors ? job.chosen[number] : leaf_of(job, layer);
    const u32 part = is_fors ? fors_part(job, number) + words
                             : layer_part(job, layer) + job.chains * words;
    for (u32 i = own; i < height * words; i += GROUP) {
        const u32 level = i / words, place = ((1u << height) + leaf) >> level ^ 1;
        job.made[part + i] = nodes[place * words + i % words];
    }
    if (is_fors && own < words) fors_roots(job)[number * words + own] = nodes[words + own];
}

// An item hashes the roots of FORS, and gives out the randomizer.
KERNEL
void slh_dsa_roots(ARGUMENTS)
{
    TASK_OR_RETURN(task);
    const Job job = JOB;
    __global u32 *roots = fors_roots(job);
    const u32 len = job.fors_trees * job.words;
    u32 node[8];
    hash_nodes(node, job.key, address_of(job, 0, FORS_ROOTS, job.leaf, 0, 0), roots, len);
    store(roots + len, node, job.words);
    load(node, job.signature, job.words);
    store(job.made, node, job.words);
}

// An item gives out a value of a chain that signs the root below, or the hash of FORS's roots.
KERNEL
void slh_dsa_values(ARGUMENTS)
{
    WIDE_TASK_OR_RETURN(task, item);
    const Job job = JOB;
    const u32 words = job.words, layer = item / job.chains, chain = item % job.chains;
    __global const u32 *below = layer > 0 ? tree_nodes(job, layer - 1) + words
                                          : fors_roots(job) + job.fors_trees * words;
    u32 value[8];
    load(value, job.key + OWN, words);
    const Address address = address_of(job, layer, CHAIN, leaf_of(job, layer), chain, 0);
    run_chain(value, job.key, address, CHAIN_SECRET, 0, digit_of(below, words, chain));
    store(job.made + layer_part(job, layer) + chain * words, value, words);
}

// Puts a node and its neighbour in order, by the lowest bit of the node's number.
void put_pair(
    __global u32 *pair, const u32 node[8], __global const u32 *other, const u32 words,
    const u32 number)
{
    const u32 is_right = number & 1;
    store(pair + is_right * words, node, words);
    for (u32 i = 0; i < words; i++) pair[(1 - is_right) * words + i] = other[i];
}

// A group verifies a signature, layer after layer: first FORS, and then the trees. The output is a
// word: 1 if the signature is right, and else 0.
KERNEL
void slh_dsa_verify(ARGUMENTS)
{
    GROUP_TASK_OR_RETURN(task, number);
    const Job job = JOB;
    const u32 words = job.words, own = get_local_id(0);
    // Pairs of nodes, one for each item; the node that is verified; the ends of chains, or roots.
    __global u32 *pair = job.memory + 2 * words * own;
    __global u32 *node = job.memory + 2 * words * GROUP;
    __global u32 *ends = node + words;
    for (u32 stage = 0; stage <= job.layers; stage++) {
        const bool is_fors = stage == 0;
        const u32 layer = is_fors ? 0 : stage - 1, leaf = leaf_of(job, layer);
        const u32 all = is_fors ? job.fors_trees : job.chains;
        for (u32 i = own; i < all; i += GROUP) {
            const u32 chosen = is_fors ? job.chosen[i] : 0;
            const u32 part = is_fors ? fors_part(job, i) : layer_part(job, layer) + i * words;
            const u32 index = is_fors ? (i << job.fors_height) + chosen
                                      : digit_of(node, words, i);
            const u32 kind = is_fors ? FORS : CHAIN, chain = is_fors ? 0 : i;
            Address address = address_of(job, layer, kind, leaf, chain, 0);
            u32 value[8];
            load(value, job.signature + part, words);
            run_chain(value, job.key, address, 0, index, is_fors ? 1 : LAST - index);
            for (u32 level = 0; is_fors && level < job.fors_height; level++) {
                __global const u32 *other = job.signature + part + (1 + level) * words;
                put_pair(pair, value, other, words, chosen >> level);
                address.words[1] = level + 1;
                address.words[2] = index >> (level + 1);
                hash_nodes(value, job.key, address, pair, 2 * words);
            }
            store(ends + i * words, value, words);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (own == 0) {
            const u32 kind = is_fors ? FORS_ROOTS : CHAIN_ENDS;
            Address address = address_of(job, layer, kind, leaf, 0, 0);
            u32 value[8];
            hash_nodes(value, job.key, address, ends, all * words);
            for (u32 level = 0; !is_fors && level < job.height; level++) {
                const u32 part = layer_part(job, layer) + (job.chains + level) * words;
                put_pair(pair, value, job.signature + part, words, leaf >> level);
                address = address_of(job, layer, TREE, 0, level + 1, leaf >> (level + 1));
                hash_nodes(value, job.key, address, pair, 2 * words);
            }
            store(node, value, words);
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    if (own == 0) {
        u32 wrong = 0;
        for (u32 i = 0; i < words; i++) wrong |= node[i] ^ job.key[OWN + i];
        job.made[0] = wrong == 0;
    }
}
