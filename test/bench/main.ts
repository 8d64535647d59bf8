/** `bun run bench NAME [flags]`: picks the bench. Each is a file of its own. */
import { readOptions, USAGE } from "./options.ts";
import { benchProxy } from "./proxy.ts";

const BENCHES: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  proxy: (args) => benchProxy(readOptions(args)),
};

const [name = "", ...args] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  console.error(`usage: ${USAGE}\nbenches: ${Object.keys(BENCHES).join(", ")}`);
  process.exit(2);
}
await bench(args);
