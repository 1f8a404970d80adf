import { REASONS } from '@wrkz/consensus';
import {
  encodeTransactionPrefix,
  MAX_EXTRA_SIZE,
  type TransactionInput,
  type TransactionPrefix,
} from '@wrkz/core-types';
import type { KeyPair } from '@wrkz/crypto';
import { plainAddress } from './addresses';
import type { CheckedSend, Payment } from './check-request';
import { offsetsOf, type Ring } from './decoys';
import { extraOf } from './extra';
import { failures } from './failures';
import type { InputKeys } from './input-keys';
import { outputsOf, type Piece, splitPayments } from './outputs';

const SIGNATURE_SIZE = 64;

/** A transaction whose every byte has its place: only the nonce of the work and the signatures are not there yet. */
export interface Layout {
  readonly prefix: TransactionPrefix;
  readonly pieces: readonly Piece[];
  readonly hasWork: boolean;
  /** Serialized bytes, signatures included. */
  readonly size: number;
}

interface Materials {
  readonly frame: Pick<CheckedSend, 'change' | 'data' | 'fields' | 'paymentId' | 'terms' | 'unlockTime'>;
  readonly keys: KeyPair;
  readonly rings: readonly Ring[];
  readonly inputKeys: readonly InputKeys[];
  readonly payments: readonly Payment[];
  readonly change: bigint;
  readonly fee: bigint;
}

/** @throws WalletError 56; 31 for an extra that no pool takes */
export function layOut({ frame, keys, rings, inputKeys, payments, change, fee }: Materials): Layout {
  const pieces = splitPayments(withChange(payments, change, frame.change.address));
  const hasWork = !frame.terms.isFreeOfWork(fee);
  const { paymentId, data, fields } = frame;
  const extra = extraOf({ keys, paymentId, data, fields, receiver: (payments[0] as Payment).to, hasWork });
  if (extra.length >= MAX_EXTRA_SIZE) throw failures.nodeError(REASONS.EXTRA_TOO_LARGE.text);
  const inputs = rings.map((ring, i): TransactionInput => ({
    type: 'key',
    amount: ring.input.output.amount,
    keyOffsets: offsetsOf(ring),
    keyImage: (inputKeys[i] as InputKeys).keyImage,
  }));
  const outputs = outputsOf(pieces, keys.secretKey);
  const prefix: TransactionPrefix = { version: 1, unlockTime: frame.unlockTime, inputs, outputs, extra };
  const signatures = rings.reduce((sum, { members }) => sum + members.length * SIGNATURE_SIZE, 0);
  return { prefix, pieces, hasWork, size: encodeTransactionPrefix(prefix).length + signatures };
}

/** The payments, and last what comes back. */
export function withChange(payments: readonly Payment[], change: bigint, address: string): readonly Payment[] {
  return change === 0n ? payments : [...payments, { to: plainAddress(address), amount: change }];
}
