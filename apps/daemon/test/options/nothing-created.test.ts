import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { typeOfOption, UsageError } from '@wrkz/service-kit';
import { DAEMON_OPTIONS, readConfig } from '../../src';
import { Daemon } from '../../src/daemon';
import { temporaryDirectory } from '../support/temporary';

/* Refused starts create no files. */

/** The error message of a rejected command line that creates no file. @throws Error if it is accepted */
function refusalOf(...argv: string[]): string {
  const folder = temporaryDirectory();
  const places = [`--data-dir=${join(folder, 'data')}`, `--log-file=${join(folder, 'log')}`];
  try {
    Daemon.create(readConfig(['--network=devnet', '--no-console', ...places, ...argv]));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    expect(readdirSync(folder)).toEqual([]);
    return error.message;
  }
  throw new Error(`${argv.join(' ')} is taken; ${existsSync(join(folder, 'log')) ? 'a' : 'no'} log file is there`);
}

test.each(['add-peer', 'add-priority-node', 'add-exclusive-node', 'seed-node'])(
  'rejects an invalid address for --%s',
  (name) => {
    for (const text of ['a b', 'host:x', '1.2.3.4:99999', '1.2.3.4:0', '[1.2.3.4]', '\n', 'http://1.2.3.4'])
      expect(refusalOf(`--${name}=${text}`)).toBe(`--${name}: ${JSON.stringify(text)} is not an address`);
  },
);

const ABSURD = {
  number: ['', 'x', '1.5', '0x10', '99999999999999999999'],
  boolean: ['', 'maybe'],
  string: ['x\0y'],
  list: ['x\0y'],
} as const;

test.each(DAEMON_OPTIONS.map((spec) => [spec.name, typeOfOption(spec)] as const))(
  '--%s, a %s, creates nothing with absurd values',
  (name, type) => {
    for (const text of ABSURD[type]) expect(refusalOf(`--${name}=${text}`)).toContain(`--${name}: `);
  },
);
