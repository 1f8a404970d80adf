import type { RandomOutsResult, SendNode, SubmitResult, TransactionStatus } from '@wrkz/wallet-core';
import { type TestNodeClient, NodeRefusal } from '../../src';

interface RandomOuts {
  readonly outs: readonly {
    readonly amount: number;
    readonly outs: readonly { readonly global_amount_index: number; readonly out_key: string }[];
  }[];
}

/** The calls of a daemon that a send uses. */
export class SpendNodeOver implements SendNode {
  /** Sent transactions in their order. */
  readonly relayed: Buffer[] = [];
  /** Whether the node accepts transactions, but its responses are lost. */
  losesAnswers = false;

  constructor(private readonly node: TestNodeClient) {}

  async randomOuts(amounts: readonly bigint[], count: number): Promise<RandomOutsResult> {
    try {
      const body = { amounts: amounts.map(Number), outs_count: count };
      const { outs } = await this.node.post<RandomOuts>('/getrandom_outs', body);
      const sets = outs.map(({ amount, outs: outputs }) => ({
        amount: BigInt(amount),
        outputs: outputs.map((out) => ({ globalIndex: out.global_amount_index, key: out.out_key })),
      }));
      return { kind: 'outs', sets };
    } catch (error) {
      return {
        kind: error instanceof NodeRefusal && error.message.includes('"errorCode":27') ? 'tooFew' : 'unavailable',
      };
    }
  }

  async submit(transaction: Buffer): Promise<SubmitResult> {
    this.relayed.push(transaction);
    const body = { tx_as_hex: transaction.toString('hex') };
    const { status, error } = await this.node.post<{ status: string; error: string }>('/sendrawtransaction', body);
    if (this.losesAnswers) return { kind: 'uncertain', ended: false };
    return status === 'OK' ? { kind: 'accepted' } : { kind: 'refused', reason: error };
  }

  reportFaulty(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async transactionStatus(hash: string): Promise<TransactionStatus> {
    const places = await this.node.status([hash]);
    if (places.transactionsInBlock.includes(hash)) return 'block';
    return places.transactionsInPool.includes(hash) ? 'pool' : 'unknown';
  }
}
