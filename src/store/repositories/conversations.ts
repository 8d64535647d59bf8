import { and, asc, eq, gt, inArray, lt, lte, ne, or, sql } from "drizzle-orm";
import { sha256Hex } from "#platform/hash";
import type { ConversationStore, Place, SealedPiece } from "#store/conversation-port";
import { all, type Db, keptQuery, moment, one, run, type Steps } from "#store/db";
import { inSlices } from "./batches";

/** Kept at a time; those that were silent longest are forgotten first. */
const MAX_CONVERSATIONS = 5_000;
/** Of all of them, in UTF-16 units before they are encrypted. */
const MAX_UNITS = 64_000_000;
/** How many are added to between two looks at how much there is. */
const LOOK_EVERY = 16;
/** Forgotten at a time when there are too many, or too much. */
const FORGOTTEN = 64;

const NONE: Place = { id: "", seq: 0 };

export class Conversations implements ConversationStore {
  /** Asked in calls. */
  readonly #since = keptQuery((q, { conversation: it, conversationSaid: said }) => {
    const isNew = or(ne(it.id, sql.placeholder("id")), gt(said.seq, sql.placeholder("seq")));
    return q
      .select({ conversation: it.id, id: said.id, seq: said.seq, sealed: said.sealed })
      .from(it)
      .leftJoin(said, and(eq(said.conversation, it.id), isNew))
      .where(and(eq(it.key, sql.placeholder("key")), gt(it.until, sql.placeholder("now"))))
      .orderBy(asc(said.seq));
  });
  #added = 0;

  constructor(private readonly db: Db) {}

  async since(name: string, known: Place | null, now: number) {
    const rows = await this.db.all(this.#since, { key: sha256Hex(name), ...(known ?? NONE), now });
    const [first] = rows;
    if (!first) return null;
    const pieces = rows.flatMap(({ id, seq, sealed }) =>
      id === null || seq === null || sealed === null ? [] : [{ id, seq, sealed }],
    );
    return { id: first.conversation, pieces };
  }

  add(
    name: string,
    known: Place | null,
    { id, pieces, units }: { readonly id: string; readonly pieces: readonly SealedPiece[]; readonly units: number },
    silenceMs: number,
  ): Promise<{ readonly place: Place; readonly before: readonly SealedPiece[] }> {
    const key = sha256Hex(name);
    const count = pieces.length;
    const conversations = this;
    // Its row is locked from the second statement on: what others add has its numbers before these, or after them.
    return this.db.tx(function* () {
      const now = yield* moment();
      const over = yield* all((q, { conversation: it }) =>
        q
          .delete(it)
          .where(and(eq(it.key, key), lte(it.until, now)))
          .returning({ id: it.id }),
      );
      yield* forget(over.map((it) => it.id));
      const place = yield* one((q, { conversation: it }) => {
        const more = { seq: sql`${it.seq} + ${count}`, units: sql`${it.units} + ${units}` };
        return q
          .insert(it)
          .values({ key, id, seq: count, units, until: now + silenceMs })
          .onConflictDoUpdate({ target: it.key, set: { ...more, until: now + silenceMs } })
          .returning({ id: it.id, seq: it.seq });
      });
      if (place === null) throw new Error("A conversation was not stored");
      const [begin, first] = [place.id === known?.id ? known.seq : 0, place.seq - count + 1];
      const before = begin + 1 === first ? [] : yield* between(place.id, begin, first);
      const rows = pieces.map((piece, n) => ({ ...piece, conversation: place.id, seq: first + n }));
      if (count > 0) yield* run((q, { conversationSaid: it }) => q.insert(it).values(rows));
      yield* conversations.#forgetExcess();
      return { place, before };
    });
  }

  async dropSilent(): Promise<void> {
    await inSlices(this.db, function* (atMost): Steps<boolean> {
      const now = yield* moment();
      const some = yield* all((q, { conversation: it }) =>
        q.select({ id: it.id }).from(it).where(lte(it.until, now)).limit(Math.min(atMost, FORGOTTEN)),
      );
      const gone = yield* all((q, { conversation: it }, { among }) => {
        const ids = some.map(({ id }) => id);
        return q
          .delete(it)
          .where(and(among(it.id, ids), lte(it.until, now)))
          .returning({ id: it.id });
      });
      yield* forget(gone.map(({ id }) => id));
      return gone.length > 0;
    });
  }

  /** Looked for now and then: a look goes over all there are. */
  *#forgetExcess(): Steps<void> {
    this.#added += 1;
    if (this.#added < LOOK_EVERY) return;
    this.#added = 0;
    const kept = yield* one((q, { conversation: it }) =>
      q
        .select({ count: sql`count(*)`.mapWith(Number), units: sql`coalesce(sum(${it.units}), 0)`.mapWith(Number) })
        .from(it),
    );
    if (kept === null || (kept.count <= MAX_CONVERSATIONS && kept.units <= MAX_UNITS)) return;
    const gone = yield* all((q, { conversation: it }) => {
      const some = Math.min(FORGOTTEN, Math.ceil(kept.count / 2));
      const silent = q.select({ key: it.key }).from(it).orderBy(asc(it.until)).limit(some);
      return q.delete(it).where(inArray(it.key, silent)).returning({ id: it.id });
    });
    yield* forget(gone.map(({ id }) => id));
  }
}

function* between(conversation: string, begin: number, end: number): Steps<SealedPiece[]> {
  return yield* all((q, { conversationSaid: it }) =>
    q
      .select({ id: it.id, sealed: it.sealed })
      .from(it)
      .where(and(eq(it.conversation, conversation), gt(it.seq, begin), lt(it.seq, end)))
      .orderBy(asc(it.seq)),
  );
}

/** What was said in conversations that are gone. */
function* forget(ids: readonly string[]): Steps<void> {
  if (ids.length === 0) return;
  yield* run((q, { conversationSaid: it }, { among }) => q.delete(it).where(among(it.conversation, ids)));
}
