import { ALNUM, BASE64, charSet, DIGIT, HEX, TOKEN } from "#core/scan/char-set";
import { type NamedShape, namedToken } from "#core/scan/detectors/named-token";

const LOWER = charSet("a-z0-9");
const PADDED = charSet("A-Za-z0-9_=-");
const BASE64_PADDED = charSet("A-Za-z0-9+/=_-");
const UUID_SET = charSet("0-9a-fA-F-");
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const uuid = (names: string): NamedShape => ({ names, set: UUID_SET, lengths: [36], form: UUID });
const hex = (names: string, ...lengths: number[]): NamedShape => ({ names, set: HEX, lengths });
const lower = (names: string, ...lengths: number[]): NamedShape => ({ names, set: LOWER, lengths });
const alnum = (names: string, ...lengths: number[]): NamedShape => ({ names, set: ALNUM, lengths });
const token = (names: string, ...lengths: number[]): NamedShape => ({ names, set: TOKEN, lengths });
const padded = (names: string, ...lengths: number[]): NamedShape => ({ names, set: PADDED, lengths });
const base64 = (names: string, ...lengths: number[]): NamedShape => ({ names, set: BASE64_PADDED, lengths });
const digits = (names: string, ...lengths: number[]): NamedShape => ({ names, set: DIGIT, lengths, entropy: 2 });

/** Providers whose keys are known only by the name beside them. Source: their public documentation. */
export const providerKey = namedToken({
  id: "secret.provider_key",
  severity: "high",
  shapes: [
    uuid("heroku hubspot kucoin messagebird message_bird message-bird snyk squarespace sendbird flipt upcloud"),
    uuid("postmark travelpayouts scaleway hetzner livechat yotpo aha. prismic browserless wepay pingdom"),
    hex("facebook fb_app linear segment mailchimp datadog pagerduty bugsnag rollbar etherscan cloudflare", 32),
    hex("newsapi openweather weatherapi clarifai agora auth0 azure cognitive sumologic braze helpscout", 32),
    hex("cloudflare bitbucket", 37, 40),
    hex("datadog travis codecov circleci github gitea gogs coveralls buildkite wandb digitalocean", 40),
    hex("sentry twitch vimeo zoom alchemy infura bitly polygon cloudinary rapidapi", 64, 32, 40),
    hex("kucoin linode", 24, 64),
    { names: "sidekiq bundle_enterprise bundle_gems", set: charSet("0-9a-f:"), lengths: [17], form: /^[0-9a-f]{8}:/ },
    { names: "mailchimp", set: charSet("0-9a-z-"), lengths: [36, 37], form: /^[0-9a-f]{32}-us\d/ },
    { names: "mailgun", set: charSet("0-9a-f-"), lengths: [50], form: /^[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}$/ },
    { names: "sendgrid", set: charSet("A-Za-z0-9_.-"), lengths: [69] },
    { names: "facebook", set: charSet("A-Za-z0-9_|-"), lengths: [43, 42, 44], form: /^\d{15,16}\|/ },
    { names: "telegram telegr", set: charSet("A-Za-z0-9_:-"), lengths: [44, 45, 46, 47, 51, 52], form: /^\d{5,16}:A/ },
    digits("asana", 16),
    digits("rapid7 linkedin_client", 14, 16),
    lower("asana bittrex fastly flickr nytimes privateai bing okta", 32),
    lower("droneci drone_ drone- new-york-times newyorktimes", 32),
    lower("alibaba plaid twitch", 30),
    lower("atlassian confluence jira looker plaid", 20, 24),
    lower("datadog launchdarkly gitter etsy zendesk sonar fitbit shodan", 24, 32, 40),
    lower("finnhub linkedin looker", 14, 16, 20),
    lower("freshbooks jfrog artifactory bintray xray", 64, 73),
    lower("travis", 22),
    lower("messagebird message_bird message-bird", 25),
    lower("discord squarespace spotify", 32),
    lower("sumo sumologic", 14, 64),
    alnum("azure", 32, 84, 88),
    alnum("plaid algolia cohere mistral deepgram assemblyai pinecone", 24, 32, 40),
    alnum("clickhouse coinbase coinapi kraken bitfinex binance bybit", 38, 42, 43, 64),
    alnum("dropbox contentful newrelic new_relic splunk pendo amplitude mixpanel optimizely", 15, 32, 40, 43),
    alnum("cisco meraki opsgenie", 32, 36, 40),
    alnum("twitter", 25, 45, 50),
    token("fastly maxmind beamer cloudflare", 32, 40, 44),
    token("okta", 42, 40),
    token("sonar", 40, 44),
    token("lastfm yelp foursquare contentful", 32, 43, 48, 128),
    token("coinbase", 64),
    padded("adafruit", 32),
    padded("launchdarkly", 40),
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
