import type { Socket } from 'node:net';
import { stratumApi } from '@wrkz/api';
import { errorText, type JsonObject, type JsonValue, type Logger, Mutex, parseJson } from '@wrkz/service-kit';
import type { ConnectionBudget } from './budget';
import { StratumConnection } from './connection';
import { COSTS, LOGIN_LIMIT } from './limits';
import { currentJob, newJob, STRATUM_METHODS, type StratumContext, textMember } from './methods';
import { StratumRefusal } from './refusal';
import { StratumSession } from './session';
import type { ShareDifficulty } from './share-difficulty';

const { STRATUM_ERROR_CODE, stratumErrors } = stratumApi;

/** Values in one request; the longest that is known has a dozen. */
const MAX_VALUES = 256;

export interface ClientParts {
  readonly host: string;
  readonly budget: ConnectionBudget;
  readonly difficulty: ShareDifficulty;
  readonly context: StratumContext;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly onClosed: (client: StratumClient) => void;
}

/** One connection: its requests and the jobs pushed to it, one after the other, so that jobs arrive as they were made. */
export class StratumClient {
  readonly session: StratumSession;
  private readonly connection: StratumConnection;
  private readonly queue = new Mutex();
  private readonly closed = new AbortController();
  private pushing: Promise<void> | undefined;

  constructor(
    socket: Socket,
    private readonly parts: ClientParts,
  ) {
    const { host, budget, difficulty, now } = parts;
    this.session = new StratumSession({ host, budget, difficulty, signal: this.closed.signal, since: now() });
    const handlers = {
      onLine: (line: string) => this.queue.run(() => this.answer(line)),
      onClosed: () => this.leave(),
    };
    this.connection = new StratumConnection(socket, handlers, now);
  }

  get isOpen(): boolean {
    return this.connection.isOpen;
  }

  /** Why it was ended by us; undefined when the other side left. */
  get reason(): string | undefined {
    return this.connection.reason;
  }

  cut(reason: string): void {
    this.connection.cut(reason);
  }

  /** Resolves when nothing is under way any more. */
  idle(): Promise<void> {
    return this.queue.run(async () => undefined);
  }

  /** Sends a job when the one that the miner has is not on the tip, or its target is no longer the right one. */
  refresh(): Promise<void> {
    return (this.pushing ??= this.queue
      .run(() => this.push())
      .catch((error: unknown) => {
        const { host, logger } = this.parts;
        if (this.isOpen) logger.warning(`no new job for ${host}: ${errorText(error)}`);
      })
      .finally(() => (this.pushing = undefined)));
  }

  /** Is called now and then. */
  look(): void {
    const { session, parts, connection } = this;
    connection.look();
    const late = session.login === undefined && parts.now() - session.parts.since >= LOGIN_LIMIT;
    if (late) connection.end('it did not log in');
  }

  private async push(): Promise<void> {
    const { session, parts, connection } = this;
    const { login, latestJob } = session;
    if (login === undefined || !connection.isOpen || !parts.context.node.isReady()) return;
    const adjusted = latestJob !== undefined && parts.difficulty.adjust(latestJob.difficulty);
    const job = adjusted
      ? await newJob(parts.context, session, login.receiver)
      : await currentJob(parts.context, session);
    if (job !== latestJob) connection.send({ jsonrpc: '2.0', method: 'job', params: job.describe() });
  }

  private async answer(line: string): Promise<void> {
    const { budget, logger, host } = this.parts;
    const request = parsed(line);
    if (request === undefined) return this.connection.end('it sent no JSON object');
    const id = Object.hasOwn(request, 'id') ? request['id'] : null;
    try {
      const result = await this.call(request);
      this.connection.send({ id, jsonrpc: '2.0', error: null, result });
      // A share that counts has cost its miner more than it costs us.
      const isFree = textMember(request, 'method') === 'submit';
      if (!isFree && !budget.take(COSTS.line)) this.connection.end('it asked too much');
    } catch (error) {
      if (!(error instanceof StratumRefusal)) {
        logger.debug(`a request of ${host} failed: ${errorText(error)}`, { error });
        return this.connection.end(errorText(error));
      }
      this.connection.send({
        id,
        jsonrpc: '2.0',
        error: { code: STRATUM_ERROR_CODE, message: error.message },
        result: null,
      });
      const { ends = false, cost = 0 } = error.effect;
      if (ends) this.connection.end(error.message);
      else if (!budget.take(COSTS.line + cost)) this.connection.end('it sent too much that was refused');
    }
    // The miner that has just found a block must not wait for a round over all connections.
    if (this.session.login !== undefined) void this.refresh();
  }

  private async call(request: JsonObject): Promise<object> {
    const method = STRATUM_METHODS.get(textMember(request, 'method'));
    if (method === undefined) throw new StratumRefusal(stratumErrors.unknownMethod);
    const params = Object.hasOwn(request, 'params') ? request['params'] : undefined;
    return method(this.parts.context, this.session, isObject(params) ? params : {});
  }

  private leave(): void {
    this.closed.abort(new Error('the miner has left'));
    this.parts.budget.leave();
    const { login } = this.session;
    if (login !== undefined) this.parts.context.workers.leave(login.worker);
    this.parts.onClosed(this);
  }
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line, MAX_VALUES);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
