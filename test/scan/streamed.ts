import { expect } from "bun:test";
import type { CompiledPolicy } from "#scan/policy";
import { redactText, scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import { LABELS } from "#test/support/labels";

export function pieces(text: string, lengths: readonly number[]): string[] {
  const cut: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const size = lengths[i % lengths.length] ?? 1;
    cut.push(text.slice(at, at + size));
    at += size;
  }
  return cut;
}

/** Streams a text, taking whatever is cleared after every piece; checks the promises on the way. */
function stream(policy: CompiledPolicy, parts: readonly string[], takeEvery = 1) {
  const scanner = new StreamScanner(policy, "output", LABELS);
  let out = "";
  let changed = false;
  let cleared = 0;
  const release = (): void => {
    const taken = scanner.release(scanner.clearedTo);
    out += taken.text;
    changed ||= taken.changed;
  };
  parts.forEach((part, i) => {
    scanner.push(part);
    expect(scanner.clearedTo).toBeGreaterThanOrEqual(cleared);
    cleared = scanner.clearedTo;
    if (i % takeEvery === 0) release();
  });
  scanner.end();
  release();
  return { scanner, out, changed };
}

/** What is found, and what leaves, is that of the whole text. */
export function expectSame(policy: CompiledPolicy, text: string, lengths: readonly number[], takeEvery = 1): void {
  const whole = scanText(policy, text, "output");
  const { scanner, out, changed } = stream(policy, pieces(text, lengths), takeEvery);
  expect(scanner.findings).toEqual(whole.findings);
  expect(scanner.pushedTo).toBe(text.length);
  const enforced = policy.mode === "enforce" ? whole.findings : [];
  const redacted = redactText(text, enforced, LABELS);
  const block = enforced.find(({ action }) => action === "block");
  expect(scanner.blocked).toBe(block !== undefined);
  if (!block) {
    expect(out).toBe(redacted);
    expect(changed).toBe(redacted !== text);
    expect(scanner.clearedTo).toBe(text.length);
    return;
  }
  expect(scanner.clearedTo).toBeLessThanOrEqual(block.start);
  expect(redacted.startsWith(out)).toBe(true);
}

/** Several pieces read at once where nothing is found in them: what is found, and what leaves, is the same in the end. */
export function expectSameInGroups(policy: CompiledPolicy, parts: readonly string[], groups: readonly number[]): void {
  const scanner = new StreamScanner(policy, "output", LABELS);
  let out = "";
  for (let at = 0, i = 0; at < parts.length; i++) {
    const group = parts.slice(at, at + (groups[i % groups.length] ?? 1));
    at += group.length;
    if (!scanner.pushFree(group.join(""))) for (const part of group) scanner.push(part);
    out += scanner.release(scanner.clearedTo).text;
  }
  scanner.end();
  out += scanner.release(scanner.clearedTo).text;
  const { scanner: one, out: single } = stream(policy, parts);
  expect(scanner.findings).toEqual(one.findings);
  if (!one.blocked) expect(out).toBe(single);
}
