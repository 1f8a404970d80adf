import type { Params } from './params';
import type { RpcContext } from './ports';

/** The permission modes by the interface document's names; `--daemon-mode standard` grants the first two. */
export type PermissionMode = 'Default' | 'MiningEnabled' | 'BlockExplorerEnabled' | 'AllMethodsEnabled';

/** What a handler returns: an object to print, or JSON that is finished already. */
export type Answer = Record<string, unknown> | { readonly finished: string };

/** One HTTP route; the file is named after its path. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly mode: PermissionMode;
  /** Refused with 503 until the node is synchronized. */
  readonly needsSync?: boolean;
  handle(context: RpcContext, params: Params): Answer | Promise<Answer>;
}

/** One JSON-RPC method; the file is named after it. `params` is the raw member, read by the method itself. */
export interface Method {
  readonly name: string;
  readonly mode: PermissionMode;
  /** Present on networks that have the method; absent means all. */
  availableOn?(context: RpcContext): boolean;
  handle(context: RpcContext, request: Params): Answer | Promise<Answer>;
}

export function grants(mode: PermissionMode, explorer: boolean): boolean {
  return explorer || mode === 'Default' || mode === 'MiningEnabled';
}
