import type { TokenEncoding } from "#model/token-encoding";
import type { TokenTable } from "#scan/texts/token-ids";

/** What the thread is asked for, once in its life. */
export type TableOrder = { readonly encoding: TokenEncoding };
export type TableAnswer = { readonly table: TokenTable };
