import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScanStart, SubWallet, WalletContent } from '../ledger/model';
import type { KeyMaker } from './ports';

/** Keys that are made before the event loop gets its turn. */
const AT_ONCE = 50;

/** What is to be looked for: keys that can spend, or addresses that are watched. */
export type NewKeys =
  | { readonly kind: 'secret'; readonly privateSpendKeys: readonly string[] }
  | { readonly kind: 'public'; readonly publicSpendKeys: readonly string[] };

/** Sub-wallets of some keys, all or none. An emptied wallet takes either kind. @throws 39, 40, 51, 52, 38 */
export async function subWalletsOf(
  maker: Pick<KeyMaker, 'importedSubWallet' | 'viewSubWallet'>,
  content: WalletContent,
  keys: NewKeys,
  start: ScanStart,
): Promise<readonly SubWallet[]> {
  const held: SubWallet[] = [...content.subWallets];
  const isViewWallet = held.length === 0 ? keys.kind === 'public' : content.isViewWallet;
  const ring = { ...content, isViewWallet, subWallets: held };
  const texts = keys.kind === 'secret' ? keys.privateSpendKeys : keys.publicSpendKeys;
  const make = keys.kind === 'secret' ? maker.importedSubWallet : maker.viewSubWallet;
  for (const [i, text] of texts.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await nextTurn();
    held.push(make(ring, text, start).subWallet);
  }
  return held.slice(content.subWallets.length);
}

/** Unix seconds of mainnet's first block, and of one block: how heights and times are compared that no node was asked for. */
const FIRST_BLOCK = 1_529_831_318;
const BLOCK_SECONDS = 60;
/** A clock may be wrong by so much. */
const CLOCK_SLACK = 7_200;

/** Where the keys that are made now begin to look: a time, which the node turns into a block. */
export function startOfNewKeys(now: number): { timestamp: number; height: number } {
  return { timestamp: Math.max(0, now - CLOCK_SLACK), height: 0 };
}

/** Whether a block at this height is older than where the scan begins. */
export function liesBefore(height: number, start: { readonly height: number; readonly timestamp: number }): boolean {
  if (start.height > 0 || start.timestamp === 0) return height < start.height;
  return FIRST_BLOCK + BLOCK_SECONDS * height < start.timestamp;
}
