import type { Socket } from 'node:net';
import { stratumApi } from '@wrkz/api';
import { decodeAddress } from '@wrkz/core-types';
import { errorText, type JsonObject, type JsonValue, type Logger, Mutex, parseJson } from '@wrkz/service-kit';
import { StratumConnection } from './connection';
import type { JobMaker, StratumJob, StratumNode } from './jobs';
import { type ConnectionBudget, COSTS, LOGIN_LIMIT, StratumRefusal } from './limits';
import { type ShareDifficulty, StratumSession } from './session';
import type { ShareCheck } from './shares';
import type { StratumWorkers } from './workers';

const { synchronizing, synchronizingLogin, unauthenticated, wrongAddress } = stratumApi.stratumErrors;

/** Max characters of the miner's name and version; the rest is truncated. */
const MAX_AGENT_LENGTH = 64;

export interface StratumContext {
  readonly node: StratumNode;
  readonly jobs: JobMaker;
  readonly shares: ShareCheck;
  readonly workers: StratumWorkers;
  /** Called after a successful login. */
  readonly onLogin: (session: StratumSession) => void;
}

/** Handles a request. @throws StratumRefusal */
type StratumMethod = (context: StratumContext, session: StratumSession, params: JsonObject) => Promise<object> | object;

/** The methods by name (docs/protocol/stratum.md#methods). */
const STRATUM_METHODS: ReadonlyMap<string, StratumMethod> = new Map<string, StratumMethod>([
  ['login', login],
  ['getjob', getJob],
  ['submit', submit],
  ['keepalived', keepAlive],
  ['keepalive', keepAlive],
]);

/** A text field of a request; empty if it is missing or not a string. */
function textField(params: JsonObject, name: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : '';
  return typeof value === 'string' ? value : '';
}

/** The session's job if it is current, or a new one. @throws StratumRefusal */
async function currentJob({ jobs }: StratumContext, session: StratumSession): Promise<StratumJob> {
  const { latestJob, login: owner } = session;
  if (latestJob !== undefined && jobs.isCurrent(latestJob)) return latestJob;
  if (owner === undefined) throw new StratumRefusal(unauthenticated);
  return newJob({ jobs }, session, owner.receiver);
}

async function newJob(
  { jobs }: Pick<StratumContext, 'jobs'>,
  session: StratumSession,
  receiver: Parameters<JobMaker['make']>[0],
): Promise<StratumJob> {
  const job = await jobs.make(receiver, session.dependencies.difficulty.of);
  session.addJob(job);
  return job;
}

async function login(context: StratumContext, session: StratumSession, params: JsonObject): Promise<object> {
  const { node, jobs, workers } = context;
  const address = textField(params, 'login');
  const receiver = receiverOf(address);
  if (!node.isReady()) {
    const heights = { count: String(node.tip().height + 1), target: String(node.networkHeight()) };
    throw new StratumRefusal(synchronizingLogin, heights, { cost: COSTS.login });
  }
  // A pipelined login may run after the connection has closed: nothing would release its worker.
  session.dependencies.signal.throwIfAborted();
  if (!session.dependencies.budget.take(COSTS.login)) throw new Error('it exceeds the rate limit of logins');
  if (session.login !== undefined) workers.leave(session.login.worker);
  const worker = workers.enter(address, textField(params, 'rigid'));
  session.begin({ receiver, address, agent: textField(params, 'agent').slice(0, MAX_AGENT_LENGTH), worker });
  const id = jobs.nextId().toString();
  const job = await newJob(context, session, receiver);
  context.onLogin(session);
  return { id, job: job.describe(), status: 'OK', extensions: [] };
}

function receiverOf(address: string): { spendPublic: Buffer; viewPublic: Buffer } {
  try {
    return decodeAddress(address, { allowIntegrated: false });
  } catch (error) {
    throw new StratumRefusal(wrongAddress, { message: (error as Error).message }, { closes: true });
  }
}

async function getJob(context: StratumContext, session: StratumSession): Promise<object> {
  if (session.login === undefined) throw new StratumRefusal(unauthenticated);
  if (!context.node.isReady()) throw new StratumRefusal(synchronizing);
  return (await currentJob(context, session)).describe();
}

async function submit(context: StratumContext, session: StratumSession, params: JsonObject): Promise<object> {
  if (session.login === undefined) throw new StratumRefusal(unauthenticated);
  await context.shares.check(session, session.login, {
    jobId: textField(params, 'job_id'),
    nonce: textField(params, 'nonce'),
    result: textField(params, 'result'),
  });
  return { status: 'OK' };
}

function keepAlive(): object {
  return { status: 'KEEPALIVED' };
}

const { STRATUM_ERROR_CODE, stratumErrors } = stratumApi;

/** JSON values in one request; known miners send about a dozen. */
const MAX_VALUES = 256;

export interface StratumClientDependencies {
  readonly host: string;
  readonly budget: ConnectionBudget;
  readonly difficulty: ShareDifficulty;
  readonly context: StratumContext;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly onClosed: (client: StratumClient) => void;
}

/** One connection. Requests and pushed jobs are handled one at a time, so jobs arrive in the order they were made. */
export class StratumClient {
  readonly session: StratumSession;
  readonly connection: StratumConnection;
  private readonly queue = new Mutex();
  private readonly closed = new AbortController();
  private pushing: Promise<void> | undefined;

  constructor(
    socket: Socket,
    private readonly dependencies: StratumClientDependencies,
  ) {
    const { host, budget, difficulty, now } = dependencies;
    this.session = new StratumSession({ host, budget, difficulty, signal: this.closed.signal, since: now() });
    const handlers = {
      onLine: (line: string) => this.queue.run(() => this.respond(line)),
      onClosed: () => this.onClose(),
    };
    this.connection = new StratumConnection(socket, handlers, now);
  }

  /** Resolves when no request is being handled. */
  idle(): Promise<void> {
    return this.queue.run(async () => undefined);
  }

  /** Sends a new job if the miner's job is outdated or its difficulty has changed. */
  refresh(): Promise<void> {
    return (this.pushing ??= this.queue
      .run(() => this.push())
      .catch((error: unknown) => {
        const { host, logger } = this.dependencies;
        if (this.connection.isOpen) logger.warning(`cannot make a job for ${host}: ${errorText(error)}`);
      })
      .finally(() => (this.pushing = undefined)));
  }

  /** Enforces the time limits; called every second. */
  check(): void {
    const { session, dependencies, connection } = this;
    connection.check();
    const late = session.login === undefined && dependencies.now() - session.dependencies.since >= LOGIN_LIMIT;
    if (late) connection.end('it did not log in');
  }

  private async push(): Promise<void> {
    const { session, dependencies, connection } = this;
    const { login, latestJob } = session;
    if (login === undefined || !connection.isOpen || !dependencies.context.node.isReady()) return;
    const adjusted = latestJob !== undefined && dependencies.difficulty.adjust(latestJob.difficulty);
    const job = adjusted
      ? await newJob(dependencies.context, session, login.receiver)
      : await currentJob(dependencies.context, session);
    if (job !== latestJob) connection.send({ jsonrpc: '2.0', method: 'job', params: job.describe() });
  }

  private async respond(line: string): Promise<void> {
    const { budget, logger, host } = this.dependencies;
    const request = parseRequest(line);
    if (request === undefined) return this.connection.end('a line is not a JSON object');
    const id = Object.hasOwn(request, 'id') ? request['id'] : null;
    try {
      const result = await this.call(request);
      this.connection.send({ id, jsonrpc: '2.0', error: null, result });
      // Shares are not charged here: a valid one costs the miner more than the server.
      const isFree = textField(request, 'method') === 'submit';
      if (!isFree && !budget.take(COSTS.line)) this.connection.end('it exceeds the rate limit of requests');
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
      const { closes = false, cost = 0 } = error.effect;
      if (closes) this.connection.end(error.message);
      else if (!budget.take(COSTS.line + cost)) this.connection.end('it exceeds the rate limit of refused requests');
    }
    // Refreshes this miner first: after a found block it should not wait for the loop over all connections.
    if (this.session.login !== undefined) void this.refresh();
  }

  private async call(request: JsonObject): Promise<object> {
    const method = STRATUM_METHODS.get(textField(request, 'method'));
    if (method === undefined) throw new StratumRefusal(stratumErrors.unknownMethod);
    const params = Object.hasOwn(request, 'params') ? request['params'] : undefined;
    return method(this.dependencies.context, this.session, isObject(params) ? params : {});
  }

  private onClose(): void {
    this.closed.abort(new Error('the miner disconnected'));
    this.dependencies.budget.release();
    const { login } = this.session;
    if (login !== undefined) this.dependencies.context.workers.leave(login.worker);
    this.dependencies.onClosed(this);
  }
}

function parseRequest(line: string): JsonObject | undefined {
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
