import { powHelperApi, type ApiError } from '@wrkz/api';
import type { JobQueue } from '../../src/queue/job-queue';
import { MemoryQueue } from '../../src/queue/memory-queue';
import { PowRefusal } from '../../src/refusals';
import type { PowRoute } from '../../src/routes';
import { sendRequest, goodPrefix, keyInput, makePrefix, post, startHelper, type RunningHelper } from './helper';
import { send, sendInHalves, type HttpAnswer } from './http-client';
import { ManualSolver } from './manual-solver';

export type ErrorName = Exclude<keyof typeof powHelperApi.powErrors, 'notCanonical'> | 'notReady';

/** Names of errors by their row; only GET /readyz declares `notReady`. */
const NAMES = new Map<ApiError, ErrorName>(
  Object.entries(powHelperApi.powErrors).map(([name, row]) => [row, name as ErrorName]),
);
export const nameOf = (row: ApiError): ErrorName => NAMES.get(row) ?? 'notReady';

export const METRICS = '--enable-metrics';
const KEY = Buffer.alloc(32, 7);
const MAX = (1n << 64n) - 1n;

/** A helper with a clock that can fail, and jobs that never finish by themselves. */
export interface Scene extends RunningHelper {
  /** The ids of a running and a waiting job. */
  readonly jobs: readonly [string, string];
  breakClock(broken: boolean): void;
  /** Replaces methods of the queue. */
  changeQueue(methods: Partial<JobQueue>): void;
}

export async function startScene(args: readonly string[] = []): Promise<Scene> {
  let queue: JobQueue | undefined;
  let isBroken = false;
  const now = (): number => {
    if (isBroken) throw new Error('no clock');
    return Date.now();
  };
  const running = await startHelper([METRICS, ...args], {
    solver: new ManualSolver().solve,
    now,
    elapsed: now,
    queue: (parts) => (queue = new MemoryQueue(parts)),
  });
  const submit = async (): Promise<string> => {
    const { body } = await post(`${running.url}/pow`, { prefix: goodPrefix() }, { 'x-api-key': 'k' });
    return String(body['job_id']);
  };
  return {
    ...running,
    jobs: [await submit(), await submit()],
    breakClock: (broken) => (isBroken = broken),
    changeQueue: (methods) => Object.assign(queue ?? {}, methods),
  };
}

/** A request that a route answers with 200. */
export function goodRequest({ method, path }: Pick<PowRoute, 'method' | 'path'>, { jobs }: Scene) {
  const body = method === 'POST' ? JSON.stringify({ prefix: goodPrefix() }) : undefined;
  return { method, path: path.replace('{id}', jobs[method === 'DELETE' ? 1 : 0]), body };
}

/** Makes a route return an error. */
type Provocation = (route: PowRoute) => Promise<HttpAnswer>;

/** Sends valid requests to a helper with these options. */
const started =
  (args: readonly string[], headers: Record<string, string> = {}, times = 1): Provocation =>
  async (route) => {
    const scene = await startScene(args);
    const requested = goodRequest(route, scene);
    for (let i = 1; i < times; i++) await send(scene.url, { ...requested, headers });
    return send(scene.url, { ...requested, headers });
  };

const withBody =
  (body: string | Buffer, args: readonly string[] = []): Provocation =>
  async (route) => {
    const scene = await startScene(args);
    return send(scene.url, { ...goodRequest(route, scene), body });
  };

const prefix = (bytes: Buffer, more: object = {}): Provocation =>
  withBody(JSON.stringify({ prefix: bytes.toString('hex'), ...more }));

/** Sends the head of a request before the stop, and its body during the stop. */
const whileStopping: Provocation = async (route) => {
  const scene = await startScene();
  const finish = sendInHalves(scene.url, { ...goodRequest(route, scene), body: `{"prefix":"${goodPrefix()}"}` });
  await sendRequest(`${scene.url}/health`);
  const stopped = scene.stop();
  const response = await finish();
  await stopped;
  return response;
};

const brokenClock: Provocation = async (route) => {
  const scene = await startScene(['--rate-limit', '0']);
  scene.breakClock(true);
  const response = await send(scene.url, goodRequest(route, scene));
  scene.breakClock(false);
  return response;
};

/** The queue rejects every call, as during an outage of Redis. */
const queueAway: Provocation = async (route) => {
  const gone = () => Promise.reject(new PowRefusal('queueAway', { retryAfterSeconds: 2 }));
  const scene = await startScene();
  scene.changeQueue({ submit: gone, get: gone, wait: gone, cancel: gone });
  return send(scene.url, goodRequest(route, scene));
};

const unknownJob: Provocation = async (route) => {
  const scene = await startScene();
  return send(scene.url, goodRequest(route, { ...scene, jobs: ['0'.repeat(32), '0'.repeat(32)] }));
};

/** A provocation of each error, for every route that declares it. */
export const provocations: Readonly<Record<ErrorName, Provocation>> = {
  unauthorized: started(['--api-key', 'k']),
  rateLimited: started(['--rate-limit', '2'], {}, 3),
  encodedBody: async (route) => {
    const scene = await startScene();
    return send(scene.url, { ...goodRequest(route, scene), body: '{}', headers: { 'content-encoding': 'gzip' } });
  },
  bodyTooLarge: withBody('x'.repeat(524_289)),
  internal: brokenClock,
  notReady: whileStopping,
  unknownJob,
  badJson: withBody(Buffer.from('{"prefix":"\xff"}', 'latin1')),
  noPrefix: withBody('{"prefix":5}'),
  notHex: withBody('{"prefix":"abc"}'),
  tooShort: prefix(Buffer.alloc(8)),
  notAPrefix: prefix(Buffer.alloc(64, 0xff)),
  noInputs: prefix(makePrefix({ inputs: [] })),
  noOutputs: prefix(makePrefix({ outputs: [] })),
  tooManyOutputs: prefix(makePrefix({ outputs: Array.from({ length: 91 }, () => ({ amount: 1n, key: KEY })) })),
  notKeyInput: prefix(makePrefix({ inputs: [{ type: 'base', height: 5 }] })),
  ringSize: prefix(makePrefix({ inputs: [keyInput(1000n, 129)] })),
  inputOverflow: prefix(makePrefix({ inputs: [keyInput(MAX), keyInput(1n)] })),
  outputOverflow: prefix(makePrefix({ outputs: [MAX, 1n].map((amount) => ({ amount, key: KEY })) })),
  outputsExceedInputs: prefix(makePrefix({ outputs: [{ amount: 1001n, key: KEY }] })),
  zeroFee: prefix(makePrefix({ outputs: [{ amount: 1000n, key: KEY }] })),
  noNonceTag: prefix(makePrefix({ extra: Buffer.alloc(9) })),
  nothingNeeded: prefix(makePrefix(), { height: 5 }),
  tooDifficult: started(['--max-difficulty', '5']),
  globalLimit: started(['--max-jobs-per-minute', '2']),
  queueFull: started(['--max-queue', '1']),
  queueAway,
  shuttingDown: whileStopping,
};
