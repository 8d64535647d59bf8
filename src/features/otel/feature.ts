import type { Tracing } from "#guard/call-trace";
import { feature } from "#hub/feature";
import type { PrincipalCache } from "#identity/principal-cache";
import type { ToolServer } from "#model/tools/tool";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { ProviderRow } from "#store/port";
import type { Names } from "./calls";
import type { TelemetryOptions } from "./options";
import { addressOf, providerOf, type TracedProvider } from "./peers";
import { Telemetry } from "./telemetry";

export type { TelemetryOptions } from "./options";

/** How often what waits is exported. Milliseconds. */
const EXPORT_MS = 1_000;

type Optional = { readonly telemetry: Telemetry | null };
type NameParts = {
  readonly principals: Pick<PrincipalCache, "agent">;
  readonly toolRegistry: { readonly server: (id: string) => Pick<ToolServer, "url"> | null };
  readonly tracedProviders: TracedProviders;
  readonly publicUrl: () => string;
};
type TelemetryParts = NameParts & {
  /** Null where nothing is exported. */
  readonly telemetryOptions: TelemetryOptions | null;
  readonly processId: string;
  readonly version: string;
  readonly ids: Ids;
  readonly dispatch: { readonly sleep: (ms: number, signal: AbortSignal) => Promise<void> };
  readonly random: () => number;
  readonly log: Log;
};

/** Providers by the names that calls have them by. */
export class TracedProviders {
  private byName: ReadonlyMap<string, TracedProvider> = new Map();

  apply({ providers }: { readonly providers?: readonly ProviderRow[] | null | undefined }): void {
    if (!providers) return;
    this.byName = new Map(providers.map(({ name, kind, base_url }) => [name, providerOf(kind, base_url)]));
  }

  find(name: string): TracedProvider | null {
    return this.byName.get(name) ?? null;
  }
}

const namesOf = ({ principals, toolRegistry, tracedProviders, publicUrl }: NameParts): Names => ({
  agent: (id) => principals.agent(id)?.name ?? null,
  provider: (name) => tracedProviders.find(name),
  toolServer: (id) => {
    const server = toolRegistry.server(id);
    return server && { address: server.url === null ? null : addressOf(server.url) };
  },
  scheme: () => (publicUrl().startsWith("https:") ? "https" : "http"),
});

/** Traces and logs of calls for OpenTelemetry. */
export const otel = feature({
  provides: {
    tracedProviders: () => new TracedProviders(),
    telemetry: (c: TelemetryParts): Telemetry | null => {
      const { telemetryOptions: options, version, random, log, dispatch } = c;
      if (options === null) return null;
      const process = { instance: c.ids(), node: c.processId };
      return new Telemetry({ options, names: namesOf(c), process, version, random, sleep: dispatch.sleep, log });
    },
    tracing: ({ telemetry }: Optional): Tracing | null => telemetry?.tracing ?? null,
    exportMetrics:
      ({ telemetry }: Optional) =>
      () =>
        telemetry?.metrics() ?? [],
  },
  prepare:
    ({ telemetry }: Optional) =>
    () =>
      telemetry?.load(),
  onChange: (c: Pick<NameParts, "tracedProviders">) => c.tracedProviders,
  jobs: ({ telemetry }: Optional) =>
    telemetry ? [{ name: "telemetry", everyMs: EXPORT_MS, run: () => telemetry.run() }] : [],
  quiesce:
    ({ telemetry }: Optional) =>
    () =>
      telemetry?.quiesce(),
  stop:
    ({ telemetry }: Optional) =>
    () =>
      telemetry?.stop(),
});
