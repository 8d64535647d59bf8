import type { Origin } from "#scan/detector";
import type { PackedScan } from "#scan/packed-scan";
import type { PolicyRecipe } from "#scan/policy";

/* What the serving thread and the scanning threads say to each other. Texts and findings; nothing of it is logged. */

export type ScanText = { readonly text: string; readonly origin: Origin };

/** A part of a long text, ahead of the order that it belongs to: handed over whole, it would keep the serving thread. */
export type ScanPiece = { readonly piece: string };

/** A text; of one that went ahead in pieces, how many those were. */
export type OrderedText = ScanText | { readonly pieces: number; readonly origin: Origin };

export type ScanOrder = {
  readonly job: number;
  readonly policy: number;
  /** How the policy is made, the first time this thread is asked to use it. */
  readonly recipe: PolicyRecipe | null;
  /** Policies that are not used any more. */
  readonly forget: readonly number[];
  readonly texts: readonly OrderedText[];
};

/** A scan that failed: the name of its error. Messages of errors can quote what they are about. */
export type FailedScan = { readonly failed: string };

export type ScanAnswer = {
  readonly job: number;
  /** Null for a text in which nothing was found, as in most. */
  readonly results: readonly (PackedScan | FailedScan | null)[];
  /** How long each scan took, in milliseconds. */
  readonly ms: readonly number[];
};
