import { z } from 'zod';
import { integer, uint64 } from '@wrkz/api';
import { stringifyJson } from '@wrkz/service-kit';
import { type IncomeSource, incomeAmount, isAtTip, type Receipt, WalletAway, type WalletState } from './income';
import { WalletClient } from './wallet-client';

/** The state of a transaction that stands on the chain. */
const SUCCEEDED = 0;
/** The block index of what is not in a block yet, in the C++ program. */
const NO_BLOCK = 4_294_967_295;

/** Counts, not indexes. */
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

/** The income that the wallet's JSON-RPC service tells. */
export class WalletRpcIncome implements IncomeSource {
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
    const firstBlockIndex = Math.max(1, from); // the service refuses the genesis block, which pays nobody
    if (to <= firstBlockIndex) return [];
    const window = { firstBlockIndex, blockCount: to - firstBlockIndex, addresses: [address] };
    const { items } = await this.call('getTransactions', window, transactionItems, signal);
    return items
      .flatMap(({ transactions }) => transactions)
      .filter(({ state, blockIndex }) => state === SUCCEEDED && blockIndex !== NO_BLOCK && blockIndex > 0)
      .map((one) => ({
        hash: one.transactionHash.toLowerCase(),
        amount: incomeAmount(one.transfers, address),
        height: one.blockIndex,
        time: one.timestamp,
        paymentId: one.paymentId.toLowerCase(),
        unlockTime: one.unlockTime,
      }))
      .filter(({ amount }) => amount > 0n);
  }

  private async call<S extends z.ZodType>(
    method: string,
    params: object,
    result: S,
    signal: AbortSignal,
  ): Promise<z.output<S>> {
    const data = stringifyJson({ jsonrpc: '2.0', id: 1, password: this.password, method, params });
    const answer = await this.client.ask({ method: 'POST', path: '/json_rpc', data, signal }, envelope(result));
    if ('error' in answer) throw new WalletAway(`${method}: ${answer.error.message}`);
    return (answer as { result: z.output<S> }).result;
  }
}
