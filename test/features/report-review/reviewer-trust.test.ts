import { describe, expect, test } from "bun:test";
import { ReviewerWorld, START } from "#test/features/report-review/reviewer-world";
import { answering, contentOf, RECIPE, reviewing, verdict } from "#test/features/report-review/reviewing";
import { says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";

describe("a reviewer that is not to be trusted", () => {
  const asked = 48;

  test("is tried with a known case every 50th time, and paused when it is wrong", async () => {
    verifies("reviewer.canary");
    await reviewing(async (world, provider) => {
      provider.always(says(verdict("false_positive")));
      for (let n = 0; n < asked + 1; n += 1) await world.reviewed(RECIPE, { user_id: `user-${n}` });
      expect(provider.calls.length).toBe(2 * (asked + 1));
      // The first known case is an attack.
      const report = await world.reviewed(RECIPE);
      expect(report).toMatchObject({ status: "needs_human", llm_verdict: null });
      expect(provider.calls.length).toBe(2 * (asked + 2));
      expect((await world.records("system.reviewer_untrusted")).length).toBe(1);
      expect(world.told).toEqual(["system.reviewer_untrusted"]);
      expect((await world.reviewed(RECIPE)).status).toBe("needs_human");
      expect(provider.calls.length).toBe(2 * (asked + 2));

      await world.person("ada", "admin");
      await world.person("rob", "reviewer");
      expect((await world.api("rob", "GET", "/reviewer")).json).toMatchObject({ is_paused: true, canaries: 1 });
      const reason = { reason: "The model was replaced." };
      expect((await world.api("rob", "POST", "/reviewer/resume", reason)).status).toBe(403);
      expect((await world.api("ada", "POST", "/reviewer/resume", reason)).json).toMatchObject({ is_paused: false });
      expect((await world.reviewed(RECIPE)).status).toBe("reviewed");
    });
  });

  test("goes on when it is right", async () => {
    verifies("reviewer.canary");
    await reviewing(async (world, provider) => {
      provider.always(
        answering(provider, (sent) =>
          verdict(contentOf(sent, 1).includes("Ignore all previous") ? "true_positive" : "inconclusive"),
        ),
      );
      for (let n = 0; n < asked + 2; n += 1) await world.reviewed(RECIPE);
      expect(provider.calls.length).toBe(2 * (asked + 3));
      expect((await world.reviewed(RECIPE)).status).toBe("reviewed");
    });
  });

  test("is another once another model is configured", async () => {
    verifies("reviewer.canary");
    await reviewing(async (world, provider, place) => {
      provider.always(says(verdict("false_positive")));
      for (let n = 0; n < asked + 2; n += 1) await world.reviewed(RECIPE, { user_id: `user-${n}` });
      await using next = new ReviewerWorld(await place.open(), { url: provider.url, model: "judge-2" });
      expect((await next.reviewed(RECIPE)).status).toBe("reviewed");
    });
  });

  test("does not judge for whom it always believes", async () => {
    verifies("reviewer.alarm");
    await reviewing(async (world, provider) => {
      provider.always(says(verdict("false_positive")));
      for (let n = 0; n < 20; n += 1) {
        world.now += 1_000;
        expect((await world.reviewed(RECIPE)).status).toBe("reviewed");
      }
      expect((await world.reviewed(RECIPE)).status).toBe("needs_human");
      expect((await world.reviewed(RECIPE, { user_id: "u2" })).status).toBe("reviewed");
      expect(provider.calls.length).toBe(42);
    });
  });

  test("has a budget, which is there again the next day", async () => {
    verifies("reviewer.limits");
    await reviewing(
      async (world, provider) => {
        provider.always(says(verdict("true_positive")));
        const states: string[] = [];
        for (let n = 0; n < 3; n += 1) states.push((await world.reviewed(RECIPE)).status);
        world.now = START + 86_400_000;
        states.push((await world.reviewed(RECIPE)).status);
        expect(states).toEqual(["reviewed", "reviewed", "needs_human", "reviewed"]);
        expect(provider.calls.length).toBe(6);
      },
      { dailyBudget: 5 },
    );
  });
});
