import { EXIT } from "./exit";
import type { RunVerb } from "./verb";

/** As in package.json, which a binary does not carry; a test keeps them equal. */
export const VERSION = "0.1.0";

/** Put in by the build (`--define GUARDHOUSE_COMMIT='"…"'`); not there when run from source. */
declare const GUARDHOUSE_COMMIT: string | undefined;

export const COMMIT: string | null = typeof GUARDHOUSE_COMMIT === "string" ? GUARDHOUSE_COMMIT : null;

export const version: RunVerb = async ({ out }) => {
  const value = { version: VERSION, bun: Bun.version, ...(COMMIT !== null && { commit: COMMIT }) };
  await out.result(value, `guardhouse ${VERSION} (bun ${Bun.version}${COMMIT === null ? "" : `, commit ${COMMIT}`})`);
  return EXIT.ok;
};
