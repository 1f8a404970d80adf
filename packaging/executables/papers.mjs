import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../scripts/lib/run.mjs';
import { command } from './materials.mjs';
import { programs } from './programs.mjs';
import { signSums, writeSums } from './sums.mjs';

/** What lies beside the programs says the truth about them. @returns a line for a person @throws Failure */
export function checkPapers(release) {
  command('sha256sum', ['--strict', '--quiet', '--check', 'SHA256SUMS'], { cwd: release });
  const listed = readFileSync(join(release, 'SHA256SUMS'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.slice(66));
  const present = readdirSync(release, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('SHA256SUMS'))
    .map(({ name }) => name);
  if (listed.sort().join() !== present.sort().join()) throw new Failure(`the sums are of ${listed.join(', ')}`);
  const bill = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'));
  const refs = new Map(bill.components.map((component) => [component['bom-ref'], component]));
  for (const { name } of programs) {
    const used = bill.dependencies.find(({ ref }) => ref === name)?.dependsOn ?? [];
    const unknown = used.find((ref) => !refs.has(ref));
    if (used.length < 10 || unknown !== undefined) throw new Failure(`the bill of ${name}: ${used.length}, ${unknown}`);
  }
  const foreign = bill.components.filter(({ purl }) => purl?.startsWith('pkg:npm/'));
  const texts = readFileSync(join(release, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const { group, name, version, licenses } of foreign) {
    const full = `${group ? `${group}/` : ''}${name} ${version}`;
    if (!version || !licenses) throw new Failure(`the bill does not say under what licence ${full} is`);
    if (!texts.includes(`\n${full}\n`)) throw new Failure(`the licence of ${full} is missing`);
  }
  for (const text of ['better-sqlite3', 'zeromq', 'Permission is hereby granted'])
    if (!texts.includes(text)) throw new Failure(`the licences lack ${text}`);
  return `${listed.length} sums are right; ${foreign.length} foreign packages with their licences`;
}

/** A signature by a key of the moment fits the sums, and no longer when they change; a new set of sums takes an old one away. */
export function checkSignature() {
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-signature-'));
  const GNUPGHOME = join(folder, 'keys');
  const release = join(folder, 'release');
  const former = process.env.GNUPGHOME;
  try {
    command('mkdir', ['-m', '700', GNUPGHOME, release]);
    process.env.GNUPGHOME = GNUPGHOME;
    command('gpg', ['--batch', '--passphrase', '', '--quick-generate-key', 'a-key@localhost', 'ed25519', 'sign', '1d']);
    writeFileSync(join(release, 'program'), 'a program');
    writeSums(release);
    signSums(release, 'a-key@localhost');
    const verify = ['--batch', '--verify', join(release, 'SHA256SUMS.asc'), join(release, 'SHA256SUMS')];
    command('gpg', verify);
    writeFileSync(join(release, 'program'), 'another program');
    const [signed] = [readFileSync(join(release, 'SHA256SUMS.asc'))];
    writeSums(release);
    if (readdirSync(release).includes('SHA256SUMS.asc')) throw new Failure('an old signature stays beside new sums');
    writeFileSync(join(release, 'SHA256SUMS.asc'), signed);
    let isTaken = true;
    try {
      command('gpg', verify);
    } catch {
      isTaken = false;
    }
    if (isTaken) throw new Failure('a signature of other sums is taken');
    return 'a signature fits its sums, and no others';
  } finally {
    spawnSafely('gpgconf', ['--kill', 'all']);
    if (former === undefined) delete process.env.GNUPGHOME;
    else process.env.GNUPGHOME = former;
    rmSync(folder, { recursive: true, force: true });
  }
}

function spawnSafely(program, args) {
  try {
    command(program, args);
  } catch {
    // the agent ends by itself when its folder goes
  }
}
