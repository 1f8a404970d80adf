import { z } from 'zod';
import { integer, uint64 } from '@wrkz/api';
import { type IncomeSource, incomeAmount, isAtTip, type Receipt, type WalletState } from './income';
import { WalletClient } from './wallet-client';

const status = z.object({
  walletBlockCount: integer,
  localDaemonBlockCount: integer,
  networkBlockCount: integer,
  /** Why the wallet gets no further, where a wallet of this suite says so; the counts stay what they were. */
  syncStall: z.object({ code: z.string() }).optional(),
});
const addressList = z.object({ addresses: z.array(z.string()) });
const transactionList = z.object({
  transactions: z.array(
    z.object({
      hash: z.string().regex(/^[0-9a-fA-F]{64}$/),
      blockHeight: integer,
      timestamp: integer,
      paymentID: z.string(),
      unlockTime: uint64,
      transfers: z.array(z.object({ address: z.string(), amount: z.bigint() })),
    }),
  ),
});

/** The income that the wallet HTTP API tells. A view wallet is enough. */
export class WalletApiIncome implements IncomeSource {
  private readonly client: WalletClient;

  constructor(url: string, key: string) {
    this.client = new WalletClient(url, { 'X-API-KEY': key });
  }

  async state(signal: AbortSignal): Promise<WalletState> {
    const found = await this.get('/status', status, signal);
    const { addresses } = await this.get('/addresses', addressList, signal);
    const { walletBlockCount: height, localDaemonBlockCount: local, networkBlockCount: network, syncStall } = found;
    // a node that never answered leaves both counts at 0
    const isSynced = syncStall === undefined && network > 0 && isAtTip({ wallet: height, node: local, network });
    return { height, isSynced, addresses: new Set(addresses) };
  }

  async receipts(address: string, from: number, to: number, signal: AbortSignal): Promise<Receipt[]> {
    const { transactions } = await this.get(`/transactions/address/${address}/${from}/${to}`, transactionList, signal);
    return transactions
      .map((one) => ({
        hash: one.hash.toLowerCase(),
        amount: incomeAmount(one.transfers, address),
        height: one.blockHeight,
        time: one.timestamp,
        paymentId: one.paymentID.toLowerCase(),
        unlockTime: one.unlockTime,
      }))
      .filter(({ amount }) => amount > 0n);
  }

  private get<S extends z.ZodType>(path: string, schema: S, signal: AbortSignal): Promise<z.output<S>> {
    return this.client.ask({ method: 'GET', path, signal }, schema);
  }
}
