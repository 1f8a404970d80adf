import { getEvents } from '../../events/routes/get-events';
import type { DaemonRoute } from '../declare';
import { fee } from './fee';
import { getGlobalIndexesForRange } from './get-global-indexes-for-range';
import { getRandomOuts } from './get-random-outs';
import { getRawBlocks } from './get-raw-blocks';
import { getTransactionsStatus } from './get-transactions-status';
import { getWalletSyncData } from './get-wallet-sync-data';
import { getheight, height } from './height';
import { getinfo, info } from './info';
import { peers } from './peers';
import { sendRawTransaction } from './send-raw-transaction';

/** Every plain route. */
export const routes: readonly DaemonRoute[] = [
  info,
  getinfo,
  height,
  getheight,
  peers,
  fee,
  sendRawTransaction,
  getRandomOuts,
  getWalletSyncData,
  getGlobalIndexesForRange,
  getTransactionsStatus,
  getRawBlocks,
  getEvents,
];
