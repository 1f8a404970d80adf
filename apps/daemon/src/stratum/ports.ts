import type { CoinbaseReceiver, Template, TemplateBody } from '@wrkz/consensus';
import type { RawBlock } from '@wrkz/core-types';
import type { AddBlockResult } from '../chain/results';

/** What stratum asks of the node. */
export interface StratumNode {
  tip(): { readonly hash: Buffer; readonly height: number };
  /** What all templates on the present tip share. @throws RangeError when no block can follow it */
  body(): Promise<TemplateBody>;
  /** @throws RangeError for keys that are no points */
  complete(body: TemplateBody, receiver: CoinbaseReceiver, extraNonce: Buffer): Template;
  add(block: RawBlock): Promise<AddBlockResult>;
  /** Whether a block found now would be on the network's chain, as far as is known. */
  isReady(): boolean;
  /** The height of the network as the peers tell it, or our own if higher (a count). */
  networkHeight(): number;
  /** Calls whenever the tip has changed. @returns ends it */
  onTip(listener: () => void): () => void;
}
