import { expect, test } from "bun:test";
import { join } from "node:path";
import { Type } from "#core/schema";
import type { ConfigStore } from "#store/repositories/all";
import { StoredShape } from "#store/stored";
import { JOB, withPolicy } from "#test/store/looped";
import { verifies } from "#test/support/verifies";

const CHILD = join(import.meta.dir, "children", "exact.ts");
const N = Type.Number();
const GOT = new StoredShape(
  Type.Object({
    ...{ concurrent: N, daily: N, tokens: N, talk: N, spent: N, once: N, claims: N, reports: N, silent: N, lag: N },
    jobs: Type.Array(Type.String()),
    lives: Type.Boolean(),
  }),
);

/** Lends a new database: where a process finds it, and a store of it that serves nothing. */
export type LendTarget = (use: (target: string, store: ConfigStore) => Promise<void>) => Promise<void>;

const begin = (target: string, id: string, skewMs: number) => {
  const child = Bun.spawn([process.execPath, CHILD, target, id, String(skewMs)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const line = async (): Promise<string> => {
    while (!text.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the process ended; it said ${text}`);
      text += value;
    }
    const end = text.indexOf("\n");
    const found = text.slice(0, end);
    text = text.slice(end + 1);
    return found;
  };
  return { child, line };
};

/** `skews`: by how much the clock of each process is ahead, in milliseconds. */
export const exactContract = (name: string, skews: readonly number[], lend: LendTarget): void => {
  test(
    `${name}: three processes at once get exactly what there is`,
    () =>
      lend(async (target, store) => {
        verifies(
          "limits.shared",
          "money.budgets-exact",
          "node.shared-counts",
          "node.clocks",
          "reports.limit",
          "loop.job-lease",
          "loop.idempotency",
        );
        await withPolicy(store);
        for (let n = 0; n < 40; n++) await store.jobs.add({ ...JOB, id: `job-${n}` });
        const day = new Date().getUTCDate();
        const processes = skews.map((skewMs, id) => begin(target, `${id}`, skewMs));
        for (const { line } of processes) expect(await line()).toBe("ready");
        for (const { child } of processes) {
          child.stdin.write("go\n");
          await child.stdin.flush();
        }
        const got = await Promise.all(
          processes.map(async ({ line }) => GOT.read(JSON.parse(await line()), "a process")),
        );
        for (const { child } of processes) {
          child.stdin.write("end\n");
          await child.stdin.end();
        }
        expect(await Promise.all(processes.map(({ child }) => child.exited))).toEqual([0, 0, 0]);
        const sum = (
          of: "concurrent" | "daily" | "tokens" | "talk" | "spent" | "once" | "claims" | "reports" | "silent",
        ) => got.reduce((all, one) => all + one[of], 0);
        expect([sum("concurrent"), sum("talk")]).toEqual([40, 30]);
        // 49 calls cost 490: the 50th might cost 20, and nobody let it in.
        expect(sum("spent")).toBe(49);
        // At midnight a budget begins anew.
        if (new Date().getUTCDate() === day) expect([sum("daily"), sum("tokens")]).toEqual([50, 70]);
        expect([sum("once"), sum("claims"), sum("reports")]).toEqual([40, 40, 5]);
        const jobs = got.flatMap((one) => one.jobs);
        expect([jobs.length, new Set(jobs).size]).toEqual([45, 45]);
        expect(await store.usage.read("agent", 0, 1)).toMatchObject([{ counts: { calls: 90 } }]);
        // Nobody holds another for dead because of its clock.
        expect(sum("silent")).toBe(0);
        expect(got.every(({ lives }) => lives)).toBe(true);
        // Each knows by how much its clock is wrong: milliseconds, seconds on a busy machine.
        for (const { lag } of got) expect(lag).toBeLessThan(10_000);
      }),
    180_000,
  );
};
