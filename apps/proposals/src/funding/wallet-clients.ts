import { integer, uint64 } from '@wrkz/api';
import { stringifyJson } from '@wrkz/service-kit';
import { z } from 'zod';
import {
  isAtTip,
  type Receipt,
  receiptsOf,
  type WalletService,
  WalletClient,
  type WalletState,
  WalletUnavailable,
} from './wallet';

/** Response of both services. */
const addressList = z.object({ addresses: z.array(z.string()) });
const transactionHash = z.string().regex(/^[0-9a-fA-F]{64}$/);
/** Fields of a transaction that have the same names in both services. */
const transactionFields = {
  timestamp: integer,
  unlockTime: uint64,
  transfers: z.array(z.object({ address: z.string(), amount: z.bigint() })),
};

const apiStatus = z.object({
  walletBlockCount: integer,
  localDaemonBlockCount: integer,
  networkBlockCount: integer,
  /** Present if the synchronization has stalled and the counts are outdated. Only wallets of this suite send it. */
  syncStall: z.object({ code: z.string() }).optional(),
});
const apiTransactions = z.object({
  transactions: z.array(
    z.object({ ...transactionFields, hash: transactionHash, blockHeight: integer, paymentID: z.string() }),
  ),
});

/** Client of the wallet HTTP API. A view wallet is sufficient. */
export class WalletApiClient implements WalletService {
  private readonly client: WalletClient;

  constructor(url: string, key: string) {
    this.client = new WalletClient(url, { 'X-API-KEY': key });
  }

  async state(signal: AbortSignal): Promise<WalletState> {
    const found = await this.get('/status', apiStatus, signal);
    const { addresses } = await this.get('/addresses', addressList, signal);
    const { walletBlockCount: height, localDaemonBlockCount: local, networkBlockCount: network, syncStall } = found;
    // Both heights are 0 before the first response of the node.
    const isSynced = syncStall === undefined && network > 0 && isAtTip({ wallet: height, node: local, network });
    return { height, isSynced, addresses: new Set(addresses) };
  }

  async receipts(address: string, from: number, to: number, signal: AbortSignal): Promise<Receipt[]> {
    const { transactions } = await this.get(`/transactions/address/${address}/${from}/${to}`, apiTransactions, signal);
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

/** `state` of a successful transaction. */
const SUCCEEDED = 0;
/** `blockIndex` of an unconfirmed transaction of the C++ program. */
const NO_BLOCK = 4_294_967_295;

/** Block counts, not indexes. */
const rpcStatus = z.object({ blockCount: integer, knownBlockCount: integer, localDaemonBlockCount: integer });
const rpcTransactions = z.object({
  items: z.array(
    z.object({
      transactions: z.array(
        z.object({
          ...transactionFields,
          state: integer,
          transactionHash,
          blockIndex: integer,
          paymentId: z.string(),
        }),
      ),
    }),
  ),
});

const envelope = <S extends z.ZodType>(result: S) =>
  z.union([z.object({ result }), z.object({ error: z.object({ message: z.string() }) })]);

/** Client of the wallet JSON-RPC service. */
export class WalletRpcClient implements WalletService {
  private readonly client: WalletClient;

  constructor(
    url: string,
    private readonly password: string,
  ) {
    this.client = new WalletClient(url, {});
  }

  async state(signal: AbortSignal): Promise<WalletState> {
    const { blockCount, knownBlockCount, localDaemonBlockCount } = await this.call('getStatus', {}, rpcStatus, signal);
    const { addresses } = await this.call('getAddresses', {}, addressList, signal);
    const counts = { wallet: blockCount, node: localDaemonBlockCount, network: knownBlockCount };
    const isSynced = knownBlockCount > 1 && isAtTip(counts);
    return { height: Math.max(0, blockCount - 1), isSynced, addresses: new Set(addresses) };
  }

  async receipts(address: string, from: number, to: number, signal: AbortSignal): Promise<Receipt[]> {
    const firstBlockIndex = Math.max(1, from); // The service rejects block 0.
    if (to <= firstBlockIndex) return [];
    const range = { firstBlockIndex, blockCount: to - firstBlockIndex, addresses: [address] };
    const { items } = await this.call('getTransactions', range, rpcTransactions, signal);
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
