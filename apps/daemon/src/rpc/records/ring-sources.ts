import { type ChainReader, CorruptDatabase } from '@wrkz/chain-db';
import { ringIndexes } from '@wrkz/consensus';
import { decodeTransactionPrefix, type KeyInput } from '@wrkz/core-types';

/** Where an output was made. */
export interface RingSource {
  readonly transactionHash: Buffer;
  /** Its place among the outputs of that transaction. */
  readonly number: number;
}

interface Maker {
  readonly hash: Buffer;
  readonly indexes: readonly number[];
  readonly prefix: Buffer;
}

/** Blocks of which the transactions are kept at hand: rings of one time name the same ones over and over. */
const KEPT_BLOCKS = 256;

const NOWHERE: RingSource = { transactionHash: Buffer.alloc(32), number: 0 };

/** Finds the transactions that made the members of rings. To be used within one snapshot. */
export class RingSources {
  private readonly makers = new Map<number, readonly Maker[]>();

  constructor(private readonly reader: ChainReader) {}

  /** Of the ring's last member. @throws CorruptDatabase for a ring that names no output of the chain */
  last({ amount, keyOffsets }: KeyInput): RingSource {
    const index = ringIndexes(keyOffsets).at(-1);
    if (index === undefined) return NOWHERE;
    const output = this.reader.output(amount, index);
    const maker = output && this.makersAt(output.height).find((one) => makes(one, output.position, amount, index));
    if (output === undefined || maker === undefined) {
      throw new CorruptDatabase(`no transaction made output ${index} of amount ${amount}`);
    }
    return { transactionHash: maker.hash, number: output.position };
  }

  private makersAt(height: number): readonly Maker[] {
    const known = this.makers.get(height);
    if (known !== undefined) return known;
    const { prefixes } = this.reader.scanBlocks(height, height + 1);
    const makers = this.reader
      .globalIndexes(height)
      .map(({ hash, indexes }, i) => ({ hash, indexes, prefix: prefixes[i] as Buffer }));
    if (this.makers.size === KEPT_BLOCKS) this.makers.clear();
    this.makers.set(height, makers);
    return makers;
  }
}

/** Two transactions of a block may have the same index at the same place, of different amounts. */
function makes({ indexes, prefix }: Maker, position: number, amount: bigint, index: number): boolean {
  return indexes[position] === index && decodeTransactionPrefix(prefix).outputs[position]?.amount === amount;
}
