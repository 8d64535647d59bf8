/*
 * Records which functions a start of the executable uses, for `bun run build` to lay side by side in it:
 *
 *     bun run build && bun .ci/record-start.ts && bun run build
 *
 * To be run again when starts have changed much. Functions are told by hashes of what they are, so an old record leaves
 * out what is new, and does no harm.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Read by `.ci/build.ts`. */
const ORDER = join(import.meta.dir, "start.order");
const URL_AT_START = "http://127.0.0.1:8799";
const LIMIT_MS = 60_000;
const BETWEEN_MS = 100;
/** The version, modules and functions. Lines of strings are left out: fourteen times as many bytes, and no faster start. */
const KEPT = /^(?:v|[FMN] )/;

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false, // not listening yet
  );

const directory = mkdtempSync(join(tmpdir(), "guardhouse-start-"));
try {
  const record = join(directory, "order");
  const line = ["serve", "--data-dir", join(directory, "data"), "--listen", new URL(URL_AT_START).host];
  const hub = Bun.spawn([join(import.meta.dir, "../dist/guardhouse"), ...line], {
    env: { ...process.env, BUN_BYTECODE_ORDER_OUT: record },
    stdout: "ignore",
    stderr: "ignore",
  });
  const end = performance.now() + LIMIT_MS;
  while (!(await isReady(URL_AT_START))) {
    if (hub.exitCode !== null || performance.now() > end) throw new Error("the hub is not ready");
    await Bun.sleep(BETWEEN_MS);
  }
  hub.kill();
  await hub.exited;
  const lines = (await Bun.file(record).text()).split("\n").filter((one) => KEPT.test(one));
  await Bun.write(ORDER, `${lines.join("\n")}\n`);
  console.error(`.ci/start.order: ${lines.length} lines`);
} finally {
  rmSync(directory, { recursive: true });
}
