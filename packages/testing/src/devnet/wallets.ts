import { requestJson } from '../node-client';
import type { DevnetAddresses } from './curl-commands';

/** Atomic units. */
export interface WalletBalance {
  readonly unlocked: number;
  readonly locked: number;
}

/** Clients of both wallet services of a devnet. */
export class DevnetWallets {
  constructor(private readonly addresses: DevnetAddresses) {}

  /** Sends a request to the wallet of alice. */
  api<T>(method: string, path: string, body?: object): Promise<T> {
    const { walletApi, apiKey } = this.addresses;
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return requestJson<T>(walletApi + path, { method, headers: { 'X-API-KEY': apiKey }, ...text });
  }

  /** Calls a method of the wallet of bob. @throws Error for an error response */
  async rpc<T>(method: string, params: object = {}): Promise<T> {
    const { walletRpc, rpcPassword: password } = this.addresses;
    const body = JSON.stringify({ id: 1, method, params, password });
    const { result, error } = await requestJson<{ result?: T; error?: object }>(walletRpc, { method: 'POST', body });
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** Pays from alice. @returns the hash of the transaction */
  async payFromAlice(destination: string, amount: number): Promise<string> {
    const body = { destination, amount };
    return (await this.api<{ transactionHash: string }>('POST', '/transactions/send/basic', body)).transactionHash;
  }

  /** Pays from bob. @returns the hash of the transaction */
  async payFromBob(address: string, amount: number): Promise<string> {
    const params = { transfers: [{ address, amount }], changeAddress: this.addresses.bob };
    return (await this.rpc<{ transactionHash: string }>('sendTransaction', params)).transactionHash;
  }

  /** Balances of alice and bob. */
  async balances(): Promise<[alice: WalletBalance, bob: WalletBalance]> {
    const [alice, bob] = await Promise.all([
      this.api<WalletBalance>('GET', '/balance'),
      this.rpc<{ availableBalance: number; lockedAmount: number }>('getBalance'),
    ]);
    return [alice, { unlocked: bob.availableBalance, locked: bob.lockedAmount }];
  }

  /** Indexes of the newest blocks that the wallets have read. */
  async heights(): Promise<[alice: number, bob: number]> {
    const [alice, bob] = await Promise.all([
      this.api<{ walletBlockCount: number }>('GET', '/status'),
      this.rpc<{ blockCount: number }>('getStatus'),
    ]);
    return [alice.walletBlockCount, bob.blockCount - 1];
  }
}
