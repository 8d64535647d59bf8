import type { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import type { AnsweredCall } from "#model/answered-call";
import type { Usage } from "#model/model-api";
import type { Texts } from "#scan/texts/text-walk";

/** What the guard of a stream lets an API know of the request. */
export type StreamWish = {
  readonly wantsUsage: boolean;
  /** The client asks again after an answer that the guard cut off, unless that is said as a fault of its request. */
  readonly asksAgain?: boolean;
  /** Puts ids for the caller into an event that leaves, in place of the provider's; true when it changed the event. */
  readonly toCaller?: (event: JsonRecord) => boolean;
  /** The caller has the events up to this number, and asked for those behind it; null for all. */
  readonly after?: number | null;
};

/** One piece of text in one event: where it stands in the event, and which stretch of its channel it is. */
export type Piece = {
  /** Events of one group keep their order; those of others do not wait for it. A choice, an item, a block. */
  readonly group: number;
  /** Names the channel inside its group: `content`, `tool_calls[0].function.arguments`. */
  readonly path: string;
  /** What a tool is given: held until its group or channel ends, then judged as the JSON it is. */
  readonly isArguments: boolean;
  readonly text: string;
  readonly holder: JsonRecord | unknown[];
  readonly key: string | number;
};

/** A string of an event that repeats the whole text of a channel. */
export type Repeat = Pick<Piece, "group" | "path" | "holder" | "key">;

/** Where an event stands among the others. */
export type EventNote = {
  /** The groups it belongs to; of none, it waits for all that came before it. */
  readonly groups: readonly number[];
  /** Groups that have all their text with it, and the finish reason where there is one. */
  readonly finished: readonly { readonly group: number; readonly reason: string | null }[];
  /** Channels that have all their text with it, though their group goes on. */
  readonly ended?: readonly Pick<Piece, "group" | "path">[];
  /** Finish reasons that belong to no group. */
  readonly reasons?: readonly string[];
  /** Ends the stream: it leaves when the final record is on disk, and what comes after it is not read. */
  readonly isLast?: boolean;
  /** It is the provider's own error, in the API's own form. */
  readonly isFault?: boolean;
};

/** What is given to a tool in a channel, as it leaves; null where nothing came, or it is not complete. */
export type Leaving = (place: Pick<Piece, "group" | "path">) => string | null;

/** Strings to be passed over, by what holds them. */
export type Skipped = ReadonlyMap<object, ReadonlySet<string | number>>;

export type BesideOptions = {
  readonly maxDepth: number;
  /** Fields of an earlier event that was looked at, since envelopes repeat themselves. */
  readonly seen: JsonRecord;
  /** Repeats that are put together anew. */
  readonly skipped: Skipped;
};

/** How far a group has come: text of it has left; its last event has left. */
export type GroupProgress = { readonly spoke: boolean; readonly closed: boolean };

/** How a stream ends that the hub cuts off. */
export type StreamEnd = {
  readonly error: GuardError;
  readonly isBlock: boolean;
  /** Blocked under a profile that has a block answered like a completion. */
  readonly isQuiet: boolean;
  /** By group, in the order they began. */
  readonly groups: ReadonlyMap<number, GroupProgress>;
};

/** What the events of one stream say. May remember of an event what `note` and `begun` are given: before that it was not scanned. */
export type ApiStream = {
  /** Data that is no JSON and ends the stream, sent by the hub, too, as its last event; null where events end it. */
  readonly endMark: string | null;
  /** Whether groups that are all finished make a whole answer, though nothing has ended the stream. */
  readonly endsWithGroups: boolean;
  /** Whether an event's `event:` line says its `type` again; it is then written so, too. */
  readonly isNamed: boolean;
  /**
   * Whether clients ask for the rest of a stream by the numbers of its events: none overtakes another, and none is cut
   * in two, so that the numbers stay the provider's.
   */
  readonly isResumable?: boolean;
  /** The key of an event under which it is numbered; events that differ in it and their text alone are read at little cost. */
  readonly counter?: string;
  /** The key of an event under which providers put text by chance, so that lengths do not tell the tokens; read like the counter. */
  readonly padding?: string;
  /** What a tool call may begin with in the text of an event: provenance may have to be prepared before. */
  readonly toolCallMark: RegExp;
  /** Every text of the event that grows from event to event. Throws `upstream_error` for what is too deep. */
  readonly piecesOf: (event: JsonRecord) => Piece[];
  /** All that is known of the usage with this event, `before` being what was; null for what says nothing of it. */
  readonly usageOf: (event: JsonRecord, before: Usage | null) => Usage | null;
  /** Whether the hub asked for the event, and the client did not: it is not passed on. */
  readonly isForHub?: (event: JsonRecord) => boolean;
  /** Whether it says only that the stream lives: passed on at once, in front of what is held. Nothing else may be in it. */
  readonly isKeepAlive?: (event: JsonRecord) => boolean;
  /**
   * Strings that should repeat the whole text of a channel. Where they do, they are left out of `beside` and, when the
   * event leaves, put together anew from what has left of the channel; where they do not, they are new text.
   */
  readonly repeatsIn?: (event: JsonRecord) => readonly Repeat[];
  /** All other texts of the event, null for none: `textsOfEvent`. */
  readonly beside: (event: JsonRecord, options: BesideOptions) => Texts | null;
  /** Asked once the event was looked at beside its pieces, sometimes twice of one. */
  readonly note: (event: JsonRecord) => EventNote;
  /** The provider's own error that the event is; undefined for none. */
  readonly faultOf: (event: JsonRecord) => unknown;
  /** The tool calls whose tool is known with this event. Each once. */
  readonly begun: (event: JsonRecord) => readonly AnsweredCall[];
  /** All tool calls of a group, as they leave. */
  readonly callsOf: (group: number, leaving: Leaving) => readonly AnsweredCall[];
  /** The path of a channel as records name it: that of the whole answer. Names we do not know are not in it. */
  readonly paramOf: (piece: Pick<Piece, "group" | "path">) => string;
  /** Removes what repeats the text of an event in other forms, where the text was changed. */
  readonly dropCopies: (event: JsonRecord) => void;
  /** Called as an event leaves, in the order they leave; may number it. True when it changed the event. */
  readonly leaves?: (event: JsonRecord) => boolean;
  /** `leaves` has nothing to do about events that differ from one before them in their text alone. */
  readonly ignoresAlike?: boolean;
  /** Asked behind `leaves`: whether the caller has the event already, so that it is guarded and not sent. */
  readonly isHad?: (event: JsonRecord) => boolean;
  /** The events that end a stream which the hub cuts off, as text. */
  readonly ending: (end: StreamEnd) => string;
};
