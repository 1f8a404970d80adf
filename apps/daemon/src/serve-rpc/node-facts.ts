import type { IncomingMessage } from 'node:http';
import { errorText, type Logger } from '@wrkz/service-kit';
import { z } from 'zod';
import type { NodeLink } from './node-link';

/** What only the node knows of its `/info`. */
const nodeFacts = z.looseObject({
  height: z.number(),
  network_height: z.number(),
  last_known_block_index: z.number(),
  synced: z.boolean(),
  incoming_connections_count: z.number(),
  outgoing_connections_count: z.number(),
  white_peerlist_size: z.number(),
  grey_peerlist_size: z.number(),
  seed_nodes_count: z.number(),
  last_seed_bootstrap: z.number(),
  sync_active_peers: z.number(),
  sync_avg_batch_size: z.number(),
  sync_demoted_peers: z.number(),
  start_time: z.number(),
  tx_pool_size: z.number(),
});

export type Facts = z.output<typeof nodeFacts>;

export interface NodeFactsOptions {
  readonly link: NodeLink;
  readonly logger: Logger;
  /** Milliseconds that the node has for an answer. */
  readonly patience?: number;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

/** Milliseconds that an answer of the node serves all who ask. */
const FRESH = 500;
/** Milliseconds that it counts while the node does not answer in time. */
const KEPT = 10_000;
const PATIENCE = 1_000;
const MOST_BYTES = 65_536;

/** The node refused or is not there: what it said before no longer counts. */
class NodeGone extends Error {}

/**
 * What `/info` of the node tells, asked when somebody wants it, and at most every half second. While the node is away there
 * is nothing, and nobody waits for it: one question at a time is on its way in the background.
 */
export class NodeFacts {
  private facts: Facts | undefined;
  private heardAt = -Infinity;
  private askedAt = -Infinity;
  private asking: Promise<void> | undefined;
  private failed: string | undefined;
  private readonly now: () => number;

  constructor(private readonly options: NodeFactsOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** What the node has said, undefined while it is away. */
  get current(): Facts | undefined {
    return this.now() - this.heardAt < KEPT ? this.facts : undefined;
  }

  /** Why the node cannot be asked; undefined while it can. */
  get trouble(): string | undefined {
    return this.failed;
  }

  /** Resolves when `current` is as new as it can be, at once while the node is known to be away; never rejects. */
  async refresh(): Promise<void> {
    if (this.asking === undefined && this.now() - this.askedAt >= FRESH) {
      this.askedAt = this.now();
      this.asking = this.ask().finally(() => (this.asking = undefined));
    }
    if (this.failed === undefined) await this.asking;
  }

  /** Something was done that changes them. */
  spoil(): void {
    this.askedAt = -Infinity;
  }

  private async ask(): Promise<void> {
    const { logger } = this.options;
    try {
      const facts = await this.askOnce();
      this.facts = facts;
      this.heardAt = this.now();
      if (this.failed !== undefined) logger.warning('the node can be asked again');
      this.failed = undefined;
    } catch (error) {
      if (error instanceof NodeGone) this.facts = undefined;
      const text = errorText(error);
      if (text !== this.failed) logger.warning(`the node cannot be asked: ${text}`);
      this.failed = text;
    }
  }

  private askOnce(): Promise<Facts> {
    const { link, patience = PATIENCE } = this.options;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => asked.destroy(new Error('it does not answer in time')), patience);
      const asked = link.ask({ method: 'GET', path: '/info' });
      asked.on('close', () => clearTimeout(limit));
      asked.on('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === undefined ? error : new NodeGone(errorText(error), { cause: error })),
      );
      asked.on('response', (response) => void readFacts(response).then(resolve, reject));
      asked.end();
    });
  }
}

async function readFacts(response: IncomingMessage): Promise<Facts> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MOST_BYTES) throw new NodeGone('its answer is longer than any of a node');
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString('utf8');
  const { statusCode: status = 0 } = response;
  if (status === 401) throw new NodeGone('it asks for its access token (--node-access-token)');
  if (status !== 200) throw new NodeGone(`it answers with status ${String(status)}: ${text.slice(0, 200)}`);
  const facts = nodeFacts.safeParse(parsed(text));
  if (!facts.success) throw new NodeGone('what answers at its socket is no node');
  return facts.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
