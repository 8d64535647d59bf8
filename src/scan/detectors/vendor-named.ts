import { ALNUM, BASE64, charSet, DIGIT, HEX, TOKEN } from "#scan/char-set";
import { type NamedShape, namedToken } from "./named-token";

const LOWER = charSet("a-z0-9");
const PADDED = charSet("A-Za-z0-9_=-");
const BASE64_PADDED = charSet("A-Za-z0-9+/=_-");
const UUID_SET = charSet("0-9a-fA-F-");
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const span = (least: number, most: number): number[] => Array.from({ length: most - least + 1 }, (_, i) => least + i);

const uuid = (names: string): NamedShape => ({ names, set: UUID_SET, lengths: [36], form: UUID });
const hex = (names: string, ...lengths: number[]): NamedShape => ({ names, set: HEX, lengths });
const lower = (names: string, ...lengths: number[]): NamedShape => ({ names, set: LOWER, lengths });
const alnum = (names: string, ...lengths: number[]): NamedShape => ({ names, set: ALNUM, lengths });
const token = (names: string, ...lengths: number[]): NamedShape => ({ names, set: TOKEN, lengths });
const padded = (names: string, ...lengths: number[]): NamedShape => ({ names, set: PADDED, lengths });
const base64 = (names: string, ...lengths: number[]): NamedShape => ({ names, set: BASE64_PADDED, lengths });
const wide = (names: string, least: number, most: number): NamedShape => ({
  names,
  set: TOKEN,
  lengths: span(least, most),
  entropy: 3.2,
});
const digits = (names: string, ...lengths: number[]): NamedShape => ({ names, set: DIGIT, lengths, entropy: 2 });

/** Providers whose keys are known only by the name beside them. Source: their public documentation. */
export const providerKey = namedToken({
  id: "secret.provider_key",
  severity: "high",
  shapes: [
    { ...hex("sourcegraph meraki", 40), bare: true },
    uuid("heroku hubspot kucoin messagebird message_bird message-bird snyk squarespace sendbird flipt upcloud"),
    uuid(
      "postmark travelpayouts scaleway hetzner livechat yotpo aha. prismic browserless wepay pingdom coda saucelabs opsgenie railway loggly hellosign unsplash",
    ),
    hex("facebook fb_app linear segment mailchimp datadog pagerduty bugsnag rollbar etherscan cloudflare", 32),
    hex("newsapi openweather weatherapi clarifai agora auth0 azure cognitive sumologic braze helpscout", 32),
    hex("adobe finicity amplitude mixpanel assemblyai airbrake trello iterable", 32, 64),
    hex("discord semaphore helpscout virustotal", 40, 64),
    hex("cloudflare bitbucket smartsheet", 37, 40),
    hex("deepgram todoist hunter sparkpost sendbird clearbit", 40, 32),
    { names: "new_relic newrelic new-relic", set: charSet("0-9a-fA-FNRL"), lengths: [40], form: /NRAL$/ },
    { names: "asana", set: charSet("0-9a-f:/"), lengths: span(40, 90), form: /^\d\/\d{10,}/ },
    { names: "sumo sumologic", set: ALNUM, lengths: [14], form: /^su/ },
    { names: "baseten", set: charSet("A-Za-z0-9."), lengths: [41], form: /^.{8}\./ },
    { names: "pagerduty", set: charSet("A-Za-z0-9+_-"), lengths: [20] },
    { names: "ably", set: charSet("A-Za-z0-9._:-"), lengths: span(30, 70), form: /^[\w-]{6}\.[\w-]{6}:/ },
    { names: "fal_key", set: charSet("0-9a-f:-"), lengths: [69], form: /:/ },
    { names: "ghost", set: charSet("0-9a-f:"), lengths: [89], form: /^.{24}:/ },

    hex("datadog travis codecov circleci github gitea gogs coveralls buildkite wandb digitalocean", 40),
    hex("sentry twitch vimeo zoom alchemy infura bitly polygon cloudinary rapidapi", 64, 32, 40),
    hex("kucoin linode", 24, 64),
    { names: "sidekiq bundle_enterprise bundle_gems", set: charSet("0-9a-f:"), lengths: [17], form: /^[0-9a-f]{8}:/ },
    { names: "mailchimp", set: charSet("0-9a-z-"), lengths: [36, 37], form: /^[0-9a-f]{32}-us\d/, bare: true },
    { names: "mailgun", set: charSet("0-9a-f-"), lengths: [50], form: /^[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}$/ },
    { names: "sendgrid", set: charSet("A-Za-z0-9_.-"), lengths: [69] },
    {
      names: "facebook fb_app",
      set: charSet("A-Za-z0-9_|%-"),
      lengths: span(42, 57),
      form: /^\d{15,16}(?:\||%7C|%)/,
      sure: true,
    },
    { names: "telegram telegr", set: charSet("A-Za-z0-9_:-"), lengths: [44, 45, 46, 47, 51, 52], form: /^\d{5,16}:A/ },
    { names: "yandex", set: TOKEN, lengths: [40], form: /^YC/ },
    digits("asana", 16),
    digits("discord", 17, 18, 19),
    digits("rapid7 linkedin_client", 14, 16),
    lower("asana bittrex fastly flickr nytimes privateai bing okta", 32),
    lower("droneci drone_ drone- new-york-times newyorktimes", 32),
    lower("alibaba plaid twitch", 30),
    lower("atlassian confluence jira looker plaid", 20, 24),
    lower("datadog launchdarkly gitter etsy zendesk sonar fitbit shodan", 24, 32, 40),
    lower("finnhub linkedin looker", 14, 16, 20),
    lower("freshbooks jfrog artifactory bintray xray", 64, 73),
    lower("airtable", 17),
    lower("bitbucket", 32, 64),
    lower("confluent", 16, 64),
    lower("finicity", 20),
    lower("mattermost", 26),
    lower("codecov algolia rollbar", 32),
    lower("ibm cloudant softlayer", 44, 64),
    lower("freshdesk harvest ipinfo", 14, 20),
    lower("travis", 22),
    lower("messagebird message_bird message-bird", 25),
    lower("discord squarespace spotify", 32),
    lower("sumo sumologic", 14, 64),
    alnum("azure", 32, 84, 88),
    alnum("plaid algolia cohere mistral deepgram assemblyai pinecone", 24, 32, 40),
    alnum("clickhouse coinbase coinapi kraken bitfinex binance bybit", 38, 42, 43, 64),
    alnum("dropbox contentful newrelic new_relic splunk pendo amplitude mixpanel optimizely", 15, 32, 40, 43),
    alnum("cisco meraki opsgenie", 32, 36, 40),
    alnum("co_api_key", 40),
    alnum("twitter", 25, 45, 50),
    padded("twitter", 45, 50),
    { names: "dropbox", set: PADDED, lengths: [64], form: /^.{11}A{10}/ },
    { names: "okta", set: PADDED, lengths: [42], form: /^00/ },
    token("fastly maxmind beamer cloudflare", 32, 40, 44),
    token("okta", 42, 40),
    token("sonar", 40, 44),
    token("rapidapi", 50),
    wide(
      "mistral cohere together fireworks deepseek openrouter replicate perplexity groq anthropic openai gemini",
      24,
      64,
    ),
    wide("upstash railway vultr ngrok auth0 paypal dwolla pusher pubnub hetzner ovh vonage nexmo mailjet", 16, 64),
    wide(
      "elevenlabs stability pinecone huggingface qdrant weaviate supabase vercel netlify render_api fly_api",
      24,
      64,
    ),
    wide("twilio klaviyo chargebee onesignal mailtrap webflow trello airtable figma monday clickup zapier", 20, 64),
    wide("servicenow salesforce marketo eloqua gitlab circleci buildkite bitrise jenkins vault_ consul nomad", 20, 64),
    token("lastfm yelp foursquare contentful", 32, 43, 48, 128),
    token("coinbase", 64),
    padded("adafruit", 32),
    padded("launchdarkly", 40),
    padded("contentful", 43),
    padded("discord", 32),
    padded("bitbucket coinbase", 64),
    padded("dropbox netlify", 43, 44, 45, 46),
    padded("intercom", 60),
    base64("kraken", 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90),
    base64("azure cosmos servicebus eventhub storage_account", 44, 88),
    {
      names: "discord",
      set: charSet("A-Za-z0-9_.-"),
      lengths: [59, 70, 71, 72],
      form: /^[MNO][\w-]{23,27}\.[\w-]{6}\./,
    },
    { names: "twitter", set: charSet("A-Za-z0-9-"), lengths: [50], form: /^\d{8,19}-/ },
    { names: "mapbox", set: BASE64, lengths: [60, 84] },
  ],
});
