import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { unwritten } from "#platform/executable-pages";
import { Hub } from "#test/support/hub";

/** In kB, by proc(5). */
const fileKb = (pid: number): number =>
  Number(/^RssFile:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);

test.skipIf(process.platform !== "linux")(
  "executable pages: a hub gives back those of its start, and answers as before",
  async () => {
    await using hub = await Hub.started({ processes: "hub" });
    const atStart = fileKb(hub.pid);
    const deadline = Date.now() + 60_000;
    while (fileKb(hub.pid) > atStart - 5_000 && Date.now() < deadline) await Bun.sleep(50);
    expect(fileKb(hub.pid)).toBeLessThan(atStart - 5_000);
    expect((await hub.fetch("/readyz")).status).toBe(200);
    expect((await hub.fetch("/openapi.json")).status).toBe(200);
  },
);

test("executable pages: what can be written, was written, or is another file's stays", () => {
  const mapping = (place: string, path: string, anonymous: number) =>
    `${place} 00:1f 12345   ${path}\nSize: 8 kB\nRss: 8 kB\nAnonymous:        ${anonymous} kB\nVmFlags: rd ex mr mw me\n`;
  const smaps = [
    mapping("00200000-00202000 r--p 00000000", "/opt/guardhouse", 0),
    mapping("00300000-00304000 r-xp 00002000", "/opt/guardhouse", 0),
    mapping("00400000-00402000 r--p 00006000", "/opt/guardhouse", 4),
    mapping("00500000-00502000 rw-p 00008000", "/opt/guardhouse", 0),
    mapping("7f0000000000-7f0000002000 r-xp 00000000", "/lib/libc.so.6", 0),
    mapping("7f0000004000-7f0000006000 r--p 00000000", "", 0),
  ].join("");
  expect(unwritten(smaps, "/opt/guardhouse")).toEqual([
    { begin: 0x200000, bytes: 0x2000 },
    { begin: 0x300000, bytes: 0x4000 },
  ]);
  expect(unwritten("", "/opt/guardhouse")).toEqual([]);
});
