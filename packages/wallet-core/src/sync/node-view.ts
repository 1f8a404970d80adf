import type { NodeInfo } from '@wrkz/client';

/** Features that a node may offer for `/getwalletsyncdata`. */
type SyncFeature = 'skipEmptyBlocks' | 'base64' | 'heightRange';

/** What is known of the serving node. Its figures stay when it falls silent. */
export class NodeView {
  #info: NodeInfo | undefined;

  get info(): NodeInfo | undefined {
    return this.#info;
  }

  set(info: NodeInfo): void {
    this.#info = info;
  }

  /** Another node serves from now on. */
  forget(): void {
    this.#info = undefined;
  }

  offers(feature: SyncFeature): boolean {
    return this.#info?.syncFeatures.includes(feature) === true;
  }

  /** A node of July 2025, which names no features, or a cache of that kind. */
  get isOld(): boolean {
    return this.#info?.syncFeatures.length === 0;
  }

  /** The node just served this height; `/info` may be older. */
  noteHeight(height: number): void {
    if (this.#info === undefined || height <= this.#info.localHeight) return;
    this.#info = {
      ...this.#info,
      localHeight: height,
      networkHeight: Math.max(height, this.#info.networkHeight),
    };
  }
}
