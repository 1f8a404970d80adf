import { spawn, spawnSync } from 'node:child_process';
import { top } from './workspace.mjs';

/** Ends the script with a message for a person instead of a stack. */
export class Failure extends Error {}

/** Passed on to a running step, so that nothing is left behind. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program in the workspace's top folder and resolves to its exit code; its output goes to the terminal.
 * With `quiet` the output is held back and shown only when the program fails. `env` is added to the `environment`.
 */
export function run(command, args, { environment = process.env, env = {}, quiet = false, cwd = top } = {}) {
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
      resolve(code ?? (signal ? 1 : 0));
    });
  });
}

/** Runs a program and returns what it writes to stdout. @throws Failure with its output unless it exits with 0 */
export function command(program, args, options = {}) {
  const limits = { encoding: 'utf8', maxBuffer: 2 ** 28 };
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...limits, ...options });
  if (status !== 0) throw new Failure(`${program} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}

/** `run` for a Node.js script; throws a Failure that names the step when it fails. */
export async function runStep(step, args, options) {
  process.stderr.write(`[bootstrap] ${step}\n`);
  const code = await run(process.execPath, args, options);
  if (code !== 0) throw new Failure(`${step}: failed with exit code ${code}`);
}

/** Runs the main function of a script: its result is the exit code, a Failure is shown as one line. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Failure ? error.message : (error?.stack ?? error)}\n`);
    process.exitCode = 1;
  }
}
