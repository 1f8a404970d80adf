import { type Receipt, WalletAway } from './income';

/** The last second of the year 9999, beyond which a time cannot be written. */
const LAST_SECOND = 253_402_300_799;
/** The most that can be kept of one address: what a column of the database holds. */
const MOST_COINS = 2n ** 63n - 1n;
/** The most donations to one address that are followed. */
export const MOST_RECEIPTS = 100_000;

/** @throws WalletAway unless these receipts can come from the blocks from `from` up to, not including, `to` */
export function assertInRange(receipts: readonly Receipt[], from: number, to: number): void {
  for (const { hash, height, time } of receipts) {
    if (height < from || height >= to) throw new WalletAway(`${hash} is in block ${height}, which was not asked for`);
    if (time > LAST_SECOND) throw new WalletAway(`${hash} has the time ${time}, which is none`);
  }
}

/** @throws WalletAway for more than can be kept */
export function assertKeepable(receipts: Iterable<Receipt>): void {
  let count = 0;
  let total = 0n;
  for (const { amount } of receipts) {
    count += 1;
    total += amount;
  }
  if (count > MOST_RECEIPTS) throw new WalletAway(`more than ${MOST_RECEIPTS} donations to one address`);
  if (total > MOST_COINS) throw new WalletAway('more coins than there can be');
}
