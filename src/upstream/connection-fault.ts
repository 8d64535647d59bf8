/** Codes of connections that were never made. */
const UNREACHABLE = ["ECONNREFUSED", "ConnectionRefused", "FailedToOpenSocket", "ENOTFOUND"];

/** Whether a request failed because nobody took the connection, or because it broke off. */
export const connectionFault = (error: unknown): "unreachable" | "broken" => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return UNREACHABLE.includes(code) ? "unreachable" : "broken";
};
