import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { DraftAnswers } from "#core/review/questionnaire";
import { ApiError, call, messageOf } from "#dashboard/api/client";
import { asAsked, sendable } from "./review-answers";
import { SECTIONS } from "./review-questions";
import type { Review } from "./review-type";

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

/** What was typed while the last was on its way is not saved by it. */
const afterSaving = (saved: DraftAnswers, now: DraftAnswers): "saved" | "unsaved" =>
  Object.keys(changedIn(sendable(saved), sendable(now))).length === 0 ? "saved" : "unsaved";

const stateOf = (error: unknown): Saving => {
  if (error instanceof ApiError && error.code === "stale_base") return { is: "conflict" };
  return { is: "failed", message: messageOf(error), param: error instanceof ApiError ? error.param : null };
};

/** Saves what is written once the typing rests, and at once when who writes goes elsewhere. */
const useSavedAlong = (auto: boolean, unsaved: DraftAnswers | null, save: () => Promise<boolean>) => {
  useEffect(() => {
    if (!auto || unsaved === null) return;
    const timer = setTimeout(() => void save(), REST_MS);
    return () => clearTimeout(timer);
  }, [auto, unsaved, save]);
  useEffect(() => {
    const leave = () => {
      if (auto) void save();
    };
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, [auto, save]);
};

/**
 * Answers as they are written: saved a moment after the typing rests, section by section, and only over the state they
 * were written from. `auto`: without that they wait for `save`.
 */
export const useDraft = (review: Review, auto: boolean) => {
  const queries = useQueryClient();
  const [answers, setAnswers] = useState(() => asAsked(review.answers));
  const [saving, setSaving] = useState<Saving>({ is: "saved" });
  const now = useRef(answers);
  const base = useRef({ answers: asAsked(review.answers), revision: review.revision });
  const running = useRef<Promise<boolean> | null>(null);

  const adopt = useCallback((from: Review) => {
    base.current = { answers: asAsked(from.answers), revision: from.revision };
    now.current = base.current.answers;
    setAnswers(now.current);
    setSaving({ is: "saved" });
  }, []);

  const pending = () => changedIn(sendable(base.current.answers), sendable(now.current));

  const send = useCallback(async (): Promise<boolean> => {
    const changed = changedIn(sendable(base.current.answers), sendable(now.current));
    if (Object.keys(changed).length === 0) {
      setSaving({ is: "saved" });
      return true;
    }
    setSaving({ is: "saving" });
    try {
      const input = { params: { id: review.id }, body: { answers: changed }, revision: base.current.revision };
      const saved = await call("PATCH /api/reviews/:id", input);
      base.current = { answers: { ...base.current.answers, ...changed }, revision: saved.revision };
      queries.setQueryData(["/api/reviews/:id", { params: { id: review.id } }], saved);
      setSaving({ is: afterSaving(base.current.answers, now.current) });
      return true;
    } catch (error) {
      setSaving(stateOf(error));
      return false;
    }
  }, [queries, review.id]);

  /** One after the other; what was typed meanwhile goes with the next. */
  const save = useCallback(async (): Promise<boolean> => {
    while (running.current) await running.current;
    running.current = send();
    try {
      return await running.current;
    } finally {
      running.current = null;
    }
  }, [send]);

  const change = (next: DraftAnswers) => {
    now.current = next;
    setAnswers(next);
    setSaving((state) => (state.is === "conflict" ? state : { is: "unsaved" }));
  };

  useSavedAlong(auto, saving.is === "unsaved" ? answers : null, save);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what the hub says now is what starts it
  useEffect(() => {
    if (review.revision <= base.current.revision || running.current) return;
    if (Object.keys(pending()).length === 0) adopt(review);
  }, [review]);

  /** The sections written here go over those somebody else wrote; their other sections stay. */
  const overwrite = async () => {
    const mine = pending();
    adopt(await call("GET /api/reviews/:id", { params: { id: review.id } }));
    change({ ...now.current, ...mine });
    await save();
  };
  const takeTheirs = async () => adopt(await call("GET /api/reviews/:id", { params: { id: review.id } }));

  return { answers, change, saving, save, overwrite, takeTheirs, isChanged: Object.keys(pending()).length > 0 };
};

export type Draft = ReturnType<typeof useDraft>;
