/**
 * `npm run test:executables [-- --build]`: runs every program of release/ from an empty folder with an empty environment,
 * and checks the files beside them. Builds missing executables; `--build` builds all.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from '../scripts/bootstrap.mjs';
import { command, Failure, main, run } from '../scripts/lib/run.mjs';
import { readManifest } from '../scripts/lib/workspace.mjs';
import { listedFiles, writeChecksums } from './executables/checksums.mjs';
import { nameOf } from './executables/sbom.mjs';
import { programs, release } from './programs.mjs';

const report = (text) => process.stdout.write(`${text}\n`);
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

await main(async () => {
  await bootstrap();
  const files = ['SHA256SUMS', ...programs.map(({ name }) => name)];
  if (process.argv.includes('--build') || files.some((name) => !existsSync(join(release, name)))) {
    const code = await run(process.execPath, ['packaging/build-executables.mjs']);
    if (code !== 0) return code;
  }
  // Imports the compiled packages, which a fresh clone has only now.
  const { SCENARIOS, Scenarios } = await import('./executables/scenarios.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-executables-'));
  const scenarios = new Scenarios(join(folder, 'native'));
  try {
    checkFiles();
    if (existsSync('/usr/bin/gpg')) checkSignature(folder);
    await checkVersions(scenarios);
    for (const name of SCENARIOS) {
      const begun = Date.now();
      report(`${name}: ${await scenarios[name]()} (${seconds(begun)})`);
    }
    await scenarios.stopAll();
    report('every service ended with code 0 after SIGTERM');
  } finally {
    for (const { child } of scenarios.running) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
});

/** SHA256SUMS lists every file; the bill of materials lists every program, every package has a licence with its text. */
function checkFiles() {
  command('sha256sum', ['--strict', '--quiet', '--check', 'SHA256SUMS'], { cwd: release });
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const listed = sums.map((line) => line.slice(66));
  if (listed.join() !== listedFiles(release).join()) throw new Failure(`SHA256SUMS lists ${listed.join(', ')}`);
  const { components, dependencies } = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'));
  const refs = new Set(components.map((component) => component['bom-ref']));
  for (const { folder } of programs) {
    const ref = dependencies.find((one) => one.ref.startsWith(`${readManifest(folder).name}@`));
    if (!(ref?.dependsOn?.length > 1) || !ref.dependsOn.every((one) => refs.has(one)))
      throw new Failure(`the bill of materials lacks dependencies of ${folder}`);
  }
  const texts = readFileSync(join(release, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const foreign = components.filter(({ group }) => group !== '@wrkz');
  for (const component of foreign) {
    const title = `${nameOf(component)} ${component.version}`;
    if (!component.licenses || !texts.includes(`\n${title}\n`)) throw new Failure(`the licence of ${title} is missing`);
  }
  for (const name of ['better-sqlite3', 'zeromq', 'swagger-ui-dist', 'node'])
    if (!foreign.some((component) => component.name === name)) throw new Failure(`the bill of materials lacks ${name}`);
  report(`${listed.length} checksums match; ${foreign.length} third-party packages have a licence`);
}

/** gpg accepts the signature of the checksums, and rejects an old one after a change. */
function checkSignature(folder) {
  const [files, key] = [join(folder, 'signed'), 'a-key@localhost'];
  process.env.GNUPGHOME = join(folder, 'keys');
  mkdirSync(process.env.GNUPGHOME, { mode: 0o700 });
  mkdirSync(files);
  command('gpg', ['--batch', '--passphrase', '', '--quick-generate-key', key, 'ed25519', 'sign', '1d']);
  const [sums, signature] = ['SHA256SUMS', 'SHA256SUMS.asc'].map((name) => join(files, name));
  const verify = () => command('gpg', ['--batch', '--verify', signature, sums]);
  writeFileSync(join(files, 'program'), 'a program');
  writeChecksums(files, key);
  verify();
  const old = readFileSync(signature);
  writeFileSync(join(files, 'program'), 'another program');
  writeChecksums(files);
  if (existsSync(signature)) throw new Failure('the old signature is still there');
  writeFileSync(signature, old);
  let accepted = true;
  try {
    verify();
  } catch {
    accepted = false;
  }
  command('gpgconf', ['--kill', 'all']);
  if (accepted) throw new Failure('gpg accepts the signature of other checksums');
  report('the signature of the checksums is valid; a signature of others is rejected');
}

/** All programs print the same version. Reports sizes and times of the first start. */
async function checkVersions(scenarios) {
  const versions = new Set();
  for (const { name } of programs) {
    const begun = Date.now();
    versions.add((await scenarios.start(name, ['--version']).done()).replace(name, '').trim());
    const size = statSync(join(release, name)).size / 2 ** 20;
    report(`${name}: ${size.toFixed(0)} MiB, first start ${seconds(begun)}`);
  }
  if (versions.size !== 1 || ![...versions][0].startsWith(readManifest('.').version))
    throw new Failure(`versions differ: ${[...versions].join(', ')}`);
}
