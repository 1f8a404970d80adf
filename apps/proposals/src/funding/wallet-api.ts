import { z } from 'zod';
import { integer, uint64 } from '@wrkz/api';
import { isAtTip, type Receipt, receiptsOf, type Wallet, WalletClient, type WalletState } from './wallet';

const status = z.object({
  walletBlockCount: integer,
  localDaemonBlockCount: integer,
  networkBlockCount: integer,
  /** Only from a wallet of this suite: the synchronization has stalled, and the counts are outdated. */
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

/** Client of the wallet HTTP API. A view wallet is sufficient. */
export class WalletApi implements Wallet {
  private readonly client: WalletClient;

  constructor(url: string, key: string) {
    this.client = new WalletClient(url, { 'X-API-KEY': key });
  }

  async state(signal: AbortSignal): Promise<WalletState> {
    const found = await this.get('/status', status, signal);
    const { addresses } = await this.get('/addresses', addressList, signal);
    const { walletBlockCount: height, localDaemonBlockCount: local, networkBlockCount: network, syncStall } = found;
    // Both counts are 0 before the first response of the node.
    const isSynced = syncStall === undefined && network > 0 && isAtTip({ wallet: height, node: local, network });
    return { height, isSynced, addresses: new Set(addresses) };
  }

  async receipts(address: string, from: number, to: number, signal: AbortSignal): Promise<Receipt[]> {
    const { transactions } = await this.get(`/transactions/address/${address}/${from}/${to}`, transactionList, signal);
    return receiptsOf(
      address,
      transactions.map(({ blockHeight: height, timestamp: time, paymentID: paymentId, ...rest }) => {
        return { ...rest, height, time, paymentId };
      }),
    );
  }

  private get<S extends z.ZodType>(path: string, schema: S, signal: AbortSignal): Promise<z.output<S>> {
    return this.client.request({ method: 'GET', path, signal }, schema);
  }
}
