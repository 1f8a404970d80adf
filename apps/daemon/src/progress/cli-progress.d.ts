/** The part of cli-progress that is used here; the package brings no types. */
declare module 'cli-progress' {
  export interface BarOptions {
    readonly format: string;
    readonly stream: NodeJS.WritableStream;
    readonly hideCursor: boolean;
    /** Redraws a second at most. */
    readonly fps: number;
  }
  export class SingleBar {
    constructor(options: BarOptions, preset: object);
    start(total: number, value: number, payload: Readonly<Record<string, string>>): void;
    setTotal(total: number): void;
    update(value: number, payload: Readonly<Record<string, string>>): void;
    stop(): void;
  }
  export const Presets: { readonly shades_classic: object };
}
