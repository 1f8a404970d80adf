import { BranchView, Checkpoints, genesisView, stageBlock, VerifiedBlock, verifyBlock } from '@wrkz/consensus';
import {
  BinaryWriter,
  encodeBlock,
  encodeVarint,
  headerHashingBlob,
  networkOf,
  parentHashingBlob,
  parseBlock,
  type Block,
} from '@wrkz/core-types';
import { cnFastHash } from '@wrkz/crypto';

/** What stands behind the coinbase of the parent. */
const NUMBER = 300n;
/** By it the coinbase is found in a hashing blob. */
const MARK = Buffer.from('the end of the coinbase', 'utf8');

/**
 * A block like this one, but with a number behind the coinbase of its parent, and verified under the id that the rule of
 * old gave it: the number went into the id as it stood.
 */
export function underOldRule(
  like: VerifiedBlock,
  below: readonly VerifiedBlock[],
): { stranger: VerifiedBlock; block: Block } {
  const { block: original } = like.block;
  const parent = original.parentBlock;
  if (parent === undefined) throw new Error('the block has no parent');
  const extra = Buffer.concat([parent.baseTransaction.extra, Buffer.from([0x02, MARK.length]), MARK]);
  const baseTransaction = { ...parent.baseTransaction, version: 2, ignored: NUMBER, extra };
  const block: Block = { ...original, parentBlock: { ...parent, baseTransaction } };
  const parsed = parseBlock(encodeBlock(block));
  Object.defineProperty(parsed, 'hash', { value: oldId(block) });
  const network = networkOf('devnet');
  const view = new BranchView(genesisView(network));
  for (const one of below.slice(1)) view.push(one);
  const checkpoints = new Checkpoints(new Map([[1_000_000, Buffer.alloc(32)]]));
  const staged = stageBlock(parsed, like.transactions, { network, view, now: 2_000_000_000, checkpoints });
  const stranger = verifyBlock(
    staged,
    staged.proofs.map(() => true),
  );
  if (!(stranger instanceof VerifiedBlock)) throw new Error(stranger.message);
  return { stranger, block };
}

/** The id with the number in it. */
function oldId(block: Block): Buffer {
  const written = parentHashingBlob(block, false);
  const at = written.indexOf(MARK) + MARK.length;
  if (written[at] !== 0) throw new Error('the number is not where it should be');
  const kept = Buffer.concat([written.subarray(0, at), encodeVarint(Number(NUMBER)), written.subarray(at + 1)]);
  const blob = Buffer.concat([headerHashingBlob(block), kept]);
  return cnFastHash(new BinaryWriter(blob.length + 10).varint(blob.length).bytes(blob).toBuffer());
}
