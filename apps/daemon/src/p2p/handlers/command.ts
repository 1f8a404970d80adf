import type { P2pContext } from '../context';
import type { Session } from '../session/session';

/** How one command is read and answered. */
export interface CommandDeclaration<Message> {
  /** Reads the body. @throws BodyError when it cannot be what the command says */
  readonly decode: (body: Buffer) => Message;
  /** Whether it may come before the handshake. */
  readonly early?: true;
  /** Does what the command asks for. What it returns is the reply; requests that end the connection have none. */
  readonly handle: (context: P2pContext, session: Session, message: Message) => Buffer | void | Promise<void>;
  /** What follows once the reply has been queued. */
  readonly afterReply?: (context: P2pContext, session: Session, message: Message) => void;
}

/** A row of the table. */
export interface CommandRow {
  readonly early: boolean;
  /** Reads the body and handles it; `reply` is called in the same turn in which the reply was made. */
  run(context: P2pContext, session: Session, body: Buffer, reply: (bytes: Buffer) => void): void | Promise<void>;
}

/** A row that closes in the kind of message of its declaration. */
export function command<Message>(declaration: CommandDeclaration<Message>): CommandRow {
  const { decode, early = false, handle, afterReply } = declaration;
  return {
    early,
    run(context, session, body, reply) {
      const message = decode(body);
      const answer = handle(context, session, message);
      if (!Buffer.isBuffer(answer)) return answer;
      reply(answer);
      afterReply?.(context, session, message);
      return undefined;
    },
  };
}
