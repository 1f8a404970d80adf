import { z } from 'zod';
import { integer, uint64 } from '@wrkz/api';
import { stringifyJson } from '@wrkz/service-kit';
import {
  isAtTip,
  type Receipt,
  receiptsOf,
  type Wallet,
  WalletClient,
  type WalletState,
  WalletUnavailable,
} from './wallet';

/** `state` of a successful transaction. */
const SUCCEEDED = 0;
/** `blockIndex` of an unconfirmed transaction of the C++ program. */
const NO_BLOCK = 4_294_967_295;

/** Block counts, not indexes. */
const status = z.object({ blockCount: integer, knownBlockCount: integer, localDaemonBlockCount: integer });
const addressList = z.object({ addresses: z.array(z.string()) });
const transactionItems = z.object({
  items: z.array(
    z.object({
      transactions: z.array(
        z.object({
          state: integer,
          transactionHash: z.string().regex(/^[0-9a-fA-F]{64}$/),
          blockIndex: integer,
          timestamp: integer,
          unlockTime: uint64,
          paymentId: z.string(),
          transfers: z.array(z.object({ address: z.string(), amount: z.bigint() })),
        }),
      ),
    }),
  ),
});

const envelope = <S extends z.ZodType>(result: S) =>
  z.union([z.object({ result }), z.object({ error: z.object({ message: z.string() }) })]);

/** Client of the wallet JSON-RPC service. */
export class WalletRpc implements Wallet {
  private readonly client: WalletClient;

  constructor(
    url: string,
    private readonly password: string,
  ) {
    this.client = new WalletClient(url, {});
  }

  async state(signal: AbortSignal): Promise<WalletState> {
    const { blockCount, knownBlockCount, localDaemonBlockCount } = await this.call('getStatus', {}, status, signal);
    const { addresses } = await this.call('getAddresses', {}, addressList, signal);
    const counts = { wallet: blockCount, node: localDaemonBlockCount, network: knownBlockCount };
    const isSynced = knownBlockCount > 1 && isAtTip(counts);
    return { height: Math.max(0, blockCount - 1), isSynced, addresses: new Set(addresses) };
  }

  async receipts(address: string, from: number, to: number, signal: AbortSignal): Promise<Receipt[]> {
    const firstBlockIndex = Math.max(1, from); // The service rejects block 0.
    if (to <= firstBlockIndex) return [];
    const range = { firstBlockIndex, blockCount: to - firstBlockIndex, addresses: [address] };
    const { items } = await this.call('getTransactions', range, transactionItems, signal);
    const confirmed = items
      .flatMap(({ transactions }) => transactions)
      .filter(({ state, blockIndex }) => state === SUCCEEDED && blockIndex !== NO_BLOCK && blockIndex > 0);
    return receiptsOf(
      address,
      confirmed.map(({ transactionHash: hash, blockIndex: height, timestamp: time, ...rest }) => {
        return { ...rest, hash, height, time };
      }),
    );
  }

  private async call<S extends z.ZodType>(
    method: string,
    params: object,
    result: S,
    signal: AbortSignal,
  ): Promise<z.output<S>> {
    const data = stringifyJson({ jsonrpc: '2.0', id: 1, password: this.password, method, params });
    const response = await this.client.request({ method: 'POST', path: '/json_rpc', data, signal }, envelope(result));
    if ('error' in response) throw new WalletUnavailable(`${method}: ${response.error.message}`);
    return (response as { result: z.output<S> }).result;
  }
}
