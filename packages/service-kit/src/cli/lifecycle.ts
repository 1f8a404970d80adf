import { closeSync, openSync } from 'node:fs';
import { Closers } from '../async';
import { errorText, withShortLines } from '../error-text';
import type { Logger, LogLevel } from '../log/logger';
import { collectStartGarbage } from '../garbage';
import { EarlyExit } from './options';

/** A part of a program that SIGHUP reloads. */
export interface ReloadTask {
  /** For the log, e.g. `the key file`. */
  readonly name: string;
  /** Throws before it changes anything if the new state is invalid. */
  readonly run: () => Promise<void> | void;
}

/** A program that `runMain` starts and stops. */
export interface Service {
  /** Resolves when the program serves. */
  start(): Promise<void>;
  /** Resolves when everything is closed. May be called while `start` is still running, and is called once at most. */
  stop(): Promise<void>;
  /** For programs that end without a stop (import, verify...): resolves to the exit code, also after a stop. */
  readonly finished?: Promise<number> | undefined;
  /** Flushed before the process ends. */
  readonly logger?: Logger | undefined;
  /** Tasks of SIGHUP, besides the log. Undefined: SIGHUP stops the program. */
  readonly reload?: readonly ReloadTask[] | undefined;
}

/** A service whose resources are closed in reverse order: by `stop`, and after a failed start. */
export abstract class ClosingService implements Service {
  abstract readonly logger: Logger;
  /** By default SIGHUP reloads only the log. */
  readonly reload: readonly ReloadTask[] = [];
  protected readonly closers = new Closers();
  protected isStopping = false;

  /** @throws Error with a message for the operator; everything opened so far is then closed */
  async start(): Promise<void> {
    try {
      await this.serve();
    } catch (error) {
      this.isStopping = true;
      return this.closers.closeAfter(error);
    }
  }

  /** @throws AggregateError after everything else is closed */
  stop(): Promise<void> {
    this.isStopping = true;
    return this.closers.closeAll();
  }

  /** Opens the resources, each with its closer. */
  protected abstract serve(): Promise<void>;
}

/** Control of the process, for a program. */
export interface Control {
  /** Requests an orderly stop, like a signal. @param exitCode default: 0 */
  requestStop(exitCode?: number): void;
  /** Fires when the stop begins. Its reason is the name of the operating-system signal that caused the stop, if any. */
  readonly signal: AbortSignal;
}

export interface MainOptions {
  /** Max milliseconds of an orderly stop; afterwards the process ends with code 1. */
  readonly stopDeadlineMs?: number;
  /** Reads the log level from the configuration again, for a reload. @throws UsageError */
  readonly logLevel?: () => LogLevel | undefined;
}

const STOP_DEADLINE_MS = 10_000;

/**
 * Repetitions of a signal within this time are ignored: a terminal sends Ctrl-C to the whole process group, and npm forwards it
 * to its child again.
 */
const ONE_PRESS_MS = 500;

/**
 * Runs a program from start to exit code. SIGINT and SIGTERM stop it in order, and so does SIGHUP of a closed terminal. Without
 * a controlling terminal, SIGHUP reloads what the service can reload, as soon as there is a service; during a stop it is
 * ignored. A second stop signal ends the process immediately, unless it only repeats the first (`ONE_PRESS_MS`). Uncaught
 * errors are logged once and end the process with code 1. Only the main files of the programs call it.
 */
export function runMain(create: (control: Control) => Promise<Service> | Service, options: MainOptions = {}): void {
  const abort = new AbortController();
  let service: Service | undefined;
  let stopping = false;
  let exiting = false;
  let reloading = Promise.resolve();
  let isHangupDelayed = false;

  const exit = (code: number): void => {
    if (exiting) return;
    exiting = true;
    const flush = service?.logger?.close() ?? Promise.resolve();
    const giveUp = setTimeout(() => process.exit(code), 1_000);
    void flush
      .catch(() => undefined)
      .then(() => {
        clearTimeout(giveUp);
        process.exit(code);
      });
  };

  const fail = (what: string, error: unknown): void => {
    if (exiting) return;
    if (error instanceof EarlyExit) {
      const stream = error.exitCode === 0 ? process.stdout : process.stderr;
      stream.write(`${error.exitCode === 0 ? error.message : withShortLines(error.message)}\n`);
      return exit(error.exitCode);
    }
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    // Without a logger, fatal errors go to stderr.
    const report = service?.logger?.enabled('fatal')
      ? service.logger.fatal.bind(service.logger)
      : (line: string) => void process.stderr.write(`${line}\n`);
    report(`${what}: ${withShortLines(errorText(error))}`);
    if (what !== START_FAILED) report(stack);
    exit(1);
  };

  const stop = (code: number, cause?: StopSignal): void => {
    if (stopping || exiting) return;
    stopping = true;
    abort.abort(cause);
    const deadline = setTimeout(() => {
      service?.logger?.error('the orderly stop took too long');
      exit(1);
    }, options.stopDeadlineMs ?? STOP_DEADLINE_MS);
    Promise.resolve(service?.stop()).then(
      async () => {
        // The exit code of an interrupted action is not 0.
        const outcome = await service?.finished?.catch(() => 1);
        clearTimeout(deadline);
        exit(code === 0 ? (outcome ?? 0) : code);
      },
      (error: unknown) => fail('the stop failed', error),
    );
  };

  let first: { readonly name: string; readonly at: number } | undefined;
  const onSignal = (name: StopSignal): void => {
    const { reload, logger } = service ?? {};
    if (name === 'SIGHUP' && (service === undefined || reload !== undefined) && !hasTerminal()) {
      // It is unknown whether SIGHUP stops the program before the service exists.
      if (reload === undefined) isHangupDelayed = true;
      else if (!stopping) reloading = reloading.then(() => reloadAll(logger, reload, options.logLevel));
      return;
    }
    const now = performance.now();
    if (first?.name === name && now - first.at < ONE_PRESS_MS) return;
    if (stopping) process.exit(SIGNAL_EXIT_CODES[name]);
    first = { name, at: now };
    logger?.info(`${name} received, stopping`);
    stop(0, name);
  };
  for (const name of Object.keys(SIGNAL_EXIT_CODES) as StopSignal[]) process.on(name, () => onSignal(name));
  process.on('uncaughtException', (error) => fail('uncaught error', error));
  process.on('unhandledRejection', (error) => fail('unhandled rejection', error));
  // A closed pipe ends the output, not the program.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  void (async () => {
    try {
      service = await create({ requestStop: (code = 0) => stop(code), signal: abort.signal });
      if (stopping) return await service.stop();
      if (isHangupDelayed) onSignal('SIGHUP');
      if (!stopping) await service.start();
      collectStartGarbage();
    } catch (error) {
      if (!stopping) fail(START_FAILED, error);
      return;
    }
    if (service.finished === undefined) return;
    service.finished.then(
      (code) => stop(code),
      (error: unknown) => fail('failed', error),
    );
  })();
}

const START_FAILED = 'cannot start';

/** Whether the process has a controlling terminal. On Windows SIGHUP always means a closed console. */
function hasTerminal(): boolean {
  if (process.platform === 'win32') return true;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** A failed task changes nothing and does not stop the other tasks. */
async function reloadAll(
  logger: Logger | undefined,
  tasks: readonly ReloadTask[],
  logLevel: MainOptions['logLevel'],
): Promise<void> {
  const log: ReloadTask[] = [
    { name: 'the log file', run: () => logger?.reopen() },
    { name: 'the log level', run: () => logger?.setLevel(logLevel?.() ?? logger.level) },
  ];
  logger?.info('SIGHUP received, reloading');
  for (const { name, run } of [...log, ...tasks]) {
    try {
      await run();
      logger?.info(`reloaded ${name}`);
    } catch (error) {
      logger?.error(`cannot reload ${name}: ${errorText(error)}`);
    }
  }
}
/** 128 + the number of the signal, as in shells. */
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

type StopSignal = keyof typeof SIGNAL_EXIT_CODES;

/**
 * A command that prints a text and ends the program. A stop waits for it; its exit code is 128 + the number of the signal
 * that caused the stop, because the command was interrupted.
 */
export class OneShotCommand implements Service {
  readonly finished: Promise<number>;
  private running: Promise<string> | undefined;

  /** @param run returns the text. When `signal` is aborted it undoes its changes and rejects */
  constructor(
    signal: AbortSignal,
    private readonly run: () => Promise<string>,
  ) {
    this.finished = new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(SIGNAL_EXIT_CODES[signal.reason as StopSignal] ?? 1)),
    );
  }

  async start(): Promise<void> {
    this.running = this.run();
    throw new EarlyExit(await this.running, 0);
  }

  async stop(): Promise<void> {
    await this.running?.catch(() => undefined);
  }
}
