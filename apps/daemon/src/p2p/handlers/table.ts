import {
  Command,
  handshakeRequest,
  missingTransactions,
  newBlock,
  newLiteBlock,
  newTransactions,
  requestChain,
  requestObjects,
  requestPool,
  responseChain,
  responseObjects,
  timedSyncRequest,
  type CommandId,
} from '@wrkz/levin';
import { answerChainRequest, answerObjectsRequest, takeChainEntry, takeObjects } from './chain-handlers';
import { command, type CommandRow } from './command';
import { answerHandshake, answerPing, answerTimedSync, considerSyncData, welcomeCaller } from './node-handlers';
import {
  answerMissingTransactions,
  answerPoolRequest,
  takeNewBlock,
  takeNewLiteBlock,
  takeNewTransactions,
} from './relay-handlers';

/** A ping says nothing: its body is not even read. */
const ignoreBody = (): undefined => undefined;

/** Every command that we take: how its body is read, who handles it, and whether it may come before the handshake. */
export const commandTable: Readonly<Record<CommandId, CommandRow>> = {
  [Command.handshake]: command({
    decode: handshakeRequest.decode,
    early: true,
    handle: answerHandshake,
    afterReply: welcomeCaller,
  }),
  [Command.timedSync]: command({
    decode: timedSyncRequest.decode,
    handle: answerTimedSync,
    afterReply: considerSyncData,
  }),
  // A caller of ours pings back before it has answered our handshake.
  [Command.ping]: command({ decode: ignoreBody, early: true, handle: answerPing }),

  [Command.newBlock]: command({ decode: newBlock.decode, handle: takeNewBlock }),
  [Command.newLiteBlock]: command({ decode: newLiteBlock.decode, handle: takeNewLiteBlock }),
  [Command.newTransactions]: command({ decode: newTransactions.decode, handle: takeNewTransactions }),
  [Command.missingTransactions]: command({ decode: missingTransactions.decode, handle: answerMissingTransactions }),
  [Command.requestPool]: command({ decode: requestPool.decode, handle: answerPoolRequest }),

  [Command.requestChain]: command({ decode: requestChain.decode, handle: answerChainRequest }),
  [Command.responseChain]: command({ decode: responseChain.decode, handle: takeChainEntry }),
  [Command.requestObjects]: command({ decode: requestObjects.decode, handle: answerObjectsRequest }),
  [Command.responseObjects]: command({ decode: responseObjects.decode, handle: takeObjects }),
};

const rows = new Map(Object.entries(commandTable).map(([id, row]) => [Number(id), row]));

/** The row of a command; `undefined` when we do not take it. */
export function rowOf(id: number): CommandRow | undefined {
  return rows.get(id);
}
