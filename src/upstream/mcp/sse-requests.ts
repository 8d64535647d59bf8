import { ToolFailure } from "#upstream/tool-port";
import { nothingWasSent } from "./http-failure.ts";
import type { ToolAuthorization, ToolFetch, TransportOptions } from "./port.ts";

export type SseOptions = TransportOptions & {
  readonly url: string;
  readonly fetch: ToolFetch;
  readonly authorization: ToolAuthorization;
};

/** An answered request, authorised, asked once more where the authorization could be renewed. */
export const ask = async (options: SseOptions, url: string, init: RequestInit): Promise<Response> => {
  for (let again = true; ; again = false) {
    const response = await reach(options, url, init);
    if (response.status !== 401 && response.status !== 403) return response;
    const renewed = again && isAboutAuthorization(response) && (await options.authorization.refused(response));
    await response.body?.cancel();
    if (renewed) continue;
    throw new ToolFailure(
      "unauthorized",
      `${options.slug} refuses the hub's credentials. Sign in or mend them.`,
      false,
    );
  }
};

/** 403 is about the credentials only where a wider scope would help (RFC 6750 §3.1). */
const isAboutAuthorization = ({ status, headers }: Response): boolean =>
  status === 401 || /\binsufficient_scope\b/.test(headers.get("www-authenticate") ?? "");

const reach = async ({ authorization, slug, fetch }: SseOptions, url: string, init: RequestInit): Promise<Response> => {
  const headers = { ...init.headers, ...(await authorization.headers()) };
  try {
    return await fetch(url, { ...init, ...UNLIMITED, headers });
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    const mayHaveRun = init.method === "POST" && !nothingWasSent(error);
    throw new ToolFailure("unreachable", `${slug} cannot be reached.`, mayHaveRun, error);
  }
};

/** Bun ends a request after some minutes of silence, and follows redirects: ours are the limits here. */
const UNLIMITED: BunFetchRequestInit = { redirect: "manual", timeout: false };
