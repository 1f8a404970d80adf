import type { NodeList } from '@wrkz/client';
import type { Wallet } from '../wallet';
import type { SendEstimate, SendRequest, SweepRequest, SweepResult } from '../build';

/** What the wallet services ask of sending, and what they get. */
export interface ServiceShapes {
  readonly send: SendRequest;
  readonly estimate: SendEstimate;
  readonly sweep: SweepRequest;
  readonly swept: SweepResult;
  readonly sweepEstimate: readonly (SendEstimate & { readonly amount: bigint })[];
}

/** A wallet as the services hold it: it follows a list of nodes. */
export type ServiceWallet = Wallet<NodeList, ServiceShapes>;
