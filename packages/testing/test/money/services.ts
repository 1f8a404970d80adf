import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort, mainArguments, nodeCommand, Program, TestWallet, type SmallDisk } from '../../src';
import { plainRequest } from '../../src/plain-request';
import { sourceArguments } from '../../src/source';

const PROGRAM = join(__dirname, 'service-program.ts');
/** Log lines that do not help to explain a failure. */
const COMMON = /money event: (transaction|send|send-confirmed|send-settled) /;
const SECRET = 'password of the campaign';
/** Max wait for a response, milliseconds. */
const RESPONSE_MS = 180_000;

/** The outcome of a request, as known to the client. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly hashes: readonly string[] }
  /** The transaction of the idempotency key was given up. */
  | { readonly kind: 'givenUp' }
  /** The service reports that the node did not accept the payment. */
  | { readonly kind: 'refused'; readonly text: string; readonly isByNode: boolean }
  /** No response, or one after which the payment may have been submitted. */
  | { readonly kind: 'unknown'; readonly text: string };

/** Prepared and delayed transactions are sent with a second request. */
export type PaymentKind = 'send' | 'sweep' | 'prepared' | 'delayed';

export interface Transfer {
  readonly address: string;
  readonly amount: number;
  readonly paymentId: string;
}

/** A request, which may be repeated unchanged. */
export interface ServiceRequest {
  /** Method and path, or a method of the JSON-RPC. */
  readonly name: string;
  readonly body: object;
}

interface Balance {
  readonly unlocked: number;
  readonly locked: number;
}

interface Place {
  readonly folder: string;
  readonly nodePort: number;
  /** The disk of the folder. */
  readonly disk?: SmallDisk | undefined;
}

/** A wallet service in a separate process. */
export abstract class WalletServiceProcess {
  /** Keys by address; added when the service first lists the address. */
  readonly wallets = new Map<string, TestWallet>();
  /** Number of requests for new addresses without a response. */
  unansweredAddresses = 0;
  protected readonly program: Program;

  protected constructor(
    readonly name: 'api' | 'rpc',
    readonly primary: TestWallet,
    protected readonly port: number,
    protected readonly place: Place,
  ) {
    this.wallets.set(primary.address, primary);
    const { disk } = place;
    const options = { ready: /listens on/, omit: COMMON, within: disk?.enter ?? [] };
    this.program = new Program(name, () => nodeCommand([...sourceArguments(PROGRAM), name, ...this.args()]), options);
  }

  get log(): readonly string[] {
    return this.program.log;
  }

  async start(): Promise<void> {
    await this.program.start();
    await this.open();
  }

  stop(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    return this.program.stop(signal);
  }

  /**
   * Makes writes to files fail like on a full disk. Without a separate small disk, which requires root, the size of files is
   * limited, and writes fail with EFBIG instead of ENOSPC.
   * @param left bytes that can still be written
   * @returns a function that frees the space
   */
  fillDisk(left: number): () => void {
    const { disk } = this.place;
    if (disk !== undefined) return disk.fill(left);
    const pid = String(this.program.pid);
    const limit = (size: string): void => void spawnSync('prlimit', ['--pid', pid, `--fsize=${size}:`]);
    limit('0');
    return () => limit('unlimited');
  }

  /** Hashes of the transactions that the log reports as given up. */
  givenUp(): Set<string> {
    const lines = this.log.filter((line) => line.includes('send-given-up'));
    return new Set(lines.flatMap((line) => /"?transaction"?[=: ]+"?([0-9a-f]{64})/.exec(line)?.[1] ?? []));
  }

  /** Sends a request of a payment. @throws Error for an unexpected response */
  abstract perform(request: ServiceRequest, key: string | undefined): Promise<Outcome>;
  /** @param source the only address to spend from */
  abstract paymentRequest(kind: PaymentKind, transfer: Transfer, source: string | undefined): ServiceRequest;
  /** Undefined if the request had no successful response. */
  abstract createAddress(): Promise<string | undefined>;
  abstract addresses(): Promise<string[]>;
  abstract balance(address: string): Promise<Balance>;
  abstract unconfirmed(): Promise<string[]>;
  /** Height of the wallet in blocks, and why sends are paused. */
  abstract status(): Promise<{ height: number; paused: string | undefined }>;
  abstract save(): Promise<void>;
  /** Scans the chain again. */
  abstract reset(): Promise<void>;
  /** The transactions, without fields that only the sender knew. */
  abstract history(): Promise<unknown>;
  abstract resumeSends(): Promise<void>;
  /** Reconnects to the node. */
  abstract refresh(): Promise<void>;

  protected abstract args(): string[];
  protected abstract open(): Promise<void>;
  protected abstract secretOf(address: string): Promise<string>;

  /** Requests the keys of new addresses. @returns the new wallets */
  async learnAddresses(): Promise<TestWallet[]> {
    const added: TestWallet[] = [];
    for (const address of await this.addresses()) {
      if (this.wallets.has(address)) continue;
      const spendSecret = Buffer.from(await this.secretOf(address), 'hex');
      const wallet = new TestWallet({ spendSecret, viewSecret: this.primary.viewSecret });
      this.wallets.set(address, wallet);
      added.push(wallet);
    }
    return added;
  }

  protected async http(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Response> {
    const signal = AbortSignal.timeout(RESPONSE_MS);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
    const url = `http://127.0.0.1:${String(this.port)}${path}`;
    try {
      const response = await plainRequest(url, { method, body: text, headers: { ...headers, ...length }, signal });
      return { status: response.status, json: response.text === '' ? {} : (JSON.parse(response.text) as Fields) };
    } catch (error) {
      if (signal.aborted) throw new Error(`${this.name} did not respond to ${path}: ${this.log.slice(-8).join('\n')}`);
      throw new ConnectionLost(String(error));
    }
  }
}

const pauseOf = (sendsPaused: unknown): string | undefined =>
  sendsPaused === undefined ? undefined : JSON.stringify(sendsPaused);

type Fields = Record<string, unknown>;

interface Response {
  readonly status: number;
  readonly json: Fields;
}

/** The service ended, or closed the connection, before its response. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

const lost = (error: unknown): Outcome => {
  if (error instanceof ConnectionLost) return { kind: 'unknown', text: error.message };
  throw error;
};

/** Error codes of wallet-api for payments that were not submitted, or that the node refused. */
const API_REFUSALS = new Set([11, 28, 30, 31, 57, 58, 1007, 1008, 1009]);
const REFUSED_BY_NODE = 31;
const API_UNKNOWN = new Set([2, 55, 1003, 1011]);
const GIVEN_UP = 1006;

export class ApiServiceProcess extends WalletServiceProcess {
  static async create(place: Place): Promise<ApiServiceProcess> {
    const service = new ApiServiceProcess('api', new TestWallet('campaign api'), await freePort(), place);
    await service.program.start();
    const { viewSecret, spendSecret } = service.primary;
    const keys = { privateViewKey: viewSecret.toString('hex'), privateSpendKey: spendSecret.toString('hex') };
    await service.request('POST', '/wallet/import/key', { ...service.wallet, ...keys, scanHeight: 0 });
    return service;
  }

  async perform({ name, body }: ServiceRequest, key: string | undefined): Promise<Outcome> {
    const [method = '', path = ''] = name.split(' ');
    const headers = key === undefined ? this.headers : { ...this.headers, 'Idempotency-Key': key };
    return this.http(method, path, headers, body).then(outcomeOfApi, lost);
  }

  paymentRequest(
    kind: PaymentKind,
    { address, amount, paymentId }: Transfer,
    source: string | undefined,
  ): ServiceRequest {
    const basic = { destination: address, amount, paymentID: paymentId };
    if (kind === 'sweep') return { name: 'POST /transactions/send/sweep', body: basic };
    const path = `POST /transactions/${kind === 'prepared' ? 'prepare' : 'send'}`;
    if (source === undefined) return { name: `${path}/basic`, body: basic };
    const body = { destinations: [{ address, amount }], paymentID: paymentId, sourceAddresses: [source] };
    return { name: `${path}/advanced`, body };
  }

  async createAddress(): Promise<string | undefined> {
    try {
      const { status, json } = await this.http('POST', '/addresses/create', this.headers);
      return status === 201 ? String(json['address']) : undefined;
    } catch (error) {
      lost(error);
      this.unansweredAddresses++;
      return undefined;
    }
  }

  async addresses(): Promise<string[]> {
    return (await this.request('GET', '/addresses'))['addresses'] as string[];
  }

  async balance(address: string): Promise<Balance> {
    return (await this.request('GET', `/balance/${address}`)) as unknown as Balance;
  }

  async unconfirmed(): Promise<string[]> {
    const { transactions } = await this.request('GET', '/transactions/unconfirmed');
    return (transactions as { hash: string }[]).map(({ hash }) => hash);
  }

  async status(): Promise<{ height: number; paused: string | undefined }> {
    const { walletBlockCount, sendsPaused } = await this.request('GET', '/status');
    return { height: Number(walletBlockCount) + 1, paused: pauseOf(sendsPaused) };
  }

  async save(): Promise<void> {
    await this.http('PUT', '/save', this.headers).catch(lost);
  }

  async reset(): Promise<void> {
    await this.request('PUT', '/reset', { scanHeight: 0 });
  }

  async history(): Promise<unknown> {
    const { transactions } = await this.request('GET', '/transactions');
    const list = transactions as { paymentID: string; confirmations: number }[];
    return list.map(({ paymentID: _, confirmations: _c, ...rest }) => rest);
  }

  async resumeSends(): Promise<void> {
    await this.request('POST', '/sends/resume');
  }

  async refresh(): Promise<void> {
    await this.request('PUT', '/sync/refresh');
  }

  protected args(): string[] {
    const basics = ['-r', SECRET, '--network', 'devnet', '--threads', '1', '--no-console', '--log-level', '3'];
    return [...basics, '--wallet-dir', this.place.folder, '-p', String(this.port)];
  }

  protected async open(): Promise<void> {
    await this.request('POST', '/wallet/open', this.wallet);
  }

  protected async secretOf(address: string): Promise<string> {
    return String((await this.request('GET', `/keys/${address}`))['privateSpendKey']);
  }

  private get wallet(): Fields {
    return { filename: 'campaign.wallet', password: SECRET, daemonHost: '127.0.0.1', daemonPort: this.place.nodePort };
  }

  private get headers(): Record<string, string> {
    return { 'X-API-KEY': SECRET };
  }

  private async request(method: string, path: string, body?: object): Promise<Fields> {
    const { status, json } = await this.http(method, path, this.headers, body);
    if (status > 299) throw new Error(`api ${path}: ${String(status)} ${JSON.stringify(json)}`);
    return json;
  }
}

function outcomeOfApi({ status, json }: Response): Outcome {
  if (status === 201) return { kind: 'accepted', hashes: [String(json['transactionHash'])] };
  if (status === 200) return outcomeOfSweep(json['transactions'] as SweepEntry[]);
  const [code, text] = [Number(json['errorCode']), JSON.stringify(json)];
  if (code === GIVEN_UP) return { kind: 'givenUp' };
  if (API_UNKNOWN.has(code)) return { kind: 'unknown', text };
  if (API_REFUSALS.has(code)) return { kind: 'refused', text, isByNode: code === REFUSED_BY_NODE };
  throw new Error(`unexpected response of api: ${String(status)} ${text}`);
}

interface SweepEntry {
  readonly success: boolean;
  readonly transactionHash: string;
  readonly errorCode?: number;
}

/** The outcome of a sweep, which may pay only a part. */
function outcomeOfSweep(entries: readonly SweepEntry[]): Outcome {
  const text = JSON.stringify(entries);
  if (entries.some(({ errorCode = 0 }) => API_UNKNOWN.has(errorCode))) return { kind: 'unknown', text };
  const hashes = entries.flatMap(({ success, transactionHash }) => (success ? [transactionHash] : []));
  return hashes.length > 0 ? { kind: 'accepted', hashes } : { kind: 'refused', text, isByNode: false };
}

/** Errors of wallet-rpc by their text, because their numbers are not unique. */
const RPC_UNKNOWN =
  /^(Operation timed out|A request with this idempotency key is in progress|The wallet database is damaged|database or disk is full|No space left on device|disk I\/O error|File too large|We could not open\/save)/;
const RPC_GIVEN_UP = /was given up/;
const RPC_REFUSED_BY_NODE = 'Internal node error';
const RPC_REFUSALS =
  /^(Internal node error|Wrong amount|MixIn count is too big|Can't connect to daemon|Transaction .* was refused|Sends are paused|The wallet is not synchronized|Transaction transfer impossible|Impossible to cancel transaction|Requested object not found)/;

export class RpcServiceProcess extends WalletServiceProcess {
  static async create(place: Place): Promise<RpcServiceProcess> {
    const service = new RpcServiceProcess('rpc', new TestWallet('campaign rpc'), await freePort(), place);
    const { viewSecret, spendSecret } = service.primary;
    const keys = ['--view-key', viewSecret.toString('hex'), '--spend-key', spendSecret.toString('hex')];
    const program = [process.execPath, ...mainArguments('apps/wallet-rpc'), ...containerArgs(place.folder)];
    const [command = '', ...args] = [...(place.disk?.enter ?? []), ...program, '--generate-container', ...keys];
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`no container was created: ${stderr}`);
    await service.start();
    return service;
  }

  async perform({ name, body }: ServiceRequest, key: string | undefined): Promise<Outcome> {
    const params = key === undefined ? body : { ...body, idempotencyKey: key };
    return this.call(name, params).then(outcomeOfRpc, lost);
  }

  paymentRequest(
    kind: PaymentKind,
    { address, amount, paymentId }: Transfer,
    source: string | undefined,
  ): ServiceRequest {
    const name = kind === 'delayed' ? 'createDelayedTransaction' : 'sendTransaction';
    const more = source === undefined ? {} : { addresses: [source] };
    const transfers = [{ address, amount }];
    return { name, body: { transfers, paymentId, changeAddress: this.primary.address, ...more } };
  }

  async createAddress(): Promise<string | undefined> {
    try {
      const { result } = await this.call('createAddress', {});
      return result === undefined ? undefined : String(result['address']);
    } catch (error) {
      lost(error);
      this.unansweredAddresses++;
      return undefined;
    }
  }

  async addresses(): Promise<string[]> {
    return (await this.result('getAddresses'))['addresses'] as string[];
  }

  async balance(address: string): Promise<Balance> {
    const { availableBalance, lockedAmount } = await this.result('getBalance', { address });
    return { unlocked: Number(availableBalance), locked: Number(lockedAmount) };
  }

  async unconfirmed(): Promise<string[]> {
    return (await this.result('getUnconfirmedTransactionHashes'))['transactionHashes'] as string[];
  }

  async delayedHashes(): Promise<string[]> {
    return (await this.result('getDelayedTransactionHashes'))['transactionHashes'] as string[];
  }

  async status(): Promise<{ height: number; paused: string | undefined }> {
    const { blockCount, sendsPaused } = await this.result('getStatus');
    return { height: Number(blockCount), paused: pauseOf(sendsPaused) };
  }

  async save(): Promise<void> {
    await this.call('save', {}).catch(lost);
  }

  async reset(): Promise<void> {
    await this.result('reset', { scanHeight: 0 });
  }

  async history(): Promise<unknown> {
    const { height } = await this.status();
    const params = { firstBlockIndex: 1, blockCount: height };
    const { items } = (await this.result('getTransactions', params)) as {
      items: { blockHash: string; transactions: Fields[] }[];
    };
    for (const transaction of items.flatMap(({ transactions }) => transactions)) {
      const transfers = transaction['transfers'] as { address: string; amount: number }[];
      const own = transfers.filter(({ address }) => this.wallets.has(address));
      if (Number(transaction['amount']) >= 0 && own.some(({ amount }) => amount < 0))
        throw new Error(`rpc lists more than it counts: ${JSON.stringify(transaction)}`);
    }
    return items.map(({ blockHash, transactions }) => ({
      blockHash,
      transactions: transactions.map(({ transactionHash, amount, fee, blockIndex }) => [
        transactionHash,
        amount,
        fee,
        blockIndex,
      ]),
    }));
  }

  async resumeSends(): Promise<void> {
    await this.result('resumeSends');
  }

  async refresh(): Promise<void> {
    await this.stop('SIGTERM');
    await this.start();
  }

  protected args(): string[] {
    const basics = ['--rpc-password', SECRET, '--threads', '1', '--bind-port', String(this.port)];
    return [...containerArgs(this.place.folder), ...basics, '--daemon-port', String(this.place.nodePort)];
  }

  protected open(): Promise<void> {
    return Promise.resolve();
  }

  protected async secretOf(address: string): Promise<string> {
    return String((await this.result('getSpendKeys', { address }))['spendSecretKey']);
  }

  private async call(method: string, params: object): Promise<RpcResponse> {
    const { json } = await this.http('POST', '/json_rpc', {}, { id: 1, method, params, password: SECRET });
    return json;
  }

  private async result(method: string, params: object = {}): Promise<Fields> {
    const { result, error } = await this.call(method, params);
    if (result === undefined) throw new Error(`rpc ${method}: ${JSON.stringify(error)}`);
    return result;
  }
}

interface RpcResponse {
  readonly result?: Fields;
  readonly error?: { readonly message: string };
}

function containerArgs(folder: string): string[] {
  const file = ['--container-file', join(folder, 'campaign.container'), '--container-password', SECRET];
  return [...file, '--network', 'devnet', '--log-file', ''];
}

function outcomeOfRpc({ result, error }: RpcResponse): Outcome {
  if (result !== undefined) {
    const hash = result['transactionHash'];
    return { kind: 'accepted', hashes: typeof hash === 'string' ? [hash] : [] };
  }
  const text = error?.message ?? '';
  if (RPC_GIVEN_UP.test(text)) return { kind: 'givenUp' };
  if (RPC_UNKNOWN.test(text)) return { kind: 'unknown', text };
  if (RPC_REFUSALS.test(text)) return { kind: 'refused', text, isByNode: text === RPC_REFUSED_BY_NODE };
  throw new Error(`unexpected response of rpc: ${JSON.stringify(error)}`);
}
