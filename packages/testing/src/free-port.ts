import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral port range: the system may assign an ephemeral port to an outgoing connection before the test listens on
 * it.
 */
const LOWEST = 10_000;
const HIGHEST = 32_000;

/** A free loopback port: the preferred one if it is free. */
export async function freePort(preferred = randomInt(LOWEST, HIGHEST)): Promise<number> {
  for (let tried = preferred; ; tried = randomInt(LOWEST, HIGHEST)) {
    const server = createServer().listen(tried, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, 'close');
    return port;
  }
}
