import { CallMetrics } from "#guard/call-metrics";
import type { PriceBook } from "#guard/money/prices";
import { feature } from "#hub/feature";
import { type MetricsOptions, metricsReader } from "./figures";

/** Null where nobody reads them: then nothing is counted either. */
type Optional = { readonly metricsOptions: MetricsOptions | null };
type Pricing = { readonly priceBook: Pick<PriceBook, "find"> };
type Counting = { readonly callMetrics: CallMetrics | null };
type ReaderParts = Optional & Counting & Omit<Parameters<typeof metricsReader>[0], "options" | "callMetrics">;

/** What collectors of metrics read. */
export const metrics = feature({
  provides: {
    callMetrics: ({ metricsOptions, priceBook }: Optional & Pricing) =>
      metricsOptions && new CallMetrics((provider, model) => priceBook.find(provider, model)?.name ?? null),
    /** Null where nobody reads them. */
    readMetrics: (c: ReaderParts) =>
      c.metricsOptions &&
      c.callMetrics &&
      metricsReader({
        options: c.metricsOptions,
        callMetrics: c.callMetrics,
        scheduler: c.scheduler,
        providerRouting: c.providerRouting,
        loopDelay: c.loopDelay,
        audit: c.audit,
        shipping: c.shipping,
        holds: c.holds,
        killSwitches: c.killSwitches,
        alerts: c.alerts,
        scanner: c.scanner,
        untracedTexts: c.untracedTexts,
        auditor: c.auditor,
        principals: c.principals,
        policyResolver: c.policyResolver,
        openCalls: c.openCalls,
        live: c.live,
        exportMetrics: c.exportMetrics,
        now: c.now,
      }),
  },
  onCallEnded: (c: Counting) => (record) => c.callMetrics?.note(record),
});
