export type { ConsoleContext } from './command';
export { consoleRoute } from './console-route';
export { LogTail } from './log-tail';
export { ConsoleRunner } from './runner';
export { startLocalConsole } from './terminal/local-console';
export { Screen } from './terminal/screen';
