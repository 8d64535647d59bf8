import type { AnyElysia } from "elysia";
import type { AuditRecord } from "#model/audit";
import type { HubEvent } from "#model/event";
import { causeOf, type Log } from "#platform/log";
import type { ChangeSubscriber, Feature } from "./feature";
import type { Scheduler } from "./scheduler";

/** Tells its listeners, in the order they were added. Also what two parts share that would need each other otherwise. */
export class Listeners<T> {
  private readonly all: ((value: T) => void)[] = [];

  add(listener: (value: T) => void): void {
    this.all.push(listener);
  }

  tell(value: T): void {
    for (const listener of this.all) listener(value);
  }
}

/** Where listeners and subscribers are entered, and what runs jobs. */
type LifecycleParts = {
  readonly scheduler: Scheduler;
  readonly callEnded: Listeners<AuditRecord>;
  readonly changeSubscribers: { add(subscriber: ChangeSubscriber): void };
  readonly events: { subscribe(listener: (event: HubEvent) => Promise<void>): void };
  readonly log: Log;
};

type Entry = keyof Omit<Feature, "provides">;
type ValueOf<E extends Entry> = ReturnType<NonNullable<Feature[E]>>;

/** What features declare, put to work: subscribes them at once, serves nothing and starts nothing before it is told. */
export class HubLifecycle {
  private readonly failures: unknown[] = [];

  constructor(
    private readonly parts: LifecycleParts,
    private readonly features: readonly Feature[],
  ) {
    for (const subscriber of this.declared("onChange")) parts.changeSubscribers.add(subscriber);
    for (const listener of this.declared("onCallEnded")) parts.callEnded.add(listener);
    for (const listener of this.declared("onEvent")) parts.events.subscribe(listener);
  }

  /** What is served from the start on. */
  earlyRoutes(): readonly AnyElysia[] {
    return [...this.declared("callRoutes").flat(), ...this.setupRoutes()];
  }

  setupRoutes(): readonly AnyElysia[] {
    return this.declared("setupRoutes").flat();
  }

  /** All there are, those of a feature at a time. */
  *routes(): Generator<readonly AnyElysia[], void> {
    for (const one of this.features) {
      for (const entry of ["callRoutes", "routes", "setupRoutes"] as const) yield this.declaredBy(one, entry).flat();
    }
  }

  outerRoutes(): readonly ((basePath: string) => AnyElysia)[] {
    return this.declared("outerRoutes");
  }

  /** To be called before anything is served. */
  async prepare(): Promise<void> {
    for (const prepare of this.declared("prepare")) await prepare();
  }

  /** Begins what the hub does by itself, some of it when `ready` has resolved. */
  start(ready: Promise<void> = Promise.resolve()): void {
    this.parts.scheduler.start(this.declared("jobs").flat(), ready);
  }

  /**
   * Nothing new begins from now on; jobs go on, since calls under way depend on them. What fails here or in `stop`
   * keeps nothing else from stopping, and is thrown at the end of `stop`.
   */
  async quiesce(): Promise<void> {
    await Promise.all(this.declared("quiesce").map((quiesce) => this.trying(quiesce)));
  }

  /** To be called when no call is under way any more. */
  async stop(): Promise<void> {
    this.parts.scheduler.stop();
    for (const stop of this.declared("stop").reverse()) await this.trying(stop);
    if (this.failures.length > 0) throw this.failures[0];
  }

  private async trying(work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failures.push(error);
      this.parts.log.error("task.failed", { task: "stop", ...causeOf(error) });
    }
  }

  private declared<E extends Entry>(entry: E): ValueOf<E>[] {
    return this.features.flatMap((one) => this.declaredBy(one, entry));
  }

  /** Its needs have been checked against these parts by `partsOf`. */
  private declaredBy<E extends Entry>(one: Feature, entry: E): ValueOf<E>[] {
    const declared = one[entry] as ((parts: unknown) => ValueOf<E>) | undefined;
    return declared ? [declared(this.parts)] : [];
  }
}
