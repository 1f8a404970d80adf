import { stratumStatus, stratumStatusText } from '../../stratum/workers';
import type { ConsoleCommand } from '../command';

export const stratumStatusCommand: ConsoleCommand = {
  name: 'stratum_status',
  help: 'Show the miners of the stratum server and their shares',
  run: ({ stratum }) => stratumStatusText(stratum && stratumStatus(stratum, performance.now())),
};
