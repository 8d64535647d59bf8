import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { MODEL, ReviewerWorld } from "#test/features/report-review/reviewer-world";
import { contentOf, RECIPE, reviewing, verdict } from "#test/features/report-review/reviewing";
import { fails, hangs, refuses, says } from "#test/support/fake-provider";
import { verifies } from "#test/support/verifies";

describe("a report", () => {
  test("is read twice, and reviewed", async () => {
    verifies("reviewer.two-readings", "reviewer.no-change");
    await reviewing(async (world, provider) => {
      provider.next(says(verdict("false_positive", 0.8)), says(verdict("false_positive", 0.95)));
      const report = await world.reviewed(RECIPE);
      expect(report).toMatchObject({
        ...{ status: "reviewed", llm_verdict: "false_positive", llm_confidence: 0.8 },
        ...{ llm_reasoning: "It is a recipe.", decision: null, closed_at: null },
      });
      expect(world.suggested).toEqual([report.id]);
      expect(provider.calls.length).toBe(2);
      for (const { body } of provider.calls) {
        expect(body).toMatchObject({ model: MODEL, temperature: 0, response_format: { type: "json_object" } });
        expect([body["tools"], body.stream, body.messages?.map(({ role }) => role)]).toEqual([
          undefined,
          false,
          ["system", "user"],
        ]);
      }
      const [one, other] = provider.calls;
      expect(one && other && contentOf(one, 0) !== contentOf(other, 0)).toBe(true);
      await world.jobs.tick();
      expect(provider.calls.length).toBe(2);
    });
  });

  test.each([
    ["false_positive", "true_positive", "inconclusive", 0],
    ["false_positive", "false_positive", "true_positive", 0],
    ["false_negative", "true_positive", "true_positive", 1],
    ["false_negative", "false_positive", "false_positive", 0],
  ] as const)("%s: %s and %s make %i suggestions", async (direction, first, second, suggestions) => {
    verifies("reviewer.two-readings", "reviewer.no-change");
    await reviewing(async (world, provider) => {
      provider.next(says(verdict(first)), says(verdict(second)));
      const report = await world.reviewed(RECIPE, { direction });
      expect(report.llm_verdict).toBe(first === second ? first : "inconclusive");
      expect(world.suggested.length).toBe(suggestions);
    });
  });

  test("that neither reading is sure of is inconclusive", async () => {
    verifies("reviewer.two-readings");
    await reviewing(async (world, provider) => {
      provider.next(says(verdict("false_positive", 0.69)), says(verdict("false_positive", 0.99)));
      expect(await world.reviewed(RECIPE)).toMatchObject({ llm_verdict: "inconclusive", llm_confidence: 0.69 });
      expect(world.suggested).toEqual([]);
    });
  });

  test.each([
    ["without consent", { share_content: false }, RECIPE, "not_shared"],
    ["without content", {}, null, "no_content"],
    ["with content that does not open", { sealed_content: "v1.x.y.z" }, RECIPE, "no_content"],
    ["that is too long", {}, "a ".repeat(40_000), "too_long"],
  ] as const)("%s is for people, and reaches no model", async (_, more, content, why) => {
    verifies("reviewer.optional", "reviewer.bounded");
    await reviewing(async (world, provider) => {
      const report = await world.reviewed(content, more);
      expect(report).toMatchObject({ status: "needs_human", llm_verdict: null });
      expect((await world.records("report.needs_human")).map(({ change }) => change?.detail["why"])).toEqual([why]);
      expect(provider.calls).toEqual([]);
    });
  });

  test("is for people where no reviewer is configured", async () => {
    verifies("reviewer.optional");
    await reviewing((world) => world.reviewed(RECIPE).then(({ status }) => expect(status).toBe("needs_human")), {
      url: null,
    });
  });

  test("leaves without its secrets", async () => {
    verifies("reviewer.masked");
    const key = `AKIA${"Z7QX2M4LTR8WVB3N"}`;
    await reviewing(async (world, provider) => {
      provider.always(says(verdict("true_positive")));
      await world.reviewed(`aws_access_key_id = ${key}`, { user_reason: `${key} is a test key` });
      expect(provider.calls.length).toBe(2);
      for (const call of provider.calls) {
        expect(call.text).not.toContain(key);
        expect(call.text).toContain("‹SECRET:aws_access_key:len20›");
      }
    });
  });

  test("is asked about where the operator said", async () => {
    await reviewing(
      async (world, provider) => {
        provider.always(says(verdict("true_positive")));
        await world.reviewed(RECIPE);
        expect(provider.calls.map(({ path }) => path)).toEqual(Array(2).fill("/v1/others/chat/completions"));
      },
      { provider: "others" },
    );
  });

  test("is on record before and after each reading, without content", async () => {
    verifies("reviewer.audited");
    await reviewing(async (world, provider) => {
      provider.next(says(verdict("false_positive")), says("I would rather not."));
      const { id } = await world.reviewed(RECIPE, { user_reason: "Only a recipe." });
      const records = await world.records("report.review");
      expect(records.map(({ phase }) => phase).sort()).toEqual(["final", "final", "request", "request"]);
      expect(records.map(({ outcome }) => outcome).sort()).toEqual(["answered", "failed", "open", "open"]);
      for (const record of records) {
        expect(record).toMatchObject({ actor: { via: "system", agent_id: null }, call: { model: MODEL } });
        expect(record.change).toMatchObject({ subject: "report", subject_id: id });
        expect(JSON.stringify(record)).not.toMatch(/Whisk|recipe/);
      }
      expect((await world.records("report.reviewing")).length).toBe(1);
    });
  });
});

describe("jobs", () => {
  test("are tried three times with growing pauses, then left to people", async () => {
    verifies("reviewer.jobs");
    await reviewing(async (world, provider) => {
      provider.always(fails(500));
      const id = await world.report(RECIPE);
      const calls: number[] = [];
      for (const pause of [0, 9_999, 1, 39_999, 1, 1_000_000]) {
        world.now += pause;
        await world.jobs.tick();
        calls.push(provider.calls.length);
      }
      expect(calls).toEqual([2, 2, 4, 4, 6, 6]);
      expect(await world.byId(id)).toMatchObject({ status: "needs_human", llm_verdict: null });
    });
  });

  test.each([
    ["an answer that cannot be read", says("No.")],
    ["a refusal", refuses("I cannot help with that.")],
    ["a provider's refusal", fails(400)],
  ])("come to a verdict after %s", async (_, first) => {
    verifies("reviewer.jobs");
    await reviewing(async (world, provider) => {
      provider.next(first, first);
      provider.always(says(verdict("false_positive")));
      const id = await world.report(RECIPE);
      await world.jobs.tick();
      expect(await world.byId(id)).toMatchObject({ status: "reviewing" });
      world.now += 10_000;
      await world.jobs.tick();
      expect(await world.byId(id)).toMatchObject({ status: "reviewed", llm_verdict: "false_positive" });
    });
  });

  test("have a time limit", async () => {
    verifies("reviewer.limits");
    await reviewing(
      async (world, provider) => {
        provider.always(hangs());
        const began = performance.now();
        await world.reviewed(RECIPE);
        expect(performance.now() - began).toBeLessThan(30_000);
        const codes = (await world.records("report.review")).flatMap(({ phase, call }) =>
          phase === "final" ? call?.code : [],
        );
        expect(codes.map(String)).toEqual(["upstream_timeout", "upstream_timeout"]);
      },
      { timeoutMs: 100 },
    );
  });

  test("survive kill -9 in the middle of a reading, once their lease has run out", async () => {
    verifies("reviewer.jobs");
    await reviewing(async (world, provider, place) => {
      provider.always(hangs());
      const id = await world.report(RECIPE);
      const script = join(import.meta.dir, "children", "review.ts");
      const child = Bun.spawn([process.execPath, script, place.path, provider.url], {
        stdout: "pipe",
        stderr: "inherit",
      });
      await provider.call(1, 15_000);
      child.kill("SIGKILL");
      await child.exited;
      expect(await world.byId(id)).toMatchObject({ status: "reviewing" });
      provider.always(says(verdict("true_positive")));
      await world.jobs.tick();
      expect(provider.calls.length).toBe(2);
      world.now += 180_000;
      await world.jobs.tick();
      expect(await world.byId(id)).toMatchObject({ status: "reviewed", llm_verdict: "true_positive" });
    });
  }, 120_000);

  test("orderly stop: open reviews are aborted and repeated by the next process", async () => {
    verifies("reviewer.jobs");
    await reviewing(async (world, provider, place) => {
      provider.always(hangs());
      const id = await world.report(RECIPE);
      const work = world.jobs.tick();
      await provider.call(1);
      await world.jobs.stop();
      await work;
      const phases = (await world.records("report.review")).map(({ phase }): string => phase);
      expect(phases.sort()).toEqual(["final", "final", "request", "request"]);
      provider.always(says(verdict("true_positive")));
      await using next = new ReviewerWorld(await place.open(), { url: provider.url, worker: "w2" });
      await next.jobs.tick();
      expect(await next.byId(id)).toMatchObject({ status: "reviewed" });
    });
  });

  test("are done by one of several processes", async () => {
    verifies("reviewer.jobs");
    await reviewing(async (world, provider, place) => {
      provider.always(says(verdict("true_positive")));
      await using other = new ReviewerWorld(await place.open(), { url: provider.url, worker: "w2" });
      for (let n = 0; n < 6; n += 1) await world.report(`${RECIPE} ${n}`);
      for (let n = 0; n < 3; n += 1) await Promise.all([world.jobs.tick(), other.jobs.tick()]);
      expect(provider.calls.length).toBe(12);
    });
  });

  test("make a suggestion that a crash had kept back", async () => {
    verifies("reviewer.jobs", "reviewer.no-change");
    await reviewing(async (world, provider) => {
      provider.always(says(verdict("false_positive")));
      world.stop = new Error("no replay now");
      const { id, status } = await world.reviewed(RECIPE);
      expect([status, world.suggested]).toEqual(["reviewed", []]);
      world.stop = null;
      world.now += 10_000;
      await world.jobs.tick();
      expect([world.suggested, provider.calls.length]).toEqual([[id], 2]);
    });
  });
});
