import { errorText } from '@wrkz/service-kit';
import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 5_000;

/** The connections of one instance to its Redis. */
export class RedisConnections {
  readonly #open: Redis[] = [];

  constructor(
    private readonly url: string,
    private readonly onError: (error: Error) => void,
  ) {}

  /**
   * Opens the first connection and waits until it stands.
   * @throws Error with a message for the operator, which shows neither user nor password
   */
  async reach(): Promise<Redis> {
    const connection = this.#connect({ lazyConnect: true });
    try {
      await connection.connect();
    } catch (error) {
      connection.disconnect();
      throw new Error(`cannot reach the queue at ${withoutCredentials(this.url)}: ${errorText(error)}`);
    }
    return connection;
  }

  /** Opens a further connection, which connects by itself. */
  open(): Redis {
    return this.#connect({ lazyConnect: false });
  }

  closeAll(): void {
    for (const connection of this.#open) connection.disconnect();
  }

  #connect({ lazyConnect }: { readonly lazyConnect: boolean }): Redis {
    const connection = new Redis(this.url, {
      lazyConnect,
      maxRetriesPerRequest: null,
      connectTimeout: CONNECT_TIMEOUT_MS,
    });
    connection.on('error', this.onError);
    this.#open.push(connection);
    return connection;
  }
}

function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
