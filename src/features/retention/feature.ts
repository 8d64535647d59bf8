import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { SignInStore } from "#store/sign-in-port";
import { Retention } from "./service";

/** How often kept content that has expired is deleted. Milliseconds. */
const CONTENT_MS = 3_600_000;
const RETENTION_MS = 6 * 3_600_000;

type RetentionParts = Omit<NeedsOf<typeof Retention>, "retentionDays" | "sweeps"> & {
  readonly management: { readonly operating: { readonly auditRetentionDays: number } };
  readonly signIn: Pick<SignInStore, "sweep">;
  readonly registrations: { sweep(): Promise<unknown> };
  readonly webhookDeliverer: { retain(): Promise<unknown> };
  readonly alertService: { retain(): Promise<unknown> };
};
type Retaining = { readonly contentRetention: Retention };

/** What is kept goes when it has had its time. */
export const retention = feature({
  provides: {
    contentRetention: (c: RetentionParts) =>
      new Retention({
        store: c.store,
        usage: c.usage,
        retention: c.retention,
        audit: c.audit,
        shipping: c.shipping,
        calls: c.calls,
        content: c.content,
        forgetReports: c.forgetReports,
        systemRecord: c.systemRecord,
        now: c.now,
        log: c.log,
        retentionDays: c.management.operating.auditRetentionDays,
        sweeps: [
          () => c.signIn.sweep(c.now()),
          () => c.registrations.sweep(),
          () => c.webhookDeliverer.retain(),
          () => c.alertService.retain(),
        ],
      }),
  },
  jobs: ({ contentRetention }: Retaining) => [
    { name: "retention", everyMs: RETENTION_MS, singleton: true, atStart: true, run: () => contentRetention.retain() },
    {
      name: "retention of records",
      everyMs: RETENTION_MS,
      singleton: "directory",
      atStart: true,
      run: () => contentRetention.retainRecords(),
    },
    { name: "content", everyMs: CONTENT_MS, singleton: true, atStart: true, run: () => contentRetention.forget() },
  ],
  quiesce: (c: Retaining) => () => c.contentRetention.stop(),
});
