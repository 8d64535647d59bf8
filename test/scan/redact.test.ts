import { expect, test } from "bun:test";
import type { Action } from "#scan/detector";
import type { Span } from "#scan/redact";
import { redactText } from "#scan/scan";
import { LABELS, numbered } from "#test/support/labels";

const span = (type: string, start: number, end: number, action: Action = "redact"): Span => ({
  type,
  start,
  end,
  action,
});
const redact = (text: string, ...spans: Span[]): string => numbered(redactText(text, spans, LABELS));

test("only redact and block replace", () => {
  expect(redact("abcdef", span("a", 1, 3), span("b", 4, 5, "flag"))).toBe("a[a:1]def");
});

test("overlapping spans become one; touching ones stay two", () => {
  expect(redact("abcdefgh", span("a", 1, 4), span("b", 3, 6))).toBe("a[a:1]gh");
  expect(redact("abcdefgh", span("b", 1, 3), span("a", 1, 6))).toBe("a[a:1]gh");
  expect(redact("abcdefgh", span("a", 1, 6), span("b", 2, 3), span("c", 5, 7))).toBe("a[a:1]h");
  expect(redact("abcdefgh", span("a", 1, 3), span("b", 3, 6))).toBe("a[a:1][b:1]gh");
});

test("a block takes over from where it begins", () => {
  expect(redact("abcdefgh", span("a", 1, 4), span("b", 1, 3, "block"))).toBe("a[b:1]efgh");
  expect(redact("abcdefgh", span("a", 1, 4), span("b", 3, 6, "block"))).toBe("a[a:1][b:1]gh");
});

test("the order of the findings does not matter", () => {
  const spans = [span("a", 1, 4), span("b", 3, 6), span("c", 7, 8)];
  expect(redact("abcdefgh", ...spans.toReversed())).toBe(redact("abcdefgh", ...spans));
});
