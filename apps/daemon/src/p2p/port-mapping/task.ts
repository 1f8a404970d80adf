/** What a thread of the port mapping is asked to do. */
export type MappingTask =
  | {
      readonly kind: 'map';
      /** A gateway that has done it before, which is asked alone; undefined searches for one. */
      readonly gateway: Gateway | undefined;
      /** The address that peers are listened for at; `0.0.0.0` or `::` for all. */
      readonly bindHost: string;
      readonly ports: MappedPorts;
    }
  | { readonly kind: 'unmap'; readonly gateway: Gateway; readonly ports: MappedPorts };

export interface MappedPorts {
  /** The port that peers call. */
  readonly outside: number;
  /** The port that listens. */
  readonly inside: number;
}

/** A router that may forward ports. */
export interface Gateway {
  /** Its description: `http://<its address>...`. */
  readonly location: string;
  /** Our address in its network. */
  readonly client: string;
}

/**
 * How it went. `none`: nobody answered. `unfit`: who answered forwards no ports, or not from the internet, as `why` tells.
 * `refused`: the gateway's own words, or what went wrong with it. `removed` tells whether there was anything of ours.
 */
export type MappingOutcome =
  | { readonly kind: 'mapped'; readonly gateway: Gateway; readonly externalHost: string; readonly seconds: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unfit'; readonly why: string }
  | { readonly kind: 'refused'; readonly gateway: Gateway; readonly why: string }
  | { readonly kind: 'removed'; readonly wasOurs: boolean };

/** What a thread says, in this order: whom it is about to ask for a mapping, and how it went. */
export type FromMappingThread =
  { readonly kind: 'asking'; readonly gateway: Gateway } | { readonly kind: 'done'; readonly outcome: MappingOutcome };
