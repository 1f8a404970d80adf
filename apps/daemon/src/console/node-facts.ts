import { RpcRefusal } from '../rpc/errors';
import { nodeInfo } from '../rpc/handlers/node';
import { Complaint, type ConsoleContext } from './command';

/** What `/info` answers. @throws Complaint with `problem` when the chain cannot be read now */
export function nodeFacts({ rpc }: Pick<ConsoleContext, 'rpc'>, problem: string): ReturnType<typeof nodeInfo> {
  try {
    return nodeInfo(rpc);
  } catch (error) {
    if (error instanceof RpcRefusal) throw new Complaint(problem);
    throw error;
  }
}
