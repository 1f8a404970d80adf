import { AnswerTooLong, type IncomeSource, type Receipt } from './income';
import { assertInRange, assertKeepable } from './plausible';

/**
 * Blocks below the tip that are read again with every look. A chain that turns deeper is noticed by the whole reading that
 * comes now and then.
 */
export const REREAD_DEPTH = 1_440;
/** So many looks after a whole reading comes the next one. */
export const LOOKS_BETWEEN_WHOLE = 60;
/** Blocks that the first request of a whole reading asks for; later ones grow while little comes. */
const FIRST_WINDOW = 20_000;
const FEW = 500;

/** The receipts of one address: read whole, then from a little below the tip on. */
export class ReceiptBook {
  private receipts = new Map<string, Receipt>();
  /** The tip of the last look; undefined before the first. */
  private tip: number | undefined;
  private looks = 0;

  /** Looks again. @throws WalletAway, after which it knows what it knew before */
  async look(source: IncomeSource, address: string, tip: number, signal: AbortSignal): Promise<Receipt[]> {
    const from = this.firstToRead(tip);
    const read = await readRange(source, address, from, tip + 1, signal);
    // a transaction that moved to another block between two requests counts once
    const receipts = new Map([...this.receipts].filter(([, { height }]) => height < from));
    for (const receipt of read) receipts.set(receipt.hash, receipt);
    assertKeepable(receipts.values());
    this.receipts = receipts;
    this.looks = from === 0 ? 0 : this.looks + 1;
    this.tip = tip;
    return [...receipts.values()];
  }

  private firstToRead(tip: number): number {
    const isShort = this.tip === undefined || tip + REREAD_DEPTH < this.tip;
    if (isShort || this.looks >= LOOKS_BETWEEN_WHOLE) return 0;
    return Math.max(0, Math.min(tip, this.tip ?? 0) - REREAD_DEPTH);
  }
}

async function readRange(
  source: IncomeSource,
  address: string,
  from: number,
  end: number,
  signal: AbortSignal,
): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  let window = FIRST_WINDOW;
  for (let at = from; at < end;) {
    const to = Math.min(end, at + window);
    try {
      const found = await source.receipts(address, at, to, signal);
      assertInRange(found, at, to);
      for (const receipt of found) receipts.push(receipt);
      assertKeepable(receipts);
      at = to;
      if (found.length < FEW) window *= 8;
    } catch (error) {
      if (!(error instanceof AnswerTooLong) || to - at < 2) throw error;
      window = Math.floor((to - at) / 2);
    }
  }
  return receipts;
}
