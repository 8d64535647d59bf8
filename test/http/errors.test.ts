import { expect, test } from "bun:test";
import fc from "fast-check";
import { ERROR_CATALOGUE, type ErrorCode, GuardError } from "#core/errors";
import { errorResponse } from "#http/errors";
import { verifies } from "#test/support/verifies";

const isCode = (name: string): name is ErrorCode => name in ERROR_CATALOGUE;
const CODES = Object.keys(ERROR_CATALOGUE).filter(isCode);

test("every error of the catalogue, whatever it says, is one envelope with its status", async () => {
  verifies("error.envelope");
  const anyError = fc.record({
    code: fc.constantFrom(...CODES),
    message: fc.string({ unit: "binary" }),
    param: fc.option(fc.string(), { nil: undefined }),
    extra: fc.option(fc.record({ event_id: fc.uuid(), guard: fc.jsonValue() }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(anyError, async ({ code, message, param, extra }) => {
      const { status, type, retry } = ERROR_CATALOGUE[code];
      const response = errorResponse(
        new GuardError(code, message, { param, extra, cause: new Error("for the log only") }),
        "id-1",
      );
      const text = await response.text();
      expect(response.status).toBe(status);
      expect(JSON.parse(text)).toEqual({
        error: JSON.parse(JSON.stringify({ message, type, param: param ?? null, code, ...extra })),
      });
      expect(text).not.toContain("for the log only");
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("x-request-id")).toBe("id-1");
      expect(response.headers.get("x-should-retry")).toBe(retry ? null : "false");
      expect(response.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    }),
    { numRuns: 500 },
  );
});

/** The closed catalogue: docs/errors.md. */
const TABLE: readonly [code: string, status: number, type: string][] = [
  ["invalid_api_key", 401, "invalid_request_error"],
  ["insufficient_scope", 403, "permission_error"],
  ["agent_suspended", 403, "permission_error"],
  ["killed", 403, "permission_error"],
  ["tool_not_allowed", 400, "invalid_request_error"],
  ["rate_limit_exceeded", 429, "rate_limit_error"],
  ["insufficient_quota", 429, "insufficient_quota"],
  ["approval_required", 409, "conflict_error"],
  ["model_not_allowed", 403, "invalid_request_error"],
  ["model_not_found", 404, "invalid_request_error"],
  ["parameter_not_allowed", 400, "invalid_request_error"],
  ["invalid_json", 400, "invalid_request_error"],
  ["invalid_value", 400, "invalid_request_error"],
  ["request_too_large", 413, "invalid_request_error"],
  ["content_filter", 400, "invalid_request_error"],
  ["not_found", 404, "invalid_request_error"],
  ["unknown_url", 404, "invalid_request_error"],
  ["endpoint_removed", 404, "invalid_request_error"],
  ["audit_unavailable", 503, "server_error"],
  ["guard_unavailable", 503, "server_error"],
  ["database_unavailable", 503, "server_error"],
  ["upstream_auth_failed", 502, "upstream_error"],
  ["upstream_rate_limited", 429, "upstream_error"],
  ["upstream_error", 502, "upstream_error"],
  ["upstream_timeout", 504, "upstream_error"],
];

test("the catalogue is the published one", () => {
  verifies("error.envelope");
  for (const [code, status, type] of TABLE) {
    expect(isCode(code) ? { code, ...ERROR_CATALOGUE[code] } : { code }).toMatchObject({ code, status, type });
  }
});

test("clients try again by themselves only what may go better a moment later", () => {
  verifies("error.envelope");
  const retried = CODES.filter((code) => ERROR_CATALOGUE[code].retry);
  const unavailable = ["audit_unavailable", "database_unavailable", "guard_unavailable"] as const;
  expect(retried.sort()).toEqual([...unavailable, "rate_limit_exceeded", "shutting_down"]);
});
