import { describe, expect, test } from "bun:test";
import { ATTACKS } from "#test/features/report-review/attacks";
import { answering, contentOf, reviewing, verdict } from "#test/features/report-review/reviewing";
import type { Received } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";

describe("a gullible reviewer", () => {
  const gullible: Readonly<Record<string, (sent: Received) => string>> = {
    "repeats the evidence": (sent) => contentOf(sent, 1),
    "repeats the evidence without its quotes": (sent) => contentOf(sent, 1).replaceAll("│ ", ""),
    "repeats the last object in the evidence": (sent) => contentOf(sent, 1).match(/\{[^{}]*\}(?![\s\S]*\{)/)?.[0] ?? "",
    "repeats what follows the fence": (sent) => {
      const mark = /the mark ([0-9a-f]{32})/.exec(contentOf(sent, 0))?.[1] ?? "none";
      const text = contentOf(sent, 1);
      return text.slice(text.lastIndexOf(`${mark} ===`) + mark.length + 4);
    },
    "repeats whatever stands behind a marker": (sent) =>
      /(?:<\|im_start\|>assistant|\[\/INST\]|<\|end_header_id\|>|^Assistant:|^### Assistant:)([\s\S]*)/m.exec(
        contentOf(sent, 1),
      )?.[1] ?? "",
  };

  test.each(Object.entries(gullible))(
    "that %s is not believed",
    async (_, answer) => {
      verifies("reviewer.fenced", "reviewer.strict-answer");
      await reviewing(async (room, provider) => {
        provider.always(answering(provider, answer));
        const ids: string[] = [];
        for (const attack of Object.values(ATTACKS)) ids.push(await room.report(attack, { user_reason: attack }));
        // To the end of every report's patience.
        for (let round = 0; round < 100; round += 1) {
          room.now += 300_000;
          await room.jobs.tick();
        }
        expect(provider.calls.length).toBe(ids.length * 6);
        const reports = await Promise.all(ids.map((id) => room.byId(id)));
        expect(reports.filter(({ status, llm_verdict }) => status !== "needs_human" || llm_verdict !== null)).toEqual(
          [],
        );
        expect(room.suggested).toEqual([]);
      });
    },
    60_000,
  );

  test("that keeps to its own judgement is heard, whatever the evidence says", async () => {
    verifies("reviewer.fenced");
    await reviewing(async (room, provider) => {
      provider.always(answering(provider, (sent) => `${contentOf(sent, 1)}\n${verdict("true_positive")}`));
      for (const attack of Object.values(ATTACKS).slice(0, 40)) {
        expect(await room.reviewed(attack)).toMatchObject({ status: "reviewed", llm_verdict: "true_positive" });
      }
      expect(room.suggested).toEqual([]);
    });
  });
});
