/**
 * Names of services that give out keys, as they stand in names of settings and in prose: a cue, never a reason by
 * itself. Words of ordinary English (`box`, `line`, `square`) are left out: beside `key` or `token` such names need no cue.
 */
const SERVICES = new Set(
  `
    abstractapi abuseipdb accuweather activecampaign adafruit adobe adyen aerisapi affirm agora airbrake airbyte
    aircall airship airtable aiven akamai alchemy algolia alibaba alibabacloud alienvault aliyun alphavantage amadeus
    amazonaws ambee amplitude anthropic anypoint anyscale apideck apiflash apify apigee apilayer apimatic apisports
    apollographql appcenter appcues appdome appdynamics appfollow applitools appoptics appsflyer appsheet appveyor
    appwrite aqicn arangodb argocd artifactory artsy asana ashby assemblyai astradb atera athenahealth atlassian auth0
    authress authy autodesk autopilothq autotask avalara avaza aviationstack awesomeapi axonaut ayrshare azure
    azuredevops azureml azureopenai backblaze backerkit bamboohr bannerbear basecamp baserow baseten beehiiv
    betterstack bigcommerce bigml billingo billplz binance bingmaps bitbucket bitcoinaverage bitfinex bitgo bitly
    bitmex bitquery bitrise bitstamp bittrex bitwarden blackduck blazemeter blockchair blockcypher blockfrost
    bloomreach blynk bombbomb borgbase brainly braintree branchio brandfetch braze brevo brightdata browserless
    browserstack buddyci bugherd bugsnag buildkite buildpulse bulksms bunnycdn bunnynet buttercms bybit calendarific
    calendly campaignmonitor cannyio canva capsulecrm captaindata cartesia cartodb caspio castai censys centrifugo
    cerebras cexio chainlink chargebee chargify chartmogul chatbotkit chatwoot checkly checkmarx checkr chromatic
    cicero circleci clarifai clearbit clickatell clickfunnels clickhelp clickhouse clicksend clicksign clickup
    clockify cloudant cloudconvert cloudcraft cloudflare cloudimage cloudinary cloudmersive cloudns cloudsight
    cloudsmith cloudways cloverly cockroachdb codacy codeclimate codecov codegiant codemagic codesandbox codeship
    cognito cohere coinapi coinbase coingecko coinlayer coinlib coinmarketcap coinranking cometml commercejs
    commercetools companyhub conductorone configcat confluence confluent constantcontact contentful contentstack
    convertapi convertkit copyleaks coralogix couchbase countrylayer coveralls crowdin crowdstrike crunchbase
    cryptocompare currencyapi currencycloud currencyfreaks currencylayer currentsapi customerio customerly cyberark
    d7network dailymotion daraja darksky databox databricks datadog datafire datarobot datastax dbtcloud debounce
    deepai deepgram deepl deepseek delighted deribit detectify detectlanguage devcycle dfuse dialogflow dialpad
    digicert digitalocean discogs discord discourse dnsimple dnspod dockerhub docparser documo donorbox doppler
    dotdigital dreamfactory dreamhost droneci dropbox duffel dwolla dyadic dynadot dynalist dynatrace dyspatch
    earthengine easypost easyship ebayapi edamam elasticcloud elasticemail elevenlabs eloqua emailjs emailoctopus
    endorlabs envoyapi eodhd etherscan eventbrite eventhub everbridge everhour exchangerate exchangeratesapi facebook
    faceplusplus falai fastly fastspring faunadb feedly figma fileio filestack finage financialmodelingprep findl
    finicity finnhub firebase firecrawl fitbit fixerio flatio fleetbase flexport flickr flightaware flightstats
    flowflu flutterwave flyio fogbugz forecastio formbucket formcraft formio formsite foursquare freshbooks freshdesk
    freshping freshsales freshservice freshworks friendbuy fulcrum fullcontact fullstory fusionauth gemfury genderize
    gengo geoapify geocodify geocodio geoipify geonames getaddress getgeoapi getresponse getstream giantbomb giphy
    gitea github gitlab gitter glassnode gnews gocanvas gocardless godaddy goodday goodreads googlemaps gorgias
    gosquared grafana graphcms graphhopper gravitee greynoise groovehq groqcloud gtmetrix gumroad gupshup gyazo
    happyscribe hasura hcaptcha heapanalytics hellosign helpcrunch helpscout heremaps heroku hetzner heygen hibp
    holidayapi honeybadger honeycomb hootsuite hotjar hubspot huggingface hunterio hygraph hyperbolic ibmcloud
    iconfinder iconik iexcloud igdb imagekit imagga imgbb imgix imgur influxdb infobip infoblox infracost infura
    insightly instabot instamojo integromat intercom intrinio invoiced invoiceocean ionos ip2location ipapi ipdata
    ipfind ipgeolocation ipify ipinfo ipquality ipqualityscore ipregistry ipstack iterable jambonz jdoodle jenkins
    jetbrains jfrog jira jotform jumpcloud keboola keencontact keenio keycdn keycloak klarna klaviyo klipfolio
    knockapp koyeb kucoin kustomer kwork lacework lalamove lambdalabs lambdatest langfuse langsmith languagelayer
    lastfm launchdarkly leadfeeder leanix lemlist lemonsqueezy lessannoyingcrm lexigram linearapi linenotify linkedin
    linode lionwheel liveagent livechat livekit liveperson livestorm llamacloud llamaindex locationiq logdna loggly
    logicmonitor loginradius logrocket logtail logzio lokalise lumigo magento magicbell mailboxlayer mailchimp
    mailerlite mailersend mailgun mailjet mailmodo mailosaur mailsac mailtrap mandrill mapbox mapquest maptiler
    marketo marketstack mattermost mavenlink maxcdn maxmind meaningcloud mediastack meilisearch mem0ai meraki
    mercadopago messagebird metaapi metabase metricool metrilo milvus mindmeister mindsdb minio mistral mixcloud
    mixmax mixpanel mockaroo mollie mondayapi mondaycom mongodb moonclerk moosend mrticktock mulesoft multiavatar
    myanimelist mysendingbox navitia nebius neo4j neondb netatmo netcore netlify netsuite neutrinoapi newrelic newsapi
    newscatcher newsdata nexmo nftport ngrok nightfall nocodb nordigen novita nutritionix nvidia nylas nytimes oanda
    octoai octopusdeploy ohdear okta omnisend onedesk onelogin onepagecrm onesignal onfleet oopspam openai opencage
    openexchangerates openphone openrouter opensea openuv openvpn openweather openweathermap opsgenie opsramp
    optimizely oraclecloud otreeba ovhcloud packagecloud pagarme pagerduty pandadoc pandascore paperform paperspace
    paralleldots parsehub parseur passbase pastebin patreon paydirt payfast paylocity paymoapi paymongo paypal
    paystack pdflayer pdfshift peopledatalabs pepipost perplexity personio pexels phaxio pinata pinecone pingdom
    pipedream pipedrive pivotaltracker pixabay plaid planetscale planyo platformsh plivo podio poeditor polygonio
    polygonscan portainer postageapp postbacks posthog postman postmark powerbi powrbot prerender pritunl privacycom
    prodpad productboard promptlayer prospectcrm prospectio proxycrawl pubnub pulumi purestake pushbullet pusher
    pushover qdrant qualaroo qualtrics quandl quickbase quickbooks quickmetrics quicknode rabbitmq rackspace ragieai
    railwayapp rapid7 rapidapi raygun razorpay rebrandly recaptcha recurly rediscloud redislabs repairshopr replicate
    replit rescuetime restpack retellai revai revampcrm revenuecat ringcentral ritekit rollbar route4me rownd
    rudderstack runpod runscope saladcloud salesblink salescookie salesflare salesforce saleshandy salesloft salesmate
    satismeter saucelabs scalegrid scaleway scalingo scrapeowl scraperapi scraperbox scrapersite scrapestack scrapfly
    scrapingant scrapingbee screenshotapi screenshotlayer searchapi securitytrails selectel sellfy semaphoreci semrush
    sendbird sendgrid sendinblue sendlane sendowl sendpulse sensedia sentinelone sentry serpapi serphouse serpstack
    serpwow servicebus servicenow sherpadesk shipday shipengine shippo shipstation shodan shopee shopify shortio
    shotstack shutterstock signable signalwire signaturit signnow signupgenius simfin similarweb simplesat simplybook
    simplynoted siteleaf skrapp skybiometry slack smartling smartrecruit smartsheet smartystreets smooch snipcart
    snowflake snyk solarwinds sonarcloud sonarqube soundcloud sourcegraph sparkpost speechmatics splunk spoonacular
    sportradar spotify squarespace sslmate stabilityai stackblitz stackhawk stackoverflow stackpath statuscake
    statuspage statuspal steamapi stitchdata stockdata stormglass storyblok storychief strapi strava stripe stytch
    sugarcrm sumologic supabase supadata supernotes superwall surveyanyplace surveybot surveymonkey surveysparrow
    survicate swiftype symbl synthesia tailscale tallyfy tatumio tavily taxjar teamcity teamgate telegram telesign
    telnyx textmagic thinkific thousandeyes threescale ticketmaster tickettailor tiingo timezoneapi todoist togetherai
    tomorrowio tomtom toodledo trackjs tradier transferwise transifex travelpayouts travisci trello truelayer
    trustpilot tunnelhub turso twelvedata twilio twitch twitter tyntec typeform typesense typetalk ubidots uclassify
    unifonic unsplash upcdn uplead upleadapi uploadcare upstash uptimerobot uptrends urlbox urlscan userflow userlike
    userstack vatlayer vbout vercel verifalia verimail verimor veriphone versioneye vertexai vimeo virustotal
    visualcrossing voiceflow voicegain vonage vouchery vpnapi vultr vyte wakatime walkscore wandb weatherapi
    weatherbit weatherstack weaviate webex webflow webshare websitepulse weglot wepay whoxy wistia witai woocommerce
    wordnik workable workato workday workos workstack worldcoinindex worldtides worldweather wrike writesonic wufoo
    xendit yandex yotpo zapier zendesk zenhub zenkit zenrows zenscrape zenserp zeplin zerobounce zerossl zerotier
    zilliz zipapi zipbooks zipcodeapi zipcodebase zohocrm zonkafeedback zoominfo zulip zuora zyte`
    .trim()
    .split(/\s+/),
);

/** Words of a name or a sentence that may stand between a service's name and what it gives out. */
const MAX_PARTS = 6;

/** Whether one of the last words of a text, or two of them together, name a service: `ACME_PROD_API_`, `new relic `. */
export function namesService(text: string): boolean {
  const parts = text
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== "")
    .slice(-MAX_PARTS);
  return parts.some((part, at) => SERVICES.has(part) || SERVICES.has(part + (parts[at + 1] ?? "")));
}
