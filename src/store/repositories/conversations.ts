import { and, asc, eq, gt, inArray, lt, lte, ne, or, sql } from "drizzle-orm";
import { sha256Hex } from "#platform/hash";
import type { ConversationStore, Place, SealedPiece } from "#store/conversation-port";
import { all, type Db, keptCommand, keptQuery, moment, one, run, type Steps } from "#store/db";
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

/** Each is asked for in calls. */
class Statements {
  readonly since = keptQuery((q, { conversation: it, conversationSaid: said }) => {
    const isNew = or(ne(it.id, sql.placeholder("id")), gt(said.seq, sql.placeholder("seq")));
    return q
      .select({ conversation: it.id, id: said.id, seq: said.seq, sealed: said.sealed })
      .from(it)
      .leftJoin(said, and(eq(said.conversation, it.id), isNew))
      .where(and(eq(it.key, sql.placeholder("key")), gt(it.until, sql.placeholder("now"))))
      .orderBy(asc(said.seq));
  });

  /**
   * The row stays locked: what others add has its numbers before these, or after them. Nothing where the conversation is
   * to be forgotten.
   */
  readonly extend = keptQuery((q, { conversation: it }) => {
    const [key, id, until] = [sql.placeholder("key"), sql.placeholder("id"), sql.placeholder("until")];
    const set = {
      seq: sql`${it.seq} + excluded.seq`,
      units: sql`${it.units} + excluded.units`,
      until: sql`excluded.until`,
    };
    return q
      .insert(it)
      .values({ key, id, seq: sql.placeholder("count"), units: sql.placeholder("units"), until })
      .onConflictDoUpdate({ target: it.key, set, setWhere: gt(it.until, sql.placeholder("now")) })
      .returning({ id: it.id, seq: it.seq });
  });

  readonly add = keptCommand((q, { conversationSaid: it }) => {
    const [id, sealed] = [sql.placeholder("id"), sql.placeholder("sealed")];
    return q
      .insert(it)
      .values({ id, conversation: sql.placeholder("conversation"), seq: sql.placeholder("seq"), sealed });
  });

  readonly between = keptQuery((q, { conversationSaid: it }) => {
    const [begin, end] = [sql.placeholder("begin"), sql.placeholder("end")];
    return q
      .select({ id: it.id, sealed: it.sealed })
      .from(it)
      .where(and(eq(it.conversation, sql.placeholder("conversation")), gt(it.seq, begin), lt(it.seq, end)))
      .orderBy(asc(it.seq));
  });
}

export class Conversations implements ConversationStore {
  readonly #statements = new Statements();
  #added = 0;

  constructor(private readonly db: Db) {}

  async since(name: string, known: Place | null, now: number) {
    const rows = await this.db.all(this.#statements.since, { key: sha256Hex(name), ...(known ?? NONE), now });
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
    const { extend, add, between } = this.#statements;
    const conversations = this;
    return this.db.tx(function* () {
      const now = yield* moment();
      const values = { key, id, count, units, until: now + silenceMs, now };
      let place = yield* one(extend, values);
      if (place === null) {
        yield* forgetSilent(key, now);
        place = yield* one(extend, values);
      }
      if (place === null) throw new Error("A conversation was not stored");
      const { id: conversation } = place;
      const [begin, end] = [conversation === known?.id ? known.seq : 0, place.seq - count + 1];
      const before = begin + 1 === end ? [] : yield* all(between, { conversation, begin, end });
      for (const [n, piece] of pieces.entries()) yield* run(add, { ...piece, conversation, seq: end + n });
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

/** One that was silent for long. */
function* forgetSilent(key: string, now: number): Steps<void> {
  const over = yield* all((q, { conversation: it }) =>
    q
      .delete(it)
      .where(and(eq(it.key, key), lte(it.until, now)))
      .returning({ id: it.id }),
  );
  yield* forget(over.map(({ id }) => id));
}

/** What was said in conversations that are gone. */
function* forget(ids: readonly string[]): Steps<void> {
  if (ids.length === 0) return;
  yield* run((q, { conversationSaid: it }, { among }) => q.delete(it).where(among(it.conversation, ids)));
}
