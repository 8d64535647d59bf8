import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FAULTS } from "#test/store/postgres/driver-faults";
import { onPostgres, sharedCluster } from "#test/support/postgres";
import { verifies } from "#test/support/verifies";

const PROGRAM = join(import.meta.dir, "driver-faults.ts");

onPostgres("the driver of PostgreSQL", () => {
  const cluster = sharedCluster();

  for (const [name, fault] of Object.entries(FAULTS)) {
    test(name, async () => {
      verifies("postgres.driver");
      const it = await cluster();
      const restart = async (how: "fast" | "immediate"): Promise<void> => {
        await it.end(how);
        await it.begin();
      };
      await fault({ url: it.url(), port: it.port, urlAt: (port) => it.url("postgres", port), restart });
    });
  }

  test("all of it holds in an executable too", async () => {
    const it = await cluster();
    const folder = mkdtempSync(join(tmpdir(), "guardhouse-driver-"));
    try {
      const program = join(folder, "driver-faults");
      await Bun.build({ entrypoints: [PROGRAM], compile: { outfile: program }, bytecode: true, format: "esm" });
      const running = Bun.spawn([program, it.url(), String(it.port)], { stdio: ["pipe", "pipe", "inherit"] });
      const done: string[] = [];
      for await (const line of linesOf(running.stdout)) {
        const [word = "", how = ""] = line.split(" ");
        if (word === "ok") done.push(line.slice(3));
        if (word !== "restart") continue;
        await it.end(how === "fast" ? "fast" : "immediate");
        await it.begin();
        running.stdin.write("done\n");
        running.stdin.flush();
      }
      expect(done).toEqual(Object.keys(FAULTS));
      expect(await running.exited).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
