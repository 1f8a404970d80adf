import { plainRequest, type PlainRequestOptions } from './plain-request';

/** An error response of a node. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Calls the RPC of a daemon; every call throws `NodeRefusal` on an HTTP or JSON-RPC error. */
export class TestNodeClient {
  /** @param base the URL, or a function that returns it once the node listens */
  constructor(private readonly base: string | (() => string)) {}

  get url(): string {
    return typeof this.base === 'string' ? this.base : this.base();
  }

  get<T>(path: string): Promise<T> {
    return this.request<T>(path, { method: 'GET' });
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.request<T>(path, { method: 'POST', body: JSON.stringify(body) });
  }

  /** The result of a JSON-RPC method. */
  async rpc<T>(method: string, params: object = {}): Promise<T> {
    const response = await this.post<{ result?: T; error?: { code: number; message: string } }>('/json_rpc', {
      jsonrpc: '2.0',
      id: 1,
      method,
      params,
    });
    if (response.error !== undefined) throw new NodeRefusal(response.error.code, response.error.message);
    return response.result as T;
  }

  /** Sends a serialized transaction. @throws NodeRefusal with the node's reason */
  async send(transaction: Buffer): Promise<void> {
    const body = { tx_as_hex: transaction.toString('hex') };
    const { status, error } = await this.post<{ status: string; error: string }>('/sendrawtransaction', body);
    if (status !== 'OK') throw new NodeRefusal(200, error);
  }

  /** Mines blocks at once (test networks); returns their hashes. */
  async generate(address: string, count = 1, more: { timestamp?: number; spacing?: number } = {}): Promise<string[]> {
    const { hashes } = await this.rpc<{ hashes: string[] }>('generateblocks', {
      wallet_address: address,
      count,
      ...more,
    });
    return hashes;
  }

  /** Status of transactions: in a block, in the pool, or unknown. */
  status(hashes: readonly string[]): Promise<TransactionsStatus> {
    return this.post('/get_transactions_status', { transactionHashes: hashes });
  }

  private request<T>(path: string, options: PlainRequestOptions = {}): Promise<T> {
    return requestJson<T>(this.url + path, options);
  }
}

/**
 * Sends a request to a service. @returns the JSON of the response; an empty object for an empty body
 * @throws NodeRefusal unless the status is 2xx
 */
export async function requestJson<T>(url: string, options: PlainRequestOptions = {}): Promise<T> {
  // No persistent connections: the service may close one during the next request, which would look like a failure.
  const { status, text } = await plainRequest(url, options);
  const { pathname } = new URL(url);
  if (status < 200 || status > 299) {
    throw new NodeRefusal(status, `${pathname}: ${String(status)} ${text.slice(0, 200)}`);
  }
  return (text === '' ? {} : JSON.parse(text)) as T;
}

export interface TransactionsStatus {
  readonly transactionsInBlock: readonly string[];
  readonly transactionsInPool: readonly string[];
  readonly transactionsUnknown: readonly string[];
}
