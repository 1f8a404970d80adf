/**
 * `npm run test:executables [-- --build]`: checks the files of release/, then runs every program from an empty folder with an
 * empty environment: the smoke test of the devnet, and functions that it does not use. Builds missing executables;
 * `--build` builds all.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from '../scripts/bootstrap.mjs';
import { command, main, run } from '../scripts/lib/run.mjs';
import { readManifest, top } from '../scripts/lib/workspace.mjs';
import { listedFiles, writeChecksums } from './executables/checksums.mjs';
import { nameOf } from './executables/sbom.mjs';
import { programs, release } from './programs.mjs';

const report = (text) => process.stdout.write(`${text}\n`);

await main(async () => {
  await bootstrap();
  const files = ['SHA256SUMS', ...programs.map(({ name }) => name)];
  if (process.argv.includes('--build') || files.some((name) => !existsSync(join(release, name)))) {
    await run(process.execPath, ['packaging/build-executables.mjs'], { failure: 'the build failed' });
  }
  const folder = mkdtempSync(join(tmpdir(), 'wrkz-executables-'));
  try {
    checkFiles();
    if (existsSync('/usr/bin/gpg')) checkSignature(folder);
    const [empty, devnet, natives] = ['empty', 'devnet', 'native'].map((name) => join(folder, name));
    mkdirSync(empty);
    process.chdir(empty);
    const environment = { WRKZ_NATIVE_DIR: natives, WRKZ_EXECUTABLES: release };
    checkVersions(environment);
    const smoke = [join(top, 'packages/testing/dist/devnet/main.js'), '--smoke', '--data-dir', devnet];
    await run(process.execPath, smoke, { cwd: empty, environment, failure: 'the smoke test failed' });
    const unchanged = changeFiles(natives);
    await checkServices(devnet, environment);
    report(`${unchanged()} changed native modules were replaced`);
    report(checkBadDisks(folder));
    assert.deepEqual(readdirSync(empty), [], 'programs write to their working directory');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** SHA256SUMS lists every file; the bill of materials lists every program, every package has a licence with its text. */
function checkFiles() {
  command('sha256sum', ['--strict', '--quiet', '--check', 'SHA256SUMS'], { cwd: release });
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const listed = sums.map((line) => line.slice(66));
  assert.deepEqual(listed, listedFiles(release));
  const { components, dependencies } = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'));
  const refs = new Set(components.map((component) => component['bom-ref']));
  for (const { folder } of programs) {
    const { dependsOn = [] } = dependencies.find((one) => one.ref.startsWith(`${readManifest(folder).name}@`)) ?? {};
    const isComplete = dependsOn.length > 1 && dependsOn.every((one) => refs.has(one));
    assert.ok(isComplete, `the bill of materials lacks dependencies of ${folder}`);
  }
  const texts = readFileSync(join(release, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const foreign = components.filter(({ group }) => group !== '@wrkz');
  for (const component of foreign) {
    const title = `${nameOf(component)} ${component.version}`;
    assert.ok(component.licenses && texts.includes(`\n${title}\n`), `the licence of ${title} is missing`);
  }
  for (const name of ['better-sqlite3', 'zeromq', 'swagger-ui-dist', 'node'])
    assert.ok(
      foreign.some((component) => component.name === name),
      `the bill of materials lacks ${name}`,
    );
  report(`${listed.length} checksums match; ${foreign.length} third-party packages have a licence`);
}

/** gpg accepts the signature of the checksums; without a key an old signature is removed. */
function checkSignature(folder) {
  const [files, key] = [join(folder, 'signed'), 'a-key@localhost'];
  process.env.GNUPGHOME = join(folder, 'keys');
  mkdirSync(process.env.GNUPGHOME, { mode: 0o700 });
  mkdirSync(files);
  command('gpg', ['--batch', '--passphrase', '', '--quick-generate-key', key, 'ed25519', 'sign', '1d']);
  const [sums, signature] = ['SHA256SUMS', 'SHA256SUMS.asc'].map((name) => join(files, name));
  writeFileSync(join(files, 'program'), 'a program');
  writeChecksums(files, key);
  command('gpg', ['--batch', '--verify', signature, sums]);
  writeChecksums(files);
  command('gpgconf', ['--kill', 'all']);
  assert.ok(!existsSync(signature), 'the old signature is still there');
  report('the signature of the checksums is valid');
}

/** All programs print the version of the suite. Reports sizes and times of the first start. */
function checkVersions(env) {
  const versions = new Set();
  for (const { name } of programs) {
    const begun = Date.now();
    versions.add(command(join(release, name), ['--version'], { env }).replace(name, '').trim());
    const size = statSync(join(release, name)).size / 2 ** 20;
    report(`${name}: ${size.toFixed(0)} MiB, first start ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }
  const [version, ...others] = versions;
  assert.ok(others.length === 0 && version.startsWith(readManifest('.').version), `versions: ${[...versions].join()}`);
}

/** Changes the native modules on the disk. @returns counts those that a program has replaced since */
function changeFiles(folder) {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const contents = files.map((file) => readFileSync(file));
  for (const file of files) {
    rmSync(file);
    writeFileSync(file, 'changed', { mode: 0o600 });
  }
  return () => {
    const replaced = files.filter((file, i) => readFileSync(file).equals(contents[i]));
    assert.ok(replaced.length > 1, `${replaced.length} of ${files.length} native modules were replaced`);
    return replaced.length;
  };
}

/** On the data of the devnet: a node, a reader process beside it, a backup, and a page of the proposals. */
async function checkServices(devnet, environment) {
  Object.assign(process.env, environment);
  const testing = createRequire(import.meta.url)(join(top, 'packages/testing/dist'));
  const { freePort, NodeProcess, Program, programCommand, TestNodeClient } = testing;
  const within = ['env', '-i', `WRKZ_NATIVE_DIR=${environment.WRKZ_NATIVE_DIR}`];
  const running = [];
  const start = async (program) => {
    running.push(program);
    await program.start();
  };
  const service = (folder, args, ready) =>
    start(new Program(folder, () => [...programCommand(folder), ...args, '--network=devnet'], { ready, within }));
  const [rpcPort, p2pPort, readerPort, sitePort] = await Promise.all([1, 2, 3, 4].map(() => freePort()));
  const [dataDir, socket, copy] = ['node1', 'node.sock', 'copy.sqlite'].map((name) => join(devnet, name));
  const args = ['--rpc-ipc-path', socket];
  try {
    const node = new NodeProcess({ name: 'node', dataDir, rpcPort, p2pPort, peers: [], args, within });
    await start(node.program);
    const shared = [`--data-dir=${dataDir}`, `--node-socket=${socket}`, `--rpc-bind-port=${readerPort}`];
    await service('apps/daemon', ['serve-rpc', ...shared], /RPC at/);
    const blocks = (client) => client.post('/getwalletsyncdata', { startHeight: 300, blockCount: 10 });
    assert.deepEqual(await blocks(new TestNodeClient(`http://127.0.0.1:${readerPort}`)), await blocks(node));
    const [backup, ...end] = [...within, ...programCommand('apps/daemon'), '--network=devnet', '--no-console'];
    command(backup, [...end, `--data-dir=${dataDir}`, `--backup=${copy}`, '--log-file=']);
    assert.ok(existsSync(copy), 'there is no backup');
    const site = `http://127.0.0.1:${sitePort}`;
    const data = ['--data-dir', join(devnet, 'proposals'), `--bind-port=${sitePort}`];
    await service('apps/proposals', data, /listens on/);
    const page = await fetch(site, { headers: { accept: 'text/html' } });
    const [, style] = /href="([^"]+\.css[^"]*)"/.exec(await page.text()) ?? [];
    assert.equal((await fetch(new URL(style, site))).status, 200, 'the style sheet is missing');
    for (const program of running.toReversed()) {
      await program.stop('SIGTERM');
      const ended = await program.ended;
      assert.equal(ended.code, 0, program.describeEnd(ended));
    }
    report('a reader process, a backup and a page of the proposals; every service ended with code 0 after SIGTERM');
  } finally {
    for (const program of running) await program.stop('SIGKILL');
  }
}

/** On a full disk, or one mounted noexec, a program reports the reason and the remedy. Needs root. */
function checkBadDisks(folder) {
  if (process.getuid() !== 0) return 'bad disks: skipped, needs root';
  const disks = { noexec: 'the disk is mounted noexec', 'size=64k': 'the disk is full' };
  const place = join(folder, 'disk');
  mkdirSync(place);
  for (const [option, reason] of Object.entries(disks)) {
    const line = `mount -t tmpfs -o mode=700,${option} tmpfs "$1" && exec env -i WRKZ_NATIVE_DIR="$1/n" "$0" --self-test`;
    const args = ['--mount', 'sh', '-c', line, join(release, 'wrkz-daemon'), place];
    const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', timeout: 60_000 });
    const output = `${stdout}${stderr}`;
    const isExplained = status === 1 && output.includes(reason) && output.includes('WRKZ_NATIVE_DIR');
    assert.ok(isExplained, `${option}: ended with ${status}: ${output}`);
  }
  return Object.values(disks).join('; ');
}
