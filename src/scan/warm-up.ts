import { goldenSamples } from "./golden";
import { labelsBy } from "./label";
import type { CompiledPolicy } from "./policy";
import { redactText, scanText } from "./scan";
import { StreamScanner } from "./stream-scanner";

/** Units of a piece of a stream: about a token's. */
const PIECE = 4;
/** Nobody reads them. */
const LABELS = labelsBy(() => new Uint8Array(0));

/**
 * Makes the tables of a policy and puts the golden samples through everything a call goes through in the scanner, so
 * that the first call finds nothing left to be made. Yields after each sample: the caller may do other work between.
 */
export function* warmUp(policy: CompiledPolicy): Generator<undefined, void> {
  const samples = goldenSamples();
  for (const { text, origin } of samples) {
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
