import type { ConsoleCommand } from '../command';

const EXITING = [
  '================= EXITING ==================',
  '== PLEASE WAIT, THIS MAY TAKE A LONG TIME ==',
  '============================================',
  '',
].join('\n');

/** An attached console takes `exit` and `quit` for leaving; who sends them to the route stops the daemon. */
function stopCommand(name: string, help: string): ConsoleCommand {
  return {
    name,
    help,
    run: (context) => {
      context.requestStop();
      return EXITING;
    },
  };
}

export const exit = stopCommand('exit', 'Shut the daemon down; an attached console leaves the session');
export const quit = stopCommand('quit', 'The same');
export const stop = stopCommand('stop', 'Shut the daemon down, also from an attached console');
