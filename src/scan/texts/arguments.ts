import type { Origin } from "#scan/detector";
import { type Texts, Walk } from "#scan/texts/text-walk";

/** The texts inside a tool call's `arguments`, which hold JSON as a string. */
export const textsOfArguments = (
  holder: { arguments: string },
  param: string,
  origin: Origin,
  maxDepth: number,
): Texts => {
  const walk = walkOfArguments(holder, param, origin, maxDepth);
  walk.run();
  return walk;
};

/** As `textsOfArguments`, still to be run: in one piece, or with `walkSliced`. */
export const walkOfArguments = (
  holder: { arguments: string },
  param: string,
  origin: Origin,
  maxDepth: number,
): Walk => {
  const walk = new Walk(maxDepth);
  walk.begin(1, () => walk.json(holder, "arguments", param, origin, 0));
  return walk;
};
