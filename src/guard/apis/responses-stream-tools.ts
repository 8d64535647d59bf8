import { isRecord, type JsonRecord } from "#core/json/json";
import type { Leaving, Skipped } from "#guard/apis/api-stream";
import { putValue, valueAt } from "#guard/apis/held-value";
import { groupOf, NO_ITEM, placesBesideParts } from "#guard/apis/responses-growing";
import type { PlacedItem } from "#guard/apis/responses-repeats";
import { argumentsOf, itemParam, toolOf } from "#guard/apis/responses-tools";
import type { AnsweredCall } from "#model/answered-call";

/** A call as one event has it; what its tool is given is asked for when the call is judged. */
type Version = { readonly tool: string; readonly group: number; readonly given: (leaving: Leaving) => string | null };

/**
 * The tool calls of a streamed response. A client may take a call from its deltas, from the event that ends them, from
 * its item or from the end of the response: where these differ, each is a call of its own.
 */
export class ResponsesStreamTools {
  private readonly versions = new Map<number, Version[]>();
  private begunNow: AnsweredCall[] = [];
  private lastGroup = NO_ITEM;

  /** Takes an event in; those of its texts that are `said` its deltas have said before. */
  note(event: JsonRecord, said: Skipped): void {
    const { item, type } = event;
    const group = groupOf(event);
    const key = typeof type === "string" ? ENDS.get(type) : undefined;
    if (isRecord(item)) {
      const tool = toolOf(item);
      if (tool === null) return;
      const isBegin = type === "response.output_item.added";
      const given = isBegin ? deltasOf(item, group) : (leaving: Leaving) => givenIn(item, group, said, leaving);
      this.add(group, { tool, group, given });
    } else if (key !== undefined && said.get(event)?.has(key) !== true) {
      const tool = this.versions.get(group)?.[0]?.tool;
      // Read when it is judged: what was redacted in the event is redacted in it then.
      if (tool !== undefined) this.add(group, { tool, group, given: () => textOf(event[key]) });
    }
  }

  /** Takes in the items that the end of a response has and no event had before; gives all groups to be judged by then. */
  noteLast(items: readonly PlacedItem[], said: Skipped): readonly number[] {
    const groups = [...this.versions.keys()];
    for (const { item, group } of items) {
      const tool = toolOf(item);
      if (tool === null) continue;
      this.lastGroup -= 1;
      groups.push(this.lastGroup);
      this.add(this.lastGroup, { tool, group, given: (leaving) => givenIn(item, group, said, leaving) });
    }
    return groups;
  }

  /** Calls whose tool is known since this was asked last. */
  begun(): readonly AnsweredCall[] {
    const begun = this.begunNow;
    this.begunNow = [];
    return begun;
  }

  /** Every call of a group, as it leaves. Those that differ are several; what was judged before is left out. */
  of(group: number, leaving: Leaving): readonly AnsweredCall[] {
    const versions = this.versions.get(group) ?? [];
    const calls = this.callsOf(versions, leaving);
    const [first] = versions;
    if (first && first.group !== group) {
      for (const known of this.callsOf(this.versions.get(first.group) ?? [], leaving).keys()) calls.delete(known);
    }
    return [...calls.values()];
  }

  private callsOf(versions: readonly Version[], leaving: Leaving): Map<string, AnsweredCall> {
    const calls = new Map<string, AnsweredCall>();
    for (const { tool, group, given } of versions) {
      const text = given(leaving);
      if (text !== null) calls.set(`${tool} ${text}`, { param: itemParam(group), tool, arguments: text });
    }
    return calls;
  }

  private add(group: number, version: Version): void {
    const known = this.versions.get(group);
    if (known) known.push(version);
    else this.versions.set(group, [version]);
    const { tool } = version;
    if (known?.some((one) => one.tool === tool) !== true) {
      this.begunNow.push({ param: itemParam(version.group), tool, arguments: "" });
    }
  }
}

/** Events that have the whole of what a tool is given, and under which key. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ["response.function_call_arguments.done", "arguments"],
  ["response.custom_tool_call_input.done", "input"],
]);

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** What the deltas of a call give its tool; null where that is no single text, or they say nothing. */
const deltasOf =
  ({ type }: JsonRecord, group: number) =>
  (leaving: Leaving): string | null => {
    if (type !== "function_call" && type !== "custom_tool_call") return null;
    return leaving({ group, path: type === "function_call" ? "arguments" : "input" });
  };

/** What an item gives its tool, with what leaves of its deltas in place of what they said. */
const givenIn = (item: JsonRecord, group: number, said: Skipped, leaving: Leaving): string => {
  const before: (() => void)[] = [];
  for (const place of placesBesideParts(item)) {
    const { holder, key, path } = place;
    const text = said.get(holder)?.has(key) === true ? leaving({ group, path }) : null;
    if (text === null) continue;
    const came = valueAt(place);
    putValue(place, text);
    before.push(() => putValue(place, came));
  }
  const given = argumentsOf(item);
  // The item itself is put together when it leaves.
  for (const putBack of before) putBack();
  return given;
};
