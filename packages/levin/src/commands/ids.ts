/** Command numbers (spec 08). The 2000s are notifications, the 1000s requests. */
export const Command = {
  handshake: 1001,
  timedSync: 1002,
  ping: 1003,
  newBlock: 2001,
  newTransactions: 2002,
  requestObjects: 2003,
  responseObjects: 2004,
  requestChain: 2006,
  responseChain: 2007,
  requestPool: 2008,
  newLiteBlock: 2009,
  missingTransactions: 2010,
} as const;

export type CommandId = (typeof Command)[keyof typeof Command];

const names = new Map<number, string>(Object.entries(Command).map(([name, id]) => [id, name]));

/** The name of a command for the log. */
export function commandName(id: number): string {
  return names.get(id) ?? `command ${id}`;
}
