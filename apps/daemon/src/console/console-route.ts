import { daemonApi } from '@wrkz/api';
import { routeDeclarer } from '@wrkz/service-kit';
import { type DaemonLabels, GUARDED } from '../rpc/declare';
import { refuse } from '../rpc/errors';
import type { ConsoleRunner } from './runner';

const { internal, noConsole } = daemonApi.refusals;
const route = routeDeclarer<ConsoleRunner, DaemonLabels>();

/** Runs a command of the console. It is bound to the local socket alone. */
export const consoleRoute = route({
  method: 'POST',
  path: '/console',
  summary: 'Runs a command of the console and answers what it prints; on the local socket alone.',
  guards: GUARDED,
  labels: { mode: 'Default', source: 'node' },
  body: daemonApi.consoleBody,
  answer: daemonApi.consoleAnswer,
  errors: [internal, noConsole],
  prepare: (members) => {
    const { command } = members;
    // The network's programs answer this fault of the caller as one of their own.
    if (command !== undefined && typeof command !== 'string')
      throw refuse(internal, { message: 'JSON parameter is wrong type. Expected String' });
    return members;
  },
  handle: async (runner, { body, gone }) => {
    const output = await runner.run(body.command, gone);
    if (output === undefined) throw refuse(noConsole);
    return { output, status: 'OK' as const };
  },
});
