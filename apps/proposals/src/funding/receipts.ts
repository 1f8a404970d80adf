import { isUnlocked, type LockTime } from '@wrkz/consensus';
import { decodeAddress, encodeAddress } from '@wrkz/core-types';
import type { Contribution } from '../store/funding';
import { type Receipt, ResponseTooLong, type WalletService, WalletUnavailable } from './wallet';

/** Number of blocks below the tip that each poll rereads. Only a full read detects a deeper reorganisation. */
export const REREAD_DEPTH = 1_440;
/** Number of polls between two full reads. */
export const POLLS_BETWEEN_FULL_READS = 60;
/** Number of blocks of the first request of a read. Later requests are larger if there are few receipts. */
const FIRST_RANGE_BLOCKS = 20_000;
const FEW_RECEIPTS = 500;
/** Max donations to an address. */
export const MAX_RECEIPTS = 100_000;
/** Max sum of an address: the largest integer of a SQLite column. */
const MAX_SUM = 2n ** 63n - 1n;
/** Last second of the year 9999. Later times have no ISO 8601 form of four digits. */
const MAX_TIME = 253_402_300_799;

/** Reads the receipts of an address: from all blocks at first, then from the latest blocks. */
export class ReceiptReader {
  private receipts = new Map<string, Receipt>();
  /** Tip height of the last read. */
  private tip: number | undefined;
  private pollsSinceFullRead = 0;

  /** @returns all receipts up to the tip @throws WalletUnavailable; the state is then unchanged */
  async read(wallet: WalletService, address: string, tip: number, signal: AbortSignal): Promise<Receipt[]> {
    const from = this.firstBlockToRead(tip);
    // Keyed by hash: a reorganisation between two requests may move a transaction to another block.
    const receipts = new Map([...this.receipts].filter(([, { height }]) => height < from));
    for (const receipt of await readBlocks(wallet, address, from, tip + 1, signal)) receipts.set(receipt.hash, receipt);
    assertWithinLimits(receipts.values());
    this.receipts = receipts;
    this.pollsSinceFullRead = from === 0 ? 0 : this.pollsSinceFullRead + 1;
    this.tip = tip;
    return [...receipts.values()];
  }

  private firstBlockToRead(tip: number): number {
    const { tip: lastTip } = this;
    if (lastTip === undefined || tip + REREAD_DEPTH < lastTip) return 0;
    if (this.pollsSinceFullRead >= POLLS_BETWEEN_FULL_READS) return 0;
    return Math.max(0, Math.min(tip, lastTip) - REREAD_DEPTH);
  }
}

async function readBlocks(
  wallet: WalletService,
  address: string,
  from: number,
  end: number,
  signal: AbortSignal,
): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  let rangeBlocks = FIRST_RANGE_BLOCKS;
  for (let at = from; at < end;) {
    const to = Math.min(end, at + rangeBlocks);
    try {
      const found = await wallet.receipts(address, at, to, signal);
      assertInRange(found, at, to);
      for (const receipt of found) receipts.push(receipt);
      assertWithinLimits(receipts);
      at = to;
      if (found.length < FEW_RECEIPTS) rangeBlocks *= 8;
    } catch (error) {
      if (!(error instanceof ResponseTooLong) || to - at < 2) throw error;
      rangeBlocks = Math.floor((to - at) / 2);
    }
  }
  return receipts;
}

/** @throws WalletUnavailable */
function assertInRange(receipts: readonly Receipt[], from: number, to: number): void {
  for (const { hash, height, time } of receipts) {
    if (height < from || height >= to)
      throw new WalletUnavailable(
        `${hash} is in block ${height}, outside of the requested blocks ${from} to ${to - 1}`,
      );
    if (time > MAX_TIME) throw new WalletUnavailable(`${hash} has the invalid time ${time}`);
  }
}

/** @throws WalletUnavailable */
function assertWithinLimits(receipts: Iterable<Receipt>): void {
  let count = 0;
  let total = 0n;
  for (const { amount } of receipts) {
    count += 1;
    total += amount;
  }
  if (count > MAX_RECEIPTS) throw new WalletUnavailable(`more than ${MAX_RECEIPTS} donations to one address`);
  if (total > MAX_SUM) throw new WalletUnavailable(`the donations to one address exceed ${MAX_SUM} atomic units`);
}

/** The donation address of a proposal. */
export interface DonationTarget {
  /** Standard or integrated. */
  readonly address: string;
  /** The standard address, as the wallet lists it. */
  readonly base: string;
  /** Lower case; empty for a standard address. */
  readonly paymentId: string;
}

/** @throws AddressError */
export function donationTarget(address: string): DonationTarget {
  const { spendPublic, viewPublic, paymentId = '' } = decodeAddress(address);
  return { address, base: encodeAddress({ spendPublic, viewPublic }), paymentId: paymentId.toLowerCase() };
}

/**
 * Assigns the receipts of one base address to proposals by payment id. A proposal with the standard address gets all receipts
 * without a payment id of another proposal.
 * @param at tip and time for deciding whether a receipt is unlocked
 * @returns contributions by donation address
 */
export function assignReceipts(
  targets: readonly DonationTarget[],
  receipts: readonly Receipt[],
  at: LockTime,
): Map<string, Contribution[]> {
  const assigned = new Map<string, Contribution[]>(targets.map(({ address }) => [address, []]));
  const byPaymentId = new Map(targets.map((target) => [target.paymentId, target.address]));
  for (const { hash, amount, height, time, paymentId, unlockTime } of receipts) {
    const address = byPaymentId.get(paymentId) ?? byPaymentId.get('');
    if (address === undefined) continue;
    assigned.get(address)?.push({ hash, amount, height, time, unlocked: isUnlocked(unlockTime, at) });
  }
  return assigned;
}
