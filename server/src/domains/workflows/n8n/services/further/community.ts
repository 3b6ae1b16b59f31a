/** Services whose nodes a community made. */
import { toCode } from "../../code-text.ts";
import { toList, toObject, toText } from "../../n8n-workflow.ts";
import { request, type ServiceTable } from "../service-table.ts";

export const communityServices: ServiceTable = {
  "@mendable/n8n-nodes-firecrawl.firecrawl": {
    preset: "firecrawl",
    title: "Firecrawl",
    base: "https://api.firecrawl.dev/v1",
    usual: "Default.map",
    takes: "useCustomBody additionalFields scrapeOptions",
    actions: [
      {
        on: "scrape",
        action: "request",
        input: request("POST /scrape", {
          body: (read) => {
            const options = toObject(toObject(read.raw("scrapeOptions"))["options"]);
            const list = (name: string, inner: string): string[] => {
              const all = toList(toObject(options[name])["items"]).map(toObject);
              const codes = all.map((one) => `...n8n.list(${toCode(one[inner] ?? "")})`);
              return all.length === 0 ? [] : [`${name}: [${codes.join(", ")}]`];
            };
            const formats = toList(toObject(options["formats"])["format"]).map((one) =>
              JSON.stringify(toText(toObject(one)["type"], "markdown")),
            );
            const only = options["onlyMainContent"];
            const own = read.code("additionalFields.customProperties");
            return `{ url: ${read.text("url")}, formats: [${formats.length === 0 ? '"markdown"' : formats.join(", ")}]${only === undefined ? "" : `, onlyMainContent: ${toCode(only)}`}${["", ...list("includeTags", "tag"), ...list("excludeTags", "tag")].join(", ")}${own === undefined ? "" : `, ...n8n.json(${own})`} }`;
          },
        }),
        sample: { url: "https://example.com" },
      },
      {
        on: "map",
        action: "request",
        input: request("POST /map", {
          body: {
            url: "url",
            sitemapOnly: "sitemapOnly|bool",
            ignoreSitemap: "ignoreSitemap|bool",
          },
        }),
        sample: { url: "https://example.com" },
      },
      {
        on: "search",
        action: "request",
        input: request("POST /search", { body: { query: "query", limit: "limit|number" } }),
        sample: { query: "q" },
      },
    ],
  },
  "n8n-nodes-htmlcsstoimage.htmlCssToImage": {
    preset: "htmlcsstoimg",
    title: "HTML CSS to Image",
    base: "https://htmlcsstoimg.com/api/v1",
    usual: "HTMLImage.htmlToImage",
    actions: [
      {
        on: "htmlToImage",
        action: "request",
        input: request("POST /generateImage", {
          body: {
            html_content: "html_content",
            css_content: "css_content",
            viewPortWidth: "viewPortWidth|number",
            viewPortHeight: "viewPortHeight|number",
            response_format: (read) => `${read.text("response_format_html")} || "url"`,
          },
        }),
        sample: { html_content: "h" },
      },
    ],
  },
  "n8n-nodes-evolution-api.evolutionApi": {
    preset: "evolution_api",
    title: "Evolution API",
    base: "https://YOUR-EVOLUTION",
    usual: "instances-api.instance-basic messages-api.send-text chat-api.check-number",
    takes: "options_message",
    actions: [
      {
        on: "messages-api.send-text",
        action: "request",
        input: request("POST /message/sendText/{instanceName}", {
          body: { number: "remoteJid", text: "messageText" },
        }),
        items: "=[{ success: true, data: one.body }]",
      },
      {
        on: "messages-api.send-image",
        action: "request",
        input: request("POST /message/sendMedia/{instanceName}", {
          body: { number: "remoteJid", mediatype: '="image"', media: "media", caption: "caption" },
        }),
        items: "=[{ success: true, data: one.body }]",
      },
      {
        on: "chat-api.get-media-base64",
        action: "request",
        input: request("POST /chat/getBase64FromMediaMessage/{instanceName}", {
          body: (read) =>
            `{ message: { key: { id: ${read.text("messageId")} } }, convertToMp4: ${read.raw("convertToMp4") === true} }`,
        }),
        items: "=[{ success: true, data: one.body }]",
      },
    ],
  },
  "@elevenlabs/n8n-nodes-elevenlabs.elevenLabs": {
    preset: "elevenlabs",
    title: "ElevenLabs",
    base: "https://api.elevenlabs.io/v1",
    usual: "speech.textToSpeech",
    actions: [
      {
        on: "speech.textToSpeech",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) => `"/text-to-speech/" + encodeURIComponent(${read.text("voice")})`,
          query: (read) => {
            const format = read.code("additionalOptions.outputFormat");
            return format === undefined ? "{}" : `{ output_format: n8n.text(${format}) }`;
          },
          body: (read) => {
            const { value } = toObject(read.raw("additionalOptions.model"));
            const settings = read.code("additionalOptions.voiceSettings");
            const language = read.code("additionalOptions.languageCode");
            const parts = [
              `text: ${read.text("text")}`,
              `model_id: ${toCode(value ?? "eleven_multilingual_v2")}`,
              ...(settings === undefined ? [] : [`voice_settings: n8n.json(${settings})`]),
              ...(language === undefined ? [] : [`language_code: n8n.text(${language})`]),
            ];
            return `{ ${parts.join(", ")} }`;
          },
          response: '="file"',
        },
        takes: "additionalOptions",
        notes: ["options of a voice beyond its settings are left out"],
        sample: { voice: "v", text: "t" },
      },
    ],
  },
  "@brightdata/n8n-nodes-brightdata.brightData": {
    preset: "bright_data",
    title: "Bright Data",
    base: "https://api.brightdata.com",
    usual: "webUnlocker.request webScrapper.scrapeByUrl",
    takes: "batch_size compress format include_errors",
    actions: [
      {
        on: "webUnlocker.request",
        action: "request",
        input: request("POST /request", {
          body: {
            zone: "zone",
            url: "url",
            country: "country",
            format: (read) => `${read.text("format")} || "raw"`,
          },
        }),
      },
      {
        on: "webScrapper.scrapeByUrl",
        action: "request",
        input: request("POST /datasets/v3/scrape", {
          query: {
            dataset_id: "dataset_id",
            format: '="json"',
            include_errors: "include_errors|bool",
          },
          body: "urls|json",
        }),
      },
      {
        on: "webScrapper.triggerCollectionByUrl",
        action: "request",
        input: request("POST /datasets/v3/trigger", {
          query: { dataset_id: "dataset_id", include_errors: "include_errors|bool" },
          body: "urls|json",
        }),
      },
      {
        on: "webScrapper.monitorProgressSnapshot",
        action: "request",
        input: request("GET /datasets/v3/progress/{snapshot_id}"),
      },
      {
        on: "webScrapper.downloadSnapshot",
        action: "request",
        input: request("GET /datasets/v3/snapshot/{snapshot_id}", { query: { format: '="json"' } }),
      },
    ],
  },
};
