/** A file with one object at least of every kind, in the form in which it is exported. */
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

export const SECRETS: Readonly<Record<string, string>> = {
  PROVIDER_OPENAI_API_KEY: "sk-proj-Zx81hTq0LmVb72KsPdYw",
  TOOL_SERVER_FILES_EVE_EXAMPLE_ORG_VARIABLES_KEY: "files-key-9f8e7d6c",
  WEBHOOK_HTTPS_HOOKS_EXAMPLE_ORG_IN_SECRET: WEBHOOK_SECRET,
  ALERT_DESTINATION_CHAT_URL: "https://chat.example.org/services/T0-secret-path",
};

export const WHOLE = `
[[users]]
email = "eve@example.org"
name = "Eve"
role = "reviewer"

[[users]]
email = "ida@example.org"
state = "disabled"

[[users]]
email = "root@example.org"
role = "admin"

[[providers]]
name = "local"
base_url = "http://127.0.0.1:11434/v1"
models = ["llama*"]
apis = ["chat"]
priority = 20

[[providers]]
name = "openai"
base_url = "https://api.openai.com/v1"
models = ["gpt-*", "o4-*"]
given_by = "user"
api_key = "env:PROVIDER_OPENAI_API_KEY"
[providers.aliases]
small = "gpt-small"

[[agents]]
name = "desk"
owner = "eve@example.org"
sponsor = "root@example.org"
description = "Answers."
environment = "production"

[[agents]]
name = "old"
owner = "eve@example.org"
suspended = true

[[tool_servers]]
slug = "files"
owner = "eve@example.org"
transport = "stdio"
command = ["false", "--quiet"]
active = false
call_ms = 5000
published_as = "Files of the desk"
[tool_servers.variables]
KEY = "env:TOOL_SERVER_FILES_EVE_EXAMPLE_ORG_VARIABLES_KEY"
[[tool_servers.assignments]]
agent = "desk"
tools = ["read"]

[[prices]]
model = "gpt-*"
provider = "openai"
input = 1.25
output = 10

[[budgets]]
period = "day"
agent = "desk"
owner = "eve@example.org"
limit_usd = 1.5

[[budgets]]
period = "month"
limit_usd = 100

[[restrictions]]
agent = "desk"
owner = "eve@example.org"
kind = "rate_limited"
reason = "odd calls"
expires_at = "2099-01-01T00:00:00.000Z"
params = { requests_per_minute = 10 }

[[policy.rules]]
type = "pii.email"
origins = ["user"]
thresholds = { block = 0.1 }

[[webhooks]]
url = "https://hooks.example.org/in"
events = ["report.*"]
description = "To the desk"
secret = "env:WEBHOOK_HTTPS_HOOKS_EXAMPLE_ORG_IN_SECRET"

[[alert_destinations]]
name = "chat"
kind = "slack"
url = "env:ALERT_DESTINATION_CHAT_URL"

[[alert_rules]]
name = "Desk is dear"
kind = "spend"
enabled = true
threshold = 5
clear_at = 4
agent = "desk"
owner = "eve@example.org"

[[alert_rules]]
id = "block-rate"
name = "Many calls are blocked"
kind = "block_rate"
threshold = 30
destinations = ["chat"]
`;
