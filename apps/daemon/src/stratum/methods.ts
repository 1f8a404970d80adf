import { stratumApi } from '@wrkz/api';
import { decodeAddress } from '@wrkz/core-types';
import type { JsonObject } from '@wrkz/service-kit';
import type { JobMaker } from './job-maker';
import type { StratumJob } from './job';
import { COSTS } from './limits';
import type { StratumNode } from './ports';
import { StratumRefusal } from './refusal';
import type { StratumSession } from './session';
import type { ShareCheck } from './share-check';
import type { StratumWorkers } from './workers';

const { synchronizing, synchronizingLogin, unauthenticated, wrongAddress } = stratumApi.stratumErrors;

/** Characters of a miner's name and version that are kept. */
const AGENT_LENGTH = 64;

export interface StratumContext {
  readonly node: StratumNode;
  readonly jobs: JobMaker;
  readonly shares: ShareCheck;
  readonly workers: StratumWorkers;
  /** Hears of a login that was taken. */
  readonly onLogin: (session: StratumSession) => void;
}

/** Answers a request. @throws StratumRefusal */
type StratumMethod = (context: StratumContext, session: StratumSession, params: JsonObject) => Promise<object> | object;

/** The methods by name (docs/protocol/stratum.md#methods). */
export const STRATUM_METHODS: ReadonlyMap<string, StratumMethod> = new Map<string, StratumMethod>([
  ['login', login],
  ['getjob', getJob],
  ['submit', submit],
  ['keepalived', keepAlive],
  ['keepalive', keepAlive],
]);

/** A member as text; what is none counts as empty. */
export function textMember(params: JsonObject, name: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : '';
  return typeof value === 'string' ? value : '';
}

/** A job on the present tip: the session's own, or a new one, which the session keeps. @throws StratumRefusal */
export async function currentJob({ node, jobs }: StratumContext, session: StratumSession): Promise<StratumJob> {
  const { latestJob, login: owner } = session;
  if (latestJob?.previousHash.equals(node.tip().hash) === true) return latestJob;
  if (owner === undefined) throw new StratumRefusal(unauthenticated);
  return newJob({ jobs }, session, owner.receiver);
}

export async function newJob(
  { jobs }: Pick<StratumContext, 'jobs'>,
  session: StratumSession,
  receiver: Parameters<JobMaker['make']>[0],
): Promise<StratumJob> {
  const job = await jobs.make(receiver, session.parts.difficulty.of);
  session.keepJob(job);
  return job;
}

async function login(context: StratumContext, session: StratumSession, params: JsonObject): Promise<object> {
  const { node, jobs, workers } = context;
  const address = textMember(params, 'login');
  const receiver = receiverOf(address);
  if (!node.isReady()) {
    const heights = { count: String(node.tip().height + 1), target: String(node.networkHeight()) };
    throw new StratumRefusal(synchronizingLogin, heights, { cost: COSTS.login });
  }
  if (!session.parts.budget.take(COSTS.login)) throw new Error('too many logins');
  if (session.login !== undefined) workers.leave(session.login.worker);
  const worker = workers.enter(address, textMember(params, 'rigid'));
  session.begin({ receiver, address, agent: textMember(params, 'agent').slice(0, AGENT_LENGTH), worker });
  const id = jobs.nextId().toString();
  const job = await newJob(context, session, receiver);
  context.onLogin(session);
  return { id, job: job.describe(), status: 'OK', extensions: [] };
}

function receiverOf(address: string): { spendPublic: Buffer; viewPublic: Buffer } {
  try {
    return decodeAddress(address, { allowIntegrated: false });
  } catch (error) {
    throw new StratumRefusal(wrongAddress, { message: (error as Error).message }, { ends: true });
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
    jobId: textMember(params, 'job_id'),
    nonce: textMember(params, 'nonce'),
    result: textMember(params, 'result'),
  });
  return { status: 'OK' };
}

function keepAlive(): object {
  return { status: 'KEEPALIVED' };
}
