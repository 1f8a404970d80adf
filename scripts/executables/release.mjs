import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Failure } from '../lib/run.mjs';
import { billOf } from './bill.mjs';

const SUMS = 'SHA256SUMS';

/**
 * Writes `SHA256SUMS` over all that stands in the folder and a bill of materials for what was made now. With
 * `WRKZ_SIGNING_KEY`, the name of a key that gpg has, the sums are signed into `SHA256SUMS.asc`.
 */
export async function writeRelease({ release, made, node }) {
  for (const one of made) {
    writeFileSync(join(release, `${one.name}.cdx.json`), `${JSON.stringify(billOf(one, node), undefined, 2)}\n`);
  }
  const names = readdirSync(release)
    .filter((name) => !name.startsWith(SUMS) && statSync(join(release, name)).isFile())
    .sort();
  const lines = names.map((name) => `${sumOf(join(release, name))}  ${name}\n`);
  writeFileSync(join(release, SUMS), lines.join(''));
  sign(join(release, SUMS));
}

const sumOf = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

function sign(file) {
  const key = process.env['WRKZ_SIGNING_KEY'];
  if (key === undefined || key === '') return;
  const args = ['--batch', '--yes', '--local-user', key, '--armor', '--detach-sign', '--output', `${file}.asc`, file];
  const { status, stderr } = spawnSync('gpg', args, { encoding: 'utf8' });
  if (status !== 0 || !existsSync(`${file}.asc`)) throw new Failure(`the sums could not be signed: ${stderr}`);
}
