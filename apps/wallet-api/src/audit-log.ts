import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import {
  clientAddressOf,
  errorText,
  type Exchange,
  requestPath,
  requestIdOf,
  type RouteRequest,
  stringifyJson,
} from '@wrkz/service-kit';

type Request = RouteRequest['http']['request'];

/** Name of a route in the audit log. Routes without an action are not logged. */
export type AuditAction =
  | 'open-wallet'
  | 'create-wallet'
  | 'import-wallet'
  | 'close-wallet'
  | 'reset-wallet'
  | 'export-wallet'
  | 'change-password'
  | 'backup'
  | 'read-keys'
  | 'create-address'
  | 'import-address'
  | 'delete-address'
  | 'set-node'
  | 'prepare'
  | 'delete-prepared'
  | 'send'
  | 'sweep'
  | 'give-up-send'
  | 'pause-sends'
  | 'resume-sends'
  | 'set-label'
  | 'delete-label';

/** Name of the main key in the log. Scoped keys cannot have this name. */
const MAIN_KEY = '(main)';

/**
 * The file of `--audit-log`: one JSON line per request that reads keys, moves money or changes the wallet. A line is written
 * when the response is finished or the client has disconnected (docs/operations/wallet-api.md#audit-log). It never contains
 * keys, seeds or passwords: fields of a request body are included only if a handler adds them with `note`.
 */
export class AuditLog {
  private readonly notes = new WeakMap<Request, Record<string, unknown>>();

  private constructor(
    private readonly file: string,
    private readonly warn: (text: string) => void,
  ) {}

  /** @throws Error with a message for the operator when the file cannot be written */
  static open(file: string, warn: (text: string) => void): AuditLog {
    const log = new AuditLog(file, warn);
    try {
      log.append('');
    } catch (error) {
      throw new Error(`--audit-log: ${file} cannot be written: ${errorText(error)}`, { cause: error });
    }
    return log;
  }

  /** Adds public data to the line of a request, such as a transaction hash. */
  note(request: Request, facts: Readonly<Record<string, unknown>>): void {
    this.notes.set(request, { ...this.notes.get(request), ...facts });
  }

  /** Writes the line of a request once its response is finished. @param key name of the API key, '' for the main key */
  watch({ request, response }: Exchange, action: AuditAction, key: string): void {
    response.once('close', () => {
      const line = {
        time: new Date().toISOString(),
        requestId: requestIdOf(request),
        key: key === '' ? MAIN_KEY : key,
        client: clientAddressOf(request),
        action,
        request: `${request.method} ${requestPath(request)}`,
        status: response.statusCode,
        ...this.notes.get(request),
      };
      try {
        this.append(`${stringifyJson(line)}\n`);
      } catch (error) {
        this.warn(`the audit log ${this.file} could not be written: ${errorText(error)}`);
      }
    });
  }

  /** Opens the file for each line, so that log rotation can rename it. A line that a full disk has cut is ended first. */
  private append(text: string): void {
    const file = openSync(this.file, 'a+', 0o600);
    try {
      const last = Buffer.from('\n');
      // A pipe, which cannot be read here, has size 0.
      const { size } = fstatSync(file);
      if (size > 0) readSync(file, last, 0, 1, size - 1);
      writeFileSync(file, last.toString() === '\n' ? text : `\n${text}`);
    } finally {
      closeSync(file);
    }
  }
}
