import { type ClientRequest, request, type RequestOptions } from 'node:http';
import { nodePath } from '@wrkz/service-kit';

/** Marks what a reader process asks on behalf of somebody, so that no two of them pass it to and fro. */
export const READER_HEADER = 'X-Wrkz-Reader';

export interface NodeLinkOptions {
  /** A path or `@name`. */
  readonly socket: string;
  /** Sent where it is not empty. */
  readonly token: string;
}

/** The way to the node. Each question has a connection of its own: one that was kept may be closed at that very moment. */
export class NodeLink {
  constructor(private readonly options: NodeLinkOptions) {}

  ask({ headers, ...rest }: Pick<RequestOptions, 'method' | 'path' | 'headers' | 'signal'>): ClientRequest {
    const { socket, token } = this.options;
    return request({
      ...rest,
      socketPath: nodePath(socket),
      agent: false,
      headers: {
        ...headers,
        Host: 'localhost',
        Connection: 'close',
        [READER_HEADER]: '1',
        ...(token === '' ? {} : { 'X-API-Key': Buffer.from(token, 'utf8').toString('latin1') }),
      },
    });
  }
}
