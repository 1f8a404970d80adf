import { encodeAddress } from '@wrkz/core-types';
import { viewKeyFromSpendKey } from '@wrkz/crypto';
import { emptySubWallet } from '../keys/new-wallet';
import type { SubWallet, WalletContent } from '../ledger/model';
import type { GreenCache } from './cache-model';
import { convertHistory, type ConvertedHistory } from './history';
import type { GreenKeys, GreenSpendKey } from './keys';

/** Beyond it, in the year 2106, no clock stood: the time is damaged, and says nothing. */
const LAST_TIME = 0xffff_ffffn;

const NO_HISTORY: ConvertedHistory = {
  outputs: new Map(),
  transactions: [],
  unconfirmed: [],
  height: 0,
  firstTimestamp: undefined,
};

/**
 * The content of our container. Keys and addresses stand in their order; what the cache tells is there at once, and the
 * chain is read again from the first creation time on, since the old program overlooked transactions
 * (docs/protocol/wallet.md#old-containers).
 * @throws DecodeError when the cache contradicts itself or the keys
 */
export function* convertedContent(keys: GreenKeys, cache: GreenCache | undefined): Generator<void, WalletContent> {
  const history = cache === undefined ? NO_HISTORY : yield* convertHistory(keys, cache);
  const isViewWallet = keys.spendKeys[0] !== undefined && keys.spendKeys[0].secretKey === undefined;
  const primary = primaryOf(keys);
  const subWallets: SubWallet[] = [];
  for (const [i, spendKey] of keys.spendKeys.entries()) {
    const start = { timestamp: startOf(spendKey), height: 0 };
    const subWallet = emptySubWallet({ ...keysOf(keys, spendKey), isPrimary: i === primary, walletIndex: 0 }, start);
    subWallets.push({ ...subWallet, ...history.outputs.get(subWallet.publicSpendKey) });
    yield;
  }
  const starts = subWallets.map(({ syncStartTimestamp }) => syncStartTimestamp);
  if (history.firstTimestamp !== undefined) starts.push(history.firstTimestamp);
  return {
    privateViewKey: keys.viewSecret.toString('hex'),
    isViewWallet,
    subWallets,
    subWalletIndexCounter: 0,
    transactions: history.transactions,
    unconfirmed: history.unconfirmed,
    transactionKeys: [],
    // Without hashes the scan begins where it is told to. Its first block lies at or below this height, so the ledger takes
    // the history back as in a reorganisation and builds it again: what is in no block of the chain does not stay.
    progress: { height: history.height, recentHashes: [], checkpointHashes: [] },
    startTimestamp: starts.reduce((least, start) => Math.min(least, start), starts[0] ?? 0),
    startHeight: 0,
    unknownMembers: new Map(),
  };
}

/** The address whose spend key gives the view key, else the first. */
function primaryOf({ spendKeys, viewSecret }: GreenKeys): number {
  const own = spendKeys.findIndex(
    ({ secretKey }) => secretKey !== undefined && viewKeyFromSpendKey(secretKey).equals(viewSecret),
  );
  return Math.max(0, own);
}

function keysOf(
  { viewPublic }: GreenKeys,
  { publicKey, secretKey }: GreenSpendKey,
): Pick<SubWallet, 'publicSpendKey' | 'privateSpendKey' | 'address'> {
  return {
    publicSpendKey: publicKey.toString('hex'),
    privateSpendKey: secretKey?.toString('hex'),
    address: encodeAddress({ spendPublic: publicKey, viewPublic }),
  };
}

function startOf({ creationTime }: GreenSpendKey): number {
  return creationTime > LAST_TIME ? 0 : Number(creationTime);
}
