import type { JsonRecord } from "#core/json/json";

/** The events of a corpus by their type, and which of the types were made use of. */
export class EventKinds {
  private readonly byType = new Map<string, JsonRecord[]>();
  private readonly used = new Set<string>();

  constructor(events: readonly JsonRecord[]) {
    for (const event of events) {
      const type = String(event["type"]);
      this.byType.set(type, [...(this.byType.get(type) ?? []), event]);
    }
  }

  all(type: string): readonly JsonRecord[] {
    this.used.add(type);
    return this.byType.get(type) ?? [];
  }

  /** The fullest event of a type, with some of its fields replaced. */
  one(type: string, fields: JsonRecord): JsonRecord {
    const [event] = this.all(type);
    if (!event) throw new Error(`the SDK declares no event ${type}`);
    return { ...event, ...fields };
  }

  /** The same where there is such a type. */
  some(type: string, fields: JsonRecord): JsonRecord[] {
    return this.byType.has(type) ? [this.one(type, fields)] : [];
  }

  /** Every event of the types that nothing was asked of yet. */
  rest(but: ReadonlySet<string>): JsonRecord[] {
    return [...this.byType].filter(([type]) => !this.used.has(type) && !but.has(type)).flatMap(([, events]) => events);
  }
}
