/** `bun run bench NAME [flags]`: picks the bench. */
import { BENCHES } from "./benches.ts";

const [name = "", ...args] = process.argv.slice(2);
await prepared()?.();

function prepared(): (() => Promise<void>) | undefined {
  const found = BENCHES[name];
  try {
    if (found !== undefined) return found.run(args);
    console.error(`no bench "${name}"`);
  } catch (fault) {
    console.error(fault instanceof Error ? fault.message : fault);
  }
  console.error(
    Object.values(BENCHES)
      .map(({ usage }) => `usage: ${usage}`)
      .join("\n"),
  );
  process.exitCode = 2;
  return undefined;
}
