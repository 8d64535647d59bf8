import type { Random } from "./random";

/** Values of one flag type as people write them, and words they stand in; `@` is the value's place. */
export type Maker = { readonly type: string; make(random: Random): string; readonly frames: readonly string[] };
