import { createServer, type Server, type ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { stringifyJson } from '@wrkz/service-kit';

/** A transaction of the scripted wallet. */
export interface ScriptedTransaction {
  readonly hash: string;
  readonly height: number;
  readonly amount: bigint;
  readonly paymentId?: string;
  readonly unlockTime?: bigint;
  readonly address?: string;
  readonly time?: number;
}

export const KEY = 'the key';

/** A wallet service with scripted state. Serves both interfaces in the documented formats. */
export class ScriptedWallet {
  height = 1000;
  network = 1000;
  /** Further fields of /status. */
  more: object = {};
  addresses: string[] = [];
  transactions: ScriptedTransaction[] = [];
  /** Replaces every response, for example with an error. */
  answer: ((response: ServerResponse, path: string) => void) | undefined;
  /** The requested paths. */
  readonly requested: string[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const path = request.url ?? '';
      this.requested.push(path);
      if (this.answer !== undefined) return this.answer(response, path);
      if (path === '/json_rpc') void readJson(request).then((body) => this.rpc(body as RpcBody, response));
      else if (request.headers['x-api-key'] !== KEY) response.writeHead(401).end();
      else this.api(path, response);
    });
  }

  static async start(): Promise<ScriptedWallet> {
    const wallet = new ScriptedWallet();
    await new Promise<void>((resolve) => wallet.server.listen(0, '127.0.0.1', resolve));
    return wallet;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Transactions of an address in a range of blocks, in the order of the wallet. */
  private between(address: string, from: number, end: number): ScriptedTransaction[] {
    return this.transactions.filter((one) => this.of(one) === address && one.height >= from && one.height < end);
  }

  private of({ address }: ScriptedTransaction): string {
    return address ?? this.addresses[0] ?? '';
  }

  private api(path: string, response: ServerResponse): void {
    const range = /^\/transactions\/address\/(Wrkz[a-zA-Z0-9]{94})\/(\d+)\/(\d+)$/.exec(path);
    if (path === '/status') {
      const [local, network] = [this.network, this.network];
      send(response, {
        walletBlockCount: this.height,
        localDaemonBlockCount: local,
        networkBlockCount: network,
        peerCount: 1,
        ...this.more,
      });
    } else if (path === '/addresses') send(response, { addresses: this.addresses });
    else if (range === null) response.writeHead(404).end();
    else if (Number(range[2]) >= Number(range[3])) response.writeHead(400).end();
    else {
      const transactions = this.between(range[1] ?? '', Number(range[2]), Number(range[3])).map((one) => ({
        blockHeight: one.height,
        fee: 10n,
        hash: one.hash,
        isCoinbaseTransaction: false,
        paymentID: one.paymentId ?? '',
        timestamp: one.time ?? 1_700_000_000 + 60 * one.height,
        transfers: [{ address: this.of(one), amount: one.amount }],
        unlockTime: one.unlockTime ?? 0n,
      }));
      send(response, { transactions });
    }
  }

  private rpc({ method, password, params }: RpcBody, response: ServerResponse): void {
    const reply = (rest: object): void => send(response, { id: 1, jsonrpc: '2.0', ...rest });
    if (password !== KEY) return reply({ error: { code: -32604, message: 'Invalid or no rpc password' } });
    if (method === 'getStatus') {
      const [known, local] = [this.network + 1, this.network + 1];
      return reply({
        result: { blockCount: this.height + 1, knownBlockCount: known, localDaemonBlockCount: local, peerCount: 1 },
      });
    }
    if (method === 'getAddresses') return reply({ result: { addresses: this.addresses } });
    const { firstBlockIndex = 0, blockCount = 0, addresses = [] } = params;
    if (method !== 'getTransactions' || firstBlockIndex === 0 || blockCount === 0)
      return reply({ error: { code: -32700, message: 'Wrong parameters passed', data: { application_code: 22 } } });
    const found = this.between(addresses[0] ?? '', firstBlockIndex, firstBlockIndex + blockCount);
    const items = found.map((one) => ({
      blockHash: '0'.repeat(64),
      transactions: [
        {
          amount: one.amount,
          blockIndex: one.height,
          extra: '',
          fee: 10n,
          isBase: false,
          paymentId: one.paymentId ?? '',
          state: 0,
          timestamp: one.time ?? 1_700_000_000 + 60 * one.height,
          transactionHash: one.hash,
          transfers: [
            { address: this.of(one), amount: one.amount, type: 0 },
            { address: '', amount: -one.amount - 10n, type: 0 },
          ],
          unlockTime: one.unlockTime ?? 0n,
        },
      ],
    }));
    reply({ result: { items } });
  }
}

interface RpcBody {
  readonly method?: string;
  readonly password?: string;
  readonly params: { firstBlockIndex?: number; blockCount?: number; addresses?: string[] };
}

function send(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(stringifyJson(value));
}
