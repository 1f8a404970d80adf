import type { SqliteConnection } from '@wrkz/sqlite';

/** One line of how a send was made, as long as its own form is known. */
export interface SentTransfer {
  readonly address: string;
  readonly amount: bigint;
  readonly isChange: boolean;
}

/** What of a transaction neither the container nor `/getwalletsyncdata` holds. */
export interface TransactionDetails {
  readonly extra: Buffer;
  /** Sum of the key inputs, ours and foreign; 0 for a coinbase. */
  readonly inputs: bigint;
  /** Sum of all outputs, ours and foreign. */
  readonly outputs: bigint;
  /** Of the block that holds it; undefined while none does. */
  readonly blockHash?: string | undefined;
  /** Known here while no block holds it. */
  readonly unlockTime?: bigint | undefined;
  /** Decoys in each ring of an own send. */
  readonly mixin?: number | undefined;
  /** Sums of what each own spend key received, by its 64 hex characters. */
  readonly received?: ReadonlyMap<string, bigint> | undefined;
  /** Whom an own send pays, and its change; undefined of what was learnt from the chain. */
  readonly sent?: readonly SentTransfer[] | undefined;
}

/** The whole extra and the sums of transactions, by hash (64 hex characters). */
export class TransactionExtras {
  constructor(private readonly connection: SqliteConnection) {}

  get(hash: string): TransactionDetails | undefined {
    const row = this.connection
      .prepare<[Buffer], [Buffer, string]>('SELECT extra, details FROM extras WHERE hash = ?')
      .raw(true)
      .get(Buffer.from(hash, 'hex'));
    return row && { extra: row[0], ...readDetails(row[1]) };
  }

  /** All of a batch, or none. */
  put(transactions: readonly (readonly [hash: string, details: TransactionDetails])[]): void {
    const insert = this.connection.prepare('INSERT OR REPLACE INTO extras VALUES (?, ?, ?)');
    this.connection
      .transaction(() => {
        for (const [hash, details] of transactions) {
          insert.run(Buffer.from(hash, 'hex'), details.extra, writeDetails(details));
        }
      })
      .immediate();
  }

  /** Those of these hashes that are not there yet, in their order. */
  missing(hashes: readonly string[]): string[] {
    const find = this.connection.prepare<[Buffer], [number]>('SELECT 1 FROM extras WHERE hash = ?').raw(true);
    return hashes.filter((hash) => find.get(Buffer.from(hash, 'hex')) === undefined);
  }
}

/** Amounts stand as decimal digits. */
interface WrittenDetails {
  readonly blockHash?: string | undefined;
  readonly unlockTime?: string | undefined;
  readonly mixin?: number | undefined;
  readonly received?: readonly (readonly [string, string])[] | undefined;
  readonly sent?: readonly (readonly [address: string, amount: string, isChange: boolean])[] | undefined;
}

/** The two sums, and whatever else is known as JSON behind them. */
function writeDetails({ inputs, outputs, blockHash, unlockTime, mixin, received, sent }: TransactionDetails): string {
  const more: WrittenDetails = {
    blockHash,
    unlockTime: unlockTime?.toString(),
    mixin,
    received: received && Array.from(received, ([key, amount]) => [key, String(amount)] as const),
    sent: sent?.map(({ address, amount, isChange }) => [address, String(amount), isChange] as const),
  };
  return `${inputs} ${outputs} ${JSON.stringify(more)}`;
}

function readDetails(text: string): Omit<TransactionDetails, 'extra'> {
  const [inputs = '', outputs = '', ...rest] = text.split(' ');
  const more = (rest.length === 0 ? {} : JSON.parse(rest.join(' '))) as WrittenDetails;
  return {
    inputs: BigInt(inputs),
    outputs: BigInt(outputs),
    blockHash: more.blockHash,
    unlockTime: more.unlockTime === undefined ? undefined : BigInt(more.unlockTime),
    mixin: more.mixin,
    received: more.received && new Map(more.received.map(([key, amount]) => [key, BigInt(amount)])),
    sent: more.sent?.map(([address, amount, isChange]) => ({ address, amount: BigInt(amount), isChange })),
  };
}
