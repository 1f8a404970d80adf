import { parseBlock, type Network, type ParsedBlock, type ParsedTransaction } from '@wrkz/core-types';
import type { GoodBlock } from './block-context';
import type { BlockFacts } from './view';

/** Data of a verified block besides its bytes. */
type BlockData = Pick<GoodBlock, 'block' | 'transactions' | 'facts' | 'fees' | 'checkpointed'>;

let construct: (data: BlockData) => VerifiedBlock;

/**
 * A block that passed every rule on its branch. Only this package creates one, and the writer of a chain accepts nothing else:
 * the types guarantee that stored blocks are verified.
 */
export class VerifiedBlock {
  /** The private field makes the type nominal: no object literal is assignable to it. */
  private readonly data: BlockData;

  private constructor(data: BlockData) {
    this.data = data;
  }

  static {
    construct = (data) => new VerifiedBlock(data);
  }

  get block(): ParsedBlock {
    return this.data.block;
  }

  /** In the order of their global indexes, which is the order of delivery; the coinbase is in `block`. */
  get transactions(): readonly ParsedTransaction[] {
    return this.data.transactions;
  }

  get facts(): BlockFacts {
    return this.data.facts;
  }

  /** Sum of the transactions' fees, atomic units. */
  get fees(): bigint {
    return this.data.fees;
  }

  /** Whether its proofs were not checked because it is in the checkpoint zone. */
  get checkpointed(): boolean {
    return this.data.checkpointed;
  }
}

/** Not exported from the package. */
export function makeVerified(data: BlockData): VerifiedBlock {
  return construct(data);
}

/**
 * The facts of a valid block from its bytes and the block below.
 * @param below undefined for genesis
 */
export function blockFacts(
  block: ParsedBlock,
  transactions: readonly ParsedTransaction[],
  below: BlockFacts | undefined,
  difficulty: bigint,
): BlockFacts {
  const { majorVersion, minorVersion, timestamp, coinbase } = block.block;
  const created = coinbase.outputs.reduce((sum, { amount }) => sum + amount, 0n);
  const fees = transactions.reduce((sum, { fee }) => sum + (fee ?? 0n), 0n);
  return {
    height: (below?.height ?? -1) + 1,
    hash: block.hash,
    majorVersion,
    minorVersion,
    timestamp: Number(timestamp),
    size: transactions.reduce((sum, { size }) => sum + size, block.coinbase.size),
    difficulty,
    cumulativeDifficulty: (below?.cumulativeDifficulty ?? 0n) + difficulty,
    generatedCoins: (below?.generatedCoins ?? 0n) + created - fees,
    generatedTransactions: (below?.generatedTransactions ?? 0) + 1 + transactions.length,
  };
}

/** The first block of a network. It is part of the network profile, so it is not validated. */
export function genesisBlock(network: Network): VerifiedBlock {
  const block = parseBlock(network.genesis.block);
  return makeVerified({
    block,
    transactions: [],
    facts: blockFacts(block, [], undefined, 1n),
    fees: 0n,
    checkpointed: false,
  });
}
