/** `bun run bench NAME [flags]`: picks the bench. Each is a file of its own. */
import { readOptions, USAGE } from "./options.ts";
import { benchProxy } from "./proxy.ts";

type Bench = { readonly usage: string; run(args: readonly string[]): () => Promise<void> };

/** `run` reads the flags and gives what is to be done: what it throws is a mistake in the flags. */
const BENCHES: Readonly<Record<string, Bench>> = {
  proxy: {
    usage: USAGE,
    run(args) {
      const options = readOptions(args);
      return () => benchProxy(options);
    },
  },
};

const [name = "", ...args] = process.argv.slice(2);
await prepared()?.();

function prepared(): (() => Promise<void>) | undefined {
  const bench = BENCHES[name];
  try {
    if (bench !== undefined) return bench.run(args);
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
