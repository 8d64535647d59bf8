import { type Golden, goldenSamples } from "./golden";
import { labelsBy } from "./label";
import type { CompiledPolicy } from "./policy";
import { redactText, scanText } from "./scan";
import { StreamScanner } from "./stream-scanner";

/** Units of a piece of a stream: about a token's. */
const PIECE = 4;
/** Nobody reads them. */
const LABELS = labelsBy(() => new Uint8Array(0));

/** Harmless texts without numbers, which would make tables of their own. */
const isPlain = ({ is, text }: Golden): boolean => is === "harmless" && !/\d/.test(text);

/**
 * Makes the tables of a policy and puts plain golden samples through everything a call goes through in the scanner, so
 * that the first call of an ordinary text finds nothing left to be made. Yields after each sample: the caller may do
 * other work between.
 */
export const warmUp = (policy: CompiledPolicy): Generator<undefined, void> => through(policy, isPlain);

/** The same with the other samples: what single detectors make for the first text that looks like theirs. */
export const warmUpDetectors = (policy: CompiledPolicy): Generator<undefined, void> =>
  through(policy, (sample) => !isPlain(sample));

function* through(policy: CompiledPolicy, isMeant: (sample: Golden) => boolean): Generator<undefined, void> {
  for (const { text, origin } of goldenSamples().filter(isMeant)) {
    const { findings } = scanText(policy, text, origin);
    redactText(text, findings, LABELS);
    if (origin === "output") stream(policy, text);
    yield;
  }
}

function stream(policy: CompiledPolicy, text: string): void {
  const scanner = new StreamScanner(policy, "output", LABELS);
  for (let at = 0; at < text.length; at += PIECE) {
    scanner.push(text.slice(at, at + PIECE));
    scanner.release(scanner.clearedTo);
  }
  scanner.end();
  scanner.release(scanner.clearedTo);
}
