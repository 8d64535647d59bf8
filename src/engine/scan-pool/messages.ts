import type { Origin } from "#core/scan/detector";
import type { PackedScan } from "#core/scan/packed-scan";
import type { PolicyRecipe } from "#core/scan/policy";

/* What the serving thread and the scanning threads say to each other. Texts and findings; nothing of it is logged. */

export type ScanText = { readonly text: string; readonly origin: Origin };

export type ScanOrder = {
  readonly job: number;
  readonly policy: number;
  /** How the policy is made, the first time this thread is asked to use it. */
  readonly recipe: PolicyRecipe | null;
  /** Policies that are not used any more. */
  readonly forget: readonly number[];
  readonly texts: readonly ScanText[];
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
