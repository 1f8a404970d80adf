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

/** The first block of a network. It is part of the network profile, so it is not validated. */
export function genesisBlock(network: Network): VerifiedBlock {
  const block = parseBlock(network.genesis.block);
  const { majorVersion, minorVersion, timestamp, coinbase } = block.block;
  return makeVerified({
    block,
    transactions: [],
    facts: {
      height: 0,
      hash: block.hash,
      majorVersion,
      minorVersion,
      timestamp: Number(timestamp),
      size: block.coinbase.size,
      difficulty: 1n,
      cumulativeDifficulty: 1n,
      generatedCoins: coinbase.outputs.reduce((sum, output) => sum + output.amount, 0n),
      generatedTransactions: 1,
    },
    fees: 0n,
    checkpointed: false,
  });
}
