import { sealParent } from '@wrkz/consensus';
import { decodeBlock, encodeBlock, powAlgorithmOf, powInput, powNonceOffset } from '@wrkz/core-types';
import type { MiningWork } from '../work';
import type { NodeTemplate } from './node-rpc';

/**
 * The work of a node's template: its parent block is sealed here, since the node leaves the merge-mining tag empty
 * (docs/protocol/blocks.md#block-templates).
 * @throws Error for a template that cannot be mined
 */
export function blockWork(template: NodeTemplate, submit: (blob: Buffer) => Promise<void>): MiningWork {
  const block = sealParent(decodeBlock(Buffer.from(template.blocktemplate_blob, 'hex')));
  const algorithm = powAlgorithmOf(block.majorVersion);
  if (algorithm === undefined) throw new Error(`blocks of version ${String(block.majorVersion)} are not known here`);
  return {
    algorithm,
    data: powInput(block),
    nonceOffset: powNonceOffset(block),
    difficulty: BigInt(template.difficulty),
    height: template.height,
    manyNonces: false,
    submit: ({ nonce }) => submit(encodeBlock({ ...block, nonce: Number(nonce) })),
  };
}
