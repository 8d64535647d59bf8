import { and, count, eq, inArray, isNull, lt } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Notice } from "#model/triage";
import { all, anyRow, type Db } from "#store/db";
import type { Tables } from "#store/tables";
import type { NoticeStore } from "#store/triage-port";
import { inBatches } from "./batches";
import { afterMoment, newestFirst, type Ordered, startOf } from "./windows";

const ordered = ({ notice }: Tables): Ordered => ({ table: notice, at: notice.at, id: notice.id });

/** Nothing here governs anything: none of it makes a revision or waits for the disk. */
export class Notices implements NoticeStore {
  constructor(private readonly db: Db) {}

  add(notices: readonly Notice[]): Promise<Notice[]> {
    return this.db.tx(function* () {
      const added: Notice[] = [];
      for (const it of notices) {
        const isNew = yield* anyRow((q, { notice }) =>
          q.insert(notice).values(it).onConflictDoNothing().returning({ id: notice.id }),
        );
        if (isNew) added.push(it);
      }
      return added;
    });
  }

  page({ user_id, isUnseen }: Parameters<NoticeStore["page"]>[0], window: PageWindow): Promise<Notice[]> {
    return this.db.read(function* () {
      const start = yield* startOf(ordered, window);
      return yield* all((q, t) => {
        const here = and(eq(t.notice.user_id, user_id), isUnseen ? isNull(t.notice.seen_at) : undefined);
        return q
          .select()
          .from(t.notice)
          .where(and(here, afterMoment(ordered(t), start)))
          .orderBy(...newestFirst(ordered(t)))
          .limit(window.limit);
      });
    });
  }

  async unseen(userId: string): Promise<number> {
    const row = await this.db.one((q, { notice }) =>
      q
        .select({ count: count() })
        .from(notice)
        .where(and(eq(notice.user_id, userId), isNull(notice.seen_at))),
    );
    return row?.count ?? 0;
  }

  see(userId: string, subjectId: string | null, at: number): Promise<number> {
    return this.db.tx(function* () {
      const seen = yield* all((q, { notice }) => {
        const ofWhat = subjectId === null ? undefined : eq(notice.subject_id, subjectId);
        return q
          .update(notice)
          .set({ seen_at: at })
          .where(and(eq(notice.user_id, userId), isNull(notice.seen_at), ofWhat))
          .returning({ id: notice.id });
      });
      return seen.length;
    });
  }

  dropBefore(at: number): Promise<number> {
    return inBatches(this.db, function* (atMost) {
      const gone = yield* all((q, { notice }) => {
        const some = q.select({ id: notice.id }).from(notice).where(lt(notice.at, at)).limit(atMost);
        return q.delete(notice).where(inArray(notice.id, some)).returning({ id: notice.id });
      });
      return gone.length;
    });
  }
}
