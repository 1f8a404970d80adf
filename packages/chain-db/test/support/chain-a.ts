import {
  BranchView,
  Checkpoints,
  VerifiedBlock,
  genesisBlock,
  genesisView,
  stageBlock,
  verifyBlock,
} from '@wrkz/consensus';
import { networkOf, parseBlock, parseTransaction } from '@wrkz/core-types';
import { chainALines } from '@wrkz/testing/fixtures';

export const devnet = networkOf('devnet');

let verified: readonly VerifiedBlock[] | undefined;

/** Chain A with genesis, verified below a checkpoint at its top: all fields are computed, proofs are not verified. */
export function chainA(): readonly VerifiedBlock[] {
  if (verified !== undefined) return verified;
  const lines = chainALines();
  const last = lines[lines.length - 1];
  if (last === undefined) throw new Error('chain A is empty');
  const checkpoints = new Checkpoints(new Map([[last.height, Buffer.from(last.hash, 'hex')]]));
  const view = new BranchView(genesisView(devnet));
  const blocks = [genesisBlock(devnet)];
  for (const line of lines.slice(1)) {
    const block = parseBlock(Buffer.from(line.block, 'hex'));
    const transactions = line.transactions.map((hex) => parseTransaction(Buffer.from(hex, 'hex')));
    const staged = stageBlock(block, transactions, { network: devnet, view, now: 2_000_000_000, checkpoints });
    const result = verifyBlock(
      staged,
      staged.proofs.map(() => true),
    );
    if (!(result instanceof VerifiedBlock)) throw new Error(`block ${line.height}: ${result.message}`);
    view.push(result);
    blocks.push(result);
  }
  return (verified = blocks);
}
