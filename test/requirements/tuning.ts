import type { Requirement } from "./requirement";

/** What is promised of changes of the policy, and the loop from report to change. */
export const TUNING: readonly Requirement[] = [
  {
    id: "tuning.exceptions",
    promise: "An exception lets pass exactly what it is about, whole and streamed, and nothing beside it.",
    source: "docs/spec/tuning.md#what-a-rule-changes",
  },
  {
    id: "tuning.floor",
    promise: "No exception goes below the floor, but for one exact value, and none below a restriction.",
    source: "docs/spec/tuning.md#floor",
  },
  {
    id: "tuning.policy-rules",
    promise: "Thresholds, actions and patterns change for one subject, at the origins named, and for nobody else.",
    source: "docs/spec/tuning.md#what-a-rule-changes",
  },
  {
    id: "tuning.monitor",
    promise: "A rule in monitor mode changes nothing, and flags say what it would have done.",
    source: "docs/spec/tuning.md#what-a-rule-changes",
  },
  {
    id: "tuning.narrowest",
    promise: "A confirmed report leads to the narrowest change that would have avoided the mistake.",
    source: "docs/spec/tuning.md#what-a-rule-changes",
  },
  {
    id: "tuning.rehearsal",
    promise: "A change that would break a sample nobody doubts is told of before anybody approves it.",
    source: "docs/spec/tuning.md#from-suggestion-to-rule",
  },
  {
    id: "loop.suggestion-cas",
    promise: "A suggestion changes only from the revision that was read.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "loop.apply-once",
    promise: "A suggestion is applied once, however many apply it at once in however many processes.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "loop.apply-whole",
    promise: "Rule, suggestion, policy revision and record of an application are written in one step, or none of them.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "loop.revert-once",
    promise: "A rule ends once, with a new policy revision.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "loop.rule-feed",
    promise: "Every process learns of each rule that begins, changes or ends, and of the policy revision it came with.",
    source: "docs/spec/tuning.md#processes-jobs-and-storage",
  },
  {
    id: "loop.job-lease",
    promise:
      "A job is given to one worker at a time, and to another once the lease is over; only who holds it ends it.",
    source: "docs/spec/tuning.md#processes-jobs-and-storage",
  },
  {
    id: "loop.idempotency",
    promise: "Of requests under one key one is carried out; the others get its answer, wait, or are told they differ.",
    source: "docs/spec/tuning.md#processes-jobs-and-storage",
  },
  {
    id: "loop.webhook-kept",
    promise:
      "Webhooks change with a record; a delivery is queued with its job or not at all, and goes with its webhook.",
    source: "docs/spec/tuning.md#processes-jobs-and-storage",
  },
  {
    id: "loop.older-database",
    promise: "A database of the third release keeps all it held, and takes reports and rules.",
    source: "docs/spec/tuning.md#processes-jobs-and-storage",
  },
  {
    id: "loop.damage-refused",
    promise:
      "A rule, suggestion, report or webhook whose stored form is damaged is refused, not read as something else.",
    source: "docs/spec/tuning.md#processes-jobs-and-storage",
  },
  {
    id: "tuning.states",
    promise: "A suggestion moves as its table says and no other way; what is rejected or reverted is over.",
    source: "docs/spec/tuning.md#from-suggestion-to-rule",
  },
  {
    id: "tuning.separation",
    promise:
      "Nobody approves what they asked for, wrote, own or alone reported; a sole administrator does with a reason, on record.",
    source: "docs/spec/tuning.md#from-suggestion-to-rule",
  },
  {
    id: "tuning.edit-revokes",
    promise: "An approval is of the change as it was read: an edit, or asking anew, takes it back.",
    source: "docs/spec/tuning.md#from-suggestion-to-rule",
  },
  {
    id: "tuning.stale-base",
    promise: "What was made against tuning or a profile that has changed since is stale, and cannot be applied.",
    source: "docs/spec/tuning.md#from-suggestion-to-rule",
  },
  {
    id: "tuning.approval-expires",
    promise: "An approval is good for seven days.",
    source: "docs/spec/tuning.md#from-suggestion-to-rule",
  },
  {
    id: "tuning.retired",
    promise: "Nothing is asked for or applied to a retired agent, by gateway token or by people.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "tuning.apply-once",
    promise: "Of any number of applications at once one puts a rule in force, with one policy revision.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "tuning.in-force",
    promise: "The scan after an application shows it, and so does every one after a restart.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "tuning.revert",
    promise: "A rule that is taken back holds no more from the next scan on, and its suggestion is reverted.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "tuning.stricter-free",
    promise: "Going stricter is in force at once; going looser, by whichever way, is a suggestion first.",
    source: "docs/spec/tuning.md#from-suggestion-to-rule",
  },
  {
    id: "tuning.agent-token",
    promise: "An agent's token reads its agent's tuning and changes nothing about it.",
    source: "docs/spec/tuning.md#who-may",
  },
  {
    id: "tuning.own-only",
    promise: "Tuning of others' agents answers as what does not exist.",
    source: "docs/spec/tuning.md#who-may",
  },
  {
    id: "tuning.below-floor",
    promise:
      "No threshold or action is loosened below the floor, or further than the profile says, in however many steps.",
    source: "docs/spec/tuning.md#floor",
  },
  {
    id: "tuning.validity",
    promise: "A change that says nothing, everything or no pattern of RE2 is refused, and nothing of it is repeated.",
    source: "docs/spec/tuning.md#what-a-rule-changes",
  },
  {
    id: "tuning.lapse",
    promise: "What loosens ends after 90 days unless said otherwise.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "tuning.unused",
    promise: "A rule that nothing has met for 60 days is marked as unused.",
    source: "docs/spec/tuning.md#applying-and-reverting",
  },
  {
    id: "tuning.on-record",
    promise:
      "Every step from a suggestion to a rule and back is in the audit log, without values, patterns or hashes of values.",
    source: "docs/spec/tuning.md#who-may",
  },
  {
    id: "tuning.command-line",
    promise: "Operators list, decide on, apply and take back tuning beside a running hub, under the same rules.",
    source: "docs/spec/tuning.md#who-may",
  },
  {
    id: "loop.whole",
    promise:
      "A wrong block is disputed, reviewed, approved and mended for one agent, its neighbours stay blocked, and it can be taken back.",
    source: "docs/spec/tuning.md#the-whole-loop",
  },
  {
    id: "loop.demo",
    promise: "One command plays the whole loop without a key or a network, and prints each step.",
    source: "docs/spec/tuning.md#the-whole-loop",
  },
];
