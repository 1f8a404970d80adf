/**
 * Cost of parsing the fields of a request by their schemas: `npm run bench -- request-validation`. Bodies that wallets send to
 * `/getwalletsyncdata` are parsed by the schema and by hand (the same fields, defaults and bounds, written out), and sent
 * whole over loopback to a server that responds immediately; paired, in processor time.
 */
import { Agent, request } from 'node:http';
import { daemonApi } from '@wrkz/api';
import {
  bindRoutes,
  createHttpApp,
  FinishedJson,
  type JsonObject,
  fieldReader,
  parseJson,
  routeDeclarer,
  silentLogger,
  startHttpServer,
} from '@wrkz/service-kit';
import { median, row, runBench } from './support/figures';
import { machine } from './support/machine';

const ROUNDS = 9;
const READS = 20_000;
const REQUESTS = 1_500;

const HASH = 'ab'.repeat(32);
const SMALL = '{"startHeight":4213000,"startTimestamp":0,"blockCount":100,"skipCoinbaseTransactions":false}';
/** The request of a synchronizing wallet: 50 checkpoints and all flags. */
const USUAL = JSON.stringify({
  blockHashCheckpoints: Array.from({ length: 50 }, () => HASH),
  startHeight: 0,
  startTimestamp: 0,
  blockCount: 100,
  skipCoinbaseTransactions: true,
  skipEmptyBlocks: true,
  encoding: 'base64',
});

const MAX = 2n ** 64n - 1n;

function integer(value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== 'bigint' || value < 0n || value > MAX) throw new Error('no integer');
  return Number(value);
}

function flag(value: unknown): boolean {
  if (value === undefined) return false;
  if (typeof value !== 'boolean') throw new Error('no flag');
  return value;
}

/** The fields of the schema, by hand. */
function readByHand(body: JsonObject): unknown {
  const sent = body['blockHashCheckpoints'] ?? [];
  if (!Array.isArray(sent)) throw new Error('no array');
  const encoding = body['encoding'] ?? 'hex';
  if (encoding !== 'hex' && encoding !== 'base64') throw new Error('no encoding');
  return {
    blockHashCheckpoints: sent.map((hash) => {
      if (typeof hash !== 'string' || !/^[0-9a-fA-F]{64}$/.test(hash)) throw new Error('no hash');
      return hash;
    }),
    startHeight: integer(body['startHeight'], 0),
    startTimestamp: integer(body['startTimestamp'], 0),
    blockCount: integer(body['blockCount'], 100),
    encoding,
    skipCoinbaseTransactions: flag(body['skipCoinbaseTransactions']),
    skipInputKeyOffsets: flag(body['skipInputKeyOffsets']),
    skipEmptyBlocks: flag(body['skipEmptyBlocks']),
    endHeight: integer(body['endHeight'], 0),
  };
}

const never = (): Error => new Error('refused');
const bySchema = fieldReader(daemonApi.walletSyncDataRequest, never);

/** Processor time since a `process.cpuUsage()`; other programs do not count. */
function cpuMicroseconds(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Microseconds per call of `work`, over `calls` calls. */
async function microseconds(count: number, work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  for (let i = 0; i < count; i++) await work();
  return cpuMicroseconds(start) / count;
}

function inTurn(count: number, work: () => unknown): number {
  const start = process.cpuUsage();
  for (let i = 0; i < count; i++) work();
  return cpuMicroseconds(start) / count;
}

const route = routeDeclarer<undefined>()({
  method: 'POST',
  path: '/getwalletsyncdata',
  summary: 'Answers at once.',
  guards: { key: true, limit: true },
  body: daemonApi.walletSyncDataRequest,
  response: daemonApi.walletSyncDataResponse,
  errors: [],
  handle: () => new FinishedJson('{"items":[],"status":"OK","synced":true}'),
});

async function measure(name: string, body: string, port: number, agent: Agent): Promise<void> {
  const send = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const options = { port, agent, path: route.path, method: 'POST', headers: { 'content-length': body.length } };
      const sent = request(options, (response) => response.resume().on('end', resolve));
      sent.on('error', reject);
      sent.end(body);
    });
  const parsed = parseJson(body) as JsonObject;
  const [schema, hand, parsing, whole]: number[][] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    schema?.push(await microseconds(READS, () => bySchema(parsed, undefined)));
    hand?.push(inTurn(READS, () => readByHand(parsed)));
    parsing?.push(inTurn(READS / 10, () => parseJson(body)));
    whole?.push(await microseconds(REQUESTS, send));
  }
  const [read = 0, byHand = 0, parse = 0, all = 0] = [schema, hand, parsing, whole].map((times) => median(times ?? []));
  console.log(row(`${name}: read by schema`, [`${read.toFixed(2)} us`]));
  console.log(row(`${name}: read by hand`, [`${byHand.toFixed(2)} us`]));
  console.log(row(`${name}: parsing the JSON`, [`${parse.toFixed(2)} us`]));
  console.log(row(`${name}: whole request, client too`, [`${all.toFixed(2)} us`]));
  console.log(row(`${name}: schema over hand, of it`, [`${(((read - byHand) / all) * 100).toFixed(1)} %`]));
}

runBench(async () => {
  console.log(machine());
  const routes = bindRoutes([route], undefined, { notJson: never, invalid: never });
  const app = createHttpApp({ logger: silentLogger(), refusalBody: () => undefined, bodyLimit: 2 ** 21, routes });
  const server = await startHttpServer({
    app,
    listen: [{ host: '127.0.0.1', port: 0 }],
    logger: silentLogger(),
    limits: { maxRequestsPerConnection: 0 },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await measure('small body', SMALL, server.port, agent);
  await measure('50 checkpoints', USUAL, server.port, agent);
  agent.destroy();
  await server.close();
});
