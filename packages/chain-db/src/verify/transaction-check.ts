import type { TransactionPrefix } from '@wrkz/core-types';
import { plainPaymentId } from '../payment-ids';
import type { StateDigest } from './digest';
import type { Problems } from './problems';
import type { StoredRows, StoredTransactionRow } from './stored-rows';

const NOTHING = Buffer.alloc(0);

/**
 * Compares the rows of a transaction (its own, outputs, key images, payment id) with its prefix. Transactions are passed in chain
 * order.
 */
export class TransactionCheck {
  /** Outputs so far of each amount. */
  outputs = new Map<bigint, number>();
  keyImages = 0;
  paymentIds = 0;

  constructor(
    private readonly rows: StoredRows,
    private readonly problems: Problems,
    private readonly digest: StateDigest,
  ) {}

  /** @param hash of the transaction's bytes; the hash in its row where the bytes are incomplete */
  check(name: string, hash: Buffer, prefix: TransactionPrefix, row: StoredTransactionRow, height: number): void {
    const { problems } = this;
    this.digest.add(row.hash, row.height, prefix.unlockTime);
    problems.equal(name, 'hash', row.hash, hash);
    problems.equal(name, 'id found by its hash', this.rows.transactionId(hash), row.id);
    problems.equal(name, 'height', row.height, height);
    problems.equal(name, 'number of global indexes', row.globalIndexes?.length, prefix.outputs.length);
    this.checkOutputs(name, prefix, row.globalIndexes ?? [], height);
    this.checkPaymentId(name, plainPaymentId(prefix.extra), row.id);
    for (const input of prefix.inputs) {
      if (input.type !== 'key') continue;
      const spentAt = this.rows.spentHeight(input.keyImage);
      this.digest.add(input.keyImage, spentAt ?? -1);
      problems.equal(name, `height at which ${input.keyImage.toString('hex')} is spent`, spentAt, height);
      this.keyImages++;
    }
  }

  /** Each use of an id must be found, and the previous use in a lower row, so that the uses have no gap. */
  private checkPaymentId(name: string, paymentId: Buffer | undefined, transactionId: number): void {
    if (paymentId === undefined) return;
    const { problems, rows } = this;
    const id = this.paymentIds++;
    const row = rows.paymentId(id);
    this.digest.add(row?.paymentId ?? NOTHING, row?.use ?? -1, row?.transactionId ?? -1);
    problems.equal(name, 'payment id', row?.paymentId, paymentId);
    problems.equal(name, 'transaction of its payment id', row?.transactionId, transactionId);
    if (row === undefined || !(row.use >= 0 && row.use <= id)) {
      return problems.add(name, `has a payment id whose number of uses is ${row?.use}`);
    }
    problems.equal(name, 'row found by its payment id', rows.paymentIdRow(paymentId, row.use), id);
    const before = row.use === 0 ? -1 : rows.paymentIdRow(paymentId, row.use - 1);
    if (before === undefined || before >= id)
      problems.add(name, `is use ${row.use} of its payment id, and use ${row.use - 1} is not before it`);
  }

  private checkOutputs(name: string, prefix: TransactionPrefix, indexes: readonly number[], height: number): void {
    prefix.outputs.forEach(({ amount, key }, position) => {
      const index = this.outputs.get(amount) ?? 0;
      this.outputs.set(amount, index + 1);
      const output = `output ${position}`;
      this.problems.equal(name, `global index of ${output}`, indexes[position], index);
      const row = this.rows.output(amount, index);
      // 0 for a row with the height of its block and the unlock time of its transaction.
      const place = row === undefined ? -1 : row.height - height || Number(row.unlockTime !== prefix.unlockTime);
      this.digest.add(amount, indexes[position] ?? -1, row?.key ?? NOTHING, place, row?.position ?? -1);
      this.problems.equal(name, `key of ${output}`, row?.key, key);
      this.problems.equal(name, `height of ${output}`, row?.height, height);
      this.problems.equal(name, `unlock time of ${output}`, row?.unlockTime, prefix.unlockTime);
      this.problems.equal(name, `position of ${output}`, row?.position, position);
    });
  }
}
