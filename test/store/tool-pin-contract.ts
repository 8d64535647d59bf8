import { expect } from "bun:test";
import type { SeenTool } from "#store/port";
import { failure, type It } from "#test/store/contract";
import { someRecord } from "#test/store/records";
import { approved, someTool, traces, unapproved, withServers } from "#test/store/tool-servers";
import { verifies } from "#test/support/verifies";

export const seeing = (it: It): void => {
  it("takes a list in by name, and approves only what is new, so meant and not refused", async (store) => {
    await withServers(store);
    const list = [
      someTool("write", { flags: ["injection.override", "pii.email"] }),
      someTool("read"),
      someTool("delete", { pinIfNew: false, name: "files__0" }),
      someTool("hidden", { refused: true }),
    ];
    const [write, read, remove, hidden] = list;
    expect(await store.tools.see("s1", list, someRecord())).toBe(true);
    expect(write && read && remove && hidden).toBeDefined();
    if (!write || !read || !remove || !hidden) return;
    const expected = [unapproved(remove), unapproved(hidden), approved(read), approved(write)];
    expect(await store.tools.pins("s1")).toEqual(expected);
    expect(await store.tools.pins("s2")).toEqual([]);
  });

  it("writes nothing for a list it knows, whenever and in whatever order it is seen", async (store) => {
    await withServers(store);
    const list = [someTool("read", { flags: ["a", "b"] }), someTool("write", { pinIfNew: false })];
    await store.tools.see("s1", list, someRecord());
    const [before, pins] = [await traces(store), await store.tools.pins("s1")];
    const again = list.map((it) => ({ ...it, seen_at: 999, name: "another", pinIfNew: true })).reverse();
    expect(await store.tools.see("s1", again, someRecord())).toBe(false);
    expect(await store.tools.pins("s1")).toEqual(pins);
    expect(await store.tools.see("s2", [], someRecord())).toBe(false);
    expect(await traces(store)).toEqual(before);
  });

  const differences: Partial<SeenTool>[] = [
    { seen: "{}" },
    { seen_hash: "other" },
    { flags: ["x"] },
    { flags: ["a"] },
    { flags: ["b", "a"] },
    { flags: ["a\nb"] },
    { refused: true },
  ];
  for (const difference of differences) {
    it(`keeps what was approved, and the name, when a tool comes with ${JSON.stringify(difference)}`, async (store) => {
      await withServers(store);
      const [read, write] = [someTool("read", { flags: ["a", "b"] }), someTool("write")];
      await store.tools.see("s1", [read, write], someRecord());
      const next = { ...read, ...difference };
      const list = [
        { ...next, name: "another", seen_at: 200 },
        { ...write, seen_at: 200 },
      ];
      expect(await store.tools.see("s1", list, someRecord())).toBe(true);
      const { seen: pinned, seen_hash: pinned_hash } = read;
      expect(await store.tools.pins("s1")).toEqual([
        { ...approved(next), pinned, pinned_hash, seen_at: 200 },
        approved(write),
      ]);
    });
  }

  it("keeps the row of a tool that vanishes, and what was approved of it when it comes back", async (store) => {
    await withServers(store);
    const [read, write] = [someTool("read"), someTool("write", { pinIfNew: false })];
    await store.tools.see("s1", [read, write], someRecord());
    expect(await store.tools.see("s1", [], someRecord())).toBe(true);
    const gone = [
      { ...approved(read), present: false },
      { ...unapproved(write), present: false },
    ];
    expect(await store.tools.pins("s1")).toEqual(gone);
    expect(await store.tools.see("s1", [], someRecord())).toBe(false);
    const back = [
      { ...read, seen_at: 300 },
      { ...write, seen_at: 300, pinIfNew: true },
    ];
    expect(await store.tools.see("s1", back, someRecord())).toBe(true);
    expect(await store.tools.pins("s1")).toEqual([
      { ...approved(read), seen_at: 300 },
      { ...unapproved(write), seen_at: 300 },
    ]);
  });

  it("takes no list in by halves, nor one of a server that is gone", async (store) => {
    await withServers(store);
    await store.tools.see("s1", [someTool("read")], someRecord());
    const before = await traces(store);
    const clash = [someTool("new"), someTool("newer", { name: "files__read" })];
    expect(await failure(store.tools.see("s1", clash, someRecord()))).toBeInstanceOf(Error);
    const twice = [someTool("read", { seen: "1" }), someTool("read", { seen: "2" })];
    expect(await failure(store.tools.see("s1", twice, someRecord()))).toBeInstanceOf(Error);
    expect(await store.tools.pins("s1")).toEqual([approved(someTool("read"))]);
    expect(await store.tools.see("none", [someTool("read")], someRecord())).toBe(false);
    expect(await traces(store)).toEqual(before);
  });
};

export const approving = (it: It): void => {
  it("approves what was read, not what has been shown since", async (store) => {
    verifies("tools.approve-as-read");
    await withServers(store);
    const [read, write, bad] = [
      someTool("read", { pinIfNew: false }),
      someTool("write", { pinIfNew: false, flags: ["x"] }),
      someTool("bad", { refused: true }),
    ];
    await store.tools.see("s1", [read, write, bad], someRecord());
    const before = await traces(store);
    const asRead = [read, write, bad].map(({ tool, seen_hash }) => ({ tool, hash: seen_hash }));
    const wrong = [
      { tool: "bad", hash: bad.seen_hash },
      { tool: "read", hash: "stale" },
      { tool: "none", hash: "x" },
    ];
    expect(await store.tools.pin("s1", wrong, someRecord())).toEqual([]);
    expect(await store.tools.pin("s1", [], someRecord())).toEqual([]);
    expect(await store.tools.pin("s2", asRead, someRecord())).toEqual([]);
    expect(await store.tools.pins("s1")).toEqual([bad, read, write].map(unapproved));
    expect(await traces(store)).toEqual(before);

    const next = { ...write, seen: "{}", seen_hash: "next" };
    await store.tools.see("s1", [read, next, bad], someRecord());
    expect(await store.tools.pin("s1", [...asRead, ...asRead], someRecord())).toEqual(["files__read"]);
    expect(await store.tools.pins("s1")).toEqual([unapproved(bad), approved(read), unapproved(next)]);
    expect(await store.tools.pin("s1", [{ tool: "write", hash: "next" }], someRecord())).toEqual(["files__write"]);
    expect(await store.tools.pins("s1")).toEqual([unapproved(bad), approved(read), approved(next)]);
    expect(await traces(store)).toEqual([before[0] + 3, before[1] + 3]);
  });

  it("lets a changed tool be approved, present or not", async (store) => {
    await withServers(store);
    await store.tools.see("s1", [someTool("read")], someRecord());
    const next = someTool("read", { seen: '{"name":"read","description":"new"}', seen_hash: "next" });
    await store.tools.see("s1", [next], someRecord());
    await store.tools.see("s1", [], someRecord());
    expect(await store.tools.pin("s1", [{ tool: "read", hash: "next" }], someRecord())).toEqual(["files__read"]);
    expect(await store.tools.pins("s1")).toEqual([{ ...approved(next), present: false }]);
  });
};
