import type { NodeList } from '@wrkz/client';
import type { Network } from '@wrkz/core-types';
import { generateKeyPair } from '@wrkz/crypto';
import type { PowClient } from '../pow-client/pow-client';
import {
  type BuiltSend,
  buildSend,
  dispatchSend,
  estimateSend,
  estimateSweep,
  PreparedSends,
  type SpendPorts,
  type SpendView,
  sweep,
} from '../build';
import { WalletError } from '../errors';
import type { FinishedSend, SendRecords, Spender, SpendingView } from '../wallet/ports';
import { leavingListener } from '../send/observer';
import { NodeOfSends, SilentNodes } from '../send/node';
import type { ServiceShapes } from './shapes';

export interface ServiceSpenderOptions {
  readonly network: Network;
  readonly pow: Pick<PowClient, 'findNonce'>;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Nobody knows yet whether the node has it: it may have left. */
const STILL_PROCESSING = 55;

/** Builds, signs and relays with the parts of `spend` (docs/protocol/wallet.md#building-a-transaction). */
export function serviceSpender(
  nodes: () => NodeList,
  { network, pow, now }: ServiceSpenderOptions,
): Spender<ServiceShapes> {
  const silent = new SilentNodes();
  const prepared = new PreparedSends();
  const of = (view: SpendingView): SpendView => ({ ...view, network });
  const ports = (signal: AbortSignal): SpendPorts => {
    return { node: new NodeOfSends(nodes, silent, signal), pow, transactionKeys: generateKeyPair, now, signal };
  };
  return {
    build: (request, view, signal) => buildSend(request, of(view), ports(signal)),
    estimate: (request, view, signal) => estimateSend(request, of(view), ports(signal)),
    dispatch: (send, records) => dispatch(send, records, new NodeOfSends(nodes, silent)),
    sweep: (request, view, leave, signal) => sweep(request, () => of(view()), ports(signal), leave),
    estimateSweep: (request, view, signal) => estimateSweep(request, () => of(view()), ports(signal)),
    prepared: {
      add: (send) => prepared.add(asBuilt(send)),
      find: (hash) => prepared.find(hash),
      take: (hash, view, time) => prepared.take(hash, of(view), time),
      forget: (hash) => prepared.forget(hash),
      clear: () => prepared.clear(),
    },
  };
}

/** The wallet hands through what was built here and nothing else, by a type that names only what it looks at. */
const asBuilt = (send: FinishedSend): BuiltSend => send as BuiltSend;

async function dispatch(send: FinishedSend, records: SendRecords, node: NodeOfSends): Promise<void> {
  const listener = leavingListener();
  listener?.leaving(send);
  try {
    await dispatchSend(asBuilt(send), records, node);
  } catch (error) {
    if (error instanceof WalletError && error.code === STILL_PROCESSING) listener?.doubted(send);
    else listener?.stayed(send);
    throw error;
  }
}
