import { expect, test } from "bun:test";
import { toolDefinition } from "#model/tools/tool-definition";
import { verifies } from "#test/support/verifies";

test("a tool that can only run as a task is not listed; one that may is, without saying so", () => {
  verifies("tools.task-only-hidden");
  const tool = (taskSupport: string) => ({
    name: "research",
    inputSchema: { type: "object" },
    execution: { taskSupport },
  });
  expect(toolDefinition(tool("required"))).toBeNull();
  expect(toolDefinition(tool("optional"))).toEqual({ name: "research", inputSchema: { type: "object" } });
});
