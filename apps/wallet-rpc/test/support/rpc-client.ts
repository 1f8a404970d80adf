import { request } from 'node:http';
import { parseJson, stringifyJson } from '@wrkz/service-kit';

export const PASSWORD = 'devnet-rpc';

export interface RpcResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Result {
  readonly [name: string]: unknown;
}

/** The result or the error of a method. */
export interface Outcome {
  readonly result?: Result;
  readonly error?: { readonly code: bigint; readonly message: string; readonly data?: { application_code: bigint } };
}

/** Sends requests to a service on loopback, each over its own connection. */
export class RpcClient {
  constructor(private readonly portOf: () => number) {}

  request(
    text: string | Buffer,
    { method = 'POST', path = '/json_rpc', headers = {} }: { method?: string; path?: string; headers?: object } = {},
  ): Promise<RpcResponse> {
    return new Promise((resolve, reject) => {
      const sent = { 'Content-Length': String(Buffer.byteLength(text)), ...headers };
      const outgoing = request(
        { agent: false, port: this.portOf(), host: '127.0.0.1', method, path, headers: sent },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            const body = Buffer.concat(parts).toString('utf8');
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: body });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }

  async call(method: string, params?: object): Promise<Outcome> {
    const { text } = await this.request(stringifyJson({ id: 1, method, params: params ?? {}, password: PASSWORD }));
    return parseJson(text) as Outcome;
  }

  /** The result of a method. @throws Error with the error object */
  async result<T = Result>(method: string, params?: object): Promise<T> {
    const { result, error } = await this.call(method, params);
    if (result === undefined) throw new Error(`${method}: ${stringifyJson(error)}`);
    return result as T;
  }
}
