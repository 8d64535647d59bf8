import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFile, DataDirectoryLocked, isLocked, lockForServing, openDataDirectory } from "#platform/data-directory";
import { MasterKeys } from "#platform/master-keys";
import { openSecret, sealedWith, sealSecret, UnsealFailed } from "#platform/sealing";

const within = async (use: (path: string) => void | Promise<void>): Promise<void> => {
  const path = mkdtempSync(join(tmpdir(), "guardhouse-directory-"));
  try {
    await use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
};

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("directory and key are their owner's alone", () =>
  within((path) => {
    const directory = openDataDirectory(join(path, "a", "b"));
    const key = new MasterKeys(directory, null).current();
    expect(key).toHaveLength(32);
    expect(new MasterKeys(directory, null).current()).toEqual(key);
    expect([modeOf(directory.path), modeOf(directory.masterKey)]).toEqual([0o700, 0o600]);
  }));

test("a key given from outside is used and not written down", () =>
  within((path) => {
    const directory = openDataDirectory(path);
    const given = Buffer.alloc(32, 7);
    const keys = new MasterKeys(directory, `${given.toString("base64")}\n`);
    expect(Buffer.from(keys.current())).toEqual(given);
    expect(readdirSync(path)).toEqual([]);
    expect(() => new MasterKeys(directory, "c2hvcnQ=").current()).toThrow("32 bytes");
  }));

test("concurrent file creation makes one file and no leftovers", () =>
  within((path) => {
    const file = join(path, "once");
    createFile(file, "first");
    createFile(file, "second");
    expect(readFileSync(file, "utf8")).toBe("first");
    expect(readdirSync(path)).toEqual(["once"]);
  }));

test("lock: one serving process, and checking does not disturb it", () =>
  within((path) => {
    const directory = openDataDirectory(path);
    expect(isLocked(directory)).toBe(false);
    const lock = lockForServing(directory);
    expect(isLocked(directory)).toBe(true);
    expect(() => lockForServing(directory)).toThrow(DataDirectoryLocked);
    expect(isLocked(directory)).toBe(true);
    lock.release();
    expect(isLocked(directory)).toBe(false);
    lockForServing(directory).release();
  }));

test("the lock dies with its process, however that dies", () =>
  within(async (path) => {
    const directory = openDataDirectory(path);
    const script = join(import.meta.dir, "children", "lock.ts");
    await using child = Bun.spawn([process.execPath, script, path], { stdout: "pipe", stderr: "ignore" });
    const { value } = await child.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toBe("locked\n");
    expect(isLocked(directory)).toBe(true);
    expect(() => lockForServing(directory)).toThrow(DataDirectoryLocked);
    child.kill("SIGKILL");
    await child.exited;
    expect(isLocked(directory)).toBe(false);
    lockForServing(directory).release();
  }));

const KEY = Buffer.alloc(32, 1);

test("a sealed secret opens with its key and purpose only", () => {
  for (const secret of ["", "sk-123", "ünïcode 🔑", "x".repeat(10_000)]) {
    expect(openSecret(KEY, "provider.api_key:p1", sealSecret(KEY, "provider.api_key:p1", secret))).toBe(secret);
  }
  const sealed = sealSecret(KEY, "provider.api_key:p1", "sk-123");
  expect(sealed).not.toContain("sk-123");
  expect(sealSecret(KEY, "provider.api_key:p1", "sk-123")).not.toBe(sealed);
  expect(() => openSecret(KEY, "provider.api_key:p2", sealed)).toThrow(UnsealFailed);
  expect(() => openSecret(Buffer.alloc(32, 2), "provider.api_key:p1", sealed)).toThrow("another key");
  expect(sealedWith(sealed)).toMatch(/^[\w-]{11}$/);
  expect(sealedWith("sk-123")).toBeNull();
});

test("a sealed secret changed anywhere does not open", () => {
  const sealed = sealSecret(KEY, "p", "a secret of some length");
  for (let at = 0; at < sealed.length - 1; at++) {
    const changed = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
    expect(() => openSecret(KEY, "p", changed)).toThrow(UnsealFailed);
  }
  for (const other of ["", "v1", "v1.a.b.c", `${sealed}.x`, sealed.slice(0, -20)]) {
    expect(() => openSecret(KEY, "p", other)).toThrow(UnsealFailed);
  }
});
