import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { CHAT } from "#guard/apis/chat";
import { type ConversationMemory, Conversations, SILENCE_MS, type Talk } from "#guard/conversations";
import { type Follower, RecentValues } from "#guard/recent-values";
import { SharedConversations } from "#guard/shared-conversations";
import { systemIds } from "#platform/ids";
import { openSecret, sealSecret } from "#platform/sealing";
import { slices } from "#platform/slices";
import { TAINTED } from "#policy/provenance/provenance";
import { DEFAULT_POLICY } from "#scan/defaults";
import { compilePolicy, type PolicyRule } from "#scan/policy";
import type { LendProcesses, Processes, ProcessStore } from "#test/store/processes";
import { verifies } from "#test/support/verifies";

const LEASE_MS = 10_000;
const DEPTH = 100;
const BLOCKS: PolicyRule = { type: TAINTED.type, thresholds: { block: 0.5 } };
const NOTES: PolicyRule = { type: TAINTED.type, thresholds: { flag: 0.5 } };

const fail = (error: unknown): void => {
  throw error;
};

export const talkOf = (conversation: string, rule = BLOCKS, profile_version: number | null = null): Talk => ({
  caller: { user: { id: "u1" }, agent: { id: "a1" } },
  conversation,
  rules: { policy: compilePolicy({ ...DEFAULT_POLICY, rules: [rule] }, 1, []), effective: { profile_version } },
});

/** An agent whose profile says which tainted values count. */
export const followerOf = (agent = "a1", action: "hold" | "allow" = "hold"): Follower => {
  const { rules } = talkOf("unused");
  return {
    caller: { user: { id: "u1" }, agent: { id: agent } },
    rules: {
      ...rules,
      effective: {
        profile_version: 1,
        tainted_values: { layer: "profile v1", value: { from: 0.75, reading_tools: true } },
        tainted_arguments: { layer: "profile v1", value: action },
      },
    },
  };
};

/** One process, and a memory of the kind that a process alone has. */
type Process = { readonly store: ProcessStore; readonly memory: SharedConversations; readonly own: Conversations };

const processOf = async (
  { clock, open }: Processes,
  id: string,
  key: Uint8Array,
  onFault: (error: unknown) => void = fail,
): Promise<Process> => {
  const store = await open({ id, version: "test", leaseMs: LEASE_MS });
  const now = () => clock.at;
  const own = new Conversations({ now, maxDepth: DEPTH });
  const memory = new SharedConversations({
    ...{ now, maxDepth: DEPTH, said: store.said, ids: systemIds, own, onFault },
    seal: (purpose, text) => sealSecret(key, purpose, text),
    unseal: (purpose, sealed) => openSecret(key, purpose, sealed),
  });
  return { store, memory, own };
};

const trioOf = async (processes: Processes) => {
  const key = randomBytes(32);
  const all: Process[] = [];
  for (const id of ["0", "1", "2"]) all.push(await processOf(processes, id, key));
  const at = (n: number): Process => {
    const one = all[n % 3];
    if (!one) throw new Error("no process");
    return one;
  };
  return { all, at };
};

const speechOf = (turns: readonly (readonly [role: string, content: string])[]) => {
  const speech = CHAT.request.speechOf({ messages: turns.map(([role, content]) => ({ role, content })) });
  if (!speech) throw new Error("no speech");
  return speech;
};

const sources = async (memory: ConversationMemory, talk: Talk, values: readonly string[]) => {
  const index = await memory.indexOf(talk);
  return values.map((value) => index?.sourceOf(value));
};

const VALUES = ["mia@evil.example", "INV-20441-X", "ann@home.example"] as const;
const value = fc.constantFrom(...VALUES);
const text = value.map((it) => `Something about ${it}.`);
const step = fc.oneof(
  fc.record({
    do: fc.constant("speech" as const),
    at: fc.nat(2),
    turns: fc.array(fc.tuple(fc.constantFrom("user", "assistant", "tool"), text), { minLength: 1, maxLength: 4 }),
    isSliced: fc.boolean(),
  }),
  fc.record({
    do: fc.constant("result" as const),
    at: fc.nat(2),
    texts: fc.array(text, { minLength: 1, maxLength: 3 }),
  }),
);

export const sharedConversationsContract = (name: string, lend: LendProcesses, runs: number): void => {
  test(
    `${name}: what was said through any process is found at each, from where one process would have it`,
    () =>
      lend(async (processes) => {
        verifies("provenance.shared");
        const { at } = await trioOf(processes);
        const alone = new Conversations({ now: () => processes.clock.at, maxDepth: DEPTH });
        let round = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(2), async (steps, asked) => {
            const talk = talkOf(`talk ${round++}`);
            for (const one of steps) {
              const { memory } = at(one.at);
              if (one.do === "result") {
                await alone.hearResult(talk, "files__mail", one.texts, null);
                await memory.hearResult(talk, "files__mail", one.texts, null);
              } else {
                const speech = speechOf(one.turns);
                await alone.hearSpeech(talk, speech, null);
                await memory.hearSpeech(talk, speech, one.isSliced ? slices.begin() : null);
              }
              await memory.told(talk);
            }
            expect(await sources(at(asked).memory, talk, VALUES)).toEqual(await sources(alone, talk, VALUES));
          }),
          { numRuns: runs },
        );
      }),
    120_000,
  );

  test(
    `${name}: values an agent met through any process are known at each, whatever the conversation`,
    () =>
      lend(async (processes) => {
        verifies("provenance.followed", "provenance.shared");
        const { all, at } = await trioOf(processes);
        const now = () => processes.clock.at;
        const over = (conversations: ConversationMemory) => new RecentValues({ conversations, now, maxDepth: DEPTH });
        const memories = new Map(all.map(({ memory }) => [memory, over(memory)]));
        const recentAt = (n: number) => memories.get(at(n).memory) ?? over(at(n).memory);
        const alone = over(new Conversations({ now, maxDepth: DEPTH }));
        const traced = async (memory: RecentValues, who: Follower) => {
          const origins = await memory.originsOf(who);
          return VALUES.map((one) => origins?.trace(one, "email"));
        };
        let round = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), fc.nat(2), async (steps, asked) => {
            const who = followerOf(`agent ${round++}`);
            for (const one of steps) {
              for (const memory of [alone, recentAt(one.at)]) {
                if (one.do === "result") await memory.hearTool(who, "tool", "files__mail", one.texts, null);
                else await memory.hearSpeech(who, speechOf(one.turns), one.isSliced ? slices.begin() : null);
                await memory.told(who);
              }
            }
            expect(await traced(recentAt(asked), who)).toEqual(await traced(alone, who));
          }),
          { numRuns: runs },
        );
      }),
    120_000,
  );

  test(`${name}: what is said at once through three processes has one order for all, and nothing is lost`, () =>
    lend(async (processes) => {
      verifies("provenance.shared");
      const { all, at } = await trioOf(processes);
      const talk = talkOf("at once");
      const mails = Array.from({ length: 60 }, (_, n) => `mail${n}@evil.example`);
      await Promise.all(
        mails.map(async (mail, n) => {
          const { memory } = at(n);
          await memory.hearSpeech(talk, speechOf([["user", `Hello ${n} from user${n}@home.example`]]), null);
          await memory.hearResult(talk, `files__t${n}`, [`Write to ${mail} or to both@evil.example`], null);
          await memory.told(talk);
        }),
      );
      const found = await Promise.all(
        all.map(({ memory }) => sources(memory, talk, [...mails, "both@evil.example", "user7@home.example"])),
      );
      expect(found[0]?.slice(0, 60)).toEqual(mails.map((_, n) => `tool files__t${n}`));
      expect(found[0]?.at(-1)).toBeNull();
      for (const one of found) expect(one).toEqual(found[0] ?? []);
    }));

  test(`${name}: it is encrypted, one caller's own, and forgotten after an hour of silence`, () =>
    lend(async (processes) => {
      verifies("provenance.shared");
      const { clock } = processes;
      const { at } = await trioOf(processes);
      const talk = talkOf("silence");
      const hear = async (n: number, tool: string, said: string) => {
        await at(n).memory.hearResult(talk, tool, [said], null);
        await at(n).memory.told(talk);
      };
      await hear(0, "files__mail", `Write to ${VALUES[0]}`);
      const name = JSON.stringify(["u1", "a1", "silence"]);
      const kept = await at(1).store.said.since(name, null, clock.at);
      expect(kept?.pieces).toHaveLength(1);
      expect(JSON.stringify(kept)).not.toContain("evil.example");
      const stranger = { ...talk, caller: { ...talk.caller, agent: { id: "a2" } } };
      expect(await at(1).memory.indexOf(stranger)).toBeNull();
      clock.at += SILENCE_MS / 2;
      await hear(1, "files__mail", "Nothing.");
      clock.at += SILENCE_MS - 1;
      expect(await sources(at(2).memory, talk, VALUES.slice(0, 1))).toEqual(["tool files__mail"]);
      clock.at += 1;
      expect(await at(1).memory.indexOf(talk)).toBeNull();
      // It begins anew, and nobody goes on with what was.
      await hear(2, "files__look", `Only ${VALUES[1]}`);
      for (const n of [0, 1, 2]) {
        expect(await sources(at(n).memory, talk, VALUES)).toEqual([undefined, "tool files__look", undefined]);
      }
      clock.at += SILENCE_MS;
      await at(0).store.said.dropSilent();
      clock.at -= SILENCE_MS;
      expect(await at(0).store.said.since(name, null, clock.at)).toBeNull();
    }));

  test(`${name}: nothing is stored for who is only noted by the hub's own policy; with a profile it is`, () =>
    lend(async (processes) => {
      verifies("provenance.shared");
      const { at } = await trioOf(processes);
      for (const [conversation, version] of [
        ["noted", null],
        ["profile", 3],
      ] as const) {
        const talk = talkOf(conversation, NOTES, version);
        await at(0).memory.hearSpeech(talk, speechOf([["user", "Hello"]]), null);
        await at(0).memory.hearResult(talk, "files__mail", [`Write to ${VALUES[0]}`], null);
        await at(0).memory.told(talk);
        expect(await sources(at(0).memory, talk, VALUES.slice(0, 1))).toEqual(["tool files__mail"]);
        const there = await sources(at(1).memory, talk, VALUES.slice(0, 1));
        expect(there).toEqual([version === null ? undefined : "tool files__mail"]);
      }
    }));

  test(`${name}: of one conversation and voice no more is kept than one process does, however much is said`, () =>
    lend(async (processes) => {
      verifies("provenance.shared");
      const { at } = await trioOf(processes);
      const talk = talkOf("much");
      const long = "word ".repeat(60_000);
      for (let n = 0; n < 6; n++) {
        await at(n).memory.hearResult(talk, "files__mail", [`${long} first${n}@evil.example`], null);
        await at(n).memory.told(talk);
      }
      const kept = await at(0).store.said.since(JSON.stringify(["u1", "a1", "much"]), null, processes.clock.at);
      const units = (kept?.pieces ?? []).reduce((sum, { sealed }) => sum + sealed.length, 0);
      // Encrypted and in base64, four characters are three.
      expect(units).toBeLessThan(400_000 * 1.5);
    }));

  test(`${name}: what cannot be stored is told later; who cannot know what was said refuses`, () =>
    lend(async (processes) => {
      verifies("provenance.shared");
      const key = randomBytes(32);
      const faults: unknown[] = [];
      const one = await processOf(processes, "0", key, (error) => faults.push(error));
      const other = await processOf(processes, "1", key);
      const talk = talkOf("away");
      const { since, add } = one.store.said;
      const away = () => Promise.reject(new Error("the database does not answer"));
      Object.assign(one.store.said, { since: away, add: away });
      await one.memory.hearResult(talk, "files__mail", [`Write to ${VALUES[0]}`], null);
      await one.memory.told(talk);
      await expect(Promise.resolve(one.memory.indexOf(talk))).rejects.toMatchObject({ code: "guard_unavailable" });
      expect(faults.length).toBeGreaterThan(0);
      expect(await sources(other.memory, talk, VALUES.slice(0, 1))).toEqual([undefined]);
      Object.assign(one.store.said, { since: since.bind(one.store.said), add: add.bind(one.store.said) });
      await one.memory.write();
      for (const { memory } of [one, other]) {
        expect(await sources(memory, talk, VALUES.slice(0, 1))).toEqual(["tool files__mail"]);
      }
    }));
};
