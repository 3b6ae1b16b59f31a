/** Services that read the web, publish, or answer a question about it. */
import { toCode } from "../code-text.ts";
import { NotConvertible } from "../conversion.ts";
import { toText } from "../n8n-workflow.ts";
import { type ParameterReader, request, type ServiceTable } from "./service-table.ts";

const actor = (read: ParameterReader): string => `${read.text("actorId")}.replace("/", "~")`;
const actorInput = (read: ParameterReader): string =>
  `n8n.json(${read.code("customBody") ?? '"{}"'})`;
const APIFY_TAKES = "actorSource timeout memory build waitForFinish";

/** Fields of a post beside its text, by platform. */
const blotatoTarget = (read: ParameterReader): string => {
  const platform = toText(read.raw("platform"), "twitter");
  if (platform.startsWith("=")) throw new NotConvertible("names the platform by expression");
  const own: Readonly<Record<string, string>> = {
    facebook: `, pageId: ${read.text("facebookPageId")}`,
    pinterest: `, boardId: ${read.text("pinterestBoardId")}`,
    youtube: `, title: ${read.text("postCreateYoutubeOptionTitle")}, privacyStatus: ${read.source("postCreateYoutubeOptionPrivacyStatus") ?? '"private"'}, shouldNotifySubscribers: ${read.raw("postCreateYoutubeOptionShouldNotifySubscribers") !== false}`,
    tiktok: `, privacyLevel: ${read.source("postCreateTiktokOptionPrivacyLevel") ?? '"SELF_ONLY"'}, disabledComments: ${read.raw("postCreateTiktokOptionDisabledComments") === true}, disabledDuet: ${read.raw("postCreateTiktokOptionDisabledDuet") === true}, disabledStitch: ${read.raw("postCreateTiktokOptionDisabledStitch") === true}, isBrandedContent: ${read.raw("postCreateTiktokOptionIsBrandedContent") === true}, isYourBrand: ${read.raw("postCreateTiktokOptionIsYourBrand") === true}, isAiGenerated: ${read.raw("postCreateTiktokOptionIsAiGenerated") === true}`,
  };
  return `{ targetType: ${JSON.stringify(platform)}${own[platform] ?? ""} }`;
};

const session = { sessionId: "sessionId", windowId: "windowId" } as const;

export const webServices: ServiceTable = {
  "@apify/n8n-nodes-apify.apify": {
    preset: "apify",
    title: "Apify",
    usual: "Actors.Run_actor Datasets.Get_items",
    takes: APIFY_TAKES,
    actions: [
      {
        on: "Run_actor_and_get_dataset",
        action: "run_actor_and_get_items",
        input: { actorId: actor, input: actorInput },
      },
      {
        on: "Actors.Run_actor Run_actor",
        action: "run_actor",
        input: { actorId: actor, input: actorInput },
        items: "=[one.body.data]",
      },
      {
        on: "Datasets.Get_items",
        action: "get_dataset_items",
        input: { datasetId: "datasetId", limit: "limit|number", offset: "offset|number" },
      },
    ],
  },
  "n8n-nodes-scrapegraphai.scrapegraphAi": {
    preset: "scrapegraph",
    title: "ScrapeGraphAI",
    usual: "smartscraper.scrape searchscraper.search markdownify.convert",
    takes: "renderHeavyJs useOutputSchema",
    actions: [
      {
        on: "smartscraper.scrape",
        action: "smart_scrape",
        input: { website_url: "websiteUrl", user_prompt: "userPrompt" },
        items: "=[one.body]",
      },
      {
        on: "searchscraper.search",
        action: "search_scrape",
        input: { user_prompt: "userPrompt" },
        items: "=[one.body]",
      },
      {
        on: "markdownify.convert",
        action: "markdownify",
        input: { website_url: "websiteUrl" },
        items: "=[one.body]",
      },
    ],
  },
  "@decodo/n8n-nodes-decodo.decodo": {
    preset: "decodo",
    title: "Decodo",
    usual: "any.universal",
    takes: "markdown locale results_limit",
    actions: [
      {
        on: "any.universal",
        action: "scrape",
        input: { url: "url", geo: "geo" },
        takes: "headless",
        items: "=[one.body]",
      },
      {
        on: "any.google_search",
        action: "search_google",
        input: { query: "query", geo: "geo" },
        takes: "headless",
        items: "=[one.body]",
      },
    ],
  },
  "@blotato/n8n-nodes-blotato.blotato": {
    preset: "blotato",
    title: "Blotato",
    usual: "post.create media.upload",
    actions: [
      {
        on: "post.create",
        action: "request",
        input: request("POST /posts", {
          body: (read) => {
            const platform = toCode(read.raw("platform") ?? "twitter");
            const scheduled = read.code("options.scheduledTime");
            return `{ post: { accountId: ${read.text("accountId")}, content: { text: ${read.text("postContentText")}, mediaUrls: n8n.list(${read.code("postContentMediaUrls") ?? '""'}), platform: ${platform} }, target: ${blotatoTarget(read)} }${scheduled === undefined ? "" : `, scheduledTime: ${scheduled}`} }`;
          },
        }),
        takes: "postCreateYoutubeOptionContainsSyntheticMedia postCreateYoutubeOptionMadeForKids",
      },
      { on: "post.get", action: "get_post", input: { postId: "postSubmissionId" } },
      {
        on: "media.upload",
        action: "upload_media",
        input: {
          url: (read) => {
            if (read.raw("useBinaryData") === true)
              throw new NotConvertible("sends a file of the item");
            return read.text("mediaUrl");
          },
        },
      },
    ],
  },
  "n8n-nodes-serpapi.serpApi": {
    preset: "serpapi",
    title: "SerpAPI",
    usual: "any.google_search",
    actions: [
      {
        on: "any.google_search",
        action: "search",
        input: {
          engine: '="google"',
          q: "q",
          location: "location",
          hl: "additionalFields.hl",
          gl: "additionalFields.gl",
          num: "additionalFields.num|number",
          start: "additionalFields.start|number",
        },
        items: "=[one.body]",
      },
      {
        on: "any.google_news",
        action: "search",
        input: {
          engine: '="google_news"',
          q: "q",
          hl: "additionalFields.hl",
          gl: "additionalFields.gl",
        },
        items: "=[one.body]",
      },
    ],
  },
  "@tavily/n8n-nodes-tavily.tavily": {
    preset: "tavily",
    title: "Tavily",
    usual: "any.search",
    actions: [
      {
        on: "any.search",
        action: "search",
        input: {
          query: "query",
          search_depth: "options.search_depth",
          topic: "options.topic",
          max_results: "options.max_results|number",
          time_range: "options.time_range",
        },
        items: "=[one.body]",
        takes: "options.include_answer options.include_raw_content",
      },
    ],
  },
  airtop: {
    preset: "airtop",
    title: "Airtop",
    usual: "session.create window.create extraction.query interaction.click",
    takes:
      "getLiveView disableResize screenResolution additionalFields.waitUntil additionalFields.visualScope additionalFields.waitForNavigation sessionMode",
    actions: [
      {
        on: "session.create",
        action: "create_session",
        input: {
          configuration: (read) =>
            `{ profileName: n8n.given(${read.text("profileName")}), timeoutMinutes: ${read.source("timeoutMinutes|number") ?? "10"} }`,
        },
        items: "=[{ ...one.body, sessionId: one.body.data?.id }]",
        takes: "saveProfileOnTermination proxy proxyConfig",
      },
      {
        on: "session.terminate",
        action: "terminate_session",
        input: { sessionId: (read) => read.source("sessionId") ?? "n8n.text($json.sessionId)" },
        items: "=[{ success: true }]",
      },
      {
        on: "window.create",
        action: "create_window",
        input: {
          sessionId: (read) => read.source("sessionId") ?? "n8n.text($json.sessionId)",
          url: "url",
        },
        items: "=[{ ...one.body, windowId: one.body.data?.windowId, sessionId: asked.sessionId }]",
      },
      {
        on: "extraction.query",
        action: "query_page",
        input: {
          ...session,
          prompt: (read) => {
            if (read.raw("sessionMode") === "new")
              throw new NotConvertible("opens a session of its own");
            return read.text("prompt");
          },
          configuration: (read) =>
            read.raw("additionalFields.outputSchema") === undefined
              ? undefined
              : `{ outputSchema: ${read.text("additionalFields.outputSchema")} }`,
        },
        items: "=[{ ...asked, ...one.body }]",
        takes:
          "additionalFields.parseJsonOutput additionalFields.includeVisualAnalysis autoTerminateSession profileName url",
      },
      {
        on: "interaction.click",
        action: "click",
        input: { ...session, elementDescription: "elementDescription" },
        items: "=[{ ...asked, ...one.body }]",
      },
      {
        on: "interaction.type",
        action: "type_text",
        input: {
          ...session,
          text: "text",
          elementDescription: "elementDescription",
          pressEnterKey: "pressEnterKey|bool",
        },
        items: "=[{ ...asked, ...one.body }]",
      },
    ],
  },
};
