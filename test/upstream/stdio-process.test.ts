import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { isRecord } from "#core/json/json";
import { verifies } from "#test/support/verifies";
import { aCall, child, failureOf, result, runs, StdioServers, structured, until } from "#test/upstream/stdio-servers";
import { Backoff } from "#upstream/mcp/stdio";
import { LineSplitter } from "#upstream/mcp/stdio-lines";
import { sweepOrphans } from "#upstream/mcp/stdio-orphans";

const SCRIPTED = child("scripted");
const never = new AbortController().signal;

// Real processes on a busy machine.
setDefaultTimeout(120_000);

const pidsOf = (value: unknown) => (isRecord(value) ? { pid: value["pid"], grandchild: value["grandchild"] } : {});

describe("an end", () => {
  test("a server and what it started end together", async () => {
    verifies("tools.stdio-group");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    const { pid, grandchild } = pidsOf(await structured(upstream, "grandchild"));
    expect([runs(pid), runs(grandchild)]).toEqual([true, true]);
    const waiting = failureOf(upstream.call(aCall("waits")));
    await result(upstream, "echo");
    await upstream.close();
    expect([runs(pid), runs(grandchild)]).toEqual([false, false]);
    expect(await waiting).toMatchObject({ reason: "unreachable", mayHaveRun: true });
    expect(servers.notes).toEqual([]);
    expect(await failureOf(upstream.list(never))).toMatchObject({ reason: "unreachable", mayHaveRun: false });
  });

  test("stdio server: child processes are ended when the server dies", async () => {
    verifies("tools.stdio-group");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    const { grandchild } = pidsOf(await structured(upstream, "grandchild"));
    await failureOf(upstream.call(aCall("dies")));
    await until(() => !runs(grandchild));
  });

  test("stdio server: a process that ignores SIGTERM is killed", async () => {
    verifies("tools.stdio-group");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED, "stubborn"]);
    const { pid } = pidsOf(await structured(upstream, "pid"));
    const before = performance.now();
    await upstream.close();
    expect(performance.now() - before).toBeWithin(3_900, 30_000);
    expect(runs(pid)).toBe(false);
  });

  test("closing while it starts leaves no process", async () => {
    verifies("tools.stdio-group");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED, "mute"]);
    const starting = failureOf(upstream.list(never));
    await until(() => existsSync(servers.pidDirectory) && servers.notes.length === 1);
    const [pid] = servers.notes;
    await upstream.close();
    expect(await starting).toMatchObject({ reason: "unreachable", mayHaveRun: false });
    await until(() => !runs(pid) && servers.notes.length === 0);
  });
});

describe("starting again", () => {
  test("a server that died is left alone for a while, longer each time, then started again", async () => {
    verifies("tools.stdio-restart");
    await using servers = new StdioServers();
    const upstream = servers.start([SCRIPTED]);
    for (const waitMs of [500, 1_000, 2_000]) {
      const [other, failure] = await Promise.all([
        failureOf(upstream.call(aCall("waits"))),
        failureOf(upstream.call(aCall("dies"))),
      ]);
      expect(failure).toMatchObject({ reason: "unreachable", mayHaveRun: true });
      expect(failure.message).toContain("ended with code 3");
      expect(other.mayHaveRun).toBe(true);
      const refused = await failureOf(upstream.call(aCall("echo")));
      expect(refused).toMatchObject({ reason: "unreachable", mayHaveRun: false });
      expect(refused.message).toContain(`again in ${waitMs} ms`);
      servers.now += waitMs;
      await result(upstream, "echo");
    }
    // A minute of health wipes the slate.
    servers.now += 60_000;
    await failureOf(upstream.call(aCall("dies")));
    expect((await failureOf(upstream.call(aCall("echo")))).message).toContain("again in 500 ms");
  });

  test("a program that is not there is not looked for all the time", async () => {
    verifies("tools.stdio-restart");
    await using servers = new StdioServers();
    const upstream = servers.start([], { command: ["no-such-program"] });
    await failureOf(upstream.list(never));
    expect((await failureOf(upstream.list(never))).message).toMatch(/not found.* again in 500 ms/);
  });

  test("the wait doubles up to half a minute, however often it fails", () => {
    verifies("tools.stdio-restart");
    const failures = fc.array(fc.integer({ min: 0, max: 59_999 }), { minLength: 1, maxLength: 2_000 });
    fc.assert(
      fc.property(failures, (healthy) => {
        const backoff = new Backoff(() => 5);
        expect(backoff.waitMs()).toBe(0);
        healthy.forEach((ms, n) => {
          backoff.failed(ms);
          expect(backoff.waitMs()).toBe(n < 6 ? 500 * 2 ** n : 30_000);
        });
      }),
      { numRuns: 20 },
    );
  });
});

describe("notes of processes", () => {
  test("are for their owner alone, and name no argument", async () => {
    verifies("tools.stdio-orphans");
    await using servers = new StdioServers();
    mkdirSync(servers.pidDirectory, { mode: 0o755 });
    await result(servers.start([SCRIPTED, "--token=abc"]), "echo");
    const [name = ""] = servers.notes;
    const file = join(servers.pidDirectory, name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(servers.pidDirectory).mode & 0o777).toBe(0o700);
    const text = readFileSync(file, "utf8");
    expect(JSON.parse(text)).toMatchObject({ pgid: Number(name), serverId: "s1", start: expect.any(String) });
    expect(text).not.toContain("abc");
  });

  test("a hub that was killed leaves processes, and the next one ends them", async () => {
    verifies("tools.stdio-orphans");
    await using servers = new StdioServers();
    const hub = Bun.spawn(
      [process.execPath, child("parent"), servers.pidDirectory, process.execPath, SCRIPTED, "stubborn"],
      { stdout: "pipe", stderr: "inherit" },
    );
    const { value } = await hub.stdout.getReader().read();
    const { pid, grandchild } = pidsOf(JSON.parse(new TextDecoder().decode(value)));
    hub.kill("SIGKILL");
    await hub.exited;
    expect([runs(pid), runs(grandchild)]).toEqual([true, true]);
    expect(sweepOrphans(servers.pidDirectory, servers.log)).toBe(1);
    await until(() => !runs(pid) && !runs(grandchild));
    expect(readdirSync(servers.pidDirectory)).toEqual([]);
    expect(servers.logged.join("")).toContain("stdio.orphan_killed");
  });

  test("a process that has another's number now is let live; so is everybody a forged note means", async () => {
    verifies("tools.stdio-orphans");
    await using servers = new StdioServers();
    const bystander = Bun.spawn(["sleep", "100"], { detached: true });
    mkdirSync(servers.pidDirectory);
    const leave = (name: string | number, note: unknown) =>
      writeFileSync(join(servers.pidDirectory, String(name)), typeof note === "string" ? note : JSON.stringify(note));
    const note = { pgid: bystander.pid, start: "another boot 1", program: "sleep", serverId: "s1" };
    const forged = [note, { ...note, start: null }, { ...note, start: undefined }, "{", "[]", ""];
    for (const content of forged) {
      leave(bystander.pid, content);
      leave(1, { ...note, pgid: 1 });
      leave(0, { ...note, pgid: 0 });
      leave(-1, { ...note, pgid: -1 });
      leave("x", note);
      expect(sweepOrphans(servers.pidDirectory, servers.log)).toBe(0);
      expect(readdirSync(servers.pidDirectory)).toEqual([]);
    }
    expect(runs(bystander.pid)).toBe(true);
    bystander.kill("SIGKILL");
    expect(sweepOrphans(join(servers.path, "never-made"), servers.log)).toBe(0);
  });
});

describe("lines", () => {
  const cut = (bytes: Uint8Array, sizes: readonly number[], longest: number) => {
    const splitter = new LineSplitter(longest);
    const lines: string[] = [];
    for (let at = 0, n = 0; at < bytes.length; n += 1) {
      const size = sizes[n % sizes.length] ?? 1;
      lines.push(...splitter.push(bytes.slice(at, at + size)));
      at += size;
    }
    return lines;
  };
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 });
  const line = fc.string({ unit: "binary", maxLength: 60 }).map((text) => text.replaceAll("\n", " ").toWellFormed());

  test("any chunking gives the same lines", () => {
    verifies("tools.stdio-lines");
    fc.assert(
      fc.property(fc.array(line), sizes, (lines, chunks) => {
        const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(""));
        expect(cut(bytes, chunks, 1_000)).toEqual(lines.map((text) => text.replace(/^\uFEFF/, "")));
      }),
    );
  });

  test("a line is too long at the same byte, however it comes", () => {
    verifies("tools.stdio-lines");
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70_000 }), fc.integer({ min: 1, max: 9_000 }), (length, size) => {
        const text = new TextEncoder().encode(`a\n${"x".repeat(length)}\nb\n`);
        expect(cut(text, [size], length)).toEqual(["a", "x".repeat(length), "b"]);
        if (length > 1) expect(() => cut(text, [size], length - 1)).toThrow(RangeError);
        expect(() => cut(text.slice(0, -3), [size], length - 1)).toThrow(RangeError);
      }),
      { numRuns: 60 },
    );
  });
});
