import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { top } from './workspace.mjs';

const folder = join(top, '.bootstrap');
const file = join(folder, 'lock');

/** Runs one build at a time in this workspace: a second one waits, and takes over from one that died. */
export async function locked(body) {
  mkdirSync(folder, { recursive: true });
  for (let told = false; !take(); told = true) {
    if (!told) process.stderr.write('[bootstrap] waiting for another build of this workspace\n');
    await pause(300);
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await body();
  } finally {
    process.off('exit', release);
    release();
  }
}

function take() {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!alive(holder())) rmSync(file, { force: true });
  return false;
}

function holder() {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

function alive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
