import { once } from 'node:events';
import { createLogger, EarlyExit, OneShotCommand, runMain, UsageError } from '../../src';

/** `service.ts <behaviour>`: a program with this behaviour, for the tests of runMain. */
const behaviour = process.argv[2];

const LONG = 'x'.repeat(100_000);

const RELOAD = [
  { name: 'the broken file', run: () => fail('line 3 is invalid') },
  { name: 'the good file', run: async () => undefined },
];

runMain(
  async (control) => {
    if (behaviour?.startsWith('slow-') === true) await hangup();
    if (behaviour === 'usage') throw new UsageError('unknown option --x (see --help)');
    if (behaviour === 'long-usage') throw new UsageError(`unexpected argument ${LONG} (see --help)\nand another line`);
    if (behaviour === 'long-failure') throw new Error(`cannot open ${LONG}: it is a directory`);
    if (behaviour === 'long-text') throw new EarlyExit(LONG, 0);
    const logger = createLogger({ level: 'info' });
    if (behaviour === 'command') return new OneShotCommand(control.signal, async () => 'the result');
    if (behaviour === 'long-command') return new OneShotCommand(control.signal, () => undoneAtStop(control.signal));
    const keepAlive = setInterval(() => undefined, 1000);
    return {
      logger,
      ...(behaviour?.endsWith('reloads') === true ? { reload: RELOAD } : {}),
      async start() {
        if (behaviour === 'start-fails') throw new Error('the port is taken');
        logger.info('started');
        if (behaviour === 'uncaught') setTimeout(() => fail('thrown out of the blue'), 10);
        if (behaviour === 'rejection') void Promise.reject(new Error('rejected out of the blue'));
        if (behaviour === 'asks') control.requestStop(7);
      },
      async stop() {
        logger.info(`stopping, aborted ${control.signal.aborted}`);
        if (behaviour === 'signalled-twice') await once(process, 'SIGINT');
        if (behaviour === 'hangup-reloads') await once(process, 'SIGHUP');
        if (behaviour === 'hangs' || behaviour === 'stuck') await new Promise(() => undefined);
        if (behaviour === 'stop-fails') throw new Error('could not close');
        clearInterval(keepAlive);
        logger.info('stopped');
      },
      finished: finished(control.signal),
    };
  },
  { stopDeadlineMs: behaviour === 'hangs' ? 300 : 20_000, logLevel: () => 'debug' },
);

/** Resolves after SIGHUP was received. */
async function hangup(): Promise<void> {
  const received = once(process, 'SIGHUP');
  const keepAlive = setInterval(() => undefined, 1000);
  process.stdout.write('started\n');
  await received;
  clearInterval(keepAlive);
}

/** `one-shot` ends immediately, `cut-short` only when it is stopped. */
function finished(stop: AbortSignal): Promise<number> | undefined {
  if (behaviour === 'one-shot') return Promise.resolve(3);
  if (behaviour !== 'cut-short') return undefined;
  return new Promise((done) => stop.addEventListener('abort', () => done(4)));
}

/** A command that only a signal ends. */
async function undoneAtStop(signal: AbortSignal): Promise<string> {
  const keepAlive = setInterval(() => undefined, 1000);
  process.stdout.write('started\n');
  await once(signal, 'abort');
  clearInterval(keepAlive);
  process.stdout.write('undone\n');
  return 'the result';
}

function fail(text: string): never {
  throw new Error(text);
}
