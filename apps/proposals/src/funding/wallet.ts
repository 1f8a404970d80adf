import axios, { type AxiosInstance } from 'axios';
import { errorText, parseJson, type JsonValue, withTimeout } from '@wrkz/service-kit';
import type { z } from 'zod';

/** An incoming payment to an address of the wallet, in a block. */
export interface Receipt {
  /** Transaction hash, 64 lower-case hex characters. */
  readonly hash: string;
  /** Atomic units, above 0: received minus spent by the address in this transaction. */
  readonly amount: bigint;
  /** Block index. */
  readonly height: number;
  /** Block timestamp, Unix seconds. */
  readonly time: number;
  /** Lower case; empty without a payment id. */
  readonly paymentId: string;
  readonly unlockTime: bigint;
}

export interface WalletState {
  /** Block index of the last scanned block. */
  readonly height: number;
  readonly isSynced: boolean;
  /** Standard addresses, without payment ids. */
  readonly addresses: ReadonlySet<string>;
}

/** A wallet service. Methods throw WalletUnavailable without a valid response, and the signal's reason. */
export interface WalletService {
  state(signal: AbortSignal): Promise<WalletState>;
  /** Receipts of an address in the blocks `from` (inclusive) to `to` (exclusive). */
  receipts(address: string, from: number, to: number, signal: AbortSignal): Promise<Receipt[]>;
}

/** The wallet service returned no valid response. The message is for the log. */
export class WalletUnavailable extends Error {
  override readonly name: string = 'WalletUnavailable';
}

/** The response exceeded the size limit. A smaller range may succeed. */
export class ResponseTooLong extends WalletUnavailable {}

/** Max distance of a synchronized wallet to the tip, in both directions; `isWalletSynced` of the services uses the same. */
const SYNC_TOLERANCE_BLOCKS = 10;

/** Whether wallet and node are at the tip of the network. All three are block counts, or all are block indexes. */
export function isAtTip({ wallet, node, network }: { wallet: number; node: number; network: number }): boolean {
  return node + 1 >= network && Math.abs(wallet - network) <= SYNC_TOLERANCE_BLOCKS;
}

/** A transaction of a wallet service. An address may have several transfers, for example one per input and output. */
export interface IncomingTransaction extends Omit<Receipt, 'amount'> {
  readonly transfers: readonly { readonly address: string; readonly amount: bigint }[];
}

/** The incoming payments to an address. */
export function receiptsOf(address: string, transactions: readonly IncomingTransaction[]): Receipt[] {
  return transactions.flatMap(({ transfers, hash, paymentId, ...transaction }) => {
    const amount = transfers.reduce((sum, one) => (one.address === address ? sum + one.amount : sum), 0n);
    if (amount <= 0n) return [];
    return { ...transaction, amount, hash: hash.toLowerCase(), paymentId: paymentId.toLowerCase() };
  });
}

const TIMEOUT_MS = 20_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Max number of JSON values of a response. */
const MAX_VALUES = 1_000_000;

interface WalletRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly data?: string;
  readonly signal: AbortSignal;
}

/** HTTP client of a wallet service. Rejects redirects, large responses and responses that do not match the schema. */
export class WalletClient {
  private readonly http: AxiosInstance;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.http = axios.create({
      baseURL: url.replace(/\/+$/, ''),
      headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', ...headers },
      maxRedirects: 0,
      maxContentLength: MAX_RESPONSE_BYTES,
      timeout: TIMEOUT_MS,
      proxy: false,
      responseType: 'text',
      transformResponse: (text: unknown) => text,
      validateStatus: () => true,
    });
  }

  /** @throws WalletUnavailable; the reason of the signal */
  async request<Schema extends z.ZodType>(request: WalletRequest, schema: Schema): Promise<z.output<Schema>> {
    const { signal, method, path, data } = request;
    let status: number;
    let text: string;
    try {
      // The timeout of axios restarts with each received byte, so it does not limit a slow response.
      const headers = data === undefined ? {} : { 'Content-Type': 'application/json' };
      const response = await withTimeout(TIMEOUT_MS, [signal], (limited) =>
        this.http.request<string>({ url: path, method, data, headers, signal: limited }),
      );
      ({ status, data: text } = response);
    } catch (error) {
      signal.throwIfAborted();
      const isTooLong = errorText(error).includes('maxContentLength');
      throw new (isTooLong ? ResponseTooLong : WalletUnavailable)(`${path}: ${errorText(error)}`);
    }
    if (status !== 200) throw new WalletUnavailable(`${path}: status ${status}${HINTS[status] ?? ''}`);
    const result = schema.safeParse(parseResponse(path, text));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw new WalletUnavailable(
      `${path}: unexpected response at ${issue?.path.join('.') || 'the top'}: ${issue?.message ?? ''}`,
    );
  }
}

const HINTS: Readonly<Record<number, string>> = { 401: ' (wrong key)', 403: ' (no wallet is open)' };

function parseResponse(path: string, text: string): JsonValue {
  try {
    return parseJson(text, MAX_VALUES);
  } catch (error) {
    throw new WalletUnavailable(`${path}: ${errorText(error)}`);
  }
}
