import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { top } from './workspace.mjs';

/** An error that the script reports as its message, without a stack. */
export class Failure extends Error {}

/** Forwarded to the running program. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program, by default in the top folder, and resolves to its exit code. Its output goes to the terminal, with
 * `quiet` only if it fails. `env` is added to the `environment`. With `failure` another exit code than 0 is a Failure.
 */
export function run(command, args, { environment = process.env, env = {}, quiet, failure, cwd = top } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...environment, ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    const forward = (signal) => child.kill(signal);
    for (const signal of SIGNALS) process.on(signal, forward);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const name of SIGNALS) process.off(name, forward);
      if (code !== 0) process.stderr.write(Buffer.concat(output));
      if (code !== 0 && failure) reject(new Failure(`${failure} (${code ?? signal})`));
      else resolve(code ?? 1);
    });
  });
}

/** Runs a program and returns its stdout. @throws Failure with its output unless it exits with 0 */
export function command(program, args, options = {}) {
  const limits = { encoding: 'utf8', maxBuffer: 2 ** 28 };
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...limits, ...options });
  if (status !== 0) throw new Failure(`${program} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}

/** The names of a command line, or all if there are none. @throws Failure for an unknown one */
export function selectNames(requested, all, kind) {
  const unknown = requested.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new Failure(`no ${kind} named ${unknown}; there are: ${all.join(', ')}`);
  return requested.length > 0 ? requested : all;
}

/**
 * Runs jobs one after the other and prints a table of their results.
 * @param job resolves to the row of a name, with its exit code
 * @returns 1 if a job fails, else 0
 */
export async function runEach(names, job) {
  const rows = [];
  for (const name of names) {
    const begun = Date.now();
    const { code, ...row } = await job(name);
    const seconds = Math.round((Date.now() - begun) / 1000);
    rows.push({ ...row, result: code === 0 ? 'ok' : 'FAILED', seconds });
  }
  console.table(rows);
  return rows.every(({ result }) => result === 'ok') ? 0 : 1;
}

/** Counts of a jest run by its `--json` report: a row for `console.table`; empty if the run wrote none. */
export function jestCounts(file) {
  if (!existsSync(file)) return {};
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return {
    suites: report.numTotalTestSuites,
    'failed suites': report.numFailedTestSuites,
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
  };
}

/** Runs the main function of a script: its result is the exit code; an error is reported and makes it 1. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Failure ? error.message : (error?.stack ?? error)}\n`);
    process.exitCode = 1;
  }
}
