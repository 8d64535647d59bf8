import { goldenSamples } from "./golden";
import type { CompiledPolicy } from "./policy";
import { Labels, redactText, scanText } from "./scan";
import { StreamScanner } from "./stream-scanner";

/** The first pass makes tables and compiles rules; the others show the runtime which code is worth optimising. */
const PASSES = 4;
/** Units of a piece of a stream: about a token's. */
const PIECE = 4;

/**
 * Makes the tables of a policy and puts the golden samples through everything a call goes through in the scanner, so
 * that the first call finds nothing left to be made. Yields after each sample: the caller may do other work between.
 */
export function* warmUp(policy: CompiledPolicy): Generator<undefined, void> {
  const samples = goldenSamples();
  for (let pass = 0; pass < PASSES; pass++) {
    for (const { text, origin } of samples) {
      const { findings } = scanText(policy, text, origin);
      redactText(text, findings, new Labels());
      if (origin === "output") stream(policy, text);
      yield;
    }
  }
}

function stream(policy: CompiledPolicy, text: string): void {
  const scanner = new StreamScanner(policy, "output", new Labels());
  for (let at = 0; at < text.length; at += PIECE) {
    scanner.push(text.slice(at, at + PIECE));
    scanner.take(scanner.clearedTo);
  }
  scanner.end();
  scanner.take(scanner.clearedTo);
}
