import { prefixedToken } from "./prefixed-token";
import { base64, dashedHex, hex, longAlnum, token, uuid } from "./vendor-shapes";

/** Keys of model providers and of tools around models. Source: the providers' public documentation. */
export const aiKey = prefixedToken({
  id: "secret.ai_key",
  severity: "critical",
  shapes: [
    ...longAlnum("hf_ api_org_", 30), // Hugging Face
    ...longAlnum("r8_", 36), // Replicate
    ...longAlnum("gsk_", 40), // Groq
    ...longAlnum("xai-", 60), // xAI
    ...longAlnum("pplx-", 40), // Perplexity
    ...longAlnum("fw_", 22), // Fireworks
    ...token("nvapi-", 60), // NVIDIA
    ...longAlnum("csk-", 40), // Cerebras
    ...hex("sk-or-v1-", 64), // OpenRouter
    ...token("tgp_v1_", 30), // Together
    ...token("lsv2_pt_ lsv2_sk_", 36), // LangSmith
    ...token("jina_", 40),
    ...token("pcsk_", 40), // Pinecone
    ...token("wandb_v1_", 40),
    ...token("tvly-", 24), // Tavily
    ...hex("fc-", 32), // Firecrawl
    ...hex("e2b_", 40),
    ...hex("sk_", 48), // ElevenLabs
    ...token("pa-", 43), // Voyage
    ...token("llx-", 40), // LlamaCloud
    ...token("rpa_", 40), // RunPod
    ...token("AQ.Ab8", 40), // Google, since 2025
    ...longAlnum("sess-", 40), // OpenAI sessions
    ...hex("ls__", 32), // LangSmith, until 2024
    ...token("bb_live_ bb_test_", 24), // Browserbase
    ...hex("dtn_", 64), // Daytona
    ...token("m0-", 40), // Mem0
    ...token("nk-", 43), // Nomic
    ...longAlnum("flp_", 40), // Friendli
    ...longAlnum("cpk_", 32), // Chutes
    ...token("sk_V2_", 40), // HeyGen
    ...hex("key_", 128), // Runway
    ...longAlnum("glhf_", 32),
    ...dashedHex("sk-lf- pk-lf-", 36, uuid), // Langfuse
    ...token("sk_car_ sk-kimi- sk-litellm- sk-helicone- pk-helicone- sk-ws-01- sk-hc-v1- sk-bt-v1-", 20),
    // Amazon Bedrock: base64 of a text that begins with "BedrockAPIKey-" or names the service's host.
    ...base64("ABSKQmVkcm9ja0FQSUtleS", 40),
    ...base64("bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", 0, () => 1),
  ],
});
