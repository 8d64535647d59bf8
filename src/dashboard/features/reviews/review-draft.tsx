import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, call, messageOf } from "#dashboard/api/client";
import type { DraftAnswers } from "#policy/review/questionnaire";
import { asAsked, type ReviewData, sendable } from "./review-answers";
import { SECTIONS } from "./review-questions";

/** Typing rests this long before it is saved. */
const REST_MS = 900;

export type Saving =
  | { readonly is: "saved" | "unsaved" | "saving" }
  | { readonly is: "failed"; readonly message: string; readonly param: string | null }
  /** Somebody else changed it since it was read. */
  | { readonly is: "conflict" };

const textOf = (value: unknown): string => JSON.stringify(value ?? null);

/** The sections that differ. */
const changedIn = (before: DraftAnswers, now: DraftAnswers): DraftAnswers =>
  Object.fromEntries(
    SECTIONS.filter((section) => textOf(before[section]) !== textOf(now[section])).map((section) => [
      section,
      now[section] ?? {},
    ]),
  );

const stateOf = (error: unknown): Saving => {
  if (error instanceof ApiError && error.code === "stale_base") return { is: "conflict" };
  return { is: "failed", message: messageOf(error), param: error instanceof ApiError ? error.param : null };
};

/** Saves what is written once the typing rests, and at once when who writes goes elsewhere. */
const useSavedAlong = (
  auto: boolean,
  unsaved: DraftAnswers | null,
  save: (isLeaving?: boolean) => Promise<boolean>,
) => {
  useEffect(() => {
    if (!auto || unsaved === null) return;
    const timer = setTimeout(() => void save(), REST_MS);
    return () => clearTimeout(timer);
  }, [auto, unsaved, save]);
  useEffect(() => {
    const leave = () => {
      if (auto) void save(true);
    };
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, [auto, save]);
};

/** The answers as they are written, and those they were written from: as the hub has them, at which revision. */
const useWriting = (review: ReviewData) => {
  const [answers, setAnswers] = useState(() => asAsked(review.answers));
  const now = useRef(answers);
  const base = useRef({ answers, revision: review.revision });
  const write = useCallback((next: DraftAnswers) => {
    now.current = next;
    setAnswers(next);
  }, []);
  const rebase = useCallback(
    (from: ReviewData) => {
      base.current = { answers: asAsked(from.answers), revision: from.revision };
      write(base.current.answers);
    },
    [write],
  );
  const pending = useCallback(() => changedIn(sendable(base.current.answers), sendable(now.current)), []);
  const isPending = useCallback(() => Object.keys(pending()).length > 0, [pending]);
  return { answers, now, base, write, rebase, pending, isPending };
};

/**
 * Answers as they are written: saved a moment after the typing rests, section by section, and only over the state they
 * were written from. `auto`: without that they wait for `save`.
 */
export const useDraft = (review: ReviewData, auto: boolean) => {
  const queries = useQueryClient();
  const { answers, now, base, write, rebase, pending, isPending } = useWriting(review);
  const [saving, setSaving] = useState<Saving>({ is: "saved" });
  const running = useRef<Promise<boolean> | null>(null);
  const adopt = (from: ReviewData) => {
    rebase(from);
    setSaving({ is: "saved" });
  };

  const send = useCallback(
    async (keepalive: boolean): Promise<boolean> => {
      const changed = pending();
      if (Object.keys(changed).length === 0) {
        setSaving({ is: "saved" });
        return true;
      }
      setSaving({ is: "saving" });
      try {
        const about = { params: { id: review.id }, revision: base.current.revision };
        const saved = await call("PATCH /api/reviews/:id", { ...about, body: { answers: changed }, keepalive });
        base.current = { answers: { ...base.current.answers, ...changed }, revision: saved.revision };
        queries.setQueryData(["/api/reviews/:id", { params: { id: review.id } }], saved);
        // What was typed while it was under way waits for its own rest.
        setSaving({ is: isPending() ? "unsaved" : "saved" });
        return true;
      } catch (error) {
        setSaving(stateOf(error));
        return false;
      }
    },
    [queries, review.id, base, pending, isPending],
  );

  /** One after the other; what was typed meanwhile goes with the next. */
  const save = useCallback(
    async (isLeaving = false): Promise<boolean> => {
      while (running.current) await running.current;
      running.current = send(isLeaving);
      try {
        return await running.current;
      } finally {
        running.current = null;
      }
    },
    [send],
  );

  const change = (next: DraftAnswers) => {
    write(next);
    setSaving((state) => (state.is === "conflict" ? state : { is: "unsaved" }));
  };

  useSavedAlong(auto, saving.is === "unsaved" ? answers : null, save);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what the hub says now is what starts it
  useEffect(() => {
    if (review.revision <= base.current.revision || running.current) return;
    if (!isPending()) adopt(review);
  }, [review]);

  const takeTheirs = (): Promise<void> =>
    call("GET /api/reviews/:id", { params: { id: review.id } }).then(adopt, (error) => setSaving(stateOf(error)));
  /** The sections written here go over those somebody else wrote; their other sections stay. */
  const overwrite = async () => {
    const mine = pending();
    await takeTheirs();
    change({ ...now.current, ...mine });
    await save();
  };

  return { answers, change, saving, save, overwrite, takeTheirs, isChanged: isPending() };
};

export type ReviewDraft = ReturnType<typeof useDraft>;
