import { isLoopback } from "#core/ip-range";
import { METRICS_TYPE } from "#core/metrics";
import { bearerToken } from "#http/auth/token";
import { isSameSecret } from "#platform/hash";

type MetricsDoorNeeds = {
  /** What collectors send; null where they need none. */
  readonly token: string | null;
  readonly read: () => Promise<string>;
  readonly onFailed: (error: unknown) => void;
};

const says = (status: number, words: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(`${words}\n`, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      ...headers,
      "x-content-type-options": "nosniff",
    },
  });

/**
 * What is served at the address for collectors: figures, and nothing else. Without a token the Host must be a loopback
 * name: that stops pages that reach this machine by DNS rebinding.
 */
export const metricsDoor =
  ({ token, read, onFailed }: MetricsDoorNeeds) =>
  async (request: Request): Promise<Response> => {
    const { headers, method } = request;
    const host = (headers.get("host") ?? "").replace(/:\d+$/, "").toLowerCase();
    if (token === null && !isLoopback(host)) return says(400, "This address is called by a loopback name.");
    if (token !== null && !isSameSecret(bearerToken(headers.get("authorization") ?? ""), token)) {
      return says(401, "Send the token of metrics.token: Authorization: Bearer ….", { "www-authenticate": "Bearer" });
    }
    if (new URL(request.url).pathname !== "/metrics") return says(404, "Figures are at /metrics.");
    if (method !== "GET" && method !== "HEAD") return says(405, "Figures are read by GET.", { allow: "GET, HEAD" });
    try {
      return new Response(await read(), { headers: { "content-type": METRICS_TYPE, "cache-control": "no-store" } });
    } catch (error) {
      onFailed(error);
      return says(500, "The metrics could not be collected; see the hub's log.");
    }
  };
