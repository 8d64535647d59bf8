/*
 * `failing-tools.ts exits`: ends with code 1 after writing to stderr, its variable TOOL_KEY too.
 * `failing-tools.ts slow MS FILE`: an MCP server that says nothing for MS milliseconds, then is `tools-from-file.ts`.
 */
const [, , mode, ms = "0", file = ""] = process.argv;
if (mode === "exits") {
  console.error('Traceback (most recent call last):\n  File "server.py", line 3');
  console.error(`\u001b[31mAttributeError\u001b[0m: 'Server' object has no attribute 'list_resources'`);
  console.error(`started with TOOL_KEY=${process.env["TOOL_KEY"]}`);
  process.exit(1);
}
await Bun.sleep(Number(ms));
process.argv[2] = file;
await import("./tools-from-file.ts");
