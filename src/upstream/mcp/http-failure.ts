import { ToolFailure } from "#upstream/tool-port";
import type { Deadline } from "./http-deadline.ts";

/**
 * The server answers at the address, but not as Streamable HTTP does: it may speak the older HTTP+SSE
 * (specification 2026-07-28, Streamable HTTP, "Backward Compatibility").
 */
export class NotStreamableHttp extends ToolFailure {
  constructor(slug: string, status: number) {
    super("garbage", `${slug} does not speak Streamable HTTP: it answered the handshake with status ${status}.`, false);
  }
}

/** Errors of `fetch` from before anything was sent: no such host, no way there, no connection, no valid certificate. */
const NOTHING_SENT = /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_|ERR_TLS_|UNABLE_TO_)|CERT/;

/** Whether `fetch` threw this before the server could have been asked anything. */
export const nothingWasSent = (error: unknown): boolean => NOTHING_SENT.test(codeOf(error));

/** Whatever was thrown in an exchange, as a `ToolFailure`. */
export const failureOf = (error: unknown, slug: string, deadline: Deadline): ToolFailure => {
  if (error instanceof ToolFailure) return error;
  const code = codeOf(error);
  const cause = withoutAddress(error, code);
  switch (deadline.ending) {
    case "timeout":
      return new ToolFailure("timeout", `${slug} sent nothing for ${deadline.silenceMs} ms.`, true);
    case "cancelled":
      return new ToolFailure("cancelled", "The call was cancelled.", true);
    case "closed":
      return new ToolFailure("unreachable", `The connection to ${slug} was closed. Try again.`, true);
    case null:
      return NOTHING_SENT.test(code)
        ? new ToolFailure("unreachable", `${slug} cannot be reached (${code}).`, false, cause)
        : new ToolFailure("unreachable", `The connection to ${slug} broke.`, true, cause);
  }
};

/** Nobody listened: asking again cannot do anything twice. */
export const wasRefused = (error: unknown): boolean =>
  error instanceof ToolFailure && error.reason === "unreachable" && codeOf(error.cause) === "ECONNREFUSED";

/** The same failure of something that came before the call: the call itself has not begun. */
export const beforeTheCall = (error: ToolFailure): ToolFailure => error.withMayHaveRun(false);

/** Errors of `fetch` hold the whole address, and some addresses hold a key. */
const withoutAddress = (error: unknown, code: string): unknown =>
  error instanceof Error && "path" in error ? Object.assign(new Error(code), { code }) : error;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
